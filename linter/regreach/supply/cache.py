"""What was found in files, kept from run to run in one SQLite database of the user's cache.

The key is the content of a file and all that decides what is made of it, so an entry is never
wrong, only unused. Nothing that happens to the database is an error: what cannot be read is not
there, what cannot be written is not kept, and a database that is damaged is thrown away.
"""

from __future__ import annotations

import functools
import hashlib
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from importlib.metadata import version
from pathlib import Path

import regreach
from regreach import facts
from regreach.errors import TargetError
from regreach.tree.user_cache import cache_root, make_cache

try:
    import sqlite3
except ImportError:  # an interpreter that was built without it
    sqlite3 = None  # type: ignore[assignment]

FACTS_VERSION = 8
"""Raised when the layout of the database or of the blobs in it changes."""

MAX_BYTES = 256 * 1024 * 1024

MODULE = -1
"""The part of a file's entry that is its module level; those from 0 on are functions, by index."""
SKIM = -2
"""The part that is what its lines tell without being parsed."""

Parts = Mapping[int, bytes]

_DIGEST = 16
_AT_ONCE = 500  # keys in one query; SQLite allows 999 parameters
_DAY = 24 * 60 * 60
_PATIENCE = 5.0  # seconds to wait for another process that is writing
# What another run may do better; any other failure of the database is one of its content.
_PASSING = ("locked", "busy", "readonly", "unable to open", "full", "disk i/o", "interrupt")

_LAYOUT = """
CREATE TABLE IF NOT EXISTS facts (
    key BLOB NOT NULL, part INTEGER NOT NULL, used INTEGER NOT NULL, blob BLOB NOT NULL,
    PRIMARY KEY (key, part)
)
"""
# The least recently used entries that together take so many bytes.
_FORGET = """
DELETE FROM facts WHERE rowid IN (
    SELECT rowid FROM (
        SELECT rowid, SUM(length(blob)) OVER (ORDER BY used, rowid) - length(blob) AS before
        FROM facts
    ) WHERE before < ?
)
"""


class FactsCache:
    """The cache in one folder, which may be missing, unwritable or full of anything."""

    def __init__(self, folder: Path, max_bytes: int = MAX_BYTES) -> None:
        self._root, self._name = folder.parent, folder.name
        self._file = folder / f"facts-{FACTS_VERSION}.sqlite"
        self._max_bytes = max_bytes
        self._of_use: set[bytes] = set()
        self._failed = False

    @classmethod
    def of_user(cls, chosen: Path | None = None) -> FactsCache:
        """Return the cache in the folder ``chosen``, $REGREACH_CACHE_DIR or the user's own."""
        return cls(cache_root(chosen) / "facts")

    def key(self, data: bytes) -> bytes:
        """Return the key of a file with this content."""
        return hashlib.sha256(_makers() + data).digest()

    def read(self, keys: Sequence[bytes]) -> dict[bytes, dict[int, bytes]]:
        """Return what is kept under these keys, by part; nothing once the database has failed.

        Another process that stops while it writes would make each read wait for as long as one may.
        """
        found: dict[bytes, dict[int, bytes]] = {}
        if sqlite3 is None or self._failed or not self._is_there():
            return found
        long_ago = int(time.time()) - _DAY
        with self._tolerant(), self._open() as database:
            for start in range(0, len(keys), _AT_ONCE):
                some = keys[start : start + _AT_ONCE]
                marks = ",".join("?" * len(some))
                query = f"SELECT key, part, used, blob FROM facts WHERE key IN ({marks})"
                for key, part, used, sealed in database.execute(query, some):
                    blob = _unsealed(key, part, sealed)
                    if blob is not None:
                        found.setdefault(key, {})[part] = blob
                        if not isinstance(used, int) or used < long_ago:
                            self._of_use.add(key)
        return found

    def write(self, new: Mapping[bytes, Parts]) -> None:
        """Keep parts under their keys; note as well what was read and had not been for a day."""
        now = int(time.time())
        rows = [(k, p, now, _sealed(k, p, b)) for k, parts in new.items() for p, b in parts.items()]
        if sqlite3 is None or not (rows or self._of_use):
            return
        try:
            make_cache(self._root, self._name)
        except TargetError:
            return
        with self._tolerant(), self._open() as database:
            # a cache need not outlive a loss of power
            database.execute("PRAGMA synchronous = OFF")
            database.execute("BEGIN IMMEDIATE")
            database.execute(_LAYOUT)
            database.executemany(
                "UPDATE facts SET used = ? WHERE key = ?", [(now, key) for key in self._of_use]
            )
            self._make_room(database, rows)
            database.executemany("INSERT OR REPLACE INTO facts VALUES (?, ?, ?, ?)", rows)
            database.execute("COMMIT")
        self._of_use.clear()

    def _is_there(self) -> bool:
        try:
            return self._file.is_file()
        except OSError:  # in a folder that may not be looked into
            return False

    def _make_room(
        self, database: sqlite3.Connection, rows: Sequence[tuple[bytes, int, int, bytes]]
    ) -> None:
        """Forget what was not used for longest, so that the file never exceeds its bound."""
        page, pages, free = (
            database.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("page_size", "page_count", "freelist_count")
        )
        database.execute(f"PRAGMA max_page_count = {max(1, self._max_bytes // page)}")
        wanted = sum(_size_in_file(len(row[3]), page) for row in rows)
        excess = (pages - free) * page + wanted - self._max_bytes
        if excess > 0:
            # and a tenth of the whole, so that the next run need not do it again
            database.execute(_FORGET, (excess + self._max_bytes // 10,))

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        # isolation_level None: transactions are begun and ended here, not by the module
        with closing(
            sqlite3.connect(self._file, timeout=_PATIENCE, isolation_level=None)
        ) as database:
            yield database

    @contextmanager
    def _tolerant(self) -> Iterator[None]:
        """End what is done inside at the first failure; throw a damaged database away."""
        done = False
        try:
            yield
            done = True
        except sqlite3.OperationalError as error:
            if not any(word in str(error).lower() for word in _PASSING):
                self._discard()
        except sqlite3.Error:
            self._discard()
        except (OSError, ValueError, OverflowError, MemoryError):
            pass
        self._failed = not done

    def _discard(self) -> None:
        for suffix in ("-journal", "-wal", "-shm", ""):
            try:
                self._file.with_name(self._file.name + suffix).unlink(missing_ok=True)
            except OSError:
                return


@functools.cache
def _makers() -> bytes:
    """Return what decides, beside a file's content, what its facts are; its length never varies."""
    parts = [f"{FACTS_VERSION} {regreach.__version__} {version('libcst')} {sys.version}".encode()]
    for folder in facts.__path__:
        # the code itself, for those who work on it; a package in an archive has no such files
        parts += [file.read_bytes() for file in sorted(Path(folder).glob("*.py"))]
    return hashlib.sha256(b"\0".join(parts)).digest()


def _size_in_file(length: int, page: int) -> int:
    """Return about how much a blob takes: a large one whole pages, small ones share theirs."""
    return (length + 64) * 3 // 2 if length < page // 2 else (length // page + 2) * page


def _sealed(key: bytes, part: int, blob: bytes) -> bytes:
    return _digest(key, part, blob) + blob


def _unsealed(key: object, part: object, sealed: object) -> bytes | None:
    """Return the blob of a row, None when any bit of the row is not as it was written."""
    if not (isinstance(key, bytes) and isinstance(part, int) and isinstance(sealed, bytes)):
        return None
    blob = sealed[_DIGEST:]
    return blob if sealed[:_DIGEST] == _digest(key, part, blob) else None


def _digest(key: bytes, part: int, blob: bytes) -> bytes:
    mark = hashlib.blake2b(b"%b %d " % (key, part), digest_size=_DIGEST)
    mark.update(blob)
    return mark.digest()
