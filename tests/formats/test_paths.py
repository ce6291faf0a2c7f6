"""What the paths of reports for services are relative to."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import copy_of, files_of, run
from in_form import REGISTERING, github_of, gitlab_of, junit_of, sarif_of
from tree_making import below, git, make_repository

SERVICES = ("GITHUB_WORKSPACE", "CI_PROJECT_DIR")


@pytest.fixture(autouse=True)
def _no_service(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in SERVICES:
        monkeypatch.delenv(name, raising=False)


def paths(target: str, *options: str) -> set[str]:
    """The path of the first finding in all the formats, and the base that SARIF names for it."""
    (first, *_) = sarif_of(target, *options)["results"]
    place = first["locations"][0]["physicalLocation"]["artifactLocation"]
    annotation = github_of(target, *options)[0]
    case = next(junit_of(target, *options).iter("testcase"))
    return {
        gitlab_of(target, *options)[0]["location"]["path"],
        place["uri"],
        annotation.partition("file=")[2].partition(",")[0],
        case.get("name", "").rpartition(") ")[2].partition(" [")[0],
    }


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A repository whose package lies below python/."""
    make_repository(tmp_path / "checkout", below("python", files_of("bug")))
    return tmp_path / "checkout"


@pytest.mark.parametrize("target", [".", "python", "python/sglang", "./python/"])
def test_they_begin_at_the_working_directory(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, target: str
) -> None:
    """Whatever the target is: in text and JSON they begin at the target's root."""
    monkeypatch.chdir(checkout)
    assert paths(target) == {f"python/{REGISTERING}"}
    (first, *_) = run("check", target, "--format", "json").json()["findings"]
    assert first["path"] == (f"python/{REGISTERING}" if target == "." else REGISTERING)


def test_from_above_the_repository(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(checkout.parent)
    assert paths("checkout") == {f"checkout/python/{REGISTERING}"}


def test_a_tree_elsewhere_begins_at_its_root(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / "other")
    assert paths(str(checkout)) == {f"python/{REGISTERING}"}


@pytest.mark.parametrize("service", SERVICES)
def test_a_service_says_where_the_checkout_is(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, service: str
) -> None:
    """A job may run in a folder of the checkout, and still the service wants its paths."""
    monkeypatch.chdir(checkout / "python")
    assert paths(".") == {REGISTERING}
    (tmp_path / "link").symlink_to("checkout")
    monkeypatch.setenv(service, str(tmp_path / "link"))
    assert paths(".") == {f"python/{REGISTERING}"}
    copy_of("bug", tmp_path / "elsewhere")
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert paths(".") == {REGISTERING}


@pytest.mark.parametrize("target", [".", "python", "python/sglang"])
@pytest.mark.parametrize("options", [("--rev", "HEAD"), ("--since", "HEAD~..HEAD")])
def test_those_of_a_revision_begin_at_the_top_of_the_repository(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, target: str, options: tuple[str, str]
) -> None:
    registering = checkout / "python" / REGISTERING
    text = registering.read_text()
    registering.write_text("")
    git(checkout, "commit", "--quiet", "--all", "--message=nothing is registered")
    registering.write_text(text)
    git(checkout, "commit", "--quiet", "--all", "--message=unreached")
    monkeypatch.chdir(checkout)
    assert paths(target, *options) == {f"python/{REGISTERING}"}
    monkeypatch.chdir(checkout.parent)
    assert paths(f"checkout/{target}", *options) == {f"python/{REGISTERING}"}
    for service in SERVICES:
        monkeypatch.setenv(service, str(checkout))
        assert paths(f"checkout/{target}", *options) == {f"python/{REGISTERING}"}
        monkeypatch.setenv(service, str(checkout.parent))
        assert paths(f"checkout/{target}", *options) == {f"checkout/python/{REGISTERING}"}
        monkeypatch.delenv(service)
