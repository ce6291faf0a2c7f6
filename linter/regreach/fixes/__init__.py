"""Edits that mend findings: made in memory, judged by a second analysis, then shown or written.

``mend`` finds them; ``verify`` executes them in a copy (as ``edited_copy`` makes one); ``patch`` shows and
``write_edits`` writes them. Nothing here prints.
"""

from __future__ import annotations

from regreach.fixes.apply import write_edits
from regreach.fixes.copy import edited_copy
from regreach.fixes.edits import Edit, LeftFinding, MendedFinding
from regreach.fixes.mending import Mended, mend
from regreach.fixes.patch import patch, prefix_for, really_named
from regreach.fixes.verify import Verified, verify

__all__ = [
    "Edit",
    "LeftFinding",
    "Mended",
    "MendedFinding",
    "Verified",
    "edited_copy",
    "mend",
    "patch",
    "prefix_for",
    "really_named",
    "verify",
    "write_edits",
]
