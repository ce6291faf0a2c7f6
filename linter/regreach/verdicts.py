"""From a tree and a pack to an ``Audit``: run the init path for every selector value, and judge each key."""

from __future__ import annotations

import re
from collections.abc import Iterable

from regreach.above_root import imports_above_root
from regreach.consumer_analysis import ConsumerAnalysis
from regreach.discovering import discovering_loops
from regreach.evaluate.frames import Place
from regreach.evaluate.machine import Machine
from regreach.evaluate.session import Ended, Session
from regreach.evaluate.values import Raised, describe
from regreach.evaluate.world import World
from regreach.graph import ImportGraph
from regreach.init_path import Key
from regreach.model import (
    Audit,
    CallSite,
    Doubt,
    Problem,
    RegistryResult,
    Remedy,
    Spot,
)
from regreach.pack import Pack, Platform
from regreach.process import ProcessRoots
from regreach.program import Program
from regreach.quick import quick_machine
from regreach.registrations import last_name
from regreach.supply.prediction import likely_modules
from regreach.swallowed import swallowed_imports

_IMPORT_ERRORS = ("ImportError", "ModuleNotFoundError")


class Analysis:
    """One tree, one pack, one platform. ``audit()`` does the work.

    Several abstract processes are kept; what is tried in one of them is undone. In ``visitor`` any
    module was imported first.
    """

    def __init__(
        self,
        program: Program,
        pack: Pack,
        platform: Platform,
        *,
        every_remedy: bool = False,
        only: Key | None = None,
        quick: bool = False,
    ) -> None:
        """Take a tree; with ``every_remedy``, remedies are also sought for keys that others load.

        With ``only``, the key of an init path, what does not matter to it is left out, and no remedy is
        sought: what the audit says of this key, and only that, is as it is without. The other cells
        of its selector value are there, their call sites not. A key of another kind changes nothing.

        With ``quick``, modules are run only as far as what they import and register goes, see ``quick``:
        for verdicts, that is enough; which modules are loaded beside may be told less completely.
        """
        self.program = program
        self.pack = pack
        self.platform = platform
        self.every_remedy = every_remedy
        self.any_remedy = True  # set to False, none is sought: that takes as long as all else
        self.only = only
        self.quick = quick
        self.ways: list[
            dict[str, Place]
        ] = []  # by which line modules were loaded, process by process
        self.remedies: dict[
            tuple[str, str], Remedy
        ] = {}  # by the modules of consumer and registration
        self.world = World(
            platform.values,
            platform.absent,
            pack.installed,
            platform.environment,
            pack.environment_closed,
        )
        self.graph = ImportGraph(program)
        if quick:
            self.machine = quick_machine(program, pack, self.world, self.graph, only)
        else:
            program.prefetch(likely_modules(program, pack))
            self.machine = Machine(program, self.world, pack.location.name)
        self.notes: list[str] = []
        self.blocked: list[str] = []
        self.visitor = self.new_session()
        self.process_roots = ProcessRoots(program, self.machine, self.graph, pack.process_roots)
        self.imported_first: dict[str, str] = {}
        self.consumers: dict[str, ConsumerAnalysis] = {}  # by their paths; filled by ``audit``

    def new_session(self) -> Session:
        """Return a fresh abstract process for this tree and platform."""
        return Session(self.machine)

    def audit(self) -> Audit:
        """Analyse every registry of the pack."""
        results: list[RegistryResult] = []
        call_sites: list[CallSite] = []
        eager: list[str] = []
        for consumer in self.pack.consumers.values():
            if not self.program.has(consumer.module):
                self.note(
                    f"this tree has no module {consumer.module}; nothing reads its registries"
                )
                continue
            registries = [r for r in self.pack.registries if r.consumer == consumer.name]
            session = self.new_session()
            ended = session.import_module(consumer.module)
            if ended.raised is not None:
                self.note(f"importing {consumer.module} fails: {describe(ended.raised)}")
            eager += [m for m in session.loaded() if m not in eager]
            self.ways.append(session.loaders)
            part = self.consumers[consumer.path] = ConsumerAnalysis(
                self, session, consumer, registries
            )
            found, sites = part.run(ended)
            results += found
            call_sites += sites
            missing = self._not_read(session, part, ended)
            why = self._cannot_run(part, ended)
            if missing:
                why = f"a file that it needs was not read, {'; '.join(missing)}"
            if why is not None:
                self.blocked.append(f"{consumer.path} cannot be judged: {why}")
        tree = self.program.tree
        # no key depends on these
        whole = self.only is None
        above_root = imports_above_root(self.program, self.pack) if whole else ()
        absent = self.platform.absent
        tried = swallowed_imports(self.program, self.pack, results, absent, eager)
        loops = discovering_loops(self.program, self.pack, results) if whole else ()
        problems = [
            Problem(Spot(path, error.line), error.column, error.told)
            for path, error in sorted(self.program.broken.items())
        ]
        problems += [Problem(Spot(p.path, 1), 1, p.reason) for p in tree.problems]
        return Audit(
            tree.source,
            tree.root,
            tree.package,
            len(tree.modules),
            self.platform.name,
            tuple(results),
            tuple(call_sites),
            tuple(eager),
            dict(sorted(self.imported_first.items())),
            tuple(problems),
            tuple(self.notes),
            blocked=tuple(self.blocked),
            doubtful=self._doubtful(),
            above_root=above_root,
            swallowed=(*tried, *loops),
        )

    def _not_read(self, session: Session, part: ConsumerAnalysis, ended: Ended) -> list[str]:
        """Return which files a consumer needs that could not be read, and why: nothing is sure without them."""
        needed = set(session.loaded()) & self.machine.unread
        needed |= {module for run in part.runs.values() for module in run.unread}
        if ended.raised is not None:
            needed.add(ended.raised.path)
        told = {self.program.not_read(module) for module in needed}
        return sorted(each for each in told if each is not None)

    def _cannot_run(self, part: ConsumerAnalysis, ended: Ended) -> str | None:
        """Return why a consumer can never be constructed, whatever is registered; None where it may be.

        Its import fails, or each construction does for want of one of the tree's own modules.
        """
        if ended.raised is not None:
            return f"importing it fails: {self._told(ended.raised)}"
        raised = [run.ended.raised for run in part.runs.values()]
        missing = [each for each in raised if each is not None and self._is_own_gap(each)]
        if not missing or len(missing) < len(raised):
            return None
        return f"constructing it fails: {self._told(missing[0])}"

    def _is_own_gap(self, raised: Raised) -> bool:
        package = self.program.tree.package
        return (
            raised.name == "ModuleNotFoundError"
            and re.match(rf"No module named '{re.escape(package)}[.']", raised.message) is not None
        )

    def _told(self, raised: Raised) -> str:
        """Return an exception as a traceback shows it, and where it is raised."""
        path = self.program.path(raised.path)
        return describe(raised) + (f" ({path}:{raised.line})" if path and raised.line else "")

    def _doubtful(self) -> tuple[Doubt, ...]:
        """Return the files that were not read and may register something or construct a consumer."""
        registrars = [r for registry in self.pack.registries for r in registry.registrars]
        callables = [consumer.callable for consumer in self.pack.consumers.values()]
        registering = self.program.not_read_with(_last_words(registrars))
        found = registering | self.program.not_read_with(_last_words(callables))
        return tuple(
            Doubt(path, registering.get(path, False))
            for path in sorted(found)
            if not self.pack.ignores(path)
        )

    def note(self, text: str) -> None:
        """Note something that the reader of a report should know, once."""
        if text not in self.notes:
            self.notes.append(text)

    def spot(self, place: Place | None) -> Spot | None:
        """Return a place as path, line and text."""
        if place is None:
            return None
        path = self.program.path(place.module)
        facts = self.program.readable_facts(place.module)
        if facts is None:
            return Spot(path or place.module, place.line)
        text, last = facts.statement_text(place.line), facts.end_of_statement(place.line)
        return Spot(path or place.module, place.line, text, last)

    def first_import(self, module: str) -> Ended:
        """Import a module first in a fresh process (``visitor``), and remember how that ended."""
        ended = self.visitor.import_first(module)
        self.imported_first[module] = "ok" if ended.raised is None else describe(ended.raised)
        return ended


def _last_words(paths: Iterable[str]) -> set[bytes]:
    return {last_name(path).encode() for path in paths}
