"""The simple registries of a tree: what is registered, what of it can be loaded, and what is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from regreach.evaluate.finished import FinishedModules
from regreach.evaluate.world import World
from regreach.facts import walk
from regreach.facts.registrar_lines import UNKNOWN_KEY
from regreach.model import Audit, Lost, SimpleEntry, SimpleRegistryResult, Wanted
from regreach.simple.clashes import clashes_of
from regreach.simple.containers import Merged, filled_in
from regreach.simple.declared import SimpleRegistry
from regreach.simple.discovered import FoundByLoops
from regreach.simple.guards import Guards
from regreach.simple.keys import Keys, texts_of
from regreach.simple.origins import Origins
from regreach.simple.reach import Reaches
from regreach.simple.roots import roots_in
from regreach.simple.same import Sameness
from regreach.simple.targets import Targets
from regreach.simple.uses import Placed, Use, placed, uses_in
from regreach.simple.wanted import literal_uses, unserved_choices, unserved_uses, wrong_members
from regreach.simple.ways import Ways
from regreach.supply.scans import registers

if TYPE_CHECKING:
    from regreach.verdicts import Analysis


@dataclass(frozen=True, slots=True)
class SimpleFound:
    """What there is to say of the simple registries of a tree, and notes for the reader."""

    registries: tuple[SimpleRegistryResult, ...]
    notes: tuple[str, ...]

    def added_to(self, audit: Audit) -> Audit:
        """Return an audit with these."""
        notes = (*audit.notes, *self.notes)
        return replace(audit, simple_registries=self.registries, notes=notes)


def simple_registries(analysis: Analysis, *, complete: bool) -> SimpleFound:
    """Look at the simple registries of the pack; those that a tree knows nothing of are left out.

    They are ``complete``, or only files are looked into that can matter to a finding: what the bytes of a
    file tell of its keys is enough to know which these are. The findings are the same. Whether the analysis
    is a quick one makes no difference.
    """
    declared = analysis.pack.simple_registries
    simple = SimpleRegistries(analysis, complete=complete)
    # first those that name modules: these can be loaded, then
    order = sorted(declared, key=lambda registry: not registry.names_modules)
    results = {registry.id: simple.result(registry) for registry in order}
    found = (results[registry.id] for registry in declared)
    return SimpleFound(tuple(r for r in found if r is not None), tuple(simple.notes))


class SimpleRegistries:
    """What the simple registries of one tree have in common."""

    def __init__(self, analysis: Analysis, *, complete: bool) -> None:
        program, pack, platform = analysis.program, analysis.pack, analysis.platform
        # of an environment in which any variable may be set: what somebody can switch on can happen
        world = World(platform.values, platform.absent, pack.installed, platform.environment)
        paths = [r.path for registry in pack.simple_registries for r in registry.registrars]
        self.program, self.pack = program, pack
        self.complete = complete
        self.notes: list[str] = []
        self.finished = FinishedModules(program, world, pack.location.name, paths)
        self.origins = Origins(program)
        self.keys = Keys(program, self.finished)
        self.guards = Guards(program, self.finished)
        self.ways = Ways(program, pack, analysis.graph, self.guards)
        self.targets = Targets(program, self.keys, pack.location.name)

    def result(self, registry: SimpleRegistry) -> SimpleRegistryResult | None:
        """Return what there is to say of a registry; None when the tree has nothing of it."""
        return _RegistryAnalysis(self, registry).result()


class _RegistryAnalysis:
    """One registry of one tree."""

    def __init__(self, common: SimpleRegistries, registry: SimpleRegistry) -> None:
        self.common, self.registry = common, registry
        self.program, self.pack = common.program, common.pack
        self.roots = roots_in(common.program, common.pack, registry)
        self.homes = sorted(home for home in registry.homes if self.program.has(home))
        self.reaches = Reaches(
            common.program,
            registry,
            common.ways,
            self.roots,
            self.homes,
            of_library=self._is_of_library(),
        )
        self.loops = FoundByLoops(
            common.program, common.pack, common.origins, common.keys, registry.discovered
        )
        self.found_by_loops: set[SimpleEntry] = set()
        self.uses: dict[SimpleEntry, Use] = {}
        self.lost: list[Lost] = []
        self.unknown: list[str] = []  # where keys are that are not known

    def result(self) -> SimpleRegistryResult | None:
        registry, common = self.registry, self.common
        if self._is_of_library() and not self.roots:
            self.common.notes.append(
                f"this tree has none of the roots of {registry.id}; what registers there is not judged"
            )
            return None
        if not self.homes and not self._is_of_library() and not self._may_be_filled():
            return None
        if not common.complete and self._is_at_home():
            return None
        registrars = placed(self.program, registry)
        seen = self._seen(registrars)
        for module, found in self.loops.seen().items():
            seen[module] = [*seen.get(module, ()), *found]
        literal = list(
            literal_uses(
                self.program,
                self.pack,
                common.origins,
                registry,
                lambda module: self._keys_seen(seen, module),
            )
        )
        looked_into = self._to_look_into(seen, {use.key for use in literal})
        entries = [*self._registered_in(looked_into, registrars), *self._contained()]
        # what bytes do not tell may turn out to be a key that another module has
        known = {f"={entry.key}" for entry in entries}
        others = {m for m, found in seen.items() if m not in looked_into and known & set(found)}
        entries += self._registered_in(others, registrars)
        entries.sort(key=lambda e: (e.spot.path, e.spot.line, e.key or ""))
        if not entries and not seen:
            return None  # what would fill it is not in this tree
        keys = {e.key for e in entries if e.key is not None}
        alike = {key.removeprefix("=") for found in seen.values() for key in found} | keys
        why_open = self._why_open()
        same = (
            Sameness(self.program, common.origins, [r.path for r in registry.registrars])
            if registry.doubled != "raises"
            else None
        )
        clashes = (
            clashes_of(entries, self.uses, common.ways, same, self.reaches.starts)
            if registry.doubled != "allowed"
            else ()
        )
        wanted: list[Wanted] = []
        if not why_open:
            wanted += unserved_choices(self.program, common.keys, registry, keys, alike)
            wanted += unserved_uses(literal, keys, alike)
        wanted += wrong_members(common.keys, registry, entries)
        if common.complete or registry.lookups:  # else no finding asks
            entries = [
                replace(entry, reach="discovered")
                if entry in self.found_by_loops
                else self.reaches.reached(entry)
                for entry in entries
            ]
        wanted += self.reaches.unreached_uses(literal, entries)
        return SimpleRegistryResult(
            registry.id,
            registry.doubled,
            registry.lookups,
            why_open,
            tuple(entries),
            tuple(clashes),
            tuple(wanted),
            tuple(self.reaches.unreached(entries)),
            tuple(lost for lost in self.lost if lost.entry.possible),
        )

    def _is_at_home(self) -> bool:
        """Return whether nothing can be wrong: one module alone fills a dict, and no list says with what."""
        registry = self.registry
        filled_elsewhere = registry.registrars or registry.discovered
        if (
            registry.target
            or filled_elsewhere
            or registry.choices
            or registry.enum
            or registry.prefix
        ):
            return False
        filling = {m for c in registry.containers for m in self._mentioning(c)}
        return len(filling) <= 1

    def _mentioning(self, container: str) -> list[str]:
        """Return the modules that name a container, tests and the like left out."""
        word = container.rpartition(":")[2].rpartition(".")[2].encode()
        paths = ((module, self.program.path(module)) for module in self.program.mentioning(word))
        return [
            module for module, path in paths if path is not None and not self.pack.ignores(path)
        ]

    # -- what is registered -----------------------------------------------------------------

    def _seen(self, registrars: list[Placed]) -> dict[str, list[str]]:
        """Return the keys under which modules seem to register something, as their bytes tell."""
        if not registrars:
            return {}
        bases = {each.registrar.word.encode() for each in registrars if each.registrar.subclasses}
        found: dict[str, list[str]] = {
            module: [UNKNOWN_KEY]
            for module in (self.program.mentioning(*sorted(bases)) if bases else ())
            if not self.pack.ignores(self.program.path(module) or "")
        }
        registrars = [each for each in registrars if not each.registrar.subclasses]
        words = sorted({each.registrar.word.encode() for each in registrars})
        question = registers(*sorted(each.described for each in registrars))
        for module in self.program.mentioning(*words):
            path = self.program.path(module)
            if path is not None and not self.pack.ignores(path):
                keys = self.program.ask(module, question)
                assert isinstance(keys, list), "these are keys"
                found[module] = [*found.get(module, ()), *keys]
        return {module: keys for module, keys in found.items() if keys}

    def _keys_seen(self, seen: dict[str, list[str]], module: str) -> set[str]:
        """Return the keys that a module registers, as its bytes tell; in full, nothing is taken from there.

        Nor where bytes do not tell which registry it is.
        """
        untold = self.common.complete or any(r.unless for r in self.registry.registrars)
        keys = () if untold else seen.get(module, ())
        return {key.removeprefix("=") for key in keys}

    def _to_look_into(self, seen: dict[str, list[str]], asked: set[str]) -> set[str]:
        """Return the modules of which it matters what exactly they register.

        Those with a key that another one has too, that is used by its name, that is no member of the enum
        or that the bytes do not tell, and those that may not be loaded at all.
        """
        if self.common.complete or self.registry.choices or self.registry.names_modules:
            return set(seen)
        members = self._members()
        wanted = set()
        by_key: dict[str, set[str]] = {}
        for module, keys in seen.items():
            for key in keys:
                by_key.setdefault(key.removeprefix("="), set()).add(module)
        for key, modules in by_key.items():
            odd = members is not None and key not in members
            if len(modules) > 1 or key in asked or odd or key == UNKNOWN_KEY:
                wanted |= modules
        if self.registry.lookups:
            wanted |= {module for module in seen if not self.reaches.is_loaded(module)}
        return wanted

    def _members(self) -> set[str] | None:
        found = self.common.keys.listed(self.registry.enum) if self.registry.enum else None
        return set(found) if found is not None else None

    def _registered_in(
        self, modules: Iterable[str], registrars: list[Placed]
    ) -> Iterator[SimpleEntry]:
        self.program.prefetch(sorted(modules))
        for module in sorted(modules):
            yield from self._registered(module, registrars)

    def _registered(self, module: str, registrars: list[Placed]) -> Iterable[SimpleEntry]:
        common = self.common
        for use in uses_in(self.program, common.origins, module, self.registry, registrars):
            yield from self._entries(use)
        for use in self.loops.uses_in(module):
            for entry in self._entries(use):
                self.found_by_loops.add(entry)
                yield entry

    def _contained(self) -> Iterable[SimpleEntry]:
        """Yield the entries of the registry's containers, wherever these are filled."""
        for container in self.registry.containers:
            for module in self._mentioning(container):
                for found in filled_in(
                    self.program, self.common.origins, module, container, self.registry.target
                ):
                    if isinstance(found, Merged):
                        self._take_in(found)
                    else:
                        yield from self._entries(found)

    def _take_in(self, merged: Merged) -> None:
        """Note that a container has entries that are not known, unless they are those of another one."""
        dotted = walk.dotted_name(merged.value)
        if dotted and self.common.origins.of(merged.module, dotted) in self.registry.containers:
            return
        if texts_of(self.common.finished.evaluated(merged.module, merged.value)) != ():
            self.unknown.append(str(merged.spot))

    def _entries(self, use: Use) -> Iterable[SimpleEntry]:
        keys = (
            self.common.keys.listed(use.listed)
            if use.listed
            else self.common.keys.of(use.module, use.key, use.around)
        )
        if use.registrar is not None and keys is not None:
            own = [use.registrar.key_of(key) for key in keys]
            keys = tuple(key for key in own if key is not None)
        if keys is None:
            self.unknown.append(str(use.spot))
        possible = use.around.in_function or self.common.guards.can_hold(
            use.module, use.around.guards
        )
        target = self.common.targets.of(use, self.registry.whole)
        if target is not None:
            self.common.ways.named([target.module])
        for key in keys if keys is not None else (None,):
            entry = SimpleEntry(
                key,
                use.module,
                use.spot,
                use.column,
                use.symbol,
                use.around.in_function,
                possible,
                target=str(target) if target is not None else "",
            )
            if target is not None and (missing := self.common.targets.missing(target)):
                self.lost.append(Lost(entry, missing))
            self.uses[entry] = use
            yield entry

    def _why_open(self) -> str:
        if self.registry.open:
            return "others may add entries"
        if self.unknown:
            return f"a key is not known: {', '.join(sorted(set(self.unknown))[:4])}"
        words = {r.word.encode() for r in self.registry.registrars}
        unread = [p for p in self.program.not_read_with(words) if not self.pack.ignores(p)]
        return f"not read: {', '.join(sorted(unread))}" if unread else ""

    def _may_be_filled(self) -> bool:
        """Return whether something fills the registry that has no place in the tree, or a loop does."""
        own = f"{self.pack.location.name}."
        return any(not f"{r.path}.".startswith(own) for r in self.registry.registrars) or any(
            self.program.has(each.package) for each in self.registry.discovered
        )

    def _is_of_library(self) -> bool:
        """Return whether the look-ups are a library's, which reads what a process that begins with a root has."""
        own = f"{self.pack.location.name}."
        lookups = self.registry.lookups
        return bool(lookups) and not any(f"{path}.".startswith(own) for path in lookups)
