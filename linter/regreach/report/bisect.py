"""What ``bisect`` prints: the commit, and what it did to the key."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from rich.text import Text

import regreach
from regreach.history.bisecting import Found
from regreach.history.explanation import deletions
from regreach.history.import_changes import ImportLine
from regreach.history.key_state import KeyState, state_text
from regreach.history.repository import Commit
from regreach.model import Detail
from regreach.report.as_json import SCHEMA_VERSION, cell_json, edge_json, finding_json
from regreach.report.simple_json import entry_json
from regreach.report.since import commit_json
from regreach.report.text import detail_lines
from regreach.rule import key_text


def bisect_lines(found: Found) -> Iterator[Text]:
    """Yield the commit, or those that it can be, and what became of the key."""
    head = Text(key_text(found.key), "bold")
    did = "broken" if found.broke else "mended"
    style = "bold red" if found.broke else "bold green"
    head.append(f" was {did} by ", style)
    if len(found.commits) > 1:
        head.append(f"one of these {len(found.commits)} commits; the others could not be analysed")
        yield head
        for commit in found.commits:
            yield Text(f"    {_one_line(commit)}")
    else:
        head.append(_one_line(found.commits[0]))
        yield head
        yield from detail_lines([*_story(found)])
    for commit, why in found.skipped:
        line = Text(f"    {'skipped':<13} ", "dim")
        line.append(f"{commit}  {why}")
        yield line


def _story(found: Found) -> Iterator[Detail]:
    yield Detail("commit", found.commits[0].hash)
    yield Detail("author", f"{found.commits[0].author}, {found.commits[0].date}")
    if found.before is None or found.after is None or found.parent is None:
        return
    yield Detail("before", _state(found.before))
    yield Detail("after", _state(found.after))
    change, cell = found.imports, found.before.cell
    if change is None:
        return
    if cell is not None and found.broke:
        yield from deletions(change, found.parent, cell)
    elif not found.broke:
        for deleted in change.deleted:
            yield Detail("deleted", f"{deleted.edge.spot} at {found.parent}  {deleted.text}")
    for added in change.added:
        yield Detail("added", f"{added.edge.spot}  {added.text}")


def _state(state: KeyState) -> str:
    told = "".join(f"; {f.rule} {f.spot}: {f.message}" for f in state.findings)
    return f"{state_text(state)}{told}"


def _one_line(commit: Commit) -> str:
    return f"{commit}  {commit.date}  {commit.subject}"


def bisect_notes(found: Found) -> Iterator[Text]:
    """Yield notes, and a line about the work."""
    for note in found.notes:
        yield Text(f"note: {note}", "yellow")
    yield Text(
        f"told by {found.sign}; {found.analysed} revisions analysed in {found.seconds:.1f} s,"
        f" {_commits(found.candidates)} the package"
    )


def _commits(count: int) -> str:
    return "1 commit touches" if count == 1 else f"{count} commits touch"


def bisect_json(found: Found) -> str:
    """Return the result as JSON text; ``seconds`` alone differs from run to run."""
    change = found.imports
    document = {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": "regreach", "version": regreach.__version__},
        "key": list(found.key),
        "change": "broke" if found.broke else "mended",
        "told_by": found.sign,
        "commits": [commit_json(commit) for commit in found.commits],
        "parent": None if found.parent is None else commit_json(found.parent),
        "before": _state_json(found.before),
        "after": _state_json(found.after),
        "deleted_imports": [_import(each) for each in change.deleted] if change else [],
        "added_imports": [_import(each) for each in change.added] if change else [],
        "skipped": [{**commit_json(commit), "why": why} for commit, why in found.skipped],
        "analysed": found.analysed,
        "candidates": found.candidates,
        "seconds": round(found.seconds, 1),
        "notes": list(found.notes),
    }
    return json.dumps(document, indent=2) + "\n"


def _state_json(state: KeyState | None) -> dict[str, Any] | None:
    if state is None:
        return None
    return {
        "cells": [{"registry": cell.registry, **cell_json(cell)} for cell in state.cells],
        "entries": [entry_json(entry) for entry in state.entries],
        "findings": [finding_json(finding) for finding in state.findings],
    }


def _import(each: ImportLine) -> dict[str, Any]:
    return {
        **edge_json(each.edge),
        "text": each.text,
        "statement": each.statement,
        "unused": each.unused,
        "kept_by_noqa": each.kept_by_noqa,
    }
