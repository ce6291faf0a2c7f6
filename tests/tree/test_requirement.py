"""Requirements, fetched by pip from a folder of wheels that stands in for the package index."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest
from regreach.errors import TargetError
from regreach.tree import Tree, open_tree, pip_download
from tree_making import LOCATION, MODULES, PACKAGE, make_tar, make_wheel

PIP_CALLS: list[Sequence[str]] = []


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that pip looks in, and in no other place; counts the calls of pip."""
    folder = tmp_path / "index"
    folder.mkdir()
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("REGREACH_CACHE_DIR", str(tmp_path / "cache"))
    PIP_CALLS.clear()
    real = pip_download._pip

    def counted(arguments: list[str], where: Path) -> subprocess.CompletedProcess[str]:
        PIP_CALLS.append(arguments)
        return real(arguments, where)

    monkeypatch.setattr(pip_download, "_pip", counted)
    return folder


def error(requirement: str, **options: bool) -> str:
    with pytest.raises(TargetError) as caught:
        open_tree(requirement, LOCATION, **options)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)
    return str(caught.value)


def version_of(tree: Tree) -> str:
    return Path(tree.root).name.split("-")[1]


def cached(tmp_path: Path) -> list[str]:
    releases = tmp_path / "cache" / "releases"
    return sorted(p.relative_to(releases).as_posix() for p in releases.rglob("*") if p.is_file())


def test_a_release_is_fetched_once_and_kept(index: Path, tmp_path: Path) -> None:
    make_wheel(index, "py3-none-any", PACKAGE, version="1.0")
    told: list[str] = []
    with open_tree("pkg==1.0", LOCATION, on_progress=told.append) as tree:
        assert (tree.source, tree.editable) == ("pkg==1.0", None)
        assert list(tree.modules) == MODULES
        assert tree.read("pkg/a.py") == b"A = 1\n"
    assert told == ["fetching pkg==1.0 with pip"]
    assert cached(tmp_path) == ["pkg/pkg-1.0-py3-none-any.whl"]
    assert len(PIP_CALLS) == 1
    for again in ("pkg==1.0", "PKG == 1.0", "pkg[extra]==1.0.0", "pkg==1.0; python_version<'3'"):
        assert version_of(open_tree(again, LOCATION, on_progress=told.append)) == "1.0"
    assert len(PIP_CALLS) == 1
    assert len(told) == 1


def test_the_cache_says_that_it_is_one(index: Path, tmp_path: Path) -> None:
    make_wheel(index, "py3-none-any", PACKAGE, version="1.0")
    open_tree("pkg==1.0", LOCATION)
    tag = (tmp_path / "cache/CACHEDIR.TAG").read_text(encoding="utf-8")
    assert tag.startswith("Signature: 8a477f597d28d172789f06886806bc55\n")
    assert (tmp_path / "cache/.gitignore").read_text(encoding="utf-8").endswith("*\n")


def test_the_callers_cache_folder_wins(index: Path, tmp_path: Path) -> None:
    make_wheel(index, "py3-none-any", PACKAGE, version="1.0")
    tree = open_tree("pkg==1.0", LOCATION, cache_dir=tmp_path / "mine")
    assert Path(tree.root).is_relative_to(tmp_path / "mine")
    assert not (tmp_path / "cache").exists()


def test_a_relative_cache_folder(
    index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_wheel(index, "py3-none-any", PACKAGE, version="1.0")
    monkeypatch.chdir(tmp_path)
    tree = open_tree("pkg==1.0", LOCATION, cache_dir=Path("here"))
    assert Path(tree.root) == tmp_path / "here/releases/pkg/pkg-1.0-py3-none-any.whl"


@pytest.mark.parametrize(
    "tag",
    [
        "cp311-cp311-manylinux_2_34_x86_64",
        "cp314-cp314-manylinux_2_28_aarch64",
        "cp310-cp310-macosx_11_0_arm64",
        "cp312-cp312-win_amd64",
        "cp39-abi3-manylinux2014_x86_64",
        "cp313-none-musllinux_1_2_x86_64",
        "py3-none-macosx_10_9_universal2",
        "py2.py3-none-any",
    ],
)
def test_a_wheel_for_another_python_or_platform_is_as_good(index: Path, tag: str) -> None:
    make_wheel(index, tag, PACKAGE, version="1.0")
    assert list(open_tree("pkg==1.0", LOCATION).modules) == MODULES


def test_the_newest_release_of_all_pythons_is_read(index: Path) -> None:
    make_wheel(index, "py3-none-any", PACKAGE, version="1.0")
    make_wheel(index, "cp311-cp311-manylinux_2_34_x86_64", PACKAGE, version="1.1")
    make_wheel(index, "cp313-cp313-manylinux_2_34_x86_64", PACKAGE, version="1.1.post1")
    make_wheel(index, "py3-none-any", PACKAGE, version="2.0rc1")
    assert version_of(open_tree("pkg", LOCATION)) == "1.1.post1"
    assert version_of(open_tree("pkg<1.1", LOCATION)) == "1.0"
    assert version_of(open_tree("pkg==1.*", LOCATION)) == "1.1.post1"
    assert version_of(open_tree("pkg>=2.0rc1", LOCATION)) == "2.0rc1"


def test_an_open_requirement_asks_again(index: Path) -> None:
    make_wheel(index, "py3-none-any", PACKAGE, version="1.0")
    assert version_of(open_tree("pkg>=1", LOCATION)) == "1.0"
    make_wheel(index, "py3-none-any", PACKAGE, version="1.5")
    assert version_of(open_tree("pkg>=1", LOCATION)) == "1.5"


def test_offline_uses_what_is_kept_and_nothing_else(index: Path) -> None:
    for version in ("1.0", "1.5", "2.0rc1"):
        make_wheel(index, "py3-none-any", PACKAGE, version=version)
        open_tree(f"pkg=={version}", LOCATION)
    calls = len(PIP_CALLS)
    assert version_of(open_tree("pkg", LOCATION, offline=True)) == "1.5"
    assert version_of(open_tree("pkg<1.5", LOCATION, offline=True)) == "1.0"
    assert version_of(open_tree("pkg>1.5", LOCATION, offline=True)) == "2.0rc1"
    assert "run once without --offline" in error("pkg==9", offline=True)
    assert "run once without --offline" in error("other>=1", offline=True)
    assert len(PIP_CALLS) == calls


@pytest.mark.parametrize("damage", [b"", b"PK\x03\x04 half of a wheel"])
def test_a_damaged_file_in_the_cache_is_fetched_again(
    index: Path, tmp_path: Path, damage: bytes
) -> None:
    make_wheel(index, "py3-none-any", PACKAGE, version="1.0")
    open_tree("pkg==1.0", LOCATION).close()
    kept = tmp_path / "cache/releases/pkg/pkg-1.0-py3-none-any.whl"
    kept.write_bytes(damage)
    (kept.parent / "no-wheel.whl").write_bytes(b"")
    assert "not in the cache" in error("pkg==1.0", offline=True)
    assert list(open_tree("pkg==1.0", LOCATION).modules) == MODULES
    assert len(PIP_CALLS) == 2


def test_two_runs_at_once(index: Path, tmp_path: Path) -> None:
    make_wheel(index, "py3-none-any", PACKAGE, version="1.0")
    results: list[list[str]] = []

    def fetch() -> None:
        with open_tree("pkg==1.0", LOCATION) as tree:
            results.append(list(tree.modules))

    threads = [threading.Thread(target=fetch) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [MODULES] * 4
    assert cached(tmp_path) == ["pkg/pkg-1.0-py3-none-any.whl"]


def test_an_unknown_project(index: Path, tmp_path: Path) -> None:
    assert "knows no project 'nope'" in error("nope==1.0")
    assert cached(tmp_path) == []


def test_a_word_without_a_version_is_most_often_a_folder_that_is_not_there(index: Path) -> None:
    """Only the package that is looked for stands for its newest release."""
    make_wheel(index, "py3-none-any", {"other/__init__.py": ""}, name="other", version="1.0")
    says = (
        "other: no such file or folder; the package index was not asked: a requirement names its"
        " version, as other==1.0"
    )
    assert error("other") == says
    assert PIP_CALLS == []
    assert "no package 'pkg'" in error("other>=0")
    says = (
        "pkg: no such file or folder; as a requirement: the package index knows no project 'pkg'"
        " that could be read"
    )
    assert error("pkg") == says
    make_wheel(index, "py3-none-any", PACKAGE, version="1.0")
    assert version_of(open_tree("PKG", LOCATION)) == "1.0"


def test_an_unknown_version(index: Path) -> None:
    make_wheel(index, "py3-none-any", PACKAGE, version="1.0")
    make_wheel(index, "py3-none-any", PACKAGE, version="1.1")
    assert error("pkg==9.9") == "pkg has no release ==9.9; the newest is 1.1"


def test_a_source_distribution_is_never_built(index: Path, tmp_path: Path) -> None:
    trap = f"open({str(tmp_path / 'executed')!r}, 'w').close()\n"
    sdist = {
        "pkg-1.0/PKG-INFO": "Metadata-Version: 2.1\nName: pkg\nVersion: 1.0\n",
        "pkg-1.0/setup.py": trap + "from setuptools import setup\nsetup(name='pkg', version='1.0')",
        "pkg-1.0/pkg/__init__.py": trap,
    }
    path = make_tar(index / "pkg-1.0.tar.gz", sdist)
    assert tarfile.is_tarfile(path)
    message = error("pkg==1.0")
    assert "has no wheel" in message
    assert "give the file" in message
    assert list(open_tree(str(path), LOCATION).modules) == ["pkg"]
    assert not (tmp_path / "executed").exists()


@pytest.mark.parametrize("variable", ["PIP_NO_BINARY", "PIP_REQUIREMENT", "PIP_REQUIRE_VIRTUALENV"])
def test_settings_that_would_build_something_are_not_passed_on(
    index: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    monkeypatch.setenv(variable, ":all:" if variable == "PIP_NO_BINARY" else "1")
    make_wheel(index, "py3-none-any", PACKAGE, version="1.0")
    assert list(open_tree("pkg==1.0", LOCATION).modules) == MODULES


def test_a_release_without_the_package(index: Path) -> None:
    make_wheel(index, "py3-none-any", {"other/__init__.py": ""}, version="1.0")
    assert "no package 'pkg'" in error("pkg==1.0")


def test_an_index_that_is_not_reached(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_RETRIES", "1")
    message = error("pkg==1.0")
    assert "the package index was not reached" in message
    assert len(PIP_CALLS) == 1


def test_a_python_without_pip(index: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    lacking = tmp_path / "python"
    lacking.write_text("#!/bin/sh\necho '/x/python: No module named pip' >&2\nexit 1\n")
    lacking.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(lacking))
    assert "needs pip, which this Python lacks" in error("pkg==1.0")
    monkeypatch.setattr(sys, "executable", str(tmp_path / "gone"))
    assert "pip could not be run" in error("pkg==1.0")
    monkeypatch.setattr(sys, "executable", "")
    assert "needs pip" in error("pkg==1.0")


def test_a_cache_that_cannot_be_used(
    index: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("REGREACH_CACHE_DIR", str(tmp_path / "file"))
    message = error("pkg==1.0")
    assert "set REGREACH_CACHE_DIR to another" in message


def test_an_existing_path_is_never_a_requirement(
    index: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pkg==1.0").mkdir()
    assert "no package 'pkg'" in error("pkg==1.0")
    assert PIP_CALLS == []


@pytest.mark.parametrize(
    ("target", "says"),
    [
        ("https://example.org/pkg-1.0.whl", "names an address"),
        ("pkg @ https://example.org/pkg-1.0.tar.gz", "names an address"),
        ("git+ssh://git@example.org/pkg", "names an address"),
        ("pkg @ file:pkg.whl", "no such file or folder"),
        ("pkg @ file:pkg", "names a file"),
        ("pkg-1.0.tar.gz", "no such file or folder"),
        ("./pkg", "no such file or folder"),
        ("dir\\pkg", "no such file or folder"),
        ("pkg==", "neither an existing path nor a requirement"),
        ("pkg==1.0 other", "neither an existing path nor a requirement"),
        ("-r requirements", "neither an existing path nor a requirement"),
        ("--help", "neither an existing path nor a requirement"),
    ],
)
def test_what_is_no_requirement(index: Path, target: str, says: str) -> None:
    assert says in error(target)
    assert PIP_CALLS == []


@pytest.mark.parametrize(
    ("stderr", "says"),
    [
        ("WARNING: x\nERROR: Disk full\n", "pip could not fetch pkg: Disk full"),
        ("odd words\n", "pip could not fetch pkg: odd words"),
        ("", "pip could not fetch pkg: no reason given"),
        ("ERROR: HTTP error 503 while getting x", "the package index was not reached"),
    ],
)
def test_other_words_of_pips(
    index: Path, monkeypatch: pytest.MonkeyPatch, stderr: str, says: str
) -> None:
    def fail(arguments: list[str], where: Path) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(arguments, 1, "", stderr)

    monkeypatch.setattr(pip_download, "_pip", fail)
    assert says in error("pkg")


def test_a_cache_that_cannot_be_looked_into(
    index: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    make_wheel(index, "py3-none-any", PACKAGE, version="1.0")

    def refuse(path: Path) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "iterdir", refuse)
    assert "not in the cache" in error("pkg==1.0", offline=True)
