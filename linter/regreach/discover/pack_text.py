"""A pack to start from: what was discovered, in the format of packs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from regreach.discover.found import Discovery, FoundRegistrar, FoundRegistry
from regreach.discover.run import IGNORED

_ROOTS_OF_ONE = 6  # modules that a registry's own roots name

_HEAD = """\
# Written by `regreach discover` from {source}; docs/packs.md describes the format.
# To be looked through: take out what is no registry of interest, name the modules that a process of yours
# starts with in `process_roots`, and check `roots`, which are guesses (the modules whose functions reach the look-ups).
"""


def pack_text(found: Discovery) -> str:
    """Return the TOML text of a pack with the registries of a discovery."""
    lines = [
        _HEAD.format(source=_one_line(found.source)),
        "format = 1",
        f"name = {_text(found.package)}",
        f"package = {_text(found.package)}",
        f"roots = {_list(dict.fromkeys([found.import_root, '', 'src', 'python']))}",
        f"ignored_paths = {_list(IGNORED)}",
        "process_roots = []",
    ]
    ids: set[str] = set()
    for registry in found.registries:
        lines += ["", *_registry(found, registry, ids)]
    lines += [
        "",
        "# Facts of the machine; what is not said here is unknown.",
        "[platforms.any]",
        "",
    ]
    return "\n".join(lines)


def _registry(found: Discovery, registry: FoundRegistry, ids: set[str]) -> Iterator[str]:
    where = {m.imported for m in registry.outside}
    count = len(registry.registrations)
    yield (
        f"# {count} registrations in {len(registry.modules)} modules, {len(registry.outside)} others than its own"
        + (f" (imported: {', '.join(sorted(where))})" if where else "")
    )
    yield "[[simple_registries]]"
    yield f"id = {_text(_id(found.package, registry, ids))}"
    yield f"containers = {_list([registry.container.path])}"
    yield f"lookups = {_list(registry.lookups)}"
    roots = _roots(registry)
    if roots:
        yield f"roots = {_list(roots)}"
    scanned = sorted(
        {m.module.rpartition(".")[0] for m in registry.modules if m.imported == "scan"}
    )
    if scanned:
        yield f"discovers = {_list(scanned)}"
    if any(m.imported == "name" for m in registry.modules):
        yield "roots_in_strings = true"
    if not registry.registrations:
        yield "open = true"
    for registrar in registry.registrars:
        if set(registrar.forms) & {"maker", "bare", "call"}:
            yield ""
            yield "[[simple_registries.registrars]]"
            yield f"function = {_text(registrar.called)}"
            if registry.kind == "foreign":
                yield "named = true"
            yield from _key(registrar)


def _key(registrar: FoundRegistrar) -> Iterator[str]:
    if len(registrar.key) > 1:
        yield f"# the key has several parts: {', '.join(registrar.key)}"
        return
    for words in (part.split(" or ") for part in registrar.key):
        named = any(word in (".__name__", ".__qualname__", "itself") for word in words)
        parameters = [w for w in words if not w.startswith(".") and w not in ("itself", "?")]
        attributes = [w[1:] for w in words if w.startswith(".") and not w.startswith(".__")]
        if parameters:
            yield f"key = {_text(parameters[0])}"
        elif attributes:
            yield f"attribute = {_text(attributes[0])}"
        if named:
            yield "named = true"


def _roots(registry: FoundRegistry) -> list[str]:
    """Return the modules that look something up, or those nearest to it, but the registry's own."""
    own = {registry.home, *(r.place.path.partition(":")[0] for r in registry.registrars)}
    for paths in (registry.lookups, [p.path for p in registry.consumers]):
        modules = dict.fromkeys(path.partition(":")[0] for path in paths)
        others = [module for module in modules if module not in own]
        if others:
            return others[:_ROOTS_OF_ONE]
    return [registry.home]


def _id(package: str, registry: FoundRegistry, ids: set[str]) -> str:
    module, _, name = registry.container.path.partition(":")
    parts = [part.strip("_").lower() for part in (*module.split("."), *name.split("."))]
    parts = [part for part in parts if part]
    for count in range(1, len(parts) + 1):
        found = ".".join((package, *parts[-count:]))
        if found not in ids:
            break
    else:
        found = f"{found}.{len(ids)}"
    ids.add(found)
    return found


def _text(value: str) -> str:
    """Return a basic string of TOML, which takes what JSON writes."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _list(values: Iterable[str]) -> str:
    texts = [_text(value) for value in values]
    if sum(map(len, texts)) < 80:
        return f"[{', '.join(texts)}]"
    return "[\n" + "".join(f"  {text},\n" for text in texts) + "]"


def _one_line(text: str) -> str:
    return " ".join("".join(c if c.isprintable() else "?" for c in text).split())
