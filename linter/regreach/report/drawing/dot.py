"""The picture of a key in the language of Graphviz (https://graphviz.org/doc/info/lang.html)."""

from __future__ import annotations

from regreach.explain.picture import Edge, Node, Picture, State

_COLOURS: dict[State, str] = {
    "good": "#0b6b35",
    "bad": "#b3151f",
    "doubt": "#8a5a00",
    "plain": "#5b6675",
}
_CYCLE = "#9a3fa0"
_STYLES = {
    "eager": "solid",
    "lazy": "dashed",
    "dynamic": "dashed",
    "type-checking": "dotted",
    "constructs": "solid",
    "finds": "bold",
    "misses": "dotted",
    "would": "dotted",
}
_MARKS: dict[State, str] = {"good": "ok ", "bad": "FAILS ", "doubt": "perhaps ", "plain": ""}
_NODES = {
    "root": "style=dashed",
    "site": "style=rounded",
    "consumer": "penwidth=2 color=blue",
    "registering": "penwidth=2",
    "module": "color=gray",
}


def dot(picture: Picture) -> str:
    """Return a picture as a directed graph for ``dot``."""
    lines = [
        f"digraph {_quoted(picture.title)} {{",
        f"  label={_quoted(picture.title)} labelloc=t fontname=monospace tooltip={_quoted(picture.description)}",
        "  node [shape=box fontname=monospace fontsize=11]",
        "  edge [fontname=monospace fontsize=10]",
        *(f"  {node.id} [{_node(node)}]" for node in picture.nodes),
        *(f"  {edge.source} -> {edge.target} [{_edge(edge)}]" for edge in picture.edges),
        "}",
    ]
    return "\n".join(lines) + "\n"


def _node(node: Node) -> str:
    rows = [f"{_MARKS[row.state]}{row.text}" for row in node.rows]
    name = f"{node.package}.{node.title}" if node.package else node.title
    label = _quoted(name, *rows)
    states = {row.state for row in node.rows}
    colour = _COLOURS["bad" if "bad" in states else "doubt" if "doubt" in states else "plain"]
    return f'label={label} {_NODES[node.kind]} fontcolor="{colour}"'


def _edge(edge: Edge) -> str:
    colour = _CYCLE if edge.cycle else _COLOURS[edge.state]
    width = " penwidth=2.5" if edge.cycle else ""
    # what is no import does not say which module stands above which
    loose = " constraint=false" if edge.kind == "would" else ""
    return (
        f"label={_quoted(*edge.labels)} labeltooltip={_quoted(edge.full)}"
        f' style={_STYLES[edge.kind]} class="{edge.kind}"'
        f' color="{colour}" fontcolor="{colour}"{width}{loose}'
    )


def _quoted(*lines: str) -> str:
    r"""Return lines as one string of DOT, each ended by ``\l`` where there are several (aligned to the left)."""
    texts = [line.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ") for line in lines]
    ends = "\\l" if len(texts) > 1 else ""
    return '"' + "".join(text + ends for text in texts) + '"'
