"""Functions: what ``def`` and ``lambda`` make, and what is parsed of them when it is asked for."""

from __future__ import annotations

from regreach.evaluate.dispatch import evaluate
from regreach.evaluate.frames import Frame
from regreach.evaluate.machine import Machine
from regreach.evaluate.values import Class, Function, Scope
from regreach.facts import ir


def make_function(machine: Machine, frame: Frame, node: ir.FunctionDef) -> Function:
    """Create the function object of a ``def`` statement; its defaults are evaluated now."""
    function = _new_function(machine, frame, node, node.name)
    for param in node.params or ():
        if param.default is not None:
            function.defaults[param.name] = evaluate(machine, frame, param.default)
    return function


def make_lambda(machine: Machine, frame: Frame, node: ir.Lambda) -> Function:
    """Create the function object of a ``lambda``."""
    function = _new_function(machine, frame, node, "<lambda>")
    for param in node.params:
        if param.default is not None:
            function.defaults[param.name] = evaluate(machine, frame, param.default)
    return function


def _new_function(
    machine: Machine, frame: Frame, node: ir.FunctionDef | ir.Lambda, name: str
) -> Function:
    in_class = isinstance(frame.scope, Scope) and "<class>" in frame.scope.cells
    enclosing = frame.enclosing
    if isinstance(frame.scope, Scope) and not in_class:
        enclosing = (*enclosing, frame.scope)
    prefix = ""
    if in_class:
        owner = frame.scope.cells["<class>"]
        prefix = owner.qualname + "." if isinstance(owner, Class) else ""
    elif frame.function is not None:
        prefix = f"{frame.function.qualname}.<locals>."

    def make() -> Function:
        return Function(node, frame.module, prefix + name, enclosing)

    function = machine.allocate(make, frame, "function", id(node))
    assert isinstance(function, Function)
    if in_class:
        owner = frame.scope.cells["<class>"]
        function.owner = owner if isinstance(owner, Class) else None
    elif frame.function is not None:
        function.owner = frame.function.owner
    return function


def parameters(machine: Machine, function: Function) -> tuple[ir.Param, ...]:
    """Return the parameters of a function, parsed now if need be."""
    definition = function.definition
    if definition.params is not None:
        return definition.params
    facts = machine.sources.facts(function.module.name)
    assert facts is not None, "a function of a module without source"
    return facts.params_of(definition)


def body_of(machine: Machine, module: str, definition: ir.FunctionDef) -> ir.Body:
    """Return the statements of a function, parsed now if need be."""
    facts = machine.sources.facts(module)
    assert facts is not None, "a function of a module without source"
    return facts.body_of(definition)
