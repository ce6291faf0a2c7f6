"""Whether what the abstract machine says of a text allows what CPython does with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import abstract
from regreach.evaluate.session import Ended
from regreach.evaluate.values import (
    MISSING,
    OPEN,
    SOMETHING,
    Class,
    Const,
    Dict,
    Function,
    Instance,
    Listing,
    Module,
    Tuple,
    Union,
    Value,
    cell_of,
    may_be_missing,
    names_in,
)

# What is raised for a reason that the machine need not see when a value is not known to it.
_IMPORT_ERRORS = ("ImportError", "ModuleNotFoundError")


def objections(
    ended: Ended, module: Module | None, real: Mapping[str, Any], *, lenient: bool
) -> list[str]:
    """Return what CPython did and the machine excludes.

    ``lenient``: values that it does not know may be the reason for any exception but an ImportError.
    """
    kind = real["ended"].partition(":")[0]
    perhaps = {p.value.name for p in ended.may_raise}  # type: ignore[union-attr]
    if kind in perhaps or (lenient and kind not in ("ok", *_IMPORT_ERRORS)):
        return []
    if ended.raised is not None:
        if kind == ended.raised.name:
            return []
        return [f"raises {ended.raised.name} for certain; CPython: {real['ended']}"]
    if kind != "ok":
        return [f"does not raise; CPython: {real['ended']}"]
    assert module is not None
    if OPEN in module.cells:
        return []
    return [
        f"{name} is {_shown(cell_of(module, name))}; CPython: {real['bound'].get(name)}"
        for name in sorted({*real["bound"], *_names(module)})
        if not admits(cell_of(module, name), real["bound"].get(name))
    ]


def outcome(ended: Ended) -> str:
    """Return the name of the exception that is raised for certain, or "ok"."""
    return "ok" if ended.raised is None else ended.raised.name


def _names(module: Module) -> list[str]:
    return [n for n in names_in(module) if not n.startswith(("__", "<"))]


def _shown(value: Value) -> str:
    if isinstance(value, Union):
        return " or ".join(map(_shown, value.values))
    return str(abstract.encoded(value)) if value is not MISSING else "not bound"


def admits(value: Value, real: Sequence[Any] | None) -> bool:
    """Return whether a value in CPython is one that the abstract value stands for."""
    if isinstance(value, Union):
        return any(admits(v, real) for v in value.values)
    if real is None:
        return value is MISSING
    kind = real[0]
    if isinstance(value, Const):
        plain = isinstance(value.value, (bool, int, float, str, type(None)))
        return list(real) == (["const", repr(value.value)] if plain else ["other"])
    if isinstance(value, Tuple):
        return kind == "other" or (kind == "tuple" and _all_admit(value.items, real[1]))
    if isinstance(value, Listing):
        kind = "other" if value.kind == "iterator" else value.kind
        if "of" in value.cells:
            return kind in ("keys", "values", "items") and real[0] == "other"
        return _admits_items(kind, value.cells["items"], real)
    if isinstance(value, Dict):
        entries = [(k, v) for k, v in real[1]] if kind == "dict" else None
        return entries is not None and _admits_entries(value, entries)
    if isinstance(value, Instance):
        if value.member is not None:
            return list(real) == ["member", value.cls.qualname, value.member]
        return list(real) == ["instance", value.cls.qualname]
    if isinstance(value, Function):
        return list(real) == ["function", value.qualname]
    if isinstance(value, Class):
        return list(real[:2]) == ["class", value.qualname]
    return value is not MISSING and (value is not SOMETHING or list(real) != ["const", "None"])


def _all_admit(values: Sequence[Value], real: Sequence[Any]) -> bool:
    return len(values) == len(real) and all(map(admits, values, real))


def _admits_items(kind: str, items: Value, real: Sequence[Any]) -> bool:
    if real[0] != kind or kind == "other" or not isinstance(items, Tuple):
        return bool(real[0] == kind)
    if kind != "set":
        return _all_admit(items.items, real[1])
    return all(any(admits(i, r) for i in items.items) for r in real[1])


def _admits_entries(value: Dict, real: Sequence[tuple[Any, Any]]) -> bool:
    """Each entry there is one that may be there, and what is certainly there is there."""
    cells = {k: v for k, v in value.cells.items() if k is not OPEN}
    for key, item in real:
        fitting = [v for k, v in cells.items() if admits(k, key)]
        if not (any(admits(v, item) for v in fitting) or OPEN in value.cells):
            return False
    return all(
        may_be_missing(v) or any(admits(k, key) for key, _ in real) for k, v in cells.items()
    )


def known(value: Value) -> bool:
    """Return whether nothing about a value is left open."""
    if isinstance(value, Tuple):
        return all(map(known, value.items))
    if isinstance(value, Listing):
        return "items" in value.cells and known(value.cells["items"])
    if isinstance(value, Dict):
        return OPEN not in value.cells and all(map(known, value.cells.values()))
    return isinstance(value, (Const, Instance, Function, Class))
