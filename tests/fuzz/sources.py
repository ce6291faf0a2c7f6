"""Sources of single modules: written by a grammar with all the liberties that layout has, or mutated from files."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

FIXTURES = Path(__file__).parent.parent.parent / "fixtures"

_MODULES = ["a", "p.b", "p.c.d", "os", "größe", "p.x_1", "import_", "fromage"]
_BLANK = ["", "", "\n", "# import no.comment\n", "  # from x import y\n", "\f\n", "\t\n", "\\\n\n"]
_TEXTS = [
    "'''\nimport no.text\n'''",
    '"""\n    import no.text\nfrom x import y\n"""',
    "'a\\\nb'",
    "r'\\'",
    "f'{x!r:>{y}}'",
]
_TOKEN = re.compile(rb"\s+|\w+|'[^'\n]*'|\"[^\"\n]*\"|.", re.DOTALL)


def generated(rng: Random) -> bytes:
    """Return a module, mostly valid."""
    text = _Writer(rng).block("", 3, rng.randrange(1, 7))
    if rng.random() < 0.05:
        text = text.rstrip("\n")
    data = text.encode()
    if rng.random() < 0.1:
        data = data.replace(b"\n", rng.choice([b"\r\n", b"\r"]))
    if rng.random() < 0.05:
        data = b"\xef\xbb\xbf" + data
    return data


class _Writer:
    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._in_function = 0
        self._in_class = False

    def pick(self, *options: str) -> str:
        return self._rng.choice(options)

    def block(self, indent: str, depth: int, count: int) -> str:
        """Return statements on lines of their own."""
        return "".join(
            self._rng.choice(_BLANK if not indent else _BLANK[:5]) + self.statement(indent, depth)
            for _ in range(count)
        )

    def statement(self, indent: str, depth: int) -> str:
        if depth and self._rng.random() < 0.45:
            return self.compound(indent, depth - 1)
        line = self.simple()
        while self._rng.random() < 0.1:
            line += self.pick("; ", ";", " ;\t") + self.simple()
        return indent + line + self.pick("", "", "", ";", "  # ) import x", " ") + "\n"

    def simple(self) -> str:
        if self._rng.random() < 0.55:
            return self.imported()
        x = self.expression()
        options = [
            f"x = {x}",
            f"x = (\n{x},\n)",
            x,
            "pass",
            f"x: int = {x}",
            f"x += {x}",
            f"assert {x}",
        ]
        options += [
            f"x = \\\n  {x}",
            f"x = [{x}\n  # ]\n]",
            "del x, y",
            f"x[{x}] = y = {x}",
        ]
        options += [f"return {x}", "global x", f"yield {x}"] * bool(self._in_function)
        return self._rng.choice(options)

    def imported(self) -> str:
        module = self._rng.choice(_MODULES)
        gap = self.pick(" ", " ", " ", " ", "  ", "\t", " \\\n ")
        alias = self.pick("", "", "", f"{gap}as{gap}y")
        other = self._rng.choice(_MODULES)
        if self._rng.random() < 0.4:
            return f"import{gap}{module}{alias}" + self.pick(
                "", "", f", {other}", f",{gap}{other} as z"
            )
        dots = self.pick("", "", ".", "..", ". .")
        base = self.pick(module, module, "") if dots else module
        head = f"from{self.pick(' ', gap, '' if dots else ' ')}{dots}{base}"
        head += self.pick(" ", gap, "" if not base else " ")
        name = self.pick("a", "b", "größe", "c_1")
        names = self.pick(
            f"{name}{alias}", f"{name}, d", f"({name}{alias})", f"(\n  {name},  # )\n  d,\n)", f"({name},\n d as e)",
            f"{name},{gap}d", "*" if not self._in_function and not self._in_class else "a",
        )  # fmt: skip
        return f"{head}import{self.pick(' ', gap) if names[0] not in '(*' else self.pick('', ' ')}{names}"

    def expression(self) -> str:
        return self.pick(
            "1", "x", "x.y(z)[0]", "{'k': [1, (2, 3)]}", "lambda: (yield_)", "[a for a in b if a]", "x if y else z",
            "__import__('p.b')", "importlib.import_module('p.c')", "not x", "(x :=\n 1)", "x @ y", "b'#'", *_TEXTS,
        )  # fmt: skip

    def compound(self, indent: str, depth: int) -> str:
        kind = self.pick(
            "if", "if", "try", "with", "for", "while", "class", "def", "def", "match", "checking"
        )
        x = self.expression()
        if kind == "if":
            test = self.pick(x, f"(x and\n{x})", "not TYPE_CHECKING", "TYPE_CHECKING or x", "x")
            text = self.suite(indent, f"if {test}:", depth)
            if self._rng.random() < 0.3:
                text += self.suite(indent, "elif y:", depth)
            return text + (self.suite(indent, "else:", depth) if self._rng.random() < 0.4 else "")
        if kind == "checking":
            text = self.suite(indent, f"if {self.pick('', 'typing.')}TYPE_CHECKING:", depth)
            return text + (self.suite(indent, "else:", depth) if self._rng.random() < 0.4 else "")
        if kind == "try":
            text = self.suite(indent, "try:", depth)
            text += self.suite(
                indent, self.pick("except ImportError:", "except (A, B) as e:"), depth
            )
            text += self.suite(indent, "else:", depth) if self._rng.random() < 0.3 else ""
            return text + (
                self.suite(indent, "finally:", depth) if self._rng.random() < 0.3 else ""
            )
        if kind == "match":
            inner = indent + "  "
            cases = "".join(self.suite(inner, f"case {c}:", depth) for c in ("[1, *_]", "_"))
            return f"{indent}match {x}:\n{cases}"
        if kind == "class":
            was, self._in_class, inside, self._in_function = (
                self._in_class,
                True,
                self._in_function,
                0,
            )
            text = self.suite(
                indent, self.pick("class A:", "class A(\n  B\n):", "class A(B, c=1):"), depth
            )
            self._in_class, self._in_function = was, inside
            return self.decorators(indent) + text
        if kind == "def":
            self._in_function += 1
            head = self.pick(
                "def f():",
                "def f(a, *, b=(1,\n 2)) -> C:",
                "async def f(\n  a,\n):",
                "def f(a): # (",
            )
            text = self.suite(indent, head, depth)
            self._in_function -= 1
            return self.decorators(indent) + text
        head = {"with": f"with x as y, {x}:", "for": f"for a, b in {x}:", "while": f"while {x}:"}[
            kind
        ]
        return self.suite(indent, head, depth)

    def decorators(self, indent: str) -> str:
        return self.pick("", "", f"{indent}@d\n", f"{indent}@d(1,\n  x)\n")

    def suite(self, indent: str, header: str, depth: int) -> str:
        if self._rng.random() < 0.12 and not header.endswith("("):
            return f"{indent}{header} {self.simple()}{self.pick('', '; x = 1')}\n"
        inner = indent + self.pick("    ", "    ", "  ", "\t", " ")
        return f"{indent}{header}\n" + self.block(inner, depth, self._rng.randrange(1, 4))


def seeds() -> list[bytes]:
    """Return what is mutated: the files of the fixtures, each content once."""
    return sorted({file.read_bytes() for file in FIXTURES.glob("*/tree/**/*.py")} - {b""})


def mutated(rng: Random, data: bytes) -> bytes:
    """Return a text with a few bytes, tokens or lines deleted, doubled, exchanged or put elsewhere."""
    for _ in range(rng.choice([1, 1, 2, 5])):
        parts = _parts(rng, data)
        if len(parts) < 3:
            return data
        i, j = rng.randrange(len(parts)), rng.randrange(len(parts))
        kind = rng.randrange(6)
        if kind == 0:
            del parts[i]
        elif kind == 1:
            parts.insert(i, parts[i])
        elif kind == 2:
            parts[i], parts[j] = parts[j], parts[i]
        elif kind == 3:
            parts.insert(i, parts[j])
        elif kind == 4:
            parts.insert(
                i,
                rng.choice(
                    [
                        b"(",
                        b")",
                        b"'",
                        b'"""',
                        b"\\\n",
                        b":",
                        b";",
                        b"\t",
                        b"\f",
                        b"\n",
                        b"import a",
                    ]
                ),
            )
        else:
            del parts[min(i, j) : min(max(i, j), min(i, j) + 5)]
        data = b"".join(parts)
    return data


def _parts(rng: Random, data: bytes) -> list[bytes]:
    kind = rng.randrange(3)
    if kind == 0:
        return [data[i : i + 1] for i in range(len(data))]
    return _TOKEN.findall(data) if kind == 1 else data.splitlines(keepends=True)
