"""What is made of findings, as options and configuration say it."""

from __future__ import annotations

import os
import shlex
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from regreach.cli.configured import Configured
from regreach.errors import ConfigError

if TYPE_CHECKING:
    from regreach.policy import Policy


def policy_of(options: dict[str, Any]) -> Policy:
    """Take what is made of findings out of a command's parameters. Raises ConfigError."""
    from regreach.policy import EVERYTHING, PathIgnores, Policy, read_baseline
    from regreach.policy.baseline import DEFAULT_NAME

    configured: Configured = options["configured"]
    if "ignore" not in options:
        return EVERYTHING  # a command that is not about findings
    suppress = not options.pop("no_suppressions", False)
    path: str | None = options.pop("baseline", None)
    baseline = None
    if path is not None and suppress:
        name, full = configured.located("baseline", path)
        try:
            data = configured.read("baseline", path)
        except ConfigError as error:
            missing = full is not None and not os.path.lexists(full)
            raise ConfigError(f"{error}{'; `regreach baseline` makes one' * missing}") from None
        for _, output in options.get("outputs", ()):
            if full is not None and os.path.realpath(output) == full:
                raise ConfigError(f"{name} is the baseline, and --output would write over it")
        baseline = read_baseline(data, name, full)
        if path != DEFAULT_NAME and not configured.is_of_file("baseline"):
            named = f"{baseline.command} -o {shlex.quote(path)}"
            baseline = replace(baseline, command=named)
    settings = configured.settings
    if settings is None:
        return Policy(baseline=baseline, suppress=suppress)
    ignores = PathIgnores(settings.path_ignores, settings.file.folder, settings.file.rev)
    return Policy(settings.severity, ignores, baseline, suppress)
