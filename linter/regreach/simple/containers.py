"""What fills a dict that is a registry, as written: its literal, updates and items set, guarded or not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from regreach.facts import ir, walk
from regreach.facts.names import bound_names
from regreach.facts.parse import ModuleFacts
from regreach.model import Spot
from regreach.program import Program
from regreach.registrations import split_path
from regreach.simple.origins import Origins
from regreach.simple.uses import Use

_Test = Callable[[ir.Expr], bool]


@dataclass(frozen=True, slots=True)
class Merged:
    """Another dict whose entries a container takes over: ``{**other}`` or ``update(other)``."""

    module: str
    value: ir.Expr
    spot: Spot


def filled_in(
    program: Program, origins: Origins, module: str, container: str, target: str = ""
) -> Iterator[Use | Merged]:
    """Yield what fills a container (``module:NAME``) in a module, in the order of its statements.

    What stands in functions counts only where the key is a literal, unless the container is a variable of
    that function (``module:function.name``). Where a loop over a list or dict gives the key, its texts are the
    keys. A container may be an enum, whose members are entries.
    ``target`` is the template of what an entry leads to.
    """
    facts, path = program.readable_facts(module), program.path(module)
    if facts is None or path is None:
        return
    home, name = split_path(container)
    word = name.rpartition(".")[2]
    local = walk.bindings_of_imports(facts, word)

    def is_container(node: ir.Expr) -> bool:
        dotted = walk.dotted_name(node)
        return dotted is not None and origins.of(module, dotted, local) == container

    owner = name.rpartition(".")[0]
    loops: dict[int, ir.For] = {}
    for node, around in walk.statements(facts, word):
        if isinstance(node, ir.For):
            loops[node.line] = node
        inside = module == home and bool(owner) and around.scope == owner
        if module == home and around.in_function and not inside:
            continue  # the registry's own functions
        if isinstance(node, ir.ClassDef):
            if module == home and around.within(node.name, function=False).scope == name:
                yield from _members(module, facts, path, node, around, target)
            continue
        is_table = isinstance(getattr(node, "value", None), ir.Dict)
        seen: Counter[object] = Counter()
        for key, value in _entries(node, (lambda n: _is_name(n, word)) if inside else is_container):
            literal = key.value if isinstance(key, ir.Const) else None
            spot, column = _spot(facts, path, node.line, literal, seen[literal])
            seen[literal] += 1
            if key is None:
                yield Merged(module, value, spot)
            elif isinstance(key, ir.Const) or inside or not around.in_function:
                symbol = walk.dotted_name(value) or ""
                parts = _parts(key, value) if target else {}
                table = node.line if is_table else 0
                dotted = _looped_over(key, around, loops)
                listed = ""
                if dotted:
                    names = walk.bindings_of_imports(facts, dotted.partition(".")[0])
                    listed = origins.of(module, dotted, names)
                yield Use(
                    module, spot, column, symbol, key, around, None, target, parts, table, listed
                )


def _looped_over(key: ir.Expr, around: walk.Surroundings, loops: dict[int, ir.For]) -> str:
    """Return the name of what a loop goes through whose variable is a key; empty for any other key."""
    line = next((g.line for g in reversed(around.guards) if g.kind in ("for", "while")), 0)
    loop = loops.get(line)
    if loop is None or not isinstance(key, ir.Name) or not _is_name(loop.target, key.id):
        return ""
    if key.id in bound_names(loop.body):
        return ""  # it stands for something else by then
    return walk.dotted_name(loop.iter) or ""


def _parts(key: ir.Expr, value: ir.Expr) -> dict[str, ir.Expr]:
    """Return what a target is filled with: a value itself, its items by their numbers, and its key."""
    items = value.items if isinstance(value, ir.Sequence) else ()
    return {"": value, "key": key, **{str(number): item for number, item in enumerate(items)}}


def _members(
    module: str,
    facts: ModuleFacts,
    path: str,
    node: ir.ClassDef,
    around: walk.Surroundings,
    target: str,
) -> Iterator[Use]:
    """Yield the members of an enum; nothing for another class."""
    bases = (walk.dotted_name(arg.value) or "" for arg in node.args)
    if not any(base.rpartition(".")[2].endswith(("Enum", "Flag")) for base in bases):
        return
    inner = around.within(node.name, function=False)
    for statement in node.body:
        for name in statement.targets if isinstance(statement, ir.Assign) else ():
            if isinstance(name, ir.Name) and not name.id.startswith("_"):
                assert isinstance(statement, ir.Assign), "it has targets"
                line = statement.line
                spot, column = Spot(path, line, facts.line_text(line)), facts.column_of(line)
                key = ir.Const(name.id)
                parts = _parts(key, statement.value) if target else {}
                yield Use(module, spot, column, name.id, key, inner, None, target, parts)


def _is_name(node: ir.Expr, name: str) -> bool:
    return isinstance(node, ir.Name) and node.id == name


def _entries(node: ir.Stmt, is_container: _Test) -> Iterator[tuple[ir.Expr | None, ir.Expr]]:
    if isinstance(node, ir.Assign):
        for target in node.targets:
            if isinstance(target, ir.Subscript) and is_container(target.value):
                yield target.index, node.value
            elif isinstance(target, ir.Name) and is_container(target):
                yield from _of_value(node.value)
    elif isinstance(node, (ir.AnnAssign, ir.AugAssign)):
        if node.value is not None and is_container(node.target):
            yield from _of_value(node.value)
    elif isinstance(node, ir.ExprStmt) and isinstance(node.value, ir.Call):
        func = node.value.func
        if isinstance(func, ir.Attribute) and func.attr in ("update", "setdefault"):
            if is_container(func.value):
                yield from _of_call(node.value, func.attr)


def _of_call(call: ir.Call, method: str) -> Iterator[tuple[ir.Expr | None, ir.Expr]]:
    if method == "setdefault":
        if call.args:
            yield call.args[0].value, call.args[-1].value
        return
    for arg in call.args:
        if arg.keyword is not None:
            yield ir.Const(arg.keyword), arg.value
        else:
            yield from _of_value(arg.value)


def _of_value(node: ir.Expr) -> Iterator[tuple[ir.Expr | None, ir.Expr]]:
    if isinstance(node, ir.Dict):
        for key, value in node.items:
            if key is None:
                yield from _of_value(value)
            else:
                yield key, value
    else:
        yield None, node


def _spot(facts: ModuleFacts, path: str, line: int, key: object, before: int) -> tuple[Spot, int]:
    """Return where a key that is a literal stands in the statement that begins on a line.

    ``before`` says how often it stood there before.
    """
    wanted = [f'"{key}"', f"'{key}'"] if key is not None else []
    for number in range(line, facts.end_of_statement(line) + 1):
        text = facts.line_text(number)
        if any(text.startswith(word) or f" {word}" in f" {text}" for word in wanted):
            line = number
            if not before:
                break
            before -= 1
    return Spot(path, line, facts.line_text(line)), facts.column_of(line)
