"""What the page is made of: an audit, its findings and stories, and the ids of keys in the page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from regreach.explain.story import Story
from regreach.model import Audit, Cell, Finding
from regreach.rule import Rule

Key = tuple[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Contents:
    """``stories`` are by registry and key, ``rules`` by code: those that were applied."""

    audit: Audit
    findings: Sequence[Finding]
    stories: Mapping[Key, Story]
    rules: Mapping[str, Rule]
    numbers: Mapping[Key, str]

    @classmethod
    def of(
        cls,
        audit: Audit,
        findings: Sequence[Finding],
        stories: Mapping[Key, Story],
        rules: Mapping[str, Rule],
    ) -> Contents:
        """Give each key a number that the page's ids are made of."""
        numbers = {
            (registry.id, cell.key): f"{r}-{c}"
            for r, registry in enumerate(audit.registries)
            for c, cell in enumerate(registry.cells)
        }
        return cls(audit, findings, stories, rules, numbers)

    def anchor(self, cell: Cell) -> str:
        """Return the id of what is told of a key."""
        return f"key-{self.numbers[cell.registry, cell.key]}"

    def cell_id(self, cell: Cell) -> str:
        """Return the id of a key's place in its matrix."""
        return f"cell-{self.numbers[cell.registry, cell.key]}"

    def about(self, cell: Cell) -> tuple[Finding, ...]:
        """Return the findings on a key."""
        story = self.stories.get((cell.registry, cell.key))
        if story is not None:
            return story.findings
        return tuple(f for f in self.findings if f.key in (cell.key, cell.key[-1:]))

    def cells_of(self, finding: Finding) -> list[Cell]:
        """Return the keys that a finding is about, those with a story first."""
        told = [s.cell for s in self.stories.values() if finding in s.findings]
        if told:
            return told
        cells = [c for registry in self.audit.registries for c in registry.cells]
        return [c for c in cells if finding.key in (c.key, c.key[-1:])][:1]


def filtered(
    rules: Iterable[str], reaches: Iterable[str], outcomes: Iterable[str], text: str = ""
) -> dict[str, str | float | None]:
    """Return the attributes by which the page's filters know an element."""
    return {
        "data-rule": " ".join(dict.fromkeys(rules)),
        "data-reach": " ".join(dict.fromkeys(reaches)),
        "data-outcome": " ".join(dict.fromkeys(outcomes)),
        "data-text": text or None,
    }
