"""``regreach completion``: the script that makes a shell complete commands, options and rule codes."""

from __future__ import annotations

import contextlib

import click
from click.shell_completion import CompletionItem, get_completion_class

from regreach.errors import RegreachError

VARIABLE = "_REGREACH_COMPLETE"


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the script that completes regreach's commands in SHELL, to be read at its start.

    \b
    bash: eval "$(regreach completion bash)"        in ~/.bashrc
    zsh:  eval "$(regreach completion zsh)"         in ~/.zshrc
    fish: regreach completion fish | source         in ~/.config/fish/config.fish

    The script calls regreach with the variable _REGREACH_COMPLETE set whenever something is to be completed.
    """
    made = get_completion_class(shell)
    assert made is not None, "click knows these shells"
    root = context.find_root()
    click.echo(made(root.command, {}, "regreach", VARIABLE).source())


def complete_codes(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the codes of rules that continue what was typed; in a list, those that it lacks."""
    before, comma, begun = incomplete.rpartition(",")
    named = {code.strip().upper() for code in before.split(",")}
    return [
        CompletionItem(f"{before}{comma}{code}", help=summary)
        for code, summary in _rules()
        if code.startswith(begun.upper()) and code not in named
    ]


def _rules() -> list[tuple[str, str]]:
    """Return the codes and summaries of all rules; none where they cannot be loaded."""
    from regreach.plugins import load_plugins

    with contextlib.suppress(RegreachError):
        return [(rule.code, rule.summary) for rule in load_plugins().rules.values()]
    return []
