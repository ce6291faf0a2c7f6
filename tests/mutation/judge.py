"""What regreach says of a mutant beside what the mutant does."""

from __future__ import annotations

import os
import random
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from regreach.model import Audit, CallSite, RegistryResult, SiteValue
from regreach.plugins import load_plugins
from regreach.probe.compare import compare
from regreach.probe.files import copy_into
from regreach.probe.plan import Limits, plan_of
from regreach.probe.servers import Servers, started
from regreach.probe.truth import Truth, execute
from regreach.request import Request, Result
from regreach.run import analyse
from regreach.tree import open_tree

from .operators import Grounds, Mutant, mutants_of

# Of so many values that the process may have chosen all are tried.
_AMBIENT = 2
_LARGE = 500
_CRASH_RULES = ("RR101", "RR103")


class Judge:
    """A copy of a tree whose files are mutated one at a time."""

    def __init__(self, root: Path, servers: Servers, platform: str, cache: Path) -> None:
        self._root = root
        self._servers = servers
        self._platform = platform
        self._cache = cache
        self._clock = time.time()
        self._pack = load_plugins().pack("sglang")
        self.baseline = self._analysed()
        # importing the process roots of a real release takes as long as all the rest
        self._is_large = self.baseline.audit.modules > _LARGE

    def _analysed(self) -> Result:
        return analyse(
            Request(str(self._root), platform=self._platform, cache_dir=self._cache, jobs=1)
        )

    def mutants(self, seed: int) -> list[Mutant]:
        """Return all mutants of the files that the verdicts depend on, in a random order."""
        audit = self.baseline.audit
        rng = random.Random(seed)
        grounds = self._grounds(audit)
        paths = {site.spot.path for site in audit.call_sites}
        program = self.baseline.analysis.program
        for module in (*grounds.registering, *self._modules_of_pack()):
            paths.add(program.path(module) or "")
            package = module.rpartition(".")[0]
            while package:
                paths.add(program.path(package) or "")
                package = package.rpartition(".")[0]
        for registry in audit.registries:
            for cell in registry.cells:
                paths.update(e.spot.path for e in (*cell.importers, *cell.hangs_on))
        found: dict[str, list[Mutant]] = {}
        for path in sorted(paths - {""}):
            text = (self._root / path).read_text(encoding="utf-8")
            for mutant in mutants_of(path, text, grounds, rng):
                found.setdefault(mutant.operator, []).append(mutant)
        return _fairly(found, rng)

    def _modules_of_pack(self) -> list[str]:
        names = [c.module for c in self._pack.consumers.values()]
        names += [s.enum.partition(":")[0] for s in self._pack.selectors.values()]
        names += [r.container.partition(":")[0] for r in self._pack.registries]
        return list(dict.fromkeys(names))

    def _grounds(self, audit: Audit) -> Grounds:
        (consumer,) = self._pack.consumers.values()
        selector = self._pack.selectors[next(iter(consumer.selectors.values()))]
        registrations = [r for reg in audit.registries for c in reg.cells for r in c.registrations]
        values = {c.key[-1] for c in audit.registries[0].cells}
        lines: dict[str, list[int]] = {}
        for site in audit.call_sites:
            lines.setdefault(site.spot.path, []).append(site.spot.line)
        registrars = [name for r in self._pack.registries for name in r.registrars]
        return Grounds(
            self._pack.location.name,
            frozenset(name.rpartition(":")[2].rpartition(".")[2] for name in registrars),
            consumer.callable,
            selector.enum,
            {value.upper(): value for value in sorted(values)},
            list(dict.fromkeys(r.module for r in registrations)),
            lines,
        )

    def judge(self, mutant: Mutant) -> list[str] | None:
        """Return where regreach and the mutant disagree; None when it is no Python."""
        file = self._root / mutant.path
        before = file.read_bytes()
        text = mutant.applied(before.decode())
        if text is None:
            return None
        try:
            self._write(file, text.encode())
            result = self._analysed()
            audit = self._part(result.audit, mutant)
            pack = self._pack
            if self._is_large and not mutant.operator.startswith("eager"):
                pack = replace(pack, process_roots=())
            platform = pack.platform(self._platform)
            truth = execute(
                self._servers, pack, platform, audit, lambda _: None, in_part=self._is_large
            )
        finally:
            self._write(file, before)
        import_root = result.analysis.program.tree.import_root
        differing = [
            f"{c.kind}: {c.what}: said {c.said}; was {c.real}"
            for c in compare(audit, truth, import_root)
            if not c.agrees and c.unjudged is None
        ]
        return differing + list(_wrong_findings(result, audit, truth))

    def _write(self, file: Path, data: bytes) -> None:
        """Write a file that is certainly newer: what was compiled is told by whole seconds and sizes."""
        file.write_bytes(data)
        self._clock += 2
        os.utime(file, (self._clock, self._clock))

    def _part(self, audit: Audit, mutant: Mutant) -> Audit:
        """Return a part of the audit: of a large tree all would take minutes.

        That is the mutant's own module and another one to be imported first, the call sites in them,
        and the keys for two values of what the process has chosen.
        """
        program = self.baseline.analysis.program
        rng = random.Random(str(mutant))
        modules = list(audit.imported_first)
        own = [m for m in modules if program.path(m) == mutant.path]
        chosen = {*own[:1], rng.choice(modules)} if self._is_large else set(modules)
        return replace(
            audit,
            registries=tuple(self._registry(r, rng) for r in audit.registries),
            imported_first={m: v for m, v in audit.imported_first.items() if m in chosen},
            call_sites=tuple(s for s in audit.call_sites if s.module in chosen),
        )

    def _registry(self, registry: RegistryResult, rng: random.Random) -> RegistryResult:
        firsts = list(dict.fromkeys(cell.key[:-1] for cell in registry.cells))
        if not self._is_large or len(firsts) <= _AMBIENT:
            return registry
        registered = sorted({c.key[:-1] for c in registry.cells if c.registrations} - {firsts[0]})
        kept = {firsts[0], rng.choice(registered or firsts)}
        return replace(registry, cells=tuple(c for c in registry.cells if c.key[:-1] in kept))


def _fairly(found: dict[str, list[Mutant]], rng: random.Random) -> list[Mutant]:
    """Return the mutants so that each operator has its turn."""
    for mutants in found.values():
        rng.shuffle(mutants)
    ordered = []
    while any(found.values()):
        for operator in sorted(found):
            if found[operator]:
                ordered.append(found[operator].pop())
    return ordered


def _wrong_findings(result: Result, part: Audit, truth: Truth) -> Iterator[str]:
    """Yield each key that crashes at a site without an error finding, and each finding without a crash."""
    for registry in part.registries:
        found = {
            finding.key
            for finding in result.findings
            if finding.rule in _CRASH_RULES and finding.key is not None
        }
        for cell in registry.cells:
            if not cell.registrations or cell.held_back_by is not None or cell.reach == "process":
                continue  # in practice the process has imported what registers it
            seen = [
                arrival
                for site in truth.sites.values()
                for arrival in site.arrivals.get(cell.key, ())
                if arrival.ending.unjudged is None and arrival.reads
            ]
            crashes = [a for a in seen if not a.loaded and not a.ending.ok]
            if crashes and cell.key not in found and cell.key[-1:] not in found:
                yield f"findings: {' '.join(cell.key)} crashes and no error says so"
            if cell.key in found and any(
                _does_not_crash(s, v, truth) for s, v in part.arriving(cell)
            ):
                yield f"findings: an error at {' '.join(cell.key)}, and a named site does not crash"


def _does_not_crash(site: CallSite, value: SiteValue, truth: Truth) -> bool:
    """Return whether a site that is said to crash for a key was executed with it and does not."""
    executed = truth.sites.get(site.spot)
    arrivals = executed.arrivals.get(value.key, ()) if executed is not None else ()
    ended = [a.ending.ok for a in arrivals if a.ending.unjudged is None]
    return value.outcome == "raises" and bool(ended) and all(ended)


@contextmanager
def judging(target: str, python: str, platform: str, cache: Path) -> Iterator[Judge]:
    """Copy the Python files of a target, and give a judge of its mutants."""
    pack = load_plugins().pack("sglang")
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        with open_tree(target, pack.location) as tree:
            root = Path(folder)
            if tree.editable is not None:
                shutil.copytree(
                    tree.editable, root, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".*")
                )
            else:
                copy_into(tree, root)
            import_root = tree.import_root
        limits = Limits(python, timeout=60, jobs=1)
        facts = pack.platform(platform)
        plan = plan_of(pack, facts, root / import_root, limits)
        with started(plan, limits, facts.environment, closed=pack.environment_closed) as servers:
            yield Judge(root, servers, platform, cache)
