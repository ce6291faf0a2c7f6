"""Every import that is there for its side effect and that registrations depend on, protected or not.

Nothing in its file reads what such an import binds, and nobody asks the module for it; but it loads a
module that registers, or one whose own imports do. What depends on it is not guessed: the tree is analysed
again without all of them, and without those that only lead to registrations.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from regreach.evaluate.session import with_deep_stack
from regreach.facts.import_lines import names_anywhere
from regreach.facts.unused_imports import Found, Protection, UnusedImports, bound_name
from regreach.model import Audit, Loss, SimpleEntry, Spot
from regreach.plugins import load_plugins
from regreach.request import Request
from regreach.run import analysis_of, is_settled, judged, opened
from regreach.side_effects import (
    analysis_without,
    losses,
    registering_modules,
    scope_of,
    statement_left,
    targets_of,
)
from regreach.simple.analysis import simple_registries

if TYPE_CHECKING:
    from regreach.verdicts import Analysis

Kept = Protection | Literal["init"]

# With these a name is no unused import to a fixer, whatever comment is lost.
_USED: frozenset[Kept] = frozenset({"all", "alias", "class"})


@dataclass(frozen=True, slots=True)
class NeededImport:
    """A statement that imports for side effects.

    ``modules`` are what it loads for that, ``registering`` those that register: the same where it is
    ``direct``, else what these import. ``names`` are bound and read by nobody. ``protected`` is what keeps
    fixers of unused imports from it today (``init``: that its file is a package's ``__init__``), empty where
    one would delete it; ``seen`` says that a fixer looks at it, and that comments or configuration have to
    keep it. ``losses`` is what becomes of keys without it and all others of its kind, ``lost`` are the entries
    of simple registries that nothing loads then.
    """

    spot: Spot
    column: int
    importer: str
    scope: str
    modules: tuple[str, ...]
    registering: tuple[str, ...]
    direct: bool
    names: tuple[str, ...]
    protected: tuple[Kept, ...]
    seen: bool
    losses: tuple[Loss, ...] = ()
    lost: tuple[SimpleEntry, ...] = ()

    @property
    def is_needed(self) -> bool:
        """Whether anything is lost without it and all others of its kind."""
        return bool(self.losses or self.lost)


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A statement as it stands, as it is told, and what is left of it without the names that nobody reads."""

    found: Found
    told: NeededImport
    left: str


def needed_imports(analysis: Analysis, audit: Audit) -> tuple[NeededImport, ...]:
    """Return the imports for side effects that registrations depend on, by place.

    Those that name a registering module are all told, those that lead to one if a key would be lost. Looked
    at are the modules that the analysis has looked into, and those that import a registering one.
    """
    registering = registering_modules(audit) | {e.module for e in _loaded_entries(audit)}
    for module in sorted(registering):
        analysis.graph.importers(module)
    looked_into = analysis.program.parsed()
    analysis.graph.add(looked_into)
    leading = analysis.graph.leading_to(sorted(registering))
    asked = _names_asked_for(analysis)
    candidates = {
        module: list(_candidates(analysis, module, registering, leading, asked))
        for module in looked_into
    }
    direct = _judged(analysis, audit, candidates)
    indirect = [each for each in direct if not each.direct and each.is_needed]
    if indirect:
        # some of them may have lost nothing but what those lose that name the module
        others = {m: [c for c in of_m if not c.told.direct] for m, of_m in candidates.items()}
        indirect = [each for each in _judged(analysis, audit, others) if each.is_needed]
    told = [*(each for each in direct if each.direct), *indirect]
    return tuple(sorted(told, key=lambda each: (each.spot.path, each.spot.line, each.column)))


def _judged(
    analysis: Analysis, audit: Audit, candidates: Mapping[str, Sequence[_Candidate]]
) -> list[NeededImport]:
    """Return statements with what is lost when none of them is there."""
    texts = {m: [(c.found, c.left) for c in of_m] for m, of_m in candidates.items() if of_m}
    if not texts:
        return []
    fixed = analysis_without(analysis, texts)
    then = simple_registries(fixed, complete=True).added_to(fixed.audit())
    worse = losses(audit, then)
    left = {(e.module, e.key) for e in _loaded_entries(then)}
    lost = [e for e in _loaded_entries(audit) if (e.module, e.key) not in left]
    return [
        replace(
            c.told,
            losses=tuple(loss for loss in worse if _hangs_on(loss, c.told)),
            lost=tuple(entry for entry in lost if entry.module in c.told.registering),
        )
        for of_module in candidates.values()
        for c in of_module
    ]


def _loaded_entries(audit: Audit) -> list[SimpleEntry]:
    """Return the entries of simple registries that something loads, be it later."""
    found = (entry for registry in audit.simple_registries for entry in registry.entries)
    return [entry for entry in found if entry.reach != "orphan"]


def _hangs_on(loss: Loss, told: NeededImport) -> bool:
    return any(r.module in told.registering for r in loss.now.registrations)


def _candidates(
    analysis: Analysis,
    module: str,
    registering: Collection[str],
    leading: Mapping[str, Collection[str]],
    asked: Collection[str],
) -> Iterator[_Candidate]:
    """Yield the statements of a module that lead to registrations by names that nobody reads.

    ``leading`` has for each module that does so what it leads to, ``asked`` the names that modules take from
    each other.
    """
    program = analysis.program
    facts, path = program.readable_facts(module), program.path(module)
    if facts is None or path is None or analysis.pack.ignores(path):
        return
    words = frozenset(name.rpartition(".")[2] for name in leading)
    imports = UnusedImports(facts)
    for found in imports.naming(words, frozenset({program.tree.package}), every=True):
        targets = {a: targets_of(program, module, found.node, a) for a in found.node.names}
        leads = [a for a in found.node.names if not targets[a].isdisjoint(leading)]
        gone: list[ast.alias] = []
        kept: set[Kept] = {"init"} if program.is_package(module) else set()
        seen = False
        for alias, protections in imports.unused(found, leads):
            name = f"{module}.{bound_name(found.node, alias) or alias.name}"
            # a submodule is found without the name
            wanted = not found.scopes and name in asked and not program.has(name)
            if not wanted:
                gone.append(alias)
                kept.update(protections)
                seen = seen or _USED.isdisjoint(protections)
        left = [alias for alias in found.node.names if alias not in gone]
        still = {target for alias in left for target in targets[alias]}
        lost = {t for alias in gone for t in targets[alias] if t in leading} - still
        if not lost:
            continue
        direct = lost & set(registering)
        told = NeededImport(
            Spot(path, found.line, facts.statement_text(found.line)),
            found.node.col_offset + 1,
            module,
            scope_of(facts, found),
            tuple(sorted(direct or lost)),
            tuple(sorted(direct or {r for target in lost for r in leading[target]})),
            bool(direct),
            tuple(dict.fromkeys(bound_name(found.node, a) or a.name for a in gone)),
            tuple(sorted(kept)),
            seen,
        )
        yield _Candidate(found, told, statement_left(found, left))


def _names_asked_for(analysis: Analysis) -> set[str]:
    """Return ``module.name`` for all that modules of the tree take from each other, wherever they do."""
    program = analysis.program
    asked: set[str] = set()
    for module in program.tree.modules:
        package = program.package_of(module)
        asked.update(names_anywhere(program.source(module), package))
    return asked


def find_needed_imports(
    request: Request, on_progress: Callable[[str], None] | None = None
) -> tuple[Audit, tuple[NeededImport, ...]]:
    """Read the target and return an audit with the imports that its registrations depend on.

    The tree is never imported or executed. Raises ConfigError and TargetError.
    """
    say = on_progress or (lambda _: None)

    def found(analysis: Analysis, audit: Audit) -> tuple[Audit, tuple[NeededImport, ...]]:
        audit = simple_registries(analysis, complete=True).added_to(audit)
        say("looking for imports that registrations depend on")
        return audit, needed_imports(analysis, audit)

    rules = load_plugins().rules.values()
    with opened(replace(request, quick=True), on_progress) as quick:
        audit = with_deep_stack(quick.audit)
        # as `check` does it: what is not quite sure is looked at again in full
        if is_settled(audit, judged(audit, rules), {rule.code for rule in rules if rule.final}):
            return with_deep_stack(lambda: found(quick, audit))
        full = analysis_of(request, quick.program, quick.pack, quick.platform)
        return with_deep_stack(lambda: found(full, full.audit()))
