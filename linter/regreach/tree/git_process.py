"""Running git for reading only: no working tree, no index, no prompt."""

from __future__ import annotations

import os
import subprocess
import weakref
from contextlib import suppress
from threading import Lock

from regreach.errors import TargetError
from regreach.tree.paths import one_line

# Set while git runs a hook, where they would lead every git command to the hook's repository.
_HOOK_VARIABLES = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_PREFIX")

# No command that is run here asks for any of it: a repository's configuration names programs of its own.
_UNARMED = ("core.fsmonitor=false", f"core.hooksPath={os.devnull}", "log.showSignature=false")


def git_environment() -> dict[str, str]:
    """Return the environment in which git reads `-C FOLDER` and nothing else, in plain English.

    Missing objects are never fetched: a fetch writes into the repository, and can be told by the
    repository's own configuration to run a command.
    """
    env = {key: value for key, value in os.environ.items() if key not in _HOOK_VARIABLES}
    env.update(LC_ALL="C", GIT_OPTIONAL_LOCKS="0", GIT_TERMINAL_PROMPT="0")
    env.update(GIT_NO_LAZY_FETCH="1", GIT_ALLOW_PROTOCOL="")
    return env


def git_command(folder: str, *arguments: str) -> list[str]:
    """Return how git is called in a folder: without what its configuration would have run."""
    settings = [part for setting in _UNARMED for part in ("-c", setting)]
    return ["git", "--no-pager", *settings, "-C", folder, *arguments]


def run_git(folder: str, *arguments: str, may_say_no: bool = False) -> bytes:
    """Return git's output for a command run in `folder`.

    With `may_say_no`, exit code 1 is an answer as well. Raises TargetError when git is missing, or
    with git's own words when it fails.
    """
    command = git_command(folder, *arguments)
    try:
        done = subprocess.run(command, capture_output=True, check=False, env=git_environment())
    except FileNotFoundError as error:
        raise TargetError("reading a revision needs git, which is not on the PATH") from error
    except (OSError, ValueError) as error:
        raise TargetError(f"git could not be run: {one_line(str(error))}") from error
    if done.returncode != 0 and not (may_say_no and done.returncode == 1):
        raise TargetError(f"git failed in {folder}: {git_words(done.stderr)}")
    return done.stdout


def git_words(stderr: bytes) -> str:
    """Return the first line in which git says what is wrong."""
    lines = [line for line in stderr.decode("utf-8", "replace").splitlines() if line.strip()]
    told = [line for line in lines if line.startswith(("fatal:", "error:"))] or lines
    return one_line(told[0].partition(": ")[2] or told[0]) if told else "no reason given"


class BlobReader:
    """One long-lived `git cat-file --batch`, started at the first read and again after a fork.

    With `keeps`, each blob is read once: for several revisions, which have most of them in common.
    """

    def __init__(self, folder: str, *, keeps: bool = False) -> None:
        self._folder = folder
        self._kept: dict[str, bytes] | None = {} if keeps else None
        self._lock = Lock()
        self._pid = 0
        self._process: subprocess.Popen[bytes] | None = None
        self._finalizer: weakref.finalize[[subprocess.Popen[bytes]], BlobReader] | None = None

    def read(self, oid: str, limit: int) -> bytes:
        """Return a blob's bytes; TargetError when the repository lacks it or it is over `limit`."""
        if self._kept is None:
            return self._read(oid, limit)
        data = self._kept.get(oid)
        if data is None:
            data = self._kept[oid] = self._read(oid, limit)
        return data

    def _read(self, oid: str, limit: int) -> bytes:
        with self._lock:
            process = self._running()
            assert process.stdin is not None
            assert process.stdout is not None
            try:
                process.stdin.write(f"{oid}\n".encode())
                process.stdin.flush()
                header = process.stdout.readline().split()
                if len(header) != 3 or header[1] != b"blob":
                    raise TargetError(
                        f"the repository {self._folder} lacks the object {oid}, as a partial clone"
                        " does until the revision is checked out"
                    )
                size = int(header[2])
                if size > limit:
                    self._stop()  # rather than read what nobody wants
                    raise TargetError(f"the object {oid} is larger than {limit >> 20} MiB")
                data = process.stdout.read(size + 1)
            except OSError as error:
                self._stop()
                raise TargetError(f"git ended while {self._folder} was read") from error
        if len(data) != size + 1:
            raise TargetError(f"git ended while {self._folder} was read")
        return data[:-1]

    def close(self) -> None:
        """End the process; the next read would start another one."""
        with self._lock:
            self._stop()

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._pid != os.getpid():
            if self._finalizer is not None:
                self._finalizer.detach()  # the process of a forked parent is the parent's to end
            try:
                self._process = subprocess.Popen(
                    git_command(self._folder, "cat-file", "--batch"),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    env=git_environment(),
                )
            except OSError as error:
                raise TargetError(
                    "reading a revision needs git, which is not on the PATH"
                ) from error
            self._pid = os.getpid()
            self._finalizer = weakref.finalize(self, _end, self._process)
        return self._process

    def _stop(self) -> None:
        if self._finalizer is not None and self._pid == os.getpid():
            self._finalizer()
        self._process = self._finalizer = None


def _end(process: subprocess.Popen[bytes]) -> None:
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError):  # it may have ended by itself
                pipe.close()
    process.wait()
