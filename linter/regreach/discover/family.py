"""The classes that inherit from one, and the objects of a class that live long."""

from __future__ import annotations

import re
from collections.abc import Iterator

from regreach.discover.bodies import assignments, classes_in
from regreach.discover.candidates import Candidates
from regreach.discover.containers import Container, made_by
from regreach.discover.names import ClassRef, Names


class Family:
    """Classes of a tree, with their heirs and objects; what was looked for once is known."""

    def __init__(self, names: Names, candidates: Candidates) -> None:
        self.names, self.program, self.candidates = names, names.program, candidates
        self._instances: dict[tuple[str, str], list[Container]] = {}
        self._classes: dict[tuple[str, str], list[ClassRef]] = {}

    def heirs(self, cls: ClassRef) -> list[ClassRef]:
        """Return a class and those of the tree that inherit from it."""
        key = (cls.module, cls.name)
        if key in self._classes:
            return self._classes[key]
        found = {key: cls}
        waiting = [cls]
        while waiting:
            each = waiting.pop()
            last = each.name.rpartition(".")[2]
            for module in sorted(self.candidates.heirs.get(last, ())):
                for heir in classes_in(self.names, module):
                    mark = (heir.module, heir.name)
                    above = self.names.ancestry(heir)
                    if mark not in found and any(
                        (a.module, a.name) == (each.module, each.name) for a in above
                    ):
                        found[mark] = heir
                        waiting.append(heir)
        self._classes[key] = list(found.values())
        return self._classes[key]

    def instances(self, cls: ClassRef) -> list[Container]:
        """Return the objects of a class that are bound in a module or in a class, as ``module:name``."""
        key = (cls.module, cls.name)
        if key in self._instances:
            return self._instances[key]
        last = cls.name.rpartition(".")[2]
        makers = {last, *self._factories(last)}
        modules = sorted({m for maker in makers for m in self.candidates.made.get(maker, ())})
        found: list[Container] = []
        for module in modules:
            facts = self.program.readable_facts(module)
            if facts is None:
                continue
            for name, value in assignments(facts.body):
                made = made_by(self.names, module, value)
                if made is not None and (made.module, made.name) == key:
                    found.append(Container(module, name))
        self._instances[key] = list(dict.fromkeys(found))
        return self._instances[key]

    def _factories(self, last: str) -> Iterator[str]:
        """Yield the names of functions that return a new object of a class."""
        name = re.escape(last.encode())
        pattern = rb"\breturn[ \t]+(?:\w+\.)*%b\(" % name
        for module in sorted(self.candidates.returned.get(last, ())):
            data = self.program.source(module)
            for each in re.finditer(
                rb"\ndef[ \t]+(\w+)\((?:(?!\n\S).|\n)*?\n[ \t]+" + pattern, data
            ):
                yield each[1].decode()
