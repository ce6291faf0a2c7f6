"""Modules that were once run otherwise than CPython runs them; where a case says so, some of it is unknown."""

from __future__ import annotations

import sys
import textwrap

_ALL = {
    "a later condition of a comprehension is not asked when one is false": """
        asked = []
        found = [x for x in (0, 1, 2) if x if asked.append(x) is None if 2 // x == 2]
        """,
    "conditions that are unknown do not make the later ones certain": """
        from outside import U
        KEYS = {'a': 1}
        found = [KEYS[x] for x in ('a', 'b') if x is U]
        held = {x: 1 for x in ('a', 'b') if x == U}
        has = 'b' in held
        """,
    "a test is decided whatever the unknown part of it is": """
        from outside import U, V
        x = 0
        if U and False:
            x = 1
        if not (U or True):
            x = 2
        if (U and False) or (V and 0):
            x = 3
        if not (U and 0):
            y = 1
        z = 1 if U and 0 else 2
        while U and False:
            x = 4
        found = [1 for _ in (1,) if U and False]
        """,
    "what := binds in a comprehension is bound outside of it (unknown)": """
        anything = any((hit := x) > 1 for x in (1, 2, 3))
        def f():
            one = [last := x for x in (1, 2)]
            return last
        def g():
            global total
            total = 0
            [total := total + x for x in (1, 2)]
        g()
        result = f()
        """,
    "a comprehension in a class body does not see the names of the class": """
        size = 1
        class A:
            size = 2
            items = (1, 2)
            sizes = [size for _ in items]
        sizes = A.sizes
        """,
    "two managers in one with": """
        from contextlib import suppress
        with suppress(KeyError), suppress(ValueError):
            raise KeyError
        with suppress(KeyError) as a, suppress(ValueError):
            raise ValueError
        x = 1
        with suppress(KeyError):
            with suppress(IndexError), suppress(ValueError):
                raise KeyError
            x = 2
        """,
    "a manager of the tree that takes exceptions": """
        class Quiet:
            def __init__(self, kind):
                self.kind = kind
            def __enter__(self):
                return self.kind
            def __exit__(self, kind, value, traceback):
                log.append(kind is None)
                return kind is self.kind
        log = []
        with Quiet(ValueError) as kind:
            raise ValueError
        with Quiet(ValueError):
            pass
        def f():
            with Quiet(KeyError):
                return 1
        one = f()
        try:
            with Quiet(ValueError):
                raise KeyError
        except KeyError:
            passed = True
        """,
    "a manager that takes what is unknown": """
        from outside import U
        class Quiet:
            def __enter__(self):
                return self
            def __exit__(self, *args):
                global left
                left = True
                return U
        x = 1
        with Quiet():
            x = 2
            raise ImportError
        """,
    "finally after a return at an unknown branch": """
        from outside import U
        log = []
        def f():
            global ended
            ended = 0
            try:
                if U:
                    return 1
                ended = 1
            finally:
                ended += 2
            return 2
        result = f()
        kept = ended
        def g():
            for x in (1, 2):
                try:
                    if U:
                        break
                    if x == U:
                        continue
                finally:
                    log.append(x)
            return len(log)
        length = g()
        def h():
            try:
                if U:
                    raise ImportError
            finally:
                return 3
        three = h()
        """,
    "enum.auto": """
        import enum
        from enum import Enum, Flag, IntEnum, IntFlag, auto
        class E(Enum):
            A = auto()
            B = 5
            C = auto()
        class F(Flag):
            A = auto()
            B = auto()
            C = auto()
        class G(IntFlag):
            A = 4
            B = auto()
        class N(Enum):
            def _generate_next_value_(name, start, count, last_values):
                return name + str(count)
            A = auto()
            B = auto()
        values = [E.A.value, E.C.value, F.A.value, F.C.value, G.B.value, N.A.value, N.B.value]
        """,
    "enum.auto of a StrEnum": """
        from enum import StrEnum, auto
        class S(StrEnum):
            Red = auto()
            BLUE = auto()
        values = [S.Red.value, S.BLUE.value, S.Red == 'red', f'{S.BLUE}', str(S.Red)]
        """,
    "a Flag is no int, and only single bits are listed": """
        from enum import Flag, IntFlag
        class F(Flag):
            A = 1
            B = 2
            AB = 3
        class G(IntFlag):
            A = 1
        equal = [F.A == 1, G.A == 1, F.A == F.A, bool(F.A)]
        named = F.AB.value
        """,
    "sets hold each item once": """
        count = len({1, 1, True, 1.0})
        other = len(set([1, 2, 1]))
        letters = len(set('hello'))
        more = {1}
        more.add(1)
        more.update([1, 2])
        third = len(more | {2, 3})
        fourth = len({x // 2 for x in (1, 2, 3)})
        ordered = sorted({3, 1, 2, 1})
        """,
    "the order of a set is unknown": """
        first = list({'a', 'b', 'c'})
        one, two = {'x', 'y'}
        third = tuple({'a', 'b'})[0]
        text = ''.join({'a', 'b'})
        fourth = [x for x in {'q', 'r'}]
        fifth = next(iter({'q', 'r'}))
        sixth = {x: 1 for x in {'a', 'b'}}
        """,
    "True, 1 and 1.0 are one key": """
        d = {1: 'a', 0: 'b', 2.0: 'c'}
        popped = d.pop(True)
        del d[False]
        two = d[2]
        left = len(d)
        """,
    "members of mixed enums are keys like their values": """
        from enum import Enum, IntEnum
        class A(str, Enum):
            X = 'x'
        class B(IntEnum):
            ONE = 1
        d = {A.X: 1, 1: 2}
        found = [d['x'], 'x' in d, d[B.ONE], d.get(B.ONE), A.X in {'x': 0}, A.X in ('x',)]
        key = list(d)[0] is A.X
        d['x'] = 3
        left = len(d)
        del d['x']
        """,
    "delattr": """
        class A:
            x = 1
            y = 2
        a = A()
        a.x = 3
        delattr(a, 'x')
        again = a.x
        del A.y
        gone = hasattr(a, 'y')
        """,
    "next goes on": """
        it = iter([1, 2, 3])
        a = next(it)
        b = next(it)
        c = next(it, 4)
        d = next(it, 5)
        g = (x for x in (1, 2))
        e = [next(g), next(g), next(g, None)]
        first = next(iter({'k': 1}))
        true = bool(iter([]))
        """,
    "an iterator is used up (unknown)": """
        it = iter([1, 2, 3])
        for x in it:
            break
        rest = list(it)
        g = (x for x in (1, 2))
        whole = list(g)
        again = list(g)
        z = zip((1, 2), (3, 4))
        one = list(z)
        two = list(z)
        e = enumerate('ab')
        has = (0, 'a') in e
        last = list(e)
        r = reversed([1, 2])
        three = list(r)
        four = list(r)
        """,
    "iter with a sentinel": """
        from outside import U
        values = [3, 2, 1]
        found = [x for x in iter(values.pop, 1)]
        """,
    "os.environ": """
        import os
        os.environ['REGREACH_A'] = 'a'
        os.unsetenv('REGREACH_A')
        kept = os.environ.get('REGREACH_A')
        popped = os.environ.pop('REGREACH_A')
        gone = os.environ.pop('REGREACH_A', None)
        os.environ['REGREACH_A'] = 'b'
        del os.environ['REGREACH_A']
        unset = os.getenv('REGREACH_A')
        """,
    "del under a key that is unknown": """
        from outside import U
        d = {'a': 1, 'b': 2}
        try:
            del d[U]
        except (KeyError, TypeError):
            pass
        has = 'a' in d
        e = {'a': 1}
        e.pop(U, None)
        still = e.get('a')
        """,
    "what a loop of unknown length binds": """
        from outside import U
        def f(values):
            a = b = c = n = 0
            total = (0,)
            for x in values:
                a, (b, *c) = n, (x, n)
                n = n + 1
                total += (n,)
                try:
                    d = n
                    int('x')
                except ValueError as e:
                    m = n
                match n:
                    case 5:
                        z = n
                    case k:
                        z = k
                with open as g:
                    pass
            return a, n, total
        n = m = 0
        for n in U:
            m = m + 1
            with_walrus = (w := m)
        class Count:
            n = 0
        for x in U:
            Count.n += 1
        count = Count.n
        result = f(U)
        """,
    "an instance that is made by __new__": """
        class A:
            def __new__(cls, x=1):
                return 5
        class B:
            def __new__(cls, x):
                return super().__new__(cls)
            def __init__(self, x):
                self.x = x
        five = A()
        x = B(3).x
        """,
    "what a part of a condition excludes is not asked of the next": """
        from outside import U, V
        limit = None
        def f(x):
            if U and x is not None and x > 0:
                return 1
            if U is None or x is None or V or x > 0:
                return 2
            return 3
        result = f(limit), f(1)
        """,
    "super() before a class that is unknown": """
        from outside import Base
        class Mixin:
            def __init__(self, x):
                global mixed
                mixed = x
        class A(Base, Mixin):
            def __init__(self):
                super().__init__()
        class B(Base, Mixin):
            def __init__(self):
                super().__init__(1)
        mixed = 0
        a = A()
        b = B()
        """,
    "methods of what may be one of two": """
        from outside import U
        text = 'a' if U else 'b'
        upper = text.upper()
        one, two = {'x': 1}, {'x': 2}
        got = (one if U else two).get('x')
        """,
    "views of a dict (unknown)": """
        d = {'a': 1}
        keys, values, items = d.keys(), d.values(), d.items()
        d['b'] = 2
        lengths = (len(keys), list(values), list(items), 'b' in keys, ('b', 2) in items, bool(keys))
        same = d.keys() == ('a', 'b')
        both_unknown = d.keys() | {'c'}
        """,
    "arguments in every form (unknown)": """
        def f(a, /, b, c=3, *args, d, e=5, **more):
            return (a, b, c, args, d, e, tuple(more.items()))
        one = f(1, 2, d=4)
        two = f(1, b=2, d=4, a=0)
        three = f(1, 2, 3, 4, 5, d=6, g=7)
        four = f(*(1, 2), **{'d': 3})
        class A:
            def __init_subclass__(cls, /, tag=None, **kwargs):
                cls.tag = tag
                super().__init_subclass__(**kwargs)
            @classmethod
            def make(cls, x=1):
                return x
            @staticmethod
            def twice(x):
                return 2 * x
            @property
            def size(self):
                return 4
            @size.setter
            def size(self, value):
                pass
        class B(A, tag='b'):
            def make_more(self, y):
                return self.make(y), self.twice(y)
        made = (A.make(), B().make(2), A.twice(2), B().make_more(3), B.tag, A().size)
        """,
    "a starred target": """
        a, *b = (1, 2, 3)
        *c, d = [1, 2, 3]
        e, *f, g = 'xy'
        for h, *i in ((1, 2, 3),):
            pass
        """,
    "what a class of a builtin type or an enum does not have": """
        from enum import Enum
        class Mode(Enum):
            A = 'a'
        class Word(str):
            pass
        class Failure(ValueError):
            pass
        found = []
        def asks(name, owner):
            try:
                getattr(owner, name)
            except AttributeError:
                found.append(name)
        for name in ('A', 'B', 'name', 'value', 'mro', '_member_map_'):
            asks(name, Mode)
        for name in ('value', 'A', 'is_a', '_name_'):
            asks(name, Mode.A)
        asks('upper', Word)
        asks('lowest', Word)
        asks('args', Failure)
        asks('code', Failure)
        Mode.C
        """,
    "enums with methods of their own": """
        from enum import Enum
        class A(Enum):
            X = 1
            Y = 2
            def __bool__(self):
                return self.value == 2
            def __str__(self):
                return 'a' + self.name
            def __eq__(self, other):
                return True
            __hash__ = Enum.__hash__
        true = [bool(A.X), bool(A.Y), A.X == A.Y, A.X == 7, str(A.X), f'{A.X}']
        """,
    "enums with a constructor (unknown)": """
        from enum import Enum
        class A(Enum):
            X = (1, 'x')
            Y = (2, 'y')
            def __new__(cls, number, text):
                made = object.__new__(cls)
                made._value_ = text
                return made
        class B(Enum):
            X = (1, 'x')
            def __init__(self, number, text):
                self.number = number
        values = [A.X.value, A.Y.value, A('x') is A.X, B.X.number, B.X.value]
        """,
    "texts of enums (unknown)": """
        from enum import Enum, IntEnum
        class A(str, Enum):
            X = 'x'
        class B(Enum):
            X = 'x'
        class C(IntEnum):
            X = 1
        texts = [str(A.X), f'{A.X}', str(B.X), f'{B.X}', str(C.X), f'{C.X}']
        joined = '-'.join([A.X])
        names_unknown = 'a' + A.X
        names = [A.X.name, A['X'].value, A('x').name, len(B), [m.name for m in B]]
        """,
}
# Each of these ends with an exception, whose type is told beforehand.
RAISING = {
    "pop": "{}.pop('x')",
    "pop with one item": "{'y': 1}.pop('x')",
    "del": "d = {}\ndel d['x']",
    "getattr": "class A: pass\ngetattr(A(), 'x')",
    "getattr of a constant": "getattr('a', 'x')",
    "delattr": "class A: pass\ndelattr(A(), 'x')",
    "del of an attribute": "class A: pass\na = A()\ndel a.x",
    "too few values": "x, y = (1,)",
    "too many values": "x, y = 'abc'",
    "too few values for a star": "x, y, *z = [1]",
    "unpack a number": "x, y = 5",
    "unpack None": "for x, y in [None]: pass",
    "iterate over None": "for x in None: pass",
    "missing argument": "def f(a): pass\nf()",
    "missing keyword": "def f(*, a): pass\nf()",
    "too many arguments": "def f(a): pass\nf(1, 2)",
    "unexpected keyword": "def f(a): pass\nf(1, b=2)",
    "argument given twice": "def f(a): pass\nf(1, a=2)",
    "method without self": "class A:\n    def f(): pass\nA().f()",
    "constructor": "class A:\n    def __init__(self, x): pass\nA()",
    "no constructor": "class A: pass\nA(1)",
    "lambda": "(lambda x: x)()",
    "environ": "import os\nos.environ.pop('REGREACH_UNSET')",
    "del environ": "import os\ndel os.environ['REGREACH_UNSET']",
    "next": "next(iter(()))",
    "no function": "None()",
    "call a number": "x = 1\nx(2)",
    "list.remove": "[].remove(1)",
    "index": "[][0]",
    "del at an index": "del [][0]",
    "enum of a list": "from enum import Enum\nclass A(Enum):\n    X = 1\nA([1])",
    "set.remove": "set().remove(1)",
    "pop from a list": "[].pop()",
    "order": "1 < 'a'",
    "in a number": "1 in 2",
    "member": "from enum import Enum\nclass A(Enum):\n    X = 1\nA['Y']",
    "value": "from enum import Enum\nclass A(Enum):\n    X = 1\nA(2)",
    "subscript": "None[0]",
    "attribute": "None.x",
}
CASES = {name: textwrap.dedent(text) for name, text in _ALL.items()}
if sys.version_info < (3, 11):
    del CASES["enum.auto of a StrEnum"]
