"""The pages of rules, from Markdown to elements; HTML and pictures in them stay text."""

from __future__ import annotations

from typing import Any
from xml.etree.ElementTree import Element

from rich.markdown import Markdown

from regreach.report.markup import add, element

# A page's own title is that of the section already.
_LOWER = {"h1": "h4", "h2": "h4", "h3": "h5"}
_EMPTY = ("br", "hr")
_LINKS = ("http://", "https://", "mailto:")


def page(markdown: str) -> Element:
    """Return a page as one element; rich, which sets pages out on terminals, reads the Markdown."""
    root = element("div", {"class": "page"})
    _fill(root, Markdown(markdown).parsed)
    return root


def _fill(root: Element, tokens: list[Any]) -> None:
    """Put tokens of markdown-it into an element: each opens an element, closes one, or holds text."""
    open_ = [root]
    for token in tokens:
        here = open_[-1]
        if token.nesting == 1:
            made = element(_LOWER.get(token.tag, token.tag), _attributes(token))
            add(here, made)
            open_.append(made)
        elif token.nesting == -1:
            open_.pop()
        elif token.type == "inline":
            _fill(here, token.children or [])
        elif token.type in ("fence", "code_block"):
            # a long line may be scrolled with the keyboard, too
            attributes = {"tabindex": "0", "role": "group", "aria-label": "Code"}
            add(here, element("pre", attributes, element("code", {}, token.content)))
        elif token.type == "code_inline":
            add(here, element("code", {}, token.content))
        elif token.type == "softbreak":
            add(here, "\n")
        elif token.tag in _EMPTY:
            add(here, element(token.tag))
        else:
            add(here, token.content)


def _attributes(token: Any) -> dict[str, str | float | None]:
    href = token.attrs.get("href")
    known = isinstance(href, str) and href.startswith(_LINKS)
    return {"href": href, "rel": "noreferrer"} if known else {}
