"""The findings, first of all."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from regreach.model import Finding
from regreach.report.html.contents import Contents, filtered
from regreach.report.html.words import badge, code, entries, folded, picture
from regreach.report.marks import Tone
from regreach.report.markup import element
from regreach.report.sections import Entry
from regreach.rule import key_text

TONES: dict[str, Tone] = {"error": "bad", "warning": "luck", "info": "soft"}
_TONES: dict[str, Tone] = {
    "crashes": "bad",
    "raises": "bad",
    "saves itself": "good",
    "add": "add",
}


def findings_section(contents: Contents) -> Element:
    """Return the section of findings."""
    made = element(
        "section",
        {"id": "findings", "aria-labelledby": "findings-title"},
        element("h2", {"id": "findings-title"}, "Findings"),
    )
    if not contents.findings:
        unsure = (
            "Nothing found in what could be judged." if contents.audit.unsure else "No findings."
        )
        made.append(element("p", {}, unsure))
    for number, finding in enumerate(contents.findings):
        made.append(_finding(contents, finding, number))
    return made


def _finding(contents: Contents, finding: Finding, number: int) -> Element:
    cells = contents.cells_of(finding)
    made = element(
        "article",
        {
            "class": f"finding {finding.severity}",
            "id": f"finding-{number}",
            "aria-labelledby": f"finding-{number}-title",
            "data-filter": "findings",
            **filtered([finding.rule], [c.reach for c in cells], [c.outcome for c in cells]),
        },
        element(
            "h3",
            {"id": f"finding-{number}-title"},
            badge(finding.severity, TONES[finding.severity]),
            " ",
            element("a", {"href": f"#rule-{finding.rule}"}, finding.rule)
            if finding.rule in contents.rules
            else finding.rule,
            " ",
            code(f"{finding.spot}:{finding.column}"),
        ),
        element("p", {"class": "message"}, finding.message),
        entries(Entry(d.label, d.text, _TONES.get(d.label, "")) for d in finding.details),
    )
    if cells:
        links = element("p", {"class": "links"}, "All about ")
        for place, cell in enumerate(cells):
            link = element("a", {"href": f"#{contents.anchor(cell)}"}, key_text(cell.key))
            link.tail = ", " if place + 1 < len(cells) else ""
            links.append(link)
        made.append(links)
        story = contents.stories.get((cells[0].registry, cells[0].key))
        if story is not None:
            drawn = picture(story, f"finding-{number}-picture")
            shown = "" if finding.severity == "error" else None
            made.append(folded(["Picture of the imports"], drawn, open=shown))
    return made
