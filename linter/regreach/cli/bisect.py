"""``regreach bisect``: the commit that broke a key, or mended it."""

from __future__ import annotations

import sys
from typing import Any

import click

from regreach.cli import options as shared
from regreach.cli.progress import progress


@click.command(short_help="Find the commit that broke a key.")
@click.argument("key")
@shared.history_options
@click.option(
    "--good", metavar="REV", required=True, help="A revision in which the key is as it should be."
)
@click.option("--bad", metavar="REV", required=True, help="One in which it is broken.")
@click.option(
    "--rule",
    "select",
    metavar="CODES",
    multiple=True,
    help="Broken is where one of these rules finds something about the key (default: any error).",
)
@click.option("--first-parent", is_flag=True, help="Look at merges as wholes, as git bisect does.")
@shared.print_options
def bisect(key: str, good: str, bad: str, first_parent: bool, **options: Any) -> None:
    """Find the commit between two revisions of TARGET that broke KEY, e.g. none,triton.

    The revisions are read from git's objects and analysed; nothing is checked out. A key is broken where
    a rule finds an error about it; if that is the same at both ends, where it is reached less surely
    than at --good. Called with the ends the other way round, it finds the commit that mended the key.
    What cannot be analysed is skipped, as by `git bisect skip`.

    Exit codes: 0 found, 1 one of several, for want of revisions that can be analysed, 2 wrong usage (as
    ends that do not differ), 3 could not run.
    """
    from regreach.cli.printing import print_report, rendered, terminal_width
    from regreach.explain.keys import parts_of
    from regreach.history.bisecting import Range
    from regreach.history.bisecting import bisect as search
    from regreach.report.bisect import bisect_json, bisect_lines, bisect_notes

    request = shared.request_from(options)
    wanted = Range(parts_of(key), good, bad, first_parent)
    with progress(options) as say:
        found = search(request, wanted, say)
    print_report(options, lines=lambda: bisect_lines(found), document=lambda _: bisect_json(found))
    if not options["quiet"]:
        color = shared.use_color(options["color"], sys.stderr)
        notes = rendered(bisect_notes(found), color=color, width=terminal_width(sys.stderr))
        click.echo(notes, err=True, nl=False, color=color)
    if options["stats"]:
        click.echo(say.stats(), err=True)
    raise click.exceptions.Exit(int(len(found.commits) > 1))
