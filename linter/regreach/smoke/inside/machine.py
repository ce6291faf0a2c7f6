"""What this machine is: its GPU, its packages, and the path that the script says will run."""

from __future__ import annotations

import contextlib
import copy
import importlib
import importlib.metadata
import importlib.util
import platform
import subprocess
import types
from collections.abc import Callable, Mapping
from typing import Any

from .script import ScriptError


def report(plan: Mapping[str, Any], script: Callable[[], types.ModuleType]) -> dict[str, Any]:
    """Return the machine, what it lacks of the smoke's needs, and the path that the forward will take.

    ``script`` imports the script; what it needs has to be there.
    """
    missing = [need for need in plan["needs"] if importlib.util.find_spec(need) is None]
    found: dict[str, Any] = {
        "python": platform.python_version(),
        "import_root": plan["import_root"],
        "packages": {need: _version(need) for need in plan["needs"] if need not in missing},
        "tree": _version_of_tree(plan),
        "missing": missing,
        "gpu": _gpu() if plan["device"] == "cuda" and "torch" not in missing else None,
        "driver": _driver() if plan["device"] == "cuda" else None,
        "path": None,
    }
    if not missing and (plan["device"] != "cuda" or found["gpu"] is not None):
        found["path"] = _path(script, found)
    return found


def _path(script: Callable[[], types.ModuleType], found: dict[str, Any]) -> dict[str, Any]:
    try:
        path = script().path(copy.deepcopy(found))
        if not isinstance(path, dict) or not {"name", "runs", "why"} <= path.keys():
            raise ScriptError(f"path() must return a name, runs and why, not {path!r}")
        return {"name": str(path["name"]), "runs": bool(path["runs"]), "why": str(path["why"])}
    except Exception as error:  # of the packages that it asks, so of this machine
        return {"name": None, "runs": False, "why": f"{type(error).__name__}: {error}"}


def _gpu() -> dict[str, Any] | None:
    import torch

    if not torch.cuda.is_available():
        return None
    properties = torch.cuda.get_device_properties(0)
    return {
        "name": properties.name,
        "capability": [properties.major, properties.minor],
        "memory_bytes": properties.total_memory,
        "cuda": torch.version.cuda,
    }


def _driver() -> str | None:
    # torch may be missing, and does not know it
    command = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader", "--id=0"]
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True)
        return done.stdout.strip() or None
    return None


def _version_of_tree(plan: Mapping[str, Any]) -> str | None:
    """Return what the metadata beside the tree's package say; None in a checkout, which has none."""
    found = importlib.metadata.Distribution.discover(
        name=plan["package"], path=[plan["import_root"]]
    )
    return next((each.version for each in found), None)


def _version(module: str) -> str | None:
    """Return the version of the distribution that a module belongs to; None when that is not known."""
    names = importlib.metadata.packages_distributions().get(module, [module])
    with contextlib.suppress(importlib.metadata.PackageNotFoundError):
        return importlib.metadata.version(names[0])
    return None
