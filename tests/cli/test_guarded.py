"""RR108 through the command: conditions around registrations and imports, and who asks for them elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import copy_of, run
from regreach_rules import PACKS

HOME = "sglang/srt/layers/moe/moe_runner/"
RUNNER, KERNELS = f"{HOME}runner.py", f"{HOME}flashinfer_cutlass.py"
MODELOPT = "sglang/srt/layers/quantization/modelopt_quant.py"
SWITCH = "SGLANG_EXPERIMENTAL_MXFP4"
GUARDED_IMPORT = (
    f'if os.environ.get("{SWITCH}"):\n'
    "    import sglang.srt.layers.moe.moe_runner.flashinfer_cutlass  # noqa: F401\n"
)
BRANCH = "elif runner_backend.is_flashinfer_mxfp4():\n"
REGISTRATION = '@register_fused_func("none", "flashinfer_mxfp4")\n'


def changed(tree: Path, old: str, new: str) -> None:
    text = (tree / RUNNER).read_text()
    assert text.count(old) == 1, old
    (tree / RUNNER).write_text(text.replace(old, new))


def found(tree: Path, *options: str) -> list[tuple[str, str]]:
    """Return the rules, and the condition of RR108."""
    document = run("check", str(tree), "--format", "json", *options).json()
    return [
        (f["rule"], next((r["text"] for r in f["related"] if r["role"] == "only under"), ""))
        for f in document["findings"]
    ]


def eagerly(tree: Path, kernels: str) -> Path:
    """The kernels' module is imported at the top of the runner's, and says this."""
    changed(tree, GUARDED_IMPORT, "")
    plain = "import sglang.srt.layers.moe.moe_runner.flashinfer_cutlass  # noqa: F401\n"
    changed(tree, "import os\n", f"import os\n\n{plain}")
    head = "from sglang.srt.layers.moe.moe_runner.base import register_fused_func\n\n"
    (tree / KERNELS).write_text(f"import os\n\n{head}{kernels}")
    return tree


def indented(under: str) -> str:
    return f"{under}:\n    {REGISTRATION}    def f(a, b, c):\n        return a\n"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return copy_of("environment-switch", tmp_path)


def test_the_switch_that_is_set_is_none(tree: Path) -> None:
    assert found(tree) == [("RR108", f'if os.environ.get("{SWITCH}"):')]
    assert found(tree, "--env", f"{SWITCH}=1") == []


@pytest.mark.parametrize(
    ("kernels", "condition", "options"),
    [
        (f"FLAG = os.getenv('{SWITCH}') == '1'\n{indented('if FLAG')}", "if FLAG:", ()),
        (
            f"if os.getenv('{SWITCH}'):\n    pass\n{indented('else')}",
            f"else of: if os.getenv('{SWITCH}'):",
            ("--env", f"{SWITCH}=1"),
        ),
        (
            "try:\n    import fast_missing_xyz\n    HAS = True\nexcept ImportError:\n    HAS = False\n"
            + indented("if HAS"),
            "if HAS:",
            ("--absent", "fast_missing_xyz"),
        ),
        (
            "try:\n    import fast_missing_xyz\n\n"
            f"    {REGISTRATION}    def f(a, b, c):\n        return a\nexcept ImportError:\n    pass\n",
            "try:",
            ("--absent", "fast_missing_xyz"),
        ),
        (
            "if os.getenv('A'):\n    register_fused_func('none', 'flashinfer_mxfp4')(print)\n",
            "",
            (),
        ),
    ],
    ids=["variable", "else", "package", "try", "called"],
)
def test_around_the_registration(
    tree: Path, kernels: str, condition: str, options: tuple[str, ...]
) -> None:
    assert found(eagerly(tree, kernels), *options) == [("RR108", condition or "if os.getenv('A'):")]


def test_one_registration_without_condition_is_enough(tree: Path) -> None:
    kernels = indented(f"if os.getenv('{SWITCH}')")
    kernels += f"\n\nif not os.getenv('{SWITCH}'):\n    register_fused_func('none', 'flashinfer_mxfp4')(print)\n"
    assert found(eagerly(tree, kernels)) == []


def test_in_the_branch_itself(tree: Path) -> None:
    inner = GUARDED_IMPORT.replace("if os", "            if os").replace(
        "    import", "                import"
    )
    changed(tree, GUARDED_IMPORT, "")
    changed(tree, BRANCH, BRANCH + inner)
    assert found(tree) == [("RR108", f'if os.environ.get("{SWITCH}"):')]
    # a question of the selector is a branch like any other: the import is not where it is needed
    changed(tree, f'if os.environ.get("{SWITCH}"):', "if runner_backend.is_triton():")
    assert [rule for rule, _ in found(tree)] == ["RR101"]


@pytest.mark.parametrize(
    "elsewhere",
    [
        f'import os\nCHOICES = ["auto"]\nif os.getenv("{SWITCH}"):\n    CHOICES += ["flashinfer_mxfp4"]\n',
        f'from x import envs\ndef add(c):\n    if envs.{SWITCH}.get():\n        c.append("flashinfer_mxfp4")\n',
        f'import os\n_ON = os.getenv("{SWITCH}")\ndef f(b):\n    if b == "flashinfer_mxfp4" and not _ON:\n'
        '        raise ValueError("set it")\n',
        f'import os\ndef f(b):\n    assert os.getenv("{SWITCH}") or b != "flashinfer_mxfp4"\n',
    ],
    ids=["choices", "added", "refused", "asserted"],
)
def test_asked_where_the_value_is_accepted(tree: Path, elsewhere: str) -> None:
    options = tree / "sglang/srt/options.py"
    options.write_text(elsewhere)
    assert found(tree) == []
    # the same with another condition
    options.write_text(elsewhere.replace(SWITCH, "SGLANG_OTHER"))
    assert [rule for rule, _ in found(tree)] == ["RR108"]
    # and where it is accepted once more without
    options.write_text(f'{elsewhere}\nMORE = ["flashinfer_mxfp4"]\n')
    is_refused = "raise" in elsewhere or "assert" in elsewhere
    assert [rule for rule, _ in found(tree)] == [] if is_refused else ["RR108"]


def test_asked_around_the_call_site(tree: Path) -> None:
    call = "        self.runner = MoeRunner(backend, moe_runner_config)\n"
    text = (tree / MODELOPT).read_text()
    assert call in text
    (tree / MODELOPT).write_text(
        "import os\n" + text.replace(call, f'        if os.environ.get("{SWITCH}"):\n    {call}')
    )
    assert found(tree) == []


def test_a_variable_of_which_nothing_is_known(tree: Path, tmp_path: Path) -> None:
    """Not knowing is like knowing that it may be unset: unless the branch asks the same."""
    pack = tmp_path / "open.toml"
    text = PACKS["sglang"]
    assert "environment_closed = true" in text
    pack.write_text(text.replace("environment_closed = true", "environment_closed = false"))
    assert found(tree, "--pack", str(pack)) == [("RR108", f'if os.environ.get("{SWITCH}"):')]
    asked = f'elif runner_backend.is_flashinfer_mxfp4() and os.environ.get("{SWITCH}"):\n'
    changed(tree, BRANCH, asked)
    assert found(tree, "--pack", str(pack)) == []
