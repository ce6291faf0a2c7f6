"""The edited tree executed: what really becomes of the keys that are said to be mended."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from regreach.errors import TargetError
from regreach.fixes.copy import edited_copy
from regreach.fixes.judgement import cells_of
from regreach.fixes.mending import Mended
from regreach.model import Audit, Finding
from regreach.probe.compare import described
from regreach.probe.plan import Limits, plan_of
from regreach.probe.servers import started
from regreach.probe.truth import CellTruth, Truth, execute
from regreach.request import Request, opened_tree


@dataclass(frozen=True, slots=True)
class Verified:
    """What happened with the key of a finding: whether the consumer was constructed, and in words."""

    finding: Finding
    ok: bool
    text: str


def verify(
    request: Request, mended: Mended, limits: Limits, on_progress: Callable[[str], None]
) -> tuple[Verified, ...]:
    """Execute an edited copy of the tree, as far as the mended keys need; THIS RUNS ITS CODE.

    Returns what happened with the key of each mended finding, in their order.
    Raises ConfigError and TargetError.
    """
    if mended.audit is None:
        return ()
    findings = [each.finding for each in mended.mended]
    part = _part(mended.audit, findings)
    with (
        opened_tree(request, on_progress) as (tree, pack, platform),
        tempfile.TemporaryDirectory(prefix="regreach-fixed-", ignore_cleanup_errors=True) as folder,
    ):
        on_progress("copying the tree")
        root = edited_copy(tree, mended.edits, Path(folder).resolve())
        # importing all that a process does takes longer than the rest, and is not in question
        less = replace(pack, process_roots=())
        plan = plan_of(less, platform, root, limits)
        on_progress("starting processes")
        with started(plan, limits, platform.environment, closed=pack.environment_closed) as servers:
            truth = execute(servers, less, platform, part, on_progress, in_part=True)
    for module, ending in truth.imports.items():
        if ending.unjudged is not None and not ending.ok:
            raise TargetError(
                f"cannot verify here: importing {module} ends in {described(ending)}, with stand-ins for what"
                f" {limits.python} lacks; --python takes an interpreter that has the tree's packages"
            )
    return tuple(_verified(finding, part, truth) for finding in findings)


def _part(audit: Audit, findings: list[Finding]) -> Audit:
    """Return of an audit what the findings are about, and nothing that would be executed beside it."""
    keys = {cell.key for finding in findings for cell in cells_of(finding, audit)}
    # what the finished consumer looks up needs a key with which it can be constructed
    parts = {part for key in keys for part in key}
    registries = tuple(
        replace(r, cells=tuple(c for c in r.cells if c.key in keys or c.key[-1] in parts))
        for r in audit.registries
    )
    return replace(audit, registries=registries, call_sites=(), imported_first={})


def _verified(finding: Finding, part: Audit, truth: Truth) -> Verified:
    cells = cells_of(finding, part)
    if not cells:
        return Verified(finding, True, "a comment changes nothing that is executed")
    for cell in cells:
        found = truth.cells.get(cell.registry, {}).get(cell.key)
        why = _why_not(found)
        if why is not None:
            return Verified(finding, False, why)
    return Verified(finding, True, f"constructs, executed by Python {truth.python}")


def _why_not(found: CellTruth | None) -> str | None:
    if found is None or found.ending is None:
        return "it was not executed: nothing asks for the key"
    if found.ending.unjudged is not None:
        return f"nothing certain was seen: {found.ending.unjudged}"
    if not found.ending.ok:
        at = found.ending.raised_at
        return f"raises {described(found.ending)}" + (f" ({at[0]}:{at[1]})" if at else "")
    return None if found.at_lookup else "constructs, but the key is not there when it is looked up"
