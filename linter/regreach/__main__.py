"""``python -m regreach``."""

import os
import sys

# -m puts the current folder first, which mostly is the tree to be read: its `click` is not ours.
if sys.path[0] in ("", os.getcwd()):  # noqa: PTH109 - pathlib is not imported yet, for that reason
    del sys.path[0]

from regreach.cli import script

script()
