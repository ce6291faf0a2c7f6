"""The consumer constructed as the tree's own code would: nothing else of the tree was imported before."""

from __future__ import annotations

import importlib
import os
import types
from collections.abc import Mapping
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from regreach.probe.inside.cases import attempted, bound, member, resolve, text
else:
    from _regreach_probe.cases import attempted, bound, member, resolve, text

Plan = Mapping[str, Any]


class WrongEnvironmentError(Exception):
    """What is here is not what was to be tried: another copy of the tree, another ambient value."""


class Construction:
    """Constructs the consumer for the smoke's key; ``entry`` is what the registry holds for it then."""

    def __init__(self, plan: Plan, script: types.ModuleType) -> None:
        self.plan = plan
        self._script = script
        self.made: Any = None
        self.entry: Any = None

    def attempt(self, shape: Mapping[str, int]) -> dict[str, Any]:
        """Construct it for a shape; say what function was found, or what was raised where."""
        ended = attempted(self.plan, lambda: self._construct(shape))
        if ended["ok"]:
            ended["function"] = f"{self.entry.__module__}:{self.entry.__qualname__}"
        return ended

    def _construct(self, shape: Mapping[str, int]) -> None:
        plan, consumer = self.plan, self.plan["consumer"]
        importlib.import_module(consumer["module"])
        self._check_origin()
        for selector in consumer["ambient"]:
            self._check_ambient(selector)
        given = {
            parameter: member(plan, selector, plan["choice"][selector])
            for parameter, selector in consumer["selectors"].items()
        }
        for parameter, made in consumer["made"].items():
            cls = resolve(made["class"])
            fields = {k: v[1] for k, v in made["fields"].items() if v[0] == "value"}
            fields |= self._script.config(shape)
            accepted = signature(cls).parameters
            given[parameter] = cls(**{k: v for k, v in fields.items() if k in accepted})
        self.made = bound(f"{consumer['module']}:{consumer['callable']}")(**given)
        self.entry = self._entry()

    def _check_origin(self) -> None:
        package = importlib.import_module(self.plan["package"])
        places = [package.__file__] if package.__file__ else list(package.__path__)
        root = Path(os.path.realpath(self.plan["import_root"]))
        if not any(Path(os.path.realpath(place)).is_relative_to(root) for place in places):
            raise WrongEnvironmentError(f"{places[0]} was imported, not the tree in {root}")

    def _check_ambient(self, selector: str) -> None:
        """The process must have the key's value by itself: nothing is told it."""
        wanted = self.plan["choice"][selector]
        for source in self.plan["selectors"][selector]["sources"]:
            found = text(bound(source)())
            if found != wanted:
                raise WrongEnvironmentError(
                    f"{source} gives {found!r} here, and the key says {wanted!r}"
                )

    def _entry(self) -> Any:
        registry = self.plan["registry"]
        for key, entry in resolve(registry["container"]).items():
            parts = key if isinstance(key, tuple) else (key,)
            if [text(part) for part in parts] == self.plan["key"]:
                return entry
        raise LookupError(f"{registry['id']} holds nothing for {', '.join(self.plan['key'])}")
