"""What was discovered, for people and as JSON (``docs/schemas/discover.schema.json``)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from rich.text import Text

import regreach
from regreach.discover.found import (
    Discovery,
    FoundRegistrar,
    FoundRegistry,
    Key,
    Place,
    Registering,
)
from regreach.model import Spot
from regreach.report import as_json
from regreach.report.text import labelled
from regreach.wording import short

_SHOWN = 6  # of keys, reads, consumers and modules, unless all are asked for
_FORMS = {
    "maker": "@{name}({key})",
    "bare": "@{name}",
    "call": "{name}({key})",
    "subclass": "a class below {owner}",
    "loop": "a loop over modules: {name}",
}
_IMPORTED = {
    "eager": "imported by {by}",
    "lazy": "imported only in functions, of {by}",
    "scan": "imported by the loop in {by}",
    "name": "named as a string in {by}",
    "main": "run as a program",
    "nobody": "imported by nobody",
}


def discovery_lines(found: Discovery, *, everything: bool = False) -> Iterator[Text]:
    """Yield the lines of a discovery; with ``everything``, all of each list, and the tables."""
    limit = None if everything else _SHOWN
    for registry in found.registries:
        yield from _registry_lines(registry, limit)
    for table in found.tables if everything else ():
        yield from _registry_lines(table, limit)
    if found.tables and not everything:
        names = ", ".join(t.container.path for t in found.tables[:_SHOWN])
        more = len(found.tables) - _SHOWN
        yield Text(
            f"tables (names of what other modules define, written down whole; --all tells of them): {names}"
            + (f" and {more} more" if more > 0 else ""),
            "dim",
        )


def _registry_lines(registry: FoundRegistry, limit: int | None) -> Iterator[Text]:
    head = Text()
    head.append(registry.container.spot.path, "bold")
    head.append(f":{registry.container.spot.line}: ", "dim")
    head.append(registry.container.path.partition(":")[2], "bold cyan")
    head.append(f" ({registry.holds}): {_told(registry)}")
    yield head
    for registrar in registry.registrars:
        yield labelled("registrar", f"{_at(registrar.place)}  {_forms(registrar)}", "")
    for path in registry.also:
        yield labelled("also fills", path, "dim")
    if registry.keys:
        yield labelled("keys", _listed([key_text(key) for key in registry.keys], limit), "green")
    for place in _some(registry.reads, limit):
        yield labelled("read by", f"{_at(place)}  {_name(place.path)}", "")
    if registry.consumers:
        names = [f"{_name(p.path)} ({short(p.spot)})" for p in registry.consumers]
        yield labelled("reached from", _listed(names, limit), "dim")
    # what stands in the registry's own file is loaded with it
    outside = registry.outside
    for module in _some(sorted(outside, key=_order), limit):
        style = "red" if module.imported == "nobody" else ""
        yield labelled("registers", f"{module.path} ({module.count})  {_imported(module)}", style)
    hidden = 0 if limit is None else len(outside) - limit
    if hidden > 0:
        yield labelled("", f"and {hidden} more modules", "dim")


def _told(registry: FoundRegistry) -> str:
    count, outside = len(registry.registrations), registry.outside
    if registry.kind == "table":
        return f"{count} entries, written down here"
    if not registry.registrations:
        return "what a loop finds in modules" if registry.scans else "no registration in this tree"
    text = f"{count} registration{'s' * (count != 1)}"
    if not outside:
        return f"{text}, all in the registry's own file"
    text += f" in {len(registry.modules)} module{'s' * (len(registry.modules) != 1)}"
    ways = {
        "nobody": "imported by nobody",
        "lazy": "imported only in functions",
        "name": "only named as a string",
        "scan": "imported by a loop",
    }
    counts = {way: sum(m.imported == way for m in outside) for way in ways}
    said = [f"{counts[way]} {words}" for way, words in ways.items() if counts[way]]
    return ", ".join([text, *said])


def _order(module: Registering) -> tuple[int, str]:
    ways = ("nobody", "lazy", "name", "scan", "main", "eager")
    return ways.index(module.imported), module.path


def _imported(module: Registering) -> str:
    names = [name.rpartition(".")[2] for name in module.by]
    return _IMPORTED[module.imported].format(by=_listed(names, 4))


def _forms(registrar: FoundRegistrar) -> str:
    name = registrar.called.partition(":")[2]
    key = ", ".join(registrar.key)
    owner = name.rpartition(".")[0]
    texts = (_FORMS[form].format(name=name, key=key, owner=owner) for form in registrar.forms)
    return ", ".join(texts)


def _at(place: Place) -> str:
    return f"{place.spot.path}:{place.spot.line}"


def _name(path: str) -> str:
    return path.partition(":")[2] or "at import"


def _some(items: list[Any], limit: int | None) -> list[Any]:
    return items if limit is None else items[:limit]


def _listed(texts: Iterable[str], limit: int | None) -> str:
    unique = list(dict.fromkeys(texts))
    if limit is None or len(unique) <= limit + 1:
        return ", ".join(unique)
    return f"{', '.join(unique[:limit])} and {len(unique) - limit} more"


def key_text(key: Key) -> str:
    """Return a key as text, a part that is not told as ``?``."""
    parts = ["?" if part is None else _part(part) for part in key]
    return parts[0] if len(parts) == 1 else f"({', '.join(parts)})"


def _part(part: object) -> str:
    if isinstance(part, tuple):
        return f"({', '.join(map(_part, part))})"
    return json.dumps(part, ensure_ascii=False) if isinstance(part, str) else repr(part)


def discovery_json(found: Discovery) -> str:
    """Return a discovery as JSON text; the same tree gives the same bytes."""
    return as_json.dumped(
        {
            "schema_version": 1,
            "tool": {"name": "regreach", "version": regreach.__version__},
            "tree": {
                "source": found.source,
                "root": found.root,
                "package": found.package,
                "import_root": found.import_root,
                "modules": found.modules,
                "parsed": found.parsed,
                "other_packages": list(found.others),
            },
            "registries": [_registry_json(r) for r in found.registries],
            "tables": [_registry_json(r) for r in found.tables],
            "not_read": list(found.not_read),
        }
    )


def _registry_json(registry: FoundRegistry) -> dict[str, Any]:
    return {
        "container": registry.container.path,
        "holds": registry.holds,
        "kind": registry.kind,
        **_spot(registry.container.spot),
        "also_fills": list(registry.also),
        "own_file_only": not registry.outside,
        "registrars": [
            {
                "function": r.called,
                "defined": r.place.path,
                **_spot(r.place.spot),
                "forms": list(r.forms),
                "key": list(r.key),
            }
            for r in registry.registrars
        ],
        "registrations": [
            {
                "module": r.module,
                **_spot(r.spot),
                "symbol": r.symbol,
                "key": [_key_json(part) for part in r.key],
                "when": r.when,
                "guards": list(r.guards),
            }
            for r in registry.registrations
        ],
        "modules": [
            {
                "module": m.module,
                "path": m.path,
                "registrations": m.count,
                "imported": m.imported,
                "by": list(m.by),
            }
            for m in registry.modules
        ],
        "reads": [{"function": p.path, **_spot(p.spot)} for p in registry.reads],
        "lookups": list(registry.lookups),
        "consumers": [{"function": p.path, **_spot(p.spot)} for p in registry.consumers],
        "loops": [{"function": p.path, **_spot(p.spot)} for p in registry.scans],
    }


def _key_json(part: object) -> Any:
    if isinstance(part, tuple):
        return [_key_json(each) for each in part]
    return part


def _spot(spot: Spot) -> dict[str, Any]:
    return {"path": spot.path, "line": spot.line}
