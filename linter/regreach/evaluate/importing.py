"""CPython's import statement (``import``, ``from``, ``*``, relative, PEP 420, PEP 562) on the abstract machine."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

from regreach.evaluate.binding import bind
from regreach.evaluate.dispatch import run_block
from regreach.evaluate.frames import Abrupt, Frame, Place
from regreach.evaluate.machine import Machine
from regreach.evaluate.module_attributes import (
    all_names,
    cell,
    external_attribute,
    getattr_hook,
    missing_attribute,
    module_attribute,
)
from regreach.evaluate.replay import EXECUTING
from regreach.evaluate.values import (
    LATER,
    MISSING,
    OPEN,
    TRUE,
    UNKNOWN,
    Deferred,
    External,
    Finished,
    Module,
    Raised,
    Value,
    Waiting,
    cell_of,
    may_be_missing,
    names_in,
    without_missing,
)
from regreach.facts import ir
from regreach.facts.source import UNKNOWN_KIND, SourceError


def import_statement(machine: Machine, frame: Frame, node: ir.Import | ir.ImportFrom) -> None:
    """Run ``import a.b, c as d``, ``from module import names`` or ``from module import *``."""
    for name, value in _imported(machine, frame, node):
        bind(machine, frame, name, value)


def absolute_name(machine: Machine, frame: Frame, module: str | None, level: int) -> str:
    """Return the absolute name that a ``from`` statement in this frame's module asks for."""
    package = frame.module.name
    if level and not machine.sources.is_package(package):
        package = package.rpartition(".")[0]
    return relative_name(machine, frame, package, module or "", level)


def relative_name(machine: Machine, frame: Frame, package: str, name: str, level: int) -> str:
    """Return the absolute name of a name with so many dots before it, as seen from a package."""
    if level == 0:
        return name
    bits = package.rsplit(".", level - 1)
    if len(bits) < level or not package:
        raise machine.error(
            frame, "ImportError", "attempted relative import beyond top-level package"
        )
    return f"{bits[0]}.{name}" if name else bits[0]


def import_module(machine: Machine, frame: Frame, dotted: str) -> Value:
    """Import a dotted name with its parents, as ``importlib.import_module``; return the last module.

    Raises Abrupt with ModuleNotFoundError, or what the module's body raises.
    """
    top = dotted.partition(".")[0]
    if top != machine.top_level:
        return import_external(machine, frame, dotted)
    if machine.is_finished:
        return _finished(machine, frame, dotted)
    parent = dotted.rpartition(".")[0]
    if parent and may_be_missing(machine.modules.cells.get(dotted, MISSING)):
        import_module(machine, frame, parent)
    return _ensure(machine, frame, dotted, parent)


def _finished(machine: Machine, frame: Frame, dotted: str) -> Value:
    module = machine.module_object(dotted)
    if module is None:
        raise machine.error(frame, "ModuleNotFoundError", f"No module named {dotted!r}")
    return module


def import_external(machine: Machine, frame: Frame, dotted: str) -> Value:
    """Import something outside the tree, as far as the world has it. Raises Abrupt where it has not."""
    top = dotted.partition(".")[0]
    world = machine.world
    path = ""
    for part in dotted.split("."):
        path = f"{path}.{part}" if path else part
        if path in world.absent or world.values.get(path) is MISSING:
            raise machine.error(frame, "ModuleNotFoundError", f"No module named {path!r}")
    # Third-party packages are taken to be installed, but where the tree itself is prepared to go on
    # without one of its own modules, the packages which that module needs may be the reason.
    if (
        not world.installed & {top, "*"}
        and top not in sys.stdlib_module_names
        and any(guard is not frame.module for guard in machine.import_guards)
        and not _is_imported(machine, top)
    ):
        missing = machine.error(frame, "ModuleNotFoundError", f"No module named {top!r}")

        def fail() -> Value:
            raise missing

        machine.maybe(frame, fail, machine.place(frame))
    if top not in machine.externals.cells:
        machine.heap.write(machine.externals, top, TRUE)
    return External(dotted)


def _is_imported(machine: Machine, top: str) -> bool:
    """Return whether a package has certainly been imported before: it is there, then."""
    machine.replay.read(machine.externals)
    return machine.externals.cells.get(top, MISSING) == TRUE


def _ensure(machine: Machine, frame: Frame, name: str, parent: str) -> Value:
    present = machine.modules.cells.get(name, MISSING)
    if present is not MISSING:
        machine.replay.asked_for(name, present)
    if not may_be_missing(present):
        return present
    if present is MISSING:
        return _load(machine, frame, name, parent)
    # loaded on some paths only: on the others it is loaded now
    found = without_missing(present)
    machine.fork(
        frame,
        lambda: _assume_loaded(machine, name, found),
        lambda: _assume_missing_then_load(machine, frame, name, parent),
        machine.place(frame),
    )
    return machine.modules.cells.get(name, found)


def _assume_loaded(machine: Machine, name: str, found: Value) -> Value:
    machine.heap.write(machine.modules, name, found)
    return found


def _assume_missing_then_load(machine: Machine, frame: Frame, name: str, parent: str) -> Value:
    machine.heap.write(machine.modules, name, MISSING)
    return _load(machine, frame, name, parent)


def _load(machine: Machine, frame: Frame, name: str, parent: str) -> Value:
    sources = machine.sources
    if not sources.has(name):
        if parent and not sources.is_package(parent):
            message = f"No module named {name!r}; {parent!r} is not a package"
        else:
            message = f"No module named {name!r}"
        raise machine.error(frame, "ModuleNotFoundError", message)
    place = machine.place(frame)
    return machine.replay.load(name, place, lambda: _run_load(machine, frame, name, parent))


def _run_load(machine: Machine, frame: Frame, name: str, parent: str) -> Value:
    sources = machine.sources
    heap = machine.heap
    module = machine.new_module(name)
    heap.write(machine.modules, name, module)
    is_package = sources.is_package(name)
    heap.write(module, LATER, machine.special_names(name, is_package))
    try:
        body = sources.body(name)
    except SourceError as error:
        if error.kind == UNKNOWN_KIND:  # what it does, and whether it can be imported, nobody knows
            machine.unread.add(name)
            heap.write(module, OPEN, UNKNOWN)
            return _bind_to_parent(machine, module, name, parent)
        heap.write(machine.modules, name, MISSING)
        raised = Raised(External(f"builtins.{error.kind}"), error.message, name, error.line)
        raise Abrupt("raise", raised) from None
    if body is None:
        if not sources.is_namespace(name):
            heap.write(module, OPEN, UNKNOWN)  # as an extension module, for one
    else:
        heap.write(module, EXECUTING, UNKNOWN)
        try:
            run_module(machine, module, body, frame)
        except Abrupt:
            heap.write(machine.modules, name, MISSING)
            raise
        heap.write(module, EXECUTING, MISSING)
    loaded = machine.modules.cells.get(name, module)  # a body may replace itself in sys.modules
    return _bind_to_parent(machine, loaded, name, parent)


def _bind_to_parent(machine: Machine, loaded: Value, name: str, parent: str) -> Value:
    owner = machine.module_object(parent) if parent else None
    if owner is not None:
        machine.heap.write(owner, name.rpartition(".")[2], loaded)
    return loaded


def run_module(machine: Machine, module: Module, body: ir.Body, importer: Frame) -> None:
    """Run a module's body; what may be raised there may be raised at the importer's line."""
    frame = Frame(module, module, context=machine.context(0, "module", module.name))
    ended: Abrupt | None = None
    with machine.running(frame), machine.module_level():
        try:
            run_margin(machine, frame, body)
        except Abrupt as abrupt:
            ended = abrupt.caught()
    for pending in frame.pendings:
        # Modules are taken to be importable where the tree itself means them to be: what may fail is
        # an import (of something optional), not a check of the machine that nobody here can decide.
        if pending.kind == "raise" and is_import_error(pending.value):
            pending.delta[machine.modules, module.name] = MISSING
            importer.pendings.append(pending)
    if ended is not None:
        raise ended


def run_margin(machine: Machine, frame: Frame, body: ir.Body) -> None:
    """Run the statements of a module.

    What imports bind is put with the names that wait, so that a module is few cells. These are not
    written before somebody may see them: another module that is loaded meanwhile, for one.
    """
    module = frame.module
    waiting = module.cells.get(LATER, MISSING)
    if not isinstance(waiting, Waiting):
        run_block(machine, frame, body)
        return
    written = waiting
    added: tuple[tuple[str, Value], ...]
    try:
        for node in body:
            frame.line = node.line
            if isinstance(node, ir.Later):
                added = tuple((n, Deferred(module.name, n, node.sure)) for n in node.names)
            elif isinstance(node, (ir.Import, ir.ImportFrom)):
                if _may_load(machine, frame, node):
                    if waiting is not written:
                        machine.heap.write(module, LATER, waiting)
                        written = waiting
                added = tuple(_imported(machine, frame, node))
            else:
                if waiting is not written:
                    machine.heap.write(module, LATER, waiting)
                run_block(machine, frame, (node,))
                written = waiting = _waiting_again(machine, module)
                continue
            machine.spend()
            for name, value in added:
                if name in module.cells:
                    machine.heap.write(module, name, value)
            waiting = machine.waiting(waiting, node, added)
    finally:
        if waiting is not written:
            machine.heap.write(module, LATER, waiting)


def _waiting_again(machine: Machine, module: Module) -> Waiting:
    """Return the names that wait after a statement; there may be none left where it has removed some."""
    waiting = module.cells[LATER]
    if isinstance(waiting, Waiting):
        return waiting
    values = {name: cell_of(module, name) for name in names_in(module)}
    for name, value in values.items():
        machine.heap.write(module, name, value)
    left = machine.special_names(module.name, machine.sources.is_package(module.name))
    machine.heap.write(module, LATER, left)
    return left


def _may_load(machine: Machine, frame: Frame, node: ir.Import | ir.ImportFrom) -> bool:
    """Return whether an import may run something, or find what the importing module has bound."""
    if isinstance(node, ir.Import):
        return any(
            dotted not in machine.modules.cells
            for dotted, _ in node.names
            if dotted.partition(".")[0] == machine.top_level
        )
    if not node.level and (node.module or "").partition(".")[0] != machine.top_level:
        return False
    dotted = absolute_name(machine, frame, node.module, node.level)
    loaded = machine.modules.cells.get(dotted, MISSING)
    if not isinstance(loaded, Module) or loaded is frame.module or not node.names:
        return True
    return machine.sources.is_package(dotted)


def _imported(
    machine: Machine, frame: Frame, node: ir.Import | ir.ImportFrom
) -> Iterator[tuple[str, Value]]:
    """Run an import; yield what it binds."""
    if isinstance(node, ir.Import):
        for dotted, alias in node.names:
            imported = import_module(machine, frame, dotted)
            first = dotted.partition(".")[0]
            if first == machine.top_level:  # it is gone again when its own body has failed
                import_module(machine, frame, first)
            if alias is None:
                yield first, _top(machine, first)
            else:
                yield alias, _walk(machine, frame, dotted, imported)
        return
    dotted = absolute_name(machine, frame, node.module, node.level)
    module = import_module(machine, frame, dotted)
    if not node.names:
        yield from _names_of_star(machine, frame, module)
        return
    load_listed(machine, frame, module, [name for name, _ in node.names])
    for name, alias in node.names:
        yield alias or name, _from_name(machine, frame, module, name)


def is_import_error(value: Value) -> bool:
    """Return whether a raised value is an ImportError or a ModuleNotFoundError."""
    return isinstance(value, Raised) and value.name in ("ImportError", "ModuleNotFoundError")


def _top(machine: Machine, first: str) -> Value:
    return machine.module_object(first) or External(first)


def _walk(machine: Machine, frame: Frame, dotted: str, imported: Value) -> Value:
    """``import a.b.c as d`` reads the attributes b and c, and falls back on sys.modules."""
    if not isinstance(imported, Module):
        return imported
    first, *rest = dotted.split(".")
    value: Value = _top(machine, first)
    for part in rest:
        if not isinstance(value, Module):
            return imported
        value = _from_name(machine, frame, value, part)
    return value


def load_listed(machine: Machine, frame: Frame, module: Value, names: Sequence[str]) -> None:
    """Load the submodules among the names that are imported from a package, before any is read.

    This is ``importlib._bootstrap._handle_fromlist``; it asks the package's ``__getattr__`` too.
    """
    if not isinstance(module, Module) or not machine.sources.is_package(module.name):
        return
    if isinstance(module, Finished):
        return
    for name in names:
        full = f"{module.name}.{name}"
        put_off = cell_of(module, name)
        if type(put_off) is Deferred and put_off.sure:
            continue
        present = cell(machine, module, name)
        if not may_be_missing(present):
            continue
        if present is not MISSING:
            if machine.sources.has(full):
                machine.maybe(
                    frame,
                    lambda full=full: import_module(machine, frame, full),  # type: ignore[misc]
                    machine.place(frame),
                )
        elif getattr_hook(machine, frame, module, name) is None and machine.sources.has(full):
            import_module(machine, frame, full)


def _from_name(machine: Machine, frame: Frame, module: Value, name: str) -> Value:
    if isinstance(module, External):
        return external_attribute(machine, frame, module, name, "ImportError")
    if not isinstance(module, Module):
        return UNKNOWN
    if frame.scope is frame.module:
        if isinstance(module, Finished):
            if not machine.import_guards:
                return Deferred(module.name, name, sure=True)
        else:
            put_off = cell_of(module, name)
            if type(put_off) is Deferred and put_off.sure:
                return put_off
    value = cell(machine, module, name)
    if value is not MISSING:
        return without_missing(value)
    hooked = getattr_hook(machine, frame, module, name)
    if hooked is not None:
        return hooked
    loaded = machine.module_object(f"{module.name}.{name}")
    if loaded is not None:
        return loaded
    if OPEN in module.cells:
        return UNKNOWN
    state = "partially initialized module " if EXECUTING in module.cells else ""
    hint = " (most likely due to a circular import)" if state else ""
    raise machine.error(
        frame, "ImportError", f"cannot import name {name!r} from {state}{module.name!r}{hint}"
    )


def _names_of_star(machine: Machine, frame: Frame, module: Value) -> Iterator[tuple[str, Value]]:
    heap = machine.heap
    if not isinstance(module, Module):
        heap.write(frame.scope, OPEN, UNKNOWN)
        machine.unresolved.setdefault(machine.place(frame), "star import from outside the tree")
        return
    if isinstance(module, Finished):
        return  # its names are found when they are asked for
    names = all_names(machine, module)
    if names is None:
        if cell_of(module, "__all__") is not MISSING:
            heap.write(frame.scope, OPEN, UNKNOWN)
        names = [name for name in names_in(module) if not name.startswith("_")]
        for child in machine.sources.children(module.name):
            machine.replay.asked_for(child, machine.modules.cells.get(child, MISSING))
    else:
        load_listed(machine, frame, module, names)
    if OPEN in module.cells:
        heap.write(frame.scope, OPEN, UNKNOWN)
    for name in names:
        value = cell_of(module, name)
        if type(value) is Deferred and not value.sure:
            value = machine.known(value)
            if value is MISSING:
                continue
        if value is MISSING:
            value = module_attribute(machine, frame, module, name)
        if value is MISSING:
            raise missing_attribute(machine, frame, module, name)
        yield name, value


def loaded_modules(machine: Machine) -> dict[str, bool]:
    """Return the modules of the tree that are loaded, in order; the value is False for *maybe*."""
    return {
        name: not may_be_missing(value)
        for name, value in machine.modules.cells.items()
        if isinstance(name, str)
    }


def reasons_of(machine: Machine, name: str) -> tuple[Place, ...]:
    """Return the branches on which it depends whether a module is loaded."""
    return machine.reasons.get((machine.modules, name), ())
