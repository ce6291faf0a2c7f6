"""A table of a TOML file that knows where it stands, so that each wrong entry is reported with its place."""

from __future__ import annotations

import difflib
import json
import math
import re
from collections.abc import Iterable, Sequence
from typing import Any

from regreach.errors import ConfigError

_BARE_KEY = re.compile(r"[\w-]+", re.ASCII)
_DOTTED = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")


class Table:
    """A TOML table that knows where it stands, and that every key must be asked for."""

    def __init__(self, source: str, where: str, data: Any) -> None:
        self._source, self._where = source, where
        if not isinstance(data, dict):
            raise ConfigError(f"{source}: {where} must be a table, not {data!r}")
        self._data: dict[str, Any] = data
        self._asked: set[str] = set()

    def __contains__(self, key: str) -> bool:
        return key in self._data

    def expect(self, *keys: str) -> None:
        """Note keys that may be there, for ``finish``."""
        self._asked.update(keys)

    def error(self, problem: str, *keys: str) -> ConfigError:
        """Return the error that names the file and the entry: the keys below this table."""
        return ConfigError(f"{self._source}: {self._below(*keys)} {problem}")

    def _below(self, *keys: str) -> str:
        """Return where an entry stands, as TOML would write it."""
        quoted = [k if _BARE_KEY.fullmatch(k) else json.dumps(k, ensure_ascii=False) for k in keys]
        return ".".join(filter(None, [self._where, *quoted]))

    def _take(self, key: str, kind: type | tuple[type, ...], default: Any, words: str) -> Any:
        self._asked.add(key)
        if key not in self._data:
            if default is None:
                raise self.error(f"is missing; it must be {words}", key)
            return default
        value = self._data[key]
        if not isinstance(value, kind) or (kind is not bool and isinstance(value, bool)):
            raise self.error(f"must be {words}, not {value!r}", key)
        return value

    def text(self, key: str, default: str | None = None) -> str:
        """Return a string."""
        return str(self._take(key, str, default, "a string"))

    def flag(self, key: str, default: bool) -> bool:
        """Return a boolean."""
        return bool(self._take(key, bool, default, "true or false"))

    def number(self, key: str) -> int:
        """Return an integer."""
        return int(self._take(key, int, None, "an integer"))

    def fraction(self, key: str) -> float:
        """Return a finite number greater than 0."""
        value = self._take(key, (int, float), None, "a number greater than 0")
        if not 0 < value < math.inf:
            raise self.error(f"must be a number greater than 0, not {value!r}", key)
        return float(value)

    def numbers(self, key: str) -> dict[str, int]:
        """Return a table of integers greater than 0."""
        values = self.mapping(key)
        for name, value in values.items():
            if type(value) is not int or value <= 0:
                raise self.error(f"must be an integer greater than 0, not {value!r}", key, name)
        return values

    def texts(self, key: str, default: Sequence[str] | None = None) -> tuple[str, ...]:
        """Return a list of strings."""
        values = self._take(
            key, list, None if default is None else list(default), "a list of strings"
        )
        if not all(isinstance(v, str) for v in values):
            raise self.error(f"must be a list of strings, not {values!r}", key)
        return tuple(values)

    def name(self, key: str, default: str | None = None) -> str:
        """Return the name of a module or of one of its members."""
        value = self.text(key, default)
        if not _DOTTED.fullmatch(value):
            raise self.error(f"must be a dotted name, not {value!r}", key)
        return value

    def path(self, key: str) -> str:
        """Return what names a definition, ``module:name``."""
        return self._checked_paths(key, [self.text(key)])[0]

    def paths(self, key: str, default: Sequence[str] | None = None) -> tuple[str, ...]:
        """Return a list of ``module:name``."""
        return self._checked_paths(key, self.texts(key, default))

    def _checked_paths(self, key: str, values: Sequence[str]) -> tuple[str, ...]:
        for value in values:
            module, colon, name = value.partition(":")
            if not (colon and _DOTTED.fullmatch(module) and _DOTTED.fullmatch(name)):
                raise self.error(f"must be 'module:name', not {value!r}", key)
        return tuple(values)

    def mapping(self, key: str) -> dict[str, Any]:
        """Return a table as it is; empty when missing."""
        return dict(self._take(key, dict, {}, "a table"))

    def text_mapping(self, key: str) -> dict[str, str]:
        """Return a table of strings."""
        values = self.mapping(key)
        for name, value in values.items():
            if not isinstance(value, str):
                raise self.error(f"must be a string, not {value!r}", key, name)
        return values

    def table(self, key: str) -> Table:
        """Return a sub-table; empty when missing."""
        return Table(self._source, self._below(key), self._take(key, dict, {}, "a table"))

    def tables(self, key: str) -> list[Table]:
        """Return an array of tables."""
        values = self._take(key, list, [], "an array of tables")
        where = self._below(key)
        return [Table(self._source, f"{where}[{i}]", v) for i, v in enumerate(values)]

    def named_tables(self, key: str) -> dict[str, Table]:
        """Return a table of tables."""
        group = self.table(key)
        return {name: group.table(name) for name in group._data}

    def finish(self) -> None:
        """Raise ConfigError for keys that nobody asked for."""
        known = sorted(self._asked)
        errors = [
            self.error(
                f"is not a known key{did_you_mean(key, known)}; known here: {', '.join(known)}", key
            )
            for key in self._data
            if key not in self._asked
        ]
        if errors:
            raise ConfigError(*map(str, errors))


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return a question to be appended to what is wrong with a word; empty when none comes near it.

    It stands before the list of what is known: that may be long.
    """
    near = difflib.get_close_matches(word, list(known), 1)
    return f" (did you mean {near[0]!r}?)" if near else ""
