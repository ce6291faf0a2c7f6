"""Times: by the device's own events on a GPU, by the clock of the process elsewhere."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

_WARM_UP = 5
_COPIED = 1 << 30  # bytes: far more than any cache holds
_COPIES = 20


def clock_for(device: str) -> Clock:
    """Return the clock of a device."""
    return CudaClock() if device == "cuda" else Clock()


class Clock:
    """The clock of the process."""

    copied = 1 << 26

    def median(self, action: Callable[[], Any], repetitions: int) -> float:
        """Return the median of the seconds that an action takes, after some runs that do not count."""
        for _ in range(_WARM_UP):
            action()
        return statistics.median(self._times(action, repetitions))

    def bandwidth(self) -> float:
        """Return the bytes that a plain copy moves in a second, read and written, on this device."""
        source, target = self._buffers()
        return 2 * self.copied / self.median(lambda: self._copy(source, target), _COPIES)

    def _times(self, action: Callable[[], Any], repetitions: int) -> list[float]:
        times = []
        for _ in range(repetitions):
            start = time.perf_counter()
            action()
            times.append(time.perf_counter() - start)
        return times

    def _buffers(self) -> tuple[Any, Any]:
        import numpy as np

        return np.zeros(self.copied, np.uint8), np.ones(self.copied, np.uint8)

    def _copy(self, source: Any, target: Any) -> None:
        target[:] = source


class CudaClock(Clock):
    """The GPU's events: what was queued between two of them took that long."""

    copied = _COPIED

    def _times(self, action: Callable[[], Any], repetitions: int) -> list[float]:
        import torch

        events = [
            (torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True))
            for _ in range(repetitions)
        ]
        torch.cuda.synchronize()
        for start, end in events:
            start.record()
            action()
            end.record()
        torch.cuda.synchronize()
        return [start.elapsed_time(end) / 1000 for start, end in events]

    def _buffers(self) -> tuple[Any, Any]:
        import torch

        source = torch.zeros(self.copied, dtype=torch.uint8, device="cuda")
        return source, torch.ones_like(source)

    def _copy(self, source: Any, target: Any) -> None:
        target.copy_(source)
