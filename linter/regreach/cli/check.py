"""``regreach check``: findings only, for hooks and CI."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from regreach.cli import options as shared


@click.command()
@shared.analysis_options
@shared.output_options
def check(**options: Any) -> None:
    """Report registrations that their look-up cannot reach (default: the tree in this folder)."""
    from regreach.cli.printing import rendered, terminal_width, write
    from regreach.report import as_json, text
    from regreach.run import analyse

    request = shared.request_from(options)
    output: Path | None = options["output"]
    with shared.progress(options["quiet"]) as say:
        result = analyse(request, say)
    color = shared.use_color(options["color"], output is not None)
    if options["form"] == "json":
        write(as_json.check_json(result.audit, result.findings), output)
    else:
        lines = [line for f in result.findings for line in text.finding_lines(f)]
        write(rendered(lines, color=color, width=terminal_width(output)), output)
    if not options["quiet"]:
        notes = [*text.problem_lines(result.audit), text.summary(result.findings)]
        click.echo(rendered(notes, color=color), err=True, nl=False)
    raise click.exceptions.Exit(
        shared.exit_code(result.findings, options["fail_on"], options["exit_zero"])
    )
