"""``regreach pack``: packs as files that people write: checked, listed, shown."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from regreach.cli import options as shared
from regreach.cli.completion import complete_packs
from regreach.cli.progress import progress

if TYPE_CHECKING:
    from regreach.pack import Pack
    from regreach.pack_check.missing import Missing


@click.group(short_help="Check a pack, list the installed ones, or print one.")
def pack() -> None:
    """Check a pack, list the installed ones, or print the text of one.

    A pack tells of one framework where its registries are; `docs/packs.md` describes the format.
    """


@pack.command("check", short_help="Say what is wrong in a pack, and what of it a tree lacks.")
@click.argument("name", metavar="FILE|NAME", shell_complete=complete_packs)
@click.argument("target", required=False)
@click.option("--package", metavar="NAME", help="The import package, for a pack that is for any.")
@click.option("--rev", metavar="REV", help="Read this revision of the git repository TARGET.")
@click.option("--offline", is_flag=True, help="Fetch nothing: a requirement must be in the cache.")
@shared.form_option()
@shared.output_and_verdict_options
def check_pack(
    name: str,
    target: str | None,
    package: str | None,
    rev: str | None,
    offline: bool,
    **options: Any,
) -> None:
    """Say what is wrong in a pack; with a TARGET, also which of its names are not there.

    The pack is a file, or one that is installed. An entry without which a registry cannot be judged is an
    error, one that is passed over, as a pack may speak of several releases, a warning.

    Exit codes: 0 nothing at or above --fail-on, 1 names that TARGET lacks, 2 the pack is wrong, or wrong usage,
    3 TARGET could not be read.
    """
    from regreach.plugins import load_plugins
    from regreach.request import Request, opened_tree

    if target is None and package is None:
        loaded = load_plugins().pack_as_it_is(name)
    else:
        loaded = load_plugins().pack(name, package)
    if target is None:
        if rev is not None:
            raise click.UsageError("--rev is the revision of a TARGET")
        _print(loaded, [], options, target)
        return
    from regreach.pack_check.missing import missing_in
    from regreach.program import Program

    request = Request(target, rev, loaded, offline=offline)
    with (
        progress(options) as say,
        opened_tree(request, say) as (tree, _, _),
        Program(tree) as program,
    ):
        say("looking for what the pack names")
        missing = missing_in(program, loaded)
    _print(loaded, missing, options, target)
    if options["stats"]:
        click.echo(say.stats(), err=True)
    from regreach.model import fails

    raise click.exceptions.Exit(
        int(any(fails(each.severity, options["fail_on"]) for each in missing))
    )


def _print(
    loaded: Pack, missing: list[Missing], options: dict[str, Any], target: str | None
) -> None:
    from regreach.cli.printing import print_report
    from regreach.report import pack_check as report

    print_report(
        {**options, "outputs": [] if options["output"] is None else [(None, options["output"])]},
        lines=lambda: report.missing_lines(loaded, missing),
        document=lambda _: report.missing_json(loaded, missing, target),
    )
    if not options["quiet"]:
        click.echo(report.summary(loaded, missing, target), err=True)


@pack.command("list", short_help="List the packs that are installed.")
@shared.form_option()
def list_packs(form: str) -> None:
    """List the packs that are installed: name, format, package, platforms, and who brings each."""
    from regreach.plugins import load_plugins

    plugins = load_plugins()
    found = [plugins.pack_as_it_is(name) for name in plugins.packs]
    if form == "json":
        packs = [
            {
                "name": each.name,
                "format": each.format,
                "package": each.location.name,
                "platforms": list(each.platforms),
                "from": plugins.origins[each.name],
            }
            for each in found
        ]
        click.echo(json.dumps({"schema_version": 1, "packs": packs}, indent=2))
        return
    rows = [
        (
            p.name,
            f"format {p.format}",
            p.location.name,
            ", ".join(p.platforms),
            plugins.origins[p.name],
        )
        for p in found
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(4)] if rows else []
    for row in rows:
        cells = [f"{cell:<{width}}" for cell, width in zip(row, widths, strict=False)]
        click.echo("  ".join([*cells, row[-1]]))


@pack.command("show", short_help="Print the text of a pack.")
@click.argument("name", metavar="NAME", shell_complete=complete_packs)
@shared.file_options
def show_pack(name: str, **options: Any) -> None:
    """Print the TOML of an installed pack, to read it or to begin one from it."""
    from regreach.plugins import load_plugins

    text = load_plugins().text(name)
    if options["output"] is None:
        click.echo(text, nl=False)
        return
    from regreach.cli.printing import write

    write(text, options["output"])
