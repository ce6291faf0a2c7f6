"""Elements: whatever is put in comes out as text."""

from __future__ import annotations

from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from regreach.report.html.markdown import page
from regreach.report.markup import as_html, as_xml, element, possible

anything = st.text(st.characters(codec=None), max_size=40)


class Read(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: list[str | None] = []
        self.text = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [value for _, value in attrs]

    def handle_data(self, data: str) -> None:
        self.text += data


@given(anything, anything, anything)
@example("", "\n\r", "")
def test_any_text_is_text(title: str, inside: str, after: str) -> None:
    made = element("p", {"title": title}, inside, element("b", {}, inside), after)
    read = Read(as_html(made))
    assert read.tags == ["p", "b"]
    assert read.attributes == [possible(title)]
    assert read.text == possible(inside) * 2 + possible(after)
    parsed = ElementTree.fromstring(as_xml(made).encode())
    # XML reads every end of a line as one character; none spans two elements
    pieces = [possible(text).replace("\r\n", "\n") for text in (inside, inside, after)]
    assert "".join(parsed.itertext()) == "".join(pieces).replace("\r", "\n")


def test_what_is_none_is_left_out() -> None:
    made = element("p", {"id": None, "class": "a", "x": 1.0, "y": 1.25}, None, "", "text", None)
    assert as_html(made) == '<p class="a" x="1" y="1.2">text</p>'


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "a <img src=x onerror=alert(1)> b",
        "![picture](http://example.org/x.png)",
        "[link](javascript:alert(1))",
        "<div onclick='x'>\n\ntext\n\n</div>",
        "```html\n</code></pre><script>alert(1)</script>\n```",
    ],
)
def test_a_page_of_a_rule_brings_no_elements_of_its_own(text: str) -> None:
    read = Read(as_html(page(text)))
    assert set(read.tags) <= {"div", "p", "pre", "code", "a"}
    assert not any(str(value).startswith(("javascript", "x")) for value in read.attributes)
    assert read.text


def test_a_page_of_a_rule() -> None:
    text = "# Title\n\nSome *text* and `code`, [a link](https://example.org/).\n\n- one\n- two\n"
    assert as_html(page(text)) == (
        '<div class="page"><h4>Title</h4><p>Some <em>text</em> and <code>code</code>, '
        '<a href="https://example.org/" rel="noreferrer">a link</a>.</p>'
        "<ul><li><p>one</p></li><li><p>two</p></li></ul></div>"
    )
