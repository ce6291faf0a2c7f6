"""The one way from a target to an audit and its findings; every command goes through it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from regreach.errors import ConfigError
from regreach.evaluate.session import with_deep_stack
from regreach.model import SEVERITIES, Audit, Finding
from regreach.pack import Pack, Platform
from regreach.plugins import load_plugins
from regreach.program import Program
from regreach.rule import Rule
from regreach.side_effects import with_side_effects
from regreach.supply.cache import FactsCache
from regreach.supply.jobs import job_count
from regreach.tree import Tree, open_tree
from regreach.verdicts import Analysis


@dataclass(frozen=True, slots=True)
class Request:
    """What a user asks for; see the options of ``regreach check`` for each field."""

    target: str
    rev: str | None = None
    pack: str | None = None
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


@dataclass(frozen=True, slots=True)
class Result:
    """An audit and the findings of the rules that were asked for, errors first, then by place."""

    audit: Audit
    findings: tuple[Finding, ...]
    analysis: Analysis  # what it was found out with; its tree is closed
    rules: tuple[Rule, ...] = ()  # those that were applied


def analyse(request: Request, on_progress: Callable[[str], None] | None = None) -> Result:
    """Read the target, analyse it, and apply the rules.

    The tree is never imported or executed. Raises ConfigError and TargetError.
    """
    rules = load_plugins().selected(request.select, request.ignore)
    with opened(request, on_progress) as analysis:
        audit = with_deep_stack(lambda: with_side_effects(analysis, analysis.audit()))
    return Result(audit, judged(audit, rules), analysis, rules=tuple(rules))


def judged(audit: Audit, rules: Iterable[Rule]) -> tuple[Finding, ...]:
    """Return the findings of rules, errors first, then by place. Raises ConfigError."""
    found = [finding for rule in rules for finding in _findings(rule, audit)]
    found.sort(
        key=lambda f: (SEVERITIES.index(f.severity), f.spot.path, f.spot.line, f.rule, f.key or ())
    )
    return tuple(found)


@contextmanager
def opened(
    request: Request, on_progress: Callable[[str], None] | None = None
) -> Iterator[Analysis]:
    """Open the target for an analysis that is still to be made. Raises ConfigError and TargetError."""
    with opened_tree(request, on_progress) as (tree, pack, platform):
        if on_progress is not None:
            on_progress(f"analysing {len(tree.modules)} modules")
        cache = FactsCache.of_user(request.cache_dir) if request.keep else None
        with Program(tree, cache=cache, jobs=job_count(request.jobs)) as program:
            yield Analysis(program, pack, platform, every_remedy=request.every_remedy)


@contextmanager
def opened_tree(
    request: Request, on_progress: Callable[[str], None] | None = None
) -> Iterator[tuple[Tree, Pack, Platform]]:
    """Open the target, and give how it is to be seen. Raises ConfigError and TargetError."""
    pack = load_plugins().pack(request.pack)
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
