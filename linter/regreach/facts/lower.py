"""libcst nodes -> the small language of ``ir.py``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import libcst as cst

from regreach.facts import ir
from regreach.facts.dialect import EXCEPT_OF_PYTHON_2, LAZY_IMPORT
from regreach.facts.lower_expressions import BINARY, ExpressionLowering, name_text
from regreach.facts.source import UNKNOWN_KIND, SourceError


class LineMismatchError(Exception):
    """libcst found other statements than the outline has logical lines: the cut was wrong."""


class Lowering(ExpressionLowering):
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
            name = name_text(handler.name.name) if handler.name is not None else None
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
            name_text(node.name),
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
        return ir.ClassDef(line, name_text(node.name), args, decorators, self._suite(node.body))

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
            name = name_text(node.name) if node.name is not None else None
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
            return ir.Pattern("star", name=name_text(node.name) if node.name is not None else None)
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
        op = BINARY.get(getattr(cst, name, cst.Add), "?")
        return ir.AugAssign(self._line, self.expr(node.target), op, self.expr(node.value))

    def _del(self, node: cst.Del) -> ir.Stmt:
        target = self.expr(node.target)
        targets = target.items if isinstance(target, ir.Sequence) else (target,)
        return ir.Delete(self._line, targets)

    def _scope(self, node: cst.Global | cst.Nonlocal) -> ir.Stmt:
        kind = "global" if isinstance(node, cst.Global) else "nonlocal"
        return ir.Scope(self._line, kind, tuple(name_text(n.name) for n in node.names))


def _dotted(node: cst.BaseExpression | cst.Name | cst.Attribute) -> str:
    parts: list[str] = []
    while isinstance(node, cst.Attribute):
        parts.append(name_text(node.attr))
        node = node.value
    parts.append(name_text(node))
    return ".".join(reversed(parts))


def _is_of_python_2(node: cst.BaseExpression | None) -> bool:
    """Return whether ``except`` is followed by a class, a comma and what looks like a variable.

    Python 3.14 would catch both; exception classes are not called like that.
    """
    if not isinstance(node, cst.Tuple) or node.lpar or len(node.elements) != 2:
        return False
    second = node.elements[1].value
    return isinstance(second, cst.Name) and second.value.islower()


def _alias(node: cst.ImportAlias) -> str | None:
    return name_text(node.asname.name) if node.asname is not None else None


def _bound_names(pattern: cst.CSTNode) -> Iterator[str]:
    if isinstance(pattern, (cst.MatchAs, cst.MatchStar)) and pattern.name is not None:
        yield name_text(pattern.name)
    if isinstance(pattern, cst.MatchMapping) and pattern.rest is not None:
        yield name_text(pattern.rest)
    for child in pattern.children:
        if not isinstance(child, cst.BaseExpression):
            yield from _bound_names(child)


def _return(self: Lowering, node: cst.Return) -> ir.Stmt:
    return ir.Return(self._line, self.expr(node.value) if node.value is not None else None)


def _raise(self: Lowering, node: cst.Raise) -> ir.Stmt:
    return ir.Raise(self._line, self.expr(node.exc) if node.exc is not None else None)


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
