"""The one way from a target to an audit and its findings; every command goes through it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Container, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

from regreach.errors import ConfigError, TargetError
from regreach.evaluate.session import with_deep_stack
from regreach.model import Audit, Finding
from regreach.pack import Pack, Platform
from regreach.plugins import load_plugins
from regreach.policy import Settled, settle
from regreach.policy.baseline import Known
from regreach.policy.settle import in_order
from regreach.program import Program
from regreach.request import Request, Result, opened_tree
from regreach.rule import Rule, told_apart
from regreach.simple.analysis import SimpleFound, simple_registries
from regreach.supply.cache import FactsCache
from regreach.supply.facts_supply import FactsSupply
from regreach.supply.jobs import job_count
from regreach.tree.git_process import BlobReader
from regreach.verdicts import Analysis
from regreach.whole import whole_audit


def analyse(request: Request, on_progress: Callable[[str], None] | None = None) -> Result:
    """Read the target, analyse it, and apply the rules.

    The tree is never imported or executed. Raises ConfigError and TargetError.
    """
    with opened(request, on_progress) as analysis:
        return _result(request, analysis, on_progress or (lambda _: None), complete=True)[0]


def check(request: Request, on_progress: Callable[[str], None] | None = None) -> Result:
    """Return the findings that ``analyse`` returns, mostly in a fraction of the time.

    The quick analysis is enough where all is well or only warned of. What is an error, and what cannot be
    told for certain, is looked at again in full. Raises ConfigError and TargetError.
    """
    say = on_progress or (lambda _: None)
    with opened(replace(request, quick=True), on_progress) as analysis:
        # the same in both looks
        simple = functools.cache(lambda: simple_registries(analysis, complete=False))
        result, found = _result(request, analysis, say, simple=simple)
        if is_settled(result.audit, found, {rule.code for rule in result.rules if rule.final}):
            return result
        say(f"analysing {len(analysis.program.tree.modules)} modules, in full")
        # of the same bytes: a file may have changed since
        full = analysis_of(request, analysis.program, analysis.pack, analysis.platform)
        return _result(request, full, lambda step: say(f"{step}, in full"), simple=simple)[0]


def _result(
    request: Request,
    analysis: Analysis,
    say: Callable[[str], None],
    *,
    complete: bool = False,
    simple: Callable[[], SimpleFound] | None = None,
) -> tuple[Result, tuple[Finding, ...]]:
    """Make an analysis and apply the rules; return as well what these find, whatever the user makes of it."""
    rules = load_plugins().selected(request.select, request.ignore)
    audit = with_deep_stack(lambda: whole_audit(analysis, say, complete=complete, simple=simple))
    say("applying the rules")
    found = judged(audit, rules)
    settled = settled_of(request, found, rules, analysis)
    findings, suppressed = settled.findings, settled.suppressed
    return Result(audit, findings, suppressed, tuple(rules), analysis=analysis), found


def analysis_of(request: Request, program: Program, pack: Pack, platform: Platform) -> Analysis:
    """Return an analysis, still to be made, of an open tree."""
    if request.only is not None and is_of_simple_registry(pack, request.only):
        pack = replace(pack, consumers={}, registries=())  # nothing of theirs matters to it
    return Analysis(
        program,
        pack,
        platform,
        every_remedy=request.every_remedy,
        only=request.only,
        quick=request.quick,
    )


def is_of_simple_registry(pack: Pack, key: tuple[str, ...]) -> bool:
    """Return whether a key can only be one of a pack's simple registries."""
    sizes = {len(registry.key) for registry in pack.registries}
    return len(key) == 1 and bool(pack.simple_registries) and 1 not in sizes


def is_settled(audit: Audit, found: Iterable[Finding], final: Container[str]) -> bool:
    """Return whether nothing in a quick audit, and in what rules find in it, calls for a second look.

    What the ``final`` rules find does not.
    """
    cells = (cell for registry in audit.registries for cell in registry.cells)
    return not (
        audit.blocked
        or audit.problems
        or audit.notes
        or audit.doubtful
        or any(each.severity == "error" and each.rule not in final for each in found)
        or any("maybe" in (c.after_import, c.at_lookup, c.outcome) or c.conditions for c in cells)
    )


def judged(audit: Audit, rules: Iterable[Rule]) -> tuple[Finding, ...]:
    """Return all findings of rules, errors first, then by place, each with a fingerprint of its own.

    What a user makes of them is applied by ``settled_of``. Raises ConfigError.
    """
    return in_order(told_apart(finding for rule in rules for finding in _findings(rule, audit)))


def settled_of(
    request: Request, found: Iterable[Finding], rules: Iterable[Rule], analysis: Analysis
) -> Settled:
    """Return which of the findings count and which are suppressed, while the tree is open."""
    run = (analysis.pack.name, analysis.platform.name)
    known = known_of(analysis.pack)
    return settle(found, rules, request.policy, analysis.program, run, known)


def known_of(pack: Pack) -> Known:
    """Return what there is that a baseline may name."""
    return Known(load_plugins().rules, pack.name, pack.platforms)


@contextmanager
def opened(
    request: Request,
    on_progress: Callable[[str], None] | None = None,
    sources: Sources | None = None,
) -> Iterator[Analysis]:
    """Open the target for an analysis that is still to be made. Raises ConfigError and TargetError.

    ``sources`` are what several analyses of one target have in common.
    """
    with (
        opened_tree(request, on_progress, sources) as (tree, pack, platform),
        nullcontext(sources) if sources is not None else common_sources(request) as common,
    ):
        if on_progress is not None:
            on_progress(f"analysing {len(tree.modules)} modules")
        yield analysis_of(request, Program(tree, supply=common.supply), pack, platform)


@dataclass(frozen=True, slots=True)
class Sources:
    """What several analyses of one target share: the facts of files, and the blobs of revisions."""

    supply: FactsSupply
    blobs: BlobReader | None = None


@contextmanager
def common_sources(request: Request, *, revisions: bool = False) -> Iterator[Sources]:
    """Give what analyses of one target share, ``revisions`` of it or not; at the end, keep what was found."""
    supply = FactsSupply(_cache(request), job_count(request.jobs))
    blobs = BlobReader(str(Path(request.target).absolute()), keeps=True) if revisions else None
    try:
        yield Sources(supply, blobs)
    finally:
        supply.close()
        if blobs is not None:
            blobs.close()


def _cache(request: Request) -> FactsCache | None:
    """Return where facts are kept, None when that is not wanted, or there is no place for it."""
    if not request.keep:
        return None
    try:
        return FactsCache.of_user(request.cache_dir)
    except TargetError:
        return None


def _findings(rule: Rule, audit: Audit) -> list[Finding]:
    """Apply one rule. Raises ConfigError when it fails, which only an installed one should."""
    try:
        return list(rule.check(audit))
    except Exception as error:
        raise ConfigError(
            f"the rule {rule.code} failed: {type(error).__name__}: {error};"
            f" leave it out with --ignore {rule.code}"
        ) from error
