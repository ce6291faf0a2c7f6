"""``regreach side-effects``: the imports that no fixer of unused imports may delete."""

from __future__ import annotations

from typing import Any

import click

from regreach.cli import options as shared
from regreach.cli.progress import progress


@click.command("side-effects", short_help="List the imports that registrations depend on.")
@shared.tree_options
@shared.list_options("ruff", "pyproject")
def side_effects(**options: Any) -> None:
    """List the imports that are there for their side effect, and what depends on each.

    Nothing reads what they bind, but they load a module that registers. All of them are told, whether a
    comment, __all__ or a package's __init__ protects them or nothing does (RR106 reports the latter).

    --format ruff is a ruff.toml that keeps F401 from their files, --format pyproject the same for
    pyproject.toml; paths are relative to TARGET.

    Exit codes: 0 they are listed, 2 wrong usage or configuration, 3 could not run.
    """
    from regreach.cli.printing import print_notes, print_report
    from regreach.errors import TargetError
    from regreach.needed_imports import find_needed_imports
    from regreach.report import needed_imports as report

    request = shared.request_from(options)
    with progress(options) as say:
        audit, needed = find_needed_imports(request, say)

    def document(form: str) -> str:
        if form == "json":
            return report.needed_json(audit, needed)
        return report.ruff_toml(needed, in_pyproject=form == "pyproject")

    print_report(options, lines=lambda: report.needed_lines(audit, needed), document=document)
    print_notes(audit, options, report.summary(needed))
    if options["stats"]:
        click.echo(say.stats(), err=True)
    if audit.unsure:
        raise TargetError(audit.unsure[0])
