"""How it stands with one key in one revision."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from regreach.evaluate.session import with_deep_stack
from regreach.explain.keys import near_keys
from regreach.history.comparison import cells
from regreach.history.explanation import state_text as cell_text
from regreach.model import Audit, Cell, Finding, SimpleEntry
from regreach.rule import Rule
from regreach.run import judged
from regreach.side_effects import is_worse
from regreach.verdicts import Analysis
from regreach.whole import whole_audit

Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class KeyState:
    """What an analysis says of a key: the findings about it or its selector's value, and its cells.

    The key of a simple registry has ``entries`` in place of cells. ``unread`` are the files that were
    needed, or may be, and could not be read or parsed, ``near`` the keys that are spelled alike where
    there is no such key.
    """

    findings: tuple[Finding, ...]
    cells: tuple[Cell, ...]
    unread: frozenset[str]
    near: tuple[Key, ...] = ()
    entries: tuple[SimpleEntry, ...] = ()

    @property
    def cell(self) -> Cell | None:
        """The key's own cell: of the registry that the init path reads, where there are several."""
        return next(iter(self.cells), None)

    @property
    def is_registered(self) -> bool:
        """Whether anything is registered under the key."""
        return bool(self.entries) or any(cell.registrations for cell in self.cells)

    @property
    def is_known(self) -> bool:
        """Whether there is something to say of the key."""
        return bool(self.cells or self.entries or self.findings)


def key_state(analysis: Analysis, key: Key, rules: Sequence[Rule]) -> KeyState:
    """Analyse a tree, and return what these rules and the cells say of a key."""

    pack = analysis.pack
    simple = analysis.only is not None and not pack.registries

    def audited() -> Audit:
        if analysis.only is not None and not simple:
            return analysis.audit()
        return whole_audit(analysis, complete=simple)

    audit = with_deep_stack(audited)
    about = tuple(f for f in judged(audit, rules) if f.key in (key, key[-1:]))
    own = tuple(cell for cell in cells(audit.registries) if cell.key == key)
    there = [entry for registry in audit.simple_registries for entry in registry.entries]
    entries = tuple(entry for entry in there if (entry.key,) == key)
    near = () if own or entries else tuple(_near(audit, there, key))
    hidden = {analysis.program.not_read(module) for module in analysis.machine.unread}
    unread = {*analysis.program.broken, *(doubt.path for doubt in audit.doubtful), *hidden}
    if simple:
        words = {r.word.encode() for each in pack.simple_registries for r in each.registrars}
        unread |= {p for p in analysis.program.not_read_with(words) if not pack.ignores(p)}
    paths = frozenset(path for path in unread if path is not None)
    return KeyState(about, own, paths, near, entries)


def _near(audit: Audit, entries: Iterable[SimpleEntry], key: Key) -> Iterable[Key]:
    known = sorted({entry.key for entry in entries if entry.key is not None})
    alike = difflib.get_close_matches(key[-1], known)
    return [*near_keys(audit.registries, key), *((each,) for each in alike)]


def state_text(state: KeyState) -> str:
    """Return in a few words how it stands with a key."""
    if not state.entries:
        return "nothing registered" if not state.cells else cell_text(state.cell)
    places = (f"{e.spot}{f' (reach {e.reach})' if e.reach else ''}" for e in state.entries)
    return f"registered at {', '.join(places)}"


def is_weaker(was: KeyState, now: KeyState) -> bool:
    """Return whether a key is there less surely, or by a weaker reach, than it was."""
    if was.cell is None or now.cell is None:
        return was.is_registered and not now.is_registered
    return is_worse(was.cell, now.cell)
