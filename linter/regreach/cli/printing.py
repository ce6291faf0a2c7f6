"""Write text or lines to standard output or a file, whole or not at all."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterable
from io import StringIO
from pathlib import Path

import click
from rich.console import Console
from rich.text import Text

from regreach.errors import ConfigError
from regreach.report.text import wrapped


def rendered(lines: Iterable[Text], *, color: bool, width: int | None = None) -> str:
    """Return lines as text; with ``color``, with terminal codes. They are folded only to a ``width``."""
    if width is not None:
        lines = wrapped(lines, width)
    buffer = StringIO()
    console = Console(
        file=buffer,
        force_terminal=color,
        no_color=not color,
        color_system="standard" if color else None,
        highlight=False,
        markup=False,
        emoji=False,
        soft_wrap=True,
        width=100_000,
    )
    for line in lines:
        console.print(line)
    return buffer.getvalue()


def terminal_width(output: Path | None) -> int | None:
    """Return the width to fold to: that of the terminal, None when standard output is none."""
    if output is not None or not sys.stdout.isatty():
        return None
    return shutil.get_terminal_size().columns


def write(text: str, output: Path | None) -> None:
    """Print a text, or put it into a file atomically. Raises ConfigError when that is not possible."""
    if output is None:
        click.echo(text, nl=False)
        sys.stdout.flush()
        return
    folder = output.parent
    try:
        handle, name = tempfile.mkstemp(dir=folder, prefix=f".{output.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
            Path(name).replace(output)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise ConfigError(f"{output}: cannot be written: {error.strerror}") from None
