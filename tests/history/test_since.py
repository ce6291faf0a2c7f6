"""``regreach check --since``: real repositories, whole outputs."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from command_line import CASES, HELP, ROOT, Done, fails, run, run_process
from history_making import KEPT, KERNELS, MODELOPT, MODULE, MXFP4, RUNNER, History
from regreach.history.import_changes import line_after
from tree_making import git, make_zip

ANY_BACKEND = ("        if backend.is_flashinfer_cutlass():\n    ", "        if backend:\n    ")


def since(history: History, *arguments: str) -> Done:
    done = run("check", str(history.root), "--since", *arguments)
    return Done(done.code, history.named(done.out), history.named(done.err))


@pytest.fixture
def fixed(tmp_path: Path) -> History:
    """A tree whose branch imports the module that it needs."""
    return History(tmp_path / "repo", "fix-lazy-in-branch")


def test_ruff_deletes_a_side_effect_import(tmp_path: Path) -> None:
    history = History(tmp_path / "repo", "unused-import-deletable")
    history.unrelated(1)
    history.fixed_by_ruff()
    history.commit("ruff")
    assert "runner.py | 1 -" in git(history.root, "show", "--stat")
    done = since(history, "HEAD~2")
    assert done.code == 1
    assert (
        done.out
        == f"""\
{KERNELS}:11:1: RR101 ("none", "flashinfer_mxfp4") is registered here, but MoeRunner cannot reach it: \
1 of 2 call sites that ask for it have not imported the module; modelopt_quant.py:12 crashes
    registered    {KERNELS}:11  fused_experts_none_to_flashinfer_mxfp4
    branch        {RUNNER}:18  elif runner_backend.is_flashinfer_mxfp4():
    looked up     {RUNNER}:26  self.fused_func = FusedOpPool.get_fused_func(a2a_name, runner_backend.v…
    raises        {RUNNER}:28  NotImplementedError
    crashes       {MODELOPT}:12  ModelOptFusedMoEMethod.create_moe_runner
    saves itself  mxfp4.py:14 (Mxfp4MoEMethod)
    imported by   modelopt_quant.py:10 (if backend.is_flashinfer_cutlass()), mxfp4.py:12 (lazy)
    add           from sglang.srt.layers.moe.moe_runner import flashinfer_cutlass  # noqa: F401
    where         below {RUNNER}:18, before the look-up
    why lazy      at the top of the module it closes an import cycle: runner → moe_runner/__init__.py:2 \
→ runner; a risk only: with either end imported first it works today
    before        reach runner, the consumer is constructed (at <first>)
    deleted       {RUNNER}:19 at <first>  import {MODULE}
    side effect   nothing used its name, so that a fixer of unused imports deletes it; it was there to \
register
    put back      import {MODULE}  # noqa: F401
{RUNNER}:19: gone RR106 ("none", "flashinfer_mxfp4") (its line is that of <first>)
"""
    )
    assert done.err == (
        "from <first> to the working tree: 1 brought in, 0 mended, 1 gone,"
        " 1 not shown that was there before\n" + HELP + "1 error\n"
    )


def test_services_are_told_of_the_line_that_was_deleted(tmp_path: Path) -> None:
    history = History(tmp_path / "repo", "unused-import-deletable")
    history.write(RUNNER, "# a line above\n" + history.read(RUNNER))
    history.commit("above")
    history.write(RUNNER, "# another\n" + history.read(RUNNER))
    history.fixed_by_ruff()
    was = f"{RUNNER}:20 at <above>  import {MODULE}"
    # its place now, one line further down
    lines = history.read(RUNNER).split("\n")
    line = lines.index("        elif runner_backend.is_flashinfer_mxfp4():") + 2
    story = (
        f"deleted: {was}",
        "side effect: nothing used its name, so that a fixer of unused imports deletes it; it was"
        " there to register",
        f"put back: import {MODULE}  # noqa: F401",
    )

    annotations = since(history, "HEAD", "--format", "github").out.splitlines()
    (annotation,) = (each for each in annotations if each.startswith("::error "))
    assert f"file={RUNNER},line={line},title=RR101" in annotation
    assert f"::an import is deleted here. {KERNELS}:11: (" in annotation
    assert "%0A".join(story) in annotation

    (result,) = since(history, "HEAD", "--format", "sarif").json()["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == KERNELS
    assert "\n".join(story) in result["message"]["text"]
    (deleted,) = (
        each for each in result["relatedLocations"] if each["message"]["text"].startswith("deleted")
    )
    assert deleted["message"]["text"] == f"deleted: import {MODULE} (at <above>)"
    assert deleted["physicalLocation"]["artifactLocation"]["uri"] == RUNNER
    assert deleted["physicalLocation"]["region"]["startLine"] == line
    assert f"deleted [runner.py:{line}]({deleted['id']})" in result["message"]["text"]

    (issue,) = since(history, "HEAD", "--format", "gitlab").json()
    assert issue["location"] == {"path": KERNELS, "lines": {"begin": 11}}
    assert issue["description"].endswith("; ".join(story))


@pytest.mark.parametrize(
    ("new", "line", "expected"),
    [
        ("abc", 2, 2),  # it is there
        ("xabc", 2, 3),
        ("ac", 2, 2),  # deleted: what follows
        ("ab", 3, 2),  # the last one: what comes before
        ("axyc", 2, 2),  # replaced
        ("b", 3, 1),
    ],
)
def test_where_a_line_is_or_was(new: str, line: int, expected: int) -> None:
    assert line_after("abc", new, line) == expected


def test_what_is_to_be_put_back_mends_it(tmp_path: Path) -> None:
    history = History(tmp_path / "repo", "unused-import-deletable")
    history.fixed_by_ruff()
    document = since(history, "HEAD", "--format", "json").json()
    (finding,) = document["findings"]
    details = {each["label"]: each["text"] for each in finding["details"]}
    lines = history.read(RUNNER).split("\n")
    place = details["deleted"].split(" ")[0].rpartition(":")[2]
    lines.insert(int(place) - 1, "            " + details["put back"])
    history.write(RUNNER, "\n".join(lines))
    done = since(history, "HEAD")
    assert (done.code, "RR101" in done.out) == (0, False)
    assert "mended RR106" in done.out


def test_the_last_import_of_a_registration(fixed: History) -> None:
    for path in (MXFP4, MODELOPT):
        fixed.replace(path, KEPT.replace("\n\n", "\n"), "            pass\n")
    fixed.commit("only the runner")
    fixed.replace(RUNNER, KEPT, "")
    fixed.commit("nobody")
    done = since(fixed, "HEAD~1..HEAD")
    assert done.code == 1
    expected = f"""\
    before        reach runner, the consumer is constructed (at <only the runner>)
    deleted       {RUNNER}:19 at <only the runner>  import {MODULE}  # noqa: F401
    side effect   nothing used its name: it was there to register, as its `# noqa: F401` said
    put back      import {MODULE}  # noqa: F401
    last import   nobody imports {MODULE} any more, which registers ("none", "flashinfer_mxfp4")
"""
    assert expected in done.out
    # the other key of the module was broken before: no finding comes in, but it is worse off
    other = (
        f'{KERNELS}:6: weaker ("none", "flashinfer_cutlass") is reached less surely than at'
        " <only the runner>: none → orphan\n"
    )
    assert other in done.out
    assert done.out.count("RR101") == 1
    assert done.err == (
        "from <only the runner> to <nobody>: 1 brought in, 0 mended,"
        " 1 not shown that was there before\n" + HELP + "1 error\n"
    )


def test_weaker_without_a_finding(fixed: History) -> None:
    fixed.replace(MODELOPT, *ANY_BACKEND)
    fixed.commit("callers")
    fixed.replace(RUNNER, KEPT, "")
    done = since(fixed, "HEAD", "--select", "RR101", "--fail-on", "info")
    assert done.code == 0, "information counts for nothing"
    assert (
        done.out
        == f"""\
{KERNELS}:11: weaker ("none", "flashinfer_mxfp4") is reached less surely than at <callers>: runner → caller
    before        reach runner, the consumer is constructed (at <callers>)
    deleted       {RUNNER}:19 at <callers>  import {MODULE}  # noqa: F401
    side effect   nothing used its name: it was there to register, as its `# noqa: F401` said
    put back      import {MODULE}  # noqa: F401
"""
    )
    assert "RR102" in since(fixed, "HEAD").out


def test_an_import_of_an_import(fixed: History) -> None:
    """What is deleted need not name the registering module."""
    fixed.write("sglang/srt/layers/moe/kernels.py", f"import {MODULE}  # noqa: F401\n")
    fixed.replace(
        RUNNER, KEPT, "            import sglang.srt.layers.moe.kernels  # noqa: F401\n\n"
    )
    fixed.commit("by way of")
    fixed.replace(RUNNER, "            import sglang.srt.layers.moe.kernels  # noqa: F401\n\n", "")
    done = since(fixed, "HEAD")
    assert done.code == 1
    expected = f"    deleted       {RUNNER}:19 at <by way of>  import sglang.srt.layers.moe.kernels  # noqa: F401\n"
    assert expected in done.out
    assert "last import" not in done.out


def test_one_name_of_several(fixed: History) -> None:
    """Only what is gone of a statement has to be put back."""
    names = "            from sglang.srt.layers.moe.moe_runner import {}\n\n"
    fixed.replace(
        RUNNER, KEPT, names.format("base, flashinfer_cutlass") + "            print(base)\n"
    )
    fixed.commit("two names")
    fixed.replace(RUNNER, names.format("base, flashinfer_cutlass"), names.format("base"))
    done = since(fixed, "HEAD")
    put_back = "from sglang.srt.layers.moe.moe_runner import flashinfer_cutlass  # noqa: F401\n"
    assert f"    put back      {put_back}" in done.out


def test_an_import_whose_name_is_used_is_no_side_effect(fixed: History) -> None:
    used = KEPT.replace("  # noqa: F401\n\n", " as kernels\n            print(kernels)\n\n")
    fixed.replace(RUNNER, KEPT, used)
    fixed.commit("used")
    fixed.replace(RUNNER, used, "")
    done = since(fixed, "HEAD")
    assert f"deleted       {RUNNER}:19 at <used>" in done.out
    assert "side effect" not in done.out


def test_a_registration_that_is_gone(fixed: History) -> None:
    fixed.replace(KERNELS, '@register_fused_func("none", "flashinfer_mxfp4")\n', "")
    done = since(fixed, "HEAD", "--select", "RR101")
    assert (
        f'{KERNELS}:11: weaker ("none", "flashinfer_mxfp4") is registered no more; at <first> it was, at'
        f" {KERNELS}:11; mxfp4.py:14 crashes\n"
    ) in done.out.replace("modelopt_quant.py:12, mxfp4.py:14 crash", "mxfp4.py:14 crashes")


def test_a_new_registration_that_is_not_reached(fixed: History) -> None:
    added = (
        '@register_fused_func("deepep", "flashinfer_mxfp4")\ndef other(*args):\n    return args\n'
    )
    fixed.write(
        "sglang/srt/layers/moe/moe_runner/other.py",
        f"from {'.base'} import register_fused_func\n\n\n{added}",
    )
    done = since(fixed, "HEAD", "--select", "RR101")
    assert done.code == 1
    assert "    before        nothing was registered for it (at <first>)\n" in done.out


def test_what_is_mended(fixed: History) -> None:
    fixed.replace(RUNNER, KEPT, "")
    fixed.commit("broken")
    fixed.unrelated(1)
    done = since(fixed, f"{fixed.at['broken']}..{fixed.at['first']}")
    assert done.code == 0
    assert done.out == (
        f'{KERNELS}:11: mended RR101 ("none", "flashinfer_mxfp4") (its line is that of <broken>)\n'
    )
    assert done.err == (
        "note: <broken> is no ancestor of <first>: what is only in <broken> counts as taken away;"
        " --since <broken>...<first> leaves that out\n"
        "from <broken> to <first>: 0 brought in, 1 mended, 1 not shown that was there before\n"
        "no findings\n"
    )


def test_the_working_tree_is_what_is_on_disk(fixed: History) -> None:
    """What is staged does not count, what git does not know does."""
    fixed.replace(RUNNER, KEPT, "")
    git(fixed.root, "add", "--all")
    git(fixed.root, "show", "HEAD:" + RUNNER)
    fixed.write(RUNNER, git(fixed.root, "show", "HEAD:" + RUNNER) + "\n")
    assert since(fixed, "HEAD").code == 0
    fixed.write(RUNNER, git(fixed.root, "show", ":" + RUNNER) + "\n")
    git(fixed.root, "reset", "--quiet")
    assert since(fixed, "HEAD").code == 1


def test_ranges_are_those_of_git_diff(fixed: History) -> None:
    git(fixed.root, "switch", "--quiet", "--create", "side")
    fixed.replace(RUNNER, KEPT, "")
    fixed.commit("broken on the side")
    git(fixed.root, "switch", "--quiet", "main")
    fixed.unrelated(1)
    assert "RR101" in since(fixed, "main..side").out
    three = since(fixed, "main...side")
    assert "RR101" in three.out
    assert three.err.startswith("from <first> to <broken on the side>: 1 brought in")
    # the other way round the side's damage is no merit of main
    assert "mended RR101" in since(fixed, "side..main").out
    assert since(fixed, "side...main").out == ""
    assert (
        since(fixed, "side..").out
        == since(fixed, "side..main").out
        == since(fixed, "side", "--rev", "main").out
    )
    assert since(fixed, "..side").out == since(fixed, "main..side").out


def test_an_empty_range(fixed: History) -> None:
    done = since(fixed, "HEAD..HEAD")
    assert (done.code, done.out) == (0, "")
    assert done.err.startswith("note: HEAD..HEAD is empty: both sides are <first>\n")


def test_a_warning_that_becomes_an_error_came_in() -> None:
    from regreach.history.comparison import difference
    from regreach.model import Finding, Severity, Spot

    def finding(severity: Severity) -> Finding:
        return Finding("RR110", severity, Spot("a.py", 1), 1, "", None, "same")

    found = difference([finding("warning")], [finding("error")])
    assert [f.severity for f in found.brought_in] == ["error"]
    assert (found.mended, found.old) == ((), ())
    assert found.brought_in[0].details[0].text == "the same, as warning"
    found = difference([finding("error"), finding("warning")], [finding("error")])
    assert (found.brought_in, [f.severity for f in found.mended]) == ((), ["warning"])
    found = difference([finding("error")], [finding("error")] * 3)
    assert (len(found.brought_in), len(found.old)) == (2, 1)


def fingerprints(document: Any) -> Counter[str]:
    return Counter(each["fingerprint"] for each in document["findings"])


@pytest.mark.parametrize("case", CASES)
def test_what_comes_in_is_the_difference_of_two_checks(case: str, tmp_path: Path) -> None:
    """From one fixture's tree to another's, and back."""
    other = CASES[(CASES.index(case) + 7) % len(CASES)]
    history = History(tmp_path / "repo", case)
    git(history.root, "rm", "--quiet", "-r", "sglang")
    second = History(tmp_path / "other", other)
    for file in sorted(second.root.rglob("*.py")):
        path = file.relative_to(second.root).as_posix()
        history.write(path, file.read_text(encoding="utf-8"))
    history.commit("second")
    checks = {
        message: fingerprints(
            run("check", str(history.root), "--rev", commit, "--format", "json").json()
        )
        for message, commit in history.at.items()
    }
    for old, new in (("first", "second"), ("second", "first")):
        commits = f"{history.at[old]}..{history.at[new]}"
        document = since(history, commits, "--format", "json").json()
        assert fingerprints(document) == checks[new] - checks[old]
        gone = [*document["since"]["mended"], *document["since"]["gone"]]
        assert fingerprints({"findings": gone}) == checks[old] - checks[new]
        assert document["since"]["not_shown"] == (checks[old] & checks[new]).total()


def test_json(fixed: History) -> None:
    fixed.replace(RUNNER, KEPT, "")
    done = run("check", str(fixed.root), "--since", "HEAD", "--format", "json")
    document = done.json()
    plain = run("check", str(fixed.root), "--format", "json").json()
    assert {**plain, "findings": None} == {
        **{k: v for k, v in document.items() if k != "since"},
        "findings": None,
    }
    (finding,) = document["findings"]
    assert finding["rule"] == "RR101"
    assert document["since"] == {
        "old": {
            "commit": fixed.at["first"],
            "author": "A",
            "date": "2026-02-03",
            "subject": "first",
        },
        "new": None,
        "mended": [],
        "gone": [],
        "weaker": [],
        "not_shown": 1,
    }
    schema = json.loads((ROOT / "docs/schemas/audit.schema.json").read_text(encoding="utf-8"))
    jsonschema.validate(
        document["findings"], {**schema["properties"]["findings"], "$defs": schema.get("$defs", {})}
    )


def test_the_repository_is_not_touched(fixed: History) -> None:
    fixed.unrelated(1)
    before = {p: p.read_bytes() for p in sorted(fixed.root.rglob("*")) if p.is_file()}
    assert since(fixed, "HEAD~1..HEAD").code == 0
    assert {p: p.read_bytes() for p in sorted(fixed.root.rglob("*")) if p.is_file()} == before


def test_a_package_that_has_moved(tmp_path: Path) -> None:
    history = History(tmp_path / "repo", "fix-lazy-in-branch")
    (history.root / "python").mkdir()
    git(history.root, "mv", "sglang", "python/sglang")
    history.below = history.root / "python"
    history.replace(RUNNER, KEPT, "")
    history.commit("moved and broken")
    done = since(history, "HEAD~1..HEAD")
    assert done.code == 1
    assert "note: sglang has moved since <first>: from the top to python\n" in done.err
    assert "1 brought in, 0 mended, 1 not shown" in done.err
    assert f"deleted       {RUNNER}:19 at <first>" in done.out


def test_a_bare_repository(fixed: History, tmp_path: Path) -> None:
    fixed.replace(RUNNER, KEPT, "")
    fixed.commit("broken")
    bare = tmp_path / "bare.git"
    git(tmp_path, "clone", "--quiet", "--bare", str(fixed.root), str(bare))
    assert run("check", str(bare), "--since", "HEAD~1..HEAD").code == 1
    told = fails(run("check", str(bare), "--since", "HEAD~1"), 2)
    assert told.endswith("name both sides, as in --since HEAD~1..HEAD")


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (
            ("nothing",),
            3,
            "the repository REPO has no revision 'nothing'",
        ),
        (("HEAD..nothing",), 3, "has no revision 'nothing'"),
        (
            ("HEAD..HEAD", "--rev", "HEAD"),
            2,
            "--since HEAD..HEAD names the new side already: leave --rev out",
        ),
        (("",), 2, "--since is empty (a variable that is not set?): give a revision, as main, or"),
        (("HEAD", "--rev", ""), 3, "a revision is empty (a variable that is not set?)"),
        (("--upload-pack=x",), 3, "has no revision '--upload-pack=x'"),
    ],
)
def test_bad_revisions(fixed: History, arguments: tuple[str, ...], code: int, told: str) -> None:
    done = since(fixed, *arguments)
    assert told in fails(done, code)


def test_no_repository(tmp_path: Path) -> None:
    (tmp_path / "sglang").mkdir()
    (tmp_path / "sglang" / "__init__.py").write_text("")
    told = fails(run("check", str(tmp_path), "--since", "HEAD"), 3)
    assert told == f"--since needs a git repository, and {tmp_path} lies in none"
    archive = make_zip(tmp_path / "x.zip", {"sglang/__init__.py": ""})
    told = fails(run("check", str(archive), "--since", "HEAD"), 3)
    assert told.endswith("x.zip is not a folder: releases and archives have no history")


def test_a_revision_without_the_package(tmp_path: Path, fixed: History) -> None:
    git(fixed.root, "rm", "--quiet", "-r", "sglang")
    fixed.write("README", "x")
    fixed.commit("empty")
    told = fails(since(fixed, "HEAD..HEAD~1"), 3)
    assert told.startswith("no package 'sglang' or 'vllm' in REPO@<empty>: give")


def test_a_shallow_clone(fixed: History, tmp_path: Path) -> None:
    fixed.unrelated(1)
    fixed.unrelated(2)
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "--quiet", "--depth=1", f"file://{fixed.root}", str(clone))
    told = fails(run("check", str(clone), "--since", fixed.at["first"]), 3)
    assert "the clone is shallow: git fetch --unshallow, or fetch-depth: 0 in CI" in told


def test_in_a_process_of_its_own(fixed: History) -> None:
    fixed.replace(RUNNER, KEPT, "")
    done = run_process("check", str(fixed.root), "--since", "HEAD", "-q", "--no-cache")
    assert (done.code, done.err) == (1, "")
    assert done.out.startswith(f"{KERNELS}:11:1: RR101 ")
