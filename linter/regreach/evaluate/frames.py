"""Where running code is, and how it ends when it does not end normally."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from regreach.evaluate.heap import Delta
from regreach.evaluate.values import NONE, Function, Module, Obj, Raised, Scope, Value

if TYPE_CHECKING:
    from regreach.facts import ir


class Abrupt(Exception):  # noqa: N818  (it is control flow, no error)
    """Code that ends by ``return``, ``raise``, ``break`` or ``continue``."""

    def __init__(self, kind: str, value: Value = NONE) -> None:
        super().__init__(kind)
        self.kind = kind
        self.value = value

    def caught(self) -> Abrupt:
        """Return this without the way it came: that would keep all frames on it alive for as long."""
        self.__traceback__ = self.__context__ = None
        return self


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a module, by the module's name."""

    module: str
    line: int


@dataclass(slots=True)
class Pending:
    """An abrupt end that happened in one way of a fork; ``delta`` is relative to ``mark``."""

    kind: str
    value: Value
    mark: int
    delta: Delta
    conditions: tuple[Place, ...]


@dataclass(slots=True)
class Frame:
    """Running code: of a module, a class body or a function."""

    module: Module
    scope: Obj
    enclosing: tuple[Scope, ...] = ()
    function: Function | None = None
    context: int = 0
    line: int = 0
    receiver: Value = NONE
    global_names: set[str] = field(default_factory=set)
    outer_names: set[str] = field(default_factory=set)
    pendings: list[Pending] = field(default_factory=list)
    handling: Raised | None = None
    body: ir.Body | None = None  # of a function that is being run
    around: Frame | None = None  # of a comprehension: the frame that it stands in
