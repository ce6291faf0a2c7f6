"""``regreach rule``: the page of a rule, or the list of all."""

from __future__ import annotations

import json
import shutil
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import click

from regreach.cli import options as shared
from regreach.cli.completion import complete_codes
from regreach.errors import ConfigError

if TYPE_CHECKING:
    from regreach.rule import Rule

_WIDTH = 100  # a page is read more easily in lines that are not longer


@click.command(short_help="Print the page of a rule, or list the rules.")
@click.argument("code", required=False, shell_complete=complete_codes)
@shared.form_option()
@shared.file_options
def rule(
    code: str | None, form: str, output: Path | None, color: str, quiet: bool, **_: bool
) -> None:
    """Print the page of the rule CODE; without CODE, list the rules.

    On a terminal, or with --color always, a page is set out; in a pipe it is the Markdown that it is written in.
    """
    from regreach.plugins import load_plugins

    rules = load_plugins().rules
    if code is not None and code.upper() not in rules:
        raise ConfigError(f"unknown rule {code!r}; known are: {', '.join(rules)}")
    chosen = list(rules.values()) if code is None else [rules[code.upper()]]
    colored = shared.use_color(color, sys.stdout if output is None else None)
    if form == "json":
        text = _json(chosen)
    elif code is None:
        text = _listed(
            chosen, None if output is not None or not sys.stdout.isatty() else _columns()
        )
    else:
        text = _set_out(chosen[0].page) if colored else chosen[0].page
    if output is None:
        click.echo(text, nl=False, color=colored)
        return
    from regreach.cli.printing import write

    write(text, output)


def _listed(rules: list[Rule], width: int | None) -> str:
    """Return a line for each rule; on a terminal, its summary is folded to the width."""
    lines = []
    for each in rules:
        head = f"{each.code}  {each.severity:<7}  "
        room = max(width - len(head), 20) if width is not None else None
        parts = textwrap.wrap(each.summary, room) if room is not None else [each.summary]
        lines += [
            f"{head if not number else ' ' * len(head)}{p}\n" for number, p in enumerate(parts)
        ]
    return "".join(lines)


def _columns() -> int:
    """Return how wide the terminal is."""
    return shutil.get_terminal_size().columns


def _json(rules: list[Rule]) -> str:
    from regreach.report.rule_json import rules_json

    return json.dumps(rules_json(rules), indent=2) + "\n"


def _set_out(page: str) -> str:
    """Return a page for a terminal, with headings and code in colours."""
    from io import StringIO

    from rich.console import Console
    from rich.markdown import Markdown

    from regreach.cli.printing import terminal_width

    buffer = StringIO()
    width = min(terminal_width(sys.stdout) or _WIDTH, _WIDTH)
    console = Console(
        file=buffer, force_terminal=True, color_system="standard", width=width, legacy_windows=False
    )
    console.print(Markdown(page, code_theme="ansi_dark", hyperlinks=False))
    # no line ends in the spaces with which a block is filled
    return "\n".join(line.rstrip() for line in buffer.getvalue().splitlines()) + "\n"
