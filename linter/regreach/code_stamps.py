"""What tells whether the code that judges has changed: regreach's own, and that of installed rules and packs."""

# Strings here and no Path objects: hundreds of files are looked at before anything else happens.
# ruff: noqa: PTH116
from __future__ import annotations

import functools
import os
import sys
from collections.abc import Iterable, Iterator
from importlib.metadata import EntryPoint
from types import FunctionType

from regreach.plugins import installed_points
from regreach.rule import Check, Rule

_NOT_CODE = frozenset({"__pycache__", ".git"})  # importing writes there
_OWN = "regreach"

Stamps = tuple[tuple[str, int, int], ...]


def code_stamps(rules: Iterable[Rule]) -> str | None:
    """Return a text that is another one when code that findings may depend on has changed.

    It has the stamps of all files of regreach, of what each installed entry point names and its
    distribution holds, and of the packages in which the functions of ``rules`` stand. None where nobody can
    say where such code comes from: what is found with it cannot be told from what would be found now.
    """
    rules = tuple(rules)
    modules = {_OWN}
    for rule in rules:
        named = _modules_of(rule.check)
        if named is None:
            return None
        modules |= named
    points = installed_points()
    modules |= {point.module for point in points}
    code = set()
    for origin in map(_origin, modules):
        stamps = _code(origin) if origin is not None else None
        if stamps is None:
            return None
        code.add(stamps)
    judged = sorted((r.code, r.severity, r.mended, r.by_key, r.final) for r in rules)
    installed = [(p.name, p.value, *_distribution(p)) for p in points]
    return repr((judged, installed, sorted(code)))


def _modules_of(check: Check) -> set[str] | None:
    """Return the names of the modules that a rule's function comes from; None where that cannot be told.

    A ``functools.partial``, a bound method or another object says nothing of what it calls.
    """
    found: set[str] = set()
    inner: object = check
    while inner is not None:
        if not isinstance(inner, FunctionType):
            return None
        found |= {str(inner.__module__), str(inner.__globals__.get("__name__"))}
        inner = getattr(inner, "__wrapped__", None)
    return found


def _origin(module: str) -> str | None:
    """Return the topmost package with a file of its own that a module lies in, or the module itself."""
    parts = module.split(".")
    names = (".".join(parts[: count + 1]) for count in range(len(parts)))
    return next((n for n in names if getattr(sys.modules.get(n), "__file__", None)), None)


@functools.cache
def _code(name: str) -> Stamps | None:
    """Return the path, size and time of each file of a module or package; None for one that has none."""
    module = sys.modules[name]
    folders: Iterable[str] | None = getattr(module, "__path__", None)
    try:
        if folders is not None:
            return tuple(sorted(found for folder in folders for found in _below(folder))) or None
        file = str(module.__file__)
        return (_stamp(file, os.stat(file)),)
    except OSError:  # in an archive, for one
        return None


def _below(folder: str) -> Iterator[tuple[str, int, int]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                if entry.name not in _NOT_CODE:
                    yield from _below(entry.path)
            else:
                yield _stamp(entry.path, entry.stat())


def _stamp(path: str, found: os.stat_result) -> tuple[str, int, int]:
    return path, found.st_size, found.st_mtime_ns


def _distribution(point: EntryPoint) -> tuple[object, ...]:
    """Return the name and version of what brings an entry point, with the stamps of its source files."""
    if point.dist is None:
        return ()
    name, version = point.dist.metadata["Name"], point.dist.version
    if name == _OWN:
        return name, version
    found = []
    for file in point.dist.files or ():
        path = str(file.locate())
        if path.endswith(".py"):
            try:
                found.append(_stamp(path, os.stat(path)))
            except OSError:
                found.append((path, -1, -1))
    return name, version, found
