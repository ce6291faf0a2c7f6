"""The keys of a registration, from what its registrar is given and what it registers."""

from __future__ import annotations

from collections.abc import Mapping

from regreach.discover.folding import expanded, folded
from regreach.discover.found import Key
from regreach.discover.key_sources import Part
from regreach.discover.names import ClassRef, Imported, Names
from regreach.discover.shapes import Mode
from regreach.facts import ir


class KeyValues:
    """Evaluates keys in a module; ``local`` are the imports of its functions."""

    def __init__(self, names: Names, local: Mapping[str, Imported]) -> None:
        self.names, self._local = names, local

    def keys(
        self,
        module: str,
        mode: Mode,
        arguments: Mapping[str, ir.Expr],
        node: ir.FunctionDef | ir.ClassDef | None,
        thing: ir.Expr | None = None,
    ) -> list[Key]:
        """Return the keys of a registration: several where a list of names is given."""
        if mode.key is None:
            return [()]
        keys: list[Key] = [()]
        for part in mode.key:
            values = self._part(module, part, arguments, node, thing)
            keys = [(*key, value) for key in keys for value in values]
        return keys

    def _part(
        self,
        module: str,
        part: Part,
        arguments: Mapping[str, ir.Expr],
        node: ir.FunctionDef | ir.ClassDef | None,
        thing: ir.Expr | None,
    ) -> list[object]:
        for source in part:
            if source.kind == "param":
                given = arguments.get(str(source.name))
                if given is None or (isinstance(given, ir.Const) and given.value is None):
                    continue
                if source.each:
                    return expanded(self.names, module, given, self._local)
                return [folded(self.names, module, given, self._local)]
            if source.kind == "const":
                return [source.name]
            if source.kind == "self" and thing is not None:
                return [folded(self.names, module, thing, self._local)]
            if source.kind == "self" and node is not None:
                return [node.name]
            if source.kind == "attr":
                found = self._attribute(module, str(source.name), node, thing, each=source.each)
                if found:
                    return found
        return [None]

    def _attribute(
        self,
        module: str,
        attr: str,
        node: ir.FunctionDef | ir.ClassDef | None,
        thing: ir.Expr | None,
        *,
        each: bool,
    ) -> list[object]:
        """Return an attribute of what is registered: its own name, one that the class binds, or an argument."""
        if node is not None:
            if attr in ("__name__", "__qualname__"):
                return [node.name]
            if isinstance(node, ir.ClassDef):
                found = self.names.member(ClassRef(module, node.name, node), attr)
                value = (
                    found[1].value
                    if found and isinstance(found[1], (ir.Assign, ir.AnnAssign))
                    else None
                )
                if found is not None and value is not None:
                    home = found[0].module
                    return (
                        expanded(self.names, home, value)
                        if each
                        else [folded(self.names, home, value)]
                    )
        if isinstance(thing, ir.Call):
            for arg in thing.args:
                if arg.keyword == attr:
                    return [folded(self.names, module, arg.value, self._local)]
        return []
