"""Strategies that make the texts of single modules: conditions, loops, functions, classes, enums, exceptions.

Each name has one kind of value, so that most texts run to their end.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

Lines = list[str]
_PART = re.compile(r"<([a-z]+|[EFG]|[xw] in)>")

# What each text begins with, by `from p.head import *`.
HEAD = """\
import contextlib, enum, functools, os
from enum import Enum, Flag, IntEnum, auto
class E(Enum):
    X = 1
    Y = 'y'
    Z = auto() if False else 3
    def is_x(self):
        return self == E.X
    def is_late(self):
        return self in (E.Y, E.Z) and not self.is_x()
    @classmethod
    def default(cls):
        return cls.Y
    @property
    def label(self):
        return f'{self.name.lower()}:{self.value}'
class F(str, Enum):
    A = 'a'
    B = 'b'
    def is_a(self):
        return self is F.A or self.value == 'A'
class G(IntEnum):
    ONE = auto()
    TWO = auto()
class Base:
    size = 2
    kinds = ('a', 'b')
    def __init__(self, width=1, *, name='base'):
        self.width = width
        self.name = name
    @property
    def area(self):
        return self.width * self.size
    def more(self, by=1):
        self.width += by
        return self.width
class Child(Base):
    size = 3
    def __init__(self, width=2):
        super().__init__(width, name='child')
        self.extra = [width]
    def more(self, by=2):
        return super().more(by) + 1
class Taking:
    def __init__(self, *kinds):
        self.kinds = kinds
    def __enter__(self):
        return len(self.kinds)
    def __exit__(self, kind, value, traceback):
        return kind is not None and issubclass(kind, self.kinds)
def max_of(one, two=0):
    if one > two:
        return one
    return two
def sum_of(*numbers, **named):
    total = 0
    for number in (*numbers, *named.values()):
        total += number
    return total
def len_of(value):
    try:
        return len(value)
    except TypeError:
        return 0
i, j = 1, 0
s, t = 'a', ''
b, c = True, False
q, r = [1, 2], (0,)
d = {'a': 1, 'b': 0}
m, n, k = E.X, F.B, G.ONE
o = None
x = Base()
y = Child()
"""
NAMES = {
    "int": ["i", "j"],
    "str": ["s", "t"],
    "bool": ["b", "c"],
    "list": ["q"],
    "tuple": ["r"],
    "dict": ["d"],
    "E": ["m"],
    "F": ["n"],
    "G": ["k"],
    "any": ["o"],
    "object": ["x", "y"],
}
_ERRORS = ["KeyError", "ValueError", "ImportError", "RuntimeError", "LookupError"]


@dataclass(frozen=True)
class _Scope:
    """What may be read and what may be bound where code is being written."""

    read: dict[str, list[str]]
    bind: dict[str, list[str]]
    depth: int
    in_loop: bool = False
    in_function: bool = False

    def inside(self, **changes: object) -> _Scope:
        values = {**self.__dict__, "depth": self.depth - 1, **changes}
        return _Scope(**values)


@functools.cache
def _below(count: int) -> st.SearchStrategy[int]:
    return st.integers(0, count - 1)


@dataclass
class Writer:
    """Writes one text; ``guesses`` says whether it asks `outside`."""

    draw: DrawFn
    guesses: bool
    fresh: int = 0
    functions: list[str] = field(default_factory=list)

    def pick(self, options: Sequence[str]) -> str:
        return options[self.draw(_below(len(options)))]

    def chance(self, of: int) -> bool:
        return self.draw(_below(of)) == of - 1

    def new(self, prefix: str) -> str:
        self.fresh += 1
        return f"{prefix}{self.fresh}"

    # -- expressions ------------------------------------------------------------------------------

    def name(self, scope: _Scope, kind: str) -> str:
        return self.pick(scope.read[kind])

    def expr(self, scope: _Scope, kind: str, depth: int = 2) -> str:
        if depth == 0:
            return self.pick([*scope.read[kind], *_LITERALS[kind]])
        if self.chance(8):
            test = self.expr(scope, "bool", depth - 1)
            one, other = self.expr(scope, kind, depth - 1), self.expr(scope, kind, depth - 1)
            return f"({one} if {test} else {other})"
        if self.chance(10) and kind in scope.bind and scope.bind[kind]:
            return f"({self.pick(scope.bind[kind])} := {self.expr(scope, kind, depth - 1)})"
        return self.fill(scope, self.pick(_FORMS[kind]), depth - 1)

    def fill(self, scope: _Scope, form: str, depth: int) -> str:
        """Put expressions where a form names a kind in angle brackets."""
        if " for " in form:  # where := may not stand in all places
            scope = _Scope(scope.read, {}, scope.depth)
        return _PART.sub(lambda part: self.part(scope, part[1], depth), form)

    def part(self, scope: _Scope, kind: str, depth: int) -> str:
        if kind in _NAMES:
            return self.name(scope, _NAMES[kind])
        if kind == "guess":
            return self.guess(scope, depth)
        if kind in ("x in", "w in"):  # a comprehension's condition or element knows one more name
            return self.inner(scope, depth, "bool" if kind == "x in" else "int")
        return self.expr(scope, kind, depth)

    def inner(self, scope: _Scope, depth: int, kind: str) -> str:
        read = {**scope.read, "int": [*scope.read["int"], "z", "z"]}
        return self.expr(_Scope(read, {}, scope.depth), kind, depth)

    def guess(self, scope: _Scope, depth: int) -> str:
        if not self.guesses:
            return self.expr(scope, "bool", depth)
        return self.pick(_GUESSES)

    # -- statements -------------------------------------------------------------------------------

    def some(self, scope: _Scope, most: int = 3) -> Lines:
        lines: Lines = []
        for _ in range(1 + self.draw(_below(most))):
            lines += self.statement(scope)
        return lines

    def statement(self, scope: _Scope) -> Lines:
        makers = _SIMPLE if scope.depth == 0 else _SIMPLE + _COMPOUND
        return makers[self.draw(_below(len(makers)))](self, scope)

    def target(self, scope: _Scope) -> tuple[str, str]:
        kinds = [k for k, names in scope.bind.items() if names]
        kind = self.pick(kinds)
        return self.pick(scope.bind[kind]), kind


_LITERALS: dict[str, list[str]] = {
    "int": ["0", "1", "2", "-1"],
    "str": ["''", "'a'", "'b'", "'ab'"],
    "bool": ["True", "False"],
    "list": ["[]", "[1]", "[0, 2]"],
    "tuple": ["()", "(1, 0)"],
    "dict": ["{}", "{'a': 2}"],
    "E": ["E.X", "E.Y", "E.Z", "E.default()", "E('y')"],
    "F": ["F.A", "F.B", "F('a')", "F['B']"],
    "G": ["G.ONE", "G.TWO", "G(2)"],
    "any": ["None", "1", "'a'"],
    "object": ["Base()", "Child(3)", "Base(2, name='other')"],
}
_NAMES = {"iname": "int", "sname": "str", "ename": "E", "fname": "F"}
_FORMS: dict[str, list[str]] = {
    "int": [
        "<int> + <int>", "<int> * <int>", "(<int> - <int>)", "len(<list>)", "len(<str>)",
        "<dict>.get(<str>, <int>)", "len({<int>, <int>, <G>})", "len(<dict>)", "(<int> or <int>)",
        "int(<bool>)", "<G>.value", "(<bool> and <int> or <int>)", "<object>.width",
        "<object>.area", "(<tuple> + (<int>,))[0]", "[*<list>, <int>][-1]", "int('7')",
        "next((z for z in <list> if <x in>), <int>)", "{<G>: <int>, 3: <int>}.get(<int>, <int>)",
        "getattr(<object>, 'extra', (<int>,))[0]", "(lambda z=<int>: z + 1)()", "<int> % 3",
        "{E.X: <int>, E.Y: 1}.get(<E>, -1)", "list(zip(<list>, 'ab')).__len__()", "len(E)",
        "functools.partial(max_of, <int>)(<int>)", "<int> // (<int> or 1)", "len(set(<tuple>))",
        "{'a': <int>, 'b': 5}[<F>]", "max_of(<int>, two=<int>)", "max_of(*(<int>, <int>))",
        "len(sorted({*<list>, *<tuple>}))", "sum_of(<int>, <int>, three=<int>)",
    ],
    "str": [
        "<str> + <str>", "f'{<iname>}-{<sname>}'", "<str>.upper()", "<E>.name", "<F>.value",
        "(<str> or <str>)", "os.environ.get('REGREACH_UNSET', <str>)", "<E>.label", "f'{<ename>}'",
        "(os.getenv('REGREACH_UNSET') or <str>)", "str(<int>)", "str(<F>)", "f'{<fname>}:{<iname>}'",
        "<str>.replace('a', 'c')", "'-'.join([<str>, <str>])", "<object>.name", "type(<int>).__name__",
        "'/'.join(z.name for z in E if z is not <E>)", "str(<G>)", "'%s=%s' % (<str>, <int>)",
        "''.join(sorted(<str>))", "__name__", "<str>.strip('a')",
    ],
    "bool": [
        "<int> < <int>", "<int> <= <int> < <int>", "<int> == <int> != <int>", "<str> in <str>",
        "<str> in <dict>", "<int> not in <list>", "<any> is None", "<any> is not None",
        "(<bool> and <bool>)", "(<bool> or <bool>)", "not <bool>", "<E> == <E>", "<E> is <E>",
        "<E>.is_x()", "<E>.is_late()", "<F> == <str>", "<F>.is_a()", "<G> == <int>", "<G> in <list>",
        "<E> in (E.X, E.Z)", "isinstance(<any>, int)", "isinstance(<any>, (str, E))",
        "any(<x in> for z in <list>)", "all(<x in> for z in <tuple>)", "bool(<str>)",
        "hasattr(<object>, 'extra')", "isinstance(<object>, Child)", "<guess>", "<guess>", "<guess>",
        "(<guess> and <bool>)", "(<bool> or <guess>)", "<list> == <list>", "<tuple> != <tuple>",
        "<dict> == <dict>", "<E>.value == <int>", "<str> == <E>.value", "callable(max_of)",
        "'REGREACH_UNSET' in os.environ", "<str>.startswith(<str>)", "<E> != <F>",
        "issubclass(type(<object>), Base)", "{<int>, <int>} == {<int>}", "<F> in {'a', 'c'}",
        "<any> == <int>", "<any> in (None, <int>)", "(<int>, <str>) == (<int>, <str>)",
    ],
    "list": [
        "[<int>, <int>]", "[z for z in <list> if <x in>]", "[<w in> for z in <tuple>]",
        "<list> + <list>", "list(<tuple>)", "[*<tuple>, <int>]", "sorted({<int>, <int>, <int>})",
        "[z * y1 for z in <list> for y1 in <tuple>]", "list(range(<G>.value))",
        "[z.value for z in G]", "list(reversed(<list>))", "[z for z, _ in zip(<list>, <tuple>)]",
        "[y1 for y1, z in enumerate(<list>) if <x in>]",
    ],
    "tuple": [
        "(<int>, <int>)", "<tuple> + <tuple>", "tuple(<list>)", "(<int>,)", "(*<list>, *<tuple>)",
        "tuple(z for z in <list> if <x in>)",
    ],
    "dict": [
        "{<str>: <int>, <str>: <int>}", "{**<dict>, <str>: <int>}", "dict(<dict>)",
        "{z: 1 for z in <str>}", "{z: y1 for z, y1 in <dict>.items()}", "dict(a=<int>)",
        "{z.value: 1 for z in F}", "dict.fromkeys('ab', <int>)" , "<dict> | <dict>",
    ],
    "E": ["<E>", "E.default()", "(<E> if <bool> else <E>)", "{'a': E.X}.get(<str>, <E>)"],
    "F": ["<F>", "F(<F>)", "F('b')", "F['A']"],
    "G": ["<G>", "G(1)", "(<G> or <G>)"],
    "any": ["<int>", "<str>", "(<int> or None)", "(<bool> and <str>)", "<dict>.get('b')", "<E>",
            "os.environ.get('REGREACH_UNSET')", "(<str>, <int>)", "<tuple> or None"],
    "object": ["<object>", "Base(<int>)", "Child(<int>)", "(<object> if <bool> else <object>)"],
}  # fmt: skip
_GUESSES = [
    "U", "not U", "U == 1", "U is None", "U in (0, 'a')", "isinstance(U, int)", "V", "U == V",
    "(U and V)", "(V or U)", "U != 'a'", "bool(U)", "(None if V else U)", "len_of(U) > 1",
]  # fmt: skip


def _indent(lines: Lines) -> Lines:
    return [f"    {line}" for line in lines]


def _assign(w: Writer, scope: _Scope) -> Lines:
    name, kind = w.target(scope)
    return [f"{name} = {w.expr(scope, kind)}"]


def _change(w: Writer, scope: _Scope) -> Lines:
    """A statement that changes a name or an object."""
    form = w.pick(_CHANGES)
    if w.guesses and form.startswith("assert"):
        return ["pass"]  # the machine takes an assertion of which it knows nothing to hold
    names = {kind: w.pick(scope.bind[kind]) for kind in NAMES if scope.bind.get(kind)}
    for kind, name in names.items():
        form = form.replace(f"={kind}=", name)
    if "=int=" in form or "=str=" in form or "=any=" in form or "=list=" in form:
        return ["pass"]
    return [w.fill(scope, line, 1) for line in form.split("\n")]


_CHANGES = [
    "=int= += <int>", "=str= += <str>", "q.append(<int>)", "d[<str>] = <int>", "d.pop(<str>, None)",
    "d.setdefault(<str>, <int>)", "d.update({<str>: <int>})", "=int=, =any= = <int>, <any>",
    "=int=, *=any= = (1, 2, 3)", "q.extend(<tuple>)", "x.width = <int>", "y.more(<int>)",
    "x.more()", "Base.size = <int>", "(=int=, =str=), =any= = (<int>, <str>), <bool>",
    "d.pop(<str>)", "del d[<str>]", "=int= = d[<str>]", "q.remove(<int>)", "=int= = q.pop()",
    "=int= = (<tuple>)[<int>]", "assert <bool>", "=list= += [<int>]", "q.insert(0, <int>)",
    "it = iter(<list>)\n=int= = next(it, 0)\n=any= = next(it, <any>)", "setattr(x, 'name', <str>)",
    "=any= = getattr(x, <str>, <int>)", "del q[0]", "q.clear()", "=any= = x.__class__ is Base",
    "os.environ['REGREACH_A'] = <str>\n=str= = os.environ['REGREACH_A']", "=any= = E(<any>)",
    "=any= = <str> if (=int= := <int>) else <int>", "=int= = int(<str>)", "=any= = (<int>, <any>)",
    "=any= = [w1 := z for z in <list>]", "=any= = [z for z in <list> if <guess>]",
    "=any= = {z: <int> for z in 'ab' if <guess>}",
]  # fmt: skip


def _if(w: Writer, scope: _Scope) -> Lines:
    lines = [f"if {w.expr(scope, 'bool')}:", *_indent(w.some(scope.inside()))]
    if w.chance(3):
        lines += [f"elif {w.expr(scope, 'bool')}:", *_indent(w.some(scope.inside(), 2))]
    if w.chance(2):
        lines += ["else:", *_indent(w.some(scope.inside(), 2))]
    return lines


def _loop(w: Writer, scope: _Scope) -> Lines:
    inside = scope.inside(in_loop=True)
    body = w.some(inside)
    if w.chance(2):
        body += [
            f"if {w.expr(scope, 'bool')}:",
            f"    {w.pick(['break', 'continue'])}",
            *w.some(inside, 1),
        ]
    form = w.draw(_below(5))
    if form == 0:
        turns = w.new("turns")
        lines = [f"{turns} = 3", f"while {turns} > 0 and {w.expr(scope, 'bool', 1)}:"]
        body = [f"{turns} -= 1", *body]
    elif form == 1:
        lines = [f"for i in {w.expr(scope, 'tuple')}:"]
    elif form == 2:
        lines = [f"for s, i in list({w.expr(scope, 'dict')}.items()):"]
    elif form == 3:
        lines = [f"for m in {w.pick(['E', '(E.X, E.Z)', '{E.Y: 1, E.Z: 2}'])}:"]
    else:
        lines = [f"for i, j in enumerate({w.expr(scope, 'tuple')}):"]
    if form and scope.in_function:
        lines = ["for z in (1, 2):"]
    lines += _indent(body)
    if w.chance(3):
        lines += ["else:", *_indent(w.some(scope.inside(), 1))]
    return lines


def _raise(w: Writer, scope: _Scope) -> Lines:
    error = w.pick(_ERRORS)
    return [f"if {w.expr(scope, 'bool')}:", f"    raise {error}"]


def _try(w: Writer, scope: _Scope) -> Lines:
    lines = ["try:", *_indent(w.some(scope.inside()))]
    if w.chance(2):
        lines += _indent(_raise(w, scope))
    handlers = not w.chance(4)
    if handlers:
        kind = w.pick(["(KeyError, ValueError)", "LookupError", "Exception", "ImportError"])
        name = w.pick(["", " as error"])
        lines += [f"except {kind}{name}:", *_indent(w.some(scope.inside(), 2))]
        if w.chance(3):
            lines += ["except Exception:", *_indent(w.some(scope.inside(), 1))]
        if w.chance(3):
            lines += ["else:", *_indent(w.some(scope.inside(), 1))]
    if not handlers or w.chance(3):
        lines += ["finally:", *_indent(w.some(scope.inside(), 2))]
    return lines


def _with(w: Writer, scope: _Scope) -> Lines:
    managers = [
        "contextlib.suppress(LookupError)", "contextlib.suppress(ValueError, TypeError)",
        "Taking(KeyError)", "Taking(Exception)", "contextlib.suppress(Exception)",
    ]  # fmt: skip
    one, other = w.pick(managers), w.pick(managers)
    head = w.pick([f"with {one}:", f"with {one}, {other}:", f"with {one} as o:"])
    if scope.in_function:
        head = f"with {one}:"
    return [head, *_indent(w.some(scope.inside())), *_indent(_raise(w, scope))]


def _match(w: Writer, scope: _Scope) -> Lines:
    lines = [f"match {w.expr(scope, 'any')}:"]
    cases = ["case None:", "case 0 | 1:", "case 'a':", "case int():", "case (_, 1):", "case [one, *rest]:",
             f"case str() if {w.expr(scope, 'bool')}:", "case E.X | E.Y:"]  # fmt: skip
    for _ in range(1 + w.draw(_below(2))):
        lines += [f"    {w.pick(cases)}", *_indent(_indent(w.some(scope.inside(), 1)))]
    if w.chance(2):
        lines += ["    case _:", *_indent(_indent(w.some(scope.inside(), 1)))]
    return lines


def _function(w: Writer, scope: _Scope) -> Lines:
    """A function with defaults, local names, early returns and sometimes a closure, and a call of it."""
    name, local, text = w.new("f"), w.new("i"), w.new("s")
    bind = {"int": [local], "str": [text], "any": [w.new("o")]}
    read = {k: [*v, *bind.get(k, [])] for k, v in scope.read.items()}
    inside = scope.inside(read=read, bind=bind, in_loop=False, in_function=True)
    body = [f"{bind['any'][0]} = None"]
    if w.chance(3) and not scope.in_function:
        body.append("global i")
        body += [f"i = {w.expr(inside, 'int', 1)}"]
    body += w.some(inside)
    if w.chance(2):
        test = w.expr(inside, "bool")
        body += [f"if {test}:", f"    return {w.expr(inside, 'int', 1)}", *w.some(inside, 1)]
    if w.chance(4):
        step = w.new("step")
        body += [f"def {step}(by={w.expr(inside, 'int', 1)}):", f"    nonlocal {local}",
                 f"    {local} += by", f"    return {local}", f"{step}()"]  # fmt: skip
    if w.chance(5):
        body = ["try:", *_indent(body), "finally:", *_indent(w.some(inside, 1))]
    body.append(f"return {w.expr(inside, 'int', 1)}")
    default = w.expr(scope, "int", 1)
    head = f"def {name}({local}={default}, *, {text}={w.expr(scope, 'str', 1)}):"
    given = w.pick(["", w.expr(scope, "int", 1), f"{text}={w.expr(scope, 'str', 1)}"])
    target, _ = (w.pick(scope.bind["int"]), "int")
    return [head, *_indent(body), f"{target} = {name}({given})"]


def _class(w: Writer, scope: _Scope) -> Lines:
    """A class with attributes that stand on each other, a property, and an instance of it."""
    name = w.new("C")
    base = w.pick(["", "(Base)", "(Child)"])
    lines = [
        f"class {name}{base}:",
        f"    size = {w.expr(scope, 'int', 1)}",
        "    half = size // 2",
    ]
    if w.chance(2):
        lines += [
            f"    if {w.expr(scope, 'bool', 1)}:",
            f"        half = {w.expr(scope, 'int', 1)}",
        ]
    if w.chance(2):
        lines += ["    table = {z: size_of(z) for z in 'ab'} if False else {'a': half}"]
    lines += [
        "    @property",
        "    def double(self):",
        f"        return self.half * 2 + {w.expr(scope, 'int', 1)}",
    ]
    if w.chance(2):
        lines += ["    @staticmethod", "    def plus(one, two=1):", "        return one + two"]
        lines += ["    def same(self):", "        return self.plus(self.half)"]
    made = w.new("made")
    lines += [f"{made} = {name}()", f"{w.pick(scope.bind['int'])} = {made}.double"]
    if w.chance(2):
        lines += [
            f"{made}.size = {w.expr(scope, 'int', 1)}",
            f"{made}_size = ({name}.size, {made}.size)",
        ]
    if w.chance(3):
        lines += [f"{made}.half = {w.expr(scope, 'int', 1)}", f"del {made}.half"]
    return lines


_Maker = Callable[[Writer, _Scope], Lines]
_SIMPLE: list[_Maker] = [_assign, _assign, _change, _change, _raise]
_COMPOUND: list[_Maker] = [_if, _if, _loop, _try, _with, _match, _function, _class]


def _write(draw: DrawFn, guesses: bool) -> str:
    writer = Writer(draw, guesses)
    scope = _Scope(NAMES, NAMES, depth=2)
    lines = ["from p.head import *", *(["from outside import U, V"] if guesses else [])]
    return "\n".join([*lines, *writer.some(scope, 5)]) + "\n"


@st.composite
def texts(draw: DrawFn) -> str:
    """A module whose run is decided by nothing but its text."""
    return _write(draw, False)


@st.composite
def guessing_texts(draw: DrawFn) -> str:
    """A module that asks `outside` for values that decide what it does."""
    return _write(draw, True)
