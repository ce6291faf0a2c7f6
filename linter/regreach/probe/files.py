"""The tree as files on disk, from which a process can import it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from regreach.errors import TargetError
from regreach.tree import Tree


@contextmanager
def importable(tree: Tree) -> Iterator[Path]:
    """Give the folder that belongs on ``sys.path``: the tree's own, or a copy of what is in an archive."""
    if tree.editable is not None:
        yield (tree.editable / tree.import_root).resolve()
        return
    with tempfile.TemporaryDirectory(prefix="regreach-tree-") as folder:
        copy_into(tree, Path(folder))
        yield Path(folder, tree.import_root).resolve()


def copy_into(tree: Tree, folder: Path) -> None:
    """Copy the modules of a tree, and where they are not on disk its other files too."""
    modules = [module.path for module in tree.modules.values() if module.path is not None]
    for path in (*modules, *tree.data_files()):
        try:
            data = tree.read(path)
        except TargetError:
            if path in modules:
                raise
            continue  # it may do without
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
