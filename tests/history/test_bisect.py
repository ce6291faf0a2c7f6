"""``regreach bisect``: real repositories; where it can be asked, git's own bisect is the judge."""

from __future__ import annotations

import random
import re
import sys
from pathlib import Path

import pytest
from command_line import ROOT, Done, fails, run
from history_making import KEPT, KERNELS, KEY, MODELOPT, MODULE, MXFP4, RUNNER, History
from tree_making import git

BROKEN = 'RR101 {KERNELS}:11: ("none", "flashinfer_mxfp4") is registered here, but MoeRunner cannot reach it: '


def bisect(history: History, good: str, bad: str, *arguments: str) -> Done:
    done = run("bisect", KEY, str(history.root), "--good", good, "--bad", bad, *arguments)
    err = re.sub(r" in [0-9.]+ s,", " in SECONDS,", done.err)
    return Done(done.code, history.named(done.out), history.named(err))


@pytest.fixture
def history(tmp_path: Path) -> History:
    """Twelve commits: the bug comes in with the sixth, beside something else, and is mended by the tenth."""
    made = History(tmp_path / "repo", "fix-lazy-in-branch")
    for number in range(2, 6):
        made.unrelated(number)
    made.replace(RUNNER, KEPT, "")
    made.replace(MODELOPT, '"""NVFP4', '"""Now NVFP4')
    made.commit("broken")
    for number in range(7, 10):
        made.unrelated(number)
    made.replace(
        RUNNER,
        "            self.runner_core = None\n        else:",
        f"{KEPT}            self.runner_core = None\n        else:",
    )
    made.commit("mended")
    made.unrelated(11)
    made.unrelated(12)
    return made


def test_the_commit_that_broke_a_key(history: History) -> None:
    done = bisect(history, history.at["first"], history.at["unrelated 9"])
    assert done.code == 0
    assert (
        done.out
        == f"""\
("none", "flashinfer_mxfp4") was broken by <broken>  2026-02-03  broken
    commit        <broken>
    author        A, 2026-02-03
    before        reach runner, the consumer is constructed
    after         reach partial, NotImplementedError at {RUNNER}:27; RR101 {KERNELS}:11: \
("none", "flashinfer_mxfp4") is registered here, but MoeRunner cannot reach it: 1 of 2 call sites that ask \
for it have not imported the module; modelopt_quant.py:12 crashes
    deleted       {RUNNER}:19 at <unrelated 5>  import {MODULE}  # noqa: F401
    side effect   nothing used its name: it was there to register, as its `# noqa: F401` said
    put back      import {MODULE}  # noqa: F401
"""
    )
    assert done.err == (
        "told by RR101; 5 revisions analysed in SECONDS, 8 commits touch the package\n"
    )


def test_the_commit_that_mended_it(history: History) -> None:
    """Said so, by the other order in history or by calling the worse one good."""
    done = bisect(history, "HEAD", history.at["broken"])
    assert done.code == 0
    assert done.out.startswith(
        '("none", "flashinfer_mxfp4") was mended by <mended>  2026-02-03  mended\n'
    )
    assert f"    added         {RUNNER}:19  import {MODULE}  # noqa: F401\n" in done.out
    assert "note" not in done.err
    other = bisect(history, history.at["broken"], "HEAD")
    assert other.out == done.out
    assert other.err.startswith(
        "note: <broken>, given as good, is the worse of the two, and <unrelated 12> the better:"
        " this is the commit that mended it\n"
    )


def test_reach_alone(tmp_path: Path) -> None:
    """No error anywhere: the key is only reached less surely."""
    made = History(tmp_path / "repo", "fix-lazy-in-branch")
    made.replace(MODELOPT, "if backend.is_flashinfer_cutlass():", "if backend:")
    made.commit("callers")
    made.unrelated(1)
    made.replace(RUNNER, KEPT, "")
    made.commit("weaker")
    made.unrelated(2)
    done = bisect(made, made.at["callers"], "HEAD")
    assert done.out.startswith('("none", "flashinfer_mxfp4") was broken by <weaker>')
    assert "    after         reach caller, NotImplementedError at" in done.out
    assert done.err.startswith("told by reach; ")
    # as a finding, if it is asked for
    done = bisect(made, made.at["callers"], "HEAD", "--rule", "rr102")
    assert done.out.startswith('("none", "flashinfer_mxfp4") was broken by <weaker>')
    assert done.err.startswith("told by RR102; ")
    mended = bisect(made, "HEAD", made.at["weaker"])
    assert mended.code == 2


def test_a_rule_that_needs_the_whole_tree(tmp_path: Path) -> None:
    made = History(tmp_path / "repo", "fix-lazy-in-branch")
    made.unrelated(1)
    made.replace(RUNNER, "  # noqa: F401", "")
    made.commit("unmarked")
    made.unrelated(2)
    done = bisect(made, made.at["first"], "HEAD", "--rule", "RR106")
    assert done.out.startswith('("none", "flashinfer_mxfp4") was broken by <unmarked>')
    assert "RR106" in done.out


def test_revisions_that_cannot_be_analysed(history: History, tmp_path: Path) -> None:
    """A file that does not parse, a package that is not there: skipped, and if need be said."""
    made = History(tmp_path / "other", "fix-lazy-in-branch")
    made.unrelated(1)
    text = made.read(RUNNER)
    made.write(RUNNER, "def (\n")
    made.commit("does not parse")
    made.unrelated(2)
    made.write(RUNNER, text.replace(KEPT, ""))
    made.commit("parses")
    made.unrelated(3)
    done = bisect(made, made.at["first"], "HEAD")
    assert done.code == 1
    assert (
        done.out
        == f"""\
("none", "flashinfer_mxfp4") was broken by one of these 3 commits; the others could not be analysed
    <parses>  2026-02-03  parses
    <unrelated 2>  2026-02-03  unrelated 2
    <does not parse>  2026-02-03  does not parse
    skipped       <unrelated 2>  {RUNNER} was not read
    skipped       <does not parse>  {RUNNER} was not read
"""
    )
    # one in the way of nothing
    made.replace(
        RUNNER,
        "            self.runner_core = None\n        else:",
        f"{KEPT}            self.runner_core = None\n        else:",
    )
    made.commit("mended")
    git(made.root, "mv", "sglang", "elsewhere")
    made.commit("no package")
    git(made.root, "mv", "elsewhere", "sglang")
    made.replace(RUNNER, KEPT, "")
    made.commit("broken again")
    done = bisect(made, made.at["mended"], "HEAD")
    assert done.code == 1
    assert "no package 'sglang' or 'vllm' in " in done.out
    assert "    <broken again>" in done.out


def test_merges(tmp_path: Path) -> None:
    made = History(tmp_path / "repo", "fix-lazy-in-branch")
    git(made.root, "switch", "--quiet", "--create", "side")
    made.replace(RUNNER, KEPT, "")
    made.commit("broken on the side")
    made.write("sglang/srt/side.py", "")
    made.commit("side")
    git(made.root, "switch", "--quiet", "main")
    made.unrelated(1)
    git(made.root, "merge", "--quiet", "--no-ff", "--message=merge", "side")
    made.at["merge"] = git(made.root, "rev-parse", "HEAD")
    made.unrelated(2)
    done = bisect(made, made.at["first"], "HEAD")
    assert "was broken by <broken on the side>" in done.out
    done = bisect(made, made.at["first"], "HEAD", "--first-parent")
    assert "was broken by <merge>" in done.out
    assert f"deleted       {RUNNER}:19 at <unrelated 1>" in done.out
    # neither is the other's ancestor: from their merge base on
    done = bisect(made, made.at["unrelated 1"], "side")
    assert "was broken by <broken on the side>" in done.out
    assert done.err.startswith(
        "note: <unrelated 1> is no ancestor of <side>: the search begins at their merge base, <first>\n"
    )


@pytest.mark.parametrize("seed", range(3))
def test_as_git_bisect_finds_it(tmp_path: Path, seed: int) -> None:
    """A history with merges: `git bisect run` checks revisions out, and finds the same commit."""
    chance = random.Random(seed)
    made = History(tmp_path / "repo", "fix-lazy-in-branch")
    broken_at = chance.randrange(4, 12)
    for number in range(14):
        if number == broken_at:
            made.replace(RUNNER, KEPT, "")
        if chance.random() < 0.3:
            branch = f"branch{number}"
            git(made.root, "switch", "--quiet", "--create", branch)
            made.write(f"sglang/srt/{branch}.py", "")
            made.commit(branch)
            git(made.root, "switch", "--quiet", "main")
            made.unrelated(number)
            git(made.root, "merge", "--quiet", "--no-ff", f"--message=merge {number}", branch)
            made.at[f"merge {number}"] = git(made.root, "rev-parse", "HEAD")
        else:
            made.unrelated(number)
    done = run(
        "bisect",
        KEY,
        str(made.root),
        "--good",
        made.at["first"],
        "--bad",
        "main",
        "--format",
        "json",
    )
    assert done.code == 0
    check = tmp_path / "check.py"
    check.write_text(
        "import sys\n"
        f"sys.path[:0] = [{str(ROOT / 'linter')!r}, {str(ROOT / 'rules')!r}]\n"
        "from regreach.cli import main\n"
        f"main(['check', {str(made.root)!r}, '--select', 'RR101', '-q', '--jobs', '1'])\n"
    )
    git(made.root, "bisect", "start", "main", made.at["first"], "--", "sglang")
    said = git(made.root, "bisect", "run", sys.executable, str(check))
    (first_bad,) = re.findall(r"(?m)^([0-9a-f]{40}) is the first bad commit", said)
    (commit,) = done.json()["commits"]
    assert commit["commit"] == first_bad


def test_json(history: History) -> None:
    done = bisect(history, history.at["first"], history.at["unrelated 9"], "--format", "json")
    document = done.json()
    assert document.pop("seconds") >= 0
    assert document["before"]["findings"] == []
    (cell,) = document["before"]["cells"]
    assert (cell["registry"], cell["reach"]) == ("sglang.moe.fused_func", "runner")
    assert [f["rule"] for f in document["after"]["findings"]] == ["RR101"]
    (deleted,) = document["deleted_imports"]
    assert {k: deleted[k] for k in ("path", "line", "statement", "unused", "kept_by_noqa")} == {
        "path": RUNNER,
        "line": 19,
        "statement": f"import {MODULE}",
        "unused": False,
        "kept_by_noqa": True,
    }
    keys = (
        "key",
        "change",
        "told_by",
        "commits",
        "added_imports",
        "skipped",
        "analysed",
        "candidates",
        "notes",
    )
    assert {key: document[key] for key in keys} == {
        "key": ["none", "flashinfer_mxfp4"],
        "change": "broke",
        "told_by": "RR101",
        "commits": [
            {"commit": "<broken>", "author": "A", "date": "2026-02-03", "subject": "broken"}
        ],
        "added_imports": [],
        "skipped": [],
        "analysed": 5,
        "candidates": 8,
        "notes": [],
    }


def test_the_repository_is_not_touched(history: History) -> None:
    before = {p: p.read_bytes() for p in sorted(history.root.rglob("*")) if p.is_file()}
    assert bisect(history, history.at["first"], history.at["broken"]).code == 0
    assert {p: p.read_bytes() for p in sorted(history.root.rglob("*")) if p.is_file()} == before


def test_only_what_touches_the_package_counts(tmp_path: Path) -> None:
    made = History(tmp_path / "repo", "fix-lazy-in-branch", "python")
    for number in range(6):
        (made.root / "README").write_text(str(number))
        made.commit(f"outside {number}")
    made.replace(RUNNER, KEPT, "")
    made.commit("broken")
    for number in range(6, 9):
        (made.root / "README").write_text(str(number))
        made.commit(f"outside {number}")
    done = bisect(made, made.at["first"], "HEAD")
    assert "was broken by <broken>" in done.out
    assert (
        done.err == "told by RR101; 2 revisions analysed in SECONDS, 1 commit touches the package\n"
    )
    below = run("bisect", KEY, str(made.below), "--good", made.at["first"], "--bad", "HEAD")
    assert made.named(below.out) == done.out.replace("python/", "")


def test_a_package_that_moves_and_a_bare_repository(tmp_path: Path) -> None:
    made = History(tmp_path / "repo", "fix-lazy-in-branch")
    made.unrelated(1)
    (made.root / "python").mkdir()
    git(made.root, "mv", "sglang", "python/sglang")
    made.below = made.root / "python"
    made.commit("moved")
    made.replace(RUNNER, KEPT, "")
    made.commit("broken")
    made.unrelated(2)
    bare = tmp_path / "bare.git"
    git(tmp_path, "clone", "--quiet", "--bare", str(made.root), str(bare))
    done = run("bisect", KEY, str(bare), "--good", made.at["first"], "--bad", "HEAD")
    assert "was broken by <broken>" in made.named(done.out)
    assert done.err.startswith("note: the package has moved: python/sglang, sglang\n")


def test_ends_that_do_not_differ(history: History) -> None:
    at = history.at
    told = fails(bisect(history, "HEAD", "HEAD"), 2)
    assert told == "HEAD and HEAD are the same commit, <unrelated 12>"
    told = fails(bisect(history, at["first"], at["unrelated 5"]), 2)
    assert told == (
        '("none", "flashinfer_mxfp4") is the same at both ends, <first> and <unrelated 5>:'
        " reach runner, and nothing is found"
    )
    told = fails(bisect(history, at["broken"], at["unrelated 7"]), 2)
    assert told == (
        '("none", "flashinfer_mxfp4") is broken at both ends, <broken> and <unrelated 7> (RR101):'
        " give a revision at which it is not"
    )


def test_bad_input(history: History, tmp_path: Path) -> None:
    at = history.at
    ends = ("--good", at["first"], "--bad", at["broken"])
    told = fails(run("bisect", "none,nothing", str(history.root), *ends), 2)
    assert history.named(told) == (
        'no registry has the key ("none", "nothing"), neither at <first> nor at <broken>'
    )
    told = fails(run("bisect", "none,flashinfer_mxfp", str(history.root), *ends), 2)
    assert "neither at <first> nor at <broken>; near are: none,flashinfer_mxfp4" in history.named(
        told
    )
    assert fails(run("bisect", ",", str(history.root), *ends), 2).startswith("the key is empty")
    assert fails(bisect(history, "", "HEAD"), 3).startswith("a revision is empty")
    assert "has no revision 'nowhere'" in fails(bisect(history, "nowhere", "HEAD"), 3)
    assert "RR999" in fails(run("bisect", KEY, str(history.root), *ends, "--rule", "RR999"), 2)
    assert fails(run("bisect", KEY, "--good", "x"), 2).startswith("Missing option '--bad'")
    told = fails(run("bisect", KEY, str(tmp_path), *ends), 3)
    assert told == f"bisect needs a git repository, and {tmp_path} lies in none"
    git(history.root, "switch", "--quiet", "--orphan", "other")
    git(history.root, "restore", "--source=main", "--", "sglang")
    history.commit("other")
    told = fails(bisect(history, "main", "other"), 2)
    assert told == "<unrelated 12> and <other> have no common ancestor"
    clone = tmp_path / "clone"
    git(
        tmp_path,
        "clone",
        "--quiet",
        "--depth=1",
        "--no-single-branch",
        f"file://{history.root}",
        str(clone),
    )
    told = fails(
        run("bisect", KEY, str(clone), "--good", "origin/main", "--bad", "origin/other"), 2
    )
    assert told.endswith("have no common ancestor; the clone is shallow: git fetch --unshallow")


def test_an_end_that_cannot_be_analysed(history: History) -> None:
    git(history.root, "rm", "--quiet", "-r", "sglang")
    history.commit("empty")
    told = fails(bisect(history, history.at["first"], "HEAD"), 3)
    assert told.startswith(
        "<empty> cannot be analysed: no package 'sglang' or 'vllm' in REPO@<empty>"
    )


def test_a_file_that_has_never_parsed_is_no_reason_to_skip(tmp_path: Path) -> None:
    made = History(tmp_path / "repo", "fix-lazy-in-branch")
    made.write("sglang/srt/layers/quantization/old.py", "from x import MoeRunner(\n")
    made.commit("old")
    made.unrelated(1)
    made.replace(RUNNER, KEPT, "")
    made.commit("broken")
    made.unrelated(2)
    done = bisect(made, made.at["old"], "HEAD")
    assert done.code == 0
    assert "was broken by <broken>" in done.out


def test_an_indirect_import(tmp_path: Path) -> None:
    made = History(tmp_path / "repo", "fix-lazy-in-branch")
    line = "            import sglang.srt.layers.moe.kernels  # noqa: F401\n\n"
    made.write("sglang/srt/layers/moe/kernels.py", f"import {MODULE}  # noqa: F401\n")
    made.replace(RUNNER, KEPT, line)
    made.commit("by way of")
    made.replace(RUNNER, line, "")
    made.commit("broken")
    made.unrelated(1)
    done = bisect(made, made.at["by way of"], "HEAD")
    assert (
        f"deleted       {RUNNER}:19 at <by way of>  import sglang.srt.layers.moe.kernels"
        in done.out
    )
    assert MXFP4 not in done.out
