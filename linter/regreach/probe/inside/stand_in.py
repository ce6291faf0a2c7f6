"""Stand-ins for packages that are not installed: anything can be imported from them, called and subclassed.

A stand-in must not decide anything. Where the code asks one for a decision (``if``, a comparison,
a loop, a length), it gets an answer, and the place is noted: a verdict from such a run is not worth
the name.
"""

from __future__ import annotations

import builtins
import importlib.machinery
import linecache
import sys
import types
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

_DECORATED = (type, types.FunctionType, staticmethod, classmethod, property)


class Ground:
    """What is stood in for, and what was noted. One for each process of the probe.

    ``package`` is the audited one, which is never stood in for, ``absent`` the packages that are not
    there; all others are, installed or not.
    """

    def __init__(self, package: str, absent: Sequence[str]) -> None:
        self.package = package
        self.absent = frozenset(absent)
        self.decisions: list[str] = []
        self.stood_in: dict[str, None] = {}
        self.taken: list[bool] = []
        self._script: list[bool] | None = None
        self._decided: dict[str, bool] = {}

    def follow(self, script: Sequence[bool] | None) -> None:
        """Decide as a script says, and yes beyond its end; with None, only note what is asked."""
        self._script = None if script is None else list(script)
        self.taken = []
        self._decided = {}

    def decide(self, what: str, default: bool = True) -> bool:
        """Answer a question that the code puts to a stand-in: the same one always alike."""
        if self._script is None:
            self.note(what)
            return default
        if what not in self._decided:
            place = len(self.taken)
            answer = self._script[place] if place < len(self._script) else True
            self.taken.append(answer)
            self._decided[what] = answer
        return self._decided[what]

    def used(self, what: str) -> None:
        """Learn that a stand-in is called or taken an item of; here that is allowed."""

    def note(self, what: str) -> None:
        """Note that a stand-in was asked for a decision, if code of the tree did so."""
        at: types.FrameType | None = sys._getframe(1)
        while at is not None and at.f_globals.get("__name__", "") == __name__:
            at = at.f_back
        # what the standard library does with an annotation, or with members of an enum, decides nothing
        by = at.f_globals.get("__name__", "") if at is not None else ""
        if by.partition(".")[0] in sys.stdlib_module_names:
            return
        while at is not None:
            name = at.f_globals.get("__name__", "")
            if name.partition(".")[0] == self.package:
                place = f"{at.f_code.co_filename}:{at.f_lineno}"
                self.decisions.append(f"{place}: {what}")
                return
            at = at.f_back

    def is_absent(self, name: str) -> bool:
        """Return whether a package, or one above it, is not there."""
        parts = name.split(".")
        return any(".".join(parts[: i + 1]) in self.absent for i in range(len(parts)))


class StandIn:
    """Anything that is in a stand-in module."""

    _ground: Ground
    _path: str

    def __init__(self, ground: Ground, path: str) -> None:
        self.__dict__.update(_ground=ground, _path=path, __module__="stand_in", __name__=path)

    def __getattr__(self, name: str) -> Any:
        return _member(self._ground, self._path, name, self.__dict__)

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        """Return another stand-in, or what is decorated."""
        # as a decorator it leaves what it decorates as it is
        if len(args) == 1 and isinstance(args[0], _DECORATED) and not keywords:
            caller = sys._getframe(1)
            line = linecache.getline(caller.f_code.co_filename, caller.f_lineno)
            if line.lstrip().startswith("@"):
                return args[0]
        self._ground.used(f"{self._path}()")
        return StandIn(self._ground, f"{self._path}()")

    def __getitem__(self, item: Any) -> Any:
        self._ground.used(f"{self._path}[]")
        return StandIn(self._ground, f"{self._path}[]")

    def __setitem__(self, item: Any, value: Any) -> None:
        self._ground.used(f"{self._path}[]")

    def __delitem__(self, item: Any) -> None:
        self._ground.used(f"{self._path}[]")

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[type, ...]:
        return (_base_class(self._ground, self._path),)

    def __repr__(self) -> str:
        return f"<stand-in for {self._path}>"

    def __hash__(self) -> int:
        return id(self)

    def __bool__(self) -> bool:
        return self._ground.decide(f"truth of {self._path}")

    def __iter__(self) -> Iterator[Any]:
        if self._ground.decide(f"loop over {self._path}", default=False):
            return iter([StandIn(self._ground, f"{self._path}[]")])
        return iter(())

    def __len__(self) -> int:
        self._ground.note(f"length of {self._path}")
        return 0

    def __contains__(self, item: Any) -> bool:
        return self._ground.decide(f"membership of {item!r} in {self._path}", default=False)

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        """Return the class, which ``isinstance`` asks for when it does not find it in the type.

        So do others who make a class or an annotation, which decides nothing.
        """
        caller = sys._getframe(1)
        by = caller.f_globals.get("__name__", "").partition(".")[0]
        if by == self._ground.package and "isinstance(" in linecache.getline(
            caller.f_code.co_filename, caller.f_lineno
        ):
            self._ground.note(f"class of {self._path}")
        return StandIn

    def __instancecheck__(self, instance: Any) -> bool:
        return False

    def __enter__(self) -> Any:
        self._ground.used(f"with {self._path}")
        return StandIn(self._ground, f"{self._path}.__enter__()")

    def __exit__(self, *args: Any) -> None:
        return None

    def __eq__(self, other: object) -> bool:
        return other is self or self._compared("==", other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __lt__(self, other: Any) -> bool:
        return self._compared("<", other)

    def __gt__(self, other: Any) -> bool:
        return self._compared(">", other)

    def __le__(self, other: Any) -> bool:
        return self._compared("<=", other)

    def __ge__(self, other: Any) -> bool:
        return self._compared(">=", other)

    def _compared(self, operator: str, other: Any) -> bool:
        return self._ground.decide(f"{self._path} {operator} {other!r}", default=False)

    def _number(self) -> int:
        self._ground.note(f"number of {self._path}")
        return 0

    def _operated(self, *_: Any) -> Any:
        self._ground.used(f"{self._path} …")
        return StandIn(self._ground, f"{self._path} …")

    __int__ = __index__ = _number

    def __float__(self) -> float:
        return float(self._number())

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = _operated
    __rtruediv__ = __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __pow__ = _operated
    __or__ = __ror__ = __and__ = __rand__ = __xor__ = __rxor__ = __invert__ = __neg__ = _operated
    __lshift__ = __rlshift__ = __rshift__ = __matmul__ = _operated


class StandInModule(types.ModuleType):
    """A module that is not there."""

    def __init__(self, ground: Ground, name: str) -> None:
        super().__init__(name)
        self.__dict__.update(_ground=ground, __all__=[], __path__=[], _gone=set())

    def __getattr__(self, name: str) -> Any:
        if name in self.__dict__["_gone"]:
            raise AttributeError(name)
        return _member(self.__dict__["_ground"], self.__name__, name, self.__dict__)


class Finder:
    """Finds a stand-in for each top-level package that nobody else finds; last on ``sys.meta_path``.

    With ``only``, for these packages alone.
    """

    def __init__(self, ground: Ground, only: Collection[str] | None = None) -> None:
        self._ground = ground
        self._only = only

    def find_spec(
        self, name: str, path: Any = None, target: Any = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Return the spec of a stand-in; None for the tree, the standard library, and what is absent."""
        top = name.partition(".")[0]
        if top == self._ground.package or top in sys.stdlib_module_names:
            return None
        if self._ground.is_absent(name) or (self._only is not None and top not in self._only):
            return None
        above = sys.modules.get(name.rpartition(".")[0])
        if "." in name and not isinstance(above, StandInModule):
            return None  # an installed package has what it has
        if above is None and not self._is_for_tree():
            return None  # and does without what it does not need
        return importlib.machinery.ModuleSpec(name, self, is_package=True)  # type: ignore[arg-type]

    def _is_for_tree(self) -> bool:
        """Return whether the code that imports belongs to the tree, or to the probe."""
        frame: types.FrameType | None = sys._getframe(2)
        while frame is not None:
            name = frame.f_globals.get("__name__", "")
            if name.partition(".")[0] != "importlib" and name != __name__:
                return name.partition(".")[0] in (
                    self._ground.package,
                    __package__.partition(".")[0],
                )
            frame = frame.f_back
        return False

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        """Make the module."""
        self._ground.stood_in[spec.name] = None
        return StandInModule(self._ground, spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        """Do nothing: there is nothing in it."""


def hide(ground: Ground) -> None:
    """Let installed packages not see the stand-ins that the tree's imports have put in their way."""
    original = builtins.__import__

    def import_(
        name: str,
        globals_: Mapping[str, Any] | None = None,
        locals_: Mapping[str, Any] | None = None,
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> types.ModuleType:
        if not level and isinstance(sys.modules.get(name), StandInModule):
            by = str((globals_ or {}).get("__name__", "")).partition(".")[0]
            if by not in (ground.package, __package__.partition(".")[0], "importlib", "__main__"):
                raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return original(name, globals_, locals_, fromlist or (), level)

    builtins.__import__ = import_  # type: ignore[assignment]


class Without:
    """A finder that does not find absent packages, even installed ones."""

    def __init__(self, finder: Any, ground: Ground) -> None:
        self._finder = finder
        self._ground = ground

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """Return the spec of what is there."""
        return None if self._ground.is_absent(name) else self._finder.find_spec(name, path, target)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._finder, name)


def _member(ground: Ground, owner: str, name: str, cells: dict[str, Any] | None = None) -> Any:
    if name == "__version__":
        ground.note(f"{owner}.{name}")
        return "0"
    if name.startswith("__") and name.endswith("__"):
        # the tree may know of it; others ask everything for such names, to treat it specially
        by = sys._getframe(2).f_globals.get("__name__", "")
        if by.partition(".")[0] != ground.package:
            raise AttributeError(f"{owner!r} has no attribute {name!r}")
    path = f"{owner}.{name}"
    made: Any
    if name.endswith(("Error", "Exception", "Warning")):
        made = type(name, (Exception,), {"__module__": owner})
    else:
        made = StandIn(ground, path)
    if cells is not None:
        cells[name] = made  # the same each time
    return made


def _base_class(ground: Ground, path: str) -> type:
    """Return a class to inherit from; unlike others, it has any attribute, and so have its instances."""

    class Kind(type):
        def __getattr__(cls, name: str) -> Any:
            return _member(ground, path, name)

    class Base(metaclass=Kind):
        def __init__(self, *args: Any, **keywords: Any) -> None:
            pass

        def __init_subclass__(cls, **keywords: Any) -> None:
            pass

        def __getattr__(self, name: str) -> Any:
            return _member(ground, f"{path}()", name)

    Base.__name__ = Base.__qualname__ = path.rpartition(".")[2].strip("()[]") or "Base"
    return Base
