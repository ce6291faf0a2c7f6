"""Checkouts and unpacked releases."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from regreach.errors import TargetError
from regreach.tree import PackageLocation, TreeProblem, folder, open_tree
from tree_making import LOCATION, MODULES, PACKAGE, below, write


@pytest.mark.parametrize("where", ["", "python", "src"])
def test_the_package_is_found_under_each_root(tmp_path: Path, where: str) -> None:
    write(tmp_path, below(where) if where else PACKAGE)
    tree = open_tree(str(tmp_path), LOCATION)
    prefix = f"{where}/" if where else ""
    assert (tree.import_root, tree.root, tree.package) == (where, str(tmp_path.resolve()), "pkg")
    assert tree.source == str(tmp_path)
    assert tree.editable == tmp_path.resolve()
    assert list(tree.modules) == MODULES
    assert tree.modules["pkg.sub"].path == f"{prefix}pkg/sub/__init__.py"
    assert tree.read(f"{prefix}pkg/a.py") == b"A = 1\n"
    assert tree.problems == ()


def test_the_packages_own_folder_may_be_the_target(tmp_path: Path) -> None:
    write(tmp_path, below("python"))
    tree = open_tree(str(tmp_path / "python" / "pkg"), LOCATION)
    assert (tree.root, tree.import_root) == (str(tmp_path.resolve() / "python"), "")
    assert tree.modules["pkg.a"].path == "pkg/a.py"


def test_a_checkout_that_is_called_like_the_package_is_no_package(tmp_path: Path) -> None:
    tree = open_tree(str(write(tmp_path / "pkg", below("python"))), LOCATION)
    assert (tree.root, tree.import_root) == (str(tmp_path.resolve() / "pkg"), "python")


def test_a_relative_target_is_read_from_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(write(tmp_path, PACKAGE))
    tree = open_tree(".", LOCATION)
    assert (tree.source, tree.root) == (".", str(tmp_path.resolve()))


def test_a_regular_package_wins_over_an_earlier_root_without_init(tmp_path: Path) -> None:
    write(tmp_path, {"pkg/stray.py": "", "src/pkg/__init__.py": ""})
    assert open_tree(str(tmp_path), LOCATION).import_root == "src"
    (tmp_path / "src/pkg/__init__.py").unlink()
    tree = open_tree(str(tmp_path), LOCATION)
    assert (tree.import_root, list(tree.modules)) == ("", ["pkg", "pkg.stray"])
    assert tree.modules["pkg"].path is None


def test_submodules_are_direct_children(tmp_path: Path) -> None:
    tree = open_tree(str(write(tmp_path, PACKAGE)), LOCATION)
    assert tree.submodules("pkg") == ["pkg.a", "pkg.plain", "pkg.sub"]
    assert tree.submodules("pkg.plain") == ["pkg.plain.c"]
    assert tree.submodules("pkg.a") == []
    assert tree.submodules("nope") == []


def test_no_package_says_where_it_was_looked_for(tmp_path: Path) -> None:
    with pytest.raises(TargetError) as caught:
        open_tree(str(tmp_path), LOCATION)
    message = str(caught.value)
    assert str(tmp_path) in message
    assert "looked at the top, python/, src/" in message
    assert "\n" not in message


@pytest.mark.parametrize("target", ["nope", "./nope", "nope.whl", "a/b", "", "\0", "a b", "a\nb"])
def test_what_is_not_there_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, target: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(TargetError) as caught:
        open_tree(target, LOCATION, cache_dir=tmp_path / "cache", offline=True)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_no_archive(tmp_path: Path) -> None:
    write(tmp_path, {"x.py": ""})
    with pytest.raises(TargetError, match="neither a folder nor an archive"):
        open_tree(str(tmp_path / "x.py"), LOCATION)


def test_links_inside_the_tree_are_followed(tmp_path: Path) -> None:
    write(tmp_path, {**PACKAGE, "shared/one.py": "ONE = 1\n", "shared/deep/two.py": ""})
    (tmp_path / "pkg/linked").symlink_to(tmp_path / "shared")
    (tmp_path / "pkg/other.py").symlink_to("a.py")
    (tmp_path / "python").symlink_to(".")
    tree = open_tree(str(tmp_path), LOCATION)
    assert {"pkg.linked", "pkg.linked.one", "pkg.linked.deep.two", "pkg.other"} <= set(tree.modules)
    assert tree.read("pkg/linked/one.py") == b"ONE = 1\n"
    assert tree.problems == ()


def test_a_linked_import_root_is_followed(tmp_path: Path) -> None:
    write(tmp_path, below("code"))
    (tmp_path / "src").symlink_to("code")
    tree = open_tree(str(tmp_path), LOCATION)
    assert (tree.import_root, list(tree.modules)) == ("src", MODULES)


def test_loops_end_and_are_problems(tmp_path: Path) -> None:
    write(tmp_path, PACKAGE)
    (tmp_path / "pkg/again").symlink_to(tmp_path / "pkg")
    (tmp_path / "pkg/sub/top").symlink_to(tmp_path)
    tree = open_tree(str(tmp_path), LOCATION)
    assert list(tree.modules) == MODULES
    assert [p.path for p in tree.problems] == ["pkg/again", "pkg/sub/top/pkg"]
    assert all("loop" in p.reason for p in tree.problems)


def test_two_folders_that_link_to_each_other(tmp_path: Path) -> None:
    write(tmp_path, PACKAGE)
    (tmp_path / "pkg/plain/there").symlink_to("../sub")
    (tmp_path / "pkg/sub/back").symlink_to("../plain")
    tree = open_tree(str(tmp_path), LOCATION)
    assert "pkg.plain.there.b" in tree.modules
    assert "pkg.sub.back.c" in tree.modules
    assert {p.path for p in tree.problems} == {"pkg/plain/there/back", "pkg/sub/back/there"}


def test_links_that_multiply_folders_end_in_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder, "MAX_FILES", 100)
    write(tmp_path, {"pkg/__init__.py": "", "pkg/x0/m.py": ""})
    for level in range(1, 12):
        (tmp_path / f"pkg/x{level}").mkdir()
        for side in "ab":
            (tmp_path / f"pkg/x{level}/{side}").symlink_to(f"../x{level - 1}")
    with pytest.raises(TargetError, match="more than 100 modules"):
        open_tree(str(tmp_path), LOCATION)


def test_links_out_of_the_tree_are_not_read(tmp_path: Path) -> None:
    outside = write(tmp_path / "outside", {"secret.py": "SECRET = 1\n"})
    root = write(tmp_path / "tree", PACKAGE)
    (root / "pkg/away").symlink_to(outside)
    (root / "pkg/secret.py").symlink_to(outside / "secret.py")
    (root / "pkg/README").symlink_to(outside / "secret.py")
    tree = open_tree(str(root), LOCATION)
    assert list(tree.modules) == MODULES
    assert [p.path for p in tree.problems] == ["pkg/away", "pkg/secret.py"]
    assert all("leaves the tree" in p.reason for p in tree.problems)
    with pytest.raises(TargetError, match="outside"):
        tree.read("pkg/secret.py")


def test_a_package_that_is_a_link_out_of_the_tree(tmp_path: Path) -> None:
    write(tmp_path / "outside", PACKAGE)
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree/pkg").symlink_to(tmp_path / "outside/pkg")
    with pytest.raises(TargetError, match="a link that leaves the tree"):
        open_tree(str(tmp_path / "tree"), LOCATION)


def test_broken_links_and_odd_files_are_problems(tmp_path: Path) -> None:
    write(tmp_path, PACKAGE)
    (tmp_path / "pkg/broken.py").symlink_to("nowhere.py")
    (tmp_path / "pkg/self.py").symlink_to("self.py")
    os.mkfifo(tmp_path / "pkg/fifo.py")
    (tmp_path / "pkg/folder.py").mkdir()
    tree = open_tree(str(tmp_path), LOCATION)
    assert list(tree.modules) == MODULES
    assert list(tree.problems) == [
        TreeProblem("pkg/broken.py", "a broken link"),
        TreeProblem("pkg/fifo.py", "not a regular file"),
        TreeProblem("pkg/self.py", "a broken link"),
    ]
    with pytest.raises(TargetError, match="not a regular file"):
        tree.read("pkg/fifo.py")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_unreadable_files_and_folders_are_problems(tmp_path: Path) -> None:
    write(tmp_path, PACKAGE)
    (tmp_path / "pkg/a.py").chmod(0)
    (tmp_path / "pkg/plain").chmod(0)
    try:
        tree = open_tree(str(tmp_path), LOCATION)
    finally:
        (tmp_path / "pkg/plain").chmod(0o700)
    assert list(tree.modules) == ["pkg", "pkg.sub", "pkg.sub.b"]
    assert [p.path for p in tree.problems] == ["pkg/a.py", "pkg/plain"]
    assert all("permission denied" in p.reason.lower() for p in tree.problems)


def test_unreadable_as_the_system_reports_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, PACKAGE)
    scandir = os.scandir

    def refuse(path: str) -> os._ScandirIterator[str]:
        if path.endswith("plain"):
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    monkeypatch.setattr(os, "access", lambda path, mode: not path.endswith("a.py"))
    tree = open_tree(str(tmp_path), LOCATION)
    assert list(tree.problems) == [
        TreeProblem("pkg/a.py", "unreadable file: permission denied"),
        TreeProblem("pkg/plain", "unreadable folder: Permission denied"),
    ]
    assert list(tree.modules) == ["pkg", "pkg.sub", "pkg.sub.b"]


@pytest.mark.parametrize(
    "path", ["../outside.py", "/etc/hostname", "pkg/../../outside.py", "", ".", "pkg\\a.py", "a\0b"]
)
def test_reading_never_leaves_the_tree(tmp_path: Path, path: str) -> None:
    write(tmp_path, {"outside.py": ""})
    tree = open_tree(str(write(tmp_path / "tree", PACKAGE)), LOCATION)
    with pytest.raises(TargetError) as caught:
        tree.read(path)
    assert "\n" not in str(caught.value)


def test_reading_what_is_missing_a_folder_or_gone_since(tmp_path: Path) -> None:
    tree = open_tree(str(write(tmp_path, PACKAGE)), LOCATION)
    (tmp_path / "pkg/a.py").unlink()
    for path in ("pkg/a.py", "pkg/nope.py", "pkg/sub"):
        with pytest.raises(TargetError, match=path):
            tree.read(path)


def test_other_files_of_the_tree_can_be_read(tmp_path: Path) -> None:
    tree = open_tree(str(write(tmp_path, {**PACKAGE, "pyproject.toml": "x = 1\n"})), LOCATION)
    assert tree.read("pyproject.toml") == b"x = 1\n"


def test_a_source_of_more_than_64_mib_is_not_read(tmp_path: Path) -> None:
    write(tmp_path, PACKAGE)
    with (tmp_path / "pkg/big.py").open("wb") as file:
        file.truncate(64 * 1024 * 1024 + 1)
    tree = open_tree(str(tmp_path), LOCATION)
    with pytest.raises(TargetError, match="larger than 64 MiB"):
        tree.read("pkg/big.py")


def test_names_that_cannot_be_decoded_are_no_modules(tmp_path: Path) -> None:
    write(tmp_path, PACKAGE)
    try:
        os.close(os.open(os.fsencode(tmp_path) + b"/pkg/caf\xe9.py", os.O_CREAT))
    except OSError:
        pytest.skip("this file system takes no such name")
    assert list(open_tree(str(tmp_path), LOCATION).modules) == MODULES


def test_roots_are_taken_with_or_without_a_slash_and_once(tmp_path: Path) -> None:
    write(tmp_path, below("python"))
    location = PackageLocation("pkg", (".", "", "python/", "python"))
    assert open_tree(str(tmp_path), location).import_root == "python"


def test_a_tree_is_a_context_manager_and_shows_itself(tmp_path: Path) -> None:
    with open_tree(str(write(tmp_path, PACKAGE)), LOCATION) as tree:
        assert repr(tree) == f"<Tree pkg of {tmp_path.resolve()}: 6 modules>"
