"""What `regreach discover` finds in published packages, beside what was read in their sources."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from regreach.discover.found import Discovery

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

TRUTH = Path(__file__).parent / "truth.toml"


@dataclass
class Judged:
    """One package: what was found rightly and wrongly, and what was not."""

    requirement: str
    right: set[str] = field(default_factory=set)
    wrong: set[str] = field(default_factory=set)
    missed: set[str] = field(default_factory=set)
    tables_missed: set[str] = field(default_factory=set)
    tables: int = 0
    modules: int = 0
    parsed: int = 0
    seconds: float = 0.0
    surprises: list[str] = field(default_factory=list)

    @property
    def precision(self) -> float:
        """The share of what was found that is right."""
        return _share(len(self.right), len(self.right) + len(self.wrong))

    @property
    def recall(self) -> float:
        """The share of what is there that was found."""
        return _share(len(self.right), len(self.right) + len(self.missed))


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 1.0


def packages() -> list[dict[str, Any]]:
    """Return the entries of the truth."""
    entries: list[dict[str, Any]] = tomllib.loads(TRUTH.read_text(encoding="utf-8"))["packages"]
    return entries


def judged(entry: dict[str, Any], found: Discovery) -> Judged:
    """Compare; a surprise is what differs from what is known to be missed or too much."""
    result = Judged(entry["requirement"], modules=found.modules, parsed=found.parsed)
    truth, known = set(entry["registries"]), set(entry.get("missed", ()))
    surplus = set(entry.get("surplus", ()))
    for registry in found.registries:
        names = {registry.container.path, *registry.also}
        if names & truth:
            result.right |= names & truth
        else:
            result.wrong.add(registry.container.path)
    result.missed = truth - result.right
    tables = {t.container.path for t in found.tables} | {r.container.path for r in found.registries}
    result.tables = len(entry.get("tables", ()))
    result.tables_missed = set(entry.get("tables", ())) - tables
    result.surprises = [
        *(f"not found: {name}" for name in sorted(result.missed - known)),
        *(f"found, though known to be missed: {name}" for name in sorted(known - result.missed)),
        *(f"none: {name}" for name in sorted(result.wrong - surplus)),
        *(f"not found any more, which was none: {n}" for n in sorted(surplus - result.wrong)),
        *(f"table not found: {name}" for name in sorted(result.tables_missed)),
    ]
    return result


def markdown(results: list[Judged]) -> str:
    """Return the table that docs/discover.md has."""
    rows = [
        "| package | registries | found | precision | recall | tables | files parsed | seconds |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for each in results:
        there = len(each.right) + len(each.missed)
        tables = f"{each.tables - len(each.tables_missed)} of {each.tables}" if each.tables else ""
        rows.append(
            f"| {each.requirement} | {there} | {len(each.right) + len(each.wrong)} |"
            f" {each.precision:.2f} | {each.recall:.2f} | {tables} | {each.parsed} of {each.modules} |"
            f" {each.seconds:.0f} |"
        )
    right, wrong, missed = (
        sum(len(getattr(each, name)) for each in results) for name in ("right", "wrong", "missed")
    )
    rows.append(
        f"| all | {right + missed} | {right + wrong} | {_share(right, right + wrong):.2f} |"
        f" {_share(right, right + missed):.2f} | | | |"
    )
    return "\n".join(rows)
