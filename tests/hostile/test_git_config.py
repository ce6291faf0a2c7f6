"""A repository's own configuration has no say in what git runs for regreach."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from command_line import copy_of, files_of
from hostile_making import watched
from tree_making import git, make_repository, write

HOOKS = (
    *("post-checkout", "post-index-change", "pre-auto-gc", "reference-transaction", "post-rewrite"),
    *("fsmonitor-watchman", "query-watchman", "proc-receive", "pre-commit", "post-merge"),
)


@pytest.fixture
def repository(tmp_path: Path) -> Iterator[Path]:
    """A repository in which everything that can name a program names one that leaves a trace."""
    folder = make_repository(tmp_path / "tree", files_of("fix-lazy-in-branch"))
    runner = "sglang/srt/layers/moe/moe_runner/runner.py"
    (folder / runner).write_bytes((copy_of("bug", tmp_path / "bug") / runner).read_bytes())
    git(folder, "commit", "--all", "--quiet", "--message=bug")
    trap = tmp_path / "trap.sh"
    trap.write_text(f'#!/bin/sh\necho "$0 $@" >> {tmp_path}/ran\ncat\nexit 0\n')
    trap.chmod(0o755)
    for hook in HOOKS:
        (folder / ".git/hooks" / hook).write_bytes(trap.read_bytes())
        (folder / ".git/hooks" / hook).chmod(0o755)
    attributes = "*.py diff=evil filter=evil merge=evil working-tree-encoding=utf-8\n"
    write(folder, {".git/info/attributes": attributes, ".gitattributes": attributes})
    settings = {
        **dict.fromkeys(("core.fsmonitor", "core.pager", "core.editor", "core.askPass"), trap),
        **dict.fromkeys(("core.sshCommand", "core.gitProxy", "core.alternateRefsCommand"), trap),
        **dict.fromkeys(("diff.external", "interactive.diffFilter", "sequence.editor"), trap),
        **dict.fromkeys(("diff.evil.textconv", "diff.evil.command", "merge.evil.driver"), trap),
        **dict.fromkeys(("filter.evil.clean", "filter.evil.smudge", "filter.evil.process"), trap),
        **dict.fromkeys(("gpg.program", "gpg.ssh.program", "credential.helper"), trap),
        **dict.fromkeys(("pager.log", "pager.rev-list", "pager.ls-tree", "pager.cat-file"), trap),
        **{f"alias.{name}": f"!{trap}" for name in ("log", "cat-file", "rev-parse", "ls-tree")},
        **dict.fromkeys(("remote.origin.uploadpack", "remote.origin.vcs"), trap),
        "core.hooksPath": folder / ".git/hooks",
        "log.showSignature": "true",
        "remote.origin.url": f"ext::{trap}",
        "remote.origin.promisor": "true",
        "protocol.ext.allow": "always",
        "extensions.partialClone": "origin",
    }
    with (folder / ".git/config").open("a") as file:
        for name, value in settings.items():
            section, _, key = name.rpartition(".")
            first, _, rest = section.partition(".")
            header = f'[{first} "{rest}"]' if rest else f"[{first}]"
            file.write(f'{header}\n\t{key} = "{value}"\n')
    yield folder
    ran = tmp_path / "ran"
    assert not ran.exists(), ran.read_text()


def test_the_traps_would_run(repository: Path) -> None:
    """Git itself runs them: what the other tests show is regreach's doing."""
    ran = repository.parent / "ran"
    subprocess.run(["git", "-C", str(repository), "status"], check=False, capture_output=True)
    assert ran.exists()
    ran.unlink()


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["check"], 1),
        (["check", "--rev", "HEAD"], 1),
        (["check", "--rev", "v1"], 0),
        (["audit", "--rev", "HEAD", "--quiet"], 1),
        (["check", "--since", "v1"], 1),
        (["check", "--since", "v1...HEAD"], 1),
        (["bisect", "none,flashinfer_mxfp4", "--good", "v1", "--bad", "HEAD"], 0),
        (["fix", "--diff"], 0),
        (["config", "--rev", "HEAD"], 0),
    ],
    ids=lambda value: "_".join(value) if isinstance(value, list) else "",
)
def test_nothing_of_it_is_run(repository: Path, arguments: list[str], code: int) -> None:
    command, *rest = arguments
    target = [] if command == "bisect" else ["."]
    assert watched(command, *target, *rest, cwd=repository).code == code


def test_an_object_that_is_missing_is_not_fetched(repository: Path) -> None:
    """As of a partial clone: to fetch would run what the repository names."""
    blob = git(repository, "rev-parse", "HEAD:sglang/srt/layers/moe/moe_runner/runner.py")
    (repository / ".git/objects" / blob[:2] / blob[2:]).unlink()
    done = watched("check", ".", "--rev", "HEAD", cwd=repository)
    assert done.code == 3
    assert f"lacks the object {blob}" in done.err
