"""``regreach fix``: real trees through the command; what it writes is executed by CPython."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from command_line import (
    CASES,
    FIXTURES,
    Done,
    copy_of,
    everything_is_permitted,
    fails,
    files_of,
    run,
    with_cache,
)
from regreach.errors import TargetError
from regreach.fixes import Edit, edited_copy, mend, write_edits
from regreach.plugins import load_plugins
from regreach.request import Request
from regreach.tree import open_tree
from tree_making import git, make_tar, make_zip, write

RUNNER = "sglang/srt/layers/moe/moe_runner/runner.py"
KERNELS = "sglang/srt/layers/moe/moe_runner/flashinfer_cutlass.py"
KEY = ("none", "flashinfer_mxfp4")
ALL = ("--select", "RR101,RR102,RR110")

# The consumer's module is imported first: nobody else has helped.
CONSTRUCT = """
import sys
sys.path.insert(0, sys.argv[1])
import sglang.srt.layers.moe.moe_runner.runner as runner
from sglang.srt.layers.moe import utils
from sglang.srt.layers.moe.moe_runner.base import MoeRunnerConfig
utils.MOE_A2A_BACKEND = utils.MoeA2ABackend(sys.argv[2])
made = runner.MoeRunner(utils.MoeRunnerBackend(sys.argv[3]), MoeRunnerConfig())
assert made.fused_func is not None
print(*sorted(m for m in sys.modules if m.startswith("sglang.")))
"""


def platform_of(case: str) -> str:
    text = (FIXTURES / case / "expect.toml").read_text(encoding="utf-8")
    (platform,) = re.findall(r'(?m)^platform = "(\w+)"', text)
    return str(platform)


def constructed(tree: Path, key: tuple[str, ...]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-I", "-B", "-c", CONSTRUCT, str(tree), *key],
        capture_output=True,
        check=False,
        encoding="utf-8",
    )


def patch_of(*arguments: str | Path, cwd: Path) -> bytes:
    """Return the bytes that the command prints, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "regreach", "fix", *map(str, arguments)],
        cwd=cwd,
        env={**os.environ, **with_cache({})},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def findings_of(tree: Path, platform: str) -> list[tuple[str, tuple[str, ...]]]:
    document: Any = run("check", str(tree), "--platform", platform, "--format", "json").json()
    return [(f["rule"], tuple(f["key"] or ())) for f in document["findings"]]


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    found = {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}
    return {path: data for path, data in found.items() if not path.startswith(".git/")}


def changed(tree: Path, *replacements: tuple[str, str], path: str = RUNNER) -> Path:
    """Change the text of a file, the runner's mostly, and return the tree."""
    file = tree / path
    text = file.read_text(encoding="utf-8")
    for old, new in replacements:
        assert text.count(old) == 1, (old, text.count(old))
        text = text.replace(old, new)
    file.write_text(text, encoding="utf-8", newline="")
    return tree


# -- what is mended, and what is not ----------------------------------------------------------

MENDABLE = {"RR101", "RR102", "RR110"}
NOT_MENDED = {"import-cycle", "import-would-die-of-cycle"}
BROKEN = [
    case
    for case in CASES
    if any(f'rule = "{rule}"' in (FIXTURES / case / "expect.toml").read_text() for rule in MENDABLE)
]


@pytest.mark.parametrize("case", BROKEN)
def test_each_fixture_is_mended_and_works_and_stays_so(tmp_path: Path, case: str) -> None:
    tree, platform = copy_of(case, tmp_path), platform_of(case)
    before, found = contents(tree), findings_of(tree, platform)
    done = run("fix", str(tree), "--write", *ALL, "--platform", platform)
    after = contents(tree)
    if case in NOT_MENDED:
        assert (done.code, after) == (1, before)
        return
    assert done.code == 0, done
    assert list(after) == list(before)
    left = findings_of(tree, platform)
    assert left == [each for each in found if each[0] not in MENDABLE]
    for rule, key in found:
        if rule in MENDABLE:
            executed = constructed(tree, key)
            assert executed.returncode == 0, executed.stderr
    # a second time there is nothing to do
    again = run("fix", str(tree), "--write", *ALL, "--platform", platform)
    assert again == Done(0, "", again.err)
    assert again.err.splitlines()[-1] == "nothing to mend"
    assert contents(tree) == after


@pytest.mark.parametrize("case", sorted(set(CASES) - set(BROKEN)))
def test_there_is_nothing_to_mend_in_the_others(case: str) -> None:
    done = run("fix", str(FIXTURES / case / "tree"), *ALL, "--platform", platform_of(case))
    assert (done.code, done.out) == (0, "")
    assert done.err.splitlines()[-1] == "nothing to mend"


DIFF = """\
--- a/sglang/srt/layers/moe/moe_runner/runner.py
+++ b/sglang/srt/layers/moe/moe_runner/runner.py
@@ -16,6 +16,12 @@
         elif runner_backend.is_flashinfer_cutlass():
             self.runner_core = None
         elif runner_backend.is_flashinfer_mxfp4():
+            # Registers ("none", "flashinfer_mxfp4") before the look-up; at the top of
+            # the module it would close an import cycle.
+            from sglang.srt.layers.moe.moe_runner import (  # noqa: F401
+                flashinfer_cutlass,
+            )
+
             self.runner_core = None
         else:
             raise NotImplementedError(f"no branch for {runner_backend}")
"""
STORY = """\
sglang/srt/layers/moe/moe_runner/runner.py:21: mended RR101 ("none", "flashinfer_mxfp4")
    add           from sglang.srt.layers.moe.moe_runner import flashinfer_cutlass  # noqa: F401
    where         below  elif runner_backend.is_flashinfer_mxfp4():
    why there     at the top of the module it closes an import cycle: runner → moe_runner/__init__.py:2\
 → runner; a risk only: with either end imported first it works today
"""


def test_the_whole_output(tmp_path: Path) -> None:
    tree = copy_of("bug", tmp_path)
    files = contents(tree)
    unasked = "1 mended; nothing was written (--write changes the files)\n"
    assert run("fix", str(tree)) == Done(0, DIFF, STORY + unasked)
    assert run("fix", str(tree), "--diff") == Done(0, DIFF, STORY + "1 mended by the patch\n")
    assert run("fix", str(tree), "--diff", "-q") == Done(0, DIFF, "")
    left = run("fix", str(FIXTURES / "import-cycle" / "tree"), "--diff", "-q")
    assert (left.code, left.out, left.err.count("not mended")) == (1, "", 1)
    assert contents(tree) == files
    assert run("fix", str(tree), "--write") == Done(0, STORY, f"1 mended; written: {RUNNER}\n")


@pytest.mark.parametrize(
    "case", ["bug", "helper-in-init-path", "import-after-lookup", "no-cycle-at-top"]
)
def test_a_file_that_is_formatted_stays_so(tmp_path: Path, case: str) -> None:
    tree = copy_of(case, tmp_path)
    command = [sys.executable, "-m", "ruff", "format", "--isolated", "--check", "--line-length=100"]
    for _ in range(2):
        subprocess.run([*command, str(tree / RUNNER)], check=True, capture_output=True)
        assert run("fix", str(tree), "--write").code == 0


def test_what_only_callers_load_is_mended_on_request(tmp_path: Path) -> None:
    tree = copy_of("caller-only", tmp_path)
    more = "1 finding of RR102 only if selected (--select RR102)"
    assert run("fix", str(tree)).err == f"nothing to mend; {more}\n"
    done = run("fix", str(tree), "--select", "RR102")
    assert done.code == 0
    assert 'mended RR102 ("none", "flashinfer_mxfp4")' in done.err
    assert "+            from sglang.srt.layers.moe.moe_runner import" in done.out


def test_one_import_for_all_keys_of_a_branch(tmp_path: Path) -> None:
    tree = copy_of("stacked-decorators-and-call-form", tmp_path)
    done = run("fix", str(tree), "--select", "RR102")
    assert done.code == 0
    assert done.out.count("+            from sglang") == 3
    assert 'Registers ("none", "flashinfer_mxfp4"), ("deepep", "flashinfer_mxfp4")' in done.out
    assert 'mended RR102 ("none", "flashinfer_mxfp4"), ("deepep", "flashinfer_mxfp4")' in done.err
    assert done.err.startswith("5 mended", done.err.rindex("\n", 0, -1) + 1)


@pytest.mark.parametrize("case", sorted(NOT_MENDED))
def test_an_import_that_would_die_of_a_cycle_is_not_offered(tmp_path: Path, case: str) -> None:
    """The other place that is named does work."""
    tree = copy_of(case, tmp_path)
    done = run("fix", str(tree))
    assert (done.code, done.out) == (1, "")
    folder = "sglang/srt/layers/moe/moe_runner"
    dotted = folder.replace("/", ".")
    assert done.err == (
        f"{KERNELS}:9: not mended {'RR110' if case == 'import-cycle' else 'RR101'}"
        ' ("none", "flashinfer_mxfp4")\n'
        "    why           an import in the branch would die of an import cycle:"
        f" {folder}/flashinfer_quant.py:3 asks for BLOCK, which {dotted}.flashinfer_cutlass"
        f" has not bound yet, being at {KERNELS}:3 then;"
        f" to import {dotted}.flashinfer_quant there instead works, which imports the module\n"
        "1 not mended; nothing was written (--write changes the files)\n"
    )
    assert constructed(tree, KEY).returncode == 1
    branch = "        elif runner_backend.is_flashinfer_mxfp4():\n"
    changed(tree, (branch, f"{branch}            import {dotted}.flashinfer_quant\n"))
    assert constructed(tree, KEY).returncode == 0
    assert findings_of(tree, "cuda") == []


# -- where the import goes --------------------------------------------------------------------

BRANCH = "        elif runner_backend.is_flashinfer_mxfp4():\n            self.runner_core = None\n"
BEFORE_LOOKUP = """\
+        # Registers ("none", "flashinfer_mxfp4") before the look-up; at the top of the
+        # module it would close an import cycle.
+        from sglang.srt.layers.moe.moe_runner import flashinfer_cutlass  # noqa: F401
+
         self.fused_func = FusedOpPool"""
CHAIN = """\
        if runner_backend.is_triton():
            self.runner_core = TritonRunnerCore(config)
        elif runner_backend.is_flashinfer_mxfp4():
            self.runner_core = None
        else:
            raise NotImplementedError(f"no branch for {runner_backend}")
"""
MATCH = """\
        match runner_backend.value:
            case "triton":
                self.runner_core = TritonRunnerCore(config)
            case "flashinfer_mxfp4":
                self.runner_core = None
            case _:
                raise NotImplementedError(f"no branch for {runner_backend}")
"""
ELSE = """\
        if runner_backend.is_auto():
            raise NotImplementedError(f"no branch for {runner_backend}")
        if runner_backend.is_triton():
            self.runner_core = TritonRunnerCore(config)
        else:  # only fused
            # and nothing else
            self.runner_core = None
"""
NONE = """\
        self.runner_core = {"triton": TritonRunnerCore(config)}.get(runner_backend.value)
"""
UNRELATED = f"""\
        if config is not None:
            self.size = 8
{CHAIN}"""
USED = f"""\
        flashinfer_cutlass = self.config
{CHAIN}        self.kept = flashinfer_cutlass
"""


@pytest.mark.parametrize(
    ("text", "below"),
    [
        (MATCH, '             case "flashinfer_mxfp4":\n+                #'),
        (ELSE, "         else:  # only fused\n+            # Registers"),
        (UNRELATED, "         elif runner_backend.is_flashinfer_mxfp4():\n+            #"),
        (USED, "+                flashinfer_cutlass as _flashinfer_cutlass,\n"),
        (NONE, BEFORE_LOOKUP),
    ],
    ids=["match", "else", "after an unrelated branch", "a name in use", "no branch"],
)
def test_each_kind_of_branch(tmp_path: Path, text: str, below: str) -> None:
    tree = changed(copy_of("partial", tmp_path), (CHAIN, text))
    done = run("fix", str(tree))
    assert done.code == 0, done
    assert below in done.out
    assert run("fix", str(tree), "--write", "--quiet").code == 0
    executed = constructed(tree, KEY)
    assert executed.returncode == 0, executed.stderr


def test_the_top_where_it_closes_no_cycle(tmp_path: Path) -> None:
    done = run("fix", str(copy_of("no-cycle-at-top", tmp_path)))
    assert done.code == 0
    assert done.out.splitlines()[2:] == [
        "@@ -3,6 +3,9 @@",
        " from sglang.srt.layers.moe.moe_runner.base import FusedOpPool, PermuteMethodPool",
        " from sglang.srt.layers.moe.moe_runner.triton import TritonRunnerCore",
        " from sglang.srt.layers.moe.utils import get_moe_a2a_backend",
        "+",
        '+# Registers ("none", "flashinfer_mxfp4") before the look-up.',
        "+from sglang.srt.layers.moe.moe_runner import flashinfer_cutlass  # noqa: F401",
        " ",
        " ",
        " class MoeRunner:",
    ]
    assert "where         at the top of the module" in done.err
    assert "it closes no import cycle, and imports no further package" in done.err


def test_not_the_top_where_that_costs_a_package(tmp_path: Path) -> None:
    tree = copy_of("no-cycle-at-top", tmp_path)
    doc = '"""FlashInfer CUTLASS: the only module that registers flashinfer_mxfp4."""\n'
    changed(tree, (doc, f"{doc}import flashinfer.fused\nimport numpy\nimport json\n"), path=KERNELS)
    done = run("fix", str(tree))
    assert done.code == 0
    words = " ".join(done.out.replace("+", "").replace("#", "").split())
    assert "at the top of the module it would import flashinfer, numpy for all." in words
    assert "+            from sglang.srt.layers.moe.moe_runner import" in done.out
    # who imports the packages anyway has no further cost
    first = "\nfrom sglang.srt.layers.moe.moe_runner.base"
    changed(tree, (first, f"\nimport flashinfer, numpy{first}"))
    top = "\n+from sglang.srt.layers.moe.moe_runner import flashinfer_cutlass"
    assert top in run("fix", str(tree)).out


def test_not_the_top_where_another_first_import_would_die(tmp_path: Path) -> None:
    """The import that closes the cycle is made by a call, and works unless one module is the first."""
    tree = copy_of("no-cycle-at-top", tmp_path)
    quant = "sglang/srt/layers/quantization/modelopt_quant.py"
    dotted = quant.removesuffix(".py").replace("/", ".")
    method = "import MoeRunner\nfrom sglang.srt.layers.moe.utils import get_moe_runner_backend\n"
    changed(
        tree,
        ("from sglang.srt.layers.moe.moe_runner.runner " + method,
         "import sglang.srt.layers.moe.moe_runner.runner as runner\n" + method.partition("\n")[2]),
        ("MoeRunner(", "runner.MoeRunner("),
        ("\n\nclass ", "\n\nBLOCK = 32\n\n\nclass "),
        path=quant,
    )  # fmt: skip
    call = f"\n\ndef block():\n    from {dotted} import BLOCK\n\n    return BLOCK\n\n\nSIZE = block()\n"
    with (tree / KERNELS).open("a", encoding="utf-8") as file:
        file.write(call)
    done = run("fix", str(tree))
    assert done.code == 0, done
    words = " ".join(done.out.replace("+", "").replace("#", "").split())
    assert "look-up; at the top of the module it would break another import." in words
    assert "why there     at the top of the module it would break another import" in done.err
    assert run("fix", str(tree), "--write").code == 0
    assert constructed(tree, KEY).returncode == 0
    top = "from sglang.srt.layers.moe.utils import get_moe_a2a_backend\n"
    changed(tree, (top, f"{top}from sglang.srt.layers.moe.moe_runner import flashinfer_cutlass\n"))
    program = f"import sys; sys.path.insert(0, {str(tree)!r}); import {dotted}"
    dies = subprocess.run([sys.executable, "-B", "-c", program], capture_output=True, check=False)
    assert b"cannot import name 'BLOCK' from partially initialized module" in dies.stderr


def test_what_depends_on_a_condition_is_not_mended(tmp_path: Path) -> None:
    tree = copy_of("partial", tmp_path)
    changed(
        tree,
        ("\n\n@register", "\nimport os\n\nif os.getpid() % 2:\n\n    @register"),
        ("\ndef fused", "\n    def fused"),
        ("\n    return dis", "\n        return dis"),
        path=KERNELS,
    )
    before = contents(tree)
    done = run("fix", str(tree), "--write")
    assert done == Done(
        1,
        f'{KERNELS}:9: not mended RR101 ("none", "flashinfer_mxfp4")\n'
        "    why           with the import it still depends on a condition:"
        f" {KERNELS}:7  if os.getpid() % 2:\n",
        "1 not mended; nothing was written\n",
    )
    assert contents(tree) == before


# -- patches ----------------------------------------------------------------------------------


def latin_1(text: str) -> bytes:
    return f"# -*- coding: latin-1 -*-\n# größer\n{text}".encode("latin-1")


SHAPES: Mapping[str, Callable[[str], bytes]] = {
    "plain": str.encode,
    "crlf": lambda text: text.replace("\n", "\r\n").encode(),
    "mixed": lambda text: text.replace("\n", "\r\n", text.count("\n") // 2).encode(),
    "no final newline": lambda text: text[: text.index("\n\n    def run")].encode(),
    "latin-1": latin_1,
    "mark": lambda text: text.encode("utf-8-sig"),
    "tabs and form feeds": lambda text: (
        text.replace("    ", "\t").replace("\n\n\n", "\n\f\n\n").encode()
    ),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("folder", "target"), [("", "."), ("python", "."), ("python", "python")])
def test_git_takes_the_patch(tmp_path: Path, shape: str, folder: str, target: str) -> None:
    repository = tmp_path / "a repository"
    tree = copy_of("partial", repository / folder)
    file = tree / RUNNER
    file.write_bytes(SHAPES[shape](file.read_text(encoding="utf-8")))
    git(repository, "init", "--quiet")
    git(repository, "add", "--all")
    patch = patch_of(target, "--diff", cwd=repository)
    assert patch == patch_of(target, cwd=repository)
    before = contents(repository / folder)
    subprocess.run(["git", "apply", "-"], cwd=repository, input=patch, check=True)
    after = contents(repository / folder)
    assert [path for path in before if before[path] != after[path]] == [RUNNER]
    git(repository, "checkout", "--quiet", "--", ".")
    assert contents(repository / folder) == before
    assert run("fix", str(repository / target), "--write").code == 0
    assert contents(repository / folder) == after
    executed = constructed(tree, KEY)
    assert executed.returncode == 0 or shape == "no final newline", executed.stderr


def test_a_patch_made_elsewhere_is_for_the_folder_of_the_tree(tmp_path: Path) -> None:
    tree = copy_of("partial", tmp_path / "repository")
    git(tree, "init", "--quiet")
    for here in (tmp_path, Path("/"), tree / "sglang"):
        patch = patch_of(tree, "--diff", cwd=here)
        subprocess.run(["git", "apply", "--check", "-"], cwd=tree, input=patch, check=True)


def test_archives_and_revisions_are_never_edited(tmp_path: Path) -> None:
    files = files_of("bug")
    make_zip(tmp_path / "sglang-1.0-py3-none-any.whl", files)
    make_tar(tmp_path / "sglang-1.0.tar.gz", {f"sglang-1.0/{p}": t for p, t in files.items()})
    repository = write(tmp_path / "repository", files)
    git(repository, "init", "--quiet")
    git(repository, "add", "--all")
    git(repository, "-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", "all")
    for path in (
        tmp_path / "sglang-1.0-py3-none-any.whl",
        tmp_path / "sglang-1.0.tar.gz",
        repository,
    ):
        rev = ["--rev", "HEAD"] if path == repository else []
        before = contents(tmp_path)
        message = fails(run("fix", str(path), *rev, "--write"), 2)
        assert message.endswith("is not a folder, and only folders are edited: use --diff")
        assert run("fix", str(path), *rev, "--diff") == Done(
            0, DIFF, STORY + "1 mended by the patch\n"
        )
        assert contents(tmp_path) == before


# -- writing ----------------------------------------------------------------------------------


def edits_of(tree: Path) -> tuple[Edit, ...]:
    edits = mend(Request(str(tree), keep=False, jobs=1)).edits
    assert [edit.path for edit in edits] == [RUNNER]
    return edits


def test_modes_are_kept_and_nothing_is_left_behind(tmp_path: Path) -> None:
    tree = copy_of("bug", tmp_path)
    names = sorted(contents(tree))
    (tree / RUNNER).chmod(0o754)
    assert run("fix", str(tree), "--write").code == 0
    assert (tree / RUNNER).stat().st_mode & 0o7777 == 0o754
    assert sorted(contents(tree)) == names


def test_a_link_inside_the_tree_stays_one(tmp_path: Path) -> None:
    tree = copy_of("bug", tmp_path / "tree")
    (tree / "kept").mkdir()
    (tree / RUNNER).rename(tree / "kept" / "runner.py")
    (tree / RUNNER).symlink_to(tree / "kept" / "runner.py")
    assert run("fix", str(tree), "--write").code == 0
    assert (tree / RUNNER).is_symlink()
    assert "flashinfer_cutlass,\n" in (tree / "kept" / "runner.py").read_text(encoding="utf-8")


def test_a_link_that_leads_out_of_the_tree_is_refused(tmp_path: Path) -> None:
    tree = copy_of("bug", tmp_path / "tree")
    edits = edits_of(tree)
    outside = tmp_path / "runner.py"
    (tree / RUNNER).rename(outside)
    (tree / RUNNER).symlink_to(outside)
    before = outside.read_bytes()
    with pytest.raises(TargetError, match="is a link that leads out of"):
        write_edits(tree, edits)
    done = run("fix", str(tree), "--write")
    assert f"was not read, {RUNNER}: a link that leaves the tree" in done.err
    assert outside.read_bytes() == before


def test_a_file_that_has_changed_is_left_alone(tmp_path: Path) -> None:
    tree = copy_of("bug", tmp_path)
    edits = edits_of(tree)
    with (tree / RUNNER).open("a", encoding="utf-8") as file:
        file.write("# somebody works here\n")
    before = contents(tree)
    with pytest.raises(TargetError, match="has changed since it was read: nothing was written"):
        write_edits(tree, edits)
    assert contents(tree) == before


def test_all_files_are_written_or_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in "abc":
        (tmp_path / name).write_bytes(b"old")
    edits = [Edit(name, b"old", b"new") for name in "abc"]
    (tmp_path / "c").write_bytes(b"other")
    with pytest.raises(TargetError, match="c has changed"):
        write_edits(tmp_path, edits)
    assert contents(tmp_path) == {"a": b"old", "b": b"old", "c": b"other"}
    (tmp_path / "c").write_bytes(b"old")
    real = Path.replace

    def failing(self: Path, target: Path) -> Path:
        if target.name == "c" and self.read_bytes() == b"new":
            raise OSError(28, "No space left on device")
        return real(self, target)

    monkeypatch.setattr(Path, "replace", failing)
    with pytest.raises(TargetError, match="c cannot be written: No space left on device"):
        write_edits(tmp_path, edits)
    assert contents(tmp_path) == {"a": b"old", "b": b"old", "c": b"old"}


@pytest.mark.skipif(everything_is_permitted(), reason="this user may write everywhere")
def test_a_folder_that_cannot_be_written_to(tmp_path: Path) -> None:
    tree = copy_of("bug", tmp_path)
    folder = (tree / RUNNER).parent
    folder.chmod(0o555)
    before = contents(tree)
    try:
        assert "cannot be written: Permission denied" in fails(run("fix", str(tree), "--write"), 3)
    finally:
        folder.chmod(0o755)
    assert contents(tree) == before


# -- executing --------------------------------------------------------------------------------

forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="the probe forks processes")


@forks
@pytest.mark.parametrize("case", ["bug", "no-cycle-at-top", "one-line-branch"])
def test_what_is_mended_is_executed(tmp_path: Path, case: str) -> None:
    tree = copy_of(case, tmp_path)
    before = contents(tree)
    done = run("fix", str(tree), "--verify", "--diff", "--jobs", "1")
    assert done.code == 0, done
    assert "    verified      constructs, executed by Python 3." in done.err
    assert contents(tree) == before
    archive = make_zip(tmp_path / "sglang-1.0-py3-none-any.whl", files_of(case))
    assert run("fix", str(archive), "--verify", "--diff", "--jobs", "1") == done


@forks
def test_what_execution_does_not_confirm_is_not_written(tmp_path: Path) -> None:
    """That a check of the machine passes is taken for granted by the analysis, and not by CPython."""
    tree = copy_of("bug", tmp_path)
    registrar = '@register_fused_func("none", "flashinfer_mxfp4")'
    check = "import os\n\nif os.getpid():\n    raise RuntimeError('no such machine')\n\n\n"
    changed(tree, (registrar, check + registrar), path=KERNELS)
    before = contents(tree)
    for option in ("--write", "--diff"):
        done = run("fix", str(tree), "--verify", option, "--jobs", "1")
        assert done.code == 1
        said = done.out + done.err
        assert 'not mended RR101 ("none", "flashinfer_mxfp4")' in said
        assert "executed with the import in place: raises RuntimeError: no such machine" in said
        summary = "1 not mended; nothing was written, as executing it did not confirm all"
        assert done.err.splitlines()[-1] == summary
        assert "--- a/" not in said
        assert contents(tree) == before


@forks
def test_an_interpreter_that_is_none(tmp_path: Path) -> None:
    arguments = ["--verify", "--write", "--python", "/nowhere/python"]
    tree = copy_of("bug", tmp_path)
    assert "/nowhere/python: cannot be run" in fails(run("fix", str(tree), *arguments), 3)


@forks
def test_an_interpreter_without_the_trees_packages_verifies_nothing(tmp_path: Path) -> None:
    tree = copy_of("bug", tmp_path)
    first = "from sglang.srt.layers.moe.moe_runner.base import"
    changed(
        tree,
        (first, f"import json, no_such\njson.dumps(no_such.size if no_such.size else 1)\n{first}"),
    )
    message = fails(run("fix", str(tree), "--verify"), 3)
    assert "cannot verify here: importing sglang.srt.layers.moe.moe_runner.runner" in message
    assert "--python takes an interpreter that has the tree's packages" in message


def test_a_patch_names_files_as_they_are_without_links(tmp_path: Path) -> None:
    tree = copy_of("bug", tmp_path)
    real = tree / "sglang" / "runners"
    linked = tree / Path(RUNNER).parent
    linked.rename(real)
    linked.symlink_to(real, target_is_directory=True)
    done = run("fix", str(tree))
    assert "+++ b/sglang/runners/runner.py\n" in done.out


def test_an_edited_copy_is_whole(tmp_path: Path) -> None:
    tree = copy_of("bug", tmp_path / "tree")
    write(tree, {"sglang/data/table.json": "{}", "sglang/.git/config": "", "other.py": "x = 1\n"})
    (tree / "sglang/data/link.json").symlink_to("table.json")
    (tree / "sglang/data/out.json").symlink_to(shutil.which("sh") or "/bin/sh")
    edits = edits_of(tree)
    location = load_plugins().pack("sglang").location
    with open_tree(str(tree), location) as opened:
        root = edited_copy(opened, edits, tmp_path / "copy")
    copied = contents(root)
    assert copied[RUNNER] == edits[0].after
    assert copied["sglang/data/table.json"] == copied["sglang/data/link.json"] == b"{}"
    assert "sglang/data/out.json" not in copied
    assert "sglang/.git/config" not in copied
    assert copied["other.py"] == b"x = 1\n"
    assert contents(tree)[RUNNER] == edits[0].before
    archive = tmp_path / "sglang-1.0-py3-none-any.whl"
    with zipfile.ZipFile(archive, "w") as file:
        for path in sorted(tree.rglob("*.*")):
            if path.is_file() and not path.is_symlink():
                file.write(path, path.relative_to(tree).as_posix())
    with open_tree(str(archive), location) as opened:
        inside = contents(edited_copy(opened, edits, tmp_path / "from archive"))
    assert inside[RUNNER] == edits[0].after
    assert inside["sglang/data/table.json"] == b"{}"


# -- usage ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--diff", "--write"], "--diff and --write exclude each other"),
        (
            ["--select", "RR103"],
            "RR103 has no fix; those that have are: RR101, RR102, RR106, RR110",
        ),
        (["--select", "RR999"], "unknown rule 'RR999'"),
        (["--timeout", "0"], "0 is not in the range"),
    ],
)
def test_wrong_usage(arguments: list[str], says: str) -> None:
    assert says in fails(run("fix", str(FIXTURES / "bug" / "tree"), *arguments), 2)


def test_rules_that_are_left_out() -> None:
    done = run("fix", str(FIXTURES / "bug" / "tree"), "--ignore", "RR101,RR102")
    assert done == Done(0, "", "nothing to mend\n")


def test_only_these_keys(tmp_path: Path) -> None:
    request = Request(str(copy_of("bug", tmp_path)), keep=False, jobs=1)
    assert mend(request, keys=[KEY]).mended
    assert mend(request, keys=[("none", "triton")]).mended == ()


def test_the_help_says_what_runs_the_code_of_the_tree() -> None:
    text = " ".join(run("fix", "--help").out.split())
    assert "THIS RUNS THE TREE'S CODE" in text


def test_json_findings_say_where_the_import_belongs(tmp_path: Path) -> None:
    document = json.loads(
        run("check", str(copy_of("no-cycle-at-top", tmp_path)), "--format", "json").out
    )
    (fix,) = [f["fix"] for f in document["findings"]]
    assert (fix["placement"], fix["path"], fix["after_line"]) == ("top", RUNNER, 16)
