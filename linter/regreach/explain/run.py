"""The way from a target to the stories of its keys."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from regreach.evaluate.session import with_deep_stack
from regreach.explain.keys import chosen_key, parts_of
from regreach.explain.story import Story
from regreach.explain.tell import Teller
from regreach.model import Audit
from regreach.plugins import load_plugins
from regreach.request import Request, Result
from regreach.rule import Rule
from regreach.run import judged, opened, settled_of
from regreach.verdicts import Analysis
from regreach.whole import whole_audit

StoryOf = dict[tuple[str, tuple[str, ...]], Story]
_Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Told:
    """An audit with its findings, stories by registry and key, and the rules by code."""

    result: Result
    stories: Mapping[tuple[str, tuple[str, ...]], Story]
    rules: Mapping[str, Rule]


def explain(request: Request, key: str, on_progress: _Say | None = None) -> tuple[Audit, Story]:
    """Analyse a target and tell the story of one key, see ``keys.chosen_key``.

    Raises ConfigError, for an unknown key too, and TargetError.
    """
    parts_of(key)  # before the tree is read

    def told(teller: Teller, audit: Audit) -> StoryOf:
        registry, cell = chosen_key(audit, key)
        return {(registry.id, cell.key): teller.story(registry, cell)}

    found = _told(request, told, on_progress, thorough=True)
    (story,) = found.stories.values()
    return found.result.audit, story


def tell_all(request: Request, on_progress: _Say | None = None) -> Told:
    """Analyse a target and tell the stories of all keys that are registered.

    Raises ConfigError and TargetError.
    """

    def told(teller: Teller, audit: Audit) -> StoryOf:
        stories = (
            (registry.id, cell, teller.story(registry, cell))
            for registry in audit.registries
            for cell in registry.cells
            if cell.registrations
        )
        return {(id_, cell.key): story for id_, cell, story in stories}

    return _told(request, told, on_progress, thorough=False)


def _told(
    request: Request,
    tell: Callable[[Teller, Audit], StoryOf],
    on_progress: _Say | None,
    *,
    thorough: bool,
) -> Told:
    rules = load_plugins().selected(request.select, request.ignore)

    def work(analysis: Analysis) -> Told:
        audit = whole_audit(analysis)
        settled = settled_of(request, judged(audit, rules), rules, analysis)
        findings = (*settled.findings, *(each.finding for each in settled.suppressed))
        by_code = {rule.code: rule for rule in rules}
        teller = Teller(analysis, audit, findings, by_code, thorough=thorough)
        result = Result(
            audit, settled.findings, settled.suppressed, tuple(rules), analysis=analysis
        )
        return Told(result, tell(teller, audit), by_code)

    with opened(replace(request, every_remedy=True), on_progress) as analysis:
        return with_deep_stack(lambda: work(analysis))
