"""From where a call site is entered: its own function, or those that give this one what it passes on."""

from __future__ import annotations

from dataclasses import dataclass

from regreach.facts import ir, walk
from regreach.facts.parse import ModuleFacts
from regreach.pack import Pack
from regreach.program import Program


@dataclass(frozen=True, slots=True)
class Entry:
    """A function, as a dotted name in a module, from which a call site is run."""

    module: str
    function: str


def entries_of(
    program: Program, pack: Pack, module: str, function: str, argument: ir.Expr | None
) -> tuple[Entry, ...]:
    """Return where to begin so that the argument at a site has the values that arrive there.

    That is the outermost function around the site, unless the argument is one of its parameters and all
    of its callers in the tree are known: then those, one level up.
    """
    own = (Entry(module, function),)
    name = argument.id if isinstance(argument, ir.Name) else None
    facts = program.readable_facts(module)
    found = _outermost(facts, function) if facts is not None else None
    if name is None or facts is None or found is None:
        return own
    cls, definition = found
    if name not in [p.name for p in facts.params_of(definition)][cls is not None :]:
        return own
    method = cls is not None and definition.name != "__init__"
    called = cls.name if cls is not None and not method else definition.name
    callers: dict[Entry, None] = {}
    for other in program.calling(called):
        path = program.path(other)
        if path is None or pack.ignores(path):
            continue
        within = f"{cls.name}." if cls is not None and method and other == module else None
        entries = _calls_in(program, other, called, method, within, own_module=other == module)
        if entries is None:
            return own
        callers |= entries
    callers.pop(own[0], None)  # a function that calls itself passes on what it was given
    return tuple(callers) or own


def _outermost(
    facts: ModuleFacts, function: str
) -> tuple[ir.ClassDef | None, ir.FunctionDef] | None:
    """Return the outermost function of a dotted name, and the class that it stands in."""
    first, _, rest = function.partition(".")
    for node in facts.body:
        if isinstance(node, ir.FunctionDef) and node.name == first:
            return None, node
        if isinstance(node, ir.ClassDef) and node.name == first:
            for each in node.body:
                if isinstance(each, ir.FunctionDef) and each.name == rest.partition(".")[0]:
                    return node, each
    return None


def _calls_in(
    program: Program, module: str, name: str, method: bool, within: str | None, *, own_module: bool
) -> dict[Entry, None] | None:
    """Return the functions of a module that call a function; None when somebody may do so unseen.

    Of a method only calls through ``self`` in its own class (``within``) are seen for certain.
    """
    facts = program.readable_facts(module)
    found: dict[Entry, None] = {}
    if facts is None:
        return found
    imported = walk.bindings_of_imports(facts, name)
    for node, around in walk.statements(facts, name):
        for call in walk.calls(node):
            dotted = walk.dotted_name(call.func)
            if dotted is None:
                if isinstance(call.func, ir.Attribute) and call.func.attr == name and method:
                    return None
                continue
            first, _, rest = dotted.partition(".")
            if dotted.rpartition(".")[2] != name:
                continue
            if method:
                if within is None or first != "self" or not around.scope.startswith(within):
                    return None
            elif first not in imported and not (own_module and not rest):
                continue  # something else of the same name
            if not around.scope:
                return None
            found[Entry(module, around.scope)] = None
    return found
