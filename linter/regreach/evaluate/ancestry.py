"""The class of a value, and what a class has from its ancestors."""

from __future__ import annotations

import builtins
import enum

from regreach.evaluate.values import (
    MISSING,
    OPEN,
    UNKNOWN,
    Class,
    Const,
    Dict,
    External,
    Instance,
    Listing,
    Raised,
    Tuple,
    Union,
    Value,
    may_be_missing,
    union,
    without_missing,
)

_OBJECT = External("builtins.object")


def class_of(value: Value) -> Value:
    """Return the class of a value, as far as it is known."""
    if isinstance(value, Instance):
        return value.cls
    if isinstance(value, Const):
        return External(f"builtins.{type(value.value).__name__}")
    if isinstance(value, Tuple) and not value.names:
        return External("builtins.tuple")
    if isinstance(value, Listing) and value.kind == "list":
        return External("builtins.list")
    if isinstance(value, Dict) and value.factory is None:
        return External("builtins.dict")
    if isinstance(value, Raised):
        return value.cls
    if isinstance(value, Class):
        return External("builtins.type")
    return UNKNOWN


def class_mro(cls: Class) -> tuple[Value, ...]:
    """Return the method resolution order (C3), with what is not of the tree where it stands."""
    if cls.mro:
        return cls.mro
    sequences: list[list[Value]] = []
    for base in cls.bases:
        if isinstance(base, Class):
            sequences.append(list(class_mro(base)))
        elif isinstance(base, Union):
            sequences.append([UNKNOWN])
        else:
            sequences.append([base])
    sequences.append([b if not isinstance(b, Union) else UNKNOWN for b in cls.bases])
    result: list[Value] = [cls]
    while any(sequences):
        for sequence in sequences:
            if sequence and not any(sequence[0] in s[1:] for s in sequences):
                head = sequence[0]
                break
        else:
            head = next(s[0] for s in sequences if s)
        result.append(head)
        sequences = [[v for v in s if v != head] for s in sequences]
    return tuple(result)


def look_up_in_class(cls: Class, name: str) -> Value:
    """Return a class attribute along the MRO as far as that is of the tree; MISSING when it has none there.

    Where a class may lack it, what follows may be meant, too.
    """
    maybe: list[Value] = []
    for each in class_mro(cls):
        if isinstance(each, Class):
            value = each.cells.get(name, MISSING)
            if value is not MISSING:
                if not may_be_missing(value):
                    return union((*maybe, value)) if maybe else value
                maybe.append(without_missing(value))
    return union(maybe) if maybe else MISSING


def closed(cls: Class) -> bool:
    """Return whether all ancestors of a class are known, so that a missing name is known to be missing."""
    return all(
        OPEN not in c.cells and "__getattribute__" not in c.cells
        if isinstance(c, Class)
        else c == _OBJECT
        for c in class_mro(cls)
    )


def lacks(cls: Class, name: str) -> bool:
    """Return whether a class certainly has no attribute of this name that its own tree does not show.

    More is known than of a ``closed`` class: what builtin types and those of ``enum`` have.
    """
    for each in class_mro(cls):
        if isinstance(each, Class):
            if OPEN in each.cells or "__getattribute__" in each.cells:
                return False
            continue
        home, _, known = each.path.rpartition(".") if isinstance(each, External) else ("", "", "")
        real = getattr(_KNOWN.get(home), known, None)
        if not isinstance(real, type) or hasattr(real, name):
            return False
    return True


_KNOWN = {"builtins": builtins, "enum": enum}


def is_mixed_enum(cls: Class) -> bool:
    """Return whether the members of an enum are equal to others, and true, as their values are."""
    mixed = {"enum.IntEnum", "enum.StrEnum", "enum.IntFlag"}
    return any(
        isinstance(c, External)
        and (c.path in mixed or (c.path.startswith("builtins.") and c != _OBJECT))
        for c in class_mro(cls)
    )


def is_flag(cls: Class) -> bool:
    """Return whether a class is a ``Flag``."""
    flags = {External("enum.Flag"), External("enum.IntFlag")}
    return any(c in flags for c in class_mro(cls))


def has_own(cls: Class, *names: str) -> bool:
    """Return whether a class of the tree, among a class and its ancestors, defines one of these methods."""
    return any(isinstance(c, Class) and any(n in c.cells for n in names) for c in class_mro(cls))
