"""``regreach config``: what applies to a target, and where each value comes from."""

from __future__ import annotations

import json
from typing import Any

import click

from regreach.cli import options as shared
from regreach.cli.configured import Configured
from regreach.errors import ConfigError, TargetError

_DEFAULT = "default"


@click.command(short_help="Print which options apply to TARGET, and from where.")
@shared.analysis_options
@shared.fail_on_option
def config(**options: Any) -> None:
    """Print what applies to TARGET, and where it comes from: file, variable, command line or default.

    The options are those of `check`. Nothing is analysed, and nothing fetched. Exit code 2 where TARGET
    names nothing.
    """
    from regreach.plugins import load_plugins
    from regreach.request import pack_of
    from regreach.supply.jobs import job_count
    from regreach.tree.opening import check_target

    configured: Configured = options["configured"]
    named, fail_on = options["pack"], options["fail_on"]
    request = shared.request_from(options)
    plugins = load_plugins()
    try:
        pack = pack_of(request)
        platform = pack.platform(request.platform)
        check_target(request.target, pack.location.name, request.rev)
    except TargetError as error:
        raise ConfigError(str(error)) from error
    values = {
        "pack": pack.source if named else pack.name,
        "package": pack.location.name,
        "platform": platform.name,
        "env": dict(request.environment or {}),
        "absent": list(request.absent),
        "baseline": request.policy.baseline.name if request.policy.baseline is not None else None,
        "fail-on": fail_on,
        "jobs": job_count(request.jobs),
        "offline": request.offline,
        "cache": request.keep,
    }
    click.echo(configured.told())
    rows = [
        (
            key,
            "none" if value is None else json.dumps(value, ensure_ascii=False),
            configured.origin.get(key, _DEFAULT),
        )
        for key, value in values.items()
    ]
    settings = configured.settings
    applied = {rule.code for rule in plugins.selected(request.select, request.ignore)}
    for rule in plugins.rules.values():
        severity = request.policy.severities.get(rule.code)
        why = configured.why_left_out(rule.code) if rule.code not in applied else _DEFAULT
        if rule.code in applied and settings is not None and severity is not None:
            why = settings.place(f"severity.{rule.code}")
        rows.append(
            (rule.code, (severity or rule.severity) if rule.code in applied else "left out", why)
        )
    for pattern, codes in request.policy.path_ignores.patterns:
        assert settings is not None, "patterns are the file's"
        rows.append(
            (pattern, f"without {', '.join(sorted(codes))}", settings.place("per-path-ignores"))
        )
    widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
    for key, value, origin in rows:
        click.echo(f"{key:<{widths[0]}}  {value:<{widths[1]}}  {origin}")
