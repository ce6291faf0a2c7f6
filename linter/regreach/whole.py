"""Everything that is found out about a tree, in one audit: what rules may ask for."""

from __future__ import annotations

from collections.abc import Callable

from regreach.model import Audit
from regreach.side_effects import with_side_effects
from regreach.simple.analysis import SimpleFound, simple_registries
from regreach.verdicts import Analysis


def whole_audit(
    analysis: Analysis,
    say: Callable[[str], None] = lambda _: None,
    *,
    complete: bool = False,
    simple: Callable[[], SimpleFound] | None = None,
) -> Audit:
    """Make an analysis and return its audit, with side-effect imports and simple registries.

    Of the latter, unless it is to be ``complete``, only those entries are told that matter to a finding.
    ``simple`` gives them where they may be known already.
    It needs a deep stack (``with_deep_stack``).
    """
    audit = analysis.audit()
    say("looking for imports that a fixer would delete")
    audit = with_side_effects(analysis, audit)
    if not analysis.pack.simple_registries:
        return audit
    say("looking at simple registries")
    found = simple() if simple is not None else simple_registries(analysis, complete=complete)
    return found.added_to(audit)
