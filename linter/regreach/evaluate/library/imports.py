"""Imports by call: ``importlib``, ``__import__`` and ``pkgutil``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from regreach.evaluate.frames import Abrupt, Frame
from regreach.evaluate.importing import (
    absolute_name,
    import_module,
    is_import_error,
    load_listed,
    relative_name,
)
from regreach.evaluate.iteration import items_of
from regreach.evaluate.library.models import Args, Keywords, Site, model
from regreach.evaluate.machine import Machine
from regreach.evaluate.values import (
    NONE,
    UNKNOWN,
    Builtin,
    Const,
    External,
    Generated,
    Listing,
    Tuple,
    Union,
    Value,
)
from regreach.facts.source import SourceError


@model("importlib.import_module")
def _import_module(
    machine: Machine, frame: Frame, args: Args, keywords: Keywords, __: Site
) -> Value:
    name = args[0] if args else keywords.get("name", UNKNOWN)
    package = args[1] if len(args) > 1 else keywords.get("package", NONE)
    if isinstance(name, Union):
        parts = [n for n in name.values if isinstance(n, Const)]
        for part in parts:
            machine.maybe(
                frame,
                lambda part=part: import_module(machine, frame, str(part.value)),  # type: ignore[misc]
                machine.place(frame),
            )
        return UNKNOWN
    if not isinstance(name, Const) or not isinstance(name.value, str):
        machine.unresolved.setdefault(
            machine.place(frame), "import_module of a name that is not known"
        )
        return UNKNOWN
    dotted = name.value
    if dotted.startswith("."):
        if not isinstance(package, Const) or not isinstance(package.value, str):
            return UNKNOWN
        stripped = dotted.lstrip(".")
        level = len(dotted) - len(stripped)
        dotted = relative_name(machine, frame, package.value, stripped, level)
    return import_module(machine, frame, dotted)


@model("builtins.__import__")
def _dunder_import(
    machine: Machine, frame: Frame, args: Args, keywords: Keywords, __: Site
) -> Value:
    given = dict(zip(("name", "globals", "locals", "fromlist", "level"), args, strict=False))
    given.update(keywords)
    name, level = given.get("name", UNKNOWN), given.get("level", Const(0))
    wanted = given.get("fromlist", NONE)
    names = [] if wanted == NONE else items_of(machine, frame, wanted)
    if not isinstance(name, Const) or not isinstance(name.value, str) or names is None:
        machine.unresolved.setdefault(
            machine.place(frame), "__import__ of a name that is not known"
        )
        return UNKNOWN
    dots = level.value if isinstance(level, Const) and isinstance(level.value, int) else 0
    dotted = absolute_name(machine, frame, name.value, dots)
    imported = import_module(machine, frame, dotted)
    if names:
        load_listed(machine, frame, imported, [str(n.value) for n in names if isinstance(n, Const)])
        return imported
    if dots:
        return imported if not name.value else UNKNOWN
    top = dotted.partition(".")[0]
    return machine.module_object(top) or External(top)


@model("importlib.util.find_spec")
def _find_spec(machine: Machine, frame: Frame, args: Args, *_: Any) -> Value:
    if not args or not isinstance(args[0], Const) or not isinstance(args[0].value, str):
        return UNKNOWN
    dotted = args[0].value
    parent = dotted.rpartition(".")[0]
    if dotted.startswith("."):
        return UNKNOWN
    if parent:
        import_module(machine, frame, parent)  # which it does to search there
    if dotted.partition(".")[0] == machine.top_level:
        if parent and not machine.sources.is_package(parent):
            message = f"__path__ attribute not found on {parent!r} while trying to find {dotted!r}"
            raise machine.error(frame, "ModuleNotFoundError", message)
        return External(f"{dotted}.__spec__") if machine.sources.has(dotted) else NONE
    if dotted in machine.world.absent:
        return NONE
    return Builtin("a module spec", lambda *_: UNKNOWN)


@model("importlib.reload")
def _reload(machine: Machine, frame: Frame, args: Args, *_: Any) -> Value:
    return args[0] if args else UNKNOWN


@model("pkgutil.iter_modules")
def _iter_modules(
    machine: Machine, frame: Frame, args: Args, keywords: Keywords, site: Site
) -> Value:
    return _modules_below(machine, frame, args, keywords, deep=False)


@model("pkgutil.walk_packages")
def _walk_packages(
    machine: Machine, frame: Frame, args: Args, keywords: Keywords, site: Site
) -> Value:
    return _modules_below(machine, frame, args, keywords, deep=True)


def _modules_below(
    machine: Machine, frame: Frame, args: Args, keywords: Keywords, *, deep: bool
) -> Value:
    where = args[0] if args else keywords.get("path", NONE)
    prefix_value = args[1] if len(args) > 1 else keywords.get("prefix", Const(""))
    if isinstance(where, (Listing, Tuple)):
        items = items_of(machine, frame, where) or [UNKNOWN]
        where = items[0] if len(items) == 1 else UNKNOWN
    if not isinstance(where, External) or not where.path.endswith(".__path__"):
        machine.unresolved.setdefault(
            machine.place(frame), "pkgutil loop over a path that is not known"
        )
        return UNKNOWN
    package = where.path.removesuffix(".__path__")
    prefix = prefix_value.value if isinstance(prefix_value, Const) else None
    if deep:
        return Generated(lambda: _walk(machine, frame, package, prefix))
    return Tuple(tuple(info for info, _, __ in _infos(machine, package, prefix)))


def _infos(
    machine: Machine, package: str, prefix: str | None
) -> Iterator[tuple[Value, str, str | None]]:
    """Yield what ``iter_modules`` yields, the module, and for a package the name that it is shown by."""
    for name in machine.sources.children(package):
        is_package = machine.sources.is_package(name)
        if is_package and _is_namespace(machine, name):
            continue
        shown = None if prefix is None else prefix + name.rpartition(".")[2]
        info = Tuple(
            (UNKNOWN, UNKNOWN if shown is None else Const(shown), Const(is_package)),
            ("module_finder", "name", "ispkg"),
        )
        yield info, name, (shown or name) if is_package else None


def _is_namespace(machine: Machine, package: str) -> bool:
    try:
        return machine.sources.facts(package) is None
    except SourceError:
        return False


def _walk(machine: Machine, frame: Frame, package: str, prefix: str | None) -> Iterator[Value]:
    """Yield what ``walk_packages`` yields: it imports a package after yielding it, to look below it."""
    for info, name, shown in _infos(machine, package, prefix):
        yield info
        if shown != name:
            continue  # no package; or the prefix is another one, and its import fails unseen
        try:
            import_module(machine, frame, name)
        except Abrupt as ended:
            if is_import_error(ended.value):
                continue
            raise
        yield from _walk(machine, frame, name, None if prefix is None else f"{name}.")
