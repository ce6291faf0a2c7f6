"""What a configuration file says, put in the place of the options that were not given.

A built-in default is less than the file, the file less than a variable of the environment, and that less
than the command line. What is given replaces the whole value of the file: lists are not joined.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

from regreach.errors import ConfigError, TargetError

if TYPE_CHECKING:
    from regreach.config import Settings
    from regreach.config.config_file import ConfigFile

_F = TypeVar("_F", bound=Callable[..., Any])

# Keys of the file that are options of another name.
_PARAMETERS = {"env": "environment", "fail-on": "fail_on", "cache": "no_cache"}
_VARIABLES = {"jobs": "REGREACH_JOBS"}
COMMAND_LINE = "the command line"


@dataclass(frozen=True, slots=True)
class Configured:
    """What applies to one run of a command.

    ``settings`` is what the file says, None where there is none; ``origin`` tells for each key of it that is
    an option of the command where its value comes from: file, variable or command line.
    """

    settings: Settings | None
    origin: dict[str, str]

    def is_of_file(self, key: str) -> bool:
        """Return whether a key's value is the file's."""
        settings = self.settings
        return settings is not None and self.origin.get(key) == settings.place(key)

    def why_left_out(self, code: str) -> str:
        """Return what leaves a rule out that is not applied."""
        if self.settings is not None:
            values = self.settings.values
            if self.is_of_file("ignore") and code in values["ignore"]:
                return self.settings.place("ignore")
            if self.is_of_file("select") and code not in values["select"]:
                return self.settings.place("select")
        return COMMAND_LINE

    def told(self) -> str:
        """Return in a line which file applies."""
        return f"configuration: {self.settings.file.name if self.settings is not None else 'none'}"

    def located(self, key: str, path: str) -> tuple[str, str | None]:
        """Return what a key's file is called, and its absolute path, None for one in a revision."""
        from regreach.config.config_file import shown

        if self.is_of_file(key):
            assert self.settings is not None, "it is of a file"
            file = self.settings.file
            if file.rev is not None:
                return file.named(path), None
            path = os.path.join(file.folder, path)  # noqa: PTH118
        return shown(path), os.path.realpath(path)

    def folder_of(self, key: str) -> str:
        """Return the folder that a key's file is told from: the configuration's, or the working folder."""
        if self.is_of_file(key):
            assert self.settings is not None, "it is of a file"
            return self.settings.file.folder
        return os.getcwd()  # noqa: PTH109

    def read(self, key: str, path: str) -> bytes:
        """Return the bytes of a key's file. Raises ConfigError."""
        from regreach.config.config_file import read_bytes

        if self.is_of_file(key):
            assert self.settings is not None, "it is of a file"
            return self.settings.file.read(path)
        return read_bytes(path)


def configured(function: _F) -> _F:
    """Make a command with TARGET read the configuration; it gets a ``Configured`` as an option more."""

    @functools.wraps(function)
    def command(**options: Any) -> Any:
        context = click.get_current_context()
        given = {
            name
            for name in options
            if context.get_parameter_source(name)
            not in (click.core.ParameterSource.DEFAULT, click.core.ParameterSource.DEFAULT_MAP)
        }
        file = _file(options)
        settings, wrong = None, list[str]()
        if file is not None:
            from regreach.config import read_config
            from regreach.plugins import load_plugins

            settings, wrong = read_config(file, load_plugins())
        options["configured"] = _applied(settings, wrong, options, given)
        return function(**options)

    return command  # type: ignore[return-value]


def _file(options: dict[str, Any]) -> ConfigFile | None:
    path, none = options.pop("config"), options.pop("no_config")
    if path is not None and none:
        raise click.UsageError("--config and --no-config exclude each other")
    if none:
        return None
    from regreach.config import find_config, given_config

    return (
        given_config(path)
        if path is not None
        else find_config(options["target"], options.get("rev"))
    )


def _applied(
    settings: Settings | None, wrong: list[str], options: dict[str, Any], given: set[str]
) -> Configured:
    """Set the options that are not given, and say where each comes from.

    Raises ConfigError with what is ``wrong`` in the file, and what of pack and platform is, at once.
    """
    origin = {_key(name): COMMAND_LINE for name in given}
    for key, variable in _VARIABLES.items():
        if key in options and key not in given and os.environ.get(variable):
            origin[key] = f"${variable}"
    if settings is None:
        return Configured(None, origin)
    for key, value in settings.values.items():
        name = _PARAMETERS.get(key, key)
        if name not in options or key in origin:
            continue
        origin[key] = settings.place(key)
        if key == "env":
            options[name] = tuple(f"{variable}={text}" for variable, text in value.items())
        elif key not in ("select", "ignore"):
            options[name] = not value if key == "cache" else value
    found = Configured(settings, origin)
    if "ignore" in options:
        _choose_rules(found, options)
    try:
        _choose_pack(found, options)
    except ConfigError as error:
        wrong = [*wrong, *map(str, error.args)]
    if wrong:
        raise ConfigError(*wrong)
    return found


def _choose_rules(configured: Configured, options: dict[str, Any]) -> None:
    """Leave out what the file leaves out.

    What a file selects is not what a user asks for by name, as `fix` takes it: it leaves out the rest. Who
    selects a rule on the command line gets it, whatever the file ignores.
    """
    from regreach.plugins import load_plugins

    values = configured.settings.values if configured.settings is not None else {}
    asked = codes_of(options["select"])
    ignored = set(codes_of(options["ignore"]))
    if configured.is_of_file("ignore"):
        ignored |= set(values["ignore"]) - set(asked)
    if configured.is_of_file("select"):
        ignored |= set(load_plugins().rules) - set(values["select"])
    options["ignore"] = tuple(sorted(ignored))


def _choose_pack(configured: Configured, options: dict[str, Any]) -> None:
    """Read the pack that the file names, and check its platform, so that errors name file and key."""
    from regreach.fitting_pack import pack_for
    from regreach.pack import load_pack
    from regreach.plugins import names_a_file

    settings = configured.settings
    assert settings is not None, "there is a file"
    key = "pack"
    if not (configured.is_of_file("pack") or configured.is_of_file("platform")):
        return
    if options["pack"] is None and "pack" in settings.file.table:
        return  # it is wrong itself, and what platforms it has is not known
    try:
        pack = options["pack"]
        if configured.is_of_file("pack") and names_a_file(pack):
            pack = options["pack"] = load_pack(
                *_text_and_name(settings.file, pack), options["package"]
            )
        else:
            pack = pack_for(pack, options["package"], options["target"], options.get("rev"))
        key = "platform"
        if configured.is_of_file("platform"):
            pack.platform(options["platform"])
    except TargetError:
        return  # no pack fits it, as its reader will say
    except ConfigError as error:
        if not configured.is_of_file(key):
            return  # the pack of the command line, of which its reader will say so
        place = settings.place(key)
        raise ConfigError(*(f"{place}: {line}" for line in error.args)) from None


def _text_and_name(file: ConfigFile, path: str) -> tuple[str, str]:
    name = file.named(path)
    try:
        return file.read(path).decode("utf-8"), name
    except UnicodeDecodeError as error:
        raise ConfigError(f"{name}: the pack cannot be read: {error}") from None


def codes_of(values: Iterable[str]) -> tuple[str, ...]:
    """Return the codes in options that take several, comma-separated."""
    return tuple(c.strip().upper() for v in values for c in v.split(",") if c.strip())


def _key(name: str) -> str:
    return next((key for key, other in _PARAMETERS.items() if other == name), name)
