"""The story of a key as text."""

from __future__ import annotations

from rich.text import Text

from regreach.explain.story import Story
from regreach.model import Audit
from regreach.report.marks import Tone
from regreach.report.sections import Section, head_entries, sections
from regreach.report.text import finding_lines, labelled
from regreach.rule import key_text

_STYLES: dict[Tone, str] = {
    "good": "green",
    "bad": "red",
    "doubt": "magenta",
    "luck": "yellow",
    "soft": "dim",
    "add": "bold green",
}


def explain_lines(audit: Audit, story: Story) -> list[Text]:
    """Return the whole story of a key."""
    cell = story.cell
    title = Text()
    title.append(key_text(cell.key), "bold")
    title.append(f"  {cell.registry}")
    title.append(f"  {audit.source}, platform {audit.platform}", "dim")
    head = [labelled(e.label, e.text, _STYLES.get(e.tone, "")) for e in head_entries(story)]
    parts = [[title, *head], *map(_section_lines, sections(story)), _finding_lines(story)]
    return [line for part in parts for line in (Text(), *part)][1:]


def _section_lines(section: Section) -> list[Text]:
    entries = [labelled(e.label, e.text, _STYLES.get(e.tone, "")) for e in section.entries]
    return [_title(section.title, section.more), *entries]


def _title(text: str, more: str = "") -> Text:
    line = Text()
    line.append(text, "bold")
    line.append(f"  {more}" if more else "", "dim")
    return line


def _finding_lines(story: Story) -> list[Text]:
    if not story.findings:
        return [_title("Findings", "none")]
    lines = [_title("Findings")]
    for finding in story.findings:
        lines.append(finding_lines(finding)[0])
        rule = story.rules.get(finding.rule)
        if rule is not None:
            page = f"{rule.name}, {finding.severity}: `regreach rule {rule.code}` prints its page"
            lines.append(labelled("rule", page, "dim"))
    return lines
