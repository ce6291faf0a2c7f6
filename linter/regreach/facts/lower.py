"""libcst nodes -> the small language of ``ir.py``."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Sequence
from typing import Any, cast

import libcst as cst

from regreach.facts import ir
from regreach.facts.dialect import EXCEPT_OF_PYTHON_2, LAZY_IMPORT
from regreach.facts.source import UNKNOWN_KIND, SourceError

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
_BINARY = {
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


class LineMismatchError(Exception):
    """libcst found other statements than the outline has logical lines: the cut was wrong."""


class Lowering:
    """Lowers the statements of one parsed text.

    ``numbers`` are the file's line numbers of the logical lines of that text, in order;
    ``slices`` are the outline's function indices, in order of appearance, when function bodies
    were cut out of the text, else None.
    """

    def __init__(self, numbers: Sequence[int], slices: Iterator[int] | None) -> None:
        self._numbers = numbers
        self._next = 0
        self._line = 1
        self._slices = slices
        self._depth = 0

    def module(self, node: cst.Module) -> ir.Body:
        """Lower a whole parsed text; raise LineMismatchError when lines and statements differ."""
        body = self._block(node.body)
        if self._next != len(self._numbers):
            raise LineMismatchError
        return body

    # -- statements ---------------------------------------------------------------------------

    def _take_line(self) -> int:
        if self._next >= len(self._numbers):
            raise LineMismatchError
        self._line = self._numbers[self._next]
        self._next += 1
        return self._line

    def _block(self, body: Sequence[cst.BaseStatement | cst.BaseSmallStatement]) -> ir.Body:
        result: list[ir.Stmt] = []
        for statement in body:
            if isinstance(statement, cst.SimpleStatementLine):
                self._take_line()
                for small in statement.body:
                    self._small(small, result)
            elif isinstance(statement, cst.BaseSmallStatement):
                self._small(statement, result)
            else:
                result.append(self._compound(statement))
        return tuple(result)

    def _suite(self, suite: cst.BaseSuite) -> ir.Body:
        return self._block(suite.body)

    def _compound(self, node: cst.BaseStatement) -> ir.Stmt:
        handler = _COMPOUND.get(type(node))
        if handler is None:
            raise self._unknown(node)
        return handler(self, node)

    def _unknown(self, node: cst.CSTNode) -> SourceError:
        """Return the error of a statement that this version of libcst knows and regreach does not."""
        name = type(node).__name__
        lazy = name.startswith("LazyImport")
        message = LAZY_IMPORT if lazy else f"{name}, a syntax newer than regreach reads"
        return SourceError(message, self._line, 1, UNKNOWN_KIND)

    def _if(self, node: cst.If) -> ir.Stmt:
        line = self._take_line()
        test = self.expr(node.test)
        body = self._suite(node.body)
        orelse: ir.Body = ()
        else_line = 0
        if isinstance(node.orelse, cst.If):
            orelse = (self._if(node.orelse),)
        elif node.orelse is not None:
            else_line = self._take_line()
            orelse = self._suite(node.orelse.body)
        return ir.If(line, test, body, orelse, else_line)

    def _else(self, node: cst.Else | cst.Finally | None) -> ir.Body:
        if node is None:
            return ()
        self._take_line()
        return self._suite(node.body)

    def _for(self, node: cst.For) -> ir.Stmt:
        line = self._take_line()
        target, iterable = self.expr(node.target), self.expr(node.iter)
        if node.asynchronous is not None:
            iterable = ir.Opaque((iterable,))
        return ir.For(line, target, iterable, self._suite(node.body), self._else(node.orelse))

    def _while(self, node: cst.While) -> ir.Stmt:
        line = self._take_line()
        return ir.While(line, self.expr(node.test), self._suite(node.body), self._else(node.orelse))

    def _try(self, node: cst.Try | cst.TryStar) -> ir.Stmt:
        line = self._take_line()
        body = self._suite(node.body)
        handlers = []
        for handler in node.handlers:
            at = self._take_line()
            if _is_of_python_2(handler.type):
                raise SourceError(
                    "multiple exception types must be parenthesized", at, hint=EXCEPT_OF_PYTHON_2
                )
            kind = self.expr(handler.type) if handler.type is not None else None
            name = _text(handler.name.name) if handler.name is not None else None
            handlers.append(ir.Handler(at, kind, name, self._suite(handler.body)))
        return ir.Try(
            line, body, tuple(handlers), self._else(node.orelse), self._else(node.finalbody)
        )

    def _with(self, node: cst.With) -> ir.Stmt:
        line = self._take_line()
        items = tuple(
            (
                self.expr(item.item)
                if node.asynchronous is None
                else ir.Opaque((self.expr(item.item),)),
                self.expr(item.asname.name) if item.asname is not None else None,
            )
            for item in node.items
        )
        return ir.With(line, items, self._suite(node.body))

    def _decorators(self, nodes: Sequence[cst.Decorator]) -> tuple[ir.Decorator, ...]:
        result = []
        for node in nodes:
            line = self._take_line()
            result.append(ir.Decorator(line, self.expr(node.decorator)))
        return tuple(result)

    def _function(self, node: cst.FunctionDef) -> ir.Stmt:
        decorators = self._decorators(node.decorators)
        line = self._take_line()
        params: tuple[ir.Param, ...] | None = self._params(node.params)
        index: int | None = None
        if (
            self._slices is not None
            and self._depth == 0
            and isinstance(node.body, cst.IndentedBlock)
        ):
            index = next(self._slices, None)
            if index is None:
                raise LineMismatchError
        self._depth += 1
        body = self._suite(node.body)
        self._depth -= 1
        return ir.FunctionDef(
            line,
            _text(node.name),
            params if index is None or params else None,
            decorators,
            () if index is not None else body,
            index,
            node.asynchronous is not None,
        )

    def _class(self, node: cst.ClassDef) -> ir.Stmt:
        decorators = self._decorators(node.decorators)
        line = self._take_line()
        args = tuple(self._arg(a) for a in (*node.bases, *node.keywords))
        return ir.ClassDef(line, _text(node.name), args, decorators, self._suite(node.body))

    def _match(self, node: cst.Match) -> ir.Stmt:
        line = self._take_line()
        subject = self.expr(node.subject)
        cases = []
        for case in node.cases:
            at = self._take_line()
            pattern = self._pattern(case.pattern)
            guard = self.expr(case.guard) if case.guard is not None else None
            cases.append(ir.Case(at, pattern, guard, self._suite(case.body)))
        return ir.Match(line, subject, tuple(cases))

    def _pattern(self, node: cst.MatchPattern) -> ir.Pattern:
        if isinstance(node, cst.MatchValue):
            return ir.Pattern("value", self.expr(node.value))
        if isinstance(node, cst.MatchSingleton):
            return ir.Pattern("singleton", self.expr(node.value))
        if isinstance(node, cst.MatchOr):
            return ir.Pattern("or", parts=tuple(self._pattern(p.pattern) for p in node.patterns))
        if isinstance(node, cst.MatchAs):
            name = _text(node.name) if node.name is not None else None
            if node.pattern is None:
                return ir.Pattern("any", name=name)
            return ir.Pattern("as", parts=(self._pattern(node.pattern),), name=name)
        if isinstance(node, cst.MatchSequence):
            return ir.Pattern("sequence", parts=tuple(map(self._element, node.patterns)))
        if isinstance(node, cst.MatchClass) and not (node.patterns or node.kwds):
            return ir.Pattern("class", self.expr(node.cls))
        names = tuple(ir.Pattern("any", name=name) for name in _bound_names(node))
        return ir.Pattern("other", parts=names)

    def _element(self, node: cst.MatchSequenceElement | cst.MatchStar) -> ir.Pattern:
        if isinstance(node, cst.MatchStar):
            return ir.Pattern("star", name=_text(node.name) if node.name is not None else None)
        return self._pattern(node.value)

    def _small(self, node: cst.BaseSmallStatement, out: list[ir.Stmt]) -> None:
        handler = _SMALL.get(type(node))
        if handler is None:
            raise self._unknown(node)
        statement = handler(self, node)
        if statement is not None:
            out.append(statement)

    def _import(self, node: cst.Import) -> ir.Stmt:
        names = tuple((_dotted(a.name), _alias(a)) for a in node.names)
        return ir.Import(self._line, names)

    def _import_from(self, node: cst.ImportFrom) -> ir.Stmt:
        module = _dotted(node.module) if node.module is not None else None
        names: tuple[tuple[str, str | None], ...] = ()
        if not isinstance(node.names, cst.ImportStar):
            names = tuple((_dotted(a.name), _alias(a)) for a in node.names)
        return ir.ImportFrom(self._line, module, len(node.relative), names)

    def _assign(self, node: cst.Assign) -> ir.Stmt:
        targets = tuple(self.expr(t.target) for t in node.targets)
        return ir.Assign(self._line, targets, self.expr(node.value))

    def _ann_assign(self, node: cst.AnnAssign) -> ir.Stmt:
        value = self.expr(node.value) if node.value is not None else None
        return ir.AnnAssign(
            self._line, self.expr(node.target), self.expr(node.annotation.annotation), value
        )

    def _aug_assign(self, node: cst.AugAssign) -> ir.Stmt:
        name = type(node.operator).__name__.removesuffix("Assign")
        op = _BINARY.get(getattr(cst, name, cst.Add), "?")
        return ir.AugAssign(self._line, self.expr(node.target), op, self.expr(node.value))

    def _del(self, node: cst.Del) -> ir.Stmt:
        target = self.expr(node.target)
        targets = target.items if isinstance(target, ir.Sequence) else (target,)
        return ir.Delete(self._line, targets)

    def _scope(self, node: cst.Global | cst.Nonlocal) -> ir.Stmt:
        kind = "global" if isinstance(node, cst.Global) else "nonlocal"
        return ir.Scope(self._line, kind, tuple(_text(n.name) for n in node.names))

    # -- expressions --------------------------------------------------------------------------

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
        keyword = _text(node.keyword) if node.keyword is not None else None
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
        op = _BINARY[type(node.operator)]
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
                result.append(ir.Param(_text(param.name), kind, default))
        if isinstance(node.star_arg, cst.Param):
            result.append(ir.Param(_text(node.star_arg.name), "star"))
        if node.star_kwarg is not None:
            result.append(ir.Param(_text(node.star_kwarg.name), "doublestar"))
        return tuple(result)


def _dotted(node: cst.BaseExpression | cst.Name | cst.Attribute) -> str:
    parts: list[str] = []
    while isinstance(node, cst.Attribute):
        parts.append(_text(node.attr))
        node = node.value
    parts.append(_text(node))
    return ".".join(reversed(parts))


def _text(node: cst.CSTNode) -> str:
    """Return the identifier that a name is to CPython, which folds its forms (PEP 3131)."""
    name = cast("cst.Name", node).value
    return name if name.isascii() else unicodedata.normalize("NFKC", name)


def _is_of_python_2(node: cst.BaseExpression | None) -> bool:
    """Return whether ``except`` is followed by a class, a comma and what looks like a variable.

    Python 3.14 would catch both; exception classes are not called like that.
    """
    if not isinstance(node, cst.Tuple) or node.lpar or len(node.elements) != 2:
        return False
    second = node.elements[1].value
    return isinstance(second, cst.Name) and second.value.islower()


def _alias(node: cst.ImportAlias) -> str | None:
    return _text(node.asname.name) if node.asname is not None else None


def _bound_names(pattern: cst.CSTNode) -> Iterator[str]:
    if isinstance(pattern, (cst.MatchAs, cst.MatchStar)) and pattern.name is not None:
        yield _text(pattern.name)
    if isinstance(pattern, cst.MatchMapping) and pattern.rest is not None:
        yield _text(pattern.rest)
    for child in pattern.children:
        if not isinstance(child, cst.BaseExpression):
            yield from _bound_names(child)


def _string(_: Lowering, node: cst.SimpleString) -> ir.Expr:
    text = node.value
    # libcst compiles each literal to evaluate it; most need no more than their quotes taken off
    if text[0] in "\"'" and "\\" not in text:
        width = 3 if text[:3] in ('"""', "'''") else 1
        return ir.Const(text[width:-width])
    try:
        return ir.Const(node.evaluated_value)
    except (SyntaxError, ValueError):  # an escape that only a newer interpreter understands
        return ir.Opaque(())


def _name(_: Lowering, node: cst.Name) -> ir.Expr:
    constant = _CONSTANTS.get(node.value)
    return ir.Name(_text(node)) if constant is None else constant


def _return(self: Lowering, node: cst.Return) -> ir.Stmt:
    return ir.Return(self._line, self.expr(node.value) if node.value is not None else None)


def _raise(self: Lowering, node: cst.Raise) -> ir.Stmt:
    return ir.Raise(self._line, self.expr(node.exc) if node.exc is not None else None)


_CONSTANTS = {"None": ir.Const(None), "True": ir.Const(True), "False": ir.Const(False)}

_COMPOUND: dict[type, Callable[[Lowering, Any], ir.Stmt]] = {
    cst.If: Lowering._if,
    cst.For: Lowering._for,
    cst.While: Lowering._while,
    cst.Try: Lowering._try,
    cst.TryStar: Lowering._try,
    cst.With: Lowering._with,
    cst.FunctionDef: Lowering._function,
    cst.ClassDef: Lowering._class,
    cst.Match: Lowering._match,
}
_SMALL: dict[type, Callable[[Lowering, Any], ir.Stmt | None]] = {
    cst.Import: Lowering._import,
    cst.ImportFrom: Lowering._import_from,
    cst.Assign: Lowering._assign,
    cst.AnnAssign: Lowering._ann_assign,
    cst.AugAssign: Lowering._aug_assign,
    cst.Del: Lowering._del,
    cst.Global: Lowering._scope,
    cst.Nonlocal: Lowering._scope,
    cst.Expr: lambda self, node: ir.ExprStmt(self._line, self.expr(node.value)),
    cst.Return: _return,
    cst.Raise: _raise,
    cst.Assert: lambda self, node: ir.Assert(self._line, self.expr(node.test)),
    # what a type alias stands for is not evaluated before it is asked for
    cst.TypeAlias: lambda self, node: ir.Assign(self._line, (self.expr(node.name),), ir.Opaque(())),
    cst.Pass: lambda self, _: ir.Jump(self._line, "pass"),
    cst.Break: lambda self, _: ir.Jump(self._line, "break"),
    cst.Continue: lambda self, _: ir.Jump(self._line, "continue"),
}
_EXPR: dict[type, Callable[[Lowering, Any], ir.Expr]] = {
    cst.Name: _name,
    cst.Attribute: lambda self, node: ir.Attribute(self.expr(node.value), _text(node.attr)),
    cst.Call: Lowering._call,
    cst.Subscript: Lowering._subscript,
    cst.Tuple: Lowering._display,
    cst.List: Lowering._display,
    cst.Set: Lowering._display,
    cst.Dict: Lowering._dict,
    cst.BooleanOperation: Lowering._bool_op,
    cst.UnaryOperation: Lowering._unary,
    cst.Comparison: Lowering._compare,
    cst.BinaryOperation: Lowering._binary,
    cst.IfExp: lambda self, node: ir.Conditional(
        self.expr(node.test), self.expr(node.body), self.expr(node.orelse)
    ),
    cst.NamedExpr: lambda self, node: ir.Walrus(_text(node.target), self.expr(node.value)),
    cst.Lambda: Lowering._lambda,
    cst.SimpleString: _string,
    cst.ConcatenatedString: Lowering._concatenated,
    cst.FormattedString: Lowering._fstring,
    cst.Integer: lambda _, node: ir.Const(node.evaluated_value),
    cst.Float: lambda _, node: ir.Const(node.evaluated_value),
    cst.Imaginary: lambda _, node: ir.Const(node.evaluated_value),
    cst.Ellipsis: lambda _, node: ir.Const(...),
    cst.ListComp: Lowering._comprehension,
    cst.SetComp: Lowering._comprehension,
    cst.DictComp: Lowering._comprehension,
    cst.GeneratorExp: Lowering._comprehension,
    cst.StarredElement: lambda self, node: ir.Starred(self.expr(node.value)),
    cst.Yield: lambda self, node: self.yielded(node),
}
