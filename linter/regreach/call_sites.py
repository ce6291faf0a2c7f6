"""Find every construction of a consumer, and run the function around it to see what arrives there."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from regreach.evaluate.calls import look_up_in_class
from regreach.evaluate.machine import Frame
from regreach.evaluate.session import Session
from regreach.evaluate.values import (
    MISSING,
    OPEN,
    UNKNOWN,
    Class,
    Descriptor,
    Function,
    Instance,
    Union,
    Value,
)
from regreach.facts import ir, walk
from regreach.model import Spot
from regreach.pack import Consumer, Pack
from regreach.program import Program
from regreach.registrations import exact_line


@dataclass(frozen=True, slots=True)
class Site:
    """A construction as written; ``statement`` is the line its statement begins on."""

    module: str
    spot: Spot
    statement: int
    function: str
    argument: str


@dataclass(frozen=True, slots=True)
class Arrival:
    """The consumer was constructed at a line: with which values, and whether that is certain."""

    line: int
    values: tuple[Value, ...] | None
    certain: bool


def is_ignored(path: str, patterns: Sequence[str]) -> bool:
    """Return whether a path is one of tests, benchmarks or examples, as the pack says."""
    return any(fnmatch.fnmatch("/" + path, p) or fnmatch.fnmatch(path, p) for p in patterns)


def find_sites(program: Program, pack: Pack, consumer: Consumer) -> list[Site]:
    """Return the constructions of the consumer in the tree, sorted by place."""
    name = consumer.callable.rpartition(".")[2]
    sites: list[Site] = []
    for module in program.mentioning(name.encode()):
        path = program.path(module)
        if path is not None and not is_ignored(path, pack.ignored_paths):
            sites.extend(_sites_in(program, module, path, consumer, name))
    return sorted(sites, key=lambda s: (s.spot.path, s.spot.line))


def _sites_in(
    program: Program, module: str, path: str, consumer: Consumer, name: str
) -> Iterator[Site]:
    facts = program.readable_facts(module)
    if facts is None or f"{name}(" not in facts.text:
        return
    imported = walk.bindings_of_imports(facts)
    for node, around in walk.statements(facts, name):
        for call in walk.calls(node):
            dotted = walk.dotted_name(call.func)
            if dotted is None or dotted.rpartition(".")[2] != name:
                continue
            first, _, rest = dotted.partition(".")
            origin = imported.get(first, first if module == consumer.module or rest else "")
            if not origin and not rest:
                origin = name if _has_star_import(facts) else ""
            if not origin:
                continue
            line = exact_line(facts, call.line, [name])
            text = facts.line_text(line)
            function = around.scope or "<module>"
            selector = _selector_argument(call, consumer)
            yield Site(module, Spot(path, line, text), call.line, function, expression_text(selector))


def _has_star_import(facts: object) -> bool:
    from regreach.facts.parse import ModuleFacts

    assert isinstance(facts, ModuleFacts)
    return any(isinstance(n, ir.ImportFrom) and not n.names for n in facts.body)


def _selector_argument(call: ir.Call, consumer: Consumer) -> ir.Expr | None:
    wanted = [p for p, what in consumer.arguments.items() if what.startswith("selector:")]
    for arg in call.args:
        if arg.keyword in wanted:
            return arg.value
    positional = [a.value for a in call.args if a.keyword is None and not a.star]
    return positional[0] if positional else None


def expression_text(node: ir.Expr | None) -> str:
    """Return a short text of an expression: a dotted name or call in full, else ``…``."""
    if node is None:
        return ""
    dotted = walk.dotted_name(node)
    if dotted is not None:
        return dotted
    if isinstance(node, ir.Call):
        return f"{expression_text(node.func)}({', '.join(expression_text(a.value) for a in node.args)})"
    if isinstance(node, ir.Const):
        return repr(node.value)
    return "…"


def run_function(
    session: Session, consumer: Consumer, module: str, function: str
) -> tuple[Arrival, ...] | None:
    """Run the outermost function around a site with unknown arguments; return what arrived where.

    None when the function cannot be found in the module as it was run. The consumer itself is not
    run: ``session`` sees each construction, and the state at that moment, through ``on_arrival``.
    """
    first, _, rest = function.partition(".")
    owner = session.resolve(f"{module}:{first}")
    args: list[Value] = []
    target = owner
    if isinstance(owner, Class):
        name = rest.partition(".")[0]
        target = look_up_in_class(owner, name)
        if isinstance(target, Descriptor):
            if target.kind != "staticmethod":
                args.append(_some_instance(session, owner) if target.kind == "property" else owner)
            target = target.function
        else:
            args.append(_some_instance(session, owner))
    if isinstance(target, Union):
        found = [v for v in target.values if isinstance(v, Function)]
        target = found[0] if found else target
    if not isinstance(target, Function):
        return None
    arrivals: list[Arrival] = []
    machine = session.machine
    parameter = selector_position(session, consumer)

    def on_construction(frame: Frame, args: Sequence[Value], keywords: Mapping[str, Value]) -> Value:
        if frame.module.name == module:
            value = _argument(args, keywords, parameter)
            known = _known_alternatives(value)
            arrivals.append(Arrival(frame.line, known, not machine.conditions))
            if session.on_arrival is not None:
                session.on_arrival(arrivals[-1])
        return UNKNOWN

    machine.constructions[consumer.path] = on_construction
    try:
        session.call_with_unknown(target, args)
    finally:
        del machine.constructions[consumer.path]
    return tuple(arrivals)


def _some_instance(session: Session, cls: Class) -> Value:
    instance = Instance(cls)
    session.machine.heap.write(instance, OPEN, UNKNOWN)
    return instance


def selector_position(session: Session, consumer: Consumer) -> tuple[int, str]:
    """Return position (``self`` not counted) and name of the consumer's selector parameter."""
    names = [p for p, what in consumer.arguments.items() if what.startswith("selector:")]
    wanted = names[0]
    cls = session.resolve(consumer.path)
    init = look_up_in_class(cls, "__init__") if isinstance(cls, Class) else MISSING
    if isinstance(init, Function):
        params = [p.name for p in init.definition.params][1:]
        if wanted in params:
            return params.index(wanted), wanted
    return 0, wanted


def _argument(
    args: Sequence[Value], keywords: Mapping[str, Value], parameter: tuple[int, str]
) -> Value:
    index, name = parameter
    if name in keywords:
        return keywords[name]
    return args[index] if index < len(args) else UNKNOWN


def _known_alternatives(value: Value) -> tuple[Value, ...] | None:
    if isinstance(value, Union):
        kept = tuple(v for v in value.values if v is not MISSING)
        return kept if all(isinstance(v, Instance) for v in kept) else None
    return (value,) if isinstance(value, Instance) and value.member is not None else None
