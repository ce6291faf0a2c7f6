"""Which imports a change deleted, or added, that a registration hangs on."""

from __future__ import annotations

import ast
import textwrap
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from regreach.evaluate.session import with_deep_stack
from regreach.facts import noqa
from regreach.facts.unused_imports import UnusedImports
from regreach.graph import edges_of
from regreach.importers import importers_of
from regreach.loading import edges_on, way_to
from regreach.model import Cell, ImportEdge, Spot
from regreach.program import Program
from regreach.side_effects import targets_of
from regreach.verdicts import Analysis


@dataclass(frozen=True, slots=True)
class ImportLine:
    """An import that one revision has and the other lacks.

    ``statement`` is what has to be written to have it back, on one line; ``text`` is as it was written,
    if that was one line. ``kept_by_noqa`` says that
    ``# noqa: F401`` stood beside it, ``unused`` that a fixer of unused imports would have deleted it.
    ``direct`` says that it imports the registering module itself. ``now`` is the line that stands in the
    place of a deleted one in the new tree, None where its file is gone.
    """

    edge: ImportEdge
    statement: str
    text: str
    unused: bool
    kept_by_noqa: bool
    direct: bool
    now: Spot | None = None

    @property
    def for_side_effect(self) -> bool:
        """Whether nothing used what it bound."""
        return self.unused or self.kept_by_noqa


@dataclass(frozen=True, slots=True)
class ImportChange:
    """What a change did to the imports of the modules that register a key.

    ``deleted`` begins with the one on which it hung, ``left`` are those that there are afterwards.
    """

    deleted: tuple[ImportLine, ...]
    added: tuple[ImportLine, ...]
    left: tuple[ImportEdge, ...]


def import_change(
    old: Analysis, new: Analysis, before: Cell | None, after: Cell | None
) -> ImportChange:
    """Return what became of the imports that lead to a key, from one analysis to another."""
    return with_deep_stack(lambda: _import_change(old, new, before, after))


def _import_change(
    old: Analysis, new: Analysis, before: Cell | None, after: Cell | None
) -> ImportChange:
    modules = _registering(before)
    were = importers_of(old.graph, old.pack, modules)
    # those of the same modules: one that registers no more is imported all the same
    are = importers_of(new.graph, new.pack, [*dict.fromkeys([*modules, *_registering(after)])])
    gone = _without(were, are)
    steps = [
        step
        for module in modules
        for loaders in old.ways
        for step in edges_on(old.program, way_to(module, loaders))
    ]
    lost = [step for step in dict.fromkeys(steps) if _is_gone(new.program, old.program, step)]
    # the step nearest to the registration is the one that counts, if it stood on a way at all
    ordered = dict.fromkeys([*reversed(lost), *gone])
    direct = [edge for edge in ordered if edge.imported in modules]
    told = [edge for edge in direct or ordered if _can_be_told(new.program, edge)]
    return ImportChange(
        tuple(
            replace(
                _line(old.program, edge, edge.imported in modules),
                now=_place(old.program, new.program, edge),
            )
            for edge in told
        ),
        tuple(_line(new.program, edge, True) for edge in _without(are, were)),
        are,
    )


def _can_be_told(new: Program, edge: ImportEdge) -> bool:
    """Return whether an import can be missed: what it imports is there, and its file can be read."""
    return new.has(edge.imported) and new.path(edge.importer) not in new.broken


def _registering(cell: Cell | None) -> list[str]:
    return list(dict.fromkeys(r.module for r in cell.registrations)) if cell is not None else []


def _without(edges: Iterable[ImportEdge], others: Iterable[ImportEdge]) -> list[ImportEdge]:
    """Return the imports that others lack; where they stand in a file does not matter."""
    left = Counter(map(_identity, others))
    result = []
    for edge in edges:
        left[_identity(edge)] -= 1
        if left[_identity(edge)] < 0:
            result.append(edge)
    return result


def _identity(edge: ImportEdge) -> tuple[str, str, str, str]:
    return edge.importer, edge.imported, edge.kind, edge.scope


def _is_gone(new: Program, old: Program, edge: ImportEdge) -> bool:
    """Return whether a module makes an import less often than it did."""
    word = edge.imported.rpartition(".")[2]
    were, are = (
        sum(_identity(each) == _identity(edge) for each in edges_of(program, edge.importer, word))
        if program.has(edge.importer)
        else 0
        for program in (old, new)
    )
    return are < were


def _place(old: Program, new: Program, edge: ImportEdge) -> Spot | None:
    """Return the line of the new tree in whose place an import stood."""
    path = new.path(edge.importer) if new.has(edge.importer) else None
    was = old.readable_facts(edge.importer)
    now = new.readable_facts(edge.importer) if path is not None else None
    if path is None or was is None or now is None:
        return None
    lines = now.text.split("\n")
    line = line_after(was.text.split("\n"), lines, edge.spot.line)
    return Spot(path, line, lines[line - 1].strip())


def line_after(old: Sequence[str], new: Sequence[str], line: int) -> int:
    """Return the line of a new text that an old one's became, or that stands where it did; both from 1.

    A text has one line at least.
    """
    at = line - 1
    for _, start, end, first, last in SequenceMatcher(None, old, new).get_opcodes():
        if start <= at < end:
            # of lines that were replaced the one as far down; where all are gone, the next one
            after = first if first == last else min(first + at - start, last - 1)
            return min(after + 1, len(new))
    return 1


def _line(program: Program, edge: ImportEdge, direct: bool) -> ImportLine:
    facts = program.readable_facts(edge.importer)
    assert facts is not None, "an import has been found in it"
    line, word = edge.spot.line, edge.imported.rpartition(".")[2]
    lines = facts.text.split("\n")[line - 1 : facts.end_of_statement(line)]
    statement = _written(program, edge, "\n".join(lines)) or facts.statement_text(line)
    text = edge.spot.text if len(lines) == 1 else statement
    if any(map(noqa.keeps_on_line, lines)):
        return ImportLine(edge, statement, text, False, True, direct)
    imports = UnusedImports(facts)
    home = edge.imported.rpartition(".")[0].rpartition(".")[2]
    unused = any(
        found.line == line
        and edge.imported
        in {m for a in gone for m in targets_of(program, edge.importer, found.node, a)}
        for found in imports.naming(frozenset((word,)), frozenset((home,)))
        if (gone := imports.deletable(found))
    )
    # fixers leave the files alone that are there to be imported from
    unused = unused and not program.is_package(edge.importer)
    return ImportLine(edge, statement, text, unused, False, direct)


def _written(program: Program, edge: ImportEdge, text: str) -> str | None:
    """Return the import as a statement of its own, without the names that load something else."""
    try:
        body = ast.parse(textwrap.dedent(text).strip()).body
    except (SyntaxError, ValueError):
        return None  # it stands on the line of a compound statement
    for node in body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            names = [
                alias
                for alias in node.names
                if edge.imported in targets_of(program, edge.importer, node, alias)
            ]
            if names and isinstance(node, ast.Import):
                return ast.unparse(ast.Import(names))
            if names and isinstance(node, ast.ImportFrom):
                return ast.unparse(ast.ImportFrom(node.module, names, node.level))
    return None
