"""Draw a command's coloured output as an SVG picture: ``python docs/screenshot.py OUT.svg COMMAND...``.

The pictures in README.md are made with it; see CONTRIBUTING.md.
"""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
from io import StringIO
from pathlib import Path

from rich.console import Console
from rich.text import Text

WIDTH = 120


def main(output: str, command: list[str]) -> None:
    """Run a command on a terminal of its own and save what it shows."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, WIDTH, 0, 0))
    process = subprocess.Popen(command, stdout=theirs, stderr=subprocess.DEVNULL)
    os.close(theirs)
    shown = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # the other side is closed
            break
        if not part:
            break
        shown += part
    process.wait()
    console = Console(record=True, width=WIDTH, file=StringIO(), force_terminal=True)
    title = "$ " + " ".join([Path(command[0]).name, *command[1:]])
    console.print(Text.from_ansi(shown.decode().replace("\r\n", "\n")))
    console.save_svg(output, title=title)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
