"""What ``regreach probe`` prints."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator

from rich.text import Text

import regreach
from regreach.probe.compare import KINDS, UNSEEN, Compared, described
from regreach.probe.ending import Ending
from regreach.probe.run import Probed
from regreach.probe.truth import CellTruth

_SHOWN = 3  # so many places are shown where stand-ins decided something


def probe_lines(probed: Probed, *, comparing: bool) -> Iterator[Text]:
    """Yield what was executed and how it ended; with ``comparing``, each disagreement."""
    audit, truth = probed.audit, probed.truth
    yield Text(
        f"{audit.source}  {audit.package} executed, platform {audit.platform}, Python {truth.python}"
    )
    yield Text(f"importing the consumer executes {len(truth.eager)} modules")
    for module, ending in truth.imports.items():
        if not ending.ok:
            yield Text(f"importing {module} fails: {_text(ending)}", "red")
            if ending.unjudged is not None:
                yield Text("--python takes an interpreter that has the packages of the tree", "red")
    if not comparing:
        yield from _cells(probed)
        yield from _first(probed)
        yield from _sites(probed)
    yield from _decisions(probed)
    if truth.untouched:
        yield Text(f"not as on that platform, but as here: {', '.join(truth.untouched)}")
    if comparing:
        yield Text()
        yield from _comparison(probed.compared)


def _cells(probed: Probed) -> Iterator[Text]:
    for registry, cells in probed.truth.cells.items():
        yield Text()
        yield Text(registry, "bold")
        width = max((len(" ".join(key)) for key in cells), default=0)
        for key, cell in cells.items():
            yield Text(f"  {' '.join(key):{width}}  {_there(cell)}  {_ending(cell)}")


def _there(cell: CellTruth) -> str:
    if cell.after_import:
        return "there after the import"
    return "there at the look-up  " if cell.at_lookup else "not there             "


def _ending(cell: CellTruth) -> str:
    return "nothing asks for it" if cell.ending is None else _text(cell.ending)


def _text(ending: Ending) -> str:
    at = ending.raised_at
    return described(ending) + (f" ({at[0]}:{at[1]})" if at is not None else "")


def _first(probed: Probed) -> Iterator[Text]:
    yield Text()
    yield Text("imported before anything else", "bold")
    for module, ending in probed.truth.imported_first.items():
        yield Text(f"  {module}  {described(ending)}")


def _sites(probed: Probed) -> Iterator[Text]:
    if not probed.truth.sites:
        return
    yield Text()
    yield Text("call sites, each with its module imported before anything else", "bold")
    for spot, site in probed.truth.sites.items():
        raising = [k for k, v in site.arrivals.items() if any(not a.ending.ok for a in v)]
        yield Text(f"  {spot}  {len(site.arrivals)} keys arrive, {len(raising)} raise")
        for key in raising:
            endings = {_text(a.ending) for a in site.arrivals[key] if not a.ending.ok}
            yield Text(f"    {' '.join(key)}  {' or '.join(sorted(endings))}")


def _decisions(probed: Probed) -> Iterator[Text]:
    places = dict.fromkeys(d for each in probed.truth.decisions.values() for d in each)
    if not places:
        return
    yield Text(f"stand-ins decided something at {len(places)} places:", "yellow")
    for place in list(places)[:_SHOWN]:
        yield Text(f"  {place}")
    if len(places) > _SHOWN:
        yield Text(f"  and {len(places) - _SHOWN} more (--format json lists them)")


def _comparison(compared: tuple[Compared, ...]) -> Iterator[Text]:
    of: Counter[str] = Counter(c.kind for c in compared)
    agree = Counter(c.kind for c in compared if c.agrees)
    for kind in KINDS:
        if of[kind]:
            yield Text(f"{kind:15} {agree[kind]} of {of[kind]} agree")
    unseen = Counter(c.what.partition(" ")[0] for c in compared if c.unjudged == UNSEEN)
    for site, count in unseen.items():
        yield Text(
            f"  {site}: {count} keys that are said to arrive were on no path that was tried", "dim"
        )
    for each in compared:
        if not each.agrees and each.unjudged != UNSEEN:
            yield Text()
            yield Text(f"{each.kind}: {each.what}", "yellow" if each.unjudged else "red")
            yield Text(f"  regreach says  {each.said}")
            yield Text(f"  it was         {each.real}")
            if each.unjudged:
                yield Text(f"  which may not be the truth: {each.unjudged}")


def disagreements(compared: tuple[Compared, ...]) -> list[Compared]:
    """Return what counts: both sides know, and say different things."""
    return [c for c in compared if not c.agrees and c.unjudged is None]


def probe_json(probed: Probed) -> str:
    """Return everything as JSON text."""
    truth = probed.truth
    document = {
        "schema_version": 1,
        "tool": {"name": "regreach", "version": regreach.__version__},
        "source": probed.audit.source,
        "platform": probed.audit.platform,
        "python": truth.python,
        "modules": {
            "eager": truth.eager,
            "imported_first": {m: described(e) for m, e in truth.imported_first.items()},
        },
        "registries": [
            {"id": registry, "cells": [_cell(key, cell) for key, cell in cells.items()]}
            for registry, cells in truth.cells.items()
        ],
        "process": None
        if truth.process is None
        else {
            "outcome": described(truth.process_ending) if truth.process_ending else None,
            "registries": {k: sorted(map(list, v)) for k, v in truth.process.items()},
        },
        "call_sites": [
            {
                "path": spot.path,
                "line": spot.line,
                "arrivals": [
                    {
                        "key": list(key),
                        "loaded": arrival.loaded,
                        "reads": arrival.reads,
                        "outcome": described(arrival.ending),
                        "unjudged": arrival.ending.unjudged,
                    }
                    for key, arrivals in site.arrivals.items()
                    for arrival in arrivals
                ],
                "paths_ended": site.endings,
                "more_paths": site.cut,
            }
            for spot, site in truth.sites.items()
        ],
        "decided_by_stand_ins": truth.decisions,
        "as_here": truth.untouched,
        "disagreements": [
            {"kind": c.kind, "what": c.what, "said": c.said, "real": c.real, "unjudged": c.unjudged}
            for c in probed.compared
            if not c.agrees
        ],
        "compared": dict(Counter(c.kind for c in probed.compared)),
    }
    return json.dumps(document, indent=2) + "\n"


def _cell(key: tuple[str, ...], cell: CellTruth) -> dict[str, object]:
    ending = cell.ending
    at = ending.raised_at if ending is not None else None
    return {
        "key": list(key),
        "after_import": cell.after_import,
        "at_lookup": cell.at_lookup,
        "outcome": cell.outcome,
        "exception": ending.exception if ending is not None else None,
        "message": ending.message if ending is not None else "",
        "raised_at": {"path": at[0], "line": at[1]} if at is not None else None,
        "unjudged": ending.unjudged if ending is not None else None,
        "otherwise": [_cell(key, other) for other in cell.otherwise],
    }
