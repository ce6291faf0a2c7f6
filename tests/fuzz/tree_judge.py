"""What regreach says of a tree beside what CPython does with it, in fresh processes."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from regreach.errors import RegreachError
from regreach.plugins import load_plugins
from regreach.probe.compare import compare
from regreach.probe.plan import Limits, plan_of
from regreach.probe.servers import Servers, started
from regreach.probe.truth import execute
from regreach.request import Request
from regreach.run import analyse


class TreeJudge:
    """One folder in which one tree after the other lies; the processes fork for each question."""

    def __init__(self, root: Path, servers: Servers) -> None:
        self._root = root
        self._servers = servers
        self._pack = load_plugins().pack("sglang")

    def objections(self, files: Mapping[str, str]) -> list[str]:
        """Return where the two disagree: the registries, the modules loaded, how imports and call sites end."""
        shutil.rmtree(self._root / "sglang", ignore_errors=True)
        for path, text in files.items():
            file = self._root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        try:
            result = analyse(Request(str(self._root), platform="cuda", keep=False, jobs=1))
            truth = execute(
                self._servers, self._pack, self._pack.platform("cuda"), result.audit, lambda _: None
            )
        except RegreachError as error:
            return [f"cannot be analysed: {error}"]
        except Exception as error:
            return [f"raised {type(error).__name__}: {error}"]
        # of call sites nothing is said when the consumer's module dies where it is imported first
        dies = any(not ending.ok for ending in truth.imports.values())
        return [
            f"{each.kind}: {each.what}: said {each.said}; was {each.real}"
            for each in compare(result.audit, truth, "")
            if not each.agrees
            and each.unjudged is None
            and not (dies and each.kind == "call sites")
        ]


@contextmanager
def judging() -> Iterator[TreeJudge]:
    """Start the processes, and give the judge."""
    pack = load_plugins().pack("sglang")
    platform = pack.platform("cuda")
    limits = Limits(sys.executable, timeout=60, jobs=1)
    with tempfile.TemporaryDirectory(prefix="regreach-fuzz-") as folder:
        root = Path(folder).resolve()
        plan = plan_of(pack, platform, root, limits)
        closed = pack.environment_closed
        with started(plan, limits, platform.environment, closed=closed) as servers:
            yield TreeJudge(root, servers)


def smallest(judge: TreeJudge, files: dict[str, str], tries: int = 120) -> dict[str, str]:
    """Return a tree with fewer lines of which something as wrong is said."""
    kind = _kind(judge.objections(files))
    for size in (6, 2, 1):
        for path in sorted(files):
            start = 0
            while start < len(lines := files[path].splitlines(keepends=True)) and tries:
                tries -= 1
                shorter = {**files, path: "".join([*lines[:start], *lines[start + size :]])}
                if any(_kind([each]) == kind for each in judge.objections(shorter)):
                    files = shorter
                else:
                    start += size
    return files


def _kind(objections: list[str]) -> str:
    """Return what is said and what was, without what it is about: that has a line number."""
    return objections[0].partition(": said ")[2] or objections[0] if objections else ""
