"""``regreach check``: findings only, for hooks and CI."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import click

from regreach.cli import options as shared
from regreach.cli.progress import progress

if TYPE_CHECKING:
    from regreach.request import Request


@click.command()
@shared.analysis_options
@click.option(
    "--since",
    metavar="REV",
    help="Report only what came in since this revision of TARGET, a git repository; or a range A..B.",
)
@shared.output_options()
def check(since: str | None, **options: Any) -> None:
    """Report registrations that their look-up cannot reach.

    Without TARGET, the tree in this folder is read.
    """
    from regreach.cli.printing import present
    from regreach.remembered import analysed, checked
    from regreach.report import as_json, text

    request = shared.request_from(options)
    if since is not None:
        _check_since(request, since, options)
    with progress(options) as say:
        # SARIF has edits of the sources, and the other services' formats are made beside it
        findings_will_do = shared.forms_of(options) <= {"text", "json"}
        result = (checked if findings_will_do else analysed)(request, say)
    present(result, options, lines=text.check_lines, document=as_json.check_json, said=say)


def _check_since(request: Request, since: str, options: dict[str, Any]) -> NoReturn:
    from regreach.cli.printing import present
    from regreach.history.since import compare
    from regreach.report.since import since_json, since_lines, since_notes

    with progress(options) as say:
        found = compare(request, since, say)
    present(
        found.result,
        options,
        lines=lambda *_: since_lines(found),
        document=lambda *_: since_json(found),
        notes=since_notes(found),
        said=say,
    )
