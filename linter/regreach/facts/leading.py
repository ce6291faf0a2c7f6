"""What of a function's body can lead to some of its lines."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from regreach.facts import ir, walk


def leading_to(body: ir.Body, lines: Collection[int]) -> ir.Body:
    """Return a body in which blocks that end the function, without any of these lines, only end it."""
    if body and isinstance(body[-1], (ir.Return, ir.Raise)) and not _has(body, lines):
        return (ir.Return(body[0].line, None),)
    return tuple(_pruned(node, lines) for node in body)


def _pruned(node: ir.Stmt, lines: Collection[int]) -> ir.Stmt:
    if isinstance(node, ir.If):
        body, orelse = leading_to(node.body, lines), leading_to(node.orelse, lines)
        return replace(node, body=body, orelse=orelse)
    if isinstance(node, (ir.With, ir.For, ir.While)) and _has((node,), lines):
        return replace(node, body=leading_to(node.body, lines))
    return node


def _has(body: ir.Body, lines: Collection[int]) -> bool:
    return any(
        node.line in lines or any(_has(part, lines) for part in walk.blocks(node)) for node in body
    )
