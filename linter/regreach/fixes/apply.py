"""Write edits into the files of a folder: all of them, or none."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from regreach.beside import beside
from regreach.errors import TargetError
from regreach.fixes.edits import Edit


def write_edits(folder: Path, edits: Sequence[Edit]) -> None:
    """Replace the files of the edits, which lie below the folder, one after the other, each at once.

    Links are followed, but not out of the folder. Files keep their modes.
    Raises TargetError, in one line, and leaves all as it was, when a file is not what it was, when it
    lies elsewhere, or when it cannot be written.
    """
    root = Path(os.path.realpath(folder))
    files = [(_inside(root, edit.path), edit) for edit in edits]
    names: dict[Path, str] = {}
    for file, edit in files:
        if names.setdefault(file, edit.path) != edit.path:
            raise TargetError(f"{names[file]} and {edit.path} are one file: nothing was written")
    with ExitStack() as stack:
        staged = []
        for file, edit in files:
            _check(file, edit)
            with _told(edit):
                staged.append((stack.enter_context(beside(file, edit.after)), file, edit))
        # preparing takes time, and an editor may have saved in it
        for _, file, edit in staged:
            _check(file, edit)
        done: list[tuple[Path, Edit]] = []
        try:
            for new, file, edit in staged:
                with _told(edit):
                    new.replace(file)
                done.append((file, edit))
        except BaseException:  # an interruption, too
            for file, edit in done:
                with _told(edit), beside(file, edit.before) as old:
                    old.replace(file)
            raise


def _inside(root: Path, path: str) -> Path:
    real = Path(os.path.realpath(root / path))
    if not real.is_relative_to(root):
        raise TargetError(
            f"{path} is a link that leads out of {root}, to {real}: nothing was written"
        )
    return real


def _check(file: Path, edit: Edit) -> None:
    with _told(edit):
        if not stat.S_ISREG(file.stat().st_mode):
            raise TargetError(f"{edit.path} is no regular file: nothing was written")
        if file.read_bytes() != edit.before:
            raise TargetError(
                f"{edit.path} has changed since it was read: nothing was written, try again"
            )


@contextmanager
def _told(edit: Edit) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise TargetError(
            f"{edit.path} cannot be written: {error.strerror}: nothing was written"
        ) from None
