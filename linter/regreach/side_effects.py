"""Imports of registering modules that a fixer of unused imports would delete, and what is lost then.

What is lost is not guessed: the tree is analysed a second time, as the fixer would leave it. That
costs time, but only where there is such an import, which is seldom.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, get_args

from regreach.facts import ir, walk
from regreach.facts.parse import ModuleFacts
from regreach.facts.source import decode_as_it_is
from regreach.facts.unused_imports import Found, Statement, UnusedImports, bound_name
from regreach.graph import from_targets
from regreach.model import Audit, CallSite, Cell, Loss, Reach, SideEffectImport, Spot
from regreach.program import Program

# From the strongest to the weakest.
_REACHES: tuple[Reach, ...] = get_args(Reach)

if TYPE_CHECKING:
    from regreach.verdicts import Analysis


@dataclass(frozen=True, slots=True)
class _Deletion:
    """An import that a fixer would delete, and the statement that it would leave."""

    found: Found
    entry: SideEffectImport
    left: str


def registering_modules(audit: Audit) -> set[str]:
    """Return the modules of registrations that are there when they are looked up, for some at least."""
    return {
        r.module
        for registry in audit.registries
        for c in registry.cells
        for r in c.registrations
        if c.at_lookup != "no" or c.reach not in ("none", "orphan")
    }


def with_side_effects(analysis: Analysis, audit: Audit) -> Audit:
    """Return an audit with its ``side_effect_imports``.

    Looked at are the modules that the analysis has looked into: an import in another one is on no
    way to a look-up.
    """
    registering = registering_modules(audit)
    deletions: dict[str, list[_Deletion]] = {}
    for module, facts in _candidates(analysis, registering):
        found = list(_deletions(analysis.program, module, facts, registering))
        if found:
            deletions[module] = found
    if not deletions:
        return audit
    texts = {m: [(d.found, d.left) for d in found] for m, found in deletions.items()}
    lost = losses_without(analysis, audit, texts)
    imports = [d.entry for found in deletions.values() for d in found]
    told = [
        replace(entry, losses=tuple(loss for loss in lost if _hangs_on(loss, entry)))
        for entry in imports
    ]
    told.sort(key=lambda each: (each.spot.path, each.spot.line, each.column))
    return replace(audit, side_effect_imports=tuple(told))


def losses_without(
    analysis: Analysis, audit: Audit, deletions: Mapping[str, Sequence[tuple[Found, str]]]
) -> list[Loss]:
    """Return what is lost of an audit when import statements have become these texts, by module."""
    return losses(audit, analysis_without(analysis, deletions).audit())


def analysis_without(
    analysis: Analysis, deletions: Mapping[str, Sequence[tuple[Found, str]]]
) -> Analysis:
    """Return an analysis, still to be made, of the tree in which import statements have become these texts."""
    # a copy of everything but the notes: what is new there is about a tree that does not exist
    fixed = type(analysis)(
        analysis.program.with_contents(
            dict(_without(analysis.program, m, found) for m, found in deletions.items())
        ),
        analysis.pack,
        analysis.platform,
        quick=analysis.quick,
    )
    fixed.any_remedy = False
    return fixed


def _candidates(analysis: Analysis, registering: set[str]) -> Iterator[tuple[str, ModuleFacts]]:
    """Yield the modules that may import one of these, but for packages: fixers leave those alone."""
    program, pack = analysis.program, analysis.pack
    packages = {module.rpartition(".")[0] for module in registering}
    words = {package.rpartition(".")[2] for package in packages}
    for module in program.parsed():
        facts = program.readable_facts(module)
        path = program.path(module)
        if facts is None or path is None or program.is_package(module) or pack.ignores(path):
            continue
        # a relative import from inside the package need not name it
        inside = any(f"{module}.".startswith(f"{package}.") for package in packages)
        if inside or any(word in facts.text for word in words):
            yield module, facts


def _deletions(
    program: Program, module: str, facts: ModuleFacts, registering: set[str]
) -> Iterator[_Deletion]:
    path = program.path(module)
    assert path is not None
    imports = UnusedImports(facts)
    words = frozenset(m.rpartition(".")[2] for m in registering)
    homes = frozenset(m.split(".")[-2] for m in registering if "." in m)
    for found in imports.naming(words, homes):
        targets = {a: targets_of(program, module, found.node, a) for a in found.node.names}
        if registering.isdisjoint(t for each in targets.values() for t in each):
            continue
        gone = imports.deletable(found)
        left = [alias for alias in found.node.names if alias not in gone]
        still = {target for alias in left for target in targets[alias]}
        lost = {t for alias in gone for t in targets[alias] if t in registering} - still
        if not lost:
            continue
        names = dict.fromkeys(
            bound_name(found.node, a) or a.name for a in gone if targets[a] & lost
        )
        entry = SideEffectImport(
            Spot(path, found.line, facts.statement_text(found.line)),
            found.node.col_offset + 1,
            module,
            scope_of(facts, found),
            tuple(sorted(lost)),
            tuple(names),
        )
        yield _Deletion(found, entry, statement_left(found, left))


def scope_of(facts: ModuleFacts, found: Found) -> str:
    """Return the dotted name of the definitions around an import, classes included."""
    if not found.scopes:
        return ""
    line = found.scopes[0].lineno + found.piece.above
    around = (
        surroundings.scope
        for node, surroundings in walk.statements(facts)
        if isinstance(node, ir.FunctionDef) and node.line == line
    )
    return ".".join(filter(None, (next(around, ""), *(scope.name for scope in found.scopes))))


def targets_of(program: Program, module: str, node: Statement, alias: ast.alias) -> set[str]:
    """Return the modules that one name of an import statement in a module loads."""
    if isinstance(node, ast.Import):
        return {alias.name} if program.has(alias.name) else set()
    wanted = () if alias.name == "*" else (alias.name,)
    return {m for m, _ in from_targets(program, module, node.level, node.module, wanted)}


def statement_left(found: Found, left: Sequence[ast.alias]) -> str:
    """Return what stands where the statement stood, over as many lines."""
    node = found.node
    text = "pass"
    if left and isinstance(node, ast.Import):
        text = ast.unparse(ast.Import(list(left)))
    elif left and isinstance(node, ast.ImportFrom):
        text = ast.unparse(ast.ImportFrom(node.module, list(left), node.level))
    more = (node.end_lineno or node.lineno) - node.lineno
    return f"{text}; ({chr(10) * more})" if more else text


def _without(
    program: Program, module: str, deletions: Sequence[tuple[Found, str]]
) -> tuple[str, bytes]:
    """Return a module's path and its bytes after these deletions; each line stays where it is."""
    facts, path = program.readable_facts(module), program.path(module)
    assert facts is not None, "it has been looked into"
    assert path is not None, "so it has a file"
    lines = [line.encode() for line in facts.text.split("\n")]  # positions count its bytes
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    data = b"\n".join(lines)
    for found, left in sorted(deletions, key=lambda each: each[0].at, reverse=True):
        node, above = found.node, found.piece.above
        begin = starts[node.lineno + above - 1] + node.col_offset
        end = starts[(node.end_lineno or node.lineno) + above - 1] + (node.end_col_offset or 0)
        data = data[:begin] + left.encode() + data[end:]
    _, encoding = decode_as_it_is(program.source(module))
    return path, data.decode().encode(encoding)


def losses(audit: Audit, fixed: Audit) -> list[Loss]:
    """Return the keys of an audit of which something is worse in that of the tree without imports."""
    then = {(c.registry, c.key): c for r in fixed.registries for c in r.cells}
    found = []
    for registry in audit.registries:
        for cell in registry.cells:
            other = then.get((cell.registry, cell.key))
            if other is None or not cell.registrations:
                continue
            crashing = tuple(_newly_crashing(audit, fixed, cell))
            if crashing or is_worse(cell, other):
                found.append(Loss(cell, other, crashing))
    return found


def is_worse(now: Cell, then: Cell) -> bool:
    """Return whether a key is there less surely, or by a weaker reach."""
    there = ("yes", "maybe", "no")
    return (
        there.index(then.at_lookup) > there.index(now.at_lookup)
        or _REACHES.index(then.reach) > _REACHES.index(now.reach)
        or (then.outcome == "raises" and now.outcome in ("ok", "maybe"))
    )


def _newly_crashing(audit: Audit, fixed: Audit, cell: Cell) -> Iterator[CallSite]:
    before: Mapping[tuple[object, ...], str] = {
        (site.spot, site.function, value.value): value.outcome
        for site, value in audit.arriving(cell)
    }
    for site, value in fixed.arriving(cell):
        was = before.get((site.spot, site.function, value.value))
        if value.outcome == "raises" and was not in ("raises", None):
            yield site


def _hangs_on(loss: Loss, entry: SideEffectImport) -> bool:
    return any(r.module in entry.modules for r in loss.now.registrations)
