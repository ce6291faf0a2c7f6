"""Find every construction of a consumer in a tree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from regreach.callers import Entry, entries_of
from regreach.evaluate.ancestry import look_up_in_class
from regreach.evaluate.functions import parameters
from regreach.evaluate.session import Session
from regreach.evaluate.values import MISSING, Class, Function
from regreach.facts import ir, walk
from regreach.facts.parse import ModuleFacts
from regreach.model import Spot
from regreach.pack import Consumer, Pack
from regreach.program import Program
from regreach.registrations import exact_line


@dataclass(frozen=True, slots=True)
class Site:
    """A construction as written; ``statement`` is the line its statement begins on.

    ``entries`` are the functions that are run to see what arrives there.
    """

    module: str
    spot: Spot
    statement: int
    function: str
    argument: str
    entries: tuple[Entry, ...]


def find_sites(program: Program, pack: Pack, consumer: Consumer) -> list[Site]:
    """Return the constructions of the consumer in the tree, sorted by place."""
    name = consumer.callable.rpartition(".")[2]
    sites: list[Site] = []
    for module in program.calling(name):
        path = program.path(module)
        if path is not None and not pack.ignores(path):
            sites.extend(_sites_in(program, pack, module, path, consumer, name))
    return sorted(sites, key=lambda s: (s.spot.path, s.spot.line))


def _sites_in(
    program: Program, pack: Pack, module: str, path: str, consumer: Consumer, name: str
) -> Iterator[Site]:
    facts = program.readable_facts(module)
    if facts is None:
        return
    imported = walk.bindings_of_imports(facts, name)
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
            yield Site(
                module,
                Spot(path, line, text),
                call.line,
                function,
                expression_text(selector),
                entries_of(program, pack, module, function, selector),
            )


def _has_star_import(facts: ModuleFacts) -> bool:
    return any(isinstance(n, ir.ImportFrom) and not n.names for n in facts.body)


def _selector_argument(call: ir.Call, consumer: Consumer) -> ir.Expr | None:
    wanted = list(consumer.selectors)
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


def parameters_of(session: Session, consumer: Consumer) -> list[str]:
    """Return the names of the consumer's parameters in their order, ``self`` left out."""
    cls = session.resolve(consumer.path)
    init = look_up_in_class(cls, "__init__") if isinstance(cls, Class) else MISSING
    if not isinstance(init, Function):
        return [*consumer.selectors, *consumer.made]
    return [p.name for p in parameters(session.machine, init)][1:]
