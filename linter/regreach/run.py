"""The one way from a target to an audit and its findings; every command goes through it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path

from regreach.errors import ConfigError
from regreach.evaluate.session import with_deep_stack
from regreach.model import Audit, Finding, Suppressed
from regreach.pack import Pack, Platform
from regreach.plugins import load_plugins
from regreach.policy import Policy, Settled, settle
from regreach.policy.settle import in_order
from regreach.program import Program
from regreach.rule import Rule, told_apart
from regreach.side_effects import with_side_effects
from regreach.supply.cache import FactsCache
from regreach.supply.facts_supply import FactsSupply
from regreach.supply.jobs import job_count
from regreach.tree import Tree, open_tree
from regreach.tree.git_process import BlobReader
from regreach.verdicts import Analysis


@dataclass(frozen=True, slots=True)
class Request:
    """What a user asks for; see the options of ``regreach check`` for each field."""

    target: str
    rev: str | None = None
    pack: str | Pack | None = None
    platform: str | None = None
    environment: Mapping[str, str] | None = None
    absent: Sequence[str] = ()
    select: Sequence[str] = ()
    ignore: Sequence[str] = ()
    cache_dir: Path | None = None
    offline: bool = False
    keep: bool = True  # whether what is found in files is kept in the cache folder
    jobs: int | None = None
    every_remedy: bool = False  # whether remedies are sought for keys too that others load
    policy: Policy = field(default_factory=Policy)  # what is made of what rules find
    only: tuple[str, ...] | None = None  # the only key of which something is to be said


@dataclass(frozen=True, slots=True)
class Result:
    """An audit and the findings of the rules that were asked for, errors first, then by place."""

    audit: Audit
    findings: tuple[Finding, ...]
    analysis: Analysis  # what it was found out with; its tree is closed
    suppressed: tuple[Suppressed, ...] = ()
    rules: tuple[Rule, ...] = ()  # those that were applied


def analyse(request: Request, on_progress: Callable[[str], None] | None = None) -> Result:
    """Read the target, analyse it, and apply the rules.

    The tree is never imported or executed. Raises ConfigError and TargetError.
    """
    say = on_progress or (lambda _: None)
    rules = load_plugins().selected(request.select, request.ignore)

    def audited() -> Audit:
        audit = analysis.audit()
        say("looking for imports that a fixer would delete")
        return with_side_effects(analysis, audit)

    with opened(request, on_progress) as analysis:
        audit = with_deep_stack(audited)
        say("applying the rules")
        settled = settled_of(request, judged(audit, rules), rules, analysis)
    return Result(audit, settled.findings, analysis, settled.suppressed, tuple(rules))


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
    known = load_plugins().rules
    return settle(found, rules, request.policy, analysis.program, run, known)


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
        program = Program(tree, supply=common.supply)
        yield Analysis(
            program, pack, platform, every_remedy=request.every_remedy, only=request.only
        )


@dataclass(frozen=True, slots=True)
class Sources:
    """What several analyses of one target share: the facts of files, and the blobs of revisions."""

    supply: FactsSupply
    blobs: BlobReader | None = None


@contextmanager
def common_sources(request: Request, *, revisions: bool = False) -> Iterator[Sources]:
    """Give what analyses of one target share, ``revisions`` of it or not; at the end, keep what was found."""
    cache = FactsCache.of_user(request.cache_dir) if request.keep else None
    supply = FactsSupply(cache, job_count(request.jobs))
    blobs = BlobReader(str(Path(request.target).absolute()), keeps=True) if revisions else None
    try:
        yield Sources(supply, blobs)
    finally:
        supply.close()
        if blobs is not None:
            blobs.close()


@contextmanager
def opened_tree(
    request: Request,
    on_progress: Callable[[str], None] | None = None,
    sources: Sources | None = None,
) -> Iterator[tuple[Tree, Pack, Platform]]:
    """Open the target, and give how it is to be seen. Raises ConfigError and TargetError."""
    pack = request.pack if isinstance(request.pack, Pack) else load_plugins().pack(request.pack)
    platform = pack.platform(request.platform)
    platform = replace(
        platform,
        absent=platform.absent | set(request.absent),
        environment={**platform.environment, **(request.environment or {})},
    )
    if on_progress is not None:
        on_progress(f"opening {request.target}")
    with open_tree(
        request.target,
        pack.location,
        rev=request.rev,
        blobs=sources.blobs if sources is not None else None,
        cache_dir=request.cache_dir,
        offline=request.offline,
        on_progress=on_progress,
    ) as tree:
        yield tree, pack, platform


def _findings(rule: Rule, audit: Audit) -> list[Finding]:
    """Apply one rule. Raises ConfigError when it fails, which only an installed one should."""
    try:
        return list(rule.check(audit))
    except Exception as error:
        raise ConfigError(
            f"the rule {rule.code} failed: {type(error).__name__}: {error};"
            f" leave it out with --ignore {rule.code}"
        ) from error
