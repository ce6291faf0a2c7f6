"""Facts of files: from the cache, from other processes, or parsed here and now."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from regreach.facts.blob import (
    BlobError,
    pack_error,
    pack_facts,
    pack_function,
    pack_skim,
    unpack_facts,
    unpack_function,
    unpack_skim,
)
from regreach.facts.import_lines import imported_names
from regreach.facts.parse import TOO_DEEP, ModuleFacts
from regreach.facts.skim import Skim, skimmed
from regreach.facts.source import SourceError, decode
from regreach.supply.cache import MODULE, SKIM, FactsCache
from regreach.supply.pool import File, ParsePool
from regreach.supply.scans import Answer, Question, answer

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

    Everything is known by content: several revisions of a tree may be asked for one after the other,
    and a file that is the same in them is read and parsed once. Without a cache and with one job it
    only parses. ``method`` is how processes are started.
    """

    def __init__(
        self, cache: FactsCache | None = None, jobs: int = 1, method: str | None = None
    ) -> None:
        self.files_read = FilesRead()
        self._cache = cache
        self._jobs = jobs
        self._method = method
        self._keys: dict[bytes, bytes] = {}
        self._kept: dict[bytes, dict[int, bytes]] = {}
        # by path as well: modules that say the same are not the same module
        self._entries: dict[tuple[str, bytes], _Entry] = {}
        self._names: dict[tuple[bytes, str], tuple[str, ...]] = {}
        self._skims: dict[tuple[bytes, frozenset[str]], Skim | SourceError | None] = {}
        self._taken: dict[bytes, dict[int, bytes]] = {}  # what others found that was skimmed
        self._new: dict[bytes, dict[int, bytes]] = {}
        self._words: dict[bytes, dict[bytes, bool]] = {}
        self._answers: dict[Question, dict[bytes, Answer]] = {}
        self._pool: ParsePool | None = None

    @property
    def prepares(self) -> bool:
        """Whether ``prepare`` is of any use."""
        return self._cache is not None or self._jobs > 1

    def prepare(
        self,
        files: Mapping[str, bytes],
        skim: Mapping[str, bytes] | None = None,
        packages: frozenset[str] = frozenset(),
    ) -> None:
        """Get ready for being asked for these files, path -> content, in about this order.

        Of those to ``skim``, only the lines will be asked for, with these ``packages``, if they tell enough.
        """
        keys = {
            self._key(data): data
            for path, data in files.items()
            if (path, self._key(data)) not in self._entries
        }
        lines = {self._key(data): data for data in (skim or {}).values()}
        if self._cache is not None:
            wanted = [key for key in (*keys, *lines) if key not in self._kept]
            self._kept |= self._cache.read(wanted)
        missing: list[File] = [
            (key.hex(), data, None)
            for key, data in keys.items()
            if MODULE not in self._kept.get(key, {})
        ]
        missing += [
            (key.hex(), data, packages)
            for key, data in lines.items()
            if key not in keys and not self._kept.get(key)
        ]
        if self._pool is not None:
            self._pool.add(missing)
        elif self._jobs > 1 and len(missing) >= FEW:
            self._pool = ParsePool(missing, self._jobs, self._method)

    def facts(self, path: str, data: bytes) -> ModuleFacts:
        """Return the facts of the file at ``path`` with this content. Raises SourceError."""
        key = self._key(data)
        entry = self._entries.get((path, key))
        if entry is None:
            entry = self._entries[path, key] = self._entry(key, data)
        if isinstance(entry.known, SourceError):
            raise entry.known
        return entry.known

    def skim(self, data: bytes, packages: frozenset[str]) -> Skim | None:
        """Return what the lines of a content tell, see ``facts.skim``; None to parse it. Raises SourceError."""
        key = self._key(data)
        question = key, packages
        if question not in self._skims:
            self._skims[question] = self._skim(key, data, packages)
        found = self._skims[question]
        if isinstance(found, SourceError):
            raise found
        return found

    def _skim(self, key: bytes, data: bytes, packages: frozenset[str]) -> Skim | SourceError | None:
        kept = self._parts(key)
        if SKIM not in kept and MODULE not in kept and self._pool is not None:
            kept = self._taken[key] = self._pool.take(key.hex())
        if SKIM in kept:
            with suppress(BlobError):
                return unpack_skim(kept[SKIM], packages)
        elif MODULE in kept:
            return None  # it was parsed before, or is no Python: who asks for its facts will see
        try:
            found = skimmed(data, packages)
        except SourceError as error:
            return error
        with suppress(BlobError):
            self._new.setdefault(key, {})[SKIM] = pack_skim(packages, found)
        return found

    def _parts(self, key: bytes) -> Mapping[int, bytes]:
        """Return what is kept of a content, read once."""
        if key not in self._kept:
            self._kept[key] = {} if self._cache is None else self._cache.read([key]).get(key, {})
        return self._kept[key]

    def has(self, data: bytes, word: bytes) -> bool:
        """Return whether a word stands in a content."""
        known = self._words.setdefault(word, {})
        found = known.get(data)
        if found is None:
            found = known[data] = word in data
        return found

    def answer(self, question: Question, data: bytes) -> Answer:
        """Return the answer that a content gives, see ``scans``."""
        known = self._answers.setdefault(question, {})
        found = known.get(data)
        if found is None:
            found = known[data] = answer(question, data)
        return found

    def imported_names(self, data: bytes, package: str) -> tuple[str, ...]:
        """Return what the import lines of a content in a package seem to import, each once."""
        names = self._names.get((data, package))
        if names is None:
            names = tuple(dict.fromkeys(imported_names(data, package)))
            self._names[data, package] = names
        return names

    def close(self) -> None:
        """Stop parsing beforehand, and keep what was found."""
        unused = self._pool.close() if self._pool is not None else {}
        self._pool = None
        if self._cache is None:
            return
        new = {bytes.fromhex(name): parts for name, parts in unused.items()}
        for found in (self._taken, self._new):
            for key, parts in found.items():
                new[key] = {**new.get(key, {}), **parts}
            found.clear()
        self._skims.clear()
        for entry in self._entries.values():
            if parts := _new_parts(entry):
                new[entry.key] = new.get(entry.key, {}) | parts
        self._entries.clear()
        self._cache.write(new)

    def _entry(self, key: bytes, data: bytes) -> _Entry:
        """Find out what is known of a content: each key is read once."""
        kept = self._parts(key)
        blob: bytes | None = None
        found = _restored(kept, data)
        if found is not None:
            self.files_read.kept += 1
        else:
            self.files_read.parsed += 1
            kept = {}
            if key in self._taken:
                blob = self._taken[key].get(MODULE)
            elif self._pool is not None:
                blob = self._pool.take(key.hex()).get(MODULE)
            found = _restored({MODULE: blob}, data) if blob is not None else None
            self.files_read.beforehand += found is not None
        if found is None:
            blob = None
            found = _parsed(data)
        return _Entry(key, found, blob, frozenset(kept))

    def _key(self, data: bytes) -> bytes:
        key = self._keys.get(data)
        if key is None:
            digest = self._cache.key if self._cache is not None else _digest
            key = self._keys[data] = digest(data)
        return key


def _digest(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def _restored(parts: Mapping[int, bytes], data: bytes) -> ModuleFacts | SourceError | None:
    """Return what the parts say of a file; None when they say nothing or are damaged."""
    if MODULE not in parts:
        return None
    try:
        functions = {i: unpack_function(blob) for i, blob in parts.items() if i >= 0}
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
