"""The rules and packs that ship with regreach, found through the entry-point group ``regreach.rules``."""

from __future__ import annotations

from importlib.resources import files

from regreach_rules import (
    rr101,
    rr102,
    rr103,
    rr104,
    rr105,
    rr106,
    rr107,
    rr108,
    rr109,
    rr110,
    rr111,
    rr112,
)

RULES = (
    rr101.RULE,
    rr102.RULE,
    rr103.RULE,
    rr104.RULE,
    rr105.RULE,
    rr106.RULE,
    rr107.RULE,
    rr108.RULE,
    rr109.RULE,
    rr110.RULE,
    rr111.RULE,
    rr112.RULE,
)
PACKS = {
    file.name.removesuffix(".toml"): file.read_text(encoding="utf-8")
    for file in sorted(files(__name__).joinpath("packs").iterdir(), key=lambda f: f.name)
    if file.name.endswith(".toml")
}

__all__ = ["PACKS", "RULES"]
