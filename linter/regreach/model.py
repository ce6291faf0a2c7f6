"""What an analysis finds: plain values that rules judge and reports print."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Tristate = Literal["yes", "no", "maybe"]
Outcome = Literal["ok", "raises", "maybe", "unreached"]
Reach = Literal["runner", "process", "caller", "partial", "none", "orphan", "unregistered"]
SimpleReach = Literal["", "own", "process", "lookup", "discovered", "lazy", "later", "orphan"]
Severity = Literal["error", "warning", "info"]
Place = Literal["top", "branch", "before"]

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")
"""The worst first."""


def fails(severity: Severity, fail_on: Severity) -> bool:
    """Return whether a severity is at or above another."""
    return SEVERITIES.index(severity) <= SEVERITIES.index(fail_on)


@dataclass(frozen=True, slots=True)
class Spot:
    """A line of a file: ``path`` is relative to the tree's root, ``text`` the line, stripped.

    ``last`` is the last line of the statement that begins there, where that was asked for.
    """

    path: str
    line: int
    text: str = ""
    last: int | None = field(default=None, compare=False)

    def __str__(self) -> str:
        return f"{self.path}:{self.line}"


@dataclass(frozen=True, slots=True)
class Registration:
    """One use of a registrar; ``guards`` are the headers of the conditions around it, the outermost first."""

    module: str
    spot: Spot
    column: int
    symbol: str
    key: tuple[str, ...]
    guards: tuple[Spot, ...] = ()


@dataclass(frozen=True, slots=True)
class Guarded:
    """A line without which a key is not there, under a condition that does not hold, or may not.

    ``guard`` is the condition's header, ``spot`` the line: the ``import`` of a registering module or the
    ``registration`` itself. ``defined`` are the lines that say what the condition's names stand for.
    ``asked_too`` says that the same is asked on the way to the look-up, or where the key's value is accepted.
    """

    module: str
    guard: Spot
    spot: Spot
    of: Literal["import", "registration"]
    defined: tuple[Spot, ...] = ()
    asked_too: bool = False

    @property
    def condition(self) -> str:
        """Return the condition as written: ``if is_npu()``; ``else of: …`` where the other branch asks it."""
        return self.guard.text.rstrip(":")

    @property
    def is_try(self) -> bool:
        """Whether the condition is that nothing fails."""
        return self.condition == "try"


@dataclass(frozen=True, slots=True)
class ImportEdge:
    """One import of one module by another.

    ``kind`` is eager, lazy, type-checking or dynamic (a literal ``import_module``); ``star`` marks
    ``import *``. ``scope`` is the enclosing definition, ``guards`` the conditions around it as written.
    """

    importer: str
    imported: str
    spot: Spot
    kind: Literal["eager", "lazy", "type-checking", "dynamic"]
    scope: str = ""
    guards: tuple[str, ...] = ()
    star: bool = False


@dataclass(frozen=True, slots=True)
class SiteValue:
    """One selector value at a call site, for one key."""

    value: str
    key: tuple[str, ...]
    arrives: Tristate
    loaded: Tristate
    outcome: Outcome
    exception: str | None = None
    reads: bool = True  # whether the look-up happens at all, with the arguments given there


@dataclass(frozen=True, slots=True)
class CallSite:
    """An expression that invokes the consumer; ``foreign`` when it never runs on this platform.

    ``entries`` are the functions (module and dotted name) from which it is reached: its own, or the
    callers that give this one the selector.
    """

    spot: Spot
    module: str
    function: str
    consumer: str
    argument: str
    values: tuple[SiteValue, ...] = ()
    foreign: bool = False
    entries: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Placement:
    """Whether an import of the registering module can stand somewhere, found by running it.

    ``error`` is what it dies of (None: it works), ``cycle`` the import cycle if it is one; ``first`` the
    module that was imported first then. ``packages`` are those of others that are imported only for it.
    """

    error: str | None
    first: str
    cycle: ImportCycle | None = None
    packages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Remedy:
    """The import of ``module`` that mends a key, and where it can stand.

    ``branch`` is the line under which it belongs, ``before`` the line of the consumer's own function
    from which the look-up is reached; ``lazy`` and ``top`` tell whether it works there and at the top
    of the consumer's module, whose file is ``home``; ``cycle`` is the import cycle that the latter would
    close. ``others`` are modules that can be imported lazily in its place, where it would die itself.
    """

    statement: str
    branch: Spot | None
    lazy: Placement
    top: Placement
    cycle: tuple[ImportEdge, ...]
    before: Spot | None = None
    module: str = ""
    home: str = ""
    others: tuple[str, ...] = ()

    @property
    def place(self) -> Place | None:
        """Return where it belongs: at the top only if that risks and costs nothing, or nothing else works.

        What is executed for every value must not need a package that the others do without.
        """
        works_at_top = self.top.error is None
        if works_at_top and not self.cycle and not self.top.packages:
            return "top"
        if self.lazy.error is None and self.branch is not None:
            return "branch"
        if self.lazy.error is None and self.before is not None and not self.lazy.packages:
            return "before"
        return "top" if works_at_top and not self.top.packages else None


@dataclass(frozen=True, slots=True)
class ImportCycle:
    """An import that fails for a cycle: ``name`` is asked of ``module``, which has not bound it yet.

    ``asking`` is the line that asks, ``waiting`` the line of ``module`` that is being executed then;
    ``edges`` are the imports that lead from there to the asking line.
    """

    name: str
    module: str
    asking: Spot
    waiting: Spot
    edges: tuple[ImportEdge, ...]


@dataclass(frozen=True, slots=True)
class Cell:
    """One key of a registry, and what becomes of it.

    ``asked`` says that the finished consumer looks it up, ``counterpart`` is the key that must be in the
    registry's counterpart then; ``guarded`` are the lines under a condition that keep it from being there.
    A quick analysis leaves out ``remedy``, and for what is reached as ``process`` or ``caller`` when the
    consumer is constructed ``importers``: ``hangs_on`` tells those that matter.
    """

    registry: str
    consumer: str
    key: tuple[str, ...]
    registrations: tuple[Registration, ...]
    after_import: Tristate
    at_lookup: Tristate
    outcome: Outcome
    exception: str | None
    raised_at: Spot | None
    reach: Reach
    accepted: bool = True
    needs_entry: bool = False
    lookup: Spot | None = None
    branch: Spot | None = None
    conditions: tuple[Spot, ...] = ()
    importers: tuple[ImportEdge, ...] = ()
    hangs_on: tuple[ImportEdge, ...] = ()
    chain: tuple[ImportEdge, ...] = ()
    remedy: Remedy | None = None
    asked: bool = False
    counterpart: tuple[str, ...] | None = None
    cycle: ImportCycle | None = None
    guarded: tuple[Guarded, ...] = ()

    @property
    def held_back_by(self) -> Spot | None:
        """The condition that does not hold, and behind which a key that is not there would be registered."""
        return self.guarded[0].guard if self.guarded and self.at_lookup == "no" else None


@dataclass(frozen=True, slots=True)
class Loss:
    """A key of which something changes for the worse when imports are gone: the cell now, and then.

    ``crashing`` are the call sites that fail then and do not now.
    """

    now: Cell
    then: Cell
    crashing: tuple[CallSite, ...]


@dataclass(frozen=True, slots=True)
class SideEffectImport:
    """An import of registering modules that a fixer of unused imports would delete.

    ``names`` are what it binds and nobody uses; ``losses`` what becomes of keys without it and all
    others of its kind.
    """

    spot: Spot
    column: int
    importer: str
    scope: str
    modules: tuple[str, ...]
    names: tuple[str, ...]
    losses: tuple[Loss, ...] = ()


@dataclass(frozen=True, slots=True)
class Swallowed:
    """An import in a ``try`` that hides its failure, or a loop of such imports; ``handler`` is what takes it.

    ``is_told`` says that the handler names the exception to somebody: a log, a warning, standard output.
    ``losses`` are the keys whose look-up misses then, ``lost`` all registrations that are gone, and
    ``hangs_on`` imports of others' packages that can fail. A loop has its ``package`` instead, and
    ``modules`` are those in it.
    """

    spot: Spot
    column: int
    importer: str
    handler: Spot
    is_told: bool
    modules: tuple[str, ...]
    hangs_on: tuple[Spot, ...] = ()
    losses: tuple[Cell, ...] = ()
    lost: tuple[Registration, ...] = ()
    package: str = ""


@dataclass(frozen=True, slots=True)
class ImportAboveRoot:
    """An import that begins above the import root; ``inside`` is the module's name from the root on.

    ``scope`` is the enclosing definition. ``binds`` is a name that it would no longer bind if it began at
    the root (``python`` in ``import python.package``), empty when there is none. ``registries`` are
    those whose container it makes a second time.
    """

    spot: Spot
    column: int
    importer: str
    scope: str
    written: str
    inside: str
    binds: str
    registries: tuple[str, ...]

    @property
    def above(self) -> str:
        """Return what is above the root: a folder, as an import names it."""
        return self.written.removesuffix(self.inside).rstrip(".")


@dataclass(frozen=True, slots=True)
class RegistryResult:
    """One registry: ``parts`` names the parts of its keys, ``counterpart`` another registry."""

    id: str
    parts: tuple[str, ...]
    cells: tuple[Cell, ...]
    counterpart: str | None = None


@dataclass(frozen=True, slots=True)
class SimpleEntry:
    """One registration in a simple registry, under one key; ``key`` is None when it is not known.

    ``lazy`` says that it stands in a function, ``possible`` that no guard around it is false on this
    platform. ``reach`` is how the module comes to be loaded: it is the registry's ``own``, the closure of
    a ``process`` root or of the ``lookup``'s module loads it, a loop over its package does
    (``discovered``), functions have to be called that import it (``lazy``), or nothing that is ever
    loaded does (``orphan``). Where entries are used by their names, it is ``later`` when no root loads it.
    It is empty where that was no question. ``chain`` are the imports that lead to it. ``target`` is what it
    names, ``module:attribute``, where its value is a name that a look-up imports.
    """

    key: str | None
    module: str
    spot: Spot
    column: int
    symbol: str
    lazy: bool
    possible: bool
    reach: SimpleReach = ""
    chain: tuple[ImportEdge, ...] = ()
    target: str = ""


@dataclass(frozen=True, slots=True)
class Lost:
    """An entry of a string map that leads nowhere, and what is not there."""

    entry: SimpleEntry
    missing: str


@dataclass(frozen=True, slots=True)
class Clash:
    """One key that two modules register, and that both can be loaded in a process which begins with ``root``.

    ``ways`` are the imports that load the one and the other. Where ``root`` is empty, both stand in one
    literal of a dict, which keeps the second.
    """

    key: str
    entries: tuple[SimpleEntry, SimpleEntry]
    root: str
    ways: tuple[tuple[ImportEdge, ...], tuple[ImportEdge, ...]]


@dataclass(frozen=True, slots=True)
class Wanted:
    """A key that is written down somewhere else, and that the registry does not have as it is.

    ``kind`` says what it is: a ``choice`` that nothing serves, a ``use`` of what nobody registers, a
    ``use-unreached`` of what is registered where whoever uses it never comes to, or a registered key
    that is ``no-member`` of the enum. ``source`` is the list, the enum or the module in which it is.
    """

    kind: Literal["choice", "use", "use-unreached", "no-member"]
    key: str
    spot: Spot
    column: int
    source: str
    near: str = ""
    entries: tuple[SimpleEntry, ...] = ()


@dataclass(frozen=True, slots=True)
class SimpleRegistryResult:
    """One simple registry. ``open`` says why others may add entries that were not seen; empty if none can.

    ``doubled`` says which of two entries of one key is kept, ``lookups`` who reads it. ``unreached`` are
    entries whose modules nothing loads, ``lost`` those that name what is not there.
    """

    id: str
    doubled: str
    lookups: tuple[str, ...]
    open: str
    entries: tuple[SimpleEntry, ...]
    clashes: tuple[Clash, ...] = ()
    wanted: tuple[Wanted, ...] = ()
    unreached: tuple[SimpleEntry, ...] = ()
    lost: tuple[Lost, ...] = ()


@dataclass(frozen=True, slots=True)
class Problem:
    """A file of the tree that could not be taken into account, or only in part."""

    spot: Spot
    column: int
    message: str


@dataclass(frozen=True, slots=True)
class Doubt:
    """A file that was not read and speaks of registrars or consumers, or may: what it says is not known.

    ``registers`` says whether it may register something where the program runs.
    """

    path: str
    registers: bool


@dataclass(frozen=True, slots=True)
class Audit:
    """Everything that one analysis found, without judgement."""

    source: str
    root: str
    package: str
    modules: int
    platform: str
    registries: tuple[RegistryResult, ...]
    call_sites: tuple[CallSite, ...]
    eager: tuple[str, ...]
    imported_first: dict[str, str]
    problems: tuple[Problem, ...]
    notes: tuple[str, ...] = ()
    side_effect_imports: tuple[SideEffectImport, ...] = ()
    blocked: tuple[str, ...] = ()  # consumers of which nothing can be said, and why
    doubtful: tuple[Doubt, ...] = ()
    above_root: tuple[ImportAboveRoot, ...] = ()
    swallowed: tuple[Swallowed, ...] = ()
    simple_registries: tuple[SimpleRegistryResult, ...] = ()

    @property
    def knows_registrations(self) -> bool:
        """Whether there can be none that was not found."""
        return not any(doubt.registers for doubt in self.doubtful)

    @property
    def unsure(self) -> tuple[str, ...]:
        """Why it cannot be said that there is nothing more to find, in a line each; empty where it can."""
        if self.blocked or not self.doubtful:
            return self.blocked
        paths = ", ".join(doubt.path for doubt in self.doubtful)
        return (
            "that there is nothing to report is not sure: not read, though registrations or call sites"
            f" may stand there: {paths}",
        )

    def arriving(self, cell: Cell) -> list[tuple[CallSite, SiteValue]]:
        """Return the call sites at which a cell's key can arrive and is asked for."""
        return [
            (site, value)
            for site in self.call_sites
            if site.consumer == cell.consumer
            for value in site.values
            if value.key == cell.key and value.arrives != "no" and value.reads
        ]


@dataclass(frozen=True, slots=True)
class Detail:
    """One fact of a finding's story: a label (``looked up``) and a text."""

    label: str
    text: str


@dataclass(frozen=True, slots=True)
class Related:
    """A line that belongs to a finding's story: what it is to it (``crashes``), and a word more."""

    role: str
    spot: Spot
    text: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """What a rule reports; ``fingerprint`` does not depend on line numbers.

    ``fix`` is what mends it, by its ``kind``; where there is none ``no_fix`` may say why. ``details``
    are for people, ``related`` the lines for programs, in the order in which they are to be read.
    """

    rule: str
    severity: Severity
    spot: Spot
    column: int
    message: str
    key: tuple[str, ...] | None
    fingerprint: str
    fix: dict[str, str | int] | None = None
    details: tuple[Detail, ...] = ()
    no_fix: str = ""
    related: tuple[Related, ...] = ()


@dataclass(frozen=True, slots=True)
class Suppressed:
    """A finding that does not count, by a comment beside it or by an entry of the baseline.

    ``spot`` is where that stands, ``reason`` what it gives as one; empty when it gives none.
    """

    finding: Finding
    by: Literal["comment", "baseline"]
    spot: Spot
    reason: str = ""
