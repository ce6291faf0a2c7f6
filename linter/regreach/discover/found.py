"""What was found: registries with all that tells of them; plain data."""

from __future__ import annotations

from dataclasses import dataclass, field

from regreach.model import Spot

Key = tuple[object, ...]
"""The parts of a key; None where a part is not told by the source."""


@dataclass(frozen=True, slots=True)
class Place:
    """A definition that matters, ``module:name``, and the line of it that does."""

    path: str
    spot: Spot


@dataclass(frozen=True, slots=True)
class FoundRegistrar:
    """A registrar; ``forms`` say how it is used, ``key`` where the key comes from (names of parameters).

    A part ``.name`` of ``key`` is an attribute of what is registered. ``called`` is the path by which it is
    reached: of a method of one object, through that.
    """

    place: Place
    called: str
    forms: tuple[str, ...]
    key: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Registration:
    """One entry: ``when`` is import, or the function in which the registrar is called."""

    module: str
    spot: Spot
    symbol: str
    key: Key
    when: str
    guards: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Registering:
    """A module with registrations, and who imports it.

    ``imported`` is eager, lazy, scan (a loop over its package does), main (it is run as a program) or
    nobody; ``by`` are the modules that do so.
    """

    module: str
    path: str
    count: int
    imported: str
    by: tuple[str, ...]


@dataclass(slots=True)
class FoundRegistry:
    """A registry: what is filled, by whom, with what, and who reads it."""

    container: Place
    kind: str  # container, table, foreign
    holds: str  # dict, list, set, object
    registrars: list[FoundRegistrar] = field(default_factory=list)
    also: list[str] = field(default_factory=list)
    registrations: list[Registration] = field(default_factory=list)
    modules: list[Registering] = field(default_factory=list)
    reads: list[Place] = field(default_factory=list)
    lookups: list[str] = field(default_factory=list)
    consumers: list[Place] = field(default_factory=list)
    scans: list[Place] = field(default_factory=list)

    @property
    def home(self) -> str:
        """The module in which the container is."""
        return self.container.path.partition(":")[0]

    @property
    def outside(self) -> list[Registering]:
        """The registering modules but the registry's own, and those of its registrars."""
        own = {self.home, *(r.place.path.partition(":")[0] for r in self.registrars)}
        return [m for m in self.modules if m.module not in own]

    @property
    def keys(self) -> list[Key]:
        """The keys that are told, each once, in order."""
        return sorted({r.key for r in self.registrations if r.key}, key=repr)


@dataclass(frozen=True, slots=True)
class Discovery:
    """All that was found in a tree; ``parsed`` are the modules that were looked into."""

    source: str
    root: str
    package: str
    import_root: str
    modules: int
    parsed: int
    registries: tuple[FoundRegistry, ...]
    tables: tuple[FoundRegistry, ...]
    not_read: tuple[str, ...]
    others: tuple[str, ...] = ()  # packages that were not looked at

    @property
    def counts(self) -> tuple[int, int]:
        """How many registries and tables there are."""
        return len(self.registries), len(self.tables)
