"""The way from a tree to what was discovered in it."""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Sequence

from regreach.discover.candidates import STORES, Candidates, scan
from regreach.discover.containers import Container, instance_class
from regreach.discover.definitions import Definition, definitions, is_named
from regreach.discover.direct import direct_entries
from regreach.discover.foreign import ForeignRegistries
from regreach.discover.found import Discovery, FoundRegistrar, FoundRegistry, Place
from regreach.discover.importing import Importing
from regreach.discover.names import Names, bound_by, level
from regreach.discover.reads import Reads
from regreach.discover.registrars import Registrars
from regreach.discover.selecting import forms_of, registrar_key, registries
from regreach.discover.tables import tables_of
from regreach.discover.uses import Filled, Uses
from regreach.evaluate.session import with_deep_stack
from regreach.facts import ir, walk
from regreach.model import Spot
from regreach.program import Program

IGNORED = (
    *("*/test/*", "*/tests/*", "*/testing/*", "*/test_*.py", "*/*_test.py", "*/conftest.py"),
    *("*/benchmark/*", "*/benchmarks/*", "*/examples/*"),
)
"""Paths of which nothing counts: what tests register is theirs."""


def discover(program: Program, say: Callable[[str], None] = lambda _: None) -> Discovery:
    """Return the registries of a tree, most interesting first. Nothing of it is executed."""
    tree = program.tree
    modules = [m for m in tree.modules if not _is_ignored(program.path(m))]
    say(f"scanning {len(modules)} modules")
    candidates = scan(program, modules)
    say(f"parsing {len(candidates.storing)} modules that may fill a container")
    program.prefetch(candidates.storing)  # before there is a thread: it starts processes
    return with_deep_stack(lambda: _discover(program, modules, candidates, say))


def _discover(
    program: Program, modules: list[str], candidates: Candidates, say: Callable[[str], None]
) -> Discovery:
    tree = program.tree
    names = Names(program)
    registrars = Registrars(names)
    for module in candidates.storing:
        facts = program.readable_facts(module)
        if facts is None:
            continue
        filling = set(facts.slices_with(STORES))
        for definition in definitions(module, facts):
            chosen = definition.node.slice is None or definition.node.slice in filling
            if chosen or is_named(definition.name):
                registrars.learn(definition, direct_entries(names, definition, facts))
    say("looking for registrations")
    uses = Uses(registrars, candidates, modules)
    uses.find()
    groups = registries(uses.filled.values())
    say("looking for reads and importers")
    reads, importing = Reads(uses), Importing(program, uses.modules, uses.words)
    found = [_registry(group, uses, reads, importing) for group in groups]
    for each in ForeignRegistries(uses, reads).find():
        each.modules = importing.registering(each.registrations)
        found.append(each)
    say("looking for tables")
    taken = {c for r in found for c in (r.container.path, *r.also)}
    tables = [t for t in tables_of(uses, reads) if t.container.path not in taken]
    return Discovery(
        tree.source,
        tree.root,
        tree.package,
        tree.import_root,
        len(tree.modules),
        len(program.parsed()),
        tuple(sorted(found, key=interest)),
        tuple(sorted(tables, key=interest)),
        tuple(sorted(f"{path}: {error.told}" for path, error in program.broken.items())),
    )


def _is_ignored(path: str | None) -> bool:
    return path is not None and any(fnmatch.fnmatch(f"/{path}", each) for each in IGNORED)


def _registry(
    group: Sequence[Filled], uses: Uses, reads: Reads, importing: Importing
) -> FoundRegistry:
    main = group[0]
    names = uses.names
    paths = sorted({path for each in group for path in each.registrars})
    registrations = sorted(
        set(main.registrations),
        key=lambda r: (r.spot.path, r.spot.line, repr(r.key)),
    )
    found = FoundRegistry(
        Place(main.container.path, container_spot(names, main.container)),
        "container",
        holds(names, main.container),
        also=[each.container.path for each in group[1:]],
        registrations=registrations,
    )
    for path in paths:
        home = next(each for each in group if path in each.registrars)
        definition = home.registrars[path][0].definition
        facts, file = (
            names.program.readable_facts(definition.module),
            names.program.path(definition.module),
        )
        assert facts is not None, "it was read"
        assert file is not None, "it was read"
        spot = Spot(file, definition.node.line, facts.line_text(definition.node.line))
        found.registrars.append(
            FoundRegistrar(
                Place(path, spot),
                _called(home.container, definition),
                forms_of(group, path),
                registrar_key(home, path),
            )
        )
        if "loop" in forms_of(group, path):
            found.scans.append(Place(path, spot))
    read = [r for each in group for r in reads.of(each.container, paths)]
    found.reads = list({(r.place.spot.path, r.place.spot.line): r.place for r in read}.values())
    found.lookups = sorted({r.definition.path for r in read if r.definition is not None})
    found.consumers = reads.consumers(read, paths)
    found.modules = importing.registering(found.registrations)
    return found


def _called(container: Container, definition: Definition) -> str:
    """Return the path by which a registrar is reached: of what an object has, through the object."""
    if container.attr is None or definition.owner is None:
        return definition.path
    return f"{container.module}:{container.name}.{definition.node.name}"


def container_spot(names: Names, container: Container) -> Spot:
    """Return where a container, or the object that has it, is bound."""
    program = names.program
    facts, path = program.readable_facts(container.module), program.path(container.module)
    assert facts is not None, "it was read"
    assert path is not None, "it was read"
    first, *rest = container.name.split(".")
    body = facts.body
    line = 1
    for name in (first, *rest):
        node = next((n for n in level(body) if name in bound_by(n)), None)
        if node is None:
            break
        line = node.line
        body = node.body if isinstance(node, ir.ClassDef) else ()
    return Spot(path, line, facts.line_text(line))


def holds(names: Names, container: Container) -> str:
    """Return what a container is, in a word: dict, list, set, or the class of the object that has it."""
    if container.attr is not None:
        target = names.resolve(container.module, container.name)
        cls = instance_class(names, target) if target is not None else None
        return cls.name if cls is not None else "object"
    target = names.resolve(container.module, container.name)
    value: ir.Expr | None = None
    if target is not None and isinstance(target.node, (ir.Assign, ir.AnnAssign)):
        value = target.node.value
    elif target is not None and target.kind == "class" and target.rest:
        cls = names.class_of(type(target)("class", target.module, target.name, (), target.node))
        member = names.member(cls, target.rest[-1]) if cls is not None else None
        node = member[1] if member is not None else None
        value = node.value if isinstance(node, (ir.Assign, ir.AnnAssign)) else None
    if isinstance(value, ir.Dict):
        return "dict"
    if isinstance(value, (ir.Sequence, ir.Comprehension)):
        return value.kind
    if isinstance(value, ir.Call):
        return (walk.dotted_name(value.func) or "object").rpartition(".")[2]
    return "object"


def interest(found: FoundRegistry) -> tuple[int, int, int, str]:
    """Order registries: spread over modules that somebody must import comes before what cannot go wrong."""
    outside = found.outside
    unsure = [m for m in outside if m.imported in ("lazy", "nobody", "name")]
    group = 0 if unsure else 1 if len(outside) > 1 else 2 if outside or found.scans else 3
    if not found.registrations and not found.scans:
        group = 4
    return (group, -len(unsure), -len(outside), found.container.path)
