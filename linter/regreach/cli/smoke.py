"""``regreach smoke``: the registered function, found and run on the machine's GPU."""

from __future__ import annotations

from typing import Any

import click

from regreach.cli import options as shared
from regreach.cli.progress import progress


@click.command(short_help="Run a registered function on this machine's GPU.")
@shared.tree_options
@click.option(
    "--key",
    metavar="A,B",
    required=True,
    help="The key whose registration is run, its parts in order, e.g. none,triton.",
)
@click.option(
    "--confirm",
    is_flag=True,
    help="Run the tree as it is, which must fail, then a copy mended by `fix`, which must pass.",
)
@shared.process_options(timeout=3600)  # kernels may be compiled first
@click.option(
    "--repetitions",
    type=click.IntRange(min=1),
    default=50,
    metavar="N",
    show_default=True,
    help="Forwards that the median time is taken of.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    metavar="N",
    show_default=True,
    help="The first seed of the random weights and inputs.",
)
@shared.print_options
def smoke(
    key: str,
    confirm: bool,
    python: str,
    timeout: float,
    repetitions: int,
    seed: int,
    **options: Any,
) -> None:
    """Construct the consumer for a key, and run the function that it finds on this machine's GPU.

    THIS RUNS THE CODE OF THE TREE, with your rights, in processes of their own. The pack declares what is
    run for which key; another --key is refused with the list of those. The output is compared with a
    float32 reference, on fresh random inputs, and timed.

    Exit codes: 0 confirmed, 1 not confirmed, 2 a wrong option, pack or script's place, 3 it cannot run here
    (the message says what is missing).
    """
    from regreach.cli.printing import print_report
    from regreach.explain.keys import parts_of
    from regreach.report.smoke import smoke_json, smoke_lines
    from regreach.smoke.run import Options
    from regreach.smoke.run import smoke as run_smoke

    request = shared.request_from(options)
    wanted = Options(parts_of(key), python, timeout, confirm, repetitions, seed)
    with progress(options) as say:
        smoked = run_smoke(request, wanted, say)
    print_report(options, lines=lambda: smoke_lines(smoked), document=lambda _: smoke_json(smoked))
    if options["stats"]:
        click.echo(say.stats(), err=True)
    raise click.exceptions.Exit(0 if smoked.confirmed else 1)
