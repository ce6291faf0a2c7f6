"""What a pack says of a simple registry, read from ``[[simple_registries]]``."""

from __future__ import annotations

import string
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from regreach.facts.registrar_lines import key_within
from regreach.toml_table import Table

Doubled = Literal["first", "last", "raises", "allowed"]

_DOUBLED: tuple[Doubled, ...] = ("first", "last", "raises", "allowed")


@dataclass(frozen=True, slots=True)
class Registrar:
    """A function or decorator that adds an entry, and where its key is.

    ``key`` is the parameter that takes it (empty: the first one that the function has), ``attribute``
    an attribute of the class that is registered. ``named`` says that what gives no key is entered under
    its own name, ``subclasses`` that it is a class, whose subclasses are what is registered.

    What is given begins with ``strip``, or is of another registry; the key is what follows, up to the text
    ``until``. ``owner`` is what comes in front of what a method is given: ``{0}`` in it stands for the first
    argument with which the method's object was made. ``target`` is as a registry's. A call that gives the
    parameter ``unless`` registers elsewhere.
    """

    path: str
    key: str
    attribute: str
    named: bool
    subclasses: bool = False
    strip: str = ""
    until: str = ""
    owner: str = ""
    target: str = ""
    unless: str = ""

    def key_of(self, given: str) -> str | None:
        """Return the key that a registration has; None where it is of another registry."""
        return key_within(given, self.strip, self.until)

    @property
    def word(self) -> str:
        """The name by which it is called."""
        return self.path.rpartition(":")[2].rpartition(".")[2]


@dataclass(frozen=True, slots=True)
class Discovered:
    """Entries that a loop finds in the modules of a package, once it has imported each of them.

    Without a ``base``, an entry is what a module binds to ``attribute``, or each item of a list that it
    does. With one, it is each class of a module below it; what the class binds to ``attribute``, or each item,
    are its keys. A key is a text, or else the attribute ``key`` of the class that an entry or an item is.
    ``deep`` says that the loop goes into packages in the package, too.
    """

    package: str
    attribute: str
    base: str = ""
    key: str = "__name__"
    deep: bool = False


@dataclass(frozen=True, slots=True)
class SimpleRegistry:
    """A registry of which each entry that is looked up must have been loaded by then.

    ``containers`` are dicts that are filled where they are defined, or from elsewhere, ``discovered``
    entries that a loop finds. ``lookups`` are functions that read it for a key that is not known before;
    ``prefix`` is the dotted name under which entries are used as attributes. ``roots`` are the modules
    whose imports must load what is registered, ``discovers`` packages of which a loop imports every module
    (what one registry says of that counts for all). With ``open``, others may add entries that no one sees
    here. ``doubled`` says which of two entries of one key is kept.

    Roots may be patterns. A module that a string of the tree names in full is a root, too, with
    ``roots_in_strings``; ``finders`` are words, such as the name of a function that imports by a
    convention, with patterns of modules that are roots where a file of the tree has the word.

    ``choices`` are lists of keys that a user may choose, of which the first that a tree has counts;
    ``aliases`` are choices that stand for another key, ``alias_tables`` dicts of the tree with such, and
    ``beside`` are choices that something else serves. A key must be the value of a member of ``enum``.

    ``target`` is what an entry of a container leads to: ``module:attribute`` with ``{}`` for a value that is
    a text, ``{0}`` for the items of one that is a tuple, and ``{key}``. A registrar's has names of its
    parameters there. A module that begins with ``whole`` is named in full: what stands in front of the
    first braces is left out.
    """

    id: str
    registrars: tuple[Registrar, ...]
    containers: tuple[str, ...]
    lookups: tuple[str, ...]
    prefix: str
    roots: tuple[str, ...]
    discovers: tuple[str, ...]
    open: bool
    doubled: Doubled
    enum: str
    choices: tuple[str, ...]
    aliases: Mapping[str, str]
    alias_tables: tuple[str, ...]
    beside: frozenset[str]
    roots_in_strings: bool = False
    finders: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    discovered: tuple[Discovered, ...] = ()
    target: str = ""
    whole: str = ""

    @property
    def names_modules(self) -> bool:
        """Whether its entries are names of what a look-up imports."""
        return bool(self.target) or any(registrar.target for registrar in self.registrars)

    @property
    def homes(self) -> frozenset[str]:
        """The modules in which the registry itself stands."""
        paths = (*self.containers, *self.lookups, *(r.path for r in self.registrars))
        return frozenset(path.partition(":")[0] for path in paths)


def simple_registries_of(
    tables: Sequence[Table], taken: Sequence[str], process_roots: tuple[str, ...]
) -> tuple[SimpleRegistry, ...]:
    """Return the simple registries of a pack; ``taken`` are ids that others have. Raises ConfigError."""
    found: dict[str, SimpleRegistry] = {}
    for table in tables:
        registry = _registry(table, process_roots)
        if registry.id in found or registry.id in taken:
            raise table.error(f"is {registry.id!r} a second time", "id")
        found[registry.id] = registry
    return tuple(found.values())


def _registry(table: Table, process_roots: tuple[str, ...]) -> SimpleRegistry:
    doubled = next((d for d in _DOUBLED if d == table.text("doubled", "last")), None)
    if doubled is None:
        raise table.error(f"must be one of {', '.join(_DOUBLED)}", "doubled")
    registry = SimpleRegistry(
        table.text("id"),
        tuple(map(_registrar, table.tables("registrars"))),
        table.paths("containers", ()),
        table.paths("lookups", ()),
        table.name("prefix") if "prefix" in table else "",
        table.texts("roots", process_roots),
        table.texts("discovers", ()),
        table.flag("open", False),
        doubled,
        table.path("enum") if "enum" in table else "",
        table.paths("choices", ()),
        table.text_mapping("aliases"),
        table.paths("alias_tables", ()),
        frozenset(table.texts("beside", ())),
        table.flag("roots_in_strings", False),
        _finders(table),
        tuple(map(_discovered, table.tables("discovered"))),
        _template(table, _is_part, "{}, {0}, {1}, … or {key}"),
        table.text("whole", ""),
    )
    table.expect("prefix", "enum")
    if registry.whole and not registry.target:
        raise table.error("is missing; it says what is put in front of other names", "target")
    if not registry.registrars and not registry.containers and not registry.discovered:
        raise table.error("is missing; who fills the registry must be named", "registrars")
    table.finish()
    return registry


def _template(table: Table, is_field: Callable[[str], bool], known: str) -> str:
    """Return a ``target``, empty where there is none. Raises ConfigError for one that cannot be filled in."""
    text = table.text("target", "")
    try:
        fields = fields_of(text)
    except ValueError as error:
        raise table.error(f"cannot be read: {error}", "target") from None
    wrong = next((field for field in fields if not is_field(field)), None)
    if wrong is not None:
        raise table.error(f"has {{{wrong}}}, which is none of {known}", "target")
    if text and not fields:
        raise table.error(f"leads to the same for every entry; it needs {known}", "target")
    return text


def _is_part(field: str) -> bool:
    """Return whether a value of a dict has this: it is the value, an item of it, or its key."""
    return field in ("", "key") or field.isdecimal()


def fields_of(template: str) -> list[str]:
    """Return what stands in braces in a target. Raises ValueError for braces that do not match."""
    return [field for _, field, _, _ in string.Formatter().parse(template) if field is not None]


def _finders(table: Table) -> dict[str, tuple[str, ...]]:
    finders = table.table("finders")
    return {word: finders.texts(word) for word in table.mapping("finders")}


def _discovered(table: Table) -> Discovered:
    found = Discovered(
        table.name("package"),
        table.name("attribute") if "base" not in table else table.text("attribute", ""),
        table.path("base") if "base" in table else "",
        table.name("key", "__name__"),
        table.flag("deep", False),
    )
    table.expect("base")
    table.finish()
    return found


def _registrar(table: Table) -> Registrar:
    registrar = Registrar(
        table.path("function"),
        table.text("key", ""),
        table.text("attribute", ""),
        table.flag("named", False),
        table.flag("subclasses", False),
        table.text("strip", ""),
        table.text("until", ""),
        table.text("owner", ""),
        _template(table, str.isidentifier, "the registrar's parameters"),
        table.text("unless", ""),
    )
    if registrar.key and registrar.attribute:
        raise table.error("is given beside a key; a registrar has one of both", "attribute")
    for name in ("strip", "until"):
        if any(letter.isspace() for letter in getattr(registrar, name)):
            raise table.error("must not have white space in it", name)
    if registrar.owner and "." not in registrar.path.partition(":")[2]:
        raise table.error("is for methods: the function must be 'module:Class.method'", "owner")
    if registrar.owner and not registrar.strip:
        raise table.error("is missing; it says whose keys are the registry's", "strip")
    table.finish()
    return registrar
