"""Which filled containers are registries, and which of them are one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from regreach.discover.containers import Container
from regreach.discover.definitions import is_named
from regreach.discover.uses import Filled


def registries(filled: Iterable[Filled]) -> list[list[Filled]]:
    """Return the registries, each as the containers that its registrars fill together, the main one first."""
    accepted = [each for each in filled if _is_registry(each)]
    groups: list[list[Filled]] = []
    for each in sorted(accepted, key=lambda f: f.container.path):
        together = [g for g in groups if any(_share(each, other) for other in g)]
        for group in together:
            groups.remove(group)
        groups.append([each, *(other for group in together for other in group)])
    return [sorted(group, key=_rank) for group in groups]


def _is_registry(filled: Filled) -> bool:
    """Return whether what is filled is filled as a registry is.

    Decorators do, and class statements; loops over modules do. A function that is called does if modules
    call it while they are imported, or if its name says so and what it is given is there for good.
    A dictionary that is filled while something runs is a cache or a state.
    """
    forms = {mode.form for _, modes in filled.registrars.values() for mode in modes}
    if filled.decorated or "loop" in forms:
        return True
    named = any(is_named(path.partition(":")[2]) for path in filled.registrars)
    keyed = any(mode.key for _, modes in filled.registrars.values() for mode in modes)
    if any(r.when == "import" for r in filled.registrations) and filled.lasting:
        return named or keyed
    if not named:
        return False
    if not filled.registrations:
        # for others to fill: what an object has for itself, or fills, is no such thing
        if "maker" in forms:
            return True
        if filled.container.attr is not None:
            return is_named(filled.container.path)
        return not any(
            registrar.definition.of_object for registrar, _ in filled.registrars.values()
        )
    return bool(filled.lasting)


def _share(one: Filled, other: Filled) -> bool:
    """Return whether one function puts the same thing into both."""
    same = set(one.registrars) & set(other.registrars)
    return bool(same) and _is_same_object(one.container, other.container)


def _is_same_object(one: Container, other: Container) -> bool:
    """Return whether two containers can belong together: those of two objects of a class do not."""
    if one.attr is None and other.attr is None:
        return True
    return (one.module, one.name) == (other.module, other.name)


def _rank(filled: Filled) -> tuple[bool, bool, bool, int, str]:
    whole = any(mode.whole for _, modes in filled.registrars.values() for mode in modes)
    keyed = any(mode.key for _, modes in filled.registrars.values() for mode in modes)
    direct = sum(
        r.definition.module == filled.container.module for r, _ in filled.registrars.values()
    )
    return (
        not filled.registrations,
        not whole,
        not keyed,
        -len(filled.registrations) - direct,
        filled.container.path,
    )


def registrar_key(filled: Filled, path: str) -> tuple[str, ...]:
    """Return where the key of a registrar comes from, in words: parameters, and ``.name`` for attributes."""
    for mode in filled.registrars[path][1]:
        if mode.key is None:
            continue
        parts = []
        for part in mode.key:
            words = [
                str(s.name) if s.kind == "param" else f".{s.name}" if s.kind == "attr" else "itself"
                for s in part
                if s.kind in ("param", "attr", "self")
            ]
            parts.append(" or ".join(dict.fromkeys(words)) or "?")
        return tuple(parts)
    return ()


def forms_of(filled: Sequence[Filled], path: str) -> tuple[str, ...]:
    """Return how a registrar is used, of whatever container."""
    forms = (m.form for f in filled if path in f.registrars for m in f.registrars[path][1])
    return tuple(sorted(set(forms)))
