"""Which boxes stand above which: a rank for each, so that all lines but those back point down."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TypeVar

import networkx as nx

_N = TypeVar("_N", bound=Hashable)


def backward(nodes: Sequence[_N], edges: Sequence[tuple[_N, _N]]) -> set[tuple[_N, _N]]:
    """Return the edges that close a cycle, found by walking the graph depth first in the nodes' order."""
    after: dict[_N, list[_N]] = {node: [] for node in nodes}
    for source, target in edges:
        after[source].append(target)
    found: set[tuple[_N, _N]] = set()
    state: dict[_N, int] = {}  # 1: on the way to here, 2: done
    for start in nodes:
        if start in state:
            continue
        stack = [(start, iter(after[start]))]
        state[start] = 1
        while stack:
            node, following = stack[-1]
            for target in following:
                if state.get(target) == 1:
                    found.add((node, target))
                elif target not in state:
                    state[target] = 1
                    stack.append((target, iter(after[target])))
                    break
            else:
                state[node] = 2
                stack.pop()
    return found


def ranks(nodes: Sequence[_N], edges: Sequence[tuple[_N, _N]]) -> dict[_N, int]:
    """Return the rank of each node of an acyclic graph: each edge goes to a higher one, and not further than it must.

    A node stands as near to what it points to as it can.
    """
    graph: nx.DiGraph[_N] = nx.DiGraph()
    graph.add_nodes_from(nodes)
    graph.add_edges_from(edges)
    rank = {n: i for i, layer in enumerate(nx.topological_generations(graph)) for n in layer}
    for node in reversed(list(nx.topological_sort(graph))):
        below = [rank[target] for target in graph.successors(node)]
        if below:
            rank[node] = min(below) - 1
    return rank
