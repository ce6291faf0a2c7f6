"""What a configuration file says: checked values by key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from regreach.config.config_file import ConfigFile
from regreach.model import Severity


@dataclass(frozen=True, slots=True)
class Settings:
    """The values of the keys that a file has; all are of the right kind, and name what there is.

    ``values`` has pack, platform, baseline (strings), env (string to string), absent, select, ignore (tuples of
    strings), jobs (1 or more), offline, cache (booleans) and fail-on (a severity); ``severity`` is by the
    code of a rule, ``path_ignores`` are patterns with codes.
    """

    file: ConfigFile
    values: Mapping[str, Any]
    severity: Mapping[str, Severity]
    path_ignores: tuple[tuple[str, frozenset[str]], ...]

    def place(self, key: str) -> str:
        """Return where a key stands, for people: the file's name, and the key as TOML writes it."""
        return f"{self.file.name}: {self.dotted(key)}"

    def dotted(self, key: str) -> str:
        """Return a key with the table that it stands in."""
        return f"{self.file.where}.{key}" if self.file.where else key
