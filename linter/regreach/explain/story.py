"""What is told of one key: plain values, which reports put into words and pictures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from regreach.model import CallSite, Cell, Finding, ImportEdge, Remedy, SiteValue, Spot, Tristate
from regreach.rule import Rule


@dataclass(frozen=True, slots=True)
class Way:
    """Whether a module is loaded, and by which imports: each imports the module that makes the next."""

    loaded: Tristate
    chain: tuple[ImportEdge, ...] = ()


@dataclass(frozen=True, slots=True)
class Loading:
    """How a registering module is loaded, or is not.

    ``consumer`` is what is there at the look-up with the consumer's module imported first, ``at_import``
    whether that import alone does it; ``process`` what the process roots do at start (None where that is not
    asked: the consumer does so itself). ``remedy`` is the import of it that the consumer lacks, or has
    in a function; ``ring`` the cycle that it closes at the top, from this module to the consumer's and on to
    where it begins. ``importers`` are all imports of it.
    """

    module: str
    path: str
    at_import: bool
    consumer: Way
    process: Way | None
    remedy: Remedy | None
    ring: tuple[ImportEdge, ...]
    importers: tuple[ImportEdge, ...]


@dataclass(frozen=True, slots=True)
class SiteStory:
    """A call site at which the key can arrive; ``ways`` are by which imports its modules are loaded by then."""

    site: CallSite
    value: SiteValue
    ways: tuple[tuple[ImportEdge, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Related:
    """A key of another registry that has to do with one; ``cell`` is None where there is none of it."""

    registry: str
    key: tuple[str, ...]
    cell: Cell | None
    why: str  # "counterpart" or "same value"


@dataclass(frozen=True, slots=True)
class Story:
    """Everything that is known of one key of a registry.

    ``parts`` names those of the key, ``defined`` is where the consumer is, ``asked_at`` where the finished one
    looks the key up, ``roots`` are the modules with which the process begins. ``siblings`` are the cells of
    the same registry with the same last part. ``rules`` has the rule of each finding.
    """

    parts: tuple[str, ...]
    cell: Cell
    defined: Spot | None
    asked_at: tuple[Spot, ...]
    roots: tuple[str, ...]
    loadings: tuple[Loading, ...]
    sites: tuple[SiteStory, ...]
    siblings: tuple[Cell, ...]
    related: tuple[Related, ...]
    findings: tuple[Finding, ...]
    rules: Mapping[str, Rule]

    @property
    def home(self) -> str:
        """Return the name of the consumer's module."""
        return self.cell.consumer.partition(":")[0]

    @property
    def consumer(self) -> str:
        """Return the consumer's own name."""
        return self.cell.consumer.rpartition(":")[2]

    @property
    def remedy(self) -> Remedy | None:
        """Return the import that mends the key, where one is missing or could stand elsewhere."""
        return next((each.remedy for each in self.loadings if each.remedy is not None), None)
