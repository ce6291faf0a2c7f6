"""Facts of files: from the cache, from other processes, or parsed here and now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from regreach.facts.blob import (
    BlobError,
    pack_error,
    pack_facts,
    pack_function,
    unpack_facts,
    unpack_function,
)
from regreach.facts.parse import TOO_DEEP, ModuleFacts
from regreach.facts.source import SourceError, decode
from regreach.supply.cache import MODULE, FactsCache
from regreach.supply.pool import ParsePool

FEW = 40
"""So many files are parsed before other processes have begun."""


@dataclass(frozen=True, slots=True)
class _Entry:
    """A file that was asked for: what is known of it, the blob it came as, and what is kept."""

    key: bytes
    known: ModuleFacts | SourceError
    blob: bytes | None
    kept: frozenset[int]


@dataclass(slots=True)
class FilesRead:
    """How many files were asked for: those that were parsed, by others beforehand, and those kept."""

    parsed: int = 0
    beforehand: int = 0
    kept: int = 0


class FactsSupply:
    """Gives the facts of files. ``close`` keeps what was found for the next run.

    Without a cache and with one job it only parses. ``method`` is how processes are started.
    """

    def __init__(
        self, cache: FactsCache | None = None, jobs: int = 1, method: str | None = None
    ) -> None:
        self.files_read = FilesRead()
        self._cache = cache
        self._jobs = jobs
        self._method = method
        self._keys: dict[str, bytes] = {}
        self._kept: dict[bytes, dict[int, bytes]] = {}
        self._entries: dict[str, _Entry] = {}
        self._pool: ParsePool | None = None

    @property
    def prepares(self) -> bool:
        """Whether ``prepare`` is of any use."""
        return self._cache is not None or self._jobs > 1

    def prepare(self, files: Mapping[str, bytes]) -> None:
        """Get ready for being asked for these files, path -> content, in about this order."""
        if self._cache is not None:
            keys = {path: self._cache.key(data) for path, data in files.items()}
            self._keys |= keys
            self._kept |= self._cache.read(list(dict.fromkeys(keys.values())))
        missing = [
            (path, data)
            for path, data in files.items()
            if MODULE not in self._kept.get(self._keys.get(path, b""), {})
        ]
        if self._pool is None and self._jobs > 1 and len(missing) >= FEW:
            self._pool = ParsePool(missing, self._jobs, self._method)

    def facts(self, path: str, data: bytes) -> ModuleFacts:
        """Return the facts of the file at ``path`` with this content. Raises SourceError."""
        key, kept = self._look_up(path, data)
        blob: bytes | None = None
        found = _restored(kept, data)
        if found is not None:
            self.files_read.kept += 1
        else:
            self.files_read.parsed += 1
            kept = {}
            blob = self._pool.take(path) if self._pool is not None else None
            found = _restored({MODULE: blob}, data) if blob is not None else None
            self.files_read.beforehand += found is not None
        if found is None:
            blob = None
            found = _parsed(data)
        if self._cache is not None:
            self._entries[path] = _Entry(key, found, blob, frozenset(kept))
        if isinstance(found, SourceError):
            raise found
        return found

    def close(self) -> None:
        """Stop parsing beforehand, and keep what was found."""
        unused = self._pool.close() if self._pool is not None else {}
        self._pool = None
        if self._cache is None:
            return
        new = {self._keys[path]: {MODULE: blob} for path, blob in unused.items()}
        new |= {e.key: parts for e in self._entries.values() if (parts := _new_parts(e))}
        self._entries.clear()
        self._cache.write(new)

    def _look_up(self, path: str, data: bytes) -> tuple[bytes, Mapping[int, bytes]]:
        """Return the key of a file and what the cache has of it; each key is read once."""
        if self._cache is None:
            return b"", {}
        key = self._keys.get(path)
        if key is None:
            key = self._keys[path] = self._cache.key(data)
            if key not in self._kept:
                self._kept |= self._cache.read([key])
        return key, self._kept.get(key, {})


def _restored(parts: Mapping[int, bytes], data: bytes) -> ModuleFacts | SourceError | None:
    """Return what the parts say of a file; None when they say nothing or are damaged."""
    if MODULE not in parts:
        return None
    try:
        functions = {i: unpack_function(blob) for i, blob in parts.items() if i != MODULE}
        return unpack_facts(parts[MODULE], decode(data), functions)
    except SourceError as error:
        return error
    except BlobError:
        return None


def _parsed(data: bytes) -> ModuleFacts | SourceError:
    try:
        return ModuleFacts.read(data)
    except SourceError as error:
        return error


def _new_parts(entry: _Entry) -> dict[int, bytes]:
    """Return the parts of an entry that the cache lacks."""
    known = entry.known
    parts: dict[int, bytes] = {}
    try:
        if isinstance(known, SourceError):
            # how deep is too deep depends on where in a program one is
            if MODULE not in entry.kept and known.message != TOO_DEEP:
                parts[MODULE] = entry.blob or pack_error(known)
            return parts
        if MODULE not in entry.kept:
            parts[MODULE] = entry.blob or pack_facts(known)
        for index, function in known.parsed.items():
            if index not in entry.kept:
                parts[index] = pack_function(function)
    except BlobError:
        pass
    return parts
