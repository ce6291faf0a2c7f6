"""Options that several commands share, and what they make of them."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TextIO, TypeVar

import click

from regreach.model import Finding
from regreach.run import Request

_F = TypeVar("_F", bound=Callable[..., Any])
_RANK = {"error": 3, "warning": 2, "info": 1}


def analysis_options(function: _F) -> _F:
    """Add TARGET and the options that say what is analysed, and how."""
    return _with(function, [*_TREE, *_RULES])


def tree_options(function: _F) -> _F:
    """Add TARGET and the options that say how it is seen."""
    return _with(function, _TREE)


def process_options(timeout: float) -> Callable[[_F], _F]:
    """Return what adds the options of the processes that execute a tree; ``timeout`` is in seconds."""
    limit = click.option(
        "--timeout",
        type=click.FloatRange(min=1),
        default=timeout,
        metavar="SECONDS",
        show_default=True,
        help="What each process may take.",
    )
    return lambda function: _with(function, [_PYTHON, limit])


def color_options(function: _F) -> _F:
    """Add the options that say how much is printed, and in which colours."""
    return _with(function, _COLOR)


def file_options(function: _F) -> _F:
    """Add the options that say where something is printed, and in which colours."""
    return _with(function, _FILE)


def print_options(function: _F) -> _F:
    """Add the options that say what is printed, and where."""
    return _with(function, [form_option(), *_FILE])


def output_options(*more: str) -> Callable[[_F], _F]:
    """Return what adds the options that say what is printed, where, and what the exit code means.

    ``more`` are formats beside text and JSON.
    """
    return lambda function: _with(function, [form_option(*more), *_FILE, *_VERDICT])


def form_option(*more: str) -> Callable[[_F], _F]:
    """Return what adds the option that says how something is printed."""
    return click.option(
        "--format",
        "form",
        type=click.Choice(["text", "json", *more]),
        default="text",
        show_default=True,
        help="How to print.",
    )


def _with(function: _F, options: list[Callable[[Any], Any]]) -> _F:
    for option in reversed(options):
        function = option(function)
    return function


_TREE: list[Callable[[Any], Any]] = [
    click.argument("target", default="."),
    click.option("--rev", metavar="REV", help="Read this revision of the git repository TARGET."),
    click.option(
        "--pack", metavar="NAME", help="The pack to use: a name, or the path of a TOML file."
    ),
    click.option(
        "--platform", metavar="NAME", help="Whose facts hold, e.g. cuda, hip, npu, cpu, xpu."
    ),
    click.option(
        "--env",
        "environment",
        metavar="NAME=VALUE",
        multiple=True,
        help="Analyse as if this environment variable were set. Repeatable.",
    ),
    click.option(
        "--absent",
        metavar="PACKAGE",
        multiple=True,
        help="Analyse as if this third-party package were not installed. Repeatable.",
    ),
    click.option("--no-cache", is_flag=True, help="Keep and use nothing from earlier runs."),
    click.option(
        "--jobs",
        type=click.IntRange(min=1),
        metavar="N",
        help="Parse in N processes (default: $REGREACH_JOBS, else the number of processors).",
    ),
    click.option(
        "--offline", is_flag=True, help="Fetch nothing: a requirement must be in the cache already."
    ),
]
_RULES: list[Callable[[Any], Any]] = [
    click.option(
        "--select", metavar="CODES", multiple=True, help="Only these rules, e.g. RR101,RR102."
    ),
    click.option("--ignore", metavar="CODES", multiple=True, help="Not these rules."),
]
_PYTHON: Callable[[Any], Any] = click.option(
    "--python",
    metavar="PATH",
    default=sys.executable,
    show_default="the one that runs regreach",
    help="The interpreter to execute the tree with; what is installed for it is used.",
)
_COLOR: list[Callable[[Any], Any]] = [
    click.option(
        "--color",
        type=click.Choice(["auto", "always", "never"]),
        default="auto",
        show_default=True,
        help="When to colour. NO_COLOR is honoured.",
    ),
    click.option("--quiet", "-q", is_flag=True, help="No summary and no progress."),
]
_FILE: list[Callable[[Any], Any]] = [
    click.option(
        "--output", "-o", metavar="FILE", type=click.Path(path_type=Path), help="Print to a file."
    ),
    *_COLOR,
]
_VERDICT: list[Callable[[Any], Any]] = [
    click.option(
        "--fail-on",
        type=click.Choice(["error", "warning", "info"]),
        default="error",
        show_default=True,
        help="Exit with 1 for findings of this severity or above.",
    ),
    click.option("--exit-zero", is_flag=True, help="Exit with 0 even if there are findings."),
]


def request_from(options: dict[str, Any]) -> Request:
    """Take the analysis options out of a command's parameters. Raises click.UsageError."""
    environment: dict[str, str] = {}
    for setting in options.pop("environment"):
        name, equals, value = setting.partition("=")
        if not equals or not name:
            raise click.UsageError(f"--env takes NAME=VALUE, not {setting!r}")
        environment[name] = value
    return Request(
        options.pop("target"),
        options.pop("rev"),
        options.pop("pack"),
        options.pop("platform"),
        environment,
        options.pop("absent"),
        _codes(options.pop("select", ())),
        _codes(options.pop("ignore", ())),
        None,
        options.pop("offline"),
        not options.pop("no_cache"),
        options.pop("jobs"),
    )


def _codes(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(c.strip().upper() for v in values for c in v.split(",") if c.strip())


def exit_code(findings: Iterable[Finding], fail_on: str, exit_zero: bool) -> int:
    """Return 1 when a finding is at or above the severity, else 0."""
    worst = max((_RANK[f.severity] for f in findings), default=0)
    return int(worst >= _RANK[fail_on] and not exit_zero)


@contextlib.contextmanager
def progress(quiet: bool) -> Iterator[Callable[[str], None]]:
    """Show what is being done on the terminal, one line that is gone at the end; nothing in a pipe."""
    if quiet or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(stderr=True)
    with console.status("") as status:
        yield lambda text: status.update(Text(text))


def use_color(choice: str, stream: TextIO | None) -> bool:
    """Return whether to colour what goes to a stream, or to a file (None)."""
    if choice != "auto":
        return choice == "always"
    return stream is not None and stream.isatty() and not os.environ.get("NO_COLOR")
