"""Runs the command and writes down all that the interpreter is asked to do; worker processes as well.

``python watching.py REPORT ARGUMENTS...``: a line of JSON for each event, [process, event, argument].
"""

from __future__ import annotations

import json
import os
import sys

report, *arguments = sys.argv[1:]
file = os.open(report, os.O_WRONLY | os.O_CREAT | os.O_APPEND)  # a forked process has it as well
WANTED = (
    "import",
    "exec",
    "compile",
    "open",
    "shutil.",
    "socket.",
    "subprocess.",
    "os.",
    "ctypes.",
)
HARMLESS = ("os.listdir", "os.scandir", "os.walk", "os.fwalk", "os.listxattr", "os.getxattr")


def said(event: str, args: tuple[object, ...]) -> str:
    if event == "exec":
        return str(getattr(args[0], "co_filename", args[0]))
    if event == "compile":
        return str(args[1])
    if event == "open":
        flags = args[2] if len(args) > 2 and isinstance(args[2], int) else 0
        writes = flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND)
        path = os.fsdecode(args[0]) if isinstance(args[0], bytes) else args[0]
        return f"{'write' if writes else 'read'} {path}"
    if event == "import":
        return f"{args[0]} {args[1]}"
    return " ".join(map(str, args))


def hook(event: str, args: tuple[object, ...]) -> None:
    if event.startswith(WANTED) and event not in HARMLESS:
        line = json.dumps([os.getpid(), event, said(event, args)])
        os.write(file, line.encode() + b"\n")


sys.addaudithook(hook)
from regreach.cli import script  # noqa: E402

sys.argv[1:] = arguments
script()
