"""Where boxes stand within their rank: near to what they are joined with, and apart from each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

_SWEEPS = 24

Weighted = Mapping[int, Sequence[tuple[int, float]]]


def centres(
    layers: Sequence[Sequence[int]],
    widths: Mapping[int, float],
    above: Weighted,
    below: Weighted,
    gap: float,
) -> dict[int, float]:
    """Return the x of each item's centre; neighbours come with how much they matter."""
    x: dict[int, float] = {}
    for layer in layers:
        at = 0.0
        for item in layer:
            x[item] = at + widths[item] / 2
            at += widths[item] + gap
    # What is part of a line has one neighbour each way: following it, a line is straight until something is
    # in its way. (In the mean of both neighbours it would be a stair.)
    for sweep in range(_SWEEPS):
        downward = sweep % 2 == 0
        for layer in layers if downward else reversed(layers):
            _settle(layer, widths, gap, above if downward else below, x)
    left = min((x[item] - widths[item] / 2 for item in x), default=0.0)
    return {item: place - left for item, place in x.items()}


def _settle(
    layer: Sequence[int],
    widths: Mapping[int, float],
    gap: float,
    neighbours: Weighted,
    x: dict[int, float],
) -> None:
    """Move a layer's items to where they want to be, as far as they leave each other room.

    With the room that each needs taken off, that is the isotonic regression of the wishes: neighbours whose wishes
    are in the wrong order share their mean (pool adjacent violators).
    """
    offset = 0.0
    offsets: list[float] = []
    for index, item in enumerate(layer):
        if index:
            offset += (widths[layer[index - 1]] + widths[item]) / 2 + gap
        offsets.append(offset)
    pools: list[tuple[float, float, int]] = []  # mean, weight, number of items
    for item, shift in zip(layer, offsets, strict=True):
        beside = neighbours.get(item, ())
        weight = sum(w for _, w in beside)
        wish = sum(x[other] * w for other, w in beside) / weight if weight else x[item]
        pool = (wish - shift, weight or 0.1, 1)
        while pools and pools[-1][0] > pool[0]:
            mean, mass, count = pools.pop()
            total = mass + pool[1]
            pool = ((mean * mass + pool[0] * pool[1]) / total, total, count + pool[2])
        pools.append(pool)
    means = [mean for mean, _, count in pools for _ in range(count)]
    for item, mean, shift in zip(layer, means, offsets, strict=True):
        x[item] = mean + shift
