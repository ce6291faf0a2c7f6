"""The page as a whole: head, summary, filters, sections; one file that asks for no other."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from typing import get_args
from xml.etree.ElementTree import Element

import regreach
from regreach.explain.story import Story
from regreach.model import Audit, Finding, Outcome, Reach
from regreach.report.drawing.svg import style as picture_style
from regreach.report.html.contents import Contents, Key
from regreach.report.html.findings import TONES, findings_section
from regreach.report.html.keys import keys_section
from regreach.report.html.markdown import page as markdown_page
from regreach.report.html.matrix import registries_section
from regreach.report.html.sites import sites_section
from regreach.report.html.words import badge, code, folded
from regreach.report.markup import Child, as_html, element
from regreach.rule import Rule

_NAVIGATION = {
    "findings": "Findings",
    "registries": "Registries",
    "keys": "Keys",
    "call-sites": "Call sites",
    "rules": "Rules",
    "modules": "Modules",
}


def audit_html(
    audit: Audit,
    findings: Sequence[Finding],
    stories: Mapping[Key, Story],
    rules: Mapping[str, Rule],
) -> str:
    """Return an audit as a page. ``stories`` are those of the keys that are registered, ``rules`` those applied.

    Whatever comes from the tree is text in an element; scripts and styles are none but the page's own,
    which a policy in its head names by their hashes.
    """
    contents = Contents.of(audit, findings, stories, rules)
    style, script = _style(), _file("page.js")
    body = element(
        "body",
        {},
        element("a", {"class": "skip", "href": "#main"}, "Skip to the findings"),
        _header(contents),
        element("main", {"id": "main", "tabindex": "-1"}, *_sections(contents)),
        _footer(),
    )
    # as_html would escape nothing in these two, and nothing in them is of the tree
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n'
        + "\n".join(map(as_html, _head(audit, style, script)))
        + f"\n<style>{style}</style>\n</head>\n{as_html(body)}\n<script>{script}</script>\n</html>\n"
    )


def _file(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _style() -> str:
    return _file("page.css") + picture_style()


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def _head(audit: Audit, style: str, script: str) -> list[Element]:
    policy = (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)};"
        " img-src data:; base-uri 'none'; form-action 'none'"
    )
    return [
        element("meta", {"charset": "utf-8"}),
        element("meta", {"http-equiv": "Content-Security-Policy", "content": policy}),
        element("meta", {"name": "viewport", "content": "width=device-width, initial-scale=1"}),
        element("meta", {"name": "color-scheme", "content": "light dark"}),
        element("meta", {"name": "referrer", "content": "no-referrer"}),
        element("title", {}, f"regreach: {audit.source}"),
        # else a browser asks for one
        element("link", {"rel": "icon", "href": "data:,"}),
    ]


def _header(contents: Contents) -> Element:
    audit = contents.audit
    counts = element("ul", {"class": "counts", "aria-label": "Summary"})
    for severity in ("error", "warning", "info"):
        count = sum(f.severity == severity for f in contents.findings)
        if count or severity != "info":
            tone = TONES[severity] if count else "soft"
            plural = "s" * (count != 1 and severity != "info")
            counts.append(element("li", {}, badge(f"{count} {severity}{plural}", tone)))
    cells = [c for registry in audit.registries for c in registry.cells]
    registered = sum(bool(c.registrations) for c in cells)
    counts.append(element("li", {}, badge(f"{registered} registered keys", "")))
    counts.append(element("li", {}, badge(f"{len(audit.call_sites)} call sites", "")))
    links = (
        element("li", {}, element("a", {"href": f"#{name}"}, title))
        for name, title in _NAVIGATION.items()
    )
    unsure = [
        element("p", {"role": "alert"}, badge("not judged", "bad"), f" {why}")
        for why in audit.unsure
    ]
    return element(
        "header",
        {},
        element("h1", {}, "regreach ", element("span", {"class": "source"}, code(audit.source))),
        element(
            "p",
            {"class": "more"},
            f"Package {audit.package}, {audit.modules} modules, platform {audit.platform}. When a"
            " registry is read, has the module that registers the entry been imported?",
        ),
        *unsure,
        counts,
        element("nav", {"aria-label": "Sections"}, element("ul", {}, *links)),
    )


def _sections(contents: Contents) -> Iterable[Element | None]:
    yield _filters(contents)
    yield findings_section(contents)
    yield registries_section(contents)
    yield keys_section(contents)
    yield sites_section(contents)
    yield _rules(contents)
    yield _modules(contents.audit)


def _filters(contents: Contents) -> Element:
    """Return the form of filters, which the script shows: without it, it could do nothing."""
    cells = [c for registry in contents.audit.registries for c in registry.cells]
    codes = sorted({f.rule for f in contents.findings})
    reaches = [r for r in get_args(Reach) if any(c.reach == r for c in cells)]
    outcomes = [o for o in get_args(Outcome) if any(c.outcome == o for c in cells)]
    text = element("input", {"type": "search", "id": "filter-text", "autocomplete": "off"})
    return element(
        "form",
        {"id": "filters", "role": "search", "aria-label": "Filters", "hidden": ""},
        element("label", {}, "Text ", text),
        _select("rule", codes),
        _select("reach", reaches),
        _select("outcome", outcomes),
        element("button", {"type": "reset"}, "Show all"),
        element("output", {"id": "shown", "aria-live": "polite"}),
    )


def _select(name: str, values: Iterable[str]) -> Element:
    options = (element("option", {"value": value}, value) for value in values)
    any_of = element("option", {"value": ""}, "any")
    chosen = element("select", {"id": f"filter-{name}"}, any_of, *options)
    return element("label", {}, f"{name.capitalize()} ", chosen)


def _rules(contents: Contents) -> Element:
    made = element(
        "section",
        {"id": "rules", "aria-labelledby": "rules-title"},
        element("h2", {"id": "rules-title"}, "Rules"),
    )
    found = {f.rule for f in contents.findings}
    for rule in contents.rules.values():
        title: list[Child] = [
            badge(rule.severity, TONES[rule.severity]),
            f" {rule.code} {rule.summary}",
        ]
        inside = element("div", {"id": f"rule-{rule.code}", "class": "inside"})
        if rule.code not in found:
            inside.append(element("p", {}, "It found nothing here."))
        inside.append(markdown_page(rule.page))
        made.append(folded(title, inside))
    return made


def _modules(audit: Audit) -> Element:
    eager = element("ol", {}, *(element("li", {}, code(module)) for module in audit.eager))
    failing = [(m, error) for m, error in audit.imported_first.items() if error != "ok"]
    count = len(audit.eager)
    made = element(
        "section",
        {"id": "modules", "aria-labelledby": "modules-title"},
        element("h2", {"id": "modules-title"}, "Modules"),
        folded([f"Importing the consumer executes {count} modules"], eager),
    )
    if failing:
        items = (element("li", {}, code(m), " ", code(error)) for m, error in failing)
        title = f"{len(failing)} of {len(audit.imported_first)} cannot be imported first"
        made.append(folded([title], element("ul", {}, *items)))
    problems = [f"{p.spot}:{p.column}: not read: {p.message}" for p in audit.problems]
    lines = [*problems, *audit.notes]
    if lines:
        made.append(element("h3", {}, "Notes"))
        made.append(element("ul", {}, *(element("li", {}, code(line)) for line in lines)))
    return made


def _footer() -> Element:
    text = f"regreach {regreach.__version__}; the tree was read, never run."
    return element("footer", {}, element("p", {}, text))
