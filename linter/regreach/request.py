"""What a user asks for, the tree that it is about, and what was found; quick to import."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from regreach.fitting_pack import pack_for
from regreach.model import Audit, Finding, Suppressed
from regreach.pack import Pack, Platform
from regreach.policy import Policy
from regreach.rule import Rule
from regreach.tree import Tree, open_tree

if TYPE_CHECKING:
    from regreach.run import Sources
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
    package: str | None = None  # what a pack for any package is to be of
    quick: bool = False  # whether modules are run only as far as verdicts need


@dataclass(frozen=True, slots=True)
class Found:
    """An audit and the findings of the rules that were asked for, errors first, then by place."""

    audit: Audit
    findings: tuple[Finding, ...]
    suppressed: tuple[Suppressed, ...] = ()
    rules: tuple[Rule, ...] = ()  # those that were applied


@dataclass(frozen=True, slots=True)
class Result(Found):
    """What was found by an analysis just made; its tree is closed."""

    analysis: Analysis = field(kw_only=True)


def pack_of(request: Request) -> Pack:
    """Return the pack that a request names, or that fits its target. Raises ConfigError and TargetError."""
    if isinstance(request.pack, Pack):
        return request.pack
    return pack_for(request.pack, request.package, request.target, request.rev)


@contextmanager
def opened_tree(
    request: Request,
    on_progress: Callable[[str], None] | None = None,
    sources: Sources | None = None,
) -> Iterator[tuple[Tree, Pack, Platform]]:
    """Open the target, and give how it is to be seen. Raises ConfigError and TargetError."""
    pack = pack_of(request)
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
