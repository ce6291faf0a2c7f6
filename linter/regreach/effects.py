"""Functions whose calls have an effect on a registry: they register something, or import what does."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress

from regreach.facts import ir, walk
from regreach.facts.outer_functions import functions_with
from regreach.facts.outline import outline
from regreach.facts.parse import ModuleFacts
from regreach.facts.skeleton import other_names
from regreach.facts.skim import called_when_loaded
from regreach.facts.source import SourceError, decode
from regreach.graph import ImportGraph, import_of
from regreach.init_path import Key
from regreach.pack import Pack
from regreach.program import Program
from regreach.registrations import Use, find_uses, last_name
from regreach.supply.scans import Question, matches

_MAX_WORDS = 60


def registrars_of(program: Program, pack: Pack) -> set[str]:
    """Return the names of the registrars, of the functions that call one, and so on."""
    words = {last_name(path) for registry in pack.registries for path in registry.registrars}
    waiting = sorted(words)
    while waiting and len(words) < _MAX_WORDS:
        found = set()
        for module in program.mentioning(*(word.encode() for word in waiting)):
            facts = program.readable_facts(module)
            if facts is not None:
                others = other_names(facts.body, words)
                found |= others | _callers(facts, [*waiting, *sorted(others)])
        waiting = sorted(found - words)
        words |= found
    return words


def registering_modules(program: Program, pack: Pack, only: Key | None = None) -> list[str]:
    """Return the modules in which something is registered; with ``only``, perhaps for this key."""
    modules = {
        use.module
        for registry in pack.registries
        for use in find_uses(program, registry)
        if only is None or _may_be(use, only)
    }
    return sorted(modules)


def lazy_importers(program: Program, graph: ImportGraph, modules: Iterable[str]) -> set[str]:
    """Return the names of the functions that import one of these modules when they are called.

    They are read from the files' lines, so that none has to be parsed: others may be among them, which
    only import something of a like name.
    """
    words: dict[str, set[str]] = {}  # by the file that may import modules of these last names
    for module in modules:
        for importer in graph.may_import(module):
            words.setdefault(importer, set()).add(module.rpartition(".")[2])
    found = set()
    for importer, names in words.items():
        with suppress(SourceError):
            text = decode(program.source(importer))
            for scope, in_class in functions_with(text, import_of(*sorted(names))):
                found.add(outermost(scope, in_class=in_class))
    return found


def calls_any(names: Collection[str]) -> Question:
    """Ask whether a function of one of these names seems to be called in a file, or decorates something."""
    words = [name.encode() for name in sorted(names)]
    any_of = b"|".join(words) or b"(?!)"
    pattern = rb"(?<!def )\b(?:%b)[ \t]*\(|\n[ \t]*@[ \t.\w]*\b(?:%b)\b" % (any_of, any_of)
    return matches(pattern, *words)


def calls_when_loaded(program: Program, module: str, names: Collection[str]) -> bool:
    """Return whether a function of one of these names seems to be called when a module is loaded."""
    if not program.ask(module, calls_any(names)):
        return False
    try:
        cut = outline(decode(program.source(module)))
    except SourceError:
        return False
    return not called_when_loaded(cut).isdisjoint(names)


def _may_be(use: Use, key: Key) -> bool:
    """Return whether a use of a registrar may be one for this key."""
    texts = [part.value if isinstance(part, ir.Const) else None for part in use.key]
    return None in texts or tuple(texts) == key


def _callers(facts: ModuleFacts, words: Sequence[str]) -> set[str]:
    """Return the names of functions in whose bodies a function of these names is called."""
    found = set()
    for node, around in walk.statements(facts, *words):
        if around.in_function and any(
            (walk.dotted_name(call.func) or "").rpartition(".")[2] in words
            for call in walk.calls(node)
        ):
            found.add(called_as(around.scope, facts))
    return found


def called_as(scope: str, facts: ModuleFacts | None) -> str:
    """Return the name under which the outermost function around something is called."""
    first = scope.partition(".")[0]
    classes = {node.name for node in facts.body if isinstance(node, ir.ClassDef)} if facts else ()
    return outermost(scope, in_class=first in classes)


def outermost(scope: str, *, in_class: bool) -> str:
    """Return the name under which the outermost function of a scope is called, which may begin in a class.

    That is its own, or its class's for a special method.
    """
    first, _, rest = scope.partition(".")
    if not in_class or not rest:
        return first
    method = rest.partition(".")[0]
    return first if method.startswith("__") else method
