"""``regreach probe``: an analysis, and the same executed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from regreach.evaluate.session import with_deep_stack
from regreach.model import Audit
from regreach.probe.compare import Compared, compare
from regreach.probe.files import importable
from regreach.probe.plan import Limits, plan_of
from regreach.probe.servers import started
from regreach.probe.truth import Truth, execute
from regreach.request import Request
from regreach.run import opened


@dataclass(frozen=True, slots=True)
class Probed:
    """What is said of a tree, what is true, and the two beside each other."""

    audit: Audit
    truth: Truth
    compared: tuple[Compared, ...]


def probe(request: Request, limits: Limits, on_progress: Callable[[str], None]) -> Probed:
    """Analyse the target, then run its code in processes of their own, and compare.

    Raises ConfigError and TargetError.
    """
    with opened(request, on_progress) as analysis:
        audit = with_deep_stack(analysis.audit)
        tree, pack, platform = analysis.program.tree, analysis.pack, analysis.platform
        with importable(tree) as root:
            plan = plan_of(pack, platform, root, limits)
            closed = pack.environment_closed
            on_progress("starting processes")
            with started(plan, limits, platform.environment, closed=closed) as servers:
                truth = execute(servers, pack, platform, audit, on_progress)
        return Probed(audit, truth, tuple(compare(audit, truth, tree.import_root)))
