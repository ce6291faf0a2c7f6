"""What came of an analysis, kept until a file changes in a way that it depends on.

An analysis depends on which modules a tree has, on all bytes of the files that it has looked into, and of
the others on the answers to the questions that it has asked (``Consulted``). Whether a file has changed
is told by size, times and inode; where that is not to be trusted, by content, as git does: a file that was
written shortly before it was looked at may have been written again without a trace.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from regreach.beside import beside, sweep
from regreach.errors import TargetError
from regreach.supply.consulted import Consulted
from regreach.supply.scans import answer, mentions
from regreach.tree import Tree
from regreach.tree.user_cache import cache_root, make_cache

MEMORY_VERSION = 3
"""Raised when what is kept, or what it means, changes."""

_FOLDER = "results"
_KEPT = 64  # the latest results; one of a large tree takes a megabyte
_RACY = 2_000_000_000  # nanoseconds; file systems' clocks are coarser than the processor's

Stamp = list[int]
State = dict[str, Stamp | None]


def stamps(tree: Tree) -> State:
    """Return what tells whether a module's file changes, by module; taken before a file is read."""
    assert tree.editable is not None, "only folders change"
    root = os.fspath(tree.editable)
    return {
        name: _stamp(os.path.join(root, module.path))  # noqa: PTH118
        for name, module in tree.modules.items()
        if module.path is not None and not module.is_extension
    }


@dataclass(frozen=True, slots=True)
class Memory:
    """One result, kept in a file of the cache under a key that says all that decides beside the tree."""

    key: str
    chosen: Path | None = None

    @property
    def _file(self) -> Path:
        return cache_root(self.chosen) / _FOLDER / f"{self.key}.json"

    def recall(self, tree: Tree) -> Any:
        """Return what was kept if it still holds, else None; a damaged file holds nothing."""
        kept = self._read()
        if kept is None or kept["listing"] != _listing(tree):
            return None
        taken, now = time.time_ns(), stamps(tree)
        changed = [
            name
            for name, stamp in now.items()
            if stamp is None or stamp != kept["stamps"].get(name) or _is_racy(stamp, kept["taken"])
        ]
        digests = {}
        for name in changed:
            data = _content(tree, name)
            if data is None:
                return None
            digests[name] = _digest(data)
            if digests[name] != kept["digests"].get(name) and not _same_answers(kept, name, data):
                return None
        if changed:
            digests = {**kept["digests"], **digests}
            self._write({**kept, "stamps": now, "taken": taken, "digests": digests})
        return kept["document"]

    def keep(self, tree: Tree, before: State, taken: int, made: Made) -> None:
        """Keep a document with what it depends on; ``before`` are the stamps, ``taken`` when (ns)."""
        consulted = made.consulted
        kept = {
            "listing": _listing(tree),
            "taken": taken,
            "stamps": before,
            "digests": {name: _digest(data) for name, data in made.data.items()},
            "whole": sorted(consulted.whole),
            "mentioned": [
                [[mentions(word) for word in words], sorted(found)]
                for words, found in consulted.mentioned.items()
            ],
            "asked": {
                name: [[list(question), found] for question, found in answers.items()]
                for name, answers in consulted.asked.items()
                if name not in consulted.whole
            },
            "document": made.document,
        }
        self._write(kept)

    def _read(self) -> Any:
        try:
            if not self._file.is_file():
                return None  # to read a pipe is to wait
            seal, _, text = self._file.read_bytes().partition(b"\n")
            return json.loads(text) if seal == self._seal(text) else None
        except (OSError, ValueError, TargetError):
            return None

    def _write(self, kept: Mapping[str, Any]) -> None:
        text = json.dumps(kept, separators=(",", ":")).encode()
        with suppress(OSError, TargetError):  # what cannot be kept is found out again
            make_cache(cache_root(self.chosen), _FOLDER)
            with beside(self._file, b"%b\n%b" % (self._seal(text), text)) as new:
                new.replace(self._file)
            _make_room(self._file.parent)

    def _seal(self, text: bytes) -> bytes:
        """Return what no other text has, nor this one as the result of another question."""
        return _digest(b"%d %b %b" % (MEMORY_VERSION, self.key.encode(), text)).encode()


@dataclass(frozen=True, slots=True)
class Made:
    """What an analysis has made: a document that JSON can hold, of which bytes, and what it asked."""

    document: Any
    data: Mapping[str, bytes]
    consulted: Consulted


def _same_answers(kept: Any, name: str, data: bytes) -> bool:
    """Return whether what a file has become changes nothing of what was asked of it."""
    if name in kept["whole"]:
        return False
    for questions, found in kept["mentioned"]:
        if any(answer(tuple(q), data) for q in questions) != (name in found):
            return False
    return all(answer(tuple(q), data) == found for q, found in kept["asked"].get(name, ()))


def _stamp(path: str) -> Stamp | None:
    try:
        found = os.stat(path)  # noqa: PTH116
    except OSError:
        return None
    return [found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino]


def _is_racy(stamp: Stamp, taken: int) -> bool:
    _, written, changed, _ = stamp
    return max(written, changed) > taken - _RACY


def _content(tree: Tree, name: str) -> bytes | None:
    path = tree.modules[name].path
    assert path is not None, "it has a stamp"
    try:
        return tree.read(path)
    except TargetError:
        return None


def _listing(tree: Tree) -> str:
    """Return a digest of which modules there are, and of what could not be taken in."""
    modules = [(m.name, m.path, m.is_package, m.is_extension) for m in tree.modules.values()]
    problems = [(p.path, p.reason, _stamp(p.behind) if p.behind else None) for p in tree.problems]
    about = (tree.source, tree.root, tree.package, tree.import_root, modules, problems)
    return _digest(repr(about).encode("utf-8", "backslashreplace"))


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def _make_room(folder: Path) -> None:
    sweep(folder)
    files = sorted(folder.glob("[!.]*.json"), key=_written)
    for file in files[:-_KEPT]:
        with suppress(OSError):  # a folder, or gone
            file.unlink()


def _written(file: Path) -> int:
    try:
        return file.stat().st_mtime_ns
    except OSError:  # another run has made room
        return 0
