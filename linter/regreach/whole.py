"""Everything that is found out about a tree, in one audit: what rules may ask for."""

from __future__ import annotations

from collections.abc import Callable

from regreach.model import Audit
from regreach.side_effects import with_side_effects
from regreach.simple.analysis import with_simple_registries
from regreach.verdicts import Analysis


def whole_audit(
    analysis: Analysis,
    say: Callable[[str], None] = lambda _: None,
    *,
    complete: bool = False,
) -> Audit:
    """Make an analysis and return its audit, with side-effect imports and simple registries.

    Of the latter, unless it is to be ``complete``, only those entries are told that matter to a finding.
    It needs a deep stack (``with_deep_stack``).
    """
    audit = analysis.audit()
    say("looking for imports that a fixer would delete")
    audit = with_side_effects(analysis, audit)
    if analysis.pack.simple_registries:
        say("looking at simple registries")
    return with_simple_registries(analysis, audit, complete=complete)
