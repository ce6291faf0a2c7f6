# ruff: noqa: E501, RUF001
"""Texts that are valid Python and hard to cut into logical lines; each is a module of its own."""

from __future__ import annotations

NASTY: dict[str, str] = {
    "empty": "",
    "only a comment": "# nothing",
    "only blank lines": "\n\n   \n\t\n\x0c\n",
    "no final newline": "x = 1\ndef f():\n    return x",
    "no final newline behind a comment": "def f():\n    return 1  # one",
    "no final newline behind blanks": "def f():\n    return 1\n    ",
    "docstring with def": '''"""
def not_a_function():
    import os
"""
def f():
    """
def g():
    pass
    """
    x = \'\'\'
class A:
\'\'\'
    return x
y = 1
''',
    "strings of all kinds": r'''
a = 'it"s' + "it's" + '\'' + "\"" + '\\' + "\\"
b = r'\'' + r"\"" + rb'\'' + Rb"#" + u'#'
c = """ " "" \""" \\""" + \'\'\' ' \'\' \'\'\' if 0 else ''
def f(): return "#" # "
def g():
    return """ # " ' \
    """
d = 1
'''.replace("\\'\\'\\' ' \\'\\' \\'\\'\\'", "''' ' '' '''"),
    "a string joined over lines": "x = 'a\\\nb' \"c\\\n\\\nd\"\ndef f():\n    y = 'e\\\nf'\n    return y\nz = 1\n",
    "nested f-strings": '''
def f(a, b):
    x = f"{a!r:>{b}} {'{'} {{ }} {f'{a}' + 'x'}"
    y = f"""{
        a
    } { {'k': [1, 2]}['k'] } # no comment
    {b:{a}}
"""
    return x, y
z = f'{"#"}' f"{1}"
w = 2
''',
    "backslash continuations": """x = 1 + \\
    2
if x and \\
   x:
    y = \\
  3
from os import path, \\
    sep
def f(a, \\
      b): \\
    return a
def g(): return \\
    1
assert x, \\
    "no"
z = 4
with open(x) as a, \\
     open(y) as b:
    pass
w = 5
""",
    "a line of nothing but a backslash": "def f():\n    x = 1\n    \\\n\n    return x\n\\\n\ny = 2\n",
    "form feeds": "x = 1\n\x0c\ndef f():\n    y = 2\n\x0c\n    return y\n\x0cclass A:\n    \x0c  z = 3\n\x0c# end\nw = 4\n",
    "decorators over several lines": """
@a
@b.c(
    1,
    # a comment
    2,
)
def f(): pass
@d \\
  .e
class A:
    @property

    # between

    def g(self):
        @h(
            3)
        async def i():
            return 4
        return i
    @j
    class B:
        @k
        def l(self): return 5
x = 1
""",
    "one-line suites": """if x: y = 1
elif z: y = 2; w = 3
else: y = 4
for i in x: print(i); continue
else: pass
while x: break
try: import a
except ImportError: a = None
except (ValueError,
        TypeError): a = 1
else: b = 2
finally: c = 3
with a as b: d = 4
class A: pass
class B(A): x = 1; y = 2
class C(
    A): z = 3
def f(): pass
def g(a,
      b=2): return a; b
async def h(): await x; return
def i(): \"\"\"doc\"\"\"
lambda: (yield)
if x:
    if y: z = 1
    else: z = 2
    w = 3
""",
    "semicolons": "import a; import b; x = 1;\nif x: import c; import d;\ny = (\n    1); z = 2\ndef f():\n    a = 1; b = 2;\n    return a\nw = 3\n",
    "tabs": "if x:\n\ty = 1\n\tif y:\n\t\tz = 2\n\t\tw = 3\nv = 4\ndef f():\n\tif x:\n\t\treturn 1\n\treturn 2\nu = 5\n",
    "tabs and blanks in one function": "class A:\n    def f(self):\n    \treturn 1\n    def g(self):\n        return 2\nx = 1\n",
    "comments at odd indents": """def f():
# at the margin
        # deeper
    x = 1
  # between
    if x:
# again
        y = 2
            # far
    # near

# gone
    return x
    # tail of f
# tail of the module
class A:
        # before the first statement
    def g(self):
            # deep
        return 1
  # odd
    # of A
    def h(self): # on the line
        return 2 # too
# end
x = 1
    # indented end
""",
    "hints over lines": """def f(
    a: int,
    b: dict[
        str, list[int]
    ] = {
        "k": [1]
    },
    *args: "x",
    c: int = 1, **kw: None,
) -> tuple[
    int,
    str,
]:
    x: list[
        int
    ] = [
        a
    ]
    y: int
    return x
z: dict[str,
        int] = {}
""",
    "elif chains": """if a:
    x = 1
elif b:
    x = 2
elif c:
    if d:
        x = 3
    elif e:
        x = 4
    else:
        x = 5
elif (f and
      g):
    x = 6
else:
    if h:
        x = 7
def i():
    if a: return 1
    elif b:
        return 2
    else:
        if c:
            return 3
        elif d:
            return 4
    return 5
""",
    "match": """match = 1
case = 2
match x:
    case 1: y = 1
    case [a, *rest] if a:
        y = 2
    case {"k": 1, **others}:
        y = 3
    # a comment
    case A(b=1) | \\
         B():
        def f():
            return 4
        y = 5
    case _:
        pass
match(x)
match[case] = 3
def g(match):
    match match:
        case (1 |
              2):
            return 1
        case str() as case:
            return case
    return match
""",
    "soft keywords": "type = 1\nmatch = type\nprint(match, type)\n_ = match\ncase = [_]\nmatch.x = 1\nmatch: int = 2\n",
    "unicode identifiers": "größe = 1\ndef naïve(é, 变量):\n    return é + 变量\nclass Ж:\n    def ñ(self): return 'ä' + \"€\"; x = 1\n𝐱 = 2\n",
    "async": """async def f():
    async with a as b, \\
            c:
        async for d in e:
            await d
        else:
            return [x async for x in y]
    await g
async  def h(): pass
async\tdef i():
    pass
x = 1
""",
    "try": """try:
    a
except* ValueError as e:
    b
except* (TypeError,
         KeyError):
    c
try:
    try:
        d
    finally:
        e
except:
    f
else:
    g
finally:
    h
""",
    "functions in blocks": """if x:
    def f():
        return 1
else:
    def f(): return 2
try:
    class A:
        if y:
            def g(self):
                def inner():
                    return 1
                return inner
        x = 1
except E:
    async def g():
        pass
for i in y:
    def h():
        global z
        z = 1
    h()
with a:
  def i():
   return 1
  z = 2
""",
    "names that begin with def": "default = 1\ndef_ = 2\ndefine(3)\nclassy = 4\nasync_def = 5\nundef = 6\ndef f():\n    default = 1\n    def_()\n",
    "brackets over lines": """x = [
    1,
    # )
    2, "(",
] + [
  {
'a': (
3
)
}]
def f(a=[
    ')'
], b=(
    # [
)):
    return [
a, b
    ]
y = (lambda:
     1)
z = x[
    0
    :
    1
]
""",
    "a body further left than a bracket": "def f():\n    return (\n1,\n2)\nx = 1\n",
    "a body less deep than the text in it": '''class A:
    def f(self):
        x = """
text
"""
        return x
    y = 1
''',
    "deep indents": "if 1:\n if 1:\n  if 1:\n   def f():\n    if 1:\n     return 1\n    return 2\n   x = 1\n  y = 1\n z = 1\n",
    "a nested function first": "def f():\n    def g():\n        return 1\n    return g\ndef h(): return 2\nclass A:\n    def f(self): return 3\n    def g(self):\n        return 4\n",
    "operators": "x = a if b else c\nx @= 1\nx //= 2; x **= 3; x >>= 1; x <<= 1; x |= x; x &= x; x ^= x; x %= 2\ny = not a in b, a is not b, ~a, -1 ** 2\ndel x, y[0], z.w\nprint(*a, **b)\n(c := 1)\na < b < c\n",
    "global and nonlocal": "def f():\n    x = 1\n    def g():\n        nonlocal x\n        global y, \\\n            z\n        x = y = z = 2\n    return g\nglobal w\nw = 3\n",
    "star imports and parentheses": "from a import (\n    b,\n    # c\n    d as e,\n)\nfrom . import *\nfrom ...f.g import h\nfrom .. import i as j\nimport k.l.m as n, o.p\nfrom....q import r\n",
}

# As bytes: line ends, encodings and byte-order marks are taken off before anything is cut.
NASTY_BYTES: dict[str, bytes] = {
    "CRLF": b"x = 1\r\ndef f():\r\n    y = '''a\r\nb'''\r\n    return y\r\n\r\nz = (1,\r\n  2)\r\nw = 1 + \\\r\n  2\r\n",
    "CR": b"x = 1\rdef f():\r    return 1\ry = 2\r",
    "mixed line ends": b"x = 1\r\ny = 2\nz = 3\r# c\rdef f():\r\n    return 1\n\r\nw = 4",
    "BOM": b"\xef\xbb\xbfdef f():\n    return '\xc3\xa9'\nx = 1\n",
    "BOM and cookie": b"\xef\xbb\xbf# -*- coding: utf-8 -*-\nx = 1\n",
    "BOM alone": b"\xef\xbb\xbf",
    "latin-1 cookie": b"# -*- coding: latin-1 -*-\ndef f():\n    return '\xe9'\nx = '\xff'\n",
    "cookie on the second line": b"#!/usr/bin/env python\n# vim: set fileencoding=cp1252 :\nx = '\x80'\n",
    "cookie behind a comment in its encoding": b"# \xe9\n# coding: iso-8859-15\nx = '\xa4'\n",
    "cookie behind a blank line": b"\n# coding: latin-1\nx = '\xe9'\n",
    "cookie that is none": b"x = 1\n# coding: nothing\n",
    "cookie in a docstring": b"'''\n# coding: nothing\n'''\nx = 1\n",
    "form feed before the cookie": b"\x0c# coding: latin-1\nx = '\xe9'\n",
    "utf-8-sig without a mark": b"# coding: utf-8-sig\nx = '\xc3\xa9'\n",
}

# Refused by CPython; regreach names the same line and column.
INVALID: tuple[str, ...] = (
    "x = (1\n",
    "x = 1)\n",
    "x = [1, 2\ny = 3\n",
    "def f():\n    x = 1\n\n    y = = 2\n",
    "class A\n    pass\n",
    "if x:\ny\n",
    "  x = 1\n",
    "if x:\n    y\n  z\n",
    "if x:\n\ty\n        z\n",
    "if x:\n\ty\n\tif z:\n\t\tz\n        \tw\n",
    "class A:\n    def f(self):\n\treturn 1\n    def g(self): pass\n",
    "if x:\n",
    "def f():\n",
    "else: x\n",
    "x = 'abc\n",
    "x = 1\ny = '''abc\n",
    "x = $\n",
    "x = €\n",
    "x = 'ééé' y\n",
    "x = \\ \ny\n",
    "x = \\\n",
    "a b\n",
    "x = 1 +\n",
    "print 'x'\n",
    "raise A, B\n",
    "a <> b\n",
    "import a.b as\n",
    "from a import b,\n",
    "from a import (b, c\nx = 1\n",
    "@\ndef f(): pass\n",
    "x := 1\n",
    "f() = 1\n",
    "None = 1\n",
    "(a, b) += 1\n",
    "del f()\n",
    "for f() in x: pass\n",
    "a, b: int\n",
    "0777\n",
    "f'{}'\n",
    "f'{a b}'\n",
    "'\\N{no such name}'\n",
    "b'é'\n",
    "f(**a, *b)\n",
    "f(a=1, 2)\n",
    "f(a=1, a=2)\n",
    "def f(a=1, b): pass\n",
    "def f(a, a): pass\n",
    "def f(*): pass\n",
    "try:\n    x\n",
    "try:\n    x\nexcept:\n    y\nexcept A:\n    z\n",
    # the parser lets these pass, the compiler does not
    "x = 1\nreturn x\n",
    "class A:\n    return 1\n",
    "def f():\n    break\n",
    "if x:\n    continue\n",
    "yield 1\n",
    "await x\n",
    "def f():\n    await x\n",
    "async with a: pass\n",
    "nonlocal x\n",
    "def f():\n    def g():\n        nonlocal z\n",
    "def f():\n    x = 1\n    global x\n",
    "def f():\n    from a import *\n",
    "x = 1\nfrom __future__ import division\n",
    "from __future__ import nothing\n",
    "*a\n",
    "[i := 0 for i in x]\n",
    "match x:\n    case a: pass\n    case b: pass\n",
    "__debug__ = 1\n",
)
