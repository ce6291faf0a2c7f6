"""Links in a git revision: what is said of it is what would be said of its checkout."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from regreach.errors import TargetError
from regreach.tree import Tree, open_tree
from tree_making import LOCATION, PACKAGE, git, make_repository, write

# Where each link is and where it leads, in a repository whose package is pkg, beside shared.
LINKS = {
    "a file": {"pkg/soft.py": "a.py"},
    "a file above": {"pkg/sub/up.py": "../a.py"},
    "a file beside the package": {"pkg/soft.py": "../shared/s.py"},
    "a folder": {"pkg/dir": "sub"},
    "a folder beside the package": {"pkg/dir": "../shared"},
    "a folder above": {"pkg/sub/again": ".."},
    "the folder itself": {"pkg/sub/again": "."},
    "a chain": {"pkg/one.py": "two.py", "pkg/two.py": "three.py", "pkg/three.py": "a.py"},
    "a chain of folders": {"pkg/one": "two", "pkg/two": "sub"},
    "a file through a folder": {"pkg/dir": "../shared", "pkg/one.py": "dir/s.py"},
    "a folder inside of a linked one": {"pkg/dir": "../shared", "pkg/one": "dir/deep"},
    "a link inside of a linked folder": {"pkg/dir": "../shared", "shared/to.py": "s.py"},
    "each other": {"pkg/one.py": "two.py", "pkg/two.py": "one.py"},
    "folders of each other": {"pkg/sub/one": "../plain", "pkg/plain/two": "../sub"},
    "itself": {"pkg/one.py": "one.py", "pkg/two": "two"},
    "nothing": {"pkg/gone.py": "nowhere.py", "pkg/gone": "nowhere", "pkg/notes": "nothing"},
    "no folder": {"pkg/odd.py": "a.py/b.py"},
    "a folder like a module": {"pkg/odd.py": "sub"},
    "a module like a folder": {"pkg/odd": "a.py"},
    "not a module": {"pkg/notes.txt": "a.py", "pkg/a-b": "sub", "pkg/data.bin": "../shared/s.py"},
    "the init": {"pkg/plain/__init__.py": "../a.py"},
    "a detour": {"pkg/soft.py": "./sub/.././/a.py"},
    "the package": {"src/pkg": "../shared"},
    "what holds the package": {"python": "elsewhere"},
}
FILES = {
    **PACKAGE,
    "shared/__init__.py": "",
    "shared/s.py": "S = 1\n",
    "shared/deep/d.py": "D = 1\n",
    "elsewhere/pkg/__init__.py": "",
    "elsewhere/pkg/e.py": "E = 1\n",
}
ONLY_LINKED = ("the package", "what holds the package")


def repository(where: Path, case: str) -> Path:
    own = {p: t for p, t in FILES.items() if case not in ONLY_LINKED or not p.startswith("pkg/")}
    folder = write(where, own)
    for path, goal in LINKS[case].items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).symlink_to(goal)
    return make_repository(folder, {})


def seen(tree: Tree) -> tuple[dict[str, bytes], list[str]]:
    """Return the source of each module, and what was not taken in."""
    sources = {name: tree.read(m.path) if m.path else b"" for name, m in tree.modules.items()}
    return sources, [problem.path for problem in tree.problems]


@pytest.mark.parametrize("case", LINKS)
def test_a_revision_is_what_its_checkout_is(tmp_path: Path, case: str) -> None:
    folder = repository(tmp_path / "repo", case)
    with open_tree(str(folder), LOCATION) as checkout:
        expected = seen(checkout)
    with open_tree(str(folder), LOCATION, rev="HEAD") as tree:
        assert seen(tree) == expected
    bare = tmp_path / "bare.git"
    git(tmp_path, "clone", "--quiet", "--bare", str(folder), str(bare))
    with open_tree(str(bare), LOCATION, rev="HEAD") as tree:
        assert seen(tree) == expected


@pytest.mark.parametrize("case", ["a file beside the package", "a folder beside the package"])
def test_nothing_is_read_beside_the_sub_folder_that_was_given(tmp_path: Path, case: str) -> None:
    folder = repository(tmp_path / "repo", case)
    (folder / "lib").mkdir()
    git(folder, "mv", "pkg", "lib/pkg")
    git(folder, "commit", "--quiet", "--message=moved")
    for path, goal in LINKS[case].items():
        (folder / "lib" / path).unlink()
        (folder / "lib" / path).symlink_to(f"../{goal}")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message=links")
    target = str(folder / "lib")
    with open_tree(target, LOCATION) as checkout, open_tree(target, LOCATION, rev="HEAD") as tree:
        assert seen(tree) == seen(checkout)
        assert [problem.path for problem in tree.problems] == list(LINKS[case])


@pytest.mark.parametrize("goal", ["/etc/passwd", "../../outside.py", "../../repo/pkg/a.py"])
def test_links_out_of_the_repository_are_problems(tmp_path: Path, goal: str) -> None:
    folder = write(tmp_path / "repo", PACKAGE)
    (tmp_path / "outside.py").write_text("O = 1\n")
    (folder / "pkg/away.py").symlink_to(goal)
    make_repository(folder, {})
    with open_tree(str(folder), LOCATION, rev="HEAD") as tree:
        (problem,) = tree.problems
        assert problem.path == "pkg/away.py"
        assert problem.reason.startswith("a link that leads out of the repository")
        assert problem.may_have([b"anything"])
        with pytest.raises(TargetError, match="no such file"):
            tree.read("pkg/away.py")


def test_links_that_multiply_folders_end_soon(tmp_path: Path) -> None:
    folder = write(tmp_path / "repo", {"pkg/__init__.py": ""})
    for level in range(30):
        write(folder, {f"pkg/x{level}/m.py": ""})
        for side in "ab":
            os.symlink(f"../x{level + 1}", folder / f"pkg/x{level}/{side}")  # noqa: PTH211
    make_repository(folder, {})
    with pytest.raises(TargetError, match="in too many ways"):
        open_tree(str(folder), LOCATION, rev="HEAD")
