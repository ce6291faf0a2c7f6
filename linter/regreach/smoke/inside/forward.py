"""The forward of each shape: its error against the script's reference, and its time."""

from __future__ import annotations

import contextlib
import math
import types
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from regreach.probe.inside.cases import attempted
else:
    from _regreach_probe.cases import attempted

from .clock import clock_for
from .comparison import as_numpy, checked_reference, compare
from .consumer import Construction
from .script import ScriptError
from .stood_in import GuardedGround, TouchedError

Say = Callable[[dict[str, Any]], None]


class ForwardStep:
    """Runs a script's cases through a consumer that was constructed."""

    def __init__(
        self,
        plan: Mapping[str, Any],
        script: types.ModuleType,
        construction: Construction,
        ground: GuardedGround,
        say: Say,
    ) -> None:
        self._plan = plan
        self._script = script
        self._construction = construction
        self._ground = ground
        self._say = say
        self._shapes: list[dict[str, Any]] = []
        self._faults: list[dict[str, Any]] = []

    def run(self) -> dict[str, Any]:
        """Do it; what was done before something failed is in the result, too."""
        do = self._measure_all if self._plan["step"] == "time" else self._check_all
        ended = attempted(self._plan, do)
        return {**ended, "shapes": self._shapes, "faults": self._faults}

    def _check_all(self) -> None:
        self._script.set_up()
        for index, shape in enumerate(self._plan["shapes"]):
            self._progress(f"forward, {shape['name']}")
            first, second = self._plan["seed"] + 2 * index, self._plan["seed"] + 2 * index + 1
            self._shapes.append({"name": shape["name"], "runs": []})
            # memory that nobody has written holds NaN in the first run, whatever it held in the second
            for seed, poisoned in ((first, True), (second, False)):
                run = self._check(shape, seed, poisoned=poisoned)
                self._shapes[-1]["runs"].append(run)
        shape = min(self._plan["shapes"], key=self._size)
        for fault in self._fault_names():
            self._progress(f"wrong on purpose: {fault}")
            found = self._check(shape, self._plan["seed"], poisoned=True, fault=fault)
            self._faults.append({"name": fault, **found})

    def _check(
        self, shape: Mapping[str, Any], seed: int, *, poisoned: bool, fault: str | None = None
    ) -> dict[str, Any]:
        case = self._script.Case(shape, seed, self._construction.entry, fault)
        # before the forward, which may do anything to what it is given
        reference = checked_reference(case.reference())
        consumer = self._consumer(shape)
        with self._forward(), _poison(self._plan["device"], poisoned) as poisons:
            output = case.run(consumer)
        result = compare(as_numpy(output), reference)
        return {**result, "seed": seed, "poisoned": poisons}

    def _measure_all(self) -> None:
        self._script.set_up()
        clock = clock_for(self._plan["device"])
        bandwidth = clock.bandwidth()
        for index, shape in enumerate(self._plan["shapes"]):
            self._progress(f"timing, {shape['name']}")
            case = self._script.Case(
                shape, self._plan["seed"] + 2 * index, self._construction.entry, None
            )
            consumer = self._consumer(shape)
            with self._forward():
                seconds = clock.median(partial(case.run, consumer), self._plan["repetitions"])
            if not 0 <= case.moved < math.inf:
                raise ScriptError(f"Case.moved must be a number of bytes, not {case.moved!r}")
            moved = int(case.moved)
            self._shapes.append(
                {
                    "name": shape["name"],
                    "seconds": seconds,
                    "bytes": moved,
                    "floor_seconds": moved / bandwidth,
                    "bandwidth": bandwidth,
                }
            )

    def _fault_names(self) -> list[str]:
        names = self._script.FAULTS
        if not isinstance(names, (tuple, list)) or len(set(names)) < max(1, len(names)):
            raise ScriptError("FAULTS must name at least one thing to do wrong, each once")
        return list(names)

    def _consumer(self, shape: Mapping[str, Any]) -> Any:
        ended = self._construction.attempt(shape)
        if not ended["ok"]:
            raise RuntimeError(f"{ended['exception']}: {ended['message']}")
        return self._construction.made

    def _size(self, shape: Mapping[str, Any]) -> int:
        size = 1
        for value in shape.values():
            size *= value if isinstance(value, int) else 1
        return size

    def _progress(self, text: str) -> None:
        self._say({"progress": text})

    @contextlib.contextmanager
    def _forward(self) -> Iterator[None]:
        self._ground.closed = True
        try:
            yield
        finally:
            self._ground.closed = False
        if self._ground.touched is not None:  # whoever may have caught that
            raise TouchedError(self._ground.touched)


@contextlib.contextmanager
def _poison(device: str, wanted: bool) -> Iterator[bool]:
    """Let torch fill memory that it hands out with NaN; yield whether it does.

    That is what deterministic mode does, see ``torch.utils.deterministic.fill_uninitialized_memory``.
    """
    if device != "cuda" or not wanted:
        yield False
        return
    import torch

    torch.utils.deterministic.fill_uninitialized_memory = True
    torch.use_deterministic_algorithms(True, warn_only=True)
    try:
        yield True
    finally:
        torch.use_deterministic_algorithms(False)
