"""Lists of texts as they are written down: what stands in a ``Literal`` no run of the code makes a list of."""

from __future__ import annotations

from regreach.facts import ir, walk
from regreach.facts.parse import ModuleFacts

_COPIES = ("frozenset", "get_args", "list", "set", "tuple")


def texts_written(facts: ModuleFacts, name: str) -> tuple[str, ...] | None:
    """Return the texts that one statement at a module's margin binds to a name; None for anything else."""
    values = [
        node.value
        for node, around in walk.statements(facts, "\0")
        if isinstance(node, (ir.Assign, ir.AnnAssign, ir.AugAssign)) and not around.scope
        if walk.assigns(node, name)
    ]
    return _texts(values[0]) if len(values) == 1 else None


def _texts(node: ir.Expr | None) -> tuple[str, ...] | None:
    """Return the texts of a ``Literal``, of a display, or of one of these in ``frozenset()`` and the like."""
    if isinstance(node, ir.Const):
        return (node.value,) if isinstance(node.value, str) else None
    if isinstance(node, ir.Sequence):
        found = [_texts(item) for item in node.items]
        return tuple(t for texts in found if texts for t in texts) if all(found) else None
    if isinstance(node, ir.Subscript):
        return _texts(node.index) if _last(node.value) == "Literal" else None
    if isinstance(node, ir.Call) and _last(node.func) in _COPIES and len(node.args) == 1:
        only = node.args[0]
        return None if only.keyword or only.star else _texts(only.value)
    return None


def _last(node: ir.Expr) -> str:
    return (walk.dotted_name(node) or "").rpartition(".")[2]
