"""The page in a real browser: filters, keyboard, phone, dark, without scripts, and what it asks for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser import browser, needs_chromium, requests_of
from command_line import BUG, run
from pictures import NASTY_PACK, NASTY_SHOP
from tree_making import write

pytestmark = needs_chromium

# Colours in what is seen, each against the nearest background behind it, as WCAG 2 measures contrast
# (https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio).
CONTRASTS = """
const channels = (color) => (color.match(/[\\d.]+/g) || []).map(Number);
const luminance = ([r, g, b]) => {
  const part = (c) => { c /= 255; return c <= .03928 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4; };
  return .2126 * part(r) + .7152 * part(g) + .0722 * part(b);
};
const behind = (node) => {
  for (let at = node; at; at = at.parentElement) {
    const color = channels(getComputedStyle(at).backgroundColor);
    if (color.length === 3 || color[3] === 1) return color;
  }
  return [255, 255, 255];
};
const worst = [];
for (const node of document.querySelectorAll('body *')) {
  const own = [...node.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
  if (!own || !node.checkVisibility() || node.closest('svg, .spoken, script, option')) continue;
  const [a, b] = [luminance(channels(getComputedStyle(node).color)), luminance(behind(node))];
  worst.push([(Math.max(a, b) + .05) / (Math.min(a, b) + .05), node.tagName + '.' + node.className]);
}
const paper = channels(getComputedStyle(document.querySelector('svg .paper')).fill);
for (const text of document.querySelectorAll('svg text')) {
  if (!text.checkVisibility()) continue;
  const box = text.closest('.node') ? text.closest('.node').querySelector('.box') : null;
  const ground = box ? channels(getComputedStyle(box).fill) : paper;
  const [a, b] = [luminance(channels(getComputedStyle(text).fill)), luminance(ground)];
  worst.push([(Math.max(a, b) + .05) / (Math.min(a, b) + .05), 'svg ' + text.textContent]);
}
return worst.sort((x, y) => x[0] - y[0]).slice(0, 5);
"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    output = tmp_path_factory.mktemp("page") / "page.html"
    assert run("audit", BUG, "--format", "html", "-q", "-o", str(output)).code == 1
    return output.as_uri()


@pytest.fixture(scope="module")
def window() -> Iterator[Any]:
    with browser() as driver:
        yield driver


@pytest.fixture
def desktop(window: Any, page: str) -> Any:
    window.get("about:blank")
    window.get(page)
    return window


def shown(driver: Any, kind: str) -> list[str]:
    """The texts of all elements of a kind that the filters let be seen."""
    found = driver.execute_script(
        "return [...document.querySelectorAll(`[data-filter='${arguments[0]}']`)]"
        ".filter((e) => !e.classList.contains('off')).map((e) => e.textContent)",
        kind,
    )
    return list(found)


def focused(driver: Any) -> str:
    return str(driver.execute_script("return document.activeElement.id"))


def press(driver: Any, *keys: str) -> None:
    from selenium.webdriver import ActionChains

    actions = ActionChains(driver)
    for key in keys:
        actions = actions.send_keys(key)
    actions.perform()


def test_nothing_is_asked_for_and_nothing_goes_wrong(desktop: Any, page: str) -> None:
    requests = requests_of(desktop)
    assert [
        r for r in requests if r not in (page, "about:blank") and not r.startswith("data:")
    ] == []
    assert desktop.get_log("browser") == []
    assert desktop.find_element("tag name", "h1").text.startswith("regreach")


def test_the_filter_of_rules(desktop: Any) -> None:
    from selenium.webdriver.support.ui import Select

    assert len(shown(desktop, "findings")) == 2
    Select(desktop.find_element("id", "filter-rule")).select_by_value("RR102")
    (finding,) = shown(desktop, "findings")
    assert "RR102" in finding
    (key,) = shown(desktop, "keys")
    assert '("none", "flashinfer_cutlass")' in key
    assert desktop.find_element("id", "shown").text.startswith("Shown: 1 of 2 findings, 1 of ")
    hidden = [
        e for e in desktop.find_elements("css selector", "article.finding") if not e.is_displayed()
    ]
    assert len(hidden) == 1


def test_the_filter_of_reaches_and_outcomes(desktop: Any) -> None:
    from selenium.webdriver.support.ui import Select

    Select(desktop.find_element("id", "filter-reach")).select_by_value("partial")
    (key,) = shown(desktop, "keys")
    assert "flashinfer_mxfp4" in key
    Select(desktop.find_element("id", "filter-outcome")).select_by_value("ok")
    assert shown(desktop, "keys") == shown(desktop, "findings") == []
    desktop.find_element("css selector", "#filters button").click()
    desktop.execute_async_script("setTimeout(arguments[0], 50)")
    assert len(shown(desktop, "findings")) == 2
    assert desktop.find_element("id", "shown").text == ""


def test_the_filter_of_texts(desktop: Any) -> None:
    every = len(shown(desktop, "call sites"))
    desktop.find_element("id", "filter-text").send_keys("Modelopt ")
    sites = shown(desktop, "call sites")
    assert 0 < len(sites) < every
    assert all("modelopt" in site for site in sites)
    field = desktop.find_element("id", "filter-text")
    field.clear()
    field.send_keys("none, triton")
    cells = shown(desktop, "cells")
    assert [cell.split(",")[0] for cell in cells] == ["ok"]
    off = desktop.find_elements("css selector", "td.off a")
    assert off
    assert all(cell.is_displayed() for cell in off), "a matrix keeps its shape"


def test_the_keyboard_reaches_a_key_in_the_matrix_and_opens_it(desktop: Any) -> None:
    from selenium.webdriver import Keys

    seen = []
    for _ in range(60):
        press(desktop, Keys.TAB)
        seen.append(focused(desktop))
        if seen[-1].startswith("cell-"):
            break
    assert seen[-1] == "cell-0-0", seen
    outline = "return getComputedStyle(document.activeElement).outlineStyle"
    assert desktop.execute_script(outline) == "solid"
    press(desktop, Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ARROW_DOWN)
    assert focused(desktop) == "cell-0-3"
    press(desktop, Keys.ARROW_RIGHT)
    assert focused(desktop) == "cell-0-7"
    press(desktop, Keys.ARROW_RIGHT, Keys.ARROW_LEFT, Keys.ARROW_UP, Keys.ARROW_DOWN)
    assert focused(desktop) == "cell-0-3"
    press(desktop, Keys.ENTER)
    details = desktop.find_element("id", "key-0-3").find_element("xpath", "./..")
    assert details.get_attribute("open") is not None
    is_title = "return document.activeElement === arguments[0].querySelector('summary')"
    assert desktop.execute_script(is_title, details)
    assert details.is_displayed()
    # one step of the tabulator leads over the whole matrix
    press(desktop, Keys.ENTER)
    assert details.get_attribute("open") is None


def test_a_matrix_is_one_stop_of_the_tabulator(desktop: Any) -> None:
    stops = desktop.execute_script(
        "return [...document.querySelectorAll('[data-grid]')]"
        ".map((t) => t.querySelectorAll('a[tabindex=\"0\"]').length)"
    )
    assert stops == [1, 1, 1]


def test_a_link_to_what_is_folded_and_filtered_away_shows_it(desktop: Any) -> None:
    desktop.find_element("id", "filter-text").send_keys("nothing is like this")
    assert shown(desktop, "keys") == []
    desktop.find_element("id", "cell-0-3").click()
    target = desktop.find_element("id", "key-0-3")
    desktop.execute_async_script("setTimeout(arguments[0], 100)")
    assert target.is_displayed()
    desktop.find_element("id", "cell-0-0").click()
    row = desktop.find_element("id", "key-0-0")
    assert row.tag_name == "tr"
    assert row.is_displayed()
    assert focused(desktop) == "key-0-0"


def test_the_skip_link_is_first(desktop: Any) -> None:
    from selenium.webdriver import Keys

    press(desktop, Keys.TAB)
    link = desktop.switch_to.active_element
    assert link.text == "Skip to the findings"
    assert link.rect["x"] >= 0
    press(desktop, Keys.ENTER)
    assert focused(desktop) == "main"


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_contrast(page: str, dark: bool) -> None:
    with browser(dark=dark) as driver:
        driver.get(page)
        driver.execute_script(
            "document.querySelectorAll('details').forEach((d) => { d.open = true; })"
        )
        ground = driver.execute_script("return getComputedStyle(document.body).backgroundColor")
        assert (ground == "rgb(255, 255, 255)") is not dark
        worst = driver.execute_script(CONTRASTS)
        assert worst[0][0] >= 4.5, worst


@pytest.mark.parametrize("opened", [False, True], ids=["folded", "opened"])
def test_on_a_phone_the_page_does_not_scroll_sideways(page: str, opened: bool) -> None:
    with browser(width=360, height=740) as driver:
        driver.get(page)
        if opened:
            driver.execute_script(
                "document.querySelectorAll('details').forEach((d) => { d.open = true; })"
            )
        widths = (
            "return [document.documentElement.scrollWidth, document.body.scrollWidth, innerWidth]"
        )
        assert driver.execute_script(widths) == [360, 360, 360]
        wide = (
            "return [...document.querySelectorAll('body *')].filter((e) => e.checkVisibility()"
            " && !e.closest('.scroll, .spoken, .skip, pre') && e.getBoundingClientRect().right > 361)"
            ".map((e) => e.outerHTML.slice(0, 80))"
        )
        assert driver.execute_script(wide) == []


def test_without_scripts_everything_is_there_but_the_filters(page: str) -> None:
    with browser(scripts=False) as driver:
        driver.get(page)
        assert not driver.find_element("id", "filters").is_displayed()
        assert len(driver.find_elements("css selector", "article.finding")) == 2
        assert driver.find_element("id", "cell-0-3").is_displayed()
        assert not driver.find_element("css selector", ".scripted").is_displayed()
        summary = driver.find_element("id", "key-0-3").find_element("xpath", "./../summary")
        summary.click()
        assert driver.find_element("id", "key-0-3").is_displayed()
        # a browser opens what a link leads into
        driver.get(f"{page}#key-0-2")
        assert driver.find_element("id", "key-0-2").is_displayed()


def test_on_paper_there_is_nothing_to_click(page: str) -> None:
    with browser(width=794) as driver:
        driver.get(page)
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
        assert not driver.find_element("id", "filters").is_displayed()
        assert driver.find_element("css selector", "article.finding").is_displayed()
        assert driver.execute_script("return document.documentElement.scrollWidth") == 794
        printed = driver.execute_cdp_cmd("Page.printToPDF", {"printBackground": False})["data"]
        assert len(printed) > 10_000


def test_a_nasty_tree_is_harmless(tmp_path: Path) -> None:
    (tmp_path / "nasty.toml").write_text(NASTY_PACK, encoding="utf-8")
    tree = str(write(tmp_path / "tree", NASTY_SHOP))
    output = tmp_path / "page.html"
    options = ("--pack", str(tmp_path / "nasty.toml"), "-q", "--exit-zero", "-o", str(output))
    assert run("audit", tree, "--format", "html", *options).code == 0
    with browser() as driver:
        driver.get(output.as_uri())
        assert driver.get_log("browser") == []
        assert driver.find_elements("tag name", "img") == []
        assert len(driver.find_elements("tag name", "script")) == 1
        assert driver.find_element("id", "filters").is_displayed(), "the page's own script runs"
        # and were one let in, the policy would stop it
        driver.execute_script(
            "const s = document.createElement('script'); s.textContent = 'window.harm = 1';"
            " document.body.append(s)"
        )
        assert driver.execute_script("return window.harm") is None
        (refused,) = driver.get_log("browser")
        assert re.search("Content Security Policy", refused["message"])
