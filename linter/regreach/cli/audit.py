"""``regreach audit``: everything that is known about each registry."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from regreach.cli import options as shared


@click.command()
@shared.analysis_options
@shared.output_options
def audit(**options: Any) -> None:
    """Print each registry as a matrix, the findings with their story, and the call sites."""
    from regreach.cli.printing import rendered, terminal_width, write
    from regreach.report import as_json, text
    from regreach.run import analyse

    request = shared.request_from(options)
    output: Path | None = options["output"]
    with shared.progress(options["quiet"]) as say:
        result = analyse(request, say)
    color = shared.use_color(options["color"], output is not None)
    if options["form"] == "json":
        write(as_json.audit_json(result.audit, result.findings), output)
    else:
        lines = text.audit_lines(result.audit, result.findings)
        write(rendered(lines, color=color, width=terminal_width(output)), output)
    if not options["quiet"]:
        notes = [*text.problem_lines(result.audit), text.summary(result.findings)]
        click.echo(rendered(notes, color=color), err=True, nl=False)
    raise click.exceptions.Exit(
        shared.exit_code(result.findings, options["fail_on"], options["exit_zero"])
    )
