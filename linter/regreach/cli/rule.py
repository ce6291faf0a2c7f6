"""``regreach rule``: the page of a rule, or the list of all."""

from __future__ import annotations

import click

from regreach.cli.completion import complete_codes
from regreach.errors import ConfigError


@click.command()
@click.argument("code", required=False, shell_complete=complete_codes)
def rule(code: str | None) -> None:
    """Print the page of the rule CODE; without CODE, list the rules."""
    from regreach.plugins import load_plugins

    rules = load_plugins().rules
    if code is None:
        for each in rules.values():
            click.echo(f"{each.code}  {each.severity:<7}  {each.summary}")
        return
    found = rules.get(code.upper())
    if found is None:
        raise ConfigError(f"unknown rule {code!r}; known are: {', '.join(rules)}")
    click.echo(found.page, nl=False)
