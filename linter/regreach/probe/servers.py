"""The processes of the probe, seen from outside: started, given groups of cases, and ended for certain."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from regreach.errors import TargetError
from regreach.isolated import start_code
from regreach.probe.plan import Limits

INSIDE = Path(__file__).parent / "inside"
PACKAGE = "_regreach_probe"
"""The name that `inside` has where it runs."""
_KEPT_VARIABLES = ("PATH", "LANG", "LC_ALL", "SYSTEMROOT", "LD_LIBRARY_PATH")

Case = Mapping[str, Any]
Result = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Group:
    """Cases that are run each from the state that the first has brought about, in a process of its own.

    ``absent`` are packages that are not there for these cases, beside those of the platform.
    """

    first: Case
    then: Sequence[Case] = ()
    absent: Sequence[str] = ()


class Servers:
    """Some processes that run groups of cases, as many at once as there are."""

    def __init__(self, servers: Sequence[_Server]) -> None:
        self._free: queue.Queue[_Server] = queue.Queue()
        self.count = len(servers)
        for server in servers:
            self._free.put(server)
        self.untouched: list[str] = list(servers[0].greeting["untouched"])
        self.python: str = servers[0].greeting["python"]

    def run(self, groups: Sequence[Group]) -> list[list[Result]]:
        """Return the results of each group, its first case's first. Raises TargetError."""
        with ThreadPoolExecutor(self.count) as pool:
            return list(pool.map(self._run, groups))

    def _run(self, group: Group) -> list[Result]:
        server = self._free.get()
        try:
            return server.run(group)
        finally:
            self._free.put(server)


class _Server:
    def __init__(
        self, plan: Mapping[str, Any], limits: Limits, environment: Mapping[str, str], home: str
    ) -> None:
        # a path, other than a name, is meant from here, and not from where the process will be
        python = limits.python
        if os.sep in python:
            python = str(Path(python).absolute())
        # what is wrong with a process that does not even begin is in the end of what it says
        self._errors = tempfile.TemporaryFile(dir=home)  # noqa: SIM115 - closed by `end`
        try:
            self._process = subprocess.Popen(
                [python, "-I", "-c", start_code("_regreach_probe.server", {PACKAGE: INSIDE})],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                cwd=home,
                env=dict(environment),
                encoding="utf-8",
                start_new_session=True,
            )
        except OSError as error:
            self._errors.close()
            raise TargetError(f"{limits.python}: cannot be run: {error.strerror}") from None
        self.greeting: dict[str, Any] = {}
        self._plan = plan

    def begin(self) -> None:
        """Tell it the plan, and wait until it is ready."""
        self._write(self._plan)
        self.greeting = self._read()

    def run(self, group: Group) -> list[Result]:
        absent = list(group.absent)
        self._write({"first": group.first, "then": list(group.then), "absent": absent})
        return [self._read() for _ in range(1 + len(group.then))]

    def end(self) -> None:
        """Kill it and all that it has started."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._errors):
            with contextlib.suppress(OSError):
                if stream is not None:
                    stream.close()

    def _write(self, document: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(document) + "\n")
            self._process.stdin.flush()
        except OSError:
            raise self._dead() from None

    def _read(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise self._dead()
        document: dict[str, Any] = json.loads(line)
        return document

    def _dead(self) -> TargetError:
        self._errors.seek(0)
        lines = self._errors.read().decode("utf-8", "replace").strip().splitlines()
        return TargetError(f"the probe's process died: {lines[-1] if lines else 'without a word'}")


@contextmanager
def started(
    plan: Mapping[str, Any], limits: Limits, environment: Mapping[str, str], *, closed: bool
) -> Iterator[Servers]:
    """Start the processes; at the end all are gone, and what they have written as well.

    They have a folder of their own as home and working directory. With ``closed``, of this process's
    environment variables they get only those without which none can run. Raises TargetError.
    """
    if not hasattr(os, "fork"):
        raise TargetError("the probe needs a system that can fork processes")
    with tempfile.TemporaryDirectory(prefix="regreach-probe-", ignore_cleanup_errors=True) as home:
        kept = {k: v for k, v in os.environ.items() if not closed or k in _KEPT_VARIABLES}
        variables = {**kept, "HOME": home, "TMPDIR": home, **environment}
        servers: list[_Server] = []
        try:
            for _ in range(limits.jobs):
                servers.append(_Server(plan, limits, variables, home))
            for server in servers:
                server.begin()
            yield Servers(servers)
        finally:
            for server in servers:
                server.end()
