"""The order of boxes within each rank that makes lines cross seldom."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Mapping, Sequence
from itertools import pairwise

_SWEEPS = 12

Layers = list[list[int]]
Neighbours = Mapping[int, Sequence[int]]


def ordered(layers: Layers, above: Neighbours, below: Neighbours) -> Layers:
    """Return the layers with their items in the best order that sweeping up and down finds.

    ``above`` and ``below`` are each item's neighbours in the layers beside its own.
    """
    best, least = layers, crossings(layers, below)
    current = [list(layer) for layer in layers]
    for sweep in range(_SWEEPS):
        downward = sweep % 2 == 0
        numbers = range(1, len(current)) if downward else range(len(current) - 2, -1, -1)
        for number in numbers:
            beside = current[number - 1 if downward else number + 1]
            place = {item: index for index, item in enumerate(beside)}
            neighbours = above if downward else below
            current[number] = _by_middle(current[number], place, neighbours)
        count = crossings(current, below)
        if count < least:
            best, least = [list(layer) for layer in current], count
    return best


def _by_middle(layer: list[int], place: Mapping[int, int], neighbours: Neighbours) -> list[int]:
    """Sort a layer by the mean place of the neighbours; what has none stays where it is."""
    means: dict[int, float] = {}
    for index, item in enumerate(layer):
        places = [place[other] for other in neighbours.get(item, ())]
        means[item] = sum(places) / len(places) if places else float(index)
    return sorted(layer, key=means.__getitem__)


def crossings(layers: Layers, below: Neighbours) -> int:
    """Return how often lines between neighbouring layers cross."""
    count = 0
    for upper, lower in pairwise(layers):
        place = {item: index for index, item in enumerate(lower)}
        seen: list[int] = []
        for item in upper:
            targets = sorted(place[other] for other in below.get(item, ()))
            count += sum(len(seen) - bisect_right(seen, target) for target in targets)
            for target in targets:
                insort(seen, target)
    return count
