"""Compares what CPython did with what the abstract machine says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def disagreements(
    orders: Sequence[Sequence[str]],
    cpython: Sequence[Sequence[dict[str, Any]]],
    abstract: Sequence[Sequence[dict[str, Any]]],
) -> list[str]:
    """Return, for each order of imports and each step of it, what differs."""
    found: list[str] = []
    for order, theirs, ours in zip(orders, cpython, abstract, strict=True):
        for name, real, mine in zip(order, theirs, ours, strict=True):
            for key in ("ended", "loaded", "bound"):
                if not _agree(real[key], mine[key]):
                    found.append(
                        f"{' then '.join(order)}: {key} after {name}:\n"
                        f"    CPython  {real[key]}\n    regreach {mine[key]}"
                    )
    return found


def _agree(theirs: Any, ours: Any) -> bool:
    if theirs == ["other"]:
        return isinstance(ours, list) and ours[0] == "other"
    if isinstance(theirs, dict) and isinstance(ours, dict):
        return theirs.keys() == ours.keys() and all(_agree(theirs[k], ours[k]) for k in theirs)
    if isinstance(theirs, list) and isinstance(ours, list):
        return len(theirs) == len(ours) and all(map(_agree, theirs, ours))
    return bool(theirs == ours)
