"""How it stands with one key in one revision."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from regreach.evaluate.session import with_deep_stack
from regreach.explain.keys import near_keys
from regreach.history.comparison import cells
from regreach.model import Audit, Cell, Finding
from regreach.rule import Rule
from regreach.run import judged
from regreach.side_effects import is_worse
from regreach.verdicts import Analysis
from regreach.whole import whole_audit

Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class KeyState:
    """What an analysis says of a key: the findings about it or its selector's value, and its cells.

    ``unread`` are the files that were needed, or may be, and could not be read or parsed, ``near`` the
    keys that are spelled alike where there is no such key.
    """

    findings: tuple[Finding, ...]
    cells: tuple[Cell, ...]
    unread: frozenset[str]
    near: tuple[Key, ...] = ()

    @property
    def cell(self) -> Cell | None:
        """The key's own cell: of the registry that the init path reads, where there are several."""
        return next(iter(self.cells), None)

    @property
    def is_registered(self) -> bool:
        """Whether anything is registered under the key."""
        return any(cell.registrations for cell in self.cells)


def key_state(analysis: Analysis, key: Key, rules: Sequence[Rule]) -> KeyState:
    """Analyse a tree, and return what these rules and the cells say of a key."""

    def audited() -> Audit:
        return whole_audit(analysis) if analysis.only is None else analysis.audit()

    audit = with_deep_stack(audited)
    about = tuple(f for f in judged(audit, rules) if f.key in (key, key[-1:]))
    own = tuple(cell for cell in cells(audit.registries) if cell.key == key)
    near = () if own else tuple(near_keys(audit.registries, key))
    hidden = {analysis.program.not_read(module) for module in analysis.machine.unread}
    unread = {*analysis.program.broken, *(doubt.path for doubt in audit.doubtful), *hidden}
    return KeyState(about, own, frozenset(path for path in unread if path is not None), near)


def is_weaker(was: KeyState, now: KeyState) -> bool:
    """Return whether a key is there less surely, or by a weaker reach, than it was."""
    if was.cell is None or now.cell is None:
        return was.is_registered and not now.is_registered
    return is_worse(was.cell, now.cell)
