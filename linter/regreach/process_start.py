"""What is in a consumer's registries once the process has started, and by which imports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from regreach.evaluate.session import Session
from regreach.evaluate.values import Value, describe
from regreach.init_path import InitPath, Key, state_of
from regreach.loading import edges_on, way_to
from regreach.model import ImportEdge, Tristate
from regreach.pack import Consumer, Registry

if TYPE_CHECKING:
    from regreach.verdicts import Analysis


class ProcessStart:
    """The process roots imported, so far that some modules are known to be loaded then, or not."""

    def __init__(
        self, analysis: Analysis, consumer: Consumer, registries: Sequence[Registry]
    ) -> None:
        self._analysis = analysis
        self._consumer = consumer
        self._registries = registries
        self._session: Session | None = None
        self._contents: dict[str, dict[Value, Value] | None] = {}

    def enter(self, modules: Sequence[str]) -> None:
        """Import the roots, so far that it is known whether these modules are loaded."""
        analysis = self._analysis
        roots = analysis.process_roots
        if not roots.roots:
            return
        self._session = roots.session(modules)
        analysis.ways.append(self._session.loaders)
        for root, ended in roots.ended.items():
            if ended.raised is not None:
                analysis.note(f"importing {root} fails: {describe(ended.raised)}")
        path = InitPath(self._session, analysis.pack, self._consumer, ())
        self._contents = {r.id: path.contents(r) for r in self._registries}

    def has(self, registry: Registry, key: Key) -> Tristate:
        """Return whether a key is there once the roots are imported."""
        contents = self._contents.get(registry.id)
        return state_of(contents, key) if contents is not None else "no"

    def loads(self, module: str) -> bool:
        """Return whether a module is certainly loaded once the roots are imported."""
        roots = self._analysis.process_roots
        return bool(roots.roots) and bool(roots.session([module]).loaded().get(module))

    def chain(self, module: str) -> tuple[ImportEdge, ...]:
        """Return the imports that lead from a root to a module being loaded, the root's first."""
        loaders = self._session.loaders if self._session is not None else {}
        return edges_on(self._analysis.program, way_to(module, loaders))
