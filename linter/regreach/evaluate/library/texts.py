"""Methods of texts."""

from __future__ import annotations

from typing import Any

from regreach.evaluate.constants import plain
from regreach.evaluate.frames import Frame
from regreach.evaluate.items import new_listing
from regreach.evaluate.iteration import MAX_ITEMS, ordered_items
from regreach.evaluate.library.models import Args, Keywords, Site
from regreach.evaluate.machine import Machine
from regreach.evaluate.values import UNKNOWN, Const, Instance, Tuple, Value

TEXT_METHODS = {
    "capitalize", "casefold", "count", "endswith", "find", "isdigit", "isidentifier", "join",
    "lower", "lstrip", "partition", "removeprefix", "removesuffix", "replace", "rpartition",
    "rsplit", "rstrip", "split", "startswith", "strip", "title", "upper", "isalpha", "isnumeric",
    "format", "index", "rfind", "splitlines", "swapcase", "zfill",
}  # fmt: skip


def text_method(
    machine: Machine,
    frame: Frame,
    owner: Const,
    name: str,
    args: Args,
    keywords: Keywords,
    site: Site,
) -> Value:
    """Call a method of a text."""
    if name == "join" and len(args) == 1:
        items = ordered_items(machine, frame, args[0])
        args = (Tuple(tuple(items)),) if items is not None else (UNKNOWN,)
    values = [plain(machine, a) for a in args]
    if name == "format" and any(isinstance(a, Instance) for a in args):
        return UNKNOWN
    if keywords or any(v is None for v in values) or _may_be_huge(owner.value, name, values):
        return UNKNOWN
    try:
        result = getattr(owner.value, name)(*[v[0] for v in values if v is not None])
    except (TypeError, ValueError, IndexError, KeyError):
        return UNKNOWN
    if isinstance(result, list):
        return new_listing(machine, frame, "list", [Const(r) for r in result], "text", *site)
    if isinstance(result, tuple):
        return Tuple(tuple(Const(r) for r in result))
    return Const(result)


def _may_be_huge(text: str, name: str, values: list[tuple[Any] | None]) -> bool:
    """Return whether a text method may make a text of any length."""
    if name == "format":
        return any(char.isdigit() for char in text)
    return name in ("zfill", "replace", "join") and any(
        isinstance(v[0], int) or len(str(v[0])) > MAX_ITEMS * 10 for v in values if v is not None
    )
