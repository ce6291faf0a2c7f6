"""The exceptions that regreach raises on purpose, each with the exit code it leads to.

    RegreachError
    ├── ConfigError    2  an option, a pack or a configuration file that says something impossible
    └── TargetError    3  a tree that cannot be read, found or fetched

Each message is one line: what is wrong, where, and what to do. An error with several arguments has so
many lines, each of them wrong by itself.
"""

from __future__ import annotations


class RegreachError(Exception):
    """Base of all errors that are reported as one line each, without a traceback."""

    exit_code = 3

    def __str__(self) -> str:
        return "; ".join(map(str, self.args))


class ConfigError(RegreachError):
    """A usage or configuration error: exit code 2."""

    exit_code = 2


class TargetError(RegreachError):
    """The tree to be read is missing, unreadable or not what it should be: exit code 3."""

    exit_code = 3
