"""What ``regreach smoke`` prints."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from rich.text import Text

import regreach
from regreach.rule import key_text
from regreach.smoke.judge import told
from regreach.smoke.run import Smoked, TreeRun

_LABEL = 10


def smoke_lines(smoked: Smoked) -> Iterator[Text]:
    """Yield the machine, what happened before and after, and the verdict last."""
    yield Text(f"{smoked.source}  {key_text(smoked.smoke.key)}", "bold")
    yield from _machine(smoked)
    if smoked.stood_in:
        yield _line(
            "stood in",
            f"{', '.join(smoked.stood_in)} (not installed; a forward that uses one does not pass)",
        )
    if smoked.before is not None:
        yield _line("before", _construct(smoked.before), _style(not smoked.before.construct["ok"]))
    for edit in smoked.edits:
        yield _line("fix", edit)
    if smoked.run is not None:
        label = "after" if smoked.before is not None else "look-up"
        yield _line(label, _construct(smoked.run), _style(smoked.run.construct["ok"]))
        yield from _forward(smoked, smoked.run)
    yield Text()
    yield Text(verdict(smoked), "bold green" if smoked.confirmed else "bold red")


def verdict(smoked: Smoked) -> str:
    """Return the one line that says whether it is confirmed, and why not."""
    if smoked.refused is not None:
        return f"not confirmed: {smoked.refused}"
    assert smoked.run is not None, "a smoke that was not refused has run"
    if not smoked.run.passed:
        return f"not confirmed: {smoked.run.objections[0]}"
    ok = f"ok, error {_error(smoked.run):.1g}"
    if smoked.run.timing is not None:
        first = smoked.run.timing["shapes"][0]
        ok += f", {_time(first['seconds'])} ({first['name']})"
    if smoked.before is None:
        return f"confirmed: {ok}"
    return f"confirmed: before: {told(smoked.before.construct)}; after: {ok}"


def smoke_json(smoked: Smoked) -> str:
    """Return everything as JSON text; times are in seconds, sizes in bytes."""
    smoke = smoked.smoke
    document = {
        "schema_version": 1,
        "tool": {"name": "regreach", "version": regreach.__version__},
        "source": smoked.source,
        "registry": smoke.registry,
        "key": list(smoke.key),
        "machine": smoked.machine,
        "stood_in": smoked.stood_in,
        "bounds": {"error": smoke.error_bound, "row": smoke.row_bound},
        "shapes": [dict(shape) for shape in smoke.shapes],
        "before": _tree(smoked.before),
        "edits": list(smoked.edits),
        "run": _tree(smoked.run),
        "confirmed": smoked.confirmed,
        "verdict": verdict(smoked),
    }
    return json.dumps(document, indent=2) + "\n"


def _tree(run: TreeRun | None) -> dict[str, Any] | None:
    if run is None:
        return None
    return {
        "construct": run.construct,
        "forward": run.forward,
        "timing": run.timing,
        "objections": list(run.objections),
    }


def _machine(smoked: Smoked) -> Iterator[Text]:
    machine = smoked.machine
    gpu = machine["gpu"]
    if gpu is not None:
        major, minor = gpu["capability"]
        gib = gpu["memory_bytes"] / 2**30
        yield _line(
            "machine",
            f"{gpu['name']}, {gib:.0f} GiB, SM{major}{minor}, driver {machine['driver'] or 'unknown'},"
            f" CUDA {gpu['cuda']}, Python {machine['python']}",
        )
    else:
        yield _line("machine", f"Python {machine['python']}; this smoke needs no GPU")
    versions = {smoked.package: machine["tree"], **machine["packages"]}
    yield _line(
        "packages", ", ".join(f"{n} {v or '(version unknown)'}" for n, v in versions.items())
    )
    path = machine["path"]
    yield _line("path", f"{path['name']}; {path['why']}")


def _construct(run: TreeRun) -> str:
    construct = run.construct
    if construct["ok"]:
        return str(construct["function"])
    return f"{told(construct)}\n{'':{_LABEL}}{construct['message']}"


def _forward(smoked: Smoked, run: TreeRun) -> Iterator[Text]:
    if run.forward is None:
        return
    times = {s["name"]: s for s in (run.timing or {}).get("shapes", ())}
    width = max(len(str(s["name"])) for s in smoked.smoke.shapes)
    yield Text()
    yield Text(f"{'shape':{width}}  error   worst row  time      floor", "dim")
    for shape in run.forward["shapes"]:
        yield Text(f"{shape['name']:{width}}  {_errors(shape)}{_times(times.get(shape['name']))}")
    if times:
        moved = next(iter(times.values()))["bandwidth"]
        clock = "the GPU's events" if smoked.smoke.device == "cuda" else "the clock"
        yield Text(
            f"time: median, by {clock}; floor: the bytes that must be moved, at the"
            f" {moved / 1e9:,.0f} GB/s of a copy here",
            "dim",
        )
    faults = run.forward["faults"]
    if faults:
        if smoked.smoke.device != "cuda":
            yield Text("unwritten output is looked for on a GPU only", "dim")
        told_faults = ", ".join(f"{f['name']} {_number(f['error'])}" for f in faults)
        yield _line("wrong on purpose", f"{told_faults} (bound {smoked.smoke.error_bound:g})")
    for objection in run.objections:
        yield Text(f"  {objection}", "red")


def _errors(shape: Mapping[str, Any]) -> str:
    runs = shape["runs"]
    error = max((r["error"] for r in runs if r["error"] is not None), default=None)
    worst = max((r["worst"] for r in runs if r["worst"] is not None), default=None)
    return f"{_number(error):6}  {_number(worst):9}  "


def _times(times: Mapping[str, Any] | None) -> str:
    return "" if times is None else f"{_time(times['seconds']):8}  {_time(times['floor_seconds'])}"


def _number(value: float | None) -> str:
    return "NaN" if value is None else f"{value:.2g}"


def _time(seconds: float) -> str:
    return f"{seconds * 1e3:.3g} ms"


def _error(run: TreeRun) -> float:
    assert run.forward is not None, "what has passed has run"
    return max(float(r["error"]) for shape in run.forward["shapes"] for r in shape["runs"])


def _line(label: str, text: str, style: str = "") -> Text:
    line = Text(f"{label:{_LABEL}}" if len(label) < _LABEL else f"{label}  ", "dim")
    return line.append(text, style)


def _style(good: bool) -> str:
    return "" if good else "red"
