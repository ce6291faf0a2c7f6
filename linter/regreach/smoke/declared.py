"""Smokes as a pack declares them: which key, whose script, what it needs, which shapes, which bounds."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from regreach.errors import ConfigError
from regreach.toml_table import Table

DEVICES = ("cuda", "cpu")


@dataclass(frozen=True, slots=True)
class Smoke:
    """What a run of one registration needs; ``docs/smokes.md`` describes script and fields.

    ``error_bound`` is for the relative error of an output in the Frobenius norm, ``row_bound`` for that
    of its worst row. ``needs`` maps the packages that must really be there (as they are imported) to what
    is to be done when one is missing.
    """

    registry: str
    key: tuple[str, ...]
    script: str
    device: str
    needs: Mapping[str, str]
    error_bound: float
    row_bound: float
    shapes: tuple[Mapping[str, str | int], ...]

    @property
    def all_needs(self) -> Mapping[str, str]:
        """Return also what the stage itself needs: numpy, and PyTorch to speak to a GPU."""
        own = {"numpy": "install numpy"}
        if self.device == "cuda":
            own["torch"] = "install PyTorch with CUDA"
        return {**own, **self.needs}

    def script_file(self, pack: str) -> Path:
        """Return the script's file; ``pack`` is where the pack came from. Raises ConfigError."""
        if self.script.endswith(".py"):
            file = Path(pack).parent / self.script
        else:
            try:
                spec = importlib.util.find_spec(self.script)
            except (ImportError, ValueError):
                spec = None
            file = Path(spec.origin) if spec is not None and spec.origin else Path(self.script)
        if not file.is_file():
            raise ConfigError(f"{pack}: the smoke's script {self.script!r} is not there")
        if file.suffix != ".py" or not file.stem.isidentifier():
            raise ConfigError(
                f"{pack}: the smoke's script {self.script!r} is no file of Python: {file}"
            )
        return file.absolute()


def smokes_of(tables: Sequence[Table], keys: Mapping[str, Sequence[str]]) -> tuple[Smoke, ...]:
    """Read ``[[smokes]]``. ``keys`` maps the registries that an init path reads to their keys' parts."""
    smokes: dict[tuple[str, ...], Smoke] = {}
    for table in tables:
        smoke = _smoke(table, keys)
        if smokes.setdefault(smoke.key, smoke) is not smoke:
            table.wrong(f"is {list(smoke.key)!r} a second time", "key")
    return tuple(smokes.values())


def _smoke(table: Table, keys: Mapping[str, Sequence[str]]) -> Smoke:
    smoke = Smoke(
        table.text("registry"),
        table.texts("key"),
        table.text("script"),
        table.text("device", DEVICES[0]),
        table.text_mapping("needs"),
        table.fraction("error_bound"),
        table.fraction("row_bound"),
        tuple(_shape(shape) for shape in table.tables("shapes")),
    )
    if smoke.registry not in keys:
        table.wrong(f"names no registry of an init path: {smoke.registry!r}", "registry")
    elif len(smoke.key) != len(keys[smoke.registry]):
        table.wrong(f"must have the parts {list(keys[smoke.registry])!r}", "key")
    if smoke.device not in DEVICES:
        table.wrong(f"must be one of {list(DEVICES)!r}", "device")
    if not smoke.shapes:
        table.wrong("is missing; there must be one shape at least", "shapes")
    names = [shape["name"] for shape in smoke.shapes]
    if len(set(names)) < len(names):
        table.wrong("must have a name each of their own", "shapes")
    table.finish()
    return smoke


def _shape(table: Table) -> Mapping[str, str | int]:
    sizes = table.numbers("sizes")
    if "name" in sizes:
        table.wrong("must not have a size of the name 'name'", "sizes")
    shape: dict[str, str | int] = {"name": table.text("name"), **sizes}
    table.finish()
    return shape
