"""``regreach baseline``: the file of findings that are known, made once and only made shorter."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from regreach.cli import options as shared
from regreach.cli.configured import Configured
from regreach.cli.progress import progress
from regreach.errors import ConfigError, TargetError

if TYPE_CHECKING:
    from regreach.policy.baseline_update import Update


@click.command(short_help="Write today's findings to a file, so that they do not count.")
@shared.rule_options
@click.option(
    "--output",
    "-o",
    "baseline",
    metavar="FILE",
    help="The baseline (default: that of the configuration, else regreach-baseline.toml).",
)
@click.option("--add", is_flag=True, help="Add findings to a baseline that is there already.")
@click.option(
    "--reason", metavar="TEXT", default="", help="The reason of the entries that are new."
)
@shared.color_options
def baseline(add: bool, reason: str, **options: Any) -> None:
    """Write the findings of TARGET to a file, so that `check` reports only what comes later.

    A file that is there can only shrink: entries that match nothing any more are removed, the others kept
    with their reasons, and findings that are new are printed and not added, unless --add says so. Entries
    of other packs, of other platforms and of rules that are not applied stay as they are, if there are such.

    Exit codes: 0 the file has all findings, 1 some are not in it; 2 wrong usage or configuration; 3 could
    not run.
    """
    from regreach.cli.printing import print_notes, rendered, terminal_width, write
    from regreach.config.config_file import read_bytes
    from regreach.plugins import load_plugins
    from regreach.policy.baseline import DEFAULT_NAME, baseline_text, read_baseline
    from regreach.policy.baseline_update import updated
    from regreach.report.text import check_lines
    from regreach.run import analyse, known_of

    configured: Configured = options["configured"]
    given: str | None = options.pop("baseline")
    name, path = configured.located("baseline", given or DEFAULT_NAME)
    if path is None:
        raise ConfigError(
            f"{name} is in a revision, which is not written: name a file with --output"
        )
    if given is None or configured.is_of_file("baseline"):
        _check_inside(configured.folder_of("baseline"), path, name)
    request = shared.request_from(options)
    old = read_baseline(read_bytes(path), name) if Path(path).exists() else None
    with progress(options) as say:
        result = analyse(request, say)
    if result.audit.blocked:
        raise TargetError(result.audit.blocked[0])
    run = (result.analysis.pack.name, result.audit.platform)
    runs, known = dict(old.runs) if old is not None else {}, known_of(result.analysis.pack)
    orphans = old.orphans(known) if old is not None else []
    for (pack, platform), entries in list(runs.items()):
        kept = tuple(e for e in entries if known.lacks(e.rule, pack, platform) is None)
        runs[pack, platform] = kept
        if entries and not kept:
            del runs[pack, platform]
    update = updated(
        runs.get(run),
        result.findings,
        load_plugins().selected(request.select, request.ignore),
        reason,
        add=add,
    )
    update = replace(update, removed=update.removed + len(orphans))
    if update.removed and result.audit.unsure:
        raise TargetError(f"{name}: no entry is removed, as {result.audit.unsure[0]}")
    runs[run] = update.entries
    if old is None or runs != old.runs:
        write(baseline_text(runs), Path(path))
    color = shared.use_color(options["color"], sys.stdout)
    lines = check_lines(result.audit, update.left)
    click.echo(
        rendered(lines, color=color, width=terminal_width(sys.stdout)), nl=False, color=color
    )
    if not options["quiet"]:
        print_notes(result.audit, options)
        click.echo(_summary(name, update), err=True)
        if old is None and given is None:
            click.echo(
                f'use it with --baseline {name}, or with baseline = "{name}" in the configuration',
                err=True,
            )
    if options["stats"]:
        click.echo(say.stats(result.analysis.program), err=True)
    raise click.exceptions.Exit(int(bool(update.left)))


def _check_inside(folder: str, path: str, name: str) -> None:
    """Raise ConfigError when a baseline that the user has not named lies elsewhere than one would think.

    The tree may be somebody else's: neither its configuration nor a link in it says where to write.
    """
    if not path.startswith(os.path.join(os.path.realpath(folder), "")):  # noqa: PTH118
        where = "" if path == name else f" ({path})"
        raise ConfigError(
            f"{name} is outside of {folder}{where}: name it with --output to write it"
        )


def _summary(name: str, update: Update) -> str:
    counts = [f"{len(update.entries)} finding{'s' * (len(update.entries) != 1)}"]
    counts += [f"{update.added} added"] if update.added else []
    counts += [f"{update.removed} removed"] if update.removed else []
    left = len(update.left)
    if left:
        counts.append(f"{left} new, not added (--add adds {'them' if left > 1 else 'it'})")
    return f"{name}: {', '.join(counts)}"
