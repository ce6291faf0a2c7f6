"""`regreach audit --format html` as a text: well-formed, alone, complete, and nothing in it but text is the tree's."""

from __future__ import annotations

import base64
import hashlib
import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import pytest
from command_line import BUG, CASES, FIXTURES, HELP, Done, run
from pictures import NASTY, NASTY_PACK, NASTY_SHOP
from regreach.rule import key_text
from tree_making import write

VOID = {"meta", "link", "br", "hr", "wbr", "input", "img"}


class Page(HTMLParser):
    """A page read strictly: each element is closed in order, and what it is made of is counted."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: Counter[str] = Counter()
        self.ids: Counter[str] = Counter()
        self.links: list[str] = []
        self.attributes: list[tuple[str, str, str | None]] = []
        self.inside: dict[str, list[str]] = {}
        self.text = ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes += [(tag, name, value) for name, value in attrs]
        given = dict(attrs)
        if given.get("id"):
            self.ids[str(given["id"])] += 1
        if tag == "a":
            self.links.append(str(given["href"]))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in ("script", "style"):
            self.inside.setdefault(self.open[-1], []).append(data)
        else:
            self.text += data


def page_of(tree: str, *options: str) -> Page:
    done = run("audit", tree, "--format", "html", "--exit-zero", *options)
    assert done.code == 0, done.err
    return Page(done.out)


@pytest.fixture(scope="module")
def bug() -> Page:
    return page_of(BUG)


def test_it_asks_for_nothing(bug: Page) -> None:
    """No address leads out of the page, but for links in the pages of rules, which a person follows."""
    for tag, name, value in bug.attributes:
        assert name not in ("src", "srcset", "action", "style", "ping", "poster"), (tag, name)
        assert not name.startswith("on"), (tag, name)
        if name == "href" and tag != "a":
            assert (tag, value) == ("link", "data:,")
    own = "".join(bug.inside["style"] + bug.inside["script"])
    assert not re.search(r"url\(|@import|fetch|XMLHttp|import\(", own)
    assert all(link.startswith(("#", "http://", "https://")) for link in bug.links)


def test_the_policy_names_the_style_and_the_script(bug: Page) -> None:
    (policy,) = [
        value or "" for tag, name, value in bug.attributes if "default-src" in (value or "")
    ]
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    for kind in ("script", "style"):
        (text,) = ["".join(bug.inside[kind])]
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert rules[f"{kind}-src"] == f"'sha256-{digest}'"
    assert bug.tags["script"] == bug.tags["style"] == 1


@pytest.mark.parametrize("case", CASES)
def test_the_page_of_each_fixture(case: str) -> None:
    tree = str(FIXTURES / case / "tree")
    page = page_of(tree)
    assert [name for name, count in page.ids.items() if count > 1] == []
    for link in page.links:
        assert not link.startswith("#") or link[1:] in page.ids, link
    for tag, name, value in page.attributes:
        if name in ("aria-labelledby", "aria-describedby"):
            assert set(str(value).split()) <= page.ids.keys(), (tag, value)
    audit = run("audit", tree, "--format", "json").json()
    for finding in audit["findings"]:
        assert finding["message"] in page.text
    for site in audit["call_sites"]:
        assert f"{site['path']}:{site['line']}" in page.text
    for registry in audit["registries"]:
        assert registry["id"] in page.text
    cells = sum(len(registry["cells"]) for registry in audit["registries"])
    assert sum(name.startswith("cell-") for name in page.ids) == cells
    assert sum(name.startswith("key-") and name.count("-") == 2 for name in page.ids) == cells
    registered = [c for r in audit["registries"] for c in r["cells"] if c["registrations"]]
    assert page.tags["svg"] >= len(registered)


def test_the_findings_come_first(bug: Page) -> None:
    said = [
        "MoeRunner cannot reach it",
        "3 registered of 8 keys",
        "Registrations",
        "In Mxfp4MoEMethod",
    ]
    places = [bug.text.index(text) for text in said]
    assert places == sorted(places)


def test_whatever_the_tree_says_is_text(tmp_path: Path) -> None:
    (tmp_path / "nasty.toml").write_text(NASTY_PACK, encoding="utf-8")
    tree = str(write(tmp_path / "tree", NASTY_SHOP))
    done = run(
        "audit",
        tree,
        "--format",
        "html",
        "--pack",
        str(tmp_path / "nasty.toml"),
        "-q",
        "--exit-zero",
    )
    assert "<img" not in done.out
    assert done.out.count("<script") == done.out.count("</script") == 1
    page = Page(done.out)
    shown = key_text((NASTY,))[2:-3]  # as in code, without brackets and quotes
    assert NASTY in page.text or shown in page.text
    assert page.tags["img"] == 0
    titles = [value or "" for _, name, value in page.attributes if name == "title"]
    assert any(shown in title or NASTY in title for title in titles)


def test_the_exit_code_and_the_summary_are_those_of_the_text() -> None:
    done = run("audit", BUG, "--format", "html")
    text = run("audit", BUG)
    assert (done.code, done.err) == (text.code, text.err) == (1, HELP + "1 error, 1 warning\n")


def test_the_same_tree_gives_the_same_page() -> None:
    assert run("audit", BUG, "--format", "html") == run("audit", BUG, "--format", "html")


def test_only_the_rules_that_were_asked_for(bug: Page) -> None:
    page = page_of(BUG, "--select", "RR102")
    assert "rule-RR102" in page.ids
    assert "rule-RR101" not in page.ids
    assert "rule-RR101" in bug.ids
    assert [name for name in page.ids if re.fullmatch(r"finding-\d+", name)] == ["finding-0"]


def test_check_has_no_such_format() -> None:
    done = run("check", BUG, "--format", "html")
    assert (done.code, done.out) == (2, "")


def test_it_goes_into_a_file(tmp_path: Path) -> None:
    output = tmp_path / "page.html"
    assert run("audit", BUG, "--format", "html", "-q", "-o", str(output)) == Done(1, "", "")
    assert Page(output.read_text(encoding="utf-8")).tags["main"] == 1
