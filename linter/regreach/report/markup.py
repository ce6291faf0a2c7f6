"""Elements of HTML and SVG: whatever is put into them is text, and comes out escaped."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape
from xml.etree.ElementTree import Element, tostring

# https://html.spec.whatwg.org/multipage/syntax.html#void-elements, those that are used here
_VOID = {"br", "hr", "input", "link", "meta", "wbr"}

Child = Element | str | None

# What XML 1.0 has no place for (https://www.w3.org/TR/xml/#charsets); half a surrogate pair has none in UTF-8.
_IMPOSSIBLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def element(
    tag: str, attributes: Mapping[str, str | float | None] | None = None, *children: Child
) -> Element:
    """Return an element; attributes and children that are None are left out."""
    made = Element(tag)
    for name, value in (attributes or {}).items():
        if value is not None:
            made.set(name, possible(_number(value) if isinstance(value, float) else str(value)))
    add(made, *children)
    return made


def add(parent: Element, *children: Child) -> None:
    """Put elements and texts after what an element has in it."""
    for child in children:
        if isinstance(child, Element):
            parent.append(child)
        elif child and len(parent):
            parent[-1].tail = (parent[-1].tail or "") + possible(child)
        elif child:
            parent.text = (parent.text or "") + possible(child)


def possible(text: str) -> str:
    """Return a text without characters that no document may have."""
    return _IMPOSSIBLE.sub("\ufffd", text)


def as_html(made: Element) -> str:
    """Return an element as HTML."""
    parts: list[str] = []
    _write(made, parts)
    return "".join(parts)


def _write(made: Element, parts: list[str]) -> None:
    # ElementTree's own method leaves a `<` in an attribute as it is, which is allowed and looks like a mistake
    attributes = "".join(f' {name}="{escape(value)}"' for name, value in made.items())
    parts.append(f"<{made.tag}{attributes}>")
    if made.tag in _VOID:
        return
    parts.append(escape(made.text or "", quote=False))
    for child in made:
        _write(child, parts)
        parts.append(escape(child.tail or "", quote=False))
    parts.append(f"</{made.tag}>")


def as_xml(made: Element) -> str:
    """Return an element as XML."""
    return tostring(made, encoding="unicode")


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
