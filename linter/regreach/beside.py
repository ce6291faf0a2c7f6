"""A new file beside the one that it is to replace: so that there is always one of the two, whole."""

from __future__ import annotations

import contextlib
import glob
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

try:
    import fcntl
except ImportError:  # Windows, where nobody can remove what another has open
    fcntl = None  # type: ignore[assignment]

_SUFFIX = ".regreach"


@contextmanager
def beside(goal: Path, data: bytes) -> Iterator[Path]:
    """Give the path of a file that holds this, in the folder of another one and with its mode.

    Whoever wants it to be that other one replaces it; at the end it is gone otherwise. What a process that
    was killed has left there of the same file is removed. Raises OSError.
    """
    sweep(goal.parent, goal.name)
    import uuid

    new = goal.with_name(f".{goal.name}.{uuid.uuid4().hex}{_SUFFIX}")
    with new.open("xb") as file:  # not of tempfile, whose files only their owner may read
        try:
            _is_ours(file)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            if goal.exists():
                owner = goal.stat()
                with contextlib.suppress(OSError, AttributeError):  # only root may give files away
                    os.chown(new, owner.st_uid, owner.st_gid)
                shutil.copymode(goal, new)
            if fcntl is None:
                file.close()  # what is open there cannot be renamed
            yield new
        finally:
            with contextlib.suppress(OSError):
                file.close()  # on a full disk this fails once more
            new.unlink(missing_ok=True)


def sweep(folder: Path, name: str | None = None) -> None:
    """Remove the files that processes which were killed have left beside a file, or all in a folder.

    Whoever is still at work on one holds it locked; where there are no locks nothing is removed.
    """
    pattern = f".{glob.escape(name) if name else '*'}.{'[0-9a-f]' * 32}{_SUFFIX}"
    for left in folder.glob(pattern):
        with contextlib.suppress(OSError), left.open("rb") as file:
            if _is_ours(file):
                left.unlink()


def _is_ours(file: BinaryIO) -> bool:
    """Lock a file, until it is closed, if nobody else has; return whether it is locked."""
    if fcntl is None:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
