"""``regreach probe``: what really happens."""

from __future__ import annotations

from typing import Any

import click

from regreach.cli import options as shared
from regreach.cli.progress import progress


@click.command(short_help="Execute the tree's modules and say what happens.")
@shared.tree_options
@shared.process_options(timeout=60)
@click.option("--compare", is_flag=True, help="Print where the verdicts of `audit` differ.")
@shared.print_options
def probe(python: str, timeout: float, compare: bool, **options: Any) -> None:
    """Execute the tree's own modules, construct the consumer, and say what happens.

    THIS RUNS THE CODE OF THE TREE, with your rights, in processes of their own; `check` and `audit`
    never do. Third-party packages that are installed are used, stand-ins are used for all others. Each
    case is a fresh process; where a stand-in decided something (a branch, a comparison), that is said.

    With --compare the exit code is 1 when a verdict differs from what happened.
    """
    from regreach.cli.printing import print_report
    from regreach.probe.plan import Limits
    from regreach.probe.run import probe as run_probe
    from regreach.report.probe import disagreements, probe_json, probe_lines
    from regreach.supply.jobs import job_count

    request = shared.request_from(options)
    limits = Limits(python, timeout, job_count(request.jobs))
    with progress(options) as say:
        probed = run_probe(request, limits, say)
    print_report(
        options,
        lines=lambda: probe_lines(probed, comparing=compare),
        document=lambda _: probe_json(probed),
    )
    differing = disagreements(probed.compared)
    if compare and not options["quiet"]:
        count = len(differing)
        click.echo(f"{count or 'no'} disagreement{'' if count == 1 else 's'}", err=True)
    if options["stats"]:
        click.echo(say.stats(), err=True)
    raise click.exceptions.Exit(int(compare and bool(differing)))
