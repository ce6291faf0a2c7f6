"""``regreach --version``: regreach's own, and those of what decides about its answers."""

from __future__ import annotations

import click

import regreach

_LIBRARIES = ("libcst", "networkx", "click", "rich", "packaging", "platformdirs")


def print_version(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    """Print the versions and end; a callback of click. The first line alone is that of regreach."""
    if not wanted or context.resilient_parsing:
        return
    import platform

    click.echo(f"regreach, version {regreach.__version__}")
    click.echo(
        f"{platform.python_implementation()} {platform.python_version()}, {platform.system()}"
    )
    click.echo(", ".join(f"{name} {_version(name)}" for name in _LIBRARIES))
    for line in _plugins():
        click.echo(line)
    context.exit()


def _version(name: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(name)
    except PackageNotFoundError:
        return "(not installed)"


def _plugins() -> list[str]:
    """Return what is installed of rules and packs, and by whom."""
    from regreach.errors import RegreachError
    from regreach.plugins import installed_points, load_plugins

    owners = {
        f"{point.dist.name} {point.dist.version}" if point.dist is not None else point.value
        for point in installed_points()
    }
    try:
        plugins = load_plugins()
    except RegreachError as error:
        return [f"rules: {error}"]
    return [
        f"rules: {', '.join(plugins.rules)}",
        f"packs: {', '.join(plugins.packs) or 'none'}",
        f"from: {', '.join(sorted(owners)) or 'nowhere'}",
    ]
