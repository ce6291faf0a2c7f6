"""``regreach audit``: everything that is known about each registry."""

from __future__ import annotations

from typing import Any

import click

from regreach.cli import options as shared


@click.command()
@shared.analysis_options
@shared.output_options()
def audit(**options: Any) -> None:
    """Print each registry as a matrix, the findings and the call sites."""
    from regreach.cli.printing import present
    from regreach.report import as_json, text
    from regreach.run import analyse

    request = shared.request_from(options)
    with shared.progress(options["quiet"]) as say:
        result = analyse(request, say)
    present(result, options, lines=text.audit_lines, document=as_json.audit_json)
