"""``regreach explain``: the whole story of one key."""

from __future__ import annotations

from typing import Any

import click

from regreach.cli import options as shared


@click.command()
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
    from regreach.cli.printing import notes, print_report
    from regreach.explain.run import explain as tell
    from regreach.report.explain import explain_lines
    from regreach.report.explain_json import explain_json

    request = shared.request_from(options)
    with shared.progress(options["quiet"]) as say:
        audit, story = tell(request, key, say)
    print_report(
        options,
        lines=lambda: explain_lines(audit, story),
        document=lambda: explain_json(audit, story),
    )
    notes(audit, options)
