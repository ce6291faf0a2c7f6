"""The small language that module sources are lowered to: plain, immutable, picklable data.

It keeps what can change which modules are loaded, what they bind and which branch is taken;
comments, white space and annotations of functions are gone. ``line`` is the line in the file of
the logical line that a statement begins on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias


@dataclass(frozen=True, slots=True, eq=False)
class Const:
    """A literal."""

    value: Any  # str, bytes, int, float, complex, bool, None or Ellipsis


@dataclass(frozen=True, slots=True, eq=False)
class Name:
    """A name that is read or, as a target, bound."""

    id: str


@dataclass(frozen=True, slots=True, eq=False)
class Attribute:
    """``value.attr``."""

    value: Expr
    attr: str


@dataclass(frozen=True, slots=True, eq=False)
class Arg:
    """An argument of a call; ``star`` is 0, 1 (``*x``) or 2 (``**x``)."""

    value: Expr
    keyword: str | None = None
    star: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """``func(args)``; ``line`` is the line of the statement it stands in."""

    func: Expr
    args: tuple[Arg, ...]
    line: int


@dataclass(frozen=True, slots=True, eq=False)
class Subscript:
    """``value[index]``."""

    value: Expr
    index: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Sequence:
    """A tuple, list or set display; ``kind`` says which. Items may be ``Starred``."""

    kind: str
    items: tuple[Expr, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Dict:
    """A dict display; a key of None stands for ``**value``."""

    items: tuple[tuple[Expr | None, Expr], ...]


@dataclass(frozen=True, slots=True, eq=False)
class BoolOp:
    """``left and right`` or ``left or right``."""

    op: str
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Not:
    """``not value``."""

    value: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Compare:
    """A chain of comparisons: ``left op right [op right ...]``."""

    left: Expr
    rest: tuple[tuple[str, Expr], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Binary:
    """An arithmetic or bitwise operation."""

    op: str
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Unary:
    """``-value``, ``+value`` or ``~value``."""

    op: str
    value: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Conditional:
    """``body if test else orelse``."""

    test: Expr
    body: Expr
    orelse: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Walrus:
    """``(name := value)``."""

    name: str
    value: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Lambda:
    """``lambda params: body``."""

    params: tuple[Param, ...]
    body: Expr


@dataclass(frozen=True, slots=True, eq=False)
class FString:
    """An f-string; a part that is no plain ``{expr}`` or text is an ``Opaque``."""

    parts: tuple[Expr, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Clause:
    """``for target in iter if conditions`` of a comprehension."""

    target: Expr
    iter: Expr
    conditions: tuple[Expr, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Comprehension:
    """``kind`` is list, set, dict or generator; ``value`` is that of a dict."""

    kind: str
    element: Expr
    value: Expr | None
    clauses: tuple[Clause, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Starred:
    """``*value`` in a display or a target."""

    value: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Opaque:
    """An expression whose value is not modelled; its children are still evaluated."""

    children: tuple[Expr, ...]


Expr: TypeAlias = (
    "Const | Name | Attribute | Call | Subscript | Sequence | Dict | BoolOp | Not | Compare | Binary"
    " | Unary | Conditional | Walrus | Lambda | FString | Comprehension | Starred | Opaque"
)


@dataclass(frozen=True, slots=True, eq=False)
class Param:
    """A parameter; ``kind`` is positional, keyword, star or doublestar."""

    name: str
    kind: str
    default: Expr | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Import:
    """``import a.b as c, d``: pairs of dotted name and alias."""

    line: int
    names: tuple[tuple[str, str | None], ...]


@dataclass(frozen=True, slots=True, eq=False)
class ImportFrom:
    """``from module import names``; ``names`` is empty for ``*``; ``level`` counts the dots."""

    line: int
    module: str | None
    level: int
    names: tuple[tuple[str, str | None], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Assign:
    """``targets[0] = targets[1] = value``."""

    line: int
    targets: tuple[Expr, ...]
    value: Expr


@dataclass(frozen=True, slots=True, eq=False)
class AnnAssign:
    """``target: annotation = value``."""

    line: int
    target: Expr
    annotation: Expr
    value: Expr | None


@dataclass(frozen=True, slots=True, eq=False)
class AugAssign:
    """``target op= value``."""

    line: int
    target: Expr
    op: str
    value: Expr


@dataclass(frozen=True, slots=True, eq=False)
class ExprStmt:
    """An expression for its effect."""

    line: int
    value: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Return:
    """``return value``."""

    line: int
    value: Expr | None


@dataclass(frozen=True, slots=True, eq=False)
class Raise:
    """``raise exc``; ``exc`` is None for a bare re-raise."""

    line: int
    exc: Expr | None


@dataclass(frozen=True, slots=True, eq=False)
class Assert:
    """``assert test``."""

    line: int
    test: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Delete:
    """``del targets``."""

    line: int
    targets: tuple[Expr, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Scope:
    """``global names`` or ``nonlocal names``; ``kind`` says which."""

    line: int
    kind: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Jump:
    """``pass``, ``break`` or ``continue``; ``kind`` says which."""

    line: int
    kind: str


@dataclass(frozen=True, slots=True, eq=False)
class If:
    """``if test: body else: orelse``; an ``elif`` is an If alone in ``orelse``.

    ``else_line`` is the line of ``else:``; 0 when there is none.
    """

    line: int
    test: Expr
    body: Body
    orelse: Body
    else_line: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class For:
    """``for target in iter: body else: orelse``."""

    line: int
    target: Expr
    iter: Expr
    body: Body
    orelse: Body


@dataclass(frozen=True, slots=True, eq=False)
class While:
    """``while test: body else: orelse``."""

    line: int
    test: Expr
    body: Body
    orelse: Body


@dataclass(frozen=True, slots=True, eq=False)
class Handler:
    """``except type as name: body``; ``type`` is None for a bare ``except``."""

    line: int
    type: Expr | None
    name: str | None
    body: Body


@dataclass(frozen=True, slots=True, eq=False)
class Try:
    """``try``; ``except*`` is lowered like ``except``."""

    line: int
    body: Body
    handlers: tuple[Handler, ...]
    orelse: Body
    final: Body


@dataclass(frozen=True, slots=True, eq=False)
class With:
    """``with item as target, ...: body``."""

    line: int
    items: tuple[tuple[Expr, Expr | None], ...]
    body: Body


@dataclass(frozen=True, slots=True, eq=False)
class Decorator:
    """One ``@`` line."""

    line: int
    value: Expr


@dataclass(frozen=True, slots=True, eq=False)
class FunctionDef:
    """A function. ``slice`` is its index in the outline when the body is read on demand, else None.

    ``params`` is None where the parameters are read with the body; their defaults are literals then.
    """

    line: int
    name: str
    params: tuple[Param, ...] | None
    decorators: tuple[Decorator, ...]
    body: Body
    slice: int | None
    is_async: bool


@dataclass(frozen=True, slots=True, eq=False)
class ClassDef:
    """A class; ``args`` are its bases and keywords."""

    line: int
    name: str
    args: tuple[Arg, ...]
    decorators: tuple[Decorator, ...]
    body: Body


@dataclass(frozen=True, slots=True, eq=False)
class Pattern:
    """The pattern of a ``case``. ``kind`` says what must hold of the subject:

    ``value``: it equals ``value``; ``singleton``: it is ``value``; ``class``: it is an instance of
    ``value``; ``any``: nothing; ``or``: one of ``parts`` matches; ``as``: the only part does;
    ``sequence``: it is a sequence whose items the parts match, where a part of the kind ``star``
    takes any number; ``other``: what is not modelled.
    ``name`` is bound to what was matched.
    """

    kind: str
    value: Expr | None = None
    parts: tuple[Pattern, ...] = ()
    name: str | None = None

    def bound_names(self) -> tuple[str, ...]:
        """Return the names that the pattern binds."""
        own = () if self.name is None else (self.name,)
        return (*own, *(name for part in self.parts for name in part.bound_names()))


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """``case pattern if guard: body``."""

    line: int
    pattern: Pattern
    guard: Expr | None
    body: Body


@dataclass(frozen=True, slots=True, eq=False)
class Match:
    """``match subject: cases``."""

    line: int
    subject: Expr
    cases: tuple[Case, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Later:
    """Stands for statements that are not run yet: names that they bind, always if ``sure``."""

    line: int
    names: tuple[str, ...]
    sure: bool


Stmt: TypeAlias = (
    "Import | ImportFrom | Assign | AnnAssign | AugAssign | ExprStmt | Return | Raise | Assert | Delete"
    " | Scope | Jump | If | For | While | Try | With | FunctionDef | ClassDef | Match | Later"
)
Body: TypeAlias = "tuple[Stmt, ...]"
