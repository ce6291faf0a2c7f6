"""``explain --format json``: the story of a key; ``docs/explain.md`` describes its fields."""

from __future__ import annotations

from typing import Any

from regreach.explain.story import Loading, Related, SiteStory, Story, Way
from regreach.model import Audit, ImportEdge, Placement, Remedy
from regreach.report import as_json
from regreach.report.rule_json import rule_json


def explain_json(audit: Audit, story: Story) -> str:
    """Return a story as JSON text, with the head that says of which tree."""
    return as_json.dumped(
        {
            **as_json.head(audit),
            "registry": story.cell.registry,
            "key_parts": list(story.parts),
            "cell": as_json.cell_json(story.cell),
            "consumer": {
                "path": story.cell.consumer,
                "defined": as_json.place(story.defined),
                "asked_later_at": [as_json.place(spot) for spot in story.asked_at],
            },
            "loading": [_loading(each) for each in story.loadings],
            "process_roots": list(story.roots),
            "call_sites": [_site(each) for each in story.sites],
            "same_value": [as_json.cell_json(each) for each in story.siblings],
            "related": [_related(each) for each in story.related],
            "findings": [as_json.finding_json(each) for each in story.findings],
            "rules": [rule_json(rule) for rule in story.rules.values()],
        }
    )


def _way(way: Way | None) -> dict[str, Any] | None:
    return None if way is None else {"loaded": way.loaded, "chain": _edges(way.chain)}


def _edges(edges: tuple[ImportEdge, ...]) -> list[dict[str, Any]]:
    return [as_json.edge_json(each) for each in edges]


def _loading(loading: Loading) -> dict[str, Any]:
    return {
        "module": loading.module,
        "path": loading.path,
        "at_import": loading.at_import,
        "by_consumer": _way(loading.consumer),
        "by_process": _way(loading.process),
        "importers": _edges(loading.importers),
        "remedy": _remedy(loading.remedy, loading) if loading.remedy is not None else None,
    }


def _remedy(remedy: Remedy, loading: Loading) -> dict[str, Any]:
    return {
        "statement": remedy.statement,
        "path": remedy.home,
        "place": remedy.place,
        "needed": loading.consumer.loaded != "yes",
        "branch": as_json.place(remedy.branch),
        "before": as_json.place(remedy.before),
        "in_function": _placement(remedy.lazy),
        "at_top": _placement(remedy.top),
        "cycle_at_top": _edges(loading.ring),
        "works_instead": list(remedy.others),
    }


def _placement(placement: Placement) -> dict[str, Any]:
    return {
        "error": placement.error,
        "imported_first": placement.first,
        "packages": list(placement.packages),
        "cycle": as_json.cycle(placement.cycle) if placement.cycle is not None else None,
    }


def _site(story: SiteStory) -> dict[str, Any]:
    site, value = story.site, story.value
    return {
        "path": site.spot.path,
        "line": site.spot.line,
        "module": site.module,
        "function": site.function,
        "argument": site.argument,
        "entries": [{"module": module, "function": name} for module, name in site.entries],
        "arrives": value.arrives,
        "loaded": value.loaded,
        "outcome": value.outcome,
        "exception": value.exception,
        "loaded_by": [_edges(way) for way in story.ways],
    }


def _related(related: Related) -> dict[str, Any]:
    return {
        "registry": related.registry,
        "key": list(related.key),
        "why": related.why,
        "cell": as_json.cell_json(related.cell) if related.cell is not None else None,
    }
