"""What the tests of pictures share: reading DOT, Mermaid and SVG by others' means, and a nasty tree."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree import ElementTree

from shop_example import PACK, SHOP

# What would do harm, or break a language, if it were not escaped where it comes out.
NASTY = "</script><img src=x onerror=alert(1)>&\"']]>|{}\\l#;"
NASTY_PACK = PACK
NASTY_SHOP = {
    **SHOP,
    "shop/kinds.py": SHOP["shop/kinds.py"].replace(
        '    INVOICE = "invoice"\n', f'    INVOICE = "invoice"\n    NASTY = {NASTY!r}\n'
    ),
    "shop/nasty.py": f"""\
from shop.registry import handles

HANDLED = handles("eu", {NASTY!r})


@HANDLED
def pay(basket):
    return basket


@handles("eu", {NASTY!r})
def pay_nastily(basket):
    return basket
""",
    "shop/desk.py": f"""\
from shop.checkout import Checkout
from shop.kinds import Kind


def serve(basket, word):
    if word == {NASTY!r} or "\\x07" in word:
        from shop import nasty  # noqa: F401
    return Checkout(Kind.NASTY, basket)
""",
}

_NODE = re.compile(
    r'  (n\d+)(\(\[|\[\[|\[/|\(|\[)"((?:[^"#&<>`\\|{}]|#\d+;|<br/>)*)"(\]\)|\]\]|/\]|\)|\])'
)
_CLOSES = {"([": "])", "[[": "]]", "[/": "/]", "(": ")", "[": "]"}
_EDGE = re.compile(
    r'  (n\d+) (-->|-\.->|==>|-\.-x)(?:\|"((?:[^"#&<>`\\|{}]|#\d+;|<br/>)+)"\|)? (n\d+)'
)
_COLOUR = r"#[0-9a-f]{6}"
_STYLE = re.compile(rf"  linkStyle (\d+) stroke:{_COLOUR}(?:,stroke-width:3px)?")
_CLASS = re.compile(
    rf"  classDef fails stroke:{_COLOUR},stroke-width:2px|  class (n\d+(?:,n\d+)*) fails"
)


@dataclass(frozen=True)
class Chart:
    """A flowchart: the texts of its nodes by name, and its edges with their arrows and labels."""

    nodes: dict[str, str]
    edges: list[tuple[str, str, str, str]]


def read_mermaid(text: str) -> Chart:
    """Read a flowchart, line by line, in a strict part of the language. Raises ValueError."""
    first, title, description, *lines = text.splitlines()
    if first != "flowchart TD" or not re.fullmatch(r"  accTitle: [^{};#%]+", title):
        raise ValueError(f"{first}\n{title}")
    if not re.fullmatch(r"  accDescr: [^{};#%]+", description):
        raise ValueError(description)
    chart = Chart({}, [])
    for line in lines:
        if found := _NODE.fullmatch(line):
            name, opens, label, closes = found.groups()
            if _CLOSES[opens] != closes or name in chart.nodes:
                raise ValueError(line)
            chart.nodes[name] = unescaped(label)
        elif found := _EDGE.fullmatch(line):
            source, arrow, label, target = found.groups()
            if not {source, target} <= chart.nodes.keys():
                raise ValueError(line)
            chart.edges.append((source, arrow, unescaped(label or ""), target))
        elif found := _STYLE.fullmatch(line):
            if int(found[1]) >= len(chart.edges):
                raise ValueError(line)
        elif not _CLASS.fullmatch(line):
            raise ValueError(line)
    return chart


def unescaped(label: str) -> str:
    return re.sub(r"#(\d+);", lambda found: chr(int(found[1])), label.replace("<br/>", "\n"))


SVG = "{http://www.w3.org/2000/svg}"


@dataclass(frozen=True)
class Box:
    """A rectangle of a picture, with what is written in it or around it."""

    left: float
    top: float
    right: float
    bottom: float
    text: str

    def meets(self, other: Box) -> bool:
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )


def boxes(picture: ElementTree.Element) -> list[Box]:
    """The boxes of a picture."""
    return [
        Box(x, y, x + float(rect.get("width", "")), y + float(rect.get("height", "")), _text(group))
        for group in picture.iter(f"{SVG}g")
        if "node" in group.get("class", "").split()
        for rect in group.findall(f"{SVG}rect")
        for x, y in [(float(rect.get("x", "")), float(rect.get("y", "")))]
    ]


def labels(picture: ElementTree.Element, character: float = 6.0) -> Iterator[Box]:
    """The labels of a picture's lines, as wide as a monospaced font of 10 pixels makes them."""
    for group in picture.iter(f"{SVG}g"):
        texts = group.findall(f"{SVG}text")
        if "edge" not in group.get("class", "").split() or not texts:
            continue
        half = max(len(each.text or "") for each in texts) * character / 2
        x = float(texts[0].get("x", ""))
        ys = [float(each.get("y", "")) for each in texts]
        yield Box(x - half, min(ys) - 9, x + half, max(ys) + 2, _text(group))


def _text(group: ElementTree.Element) -> str:
    return "\n".join(each.text or "" for each in group.iter(f"{SVG}text"))
