"""What the machine is given: the sources of the tree, and what is outside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from regreach.evaluate.values import Value

if TYPE_CHECKING:
    from regreach.facts import ir
    from regreach.facts.parse import ModuleFacts


class Sources(Protocol):
    """Where the machine gets modules from."""

    def has(self, module: str) -> bool:
        """Return whether the tree has this module."""

    def is_package(self, module: str) -> bool:
        """Return whether this module of the tree is a package."""

    def is_namespace(self, module: str) -> bool:
        """Return whether this module of the tree is a package without a file of its own."""

    def children(self, package: str) -> Sequence[str]:
        """Return the modules directly below a package, in the order in which pkgutil finds them."""

    def body(self, module: str) -> ir.Body | None:
        """Return what is run when a module is loaded; None as for ``facts``. Raises SourceError."""

    def facts(self, module: str) -> ModuleFacts | None:
        """Return the facts of a module; None for a namespace package, and for one that may hold anything.

        Raises SourceError for a file that does not parse.
        """


@dataclass(frozen=True, slots=True)
class World:
    """What is taken for granted about everything outside the tree.

    ``values`` maps dotted paths (a call has ``()``) to their values; a missing attribute maps to
    MISSING. ``absent`` are packages that are not installed, ``installed`` those that certainly are
    (``*``: all others); about the rest see ``import_external``. ``environment`` maps the
    environment variables that are set; others are unset when ``environment_closed``, else unknown.
    ``calls`` gives functions of the tree (``module:name``) a fixed result.
    """

    values: Mapping[str, Value] = field(default_factory=dict)
    absent: frozenset[str] = frozenset()
    installed: frozenset[str] = frozenset()
    environment: Mapping[str, str] = field(default_factory=dict)
    environment_closed: bool = False
    calls: Mapping[str, Value] = field(default_factory=dict)
