"""How a call of a registrar with what a function was given makes a registrar of that function."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from regreach.discover.direct import is_decorator, is_product
from regreach.discover.key_sources import Part, Source, sources
from regreach.discover.scopes import Scope
from regreach.discover.shapes import Mode, holds
from regreach.facts import ir, walk


def through(
    scope: Scope,
    inner: Scope,
    own: tuple[ir.Param, ...],
    call: ir.Call,
    mode: Mode,
    *,
    made: bool,
) -> Iterator[Mode]:
    """Yield how a function registers that calls a registrar; ``made``: it calls what that returns."""
    given = {p.name: p for p in own}
    if mode.form == "maker":
        asked = call.func if made else call
        assert isinstance(asked, ir.Call)
        arguments = bind(mode.params, asked)
        if not made:
            # the product itself is handed out
            if inner is scope and any(value is call for value in scope.returns):
                yield Mode("maker", own, "", _key_through(inner, mode, arguments, "", given))
            return
        thing = call.args[0].value if call.args else None
    elif made or mode.form not in ("call", "bare"):
        return
    else:
        arguments = bind(mode.params, call)
        thing = arguments.get(mode.stored)
    if thing is None:
        return
    if inner is scope:
        for param in own:
            bare = is_decorator(scope, own, param.name)
            if holds(inner, thing, param.name, loose=bare):
                key = _key_through(inner, mode, arguments, param.name, given)
                yield Mode("bare" if bare else "call", own, param.name, key)
    elif is_product(scope, inner) and inner.params:
        stored = inner.params[0].name
        if holds(inner, thing, stored, loose=True):
            yield Mode("maker", own, "", _key_through(inner, mode, arguments, stored, given))


def _key_through(
    scope: Scope,
    mode: Mode,
    arguments: Mapping[str, ir.Expr],
    stored: str,
    params: Mapping[str, ir.Param],
) -> tuple[Part, ...] | None:
    if mode.key is None:
        return None
    key: list[Part] = []
    for part in mode.key:
        found: list[Source] = []
        for source in part:
            if source.kind != "param":
                found.append(source)
            elif source.name in arguments:
                for each in sources(scope, arguments[str(source.name)], stored, params):
                    found.append(Source(each.kind, each.name, each=each.each or source.each))
            else:
                default = next((p.default for p in mode.params if p.name == source.name), None)
                if isinstance(default, ir.Const) and default.value is not None:
                    found.append(Source("const", default.value))
        key.append(tuple(dict.fromkeys(found)))
    return tuple(key)


def bind(params: Iterable[ir.Param], call: ir.Call) -> dict[str, ir.Expr]:
    """Return what a call gives each parameter, as far as that shows."""
    given: dict[str, ir.Expr] = {}
    positional = [p for p in params if p.kind in ("positional", "star")]
    rest: list[ir.Expr] = []
    known = {p.name for p in params}
    index = 0
    for arg in call.args:
        if arg.star:
            break
        if arg.keyword is not None:
            if arg.keyword in known:
                given[arg.keyword] = arg.value
            continue
        if index < len(positional) and positional[index].kind == "positional":
            given[positional[index].name] = arg.value
            index += 1
        elif index < len(positional):
            rest.append(arg.value)
    if rest:
        given[positional[index].name] = ir.Sequence("tuple", tuple(rest))
    for arg in call.args:
        if arg.keyword is not None and arg.keyword in known:
            given[arg.keyword] = arg.value
    return given


def kept_params(maker: Scope, own: tuple[ir.Param, ...]) -> dict[str, str]:
    """Return the attributes that ``__init__`` sets to parameters, as they are."""
    kept: dict[str, str] = {}
    names = {p.name for p in own}
    for node in maker.statements:
        if isinstance(node, ir.Assign) and isinstance(node.value, ir.Name):
            for target in node.targets:
                if isinstance(target, ir.Attribute) and node.value.id in names:
                    kept[target.attr] = node.value.id
    return kept


def with_params(call: ir.Call, own_name: str, kept: Mapping[str, str]) -> ir.Call:
    """Return a call in which attributes of the object are the parameters that they were set to."""
    args = []
    for arg in call.args:
        first, _, attr = (walk.dotted_name(arg.value) or "").partition(".")
        value = ir.Name(kept[attr]) if first == own_name and attr in kept else arg.value
        args.append(ir.Arg(value, arg.keyword, arg.star))
    return ir.Call(call.func, tuple(args), call.line)
