"""The baseline: findings that are known, in a file that is meant to shrink.

TOML, one line for each finding, without positions, in a table for each pack and platform: what is found
on one platform says nothing of another. See ``docs/suppressions.md``.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from regreach.errors import ConfigError
from regreach.model import Finding
from regreach.rule import Fingerprint
from regreach.toml_table import Table

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FORMAT = 1
COMMAND = "regreach baseline"
DEFAULT_NAME = "regreach-baseline.toml"

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_FINGERPRINT = re.compile(r"""fingerprint\s*=\s*["']([^"']*)["']""")

Run = tuple[str, str]
"""The pack and the platform of an analysis."""

_HEAD = f"""\
# Findings that regreach knows and does not count: see `regreach baseline --help`, which rewrites this file.
# It is meant to shrink. A reason = "..." that is added to a line is kept.
format = {FORMAT}
"""


@dataclass(frozen=True, slots=True)
class Entry:
    """A finding by its rule and fingerprint. ``of`` says what it is about, for people to read."""

    rule: str
    of: tuple[str, ...]
    fingerprint: str
    reason: str = ""
    line: int = field(default=0, compare=False)

    @classmethod
    def of_finding(cls, finding: Finding, reason: str = "") -> Entry:
        """Return the entry for a finding."""
        own = finding.fingerprint
        parts = own.parts if isinstance(own, Fingerprint) else finding.key or (finding.spot.path,)
        return cls(finding.rule, tuple(map(_printable, parts)), str(own), reason)


@dataclass(frozen=True, slots=True)
class Baseline:
    """The entries of a file by pack and platform.

    ``path`` is absolute, None where it is not on disk; ``command`` is what writes the file anew.
    """

    name: str
    runs: Mapping[Run, tuple[Entry, ...]]
    path: str | None = None
    command: str = COMMAND

    def orphans(self, known: Known) -> list[tuple[Entry, str]]:
        """Return the entries that nothing installed can ever match, each with what there is not."""
        return [
            (entry, why)
            for (pack, platform), entries in self.runs.items()
            for entry in entries
            if (why := known.lacks(entry.rule, pack, platform)) is not None
        ]


@dataclass(frozen=True, slots=True)
class Known:
    """What there is: codes of rules, and the platforms of the pack that is used.

    Another pack that is not installed may be the file that another run is given.
    """

    rules: Collection[str]
    pack: str
    platforms: Collection[str]

    def lacks(self, rule: str, pack: str, platform: str) -> str | None:
        """Return what there is not of a rule and a platform of a pack; None where both are there."""
        if rule not in self.rules:
            return f"there is no rule {rule!r}"
        if pack == self.pack and platform not in self.platforms:
            return f"the pack {pack!r} has no platform {platform!r}"
        return None


def read_baseline(data: bytes, name: str, path: str | None = None) -> Baseline:
    """Read a file; ``name`` is what errors call it. Raises ConfigError, with all that is wrong."""
    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n")
        document = tomllib.loads(text)
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigError(f"{name}: not a baseline, and not valid TOML: {error}") from None
    top = Table(name, "", document)
    version = top.number("format")
    if version != FORMAT:
        raise top.error(f"is {version}; this regreach reads format {FORMAT}", "format")
    runs: dict[Run, tuple[Entry, ...]] = {}
    errors: list[str] = []
    lines = _Lines(text)
    raw = top.mapping("findings")
    try:
        for pack, table in top.named_tables("findings").items():
            for platform in raw[pack]:
                entries = (_entry(each, lines, errors) for each in table.tables(platform))
                runs[pack, platform] = tuple(entry for entry in entries if entry is not None)
        top.finish()
    except ConfigError as error:
        errors += map(str, error.args)
    if errors:
        raise ConfigError(*errors)
    return Baseline(name, runs, path)


class _Lines:
    """The lines on which entries stand, which TOML readers do not tell."""

    def __init__(self, text: str) -> None:
        self._left: dict[str, list[int]] = {}
        for number, line in enumerate(text.split("\n"), 1):
            for quoted in _FINGERPRINT.findall(line):
                self._left.setdefault(quoted, []).append(number)

    def next_of(self, fingerprint: str) -> int:
        """Return the line of the next entry with this fingerprint; 1 when it is written otherwise."""
        left = self._left.get(fingerprint)
        return left.pop(0) if left else 1


def _entry(table: Table, lines: _Lines, errors: list[str]) -> Entry | None:
    """Return an entry, or None when something is wrong with it, which is added to ``errors``."""
    try:
        fingerprint = table.text("fingerprint")
        entry = Entry(
            table.text("rule").upper(),
            table.texts("of", ()),
            fingerprint,
            table.text("reason", ""),
            lines.next_of(fingerprint),
        )
        table.finish()
    except ConfigError as error:
        errors += map(str, error.args)
        return None
    return entry


def baseline_text(runs: Mapping[Run, Iterable[Entry]]) -> str:
    """Return the text of a file with these entries, in their order."""
    parts = [_HEAD]
    for pack in sorted({pack for pack, _ in runs}):
        parts.append(f"\n[findings.{_key(pack)}]\n")
        for platform in sorted(platform for other, platform in runs if other == pack):
            lines = "".join(map(_line, runs[pack, platform]))
            parts.append(f"{_key(platform)} = [\n{lines}]\n")
    return "".join(parts)


def _line(entry: Entry) -> str:
    fields = [
        f"rule = {_quoted(entry.rule)}",
        f"of = [{', '.join(map(_quoted, entry.of))}]",
        f"fingerprint = {_quoted(entry.fingerprint)}",
    ]
    if entry.reason:
        fields.append(f"reason = {_quoted(entry.reason)}")
    return f"  {{ {', '.join(fields)} }},\n"


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _quoted(name)


def _quoted(text: str) -> str:
    # as JSON would, but that TOML takes no DEL as it is
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _printable(text: str) -> str:
    """Return text that UTF-8 can say: a key may be a string that it cannot."""
    return text.encode("utf-8", "replace").decode("utf-8")
