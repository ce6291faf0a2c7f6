"""Files that change or vanish while they are read: told, and never green where the consumer needs them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import Done, run
from hostile_making import (
    LIMIT,
    MOE,
    NO_CACHE,
    PACKAGE,
    REGISTERING,
    RUNNER,
    as_without,
    in_its_own_words,
    told,
    tree_with,
)

# Another process acts at the moment at which the command has listed the tree and begins to read it: the
# command waits at a pipe for it. (An audit hook is the one way in that needs no change of the command.)
HALTING = """
import os, sys

tree, ready, go, *arguments = sys.argv[1:]
halted = False

def hook(event, args):
    global halted
    if event == "open" and not halted and str(args[0]).startswith(tree) and str(args[0]).endswith(".py"):
        halted = True
        open(ready, "w").close()
        open(go).close()

sys.addaudithook(hook)
from regreach.cli import main

main(arguments)
"""
MEANWHILE = "import os, sys\nready, go, what = sys.argv[1:]\nopen(ready).close()\nexec(what)\nopen(go, 'w').close()\n"


def check_while(tree: Path, what: str, *arguments: str) -> Done:
    """Run ``check`` and let another process do something between listing and reading."""
    ready, go = tree.parent / "ready", tree.parent / "go"
    os.mkfifo(ready)
    os.mkfifo(go)
    other = subprocess.Popen([sys.executable, "-c", MEANWHILE, str(ready), str(go), what], cwd=tree)
    try:
        done = subprocess.run(
            [
                *(sys.executable, "-c", HALTING, str(tree), str(ready), str(go)),
                *("check", str(tree), *(arguments or NO_CACHE)),
            ],
            env={**os.environ, "REGREACH_CACHE_DIR": str(tree.parent / "cache")},
            capture_output=True,
            text=True,
            timeout=LIMIT,
            check=False,
        )
        assert other.wait(LIMIT) == 0
    finally:
        other.kill()
        other.wait()
    result = Done(done.returncode, done.stdout, done.stderr)
    in_its_own_words(result)
    return result


def test_a_file_that_nothing_needs(tmp_path: Path) -> None:
    tree = tree_with(tmp_path, {f"{MOE}/extra.py": b"x = 1\n"})
    done = check_while(tree, f"os.remove('{MOE}/extra.py')")
    as_without(done)
    assert list(told(done)) == [f"{MOE}/extra.py"]
    assert "No such file" in told(done)[f"{MOE}/extra.py"]


@pytest.mark.parametrize("path", [RUNNER, f"{MOE}/utils.py"])
@pytest.mark.parametrize(
    "what",
    ["os.remove({0!r})", "os.remove({0!r}); os.mkdir({0!r})", "os.remove({0!r}); os.mkfifo({0!r})"],
)
def test_a_file_that_the_consumer_needs(tmp_path: Path, path: str, what: str) -> None:
    done = check_while(tree_with(tmp_path), what.format(path))
    assert done.code == 3
    assert done.err.splitlines()[-1].partition(" was not read, ")[2].startswith(path)
    assert list(told(done)) == [path]


def test_a_registration(tmp_path: Path) -> None:
    """What it registers is not known: that it is missing is not said."""
    tree = tree_with(tmp_path, case="fix-lazy-in-branch")
    done = check_while(tree, f"os.remove({REGISTERING!r})")
    assert (done.code, done.out) == (3, "")


def test_the_whole_tree(tmp_path: Path) -> None:
    done = check_while(tree_with(tmp_path), "import shutil; shutil.rmtree('sglang')")
    assert (done.code, done.out) == (3, "")
    assert len(told(done)) > 5


def test_what_is_there_when_it_is_read_counts_and_is_not_kept_for_what_was_before(
    tmp_path: Path,
) -> None:
    """A run beside an editor: the next one sees the file as it is then."""
    tree = tree_with(tmp_path)
    fixed = tree_with(tmp_path / "fixed", case="fix-lazy-in-branch")
    cache = ["--jobs", "1"]
    what = f"import shutil; shutil.copyfile({str(fixed / RUNNER)!r}, {RUNNER!r})"
    assert check_while(tree, what, *cache).code == 0
    environment = pytest.MonkeyPatch()
    with environment.context() as patch:
        patch.setenv("REGREACH_CACHE_DIR", str(tmp_path / "cache"))
        assert run("check", str(tree), *cache).code == 0
        (tree / RUNNER).write_bytes((tree_with(tmp_path / "bug") / RUNNER).read_bytes())
        assert run("check", str(tree), *cache).code == 1
    assert (tree / PACKAGE).is_dir()
