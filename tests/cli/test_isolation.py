"""The tree that is read is never imported, never executed, and has no say in what regreach imports."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from command_line import BUG, SCRIPT, copy_of, run, run_process
from tree_making import write

# Runs a command and writes down what the interpreter did: imports, code that was executed, sockets,
# processes, files opened for writing.
WATCHING = """
import json, sys

tree, report, *arguments = sys.argv[1:]
seen = {"import": [], "exec": [], "socket": [], "process": [], "write": []}
on = True

def hook(event, args):
    if not on:
        return
    if event == "import":
        seen["import"].append([args[0], str(args[1])])
    elif event == "exec":
        seen["exec"].append(args[0].co_filename)
    elif event.startswith(("socket.", "urllib.", "http.", "ssl.")):
        seen["socket"].append(event)
    elif event in ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork"):
        seen["process"].append(event)
    elif event == "open" and str(args[0]).startswith(tree):
        if isinstance(args[1], str) and not set(args[1]).isdisjoint("wax+"):
            seen["write"].append(str(args[0]))

sys.addaudithook(hook)
from regreach.cli import main

try:
    main(arguments)
finally:
    on = False
    seen["modules"] = {n: getattr(m, "__file__", None) for n, m in sys.modules.items()}
    with open(report, "w") as file:
        json.dump(seen, file)
"""


@pytest.mark.parametrize("command", ["check", "audit", "fix"])
def test_nothing_of_the_tree_is_imported_or_executed(tmp_path: Path, command: str) -> None:
    tree = copy_of("bug", tmp_path / "tree")
    trap = tmp_path / "executed"
    for path in tree.rglob("*.py"):
        with path.open("a", encoding="utf-8") as file:
            file.write(f"\n\nopen({str(trap)!r}, 'a').close()\n")
    report = tmp_path / "report.json"
    watching = tmp_path / "watching.py"
    watching.write_text(WATCHING, encoding="utf-8")
    done = run_process(
        *(str(tree), str(report), command, str(tree), "--jobs", "1"),
        cwd=tree,
        program=[sys.executable, str(watching)],
    )
    assert done.code == (command != "fix"), done.err
    assert "RR101" in done.out + done.err
    assert not trap.exists()
    seen = json.loads(report.read_text(encoding="utf-8"))
    assert seen["import"]
    assert seen["exec"]
    assert [name for name, _ in seen["import"] if name.split(".")[0] == "sglang"] == []
    assert [path for path in seen["modules"].values() if (path or "").startswith(str(tree))] == []
    assert [path for path in seen["exec"] if path.startswith(str(tree))] == []
    assert [path for path in seen["exec"] if path.endswith(("runner.py", "mxfp4.py"))] == []
    assert (seen["socket"], seen["process"], seen["write"]) == ([], [], [])
    assert list(tree.rglob("__pycache__")) == []


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A tree with folders that are called like what regreach imports, and with rules of its own."""
    trap = f"open({str(tmp_path / 'executed')!r}, 'a').close()\nraise SystemExit(99)\n"
    names = ("click", "libcst", "networkx", "packaging", "platformdirs", "rich", "regreach_rules")
    tree = copy_of("bug", tmp_path / "tree")
    return write(
        tree,
        {
            **{f"{name}/__init__.py": trap for name in names},
            "json.py": trap,
            "hostile_rules.py": trap,
            "hostile-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: hostile\nVersion: 1.0\n",
            "hostile-1.0.dist-info/entry_points.txt": "[regreach.rules]\nhostile = hostile_rules\n",
        },
    )


def test_the_module_does_not_import_from_the_current_folder(hostile: Path) -> None:
    done = run_process("check", ".", cwd=hostile)
    assert done == run("check", BUG)
    assert not (hostile.parent / "executed").exists()


@pytest.mark.skipif(SCRIPT is None, reason="the script is not installed beside this Python")
def test_the_script_does_not_import_from_the_current_folder(hostile: Path) -> None:
    assert SCRIPT is not None
    done = run_process("check", cwd=hostile, program=[SCRIPT])
    assert done == run("check", BUG)
    assert not (hostile.parent / "executed").exists()
