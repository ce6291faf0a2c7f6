"""Rules and packs, found through the entry-point group ``regreach.rules``.

An entry point names a module with ``RULES`` (a sequence of ``Rule``) and ``PACKS`` (a mapping from a
pack's name to its TOML text). A third party's package is found in the same way as regreach's own.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import TypeVar

from regreach.errors import ConfigError
from regreach.pack import ANY, Pack, is_for_any_package, load_pack
from regreach.policy import meta_rules
from regreach.rule import Rule
from regreach.toml_table import did_you_mean
from regreach.tree.paths import why

GROUP = "regreach.rules"
_SOME = "package"  # stands for whatever package a pack for any is used on
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Plugins:
    """All that is installed: rules by code, the texts of packs by name, and who brings each of these."""

    rules: Mapping[str, Rule]
    packs: Mapping[str, str]
    origins: Mapping[str, str]

    def unknown_rule(self, code: str) -> str:
        """Return what is wrong with a code that no rule has."""
        known = ", ".join(self.rules)
        return f"unknown rule {code!r}; known are: {known}"

    def selected(self, select: Sequence[str], ignore: Sequence[str]) -> list[Rule]:
        """Return the rules to apply: all, or those selected, less those ignored. Raises ConfigError."""
        for code in (*select, *ignore):
            if code not in self.rules:
                raise ConfigError(self.unknown_rule(code))
        left = [
            rule
            for code, rule in self.rules.items()
            if (not select or code in select) and code not in ignore
        ]
        if not left:
            raise ConfigError("no rule is left to apply: what is selected is ignored as well")
        return left

    def pack(self, name: str, package: str | None = None) -> Pack:
        """Return a pack by name, or by the path of a TOML file. Raises ConfigError.

        ``package`` is what a pack for any package is to be of.
        """
        return load_pack(*self._text_and_source(name), package)

    def pack_as_it_is(self, name: str) -> Pack:
        """Return a pack of which no tree is to be asked: one for any package has ``*`` as its own."""
        text, source = self._text_and_source(name)
        if not is_for_any_package(text):
            return load_pack(text, source)
        found = load_pack(text, source, _SOME)
        return replace(found, location=replace(found.location, name=ANY))

    def _text_and_source(self, name: str) -> tuple[str, str]:
        if not names_a_file(name):
            return self.text(name), f"pack {name}"
        try:
            return Path(name).read_text(encoding="utf-8"), name
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"{name}: the pack cannot be read: {why(error)}") from None

    def text(self, name: str) -> str:
        """Return the text of an installed pack. Raises ConfigError."""
        if name not in self.packs:
            known = ", ".join(self.packs) or "none"
            raise ConfigError(
                f"unknown pack {name!r}{did_you_mean(name, self.packs)}; installed are: {known}"
            )
        return self.packs[name]


def names_a_file(pack: str) -> bool:
    """Return whether a pack is given as the path of a file."""
    return pack.endswith(".toml") or "/" in pack


def installed_points() -> tuple[EntryPoint, ...]:
    """Return every entry point of the group, by name."""
    return _points(tuple(sys.path))


@functools.lru_cache(maxsize=8)  # every distribution is looked at, and a run asks several times
def _points(_: tuple[str, ...]) -> tuple[EntryPoint, ...]:
    return tuple(sorted(entry_points(group=GROUP), key=lambda point: point.name))


def load_plugins() -> Plugins:
    """Import every entry point of the group. Raises ConfigError for one that is broken."""
    rules: dict[str, Rule] = {rule.code: rule for rule in meta_rules.RULES}
    packs: dict[str, str] = {}
    origins: dict[str, str] = {}
    for point in installed_points():
        try:
            module = point.load()
            for rule in getattr(module, "RULES", ()):
                _add(rules, "rule", rule.code, rule)
            for name, text in getattr(module, "PACKS", {}).items():
                _add(packs, "pack", name, str(text))
                dist = point.dist
                origins[name] = f"{dist.name} {dist.version}" if dist is not None else point.value
        except Exception as error:
            raise ConfigError(
                f"the rules {point.value!r} of {point.name!r} cannot be loaded:"
                f" {type(error).__name__}: {error}"
            ) from error
    return Plugins(dict(sorted(rules.items())), dict(sorted(packs.items())), origins)


def _add(known: dict[str, _T], kind: str, name: str, value: _T) -> None:
    if name in known:
        raise ValueError(f"there is another {kind} {name!r}")
    known[name] = value
