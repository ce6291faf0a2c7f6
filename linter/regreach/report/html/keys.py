"""What is told of each key: its story and its picture, or one line where nothing is registered."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from regreach.explain.story import Story
from regreach.model import Cell, RegistryResult
from regreach.report.html.contents import Contents, filtered
from regreach.report.html.words import badge, code, entries, folded, picture
from regreach.report.marks import mark_of
from regreach.report.markup import Child, element
from regreach.report.sections import head_entries, outcome_text, sections
from regreach.rule import key_text


def keys_section(contents: Contents) -> Element:
    """Return the section of all keys, by registry."""
    made = element(
        "section",
        {"id": "keys", "aria-labelledby": "keys-title"},
        element("h2", {"id": "keys-title"}, "Keys"),
    )
    for registry in contents.audit.registries:
        told = [c for c in registry.cells if (registry.id, c.key) in contents.stories]
        made.append(element("h3", {}, registry.id))
        made.extend(_key(contents, contents.stories[registry.id, c.key]) for c in told)
        rest = [c for c in registry.cells if c not in told]
        if rest:
            made.append(_others(contents, registry, rest))
    return made


def _key(contents: Contents, story: Story) -> Element:
    cell = story.cell
    mark = mark_of(cell)
    anchor = contents.anchor(cell)
    codes = list(dict.fromkeys(f.rule for f in story.findings))
    title: list[Child] = [badge(mark.word, mark.tone), " ", code(key_text(cell.key))]
    for found in codes:
        title += [" ", element("span", {"class": "rule"}, found)]
    inside = element("div", {"id": anchor, "class": "inside"}, entries(head_entries(story)))
    for section in sections(story):
        heading = element("h4", {}, section.title)
        if section.more:
            heading.append(element("span", {"class": "more"}, code(section.more)))
        inside.extend([heading, entries(section.entries)])
    findings = [
        element("li", {}, element("a", {"href": f"#finding-{number}"}, f"{f.rule} at {f.spot}"))
        for number, f in enumerate(contents.findings)
        if f in story.findings
    ]
    if findings:
        inside.extend([element("h4", {}, "Findings"), element("ul", {}, *findings)])
    inside.extend([element("h4", {}, "Picture"), picture(story, f"{anchor}-picture")])
    back = element("a", {"href": f"#{contents.cell_id(cell)}"}, "Back to the matrix")
    inside.append(element("p", {"class": "links"}, back))
    made = folded(title, inside)
    made.set("class", "key")
    made.set("data-filter", "keys")
    for name, value in filtered(codes, [cell.reach], [cell.outcome]).items():
        if value is not None:
            made.set(name, str(value))
    return made


def _others(contents: Contents, registry: RegistryResult, cells: list[Cell]) -> Element:
    body = element("tbody")
    for cell in cells:
        mark = mark_of(cell)
        codes = [f.rule for f in contents.about(cell)]
        attributes = filtered(codes, [cell.reach], [cell.outcome])
        body.append(
            element(
                "tr",
                {
                    "id": contents.anchor(cell),
                    "data-filter": "keys",
                    "tabindex": "-1",
                    **attributes,
                },
                element("th", {"scope": "row"}, code(", ".join(cell.key))),
                element("td", {}, badge(mark.word, mark.tone)),
                element("td", {}, code(outcome_text(cell))),
            )
        )
    head = element(
        "tr",
        {},
        element("th", {"scope": "col"}, ", ".join(registry.parts)),
        element("th", {"scope": "col"}, "verdict"),
        element("th", {"scope": "col"}, "constructed with it, the consumer"),
    )
    table = element("table", {"class": "plain"}, element("thead", {}, head), body)
    label = f"Keys of {registry.id} for which nothing is registered"
    box = element(
        "div", {"class": "scroll", "role": "region", "aria-label": label, "tabindex": "0"}, table
    )
    count = len(cells)
    return folded([f"{count} key{'s' * (count != 1)} for which nothing is registered"], box)
