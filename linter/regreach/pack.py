"""Packs: the declarative description of one framework's registries, read from TOML.

The format is documented in ``docs/packs.md``. Each wrong entry is reported with its file and key.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from regreach.errors import ConfigError
from regreach.evaluate.values import FALSE, MISSING, SOMETHING, Const, Tuple, Value
from regreach.tree import PackageLocation

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FORMAT = 1


@dataclass(frozen=True, slots=True)
class Selector:
    """The value that picks a branch: an enum of the tree, and the functions that give the process's value."""

    name: str
    enum: str
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Made:
    """An argument that is made for the consumer: an instance of a class of the tree.

    ``fields`` are keyword arguments, of those parameters or fields that the class has in this tree;
    a value of SOMETHING stands for an object of which nothing is known but that it is there.
    """

    cls: str
    fields: Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class Consumer:
    """What reaches a look-up: a class of the tree whose construction is the init path.

    ``selectors`` maps parameters to the selectors they take, ``made`` maps others to what is given for
    them; the rest keep their defaults. ``ambient`` names the selectors that the process has chosen
    before (their sources are given the value).
    """

    name: str
    module: str
    callable: str
    selectors: Mapping[str, str]
    made: Mapping[str, Made]
    ambient: tuple[str, ...]

    @property
    def path(self) -> str:
        """``module:Class``."""
        return f"{self.module}:{self.callable}"


@dataclass(frozen=True, slots=True)
class Registry:
    """A container, who fills it, who reads it.

    ``key`` names the parts of a key, each a selector or any other word; ``on_init_path`` says that the
    consumer's construction itself reads it (otherwise a later call does, with the finished object).
    """

    id: str
    container: str
    key: tuple[str, ...]
    registrars: tuple[str, ...]
    lookups: tuple[str, ...]
    consumer: str
    on_init_path: bool


@dataclass(frozen=True, slots=True)
class Platform:
    """The facts of one platform about everything outside the tree.

    ``foreign`` are patterns of functions (``module:Class.function``) that never run on this platform
    although no guard says so; their call sites count for nothing.
    """

    name: str
    values: Mapping[str, Value]
    absent: frozenset[str]
    environment: Mapping[str, str]
    foreign: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pack:
    """One framework."""

    name: str
    location: PackageLocation
    ignored_paths: tuple[str, ...]
    process_roots: tuple[str, ...]
    environment_closed: bool
    installed: frozenset[str]
    selectors: Mapping[str, Selector]
    consumers: Mapping[str, Consumer]
    registries: tuple[Registry, ...]
    platforms: Mapping[str, Platform]
    default_platform: str

    def platform(self, name: str | None) -> Platform:
        """Return a platform by name (None: the default). Raises ConfigError for an unknown one."""
        wanted = name or self.default_platform
        found = self.platforms.get(wanted)
        if found is None:
            known = ", ".join(self.platforms)
            raise ConfigError(f"unknown platform {wanted!r}; the pack {self.name!r} knows: {known}")
        return found


class _Table:
    """A TOML table that knows where it stands, and that every key must be asked for."""

    def __init__(self, source: str, where: str, data: Any) -> None:
        self._source, self._where = source, where
        if not isinstance(data, dict):
            raise ConfigError(f"{source}: {where or 'the file'} must be a table")
        self._data: dict[str, Any] = data
        self._asked: set[str] = set()

    def __contains__(self, key: str) -> bool:
        return key in self._data

    def error(self, key: str, problem: str) -> ConfigError:
        """Return the error that names the file and the key."""
        place = f"{self._where}.{key}" if self._where else key
        return ConfigError(f"{self._source}: {place} {problem}")

    def _take(self, key: str, kind: type, default: Any, words: str) -> Any:
        self._asked.add(key)
        if key not in self._data:
            if default is None:
                raise self.error(key, f"is missing; it must be {words}")
            return default
        value = self._data[key]
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise self.error(key, f"must be {words}, not {value!r}")
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

    def texts(self, key: str, default: Sequence[str] | None = None) -> tuple[str, ...]:
        """Return a list of strings."""
        values = self._take(
            key, list, None if default is None else list(default), "a list of strings"
        )
        if not all(isinstance(v, str) for v in values):
            raise self.error(key, f"must be a list of strings, not {values!r}")
        return tuple(values)

    def mapping(self, key: str) -> dict[str, Any]:
        """Return a table as it is; empty when missing."""
        return dict(self._take(key, dict, {}, "a table"))

    def text_mapping(self, key: str) -> dict[str, str]:
        """Return a table of strings."""
        values = self.mapping(key)
        for name, value in values.items():
            if not isinstance(value, str):
                raise self.error(f"{key}.{name}", f"must be a string, not {value!r}")
        return values

    def table(self, key: str) -> _Table:
        """Return a sub-table; empty when missing."""
        where = f"{self._where}.{key}" if self._where else key
        return _Table(self._source, where, self._take(key, dict, {}, "a table"))

    def tables(self, key: str) -> list[_Table]:
        """Return an array of tables."""
        values = self._take(key, list, [], "an array of tables")
        where = f"{self._where}.{key}" if self._where else key
        return [_Table(self._source, f"{where}[{i}]", v) for i, v in enumerate(values)]

    def named_tables(self, key: str) -> dict[str, _Table]:
        """Return a table of tables."""
        group = self.table(key)
        return {name: group.table(name) for name in group._data}

    def finish(self) -> None:
        """Raise ConfigError for a key that nobody asked for."""
        for key in self._data:
            if key not in self._asked:
                known = ", ".join(sorted(self._asked))
                raise self.error(key, f"is not a known key; known here: {known}")


def load_pack(text: str, source: str) -> Pack:
    """Read a pack from its TOML text; ``source`` names it in errors. Raises ConfigError."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{source}: not valid TOML: {error}") from None
    top = _Table(source, "", data)
    version = top.number("format")
    if version != FORMAT:
        raise top.error("format", f"is {version}; this regreach reads format {FORMAT}")
    name = top.text("name")
    location = PackageLocation(top.text("package", name), top.texts("roots", ("",)))
    selectors = {
        key: Selector(key, t.text("enum"), t.texts("sources", ()))
        for key, t in top.named_tables("selectors").items()
    }
    consumers = {
        key: _consumer(key, t, selectors) for key, t in top.named_tables("consumers").items()
    }
    registries = tuple(_registry(t, consumers) for t in top.tables("registries"))
    assumptions = top.table("assumptions")
    common = top.table("common")
    platforms = {key: _platform(key, t, common) for key, t in top.named_tables("platforms").items()}
    default = top.text("default_platform", next(iter(platforms), ""))
    if default not in platforms:
        raise top.error("default_platform", f"is {default!r}, which [platforms] does not have")
    pack = Pack(
        name,
        location,
        top.texts("ignored_paths", ()),
        top.texts("process_roots", ()),
        assumptions.flag("environment_closed", False),
        frozenset(assumptions.texts("installed", ())),
        selectors,
        consumers,
        registries,
        platforms,
        default,
    )
    top.finish()
    assumptions.finish()
    common.finish()
    return pack


def _consumer(name: str, table: _Table, selectors: Mapping[str, Selector]) -> Consumer:
    chosen: dict[str, str] = {}
    made: dict[str, Made] = {}
    for parameter, argument in table.named_tables("arguments").items():
        if "selector" in argument:
            chosen[parameter] = argument.text("selector")
            if chosen[parameter] not in selectors:
                raise argument.error("selector", f"names no selector: {chosen[parameter]!r}")
        else:
            fields = {
                key: _value(argument, f"fields.{key}", value)
                for key, value in argument.mapping("fields").items()
            }
            fields.update(dict.fromkeys(argument.texts("given", ()), SOMETHING))
            made[parameter] = Made(argument.text("new"), fields)
        argument.finish()
    if len(chosen) != 1:
        raise table.error("arguments", "must give exactly one parameter a selector")
    consumer = Consumer(
        name,
        table.text("module"),
        table.text("callable"),
        chosen,
        made,
        table.texts("ambient", ()),
    )
    for ambient in consumer.ambient:
        if ambient not in selectors:
            raise table.error("ambient", f"names no selector: {ambient!r}")
    table.finish()
    return consumer


def _registry(table: _Table, consumers: Mapping[str, Consumer]) -> Registry:
    registry = Registry(
        table.text("id"),
        table.text("container"),
        table.texts("key"),
        table.texts("registrars"),
        table.texts("lookups"),
        table.text("consumer"),
        table.flag("on_init_path", True),
    )
    if registry.consumer not in consumers:
        raise table.error("consumer", f"names no consumer: {registry.consumer!r}")
    for key in ("container", "registrars", "lookups"):
        for value in (registry.container,) if key == "container" else getattr(registry, key):
            if ":" not in value:
                raise table.error(key, f"must be 'module:name', not {value!r}")
    table.finish()
    return registry


def _platform(name: str, table: _Table, common: _Table) -> Platform:
    values: dict[str, Value] = {"typing.TYPE_CHECKING": FALSE}
    absent: set[str] = set()
    environment: dict[str, str] = {}
    foreign: list[str] = []
    for source in (common, table):
        for path in source.texts("none", ()):
            values[path] = Const(None)
        for path in source.texts("missing", ()):
            values[path] = MISSING
        for path, fact in source.mapping("values").items():
            values[path] = _value(source, path, fact)
            # what has a part that is known is there, whatever [common] says
            for owner in _owners(path):
                if values.get(owner) is MISSING:
                    del values[owner]
        absent |= set(source.texts("absent", ()))
        absent -= set(source.texts("present", ()))
        environment.update(source.text_mapping("environment"))
        foreign += source.texts("foreign", ())
        native = source.texts("native", ())
        foreign = [pattern for pattern in foreign if pattern not in native]
    table.finish()
    return Platform(name, values, frozenset(absent), environment, tuple(foreign))


def _owners(path: str) -> list[str]:
    parts = path.split(".")
    return [".".join(parts[:i]) for i in range(1, len(parts))]


def _value(table: _Table, path: str, fact: Any) -> Value:
    if isinstance(fact, list):
        return Tuple(tuple(_value(table, path, f) for f in fact))
    if isinstance(fact, (str, int, float, bool)):
        return Const(fact)
    raise table.error(f"values.{path}", f"must be a string, number, boolean or list, not {fact!r}")
