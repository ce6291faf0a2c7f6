"""``regreach explain``: the whole story of one key."""

from __future__ import annotations

from typing import Any

import click

from regreach.cli import options as shared
from regreach.cli.progress import progress


@click.command(short_help="Tell all that is known of one key.")
@click.argument("key")
@shared.analysis_options
@shared.print_options
def explain(key: str, **options: Any) -> None:
    """Tell all that is known of one KEY: what registers it, who asks for it, what loads it, what fails.

    KEY is its parts in the registry's order, separated by commas: none,triton. Where several registries
    have it, the id of one, or its end, stands in front: REGISTRY:none,triton.

    Exit codes: 0 it is told, 2 there is no such key (those that are spelled alike are named), or wrong usage,
    3 could not run.
    """
    from regreach.cli.printing import print_notes, print_report
    from regreach.explain.run import explain as tell
    from regreach.report.explain import explain_lines
    from regreach.report.explain_json import explain_json

    request = shared.request_from(options)
    with progress(options) as say:
        audit, story = tell(request, key, say)
    print_report(
        options,
        lines=lambda: explain_lines(audit, story),
        document=lambda _: explain_json(audit, story),
    )
    print_notes(audit, options)
    if options["stats"]:
        click.echo(say.stats(), err=True)
