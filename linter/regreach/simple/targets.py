"""String maps: entries whose value is the name of what they stand for, to be imported when it is looked up."""

from __future__ import annotations

import difflib
import re
import string
from dataclasses import dataclass

from regreach.defined_names import DefinedNames
from regreach.facts.names import bound_names
from regreach.program import Program
from regreach.simple.keys import Keys
from regreach.simple.uses import Use
from regreach.supply.scans import matches

# What binds names that no statement shows.
_UNSEEN = matches(
    rb"\bglobals\(\)|\bvars\(\)|\bexec\(|\bsys\.modules\b|\bsetattr\(|\b__dict__\b",
)


@dataclass(frozen=True, slots=True)
class Target:
    """Where an entry leads: a module, and what of it (empty: the module itself)."""

    module: str
    attribute: str

    def __str__(self) -> str:
        return f"{self.module}:{self.attribute}" if self.attribute else self.module


class Targets:
    """Fills in the targets of entries, and says which of them lead nowhere."""

    def __init__(self, program: Program, keys: Keys, package: str) -> None:
        """Take a tree whose import package is ``package``; what lies outside of it is not judged."""
        self._program, self._keys, self._package = program, keys, package
        self._names = DefinedNames(program)

    def of(self, use: Use, whole: str = "") -> Target | None:
        """Return where an entry leads; None where it says nothing of that, or it is not known.

        What begins with ``whole`` is the whole name of a module.
        """
        if not use.target:
            return None
        text = self._filled(use, whole)
        module, colon, attribute = text.partition(":")
        if not re.fullmatch(r"\w+(?:\.\w+)*", module) or not re.fullmatch(r"[\w.]*", attribute):
            return None
        if not colon and not self._program.has(module):
            module, _, attribute = module.rpartition(".")
        return Target(module, attribute) if module else None

    def _filled(self, use: Use, whole: str) -> str:
        """Return the text of a target; empty where a part of it is not known, or says that there is none."""
        found = ""
        for before, name, _, _ in string.Formatter().parse(use.target):
            found += before
            if name is None:
                continue
            node = use.parts.get(name)
            texts = self._keys.of(use.module, node, use.around) if node is not None else None
            if texts is None or len(texts) != 1 or not texts[0]:
                return ""
            first = found == before
            found = texts[0] if first and whole and texts[0].startswith(whole) else found + texts[0]
        return found

    def missing(self, target: Target) -> str:
        """Return what is not there of a target, with what may have been meant; empty where nothing is missing."""
        program = self._program
        if target.module.partition(".")[0] != self._package:
            return ""
        if not program.has(target.module):
            # ``a.b.Class.method``: the end of the module's name is told by what there is
            above, _, last = target.module.rpartition(".")
            if program.has(above) and self._may_have(above, last):
                return ""
            near = difflib.get_close_matches(target.module, list(program.tree.modules), 1, 0.8)
            return f"there is no module {target.module}{_meant(near)}"
        first = target.attribute.partition(".")[0]
        if not first or self._may_have(target.module, first):
            return ""
        defined = self._names.of(target.module)
        names = [n for n in defined.names if "." not in n] if defined is not None else []
        return f"{target.module} has no {first}{_meant(difflib.get_close_matches(first, names, 1))}"

    def _may_have(self, module: str, name: str) -> bool:
        """Return whether a module of the tree binds a name, or may do so by what is not seen."""
        program = self._program
        word = name.encode()
        if program.has(f"{module}.{name}"):
            return True
        at_margin = rb"(?m)^(?:class|def|async[ \t]+def)[ \t]+%b\b" % re.escape(word)
        if program.ask(module, matches(at_margin, word)) is True:
            return True
        defined = self._names.of(module)
        if defined is None or "" in defined.open or name in defined.names:
            return True
        facts = program.readable_facts(module)
        if facts is None or name in bound_names(facts.body):
            return True
        by_functions = rb"(?m)^[ \t]+global[ \t][^\n]*\b%b\b" % re.escape(word)
        return program.ask(module, _UNSEEN) is True or (
            program.ask(module, matches(by_functions, word)) is True
        )


def _meant(near: list[str]) -> str:
    return f"; did you mean {near[0]}?" if near else ""
