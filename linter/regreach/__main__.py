"""Where the command begins: ``python -m regreach``, and the script ``regreach``."""

import os
import sys

# -m puts the current folder first, which mostly is the tree to be read: its `click` is not ours.
if __name__ == "__main__" and sys.path[0] in ("", os.getcwd()):  # noqa: PTH109 - nor its `pathlib`
    del sys.path[0]


def script() -> None:
    """Run the command line as all that this process is for."""
    import signal

    # until there is somebody to say it in a line, an interrupt ends the process without a traceback
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    from regreach.cli import script as begin

    begin()


if __name__ == "__main__":
    script()
