"""The tree as files on disk, from which a process can import it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from regreach.tree import Tree


@contextmanager
def importable(tree: Tree) -> Iterator[Path]:
    """Give the folder that belongs on ``sys.path``: the tree's own, or a copy of what is in an archive."""
    if tree.editable is not None:
        yield (tree.editable / tree.import_root).resolve()
        return
    with tempfile.TemporaryDirectory(prefix="regreach-tree-") as folder:
        for module in tree.modules.values():
            if module.path is not None:
                path = Path(folder, module.path)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(tree.read(module.path))
        yield Path(folder, tree.import_root).resolve()
