"""Expressions on the abstract machine, and the three-valued truth of conditions."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from regreach.evaluate.ancestry import class_mro, look_up_in_class
from regreach.evaluate.dispatch import EVALUATE, evaluate
from regreach.evaluate.frames import Abrupt, Frame
from regreach.evaluate.importing import (
    bind,
    external_attribute,
    missing_attribute,
    module_attribute,
)
from regreach.evaluate.iteration import items_of, iterate
from regreach.evaluate.machine import Machine
from regreach.evaluate.values import (
    FALSE,
    MISSING,
    NONE,
    OPEN,
    SOMETHING,
    TRUE,
    UNKNOWN,
    Bound,
    Builtin,
    Class,
    Const,
    Descriptor,
    Dict,
    External,
    Function,
    Instance,
    Listing,
    Module,
    Partial,
    Raised,
    Scope,
    Tuple,
    Union,
    Value,
    alternatives,
    may_be_missing,
    union,
    without_missing,
)
from regreach.facts import ir
from regreach.facts.walk import dotted_name

_MAX_TEXT = 10_000  # a constant longer than this is not computed further


def _const(_: Machine, __: Frame, node: ir.Const) -> Value:
    return Const(node.value)


def _name(machine: Machine, frame: Frame, node: ir.Name) -> Value:
    return look_up_name(machine, frame, node.id)


def look_up_name(machine: Machine, frame: Frame, name: str) -> Value:
    """Return what a name stands for in a frame; raises Abrupt(NameError) when it is bound nowhere.

    A name that only some paths bind is taken to be bound: whoever wrote it knows which path this is.
    """
    from regreach.evaluate.library import BUILTINS

    if name not in frame.global_names:
        value = frame.scope.cells.get(name, MISSING)
        if value is not MISSING:
            return without_missing(value)
        if name in machine.local_names(frame):
            raise machine.unbound_local(frame, name)
        for scope in reversed(frame.enclosing):
            value = scope.cells.get(name, MISSING)
            if value is not MISSING:
                return without_missing(value)
    value = frame.module.cells.get(name, MISSING)
    if value is not MISSING:
        return without_missing(value)
    builtin = BUILTINS.get(name)
    if builtin is not None:
        return builtin
    scopes = (frame.module, frame.scope, *frame.enclosing)
    if name.startswith("__") or any(OPEN in scope.cells for scope in scopes):
        return UNKNOWN
    raise machine.error(frame, "NameError", f"name {name!r} is not defined")


def _attribute(machine: Machine, frame: Frame, node: ir.Attribute) -> Value:
    owner = evaluate(machine, frame, node.value)
    value = get_attribute(machine, frame, owner, node.attr)
    if value is not MISSING:
        return value
    raise _no_attribute(machine, frame, owner, node.attr)


def _no_attribute(machine: Machine, frame: Frame, owner: Value, name: str) -> Abrupt:
    """Return the AttributeError of a value that has no such attribute."""
    owner = next(v for v in alternatives(owner) if v is not MISSING)
    if isinstance(owner, Module):
        return missing_attribute(machine, frame, owner, name)
    if isinstance(owner, Class):
        what = f"type object {owner.qualname.rpartition('.')[2]!r}"
    elif isinstance(owner, Instance):
        what = f"{owner.cls.qualname.rpartition('.')[2]!r} object"
    else:
        what = f"{type(_example(owner)).__name__!r} object"
    return machine.error(frame, "AttributeError", f"{what} has no attribute {name!r}")


def get_attribute(machine: Machine, frame: Frame, owner: Value, name: str) -> Value:
    """Return an attribute; MISSING when it certainly has none, UNKNOWN when that is not known."""
    from regreach.evaluate.library import method_of

    if isinstance(owner, Union):
        found = [get_attribute(machine, frame, o, name) for o in owner.values if o is not MISSING]
        bound = [f for f in found if f is not MISSING]
        return union(bound) if bound else MISSING
    if isinstance(owner, Module):
        return module_attribute(machine, frame, owner, name)
    if isinstance(owner, Instance):
        return _instance_attribute(machine, frame, owner, name)
    if isinstance(owner, Class):
        return _class_attribute(machine, frame, owner, name)
    if isinstance(owner, External):
        return external_attribute(machine, frame, owner, name)
    if isinstance(owner, Tuple) and name in owner.names:
        return owner.items[owner.names.index(name)]
    if isinstance(owner, Function):
        if name in ("__name__", "__qualname__"):
            part = owner.qualname if name == "__qualname__" else owner.qualname.rpartition(".")[2]
            return Const(part)
        return without_missing(owner.cells.get(name, UNKNOWN))
    example = _example(owner)
    if example is not MISSING and not hasattr(example, name):
        return MISSING
    return method_of(owner, name)


def _instance_attribute(machine: Machine, frame: Frame, owner: Instance, name: str) -> Value:
    if owner.member is None:
        machine.replay.read(owner)
    value = owner.cells.get(name, MISSING)
    if value is not MISSING:
        return without_missing(value)
    if name == "__class__":
        return owner.cls
    from regreach.evaluate.calls import call

    found = look_up_in_class(owner.cls, name)
    if found is MISSING:
        hook = look_up_in_class(owner.cls, "__getattr__")
        if isinstance(hook, Function):
            return call(machine, frame, hook, (owner, Const(name)), {}, site=("getattr", name))
        if owner.member is not None and name == "name":
            return Const(owner.member)
        if _is_special(name):
            machine.heap.write(owner, OPEN, UNKNOWN)  # `__dict__` may be written to
            return UNKNOWN
        return MISSING if OPEN not in owner.cells and _closed(owner.cls) else UNKNOWN
    return _bind_to(machine, frame, found, owner, owner.cls, name)


def _bind_to(
    machine: Machine, frame: Frame, found: Value, receiver: Value, cls: Class, name: str
) -> Value:
    from regreach.evaluate.calls import call

    if isinstance(found, Union):
        return union(
            _bind_to(machine, frame, v, receiver, cls, name)
            for v in found.values
            if v is not MISSING
        )
    if isinstance(found, Function):
        return Bound(found, receiver)
    if isinstance(found, Descriptor):
        if found.kind == "property":
            return call(machine, frame, found.function, (receiver,), {}, site=("property", name))
        if found.kind == "classmethod":
            return Bound(found.function, cls)
        return found.function
    if isinstance(found, Instance):
        getter = look_up_in_class(found.cls, "__get__")
        if isinstance(getter, Function):
            return call(machine, frame, getter, (found, receiver, cls), {}, site=("get", name))
    return found


def _closed(cls: Class) -> bool:
    """Return whether all ancestors of a class are known, so that a missing name is known to be missing."""
    return all(
        OPEN not in c.cells and "__getattribute__" not in c.cells
        if isinstance(c, Class)
        else c == External("builtins.object")
        for c in class_mro(cls)
    )


def _is_special(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def _class_attribute(machine: Machine, frame: Frame, owner: Class, name: str) -> Value:
    from regreach.evaluate.calls import call

    found = look_up_in_class(owner, name)
    if found is MISSING:
        if name in ("__name__", "__qualname__"):
            return Const(owner.qualname.rpartition(".")[2])
        if name == "__module__":
            return Const(owner.module.name)
        if owner.is_enum and name == "__members__":
            return UNKNOWN
        if name in ("__init__", "__new__", "__init_subclass__", "__setattr__", "__getattribute__"):
            return UNKNOWN
        return MISSING if _closed(owner) and not _is_special(name) else UNKNOWN
    if isinstance(found, Descriptor):
        if found.kind == "classmethod":
            return Bound(found.function, owner)
        if found.kind == "staticmethod":
            return found.function
        return UNKNOWN
    if isinstance(found, Instance) and found.member is None:
        getter = look_up_in_class(found.cls, "__get__")
        if isinstance(getter, Function):
            return call(machine, frame, getter, (found, NONE, owner), {}, site=("get", name))
    return without_missing(found)


def set_attribute(machine: Machine, frame: Frame, owner: Value, name: str, value: Value) -> None:
    """Run ``owner.name = value``."""
    targets = alternatives(owner)
    for target in targets:
        if isinstance(target, Instance):
            from regreach.evaluate.calls import call

            found = look_up_in_class(target.cls, name)
            if isinstance(found, Instance):
                setter = look_up_in_class(found.cls, "__set__")
                if isinstance(setter, Function):
                    call(machine, frame, setter, (found, target, value), {}, site=("set", name))
                    continue
        if isinstance(target, (Instance, Module, Class, Function)):
            if len(targets) > 1:
                machine.replay.read(target)
            present = target.cells.get(name, MISSING)
            new = value if len(targets) == 1 else union((present, value))
            machine.heap.write(target, name, new)


def _subscript(machine: Machine, frame: Frame, node: ir.Subscript) -> Value:
    owner = evaluate(machine, frame, node.value)
    key = evaluate(machine, frame, node.index)
    return get_item(machine, frame, owner, key)


def get_item(machine: Machine, frame: Frame, owner: Value, key: Value) -> Value:
    """Return ``owner[key]``; raises Abrupt(KeyError) when the key certainly is not there."""
    if isinstance(owner, Union):
        return union(get_item(machine, frame, o, key) for o in owner.values if o is not MISSING)
    if isinstance(owner, Dict):
        machine.replay.read(owner)
        value = dict_get(owner, key)
        if owner.factory is not None and may_be_missing(value):
            return _default_item(machine, frame, owner, key, value)
        if value is MISSING:
            raise machine.error(frame, "KeyError", text_of(key))
        if may_be_missing(value):

            def fail() -> Value:
                raise machine.error(frame, "KeyError", text_of(key))

            machine.maybe(frame, fail, machine.place(frame))
        return without_missing(value)
    if isinstance(owner, External):
        if owner.path == "os.environ":
            return _environ_item(machine, frame, key)
        if owner.path == "sys.modules":
            return _loaded_module(machine, frame, key)
        return External(f"{owner.path}[]")
    if isinstance(owner, Class):
        if owner.is_enum and isinstance(key, Const):
            return without_missing(owner.cells.get(key.value, UNKNOWN))
        return owner  # a generic alias
    if isinstance(owner, Instance):
        from regreach.evaluate.calls import call

        getter = look_up_in_class(owner.cls, "__getitem__")
        if isinstance(getter, Function):
            return call(machine, frame, getter, (owner, key), {}, site=("getitem",))
        return UNKNOWN
    items = items_of(machine, frame, owner)
    if items is not None and isinstance(key, Const) and isinstance(key.value, int):
        if -len(items) <= key.value < len(items):
            return items[key.value]
        raise machine.error(frame, "IndexError")
    return UNKNOWN


def _loaded_module(machine: Machine, frame: Frame, key: Value) -> Value:
    """Return ``sys.modules[key]``."""
    if not isinstance(key, Const) or not isinstance(key.value, str):
        return UNKNOWN
    value = machine.modules.cells.get(key.value, MISSING)
    machine.replay.asked_for(key.value, value)
    if value is not MISSING:
        return without_missing(value)
    if key.value.partition(".")[0] == machine.top_level:
        raise machine.error(frame, "KeyError", text_of(key))
    return External(key.value)


def _default_item(machine: Machine, frame: Frame, owner: Dict, key: Value, present: Value) -> Value:
    from regreach.evaluate.calls import call

    assert owner.factory is not None
    made = call(machine, frame, owner.factory, (), {}, site=("default", id(owner), key))
    if not is_hashable_constant(key):
        machine.heap.write(owner, OPEN, UNKNOWN)
        return UNKNOWN
    value = union((made, without_missing(present))) if present is not MISSING else made
    machine.heap.write(owner, _plain_key(key), value)
    return value


def _environ_item(machine: Machine, frame: Frame, key: Value) -> Value:
    value = environment(machine, key)
    if value is MISSING:
        raise machine.error(frame, "KeyError", text_of(key))
    return value


def environment(machine: Machine, key: Value) -> Value:
    """Return the value of an environment variable: MISSING when it is unset, UNKNOWN when not known."""
    if not isinstance(key, Const):
        return (
            MISSING if machine.world.environment_closed and not machine.environ.cells else UNKNOWN
        )
    machine.replay.read(machine.environ)
    value = machine.environ.cells.get(key, MISSING)
    if value is MISSING and not machine.world.environment_closed:
        return UNKNOWN
    return UNKNOWN if isinstance(value, Union) else value


def is_hashable_constant(value: Value) -> bool:
    """Return whether a value can be told from any other, as a dict key."""
    if isinstance(value, Tuple):
        return all(is_hashable_constant(v) for v in value.items)
    return isinstance(value, (Const, Instance, Class, Function, Module))


def dict_get(owner: Dict, key: Value) -> Value:
    """Return the value under a key: MISSING, a value, or a union that says what it may be."""
    if isinstance(key, Union):
        return union(dict_get(owner, k) for k in key.values)
    if not is_hashable_constant(key):
        return union((UNKNOWN, MISSING)) if owner.cells else MISSING
    value = owner.cells.get(_plain_key(key), MISSING)
    if value is MISSING and OPEN in owner.cells:
        return union((UNKNOWN, MISSING))
    return value


def _plain_key(key: Value) -> Value:
    # True and 1 are one key in Python
    if isinstance(key, Const) and isinstance(key.value, bool):
        return Const(int(key.value))
    return key


def set_item(machine: Machine, frame: Frame, owner: Value, key: Value, value: Value) -> None:
    """Run ``owner[key] = value``."""
    targets = alternatives(owner)
    for target in targets:
        if isinstance(target, Dict):
            for each in alternatives(key):
                if is_hashable_constant(each):
                    sure = len(targets) == 1 and not isinstance(key, Union)
                    plain = _plain_key(each)
                    if not sure:
                        machine.replay.read(target)
                    old = target.cells.get(plain, MISSING)
                    machine.heap.write(target, plain, value if sure else union((old, value)))
                else:
                    machine.heap.write(target, OPEN, UNKNOWN)
        elif isinstance(target, Listing):
            machine.heap.write(target, "items", UNKNOWN)
        elif isinstance(target, External):
            if target.path == "os.environ" and isinstance(key, Const):
                machine.heap.write(machine.environ, key, value)
            elif target.path == "sys.modules" and isinstance(key, Const):
                machine.replay.spoil()
                machine.heap.write(machine.modules, key.value, value)
        elif isinstance(target, Instance):
            from regreach.evaluate.calls import call

            setter = look_up_in_class(target.cls, "__setitem__")
            if isinstance(setter, Function):
                call(machine, frame, setter, (target, key, value), {}, site=("setitem",))


def _call(machine: Machine, frame: Frame, node: ir.Call) -> Value:
    from regreach.evaluate.calls import call_expression

    return call_expression(machine, frame, node)


def starred_items(machine: Machine, frame: Frame, nodes: tuple[ir.Expr, ...]) -> list[Value] | None:
    """Return the items of a display; None when a starred part is not known."""
    result: list[Value] | None = []
    for node in nodes:
        if isinstance(node, ir.Starred):
            items = items_of(machine, frame, evaluate(machine, frame, node.value))
            result = None if items is None or result is None else [*result, *items]
        else:
            value = evaluate(machine, frame, node)
            if result is not None:
                result.append(value)
    return result


def _sequence(machine: Machine, frame: Frame, node: ir.Sequence) -> Value:
    items = starred_items(machine, frame, node.items)
    if node.kind == "tuple":
        return UNKNOWN if items is None else Tuple(tuple(items))
    return new_listing(machine, frame, node.kind, items, id(node))


def new_listing(
    machine: Machine, frame: Frame, kind: str, items: list[Value] | None, *site: Any
) -> Value:
    """Return a new list or set; its items are unknown when ``items`` is None."""
    listing = machine.allocate(lambda: Listing(kind), frame, "listing", *site)
    machine.heap.write(listing, "items", UNKNOWN if items is None else Tuple(tuple(items)))
    assert isinstance(listing, Listing)
    return listing


def _dict(machine: Machine, frame: Frame, node: ir.Dict) -> Value:
    result = machine.allocate(Dict, frame, "dict", id(node))
    for key_node, value_node in node.items:
        value = evaluate(machine, frame, value_node)
        if key_node is None:
            update_dict(machine, frame, result, value)
        else:
            set_item(machine, frame, result, evaluate(machine, frame, key_node), value)
    assert isinstance(result, Dict)
    return result


def update_dict(machine: Machine, frame: Frame, target: Dict, other: Value) -> None:
    """Run ``target.update(other)``."""
    if isinstance(other, Dict):
        machine.replay.read(other)
        for key, value in list(other.cells.items()):
            if may_be_missing(value):
                machine.replay.read(target)
                old = target.cells.get(key, MISSING)
                machine.heap.write(target, key, union((old, value)))
            else:
                machine.heap.write(target, key, value)
    else:
        machine.heap.write(target, OPEN, UNKNOWN)


# -- truth ------------------------------------------------------------------------------------


def truth(machine: Machine, frame: Frame, value: Value) -> bool | None:
    """Return whether a value is true: True, False, or None for unknown."""
    if isinstance(value, Const):
        return bool(value.value)
    if isinstance(value, Tuple):
        return bool(value.items)
    if isinstance(value, Union):
        results = {truth(machine, frame, v) for v in value.values if v is not MISSING}
        return results.pop() if len(results) == 1 else None
    if isinstance(value, (Listing, Dict)):
        machine.replay.read(value)
    if isinstance(value, Listing):
        items = value.cells.get("items", UNKNOWN)
        return bool(items.items) if isinstance(items, Tuple) else None
    if isinstance(value, Dict):
        if any(not may_be_missing(v) for k, v in value.cells.items() if k is not OPEN):
            return True
        return False if not value.cells else None
    if isinstance(value, Instance):
        return _instance_truth(machine, frame, value)
    if isinstance(value, (Module, Class, Function, Bound, Partial, Builtin, Descriptor, Raised)):
        return True
    return None


def _instance_truth(machine: Machine, frame: Frame, value: Instance) -> bool | None:
    from regreach.evaluate.calls import call

    if value.member is not None:
        inner = value.cells.get("value", UNKNOWN)
        if _is_mixed_enum(value.cls):
            return truth(machine, frame, inner)
        return True
    for name in ("__bool__", "__len__"):
        method = look_up_in_class(value.cls, name)
        if isinstance(method, Function):
            return truth(machine, frame, call(machine, frame, method, (value,), {}, site=(name,)))
    return True if _closed(value.cls) else None


def _is_mixed_enum(cls: Class) -> bool:
    mixed = {
        "builtins.int",
        "builtins.str",
        "enum.IntEnum",
        "enum.StrEnum",
        "enum.Flag",
        "enum.IntFlag",
    }
    return any(isinstance(c, External) and c.path in mixed for c in class_mro(cls))


def _bool_op(machine: Machine, frame: Frame, node: ir.BoolOp) -> Value:
    left = evaluate(machine, frame, node.left)
    verdict = truth(machine, frame, left)
    stops = node.op == "or"
    if verdict is stops:
        return left
    if verdict is not None:
        return evaluate(machine, frame, node.right)

    def right_way() -> Value:
        narrow(machine, frame, node.left, not stops)
        return evaluate(machine, frame, node.right)

    place = machine.place(frame)
    kept = _when(machine, frame, left, stops)
    return machine.fork(frame, right_way, lambda: kept, place)


def _when(machine: Machine, frame: Frame, value: Value, wanted: bool) -> Value:
    """Return the value given that its truth is as wanted."""
    kept = [v for v in alternatives(value) if truth(machine, frame, v) is not (not wanted)]
    return union(kept) if kept else value


def _not(machine: Machine, frame: Frame, node: ir.Not) -> Value:
    return _from_truth(_negate(truth(machine, frame, evaluate(machine, frame, node.value))))


def _negate(verdict: bool | None) -> bool | None:
    return None if verdict is None else not verdict


def _from_truth(verdict: bool | None) -> Value:
    if verdict is None:
        return UNKNOWN
    return TRUE if verdict else FALSE


def _compare(machine: Machine, frame: Frame, node: ir.Compare) -> Value:
    left = evaluate(machine, frame, node.left)
    result: bool | None = True
    for op, right_node in node.rest:
        right = evaluate(machine, frame, right_node)
        verdict = compare(machine, frame, op, left, right)
        if verdict is False:
            return FALSE
        if verdict is None:
            result = None
        left = right
    return _from_truth(result)


_ORDER: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def compare(machine: Machine, frame: Frame, op: str, left: Value, right: Value) -> bool | None:
    """Return the truth of one comparison."""
    if op in ("==", "!="):
        verdict = equal(machine, frame, left, right)
        return verdict if op == "==" else _negate(verdict)
    if op in ("is", "is not"):
        verdict = identical(left, right)
        return verdict if op == "is" else _negate(verdict)
    if op in ("in", "not in"):
        verdict = _contains(machine, frame, right, left)
        return verdict if op == "in" else _negate(verdict)
    a, b = plain(machine, left), plain(machine, right)
    if a is None or b is None:
        return None
    try:
        return bool(_ORDER[op](a[0], b[0]))
    except TypeError:
        return None


def plain(machine: Machine, value: Value) -> tuple[Any] | None:
    """Return the Python value of a constant or a tuple of constants, in a 1-tuple; else None."""
    if isinstance(value, Const):
        return (value.value,)
    if isinstance(value, Tuple):
        parts = [plain(machine, v) for v in value.items]
        if all(p is not None for p in parts):
            return (tuple(p[0] for p in parts if p is not None),)
    if isinstance(value, Listing):
        machine.replay.read(value)
    if isinstance(value, Listing) and value.kind == "list":
        items = plain(machine, value.cells.get("items", UNKNOWN))
        return None if items is None else (list(items[0]),)
    if isinstance(value, Listing):
        items = plain(machine, value.cells.get("items", UNKNOWN))
        try:
            return None if items is None else (frozenset(items[0]),)
        except TypeError:
            return None
    if isinstance(value, Instance) and value.member is not None and _is_mixed_enum(value.cls):
        return plain(machine, value.cells.get("value", UNKNOWN))
    return None


def _pairs(
    left: Value, right: Value, verdict: Callable[[Value, Value], bool | None]
) -> bool | None:
    """Ask for each pair of alternatives; agree or not known."""
    results = {
        verdict(a, b)
        for a in alternatives(left)
        for b in alternatives(right)
        if a is not MISSING and b is not MISSING
    }
    return results.pop() if len(results) == 1 else None


def identical(left: Value, right: Value) -> bool | None:
    """Return whether ``left is right``."""
    if isinstance(left, Union) or isinstance(right, Union):
        return _pairs(left, right, identical)
    if left is UNKNOWN or right is UNKNOWN:
        return None
    if left is SOMETHING or right is SOMETHING:
        return False if NONE in (left, right) else None
    outside = isinstance(left, External), isinstance(right, External)
    if any(outside):
        known = (Instance, Class, Function, Module, Dict, Listing)
        other = right if outside[0] else left
        if isinstance(other, known) or left == right:
            return (left == right and "()" not in str(left)) or (None if left == right else False)
        return None
    return left is right or left == right


def equal(machine: Machine, frame: Frame, left: Value, right: Value) -> bool | None:
    """Return whether ``left == right``."""
    if isinstance(left, Union) or isinstance(right, Union):
        return _pairs(left, right, lambda a, b: equal(machine, frame, a, b))
    if left is UNKNOWN or right is UNKNOWN:
        return None
    if left is SOMETHING or right is SOMETHING:
        return False if NONE in (left, right) else None
    for a, b in ((left, right), (right, left)):
        if isinstance(a, Instance) and not (a.member is not None and not _is_mixed_enum(a.cls)):
            from regreach.evaluate.calls import call

            method = look_up_in_class(a.cls, "__eq__")
            if isinstance(method, Function):
                return truth(machine, frame, call(machine, frame, method, (a, b), {}, site=("eq",)))
    a_plain, b_plain = plain(machine, left), plain(machine, right)
    if a_plain is not None and b_plain is not None:
        return bool(a_plain[0] == b_plain[0])
    if isinstance(left, External) or isinstance(right, External):
        known = (Instance, Class, Function, Module)
        if isinstance(left, known) or isinstance(right, known):
            return False
        return True if left == right and "()" not in left.path else None  # type: ignore[union-attr]
    if isinstance(left, (Listing, Dict)) or isinstance(right, (Listing, Dict)):
        return True if left is right else None
    if isinstance(left, Tuple) and isinstance(right, Tuple):
        if len(left.items) != len(right.items):
            return False
        verdicts = [
            equal(machine, frame, a, b) for a, b in zip(left.items, right.items, strict=True)
        ]
        if False in verdicts:
            return False
        return None if None in verdicts else True
    if isinstance(left, Instance) and left.cls.is_dataclass and left is not right:
        return None
    return left == right


def _contains(machine: Machine, frame: Frame, container: Value, item: Value) -> bool | None:
    if isinstance(container, Union):
        results = {_contains(machine, frame, c, item) for c in alternatives(container)}
        return results.pop() if len(results) == 1 else None
    if isinstance(container, Dict):
        machine.replay.read(container)
        found = dict_get(container, item)
        if found is MISSING:
            return False
        return None if may_be_missing(found) else True
    if isinstance(container, External) and container.path == "os.environ":
        value = environment(machine, item)
        return None if value is UNKNOWN else value is not MISSING
    if isinstance(container, External) and container.path == "sys.modules":
        if not isinstance(item, Const) or not isinstance(item.value, str):
            return None
        value = machine.modules.cells.get(item.value, MISSING)
        machine.replay.asked_for(item.value, value)
        if value is MISSING:
            return False if item.value.partition(".")[0] == machine.top_level else None
        return None if may_be_missing(value) else True
    if isinstance(container, Const) and isinstance(item, Const):
        try:
            return item.value in container.value
        except TypeError:
            return None
    if isinstance(container, Instance):
        from regreach.evaluate.calls import call

        method = look_up_in_class(container.cls, "__contains__")
        if isinstance(method, Function):
            result = call(machine, frame, method, (container, item), {}, site=("contains",))
            return truth(machine, frame, result)
        return None
    items = items_of(machine, frame, container)
    if items is None:
        return None
    verdicts = [equal(machine, frame, item, i) for i in items]
    if True in verdicts:
        return True
    return None if None in verdicts else False


def narrow(machine: Machine, frame: Frame, test: ir.Expr, outcome: bool) -> None:
    """Given the outcome of a test, restrict the names it is about to the values that allow it."""
    if isinstance(test, ir.Not):
        narrow(machine, frame, test.value, not outcome)
        return
    if isinstance(test, ir.BoolOp):
        if (test.op == "and") is outcome:
            narrow(machine, frame, test.left, outcome)
            narrow(machine, frame, test.right, outcome)
        return
    name = _subject(test)
    if name is None:
        return
    value = frame.scope.cells.get(name, MISSING)
    if not isinstance(value, Union):
        return
    kept = []
    for each in value.values:
        if each is MISSING:
            continue
        machine.heap.write(frame.scope, name, each)
        verdict = truth(machine, frame, evaluate(machine, frame, test))
        if verdict is None or verdict is outcome:
            kept.append(each)
    machine.heap.write(frame.scope, name, union(kept) if kept else value)


def subject_text(test: ir.Expr) -> tuple[bool, str | None]:
    """Return whether a test negates, and a text for what it asks: the same text asks the same."""
    if isinstance(test, ir.Not):
        negated, text = subject_text(test.value)
        return not negated, text
    if isinstance(test, ir.Call) and not test.args:
        name = dotted_name(test.func)
        return False, f"{name}()" if name is not None else None
    return False, dotted_name(test)


def _subject(test: ir.Expr) -> str | None:
    """Return the local name that a simple test is about: ``x``, ``x is None``, ``x == y``, ``x.is_y()``."""
    if isinstance(test, ir.Name):
        return test.id
    if isinstance(test, ir.Compare) and isinstance(test.left, ir.Name):
        return test.left.id
    if isinstance(test, ir.Call) and isinstance(test.func, ir.Attribute):
        if isinstance(test.func.value, ir.Name) and not test.args:
            return test.func.value.id
    return None


def is_known_to_fail_for_some(machine: Machine, frame: Frame, test: ir.Expr) -> bool:
    """Return whether a test of unknown truth is false for a value that its subject may have."""
    if isinstance(test, ir.Compare) and len(test.rest) == 1:
        op, right_node = test.rest[0]
        right = evaluate(machine, frame, right_node)
        subject = evaluate(machine, frame, test.left)
        verdicts = [compare(machine, frame, op, v, right) for v in alternatives(subject)]
    elif isinstance(test, (ir.Name, ir.Attribute)):
        subject = evaluate(machine, frame, test)
        verdicts = [truth(machine, frame, v) for v in alternatives(subject)]
    else:
        return False
    return isinstance(subject, Union) and False in verdicts


# -- operators, displays of text, comprehensions ------------------------------------------------

_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "|": operator.or_,
    "&": operator.and_,
    "^": operator.xor,
    "<<": operator.lshift,
    ">>": operator.rshift,
    "**": operator.pow,
}
_IN_PLACE: dict[str, Callable[[Any, Any], Any]] = {
    **_BINARY,
    "+": operator.iadd,
    "-": operator.isub,
    "*": operator.imul,
    "|": operator.ior,
    "&": operator.iand,
    "^": operator.ixor,
}


def _binary_node(machine: Machine, frame: Frame, node: ir.Binary) -> Value:
    left = evaluate(machine, frame, node.left)
    right = evaluate(machine, frame, node.right)
    return binary(machine, frame, node.op, left, right, site=id(node))


def binary(
    machine: Machine,
    frame: Frame,
    op: str,
    left: Value,
    right: Value,
    *,
    in_place: bool = False,
    site: Any = None,
) -> Value:
    """Return the result of an arithmetic or bitwise operation, UNKNOWN when it is not computed.

    Raises Abrupt where constants are combined that cannot be, or values of builtin types that never can.
    """
    if isinstance(left, Const) and isinstance(right, Const):
        return _compute(machine, frame, op, left.value, right.value)
    _check_operands(machine, frame, op, left, right, in_place=in_place)
    if op == "+" and isinstance(left, Tuple) and isinstance(right, Tuple):
        return Tuple(left.items + right.items)
    if isinstance(left, Listing) and op in ("+", "|"):
        items, more = items_of(machine, frame, left), items_of(machine, frame, right)
        merged = None if items is None or more is None else items + more
        if in_place:
            machine.replay.read(left)
            value: Value = UNKNOWN if merged is None else Tuple(tuple(merged))
            machine.heap.write(left, "items", value)
            return left
        return new_listing(machine, frame, left.kind, merged, "binary", site)
    if isinstance(left, Dict) and op == "|":
        result = left if in_place else machine.allocate(Dict, frame, "binary", site)
        if not in_place:
            update_dict(machine, frame, result, left)
        update_dict(machine, frame, result, right)
        assert isinstance(result, Dict)
        return result
    if in_place and isinstance(left, Listing):  # another change of the same object
        machine.replay.read(left)
        machine.heap.write(left, "items", UNKNOWN)
        return left
    return UNKNOWN


def _check_operands(
    machine: Machine, frame: Frame, op: str, left: Value, right: Value, *, in_place: bool
) -> None:
    """Raise the TypeError of an operation that two builtin types do not have."""
    a, b = _example(left), _example(right)
    if a is MISSING or b is MISSING or (op == "%" and isinstance(a, (str, bytes))):
        return
    if any(isinstance(x, (int, float)) and not _small(x) for x in (a, b)):
        return
    try:
        (_IN_PLACE if in_place else _BINARY)[op](a, b)
    except TypeError as error:
        raise machine.error(frame, "TypeError", str(error)) from None
    except (KeyError, ValueError, ArithmeticError, MemoryError):
        return


def _example(value: Value) -> Any:
    """Return an object of a value's type; MISSING when that is no builtin one."""
    if isinstance(value, Const):
        return value.value
    if isinstance(value, Tuple):
        return () if not value.names else MISSING
    if isinstance(value, Listing):
        return [] if value.kind == "list" else set()
    return {} if isinstance(value, Dict) and value.factory is None else MISSING


def _compute(machine: Machine, frame: Frame, op: str, left: Any, right: Any) -> Value:
    function = _BINARY.get(op)
    numbers = (int, float, complex)
    if function is None or (op in ("**", "<<") and not _small(left, right)):
        return UNKNOWN
    if op == "%" and isinstance(left, (str, bytes)) and any(c in str(left) for c in "0123456789*"):
        return UNKNOWN  # a width may ask for any amount of memory
    if op == "*" and not (isinstance(left, numbers) and isinstance(right, numbers)):
        if not _small(left if isinstance(left, int) else right, 0):
            return UNKNOWN
    try:
        result = function(left, right)
    except (TypeError, ValueError, ArithmeticError) as error:
        raise machine.error(frame, type(error).__name__, str(error)) from None
    if isinstance(result, (str, bytes)) and len(result) > _MAX_TEXT:
        return UNKNOWN
    return Const(result)


def _small(*values: Any) -> bool:
    return all(isinstance(v, (int, float)) and abs(v) < 1024 for v in values)


def _unary(machine: Machine, frame: Frame, node: ir.Unary) -> Value:
    value = evaluate(machine, frame, node.value)
    if isinstance(value, Const) and isinstance(value.value, (int, float)):
        if node.op == "-":
            return Const(-value.value)
        if node.op == "+":
            return Const(+value.value)
        if isinstance(value.value, int):
            return Const(-int(value.value) - 1)
    return UNKNOWN


def _conditional(machine: Machine, frame: Frame, node: ir.Conditional) -> Value:
    verdict = truth(machine, frame, evaluate(machine, frame, node.test))
    if verdict is not None:
        return evaluate(machine, frame, node.body if verdict else node.orelse)

    def way(part: ir.Expr, outcome: bool) -> Callable[[], Value]:
        def run() -> Value:
            narrow(machine, frame, node.test, outcome)
            return evaluate(machine, frame, part)

        return run

    return machine.fork(frame, way(node.body, True), way(node.orelse, False), machine.place(frame))


def _walrus(machine: Machine, frame: Frame, node: ir.Walrus) -> Value:
    value = evaluate(machine, frame, node.value)
    bind(machine, frame, node.name, value)
    return value


def _lambda(machine: Machine, frame: Frame, node: ir.Lambda) -> Value:
    from regreach.evaluate.calls import make_lambda

    return make_lambda(machine, frame, node)


def _fstring(machine: Machine, frame: Frame, node: ir.FString) -> Value:
    parts: list[str] | None = []
    for part in node.parts:
        text = string_of(machine, frame, evaluate(machine, frame, part))
        parts = None if text is None or parts is None else [*parts, text]
    return UNKNOWN if parts is None else Const("".join(parts))


def string_of(machine: Machine, frame: Frame, value: Value) -> str | None:
    """Return ``str(value)``, None when it is not known."""
    if isinstance(value, Const):
        text = str(value.value)
        return text if len(text) <= _MAX_TEXT else None
    if isinstance(value, Instance) and value.member is not None:
        inner = plain(machine, value)
        return str(inner[0]) if inner is not None else f"{value.cls.qualname}.{value.member}"
    return None


def text_of(value: Value) -> str:
    """Return a value as a person would write it."""
    if isinstance(value, Const):
        return repr(value.value)
    if isinstance(value, Tuple):
        return "(" + ", ".join(text_of(v) for v in value.items) + ")"
    if isinstance(value, External):
        return value.path
    return repr(value)


def _comprehension(machine: Machine, frame: Frame, node: ir.Comprehension) -> Value:
    scope = machine.allocate(Scope, frame, "comprehension", id(node))
    assert isinstance(scope, Scope)
    enclosing = frame.enclosing
    if isinstance(frame.scope, Scope):
        enclosing = (*enclosing, frame.scope)
    inner = Frame(
        frame.module, scope, enclosing, frame.function, frame.context, frame.line, frame.receiver
    )
    results: list[tuple[Value, Value]] = []
    with machine.running(inner):
        known = _clauses(machine, inner, node, 0, results, frame)
    frame.pendings.extend(inner.pendings)
    if node.kind == "dict":
        made = machine.allocate(Dict, frame, "dictcomp", id(node))
        assert isinstance(made, Dict)
        for key, value in results:
            set_item(machine, frame, made, key, value)
        if not known:
            machine.heap.write(made, OPEN, UNKNOWN)
        return made
    items = [value for value, _ in results] if known else None
    kind = "set" if node.kind == "set" else "list"
    return new_listing(machine, frame, kind, items, "comprehension", id(node))


def _clauses(
    machine: Machine,
    frame: Frame,
    node: ir.Comprehension,
    index: int,
    results: list[tuple[Value, Value]],
    outer: Frame,
) -> bool:
    """Run the clauses from ``index`` on; return whether the results are all there is."""
    from regreach.evaluate.assignment import assign

    if index == len(node.clauses):
        element = evaluate(machine, frame, node.element)
        value = evaluate(machine, frame, node.value) if node.value is not None else NONE
        results.append((element, value))
        return True
    clause = node.clauses[index]
    iterable = evaluate(machine, outer if index == 0 else frame, clause.iter)
    items = iterate(machine, frame, iterable)
    if items is None:

        def once() -> Value:
            assign(machine, frame, clause.target, UNKNOWN)
            for condition in clause.conditions:
                evaluate(machine, frame, condition)
            _clauses(machine, frame, node, index + 1, [], outer)
            return NONE

        machine.maybe(frame, once, machine.place(frame))
        return False
    known = True
    context = frame.context
    for turn, item in enumerate(items):
        frame.context = machine.context(context, id(clause), turn)
        assign(machine, frame, clause.target, item)
        verdicts = [truth(machine, frame, evaluate(machine, frame, c)) for c in clause.conditions]
        if False in verdicts:
            continue
        known = _clauses(machine, frame, node, index + 1, results, outer) and known
        if None in verdicts:
            known = False
    frame.context = context
    return known


def _starred(machine: Machine, frame: Frame, node: ir.Starred) -> Value:
    evaluate(machine, frame, node.value)
    return UNKNOWN


def _opaque(machine: Machine, frame: Frame, node: ir.Opaque) -> Value:
    for child in node.children:
        if not (isinstance(child, ir.Name) and child.id == "yield"):
            evaluate(machine, frame, child)
    return UNKNOWN


EVALUATE.update(
    {
        ir.Const: _const,
        ir.Name: _name,
        ir.Attribute: _attribute,
        ir.Call: _call,
        ir.Subscript: _subscript,
        ir.Sequence: _sequence,
        ir.Dict: _dict,
        ir.BoolOp: _bool_op,
        ir.Not: _not,
        ir.Compare: _compare,
        ir.Binary: _binary_node,
        ir.Unary: _unary,
        ir.Conditional: _conditional,
        ir.Walrus: _walrus,
        ir.Lambda: _lambda,
        ir.FString: _fstring,
        ir.Comprehension: _comprehension,
        ir.Starred: _starred,
        ir.Opaque: _opaque,
    }
)
