"""The command line: one file per command; ``main`` is what the script ``regreach`` calls."""

from __future__ import annotations

import sys

import click

import regreach
from regreach.cli.audit import audit
from regreach.cli.check import check
from regreach.cli.rule import rule
from regreach.errors import RegreachError


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(regreach.__version__, prog_name="regreach")
def cli() -> None:
    """Find decorator registrations that their look-up cannot reach.

    TARGET is a checkout, an unpacked release, a wheel or sdist file, or a requirement such as
    'sglang==0.5.15'. The tree is read, never imported or executed.

    Exit codes: 0 nothing to report, 1 findings, 2 wrong usage or configuration, 3 could not run.
    """


for _command in (check, audit, rule):
    cli.add_command(_command)


def main() -> None:
    """Run the command line; regreach's own errors end as one line and their exit code."""
    try:
        # not in stand-alone mode, a command's exit code is what the call returns
        sys.exit(cli(prog_name="regreach", standalone_mode=False))
    except click.Abort:
        click.echo("interrupted", err=True)
        sys.exit(130)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except RegreachError as error:
        click.echo(f"regreach: error: {error}", err=True)
        sys.exit(error.exit_code)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(141)
