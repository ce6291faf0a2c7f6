"""Archives made to do harm: told in a line, the rest judged; nothing is unpacked, and memory stays small."""

from __future__ import annotations

import gzip
import io
import resource
import subprocess
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import BUG, Done, files_of, run
from hostile_making import LIMIT, MOE, NO_CACHE, REGISTERING, RUNNER, in_its_own_words, told
from tree_making import below, make_tar, make_wheel, make_zip

FILES = files_of("bug")
MEMORY = 1_500 << 20  # bytes of address space, threads' deep stacks included


def check(path: Path) -> Done:
    """Run ``check`` on an archive with little memory, and look that nothing lies beside it afterwards."""
    before = set(path.parent.iterdir())

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))

    done = subprocess.run(
        [sys.executable, "-m", "regreach", "check", str(path), *NO_CACHE],
        cwd=path.parent,
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
        preexec_fn=limited,
    )
    result = Done(done.returncode, done.stdout, done.stderr)
    in_its_own_words(result)
    assert set(path.parent.iterdir()) == before
    return result


def with_member(path: Path, name: str, data: bytes, mode: int = 0, times: int = 1) -> Path:
    """Add members to a zip file."""
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        for _ in range(times):
            info = zipfile.ZipInfo(name)
            info.create_system, info.external_attr = 3, mode << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, data)
    return path


def wheel(folder: Path) -> Path:
    return make_wheel(folder, "py3-none-any", FILES, name="sglang", version="1.0")


def special(name: str, kind: bytes, target: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.devmajor, info.devminor = kind, target, 1, 5
    return info


def test_members_that_lead_out_and_that_are_no_files(tmp_path: Path) -> None:
    path = make_tar(
        tmp_path / "sglang-1.0.tar.gz",
        {**below("sglang-1.0", FILES), "/etc/evil.py": "", "../evil.py": "", "sglang-1.0/../../e.py": ""},
        special(f"sglang-1.0/{MOE}/device.py", tarfile.CHRTYPE),
        special(f"sglang-1.0/{MOE}/disk.py", tarfile.BLKTYPE),
        special(f"sglang-1.0/{MOE}/pipe.py", tarfile.FIFOTYPE),
        special(f"sglang-1.0/{MOE}/soft.py", tarfile.SYMTYPE, "/etc/passwd"),
        special(f"sglang-1.0/{MOE}/hard.py", tarfile.LNKTYPE, "sglang-1.0/sglang/__init__.py"),
    )  # fmt: skip
    done = check(path)
    assert done.out == run("check", BUG).out
    names = ("device", "disk", "pipe", "soft", "hard")
    assert told(done).keys() == {
        *(f"{MOE}/{name}.py" for name in names),
        *("/etc/evil.py", "../evil.py", "sglang-1.0/../../e.py"),
    }


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE])
def test_a_consumer_that_is_no_file(tmp_path: Path, kind: bytes) -> None:
    files = {path: text for path, text in FILES.items() if path != RUNNER}
    top = "sglang-1.0"
    info = special(f"{top}/{RUNNER}", kind, f"{top}/sglang/__init__.py")
    done = check(make_tar(tmp_path / "a.tar.gz", below(top, files), info))
    assert done.code == 3
    assert f"was not read, {RUNNER}" in done.err


def test_an_encrypted_consumer(tmp_path: Path) -> None:
    path = wheel(tmp_path)
    data = bytearray(path.read_bytes())
    name = data.rindex(RUNNER.encode())  # in the directory: its flags stand 38 bytes before
    data[name - 46 + 8] |= 1
    path.write_bytes(data)
    done = check(path)
    assert done.code == 3
    assert f"{RUNNER}:1:1: not read: an encrypted member" in done.err


@pytest.mark.parametrize("megabytes", [60, 2_000])
def test_a_member_of_high_ratio(tmp_path: Path, megabytes: int) -> None:
    """A megabyte that becomes two thousand: nothing is taken in that is larger than 64 MiB."""
    piece = zlib.compressobj(9, zlib.DEFLATED, 31)
    block = b"# MoeRunner\n" * 87_381
    path = tmp_path / "a.tar.gz"
    info = tarfile.TarInfo(f"{MOE}/bomb.py")
    info.size = len(block) * megabytes
    with path.open("wb") as file:
        with tarfile.open(fileobj=(inner := io.BytesIO()), mode="w") as archive:
            for name, text in FILES.items():
                own = tarfile.TarInfo(name)
                own.size = len(text.encode())
                archive.addfile(own, io.BytesIO(text.encode()))
            members = inner.getvalue()[: archive.offset]
        file.write(piece.compress(members + info.tobuf()))
        for _ in range(megabytes):
            file.write(piece.compress(block))
        file.write(piece.compress(bytes(-info.size % 512) + bytes(1024)) + piece.flush())
    assert path.stat().st_size < megabytes * 10_000 + 100_000
    done = check(path)
    assert done.out == run("check", BUG).out
    assert list(told(done)) == ([] if megabytes == 60 else [f"{MOE}/bomb.py"])


def test_a_tar_of_a_tar_of_nothing(tmp_path: Path) -> None:
    """Zeros behind the end of the archive, and many of them."""
    path = make_tar(tmp_path / "a.tar", FILES)
    packed = tmp_path / "b.tar.gz"
    packed.write_bytes(gzip.compress(path.read_bytes() + bytes(200 << 20), 1))
    path.unlink()
    assert check(packed).out == run("check", BUG).out


def test_two_hundred_thousand_members(tmp_path: Path) -> None:
    path = tmp_path / "a.whl"
    make_zip(path, FILES)
    with zipfile.ZipFile(path, "a") as archive:
        for number in range(70_000):
            archive.writestr(f"{MOE}/many/m{number}.py", "")
            archive.writestr(f"data/{number}/" * 3 + "x", "")
    assert check(path).out == run("check", BUG).out


def test_members_of_one_name(tmp_path: Path) -> None:
    """As an installer would have it, the last one counts."""
    path = wheel(tmp_path)
    with pytest.warns(UserWarning, match="Duplicate name"):
        with_member(path, REGISTERING, b"x = = 1  # register_fused_func\n", times=2)
    assert list(told(check(path))) == [REGISTERING]


@pytest.mark.parametrize("make", [make_zip, make_tar], ids=["zip", "tar"])
@pytest.mark.parametrize("part", [0.1, 0.5, 0.9, 0.99])
def test_archives_that_are_cut_off(
    tmp_path: Path, make: Callable[[Path, dict[str, str]], Path], part: float
) -> None:
    path = make(tmp_path / ("a.zip" if make is make_zip else "a.tar.gz"), FILES)
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * part)])
    done = check(path)
    assert (done.code, done.out, done.err.count("\n")) == (3, "", 1)


def test_a_sparse_file_and_headers_that_lie(tmp_path: Path) -> None:
    sparse = special(f"{MOE}/sparse.py", tarfile.GNUTYPE_SPARSE)
    path = make_tar(tmp_path / "a.tar", FILES)
    header = bytearray(sparse.tobuf(tarfile.GNU_FORMAT))
    header[386:482] = b"77777777777\0" * 8  # eight pieces at the end of eight gigabytes
    header[483:495] = b"77777777777\0"
    header[148:156] = b"        "
    header[148:156] = f"{sum(header):06o}\0 ".encode()
    data = path.read_bytes()
    path.write_bytes(bytes(header) + data)
    done = check(path)
    assert done.code in (1, 3)
    assert done.code == 3 or f"{MOE}/sparse.py" in told(done)
