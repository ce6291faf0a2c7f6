"""The page of a large release: its size, its pictures measured, and on a phone."""

from __future__ import annotations

import itertools
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from browser import browser, needs_chromium
from pictures import SVG, boxes, labels

pytestmark = pytest.mark.release

UNAVAILABLE = re.compile("the package index (was not reached|knows no project)|no release")


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("page") / "page.html"
    command = [
        "audit",
        "sglang==0.5.23",
        "--format",
        "html",
        "-q",
        "--exit-zero",
        "-o",
        str(output),
    ]
    done = subprocess.run(
        [sys.executable, "-m", "regreach", *command],
        capture_output=True,
        check=False,
        encoding="utf-8",
    )
    if done.returncode and UNAVAILABLE.search(done.stderr):
        pytest.skip(done.stderr.strip())
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    return output


def test_its_size(page: Path) -> None:
    assert 500_000 < page.stat().st_size < 2_000_000


def test_in_its_pictures_nothing_lies_on_something_else(page: Path) -> None:
    pictures = re.findall(r"<svg .*?</svg>", page.read_text(encoding="utf-8"), re.DOTALL)
    assert len(pictures) > 49
    for text in pictures:
        picture = ElementTree.fromstring(text.replace("<svg ", f'<svg xmlns="{SVG[1:-1]}" ', 1))
        found, written = boxes(picture), list(labels(picture))
        for one, other in itertools.combinations([*found, *written], 2):
            assert not one.meets(other), (one, other)
        assert float(picture.get("width", "")) < 1400


@needs_chromium
def test_on_a_phone(page: Path) -> None:
    with browser(width=360, height=740) as driver:
        driver.get(page.as_uri())
        driver.execute_script(
            "document.querySelectorAll('details').forEach((d) => { d.open = true; })"
        )
        assert driver.execute_script("return document.documentElement.scrollWidth") == 360
        assert driver.get_log("browser") == []
