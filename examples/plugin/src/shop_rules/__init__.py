"""A pack and a rule for shops, found through the entry-point group ``regreach.rules``."""

from __future__ import annotations

from importlib.resources import files

from shop_rules import sh101

RULES = (sh101.RULE,)
PACKS = {"shop": files(__name__).joinpath("packs/shop.toml").read_text(encoding="utf-8")}

__all__ = ["PACKS", "RULES"]
