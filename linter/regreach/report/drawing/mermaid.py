"""The picture of a key in the language of Mermaid (https://mermaid.js.org/syntax/flowchart.html)."""

from __future__ import annotations

from regreach.explain.picture import EdgeKind, Node, NodeKind, Picture, State

_ARROWS: dict[EdgeKind, str] = {
    "eager": "-->",
    "lazy": "-.->",
    "dynamic": "-.->",
    "type-checking": "-.->",
    "constructs": "-->",
    "finds": "==>",
    "misses": "-.-x",
    "would": "-.->",
}
_COLOURS: dict[State, str] = {"good": "#0b6b35", "bad": "#b3151f", "doubt": "#8a5a00"}
_CYCLE = "#9a3fa0"
_MARKS: dict[State, str] = {"good": "✓ ", "bad": "✗ ", "doubt": "? ", "plain": ""}
_SHAPES: dict[NodeKind, tuple[str, str]] = {
    "root": ("([", "])"),
    "site": ("(", ")"),
    "consumer": ("[[", "]]"),
    "registering": ("[/", "/]"),
    "module": ("[", "]"),
}
# What has a meaning in Mermaid's own strings, or in the HTML that it makes of them.
_ENTITIES = {c: f"#{ord(c)};" for c in "\"#&<>'`|;\\[](){}*_~$@%"}


def mermaid(picture: Picture) -> str:
    """Return a picture as a flowchart."""
    lines = [
        "flowchart TD",
        f"  accTitle: {_plain(picture.title)}",
        f"  accDescr: {_plain(picture.description)}",
    ]
    lines += [f"  {_node(node)}" for node in picture.nodes]
    styles = []
    for number, edge in enumerate(picture.edges):
        text = "<br/>".join(map(_escaped, edge.labels))
        label = f'|"{text}"|' if text else ""
        lines.append(f"  {edge.source} {_ARROWS[edge.kind]}{label} {edge.target}")
        if edge.cycle:
            styles.append(f"  linkStyle {number} stroke:{_CYCLE},stroke-width:3px")
        elif edge.state in _COLOURS:
            styles.append(f"  linkStyle {number} stroke:{_COLOURS[edge.state]}")
    lines += styles
    failing = [node.id for node in picture.nodes if any(r.state == "bad" for r in node.rows)]
    if failing:
        lines.append(f"  classDef fails stroke:{_COLOURS['bad']},stroke-width:2px")
        lines.append(f"  class {','.join(failing)} fails")
    return "\n".join(lines) + "\n"


def _node(node: Node) -> str:
    name = f"{node.package}.{node.title}" if node.package else node.title
    rows = [f"{_MARKS[row.state]}{row.text}" for row in node.rows]
    opens, closes = _SHAPES[node.kind]
    return f'{node.id}{opens}"{"<br/>".join(map(_escaped, (name, *rows)))}"{closes}'


def _escaped(text: str) -> str:
    return "".join(_ENTITIES.get(c, c) for c in " ".join(text.split()))


def _plain(text: str) -> str:
    """Return a text for a line that ends with the line, and has no quotes around it."""
    return " ".join(text.translate({ord(c): " " for c in "{};#%"}).split())
