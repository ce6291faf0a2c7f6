"""What must be true of the facts of any source, and of what scans of its bytes see."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path

from regreach.errors import TargetError
from regreach.facts import ir
from regreach.facts.import_lines import imported_names
from regreach.facts.parse import TOO_DEEP, ModuleFacts
from regreach.facts.source import SourceError
from regreach.supply.scans import IMPORTS_ODDLY, answer

sys.path.append(str(Path(__file__).parent.parent / "facts"))
from facts_beside_ast import differences, plain, uncut, with_bodies

PACKAGE = "p.q"


# A line that is nothing but a backslash, or a decorator that is broken by one: libcst refuses some that CPython
# takes, which regreach tells in a line, and to regreach what is below begins on that line.
_LONE_BACKSLASH = re.compile(rb"^[ \t\f]*@?[ \t\f]*\\\r?$", re.MULTILINE)


def objection(data: bytes) -> str | None:
    """Return what is wrong with what regreach makes of a source; None when all is well."""
    try:
        found = _objection(data)
    except Exception as error:
        return f"raised {type(error).__name__}: {error}"
    return None if found is not None and _LONE_BACKSLASH.search(data) else found


def _objection(data: bytes) -> str | None:
    compiles = _compiles(data)
    try:
        facts = ModuleFacts.read(data)
        for index in range(len(facts.functions or ())):
            facts.function(index)
    except SourceError as error:
        if compiles and error.message != TOO_DEEP:
            return f"refused, and CPython takes it: {error.message} (line {error.line})"
        return None
    except TargetError:
        return None  # what libcst cannot parse is told in a line
    if not compiles:
        return None  # newer syntax than this interpreter's
    if found := next(differences(facts.text), None):
        return f"not as ast says: {found}"
    if with_bodies(facts) != plain(uncut(facts.text)):
        return "the facts of the cut text are not those of the uncut one"
    return unseen(data, facts.body)


def _compiles(data: bytes) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(data, "<fuzz>", "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
    return True


def unseen(data: bytes, body: ir.Body) -> str | None:
    """Return an import that importing the module may execute and that no scan of its bytes tells of."""
    if answer(IMPORTS_ODDLY, data):
        return None
    seen = set(imported_names(data, PACKAGE))
    missed = [name for name in _imported(body) if name not in seen]
    return f"no scan sees that it imports {missed[0]}" if missed else None


def _imported(node: object) -> Iterator[str]:
    """Yield the modules that statements outside of functions import."""
    if isinstance(node, tuple):
        for each in node:
            yield from _imported(each)
    elif isinstance(node, ir.Import):
        yield from (name for name, _ in node.names)
    elif isinstance(node, ir.ImportFrom):
        yield from _from(node)
    elif isinstance(node, ir.If) and _is_checking(node.test):
        yield from _imported(node.orelse)
    elif isinstance(node, ir.Call) and _last_name(node.func) in ("import_module", "__import__"):
        yield "by a call"
    elif is_dataclass(node) and not isinstance(node, (ir.FunctionDef, ir.Lambda)):
        for each in fields(node):
            yield from _imported(getattr(node, each.name))


def _from(node: ir.ImportFrom) -> Iterator[str]:
    base = node.module or ""
    if node.level:
        parts = PACKAGE.split(".")
        base = ".".join([*parts[: max(0, len(parts) - node.level + 1)], *([base] if base else [])])
    yield base
    yield from (f"{base}.{name}" for name, _ in node.names if name != "*")


def _is_checking(test: ir.Expr) -> bool:
    return _last_name(test) == "TYPE_CHECKING"


def _last_name(node: ir.Expr) -> str:
    if isinstance(node, ir.Attribute):
        return node.attr
    return node.id if isinstance(node, ir.Name) else ""
