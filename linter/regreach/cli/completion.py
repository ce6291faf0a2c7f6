"""``regreach completion``: the script that makes a shell complete commands, options and their values."""

from __future__ import annotations

import contextlib

import click
from click.shell_completion import CompletionItem, get_completion_class

from regreach.errors import RegreachError

VARIABLE = "_REGREACH_COMPLETE"


@click.command(short_help="Print the script for completion in a shell.")
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


def complete_packs(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the installed packs that continue what was typed, and the files, as a pack may be one."""
    from regreach.plugins import load_plugins

    names: list[str] = []
    with contextlib.suppress(RegreachError):
        names = [name for name in load_plugins().packs if name.startswith(incomplete)]
    return [*map(CompletionItem, names), CompletionItem(incomplete, type="file")]


def complete_platforms(
    context: click.Context, _: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Return the platforms that continue what was typed, of the pack that was named or fits the target.

    Where it is not clear which that is, those of every pack of one package.
    """
    from regreach.fitting_pack import pack_for
    from regreach.pack import is_for_any_package
    from regreach.plugins import load_plugins

    given = context.params
    platforms: dict[str, object] = {}
    try:
        target = given.get("target") or "."
        platforms.update(pack_for(given.get("pack"), given.get("package"), target).platforms)
    except RegreachError:
        if given.get("pack") is not None:
            return []
        with contextlib.suppress(RegreachError):
            plugins = load_plugins()
            for name, text in plugins.packs.items():
                if not is_for_any_package(text):
                    platforms.update(plugins.pack(name).platforms)
    return [CompletionItem(name) for name in platforms if name.startswith(incomplete)]


def _rules() -> list[tuple[str, str]]:
    """Return the codes and summaries of all rules; none where they cannot be loaded."""
    from regreach.plugins import load_plugins

    with contextlib.suppress(RegreachError):
        return [(rule.code, rule.summary) for rule in load_plugins().rules.values()]
    return []
