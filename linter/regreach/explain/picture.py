"""The part of the import graph that matters for one key, as nodes and edges for whoever draws it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

State = Literal["good", "bad", "doubt", "plain"]
NodeKind = Literal["root", "site", "consumer", "registering", "module"]
EdgeKind = Literal[
    "eager", "lazy", "dynamic", "type-checking", "constructs", "finds", "misses", "would"
]


@dataclass(frozen=True, slots=True)
class Row:
    """A line in a node: a call site, a registration, a look-up."""

    text: str
    state: State = "plain"
    full: str = ""  # the same without anything left out


@dataclass(frozen=True, slots=True)
class Node:
    """A module, or several of which the same is to be said. ``package`` is what its name begins with."""

    id: str
    kind: NodeKind
    title: str
    package: str
    rows: tuple[Row, ...] = ()


@dataclass(frozen=True, slots=True)
class Edge:
    """What leads from one node to another.

    Imports are ``eager``, ``lazy``, ``dynamic`` or ``type-checking``; ``would`` is one that is not there. A
    call site ``constructs`` the consumer, which ``finds`` or ``misses`` what is registered. ``labels`` are
    lines and guards, ``full`` the same without anything left out; ``cycle`` marks an edge of an import cycle.
    """

    source: str
    target: str
    kind: EdgeKind
    labels: tuple[str, ...] = ()
    state: State = "plain"
    cycle: bool = False
    full: str = ""


@dataclass(frozen=True, slots=True)
class Picture:
    """Nodes and edges; ``title`` and ``description`` say the same in words."""

    title: str
    description: str
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
