"""The smoke's script: what it must have, and how it is imported."""

from __future__ import annotations

import importlib
import os
import sys
import types
from collections.abc import Mapping
from typing import Any

_NAMES = ("path", "config", "set_up", "FAULTS", "Case")


class ScriptError(Exception):
    """The smoke's script does not do what it should: that is not the tree's fault."""


def load_script(plan: Mapping[str, Any]) -> types.ModuleType:
    """Import the smoke's script; the files beside it are its package, ``_regreach_smokes``.

    Raises ScriptError when it lacks something, and what its own code raises.
    """
    folder, _, file = plan["script"].rpartition(os.sep)
    package = types.ModuleType("_regreach_smokes")
    package.__path__ = [folder]
    sys.modules[package.__name__] = package
    script = importlib.import_module(f"{package.__name__}.{file.removesuffix('.py')}")
    missing = [name for name in _NAMES if not hasattr(script, name)]
    if missing:
        raise ScriptError(f"{plan['script']} lacks {', '.join(missing)}")
    return script
