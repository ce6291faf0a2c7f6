"""libcst's expressions -> those of ``ir.py``."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import Any, cast

import libcst as cst

from regreach.facts import ir

_COMPARE = {
    cst.Equal: "==",
    cst.NotEqual: "!=",
    cst.LessThan: "<",
    cst.LessThanEqual: "<=",
    cst.GreaterThan: ">",
    cst.GreaterThanEqual: ">=",
    cst.Is: "is",
    cst.IsNot: "is not",
    cst.In: "in",
    cst.NotIn: "not in",
}
BINARY = {
    cst.Add: "+",
    cst.Subtract: "-",
    cst.Multiply: "*",
    cst.Divide: "/",
    cst.FloorDivide: "//",
    cst.Modulo: "%",
    cst.Power: "**",
    cst.BitOr: "|",
    cst.BitAnd: "&",
    cst.BitXor: "^",
    cst.LeftShift: "<<",
    cst.RightShift: ">>",
    cst.MatrixMultiply: "@",
}
_UNARY = {cst.Minus: "-", cst.Plus: "+", cst.BitInvert: "~"}


class ExpressionLowering:
    """Lowers expressions; ``_line`` is that of the statement in which they stand."""

    _line = 1

    def expr(self, node: cst.CSTNode) -> ir.Expr:
        """Lower one expression; what is not modelled becomes ``Opaque`` with its parts."""
        handler = _EXPR.get(type(node))
        if handler is None:
            children = tuple(
                self.expr(c) for c in node.children if isinstance(c, cst.BaseExpression)
            )
            return ir.Opaque(children)
        return handler(self, node)

    def yielded(self, node: cst.Yield) -> ir.Expr:
        """Lower ``yield`` and ``yield from``: an Opaque that begins with the name ``yield``."""
        value = node.value.item if isinstance(node.value, cst.From) else node.value
        parts = (self.expr(value),) if value is not None else ()
        return ir.Opaque((ir.Name("yield"), *parts))

    def _arg(self, node: cst.Arg) -> ir.Arg:
        keyword = name_text(node.keyword) if node.keyword is not None else None
        return ir.Arg(self.expr(node.value), keyword, len(node.star))

    def _call(self, node: cst.Call) -> ir.Expr:
        return ir.Call(self.expr(node.func), tuple(self._arg(a) for a in node.args), self._line)

    def _subscript(self, node: cst.Subscript) -> ir.Expr:
        parts = tuple(
            self.expr(e.slice.value)
            if isinstance(e.slice, cst.Index) and not e.slice.star
            else ir.Opaque(())
            for e in node.slice
        )
        single = len(parts) == 1 and not isinstance(node.slice[0].comma, cst.Comma)
        index: ir.Expr = parts[0] if single else ir.Sequence("tuple", parts)
        return ir.Subscript(self.expr(node.value), index)

    def _display(self, node: cst.Tuple | cst.List | cst.Set) -> ir.Expr:
        items: list[ir.Expr] = []
        for element in node.elements:
            value = self.expr(element.value)
            items.append(ir.Starred(value) if isinstance(element, cst.StarredElement) else value)
        return ir.Sequence(type(node).__name__.lower(), tuple(items))

    def _dict(self, node: cst.Dict) -> ir.Expr:
        return ir.Dict(
            tuple(
                (self.expr(e.key) if isinstance(e, cst.DictElement) else None, self.expr(e.value))
                for e in node.elements
            )
        )

    def _bool_op(self, node: cst.BooleanOperation) -> ir.Expr:
        op = "and" if isinstance(node.operator, cst.And) else "or"
        return ir.BoolOp(op, self.expr(node.left), self.expr(node.right))

    def _unary(self, node: cst.UnaryOperation) -> ir.Expr:
        value = self.expr(node.expression)
        if isinstance(node.operator, cst.Not):
            return ir.Not(value)
        return ir.Unary(_UNARY[type(node.operator)], value)

    def _compare(self, node: cst.Comparison) -> ir.Expr:
        rest = tuple(
            (_COMPARE[type(c.operator)], self.expr(c.comparator)) for c in node.comparisons
        )
        return ir.Compare(self.expr(node.left), rest)

    def _binary(self, node: cst.BinaryOperation) -> ir.Expr:
        op = BINARY[type(node.operator)]
        return ir.Binary(op, self.expr(node.left), self.expr(node.right))

    def _fstring(self, node: cst.FormattedString) -> ir.Expr:
        parts: list[ir.Expr] = []
        for part in node.parts:
            if isinstance(part, cst.FormattedStringText):
                text = part.value.replace("{{", "{").replace("}}", "}")
                parts.append(ir.Const(text) if "\\" not in text else ir.Opaque(()))
            elif isinstance(part, cst.FormattedStringExpression):
                value = self.expr(part.expression)
                plain = part.format_spec is None and part.equal is None and part.conversion is None
                parts.append(value if plain else ir.Opaque((value,)))
        return ir.FString(tuple(parts))

    def _concatenated(self, node: cst.ConcatenatedString) -> ir.Expr:
        left, right = self.expr(node.left), self.expr(node.right)
        if isinstance(left, ir.Const) and isinstance(right, ir.Const):
            return ir.Const(left.value + right.value)
        return ir.FString((left, right))

    def _lambda(self, node: cst.Lambda) -> ir.Expr:
        return ir.Lambda(self._params(node.params), self.expr(node.body))

    def _comprehension(self, node: cst.BaseComp) -> ir.Expr:
        clauses: list[ir.Clause] = []
        part: cst.CompFor | None = node.for_in
        while part is not None:
            conditions = tuple(self.expr(c.test) for c in part.ifs)
            clauses.append(ir.Clause(self.expr(part.target), self.expr(part.iter), conditions))
            part = part.inner_for_in
        if isinstance(node, cst.DictComp):
            return ir.Comprehension(
                "dict", self.expr(node.key), self.expr(node.value), tuple(clauses)
            )
        kind = {cst.ListComp: "list", cst.SetComp: "set"}.get(type(node), "generator")
        element = cast("cst.BaseSimpleComp", node).elt
        return ir.Comprehension(kind, self.expr(element), None, tuple(clauses))

    def _params(self, node: cst.Parameters) -> tuple[ir.Param, ...]:
        result = []
        for group, kind in (
            (node.posonly_params, "positional"),
            (node.params, "positional"),
            (node.kwonly_params, "keyword"),
        ):
            for param in group:
                default = self.expr(param.default) if param.default is not None else None
                result.append(ir.Param(name_text(param.name), kind, default))
        if isinstance(node.star_arg, cst.Param):
            result.append(ir.Param(name_text(node.star_arg.name), "star"))
        if node.star_kwarg is not None:
            result.append(ir.Param(name_text(node.star_kwarg.name), "doublestar"))
        return tuple(result)


def name_text(node: cst.CSTNode) -> str:
    """Return the identifier that a name is to CPython, which folds its forms (PEP 3131)."""
    name = cast("cst.Name", node).value
    return name if name.isascii() else unicodedata.normalize("NFKC", name)


def _string(_: ExpressionLowering, node: cst.SimpleString) -> ir.Expr:
    text = node.value
    # libcst compiles each literal to evaluate it; most need no more than their quotes taken off
    if text[0] in "\"'" and "\\" not in text:
        width = 3 if text[:3] in ('"""', "'''") else 1
        return ir.Const(text[width:-width])
    try:
        return ir.Const(node.evaluated_value)
    except (SyntaxError, ValueError):  # an escape that only a newer interpreter understands
        return ir.Opaque(())


def _name(_: ExpressionLowering, node: cst.Name) -> ir.Expr:
    constant = _CONSTANTS.get(node.value)
    return ir.Name(name_text(node)) if constant is None else constant


_CONSTANTS = {"None": ir.Const(None), "True": ir.Const(True), "False": ir.Const(False)}

_EXPR: dict[type, Callable[[ExpressionLowering, Any], ir.Expr]] = {
    cst.Name: _name,
    cst.Attribute: lambda self, node: ir.Attribute(self.expr(node.value), name_text(node.attr)),
    cst.Call: ExpressionLowering._call,
    cst.Subscript: ExpressionLowering._subscript,
    cst.Tuple: ExpressionLowering._display,
    cst.List: ExpressionLowering._display,
    cst.Set: ExpressionLowering._display,
    cst.Dict: ExpressionLowering._dict,
    cst.BooleanOperation: ExpressionLowering._bool_op,
    cst.UnaryOperation: ExpressionLowering._unary,
    cst.Comparison: ExpressionLowering._compare,
    cst.BinaryOperation: ExpressionLowering._binary,
    cst.IfExp: lambda self, node: ir.Conditional(
        self.expr(node.test), self.expr(node.body), self.expr(node.orelse)
    ),
    cst.NamedExpr: lambda self, node: ir.Walrus(name_text(node.target), self.expr(node.value)),
    cst.Lambda: ExpressionLowering._lambda,
    cst.SimpleString: _string,
    cst.ConcatenatedString: ExpressionLowering._concatenated,
    cst.FormattedString: ExpressionLowering._fstring,
    cst.Integer: lambda _, node: ir.Const(node.evaluated_value),
    cst.Float: lambda _, node: ir.Const(node.evaluated_value),
    cst.Imaginary: lambda _, node: ir.Const(node.evaluated_value),
    cst.Ellipsis: lambda _, node: ir.Const(...),
    cst.ListComp: ExpressionLowering._comprehension,
    cst.SetComp: ExpressionLowering._comprehension,
    cst.DictComp: ExpressionLowering._comprehension,
    cst.GeneratorExp: ExpressionLowering._comprehension,
    cst.StarredElement: lambda self, node: ir.Starred(self.expr(node.value)),
    cst.Yield: lambda self, node: self.yielded(node),
}
