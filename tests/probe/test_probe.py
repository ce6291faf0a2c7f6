"""``regreach probe``: the fixtures executed agree with what is said of them; and what can go wrong."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent.parent
FIXTURES = ROOT / "fixtures"
CASES = sorted(path.parent.name for path in FIXTURES.glob("*/expect.toml"))

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the probe forks processes")


def probe(*arguments: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "regreach", "probe", *map(str, arguments), "--jobs", "1"],
        capture_output=True,
        check=False,
        encoding="utf-8",
        env={**os.environ, **variables},
        cwd=ROOT,
    )


def probed(*arguments: str | Path) -> Any:
    done = probe(*arguments, "--format", "json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def copy_with(tmp_path: Path, **changed: str) -> Path:
    """Copy the fixture with the bug; a file that is named by its stem gets lines at its end."""
    for file in (FIXTURES / "bug" / "tree").rglob("*.py"):
        goal = tmp_path / file.relative_to(FIXTURES / "bug" / "tree")
        goal.parent.mkdir(parents=True, exist_ok=True)
        text = file.read_text()
        goal.write_text(text + changed.pop(file.stem, "") if file.stem != "__init__" else text)
    assert not changed
    return tmp_path


@pytest.mark.parametrize("case", CASES)
def test_what_is_said_of_a_fixture_is_what_happens(case: str) -> None:
    text = (FIXTURES / case / "expect.toml").read_text()
    (platform,) = re.findall(r'(?m)^platform = "(\w+)"', text)
    done = probe(FIXTURES / case / "tree", "--platform", platform, "--compare")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == "no disagreements\n"


def test_a_maybe_is_tried_both_ways() -> None:
    document = probed(FIXTURES / "optional-dependency" / "tree")
    (registry,) = (r for r in document["registries"] if r["id"] == "sglang.moe.fused_func")
    cell = next(c for c in registry["cells"] if c["key"] == ["none", "flashinfer_mxfp4"])
    assert (cell["at_lookup"], cell["outcome"]) == (True, "ok")
    (other,) = cell["otherwise"]
    assert (other["at_lookup"], other["exception"]) == (False, "NotImplementedError")


def test_the_bug_happens() -> None:
    document = probed(FIXTURES / "bug" / "tree")
    (registry,) = (r for r in document["registries"] if r["id"] == "sglang.moe.fused_func")
    cell = next(c for c in registry["cells"] if c["key"] == ["none", "flashinfer_mxfp4"])
    assert cell["exception"] == "NotImplementedError"
    assert cell["raised_at"]["path"].endswith("moe_runner/runner.py")
    assert not cell["at_lookup"]


def test_the_bug_happens_at_its_call_site() -> None:
    document = probed(FIXTURES / "bug" / "tree")
    outcomes = {
        (site["path"].rpartition("/")[2], arrival["outcome"].partition(":")[0])
        for site in document["call_sites"]
        for arrival in site["arrivals"]
        if arrival["key"] == ["none", "flashinfer_mxfp4"]
    }
    assert outcomes == {("modelopt_quant.py", "NotImplementedError"), ("mxfp4.py", "ok")}


def test_a_site_is_tried_in_each_way_that_leads_there(tmp_path: Path) -> None:
    text = """

class Careful:
    def create(self, backend=None):
        if backend is None:
            return
        if self.is_fast and self.level > 3:
            from sglang.srt.layers.moe.moe_runner import flashinfer_cutlass
        MoeRunner(backend, None)
"""
    document = probed(copy_with(tmp_path, modelopt_quant=text))
    site = max(
        (s for s in document["call_sites"] if s["path"].endswith("modelopt_quant.py")),
        key=lambda s: s["line"],
    )
    arrivals = [a for a in site["arrivals"] if a["key"][1] == "flashinfer_mxfp4"]
    assert {arrival["loaded"] for arrival in arrivals} == {True, False}
    assert site["paths_ended"] == {"ended": 4}


def test_nothing_is_left_in_the_tree(tmp_path: Path) -> None:
    tree = copy_with(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    probed(tree)
    assert sorted(tmp_path.rglob("*")) == before


def test_a_wheel_is_executed_with_its_data(tmp_path: Path) -> None:
    text = "\nfrom pathlib import Path\nassert (Path(__file__).parent / 'table.json').read_text() == '{}'\n"
    tree = copy_with(tmp_path / "tree", runner=text)
    wheel = tmp_path / "sglang-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for file in tree.rglob("*.py"):
            archive.write(file, file.relative_to(tree).as_posix())
        archive.writestr("sglang/srt/layers/moe/moe_runner/table.json", "{}")
    done = probe(wheel, "--compare")
    assert (done.returncode, done.stderr) == (0, "no disagreements\n")
    assert "fails" not in done.stdout


def test_a_disagreement_is_an_exit_code(tmp_path: Path) -> None:
    # what nobody can know from the text
    text = "\nimport time\nif time.time() > 1:\n    eval('FusedOpPool._fused_funcs.clear()')\n"
    done = probe(copy_with(tmp_path, runner=text), "--compare")
    assert done.returncode == 1
    assert "disagreement" in done.stderr
    assert "  regreach says  " in done.stdout
    assert "  it was         " in done.stdout


def test_a_stand_in_that_decides_is_named(tmp_path: Path) -> None:
    text = "\nimport not_installed_here\nif not_installed_here.flag:\n    pass\n"
    document = probed(copy_with(tmp_path, runner=text))
    (places,) = {tuple(v) for v in document["decided_by_stand_ins"].values()}
    assert len(places) == 1
    assert places[0].endswith(": truth of not_installed_here.flag")
    assert "runner.py:" in places[0]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("\nimport os\nos._exit(7)\n", "the process ended with 7"),
        ("\nimport os\nos.kill(os.getpid(), 9)\n", "the process was ended by SIGKILL"),
        ("\nwhile True:\n    pass\n", "no end after"),
        ("\nraise SystemExit(3)\n", "SystemExit: 3"),
    ],
)
def test_code_that_ends_its_process(tmp_path: Path, text: str, says: str) -> None:
    begun = time.monotonic()
    done = probe(copy_with(tmp_path, runner=text), "--timeout", "1")
    assert done.returncode == 0, done.stderr
    assert says in done.stdout
    assert time.monotonic() - begun < 60


def test_an_interpreter_by_a_relative_path() -> None:
    python = os.path.relpath(sys.executable, ROOT)
    done = probe(FIXTURES / "bug" / "tree", "--python", python, "--compare")
    assert (done.returncode, done.stderr) == (0, "no disagreements\n")


def test_an_interpreter_that_is_none() -> None:
    done = probe(FIXTURES / "bug" / "tree", "--python", "/no/such/python")
    assert (done.returncode, done.stdout) == (3, "")
    assert (
        done.stderr
        == "regreach: error: /no/such/python: cannot be run: No such file or directory\n"
    )


def test_an_interpreter_that_cannot_begin() -> None:
    done = probe(FIXTURES / "bug" / "tree", "--python", "/bin/false")
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == "regreach: error: the probe's process died: without a word\n"


def test_variables_of_the_user_are_not_seen(tmp_path: Path) -> None:
    text = "\nimport os\nassert 'REGREACH_SECRET' not in os.environ\nassert os.environ['HOME'] == os.getcwd()\n"
    done = probe(copy_with(tmp_path, runner=text), REGREACH_SECRET="1")
    assert "fails" not in done.stdout
