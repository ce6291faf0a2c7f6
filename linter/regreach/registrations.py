"""Find every use of a registrar in a tree, whoever imports it and whatever guards it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from regreach.facts import ir, walk
from regreach.facts.parse import ModuleFacts
from regreach.guards import guard_spots
from regreach.model import Spot
from regreach.pack import Registry
from regreach.program import Program


@dataclass(frozen=True, slots=True)
class Use:
    """A use of a registrar as written: ``key`` holds the expressions of the key's parts.

    ``guards`` are the headers of the conditions around it, the outermost first.
    """

    module: str
    spot: Spot
    column: int
    symbol: str
    key: tuple[ir.Expr, ...]
    guards: tuple[Spot, ...]


def split_path(path: str) -> tuple[str, str]:
    """Return module and qualified name of a pack's ``module:Class.name``."""
    module, _, name = path.partition(":")
    return module, name


def last_name(path: str) -> str:
    """Return the last part of a pack's ``module:Class.name``, or of a name: the word by which it is called."""
    return path.rpartition(":")[2].rpartition(".")[2]


def find_uses(program: Program, registry: Registry) -> list[Use]:
    """Return the uses of a registry's registrars in the whole tree, sorted by place."""
    names = {last_name(path) for path in registry.registrars}
    uses: list[Use] = []
    for module in program.mentioning(*(n.encode() for n in sorted(names))):
        facts = program.readable_facts(module)
        if facts is not None:
            uses.extend(_uses_in(program, module, facts, registry))
    return sorted(uses, key=lambda u: (u.spot.path, u.spot.line))


def _uses_in(
    program: Program, module: str, facts: ModuleFacts, registry: Registry
) -> Iterator[Use]:
    path = program.path(module)
    assert path is not None
    registrars = [split_path(r) for r in registry.registrars]
    words = [name.rpartition(".")[2] for _, name in registrars]
    imported = walk.bindings_of_imports(facts, *words)
    own = {name for home, name in registrars if home == module}
    names = _key_parameters(program, registry)
    for node, around in walk.statements(facts, *words):
        if any(around.scope == name or around.scope.startswith(name + ".") for name in own):
            continue  # the registrar's own body
        symbol = node.name if isinstance(node, (ir.FunctionDef, ir.ClassDef)) else ""
        decorators = node.decorators if isinstance(node, (ir.FunctionDef, ir.ClassDef)) else ()
        for decorator in decorators:
            value = decorator.value
            if isinstance(value, ir.Call) and _names_registrar(
                value.func, imported, registrars, module
            ):
                line, guards = decorator.line, guard_spots(facts, path, around)
                yield _use(facts, module, path, line, symbol, value, names, guards)
        if decorators:
            continue
        for call in walk.calls(node):
            if _names_registrar(call.func, imported, registrars, module):
                line = exact_line(facts, call.line, words)
                symbol, guards = _registered_name(node, call), guard_spots(facts, path, around)
                yield _use(facts, module, path, line, symbol, call, names, guards)


def _use(
    facts: ModuleFacts,
    module: str,
    path: str,
    line: int,
    symbol: str,
    call: ir.Call,
    names: list[str],
    guards: tuple[Spot, ...],
) -> Use:
    given = dict(
        zip(names, (a.value for a in call.args if not a.keyword and not a.star), strict=False)
    )
    given.update({a.keyword: a.value for a in call.args if a.keyword in names})
    parts = [given.get(name, ir.Opaque(())) for name in names]
    spot = Spot(path, line, facts.line_text(line))
    return Use(module, spot, facts.column_of(line), symbol, tuple(parts), guards)


def _key_parameters(program: Program, registry: Registry) -> list[str]:
    """Return the names of the registrars' parameters that make the key: the first ones of the first registrar."""
    count = len(registry.key)
    for path in registry.registrars:
        home, name = split_path(path)
        facts = program.readable_facts(home) if program.has(home) else None
        if facts is None:
            continue
        for node, around in walk.statements(facts):
            if (
                isinstance(node, ir.FunctionDef)
                and around.within(node.name, function=True).scope == name
            ):
                names = [p.name for p in facts.params_of(node) if p.name not in ("self", "cls")]
                return names[:count]
    return [f"argument {i + 1}" for i in range(count)]


def _names_registrar(
    func: ir.Expr, imported: dict[str, str], registrars: list[tuple[str, str]], module: str
) -> bool:
    """Return whether an expression stands for a registrar, by its name and what the imports bind."""
    dotted = walk.dotted_name(func)
    if dotted is None:
        return False
    first, _, rest = dotted.partition(".")
    origin = imported.get(first)
    for home, name in registrars:
        if origin is not None:
            full = f"{origin}.{rest}" if rest else origin
            if full.endswith("." + name) or full == name:
                return True
        elif dotted == name and (module == home or not imported.get(first)):
            # defined in this module, or taken in by a star import
            return True
    return False


def _registered_name(node: ir.Stmt, call: ir.Call) -> str:
    """Return the name of what a registrar that is called as a function registers."""
    if isinstance(node, ir.ExprStmt) and isinstance(node.value, ir.Call):
        outer = node.value
        arg = outer.args[-1].value if outer.args else None
        if arg is not None and (outer.func is call or outer is call):
            return walk.dotted_name(arg) or ""
    return ""


def exact_line(facts: ModuleFacts, line: int, names: Iterable[str]) -> int:
    """Return the line on which a call that stands in the statement at ``line`` names its function."""
    pattern = re.compile("|".join(rf"\b{re.escape(n)}\b" for n in names))
    end = facts.end_of_statement(line)
    lines = facts.text.split("\n")[line - 1 : end]
    for offset, text in enumerate(lines):
        if pattern.search(text.partition("#")[0]):
            return line + offset
    return line
