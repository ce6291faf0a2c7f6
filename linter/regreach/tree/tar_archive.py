"""Tar files, which cannot be read out of order: one pass keeps the sources in memory."""

from __future__ import annotations

import importlib
import io
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, cast

from regreach.errors import TargetError
from regreach.tree.archive import ArchiveStore, Kind, Member, index_members
from regreach.tree.modules import SOURCE_SUFFIX
from regreach.tree.paths import why
from regreach.tree.store import MAX_FILE_BYTES, MAX_TOTAL_BYTES

MAX_STREAM_BYTES = 4 * 1024 * 1024 * 1024
"""What an archive may hold in all, sources and everything else."""

_DECODERS = ((b"\x1f\x8b", "gzip"), (b"BZh", "bz2"), (b"\xfd7zXZ\x00", "lzma"))


class _Bounded(io.RawIOBase):
    """The decompressed archive, with a limit on each read and on the whole.

    The tar reader trusts sizes in headers; these limits keep a forged one from filling the memory.
    """

    def __init__(self, stream: IO[bytes], path: str) -> None:
        self._stream = stream
        self._path = path

    def read(self, size: int = -1, /) -> bytes:
        if not 0 <= size <= MAX_FILE_BYTES or self._stream.tell() > MAX_STREAM_BYTES:
            raise self._too_large()
        return self._stream.read(size)

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        if whence != io.SEEK_SET or offset > MAX_STREAM_BYTES:
            raise self._too_large()
        return self._stream.seek(offset)

    def tell(self) -> int:
        return self._stream.tell()

    def _too_large(self) -> TargetError:
        return TargetError(f"{self._path} unpacks to more than any real package: not read")


def open_tar(path: str, package: str) -> ArchiveStore:
    """Open a tar file of any compression, without its single top folder.

    Raises TargetError for what is no readable tar file, or too large to be a package.
    """
    contents: dict[str, bytes] = {}
    try:
        with _decompressed(path) as stream:
            members = list(_members(_Bounded(stream, path), path, contents))
    except TargetError:
        raise
    except Exception as error:  # whatever a decoder makes of damaged data
        raise TargetError(f"{path} is not a readable tar file: {why(error)}") from error
    index = index_members(members, path, package, strip=True)

    def fetch(member: str) -> bytes:
        if member not in contents:
            raise TargetError(
                f"cannot read {member} in {path}: only sources are kept of a tar file"
            )
        return contents[member]

    return ArchiveStore(path, index, fetch, contents.clear)


def _decompressed(path: str) -> IO[bytes]:
    with Path(path).open("rb") as file:
        magic = file.read(6)
    for start, decoder in _DECODERS:
        if magic.startswith(start):
            return cast(IO[bytes], importlib.import_module(decoder).open(path, "rb"))
    return Path(path).open("rb")


def _members(stream: _Bounded, path: str, contents: dict[str, bytes]) -> Iterator[Member]:
    """Yield every member, and put the sources into `contents` in passing."""
    kept = 0
    with tarfile.open(fileobj=cast(IO[bytes], stream), mode="r:") as archive:
        for info in archive:
            member = Member(info.name, _kind(info), info.size)
            is_source = member.kind is Kind.FILE and info.name.endswith(SOURCE_SUFFIX)
            if is_source and info.size <= MAX_FILE_BYTES:
                kept += info.size
                if kept > MAX_TOTAL_BYTES:
                    raise TargetError(f"{path} holds more than 1 GiB of Python source: not read")
                file = archive.extractfile(info)
                contents[info.name] = file.read() if file is not None else b""
            yield member
    while stream.read(1 << 20):
        pass  # to the end, where the compression keeps its checksum


def _kind(info: tarfile.TarInfo) -> Kind:
    if info.isfile():
        return Kind.FILE
    if info.isdir():
        return Kind.FOLDER
    return Kind.LINK if info.issym() or info.islnk() else Kind.OTHER
