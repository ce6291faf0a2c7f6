"""What is done to a file, and for which finding."""

from __future__ import annotations

from dataclasses import dataclass

from regreach.model import Finding


@dataclass(frozen=True, slots=True)
class Edit:
    """A file of the tree, by its path relative to the root: what it holds, and what it should hold."""

    path: str
    before: bytes
    after: bytes


@dataclass(frozen=True, slots=True)
class MendedFinding:
    """A finding that is mended by what was added: at which line of the edited file, what, where and why."""

    finding: Finding
    path: str
    line: int
    added: str
    where: str
    why: str


@dataclass(frozen=True, slots=True)
class LeftFinding:
    """A finding that is not mended, and why not."""

    finding: Finding
    why: str
