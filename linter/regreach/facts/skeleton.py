"""What of a module's statements has to be run when it is loaded, and what can wait until somebody asks.

Imports have to be run, and what may have an effect on other modules; a definition or an assignment can
wait. ``skeleton`` reads that from a parsed module, ``skim`` from the lines of one that is not parsed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import fields, is_dataclass

from regreach.facts import ir, walk
from regreach.facts.names import names_of, surely_bound

# Functions that may do anything to a module, or load one.
ODD = frozenset(
    [
        "exec",
        "eval",
        "globals",
        "locals",
        "vars",
        "setattr",
        "delattr",
        "__import__",
        "import_module",
        "exit",
        "_exit",
    ]
)
# Packages outside of a tree whose state is looked at: the environment, the loaded modules.
_LOOKED_AT = frozenset({"os", "sys", "builtins", "importlib"})


class Pruning:
    """Takes out of module bodies what can wait.

    ``top`` is the name of the tree's package; ``words`` are names of functions whose calls have an effect
    on a registry, or may import something that has. ``absent`` are packages that are not installed.
    """

    def __init__(self, top: str, words: Collection[str], absent: Collection[str] = ()) -> None:
        self._top = top
        self._absent = frozenset(absent)
        self._words = frozenset(words) | ODD

    def skeleton(self, body: ir.Body) -> ir.Body:
        """Return what of a module's body has to be run, with ``Later`` for what can wait."""
        words = self._words | other_names(body, self._words)
        if words != self._words:
            return Pruning(self._top, words, self._absent).skeleton(body)
        foreign = self._foreign(body)
        return merged([each for node in body for each in self._at_margin(node, foreign)])

    def _at_margin(self, node: ir.Stmt, foreign: Collection[str]) -> Iterator[ir.Stmt]:
        if isinstance(node, (ir.Import, ir.ImportFrom, ir.Raise, ir.Delete, ir.Scope)):
            yield node
        elif isinstance(node, ir.FunctionDef):
            yield ir.Later(node.line, (node.name,), sure=True)
            yield from self._registering(node)
        elif isinstance(node, ir.ClassDef):
            if any(self._has_effect(each, foreign) for each in node.body):
                yield node
                return
            yield ir.Later(node.line, (node.name,), sure=True)
            yield from self._registering(node)
        elif for_checkers(node):
            return
        elif self._has_effect(node, foreign):
            yield node
        else:
            if isinstance(node, ir.AugAssign):
                return
            sure = surely_bound((node,))
            if sure:
                yield ir.Later(node.line, tuple(sorted(sure)), sure=True)
            names = names_of(node) - sure
            if names and not isinstance(node, ir.AnnAssign):
                yield ir.Later(node.line, tuple(sorted(names)), sure=False)

    def _registering(self, node: ir.FunctionDef | ir.ClassDef) -> Iterator[ir.Stmt]:
        """Yield the calls of decorators that have an effect: ``name = decorator(name)``."""
        name = ir.Name(node.name)
        for decorator in reversed(node.decorators):
            if self._names_effect(decorator.value):
                call = ir.Call(decorator.value, (ir.Arg(name),), decorator.line)
                yield ir.Assign(decorator.line, (name,), call)

    def _names_effect(self, value: ir.Expr) -> bool:
        called = value.func if isinstance(value, ir.Call) else value
        dotted = walk.dotted_name(called)
        return dotted is not None and dotted.rpartition(".")[2] in self._words

    def _has_effect(self, node: ir.Stmt, foreign: Collection[str]) -> bool:
        if isinstance(node, (ir.ImportFrom, ir.Import)):
            return self._own_import(node) or not self._absent.isdisjoint(tops_of(node))
        if isinstance(node, (ir.Raise, ir.Delete)):
            return True
        if isinstance(node, (ir.FunctionDef, ir.ClassDef)):
            if any(self._names_effect(each.value) for each in node.decorators):
                return True
            if isinstance(node, ir.FunctionDef):
                return False
            return any(self._has_effect(each, foreign) for each in node.body)
        if isinstance(node, ir.Try) and not self._own_import(node):
            # an import of something optional, with what is done without it
            return any(
                self._has_effect(each, foreign)
                for part in walk.blocks(node)
                for each in part
                if not isinstance(each, (ir.Import, ir.ImportFrom))
            )
        if for_checkers(node):
            return False
        if any(self._has_effect(each, foreign) for part in walk.blocks(node) for each in part):
            return True
        if isinstance(node, (ir.Assign, ir.AugAssign, ir.AnnAssign)):
            for target in walk.targets(node):
                if isinstance(target, (ir.Attribute, ir.Subscript)):
                    root = _root(target)
                    if root is None or root in foreign:
                        return True
        return any(
            dotted is not None and dotted.rpartition(".")[2] in self._words
            for dotted in (walk.dotted_name(call.func) for call in walk.calls(node))
        )

    def _own_import(self, node: ir.Stmt) -> bool:
        """Return whether something of the tree is imported in a statement."""
        if isinstance(node, ir.ImportFrom):
            first = (node.module or "").partition(".")[0]
            return node.level > 0 or first == self._top or not node.names
        if isinstance(node, ir.Import):
            return any(dotted.partition(".")[0] == self._top for dotted, _ in node.names)
        return any(self._own_import(each) for part in walk.blocks(node) for each in part)

    def _foreign(self, body: ir.Body) -> set[str]:
        """Return the names that stand for something of another module that somebody here may look at."""
        names: set[str] = set()
        for node in body:
            if isinstance(node, (ir.Import, ir.ImportFrom)):
                if self._own_import(node) or not _LOOKED_AT.isdisjoint(tops_of(node)):
                    names |= names_of(node)
            elif not isinstance(node, (ir.FunctionDef, ir.ClassDef)):
                for part in walk.blocks(node):
                    names |= self._foreign(part)
        return names


def tops_of(node: ir.Import | ir.ImportFrom) -> set[str]:
    """Return the first parts of the names of the modules that an import asks for."""
    if isinstance(node, ir.ImportFrom):
        return set() if node.level else {(node.module or "").partition(".")[0]}
    return {dotted.partition(".")[0] for dotted, _ in node.names}


def for_checkers(node: ir.Stmt) -> bool:
    """Return whether a statement is an ``if TYPE_CHECKING:`` with nothing else."""
    if not isinstance(node, ir.If) or node.orelse:
        return False
    dotted = walk.dotted_name(node.test)
    return dotted is not None and dotted.rpartition(".")[2] == "TYPE_CHECKING"


def merged(statements: Collection[ir.Stmt]) -> ir.Body:
    """Return statements in which names that wait one after the other stand together."""
    result: list[ir.Stmt] = []
    for node in statements:
        last = result[-1] if result else None
        if isinstance(node, ir.Later) and isinstance(last, ir.Later) and node.sure == last.sure:
            result[-1] = ir.Later(last.line, (*last.names, *node.names), last.sure)
        else:
            result.append(node)
    return tuple(result)


def other_names(body: ir.Body, words: Collection[str]) -> set[str]:
    """Return names that a module gives to functions of these names, or to what it makes of them."""
    names: set[str] = set()
    for node in body:
        if isinstance(node, ir.ImportFrom):
            names |= {alias for name, alias in node.names if alias is not None and name in words}
        elif isinstance(node, ir.Assign) and _mentions(node.value, words):
            names |= names_of(node)
        else:
            for part in walk.blocks(node):
                names |= other_names(part, words)
    return names


def _mentions(node: object, words: Collection[str]) -> bool:
    if isinstance(node, ir.Name):
        return node.id in words
    if isinstance(node, ir.Attribute) and node.attr in words:
        return True
    if isinstance(node, tuple):
        return any(_mentions(each, words) for each in node)
    if not is_dataclass(node) or isinstance(node, (ir.Lambda, ir.Const)):
        return False
    return any(_mentions(getattr(node, field.name), words) for field in fields(node))


def _root(node: ir.Expr) -> str | None:
    while isinstance(node, (ir.Attribute, ir.Subscript)):
        node = node.value
    return node.id if isinstance(node, ir.Name) else None
