"""Loops that import all modules of a package and go on where one fails."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from regreach.facts import ir, walk
from regreach.facts.parse import ModuleFacts
from regreach.model import RegistryResult, Spot, Swallowed
from regreach.pack import Pack
from regreach.program import Program
from regreach.registrations import last_name
from regreach.swallowed import handler_of, statements_in, tells

_FINDERS = ("iter_modules", "walk_packages")
_IMPORTERS = ("import_module", "__import__")


def discovering_loops(
    program: Program, pack: Pack, registries: Sequence[RegistryResult]
) -> tuple[Swallowed, ...]:
    """Return the loops over modules of a package of the tree that swallow failing imports, sorted by place.

    The package is one that the file names, or the callers of the loop's function; where no such name is a
    package, nothing is said of the loop.
    """
    every = [r for registry in registries for cell in registry.cells for r in cell.registrations]
    found: list[Swallowed] = []
    for module in program.mentioning(*(word.encode() for word in _FINDERS)):
        path, facts = program.path(module), program.readable_facts(module)
        if facts is None or path is None or pack.ignores(path):
            continue
        for node, around in walk.statements(facts, *_FINDERS):
            handler = _swallowing_loop(node)
            if handler is None:
                continue
            for package in sorted(_packages(program, module, facts, around.scope)):
                below = (
                    program.inside(package)[1:] if _goes_down(node) else program.children(package)
                )
                modules = tuple(below)
                lost = tuple(dict.fromkeys(r for r in every if r.module in modules))
                found.append(
                    Swallowed(
                        Spot(path, node.line, facts.statement_text(node.line)),
                        facts.column_of(node.line),
                        module,
                        Spot(path, handler.line, facts.statement_text(handler.line)),
                        tells(handler),
                        modules,
                        lost=lost,
                        package=package,
                    )
                )
    return tuple(sorted(found, key=lambda each: (each.spot.path, each.spot.line, each.package)))


def _swallowing_loop(node: ir.Stmt) -> ir.Handler | None:
    """Return what takes the failure of an import in such a loop; None when it is no such loop."""
    if not isinstance(node, ir.For) or not _calls_any(node.iter, _FINDERS):
        return None
    for inner in statements_in(node.body):
        if isinstance(inner, ir.Try) and any(
            _calls_any(each, _IMPORTERS) for each in statements_in(inner.body)
        ):
            return handler_of(inner)
    return None


def _goes_down(node: ir.Stmt) -> bool:
    """Return whether a loop goes through the packages in a package, too."""
    return isinstance(node, ir.For) and _calls_any(node.iter, ("walk_packages",))


def _calls_any(node: object, names: Collection[str]) -> bool:
    return any(
        (walk.dotted_name(c.func) or "").rpartition(".")[2] in names for c in walk.calls(node)
    )


def _packages(program: Program, module: str, facts: ModuleFacts, scope: str) -> set[str]:
    """Return the packages of the tree that a loop may go through.

    The loop's own function names them, or whoever calls it, or the module at its level; or it is the package
    that the file itself is in.
    """
    function = scope.rpartition(".")[2]
    own = [node for node, around in walk.statements(facts, *_FINDERS) if around.scope == scope]
    found = {text for node in own for text in _texts(node)}
    if function and not _known(program, found):
        for caller in program.mentioning(f"{function}(".encode()):
            other = program.readable_facts(caller)
            found |= set(_arguments(other, function)) if other is not None else set()
    if not _known(program, found):
        level = (node for node, around in walk.statements(facts) if not around.scope)
        found |= {text for node in level for text in _texts(node)}
    if not _known(program, found):
        names = {name for node in own for name in walk.names_in(node)}
        if "__path__" in names or "__file__" in names:
            found.add(program.package_of(module))
    return _known(program, found)


def _known(program: Program, names: Collection[str]) -> set[str]:
    """Return those of these names that are packages of the tree with something in them."""
    return {name for name in names if program.has(name) and program.children(name)}


def _arguments(facts: ModuleFacts, function: str) -> Iterator[str]:
    """Yield the texts that a function is given."""
    for node, _ in walk.statements(facts, function):
        for call in walk.calls(node):
            if last_name(walk.dotted_name(call.func) or "") == function:
                yield from _constants(arg.value for arg in call.args)


def _texts(node: ir.Stmt) -> Iterator[str]:
    """Yield the texts that a statement gives to functions, or to names."""
    yield from _constants(arg.value for call in walk.calls(node) for arg in call.args)
    if isinstance(node, (ir.Assign, ir.AnnAssign)):
        value = node.value
        parts = value.items if isinstance(value, ir.Sequence) else (value,)
        yield from _constants(parts)


def _constants(values: Iterable[object]) -> Iterator[str]:
    for value in values:
        if isinstance(value, ir.Const) and isinstance(value.value, str):
            yield value.value
