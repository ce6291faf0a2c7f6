"""``regreach discover``: registries that no pack describes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from regreach.cli import options as shared
from regreach.cli.progress import progress
from regreach.errors import ConfigError


@click.command(short_help="Find registries without a pack, and write one to start from.")
@shared.source_options
@click.option(
    "--package",
    metavar="NAME",
    help="The import package (default: the only one, or the largest, in TARGET).",
)
@click.option(
    "--write-pack",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Write a pack to start from. A file that is there stays, unless --force says so.",
)
@click.option("--force", is_flag=True, help="Let --write-pack replace a file.")
@click.option(
    "--all", "everything", is_flag=True, help="Print all keys, modules and callers, and tables."
)
@shared.print_options
def discover(
    package: str | None,
    write_pack: Path | None,
    force: bool,
    everything: bool,
    **options: Any,
) -> None:
    """Find the registries of TARGET: who fills them, with which keys, who reads them, who imports what fills.

    A registrar is a function that stores what it is given in a container of a module, of a class, or of an object
    that lives as long as the process: a decorator, a function that is called, a loop over a package's modules, or
    `__init_subclass__`. Those whose entries are spread over modules that somebody must import come first.

    Exit codes: 0 it is told what is there, 2 wrong usage, 3 could not run.
    """
    from regreach.cli.printing import print_report, write
    from regreach.discover.opened import Asked, discovered
    from regreach.discover.pack_text import pack_text
    from regreach.report.discover import discovery_json, discovery_lines

    if force and write_pack is None:
        raise click.UsageError("--force is for --write-pack")
    if write_pack is not None and write_pack.exists() and not force:
        raise ConfigError(f"{write_pack} is there already: --force replaces it")
    asked = Asked(
        options["target"],
        options["rev"],
        package,
        options["offline"],
        not options["no_cache"],
        options["jobs"],
    )
    with progress(options) as say:
        found, program = discovered(asked, say)
    if write_pack is not None:
        write(pack_text(found), write_pack)
    print_report(
        options,
        lines=lambda: discovery_lines(found, everything=everything),
        document=lambda _: discovery_json(found),
    )
    if not options["quiet"]:
        for problem in found.not_read:
            click.echo(f"not read: {problem}", err=True)
        if found.others:
            click.echo(
                f"note: looked at {found.package}; also here: {', '.join(found.others)}"
                " (--package NAME looks at another)",
                err=True,
            )
        click.echo(_summary(found.counts, found.parsed, found.modules), err=True)
        if write_pack is not None:
            click.echo(f"{write_pack}: a pack to start from, see docs/discover.md", err=True)
    if options["stats"]:
        click.echo(say.stats(program), err=True)


def _summary(counts: tuple[int, int], parsed: int, modules: int) -> str:
    registries, tables = counts
    return (
        f"{registries} {'registry' if registries == 1 else 'registries'},"
        f" {tables} {'table' if tables == 1 else 'tables'};"
        f" parsed {parsed} of {modules} modules"
    )
