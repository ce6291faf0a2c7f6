"""What a command says of itself on standard error while it works, and how long each step took."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from regreach.program import Program


class Progress:
    """Is called with a line for each step, and knows when each began (seconds, wall time)."""

    def __init__(self, *, verbose: bool = False) -> None:
        self._verbose = verbose
        self._steps: list[tuple[str, float]] = []
        self._status: Any = None
        self.begun = time.perf_counter()

    def __call__(self, text: str) -> None:
        """Note that a step begins; one that is told twice in a row is one."""
        if self._steps and self._steps[-1][0] == text:
            return
        self._steps.append((text, time.perf_counter()))
        if self._status is not None:
            from rich.text import Text

            self._status.update(Text(text))
        elif self._verbose:
            self.note(text)

    def note(self, text: str) -> None:
        """Print a line that is not a step; with --verbose only."""
        if self._verbose:
            click.echo(text, err=True)

    def stats(self, program: Program | None = None) -> str:
        """Return how long each step took until the next began, and how many files were parsed for it."""
        now = time.perf_counter()
        ends = [*(begin for _, begin in self._steps[1:]), now]
        rows = [
            ("loading rules and packs", (self._steps[0][1] if self._steps else now) - self.begun)
        ]
        rows += [(text, end - begin) for (text, begin), end in zip(self._steps, ends, strict=True)]
        rows.append(("in all", now - self.begun))
        lines = [f"{seconds:8.2f} s  {text}" for text, seconds in rows]
        if program is not None:
            read = program.files_read
            lines.append(
                f"{len(program.tree.modules):8} modules; of their files {read.parsed} were parsed"
                f" ({read.beforehand} of them by other processes), {read.kept} came from the cache"
            )
        return "\n".join(lines)


@contextlib.contextmanager
def progress(options: Mapping[str, Any]) -> Iterator[Progress]:
    """Show what is being done: with --verbose line by line, else on a terminal, gone at the end.

    Raises click.UsageError for a command that is to be quiet and to talk.
    """
    quiet, verbose = options["quiet"], options["verbose"]
    if quiet and verbose:
        raise click.UsageError("--quiet and --verbose exclude each other")
    told = Progress(verbose=verbose)
    configured = options.get("configured")
    if configured is not None:
        told.note(configured.told())
    if quiet or verbose or not sys.stderr.isatty():
        yield told
        return
    from rich.console import Console

    with Console(stderr=True).status("") as told._status:
        yield told
    told._status = None
