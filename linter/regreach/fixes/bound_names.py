"""The name that an import binds: it must not take away one that means something else there."""

from __future__ import annotations

import libcst as cst


def bound_anew(statement: str, scope: cst.CSTNode) -> str:
    """Return an import so that the name which it binds means nothing else in a function or module."""
    visitor = _Names(statement)
    scope.visit(visitor)
    bound = statement.rsplit(maxsplit=1)[-1]
    if statement.startswith("import "):
        bound = bound.partition(".")[0]
    if bound not in visitor.names:
        return statement
    alias = f"_{statement.rsplit(maxsplit=1)[-1].rpartition('.')[2]}"
    while alias in visitor.names:
        alias = f"_{alias}"
    return f"{statement} as {alias}"


class _Names(cst.CSTVisitor):
    """The names that mean something in a scope, but for what the same import binds."""

    def __init__(self, statement: str) -> None:
        super().__init__()
        self.names: set[str] = set()
        self._statement = statement

    def on_visit(self, node: cst.CSTNode) -> bool:
        """Note names; of an attribute only what it is of, of an import only what it binds."""
        if isinstance(node, cst.Name):
            self.names.add(node.value)
        elif isinstance(node, cst.Attribute):
            node.value.visit(self)
        elif isinstance(node, (cst.Import, cst.ImportFrom)):
            begin = (
                "import" if isinstance(node, cst.Import) else f"from {_dotted(node.module)} import"
            )
            for alias in () if isinstance(node.names, cst.ImportStar) else node.names:
                self._alias(alias, f"{begin} {alias.evaluated_name}")
        else:
            return True
        return False

    def _alias(self, alias: cst.ImportAlias, statement: str) -> None:
        bound = alias.evaluated_alias
        if bound is None:
            if statement == self._statement:
                return
            bound = alias.evaluated_name.partition(".")[0]
        # every import of the package itself binds the same
        if statement.startswith("import ") and self._statement.startswith(f"import {bound}."):
            return
        self.names.add(bound)


def _dotted(node: cst.CSTNode | None) -> str:
    if isinstance(node, cst.Attribute):
        return f"{_dotted(node.value)}.{node.attr.value}"
    return node.value if isinstance(node, cst.Name) else ""
