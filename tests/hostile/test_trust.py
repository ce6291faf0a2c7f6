"""Nothing of the tree is imported, executed or changed, nobody is called: as the interpreter itself tells it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

import pytest
from command_line import SCRIPT, Done, files_of
from hostile_making import LIMIT, MOE, in_its_own_words, tree_with
from tree_making import git, make_repository

WATCHING = Path(__file__).parent / "watching.py"
# What each command may start: a process by the name of its program.
COMMANDS: Mapping[str, tuple[list[str], tuple[str, ...]]] = {
    "check": (["check", "."], ()),
    "check_with_workers": (["check", ".", "--jobs", "2", "--no-cache"], ()),
    "check_without_cache": (["check", ".", "--no-cache", "--jobs", "1"], ()),
    "check_in_sarif": (["check", ".", "--format", "sarif"], ()),
    "audit": (["audit", "."], ()),
    "audit_in_html": (["audit", ".", "--format", "html"], ()),
    "explain": (["explain", "none,flashinfer_mxfp4", "."], ()),
    "fix": (["fix", ".", "--diff"], ()),
    "graph": (["graph", "."], ()),
    "rule": (["rule", "RR101"], ()),
    "config": (["config", "."], ()),
    "baseline": (["baseline", ".", "--output", "known.toml"], ()),
    "check_revision": (["check", ".", "--rev", "HEAD"], ("git",)),
    "check_since": (["check", ".", "--since", "HEAD~1"], ("git",)),
    "bisect": (["bisect", "none,flashinfer_mxfp4", "--good", "v1", "--bad", "HEAD"], ("git",)),
}


@pytest.fixture(scope="module")
def trapped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository of a tree in which every module leaves a trace when it is executed, and 60 more files."""
    folder = tmp_path_factory.mktemp("trust")
    trap = f"\n\nopen({str(folder / 'executed')!r}, 'a').close()\n"
    fixed = {path: text + trap for path, text in files_of("fix-lazy-in-branch").items()}
    extra = {f"{MOE}/more/m{n}.py": f"# register_fused_func\nX = {n}{trap}" for n in range(60)}
    others = {"conftest.py": trap, "setup.py": trap, "sglang/__main__.py": trap}
    tree = make_repository(folder / "tree", {**fixed, **extra, **others})
    for path, text in files_of("bug").items():
        (tree / path).write_text(text + trap)
    git(tree, "commit", "--all", "--quiet", "--message=bug")
    return tree


@pytest.mark.parametrize("name", COMMANDS)
def test_what_a_command_does(tmp_path: Path, trapped: Path, name: str) -> None:
    arguments, programs = COMMANDS[name]
    tree = tmp_path / "tree"
    shutil.copytree(trapped, tree, symlinks=True)
    before = _state(tree)
    cache, report, home = (tmp_path / n for n in ("cache", "report", "home"))
    home.mkdir()
    done = subprocess.run(
        [sys.executable, str(WATCHING), str(report), *arguments],
        cwd=tree,
        # the first to import a part of regreach would write its byte code
        env={
            **os.environ,
            "REGREACH_CACHE_DIR": str(cache),
            "HOME": str(home),
            "PYTHONDONTWRITEBYTECODE": "1",
        },
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )
    in_its_own_words(Done(done.returncode, done.stdout, done.stderr))
    seen: dict[str, list[str]] = defaultdict(list)
    processes = set()
    for line in report.read_text(encoding="utf-8").splitlines():
        process, event, said = json.loads(line)
        processes.add(process)
        seen[event].append(said)
    assert not (trapped.parent / "executed").exists()
    assert len(processes) > 1 or name != "check_with_workers"
    assert seen["import"]
    assert seen["exec"]

    inside = str(tree)
    modules = [word for said in seen["import"] for word in said.split()]
    assert [word for word in modules if word.startswith((inside, "sglang"))] == []
    assert [place for place in seen["exec"] if _is_of(place, tree)] == []
    assert [place for place in seen["compile"] if _is_of(place, tree)] == []
    calling = ("socket.", "os.system", "os.exec", "os.posix_spawn", "ctypes.dlopen", "os.startfile")
    assert [event for event in seen if event.startswith(calling)] == []
    started = {said.split()[0] for said in seen["subprocess.Popen"]}
    assert {Path(program).name for program in started} <= set(programs)

    asked = {str(tree / "known.toml")} if name == "baseline" else set()
    allowed = (str(cache), str(report), os.devnull, *asked, f"{tree}/.known.toml.")
    written = [said.removeprefix("write ") for said in seen["open"] if said.startswith("write ")]
    written = [path for path in written if not path.isdigit() and not path.startswith("/dev/shm/")]
    assert [path for path in written if not path.startswith(allowed)] == []
    changing = ("os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.chmod", "os.link", "shutil.")
    changed = [said for event in seen if event.startswith(changing) for said in seen[event]]
    assert [said for said in changed if not said.startswith(allowed)] == []
    after = _state(tree)
    assert {path for path in after | before if after.get(path) != before.get(path)} == asked
    assert list(home.iterdir()) == []


def _is_of(place: str, tree: Path) -> bool:
    """Whether code is called as a file of the tree; what is parsed only is compiled under no file's name."""
    return place.startswith(str(tree)) or place.endswith(("runner.py", "mxfp4.py", "m1.py"))


def _state(tree: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in tree.rglob("*") if path.is_file()}


def test_what_is_watched_would_be_seen(tmp_path: Path) -> None:
    """``probe`` runs the tree's code in other processes, and says so."""
    tree = tree_with(tmp_path)
    report = tmp_path / "report"
    subprocess.run(
        [sys.executable, str(WATCHING), str(report), "probe", ".", "--jobs", "1"],
        cwd=tree,
        env={**os.environ, "REGREACH_CACHE_DIR": str(tmp_path / "cache")},
        capture_output=True,
        timeout=LIMIT,
        check=False,
    )
    events = [json.loads(line)[1] for line in report.read_text(encoding="utf-8").splitlines()]
    assert "subprocess.Popen" in events


# Names of what regreach and the interpreter import, and of what the interpreter runs by itself.
NAMES = (
    *("click", "rich", "libcst", "networkx", "packaging", "platformdirs", "tomllib", "tomli"),
    *("regreach_rules", "sitecustomize", "usercustomize", "json", "ast", "encodings", "enum"),
    *(
        "multiprocessing",
        "concurrent",
        "sqlite3",
        "subprocess",
        "typing_extensions",
        "numpy",
        "yaml",
    ),
    *(
        "_distutils_hack",
        "attr",
        "markdown_it",
        "pygments",
        "unicodedata",
        "tokenize",
        "dataclasses",
    ),
)


@pytest.fixture
def shadowing(tmp_path: Path) -> Path:
    """A tree with modules and packages of all these names; each leaves a trace when it is imported."""
    trap = f"open({str(tmp_path / 'executed')!r}, 'a').write(__name__)\nraise SystemExit(99)\n"
    files = {f"{name}.py": trap.encode() for name in NAMES}
    files |= {f"{name}/__init__.py": trap.encode() for name in NAMES}
    files |= {
        "evil.pth": f"import os; {trap.splitlines()[0]}\n".encode(),
        ".env": b"PYTHONPATH=.\n",
    }
    files |= {"pyvenv.cfg": b"home = .\n", "python._pth": b".\n", "setup.cfg": b"[tool:pytest]\n"}
    return tree_with(tmp_path, files)


def _entries() -> list[list[str]]:
    return [[sys.executable, "-m", "regreach"], *([[SCRIPT]] if SCRIPT is not None else [])]


@pytest.mark.parametrize("program", _entries(), ids=["module", "script"][: len(_entries())])
@pytest.mark.parametrize(
    "arguments",
    [["check", "--jobs", "2", "--no-cache"], ["fix", "--diff"], ["audit", "--format", "html"]],
    ids=lambda arguments: arguments[0],
)
def test_no_module_of_the_working_folder_is_imported(
    shadowing: Path, program: list[str], arguments: list[str]
) -> None:
    more = {f"{MOE}/more/m{n}.py": f"# register_fused_func\nX = {n}\n" for n in range(60)}
    for path, text in more.items():
        (shadowing / path).parent.mkdir(exist_ok=True)
        (shadowing / path).write_text(text)
    done = subprocess.run(
        [*program, *arguments],
        cwd=shadowing,
        env={**os.environ, "REGREACH_CACHE_DIR": str(shadowing.parent / "cache")},
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )
    trace = shadowing.parent / "executed"
    assert not trace.exists(), trace.read_text()
    assert done.returncode == (arguments[0] != "fix"), done.stderr


@pytest.mark.skipif(SCRIPT is None, reason="the script is not installed beside this Python")
def test_a_folder_called_regreach(shadowing: Path) -> None:
    """The script is not misled by it; ``python -m`` would be, which docs/security.md says."""
    assert SCRIPT is not None
    trap = f"open({str(shadowing.parent / 'executed')!r}, 'a').close()\n"
    for name in ("regreach", "runpy", "importlib"):
        (shadowing / name).mkdir()
        (shadowing / name / "__init__.py").write_text(trap)
        (shadowing / name / "__main__.py").write_text(trap)
    programs = [[SCRIPT]]
    if sys.version_info >= (3, 11):
        programs.append([sys.executable, "-P", "-m", "regreach"])
    for program in programs:
        done = subprocess.run(
            [*program, "check", "--no-cache"],
            cwd=shadowing,
            capture_output=True,
            text=True,
            timeout=LIMIT,
            check=False,
        )
        assert done.returncode == 1, done.stderr
        assert "RR101" in done.stdout
    assert not (shadowing.parent / "executed").exists()
