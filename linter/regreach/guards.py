"""Conditions around statements: where they stand, and what they ask."""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from dataclasses import fields, is_dataclass

from regreach.facts import ir, walk
from regreach.facts.parse import ModuleFacts
from regreach.model import Spot
from regreach.program import Program

_CONDITIONS = ("if", "else", "try", "except", "case")
# Words that say how something is asked, and not what.
_HOW = "any all len bool int str lower strip true false get getenv environ os sys env envs self cls"
_PLAIN = frozenset(_HOW.split())
_MAX_DEPTH = 3  # of names that stand for names


def guard_spots(facts: ModuleFacts, path: str, around: walk.Surroundings) -> tuple[Spot, ...]:
    """Return the headers of the conditions around a statement, the outermost first."""
    return tuple(
        Spot(path, guard.line, guard_text(facts, guard))
        for guard in around.guards
        if guard.kind in _CONDITIONS
    )


def guard_text(facts: ModuleFacts, guard: walk.Guard) -> str:
    """Return the header of a guard; that of an ``else`` is its ``if``, and says so."""
    text = facts.statement_text(guard.line)
    return f"else of: {text}" if guard.kind == "else" else text


def guards_at(program: Program, module: str, line: int) -> tuple[Spot, ...]:
    """Return the headers of the conditions around the statement that begins on a line of a module."""
    facts, path = program.readable_facts(module), program.path(module)
    if facts is None or path is None:
        return ()
    for node, around in walk.statements(facts, facts.line_text(line)):
        if node.line == line:
            return guard_spots(facts, path, around)
    return ()


def test_at(program: Program, module: str, line: int) -> ir.Expr | None:
    """Return what the ``if`` that begins on a line of a module asks; None when there is none."""
    facts = program.readable_facts(module)
    if facts is None:
        return None
    nodes = (node for node, _ in walk.statements(facts, facts.line_text(line)))
    return next((n.test for n in nodes if isinstance(n, ir.If) and n.line == line), None)


def definitions(program: Program, module: str, test: ir.Expr | None) -> list[ir.Assign]:
    """Return the assignments at the level of a module that give names in an expression their values, by line.

    Names in those are followed, too.
    """
    facts = program.readable_facts(module)
    assigned: dict[str, list[ir.Assign]] = {}
    for node, around in walk.statements(facts) if facts is not None else ():
        if isinstance(node, ir.Assign) and not around.scope:
            for target in node.targets:
                if isinstance(target, ir.Name):
                    assigned.setdefault(target.id, []).append(node)
    found: dict[int, ir.Assign] = {}
    wanted = set(walk.names_in(test))
    for _ in range(_MAX_DEPTH):
        nodes = [node for name in wanted for node in assigned.pop(name, ())]
        found |= {node.line: node for node in nodes}
        wanted = {name for node in nodes for name in walk.names_in(node.value)}
    return [found[line] for line in sorted(found)]


def questions(program: Program, module: str, test: ir.Expr | None) -> frozenset[str]:
    """Return the words of what an expression asks, so that two can be compared.

    ``_is_npu``, ``is_npu()`` and ``envs.IS_NPU.get()`` ask the same. Names that stand for something at the
    level of the module count as that, too.
    """
    parts = [test, *(node.value for node in definitions(program, module, test))]
    words = {word.strip("_").lower() for part in parts for word in _words(part)}
    return frozenset(words - _PLAIN - {""})


def is_local(program: Program, module: str, test: ir.Expr | None) -> bool:
    """Return whether an expression asks names that the module does not bind at its level: a function's own."""
    facts = program.readable_facts(module)
    if facts is None:
        return False
    bound: set[str] = set()
    for node, around in walk.statements(facts):
        if around.scope:
            continue
        if isinstance(node, (ir.FunctionDef, ir.ClassDef)):
            bound.add(node.name)
        elif isinstance(node, ir.Assign):
            bound.update(t.id for t in node.targets if isinstance(t, ir.Name))
        elif isinstance(node, (ir.Import, ir.ImportFrom)):
            bound.update(alias or name.partition(".")[0] for name, alias in node.names)
    return not bound.union(dir(builtins)).issuperset(walk.names_in(test))


def _words(node: object) -> Iterator[str]:
    """Yield the names, the attributes and the texts in an expression."""
    if isinstance(node, ir.Name):
        yield node.id
    elif isinstance(node, ir.Const):
        if isinstance(node.value, str) and node.value.isidentifier():
            yield node.value
    elif isinstance(node, tuple):
        for item in node:
            yield from _words(item)
    elif is_dataclass(node) and not isinstance(node, type):
        if isinstance(node, ir.Attribute):
            yield node.attr
        for field in fields(node):
            value = getattr(node, field.name)
            if not isinstance(value, str):
                yield from _words(value)
