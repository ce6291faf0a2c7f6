"""Wheels, sdists and zip files, read in place."""

from __future__ import annotations

import gc
import gzip
import os
import random
import struct
import tarfile
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest
from regreach.errors import TargetError
from regreach.tree import TreeProblem, archive, open_tree, tar_archive
from tree_making import LOCATION, MODULES, PACKAGE, below, make_tar, make_wheel, make_zip, write

TARS = ["pkg-1.tar.gz", "pkg-1.tgz", "pkg-1.tar.bz2", "pkg-1.tar.xz", "pkg-1.tar"]


def link(name: str, target: str, kind: bytes = tarfile.SYMTYPE) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


def one_line_error(path: Path) -> str:
    with pytest.raises(TargetError) as caught:
        open_tree(str(path), LOCATION)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_wheel_is_read_in_place(tmp_path: Path) -> None:
    path = make_wheel(tmp_path, "py3-none-any", PACKAGE, version="1.0")
    with open_tree(str(path), LOCATION) as tree:
        assert (tree.source, tree.root, tree.import_root) == (str(path), str(path), "")
        assert tree.editable is None
        assert list(tree.modules) == MODULES
        assert tree.read("pkg/plain/c.py") == b"C = 3\n"
        assert tree.problems == ()
        with pytest.raises(TargetError, match="no such module"):
            tree.read("pkg/nope.py")
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("scheme", ["purelib", "platlib"])
def test_what_a_wheel_installs_from_its_data_folder(tmp_path: Path, scheme: str) -> None:
    root = f"pkg-1.0.data/{scheme}"
    path = make_wheel(tmp_path, "py3-none-any", below(root), version="1.0")
    tree = open_tree(str(path), LOCATION)
    assert (tree.import_root, list(tree.modules)) == (root, MODULES)


@pytest.mark.parametrize("name", [*TARS, "pkg-1.zip"])
@pytest.mark.parametrize("where", ["", "python"])
def test_the_top_folder_of_an_sdist_is_no_part_of_the_paths(
    tmp_path: Path, name: str, where: str
) -> None:
    files = {"setup.py": "raise SystemExit", **(below(where) if where else PACKAGE)}
    make = make_zip if name.endswith(".zip") else make_tar
    tree = open_tree(str(make(tmp_path / name, below("pkg-1", files))), LOCATION)
    assert (tree.import_root, list(tree.modules)) == (where, MODULES)
    path = tree.modules["pkg.a"].path
    assert path == (f"{where}/pkg/a.py" if where else "pkg/a.py")
    assert tree.read(path) == b"A = 1\n"


@pytest.mark.parametrize("name", ["a.zip", "a.tar.gz"])
def test_archives_without_a_top_folder(tmp_path: Path, name: str) -> None:
    make = make_zip if name.endswith(".zip") else make_tar
    for files in (PACKAGE, {**PACKAGE, "README": ""}, {f"./{k}": v for k, v in PACKAGE.items()}):
        assert list(open_tree(str(make(tmp_path / name, files)), LOCATION).modules) == MODULES


def test_a_checkout_that_is_called_like_the_package(tmp_path: Path) -> None:
    path = make_zip(tmp_path / "a.zip", below("pkg/python"))
    assert open_tree(str(path), LOCATION).import_root == "python"


def test_the_same_release_reads_alike_from_each_form(tmp_path: Path) -> None:
    forms = [
        write(tmp_path / "folder", PACKAGE),
        make_wheel(tmp_path, "py3-none-any", PACKAGE, version="1.0"),
        make_zip(tmp_path / "a.zip", below("pkg-1")),
        make_tar(tmp_path / "a.tar.gz", below("pkg-1")),
    ]
    trees = [open_tree(str(form), LOCATION) for form in forms]
    for tree in trees[1:]:
        assert tree.modules == trees[0].modules
        for file in tree.modules.values():
            if file.path is not None:
                assert tree.read(file.path) == trees[0].read(file.path)


@pytest.mark.parametrize(
    "name", ["/pkg/evil.py", "../evil.py", "pkg/../../evil.py", "pkg//evil.py", "C:/pkg/evil.py"]
)
def test_names_that_lead_out_are_problems(tmp_path: Path, name: str) -> None:
    reason = "a name that leads out of the archive"
    for path in (
        make_zip(tmp_path / "a.whl", {**PACKAGE, name: "EVIL = 1\n"}),
        make_tar(tmp_path / "a.tar.gz", {**PACKAGE, name: "EVIL = 1\n"}),
    ):
        tree = open_tree(str(path), LOCATION)
        assert list(tree.modules) == MODULES
        assert list(tree.problems) == [TreeProblem(name, reason)]


def test_links_in_a_tar_are_problems(tmp_path: Path) -> None:
    path = make_tar(
        tmp_path / "pkg-1.tar.gz",
        below("pkg-1"),
        link("pkg-1/pkg/soft.py", "/etc/passwd"),
        link("pkg-1/pkg/hard.py", "pkg-1/pkg/a.py", tarfile.LNKTYPE),
        link("pkg-1/pkg/dir", ".."),
        link("pkg-1/pkg/pipe.py", "", tarfile.FIFOTYPE),
        link("pkg-1/docs/elsewhere.py", "/etc/passwd"),
    )
    tree = open_tree(str(path), LOCATION)
    assert list(tree.modules) == MODULES
    assert {p.path for p in tree.problems} == {
        "pkg/dir",
        "pkg/hard.py",
        "pkg/pipe.py",
        "pkg/soft.py",
    }


def test_links_in_a_zip_are_problems(tmp_path: Path) -> None:
    path = make_zip(tmp_path / "a.whl", PACKAGE)
    with zipfile.ZipFile(path, "a") as zipped:
        info = zipfile.ZipInfo("pkg/soft.py")
        info.create_system, info.external_attr = 3, 0o120777 << 16
        zipped.writestr(info, "/etc/passwd")
        fifo = zipfile.ZipInfo("pkg/pipe.py")
        fifo.create_system, fifo.external_attr = 3, 0o010666 << 16
        zipped.writestr(fifo, "")
    tree = open_tree(str(path), LOCATION)
    assert list(tree.modules) == MODULES
    assert [p.path for p in tree.problems] == ["pkg/pipe.py", "pkg/soft.py"]


def test_encrypted_members_are_problems(tmp_path: Path) -> None:
    path = make_zip(tmp_path / "a.whl", PACKAGE)
    data = bytearray(path.read_bytes())
    at = data.index(b"PK\x01\x02")  # the directory's first entry, of pkg/__init__.py
    data[at + 8] |= 1
    path.write_bytes(data)
    tree = open_tree(str(path), LOCATION)
    assert list(tree.problems) == [TreeProblem("pkg/__init__.py", "an encrypted member")]
    assert tree.modules["pkg"].path is None


@pytest.mark.parametrize("name", ["a.whl", "a.zip", *TARS])
@pytest.mark.parametrize("content", [b"", b"not an archive", b"PK\x03\x04", b"\x1f\x8b\x08"])
def test_what_is_no_archive_is_one_line(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    assert name in one_line_error(tmp_path / name)


@pytest.mark.parametrize("name", ["a.whl", "a.zip", *TARS[:4]])
def test_a_truncated_archive_is_one_line(tmp_path: Path, name: str) -> None:
    noise = "".join(random.Random(1).choices("abcdefgh", k=20_000))
    make = make_tar if ".t" in name else make_zip
    path = make(tmp_path / name, {**PACKAGE, "pkg/z.py": noise})
    path.write_bytes(path.read_bytes()[:-600])
    one_line_error(path)


@pytest.mark.parametrize("name", ["a.whl", "a.tar.gz", "a.tar"])
def test_damaged_archives_never_end_in_another_exception(tmp_path: Path, name: str) -> None:
    make = make_tar if ".t" in name else make_zip
    good = make(tmp_path / name, PACKAGE).read_bytes()
    chance = random.Random(7)
    for _ in range(300):
        data = bytearray(good)
        for _ in range(chance.randint(1, 8)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        (tmp_path / name).write_bytes(data)
        with suppress(TargetError), open_tree(str(tmp_path / name), LOCATION) as tree:
            for file in tree.modules.values():
                if file.path is not None:
                    tree.read(file.path)


def test_a_damaged_member_is_one_line_when_it_is_read(tmp_path: Path) -> None:
    path = make_zip(tmp_path / "a.whl", {**PACKAGE, "pkg/big.py": "x = 1\n" * 1000})
    data = path.read_bytes()
    at = data.index(b"pkg/big.py") + len(b"pkg/big.py")
    path.write_bytes(data[:at] + b"\xff\xff\xff\xff" + data[at + 4 :])
    with open_tree(str(path), LOCATION) as tree, pytest.raises(TargetError, match=r"pkg/big\.py"):
        tree.read("pkg/big.py")


def test_a_member_of_more_than_64_mib_is_a_problem(tmp_path: Path) -> None:
    big = "\n" * (64 * 1024 * 1024 + 1)
    for path in (
        make_zip(tmp_path / "a.whl", {**PACKAGE, "pkg/big.py": big}),
        make_tar(tmp_path / "a.tar.gz", {**PACKAGE, "pkg/big.py": big}),
    ):
        tree = open_tree(str(path), LOCATION)
        assert list(tree.modules) == MODULES
        assert [p.path for p in tree.problems] == ["pkg/big.py"]
        assert "64 MiB" in tree.problems[0].reason


def test_sources_are_bounded_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_TOTAL_BYTES", 10_000)
    monkeypatch.setattr(tar_archive, "MAX_TOTAL_BYTES", 10_000)
    files = {**PACKAGE, **{f"pkg/m{n}.py": "\n" * 1000 for n in range(11)}}
    for path in (make_zip(tmp_path / "a.whl", files), make_tar(tmp_path / "a.tar.gz", files)):
        assert "more than 1 GiB" in one_line_error(path)


def test_a_tar_that_unpacks_to_too_much(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tar_archive, "MAX_STREAM_BYTES", 100_000)
    path = make_tar(tmp_path / "a.tar.gz", {**PACKAGE, "pkg/data.bin": "0" * 200_000})
    assert "unpacks to more" in one_line_error(path)


def test_a_forged_header_does_not_fill_the_memory(tmp_path: Path) -> None:
    info = tarfile.TarInfo("pax")
    info.type, info.size = tarfile.XHDTYPE, 3 << 30
    path = tmp_path / "a.tar.gz"
    path.write_bytes(gzip.compress(info.tobuf(tarfile.PAX_FORMAT) + bytes(2048)))
    assert "unpacks to more" in one_line_error(path)


def test_a_zip_that_announces_less_than_it_holds(tmp_path: Path) -> None:
    path = make_zip(tmp_path / "a.whl", {**PACKAGE, "pkg/bomb.py": "0" * 1_000_000})
    data = path.read_bytes()
    data = data.replace(struct.pack("<L", 1_000_000), struct.pack("<L", 10))
    path.write_bytes(data)
    # Newer versions of Python notice and raise.
    with open_tree(str(path), LOCATION) as tree, suppress(TargetError):
        assert len(tree.read("pkg/bomb.py")) <= 10


def test_compiled_modules_may_be_large_and_are_not_kept_of_a_tar(tmp_path: Path) -> None:
    files = {**PACKAGE, "pkg/_x.abi3.so": "binary"}
    wheel = open_tree(str(make_zip(tmp_path / "a.whl", files)), LOCATION)
    assert wheel.modules["pkg._x"].is_extension
    assert wheel.read("pkg/_x.abi3.so") == b"binary"
    tar = open_tree(str(make_tar(tmp_path / "a.tar.gz", files)), LOCATION)
    assert tar.modules["pkg._x"].is_extension
    with pytest.raises(TargetError, match="only sources"):
        tar.read("pkg/_x.abi3.so")


def test_no_package_in_an_archive(tmp_path: Path) -> None:
    path = make_zip(tmp_path / "a.whl", {"other/__init__.py": ""})
    assert "no package 'pkg'" in one_line_error(path)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_forked_processes_read_a_zip_at_once(tmp_path: Path) -> None:
    files = {f"pkg/m{n}.py": f"N = {n}\n" * 200 for n in range(60)}
    tree = open_tree(str(make_zip(tmp_path / "a.whl", files)), LOCATION)

    def read_all() -> bool:
        return all(tree.read(path) == text.encode() for path, text in files.items())

    children = []
    for _ in range(3):
        pid = os.fork()
        if pid == 0:
            os._exit(0 if read_all() else 1)
        children.append(pid)
    assert read_all()
    assert [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in children] == [0, 0, 0]


def test_an_archive_that_is_dropped_leaks_nothing(tmp_path: Path) -> None:
    path = make_zip(tmp_path / "a.whl", PACKAGE)
    tree = open_tree(str(path), LOCATION)
    assert tree.read("pkg/a.py")
    del tree
    gc.collect()  # a ResourceWarning would be an error here
