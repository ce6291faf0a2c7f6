"""Entries that a loop over a package finds in its modules: what they bind to a name, or their classes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from regreach.facts import ir, walk
from regreach.facts.bound_lines import UNKNOWN, Bound, from_text
from regreach.facts.parse import ModuleFacts
from regreach.facts.registrar_lines import UNKNOWN_KEY
from regreach.model import Spot
from regreach.pack import Pack
from regreach.program import Program
from regreach.registrations import exact_line
from regreach.simple.declared import Discovered
from regreach.simple.definitions import Defined, Definitions
from regreach.simple.keys import Keys
from regreach.simple.origins import Origins
from regreach.simple.uses import Use
from regreach.supply.scans import binds, matches, mentions


class FoundByLoops:
    """The entries of one registry that loops find, by module."""

    def __init__(
        self,
        program: Program,
        pack: Pack,
        origins: Origins,
        keys: Keys,
        discovered: Sequence[Discovered],
    ) -> None:
        self._program, self._pack, self._discovered = program, pack, discovered
        self._definitions, self._keys, self._origins = Definitions(program, origins), keys, origins

    def seen(self) -> dict[str, list[str]]:
        """Return the keys that modules seem to bring, as their bytes tell: as of ``registrar_lines``, or more."""
        found: dict[str, list[str]] = {}
        for each in self._discovered:
            modules = self._modules(each)
            by_module = self._below(each, modules) if each.base else self._bound(each, modules)
            for module, keys in by_module.items():
                if keys:
                    found[module] = [*found.get(module, ()), *dict.fromkeys(keys)]
        return found

    def uses_in(self, module: str) -> Iterator[Use]:
        """Yield the entries in a module."""
        facts, path = self._program.readable_facts(module), self._program.path(module)
        if facts is None or path is None:
            return
        for each in self._discovered:
            if module in self._modules(each):
                found = self._classes(each, module) if each.base else self._values(each, module)
                yield from found

    def _modules(self, each: Discovered) -> list[str]:
        program = self._program
        names = program.inside(each.package)[1:] if each.deep else program.children(each.package)
        found = []
        for name in names:
            path = program.path(name)
            if path is not None and not program.is_package(name) and not self._pack.ignores(path):
                found.append(name)
        return found

    # -- as bytes tell ----------------------------------------------------------------------

    def _rows(self, module: str, name: str) -> list[Bound]:
        lines = self._program.ask(module, binds(name))
        assert isinstance(lines, list), "these are lines"
        return [from_text(line) for line in lines]

    def _bound(self, each: Discovered, modules: Sequence[str]) -> dict[str, list[str]]:
        asked = mentions(each.attribute.encode())
        return {
            module: list(self._bound_in(each, module))
            for module in modules
            if self._program.ask(module, asked)
        }

    def _bound_in(self, each: Discovered, module: str) -> Iterator[str]:
        rows = self._rows(module, each.attribute)
        own = {row.cls for row in rows}
        for value in rows[0].values or ():
            if value.startswith("="):
                yield value
            elif value == UNKNOWN or value[1:] not in own:
                yield UNKNOWN_KEY
            elif each.key == "__name__":
                yield f"={value[1:]}"
            else:
                values = [r.values for r in self._rows(module, each.key) if r.cls == value[1:]]
                for key in values[-1] or (UNKNOWN,):
                    yield key if key.startswith("=") else UNKNOWN_KEY

    def _below(self, each: Discovered, modules: Sequence[str]) -> dict[str, list[str]]:
        rows = {module: self._rows(module, each.attribute)[1:] for module in modules}
        below = {each.base.rpartition(":")[2].rpartition(".")[2]}
        while True:
            more = {
                r.cls for found in rows.values() for r in found if not below.isdisjoint(r.bases)
            }
            if more <= below:
                break
            below |= more
        return {
            module: [
                key for row in found for key in self._keys_of(each, module, row, row.cls in below)
            ]
            for module, found in rows.items()
        }

    def _keys_of(self, each: Discovered, module: str, row: Bound, is_below: bool) -> Iterator[str]:
        if not each.attribute:
            if is_below:
                yield f"={row.cls}"
        elif row.values is None:
            if is_below:
                yield UNKNOWN_KEY
        else:
            for value in row.values:
                if value.startswith("="):
                    yield value
                elif value == UNKNOWN or each.key != "__name__":
                    yield UNKNOWN_KEY
                else:
                    word = re.escape(value[1:].encode())
                    renamed = matches(rb"(?m)\bas[ \t]+%b\b|^[ \t]*%b[ \t]*=" % (word, word))
                    yield UNKNOWN_KEY if self._program.ask(module, renamed) else f"={value[1:]}"

    # -- as written -------------------------------------------------------------------------

    def _values(self, each: Discovered, module: str) -> Iterator[Use]:
        """Yield what a module binds to an attribute; what it takes from another module, from there."""
        home = self._home_of(each, module)
        facts, path = self._program.readable_facts(home), self._program.path(module)
        if facts is None or path is None:
            return
        for node, around in walk.statements(facts, "\0"):
            values = _given(node, each.attribute) if not around.in_function else ()
            for value in values if not around.scope else ():
                for key, symbol in self._named(home, value, each.key):
                    yield self._use(module, home, node.line, symbol, key, around)

    def _home_of(self, each: Discovered, module: str) -> str:
        """Return the module that binds the attribute which a module has."""
        home, _, name = self._origins.of(module, each.attribute).partition(":")
        return home if name == each.attribute else module

    def _named(
        self, module: str, value: ir.Expr, key: str
    ) -> Iterator[tuple[ir.Expr | str | None, str]]:
        """Yield the keys of what an expression stands for, with its name."""
        symbol = walk.dotted_name(value) or ""
        if isinstance(value, ir.Const):
            yield (value.value if isinstance(value.value, str) else None), symbol
        elif key == "__name__":
            yield self._definitions.name_of(module, value), symbol
        else:
            cls = self._definitions.class_of(module, symbol) if symbol else None
            bound = self._definitions.attribute(cls, key) if cls is not None else None
            keys = (
                self._keys.of(bound[0].module, bound[2], walk.Surroundings())
                if bound is not None
                else None
            )
            yield from ((text, symbol) for text in keys or (None,))

    def _classes(self, each: Discovered, module: str) -> Iterator[Use]:
        """Yield the classes of a module that are below a base, under each of their keys."""
        definitions = self._definitions
        base, _, name = each.base.partition(":")
        for cls in definitions.classes(module):
            if not any(
                (c.module, c.node.name) == (base, name) for c in definitions.with_bases(cls)
            ):
                continue
            if not each.attribute:
                yield self._use(
                    module, module, cls.node.line, cls.node.name, cls.node.name, cls.around
                )
                continue
            bound = definitions.attribute(cls, each.attribute)
            if bound is None:
                continue
            owner, statement, value = bound
            for item in _items(value):
                for key, symbol in self._named(owner.module, item, each.key):
                    yield self._class_use(cls, owner, statement, symbol, key)

    def _class_use(
        self,
        cls: Defined,
        owner: Defined,
        statement: ir.Stmt,
        symbol: str,
        key: ir.Expr | str | None,
    ) -> Use:
        own = owner.module == cls.module and owner.node.name == cls.node.name
        line = statement.line if own else cls.node.line
        found = symbol or (key if isinstance(key, str) else "")
        home = cls.module
        use = self._use(home, home, line, found if own else cls.node.name, key, cls.around)
        return Use(home, use.spot, use.column, cls.node.name, key, cls.around)

    def _use(
        self,
        module: str,
        home: str,
        line: int,
        symbol: str,
        key: ir.Expr | str | None,
        around: walk.Surroundings,
    ) -> Use:
        facts, path = self._program.readable_facts(module), self._program.path(module)
        assert facts is not None, "its statements were read"
        assert path is not None, "they were read from a file"
        if home != module:
            line, around = _line_with(facts, symbol), walk.Surroundings()
        elif symbol:
            line = exact_line(facts, line, [symbol.rpartition(".")[2]])
        spot = Spot(path, line, facts.line_text(line))
        return Use(module, spot, facts.column_of(line), symbol, key, around)


def _line_with(facts: ModuleFacts, word: str) -> int:
    lines = facts.text.split("\n")
    return next((n for n, text in enumerate(lines, 1) if word in text), 1)


def _given(node: ir.Stmt, name: str) -> Sequence[ir.Expr]:
    """Return what a statement adds to what a module has under a name: items of a list one by one."""
    if isinstance(node, (ir.Assign, ir.AnnAssign, ir.AugAssign)) and node.value is not None:
        return _items(node.value) if walk.assigns(node, name) else ()
    if isinstance(node, ir.ExprStmt) and isinstance(node.value, ir.Call) and node.value.args:
        given = node.value.args[0].value
        called = walk.dotted_name(node.value.func)
        if called == f"{name}.append":
            return (given,)
        return _items(given) if called == f"{name}.extend" else ()
    return ()


def _items(value: ir.Expr) -> Sequence[ir.Expr]:
    """Return the items of a list, also of one that is made of another by leaving some out."""
    if isinstance(value, ir.Comprehension) and len(value.clauses) == 1:
        clause = value.clauses[0]
        kept = value.element, clause.target
        if all(isinstance(n, ir.Name) for n in kept) and len(set(walk.names_in(kept))) == 1:
            return _items(clause.iter)
    return value.items if isinstance(value, ir.Sequence) else (value,)
