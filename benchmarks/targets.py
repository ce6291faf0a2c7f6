"""What regreach is meant to reach on sglang 0.5.23, as ratios of one run (and one size)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from benchmarks import competitors as names
from benchmarks.timing import Samples

MIB = 2**20
_MEMORY = 300  # MiB

_RATIOS = (
    (names.CHECK_COLD, names.GRIMP_COLD, 1.0),
    (names.CHECK_COLD, names.PARSE, 0.03),
    (names.AUDIT_COLD, names.GRIMP_COLD, 4.0),
    (names.CHECK_WARM, names.GRIMP_CACHED, 0.35),
)


@dataclass(frozen=True, slots=True)
class Measured:
    """A target: what was measured, in which unit, and what it may be at most."""

    text: str
    value: float
    unit: str
    bound: float

    @property
    def shown(self) -> str:
        """The value with its unit, with as many digits as mean something."""
        return f"{self.value:.{0 if self.unit == 'MiB' else 2}f} {self.unit}"

    @property
    def met(self) -> bool:
        """Whether it is reached."""
        return self.value <= self.bound


def measured(samples: Mapping[str, Samples]) -> Iterator[Measured]:
    """Yield the targets for which there is a measurement of one tree."""
    for name, peer, bound in _RATIOS:
        found = [samples[each] for each in samples if each.startswith(peer)]
        if name in samples and found:
            yield Measured(f"{name} / {peer}", samples[name].wall / found[0].wall, "x", bound)
    ours = [found for name, found in samples.items() if name.startswith("regreach")]
    if ours:
        largest = max(found.largest for found in ours)
        yield Measured("memory of regreach's largest process", largest / MIB, "MiB", _MEMORY)
    if together := [found.together for found in ours if found.together is not None]:
        most = max(together) / MIB
        yield Measured("memory of all its processes together", most, "MiB", _MEMORY)
