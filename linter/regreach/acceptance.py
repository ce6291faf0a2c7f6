"""Where a selector's value is accepted: its text in lists of choices, and checks that refuse it."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import fields, is_dataclass

from regreach.facts import ir, walk
from regreach.guards import guard_spots, questions, test_at
from regreach.pack import Pack
from regreach.program import Program


def is_asked_where_accepted(
    program: Program, pack: Pack, value: str, registering: Collection[str], words: frozenset[str]
) -> bool:
    """Return whether nobody gets by with a value unless a condition with one of the words holds.

    Either each place that accepts it (the text in a list, in an argument, assigned) stands under such a
    condition, or an ``if`` that asks for the value and one of the words raises, or an ``assert`` does.
    Comparisons with the text accept nothing, nor do members of an enum. ``registering`` are the modules that
    register the value themselves.
    """
    accepted: list[bool] = []
    for module in program.mentioning(f'"{value}"'.encode(), f"'{value}'".encode()):
        path, facts = program.path(module), program.readable_facts(module)
        if facts is None or path is None or pack.ignores(path) or module in registering:
            continue
        for node, around in walk.statements(facts, value):
            if _refuses(program, module, node, value, words):
                return True
            if not _accepts(node, value, around):
                continue
            guards = guard_spots(facts, path, around)
            asked = (questions(program, module, test_at(program, module, g.line)) for g in guards)
            accepted.append(any(words & each for each in asked))
    return bool(accepted) and all(accepted)


def _refuses(
    program: Program, module: str, node: ir.Stmt, value: str, words: frozenset[str]
) -> bool:
    if not isinstance(node, ir.Assert) and not (
        isinstance(node, ir.If) and any(isinstance(each, ir.Raise) for each in node.body)
    ):
        return False
    return _has(node.test, value) and bool(words & questions(program, module, node.test))


def _accepts(node: ir.Stmt, value: str, around: walk.Surroundings) -> bool:
    if isinstance(node, (ir.Assign, ir.AugAssign, ir.AnnAssign)):
        is_member = isinstance(node.value, ir.Const) and around.scope and not around.in_function
        return not is_member and _has(node.value, value, compared=False)
    return isinstance(node, (ir.ExprStmt, ir.Return)) and _has(node.value, value, compared=False)


def _has(node: object, value: str, *, compared: bool = True) -> bool:
    """Return whether an expression has the text; without ``compared``, outside of comparisons."""
    return any(
        isinstance(each, ir.Const) and each.value == value for each in _parts(node, compared)
    )


def _parts(node: object, compared: bool) -> Iterator[object]:
    yield node
    if isinstance(node, tuple):
        for item in node:
            yield from _parts(item, compared)
    elif is_dataclass(node) and not isinstance(node, type):
        if isinstance(node, ir.Compare) and not compared:
            return
        for field in fields(node):
            yield from _parts(getattr(node, field.name), compared)
