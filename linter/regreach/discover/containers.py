"""What lives as long as the process and can be filled: containers of modules, of classes, of instances."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from regreach.discover.names import ClassRef, Imported, Names, Target, level
from regreach.discover.scopes import Scope
from regreach.facts import ir, walk

_MAKERS = {
    *(
        "dict",
        "list",
        "set",
        "defaultdict",
        "OrderedDict",
        "deque",
        "ChainMap",
        "Counter",
        "bidict",
    ),
    *("WeakValueDictionary", "WeakKeyDictionary", "WeakSet", "UserDict", "UserList", "SortedDict"),
}
_BASES = ("dict", "Dict", "Mapping", "list", "List", "set", "Set", "Dictionary")


@dataclass(frozen=True, slots=True, order=True)
class Container:
    """``module:name`` is a container; or, with an ``attr``, that attribute of the object is.

    Of an attribute of each instance of a class, ``name`` is the class until an instance is known, and
    ``of_class`` is true. An object that is a container itself has the attribute ``""``.
    """

    module: str
    name: str
    attr: str | None = None
    of_class: bool = False

    @property
    def path(self) -> str:
        """``module:name``, as a pack names it."""
        return f"{self.module}:{self.name}" + (f".{self.attr}" if self.attr else "")


def is_container(value: ir.Expr | None) -> bool:
    """Return whether an expression makes an empty or filled dictionary, list or set."""
    if isinstance(value, ir.Dict):
        return True
    if isinstance(value, ir.Sequence):
        return value.kind in ("list", "set")
    if isinstance(value, ir.Comprehension):
        return value.kind in ("list", "set", "dict")
    if isinstance(value, ir.Call):
        return (walk.dotted_name(value.func) or "").rpartition(".")[2] in _MAKERS
    return False


def container_of(
    names: Names,
    module: str,
    owner: ClassRef | None,
    scope: Scope,
    into: ir.Expr,
    local: Mapping[str, Imported],
    depth: int = 4,
) -> list[Container]:
    """Return which containers an expression in a function of a module may stand for."""
    dotted = _dotted(into)
    if dotted is None or not depth:
        return []
    first, *rest = dotted.split(".")
    top = scope
    while top.parent is not None:
        top = top.parent
    if owner is not None and top.params and first == top.params[0].name:
        found = _of_self(names, owner, rest)
        return [found] if found is not None else []
    if scope.is_local(first):
        values = [*scope.values(first), *(v for loop in scope.items(first) for v in _leaves(loop))]
        return [
            each
            for value in values
            for alternative in map(_without_index, _alternatives(value))
            if (name := _dotted(alternative)) is not None and name.split(".")[0] != first
            for each in container_of(
                names, module, owner, scope, _rebuilt(alternative, rest), local, depth - 1
            )
        ]
    target = names.resolve(module, dotted, local)
    found = of_target(names, target) if target is not None else None
    return [found] if found is not None else []


def foreign_object(
    names: Names,
    module: str,
    owner: ClassRef | None,
    scope: Scope,
    into: ir.Expr,
    local: Mapping[str, Imported],
) -> list[Container]:
    """Return the objects of classes outside the tree for which an expression in a function may stand."""
    dotted = _dotted(into)
    if dotted is None or "." in dotted:
        return []
    values = scope.values(dotted) if scope.is_local(dotted) else [into]
    found = []
    for value in (each for v in values for each in _alternatives(v)):
        name = walk.dotted_name(value)
        if name is None or scope.is_local(name.partition(".")[0]):
            continue
        target = names.resolve(module, name, local)
        if target is None or target.kind != "value" or target.rest:
            continue
        made = target.node.value if isinstance(target.node, (ir.Assign, ir.AnnAssign)) else None
        maker = walk.dotted_name(made.func) if isinstance(made, ir.Call) else None
        origin = names.resolve(target.module, maker) if maker is not None else None
        if origin is not None and origin.kind == "outside":
            found.append(Container(target.module, target.name))
    return found


def of_target(names: Names, target: Target) -> Container | None:
    """Return the container that a resolved name is."""
    if target.kind == "value" and isinstance(target.node, (ir.Assign, ir.AnnAssign)):
        value = target.node.value
        if not target.rest:
            made = isinstance(value, ir.Call) and _makes_mapping(names, target, value)
            return Container(target.module, target.name) if is_container(value) or made else None
        if len(target.rest) == 1 and isinstance(value, ir.Call):
            cls = instance_class(names, target)
            if cls is not None and _instance_attribute(names, cls, target.rest[0]):
                return Container(target.module, target.name, target.rest[0])
        return None
    if target.kind == "class" and len(target.rest) == 1:
        cls = names.class_of(Target("class", target.module, target.name, (), target.node))
        return _class_attribute(names, cls, target.rest[0]) if cls is not None else None
    return None


def _makes_mapping(names: Names, target: Target, value: ir.Call) -> bool:
    """Return whether what a call makes takes items: a class of the tree that is like a dictionary."""
    cls = instance_class(names, target)
    if cls is not None:
        return is_mapping(names, cls) or names.member(cls, "__setitem__") is not None
    return False


def _is_mapping_made(names: Names, module: str, value: ir.Expr) -> bool:
    """Return whether an expression makes a container, or an object of a class of the tree that is one."""
    if is_container(value):
        return True
    made = made_by(names, module, value)
    return made is not None and is_mapping(names, made)


def is_mapping(names: Names, cls: ClassRef) -> bool:
    """Return whether a class inherits from a container of the standard library."""
    for each in names.ancestry(cls):
        for arg in each.node.args:
            base = arg.value.value if isinstance(arg.value, ir.Subscript) else arg.value
            if (walk.dotted_name(base) or "").endswith(_BASES):
                return True
    return False


def instance_class(names: Names, target: Target) -> ClassRef | None:
    """Return the class of the tree whose instance a value is, if a call of it made the value."""
    node = target.node
    value = node.value if isinstance(node, (ir.Assign, ir.AnnAssign)) else None
    return made_by(names, target.module, value)


def made_by(names: Names, module: str, value: ir.Expr | None, depth: int = 3) -> ClassRef | None:
    """Return the class of the tree of which a call in a module makes an instance.

    By the class itself, one of its class methods that says so, or a function that returns such a call.
    """
    if not isinstance(value, ir.Call) or not depth:
        return None
    func = value.func.value if isinstance(value.func, ir.Subscript) else value.func
    dotted = walk.dotted_name(func)
    target = names.resolve(module, dotted) if dotted is not None else None
    if target is None:
        return None
    if target.kind == "class" and not target.rest:
        return names.class_of(target)
    if target.kind == "function" and isinstance(target.node, ir.FunctionDef) and not target.rest:
        facts = names.program.readable_facts(target.module)
        if facts is None:
            return None
        for node in level(facts.body_of(target.node)):
            if isinstance(node, ir.Return):
                found = made_by(names, target.module, node.value, depth - 1)
                if found is not None:
                    return found
    return None


def _of_self(names: Names, owner: ClassRef, rest: list[str]) -> Container | None:
    if rest[:1] == ["__class__"]:
        rest = rest[1:]
    if not rest:
        if is_mapping(names, owner):
            return Container(owner.module, owner.name, "", of_class=True)
        return None
    if len(rest) > 1:
        return None
    if _instance_attribute(names, owner, rest[0]):
        return Container(owner.module, owner.name, rest[0], of_class=True)
    return _class_attribute(names, owner, rest[0])


def _class_attribute(names: Names, cls: ClassRef, attr: str) -> Container | None:
    found = names.member(cls, attr)
    if found is None or (isinstance(found[1], ir.AnnAssign) and found[1].value is None):
        return _set_by_method(names, cls, attr)
    home, node = found
    value = node.value if isinstance(node, (ir.Assign, ir.AnnAssign)) else None
    if is_container(value) and not _is_field(value):
        return Container(home.module, f"{home.name}.{attr}")
    return None


def _set_by_method(names: Names, cls: ClassRef, attr: str) -> Container | None:
    """Return the container that a method of a class gives the class: ``cls.entries = {}``."""
    for each in names.ancestry(cls):
        facts = names.program.readable_facts(each.module)
        if facts is None or f".{attr} = " not in facts.text:
            continue
        for node in level(each.node.body):
            if not isinstance(node, ir.FunctionDef):
                continue
            first = next(iter(facts.params_of(node)), None)
            if first is None or first.name != "cls":
                continue
            for inner in level(facts.body_of(node)):
                if isinstance(inner, ir.Assign) and is_container(inner.value):
                    if any(_is_own(target, attr) for target in inner.targets):
                        return Container(each.module, f"{each.name}.{attr}")
    return None


def _is_field(value: ir.Expr | None) -> bool:
    """Return whether a value is a field of a data class, which each instance has for itself."""
    if not isinstance(value, ir.Call):
        return False
    return (walk.dotted_name(value.func) or "").rpartition(".")[2] in (
        *("field", "Field", "ib", "attrib", "Factory", "PrivateAttr"),
    )


def _instance_attribute(names: Names, cls: ClassRef, attr: str) -> bool:
    """Return whether the methods of a class give each instance a container of this name."""
    for each in names.ancestry(cls):
        facts = names.program.readable_facts(each.module)
        if facts is None:
            continue
        for node in level(each.node.body):
            if isinstance(node, ir.AnnAssign) and isinstance(node.target, ir.Name):
                if node.target.id == attr and _is_field(node.value):
                    return True
            if not isinstance(node, ir.FunctionDef) or node.name not in _MAKING:
                continue
            for inner in level(facts.body_of(node)):
                targets: tuple[ir.Expr, ...] = ()
                if isinstance(inner, ir.Assign):
                    targets = inner.targets
                elif isinstance(inner, ir.AnnAssign):
                    targets = (inner.target,)
                if any(_is_own(target, attr) for target in targets):
                    value = inner.value if isinstance(inner, (ir.Assign, ir.AnnAssign)) else None
                    if any(_is_mapping_made(names, each.module, v) for v in _alternatives(value)):
                        return True
    return False


_MAKING = ("__init__", "__new__", "__post_init__", "_init", "reset", "_reset", "clear", "setup")


def _is_own(target: ir.Expr, attr: str) -> bool:
    return (
        isinstance(target, ir.Attribute)
        and target.attr == attr
        and isinstance(target.value, ir.Name)
    )


def _alternatives(value: ir.Expr | None) -> list[ir.Expr]:
    if isinstance(value, ir.BoolOp):
        return [*_alternatives(value.left), *_alternatives(value.right)]
    if isinstance(value, ir.Conditional):
        return [*_alternatives(value.body), *_alternatives(value.orelse)]
    return [value] if value is not None else []


def _without_index(value: ir.Expr) -> ir.Expr:
    """Return the container of which an expression is an item: ``table[kind]``, ``table.get(kind)``."""
    while True:
        if isinstance(value, ir.Subscript):
            value = value.value
        elif (
            isinstance(value, ir.Call)
            and isinstance(value.func, ir.Attribute)
            and value.func.attr in ("get", "setdefault")
            and value.args
        ):
            value = value.func.value
        else:
            return value


def _leaves(loop: ir.Expr) -> list[ir.Expr]:
    """Return the names in a display that a loop goes through, those in tuples of it too."""
    if isinstance(loop, ir.Sequence):
        return [leaf for item in loop.items for leaf in _leaves(item)]
    return [loop] if isinstance(loop, (ir.Name, ir.Attribute)) else []


def _dotted(node: ir.Expr) -> str | None:
    """Return a dotted name, ``type(self)`` and ``self.__class__`` being what a method's class is."""
    parts: list[str] = []
    while isinstance(node, ir.Attribute):
        parts.append(node.attr)
        node = node.value
    if isinstance(node, ir.Call) and walk.dotted_name(node.func) == "type" and len(node.args) == 1:
        node = node.args[0].value
    if not isinstance(node, ir.Name):
        return None
    return ".".join([node.id, *reversed(parts)])


def _rebuilt(value: ir.Expr, rest: list[str]) -> ir.Expr:
    for attr in rest:
        value = ir.Attribute(value, attr)
    return value
