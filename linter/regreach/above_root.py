"""Imports that begin above the import root: ``from src.package import …``, written from the repository's root.

There, and only there, the name can be imported, and what it gives is a second module beside the one that
everybody else imports: with registries of its own if it holds one, and its registrations made once more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from regreach.facts import ir, walk
from regreach.facts.parse import ModuleFacts
from regreach.graph import dynamic_targets, from_targets, kind_of
from regreach.model import ImportAboveRoot, Spot
from regreach.pack import Pack
from regreach.program import Program
from regreach.supply.scans import matches
from regreach.tree.modules import is_importable


def imports_above_root(program: Program, pack: Pack) -> tuple[ImportAboveRoot, ...]:
    """Return the imports whose name begins with a folder that the package may lie in, sorted by place.

    In every file of the tree, tests included: that the tests import a module of their own is the fault. Those
    under ``if TYPE_CHECKING:`` load nothing. Only files whose bytes have such a name are parsed.
    """
    folders = _folders(pack)
    if not folders:
        return ()
    package = pack.location.name
    name = re.compile(
        rf"\b(?:{'|'.join(map(re.escape, folders))})"
        rf"(?:\.|[ \t]+import\b(?:[^\n(]|\\\n)*(?:\([^)]*)?\b){re.escape(package)}\b"
    )
    # what most files do not have, before what takes longer to look for
    words = [f".{package}", *(f"{folder} import" for folder in folders)]
    asked = matches(name.pattern.encode())
    found: list[ImportAboveRoot] = []
    for module in program.mentioning(*(word.encode() for word in words)):
        facts = program.readable_facts(module) if program.ask(module, asked) else None
        if facts is not None:
            found += _imports_in(program, pack, module, facts, folders)
    return tuple(sorted(found, key=lambda each: (each.spot.path, each.spot.line, each.written)))


def _folders(pack: Pack) -> list[str]:
    """Return the folders in which the package may lie, as an import names them."""
    roots = (root.strip("/").split("/") for root in pack.location.roots)
    return [".".join(parts) for parts in roots if all(map(is_importable, parts))]


def _imports_in(
    program: Program, pack: Pack, module: str, facts: ModuleFacts, folders: list[str]
) -> Iterator[ImportAboveRoot]:
    path = program.path(module)
    assert path is not None, "its facts were read of a file"
    name = re.escape(pack.location.name)
    above = re.compile(rf"^(?:{'|'.join(map(re.escape, folders))})\.(?={name}(?:\.|$))")
    bound = walk.bindings_of_imports(facts, "import_module")
    for node, around in walk.statements(facts, *folders):
        if kind_of(around, dynamic=False) == "type-checking":
            continue
        for written, wanted, binds in _named_by(node, bound, above):
            inside = above.sub("", written)
            loaded = {m for m, _ in from_targets(program, module, 0, inside, wanted)} | {inside}
            yield ImportAboveRoot(
                Spot(path, node.line, facts.statement_text(node.line)),
                facts.column_of(node.line),
                module,
                around.scope,
                written,
                inside,
                binds,
                tuple(_registries(pack, loaded)),
            )


def _named_by(
    node: ir.Stmt, bound: Mapping[str, str], above: re.Pattern[str]
) -> Iterator[tuple[str, tuple[str, ...], str]]:
    """Yield the modules above the root that a statement names, what it asks of each, and a name that it binds.

    Only a name that it would not bind if it began at the root: ``src`` by ``import src.package``.
    """
    if isinstance(node, ir.Import):
        names = [(dotted, alias) for dotted, alias in node.names if above.match(dotted)]
        lost = next((dotted.partition(".")[0] for dotted, alias in names if not alias), "")
        for dotted, _ in names:
            yield dotted, ("",), lost
    elif isinstance(node, ir.ImportFrom) and not node.level and node.module:
        if above.match(node.module):
            yield node.module, tuple(name for name, _ in node.names), ""
            return
        for name, alias in node.names:
            dotted = f"{node.module}.{name}"
            if above.match(dotted):
                yield dotted, ("",), alias or name
    else:
        for dotted in dynamic_targets(node, bound):
            if above.match(dotted):
                yield dotted, ("",), ""


def _registries(pack: Pack, modules: set[str]) -> Iterator[str]:
    """Yield the registries that stand in these modules, or in packages that are loaded with them."""
    for registry in pack.registries:
        home = registry.container.partition(":")[0]
        if any(f"{module}.".startswith(f"{home}.") for module in modules):
            yield registry.id
