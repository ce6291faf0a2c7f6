"""Whether a name that an import binds is used, by CPython's own symbol table."""

from __future__ import annotations

import ast
import re
import symtable
import typing
from collections.abc import Iterator, Sequence

Scope = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)

# What takes strings that stand for types, besides annotations.
_TAKES_TYPES = {"cast", "TypeVar", "NewType", "NamedTuple", "TypedDict", "TypeAliasType"}
_FUTURE = re.compile(r"(?m)^from[ \t]+__future__[ \t]+import[ \t]*(?:\([^)]*\)|[^\n;#]*)")
_TYPING = {*typing.__all__} - {"Literal", "Annotated", "LiteralString"}


class Piece:
    """A source text whose scopes are known by themselves: a module, or an outermost function of one.

    ``above`` is the number of lines of the file that stand above the text.
    """

    def __init__(self, text: str, above: int = 0) -> None:
        """Parse a text. Raises SyntaxError, ValueError and RecursionError as CPython does."""
        self.above = above
        self._text = text
        self._table: symtable.SymbolTable | None = None
        self._type_names: set[str] | None = None
        self.tree = ast.parse(text)

    @property
    def table(self) -> symtable.SymbolTable:
        """The symbol table of the text."""
        if self._table is None:
            # with that import, annotations would be left out
            text = _FUTURE.sub(lambda m: f"({chr(10) * m[0].count(chr(10))})", self._text)
            self._table = symtable.symtable(text, "<piece>", "exec")
        return self._table

    def type_names(self) -> set[str]:
        """Return the names in strings that stand for types, in whatever scope."""
        if self._type_names is None:
            self._type_names = set(_type_names(self.tree))
        return self._type_names

    def is_used(self, name: str, scopes: Sequence[Scope]) -> bool:
        """Return whether a name that is bound in the innermost of these scopes is read, or another's.

        ``scopes`` are the definitions around the binding. It counts as used, too, where it is
        declared global or nonlocal, or where nothing can be told.
        """
        table = _table_of(self.table, scopes)
        symbol = _symbol(table, name)
        if table is None or symbol is None:
            return True
        # at module level, a function's ``global`` would say so, too
        declared = bool(scopes) and (symbol.is_declared_global() or symbol.is_nonlocal())
        if symbol.is_referenced() or declared:
            return True
        uses = _read_as_global if not scopes else _read_from_outside
        return uses(table, name) or name in self.type_names()

    def reads_global(self, name: str) -> bool:
        """Return whether a function, class or comprehension of the text reads a global of that name."""
        return _read_as_global(self.table, name)


def bindings(scope: Scope | ast.Module, name: str) -> Iterator[tuple[int, int]]:
    """Yield the positions at which a scope binds or deletes a name, but for those of imports.

    Inner scopes are left out.
    """
    waiting: list[ast.AST] = list(ast.iter_child_nodes(scope))
    while waiting:
        node = waiting.pop()
        if _binds(node, name):
            yield getattr(node, "lineno", 0), getattr(node, "col_offset", 0)
        if isinstance(node, ast.AnnAssign) and node.value is None:
            continue
        if isinstance(node, _COMPREHENSIONS):
            # its names are its own, but for those of ``:=``
            waiting += [n.target for n in ast.walk(node) if isinstance(n, ast.NamedExpr)]
        elif not isinstance(node, _DEFINITIONS):
            waiting += ast.iter_child_nodes(node)


def _binds(node: ast.AST, name: str) -> bool:
    if isinstance(node, ast.Name):
        return node.id == name and not isinstance(node.ctx, ast.Load)
    if isinstance(node, ast.MatchMapping):
        return node.rest == name
    # definitions, handlers and patterns
    return (
        isinstance(
            node,
            (
                ast.FunctionDef,
                ast.AsyncFunctionDef,
                ast.ClassDef,
                ast.ExceptHandler,
                ast.MatchAs,
                ast.MatchStar,
            ),
        )
        and node.name == name
    )


def _table_of(table: symtable.SymbolTable, scopes: Sequence[Scope]) -> symtable.SymbolTable | None:
    """Return the table of the innermost of nested definitions."""
    found: symtable.SymbolTable | None = table
    for scope in scopes:
        if found is not None:
            found = next((t for t in _definitions(found) if _is_of(t, scope)), None)
    return found


def _definitions(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    """Yield the tables inside one; type parameters have one of their own, around the definition's."""
    for child in table.get_children():
        yield child
        if str(child.get_type()) not in ("function", "class", "module"):
            yield from _definitions(child)


def _is_of(table: symtable.SymbolTable, scope: Scope) -> bool:
    if str(table.get_type()) not in ("function", "class"):
        return False
    return (table.get_name(), table.get_lineno()) == (scope.name, scope.lineno)


def _symbol(table: symtable.SymbolTable | None, name: str) -> symtable.Symbol | None:
    try:
        return table.lookup(name) if table is not None else None
    except KeyError:
        return None


def _read_as_global(table: symtable.SymbolTable, name: str) -> bool:
    for child in table.get_children():
        symbol = _symbol(child, name)
        if symbol is not None and symbol.is_referenced():
            # a class that binds the name may read the one outside before
            if symbol.is_global() or (str(child.get_type()) == "class" and symbol.is_local()):
                return True
        if _read_as_global(child, name):
            return True
    return False


def _read_from_outside(table: symtable.SymbolTable, name: str) -> bool:
    """Return whether what is defined in a function reads, or rebinds, a name of that function."""
    for child in table.get_children():
        symbol = _symbol(child, name)
        if symbol is not None:
            if symbol.is_nonlocal() or (symbol.is_free() and symbol.is_referenced()):
                return True
            if symbol.is_local():
                if str(child.get_type()) != "class":
                    continue  # another name from here on
                if symbol.is_referenced():
                    return True
        if _read_from_outside(child, name):
            return True
    return False


def _type_names(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, (ast.AnnAssign, ast.arg)) and node.annotation is not None:
            yield from _names_of_type(node.annotation)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.returns is not None:
            yield from _names_of_type(node.returns)
        elif isinstance(node, ast.Call) and _last_part(node.func) in _TAKES_TYPES:
            for value in (*node.args, *(k.value for k in node.keywords)):
                yield from _names_of_type(value)
        elif isinstance(node, ast.Subscript) and _last_part(node.value) in _TYPING:
            yield from _names_of_type(node.slice)


def _names_of_type(node: ast.AST) -> Iterator[str]:
    """Yield the names in the strings of an expression that stands for a type."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        try:
            inner = ast.parse(f"({node.value})", mode="eval").body
        except (SyntaxError, ValueError, RecursionError):
            return
        yield from (each.id for each in ast.walk(inner) if isinstance(each, ast.Name))
        yield from _names_of_type(inner)
    elif isinstance(node, ast.Subscript) and _last_part(node.value) == "Literal":
        return
    elif isinstance(node, ast.Subscript) and _last_part(node.value) == "Annotated":
        # only the first of what stands there is a type
        yield from _names_of_type(
            node.slice.elts[0] if isinstance(node.slice, ast.Tuple) else node.slice
        )
    else:
        for child in ast.iter_child_nodes(node):
            yield from _names_of_type(child)


def _last_part(node: ast.expr) -> str:
    text = node.attr if isinstance(node, ast.Attribute) else ""
    return node.id if isinstance(node, ast.Name) else text


def occurrences(text: str, name: str) -> Iterator[int]:
    """Yield the offsets at which a name occurs in a text as a word."""
    return (found.start() for found in re.finditer(rf"\b{re.escape(name)}\b", text))
