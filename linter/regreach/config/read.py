"""From a configuration file to settings; whatever is wrong in it is told at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar, cast

from regreach.config.config_file import ConfigFile
from regreach.config.settings import Settings
from regreach.errors import ConfigError
from regreach.model import Severity
from regreach.plugins import Plugins
from regreach.toml_table import Table

SEVERITIES = ("error", "warning", "info")
_T = TypeVar("_T")


def read_config(file: ConfigFile, plugins: Plugins) -> tuple[Settings, list[str]]:
    """Return what a file says, and a line for each entry that is wrong, which is left out.

    A line has file, key, what it is and what it may be. ``plugins`` has the rules that the file may name.
    Raises ConfigError when there is no table.
    """
    reader = _Reader(Table(file.name, file.where, file.table), plugins)
    settings = Settings(file, reader.values(), reader.severities(), reader.path_ignores())
    return settings, reader.finish()


class _Reader:
    """Reads one table, and collects what is wrong instead of ending at the first."""

    def __init__(self, table: Table, plugins: Plugins) -> None:
        self._table, self._plugins = table, plugins
        self._errors: list[str] = []

    def finish(self) -> list[str]:
        """Return what is wrong."""
        self._collected(self._table.finish)
        return self._errors

    def values(self) -> dict[str, Any]:
        """Return the values of the keys that are there."""
        readers: dict[str, Callable[[str], object]] = {
            "pack": self._text,
            "package": self._text,
            "platform": self._text,
            "env": self._table.text_mapping,
            "absent": self._table.texts,
            "select": self._selected,
            "ignore": lambda key: self._codes(self._table.texts(key), key),
            "baseline": self._text,
            "fail-on": lambda key: self._severity(self._table.text(key), key),
            "jobs": self._jobs,
            "offline": lambda key: self._table.flag(key, False),
            "cache": lambda key: self._table.flag(key, True),
        }
        self._table.expect(*readers)
        found = {
            key: self._collected(read, key) for key, read in readers.items() if key in self._table
        }
        return {key: value for key, value in found.items() if value is not None}

    def severities(self) -> dict[str, Severity]:
        """Return the severities of rules by code."""
        found: dict[str, Severity] = {}
        for name, value in (self._collected(self._table.mapping, "severity") or {}).items():
            code = self._collected(self._code, name, "severity", name)
            severity = self._collected(self._severity, value, "severity", name)
            if code in found:
                problem = f"stands there twice: {name} and another spelling of {code}"
                self._errors.append(str(self._table.error(problem, "severity", name)))
            if code is not None and severity is not None:
                found[code] = severity
        return found

    def path_ignores(self) -> tuple[tuple[str, frozenset[str]], ...]:
        """Return patterns of paths with the codes of the rules that do not count there."""
        key = "per-path-ignores"
        table = self._collected(self._table.table, key)
        found = []
        for pattern in self._collected(self._table.mapping, key) or {} if table is not None else {}:
            assert table is not None, "it has patterns"
            codes = self._collected(table.texts, pattern)
            known = self._collected(self._codes, codes, key, pattern) if codes is not None else None
            if pattern.startswith("/") or not pattern:
                problem = "must be a pattern of relative paths"
                self._errors.append(str(self._table.error(problem, key, pattern)))
            elif known is not None:
                found.append((pattern, frozenset(known)))
        return tuple(found)

    def _collected(self, read: Callable[..., _T], *arguments: Any) -> _T | None:
        try:
            return read(*arguments)
        except ConfigError as error:
            self._errors += map(str, error.args)
            return None

    def _text(self, key: str) -> str:
        text = self._table.text(key)
        if not text.strip():
            raise self._table.error("must not be empty", key)
        if "\0" in text:
            raise self._table.error("must have no null character", key)
        return text

    def _selected(self, key: str) -> Sequence[str] | None:
        codes = self._table.texts(key)
        if not codes:
            raise self._table.error("must name a rule: without any nothing would be found", key)
        return self._codes(codes, key)

    def _jobs(self, key: str) -> int:
        jobs = self._table.number(key)
        if jobs < 1:
            raise self._table.error(f"must be 1 or more, not {jobs}", key)
        return jobs

    def _severity(self, value: object, *keys: str) -> Severity:
        if value not in SEVERITIES:
            allowed = f"must be one of {', '.join(SEVERITIES)}, not {value!r}"
            hint = (
                "; a rule is left out with `ignore`" if value in ("off", "none", "ignore") else ""
            )
            raise self._table.error(allowed + hint, *keys)
        return cast(Severity, value)

    def _codes(self, codes: Iterable[str], *keys: str) -> Sequence[str] | None:
        known = [self._collected(self._code, code, *keys) for code in codes]
        return tuple(code for code in known if code is not None)

    def _code(self, code: str, *keys: str) -> str:
        if code.upper() not in self._plugins.rules:
            raise self._table.error(f"names an {self._plugins.unknown_rule(code)}", *keys)
        return code.upper()
