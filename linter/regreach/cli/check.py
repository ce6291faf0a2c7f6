"""``regreach check``: findings only, for hooks and CI."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NoReturn

import click

from regreach.cli import options as shared
from regreach.cli.progress import progress

if TYPE_CHECKING:
    from regreach.request import Found, Request


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
    from regreach.remembered import checked
    from regreach.report import as_json, text

    request = shared.request_from(options)
    if since is not None:
        _check_since(request, since, options)
    with progress(options) as say:
        result = _analysed(request, say) if _needs_analysis(options) else checked(request, say)
    present(result, options, lines=text.check_lines, document=as_json.check_json, said=say)


def _analysed(request: Request, say: Callable[[str], None]) -> Found:
    from regreach.run import analyse

    return analyse(request, say)


def _needs_analysis(options: Mapping[str, Any]) -> bool:
    """Return whether what is printed needs more than the findings: SARIF has edits of the sources."""
    forms = {options["form"], *(form for form, _ in options["outputs"])}
    return not forms <= {None, "text", "json"}


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
