"""What several parts of the page have: entries, badges, pictures, texts that only a screen reader says."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from xml.etree.ElementTree import Element

from regreach.explain.draw import picture_of
from regreach.explain.story import Story
from regreach.report.drawing.svg import svg
from regreach.report.markup import Child, element
from regreach.report.sections import Entry


def badge(text: str, tone: str) -> Element:
    """Return a word in its colour."""
    return element("span", {"class": f"badge {tone or 'plain'}"}, text)


def spoken(text: str) -> Element:
    """Return a text that is not seen."""
    return element("span", {"class": "spoken"}, text)


def broken(text: str) -> list[Child]:
    """Return a text that may be broken after slashes, dots, underscores, commas and colons."""
    made: list[Child] = []
    part = ""
    for character in text:
        part += character
        if character in "/._,:":
            made += [part, element("wbr")]
            part = ""
    return [*made, part]


def code(text: str) -> Element:
    """Return a piece of code or a place, which may be broken, too."""
    return element("code", {}, *broken(text))


def entries(items: Iterable[Entry]) -> Element:
    """Return labelled lines as a list of terms and what they say."""
    made = element("dl", {"class": "facts"})
    for item in items:
        if item.label or not len(made):
            made.append(element("dt", {}, item.label or "·"))
        made.append(element("dd", {"class": item.tone or None}, code(item.text)))
    return made


def folded(title: Sequence[Child], *children: Child, **attributes: str | None) -> Element:
    """Return something that is opened by its title."""
    summary = element("summary", {}, *title)
    return element("details", attributes, summary, *children)


def picture(story: Story, name: str) -> Element:
    """Return the picture of a key, in a box of its own that scrolls; ``name`` is what its ids begin with."""
    drawn = picture_of(story)
    label = f"Import graph of {drawn.title}"
    return element(
        "figure",
        {"class": "picture"},
        element(
            "div",
            {"class": "scroll", "tabindex": "0", "role": "group", "aria-label": label},
            svg(drawn, name),
        ),
        element("figcaption", {}, drawn.description),
    )
