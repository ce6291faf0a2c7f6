"""``regreach fix``: the edits that mend findings, as a patch or in the files."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from regreach.cli import options as shared
from regreach.cli.progress import progress


@click.command(short_help="Add the imports that are missing where they belong.")
@shared.analysis_options
@click.option("--diff", is_flag=True, help="Print a patch for `git apply`; so does neither option.")
@click.option("--write", is_flag=True, help="Change the files of TARGET, all or none.")
@click.option(
    "--verify",
    is_flag=True,
    help="First execute an edited copy: THIS RUNS THE TREE'S CODE, with your rights.",
)
@shared.process_options(timeout=60)
@shared.color_options
def fix(diff: bool, write: bool, verify: bool, python: str, timeout: float, **options: Any) -> None:
    """Mend registrations that their look-up cannot reach: add the import where it belongs.

    The import goes into the branch that needs it, or to the top of the module where it closes no import
    cycle and imports no further package there. The edited tree is analysed in memory before anything is
    printed or written: the finding must be gone, and nothing may be worse than it was.

    By default all errors that have a fix are mended, and RR106 by the comment that keeps a fixer of unused
    imports away; RR102 and RR111 only if they are selected. With --write only files
    below the folder TARGET are changed; releases, archives and revisions never are. Only with --verify
    is the tree's code run, which takes an interpreter with the tree's packages (--python): the consumer is
    constructed for each mended key, in a copy, and what is not confirmed is not mended.

    Exit codes: 0 all is mended, or there is nothing to mend; 1 something is not; 2 wrong usage or
    configuration; 3 could not run.
    """
    from regreach.cli.printing import print_notes, rendered, terminal_width
    from regreach.fixes import mend, patch, prefix_for, really_named, write_edits
    from regreach.fixes import verify as execute
    from regreach.probe.plan import Limits
    from regreach.report.fix import fix_lines, fix_summary
    from regreach.supply.jobs import job_count

    if diff and write:
        raise click.UsageError("--diff and --write exclude each other")
    request = shared.request_from(options)
    with progress(options) as say:
        mended = mend(request, to_write=write, on_progress=say)
        verified = None
        if verify and mended.edits:
            limits = Limits(python, timeout, job_count(request.jobs))
            verified = execute(request, mended, limits, say)
    refused = verified is not None and not all(each.ok for each in verified)
    edits = () if refused else mended.edits
    if not write:
        click.echo(
            patch(really_named(edits, mended.editable), prefix_for(mended.editable, Path.cwd())),
            nl=False,
        )
    elif mended.editable is not None and edits:
        write_edits(mended.editable, edits)
    # a patch is alone on standard output
    stream = sys.stdout if write else sys.stderr
    color = shared.use_color(options["color"], stream)
    lines = fix_lines(mended, verified, only_left=options["quiet"] and not write)
    text = rendered(lines, color=color, width=terminal_width(stream))
    click.echo(text, err=not write, nl=False, color=color)
    wrote = None if not diff and not write else write
    print_notes(mended.before, options, fix_summary(mended, verified, wrote=wrote))
    if options["stats"]:
        click.echo(say.stats(), err=True)
    raise click.exceptions.Exit(int(refused or bool(mended.left)))
