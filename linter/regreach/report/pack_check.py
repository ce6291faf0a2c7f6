"""What of a pack a tree lacks: for people, and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.text import Text

from regreach.model import SEVERITIES
from regreach.pack import Pack
from regreach.pack_check.missing import Missing
from regreach.report.as_json import SCHEMA_VERSION, dumped

_STYLES = {"error": "bold red", "warning": "yellow", "info": "cyan"}


def missing_lines(pack: Pack, missing: Iterable[Missing]) -> list[Text]:
    """Return a line for each entry: file, severity, entry, and what is missing."""
    lines = []
    for each in missing:
        line = Text(f"{pack.source}: ", "bold")
        line.append(f"{each.severity}: ", _STYLES[each.severity])
        line.append(f"{each.entry}: {each.problem}")
        lines.append(line)
    return lines


def missing_json(pack: Pack, missing: Iterable[Missing], target: str | None) -> str:
    """Return the same as JSON text, with what the pack is and of which target it is told."""
    document = {
        "schema_version": SCHEMA_VERSION,
        "pack": {
            "name": pack.name,
            "source": pack.source,
            "format": pack.format,
            "package": pack.location.name,
        },
        "target": target,
        "missing": [
            {"severity": each.severity, "entry": each.entry, "problem": each.problem}
            for each in missing
        ],
    }
    return dumped(document)


def summary(pack: Pack, missing: Sequence[Missing], target: str | None) -> str:
    """Return in a line what the pack has, and how much of it a tree lacks."""
    counted = [
        _count(len(pack.registries) + len(pack.simple_registries), "registry", "registries"),
        _count(len(pack.consumers), "consumer"),
        _count(len(pack.platforms), "platform"),
    ]
    head = f"{pack.source}: format {pack.format}, {', '.join(counted)}"
    if target is None:
        return f"{head}; nothing is wrong in it"
    counts = [
        _count(number, severity) if severity != "info" else f"{number} info"
        for severity in SEVERITIES
        if (number := sum(each.severity == severity for each in missing))
    ]
    return f"{head}; {', '.join(counts) or 'all that it names is there'}"


def _count(number: int, word: str, more: str = "") -> str:
    return f"{number} {word if number == 1 else more or f'{word}s'}"
