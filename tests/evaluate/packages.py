"""Strategies that make small packages: what their modules do is decided by nothing but their texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

TOP = "p"

# Modules and constants share some names, so that a name in `__init__` can hide a submodule.
_SHORT = ["a", "b", "c", "d", "e"]
_NAMES = ["a", "b", "K", "L", "M"]
_CONSTANTS = ["0", "1", "-2", "'a'", "'K'", "None", "True", "False", "(1, 'b')", "2.5", "__name__"]
_ERRORS = [
    "ImportError('no')",
    "ModuleNotFoundError('gone')",
    "RuntimeError('bad')",
    "ValueError",
    "KeyError('k')",
]
_CAUGHT = [
    "except ImportError:",
    "except ModuleNotFoundError:",
    "except (ImportError, AttributeError):",
    "except AttributeError:",
    "except Exception:",
    "except ImportError as error:",
    "except (ValueError, RuntimeError) as error:",
    "except:",
]

Lines = list[str]

_REGISTRY: Lines = [
    "REG = {}",
    "ITEMS = [0]",
    "class Pool:",
    "    size = 0",
    "    entries = {}",
    "pool = Pool()",
    "def register(key):",
    "    def wrap(f):",
    "        global K",
    "        K = key",
    "        REG[key] = f",
    "        return f",
    "    return wrap",
]


@dataclass(frozen=True)
class Place:
    """A module that is being written: its name, all modules, and the one with the registry in it."""

    module: str
    is_package: bool
    modules: Sequence[str]
    packages: Sequence[str]
    registry: str


def _once_in(draw: DrawFn, times: int) -> bool:
    return draw(st.integers(1, times)) == times


def _indent(lines: Sequence[str]) -> Lines:
    return [f"    {line}" for line in lines] or ["    pass"]


@st.composite
def packages(draw: DrawFn, kinds: Sequence[str] = ()) -> dict[str, str]:
    """Make the files of a package `p` with three to eight modules."""
    packages_, plain = _layout(draw)
    modules = sorted([*packages_, *plain])
    files: dict[str, str] = {}
    registry = draw(st.sampled_from([m for m in modules if packages_.get(m, True)]))
    for module in modules:
        is_package = module in packages_
        if is_package and not packages_[module]:
            continue  # a namespace folder
        place = Place(module, is_package, modules, sorted(packages_), registry)
        path = module.replace(".", "/") + ("/__init__.py" if is_package else ".py")
        files[path] = "\n".join(_module(draw, place, kinds)) + "\n"
    return files


def _layout(draw: DrawFn) -> tuple[dict[str, bool], list[str]]:
    """Return the packages (False: a namespace folder) and the plain modules."""
    found: dict[str, bool] = {TOP: not _once_in(draw, 10)}
    plain: list[str] = []
    wanted = draw(st.integers(3, 8))
    for _ in range(wanted):
        parent = draw(st.sampled_from([p for p in sorted(found) if p.count(".") < 2]))
        free = [s for s in _SHORT if f"{parent}.{s}" not in {*found, *plain}]
        if not free:
            continue
        name = f"{parent}.{draw(st.sampled_from(free))}"
        kind = draw(st.integers(0, 9))
        if kind < 6 or parent.count(".") == 2:
            plain.append(name)
        elif kind < 9:
            found[name] = True
        else:
            found[name] = False
            plain.append(f"{name}.{draw(st.sampled_from(_SHORT))}")
    if not plain:
        plain.append(f"{TOP}.e")
    # a namespace folder without a module below it is no module at all
    for name, regular in list(found.items()):
        if not regular and not any(m.startswith(name + ".") for m in plain):
            plain.append(f"{name}.e")
    return found, plain


def _module(draw: DrawFn, place: Place, kinds: Sequence[str]) -> Lines:
    lines: Lines = []
    if place.module == place.registry:
        lines += _REGISTRY
    if not _once_in(draw, 4):
        lines += [f"{name} = {draw(st.sampled_from(_CONSTANTS))}" for name in ("K", "L", "M")]
    for _ in range(draw(st.integers(0, 4))):
        lines += _statement(draw, place, 2, kinds)
    if _once_in(draw, 4):
        name = draw(st.sampled_from(_NAMES))
        lines.append(f"{name} = {draw(st.sampled_from(_CONSTANTS))}")
    if _once_in(draw, 10):
        names = draw(st.lists(st.sampled_from([*_NAMES, *_SHORT]), max_size=2, unique=True))
        where = draw(st.sampled_from([0, len(lines)]))
        makers = [f"__all__ = {names!r}", f"__all__ = {tuple(names)!r}"]
        lines.insert(where, draw(st.sampled_from(makers)))
        if draw(st.booleans()):
            lines.append(f"__all__ += [{draw(st.sampled_from(_NAMES))!r}]")
    if _once_in(draw, 40):
        lines.append(
            draw(st.sampled_from(["def f(:", "if K:", "return K", "K = '", "  K = 1", "K ="]))
        )
    return lines


def _statement(draw: DrawFn, place: Place, depth: int, kinds: Sequence[str]) -> Lines:
    choices = [
        name for name, (weight, deep) in _WEIGHTS.items() if deep <= depth for _ in range(weight)
    ]
    if kinds:
        choices = [c for c in choices if c in kinds]
    kind = draw(st.sampled_from(choices))
    return _MAKERS[kind](draw, place, depth, kinds)


def _target(draw: DrawFn, place: Place) -> str:
    if _once_in(draw, 15):
        return draw(st.sampled_from([f"{place.module}.zz", f"{TOP}.zz", f"{TOP}.a.zz"]))
    return draw(st.sampled_from(place.modules))


def _name(draw: DrawFn) -> str:
    return draw(st.sampled_from([*_NAMES, *_NAMES, *_SHORT]))


def _constant(draw: DrawFn, place: Place, depth: int, kinds: Sequence[str]) -> Lines:
    name = draw(st.sampled_from(_NAMES))
    form = draw(st.integers(0, 5))
    if form == 0:
        return [f"{name} = {draw(st.sampled_from(_NAMES))}"]
    if form == 1:
        return [f"{name} = ({draw(st.sampled_from(_NAMES))}, {draw(st.sampled_from(_CONSTANTS))})"]
    return [f"{name} = {draw(st.sampled_from(_CONSTANTS))}"]


def _import(draw: DrawFn, place: Place, depth: int, kinds: Sequence[str]) -> Lines:
    target = _target(draw, place)
    form = draw(st.integers(0, 4))
    if form == 0:
        return [f"import {target}"]
    if form == 1:
        return [f"import {target} as {_name(draw)}"]
    if form == 2:
        return [f"import {target}", f"{draw(st.sampled_from(_NAMES))} = {target}.{_name(draw)}"]
    if form == 3:
        return [f"import {target}, {_target(draw, place)} as {_name(draw)}"]
    alias = _name(draw)
    return [
        f"import {target} as {alias}",
        f"{draw(st.sampled_from(_NAMES))} = {alias}.{_name(draw)}",
    ]


def _from(draw: DrawFn, place: Place, depth: int, kinds: Sequence[str]) -> Lines:
    target = _origin(draw, place)
    names = draw(st.lists(st.sampled_from([*_NAMES, *_SHORT]), min_size=1, max_size=2))
    parts = [f"{n} as {_name(draw)}" if _once_in(draw, 4) else n for n in names]
    return [f"from {target} import {', '.join(parts)}"]


def _origin(draw: DrawFn, place: Place) -> str:
    """Return a module as a `from` names it: absolute or relative."""
    target = _target(draw, place)
    if draw(st.booleans()):
        return target
    parts = place.module.split(".")
    package = parts if place.is_package else parts[:-1]
    wanted = target.split(".")
    common = 0
    while common < min(len(package), len(wanted)) and package[common] == wanted[common]:
        common += 1
    dots = "." * (len(package) - common + 1)
    if _once_in(draw, 20):
        dots += "."
    return dots + ".".join(wanted[common:])


def _siblings(draw: DrawFn, place: Place, depth: int, kinds: Sequence[str]) -> Lines:
    """Import what is certainly there: a sibling or child, by name from its package."""
    others = [m for m in place.modules if m != place.module and "." in m]
    if not others:
        return ["pass"]
    parent, _, short = draw(st.sampled_from(others)).rpartition(".")
    if parent == (place.module if place.is_package else place.module.rpartition(".")[0]):
        parent = draw(st.sampled_from([parent, "."]))
    alias = draw(st.sampled_from(["", f" as {_name(draw)}"]))
    return [f"from {parent} import {short}{alias}"]


def _star(draw: DrawFn, place: Place, depth: int, kinds: Sequence[str]) -> Lines:
    return [f"from {_origin(draw, place)} import *"] if depth == 2 else ["pass"]


def _some(draw: DrawFn, place: Place, depth: int, kinds: Sequence[str], most: int = 2) -> Lines:
    lines: Lines = []
    for _ in range(draw(st.integers(1, most))):
        lines += _statement(draw, place, depth, kinds)
    return lines


def _try(draw: DrawFn, place: Place, depth: int, kinds: Sequence[str]) -> Lines:
    lines = ["try:", *_indent(_some(draw, place, depth - 1, kinds))]
    handlers = draw(st.lists(st.sampled_from(_CAUGHT), max_size=2, unique=True))
    handlers.sort(key=lambda h: h == "except:")
    for handler in handlers:
        body = _some(draw, place, depth - 1, kinds, 1)
        if _once_in(draw, 6):
            body.append(draw(st.sampled_from(["raise", "raise ImportError('again')"])))
        lines += [handler, *_indent(body)]
    if handlers and _once_in(draw, 2):
        lines += ["else:", *_indent(_some(draw, place, depth - 1, kinds, 1))]
    if not handlers or _once_in(draw, 4):
        lines += ["finally:", *_indent(_some(draw, place, depth - 1, kinds, 1))]
    return lines


def _raise(draw: DrawFn, place: Place, depth: int, kinds: Sequence[str]) -> Lines:
    return [f"raise {draw(st.sampled_from(_ERRORS))}"]


def _if(draw: DrawFn, place: Place, depth: int, kinds: Sequence[str]) -> Lines:
    tests = ["K", "not L", "1 == 1.0", "K is None", "K in (1, 'a')", "K == L or M"]
    lines: Lines = []
    if depth == 2:
        lines = ["import sys", "from typing import TYPE_CHECKING"]
        tests += ["TYPE_CHECKING", "not TYPE_CHECKING", "__name__ == 'p.a'", "'b' in __name__"]
        tests += [
            "L != 1 and K",
            "__name__.startswith('p.')",
            f"{_target(draw, place)!r} in sys.modules",
        ]
    lines += [f"if {draw(st.sampled_from(tests))}:", *_indent(_some(draw, place, depth - 1, kinds))]
    if _once_in(draw, 4):
        lines += ["elif L:", *_indent(_some(draw, place, depth - 1, kinds, 1))]
    if draw(st.booleans()):
        lines += ["else:", *_indent(_some(draw, place, depth - 1, kinds, 1))]
    return lines


def _class(draw: DrawFn, place: Place, depth: int, kinds: Sequence[str]) -> Lines:
    lines = ["class A:", *_indent(_some(draw, place, depth - 1, kinds))]
    if draw(st.booleans()):
        lines.append(f"{draw(st.sampled_from(_NAMES))} = A.{_name(draw)}")
    return lines


def _function(draw: DrawFn, place: Place, depth: int, kinds: Sequence[str]) -> Lines:
    body = _some(draw, place, depth - 1, kinds)
    if draw(st.booleans()):
        names = draw(st.lists(st.sampled_from(_NAMES), min_size=1, max_size=2, unique=True))
        body.insert(0, f"global {', '.join(names)}")
    if draw(st.booleans()):
        body.append(f"return {_name(draw)}")
    lines = ["def f():", *_indent(body)]
    call = draw(st.integers(0, 3))
    if call == 0:
        lines.append("f()")
    elif call == 1:
        lines.append(f"{draw(st.sampled_from(_NAMES))} = f()")
    return lines


def _call(draw: DrawFn, place: Place, depth: int, kinds: Sequence[str]) -> Lines:
    target = _target(draw, place)
    form = draw(st.integers(0, 2))
    if form == 0:
        return [f"from {target} import f", f"{draw(st.sampled_from(_NAMES))} = f()"]
    if form == 1:
        return [f"from {target} import f"]
    return [f"import {target} as m", "m.f()"]


def _by_call(draw: DrawFn, place: Place, depth: int, kinds: Sequence[str]) -> Lines:
    target = _target(draw, place)
    name = draw(st.sampled_from(_NAMES))
    last = target.rpartition(".")[2]
    form = draw(st.integers(0, 9))
    lines = ["import importlib"]
    if form == 0:
        return [*lines, f"{name} = importlib.import_module({target!r})"]
    if form == 1:
        return [*lines, f"importlib.import_module(f'{{__name__}}.{last}')"]
    if form == 2:
        dots = draw(st.sampled_from([".", "..", "..."]))
        package = draw(st.sampled_from(["__name__", "__package__", "'p'"]))
        return [*lines, f"{name} = importlib.import_module({dots + last!r}, package={package})"]
    if form == 3:
        return [f"{name} = __import__({target!r})"]
    if form == 4:
        wanted = draw(st.lists(st.sampled_from([*_NAMES, *_SHORT]), max_size=2))
        return [f"{name} = __import__({target!r}, fromlist={wanted!r})"]
    if form == 5:
        wanted = draw(st.lists(st.sampled_from([*_NAMES, *_SHORT]), max_size=2))
        return [f"{name} = __import__({target!r}, None, None, {wanted!r}, 0)"]
    if form == 6:
        return [f"{name} = __import__({target!r}).{_name(draw)}"]
    if form == 7:
        items = draw(st.lists(st.sampled_from(_SHORT), max_size=3, unique=True))
        return [
            *lines,
            f"for name in {tuple(items)!r}:",
            "    try:",
            f"        importlib.import_module(f'{target}.{{name}}')",
            "    except ImportError:",
            draw(
                st.sampled_from(
                    ["        pass", "        break", "        continue", "        raise"]
                )
            ),
        ]
    if form == 8:
        return ["import sys", f"{name} = sys.modules.get({target!r})"]
    other = draw(
        st.sampled_from(
            [f"getattr({name}, {_name(draw)!r}, None)", f"hasattr({name}, {_name(draw)!r})"]
        )
    )
    return [
        *lines,
        f"{name} = importlib.import_module({target!r})",
        f"{draw(st.sampled_from(_NAMES))} = {other}",
    ]


def _loop(draw: DrawFn, place: Place, depth: int, kinds: Sequence[str]) -> Lines:
    """A loop over the modules below a package."""
    load = ["importlib.import_module(name)"]
    if draw(st.booleans()):
        load = ["try:", "    importlib.import_module(name)", "except ImportError:", "    continue"]
    lines = ["import importlib, pkgutil"]
    if place.is_package and draw(st.booleans()):
        where, prefix = "__path__", "__name__ + '.'"
    else:
        target = draw(st.sampled_from(place.packages))
        lines.append(f"import {target} as package")
        where, prefix = "package.__path__", "package.__name__ + '.'"
    form = draw(st.integers(0, 3))
    if form == 0:
        lines.append(f"for _, name, ispkg in pkgutil.iter_modules({where}, {prefix}):")
    elif form == 1:
        lines.append(f"for info in pkgutil.iter_modules({where}):")
        load = [f"name = {prefix} + info.name", *load]
    elif form == 2:
        lines.append(f"for finder, name, ispkg in pkgutil.walk_packages({where}, {prefix}):")
    else:
        lines.append(f"for _, name, ispkg in pkgutil.iter_modules(path={where}, prefix={prefix}):")
        load = ["if ispkg:", "    continue", *load]
    return [*lines, *_indent(load)]


def _hook(draw: DrawFn, place: Place, depth: int, kinds: Sequence[str]) -> Lines:
    """PEP 562."""
    name = draw(st.sampled_from([*_NAMES, *_SHORT]))
    body = draw(
        st.sampled_from(
            [
                [f"return {draw(st.sampled_from(_CONSTANTS))}"],
                [f"from {_target(draw, place)} import {_name(draw)} as value", "return value"],
                ["import importlib", "return importlib.import_module(f'{__name__}.{name}')"],
            ]
        )
    )
    return [
        "def __getattr__(name):",
        f"    if name == {name!r}:",
        *_indent(_indent(body)),
        "    raise AttributeError(f'module {__name__!r} has no attribute {name!r}')"
        if draw(st.booleans())
        else "    raise AttributeError(name)",
    ]


def _delete(draw: DrawFn, place: Place, depth: int, kinds: Sequence[str]) -> Lines:
    return [f"del {draw(st.sampled_from(_NAMES))}"]


def _suppress(draw: DrawFn, place: Place, depth: int, kinds: Sequence[str]) -> Lines:
    error = draw(st.sampled_from(["ImportError", "Exception", "AttributeError, ImportError"]))
    return [
        "import contextlib",
        f"with contextlib.suppress({error}):",
        *_indent(_some(draw, place, depth - 1, kinds)),
    ]


def _registry(draw: DrawFn, place: Place, depth: int, kinds: Sequence[str]) -> Lines:
    """Fill or read a dict, a list or an attribute of another module."""
    target = _target(draw, place) if _once_in(draw, 10) else place.registry
    name = draw(st.sampled_from(_NAMES))
    key = draw(st.sampled_from(["'a'", "1"]))
    constant = draw(st.sampled_from(_CONSTANTS))
    return draw(
        st.sampled_from(
            [
                [f"from {target} import register", f"@register({key})", "def g(): pass"],
                [f"from {target} import register", f"register({key})({constant})"],
                [f"from {target} import REG", f"REG[{key}] = {constant}"],
                [f"from {target} import REG", f"{name} = {key} in REG"],
                [f"from {target} import REG", f"{name} = (len(REG), REG.get({key}), tuple(REG))"],
                [f"from {target} import REG", f"if {key} in REG:", f"    raise KeyError({key})"],
                [
                    f"from {target} import ITEMS",
                    f"ITEMS.append({constant})",
                    f"{name} = len(ITEMS)",
                ],
                [f"from {target} import ITEMS", f"if {constant} in ITEMS:", f"    {name} = 0"],
                [f"import {target} as m", f"m.{name} = {constant}"],
                [f"from {target} import Pool", f"Pool.{name} = {constant}", f"{name} = Pool.size"],
                [f"from {target} import Pool", "Pool.size += 1", f"Pool.entries[{key}] = {name!r}"],
                [
                    f"from {target} import pool",
                    f"pool.{name} = pool.size",
                    f"{name} = pool.entries.get({key})",
                ],
            ]
        )
    )


_Maker = Callable[[DrawFn, Place, int, Sequence[str]], Lines]
_MAKERS: dict[str, _Maker] = {
    "constant": _constant,
    "import": _import,
    "from": _from,
    "siblings": _siblings,
    "star": _star,
    "try": _try,
    "raise": _raise,
    "if": _if,
    "class": _class,
    "function": _function,
    "call": _call,
    "by call": _by_call,
    "loop": _loop,
    "hook": _hook,
    "delete": _delete,
    "suppress": _suppress,
    "registry": _registry,
}
# How often a kind of statement is chosen, and how deep it must at least be allowed to nest.
_WEIGHTS: dict[str, tuple[int, int]] = {
    "constant": (4, 0),
    "import": (5, 0),
    "from": (5, 0),
    "siblings": (6, 0),
    "star": (2, 2),
    "try": (3, 1),
    "raise": (1, 0),
    "if": (3, 1),
    "class": (1, 1),
    "function": (3, 1),
    "call": (2, 0),
    "by call": (3, 0),
    "loop": (1, 2),
    "hook": (1, 2),
    "delete": (1, 0),
    "suppress": (1, 1),
    "registry": (3, 0),
}
