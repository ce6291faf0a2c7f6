"""What is read: a folder, an archive, a requirement or a git revision, as modules and bytes.

Everything starts at `open_tree`. Nothing that is read is ever imported, installed or run.
"""

from __future__ import annotations

from regreach.tree.location import PackageLocation
from regreach.tree.modules import ModuleFile
from regreach.tree.opening import open_tree
from regreach.tree.store import TreeProblem
from regreach.tree.tree import Tree

__all__ = ["ModuleFile", "PackageLocation", "Tree", "TreeProblem", "open_tree"]
