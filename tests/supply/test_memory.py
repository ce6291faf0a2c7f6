"""What ``check`` remembers: it must say what an analysis would, whatever became of the tree."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import regreach.run
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from regreach.model import Finding
from regreach.policy import Policy
from regreach.remembered import checked
from regreach.request import Found, Request
from regreach.run import analyse, check

FIXTURES = Path(__file__).parent.parent.parent / "fixtures"
RUNNER = "sglang/srt/layers/moe/moe_runner/runner.py"
OTHER = "sglang/srt/unrelated.py"
LONG_AGO = 1_700_000_000_000_000_000  # nanoseconds


class Lab:
    """A tree, a cache, and the number of analyses that were made."""

    def __init__(self, folder: Path, case: str) -> None:
        self.root = folder / "tree"
        shutil.copytree(FIXTURES / case / "tree", self.root)
        (self.root / OTHER).write_text("VALUE = 1\n")
        self.request = Request(str(self.root), cache_dir=folder / "cache", jobs=1)
        self.age()

    def age(self) -> None:
        """Let all files be old, so that their times are trusted."""
        for file in self.root.rglob("*.py"):
            os.utime(file, ns=(LONG_AGO, LONG_AGO))

    def write(self, path: str, text: str) -> None:
        (self.root / path).write_text(text)

    def change(self, path: str, old: str, new: str) -> None:
        text = (self.root / path).read_text()
        assert old in text
        self.write(path, text.replace(old, new))


@pytest.fixture
def analyses(monkeypatch: pytest.MonkeyPatch) -> list[Request]:
    made: list[Request] = []

    def counted(request: Request, *arguments: Any) -> Any:
        made.append(request)
        return check(request, *arguments)

    monkeypatch.setattr(regreach.run, "check", counted)
    return made


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab(tmp_path, "bug")


def told(found: Found) -> Any:
    """Return all of a result that is printed."""
    audit = found.audit
    head = (audit.source, audit.root, audit.package, audit.modules, audit.platform)
    return found.findings, found.suppressed, head, audit.problems, audit.notes


def fresh(request: Request) -> Any:
    return told(analyse(replace(request, keep=False)))


def test_a_second_run_analyses_nothing_and_says_the_same(lab: Lab, analyses: list[Request]) -> None:
    first = told(checked(lab.request))
    assert len(analyses) == 1
    assert told(checked(lab.request)) == first == fresh(lab.request)
    assert len(analyses) == 1
    assert first[0]


def test_what_nobody_asks_for_may_change(lab: Lab, analyses: list[Request]) -> None:
    checked(lab.request)
    lab.write(OTHER, "VALUE = 2  # another\n")
    assert told(checked(lab.request)) == fresh(lab.request)
    lab.write(OTHER, "VALUE = 3\n\n\ndef f() -> None:\n    pass\n")
    assert told(checked(lab.request)) == fresh(lab.request)
    assert len(analyses) == 1


CHANGES: dict[str, Callable[[Lab], None]] = {
    "the bug is mended": lambda lab: lab.change(
        RUNNER,
        "class MoeRunner",
        "import sglang.srt.layers.moe.moe_runner.flashinfer_cutlass  # noqa: F401\n\n\nclass MoeRunner",
    ),
    "a line moves": lambda lab: lab.change(RUNNER, "class MoeRunner", "\n\n\nclass MoeRunner"),
    "another registration": lambda lab: lab.write(
        OTHER,
        "from sglang.srt.layers.moe.moe_runner.base import register_fused_func\n\n\n"
        "@register_fused_func('none', 'triton')\ndef f():\n    pass\n",
    ),
    "another importer": lambda lab: lab.write(
        OTHER, "import sglang.srt.layers.moe.moe_runner.flashinfer_cutlass\n"
    ),
    "another call site": lambda lab: lab.write(
        OTHER,
        "from sglang.srt.layers.moe.moe_runner.runner import MoeRunner\n"
        "from sglang.srt.layers.moe.utils import MoeRunnerBackend\n\n\n"
        "def make(config):\n    return MoeRunner(MoeRunnerBackend.FLASHINFER_MXFP4, config)\n",
    ),
    "a comment that suppresses nothing": lambda lab: lab.write(
        OTHER, "VALUE = 1  # regreach: ignore[RR101] why\n"
    ),
    "an import above the root": lambda lab: lab.write(OTHER, "import python.sglang as sglang\n"),
    "a new module": lambda lab: lab.write("sglang/srt/new.py", ""),
    "a module less": lambda lab: (lab.root / OTHER).unlink(),
    "a file that does not parse": lambda lab: lab.write(RUNNER, "def ("),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_counts_is_analysed_again(lab: Lab, analyses: list[Request], change: str) -> None:
    checked(lab.request)
    CHANGES[change](lab)
    assert told(checked(lab.request)) == fresh(lab.request)
    assert len(analyses) == 2


def test_a_file_that_was_written_again_at_once_is_noticed(lab: Lab) -> None:
    """With the same size and times, as a file system with coarse clocks has them."""
    lab.write(RUNNER, (lab.root / RUNNER).read_text())
    before = (lab.root / RUNNER).stat()
    checked(lab.request)
    lab.change(RUNNER, "is_flashinfer_mxfp4", "is_flashinfer_mxfp5")
    os.utime(lab.root / RUNNER, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert told(checked(lab.request)) == fresh(lab.request)


def test_other_options_are_other_results(lab: Lab, analyses: list[Request]) -> None:
    requests = [
        lab.request,
        replace(lab.request, select=("RR102",)),
        replace(lab.request, platform="hip"),
        replace(lab.request, environment={"A": "1"}),
        replace(lab.request, absent=("torch",)),
        replace(lab.request, policy=Policy(severities={"RR101": "info"})),
    ]
    for _ in range(2):
        for request in requests:
            assert told(checked(request)) == fresh(request)
    assert len(analyses) == len(requests)


def test_what_is_damaged_is_made_again(lab: Lab, analyses: list[Request]) -> None:
    checked(lab.request)
    (file,) = (lab.root.parent / "cache" / "results").glob("*.json")
    whole = file.read_bytes()
    for data in (b"", b"{}", whole[:-1], whole.replace(b"RR101", b"RR102", 1), b"\xff" * 99):
        file.write_bytes(data)
        assert told(checked(lab.request)) == fresh(lab.request)
        assert file.read_bytes() != data
    assert len(analyses) == 6


def test_a_cache_that_cannot_be_used_is_none(lab: Lab) -> None:
    (lab.root.parent / "cache").write_text("a file")
    assert told(checked(lab.request)) == fresh(lab.request)


def test_without_a_cache_nothing_is_kept(lab: Lab) -> None:
    checked(replace(lab.request, keep=False))
    assert not (lab.root.parent / "cache").exists()


LINES = st.sampled_from(
    [
        "import sglang.srt.layers.moe.moe_runner.flashinfer_cutlass\n",
        "from python.sglang.srt.layers import moe\n",
        "if True: import src.sglang\n",
        "CHOICES = ['flashinfer_mxfp4']\n",
        "import os\nif os.getenv('SGLANG_EXPERIMENTAL_MXFP4'):\n    MORE = ['flashinfer_mxfp4']\n",
        "import importlib, pkgutil\nfor _, n, _ in pkgutil.iter_modules([], 'sglang.srt.layers'):\n"
        "    try:\n        importlib.import_module(n)\n    except Exception:\n        pass\n",
        "# see docs.sglang or python.sglangs, python import sglang\n",
        "from sglang.srt.layers.moe.moe_runner import flashinfer_cutlass\n",
        "from sglang.srt.layers.moe import moe_runner\n",
        "if True: import sglang.srt.layers.moe.moe_runner.flashinfer_cutlass\n",
        "__import__('sglang.srt.layers.moe.moe_runner.flashinfer_cutlass')\n",
        "from sglang.srt.layers.moe.moe_runner.base import *\n",
        "register_fused_func('none', 'triton')(print)\n",
        "# regreach: ignore[RR101] nothing\n",
        "# a comment\n",
        "",
    ]
)


@pytest.mark.parametrize(
    "case", ["bug", "process", "caller-only", "fix-lazy-in-branch", "environment-switch"]
)
def test_any_line_in_any_file(tmp_path: Path, case: str) -> None:
    """Whatever is written wherever, one run after the other, is judged as it is without a memory."""
    lab = Lab(tmp_path, case)
    files = sorted(file.relative_to(lab.root).as_posix() for file in lab.root.rglob("*.py"))
    texts = {path: (lab.root / path).read_text() for path in files}

    @settings(
        max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
    )
    @given(st.sampled_from(files), LINES, st.booleans())
    def judge(path: str, line: str, first: bool) -> None:
        text = texts[path]
        lab.write(path, line + text if first else text + line)
        found: tuple[Finding, ...] = checked(lab.request).findings
        assert found == analyse(replace(lab.request, keep=False)).findings

    judge()
