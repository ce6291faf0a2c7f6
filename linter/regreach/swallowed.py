"""Imports whose failure is swallowed, with what is lost then and what they hang on."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator, Sequence

from regreach.facts import ir, walk
from regreach.graph import edges_of
from regreach.model import Cell, Guarded, RegistryResult, Spot, Swallowed
from regreach.pack import Pack
from regreach.program import Program

_MAX_CLOSURE = 40  # so many modules are looked into for what an import hangs on
_MAX_LISTED = 4
_CAUGHT = {"ImportError", "ModuleNotFoundError", "Exception", "BaseException"}
# Words in the name of a function that tells somebody of what it is given.
_TELLING = ("log", "warn", "error", "exception", "info", "debug", "print", "critical", "report")


def swallowed_imports(
    program: Program,
    pack: Pack,
    registries: Sequence[RegistryResult],
    absent: Collection[str],
    loaded: Collection[str],
) -> tuple[Swallowed, ...]:
    """Return the imports in a ``try`` on which keys hang that are looked up, sorted by place.

    ``absent`` are packages that are not installed; what one of the ``loaded`` modules has imported is there.
    """
    losses: dict[Guarded, list[Cell]] = {}
    for registry in registries:
        for cell in registry.cells:
            for each in cell.guarded:
                if each.is_try and each.of == "import" and not each.asked_too:
                    losses.setdefault(each, []).append(cell)
    every = [r for registry in registries for cell in registry.cells for r in cell.registrations]
    found = []
    for guarded, cells in losses.items():
        tried = _try_at(program, guarded.module, guarded.guard.line)
        handler = handler_of(tried) if tried is not None else None
        if handler is None:
            continue
        modules = tuple(dict.fromkeys(r.module for cell in cells for r in cell.registrations))
        found.append(
            Swallowed(
                guarded.spot,
                _column(program, guarded.module, guarded.spot.line),
                guarded.module,
                _spot(program, guarded.module, handler.line),
                tells(handler),
                modules,
                _hangs_on(program, pack, modules, cells, absent, loaded),
                tuple(cells),
                tuple(dict.fromkeys(r for r in every if r.module in modules)),
            )
        )
    return tuple(sorted(found, key=lambda each: (each.spot.path, each.spot.line)))


def tells(handler: ir.Handler) -> bool:
    """Return whether a handler names what it has caught to somebody: to a log, as a warning, printed."""
    for node in statements_in(handler.body):
        for call in walk.calls(node):
            name = (walk.dotted_name(call.func) or "").lower()
            if any(word in name.rpartition(".")[2] for word in _TELLING) and call.args:
                return True
    return False


def handler_of(node: ir.Try) -> ir.Handler | None:
    """Return the handler that takes a failed import and goes on; None when none does."""
    for handler in node.handlers:
        caught = handler.type
        types = caught.items if isinstance(caught, ir.Sequence) else (caught,)
        names = {(walk.dotted_name(t) or "").rpartition(".")[2] for t in types if t is not None}
        if caught is None or names & _CAUGHT:
            raises = bool(handler.body) and isinstance(handler.body[-1], ir.Raise)
            return None if raises else handler
    return None


def _hangs_on(
    program: Program,
    pack: Pack,
    modules: Sequence[str],
    cells: Sequence[Cell],
    absent: Collection[str],
    loaded: Collection[str],
) -> tuple[Spot, ...]:
    """Return imports of packages that may be missing, in these modules and what they import, the nearest first."""
    doubted = [
        c for cell in cells for c in cell.conditions if c.text.startswith(("import ", "from "))
    ]
    if doubted:
        return tuple(dict.fromkeys(doubted))
    top = pack.location.name
    found: list[tuple[str, Spot]] = []
    queue, seen = list(modules), set(modules)
    while queue and len(seen) <= _MAX_CLOSURE:
        module = queue.pop(0)
        found += _foreign(program, module, {top, *pack.installed})
        for edge in edges_of(program, module, ""):
            if edge.kind == "eager" and not edge.guards and edge.imported not in loaded:
                if edge.imported not in seen:
                    seen.add(edge.imported)
                    queue.append(edge.imported)
    missing = [spot for name, spot in found if name in absent]
    return tuple(dict.fromkeys(missing or (spot for _, spot in found)))[:_MAX_LISTED]


def _foreign(program: Program, module: str, own: Collection[str]) -> Iterator[tuple[str, Spot]]:
    """Yield the packages of others that a module imports at its level and not in a ``try``, and where."""
    facts, path = program.readable_facts(module), program.path(module)
    for node, around in walk.statements(facts) if facts is not None and path is not None else ():
        if around.in_function or any(g.kind in ("try", "except") for g in around.guards):
            continue
        names: tuple[str, ...] = ()
        if isinstance(node, ir.Import):
            names = tuple(dotted for dotted, _ in node.names)
        elif isinstance(node, ir.ImportFrom) and not node.level:
            names = (node.module or "",)
        for name in dict.fromkeys(n.partition(".")[0] for n in names):
            if name and name not in own and name not in sys.stdlib_module_names:
                yield name, _spot(program, module, node.line)


def _try_at(program: Program, module: str, line: int) -> ir.Try | None:
    """Return the ``try`` that begins on a line."""
    facts = program.readable_facts(module)
    if facts is None:
        return None
    nodes = (node for node, _ in walk.statements(facts, "try"))
    return next((n for n in nodes if isinstance(n, ir.Try) and n.line == line), None)


def statements_in(body: ir.Body) -> Iterator[ir.Stmt]:
    """Yield the statements of a block and of the blocks in it, those of definitions left out."""
    for node in body:
        yield node
        for block in walk.blocks(node):
            yield from statements_in(block)


def _spot(program: Program, module: str, line: int) -> Spot:
    return Spot(program.path(module) or module, line, program.line(module, line))


def _column(program: Program, module: str, line: int) -> int:
    facts = program.readable_facts(module)
    return facts.column_of(line) if facts is not None else 1
