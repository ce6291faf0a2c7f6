"""Boxes in ranks, and lines between them that go around the boxes: the layered layout of Sugiyama.

A label is a box of its own in the middle of its line, in a rank between those of the boxes that are
joined, so that no label lies on another. Everything depends on the order of what is given, and on
nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from regreach.report.drawing.order import ordered
from regreach.report.drawing.places import centres
from regreach.report.drawing.ranks import backward, ranks

Size = tuple[float, float]
Point = tuple[float, float]

_GAP = 22.0  # between boxes beside each other
_RISE = 24.0  # between ranks
_MARGIN = 12.0  # of a box's side that no line begins at
# How much it matters that two neighbours stand straight above each other, by how many of them are part of a
# line and no box (as in Gansner et al., A Technique for Drawing Directed Graphs, 1993, section 4).
_WEIGHTS = (1.0, 2.0, 8.0)


@dataclass(frozen=True, slots=True)
class Line:
    """A line that joins two boxes; ``label`` is the size of what is written on it."""

    source: str
    target: str
    label: Size = (0.0, 0.0)


@dataclass(slots=True)
class Layout:
    """Centres of boxes by name, and for each line the points that it goes through and where its label is.

    A line's points come in pairs, the upper and lower end of what is straight down; they begin at its
    upper box, which is the target if the line is one of those ``upward``.
    """

    size: Size
    boxes: dict[str, Point]
    lines: list[list[Point]] = field(default_factory=list)
    labels: list[Point] = field(default_factory=list)
    upward: set[int] = field(default_factory=set)


def lay_out(boxes: Mapping[str, Size], lines: Sequence[Line]) -> Layout:
    """Return where boxes of these sizes and these lines between them are drawn."""
    return _Layered(boxes, lines).layout()


class _Layered:
    """Items are numbers: first the boxes, then what stands for a line in each rank that it crosses."""

    def __init__(self, boxes: Mapping[str, Size], lines: Sequence[Line]) -> None:
        self.names = list(boxes)
        self.sizes: list[Size] = list(boxes.values())
        self.lines = lines
        number = {name: index for index, name in enumerate(self.names)}
        pairs = [(number[line.source], number[line.target]) for line in lines]
        back = backward(range(len(self.names)), pairs)
        self.upward = {index for index, pair in enumerate(pairs) if pair in back}
        self.ends = [(b, a) if i in self.upward else (a, b) for i, (a, b) in enumerate(pairs)]
        # odd ranks are for labels
        found = ranks(range(len(self.names)), self.ends)
        self.rank = [2 * found[item] for item in range(len(self.names))]
        self.ways = [self._way(index) for index in range(len(lines))]

    def _way(self, index: int) -> list[int]:
        """Return the items of a line from its upper box to its lower one, made where it crosses a rank."""
        upper, lower = self.ends[index]
        first, last = self.rank[upper], self.rank[lower]
        middle = first + 1 if (last - first) <= 2 else (first + last) // 2 | 1
        way = [upper]
        for rank in range(first + 1, last):
            self.sizes.append(self.lines[index].label if rank == middle else (0.0, 0.0))
            self.rank.append(rank)
            way.append(len(self.sizes) - 1)
        return [*way, lower]

    def layout(self) -> Layout:
        above: dict[int, list[int]] = {}
        below: dict[int, list[int]] = {}
        for way in self.ways:
            for upper, lower in pairwise(way):
                below.setdefault(upper, []).append(lower)
                above.setdefault(lower, []).append(upper)
        layers: list[list[int]] = [[] for _ in range(max(self.rank, default=-1) + 1)]
        for item in self._depth_first(below):
            layers[self.rank[item]].append(item)
        layers = ordered(layers, above, below)
        widths = {item: size[0] for item, size in enumerate(self.sizes)}
        x = centres(layers, widths, self._weighted(above), self._weighted(below), _GAP)
        y, height = self._heights(layers)
        width = max((x[i] + self.sizes[i][0] / 2 for i in x), default=0.0)
        layout = Layout((width, height), {}, upward=self.upward)
        for item, name in enumerate(self.names):
            layout.boxes[name] = (x[item], y[item])
        self._route(layout, layers, x, y)
        return layout

    def _depth_first(self, below: Mapping[int, Sequence[int]]) -> list[int]:
        seen: dict[int, None] = {}
        # boxes that nothing points down to are where it begins
        starts = sorted(range(len(self.names)), key=lambda item: self.rank[item])
        stack = list(reversed(starts))
        while stack:
            item = stack.pop()
            if item not in seen:
                seen[item] = None
                stack.extend(reversed(below.get(item, ())))
        return list(seen)

    def _weighted(
        self, neighbours: Mapping[int, Sequence[int]]
    ) -> dict[int, list[tuple[int, float]]]:
        boxes = len(self.names)
        return {
            item: [(o, _WEIGHTS[(item >= boxes) + (o >= boxes)]) for o in others]
            for item, others in neighbours.items()
        }

    def _heights(self, layers: Sequence[Sequence[int]]) -> tuple[dict[int, float], float]:
        y: dict[int, float] = {}
        top = 0.0
        for layer in layers:
            height = max((self.sizes[item][1] for item in layer), default=0.0)
            for item in layer:
                y[item] = top + height / 2
            top += height + _RISE
        return y, max(top - _RISE, 0.0)

    def _route(
        self,
        layout: Layout,
        layers: Sequence[Sequence[int]],
        x: Mapping[int, float],
        y: Mapping[int, float],
    ) -> None:
        tall = [max((self.sizes[i][1] for i in layer), default=0.0) for layer in layers]
        begins, ends = self._ports(x, lower=True), self._ports(x, lower=False)
        for index, way in enumerate(self.ways):
            upper, lower = way[0], way[-1]
            points = [(begins[index], y[upper] + self.sizes[upper][1] / 2)]
            points.append((begins[index], y[upper] + tall[self.rank[upper]] / 2))
            label = points[0]
            for item in way[1:-1]:
                half = tall[self.rank[item]] / 2
                points += [(x[item], y[item] - half), (x[item], y[item] + half)]
                if self.sizes[item] != (0.0, 0.0):
                    label = (x[item], y[item])
            points.append((ends[index], y[lower] - tall[self.rank[lower]] / 2))
            points.append((ends[index], y[lower] - self.sizes[lower][1] / 2))
            layout.lines.append(points)
            layout.labels.append(label)

    def _ports(self, x: Mapping[int, float], *, lower: bool) -> dict[int, float]:
        """Return where each line leaves the lower (or meets the upper) side of its box: evenly apart."""
        at: dict[int, list[tuple[float, int]]] = {}
        for index, way in enumerate(self.ways):
            box, beside = (way[0], way[1]) if lower else (way[-1], way[-2])
            at.setdefault(box, []).append((x[beside], index))
        ports = {}
        for box, lines in at.items():
            room = max(self.sizes[box][0] - 2 * _MARGIN, 0.0)
            step = min(room / len(lines), 40.0)
            wish = sum(place for place, _ in lines) / len(lines)
            reach = (room - step * (len(lines) - 1)) / 2
            middle = min(max(wish, x[box] - reach), x[box] + reach)
            for place, (_, index) in enumerate(sorted(lines)):
                ports[index] = middle + (place - (len(lines) - 1) / 2) * step
        return ports
