"""From a key as it is typed to the cell of a registry; what is near where there is none."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterable, Sequence

from regreach.errors import ConfigError
from regreach.model import Audit, Cell, RegistryResult
from regreach.rule import key_text

Chosen = tuple[RegistryResult, Cell]
_NEAR = 5


def chosen_key(audit: Audit, text: str) -> Chosen:
    """Return the registry and the cell that ``a,b`` or ``registry:a,b`` names.

    In front of the colon stands the id of a registry, or the end of one. Raises ConfigError where there is no such
    key, or more than one.
    """
    prefix, colon, rest = text.partition(":")
    named = [r for r in audit.registries if r.id == prefix or r.id.endswith(f".{prefix}")]
    if colon and named:
        found, wanted = _matching(named, rest), rest
    else:
        found, wanted, named = _matching(audit.registries, text), text, list(audit.registries)
    if not found:
        raise ConfigError(_unknown(audit, named, wanted))
    if len(found) > 1:
        ways = ", ".join(f"{registry.id}:{typed(cell.key)}" for registry, cell in found)
        raise ConfigError(f"{wanted!r} is in several registries; say which: {ways}")
    return found[0]


def parts_of(text: str) -> tuple[str, ...]:
    """Return the parts of a key as it is typed, ``none,triton``, or as it is printed, ``("none", "triton")``.

    A part with a comma can only be given as it is printed. Raises ConfigError where there are no parts.
    """
    printed = _printed(text)
    if printed:
        return printed
    if not text.strip(", "):
        raise ConfigError("the key is empty; its parts are separated by commas, e.g. none,triton")
    return between_commas(text)


def typed(key: Sequence[str]) -> str:
    """Return a key as it is typed: its parts, joined by commas; as it is printed where that is ambiguous."""
    text = ",".join(key)
    return text if between_commas(text) == tuple(key) else key_text(tuple(key))


def between_commas(text: str) -> tuple[str, ...]:
    """Return what stands between the commas of a text."""
    return tuple(part.strip() for part in text.split(","))


def _printed(text: str) -> tuple[str, ...]:
    """Return the parts of a key that is written as in code; none for what is no tuple of strings."""
    if not text.lstrip().startswith("("):
        return ()
    try:
        found = ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return ()
    parts = (found,) if isinstance(found, str) else found
    if isinstance(parts, tuple) and all(isinstance(part, str) for part in parts):
        return parts
    return ()


def _matching(registries: Iterable[RegistryResult], text: str) -> list[Chosen]:
    wanted = _printed(text) or between_commas(text)
    return [
        (r, c)
        for r in registries
        for c in r.cells
        if wanted in (c.key, tuple(part.strip() for part in c.key))
    ]


def _unknown(audit: Audit, registries: Sequence[RegistryResult], text: str) -> str:
    if not audit.registries:
        return f"there is no key {text!r}: this tree has none of the pack's registries"
    parts = parts_of(text)
    names = ", ".join(f"{r.id} ({','.join(r.parts)})" for r in registries)
    return f"there is no key {key_text(parts)} in {names}{near_text(near_keys(registries, parts))}"


def near_text(near: Iterable[Sequence[str]]) -> str:
    """Return which keys may have been meant, to be appended to a message; empty where there are none."""
    told = "; ".join(map(typed, near))
    return f"; near are: {told}" if told else ""


def near_keys(registries: Iterable[RegistryResult], parts: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the keys that are spelled alike: the same parts in another order first, then the most alike."""
    keys = list(dict.fromkeys(c.key for r in registries for c in r.cells))
    by_text = {typed(key): key for key in keys}
    turned = [key for key in keys if sorted(key) == sorted(parts)]
    partly = [key for key in keys if len(parts) < len(key) and set(parts) <= set(key)]
    # the last part is the consumer's own value: it is what people look for
    own = difflib.get_close_matches(parts[-1], sorted({key[-1] for key in keys if key}), n=3)
    alike = difflib.get_close_matches(typed(parts), list(by_text), n=_NEAR, cutoff=0.7)
    close = [by_text[text] for text in alike]
    close += [key for key in keys if key and key[-1] in own and key[:-1] == tuple(parts[:-1])]
    return list(dict.fromkeys([*turned, *partly, *close]))[:_NEAR]
