"""What the modules of a tree define, as far as their statements tell without running them."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from regreach.facts import ir, walk
from regreach.facts.names import bound_names
from regreach.facts.parse import ModuleFacts
from regreach.program import Program

_MAX_HOMES = 3  # so many other modules that define a name are told


@dataclass(slots=True)
class Defined:
    """The names of a module, dotted for what stands in its classes.

    ``open`` are the classes (empty: the module itself) that may have more names than are written there: by a
    star import, a base class, or a ``__getattr__``.
    """

    names: dict[str, ir.Stmt] = field(default_factory=dict)
    open: set[str] = field(default_factory=set)


class DefinedNames:
    """Answers whether a tree has what a path names: a module, or ``module:name``."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._known: dict[str, Defined | None] = {}

    def lacks_module(self, module: str) -> str | None:
        """Return what is to be said of a module that the tree does not have, None if it has it."""
        if self._program.has(module):
            return None
        near = _near(module, self._program.tree.modules)
        return f"this tree has no module {module!r}{near}"

    def lacks(self, path: str, *, local: bool = False) -> str | None:
        """Return what is to be said of a ``module:name`` that the tree does not have, None if it may have it.

        With ``local``, the variable of a function (``module:function.name``) counts as there.
        """
        module, _, name = path.partition(":")
        missing = self.lacks_module(module)
        if missing is not None:
            return missing
        defined = self.of(module)
        if defined is None or self._has(defined, name):
            return None
        if local and self._is_local(module, defined, name):
            return None
        homes = list(self._homes(module, name))
        where = f" (it is defined in {', '.join(homes)})" if homes else _near(name, defined.names)
        return f"{module} has no {name!r}{where}"

    def _is_local(self, module: str, defined: Defined, name: str) -> bool:
        """Return whether a name is a variable of a function (``function.name``)."""
        owner, _, last = name.rpartition(".")
        node, facts = defined.names.get(owner), self._facts(module)
        return (
            isinstance(node, ir.FunctionDef)
            and facts is not None
            and last in bound_names(facts.body_of(node))
        )

    def statement(self, path: str) -> ir.Stmt | None:
        """Return the statement that defines a ``module:name``; None where it is not seen."""
        module, _, name = path.partition(":")
        defined = self.of(module) if self._program.has(module) else None
        return defined.names.get(name) if defined is not None else None

    def parameters(self, path: str) -> dict[str, ir.Param] | None:
        """Return the parameters of a function, without that for its object; None where they are not known."""
        module = path.partition(":")[0]
        node, facts = self.statement(path), self._facts(module)
        if not isinstance(node, ir.FunctionDef) or facts is None:
            return None
        return {p.name: p for p in facts.params_of(node) if p.name not in ("self", "cls")}

    def fields(self, path: str) -> set[str] | None:
        """Return what constructing a class may be given by name; None where that is not known."""
        node = self.statement(path)
        if not isinstance(node, ir.ClassDef):
            return None
        given = self.parameters(f"{path}.__init__")
        if given is not None:
            return None if any(p.kind == "doublestar" for p in given.values()) else set(given)
        module, _, name = path.partition(":")
        defined = self.of(module)
        if defined is None or name in defined.open or not node.decorators:
            return None
        return {
            each.removeprefix(f"{name}.")
            for each, statement in defined.names.items()
            if each.startswith(f"{name}.") and isinstance(statement, ir.AnnAssign)
        }

    def values(self, path: str) -> set[str] | None:
        """Return the values of an enum's members; None where one is no text, or not seen."""
        module, _, name = path.partition(":")
        if not isinstance(self.statement(path), ir.ClassDef):
            return None
        defined = self.of(module)
        assert defined is not None, "it has the class"
        found = set()
        for each, statement in defined.names.items():
            if each.startswith(f"{name}.") and isinstance(statement, ir.Assign):
                value = statement.value
                if not (isinstance(value, ir.Const) and isinstance(value.value, str)):
                    return None
                found.add(value.value)
        return found

    def of(self, module: str) -> Defined | None:
        """Return what a module defines; None when it has no source that can be read."""
        if module not in self._known:
            facts = self._facts(module)
            self._known[module] = _defined(facts) if facts is not None else None
        return self._known[module]

    def _facts(self, module: str) -> ModuleFacts | None:
        return self._program.readable_facts(module) if self._program.has(module) else None

    def _has(self, defined: Defined, name: str) -> bool:
        if name in defined.names:
            return True
        owner = name
        while owner:
            owner = owner.rpartition(".")[0]
            if owner in defined.open:
                return True
            if owner in defined.names:
                # what is taken from elsewhere, or made, has what it has
                return not isinstance(defined.names[owner], (ir.ClassDef, ir.FunctionDef))
        return False

    def _homes(self, module: str, name: str) -> Iterator[str]:
        """Yield other modules that define a name, if they are few."""
        outer = name.partition(".")[0]
        words = (f"def {outer}".encode(), f"class {outer}".encode(), f"\n{outer} ".encode())
        found = [m for m in self._program.mentioning(*words) if m != module]
        if len(found) > 10 * _MAX_HOMES:
            return
        homes = [m for m in found if name in getattr(self.of(m), "names", ())]
        yield from homes if len(homes) <= _MAX_HOMES else ()


def _near(word: str, known: Mapping[str, object]) -> str:
    near = difflib.get_close_matches(word, list(known), 1)
    return f" (did you mean {near[0]!r}?)" if near else ""


def _defined(facts: ModuleFacts) -> Defined:
    found = Defined()
    # bodies of functions define nothing that has a path: no text has this word
    for node, around in walk.statements(facts, "\0"):
        if around.in_function:
            continue
        for name in _bound(node):
            if name == "*" or (name == "__getattr__" and not around.scope):
                found.open.add(around.scope)
            found.names[f"{around.scope}.{name}" if around.scope else name] = node
        if isinstance(node, ir.ClassDef):
            dotted = f"{around.scope}.{node.name}" if around.scope else node.name
            if any(walk.dotted_name(base.value) not in _PLAIN for base in node.args):
                found.open.add(dotted)
    return found


# Bases from which a class has nothing that a pack could name.
_PLAIN = {
    "object",
    "Enum",
    "enum.Enum",
    "StrEnum",
    "enum.StrEnum",
    "IntEnum",
    "enum.IntEnum",
    "str",
    "int",
    "ABC",
    "abc.ABC",
}


def _bound(node: ir.Stmt) -> Iterator[str]:
    if isinstance(node, (ir.FunctionDef, ir.ClassDef)):
        yield node.name
    elif isinstance(node, ir.Import):
        yield from (alias or dotted.partition(".")[0] for dotted, alias in node.names)
    elif isinstance(node, ir.ImportFrom):
        yield from (alias or name for name, alias in node.names) if node.names else ("*",)
    elif isinstance(node, ir.Assign):
        yield from (t.id for t in node.targets if isinstance(t, ir.Name))
    elif isinstance(node, ir.AnnAssign) and isinstance(node.target, ir.Name):
        yield node.target.id
