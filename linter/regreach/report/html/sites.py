"""The call sites: what arrives at each, and what becomes of it."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from regreach.model import CallSite, Cell, SiteValue
from regreach.report.html.contents import Contents, filtered
from regreach.report.html.words import badge, code, folded
from regreach.report.marks import Tone
from regreach.report.markup import Child, element

_TONES: dict[str, Tone] = {"ok": "good", "raises": "bad", "maybe": "doubt", "unreached": "soft"}


def sites_section(contents: Contents) -> Element:
    """Return the section of call sites."""
    cells = {
        (c.consumer, c.key): c
        for registry in reversed(contents.audit.registries)
        for c in registry.cells
    }
    sites = contents.audit.call_sites
    return element(
        "section",
        {"id": "call-sites", "aria-labelledby": "call-sites-title"},
        element("h2", {"id": "call-sites-title"}, "Call sites"),
        *(_site(contents, site, cells) for site in sites),
        None if sites else element("p", {}, "Nothing in the tree calls a consumer."),
    )


def _site(
    contents: Contents, site: CallSite, cells: dict[tuple[str, tuple[str, ...]], Cell]
) -> Element:
    arriving = [v for v in site.values if v.arrives != "no" and v.reads]
    told = [(v, cells.get((site.consumer, v.key))) for v in arriving]
    # what nothing is registered for fails on purpose, mostly
    failing = [v for v, c in told if v.outcome != "ok" and c is not None and c.registrations]
    title: list[Child] = [
        code(str(site.spot)),
        " ",
        element("span", {"class": "more"}, code(site.argument)),
    ]
    if failing:
        values = ", ".join(dict.fromkeys(v.value for v in failing))
        title += [" ", badge(f"fails for {values}", "bad")]
    made = folded(
        title,
        element("p", {}, "In ", code(site.function), ", constructs ", code(site.consumer), "."),
        _values(contents, told),
    )
    known = [c for _, c in told if c is not None]
    codes = [f.rule for v in failing for f in contents.about(cells[site.consumer, v.key])]
    attributes = filtered(codes, (c.reach for c in known), (v.outcome for v in arriving))
    made.set("class", "site")
    made.set("data-filter", "call sites")
    for name, value in attributes.items():
        if value is not None:
            made.set(name, str(value))
    return made


def _values(contents: Contents, told: list[tuple[SiteValue, Cell | None]]) -> Element:
    if not told:
        return element("p", {}, "No key was seen to arrive and to be asked for.")
    body = element("tbody")
    for value, cell in told:
        name = code(", ".join(value.key))
        if cell is not None:
            name = element("a", {"href": f"#{contents.anchor(cell)}"}, name)
        ends = value.exception if value.outcome == "raises" and value.exception else value.outcome
        body.append(
            element(
                "tr",
                {},
                element("th", {"scope": "row"}, name),
                element("td", {}, "for certain" if value.arrives == "yes" else value.arrives),
                element("td", {}, value.loaded),
                element("td", {}, badge(ends, _TONES[value.outcome])),
            )
        )
    titles = ("key", "arrives", "loaded", "ends")
    head = element("tr", {}, *(element("th", {"scope": "col"}, title) for title in titles))
    table = element("table", {"class": "plain"}, element("thead", {}, head), body)
    return element(
        "div",
        {"class": "scroll", "role": "region", "aria-label": "Values that arrive", "tabindex": "0"},
        table,
    )
