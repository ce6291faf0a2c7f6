"""Mutants of a tree: small changes to imports, registrations, branches and call sites, as texts of files."""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

Lines = list[str]


@dataclass(frozen=True)
class Mutant:
    """One file of the tree, changed: ``operator`` says how, ``line`` where.

    ``edits`` are ranges of lines, counted from 0, without their ends, and what stands there instead.
    """

    path: str
    operator: str
    line: int
    edits: tuple[tuple[int, int, Lines], ...]

    def applied(self, text: str) -> str | None:
        """Return the changed text; None where that is no Python any more."""
        lines = text.splitlines()
        for first, end, new in sorted(self.edits, reverse=True):
            lines[first:end] = new
        changed = "\n".join(lines) + "\n"
        try:
            ast.parse(changed)
        except SyntaxError:
            return None
        return changed

    def __str__(self) -> str:
        return f"{self.path}:{self.line} {self.operator}"


@dataclass(frozen=True)
class Grounds:
    """What mutants are made with.

    ``registrars`` and ``consumer`` are names as code calls them, ``registering`` the modules that
    register, ``members`` the members of the consumer's own selector by their values, ``enum`` where
    that is defined, ``lines`` the lines of call sites by path.
    """

    package: str
    registrars: frozenset[str]
    consumer: str
    enum: str
    members: dict[str, str]
    registering: Sequence[str]
    lines: dict[str, list[int]]


class File:
    """A source file whose statements can be replaced."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.lines = text.splitlines()
        self.tree = ast.parse(text)

    def mutant(self, operator: str, node: ast.stmt, new: Lines) -> Mutant:
        """Replace a statement by lines that begin in column 0."""
        first = _first_line(node)
        indent = " " * node.col_offset
        edit = (first - 1, node.end_lineno or first, [indent + line for line in new])
        return Mutant(self.path, operator, first, (edit,))

    def text_of(self, node: ast.stmt) -> Lines:
        """Return a statement's lines, beginning in column 0."""
        lines = self.lines[_first_line(node) - 1 : node.end_lineno]
        return [line[node.col_offset :] for line in lines]

    def stands_alone(self, node: ast.stmt) -> bool:
        """Return whether there is nothing else on the lines of a statement."""
        return not self.lines[_first_line(node) - 1][: node.col_offset].strip()


def mutants_of(path: str, text: str, grounds: Grounds, rng: random.Random) -> Iterator[Mutant]:
    """Yield all mutants of one file; ``rng`` chooses where there are many ways."""
    file = File(path, text)
    for operate in (_imports, _registrations, _branches, _predicates, _sites):
        yield from operate(file, grounds, rng)


Made = Iterator[Mutant]


def _imports(file: File, grounds: Grounds, rng: random.Random) -> Made:
    for node, is_lazy in _import_statements(file.tree, grounds.package):
        if not file.stands_alone(node):
            continue
        text = file.text_of(node)
        kind = "lazy import" if is_lazy else "eager import"
        yield file.mutant(f"{kind} removed", node, ["pass"])
        for name, new in _wrapped(text):
            yield file.mutant(f"{kind} {name}", node, new)
        for name, new in _renamed(node):
            yield file.mutant(f"{kind} {name}", node, new)
        if is_lazy:
            yield _at_top(file, node, text)
        else:
            yield _at_end(file, node, text)


def _import_statements(tree: ast.Module, package: str) -> Iterator[tuple[ast.stmt, bool]]:
    """Yield the imports of the tree's own modules, and whether they are inside functions."""

    def visit(body: Sequence[ast.AST], is_lazy: bool) -> Iterator[tuple[ast.stmt, bool]]:
        for node in body:
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                names = [a.name for a in node.names]
                if isinstance(node, ast.ImportFrom):
                    names = [package] if node.level else [node.module or ""]
                if all(name.partition(".")[0] == package for name in names):
                    yield node, is_lazy
                continue
            if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
                continue
            inside = is_lazy or isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
            yield from visit(list(ast.iter_child_nodes(node)), inside)

    yield from visit(tree.body, is_lazy=False)


def _wrapped(text: Lines) -> Iterator[tuple[str, Lines]]:
    inside = ["    " + line for line in text]
    yield "behind False", ["if False:", *inside]
    yield "behind a switch", ["import os", 'if os.environ.get("A_SWITCH"):', *inside]
    yield "behind an open switch", ["import os", 'if os.getenv("A_SWITCH", "1") == "1":', *inside]
    yield (
        "for type checkers only",
        ["from typing import TYPE_CHECKING", "if TYPE_CHECKING:", *inside],
    )
    yield "that may fail", ["try:", *inside, "except ImportError:", "    pass"]
    yield "of a platform", ["import torch", "if torch.version.hip is not None:", *inside]
    yield "in a function", ["def _never_called():", *inside]
    yield "in a function that is called", ["def _called():", *inside, "_called()"]
    yield "after a failure", ["try:", "    raise ImportError", "except ImportError:", *inside]
    yield "without one", ["try:", "    import sys", "except ImportError:", *inside]


def _renamed(node: ast.stmt) -> Iterator[tuple[str, Lines]]:
    if isinstance(node, ast.ImportFrom):
        dots = "." * node.level
        names = ", ".join(_alias(a) for a in node.names)
        if node.module:
            yield "of a module that is gone", [f"from {dots}{node.module}_gone import {names}"]
        first = node.names[0]
        if first.name != "*":
            others = ", ".join(
                [f"{first.name}_gone as {first.asname or first.name}"]
                + [_alias(a) for a in node.names[1:]]
            )
            yield "of a name that is gone", [f"from {dots}{node.module or ''} import {others}"]
    elif isinstance(node, ast.Import):
        yield "of a module that is gone", [f"import {node.names[0].name}_gone"]


def _alias(alias: ast.alias) -> str:
    return f"{alias.name} as {alias.asname}" if alias.asname else alias.name


def _at_end(file: File, node: ast.stmt, text: Lines) -> Mutant:
    """Move an import to the end of its file."""
    made = file.mutant("eager import moved to the end", node, ["pass"])
    end = len(file.lines)
    return Mutant(made.path, made.operator, made.line, (*made.edits, (end, end, text)))


def _at_top(file: File, node: ast.stmt, text: Lines) -> Mutant:
    """Move an import that is inside a function to the top of its file."""
    made = file.mutant("lazy import moved to the top", node, ["pass"])
    place = 0
    for each in file.tree.body:
        is_text = isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant)
        is_future = isinstance(each, ast.ImportFrom) and each.module == "__future__"
        if not (is_text or is_future):
            break
        place = each.end_lineno or place
    return Mutant(made.path, made.operator, made.line, (*made.edits, (place, place, text)))


def _registrations(file: File, grounds: Grounds, rng: random.Random) -> Made:
    for node in ast.walk(file.tree):
        if not isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            continue
        for decorator in node.decorator_list:
            name = ast.unparse(decorator.func) if isinstance(decorator, ast.Call) else ""
            if name.rpartition(".")[2] not in grounds.registrars:
                continue
            text = file.text_of(node)
            at = decorator.lineno - _first_line(node)
            end = (decorator.end_lineno or decorator.lineno) - _first_line(node) + 1
            own, inside = text[at:end], ["    " + line for line in text]
            yield file.mutant("registration removed", node, text[:at] + text[end:])
            yield file.mutant("registration doubled", node, text[:at] + own + text[at:])
            yield file.mutant("registration behind False", node, ["if False:", *inside])
            yield file.mutant("registration in a function", node, ["def _no():", *inside])
            switch = ["import os", 'if os.environ.get("A_SWITCH"):']
            yield file.mutant("registration behind a switch", node, [*switch, *inside])
            called = ["def _yes():", *inside, "_yes()"]
            yield file.mutant("registration in a function that is called", node, called)
            other = rng.choice(sorted(grounds.members.values()))
            key = [_with_other_value(line, grounds, other) for line in own]
            yield file.mutant("registration under another key", node, text[:at] + key + text[end:])


def _with_other_value(line: str, grounds: Grounds, other: str) -> str:
    for value in grounds.members.values():
        for quote in "\"'":
            line = line.replace(f"{quote}{value}{quote}", f'"{other}"')
    return line


def _branches(file: File, grounds: Grounds, rng: random.Random) -> Made:
    """Change the branches of the consumer's constructor."""
    for cls in file.tree.body:
        if not isinstance(cls, ast.ClassDef) or cls.name != grounds.consumer:
            continue
        for node in ast.walk(next(f for f in cls.body if getattr(f, "name", "") == "__init__")):
            if isinstance(node, ast.If):
                yield from _branch(file, node, grounds, rng)
            elif isinstance(node, ast.Raise) and file.stands_alone(node):
                yield file.mutant("raise removed", node, ["pass"])
            elif isinstance(node, ast.Assign) and file.stands_alone(node):
                target = ast.unparse(node.targets[0])
                yield file.mutant("assignment of None", node, [f"{target} = None"])
                yield file.mutant("assignment removed", node, ["pass"])


def _branch(file: File, node: ast.If, grounds: Grounds, rng: random.Random) -> Made:
    first = node.body[0]
    if not file.stands_alone(first):
        return
    text = file.text_of(first)
    yield file.mutant("return first in a branch", first, ["return", *text])
    yield file.mutant("raise first in a branch", first, ["raise RuntimeError('here')", *text])
    module = rng.choice(list(grounds.registering))
    yield file.mutant("import first in a branch", first, [f"import {module}", *text])
    package, _, name = module.rpartition(".")
    guarded = ["try:", f"    from {package} import {name}", "except ImportError:", "    pass"]
    yield file.mutant("import that may fail in a branch", first, [*guarded, *text])
    test = file.lines[node.test.lineno - 1]
    if node.test.lineno != node.test.end_lineno or not test.rstrip().endswith(":"):
        return
    column = node.test.col_offset
    condition = test[column : node.test.end_col_offset]
    for operator, new in (
        ("branch negated", f"not ({condition})"),
        ("branch never taken", "False"),
        ("branch always taken", "True"),
        ("branch of another value", _other_predicate(condition, grounds, rng)),
        ("branch of two values", f"{condition} or {_other_predicate(condition, grounds, rng)}"),
    ):
        line = node.test.lineno
        edit = (line - 1, line, [f"{test[:column]}{new}:"])
        yield Mutant(file.path, operator, line, (edit,))


def _other_predicate(condition: str, grounds: Grounds, rng: random.Random) -> str:
    value = rng.choice(sorted(grounds.members.values()))
    head, found, _ = condition.partition(".is_")
    return f"{head.strip('( ')}.is_{value}()" if found else condition


def _predicates(file: File, grounds: Grounds, rng: random.Random) -> Made:
    """Change what the predicates of the selector's enum compare with."""
    for cls in file.tree.body:
        if not isinstance(cls, ast.ClassDef) or cls.name != grounds.enum.rpartition(":")[2]:
            continue
        for function in cls.body:
            last = function.body[-1] if isinstance(function, ast.FunctionDef) else None
            if isinstance(last, ast.Return) and isinstance(last.value, ast.Compare):
                other = rng.choice(sorted(grounds.members))
                yield file.mutant(
                    "predicate of another member", last, [f"return self == {cls.name}.{other}"]
                )
                yield file.mutant(
                    "predicate of two members",
                    last,
                    [
                        f"return self in (self.{other}, {cls.name}.{rng.choice(sorted(grounds.members))})"
                    ],
                )
                yield file.mutant(
                    "predicate by value",
                    last,
                    [f"return self.value.startswith({grounds.members[other][:4]!r})"],
                )


def _sites(file: File, grounds: Grounds, rng: random.Random) -> Made:
    """Change what comes before a construction, and what is given to it."""
    wanted = set(grounds.lines.get(file.path, ()))
    for node in ast.walk(file.tree):
        if not isinstance(node, (ast.Assign, ast.Return, ast.Expr)):
            continue
        calls = [n for n in ast.walk(node) if isinstance(n, ast.Call) and n.lineno in wanted]
        calls = [c for c in calls if ast.unparse(c.func).endswith(grounds.consumer) and c.args]
        if not calls or not file.stands_alone(node):
            continue
        text = file.text_of(node)
        for module in rng.sample(list(grounds.registering), min(3, len(grounds.registering))):
            name = module.rpartition(".")[2]
            yield file.mutant(f"{name} imported before a site", node, [f"import {module}", *text])
            yield file.mutant(
                f"{name} imported before a site, perhaps",
                node,
                ["if self.mutant_flag:", f"    import {module}", *text],
            )
        yield file.mutant("return before a site", node, ["return None", *text])
        yield file.mutant("perhaps return before a site", node, ["if self.flag: return", *text])
        enum_module, _, enum = grounds.enum.partition(":")
        argument = calls[0].args[0]
        for member in rng.sample(sorted(grounds.members), min(3, len(grounds.members))):
            lines = ast.unparse(node).replace(ast.unparse(argument), f"{enum}.{member}", 1)
            yield file.mutant(
                f"{member} given at a site",
                node,
                [f"from {enum_module} import {enum}", *lines.splitlines()],
            )


def _first_line(node: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(d.lineno for d in decorators)])
