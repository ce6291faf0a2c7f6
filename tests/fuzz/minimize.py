"""The smallest input that still fails, found by leaving out lines, then pieces of lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence


def smallest(data: bytes, fails: Callable[[bytes], bool], tries: int = 400) -> bytes:
    """Return a part of a text for which ``fails`` is still true; it is asked so many times at most."""
    left = tries
    for split in (_lines, _pieces):
        parts = split(data)
        size = max(1, len(parts) // 2)
        while left > 0:
            for start in range(0, len(parts), size):
                shorter = [*parts[:start], *parts[start + size :]]
                left -= 1
                if left >= 0 and shorter and fails(b"".join(shorter)):
                    parts = shorter
                    break
            else:
                if size == 1:
                    break
                size //= 2
                continue
            size = max(1, min(size, len(parts) // 2))
        data = b"".join(parts)
    return data


def _lines(data: bytes) -> Sequence[bytes]:
    return data.splitlines(keepends=True)


def _pieces(data: bytes) -> Sequence[bytes]:
    return re.findall(rb"\w+|\s|.", data, re.DOTALL)
