"""Where the output goes, and in which form: files, pipes, terminals, encodings."""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import (
    BUG,
    HELP,
    MODULE,
    ROOT,
    Done,
    copy_of,
    everything_is_permitted,
    fails,
    run,
    run_process,
)

ESCAPE = "\x1b["


# -- files ------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_file_holds_what_would_have_been_printed(tmp_path: Path, form: str) -> None:
    file = tmp_path / "report"
    file.write_text("old")
    done = run("audit", BUG, "--format", form, "--output", str(file))
    assert done == Done(1, "", HELP + "1 error, 1 warning\n")
    assert file.read_text(encoding="utf-8") == run("audit", BUG, "--format", form).out
    assert list(tmp_path.iterdir()) == [file]


def test_a_new_file_has_the_usual_permissions(tmp_path: Path) -> None:
    run("check", BUG, "--output", str(tmp_path / "report"))
    (tmp_path / "usual").touch()
    modes = {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    assert len(modes) == 1


def test_a_file_stays_as_it_was_when_there_is_nothing_to_write(tmp_path: Path) -> None:
    file = tmp_path / "report"
    file.write_text("old")
    fails(run("check", str(tmp_path / "nope"), "--output", str(file)), 3)
    assert file.read_text() == "old"


def test_a_file_stays_as_it_was_when_writing_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "report"
    file.write_text("old")

    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", refuse)
    message = fails(run("check", BUG, "--output", str(file)), 2)
    assert message == f"{file}: cannot be written: No space left on device"
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


def test_places_where_nothing_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "loop").symlink_to("loop")
    for name in ("nope/report", "file/report", ".", "loop/report"):
        message = fails(run("check", BUG, "--output", str(tmp_path / name)), 2)
        assert message.startswith(f"{tmp_path / name}: cannot be written: ")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "loop"]


@pytest.mark.skipif(everything_is_permitted(), reason="this user may write everywhere")
def test_a_folder_without_the_permission_to_write(tmp_path: Path) -> None:
    file = tmp_path / "report"
    file.write_text("old")
    tmp_path.chmod(0o500)
    try:
        message = fails(run("check", BUG, "--output", str(file)), 2)
    finally:
        tmp_path.chmod(0o700)
    assert message == f"{file}: cannot be written: Permission denied"
    assert file.read_text() == "old"


def test_a_device_and_a_link_stay_what_they_are(tmp_path: Path) -> None:
    assert run("check", BUG, "--output", os.devnull).code == 1
    assert not Path(os.devnull).is_file()
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "report")
    assert run("check", BUG, "--output", str(link)).code == 1
    assert link.is_symlink()
    assert (tmp_path / "report").read_text(encoding="utf-8") == run("check", BUG).out


def test_quiet_leaves_the_summary_out() -> None:
    done = run("check", BUG, "--quiet")
    assert done.err == ""
    assert done.out == run("check", BUG).out


# -- the same bytes ---------------------------------------------------------------------------


def test_two_runs_print_the_same_bytes() -> None:
    audit = ("audit", str(ROOT / "fixtures/syntax-error/tree"))
    for options, seeds in ((["--format", "json"], "12"), (["--no-cache"], "3")):
        here = run(*audit, *options)
        for seed in seeds:
            env = {"PYTHONHASHSEED": seed}
            assert run_process(*audit, *options, env=env, program=MODULE) == here


# -- colour -----------------------------------------------------------------------------------


def test_a_pipe_gets_no_colour_unless_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    for command in ("check", "audit"):
        plain = run(command, BUG)
        assert ESCAPE not in plain.out + plain.err
        assert run(command, BUG, "--color", "never") == plain
        colored = run(command, BUG, "--color", "always")
        assert ESCAPE in colored.out
        assert ESCAPE in colored.err
        monkeypatch.setenv("NO_COLOR", "1")
        assert run(command, BUG, "--color", "always") == colored  # the nearer word counts
        monkeypatch.delenv("NO_COLOR")


def test_a_file_is_coloured_only_when_that_is_asked_for(tmp_path: Path) -> None:
    file = tmp_path / "report"
    for choice, colored in (("auto", False), ("always", True), ("never", False)):
        run("check", BUG, "--output", str(file), "--color", choice)
        assert (ESCAPE in file.read_text(encoding="utf-8")) is colored


def on_terminal(*arguments: str, width: int, code: int = 1, **env: str) -> str:
    """Run the command with a terminal for its output and errors, and return what that shows."""
    pty = pytest.importorskip("pty", reason="needs pseudo-terminals")
    outer, inner = pty.openpty()
    process = subprocess.Popen(
        [*MODULE, *arguments],
        cwd=ROOT,
        env={**os.environ, "COLUMNS": str(width), "TERM": "xterm", **env},
        stdin=inner,
        stdout=inner,
        stderr=inner,
    )
    os.close(inner)
    shown = b""
    while True:
        try:
            part = os.read(outer, 65536)
        except OSError:  # what Linux says at the end
            break
        if not part:
            break
        shown += part
    os.close(outer)
    assert process.wait() == code
    return shown.decode().replace("\r\n", "\n")


def test_a_terminal_gets_colour(tmp_path: Path) -> None:
    tree = copy_of("bug", tmp_path / "[/x]")  # which would be wrong markup
    shown = on_terminal("audit", str(tree), width=100)
    assert f"\x1b[1m{tree}\x1b[0m" in shown
    assert "\x1b[1;31mRR101\x1b[0m" in shown


def test_a_terminal_without_colours_gets_none() -> None:
    assert ESCAPE not in on_terminal("check", "fixtures/bug/tree", "-q", width=100, TERM="dumb")


def test_the_list_of_rules_fits_a_terminal() -> None:
    shown = on_terminal("rule", width=60, code=0, NO_COLOR="1").splitlines()
    assert max(map(len, shown)) <= 60
    assert " ".join(" ".join(shown).split()) == " ".join(run("rule").out.split())


def test_a_terminal_gets_lines_that_fit() -> None:
    shown = on_terminal("check", "fixtures/bug/tree", width=90, NO_COLOR="1")
    report = shown[shown.index("sglang/srt") : shown.index("1 error, 1 warning")]
    assert "\x1b[1m" not in report
    assert "\x1b[2m" not in report
    lines = report.splitlines()
    assert len(lines) > len(run("check", BUG).out.splitlines())
    assert max(map(len, lines)) <= 90


@pytest.mark.parametrize("width", [40, 60])
@pytest.mark.parametrize(
    "command", [("check",), ("audit",), ("explain", "none,flashinfer_mxfp4")], ids=lambda c: c[0]
)
def test_on_a_narrow_terminal_words_paths_and_keys_stay_whole(
    command: tuple[str, ...], width: int
) -> None:
    code = int(command[0] != "explain")
    shown = on_terminal(*command, "fixtures/bug/tree", width=width, code=code, NO_COLOR="1")
    lines = re.sub(r"\x1b\[[?0-9;]*[A-Za-z]", "", shown).splitlines()
    assert max(map(len, lines)) <= width
    assert all(line == line.rstrip() for line in lines)
    plain = run(*command, BUG).out.replace(BUG, "fixtures/bug/tree")
    assert "flashinfer_cutlass.py:11" in plain
    whole = {word for word in plain.split() if len(word) <= width - 6}
    assert whole <= {word for line in lines for word in line.split()}
    keys = re.findall(r'\("none", "\w+"\)', plain)
    assert keys.count('("none", "flashinfer_mxfp4")') == sum(
        line.count('("none", "flashinfer_mxfp4")') for line in lines
    )
    # what is cut is a word that no line has room for, a path after a slash
    shown_words = "".join("".join(lines).split())
    assert "".join(plain.split()) in shown_words
    assert any(line.endswith("moe_runner/") for line in lines)


def test_a_page_is_not_printed_on_a_terminal(tmp_path: Path) -> None:
    page = ("audit", "fixtures/bug/tree", "--format", "html")
    says = (
        "regreach: error: --format html is for a browser: say -o page.html, or redirect"
        " (see regreach audit --help)\n"
    )
    assert on_terminal(*page, width=80, code=2) == says
    assert on_terminal(*page, "-o", f"json:{tmp_path}/x", width=80, code=2) == says
    shown = on_terminal(*page, "-o", str(tmp_path / "page.html"), width=80)
    assert "<html" not in shown
    assert "<html" in (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<html" in run(*page[:1], BUG, *page[2:]).out  # in a pipe


# -- pipes and encodings ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "both"),
    [(("check", BUG), True), (("audit", BUG), False), (("rule",), False), (("rule", "-h"), True)],
)
def test_a_reader_that_goes_away_is_no_error(arguments: tuple[str, ...], both: bool) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [*MODULE, *arguments],
        stdout=writing,
        stderr=writing if both else subprocess.PIPE,
        check=False,
    )
    os.close(writing)
    assert done.returncode == 141
    assert not done.stderr


def test_a_shell_pipe_to_head() -> None:
    command = f'"{sys.executable}" -m regreach audit "{BUG}" | head -1'
    done = subprocess.run(
        ["sh", "-c", command], capture_output=True, check=False, text=True, cwd=ROOT
    )
    assert done.stdout == f"{BUG}  sglang, 13 modules, platform cuda\n"
    assert "Traceback" not in done.stderr
    assert "Broken pipe" not in done.stderr


def test_an_encoding_that_lacks_a_character_is_no_error() -> None:
    text = run_process("audit", BUG, program=MODULE, encoding="latin-1")
    assert text == run("audit", BUG).replaced("→", r"\u2192").replaced("…", r"\u2026")
    assert r"\u2192" in text.out
    assert run("audit", BUG, "--format", "json").out.isascii()


def test_a_path_that_is_no_text(tmp_path: Path) -> None:
    folder = os.fsdecode(os.fsencode(str(tmp_path)) + b"/\xff")
    try:
        copy_of("bug", Path(folder))
    except OSError:
        pytest.skip("this file system takes only names that are text")
    done = run("audit", folder, "--format", "json")
    assert done.json()["tree"]["source"] == folder
    assert run("audit", folder).code == 1
    assert run("check", folder, "--output", folder + "/report").code == 1
    assert "/?/nope: no such file" in fails(run("check", folder + "/nope"), 3)


# -- streams that are closed, pipes, values that break lines ------------------------------------


def _in_shell(line: str, tmp_path: Path) -> tuple[int, str]:
    """Run a line in which `$R` is the command and `$T` the tree; return its code, and what it printed."""
    env = {**os.environ, "R": " ".join(MODULE), "T": BUG, "REGREACH_CACHE_DIR": str(tmp_path / "c")}
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {line}"],
        capture_output=True,
        check=False,
        env={**env, "COVERAGE_PROCESS_START": ""},
        cwd=ROOT,
        text=True,
    )
    assert "Traceback" not in done.stderr, done.stderr
    assert "internal error" not in done.stderr, done.stderr
    return done.returncode, done.stdout


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("command", ["check $T", "check $T --format json", "audit $T -v"])
def test_a_stream_that_is_closed(tmp_path: Path, closed: str, command: str) -> None:
    for _ in range(2):  # with a cache that this run has made and that one reads
        assert _in_shell(f"$R {command} {closed}", tmp_path)[0] == 1
    assert _in_shell(f"$R {command} 2>&-", tmp_path) == _in_shell(
        f"$R {command} 2>/dev/null", tmp_path
    )


def test_version_without_a_stream(tmp_path: Path) -> None:
    assert _in_shell("$R --version >&-", tmp_path) == (0, "")


@pytest.mark.parametrize(
    "line",
    [
        "$R check $T -o /dev/stdout | cat",
        "$R check $T -o -",
        "$R check $T -o >(cat)",
        "$R check $T -o - | cat",
    ],
)
def test_outputs_that_are_no_files(tmp_path: Path, line: str) -> None:
    printed = _in_shell("$R check $T", tmp_path)
    assert printed[1]
    assert _in_shell(line, tmp_path) == printed


def test_a_document_for_another_process(tmp_path: Path) -> None:
    code, out = _in_shell("$R check $T -o json:>(cat) >/dev/null", tmp_path)
    assert (code, out) == (1, run("check", BUG, "--format", "json").out)


@pytest.mark.parametrize("variable", ["bash_complete", "zsh_complete", "fish_complete"])
def test_completion_of_no_line(variable: str) -> None:
    done = run_process("check", BUG, env={"_REGREACH_COMPLETE": variable}, program=MODULE)
    assert "_REGREACH_COMPLETE is set, but not COMP_WORDS" in fails(done, 2)


@pytest.mark.parametrize("value", ["\\ud800", "two\\nlines", "a\\rb", "with, comma"])
def test_keys_that_are_no_plain_text(tmp_path: Path, value: str) -> None:
    """A lone surrogate cannot be encoded, a line end would break the line that editors read."""
    tree = copy_of("bug", tmp_path / "tree")
    for file in tree.rglob("*.py"):
        file.write_text(file.read_text().replace('"flashinfer_mxfp4"', f'"{value}"'))
    for form in ("text", "json", "sarif", "github", "gitlab", "junit"):
        done = run("check", str(tree), "--format", form)
        assert (done.code, "error: " in done.err) == (1, False), done.err
    head, *rest = [line for line in run("check", str(tree)).out.splitlines() if line[0] != " "]
    assert f'RR101 ("none", "{value}") is registered here' in head
    assert all(line.startswith("sglang/") for line in rest)
    fixed = run("fix", str(tree))
    assert (fixed.code, "+++ b/" in fixed.out) == (0, True), fixed.err
    told = run("explain", f'("none", "{value}")', str(tree))
    assert told.out.startswith(f'("none", "{value}")  sglang.moe.fused_func'), told.err
    drawn = run("graph", f'("none", "{value}")', str(tree), "--format", "dot")
    assert drawn.code == 0, drawn.err


def test_a_step_is_told_once(tmp_path: Path) -> None:
    tree = copy_of("bug", tmp_path / "tree")
    done = run("check", str(tree), "--stats")
    assert done.err.count("s  opening ") == 1
