"""The hooks, by the real pre-commit in real repositories: it builds and installs regreach by itself."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import files_of, run
from hooked import Hooked, Hooks, clone_here, why_unreachable
from shop_example import PACK, SHOP
from tree_making import git, write

pytestmark = pytest.mark.registry

RUNNER = "sglang/srt/layers/moe/moe_runner/runner.py"
WRONG = files_of("bug")
RIGHT = {**WRONG, RUNNER: files_of("fix-lazy-in-branch")[RUNNER]}


@pytest.fixture(scope="session")
def hooks(tmp_path_factory: pytest.TempPathFactory) -> Hooks:
    """The hooks with their environment, installed once from the package index."""
    made = Hooks(
        clone_here(tmp_path_factory.mktemp("hooks") / "regreach"),
        tmp_path_factory.mktemp("pre-commit"),
    )
    config = {"a.py": "", ".pre-commit-config.yaml": made.config()}
    done = Hooked.made(tmp_path_factory.mktemp("first"), made, config, made.config()).pre_commit(
        "install-hooks"
    )
    if done.code != 0 and (why := why_unreachable(done.text)) is not None:
        pytest.skip(f"the package index was not reached: {why}")
    assert done.code == 0, done.text
    return made


@pytest.fixture
def hooked(hooks: Hooks, tmp_path: Path) -> Hooked:
    """A repository without the bug, committed."""
    made = Hooked.made(tmp_path, hooks, RIGHT, hooks.config())
    done = made.commit()
    assert done.code == 0, done.text
    assert "regreach" in done.text
    assert "Passed" in done.text
    return made


def test_the_commit_that_brings_the_bug_is_blocked_and_the_one_that_mends_passes(
    hooked: Hooked,
) -> None:
    before = hooked.head()
    write(hooked.folder, WRONG)
    git(hooked.folder, "add", "--all")
    blocked = hooked.commit()
    assert blocked.code == 1
    assert f"{RUNNER.rpartition('/')[0]}/flashinfer_cutlass.py:11:1: RR101 " in blocked.text
    assert "- exit code: 1" in blocked.text
    assert hooked.head() == before

    assert run("fix", str(hooked.folder), "--write").code == 0
    git(hooked.folder, "add", "--all")
    passed = hooked.commit()
    assert (passed.code, "Passed" in passed.text) == (0, True), passed.text
    assert hooked.head() != before


def test_warnings_are_shown_only_where_that_is_asked_for(hooks: Hooks, tmp_path: Path) -> None:
    for verbose in (False, True):
        config = hooks.config(verbose=verbose)
        hooked = Hooked.made(tmp_path / str(verbose), hooks, files_of("caller-only"), config)
        done = hooked.commit()
        assert (done.code, "Passed" in done.text, "RR102" in done.text) == (0, True, verbose)


def test_what_is_staged_is_judged_and_not_what_lies_beside_it(hooked: Hooked) -> None:
    runner = hooked.folder / RUNNER
    runner.write_text(WRONG[RUNNER], encoding="utf-8")
    git(hooked.folder, "add", "--all")
    runner.write_text(RIGHT[RUNNER], encoding="utf-8")
    blocked = hooked.commit()
    assert blocked.code == 1
    assert "RR101" in blocked.text
    assert runner.read_text(encoding="utf-8") == RIGHT[RUNNER]

    runner.write_text(f"{RIGHT[RUNNER]}# mended\n", encoding="utf-8")
    git(hooked.folder, "add", "--all")
    runner.write_text(WRONG[RUNNER], encoding="utf-8")
    passed = hooked.commit()
    assert passed.code == 0, passed.text
    assert runner.read_text(encoding="utf-8") == WRONG[RUNNER]


def test_a_commit_in_another_file_is_judged_with_the_whole_tree(hooked: Hooked) -> None:
    """The bug is there already (committed without the hook); what is committed now has no part in it."""
    write(hooked.folder, WRONG)
    git(hooked.folder, "commit", "--quiet", "--all", "--no-verify", "--message=bug")
    write(hooked.folder, {"sglang/new.py": "A = 1\n"})
    git(hooked.folder, "add", "--all")
    assert "RR101" in hooked.commit().text
    git(hooked.folder, "reset", "--quiet", "--hard")
    write(hooked.folder, {"README.md": "words\n"})
    git(hooked.folder, "add", "--all")
    skipped = hooked.commit()
    assert (skipped.code, "Skipped" in skipped.text) == (0, True)


def test_a_pack_of_the_repository(hooks: Hooks, tmp_path: Path) -> None:
    files = {f"src/{path}": text for path, text in SHOP.items()} | {"tools/shop.toml": PACK}
    config = hooks.config(args=["--pack", "tools/shop.toml"], files="^src/shop/")
    hooked = Hooked.made(tmp_path, hooks, files, config)
    blocked = hooked.commit()
    assert blocked.code == 1
    assert 'src/shop/cards.py:4:1: RR101 ("eu", "card") is registered here' in blocked.text
    checkout = "from shop import cards, invoices  # noqa: F401\n"
    write(
        tmp_path, {"src/shop/checkout.py": checkout + SHOP["shop/checkout.py"].partition("\n")[2]}
    )
    git(tmp_path, "add", "--all")
    passed = hooked.commit()
    assert (passed.code, "Passed" in passed.text) == (0, True), passed.text


def test_names_of_files_are_refused(hooks: Hooks, tmp_path: Path) -> None:
    hooked = Hooked.made(tmp_path, hooks, RIGHT, hooks.config(pass_filenames=True))
    refused = hooked.commit()
    assert refused.code == 1
    assert "- exit code: 2" in refused.text
    assert "regreach: error: TARGET is one whole tree, not sglang/__init__.py" in refused.text
    assert "`pass_filenames: false`" in refused.text


def test_the_audit_is_for_reading(hooks: Hooks, tmp_path: Path) -> None:
    hooked = Hooked.made(tmp_path, hooks, RIGHT, hooks.config(id="regreach-audit"))
    assert "Passed" not in hooked.commit().text
    shown = hooked.pre_commit("run", "--hook-stage", "manual", "--all-files")
    assert shown.code == 0, shown.text
    assert "sglang.moe.fused_func  3 registered of 8 keys" in shown.text
