"""Code of regreach's own that runs in an interpreter which need not have regreach installed.

The folders named ``inside`` hold such code: the standard library is all that it may count on.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

_BEGIN = """
import importlib, importlib.util, sys
for name, folder in {folders!r}.items():
    spec = importlib.util.spec_from_file_location(
        name, folder + "/__init__.py", submodule_search_locations=[folder])
    sys.modules[name] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
importlib.import_module({module!r}).main()
"""


def start_code(module: str, folders: Mapping[str, Path]) -> str:
    """Return what ``python -c`` is given to call ``main`` of a module.

    ``folders`` are packages (each with an ``__init__.py``) under the names that they have there: private
    ones, so that nothing of the tree is shadowed, and nothing beside them becomes importable.
    """
    return _BEGIN.format(folders={k: str(v) for k, v in folders.items()}, module=module)
