"""Registrars that are methods of a library's class: with what the object was made on which one is called."""

from __future__ import annotations

from collections.abc import Mapping

from regreach.facts import ir, walk
from regreach.program import Program
from regreach.registrations import split_path
from regreach.simple.declared import Registrar
from regreach.simple.origins import Origins


def in_front(
    program: Program,
    origins: Origins,
    registrar: Registrar,
    module: str,
    receiver: str,
    local: Mapping[str, str],
) -> str | None:
    """Return what comes in front of the keys that a method is given when it is called on ``receiver``.

    None where the object is not seen to be made of the method's class, with a literal: only names that one
    module binds at its margin are followed.
    """
    home, name = split_path(registrar.path)
    cls = f"{home}.{name.rpartition('.')[0]}"
    where, _, variable = origins.of(module, receiver, local).partition(":")
    facts = program.readable_facts(where) if variable and program.has(where) else None
    for node, around in walk.statements(facts, "\0") if facts is not None else ():
        if around.scope or not isinstance(node, (ir.Assign, ir.AnnAssign)):
            continue
        value = node.value
        if not isinstance(value, ir.Call) or not walk.assigns(node, variable):
            continue
        made_of = origins.of(where, walk.dotted_name(value.func) or "").replace(":", ".")
        first = value.args[0].value if value.args else None
        if made_of == cls and isinstance(first, ir.Const) and isinstance(first.value, str):
            return registrar.owner.replace("{0}", first.value)
    return None
