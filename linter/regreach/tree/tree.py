"""The tree: one package's modules and their bytes, wherever they lie."""

from __future__ import annotations

import copy
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType, TracebackType

from regreach.tree.location import Located
from regreach.tree.modules import ModuleFile, dotted_path, modules_of
from regreach.tree.store import FileStore, TreeProblem


class Tree:
    """One package as it lies in a folder, an archive or a git revision.

    It may be used as a context manager; one that is dropped without `close` leaks nothing either.

    Attributes:
        source: the target as the user gave it, with `@rev` appended for a git revision.
        root: the absolute folder, the archive's path or `repository@rev`, for people to read.
        package: the import package.
        import_root: the folder that belongs on `sys.path`, relative to the root; `""` is the root.
        modules: every module by its dotted name, sorted; namespace packages included.
        problems: what is there but could not be taken in, sorted; not in `modules`.
        editable: the folder on disk of a checkout or an unpacked release, None for all else.
        inside: of a git revision, the root's own path below the top of the repository.
        repository: of a git revision, the top of the repository on disk, None for all else.
        linked: of a git revision, where links lead that were followed, from the top of the repository.
    """

    def __init__(self, source: str, package: str, located: Located, store: FileStore) -> None:
        self._store = store
        self.source = source
        self.root = store.root
        self.editable: Path | None = store.editable
        self.inside = ""
        self.repository: Path | None = None
        self.linked: Collection[str] = ()
        self.package = package
        self.import_root = located.import_root
        self.modules: Mapping[str, ModuleFile] = MappingProxyType(
            modules_of(located.listing.paths, package, located.import_root)
        )
        self.problems: Sequence[TreeProblem] = tuple(
            sorted(set(located.listing.problems), key=lambda p: (p.path, p.reason))
        )
        self._children: dict[str, list[str]] | None = None
        self._contents: Mapping[str, bytes] = MappingProxyType({})

    def with_contents(self, contents: Mapping[str, bytes]) -> Tree:
        """Return the same tree with other bytes in these files, by path; both are closed together."""
        other = copy.copy(self)
        other._contents = {**self._contents, **contents}
        return other

    def hidden(self) -> dict[str, TreeProblem]:
        """Return what could not be taken in by the name of the module or package that it would be."""
        found: dict[str, TreeProblem] = {}
        for problem in self.problems:
            name = dotted_path(problem.path, self.package, self.import_root)
            if name is not None:
                found.setdefault(name, problem)
        return found

    def read(self, path: str) -> bytes:
        """Return the bytes of the file at `path` (relative to the root, with `/`).

        Raises TargetError, in one line, for a file that is missing, unreadable or outside the tree.
        """
        found = self._contents.get(path)
        return self._store.read(path) if found is None else found

    def data_files(self) -> list[str]:
        """Return the package's files that are no modules, where they are not on disk anyway.

        Their paths are relative to the root; `read` gives their bytes, but not of those in a tar file.
        """
        return self._store.data("/".join(filter(None, (self.import_root, self.package))))

    def submodules(self, package: str) -> list[str]:
        """Return the names of a package's direct children, sorted; empty for a plain module."""
        if self._children is None:
            self._children = {}
            for name in self.modules:
                self._children.setdefault(name.rpartition(".")[0], []).append(name)
        return list(self._children.get(package, ()))

    def close(self) -> None:
        """Release the archive or git process behind the tree; reading ends with it."""
        self._store.close()

    def __enter__(self) -> Tree:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Tree {self.package} of {self.root}: {len(self.modules)} modules>"
