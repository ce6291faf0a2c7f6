"""What a pack names and a tree does not have, entry by entry."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from regreach.defined_names import DefinedNames
from regreach.evaluate.values import SOMETHING
from regreach.model import Severity
from regreach.pack import Consumer, Pack, Registry
from regreach.program import Program
from regreach.simple.declared import SimpleRegistry
from regreach.toml_table import did_you_mean


@dataclass(frozen=True, slots=True)
class Missing:
    """An entry of a pack that does not fit a tree.

    An error keeps a registry or a consumer from being judged; a warning is passed over in an analysis, as
    packs speak of several releases; an info is a fact that no file of the tree asks for.
    """

    severity: Severity
    entry: str
    problem: str


def missing_in(program: Program, pack: Pack) -> list[Missing]:
    """Return what of a pack a tree lacks, in the order of the format's sections."""
    return list(_Check(program, pack).all())


class _Check:
    def __init__(self, program: Program, pack: Pack) -> None:
        self._program, self._pack = program, pack
        self._tree = DefinedNames(program)

    def all(self) -> Iterator[Missing]:
        pack = self._pack
        yield from self._modules("warning", "process_roots", pack.process_roots)
        for selector in pack.selectors.values():
            entry = f"selectors.{selector.name}"
            yield from self._one(f"{entry}.enum", selector.enum)
            yield from self._several(f"{entry}.sources", selector.sources)
        for consumer in pack.consumers.values():
            yield from self._consumer(consumer)
        for index, registry in enumerate(pack.registries):
            yield from self._registry(f"registries[{index}]", registry)
        for index, simple in enumerate(pack.simple_registries):
            yield from self._simple(f"simple_registries[{index}]", simple)
        for platform in pack.platforms.values():
            for name, patterns in platform.unavailable.items():
                entry = f"platforms.{platform.name}.unavailable.{name}"
                yield from self._unavailable(entry, name, patterns)
        yield from self._facts()

    def _one(self, entry: str, path: str, severity: Severity = "error") -> Iterator[Missing]:
        problem = self._tree.lacks(path)
        if problem is not None:
            yield Missing(severity, entry, problem)

    def _several(
        self, entry: str, paths: Iterable[str], *, simple: bool = False
    ) -> Iterator[Missing]:
        """Yield what is missing of paths of which each does: an error where none is there.

        In a ``simple`` registry, what is not of the package counts as there, and variables of functions do.
        """
        own = self._pack.location.name
        found = [
            (path, None if simple and _top(path) != own else self._tree.lacks(path, local=simple))
            for path in paths
        ]
        severity: Severity = "warning" if any(p is None for _, p in found) else "error"
        for _, problem in found:
            if problem is not None:
                yield Missing(severity, entry, problem)

    def _modules(self, severity: Severity, entry: str, modules: Iterable[str]) -> Iterator[Missing]:
        for module in modules:
            problem = self._tree.lacks_module(module)
            if problem is not None:
                yield Missing(severity, entry, problem)

    def _consumer(self, consumer: Consumer) -> Iterator[Missing]:
        entry = f"consumers.{consumer.name}"
        problem = self._tree.lacks_module(consumer.module)
        if problem is not None:
            yield Missing("error", f"{entry}.module", problem)
            return
        problem = self._tree.lacks(consumer.path)
        if problem is not None:
            yield Missing("error", f"{entry}.callable", problem)
            return
        given = self._tree.fields(consumer.path)
        for parameter in (*consumer.selectors, *consumer.made) if given is not None else ():
            if parameter not in (given or ()):
                near = did_you_mean(parameter, given or ())
                text = f"{consumer.path} takes no {parameter!r}{near}"
                yield Missing("error", f"{entry}.arguments.{parameter}", text)
        for parameter, made in consumer.made.items():
            where = f"{entry}.arguments.{parameter}"
            missing = list(self._one(f"{where}.new", made.cls, "warning"))
            yield from missing
            known = self._tree.fields(made.cls) if not missing else None
            for name in made.fields if known is not None else ():
                if name not in (known or ()):
                    text = f"{made.cls} takes no {name!r}{did_you_mean(name, known or ())}"
                    key = "given" if made.fields[name] is SOMETHING else f"fields.{name}"
                    yield Missing("warning", f"{where}.{key}", text)
        if consumer.use is not None:
            method = f"{consumer.path}.{consumer.use.method}"
            yield from self._one(f"{entry}.use.method", method)
            parameters = self._tree.parameters(method)
            if parameters is not None and consumer.use.parameter not in parameters:
                near = did_you_mean(consumer.use.parameter, parameters)
                text = f"{method} takes no {consumer.use.parameter!r}{near}"
                yield Missing("error", f"{entry}.use.parameter", text)
            yield from self._one(f"{entry}.use.enum", consumer.use.enum)

    def _registry(self, entry: str, registry: Registry) -> Iterator[Missing]:
        yield from self._one(f"{entry}.container", registry.container)
        yield from self._several(f"{entry}.registrars", registry.registrars)
        yield from self._several(f"{entry}.lookups", registry.lookups)
        first = next((p for p in registry.registrars if self._tree.lacks(p) is None), None)
        given = self._tree.parameters(first) if first is not None else None
        if given is not None:
            positional = [p for p in given.values() if p.kind != "doublestar"]
            starred = any(p.kind in ("star", "doublestar") for p in given.values())
            if len(positional) < len(registry.key) and not starred:
                text = (
                    f"has {len(registry.key)} parts, and {first} takes only"
                    f" {', '.join(map(repr, given)) or 'nothing'}"
                )
                yield Missing("error", f"{entry}.key", text)

    def _simple(self, entry: str, registry: SimpleRegistry) -> Iterator[Missing]:
        for name, paths in (
            ("registrars", tuple(r.path for r in registry.registrars)),
            ("containers", registry.containers),
            ("lookups", registry.lookups),
            ("choices", registry.choices),
            ("alias_tables", registry.alias_tables),
        ):
            yield from self._several(f"{entry}.{name}", paths, simple=True)
        if registry.enum:
            yield from self._one(f"{entry}.enum", registry.enum)
        if registry.roots != self._pack.process_roots:
            roots = [root for root in registry.roots if "*" not in root]
            yield from self._modules("warning", f"{entry}.roots", roots)
        yield from self._modules("warning", f"{entry}.discovers", registry.discovers)
        for index, each in enumerate(registry.discovered):
            where = f"{entry}.discovered[{index}]"
            yield from self._modules("error", f"{where}.package", [each.package])
            if each.base:
                yield from self._one(f"{where}.base", each.base)

    def _unavailable(self, entry: str, selector: str, patterns: Iterable[str]) -> Iterator[Missing]:
        enum = self._pack.selectors[selector].enum
        values = self._tree.values(enum)
        for pattern in patterns if values else ():
            if not any(fnmatch.fnmatchcase(value, pattern) for value in values or ()):
                near = did_you_mean(pattern, values or ())
                yield Missing("warning", entry, f"{pattern!r} is no value of {enum}{near}")

    def _facts(self) -> Iterator[Missing]:
        """Yield the packages of which platforms tell something that no file of the tree names."""
        paths = {p for f in self._pack.platforms.values() for p in (*f.values, *f.absent)}
        packages = {path.removesuffix("()").partition(".")[0] for path in paths} - {"typing"}
        unnamed = [p for p in sorted(packages) if not self._program.mentioning(p.encode())]
        if unnamed:
            yield Missing("info", "platforms", f"no file of the tree names {', '.join(unnamed)}")


def _top(path: str) -> str:
    return path.partition(":")[0].partition(".")[0]
