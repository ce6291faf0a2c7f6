"""What users of other tools expect: versions, completion, --verbose, --stats, a quick start."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
import regreach
from command_line import BUG, HELP, MODULE, fails, run, run_process
from regreach.cli import cli
from regreach_rules import PACKS
from shop_example import PACK
from test_third_party_rules import installed

CODES = [
    "RR101",
    "RR102",
    "RR103",
    "RR104",
    "RR105",
    "RR106",
    "RR107",
    "RR108",
    "RR109",
    "RR110",
    "RR111",
    "RR112",
    "RR901",
    "RR902",
    "RR903",
]


def test_the_version_names_what_decides() -> None:
    done = run("--version")
    assert (done.code, done.err) == (0, "")
    first, python, libraries, rules, packs, origin = done.out.splitlines()
    assert first == f"regreach, version {regreach.__version__}"
    assert f" {sys.version.split()[0]}, " in python
    for name in ("libcst", "networkx", "click", "rich"):
        assert f"{name} {version(name)}" in libraries
    assert rules == f"rules: {', '.join(CODES)}"
    assert packs == f"packs: {', '.join(PACKS)}"
    assert origin.startswith("from: regreach ")


def test_the_version_is_told_when_rules_are_broken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed(tmp_path, {"broken_rules.py": "1 / 0"}, "shop = broken_rules", "broken")
    monkeypatch.syspath_prepend(tmp_path)
    done = run("--version")
    assert done.code == 0
    assert done.out.splitlines()[-1].endswith(
        "cannot be loaded: ZeroDivisionError: division by zero"
    )


@pytest.mark.parametrize(
    "arguments", ["--version", "--help", "rule RR101", "check --help", "completion bash"]
)
def test_what_analyses_nothing_imports_nothing_heavy(arguments: str) -> None:
    script = (
        "import sys; from regreach.cli import main\n"
        f"try: main({arguments.split()!r})\n"
        "except SystemExit: print(*{'libcst', 'networkx', 'rich'} & sys.modules.keys(), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, check=True, text=True
    )
    assert done.stderr == "\n"
    assert done.stdout


def completed(*words: str) -> list[str]:
    """What the script of bash is given for a command line whose last word is begun."""
    env = {
        "_REGREACH_COMPLETE": "bash_complete",
        "COMP_WORDS": " ".join(("regreach", *words)),
        "COMP_CWORD": str(len(words)),
    }
    done = run_process(env=env, program=MODULE)
    assert (done.code, done.err) == (0, "")
    return [line.partition(",")[2] for line in done.out.splitlines() if line]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["ch"], ["check"]),
        (["rule", "rr9"], ["RR901", "RR902", "RR903"]),
        (["rule", "RR10"], [code for code in CODES if code.startswith("RR10")]),
        (["check", "--select", "rr1"], [code for code in CODES if code < "RR9"]),
        (["check", "--select", "RR101,RR9"], ["RR101,RR901", "RR101,RR902", "RR101,RR903"]),
        (
            ["audit", "--ignore", "RR101,rr10"],
            [f"RR101,{code}" for code in CODES[1:] if code.startswith("RR10")],
        ),
        (["check", "--ignore", "X"], []),
        (["check", "--fail-on", "w"], ["warning"]),
        (["completion", "f"], ["fish"]),
        (["check", "--pack", "sglang", "--platform", ""], ["cuda", "hip", "npu", "cpu", "xpu"]),
        # no pack fits the working folder
        (["check", "--platform", ""], ["cuda", "hip", "npu", "cpu", "xpu", "rocm", "tpu"]),
        (["explain", "none,triton", "--platform", "c"], ["cuda", "cpu"]),
        (["check", "--pack", "nope", "--platform", ""], []),
        (["audit", "--pack", "sg"], ["sglang", "sg"]),  # the latter: files that begin so
    ],
)
def test_what_is_completed(words: list[str], expected: list[str]) -> None:
    assert completed(*words) == expected


def test_the_platforms_are_those_of_the_pack_that_is_named(tmp_path: Path) -> None:
    file = tmp_path / "shop.toml"
    file.write_text(PACK, encoding="utf-8")
    assert completed("check", "--pack", str(file), "--platform", "") == ["till", "web"]


def test_no_command_is_cut_in_the_list_of_all() -> None:
    """At 80 columns, where click would end what does not fit with dots."""
    env = {"COLUMNS": "80"}
    listed = run_process("--help", env=env, program=MODULE).out.partition("Commands:\n")[2]
    assert len(listed.splitlines()) == len(cli.commands)
    assert "..." not in listed
    assert all(line.endswith(".") for line in listed.splitlines())


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_scripts(shell: str) -> None:
    done = run("completion", shell)
    assert (done.code, done.err) == (0, "")
    assert "_REGREACH_COMPLETE" in done.out
    interpreter = shutil.which(shell)
    if interpreter is not None:
        subprocess.run([interpreter, "-n"], input=done.out, check=True, text=True)
    assert "'tcsh' is not one of" in fails(run("completion", "tcsh"), 2)


def test_verbose_says_what_is_done_and_by_what(tmp_path: Path) -> None:
    config = tmp_path / "regreach.toml"
    config.write_text("platform = 'cpu'\n")
    done = run("check", BUG, "--verbose", "--no-cache", "--config", str(config))
    assert done.out == run("check", BUG, "--platform", "cpu").out
    assert done.err.splitlines() == [
        f"configuration: {config}",
        f"opening {BUG}",
        "analysing 13 modules",
        "looking for imports that a fixer would delete",
        "looking at simple registries",
        "applying the rules",
        "analysing 13 modules, in full",
        "looking for imports that a fixer would delete, in full",
        "looking at simple registries, in full",
        "applying the rules, in full",
        HELP.strip(),
        "1 error, 1 warning",
    ]
    says = "--quiet and --verbose exclude each other (see regreach check --help)"
    assert fails(run("check", BUG, "-q", "-v"), 2) == says


def test_stats_count_files_and_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REGREACH_CACHE_DIR", str(tmp_path))
    plain = run("check", BUG)

    def stats(*options: str) -> tuple[list[str], list[int]]:
        done = run("check", BUG, "--stats", *options)
        assert (done.code, done.out) == (plain.code, plain.out)
        _, summary, *lines = done.err.splitlines()
        assert summary == "1 error, 1 warning"
        steps = [re.fullmatch(r" *(\d+\.\d\d) s  (.+)", line) for line in lines[:-1]]
        found = [step for step in steps if step is not None]
        assert len(found) == len(lines) - 1
        times = [float(step[1]) for step in found]
        assert sum(times[:-1]) == pytest.approx(times[-1], abs=0.05)
        return [step[2] for step in found], [int(n) for n in re.findall(r"\d+", lines[-1])]

    names, (modules, parsed, others, kept) = stats("--no-cache")
    assert names == [
        "loading rules and packs",
        f"opening {BUG}",
        "analysing 13 modules",
        "looking for imports that a fixer would delete",
        "looking at simple registries",
        "applying the rules",
        "analysing 13 modules, in full",
        "looking for imports that a fixer would delete, in full",
        "looking at simple registries, in full",
        "applying the rules, in full",
        "in all",
    ]
    assert (modules, others, kept) == (13, 0, 0)
    assert 0 < parsed <= modules
    shutil.rmtree(
        tmp_path / "results"
    )  # what was found; the first run has kept what is in files, too
    assert stats()[1] == [13, 0, 0, parsed]
    done = run("check", BUG, "--stats")
    assert done.err.splitlines()[-1] == "remembered: no file has changed that a verdict depends on"


@pytest.mark.parametrize("command", ["audit", "fix", "baseline"])
def test_the_other_commands_have_them_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.chdir(tmp_path)
    plain, told = run(command, BUG), run(command, BUG, "--stats", "--verbose")
    assert (told.code, told.out) == (plain.code, plain.out)
    assert "configuration: none" in told.err
    assert " s  in all" in told.err
    assert os.listdir() == (["regreach-baseline.toml"] if command == "baseline" else [])  # noqa: PTH208
