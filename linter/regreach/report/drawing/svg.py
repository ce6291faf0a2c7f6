"""The picture of a key as SVG, without a program of others: title, roles, boxes, lines and a legend."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from itertools import pairwise
from xml.etree.ElementTree import Element

from regreach.explain.picture import Edge, EdgeKind, Node, Picture, Row, State
from regreach.report.drawing.layout import Layout, Line, Point, lay_out
from regreach.report.markup import as_xml, element

_CHARACTER = 0.605  # of a monospaced font's size
_PAD = 10.0
_EDGE = 14.0  # around everything
_TITLE, _ROW, _SMALL = 12.0, 11.0, 10.0
_LINE_HEIGHT = 1.36
_MARKS: dict[State, str] = {"good": "✓", "bad": "✗", "doubt": "?", "plain": "·"}
ROLES = {
    "root": "PROCESS BEGINS HERE",
    "site": "CALLS",
    "consumer": "LOOKS UP",
    "registering": "REGISTERS",
    "module": "",
}
_KINDS: dict[EdgeKind, str] = {
    "eager": "import, executed with the module",
    "lazy": "import in a function",
    "dynamic": "import by name at run time",
    "type-checking": "import for type checkers only",
    "constructs": "constructs the consumer",
    "finds": "look-up that finds it",
    "misses": "look-up that finds nothing",
    "would": "an import that is not there",
}
_LOOKS = ("finds", "misses", "would")  # whose colour says something of itself
_HEAD = 5.0


def style() -> str:
    """Return the style sheet of pictures, for light, dark and paper."""
    return files(__package__).joinpath("picture.css").read_text(encoding="utf-8")


def svg_document(picture: Picture) -> str:
    """Return a picture as a file of its own."""
    drawn = svg(picture, "picture")
    drawn.set("xmlns", "http://www.w3.org/2000/svg")
    drawn.insert(2, element("style", {}, style()))
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + as_xml(drawn) + "\n"


def svg(picture: Picture, name: str) -> Element:
    """Return a picture as an element; ``name`` is what the ids in it begin with."""
    sizes = {node.id: _size(node) for node in picture.nodes}
    lines = [Line(e.source, e.target, _text_size(e.labels, _SMALL)) for e in picture.edges]
    layout = lay_out(sizes, lines)
    legend = _Legend(picture)
    width = max(layout.size[0], legend.width) + 2 * _EDGE
    below = layout.size[1] + 2 * _EDGE
    height = below + legend.height
    shift = (width - layout.size[0]) / 2
    return element(
        "svg",
        {
            "class": "key-picture",
            "role": "img",
            "aria-labelledby": f"{name}-title {name}-text",
            "viewBox": f"0 0 {width:.0f} {height:.0f}",
            "width": f"{width:.0f}",
            "height": f"{height:.0f}",
        },
        element("title", {"id": f"{name}-title"}, picture.title),
        element("desc", {"id": f"{name}-text"}, picture.description),
        element("rect", {"class": "paper", "width": "100%", "height": "100%"}),
        element(
            "g",
            {"transform": f"translate({shift:.1f} {_EDGE:.1f})"},
            *(_edge(edge, layout, index) for index, edge in enumerate(picture.edges)),
            *(_node(node, layout.boxes[node.id], sizes[node.id]) for node in picture.nodes),
            # above the boxes, so that nothing hides what is written on a line
            *(_label(edge, layout.labels[index]) for index, edge in enumerate(picture.edges)),
        ),
        legend.drawn(_EDGE, below),
    )


def _width(text: str, size: float) -> float:
    return len(text) * size * _CHARACTER


def _text_size(lines: Sequence[str], size: float) -> tuple[float, float]:
    if not lines:
        return 0.0, 0.0
    return max(_width(each, size) for each in lines) + 8, len(lines) * size * _LINE_HEIGHT


def _package(node: Node) -> str:
    """Return the package of a module, its middle left out where it is long."""
    parts = node.package.split(".")
    return node.package if len(parts) <= 3 else f"{parts[0]}…{'.'.join(parts[-2:])}"


def _size(node: Node) -> tuple[float, float]:
    widths = [_width(node.title, _TITLE), _width(_package(node), _SMALL)]
    widths += [_width(row.text, _ROW) + 16 for row in node.rows]
    widths.append(_width(ROLES[node.kind], 10.0))
    height = _TITLE * _LINE_HEIGHT + len(node.rows) * _ROW * _LINE_HEIGHT + 2 * _PAD - 4
    height += _SMALL * _LINE_HEIGHT * (bool(node.package) + bool(ROLES[node.kind]))
    return max(widths) + 2 * _PAD, height


def _node(node: Node, centre: Point, size: tuple[float, float]) -> Element:
    left, top = centre[0] - size[0] / 2, centre[1] - size[1] / 2
    name = f"{node.package}.{node.title}" if node.package else node.title
    drawn = element(
        "g",
        {"class": f"node {node.kind}"},
        element("title", {}, name),
        element(
            "rect",
            {
                "class": "box",
                "x": left,
                "y": top,
                "width": size[0],
                "height": size[1],
                "rx": 5.0,
            },
        ),
    )
    y = top + _PAD - 5
    x = left + _PAD
    if ROLES[node.kind]:
        y += _SMALL * _LINE_HEIGHT
        drawn.append(element("text", {"class": "role", "x": x, "y": y}, ROLES[node.kind]))
    y += _TITLE * _LINE_HEIGHT
    drawn.append(element("text", {"class": "title", "x": x, "y": y}, node.title))
    if node.package:
        y += _SMALL * _LINE_HEIGHT
        drawn.append(element("text", {"class": "package", "x": x, "y": y}, _package(node)))
    for row in node.rows:
        y += _ROW * _LINE_HEIGHT
        drawn.append(_row(row, x, y))
    return drawn


def _row(row: Row, x: float, y: float) -> Element:
    return element(
        "g",
        {"class": f"row {row.state}"},
        element("title", {}, row.full) if row.full else None,
        element("text", {"x": x, "y": y}, _MARKS[row.state]),
        element("text", {"x": x + 14, "y": y}, row.text),
    )


def _classes(edge: Edge) -> str:
    return f"edge {edge.kind} {edge.state}{' cycle' if edge.cycle else ''}"


def _edge(edge: Edge, layout: Layout, index: int) -> Element:
    points = layout.lines[index]
    upward = index in layout.upward
    tip = points[0] if upward else points[-1]
    way = 1.0 if upward else -1.0  # from the tip back along the line
    # the line ends inside the head
    ended = list(points)
    ended[0 if upward else -1] = (tip[0], tip[1] + way * _HEAD)
    head = (
        f"M{tip[0]:.1f} {tip[1]:.1f}l{-_HEAD * 0.8:.1f} {way * _HEAD * 1.7:.1f}h{_HEAD * 1.6:.1f}z"
    )
    return element(
        "g",
        {"class": _classes(edge)},
        element("path", {"class": "line", "d": _path(ended)}),
        element("path", {"class": "head", "d": head}),
    )


def _path(points: Sequence[Point]) -> str:
    """Return a way straight down through each rank, and bent between two."""
    parts = [f"M{points[0][0]:.1f} {points[0][1]:.1f}"]
    for number, ((x0, y0), (x1, y1)) in enumerate(pairwise(points)):
        if number % 2 == 0 or x0 == x1:
            parts.append(f"L{x1:.1f} {y1:.1f}")
        else:
            middle = (y0 + y1) / 2
            parts.append(f"C{x0:.1f} {middle:.1f} {x1:.1f} {middle:.1f} {x1:.1f} {y1:.1f}")
    return "".join(parts)


def _label(edge: Edge, centre: Point) -> Element | None:
    if not edge.labels:
        return None
    top = centre[1] - len(edge.labels) * _SMALL * _LINE_HEIGHT / 2
    lines = [
        element("text", {"x": centre[0], "y": top + (n + 0.8) * _SMALL * _LINE_HEIGHT}, text)
        for n, text in enumerate(edge.labels)
    ]
    title = element("title", {}, edge.full) if edge.full else None
    return element("g", {"class": _classes(edge)}, title, *lines)


class _Legend:
    """What the lines of a picture mean, one below the other: only those that are in it."""

    def __init__(self, picture: Picture) -> None:
        used = {edge.kind: edge for edge in reversed(picture.edges)}
        self.entries = [
            (_classes(used[kind]) if kind in _LOOKS else f"edge {kind}", text)
            for kind, text in _KINDS.items()
            if kind in used
        ]
        if any(edge.cycle for edge in picture.edges):
            self.entries.append(("edge eager cycle", "part of an import cycle"))
        self.width = max((_width(t, _SMALL) + 44 for _, t in self.entries), default=0.0)
        self.height = len(self.entries) * 15.0 + (8 if self.entries else 0)

    def drawn(self, x: float, y: float) -> Element:
        """Return the legend with its upper left corner there."""
        made = element("g", {"class": "legend-box", "aria-hidden": "true"})
        for number, (classes, text) in enumerate(self.entries):
            middle = y + number * 15 + 6
            sample = element("path", {"class": "line", "d": f"M{x:.1f} {middle:.1f}h32"})
            made.append(element("g", {"class": classes}, sample))
            made.append(element("text", {"class": "legend", "x": x + 42, "y": middle + 3.5}, text))
        return made
