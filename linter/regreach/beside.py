"""A new file beside the one that it is to replace: so that there is always one of the two, whole."""

from __future__ import annotations

import contextlib
import os
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def beside(goal: Path, data: bytes) -> Iterator[Path]:
    """Give the path of a file that holds this, in the folder of another one and with its mode.

    Whoever wants it to be that other one replaces it; at the end it is gone otherwise. Raises OSError.
    """
    new = goal.with_name(f".{goal.name}.{uuid.uuid4().hex}")
    file = new.open("xb")  # not of tempfile, whose files only their owner may read
    try:
        with file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if goal.exists():
            owner = goal.stat()
            with contextlib.suppress(OSError, AttributeError):  # only root may give files away
                os.chown(new, owner.st_uid, owner.st_gid)
            shutil.copymode(goal, new)
        yield new
    finally:
        new.unlink(missing_ok=True)
