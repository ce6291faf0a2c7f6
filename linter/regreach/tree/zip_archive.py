"""Wheels and zip files: members are read one by one when they are asked for."""

from __future__ import annotations

import os
import stat
import zipfile
from threading import Lock

from regreach.errors import TargetError
from regreach.tree.archive import ArchiveStore, Kind, Member, index_members
from regreach.tree.paths import why
from regreach.tree.store import MAX_FILE_BYTES

_ENCRYPTED = 0x1


class _Zip:
    """An open zip file that survives a fork: a child process opens its own handle."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._lock = Lock()
        self._file = zipfile.ZipFile(path)
        self._pid = os.getpid()

    def infos(self) -> list[zipfile.ZipInfo]:
        return self._file.infolist()

    def read(self, member: str) -> bytes:
        """Return a member's bytes, at most as many as its header announces."""
        try:
            with self._lock:
                if self._pid != os.getpid():
                    self._file, self._pid = zipfile.ZipFile(self.path), os.getpid()
                info = self._file.getinfo(member)
                if info.file_size <= MAX_FILE_BYTES:
                    return self._file.read(info)
        except Exception as error:  # whatever a decoder makes of damaged data
            raise TargetError(f"cannot read {member} in {self.path}: {why(error)}") from error
        raise TargetError(f"cannot read {member} in {self.path}: larger than 64 MiB")

    def close(self) -> None:
        self._file.close()


def open_zip(path: str, package: str) -> ArchiveStore:
    """Open a wheel (paths as they are) or a zip file (without its single top folder).

    Raises TargetError for what is no readable zip file.
    """
    try:
        archive = _Zip(path)
        members = [_member(info) for info in archive.infos()]
    except Exception as error:  # whatever a decoder makes of damaged data
        raise TargetError(f"{path} is not a readable zip file: {why(error)}") from error
    strip = not path.lower().endswith(".whl")
    index = index_members(members, path, package, strip=strip)
    return ArchiveStore(path, index, archive.read, archive.close)


def _member(info: zipfile.ZipInfo) -> Member:
    mode = info.external_attr >> 16
    if info.is_dir():
        kind = Kind.FOLDER
    elif stat.S_ISLNK(mode):
        kind = Kind.LINK
    elif stat.S_IFMT(mode) not in (0, stat.S_IFREG):
        kind = Kind.OTHER
    else:
        kind = Kind.ENCRYPTED if info.flag_bits & _ENCRYPTED else Kind.FILE
    return Member(info.filename, kind, info.file_size)
