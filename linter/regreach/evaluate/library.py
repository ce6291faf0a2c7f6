"""What the abstract machine knows of builtins and of the standard library.

Only what steers imports, branches or registries is modelled; any other call gives an External
value whose truth is not known. Facts about the installation (which packages are absent, what
``torch.cuda.is_available()`` says) come from the ``World``, never from here.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from regreach.evaluate import expressions as ev
from regreach.evaluate.ancestry import class_mro, class_of
from regreach.evaluate.frames import Abrupt, Frame
from regreach.evaluate.importing import (
    absolute_name,
    import_module,
    is_import_error,
    load_listed,
    relative_name,
)
from regreach.evaluate.iteration import MAX_ITEMS, items_of
from regreach.evaluate.machine import Machine
from regreach.evaluate.values import (
    FALSE,
    MISSING,
    NONE,
    OPEN,
    TRUE,
    UNKNOWN,
    Bound,
    Builtin,
    Class,
    Const,
    Descriptor,
    Dict,
    External,
    Function,
    Generated,
    Instance,
    Listing,
    Module,
    Partial,
    Raised,
    Tuple,
    Union,
    Value,
    alternatives,
    may_be_missing,
    union,
    without_missing,
)
from regreach.facts.source import SourceError

Args = tuple[Value, ...]
Keywords = Mapping[str, Value]
Site = tuple[Any, ...]
Model = Callable[[Machine, Frame, Args, Keywords, Site], Value]

BUILTINS: dict[str, Value] = {
    name: External(f"builtins.{name}") for name in dir(builtins) if not name.startswith("__")
}
BUILTINS["__import__"] = External("builtins.__import__")
BUILTINS["NotImplemented"] = External("builtins.NotImplemented")
_CALLS: dict[str, Model] = {}
# Decorators and decorator factories that leave the decorated thing what it is, for this purpose.
_TRANSPARENT = {
    "abc.abstractmethod",
    "atexit.register",
    "dataclasses.dataclass",
    "dataclasses.dataclass()",
    "enum.unique",
    "functools.cache",
    "functools.lru_cache",
    "functools.lru_cache()",
    "functools.total_ordering",
    "functools.wraps()",
    "typing.final",
    "typing.no_type_check",
    "typing.overload",
    "typing.runtime_checkable",
    "typing_extensions.final",
    "typing_extensions.override",
    "typing_extensions.runtime_checkable",
    "typing.override",
}
_CALLABLES = (Function, Class, Bound, Partial, Builtin)
_DESCRIPTORS = {
    "builtins.property": "property",
    "functools.cached_property": "property",
    "builtins.staticmethod": "staticmethod",
    "builtins.classmethod": "classmethod",
    "abc.abstractproperty": "property",
}


def _model(*paths: str) -> Callable[[Model], Model]:
    def register(function: Model) -> Model:
        for path in paths:
            _CALLS[path] = function
        return function

    return register


def call_external(
    machine: Machine, frame: Frame, function: External, args: Args, keywords: Keywords, site: Site
) -> Value:
    """Call something outside the tree: as the world says, as modelled here, else not known."""
    path = function.path
    known = machine.world.values.get(f"{path}()")
    if known is not None:
        return known
    if path in _DESCRIPTORS and args:
        return Descriptor(_DESCRIPTORS[path], args[0])
    if path in _TRANSPARENT and len(args) == 1 and isinstance(args[0], _CALLABLES):
        return decorate_external(machine, function, args[0])
    model = _CALLS.get(path)
    if model is not None:
        return model(machine, frame, args, keywords, site)
    name = path.removeprefix("builtins.")
    builtin = getattr(builtins, name, None) if path.startswith("builtins.") else None
    if isinstance(builtin, type) and issubclass(builtin, BaseException):
        return Raised(function, exception_message(machine, frame, builtin, args))
    return External(f"{path}()")


def exception_message(machine: Machine, frame: Frame, kind: type[BaseException], args: Args) -> str:
    """Return ``str()`` of an exception with these arguments; empty when it is not known."""
    if len(args) == 1 and not issubclass(kind, KeyError):
        return ev.string_of(machine, frame, args[0]) or ""
    known = args and all(isinstance(a, Const) for a in args) and not issubclass(kind, OSError)
    return ev.text_of(args[0] if len(args) == 1 else Tuple(args)) if known else ""


def decorate_external(machine: Machine, decorator: External, value: Value) -> Value:
    """Apply a decorator from outside the tree to a function or class."""
    path = decorator.path
    if path in _DESCRIPTORS:
        return Descriptor(_DESCRIPTORS[path], value)
    if isinstance(value, Class):
        if path.startswith("dataclasses.dataclass"):
            value.is_dataclass = True
        elif path not in _TRANSPARENT:
            machine.heap.write(value, OPEN, UNKNOWN)  # it may have got more attributes
        return value
    if path in _TRANSPARENT:
        return value
    if path.endswith((".setter", ".deleter", ".getter")):
        return value
    return External(f"{path}()")


# -- builtins ---------------------------------------------------------------------------------


@_model("builtins.hasattr")
def _hasattr(machine: Machine, frame: Frame, args: Args, _: Keywords, __: Site) -> Value:
    if len(args) != 2 or not isinstance(args[1], Const):
        return UNKNOWN
    return _has(machine, frame, args[0], args[1].value)


def _has(machine: Machine, frame: Frame, owner: Value, name: str) -> Value:
    if isinstance(owner, Union):
        return union(_has(machine, frame, o, name) for o in owner.values if o is not MISSING)
    if isinstance(owner, External):
        known = machine.world.values.get(f"{owner.path}.{name}")
        if known is None:
            prefix = f"{owner.path}.{name}"
            if any(p.startswith((prefix + ".", prefix + "(")) for p in machine.world.values):
                return TRUE
            return UNKNOWN
        return FALSE if known is MISSING else TRUE
    if isinstance(owner, Module):
        raw = owner.cells.get(name, MISSING)
        if isinstance(raw, Union) and may_be_missing(raw):
            return UNKNOWN
    if isinstance(owner, (Function, Const)) or owner == UNKNOWN:
        if isinstance(owner, Const):
            return Const(hasattr(owner.value, name))
        return TRUE if isinstance(owner, Function) and name in owner.cells else UNKNOWN
    value = ev.get_attribute(machine, frame, owner, name)
    if value is MISSING:
        return FALSE
    return UNKNOWN if value is UNKNOWN else TRUE


@_model("builtins.getattr")
def _getattr(machine: Machine, frame: Frame, args: Args, _: Keywords, __: Site) -> Value:
    if len(args) < 2 or not isinstance(args[1], Const) or not isinstance(args[1].value, str):
        return UNKNOWN
    name = args[1].value
    if len(args) == 2:
        value = ev.get_attribute(machine, frame, args[0], name)
        return UNKNOWN if value is MISSING else value
    present = _has(machine, frame, args[0], name)
    if present == FALSE:
        return args[2]
    if isinstance(args[0], External) and present is UNKNOWN:
        return union((External(f"{args[0].path}.{name}"), args[2]))
    value = ev.get_attribute(machine, frame, args[0], name)
    if value is MISSING:
        return args[2]
    return value if present == TRUE else union((value, args[2]))


@_model("builtins.setattr", "builtins.object.__setattr__")
def _setattr(machine: Machine, frame: Frame, args: Args, _: Keywords, __: Site) -> Value:
    if len(args) == 3:
        if isinstance(args[1], Const) and isinstance(args[1].value, str):
            ev.set_attribute(machine, frame, args[0], args[1].value, args[2])
        elif isinstance(args[0], (Module, Instance, Class)):
            machine.heap.write(args[0], OPEN, UNKNOWN)
    return NONE


@_model("builtins.globals")
def _globals(machine: Machine, frame: Frame, *_: Any) -> Value:
    machine.heap.write(frame.module, OPEN, UNKNOWN)
    return UNKNOWN


@_model("builtins.exec", "builtins.vars", "builtins.locals")
def _opens_module(machine: Machine, frame: Frame, *_: Any) -> Value:
    machine.heap.write(frame.module, OPEN, UNKNOWN)
    machine.heap.write(frame.scope, OPEN, UNKNOWN)
    return UNKNOWN


@_model("builtins.isinstance")
def _isinstance(machine: Machine, frame: Frame, args: Args, _: Keywords, __: Site) -> Value:
    return is_instance(args[0], args[1]) if len(args) == 2 else UNKNOWN


def is_instance(value: Value, kinds: Value) -> Value:
    """Return ``isinstance(value, kinds)``."""
    return _verdict(
        {_is_subclass(class_of(v), kinds) for v in alternatives(value) if v is not MISSING}
    )


@_model("builtins.issubclass")
def _issubclass(machine: Machine, frame: Frame, args: Args, _: Keywords, __: Site) -> Value:
    return _verdict({_is_subclass(args[0], args[1])}) if len(args) == 2 else UNKNOWN


_PROTOCOLS = {External("typing.Protocol"), External("typing_extensions.Protocol")}


def _verdict(verdicts: set[bool | None]) -> Value:
    if len(verdicts) != 1:
        return UNKNOWN
    verdict = verdicts.pop()
    return UNKNOWN if verdict is None else Const(verdict)


def _is_subclass(cls: Value, kinds: Value) -> bool | None:
    if isinstance(kinds, Tuple):
        verdicts = [_is_subclass(cls, k) for k in kinds.items]
        if True in verdicts:
            return True
        return None if None in verdicts else False
    if cls is UNKNOWN or kinds is UNKNOWN or isinstance(kinds, Union):
        return None
    if isinstance(kinds, Class) and _PROTOCOLS & set(class_mro(kinds)):
        return None  # structural: whoever has the methods is an instance
    if isinstance(cls, Class):
        order = class_mro(cls)
        if kinds in order or kinds == External("builtins.object"):
            return True
        outside = [c for c in order if not isinstance(c, Class)]
        return None if outside and isinstance(kinds, External) else False
    if isinstance(cls, External):
        if cls == kinds:
            return True
        left = getattr(builtins, cls.path.removeprefix("builtins."), None)
        right = (
            getattr(builtins, kinds.path.removeprefix("builtins."), None)
            if isinstance(kinds, External)
            else None
        )
        if isinstance(left, type):
            if isinstance(right, type):
                return issubclass(left, right)
            return False if isinstance(kinds, Class) else None
        return False if isinstance(kinds, Class) else None
    return None


@_model("builtins.len")
def _len(machine: Machine, frame: Frame, args: Args, _: Keywords, __: Site) -> Value:
    items = items_of(machine, frame, args[0]) if args else None
    return UNKNOWN if items is None else Const(len(items))


@_model("builtins.bool")
def _bool(machine: Machine, frame: Frame, args: Args, _: Keywords, __: Site) -> Value:
    if not args:
        return FALSE
    verdict = ev.truth(machine, frame, args[0])
    return UNKNOWN if verdict is None else Const(verdict)


@_model("builtins.str")
def _str(machine: Machine, frame: Frame, args: Args, _: Keywords, __: Site) -> Value:
    if not args:
        return Const("")
    text = ev.string_of(machine, frame, args[0])
    return UNKNOWN if text is None else Const(text)


@_model("builtins.int")
def _int(machine: Machine, frame: Frame, args: Args, _: Keywords, __: Site) -> Value:
    return _number(machine, frame, args, int)


@_model("builtins.float")
def _float(machine: Machine, frame: Frame, args: Args, _: Keywords, __: Site) -> Value:
    return _number(machine, frame, args, float)


def _number(
    machine: Machine, frame: Frame, args: Args, kind: Callable[[Any], int | float]
) -> Value:
    value = ev.plain(machine, args[0]) if len(args) == 1 else None
    if value is None or not isinstance(value[0], (int, str, float)):
        return UNKNOWN
    try:
        return Const(kind(value[0]))
    except (ValueError, OverflowError) as error:
        raise machine.error(frame, type(error).__name__, str(error)) from None


@_model("builtins.tuple")
def _tuple(machine: Machine, frame: Frame, args: Args, _: Keywords, __: Site) -> Value:
    items = items_of(machine, frame, args[0]) if args else []
    return UNKNOWN if items is None else Tuple(tuple(items))


@_model("builtins.reversed")
def _reversed(machine: Machine, frame: Frame, args: Args, _: Keywords, site: Site) -> Value:
    items = items_of(machine, frame, args[0]) if args else []
    backwards = None if items is None else items[::-1]
    return ev.new_listing(machine, frame, "list", backwards, "reversed()", *site)


@_model("builtins.sorted")
def _sorted(machine: Machine, frame: Frame, args: Args, keywords: Keywords, site: Site) -> Value:
    items = items_of(machine, frame, args[0]) if args else None
    values = [ev.plain(machine, item) for item in items or ()]
    ordered: list[Value] | None = None
    if items is not None and not keywords and None not in values:
        pairs = list(zip([p[0] for p in values if p is not None], items, strict=True))
        try:
            ordered = [item for _, item in sorted(pairs, key=lambda pair: pair[0])]
        except TypeError as error:
            raise machine.error(frame, "TypeError", str(error)) from None
    return ev.new_listing(machine, frame, "list", ordered, "sorted()", *site)


@_model("builtins.list")
def _list(machine: Machine, frame: Frame, args: Args, _: Keywords, site: Site) -> Value:
    items = items_of(machine, frame, args[0]) if args else []
    return ev.new_listing(machine, frame, "list", items, "list()", *site)


@_model("builtins.set", "builtins.frozenset")
def _set(machine: Machine, frame: Frame, args: Args, _: Keywords, site: Site) -> Value:
    items = items_of(machine, frame, args[0]) if args else []
    return ev.new_listing(machine, frame, "set", items, "set()", *site)


@_model("collections.defaultdict")
def _defaultdict(
    machine: Machine, frame: Frame, args: Args, keywords: Keywords, site: Site
) -> Value:
    made = _dict(machine, frame, args[1:], keywords, site)
    assert isinstance(made, Dict)
    made.factory = args[0] if args and args[0] != NONE else None
    return made


@_model("builtins.dict", "collections.OrderedDict")
def _dict(machine: Machine, frame: Frame, args: Args, keywords: Keywords, site: Site) -> Value:
    made = machine.allocate(Dict, frame, "dict()", *site)
    assert isinstance(made, Dict)
    made.factory = None
    for arg in args:
        if isinstance(arg, Dict):
            ev.update_dict(machine, frame, made, arg)
            continue
        items = items_of(machine, frame, arg)
        if items is None:
            machine.heap.write(made, OPEN, UNKNOWN)
            continue
        for item in items:
            if isinstance(item, Tuple) and len(item.items) == 2:
                ev.set_item(machine, frame, made, item.items[0], item.items[1])
            else:
                machine.heap.write(made, OPEN, UNKNOWN)
    for name, value in keywords.items():
        machine.heap.write(made, Const(name), value)
    return made


@_model("builtins.range")
def _range(machine: Machine, frame: Frame, args: Args, _: Keywords, __: Site) -> Value:
    numbers = [a.value for a in args if isinstance(a, Const) and isinstance(a.value, int)]
    if len(numbers) != len(args) or not args:
        return UNKNOWN
    try:
        result = range(*numbers)
    except (TypeError, ValueError):
        return UNKNOWN
    return Const(result) if len(result) <= MAX_ITEMS else UNKNOWN


@_model("builtins.enumerate")
def _enumerate(machine: Machine, frame: Frame, args: Args, _: Keywords, __: Site) -> Value:
    items = items_of(machine, frame, args[0]) if len(args) == 1 else None
    if items is None:
        return UNKNOWN
    return Tuple(tuple(Tuple((Const(i), v)) for i, v in enumerate(items)))


@_model("builtins.zip")
def _zip(machine: Machine, frame: Frame, args: Args, _: Keywords, __: Site) -> Value:
    columns = [items_of(machine, frame, a) for a in args]
    known = [c for c in columns if c is not None]
    if len(known) != len(columns):
        return UNKNOWN
    return Tuple(tuple(Tuple(row) for row in zip(*known, strict=False)))


@_model("builtins.any", "builtins.all")
def _unknown_of_items(machine: Machine, frame: Frame, args: Args, *_: Any) -> Value:
    return UNKNOWN


def _quantified(wanted: bool) -> Model:
    def run(machine: Machine, frame: Frame, args: Args, _: Keywords, __: Site) -> Value:
        items = items_of(machine, frame, args[0]) if args else None
        if items is None:
            return UNKNOWN
        verdicts = [ev.truth(machine, frame, i) for i in items]
        if wanted in verdicts:
            return Const(wanted)
        return UNKNOWN if None in verdicts else Const(not wanted)

    return run


_CALLS["builtins.any"] = _quantified(True)
_CALLS["builtins.all"] = _quantified(False)


@_model("builtins.callable")
def _callable(machine: Machine, frame: Frame, args: Args, *_: Any) -> Value:
    if args and isinstance(args[0], _CALLABLES):
        return TRUE
    return FALSE if args and isinstance(args[0], (Const, Tuple)) else UNKNOWN


@_model("builtins.type")
def _type(machine: Machine, frame: Frame, args: Args, *_: Any) -> Value:
    return class_of(args[0]) if len(args) == 1 else UNKNOWN


@_model("builtins.print", "builtins.delattr")
def _nothing(*_: Any) -> Value:
    return NONE


@_model("builtins.iter", "typing.cast")
def _last(machine: Machine, frame: Frame, args: Args, *_: Any) -> Value:
    return args[-1] if args else UNKNOWN


@_model("builtins.next")
def _next(machine: Machine, frame: Frame, args: Args, *_: Any) -> Value:
    items = items_of(machine, frame, args[0]) if args else None
    if items:
        return items[0]
    return args[1] if items is not None and len(args) > 1 else UNKNOWN


# -- imports by call --------------------------------------------------------------------------


@_model("importlib.import_module")
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


@_model("builtins.__import__")
def _dunder_import(
    machine: Machine, frame: Frame, args: Args, keywords: Keywords, __: Site
) -> Value:
    given = dict(zip(("name", "globals", "locals", "fromlist", "level"), args, strict=False))
    given.update(keywords)
    name, level = given.get("name", UNKNOWN), given.get("level", Const(0))
    names = items_of(machine, frame, given["fromlist"]) if "fromlist" in given else []
    names = [] if given.get("fromlist") == NONE else names
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


@_model("importlib.util.find_spec")
def _find_spec(machine: Machine, frame: Frame, args: Args, *_: Any) -> Value:
    if not args or not isinstance(args[0], Const) or not isinstance(args[0].value, str):
        return UNKNOWN
    dotted = args[0].value
    top = dotted.partition(".")[0]
    if top == machine.top_level:
        return External(f"{dotted}.__spec__") if machine.sources.has(dotted) else NONE
    parts = dotted.split(".")
    prefixes = [".".join(parts[: i + 1]) for i in range(len(parts))]
    if any(p in machine.world.absent for p in prefixes):
        return NONE
    return Builtin("a module spec", lambda *_: UNKNOWN)


@_model("importlib.reload")
def _reload(machine: Machine, frame: Frame, args: Args, *_: Any) -> Value:
    return args[0] if args else UNKNOWN


@_model("pkgutil.iter_modules", "pkgutil.walk_packages")
def _iter_modules(
    machine: Machine, frame: Frame, args: Args, keywords: Keywords, site: Site
) -> Value:
    return _modules_below(machine, frame, args, keywords, deep=False)


def _walk_packages(
    machine: Machine, frame: Frame, args: Args, keywords: Keywords, site: Site
) -> Value:
    return _modules_below(machine, frame, args, keywords, deep=True)


_CALLS["pkgutil.walk_packages"] = _walk_packages


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


# -- functools, dataclasses, os, collections ----------------------------------------------------


@_model("functools.partial")
def _partial(machine: Machine, frame: Frame, args: Args, keywords: Keywords, __: Site) -> Value:
    return Partial(args[0], args[1:], tuple(keywords.items())) if args else UNKNOWN


@_model("functools.wraps", "functools.update_wrapper")
def _wraps(*_: Any) -> Value:
    return Builtin("functools.wraps()", lambda m, f, a, k, s: a[0] if a else UNKNOWN)


@_model("functools.lru_cache", "functools.cache")
def _cache(machine: Machine, frame: Frame, args: Args, *_: Any) -> Value:
    if args and isinstance(args[0], _CALLABLES):
        return args[0]
    return External("functools.lru_cache()")


@_model("dataclasses.field", "msgspec.field", "pydantic.Field")
def _field(machine: Machine, frame: Frame, args: Args, keywords: Keywords, site: Site) -> Value:
    if "default" in keywords:
        return keywords["default"]
    if "default_factory" in keywords:
        return Descriptor("factory", keywords["default_factory"])
    return External("dataclasses.field()")


@_model("os.getenv", "os.environ.get")
def _getenv(machine: Machine, frame: Frame, args: Args, keywords: Keywords, __: Site) -> Value:
    default = args[1] if len(args) > 1 else keywords.get("default", NONE)
    value = ev.environment(machine, args[0]) if args else UNKNOWN
    return default if value is MISSING else value


@_model("os.environ.setdefault")
def _environ_setdefault(machine: Machine, frame: Frame, args: Args, *_: Any) -> Value:
    if len(args) == 2 and isinstance(args[0], Const):
        value = ev.environment(machine, args[0])
        if value is MISSING:
            machine.heap.write(machine.environ, args[0], args[1])
            return args[1]
        return value
    return UNKNOWN


@_model("os.environ.pop", "os.unsetenv")
def _environ_pop(machine: Machine, frame: Frame, args: Args, *_: Any) -> Value:
    value = ev.environment(machine, args[0]) if args else UNKNOWN
    if args and isinstance(args[0], Const):
        machine.heap.write(machine.environ, args[0], MISSING)
    if value is MISSING:
        return args[1] if len(args) > 1 else UNKNOWN
    return value


@_model("sys.modules.get")
def _sys_modules_get(machine: Machine, frame: Frame, args: Args, *_: Any) -> Value:
    if not args or not isinstance(args[0], Const):
        return UNKNOWN
    name = args[0].value
    default = args[1] if len(args) > 1 else NONE
    if isinstance(name, str) and name.partition(".")[0] == machine.top_level:
        value = machine.modules.cells.get(name, MISSING)
        machine.replay.asked_for(name, value)
        if value is MISSING:
            return default
        return union((without_missing(value), default)) if may_be_missing(value) else value
    return UNKNOWN


# -- methods of constants, dicts, lists ---------------------------------------------------------

_TEXT_METHODS = {
    "capitalize", "casefold", "count", "endswith", "find", "isdigit", "isidentifier", "join",
    "lower", "lstrip", "partition", "removeprefix", "removesuffix", "replace", "rpartition",
    "rsplit", "rstrip", "split", "startswith", "strip", "title", "upper", "isalpha", "isnumeric",
    "format", "index", "rfind", "splitlines", "swapcase", "zfill",
}  # fmt: skip


def method_of(owner: Value, name: str) -> Value:
    """Return a method of a value of a builtin type; UNKNOWN for anything else."""
    if isinstance(owner, Const) and isinstance(owner.value, str) and name in _TEXT_METHODS:
        return Builtin(
            f"str.{name}", lambda m, f, a, k, s: _text_method(m, f, owner, name, a, k, s)
        )
    table = (
        _DICT_METHODS
        if isinstance(owner, Dict)
        else _LIST_METHODS
        if isinstance(owner, Listing)
        else None
    )
    if table is not None and name in table:
        method = table[name]
        return Builtin(
            f"{type(owner).__name__}.{name}",
            lambda m, f, a, k, s: method(m, f, (owner, *a), k, s),
        )
    if isinstance(owner, Dict) or (isinstance(owner, Listing) and name in _CHANGES_LIST):
        return Builtin("change", lambda m, f, a, k, s: _change(m, owner))
    if isinstance(owner, Raised) and name == "args":
        return UNKNOWN
    return UNKNOWN


_CHANGES_LIST = {"remove", "pop", "insert", "sort", "reverse", "discard", "__delitem__"}


def _change(machine: Machine, owner: Dict | Listing) -> Value:
    key = OPEN if isinstance(owner, Dict) else "items"
    machine.replay.read(owner)
    machine.heap.write(owner, key, UNKNOWN)
    return UNKNOWN


def _text_method(
    machine: Machine,
    frame: Frame,
    owner: Const,
    name: str,
    args: Args,
    keywords: Keywords,
    site: Site,
) -> Value:
    if name == "join" and len(args) == 1:
        items = items_of(machine, frame, args[0])
        args = (Tuple(tuple(items)),) if items is not None else (UNKNOWN,)
    values = [ev.plain(machine, a) for a in args]
    if keywords or any(v is None for v in values) or _may_be_huge(owner.value, name, values):
        return UNKNOWN
    try:
        result = getattr(owner.value, name)(*[v[0] for v in values if v is not None])
    except (TypeError, ValueError, IndexError, KeyError):
        return UNKNOWN
    if isinstance(result, list):
        return ev.new_listing(machine, frame, "list", [Const(r) for r in result], "text", *site)
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


def _dict_get(machine: Machine, frame: Frame, args: Args, _: Keywords, __: Site) -> Value:
    owner = args[0]
    assert isinstance(owner, Dict)
    default = args[2] if len(args) > 2 else NONE
    machine.replay.read(owner)
    value = ev.dict_get(owner, args[1]) if len(args) > 1 else UNKNOWN
    if value is MISSING:
        return default
    return union((without_missing(value), default)) if may_be_missing(value) else value


def _dict_setdefault(machine: Machine, frame: Frame, args: Args, k: Keywords, s: Site) -> Value:
    owner = args[0]
    assert isinstance(owner, Dict)
    value = _dict_get(machine, frame, args, k, s)
    if len(args) > 1:
        present = ev.dict_get(owner, args[1])
        if may_be_missing(present):
            ev.set_item(machine, frame, owner, args[1], value)
    return value


def _dict_update(machine: Machine, frame: Frame, args: Args, k: Keywords, _: Site) -> Value:
    owner = args[0]
    assert isinstance(owner, Dict)
    for other in args[1:]:
        ev.update_dict(machine, frame, owner, other)
    for name, value in k.items():
        machine.heap.write(owner, Const(name), value)
    return NONE


def _dict_pop(machine: Machine, frame: Frame, args: Args, k: Keywords, s: Site) -> Value:
    owner = args[0]
    assert isinstance(owner, Dict)
    value = _dict_get(machine, frame, args, k, s)
    if len(args) > 1 and ev.is_hashable_constant(args[1]):
        machine.heap.write(owner, args[1], MISSING)
    else:
        machine.heap.write(owner, OPEN, UNKNOWN)
    return value


def _dict_items(kind: str) -> Model:
    def run(machine: Machine, frame: Frame, args: Args, _: Keywords, __: Site) -> Value:
        owner = args[0]
        assert isinstance(owner, Dict)
        machine.replay.read(owner)
        if OPEN in owner.cells or any(may_be_missing(v) for v in owner.cells.values()):
            return UNKNOWN
        if kind == "keys":
            return Tuple(tuple(owner.cells))
        if kind == "values":
            return Tuple(tuple(owner.cells.values()))
        return Tuple(tuple(Tuple((key, value)) for key, value in owner.cells.items()))

    return run


def _dict_copy(machine: Machine, frame: Frame, args: Args, _: Keywords, site: Site) -> Value:
    made = machine.allocate(Dict, frame, "copy", *site)
    assert isinstance(made, Dict)
    ev.update_dict(machine, frame, made, args[0])
    return made


def _clear(machine: Machine, frame: Frame, args: Args, *_: Any) -> Value:
    owner = args[0]
    if isinstance(owner, Dict):
        machine.heap.clear(owner)
    elif isinstance(owner, Listing):
        machine.heap.write(owner, "items", Tuple(()))
    return NONE


_DICT_METHODS: dict[str, Model] = {
    "get": _dict_get,
    "setdefault": _dict_setdefault,
    "update": _dict_update,
    "pop": _dict_pop,
    "keys": _dict_items("keys"),
    "values": _dict_items("values"),
    "items": _dict_items("items"),
    "copy": _dict_copy,
    "clear": _clear,
}


def _append(machine: Machine, frame: Frame, args: Args, _: Keywords, __: Site) -> Value:
    owner = args[0]
    assert isinstance(owner, Listing)
    items = items_of(machine, frame, owner)
    machine.replay.read(owner)
    known = items is not None and len(args) == 2 and len(items) < MAX_ITEMS
    machine.heap.write(owner, "items", Tuple((*(items or ()), args[1])) if known else UNKNOWN)
    return NONE


def _extend(machine: Machine, frame: Frame, args: Args, _: Keywords, __: Site) -> Value:
    owner = args[0]
    assert isinstance(owner, Listing)
    items = items_of(machine, frame, owner)
    more = items_of(machine, frame, args[1]) if len(args) == 2 else None
    machine.replay.read(owner)
    known = items is not None and more is not None
    machine.heap.write(owner, "items", Tuple((*(items or ()), *(more or ()))) if known else UNKNOWN)
    return NONE


def _listing_copy(machine: Machine, frame: Frame, args: Args, _: Keywords, site: Site) -> Value:
    owner = args[0]
    assert isinstance(owner, Listing)
    return ev.new_listing(
        machine, frame, owner.kind, items_of(machine, frame, owner), "copy", *site
    )


_LIST_METHODS: dict[str, Model] = {
    "append": _append,
    "add": _append,
    "extend": _extend,
    "update": _extend,
    "copy": _listing_copy,
    "clear": _clear,
}
