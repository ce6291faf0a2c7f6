"""Write a result to standard output or a file, whole or not at all."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping
from io import StringIO
from pathlib import Path
from typing import Any, NoReturn, TextIO

import click
from rich.text import Text

from regreach.beside import beside
from regreach.cli.options import STANDARD_OUTPUT, exit_code, use_color
from regreach.cli.progress import Progress
from regreach.errors import ConfigError, TargetError
from regreach.model import Audit, Finding, Suppressed
from regreach.report.folding import folded
from regreach.report.text import help_lines, problem_lines, summary, suppressed_lines
from regreach.request import Found, Result
from regreach.tree.paths import harmless

Lines = Callable[[Audit, tuple[Finding, ...], tuple[Suppressed, ...]], Iterable[Text]]
Document = Callable[[Audit, tuple[Finding, ...], tuple[Suppressed, ...]], str]


def present(
    result: Found,
    options: Mapping[str, Any],
    *,
    lines: Lines,
    document: Document,
    more: Mapping[str, Document] = {},
    said: Progress | None = None,
    notes: Iterable[Text] = (),
) -> NoReturn:
    """Print a result as the options say, a summary to standard error, and end with the exit code.

    ``document`` makes the command's own JSON, ``more`` its other formats; those of services are the same
    for all commands.
    ``notes`` are printed before the summary. Raises TargetError at the end where nothing can be said.
    """

    code = exit_code(result.findings, options["fail_on"], options["exit_zero"])
    fails = exit_code(result.findings, options["fail_on"], exit_zero=False)
    unsure = result.audit.unsure if result.audit.blocked or not fails else ()

    def in_form(form: str) -> str:
        from regreach.report import formats

        own = {"json": document, **more}.get(form)
        if own is not None:
            return own(result.audit, result.findings, result.suppressed)
        assert isinstance(result, Result), "other formats need an analysis"
        return formats.document(form, result, options["fail_on"], unsure)

    print_report(
        options,
        lines=lambda: lines(result.audit, result.findings, result.suppressed),
        document=in_form,
    )
    more_lines = suppressed_lines(result.suppressed) if options["verbose"] else []
    count = summary(result.findings, result.suppressed, unsure=bool(unsure))
    ways = help_lines(result.findings, result.rules)
    print_notes(result.audit, options, *more_lines, *notes, *ways, count)
    if options["stats"] and said is not None:
        program = result.analysis.program if isinstance(result, Result) else None
        click.echo(said.stats(program), err=True)
        if program is None:
            click.echo("remembered: no file has changed that a verdict depends on", err=True)
    if unsure:
        raise TargetError(unsure[0])
    raise click.exceptions.Exit(code)


def print_notes(audit: Audit, options: Mapping[str, Any], *more: Text) -> None:
    """Print to standard error what could not be read, and other lines, if the options want that."""
    if options["quiet"]:
        return
    color = use_color(options["color"], sys.stderr)
    lines = [*problem_lines(audit), *more]
    text = rendered(lines, color=color, width=terminal_width(sys.stderr))
    click.echo(text, err=True, nl=False, color=color)


def print_report(
    options: Mapping[str, Any],
    *,
    lines: Callable[[], Iterable[Text]],
    document: Callable[[str], str],
) -> None:
    """Print what the options ask for, files first: as lines, or as documents. Raises ConfigError.

    ``document`` is given the name of a format other than ``text``.
    """
    outputs: list[tuple[str | None, Path | None]] = list(options["outputs"])
    if all(form is not None for form, _ in outputs):
        outputs.append((None, None))
    for asked, named in outputs:
        output = None if named is not None and os.fspath(named) in STANDARD_OUTPUT else named
        form = asked or options["form"]
        stream = sys.stdout if output is None else None
        color = use_color(options["color"], stream)
        if form == "text":
            text = rendered(lines(), color=color, width=terminal_width(stream))
            write(text, output, color=color)
        else:
            write(harmless(document(form)), output)


def terminal_width(stream: TextIO | None) -> int | None:
    """Return how wide the terminal is that a stream goes to; None when it is none, or a file (None)."""
    if stream is None or not stream.isatty():
        return None
    return shutil.get_terminal_size().columns


def rendered(lines: Iterable[Text], *, color: bool, width: int | None = None) -> str:
    """Return lines as text; with ``color``, with terminal codes. They are folded only to a ``width``."""
    if width is not None:
        lines = folded(lines, width)
    if not color:
        return "".join(f"{harmless(line.plain).expandtabs()}\n" for line in lines)
    from rich.console import Console  # a tenth of the time that an unchanged tree takes

    buffer = StringIO()
    console = Console(
        file=buffer,
        force_terminal=True,
        no_color=False,  # whatever the environment says: it was asked for
        color_system="standard",
        highlight=False,
        markup=False,
        emoji=False,
        soft_wrap=True,
        width=100_000,
    )
    for line in lines:
        line.plain = harmless(line.plain)
        console.print(line)
    return buffer.getvalue()


def write(text: str, output: Path | None, *, color: bool = False) -> None:
    """Print a text, or put it into a file atomically. Raises ConfigError when that is not possible.

    What stood in the file stays until the new text is complete, and when it cannot be written.
    """
    if output is None or os.fspath(output) in STANDARD_OUTPUT:
        click.echo(text, nl=False, color=color)
        return
    data = text.encode("utf-8", "backslashreplace")
    try:
        if output.exists() and not output.is_file():
            output.write_bytes(
                data
            )  # a pipe or a device: it cannot be replaced, nor be found by a real path
            return
        goal = Path(os.path.realpath(output))  # a link stays one
        with beside(goal, data) as new:
            new.replace(goal)
    except OSError as error:
        raise ConfigError(f"{output}: cannot be written: {error.strerror}") from None
