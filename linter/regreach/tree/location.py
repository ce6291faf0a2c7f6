"""Where in a store the package lies."""

from __future__ import annotations

from dataclasses import dataclass

from regreach.tree.modules import is_init
from regreach.tree.store import FileStore, Listing, TreeProblem


@dataclass(frozen=True, slots=True)
class PackageLocation:
    """A pack's word on its package.

    Attributes:
        name: the import package, one top-level name.
        roots: the folders, relative to the target, in which it may lie (`""` is the target itself).
    """

    name: str
    roots: tuple[str, ...]


@dataclass(slots=True)
class Located:
    """The package that was found: the folder that belongs on `sys.path`, and what it holds."""

    import_root: str
    listing: Listing


def locate(store: FileStore, location: PackageLocation) -> Located | None:
    """Find the package in `store`, as a search path made of the roots would.

    A root with a regular package wins, in the order of the roots; a namespace package (no
    `__init__.py`) counts only when no root has a regular one. None when there is neither; see
    `problems_at` for what stood in the way.
    """
    namespace: Located | None = None
    for root in roots_of(store, location):
        folder = package_folder(root, location)
        listing = store.files(folder)
        if any(is_init(path, folder) for path in listing.paths):
            return Located(root, listing)
        if listing.paths and namespace is None:
            namespace = Located(root, listing)
    return namespace


def problems_at(store: FileStore, location: PackageLocation) -> list[TreeProblem]:
    """Return what stood in the way of finding the package."""
    roots = roots_of(store, location)
    return [p for root in roots for p in store.files(package_folder(root, location)).problems]


def roots_of(store: FileStore, location: PackageLocation) -> list[str]:
    """Return the folders to look in, without doubles, `""` for the store's root."""
    named = [root.strip("/") for root in (*location.roots, *store.extra_roots)]
    return list(dict.fromkeys("" if root == "." else root for root in named))


def package_folder(root: str, location: PackageLocation) -> str:
    """Return the package's own folder below `root`."""
    return f"{root}/{location.name}" if root else location.name
