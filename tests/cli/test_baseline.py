"""`regreach baseline`, and `check` with what it wrote."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from command_line import CASES, FIXTURES, Done, copy_of, fails, run
from tree_making import git, make_repository

KERNELS = "sglang/srt/layers/moe/moe_runner/flashinfer_cutlass.py"
RUNNER = "sglang/srt/layers/moe/moe_runner/runner.py"
IMPORT = "            import sglang.srt.layers.moe.moe_runner.flashinfer_cutlass\n"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return copy_of("bug", tmp_path / "tree")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "known.toml"


def made(tree: Path, file: Path, *more: str) -> Done:
    return run("baseline", str(tree), "--output", str(file), *more)


def checked(tree: Path, file: Path, *more: str) -> Done:
    return run("check", str(tree), "--baseline", str(file), "--fail-on", "info", *more)


def entries(file: Path) -> list[str]:
    return [
        line for line in file.read_text(encoding="utf-8").splitlines() if line.startswith("  {")
    ]


def rules(done: Done) -> list[str]:
    return re.findall(r"^\S+:\d+:\d+: (RR\d+)", done.out, re.MULTILINE)


def test_what_is_in_it_does_not_count(tree: Path, file: Path) -> None:
    done = made(tree, file)
    assert done == Done(0, "", f"{file}: 2 findings, 2 added\n")
    assert file.read_text(encoding="utf-8").splitlines()[3:] == [
        "",
        "[findings.sglang]",
        "cuda = [",
        '  { rule = "RR101", of = ["sglang.moe.fused_func", "none", "flashinfer_mxfp4",'
        ' "sglang.srt.layers.moe.moe_runner.runner:MoeRunner"], fingerprint = "c0219595d21ed660" },',
        '  { rule = "RR102", of = ["sglang.moe.fused_func", "none", "flashinfer_cutlass",'
        ' "sglang.srt.layers.moe.moe_runner.runner:MoeRunner"], fingerprint = "ad5795c3b524b94a" },',
        "]",
    ]
    assert checked(tree, file) == Done(0, "", "no findings; 2 in the baseline\n")
    assert checked(tree, file, "--no-suppressions").code == 1
    document: Any = checked(tree, file, "--format", "json").json()
    assert document["findings"] == []
    assert [(s["rule"], s["suppressed"]) for s in document["suppressed"]] == [
        ("RR102", {"by": "baseline", "path": str(file), "line": 8, "reason": ""}),
        ("RR101", {"by": "baseline", "path": str(file), "line": 7, "reason": ""}),
    ]


def test_a_second_time_nothing_is_written(tree: Path, file: Path) -> None:
    made(tree, file)
    before, when = file.read_bytes(), file.stat().st_mtime_ns
    assert made(tree, file) == Done(0, "", f"{file}: 2 findings\n")
    assert (file.read_bytes(), file.stat().st_mtime_ns) == (before, when)


@pytest.mark.parametrize("case", CASES)
def test_moved_lines_change_nothing(tmp_path: Path, file: Path, case: str) -> None:
    """In each fixture every finding has a fingerprint of its own, and keeps it in moved lines."""
    tree = copy_of(case, tmp_path / "tree")
    found = run("check", str(tree), "--format", "json").json()["findings"]
    assert len({f["fingerprint"] for f in found}) == len(found)
    made(tree, file)
    before = file.read_bytes()
    for path in tree.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        path.write_text(f'"""Moved."""\n\n\n{text}' if "from __future__" not in text else text)
    done = checked(tree, file)
    # where a call site does not parse, nobody knows whether there is nothing to report
    assert (done.code, done.out) == (3 if case == "syntax-error" else 0, "")
    moved = run("check", str(tree), "--format", "json").json()["findings"]
    assert [f["fingerprint"] for f in moved] == [f["fingerprint"] for f in found]
    assert all(m["line"] > f["line"] for m, f in zip(moved, found, strict=True))
    made(tree, file)
    assert file.read_bytes() == before


def test_reasons_are_kept(tree: Path, file: Path) -> None:
    made(tree, file, "--select", "RR101", "--reason", 'not "ours"')
    assert entries(file)[0].endswith(r'reason = "not \"ours\"" },')
    made(tree, file, "--add")
    before = entries(file)
    assert len(before) == 2
    assert "reason" in before[0]
    assert "reason" not in before[1]
    # written by hand, in another order
    text = file.read_text(encoding="utf-8").replace('94a" },', '94a", reason = "later" },')
    file.write_text(text.replace("{ rule", "{ reason = 'x', rule", 0), encoding="utf-8")
    made(tree, file)
    assert [entry.rpartition("reason = ")[2] for entry in entries(file)] == [
        r'"not \"ours\"" },',
        '"later" },',
    ]
    audit = run("audit", str(tree), "--baseline", str(file)).out
    assert f'(baseline {file}:7: not "ours")' in audit


def test_it_shrinks_by_itself_and_grows_on_request(tree: Path, file: Path) -> None:
    made(tree, file, "--ignore", "RR102")
    assert run("fix", str(tree), "--write", "--quiet").code == 0
    done = checked(tree, file, "--ignore", "RR102")
    assert (done.code, rules(done)) == (1, ["RR901"])
    assert done.out.startswith(
        f"{file}:7:1: RR901 the baseline knows RR101 (sglang.moe.fused_func, none, flashinfer_mxfp4,"
    )
    assert f"is not found any more: `regreach baseline -o {file}` removes it\n" in done.out
    done = made(tree, file)
    assert (done.code, rules(done)) == (1, ["RR102"])
    assert done.err == f"{file}: 0 findings, 1 removed, 1 new, not added (--add adds it)\n"
    assert entries(file) == []
    assert made(tree, file, "--add").err == f"{file}: 1 finding, 1 added\n"
    assert checked(tree, file).code == 0


def test_what_is_not_applied_is_neither_stale_nor_removed(tree: Path, file: Path) -> None:
    made(tree, file)
    before = file.read_bytes()
    (tree / KERNELS).unlink()  # with all that is registered in it
    for more in (["--ignore", "RR101,RR102"], ["--select", "RR103,RR901"]):
        done = checked(tree, file, *more)
        assert "RR901" not in done.out
        made(tree, file, *more)
        assert file.read_bytes() == before
    assert rules(checked(tree, file, "--select", "RR101,RR901")) == ["RR901"]
    assert rules(checked(tree, file, "--select", "RR101")) == []


def test_each_platform_has_its_own(tmp_path: Path, file: Path) -> None:
    tree = copy_of("bug", tmp_path / "tree")
    made(tree, file)
    # where nothing is found, the entries of another platform are not stale
    assert checked(tree, file, "--platform", "npu") == Done(0, "", "no findings\n")
    assert checked(tree, file, "--platform", "cpu").code == 1
    assert made(tree, file, "--platform", "cpu").err == f"{file}: 2 findings, 2 added\n"
    assert checked(tree, file).code == 0
    assert checked(tree, file, "--platform", "cpu").code == 0
    text = file.read_text(encoding="utf-8")
    assert text.index("cpu = [") < text.index("cuda = [")
    # one is rewritten, the other stays
    (tree / KERNELS).unlink()
    made(tree, file, "--platform", "cpu")
    assert len(entries(file)) == 2
    assert rules(checked(tree, file, "--ignore", "RR103")) == ["RR901", "RR901"]
    assert checked(tree, file, "--platform", "cpu", "--ignore", "RR103").code == 0


def test_two_that_only_lines_tell_apart(tmp_path: Path, file: Path) -> None:
    """Two imports of one module in one function: each has its fingerprint, and its entry."""
    tree = copy_of("unused-import-deletable", tmp_path / "tree")
    runner = tree / RUNNER
    once = runner.read_text(encoding="utf-8")
    twice = once.replace(IMPORT, IMPORT * 2)
    assert twice != once
    only = ("--select", "RR106,RR901")
    made(tree, file, *only)
    runner.write_text(twice, encoding="utf-8")
    done = checked(tree, file, *only)
    assert (done.code, rules(done)) == (1, ["RR106"])
    made(tree, file, *only, "--add")
    assert len(entries(file)) == 2
    assert len({line.partition("fingerprint")[2] for line in entries(file)}) == 2
    assert checked(tree, file, *only).code == 0
    runner.write_text(once, encoding="utf-8")
    assert rules(checked(tree, file, *only)) == ["RR901"]


def test_an_entry_that_is_there_twice_is_stale_once(tree: Path, file: Path) -> None:
    made(tree, file)
    text = file.read_text(encoding="utf-8")
    first = entries(file)[0]
    file.write_text(text.replace(first, f"{first}\n{first}"), encoding="utf-8")
    done = checked(tree, file)
    assert rules(done) == ["RR901"]
    assert done.out.startswith(f"{file}:8:1: ")
    assert made(tree, file).err == f"{file}: 2 findings, 1 removed\n"
    assert file.read_text(encoding="utf-8") == text


def test_a_comment_comes_first_and_makes_an_entry_stale(tree: Path, file: Path) -> None:
    made(tree, file)
    kernels = tree / KERNELS
    text = kernels.read_text(encoding="utf-8")
    line = '@register_fused_func("none", "flashinfer_mxfp4")'
    kernels.write_text(text.replace(line, f"{line}  # regreach: ignore[RR101] why"))
    done = checked(tree, file)
    assert rules(done) == ["RR901"]
    assert done.err == "1 warning; 1 suppressed by comments, 1 in the baseline\n"
    assert made(tree, file).err == f"{file}: 1 finding, 1 removed\n"


def test_fix_leaves_them_alone(tree: Path, file: Path) -> None:
    made(tree, file)
    done = run("fix", str(tree), "--baseline", str(file))
    assert done == Done(0, "", "nothing to mend; 1 in the baseline\n")
    assert run("fix", str(tree), "--baseline", str(file), "--no-suppressions").out.startswith(
        "--- a/"
    )


def test_findings_about_suppressions_are_never_in_it(tree: Path, file: Path) -> None:
    (tree / "sglang/more.py").write_text("x = 1  # regreach: ignore[RR101]\n")
    assert made(tree, file).code == 0
    assert len(entries(file)) == 2
    assert rules(checked(tree, file)) == ["RR902", "RR903"]
    assert made(tree, file) == Done(0, "", f"{file}: 2 findings\n")


def test_where_it_is_written(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tree)
    done = run("baseline")
    assert done.err.splitlines() == [
        "regreach-baseline.toml: 2 findings, 2 added",
        'use it with --baseline regreach-baseline.toml, or with baseline = "regreach-baseline.toml" in'
        " the configuration",
    ]
    assert run("baseline", "--quiet") == Done(0, "", "")
    (tree / "regreach.toml").write_text('baseline = "ci/known.toml"\n')
    fails(run("check"), 2)
    (tree / "ci").mkdir()
    monkeypatch.chdir(tree / "sglang")
    assert run("baseline", "..").err == f"{tree}/ci/known.toml: 2 findings, 2 added\n"
    assert run("check", "..", "--fail-on", "info").code == 0
    assert (
        run("check", "..", "--fail-on", "info", "--baseline", "../regreach-baseline.toml").code == 0
    )
    assert run("check", "..", "--no-config").code == 1
    assert run("fix", "..").err == "nothing to mend; 1 in the baseline\n"
    # what is told of an entry is told from the tree's root
    (tree / KERNELS).unlink()
    lines = [line for line in run("check", "..").out.splitlines() if "RR901" in line]
    assert [line.partition(" ")[0] for line in lines] == [
        "ci/known.toml:7:1:",
        "ci/known.toml:8:1:",
    ]


def test_the_command_that_shrinks_it_names_only_what_is_not_the_default(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tree)
    name = "regreach-baseline.toml"
    assert run("baseline").code == 0
    (tree / KERNELS).unlink()
    assert "any more: `regreach baseline` removes it\n" in run("check", "--baseline", name).out
    assert run("baseline").err.startswith(f"{name}: 0 findings, 2 removed, ")


def test_a_file_that_is_missing_or_broken(tree: Path, file: Path) -> None:
    says = f"{file}: cannot be read: No such file or directory; `regreach baseline` makes one"
    assert fails(checked(tree, file), 2) == says
    file.write_text("format = 1\n[findings.sglang]\ncuda = [{ rule = 'RR101' }]\n")
    says = f"{file}: findings.sglang.cuda[0].fingerprint is missing; it must be a string"
    for done in (checked(tree, file), made(tree, file)):
        assert fails(done, 2) == says
    file.write_text("format = 1\n[findings.sglang]\ncuda = [{}, {}]\n")
    before = file.read_bytes()
    done = made(tree, file)
    assert (done.code, done.out, len(done.err.splitlines())) == (2, "", 2)
    assert file.read_bytes() == before
    assert "cannot be read: Is a directory" in fails(checked(tree, tree), 2)
    assert "cannot be read: Is a directory" in fails(made(tree, tree), 2)


def test_a_file_stays_as_it_was_when_writing_fails(
    tree: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(tree, file, "--ignore", "RR102")
    before = file.read_bytes()

    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", refuse)
    message = fails(made(tree, file, "--add"), 2)
    assert message == f"{file}: cannot be written: No space left on device"
    assert file.read_bytes() == before
    assert sorted(path.name for path in file.parent.iterdir()) == ["known.toml", "tree"]


def test_a_revision_is_read_and_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = copy_of("bug", tmp_path)
    (tree / "regreach.toml").write_text('baseline = "known.toml"\n')
    run("baseline", str(tree))
    make_repository(tree, {})
    git(tree, "rm", "--quiet", "known.toml", "regreach.toml")
    monkeypatch.chdir(tree)
    assert run("check", "--fail-on", "info").code == 1
    assert run("check", "--fail-on", "info", "--rev", "v1").code == 0
    says = "known.toml@v1 is in a revision, which is not written: name a file with --output"
    assert fails(run("baseline", "--rev", "v1"), 2) == says
    assert run("baseline", "--rev", "v1", "--output", "new.toml").code == 0
    assert entries(tree / "new.toml")


def test_third_party_fingerprints_will_do(tmp_path: Path) -> None:
    from regreach.model import Finding, Spot
    from regreach.policy.baseline import Entry
    from regreach.rule import told_apart

    findings = [
        Finding("SH101", "info", Spot("a.py", line), 1, "sold", ("x", "y"), "own")
        for line in (3, 1, 2)
    ]
    apart = told_apart(findings)
    assert [f.spot.line for f in apart] == [1, 2, 3]
    assert apart[0].fingerprint == "own"
    assert len({f.fingerprint for f in apart}) == 3
    assert Entry.of_finding(apart[0]).of == ("x", "y")


def test_the_fixtures_have_findings() -> None:
    """The test of moved lines would pass on trees without any."""
    found = [run("check", str(FIXTURES / case / "tree"), "--quiet").out for case in CASES]
    assert sum(bool(out) for out in found) > 10


def test_entries_of_what_there_is_not_are_stale(tmp_path: Path) -> None:
    """A rule, or a platform, that nobody knows; another pack may be the file of another run."""
    file = tmp_path / "known.toml"
    tree = copy_of("bug", tmp_path / "tree")
    made(tree, file)
    clean = file.read_text()
    entry = "[{ rule = 'RR101', fingerprint = 'x' }]"
    more = clean.replace("cuda = [", "cuda = [\n  { rule = 'RR999', fingerprint = 'y' },")
    file.write_text(f"\ufeff{more}abacus = {entry}\n[findings.other]\nweb = {entry}\n")
    done = run("check", str(tree), "--baseline", str(file))
    assert done.code == 0, done.err
    told = [line for line in done.out.splitlines() if "RR901" in line]
    assert [
        "knows RR101, but the pack 'sglang' has no platform 'abacus': `" in t for t in told
    ] == [
        False,
        True,
    ]
    assert "knows RR999, but there is no rule 'RR999': `regreach baseline -o" in told[0]
    done = run("baseline", str(tree), "--output", str(file))
    assert "2 removed" in done.err
    other = file.read_text()
    assert "RR999" not in other
    assert "abacus" not in other
    assert "[findings.other]" in other


def test_a_report_is_not_written_over_the_baseline(tmp_path: Path) -> None:
    file = tmp_path / "known.toml"
    tree = copy_of("bug", tmp_path / "tree")
    made(tree, file)
    before = file.read_bytes()
    (tmp_path / "link").symlink_to("known.toml")
    for output in (str(file), f"json:{tmp_path / 'link'}"):
        done = run("check", str(tree), "--baseline", str(file), "-o", output)
        assert "is the baseline, and --output would write over it" in fails(done, 2)
    assert file.read_bytes() == before
