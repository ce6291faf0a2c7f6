"""The rules about baselines and suppressing comments themselves, which every installation has.

They cannot be functions of an audit: what is stale is known when all other rules have spoken. So their
``check`` finds nothing, and ``settle`` makes their findings.
"""

from __future__ import annotations

from importlib.resources import files

from regreach.rule import Rule


def _rule(code: str, name: str, summary: str) -> Rule:
    page = files(__package__ or "").joinpath(f"{code.lower()}.md").read_text(encoding="utf-8")
    return Rule(code, name, "warning", summary, page, lambda _: ())


RULES = (
    _rule("RR901", "stale-baseline-entry", "an entry of the baseline that no finding matches"),
    _rule("RR902", "stale-suppression", "a suppressing comment that suppresses nothing"),
    _rule(
        "RR903", "faulty-suppression", "a suppressing comment that is misspelt or gives no reason"
    ),
)
CODES = frozenset(rule.code for rule in RULES)
