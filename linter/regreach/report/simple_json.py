"""Simple registries as data, for ``audit --format json``."""

from __future__ import annotations

from typing import Any

from regreach.model import Clash, SimpleEntry, SimpleRegistryResult, Wanted


def simple_registry_json(registry: SimpleRegistryResult) -> dict[str, Any]:
    """Return a simple registry as data."""
    return {
        "id": registry.id,
        "doubled": registry.doubled,
        "lookups": list(registry.lookups),
        "open": registry.open or None,
        "entries": [
            {
                **entry_json(e),
                "lazy": e.lazy,
                "possible": e.possible,
                "reach": e.reach or None,
                "target": e.target or None,
                "chain": [{"path": edge.spot.path, "line": edge.spot.line} for edge in e.chain],
            }
            for e in registry.entries
        ],
        "clashes": [_clash(c) for c in registry.clashes],
        "wanted": [_wanted(w) for w in registry.wanted],
        "unreached": [entry_json(e) for e in registry.unreached],
        "lost": [
            {**entry_json(each.entry), "target": each.entry.target, "missing": each.missing}
            for each in registry.lost
        ],
    }


def entry_json(entry: SimpleEntry) -> dict[str, Any]:
    """Return a registration of a simple registry as data."""
    return {
        "key": entry.key,
        "module": entry.module,
        "path": entry.spot.path,
        "line": entry.spot.line,
        "symbol": entry.symbol,
    }


def _clash(clash: Clash) -> dict[str, Any]:
    return {
        "key": clash.key,
        "root": clash.root or None,
        "entries": [
            {
                **entry_json(entry),
                "way": [
                    {"path": e.spot.path, "line": e.spot.line, "kind": e.kind, "scope": e.scope}
                    for e in edges
                ],
            }
            for entry, edges in zip(clash.entries, clash.ways, strict=True)
        ],
    }


def _wanted(wanted: Wanted) -> dict[str, Any]:
    return {
        "kind": wanted.kind,
        "key": wanted.key,
        "path": wanted.spot.path,
        "line": wanted.spot.line,
        "source": wanted.source,
        "near": wanted.near or None,
        "entries": [entry_json(entry) for entry in wanted.entries],
    }
