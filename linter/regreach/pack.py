"""Packs: the declarative description of one framework's registries, read from TOML.

The format is documented in ``docs/packs.md``. Each wrong entry is reported with its file and key.
"""

from __future__ import annotations

import builtins
import fnmatch
import functools
import re
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from regreach.errors import ConfigError
from regreach.evaluate.values import (
    FALSE,
    MISSING,
    SOMETHING,
    Const,
    External,
    Raised,
    Tuple,
    Value,
)
from regreach.simple.declared import SimpleRegistry, simple_registries_of
from regreach.smoke.declared import Smoke, smokes_of
from regreach.toml_table import Table, did_you_mean
from regreach.tree import PackageLocation

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FORMAT = 1
ANY = "*"  # in the place of a package: the pack is for any
_FOR_ANY = re.compile(r"""(?m)^package[ \t]*=[ \t]*["']\*["']""")


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
class Use:
    """What is done with a finished consumer: a method is called, and an argument's attribute asked.

    ``attribute`` of the argument for ``parameter`` is a member of ``enum``; all else is unknown.
    """

    method: str
    parameter: str
    attribute: str
    enum: str


@dataclass(frozen=True, slots=True)
class Consumer:
    """What reaches a look-up: a class of the tree whose construction is the init path.

    ``selectors`` maps parameters to the selectors they take, ``made`` maps others to what is given for
    them; the rest keep their defaults. ``ambient`` names the selectors that the process has chosen
    before (their sources are given the value). ``use`` is what reads registries later, if anything does.
    """

    name: str
    module: str
    callable: str
    selectors: Mapping[str, str]
    made: Mapping[str, Made]
    ambient: tuple[str, ...]
    use: Use | None

    @property
    def path(self) -> str:
        """``module:Class``."""
        return f"{self.module}:{self.callable}"


@dataclass(frozen=True, slots=True)
class Registry:
    """A container, who fills it, who reads it.

    ``key`` names the parts of a key, each a selector or any other word; ``on_init_path`` says that the
    consumer's construction itself reads it (otherwise a later call does, with the finished object).
    ``counterpart`` is the registry that must have an entry for each one here, whose key is made of the
    parts of the own one at the places ``counterpart_key``.
    """

    id: str
    container: str
    key: tuple[str, ...]
    registrars: tuple[str, ...]
    lookups: tuple[str, ...]
    consumer: str
    on_init_path: bool
    counterpart: str | None
    counterpart_key: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Platform:
    """The facts of one platform about everything outside the tree.

    ``foreign`` are patterns of functions (``module:Class.function``) that never run on this platform
    although no guard says so; their call sites count for nothing. ``unavailable`` are patterns of values
    of a selector that nobody can choose on it.
    """

    name: str
    values: Mapping[str, Value]
    absent: frozenset[str]
    environment: Mapping[str, str]
    foreign: tuple[str, ...]
    unavailable: Mapping[str, tuple[str, ...]]

    def can_choose(self, selector: str, value: str) -> bool:
        """Return whether a process on this platform can have chosen a value of a selector."""
        return not any(
            fnmatch.fnmatchcase(value, pattern) for pattern in self.unavailable.get(selector, ())
        )


@dataclass(frozen=True, slots=True)
class Pack:
    """One framework.

    ``forgiven`` are functions outside the tree that may fail when the tree's code is executed without
    the packages that define what it names to them.
    """

    name: str
    location: PackageLocation
    ignored_paths: tuple[str, ...]
    process_roots: tuple[str, ...]
    environment_closed: bool
    installed: frozenset[str]
    forgiven: tuple[str, ...]
    selectors: Mapping[str, Selector]
    consumers: Mapping[str, Consumer]
    registries: tuple[Registry, ...]
    platforms: Mapping[str, Platform]
    default_platform: str
    smokes: tuple[Smoke, ...]
    simple_registries: tuple[SimpleRegistry, ...]
    source: str  # a file's name, or what else names the pack in errors
    format: int = FORMAT  # the version of the format in which it is written

    def ignores(self, path: str) -> bool:
        """Return whether a path is one of tests, benchmarks or examples: it counts for nothing."""
        return any(
            fnmatch.fnmatch(f"/{path}", pattern) or fnmatch.fnmatch(path, pattern)
            for pattern in self.ignored_paths
        )

    def platform(self, name: str | None) -> Platform:
        """Return a platform by name (None: the default). Raises ConfigError for an unknown one."""
        wanted = name or self.default_platform
        found = self.platforms.get(wanted)
        if found is None:
            known = ", ".join(self.platforms)
            raise ConfigError(
                f"unknown platform {wanted!r}{did_you_mean(wanted, self.platforms)}; the pack"
                f" {self.name!r} knows: {known}"
            )
        return found


def load_pack(text: str, source: str, package: str | None = None) -> Pack:
    """Read a pack from its TOML text; ``source`` names it in errors.

    ``package`` is the import package that a pack for any package (``package = "*"``) is to be of. Raises
    ConfigError with a line for each entry that is wrong.
    """
    data = _parsed(text, source)
    version = Table(source, "", data).number("format")
    if version != FORMAT:
        # what else is wrong in it nobody can say
        raise Table(source, "", data).error(
            f"is {version}; this regreach reads format {FORMAT}", "format"
        )
    data = _for_package(data, source, package)
    wrong: list[str] = []
    pack = _pack(Table(source, "", data, wrong), source, wrong)
    if wrong:
        raise ConfigError(*dict.fromkeys(wrong))  # those of [common] come once for each platform
    return pack


@functools.lru_cache(
    maxsize=16
)  # all that are installed are asked what they are of, and one is loaded
def _parsed(text: str, source: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigError(f"{source}: not valid TOML: {error}") from None


def location_of(text: str, source: str) -> PackageLocation | None:
    """Return which package a pack is of; None for one for any package. Raises ConfigError."""
    if is_for_any_package(text):
        return None
    top = Table(source, "", _parsed(text, source))
    return PackageLocation(top.name("package", top.text("name")), top.texts("roots", ("",)))


def is_for_any_package(text: str) -> bool:
    """Return whether a pack is for any package, as far as its text shows at once."""
    return _FOR_ANY.search(text) is not None


def _for_package(data: dict[str, Any], source: str, package: str | None) -> dict[str, Any]:
    """Return what a pack says, with the package's name wherever a pack for any package has ``{package}``."""
    own = data.get("package", data.get("name"))
    if own != ANY:
        if package is not None and package != own:
            raise ConfigError(
                f"{source}: is of the package {own!r}; only a pack for any package can be of {package!r}"
            )
        return data
    if package is None:
        raise ConfigError(
            f"{source}: is for any package: say of which with --package, or with `package` in a"
            " configuration file"
        )
    if not (package.isidentifier() and package.isprintable()):
        raise ConfigError(f"the package must be one top-level name, not {package!r}")
    filled = _filled(data, package)
    assert isinstance(filled, dict), "as it was"
    return {**filled, "package": package}


def _filled(value: Any, package: str) -> Any:
    if isinstance(value, str):
        return value.replace("{package}", package)
    if isinstance(value, list):
        return [_filled(each, package) for each in value]
    if isinstance(value, dict):
        return {_filled(key, package): _filled(each, package) for key, each in value.items()}
    return value


def _pack(top: Table, source: str, wrong: list[str]) -> Pack:
    top.expect("format")
    name = top.text("name")
    package = top.name("package", name)
    if "." in package:
        top.wrong(f"must be one top-level name, not {package!r}", "package")
    selectors = {key: _selector(key, table) for key, table in top.named_tables("selectors").items()}
    consumers: dict[str, Consumer] = {}
    sound: set[str] = set()
    for key, table in top.named_tables("consumers").items():
        before = len(wrong)
        consumers[key] = _consumer(key, table, selectors)
        if len(wrong) == before:
            sound.add(key)
    registries = _registries(top.tables("registries"), consumers, sound)
    assumptions = top.table("assumptions")
    probe = top.table("probe")
    common = top.table("common")
    platforms = {
        key: _platform(key, t, common, selectors)
        for key, t in top.named_tables("platforms").items()
    }
    if not platforms:
        top.wrong("is missing; it must have a table for each platform", "platforms")
        _platform("", Table(source, "", {}, wrong), common, selectors)
    default = top.text("default_platform", next(iter(platforms), ""))
    if platforms and default not in platforms:
        top.wrong(f"is {default!r}, which [platforms] does not have", "default_platform")
    process_roots = top.texts("process_roots", ())
    pack = Pack(
        name,
        PackageLocation(package, top.texts("roots", ("",))),
        top.texts("ignored_paths", ()),
        process_roots,
        assumptions.flag("environment_closed", False),
        frozenset(assumptions.texts("installed", ())),
        probe.texts("forgiven", ()),
        selectors,
        consumers,
        registries,
        platforms,
        default,
        smokes_of(top.tables("smokes"), {r.id: r.key for r in registries if r.on_init_path}),
        _simple_registries(top, registries, process_roots, wrong),
        source,
    )
    top.finish()
    assumptions.finish()
    probe.finish()
    common.finish()
    return pack


def _simple_registries(
    top: Table, registries: Sequence[Registry], process_roots: tuple[str, ...], wrong: list[str]
) -> tuple[SimpleRegistry, ...]:
    found: list[SimpleRegistry] = []
    for table in top.tables("simple_registries"):
        try:
            taken = [*(r.id for r in registries), *(r.id for r in found)]
            found += simple_registries_of([table], taken, process_roots)
        except ConfigError as error:
            wrong += map(str, error.args)
    return tuple(found)


def _selector(name: str, table: Table) -> Selector:
    selector = Selector(name, table.path("enum"), table.paths("sources", ()))
    table.finish()
    return selector


def _consumer(name: str, table: Table, selectors: Mapping[str, Selector]) -> Consumer:
    chosen: dict[str, str] = {}
    made: dict[str, Made] = {}
    for parameter, argument in table.named_tables("arguments").items():
        if "selector" in argument:
            chosen[parameter] = argument.text("selector")
            if chosen[parameter] not in selectors:
                argument.wrong(f"names no selector: {chosen[parameter]!r}", "selector")
        else:
            fields = {
                key: _value(argument, value, "fields", key)
                for key, value in argument.mapping("fields").items()
            }
            fields.update(dict.fromkeys(argument.texts("given", ()), SOMETHING))
            made[parameter] = Made(argument.path("new"), fields)
        argument.finish()
    if len(chosen) != 1:
        table.wrong("must give exactly one parameter a selector", "arguments")
    consumer = Consumer(
        name,
        table.name("module"),
        table.name("callable"),
        chosen,
        made,
        table.texts("ambient", ()),
        _use(table.table("use")) if "use" in table else None,
    )
    for ambient in consumer.ambient:
        if ambient not in selectors:
            table.wrong(f"names no selector: {ambient!r}", "ambient")
    table.finish()
    return consumer


def _use(table: Table) -> Use:
    use = Use(
        table.text("method"), table.text("parameter"), table.text("attribute"), table.path("enum")
    )
    table.finish()
    return use


def _registries(
    tables: Sequence[Table], consumers: Mapping[str, Consumer], sound: Collection[str]
) -> tuple[Registry, ...]:
    """Read ``[[registries]]``; what hangs on a consumer is asked only of those that are ``sound``."""
    registries: dict[str, Registry] = {}
    read: list[tuple[Table, Registry]] = []
    for table in tables:
        registry = _registry(table, consumers, sound)
        read.append((table, registry))
        if registries.setdefault(registry.id, registry) is not registry:
            table.wrong(f"is {registry.id!r} a second time", "id")
    for table, registry in read:
        other = registries.get(registry.counterpart or registry.id)
        if other is None:
            table.wrong(f"names no registry: {registry.counterpart!r}", "counterpart")
        elif other.consumer != registry.consumer or len(other.key) != len(registry.counterpart_key):
            table.wrong("does not make a key of the counterpart", "counterpart_key")
    return tuple(registries.values())


def _registry(table: Table, consumers: Mapping[str, Consumer], sound: Collection[str]) -> Registry:
    key = table.texts("key")
    counterpart_key = table.texts("counterpart_key", key)
    if not set(counterpart_key) <= set(key):
        table.wrong(f"must be made of the parts {list(key)!r}", "counterpart_key")
    registry = Registry(
        table.text("id"),
        table.path("container"),
        key,
        table.paths("registrars"),
        table.paths("lookups"),
        table.text("consumer"),
        table.flag("on_init_path", True),
        table.text("counterpart") if "counterpart" in table else None,
        tuple(key.index(part) for part in counterpart_key if part in key),
    )
    table.expect("counterpart")
    for name in ("key", "registrars", "lookups"):
        if not getattr(registry, name):
            table.wrong("must not be empty", name)
    if registry.consumer not in consumers:
        table.wrong(f"names no consumer: {registry.consumer!r}", "consumer")
    elif registry.on_init_path and registry.consumer in sound:
        consumer = consumers[registry.consumer]
        asked = (*consumer.ambient, *consumer.selectors.values())
        if registry.key != asked:
            table.wrong(
                f"must be {list(asked)!r}, the selectors of the consumer {consumer.name!r}", "key"
            )
    table.finish()
    return registry


def _platform(name: str, table: Table, common: Table, selectors: Collection[str]) -> Platform:
    values: dict[str, Value] = {"typing.TYPE_CHECKING": FALSE}
    absent: set[str] = set()
    environment: dict[str, str] = {}
    foreign: list[str] = []
    unavailable: dict[str, tuple[str, ...]] = {}
    for source in (common, table):
        for path in source.texts("none", ()):
            values[path] = Const(None)
        for path in source.texts("missing", ()):
            values[path] = MISSING
        for path, fact in source.mapping("values").items():
            values[path] = _value(source, fact, "values", path)
            # what has a part that is known is there, whatever [common] says
            for owner in _owners(path):
                if values.get(owner) is MISSING:
                    del values[owner]
        for path, error in source.text_mapping("raises").items():
            values[path] = _raised(source, path, error)
        absent |= set(source.texts("absent", ()))
        absent -= set(source.texts("present", ()))
        environment.update(source.text_mapping("environment"))
        foreign += source.texts("foreign", ())
        choices = source.table("unavailable")
        for selector in source.mapping("unavailable"):
            if selector not in selectors:
                source.wrong(f"names no selector: {selector!r}", "unavailable")
            unavailable[selector] = choices.texts(selector)
        native = source.texts("native", ())
        foreign = [pattern for pattern in foreign if pattern not in native]
    table.finish()
    return Platform(name, values, frozenset(absent), environment, tuple(foreign), unavailable)


def _raised(table: Table, path: str, text: str) -> Raised:
    """Return what a call raises, from ``AssertionError: message``."""
    name, _, message = text.partition(": ")
    found = getattr(builtins, name, None)
    if not path.endswith("()"):
        table.wrong("must be a call: its path ends in ()", "raises", path)
    if not (isinstance(found, type) and issubclass(found, Exception)):
        table.wrong(f"names no builtin exception: {name!r}", "raises", path)
    return Raised(External(f"builtins.{name}"), message)


def _owners(path: str) -> list[str]:
    parts = path.split(".")
    return [".".join(parts[:i]) for i in range(1, len(parts))]


def _value(table: Table, fact: Any, *keys: str) -> Value:
    if isinstance(fact, list):
        return Tuple(tuple(_value(table, f, *keys) for f in fact))
    if isinstance(fact, (str, int, float, bool)):
        return Const(fact)
    table.wrong(f"must be a string, number, boolean or list, not {fact!r}", *keys)
    return MISSING
