"""What keeps a file from being edited."""

from __future__ import annotations


class CannotEditError(Exception):
    """A file that cannot be edited as wanted; the message is one line that says why."""
