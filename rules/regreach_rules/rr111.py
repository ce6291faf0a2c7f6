"""RR111: an import that begins above the import root and loads what it names a second time."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files

from regreach.model import Audit, Detail, Finding, ImportAboveRoot
from regreach.rule import Rule, fingerprint

from regreach_rules import story


def check(audit: Audit) -> Iterator[Finding]:
    """Yield a finding for each import that begins above the root."""
    for found in audit.above_root:
        yield _finding(found)


def _finding(found: ImportAboveRoot) -> Finding:
    inside = story.clipped(found.inside)
    second = ", with registries of its own" if found.registries else ""
    message = (
        f'this import begins above the import root, in "{found.above}": it works only where the'
        f" repository's root is on the path, and there it loads {inside} a second time{second}"
    )
    fix: dict[str, str | int] = {
        "kind": "begin-at-root",
        "path": found.spot.path,
        "line": found.spot.line,
        "above": found.above,
        "package": found.inside.partition(".")[0],
    }
    details = [Detail("imports", found.written), Detail("write", found.inside)]
    details += [Detail("held twice", each) for each in found.registries]
    no_fix = f"it binds `{found.binds}`, which is used elsewhere perhaps" if found.binds else ""
    return Finding(
        "RR111",
        "error",
        found.spot,
        found.column,
        message,
        None,
        fingerprint("RR111", found.importer, found.scope, found.written),
        fix if not found.binds else None,
        tuple(details),
        no_fix,
    )


RULE = Rule(
    "RR111",
    "above-import-root",
    "error",
    "an import that begins above the import root and loads what it names a second time",
    files(__package__ or "").joinpath("rr111.md").read_text(encoding="utf-8"),
    check,
    mended="on request",
    by_key=True,
    final=True,
)
