"""``regreach check``: findings only, for hooks and CI."""

from __future__ import annotations

from typing import Any

import click

from regreach.cli import options as shared


@click.command()
@shared.analysis_options
@shared.output_options()
def check(**options: Any) -> None:
    """Report registrations that their look-up cannot reach.

    Without TARGET, the tree in this folder is read.
    """
    from regreach.cli.printing import present
    from regreach.report import as_json, text
    from regreach.run import analyse

    request = shared.request_from(options)
    with shared.progress(options["quiet"]) as say:
        result = analyse(request, say)
    present(result, options, lines=text.check_lines, document=as_json.check_json)
