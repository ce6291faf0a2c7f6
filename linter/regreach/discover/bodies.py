"""What stands in the body of a module and of its classes."""

from __future__ import annotations

from collections.abc import Iterator

from regreach.discover.names import ClassRef, Names, level
from regreach.facts import ir


def classes_in(names: Names, module: str) -> Iterator[ClassRef]:
    """Yield the classes of a module, those inside of classes too."""

    def inside(body: ir.Body, above: str) -> Iterator[ClassRef]:
        for node in level(body):
            if isinstance(node, ir.ClassDef):
                name = f"{above}.{node.name}" if above else node.name
                yield ClassRef(module, name, node)
                yield from inside(node.body, name)

    facts = names.program.readable_facts(module)
    if facts is not None:
        yield from inside(facts.body, "")


def assignments(body: ir.Body, above: str = "") -> Iterator[tuple[str, ir.Expr]]:
    """Yield what is bound by assignments at a module level and in its classes, by dotted name."""
    for node in level(body):
        if isinstance(node, ir.ClassDef):
            yield from assignments(node.body, f"{above}{node.name}.")
        elif isinstance(node, ir.Assign):
            for target in node.targets:
                if isinstance(target, ir.Name):
                    yield f"{above}{target.id}", node.value
        elif isinstance(node, ir.AnnAssign) and isinstance(node.target, ir.Name):
            if node.value is not None:
                yield f"{above}{node.target.id}", node.value


def called_at_margin(body: ir.Body) -> frozenset[str]:
    """Return the names of functions that a module calls, without arguments, when it is imported."""
    return frozenset(
        node.value.func.id
        for node in level(body)
        if isinstance(node, ir.ExprStmt)
        and isinstance(node.value, ir.Call)
        and isinstance(node.value.func, ir.Name)
        and not node.value.args
    )


def last_of(func: ir.Expr) -> str:
    """Return the last part of the name that an expression is; empty when it is none."""
    if isinstance(func, ir.Attribute):
        return func.attr
    return func.id if isinstance(func, ir.Name) else ""
