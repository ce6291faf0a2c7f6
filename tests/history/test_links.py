"""Revisions with links: what is said of a revision is what is said of its checkout."""

from __future__ import annotations

from pathlib import Path

from command_line import run
from history_making import KEPT, KEY, MXFP4, RUNNER, History

OWN = "common/runner.py"


def linked(where: Path, case: str = "bug") -> History:
    """Return a history whose consumer's module is a link to a file beside the package."""
    history = History(where, case)
    history.write(OWN, history.read(RUNNER))
    (where / RUNNER).unlink()
    (where / RUNNER).symlink_to("../../../../../" + OWN)
    history.commit("linked")
    return history


def test_a_consumer_behind_a_link(tmp_path: Path) -> None:
    history = linked(tmp_path)
    on_disk = run("check", str(tmp_path))
    assert on_disk.code == 1
    assert "RR101" in on_disk.out
    assert run("check", str(tmp_path), "--rev", "HEAD") == on_disk
    assert run("check", str(tmp_path), "--rev", history.at["first"]) == on_disk


def test_a_call_site_in_a_folder_behind_a_link(tmp_path: Path) -> None:
    history = History(tmp_path, "bug")
    folder = tmp_path / MXFP4.rpartition("/")[0]
    folder.rename(tmp_path / "common")
    folder.symlink_to("../../../common")
    history.commit("linked")
    on_disk = run("check", str(tmp_path))
    assert "mxfp4.py:14" in on_disk.out
    assert run("check", str(tmp_path), "--rev", "HEAD") == on_disk


def test_what_a_change_to_the_file_behind_a_link_brings_in(tmp_path: Path) -> None:
    history = linked(tmp_path, "fix-lazy-in-branch")
    history.replace(OWN, KEPT, "")
    history.commit("breaks it")
    for number in range(3):
        history.unrelated(number)
    good = history.at["linked"]
    done = run("check", str(tmp_path), "--since", f"{good}..HEAD")
    assert (done.code, "RR101" in done.out) == (1, True), done
    found = run("bisect", KEY, str(tmp_path), "--good", good, "--bad", "HEAD", "--format", "json")
    assert found.json()["commits"][0]["commit"] == history.at["breaks it"]


def test_a_revision_that_cannot_be_judged_is_said_of_the_older_side_too(tmp_path: Path) -> None:
    history = History(tmp_path, "fix-lazy-in-branch")
    text = history.read(RUNNER)
    (tmp_path / RUNNER).unlink()
    (tmp_path / RUNNER).symlink_to("/nowhere/runner.py")
    old = history.commit("away")
    assert run("check", str(tmp_path), "--rev", old).code == 3
    (tmp_path / RUNNER).unlink()
    history.write(RUNNER, text)
    history.commit("back")
    done = run("check", str(tmp_path), "--since", old)
    assert f"note: at {old[:7]}" in done.err
    assert "cannot be judged: a file that it needs was not read" in done.err


def test_the_configuration_behind_a_link(tmp_path: Path) -> None:
    history = History(tmp_path, "bug")
    history.write("etc/regreach.toml", 'ignore = ["RR101", "RR102"]\n')
    (tmp_path / "regreach.toml").symlink_to("etc/regreach.toml")
    history.commit("configured")
    assert run("check", str(tmp_path)).code == 0
    assert run("check", str(tmp_path), "--rev", "HEAD").code == 0
