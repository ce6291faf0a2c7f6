"""The configuration: ``[tool.regreach]`` in ``pyproject.toml``, or ``regreach.toml``.

Finding and reading it is here; what options make of it is the command line's (``cli/configured.py``).
"""

from __future__ import annotations

from regreach.config.find import find_config, given_config
from regreach.config.read import read_config
from regreach.config.settings import Settings

__all__ = ["Settings", "find_config", "given_config", "read_config"]
