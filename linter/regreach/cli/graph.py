"""``regreach graph``: the import graph that matters for one key, as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from regreach.cli import options as shared
from regreach.cli.progress import progress

_FORMS = ["dot", "mermaid", "svg"]
_BY_ENDING = {".dot": "dot", ".gv": "dot", ".mmd": "mermaid", ".mermaid": "mermaid", ".svg": "svg"}


@click.command(short_help="Draw the imports around one key.")
@click.argument("key")
@shared.analysis_options
@click.option(
    "--format",
    "form",
    type=click.Choice(_FORMS),
    help="In which language (default: that of FILE's ending, else dot). svg needs no other program.",
)
@shared.file_options
def graph(key: str, form: str | None, **options: Any) -> None:
    """Draw the imports between process, call sites, consumer and registrations of one KEY.

    KEY is written as for `explain`. Call sites that crash are marked, imports in functions are dashed and have their
    guards on them, and a cycle that an import at the top of the consumer's module would close is thick.

    Exit codes: 0 it is drawn, 2 there is no such key, or wrong usage, 3 could not run.
    """
    from regreach.cli.printing import print_notes, write
    from regreach.explain.draw import picture_of
    from regreach.explain.run import explain as tell

    output: Path | None = options["output"]
    if form is None and output is not None and output.suffix:
        form = _BY_ENDING.get(output.suffix.lower())
        if form is None:
            endings = ", ".join(_BY_ENDING)
            raise click.UsageError(f"{output}: the endings are {endings}; or say --format")
    form = form or "dot"
    request = shared.request_from(options)
    with progress(options) as say:
        audit, story = tell(request, key, say)
    picture = picture_of(story)
    if form == "svg":
        from regreach.report.drawing.svg import svg_document as drawn
    elif form == "mermaid":
        from regreach.report.drawing.mermaid import mermaid as drawn
    else:
        from regreach.report.drawing.dot import dot as drawn
    write(drawn(picture), output)
    print_notes(audit, options)
    if options["stats"]:
        click.echo(say.stats(), err=True)
