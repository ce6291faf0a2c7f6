"""``regreach audit``: everything that is known about each registry."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from regreach.cli import options as shared
from regreach.cli.progress import progress

if TYPE_CHECKING:
    from regreach.cli.printing import Document
    from regreach.request import Request, Result


@click.command(short_help="Print each registry as a matrix, findings and call sites.")
@shared.analysis_options
@shared.output_options("html")
def audit(**options: Any) -> None:
    """Print each registry as a matrix, the findings and the call sites.

    With --format html that is one page for a browser, with the story and a picture of each key.
    """
    from regreach.cli.printing import present
    from regreach.report import as_json, text
    from regreach.run import analyse

    shared.check_pages(options)
    request = shared.request_from(options)
    more: dict[str, Document] = {}
    with progress(options) as say:
        if "html" in shared.forms_of(options):
            result, more["html"] = _page(request, say)
        else:
            result = analyse(request, say)
    present(
        result, options, lines=text.audit_lines, document=as_json.audit_json, more=more, said=say
    )


def _page(request: Request, say: Callable[[str], None]) -> tuple[Result, Document]:
    """Analyse a target for a page that tells the story of each of its keys, too."""
    from regreach.explain.run import tell_all
    from regreach.report.html.page import audit_html

    told = tell_all(request, say)
    return told.result, lambda audit, found, _: audit_html(audit, found, told.stories, told.rules)
