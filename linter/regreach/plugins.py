"""Rules and packs, found through the entry-point group ``regreach.rules``.

An entry point names a module with ``RULES`` (a sequence of ``Rule``) and ``PACKS`` (a mapping from a
pack's name to its TOML text). A third party's package is found in the same way as regreach's own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path

from regreach.errors import ConfigError
from regreach.pack import Pack, load_pack
from regreach.rule import Rule

GROUP = "regreach.rules"


@dataclass(frozen=True, slots=True)
class Plugins:
    """All that is installed: rules by code, and the texts of packs by name."""

    rules: Mapping[str, Rule]
    packs: Mapping[str, str]

    def selected(self, select: Sequence[str], ignore: Sequence[str]) -> list[Rule]:
        """Return the rules to apply: all, or those selected, less those ignored. Raises ConfigError."""
        for code in (*select, *ignore):
            if code not in self.rules:
                known = ", ".join(self.rules)
                raise ConfigError(f"unknown rule {code!r}; known are: {known}")
        return [
            rule
            for code, rule in self.rules.items()
            if (not select or code in select) and code not in ignore
        ]

    def pack(self, name: str | None) -> Pack:
        """Return a pack: by name, by the path of a TOML file, or the only one. Raises ConfigError."""
        if name is not None and (name.endswith(".toml") or "/" in name):
            try:
                return load_pack(Path(name).read_text(encoding="utf-8"), name)
            except (OSError, UnicodeDecodeError) as error:
                raise ConfigError(f"{name}: the pack cannot be read: {error}") from None
        known = ", ".join(self.packs) or "none"
        if name is None:
            if len(self.packs) != 1:
                raise ConfigError(f"choose a pack with --pack; installed are: {known}")
            name = next(iter(self.packs))
        if name not in self.packs:
            raise ConfigError(f"unknown pack {name!r}; installed are: {known}")
        return load_pack(self.packs[name], f"pack {name}")


def load_plugins() -> Plugins:
    """Import every entry point of the group. Raises ConfigError for one that is broken."""
    rules: dict[str, Rule] = {}
    packs: dict[str, str] = {}
    for point in sorted(entry_points(group=GROUP), key=lambda p: p.name):
        try:
            module = point.load()
            own_rules: Sequence[Rule] = getattr(module, "RULES", ())
            own_packs: Mapping[str, str] = getattr(module, "PACKS", {})
        except Exception as error:
            raise ConfigError(
                f"the rules {point.value!r} of {point.name!r} cannot be loaded: {error}"
            ) from error
        for rule in own_rules:
            if rule.code in rules:
                raise ConfigError(f"{point.value}: the code {rule.code} is taken by another rule")
            rules[rule.code] = rule
        packs.update(own_packs)
    return Plugins(dict(sorted(rules.items())), packs)
