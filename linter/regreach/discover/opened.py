"""From what the user typed to a discovery."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from regreach.discover.found import Discovery
from regreach.discover.run import discover
from regreach.errors import TargetError
from regreach.program import Program
from regreach.supply.cache import FactsCache
from regreach.supply.jobs import job_count
from regreach.tree import PackageLocation, open_tree
from regreach.tree.packages import ROOTS, packages_in


@dataclass(frozen=True, slots=True)
class Asked:
    """What a user asks for; see the options of ``regreach discover`` for each field."""

    target: str
    rev: str | None = None
    package: str | None = None
    offline: bool = False
    keep: bool = True
    jobs: int | None = None
    cache_dir: Path | None = None


def discovered(
    asked: Asked, on_progress: Callable[[str], None] = lambda _: None
) -> tuple[Discovery, Program]:
    """Open the target and return what is found in it, and the program, which is closed.

    Raises TargetError and ConfigError.
    """
    on_progress(f"opening {asked.target}")
    others: tuple[str, ...] = ()
    if asked.package is not None:
        location = PackageLocation(asked.package, ROOTS)
    else:
        first, *more = packages_in(
            asked.target,
            rev=asked.rev,
            cache_dir=asked.cache_dir,
            offline=asked.offline,
            on_progress=on_progress,
        )
        location = PackageLocation(first.name, (first.root,))
        others = tuple(p.name for p in more)
    with open_tree(
        asked.target,
        location,
        rev=asked.rev,
        cache_dir=asked.cache_dir,
        offline=asked.offline,
        on_progress=on_progress,
    ) as tree:
        cache = _cache(asked)
        with Program(tree, cache=cache, jobs=job_count(asked.jobs)) as program:
            return replace(discover(program, on_progress), others=others), program


def _cache(asked: Asked) -> FactsCache | None:
    if not asked.keep:
        return None
    try:
        return FactsCache.of_user(asked.cache_dir)
    except TargetError:
        return None
