"""The domain of the abstract run.

A value is a constant, a tuple, a reference to an object that the tree creates (module, class,
function, instance, dict, list), something from outside the tree (``External``), ``UNKNOWN``, or a
``Union`` of several. ``MISSING`` stands for "not bound" inside a union.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from regreach.facts import ir

MAX_ITEMS = 20_000  # of a list or tuple; what has more, which doubling soon has, is not known

_MAX_ALTERNATIVES = 8


class Const:
    """A constant; unlike in Python, ``Const(1)`` and ``Const(True)`` are different."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Const)
            and type(self.value) is type(other.value)
            and bool(self.value == other.value)
        )

    def __hash__(self) -> int:
        return hash((type(self.value), self.value))

    def __repr__(self) -> str:
        return f"Const({self.value!r})"


class Special:
    """A value that is one of a kind."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Tuple:
    """A tuple; ``names`` are its field names when it is a named one."""

    items: tuple[Value, ...]
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class External:
    """Something outside the tree, by its dotted path (``torch.cuda.is_available``).

    The result of a call has ``()`` in its path.
    """

    path: str


@dataclass(frozen=True, slots=True)
class Builtin:
    """A function of the model: ``call(machine, args)``; ``owner`` is what it is a method of."""

    name: str
    call: Callable[..., Value] = field(compare=False)
    owner: Value | None = None


@dataclass(frozen=True, slots=True)
class Bound:
    """A function bound to an object."""

    function: Value
    receiver: Value


@dataclass(frozen=True, slots=True)
class Partial:
    """``functools.partial``."""

    function: Value
    args: tuple[Value, ...]
    keywords: tuple[tuple[str, Value], ...]


@dataclass(frozen=True, slots=True)
class Descriptor:
    """``property``, ``staticmethod`` or ``classmethod`` around a function."""

    kind: str
    function: Value


@dataclass(frozen=True, slots=True, eq=False)
class Generated:
    """An iterator whose items are made, with what that does, while it is iterated over."""

    items: Callable[[], Iterator[Value]]


@dataclass(frozen=True, slots=True)
class Deferred:
    """What a module binds to a name, found out when somebody asks (see ``finished``).

    It is in cells of modules only. ``sure``: the module does bind the name.
    """

    module: str
    name: str
    sure: bool


class Waiting:
    """Names that a module binds, most of them to what is deferred: the content of its cell ``LATER``.

    A module that only passes by is so one cell and no hundred. ``added`` is what the last statement bound.
    """

    __slots__ = ("added", "names")

    def __init__(self, names: dict[str, Value], added: tuple[tuple[str, Value], ...] = ()) -> None:
        self.names = names
        self.added = added

    def __repr__(self) -> str:
        return f"Waiting({', '.join(self.names)})"


class Union:
    """One of several values, in the order in which they were found."""

    __slots__ = ("values",)

    def __init__(self, values: tuple[Value, ...]) -> None:
        self.values = values

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Union) and frozenset(self.values) == frozenset(other.values)

    def __hash__(self) -> int:
        return hash(frozenset(self.values))

    def __repr__(self) -> str:
        return f"Union{self.values!r}"


class Obj:
    """Something with identity and content; ``cells`` is written through the heap only."""

    __slots__ = ("cells",)

    def __init__(self) -> None:
        self.cells: dict[Any, Value] = {}


class Module(Obj):
    """A module of the tree."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name

    def __repr__(self) -> str:
        return f"<module {self.name}>"


class Finished(Module):
    """A module of the tree as it is when it has been loaded; filled name by name (see ``finished``).

    ``body`` are its statements; ``binders`` says which of them bind a name, ``stars`` are its star imports.
    They are empty until it ``is_read``. ``settled`` are the names that have their values, ``done`` the
    statements that were run, and ``running`` those that are being run; ``history`` says what names that
    are bound several times were bound to, by which statement. One that is open may hold anything.
    """

    __slots__ = (
        "binders",
        "body",
        "done",
        "history",
        "is_open",
        "is_read",
        "running",
        "settled",
        "stars",
    )

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.body: ir.Body = ()
        self.binders: dict[str, list[int]] = {}
        self.stars: list[ir.ImportFrom] = []
        self.settled: set[str] = set()
        self.done: set[int] = set()
        self.running: list[int] = []
        self.history: dict[str, list[tuple[int, Value]]] = {}
        self.is_open = False
        self.is_read = False


class Scope(Obj):
    """The local names of a function call or a class body."""

    __slots__ = ()


class Function(Obj):
    """A function of the tree, or a lambda. ``owner`` is the class it was defined in."""

    __slots__ = ("defaults", "definition", "enclosing", "module", "owner", "qualname")

    def __init__(
        self,
        definition: ir.FunctionDef | ir.Lambda,
        module: Module,
        qualname: str,
        enclosing: tuple[Scope, ...],
    ) -> None:
        super().__init__()
        self.definition = definition
        self.module = module
        self.qualname = qualname
        self.enclosing = enclosing
        self.defaults: dict[str, Value] = {}
        self.owner: Class | None = None

    @property
    def path(self) -> str:
        """``module:qualified.name``."""
        return f"{self.module.name}:{self.qualname}"

    def __repr__(self) -> str:
        return f"<function {self.path}>"


class Class(Obj):
    """A class of the tree. ``bases`` may hold values from outside it."""

    __slots__ = ("bases", "is_dataclass", "is_enum", "members", "module", "mro", "qualname")

    def __init__(self, module: Module, qualname: str) -> None:
        super().__init__()
        self.mro: tuple[Value, ...] = ()  # set when the class statement has run
        self.module = module
        self.qualname = qualname
        self.bases: tuple[Value, ...] = ()
        self.is_enum = False
        self.is_dataclass = False
        self.members: tuple[str, ...] = ()

    @property
    def path(self) -> str:
        """``module:qualified.name``."""
        return f"{self.module.name}:{self.qualname}"

    def __repr__(self) -> str:
        return f"<class {self.path}>"


class Instance(Obj):
    """An object of a class of the tree; an enum member has a ``member`` name."""

    __slots__ = ("cls", "member")

    def __init__(self, cls: Class, member: str | None = None) -> None:
        super().__init__()
        self.cls = cls
        self.member = member

    def __repr__(self) -> str:
        return f"<{self.cls.qualname}.{self.member or 'instance'}>"


class Dict(Obj):
    """A dict; ``cells`` maps key values to values. Other entries may be there when ``OPEN`` is bound.

    ``factory`` is that of a ``defaultdict``.
    """

    __slots__ = ("factory",)

    def __init__(self) -> None:
        super().__init__()
        self.factory: Value | None = None


class Listing(Obj):
    """A list, set or iterator, as ``kind`` says: the cell ``items`` holds a Tuple, or UNKNOWN.

    The ``keys``, ``values`` and ``items`` of a dict have that in the cell ``of`` instead.
    """

    __slots__ = ("kind",)

    def __init__(self, kind: str) -> None:
        super().__init__()
        self.kind = kind


@dataclass(frozen=True, slots=True)
class Raised:
    """An exception object: the class (of the tree or a builtin's name) and where it was raised."""

    cls: Value
    message: str = ""
    path: str = ""
    line: int = 0
    # the module bodies that were being run, outermost first: (module, line) pairs
    trace: tuple[tuple[str, int], ...] = field(default=(), compare=False)

    @property
    def name(self) -> str:
        """The class name as a traceback shows it."""
        if isinstance(self.cls, Class):
            return self.cls.qualname
        if isinstance(self.cls, External):
            return self.cls.path.removeprefix("builtins.")
        return "Exception"


Value: TypeAlias = (
    "Const | Special | Tuple | External | Builtin | Bound | Partial | Descriptor | Generated | Deferred"
    " | Waiting | Union | Obj | Raised"
)

UNKNOWN = Special("UNKNOWN")
MISSING = Special("MISSING")
LATER = "<later>"  # key of the cell of a module that holds its names that wait
OPEN = "<open>"  # key of the cell that says that a dict or module may hold more than is known
SOMETHING = Special("SOMETHING")  # not None, and nothing else is known of it
NONE = Const(None)
TRUE = Const(True)
FALSE = Const(False)


def join(left: Value, right: Value) -> Value:
    """Return a value that stands for either; too many alternatives become UNKNOWN."""
    if left is right or left == right:
        return left
    return union((left, right))


def union(values: Iterable[Value]) -> Value:
    """Return the union of the values, flattened."""
    flat: dict[Value, None] = {}
    for value in values:
        for single in alternatives(value):
            flat[single] = None
    if len(flat) == 1:
        return next(iter(flat))
    missing = MISSING in flat
    if UNKNOWN in flat or len(flat) > _MAX_ALTERNATIVES:
        return Union((UNKNOWN, MISSING)) if missing else UNKNOWN
    return Union(tuple(flat))


def alternatives(value: Value) -> tuple[Value, ...]:
    """Return what a value can be."""
    return value.values if isinstance(value, Union) else (value,)


def without_missing(value: Value) -> Value:
    """Return the value given that it is bound."""
    if isinstance(value, Union) and MISSING in value.values:
        return union(v for v in value.values if v is not MISSING)
    return value


def may_be_missing(value: Value) -> bool:
    """Return whether the value may be unbound."""
    return value is MISSING or (isinstance(value, Union) and MISSING in value.values)


def cell_of(module: Module, name: str) -> Value:
    """Return what a module has bound to a name, perhaps deferred; MISSING when it is not bound."""
    value = module.cells.get(name, MISSING)
    if not may_be_missing(value) or LATER not in module.cells:
        return value
    waiting = module.cells[LATER]
    if type(waiting) is Waiting:
        waits = waiting.names.get(name, MISSING)
    else:
        waits = union(
            each.names.get(name, MISSING) if isinstance(each, Waiting) else MISSING
            for each in alternatives(waiting)
        )
    # bound anew on some ways only: on the others it is what it was
    return waits if value is MISSING else join(without_missing(value), waits)


def names_in(module: Module) -> list[str]:
    """Return the names that a module has bound, or may have."""
    names = dict.fromkeys(name for name in module.cells if isinstance(name, str) and name[0] != "<")
    for each in alternatives(module.cells.get(LATER, MISSING)):
        if isinstance(each, Waiting):
            names |= dict.fromkeys(n for n, value in each.names.items() if value is not MISSING)
    return list(names)


def describe(raised: Raised) -> str:
    """Return an exception as the last line of a traceback shows it."""
    return f"{raised.name}: {raised.message}" if raised.message else raised.name
