"""The output contract: ``audit --format json`` (``schema_version`` 1)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import regreach
from regreach.model import (
    Audit,
    CallSite,
    Cell,
    Finding,
    ImportCycle,
    ImportEdge,
    Registration,
    Spot,
    Suppressed,
    Swallowed,
)
from regreach.report.simple_json import simple_registry_json

SCHEMA_VERSION = 1


def audit_json(
    audit: Audit, findings: Sequence[Finding], suppressed: Sequence[Suppressed] = ()
) -> str:
    """Return an audit with its findings as JSON text; the same audit gives the same bytes."""
    document = {
        **head(audit),
        "registries": [
            {
                "id": registry.id,
                "key_parts": list(registry.parts),
                "cells": [cell_json(c) for c in registry.cells],
            }
            for registry in audit.registries
        ],
        "call_sites": [_call_site(s) for s in audit.call_sites],
        "findings": [finding_json(f) for f in findings],
        "suppressed": [_suppressed(s) for s in suppressed],
        "simple_registries": [simple_registry_json(r) for r in audit.simple_registries],
        "modules": {"eager": list(audit.eager), "imported_first": audit.imported_first},
        "swallowed": [_swallowed(s) for s in audit.swallowed],
        "unsure": list(audit.unsure),
        "problems": [_problem(p) for p in audit.problems],
        "notes": list(audit.notes),
    }
    return dumped(document)


def check_json(
    audit: Audit, findings: Sequence[Finding], suppressed: Sequence[Suppressed] = ()
) -> str:
    """Return only the findings, with the head that says of what."""
    document = {
        **head(audit),
        "findings": [finding_json(f) for f in findings],
        "suppressed": [_suppressed(s) for s in suppressed],
        "unsure": list(audit.unsure),
        "problems": [_problem(p) for p in audit.problems],
        "notes": list(audit.notes),
    }
    return dumped(document)


def dumped(document: dict[str, Any]) -> str:
    """Return a document as text."""
    # in ASCII, so that no terminal's or pipe's encoding has a say
    return json.dumps(document, indent=2) + "\n"


def head(audit: Audit) -> dict[str, Any]:
    """Return the fields that say which tool read which tree."""
    return {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": "regreach", "version": regreach.__version__},
        "tree": {
            "source": audit.source,
            "root": audit.root,
            "package": audit.package,
            "modules": audit.modules,
        },
        "platform": audit.platform,
    }


def place(spot: Spot | None) -> dict[str, Any] | None:
    """Return a path and a line."""
    return None if spot is None else {"path": spot.path, "line": spot.line}


def _registration(found: Registration) -> dict[str, Any]:
    return {
        "module": found.module,
        "path": found.spot.path,
        "line": found.spot.line,
        "symbol": found.symbol,
    }


def edge_json(edge: ImportEdge) -> dict[str, Any]:
    """Return an import as data."""
    return {
        "importer": edge.importer,
        "imported": edge.imported,
        "path": edge.spot.path,
        "line": edge.spot.line,
        "kind": edge.kind,
        "scope": edge.scope,
        "guards": list(edge.guards),
        "star": edge.star,
    }


def cell_json(cell: Cell) -> dict[str, Any]:
    """Return a cell as data."""
    return {
        "key": list(cell.key),
        "registrations": [_registration(r) for r in cell.registrations],
        "after_import": cell.after_import,
        "at_lookup": cell.at_lookup,
        "outcome": cell.outcome,
        "exception": cell.exception,
        "raised_at": place(cell.raised_at),
        "reach": cell.reach,
        "branch": place(cell.branch),
        "lookup": place(cell.lookup),
        "conditions": [{**(place(c) or {}), "text": c.text} for c in cell.conditions],
        "held_back_by": place(cell.held_back_by),
        "importers": [edge_json(e) for e in cell.importers],
        "hangs_on": [edge_json(e) for e in cell.hangs_on],
        "asked_later": cell.asked,
        "counterpart": list(cell.counterpart) if cell.counterpart is not None else None,
        "cycle": cycle(cell.cycle) if cell.cycle is not None else None,
    }


def cycle(cycle: ImportCycle) -> dict[str, Any]:
    """Return an import cycle."""
    return {
        "name": cycle.name,
        "module": cycle.module,
        "asking": place(cycle.asking),
        "waiting": place(cycle.waiting),
        "edges": [edge_json(edge) for edge in cycle.edges],
    }


def _call_site(site: CallSite) -> dict[str, Any]:
    ambient = site.values[0].key[:-1] if site.values else ()
    return {
        "path": site.spot.path,
        "line": site.spot.line,
        "function": site.function,
        "consumer": site.consumer,
        "argument": site.argument,
        "entries": [{"module": module, "function": name} for module, name in site.entries],
        "selectors": [
            {
                "value": v.value,
                "arrives": v.arrives,
                "loaded": v.loaded,
                "outcome": v.outcome,
                "key": list(v.key),
                "exception": v.exception,
                "reads": v.reads,
            }
            for v in site.values
            if v.key[:-1] == ambient
        ],
    }


def finding_json(finding: Finding) -> dict[str, Any]:
    """Return a finding as data."""
    return {
        "rule": finding.rule,
        "severity": finding.severity,
        "path": finding.spot.path,
        "line": finding.spot.line,
        "column": finding.column,
        "message": finding.message,
        "key": None if finding.key is None else list(finding.key),
        "fingerprint": finding.fingerprint,
        "fix": finding.fix,
        "details": [{"label": d.label, "text": d.text} for d in finding.details],
        "related": [
            {"role": r.role, **(place(r.spot) or {}), "text": r.text} for r in finding.related
        ],
    }


def _swallowed(found: Swallowed) -> dict[str, Any]:
    """Return an import whose failure is swallowed, or a loop of them."""
    return {
        **(place(found.spot) or {}),
        "handler": place(found.handler),
        "told": found.is_told,
        "package": found.package or None,
        "modules": list(found.modules),
        "hangs_on": [{**(place(s) or {}), "text": s.text} for s in found.hangs_on],
        "lost": [{**_registration(r), "key": list(r.key)} for r in found.lost],
    }


def _suppressed(suppressed: Suppressed) -> dict[str, Any]:
    """A finding that does not count, and what suppresses it."""
    by = {"by": suppressed.by, **(place(suppressed.spot) or {}), "reason": suppressed.reason}
    return {**finding_json(suppressed.finding), "suppressed": by}


def _problem(problem: Any) -> dict[str, Any]:
    return {
        "path": problem.spot.path,
        "line": problem.spot.line,
        "column": problem.column,
        "message": problem.message,
    }
