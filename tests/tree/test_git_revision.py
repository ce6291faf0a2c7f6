"""Revisions of a local repository."""

from __future__ import annotations

import gc
import os
import shutil
from pathlib import Path

import pytest
from regreach.errors import TargetError
from regreach.tree import TreeProblem, open_tree
from tree_making import LOCATION, MODULES, PACKAGE, below, git, make_repository, write


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository whose working tree has gone on since the tag v1."""
    folder = make_repository(tmp_path / "repo", below("python"))
    write(folder, {"python/pkg/a.py": "A = 'changed'\n", "python/pkg/new.py": ""})
    git(folder, "rm", "--quiet", "-r", "--cached", "python/pkg/sub")
    return folder


def state(folder: Path) -> dict[str, bytes]:
    return {str(p): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def error(target: Path, rev: str) -> str:
    with pytest.raises(TargetError) as caught:
        open_tree(str(target), LOCATION, rev=rev)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_revision_is_read_without_touching_anything(repository: Path) -> None:
    before = state(repository)
    with open_tree(str(repository), LOCATION, rev="v1") as tree:
        assert tree.source == f"{repository}@v1"
        assert tree.root == f"{repository.resolve()}@v1"
        assert (tree.import_root, tree.editable) == ("python", None)
        assert list(tree.modules) == MODULES
        assert tree.read("python/pkg/a.py") == b"A = 1\n"
        assert tree.read("python/pkg/__init__.py") == b""
        assert tree.read("python/pkg/sub/b.py") == b"B = 2\n"
    assert state(repository) == before


def test_all_sorts_of_names_for_a_revision(repository: Path) -> None:
    commit = git(repository, "rev-parse", "HEAD")
    for rev in ("HEAD", "main", "v1", "refs/tags/v1", commit, commit[:8], "main@{0}"):
        with open_tree(str(repository), LOCATION, rev=rev) as tree:
            assert list(tree.modules) == MODULES


def test_an_annotated_tag(repository: Path) -> None:
    git(repository, "tag", "--annotate", "--message=x", "v2")
    with open_tree(str(repository), LOCATION, rev="v2") as tree:
        assert list(tree.modules) == MODULES


def test_a_bare_repository(repository: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare.git"
    git(tmp_path, "clone", "--quiet", "--bare", str(repository), str(bare))
    with open_tree(str(bare), LOCATION, rev="v1") as tree:
        assert tree.root == f"{bare.resolve()}@v1"
        assert tree.read("python/pkg/a.py") == b"A = 1\n"


def test_the_git_folder_itself(repository: Path) -> None:
    with open_tree(str(repository / ".git"), LOCATION, rev="v1") as tree:
        assert list(tree.modules) == MODULES
        assert tree.root == f"{repository.resolve() / '.git'}@v1"


def test_paths_begin_at_the_sub_folder_that_was_given(repository: Path) -> None:
    with open_tree(str(repository / "python"), LOCATION, rev="v1") as tree:
        assert tree.root == f"{repository.resolve() / 'python'}@v1"
        assert tree.import_root == ""
        assert tree.read("pkg/a.py") == b"A = 1\n"


def test_the_packages_own_folder_as_on_disk(repository: Path) -> None:
    target = str(repository / "python" / "pkg")
    with open_tree(target, LOCATION, rev="v1") as tree:
        assert tree.root == f"{repository.resolve() / 'python'}@v1"
        assert tree.modules["pkg.a"].path == "pkg/a.py"
        assert tree.root == open_tree(target, LOCATION).root + "@v1"


def test_a_sub_folder_without_the_package_means_the_repository(repository: Path) -> None:
    (repository / "docs").mkdir()
    for inner in ("docs", "python/pkg/plain"):
        with open_tree(str(repository / inner), LOCATION, rev="v1") as tree:
            assert (tree.root, tree.import_root) == (f"{repository.resolve()}@v1", "python")


def test_a_linked_worktree(repository: Path, tmp_path: Path) -> None:
    git(repository, "worktree", "add", "--quiet", str(tmp_path / "wt"), "v1")
    with open_tree(str(tmp_path / "wt"), LOCATION, rev="main") as tree:
        assert list(tree.modules) == MODULES


def test_submodules_are_problems(tmp_path: Path) -> None:
    folder = make_repository(tmp_path / "repo", PACKAGE)
    commit = git(folder, "rev-parse", "HEAD")
    git(folder, "update-index", "--add", "--cacheinfo", f"160000,{commit},pkg/vendored")
    git(folder, "commit", "--quiet", "--message=second")
    with open_tree(str(folder), LOCATION, rev="HEAD") as tree:
        assert list(tree.modules) == MODULES
        assert list(tree.problems) == [
            TreeProblem("pkg/vendored", "a submodule in a git revision, which is not followed"),
        ]
        for path in ("pkg/vendored", "pkg/sub", "nope", "../x"):
            with pytest.raises(TargetError, match="no such file"):
                tree.read(path)


def test_a_package_that_is_a_submodule(tmp_path: Path) -> None:
    folder = make_repository(tmp_path / "repo", {"README": ""})
    commit = git(folder, "rev-parse", "HEAD")
    git(folder, "update-index", "--add", "--cacheinfo", f"160000,{commit},pkg")
    git(folder, "commit", "--quiet", "--message=second")
    assert "a submodule" in error(folder, "HEAD")


def test_names_that_git_would_quote(tmp_path: Path) -> None:
    files = {**PACKAGE, "pkg/größe.py": "G = 1\n", 'pkg/a "b"\n.py': "", "pkg/tab\t/x.py": ""}
    with open_tree(str(make_repository(tmp_path, files)), LOCATION, rev="HEAD") as tree:
        assert list(tree.modules) == sorted([*MODULES, "pkg.größe"])
        assert tree.read("pkg/größe.py") == b"G = 1\n"


@pytest.mark.parametrize(
    "rev", ["nope", "--help", "-v", "HEAD:python", "v1 v1", "v1\nHEAD", "^v1", "v1..main"]
)
def test_an_unknown_revision_is_one_line(repository: Path, rev: str) -> None:
    assert "has no revision" in error(repository, rev)


def test_an_empty_revision_is_one_line(repository: Path) -> None:
    assert error(repository, "").startswith("a revision is empty")


def test_what_is_no_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert "not a git repository" in error(tmp_path, "HEAD")
    assert "not a folder" in error(tmp_path / "nope", "HEAD")
    assert "not a folder" in error(Path("pkg==1.0"), "HEAD")


def test_no_package_in_the_revision(tmp_path: Path) -> None:
    folder = make_repository(tmp_path, {"README": ""})
    assert "no package 'pkg'" in error(folder, "HEAD")


def test_an_empty_repository(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet")
    assert "has no revision" in error(tmp_path, "HEAD")


def test_without_git(repository: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "needs git" in error(repository, "v1")


def test_inside_a_hook_of_another_repository(
    repository: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    other = make_repository(tmp_path / "other", {"README": ""})
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other / ".git/index"))
    with open_tree(str(repository), LOCATION, rev="v1") as tree:
        assert tree.read("python/pkg/a.py") == b"A = 1\n"


def test_a_missing_object_is_one_line_and_reading_goes_on(repository: Path) -> None:
    blob = git(repository, "rev-parse", "v1:python/pkg/a.py")
    with open_tree(str(repository), LOCATION, rev="v1") as tree:
        (repository / ".git/objects" / blob[:2] / blob[2:]).unlink()
        with pytest.raises(TargetError, match="lacks the object"):
            tree.read("python/pkg/a.py")
        assert tree.read("python/pkg/sub/b.py") == b"B = 2\n"


def test_a_blob_of_more_than_64_mib_is_not_read(tmp_path: Path) -> None:
    write(tmp_path, PACKAGE)
    with (tmp_path / "pkg/big.py").open("wb") as file:
        file.truncate(64 * 1024 * 1024 + 1)
    make_repository(tmp_path, {})
    with open_tree(str(tmp_path), LOCATION, rev="HEAD") as tree:
        with pytest.raises(TargetError, match="larger than 64 MiB"):
            tree.read("pkg/big.py")
        assert tree.read("pkg/a.py") == b"A = 1\n"


def test_a_repository_that_vanishes_is_one_line(repository: Path) -> None:
    with open_tree(str(repository), LOCATION, rev="v1") as tree:
        shutil.rmtree(repository)
        with pytest.raises(TargetError) as caught:
            tree.read("python/pkg/a.py")
        assert "\n" not in str(caught.value)


def test_no_process_is_left_when_the_tree_is_dropped(repository: Path) -> None:
    tree = open_tree(str(repository), LOCATION, rev="v1")
    assert tree.read("python/pkg/a.py")
    process = tree._store._revision.blobs._process  # type: ignore[attr-defined]
    assert process.poll() is None
    del tree
    gc.collect()
    assert process.poll() is not None


def test_closing_twice_and_reading_again(repository: Path) -> None:
    tree = open_tree(str(repository), LOCATION, rev="v1")
    tree.read("python/pkg/a.py")
    tree.close()
    tree.close()
    assert tree.read("python/pkg/a.py") == b"A = 1\n"
    tree.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_forked_processes_read_at_once(tmp_path: Path) -> None:
    files = {f"pkg/m{n}.py": f"N = {n}\n" * 200 for n in range(60)}
    with open_tree(str(make_repository(tmp_path, files)), LOCATION, rev="HEAD") as tree:
        tree.read("pkg/m0.py")

        def read_all() -> bool:
            return all(tree.read(path) == text.encode() for path, text in files.items())

        children = []
        for _ in range(3):
            pid = os.fork()
            if pid == 0:
                os._exit(0 if read_all() else 1)
            children.append(pid)
        assert read_all()
        codes = [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in children]
        assert codes == [0, 0, 0]
