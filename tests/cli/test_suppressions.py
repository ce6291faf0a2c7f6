"""`# regreach: ignore[CODE] reason`, through the command."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from command_line import BUG, HELP, ROOT, Done, copy_of, run

KERNELS = "sglang/srt/layers/moe/moe_runner/flashinfer_cutlass.py"
RUNNER = "sglang/srt/layers/moe/moe_runner/runner.py"
MXFP4 = '@register_fused_func("none", "flashinfer_mxfp4")'
CUTLASS = '@register_fused_func("none", "flashinfer_cutlass")'
SCHEMA = json.loads((ROOT / "docs/schemas/audit.schema.json").read_text(encoding="utf-8"))


def edited(tree: Path, path: str, old: str, new: str) -> None:
    file = tree / path
    text = file.read_text(encoding="utf-8")
    assert text.count(old) == 1
    file.write_text(text.replace(old, new), encoding="utf-8")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return copy_of("bug", tmp_path)


def heads(done: Done) -> list[str]:
    """The findings, as path's name, line and code, and what is said where it is about comments."""
    lines = [line for line in done.out.splitlines() if not line.startswith(" ")]
    short = [line.rpartition("/")[2] for line in lines if re.search(r":\d+: RR10", line)]
    return [line.split(" (")[0] for line in short] + [
        line for line in lines if re.search(r":\d+: RR90", line)
    ]


def test_a_suppressed_finding_does_not_count(tree: Path) -> None:
    edited(tree, KERNELS, MXFP4, f"{MXFP4}  # regreach: ignore[RR101] only on the next GPU")
    done = run("check", str(tree))
    assert (done.code, heads(done)) == (0, ["flashinfer_cutlass.py:6:1: RR102"])
    assert done.err == "1 warning; 1 suppressed by comments\n"
    assert run("check", str(tree), "--fail-on", "warning").code == 1


@pytest.mark.parametrize(
    "decorator",
    [
        MXFP4.replace("(", "(  # regreach: ignore[RR101] why\n    "),
        MXFP4.replace(", ", ",\n    # regreach: ignore[RR101] why\n    "),
        MXFP4.replace(")", ",\n)  # noqa: E501  # regreach: ignore[RR101] why"),
    ],
)
def test_any_line_of_the_decorator_will_do(tree: Path, decorator: str) -> None:
    edited(tree, KERNELS, MXFP4, decorator)
    assert heads(run("check", str(tree))) == ["flashinfer_cutlass.py:6:1: RR102"]


def test_the_function_below_is_another_statement(tree: Path) -> None:
    text = f"{MXFP4}\ndef fused_experts_none_to_flashinfer_mxfp4("
    edited(tree, KERNELS, text, f"{MXFP4}\ndef f(  # regreach: ignore[RR101] why\n    ")
    done = run("check", str(tree))
    assert done.code == 1
    assert heads(done) == [
        "flashinfer_cutlass.py:11:1: RR101",
        "flashinfer_cutlass.py:6:1: RR102",
        f"{KERNELS}:12:9: RR902 `# regreach: ignore[RR101] why` suppresses no RR101 here",
    ]


@pytest.mark.parametrize(
    "comment",
    [
        "# noqa: F401  # regreach: ignore[RR102] why",
        "# regreach: ignore[RR102] why  # noqa: F401",
        "# noqa: F401 # regreach: ignore[RR102] why #123",
    ],
)
def test_beside_noqa_both_count(tmp_path: Path, comment: str) -> None:
    """The import is kept by ruff, and by regreach's own RR106; and the finding on its line is suppressed."""
    tree = copy_of("unused-import-deletable", tmp_path)
    line = "import sglang.srt.layers.moe.moe_runner.flashinfer_cutlass"
    edited(tree, RUNNER, f"            {line}\n", f"            {line}  {comment}\n")
    done = run("check", str(tree), "--ignore", "RR102")
    assert heads(done) == []
    assert done.err == "no findings\n"
    ruff = [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", "--select", "F401"]
    subprocess.run([*ruff, str(tree / RUNNER)], check=True, capture_output=True)
    # RR102 is about another line
    stale = [line for line in run("check", str(tree)).out.splitlines() if "RR902" in line]
    assert len(stale) == 1


@pytest.mark.parametrize("order", [("noqa: E501", "{}"), ("{}", "noqa: E501")])
def test_an_import_is_suppressed_on_its_line(tmp_path: Path, order: tuple[str, str]) -> None:
    tree = copy_of("unused-import-deletable", tmp_path)
    line = "            import sglang.srt.layers.moe.moe_runner.flashinfer_cutlass"
    comment = "".join(f"  # {part}" for part in order).format("regreach: ignore[RR106] for now")
    edited(tree, RUNNER, f"{line}\n", f"{line}{comment}\n")
    done = run("check", str(tree), "--select", "RR106,RR902,RR903", "--format", "json")
    document = done.json()
    assert document["findings"] == []
    (suppressed,) = document["suppressed"]
    assert (suppressed["rule"], suppressed["path"]) == ("RR106", RUNNER)
    assert suppressed["suppressed"] == {
        "by": "comment",
        "path": RUNNER,
        "line": suppressed["line"],
        "reason": "for now",
    }


@pytest.mark.parametrize("first", [True, False])
def test_of_two_that_are_alike_the_other_is_mended(tmp_path: Path, first: bool) -> None:
    """Which of them has which fingerprint is told by their order alone, and changes with the edit."""
    tree = copy_of("unused-import-deletable", tmp_path)
    line = "            import sglang.srt.layers.moe.moe_runner.flashinfer_cutlass"
    branch = "        elif runner_backend.is_flashinfer_cutlass():\n"
    comment = "  # regreach: ignore[RR106] why"
    one, other = (comment, "") if first else ("", comment)
    edited(tree, RUNNER, f"{line}\n", f"{line}{other}\n")
    edited(tree, RUNNER, branch, f"{branch}{line}{one}\n")
    only = ("--select", "RR106")
    assert run("check", str(tree), *only).err == "1 warning; 1 suppressed by comments\n"
    done = run("fix", str(tree), *only, "--write")
    assert (done.code, done.err) == (0, f"1 mended; written: {RUNNER}; 1 suppressed by comments\n")
    text = (tree / RUNNER).read_text(encoding="utf-8")
    assert [each.removeprefix(line) for each in text.splitlines() if line in each] == (
        [comment, "  # noqa: F401"] if first else ["  # noqa: F401", comment]
    )
    # the callers have the key of the first one's branch; on the second one hangs another
    still = "" if first else "; 1 suppressed by comments"
    assert run("check", str(tree), *only).err == f"no findings{still}\n"


def test_stale_ones_are_found_where_nothing_else_is(tree: Path) -> None:
    (tree / "sglang/more.py").write_text(
        "# regreach: ignore[RR101] once it was needed\n"
        "x = 1  # regreach: ignore[RR101, RR102] so was this\n"
        "y = '# regreach: ignore[RR101] no comment'\n"
    )
    done = run("check", str(tree), "--ignore", "RR101,RR102")
    assert (done.out, done.err) == ("", "no findings\n")
    done = run("check", str(tree), "--ignore", "RR102")
    assert heads(done)[1:] == [
        "sglang/more.py:1:1: RR902 `# regreach: ignore[RR101] once it was needed` suppresses no RR101"
        " here; it stands by itself: it belongs at the end of the line",
        "sglang/more.py:2:8: RR902 `# regreach: ignore[RR101, RR102] so was this` suppresses no RR101 here",
    ]


def test_faulty_ones_are_told_and_what_is_right_in_them_counts(tree: Path) -> None:
    edited(tree, KERNELS, MXFP4, f"{MXFP4}  # regreach: ignore[RR101, RR777]")
    edited(tree, KERNELS, CUTLASS, f"{CUTLASS}  # regreach: ignore")
    done = run("check", str(tree))
    assert done.code == 0
    assert heads(done) == [
        "flashinfer_cutlass.py:6:1: RR102",
        f"{KERNELS}:6:53: RR903 `# regreach: ignore`: it names no rule; write # regreach: ignore[CODE] reason",
        f"{KERNELS}:11:51: RR903 `# regreach: ignore[RR101, RR777]`: there is no rule RR777",
        f"{KERNELS}:11:51: RR903 `# regreach: ignore[RR101, RR777]`: it gives no reason; write one behind"
        " the bracket",
    ]
    fingerprints = [
        f["fingerprint"] for f in run("check", str(tree), "--format", "json").json()["findings"]
    ]
    assert len(set(fingerprints)) == 4


def test_a_file_that_does_not_parse_is_not_judged(tree: Path) -> None:
    (tree / "sglang/broken.py").write_text(
        "x = 1  # regreach: ignore[RR101] why\ndef register_fused_func(:\n"
    )
    done = run("check", str(tree), "--select", "RR902,RR903")
    assert done.out == ""
    assert "sglang/broken.py:2:" in done.err


def test_everything_can_be_seen(tree: Path) -> None:
    edited(tree, KERNELS, MXFP4, f"{MXFP4}  # regreach: ignore[RR101]")
    done = run("check", str(tree), "--no-suppressions")
    assert (done.code, heads(done)) == (
        1,
        ["flashinfer_cutlass.py:11:1: RR101", "flashinfer_cutlass.py:6:1: RR102"],
    )
    assert done.err == HELP + "1 error, 1 warning\n"


def test_fix_leaves_them_alone_unless_it_is_asked(tree: Path) -> None:
    edited(tree, KERNELS, MXFP4, f"{MXFP4}  # regreach: ignore[RR101] why")
    before = (tree / RUNNER).read_bytes()
    done = run("fix", str(tree), "--write")
    more = "1 finding of RR102 only if selected (--select RR102)"
    assert (done.code, done.err) == (0, f"nothing to mend; 1 suppressed by comments; {more}\n")
    assert (tree / RUNNER).read_bytes() == before
    assert run("fix", str(tree), "--write", "--no-suppressions").code == 0
    assert (tree / RUNNER).read_bytes() != before
    # it is of no use any more
    assert [
        line.split(" `")[0] for line in heads(run("check", str(tree), "--select", "RR101,RR902"))
    ] == [f"{KERNELS}:11:51: RR902"]


def test_what_is_suppressed_is_told(tree: Path) -> None:
    edited(tree, KERNELS, MXFP4, f"{MXFP4}  # regreach: ignore[RR101] why")
    line = f"{KERNELS}:11:1: suppressed RR101 "
    end = f" (comment {KERNELS}:11: why)"
    audit = run("audit", str(tree))
    verbose = run("check", str(tree), "--verbose")
    for text in (audit.out, verbose.err):
        (found,) = [each for each in text.splitlines() if each.startswith(line)]
        assert found.endswith(end)
    assert audit.code == 0
    assert line not in run("check", str(tree)).err


@pytest.mark.parametrize("command", ["audit", "check"])
def test_json_has_them_beside_the_findings(tree: Path, command: str) -> None:
    plain = run(command, BUG, "--format", "json").json()
    edited(tree, KERNELS, MXFP4, f"{MXFP4}  # regreach: ignore[RR101] why")
    document: Any = run(command, str(tree), "--format", "json").json()
    if command == "audit":
        jsonschema.Draft202012Validator(SCHEMA).validate(document)
    assert plain["suppressed"] == []
    (suppressed,) = document["suppressed"]
    by = suppressed.pop("suppressed")
    assert by == {"by": "comment", "path": KERNELS, "line": 11, "reason": "why"}
    assert [suppressed, *document["findings"]] == plain["findings"]
