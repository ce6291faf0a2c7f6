"""A registry as a matrix: one part of the key goes down, the other across."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree.ElementTree import Element

from regreach.model import Cell, RegistryResult
from regreach.report.html.contents import Contents, filtered
from regreach.report.html.words import badge, broken, spoken
from regreach.report.marks import mark_of, marks_of
from regreach.report.markup import element
from regreach.report.sections import outcome_text
from regreach.rule import key_text


def matrix(contents: Contents, registry: RegistryResult, number: int) -> Element:
    """Return a registry's keys with a link from each to what is told of it."""
    title = f"registry-{number}-title"
    rows, columns, names = _axes(registry)
    table = element(
        "table",
        {"class": "matrix", "aria-labelledby": title, "data-grid": ""},
        element(
            "thead",
            {},
            element(
                "tr",
                {},
                element(
                    "th", {"scope": "col", "class": "corner"}, " \\ ".join(filter(None, names))
                ),
                *(
                    element("th", {"scope": "col"}, element("span", {}, column or "keys"))
                    for column in columns
                ),
            ),
        ),
    )
    by_place = {_place(registry, cell): cell for cell in registry.cells}
    body = element("tbody")
    for row in rows:
        cells = [_cell(contents, by_place.get((row, column))) for column in columns]
        body.append(element("tr", {}, element("th", {"scope": "row"}, *broken(row)), *cells))
    table.append(body)
    registered = sum(bool(c.registrations) for c in registry.cells)
    return element(
        "section",
        {"class": "registry", "aria-labelledby": title},
        element("h3", {"id": title}, registry.id),
        element("p", {}, f"{registered} registered of {len(registry.cells)} keys."),
        element("a", {"class": "skip", "href": f"#registry-{number}-end"}, "Skip the matrix"),
        element(
            "div",
            {"class": "scroll", "role": "region", "aria-label": f"Matrix of {registry.id}"},
            table,
        ),
        _legend(registry),
        element("div", {"id": f"registry-{number}-end", "tabindex": "-1"}),
    )


def _axes(registry: RegistryResult) -> tuple[list[str], list[str], tuple[str, str]]:
    """Return rows, columns, and what both are called; the part with more values goes down."""
    places = [_place(registry, cell) for cell in registry.cells]
    rows = list(dict.fromkeys(row for row, _ in places))
    columns = list(dict.fromkeys(column for _, column in places))
    parts = registry.parts
    if len(parts) != 2:
        return rows, columns, (", ".join(parts), "")
    return rows, columns, (parts[1], parts[0]) if _swapped(registry) else (parts[0], parts[1])


def _place(registry: RegistryResult, cell: Cell) -> tuple[str, str]:
    if len(registry.parts) != 2:
        return ", ".join(cell.key), ""
    return (cell.key[1], cell.key[0]) if _swapped(registry) else (cell.key[0], cell.key[1])


def _swapped(registry: RegistryResult) -> bool:
    firsts, seconds = ({c.key[i] for c in registry.cells} for i in (0, 1))
    return len(seconds) >= len(firsts)


def _cell(contents: Contents, cell: Cell | None) -> Element:
    if cell is None:
        return element("td")
    mark = mark_of(cell)
    findings = contents.about(cell)
    codes = list(dict.fromkeys(f.rule for f in findings))
    says = f"{key_text(cell.key)}: {mark.meaning}; {outcome_text(cell)}"
    link = element(
        "a",
        {
            "href": f"#{contents.anchor(cell)}",
            "id": contents.cell_id(cell),
            "class": f"cell {mark.tone or 'plain'}",
            "title": says,
        },
        mark.word,
        spoken(f", {says}{', ' + ', '.join(codes) if codes else ''}"),
    )
    attributes = filtered(codes, [cell.reach], [cell.outcome], " ".join(cell.key))
    return element("td", {"data-filter": "cells", **attributes}, link)


def _legend(registry: RegistryResult) -> Element:
    made = element("ul", {"class": "legend", "aria-label": "What the words mean"})
    for mark in marks_of(registry.cells):
        made.append(element("li", {}, badge(mark.word, mark.tone), " ", mark.meaning))
    return made


def registries_section(contents: Contents) -> Element:
    """Return the section of all matrices."""
    registries: Sequence[RegistryResult] = contents.audit.registries
    return element(
        "section",
        {"id": "registries", "aria-labelledby": "registries-title"},
        element("h2", {"id": "registries-title"}, "Registries"),
        element(
            "p",
            {"class": "hint scripted"},
            "In a matrix the arrow keys move, Enter shows a key.",
        ),
        *(matrix(contents, registry, number) for number, registry in enumerate(registries)),
        None if registries else element("p", {}, "The tree has none of the pack's registries."),
    )
