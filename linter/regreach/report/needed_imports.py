"""The imports that registrations depend on: for people, as JSON, and as configuration of ruff."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rich.text import Text

from regreach.model import Audit, Cell, Detail, Loss, SimpleEntry
from regreach.needed_imports import Kept, NeededImport
from regreach.report.as_json import dumped, head, place
from regreach.report.text import detail_lines
from regreach.rule import key_text
from regreach.wording import clipped, listed, short

_RULE = "F401"
_GLOB = re.compile(r"[][*?{}\\]")
_PROTECTED: dict[Kept, str] = {
    "noqa": "a comment",
    "init": "the package's __init__",
    "all": "__all__",
    "alias": "import … as itself",
    "try": "except ImportError",
    "class": "the class around it",
    "rebound": "another binding of the name",
}


def needed_lines(audit: Audit, needed: Iterable[NeededImport]) -> list[Text]:
    """Return a line for each import, then what it loads and what depends on it, indented."""
    lines: list[Text] = []
    for each in needed:
        line = Text()
        line.append(each.spot.path, "bold")
        line.append(f":{each.spot.line}:{each.column}: ", "dim")
        line.append(clipped(each.spot.text, 100))
        lines += [line, *detail_lines(_details(audit, each))]
    return lines


def _details(audit: Audit, each: NeededImport) -> Iterator[Detail]:
    yield Detail("loads", listed(each.modules))
    if not each.direct:
        yield Detail("which leads to", listed(each.registering))
    keys = [key_text(c.key) for c in _cells(audit, each)]
    keys += [f'"{e.key}"' if e.key else e.symbol or "?" for e in _entries(audit, each)]
    yield Detail("registered", listed(keys, 6))
    protected = " and ".join(_PROTECTED[kept] for kept in each.protected)
    yield Detail("protected by", protected or "nothing: a fixer would delete it")
    for loss in each.losses:
        yield Detail("without it", _lost(loss))
    if each.lost:
        names = listed((f'"{e.key}"' if e.key else e.symbol or "?" for e in each.lost), 6)
        yield Detail("without it", f"nothing loads {names}")
    if not each.is_needed:
        yield Detail("without it", "something else loads it today")


def _lost(loss: Loss) -> str:
    now, then = loss.now, loss.then
    reach = f"reach {now.reach}" + (f" → {then.reach}" if then.reach != now.reach else "")
    crashing = listed(short(site.spot) for site in loss.crashing)
    return f"{key_text(now.key)}  {reach}" + (f"; {crashing} would crash" if crashing else "")


def _cells(audit: Audit, each: NeededImport) -> list[Cell]:
    """Return the keys that the modules of an import register; of one that only leads there, those lost."""
    if not each.direct:
        return [loss.now for loss in each.losses]
    cells = (cell for registry in audit.registries for cell in registry.cells)
    return [c for c in cells if any(r.module in each.registering for r in c.registrations)]


def _entries(audit: Audit, each: NeededImport) -> list[SimpleEntry]:
    """Return the same of simple registries."""
    if not each.direct:
        return list(each.lost)
    entries = (entry for registry in audit.simple_registries for entry in registry.entries)
    return [entry for entry in entries if entry.module in each.registering]


def summary(needed: Sequence[NeededImport]) -> Text:
    """Return how many imports there are, in how many files, and how many nothing protects."""
    if not needed:
        return Text("no registration depends on an import for its side effect")
    bare = sum(not each.protected for each in needed)
    files = len({each.spot.path for each in needed})
    text = Text(f"{_count(len(needed), 'import')} in {_count(files, 'file')}")
    if bare:
        text.append(f", {bare} of them protected by nothing (see `regreach rule RR106`)", "yellow")
    return text


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


def needed_json(audit: Audit, needed: Iterable[NeededImport]) -> str:
    """Return the imports as JSON text, see ``docs/schemas/side-effects.schema.json``."""
    listed = list(needed)
    document = {
        **head(audit),
        "imports": [_import_json(audit, each) for each in listed],
        "per_file_ignores": {path: [_RULE] for path in _patterns(listed)},
        "unsure": list(audit.unsure),
        "notes": list(audit.notes),
    }
    return dumped(document)


def _import_json(audit: Audit, each: NeededImport) -> dict[str, Any]:
    lost = {(loss.now.registry, loss.now.key): loss for loss in each.losses}
    return {
        **(place(each.spot) or {}),
        "column": each.column,
        "statement": each.spot.text,
        "importer": each.importer,
        "scope": each.scope,
        "modules": list(each.modules),
        "direct": each.direct,
        "registering": list(each.registering),
        "names": list(each.names),
        "protected_by": list(each.protected),
        "keys": [
            {
                "registry": cell.registry,
                "key": list(cell.key),
                "reach": cell.reach,
                "reach_without": loss.then.reach if loss is not None else cell.reach,
                "outcome_without": loss.then.outcome if loss is not None else cell.outcome,
                "would_crash": [place(s.spot) for s in loss.crashing] if loss is not None else [],
            }
            for cell in _cells(audit, each)
            for loss in [lost.get((cell.registry, cell.key))]
        ],
        "entries": [
            {"registry": registry.id, "key": entry.key, "lost": entry in each.lost}
            for registry in audit.simple_registries
            for entry in registry.entries
            if entry in _entries(audit, each)
        ],
    }


def ruff_toml(needed: Iterable[NeededImport], *, in_pyproject: bool) -> str:
    """Return the configuration that keeps ruff's F401 from the files in which such imports stand.

    Left out are files in which no import is an unused one to ruff. Paths are relative to the tree's root.
    """
    table = "tool.ruff.lint.per-file-ignores" if in_pyproject else "lint.per-file-ignores"
    lines = [
        "# Made by `regreach side-effects`: imports in these files register something when they are executed.",
        f"[{table}]",
    ]
    for pattern, modules in _patterns(needed).items():
        lines.append(f'{_quoted(pattern)} = ["{_RULE}"]  # {", ".join(modules)}')
    return "\n".join(lines) + "\n"


def _patterns(needed: Iterable[NeededImport]) -> dict[str, list[str]]:
    """Return for each file, as a pattern of ruff, the last names of the modules that it keeps loaded, sorted."""
    files: dict[str, set[str]] = {}
    for each in needed:
        if each.seen:
            loaded = files.setdefault(_pattern(each.spot.path), set())
            loaded.update(module.rpartition(".")[2] for module in each.modules)
    return {pattern: sorted(modules) for pattern, modules in sorted(files.items())}


def _pattern(path: str) -> str:
    """Return a pattern that matches one file: one without a folder would match others of its name."""
    return ("" if "/" in path else "./") + _GLOB.sub(lambda found: f"[{found[0]}]", path)


def _quoted(text: str) -> str:
    """Return a TOML string: JSON's is one, but for one character."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
