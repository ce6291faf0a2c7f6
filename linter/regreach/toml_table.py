"""A table of a TOML file that knows where it stands, so that each wrong entry is reported with its place."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Sequence
from typing import Any

from regreach.errors import ConfigError

_BARE_KEY = re.compile(r"[\w-]+", re.ASCII)
_DOTTED = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")


class Table:
    """A TOML table that knows where it stands, and that every key must be asked for.

    With a list ``wrong``, which its sub-tables share, each wrong entry becomes a line of it and something
    harmless is returned for it; without one, the first raises ConfigError.
    """

    def __init__(self, source: str, where: str, data: Any, wrong: list[str] | None = None) -> None:
        self._source, self._where, self._wrong = source, where, wrong
        self._asked: set[str] = set()
        self._failed: set[str] = set()
        self._data: dict[str, Any] = data if isinstance(data, dict) else {}
        if not isinstance(data, dict):
            self._record(ConfigError(f"{source}: {where} must be a table, not {data!r}"))

    def __contains__(self, key: str) -> bool:
        return key in self._data

    def expect(self, *keys: str) -> None:
        """Note keys that may be there, for ``finish``."""
        self._asked.update(keys)

    def error(self, problem: str, *keys: str) -> ConfigError:
        """Return the error that names the file and the entry: the keys below this table."""
        return ConfigError(f"{self._source}: {self._below(*keys)} {problem}")

    def wrong(self, problem: str, *keys: str) -> None:
        """Report what is wrong with an entry, unless something was already. Raises ConfigError."""
        if keys[0] not in self._failed:
            self._failed.add(keys[0])
            self._record(self.error(problem, *keys))

    def _record(self, error: ConfigError) -> None:
        if self._wrong is None:
            raise error
        self._wrong += map(str, error.args)

    def _fails(self, problem: str, *keys: str) -> None:
        """Report one of several things that may be wrong with an entry."""
        self._failed.add(keys[0])
        self._record(self.error(problem, *keys))

    def _below(self, *keys: str) -> str:
        """Return where an entry stands, as TOML would write it."""
        quoted = [k if _BARE_KEY.fullmatch(k) else json.dumps(k, ensure_ascii=False) for k in keys]
        return ".".join(filter(None, [self._where, *quoted]))

    def _take(self, key: str, kind: type | tuple[type, ...], default: Any, words: str) -> Any:
        self._asked.add(key)
        if key not in self._data:
            if default is None:
                self._fails(f"is missing; it must be {words}", key)
                return _harmless(kind)
            return default
        value = self._data[key]
        if not isinstance(value, kind) or (kind is not bool and isinstance(value, bool)):
            self._fails(f"must be {words}, not {value!r}", key)
            return _harmless(kind)
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
            self.wrong(f"must be a number greater than 0, not {value!r}", key)
        return float(value)

    def numbers(self, key: str) -> dict[str, int]:
        """Return a table of integers greater than 0."""
        values = self.mapping(key)
        for name, value in values.items():
            if type(value) is not int or value <= 0:
                self._fails(f"must be an integer greater than 0, not {value!r}", key, name)
        return {n: v for n, v in values.items() if type(v) is int}

    def texts(self, key: str, default: Sequence[str] | None = None) -> tuple[str, ...]:
        """Return a list of strings."""
        values = self._take(
            key, list, None if default is None else list(default), "a list of strings"
        )
        if not all(isinstance(v, str) for v in values):
            self._fails(f"must be a list of strings, not {values!r}", key)
        return tuple(v for v in values if isinstance(v, str))

    def name(self, key: str, default: str | None = None) -> str:
        """Return the name of a module or of one of its members."""
        value = self.text(key, default)
        if not _DOTTED.fullmatch(value):
            self.wrong(f"must be a dotted name, not {value!r}", key)
        return value

    def path(self, key: str) -> str:
        """Return what names a definition, ``module:name``."""
        return self._checked_paths(key, [self.text(key)])[0]

    def paths(self, key: str, default: Sequence[str] | None = None) -> tuple[str, ...]:
        """Return a list of ``module:name``."""
        return self._checked_paths(key, self.texts(key, default))

    def _checked_paths(self, key: str, values: Sequence[str]) -> tuple[str, ...]:
        for value in values if key not in self._failed else ():
            module, colon, name = value.partition(":")
            if not (colon and _DOTTED.fullmatch(module) and _DOTTED.fullmatch(name)):
                self._fails(f"must be 'module:name', not {value!r}", key)
        return tuple(values)

    def mapping(self, key: str) -> dict[str, Any]:
        """Return a table as it is; empty when missing."""
        return dict(self._take(key, dict, {}, "a table"))

    def text_mapping(self, key: str) -> dict[str, str]:
        """Return a table of strings."""
        values = self.mapping(key)
        for name, value in values.items():
            if not isinstance(value, str):
                self._fails(f"must be a string, not {value!r}", key, name)
        return {n: v for n, v in values.items() if isinstance(v, str)}

    def table(self, key: str) -> Table:
        """Return a sub-table; empty when missing."""
        data = self._take(key, dict, {}, "a table")
        # what is missing in a table that is none is no further error
        wrong = self._wrong if key not in self._failed else []
        return Table(self._source, self._below(key), data, wrong)

    def tables(self, key: str) -> list[Table]:
        """Return an array of tables."""
        values = self._take(key, list, [], "an array of tables")
        where = self._below(key)
        return [Table(self._source, f"{where}[{i}]", v, self._wrong) for i, v in enumerate(values)]

    def named_tables(self, key: str) -> dict[str, Table]:
        """Return a table of tables."""
        group = self.table(key)
        return {name: group.table(name) for name in group._data}

    def finish(self) -> None:
        """Report keys that nobody asked for. Raises ConfigError."""
        known = sorted(self._asked)
        errors = [
            self.error(
                f"is not a known key{did_you_mean(key, known)}; known here: {', '.join(known)}", key
            )
            for key in self._data
            if key not in self._asked
        ]
        if errors:
            self._record(ConfigError(*map(str, errors)))


def _harmless(kind: type | tuple[type, ...]) -> Any:
    """Return a value for an entry that is wrong."""
    return kind() if isinstance(kind, type) else 1


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return a question to be appended to what is wrong with a word; empty when none comes near it.

    It stands before the list of what is known: that may be long.
    """
    import difflib

    near = difflib.get_close_matches(word, list(known), 1)
    return f" (did you mean {near[0]!r}?)" if near else ""
