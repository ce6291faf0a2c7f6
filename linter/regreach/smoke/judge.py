"""What counts: whether a tree did what the smoke asks for, and whose fault it is when it did not."""

from __future__ import annotations

import re
from collections.abc import Iterator

from regreach.smoke.declared import Smoke
from regreach.smoke.steps import Result

_NO_MODULE = re.compile(r"No module named '([\w.]+)'")
_OF_MODULE = re.compile(r"(?:module|from) '([\w.]+)'")
_IMPORT_ERRORS = ("ImportError", "ModuleNotFoundError")
_NOT_THE_TREES = ("WrongEnvironmentError", "ScriptError")


def missing_package(result: Result, package: str) -> str | None:
    """Return the package outside the tree for want of which a step ended, None when it was not that."""
    found = _NO_MODULE.match(result["message"]) if _is_import_error(result) else None
    top = found.group(1).partition(".")[0] if found is not None else None
    return top if top != package else None


def is_environments_fault(result: Result, package: str) -> bool:
    """Return whether a step failed for what is installed here, and not for what the tree says.

    An ImportError is the environment's, unless a module of the tree is what could not be imported.
    """
    if result["ok"]:
        return False
    if result["exception"] in _NOT_THE_TREES:
        return True
    if not _is_import_error(result):
        return False
    modules = _NO_MODULE.findall(result["message"]) + _OF_MODULE.findall(result["message"])
    return not any(module.partition(".")[0] == package for module in modules)


def told(result: Result) -> str:
    """Return how a step failed: the exception, or how its process ended."""
    if result["exception"] is None:
        return str(result["message"])
    at = result.get("raised_at")
    return str(result["exception"]) + (f" at {at[0]}:{at[1]}" if at else "")


def told_whole(result: Result) -> str:
    """Return how a step failed and what it said, in one line."""
    if result["exception"] is None:
        return told(result)
    return f"{told(result)}: {' '.join(str(result['message']).split())}"


def objections(smoke: Smoke, forward: Result, timing: Result | None) -> Iterator[str]:
    """Yield each reason for which a forward does not pass; none when it does."""
    for shape in forward["shapes"]:
        for run in shape["runs"]:
            problem = _objection(smoke, run)
            if problem is not None:
                yield f"{shape['name']} (seed {run['seed']}): {problem}"
        if smoke.device == "cuda" and not any(run["poisoned"] for run in shape["runs"]):
            yield f"{shape['name']}: it was not looked for output that nothing has written"
    for fault in forward["faults"]:
        if _objection(smoke, fault) is None:
            yield f"the check is blind: {fault['name']} passes with an error of {fault['error']:.2g}"
    for step in (forward, timing):
        if step is not None and not step["ok"]:
            yield told_whole(step)
    done = len(forward["shapes"])
    if forward["ok"] and done < len(smoke.shapes):
        yield f"only {done} of {len(smoke.shapes)} shapes were run"


def _objection(smoke: Smoke, run: Result) -> str | None:
    if run["shape"] is not None:
        return f"the output has the shape {run['shape']}"
    if not run["finite"]:
        reason = "NaN or infinity in the output"
        return f"{reason}, or a part that nothing has written" if run["poisoned"] else reason
    if not run["error"] <= smoke.error_bound:
        return f"relative error {run['error']:.2g}, more than {smoke.error_bound:g}"
    if not run["worst"] <= smoke.row_bound:
        return f"relative error {run['worst']:.2g} in one row, more than {smoke.row_bound:g}"
    return None


def _is_import_error(result: Result) -> bool:
    return not result["ok"] and result["exception"] in _IMPORT_ERRORS
