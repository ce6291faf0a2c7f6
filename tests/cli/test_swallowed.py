"""RR109 through the command: whose failure is swallowed, who is told, and what is lost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from command_line import copy_of, run

HOME = "sglang/srt/layers/moe/moe_runner/"
RUNNER, KERNELS = f"{HOME}runner.py", f"{HOME}flashinfer_cutlass.py"
PLUGINS = "sglang/srt/plugins/__init__.py"


def found(tree: Path, *options: str) -> list[Any]:
    document: Any = run("check", str(tree), "--format", "json", *options).json()
    return [f for f in document["findings"] if f["rule"] == "RR109"]


def changed(tree: Path, old: str, new: str, path: str = RUNNER) -> None:
    text = (tree / path).read_text()
    assert text.count(old) == 1, old
    (tree / path).write_text(text.replace(old, new))


def lines(finding: Any, role: str) -> list[str]:
    return [f"{r['path']}:{r['line']}" for r in finding["related"] if r["role"] == role]


def handler_of(tree: Path) -> str:
    (line,) = (text for text in (tree / RUNNER).read_text().splitlines() if "except" in text)
    (body,) = (
        after
        for text, after in zip(
            *[(tree / RUNNER).read_text().splitlines()[n:] for n in (0, 1)], strict=False
        )
        if text == line
    )
    return f"{line}\n{body}\n"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return copy_of("optional-dependency", tmp_path)


@pytest.mark.parametrize("options", [(), ("--absent", "flashinfer_missing_xyz")])
def test_what_is_lost_and_what_it_hangs_on(tree: Path, options: tuple[str, ...]) -> None:
    with (tree / KERNELS).open("a") as file:
        file.write('\n\nregister_fused_func("deepep", "auto")(print)\n')
    (finding,) = found(tree, *options)
    assert finding["severity"] == "warning"
    assert lines(finding, "hangs on") == [f"{KERNELS}:3"]
    assert sorted(lines(finding, "lost")) == [f"{KERNELS}:12", f"{KERNELS}:7"]
    assert lines(finding, "swallowed by") == [f"{RUNNER}:19"]


@pytest.mark.parametrize(
    ("handler", "severity"),
    [
        ("except Exception:\n                pass\n", "warning"),
        ("except:\n                pass\n", "warning"),
        ("except (OSError, ImportError):\n                pass\n", "warning"),
        ("except ImportError as e:\n                print(e)\n", "info"),
        ("except ImportError as e:\n                logger.warning('no %s', e)\n", "info"),
        ("except ImportError:\n                raise RuntimeError('install it')\n", None),
        ("except OSError:\n                pass\n", None),
    ],
)
def test_handlers(tree: Path, handler: str, severity: str | None) -> None:
    changed(tree, handler_of(tree).strip() + "\n", handler)
    if "logger" in handler:
        text = (tree / RUNNER).read_text()
        head = "import logging\n\nlogger = logging.getLogger(__name__)\n"
        (tree / RUNNER).write_text(head + text)
    assert [f["severity"] for f in found(tree)] == ([severity] if severity else [])


def test_a_package_that_is_there(tree: Path) -> None:
    text = (tree / RUNNER).read_text()
    (tree / RUNNER).write_text(f"import flashinfer_missing_xyz\n{text}")
    assert found(tree) == []


def test_a_module_between(tree: Path) -> None:
    """The import in the ``try`` is of a module that imports the registering one."""
    changed(tree, "moe_runner.flashinfer_cutlass", "moe_runner.all_kernels")
    (tree / HOME / "all_kernels.py").write_text(
        "from sglang.srt.layers.moe.moe_runner import flashinfer_cutlass  # noqa: F401\n"
    )
    for options in ((), ("--absent", "flashinfer_missing_xyz")):
        assert [lines(f, "hangs on") for f in found(tree, *options)] == [[f"{KERNELS}:3"]]


@pytest.mark.parametrize(
    ("old", "new", "silent"),
    [
        ("            continue\n", "            pass\n", True),
        ("except Exception:\n", "except (ImportError, OSError):\n", True),
        ("            continue\n", "            print(name)\n", False),
        ("            continue\n", "            raise\n", False),
        ("except Exception:\n", "except KeyError:\n", False),
        ('import_all("sglang.srt.plugins.first")', 'import_all("elsewhere")', False),
        ("found[name] = importlib.import_module(name)", "found[name] = name", False),
    ],
)
def test_loops(tmp_path: Path, old: str, new: str, silent: bool) -> None:
    tree = copy_of("silent-discovery", tmp_path)
    changed(tree, old, new, PLUGINS)
    assert [f["line"] for f in found(tree)] == [13] * silent


def test_audit_lists_the_loops(tmp_path: Path) -> None:
    tree = copy_of("silent-discovery", tmp_path)
    listed = [
        line.strip() for line in run("audit", str(tree)).out.splitlines() if "modules of" in line
    ]
    assert listed[-2:] == [
        f"{PLUGINS}:13  the 1 modules of sglang.srt.plugins.first, in silence",
        f"{PLUGINS}:23  the 1 modules of sglang.srt.plugins.second, logged",
    ]
    document: Any = run("audit", str(tree), "--format", "json").json()
    assert [(s["line"], s["told"], s["package"], s["modules"]) for s in document["swallowed"]] == [
        (13, False, "sglang.srt.plugins.first", ["sglang.srt.plugins.first.one"]),
        (23, True, "sglang.srt.plugins.second", ["sglang.srt.plugins.second.one"]),
    ]
