"""``regreach smoke`` from its arguments to its exit code, on a tree whose kernel needs no GPU."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent.parent
BUG = ROOT / "fixtures" / "bug" / "tree"
PACK = ROOT / "rules" / "regreach_rules" / "packs" / "sglang.toml"
RUNNER = "sglang/srt/layers/moe/moe_runner/runner.py"
KERNELS = "sglang/srt/layers/moe/moe_runner/flashinfer_cutlass.py"
BRANCH = "        elif runner_backend.is_flashinfer_mxfp4():\n"
IMPORT = "            import sglang.srt.layers.moe.moe_runner.flashinfer_cutlass  # noqa: F401\n"
SMOKE = """
[[smokes]]
registry = "sglang.moe.fused_func"
key = ["none", "flashinfer_mxfp4"]
script = "cpu_script.py"
device = "cpu"
error_bound = 0.001
row_bound = 0.001
needs = { json = "install Python" }

[[smokes.shapes]]
name = "small"
sizes = { tokens = 4, hidden = 8 }

[[smokes.shapes]]
name = "larger"
sizes = { tokens = 40, hidden = 80 }
"""
PRODUCT = "    return dispatch_output @ quant_info\n"

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are ended by group")


class Lab:
    """A tree and a pack of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.tree = folder / "tree"
        for file in BUG.rglob("*.py"):
            self.write(file.relative_to(BUG).as_posix(), file.read_text())
        before, _, after = PACK.read_text().partition("# What `regreach smoke` runs.")
        rest = after[after.index("[common]\n") :]
        (folder / "pack.toml").write_text(before + SMOKE + rest)
        script = Path(__file__).with_name("cpu_script.py").read_text()
        (folder / "cpu_script.py").write_text(script)
        self.change(KERNELS, "    return dispatch_output\n", PRODUCT)

    def write(self, path: str, text: str) -> None:
        file = self.tree / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def change(self, path: str, old: str, new: str) -> None:
        text = (self.tree / path).read_text()
        assert old in text
        (self.tree / path).write_text(text.replace(old, new))

    def mend(self) -> None:
        self.change(RUNNER, BRANCH, BRANCH + IMPORT)

    def smoke(self, *arguments: str, key: str = "none,flashinfer_mxfp4", **variables: str) -> Any:
        command = [sys.executable, "-m", "regreach", "smoke", str(self.tree), "--key", key]
        return subprocess.run(
            [*command, "--pack", str(self.folder / "pack.toml"), "--repetitions", "3", *arguments],
            capture_output=True,
            check=False,
            encoding="utf-8",
            cwd=self.folder,
            env={**os.environ, **variables},
        )


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab(tmp_path)


def test_a_key_that_is_not_reached_is_not_confirmed(lab: Lab) -> None:
    done = lab.smoke()
    assert done.returncode == 1, done.stderr
    last = done.stdout.splitlines()[-1]
    assert last.startswith(f"not confirmed: NotImplementedError at {RUNNER}:27: no fused function")


def test_a_key_that_is_reached_and_computes_what_it_should_is_confirmed(lab: Lab) -> None:
    lab.mend()
    done = lab.smoke("--format", "json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["confirmed"]
    assert document["machine"]["path"]["name"] == "numpy"
    assert document["stood_in"] == []
    run = document["run"]
    function = "sglang.srt.layers.moe.moe_runner.flashinfer_cutlass"
    assert run["construct"]["function"].startswith(f"{function}:fused_experts_none_to_")
    for shape, times in zip(run["forward"]["shapes"], run["timing"]["shapes"], strict=True):
        first, second = shape["runs"]
        assert first["seed"] != second["seed"]
        assert 0 < max(first["error"], second["error"]) < 1e-5
        assert times["seconds"] > 0
        assert times["floor_seconds"] == times["bytes"] / times["bandwidth"]
    (fault,) = run["forward"]["faults"]
    assert fault["name"] == "weights transposed"
    assert fault["error"] > 0.1


def test_the_text_says_what_was_run_and_where(lab: Lab) -> None:
    lab.mend()
    done = lab.smoke()
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].endswith('("none", "flashinfer_mxfp4")')
    assert any(line.startswith("path      numpy; Python 3") for line in lines)
    assert any(line.startswith("look-up   sglang.srt.layers") for line in lines)
    assert any(line.startswith("larger ") and line.endswith(" ms") for line in lines)
    assert any(line.startswith("wrong on purpose  weights transposed") for line in lines)
    assert lines[-1].startswith("confirmed: ok, error ")


WRONG = {
    "values": ("dispatch_output @ quant_info * 1.01", "relative error 0.01, more than 0.001"),
    "NaN": ("dispatch_output @ quant_info * float('nan')", "NaN or infinity in the output"),
    "shape": ("(dispatch_output @ quant_info)[:2]", "the output has the shape"),
    "exception": ("1 / 0", f"ZeroDivisionError at {KERNELS}:13: division by zero"),
    "inputs": ("dispatch_output @ quant_info.T", "relative error"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_wrong_output_is_not_confirmed(lab: Lab, wrong: str) -> None:
    code, reason = WRONG[wrong]
    lab.mend()
    lab.change(KERNELS, PRODUCT, f"    return {code}\n")
    done = lab.smoke()
    assert done.returncode == 1, done.stderr
    last = done.stdout.splitlines()[-1]
    assert last.startswith("not confirmed: ")
    assert reason in last


def test_one_wrong_row_is_enough(lab: Lab) -> None:
    lab.mend()
    code = "    out = dispatch_output @ quant_info\n    out[1] *= 1.002\n    return out\n"
    lab.change(KERNELS, PRODUCT, code)
    done = lab.smoke("--format", "json")
    assert done.returncode == 1
    objections = json.loads(done.stdout)["run"]["objections"]
    assert any("larger" in o and "in one row" in o for o in objections)


def test_a_check_that_finds_nothing_wrong_on_purpose_is_not_trusted(lab: Lab) -> None:
    lab.mend()
    script = lab.folder / "cpu_script.py"
    script.write_text(script.read_text().replace("self.weights.T if fault else", ""))
    done = lab.smoke()
    assert done.returncode == 1
    assert "the check is blind: weights transposed passes" in done.stdout.splitlines()[-1]


def test_what_a_machine_lacks_is_said(lab: Lab) -> None:
    pack = lab.folder / "pack.toml"
    pack.write_text(pack.read_text().replace("json =", "no_such_package ="))
    done = lab.smoke()
    assert (done.returncode, done.stdout) == (3, "")
    expected = f"cannot run here: {sys.executable} lacks no_such_package (install Python)"
    assert done.stderr == f"regreach: error: {expected}; --python takes another interpreter\n"
    pack.write_text(pack.read_text().replace('device = "cpu"\n', ""))
    done = lab.smoke(PATH=str(lab.folder))
    assert "there is no NVIDIA GPU (nvidia-smi names none), and " in done.stderr


def test_a_machine_without_a_gpu_is_said(lab: Lab) -> None:
    pack = lab.folder / "pack.toml"
    pack.write_text(pack.read_text().replace('device = "cpu"\n', ""))
    (lab.folder / "torch.py").write_text(
        "class cuda:\n    is_available = staticmethod(lambda: False)\n"
    )
    done = lab.smoke(PYTHONPATH=os.pathsep.join([str(lab.folder), *sys.path]))
    assert done.returncode == 3
    assert "PyTorch sees no GPU; run this on a machine with an NVIDIA GPU" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_package_that_the_tree_needs_is_stood_in_for_and_named(lab: Lab) -> None:
    lab.mend()
    lab.change(KERNELS, "from sglang.srt", "import no_such_kernels\nfrom sglang.srt")
    done = lab.smoke()
    assert done.returncode == 0, done.stdout + done.stderr
    assert "no_such_kernels (not installed; a forward that uses one does not pass)" in done.stdout


def test_the_forward_must_not_use_a_stand_in(lab: Lab) -> None:
    lab.mend()
    lab.change(KERNELS, "from sglang.srt", "import no_such_kernels\nfrom sglang.srt")
    lab.change(KERNELS, PRODUCT, f"    no_such_kernels.launch()\n{PRODUCT}")
    done = lab.smoke()
    assert done.returncode == 1
    assert "the forward uses no_such_kernels.launch()" in done.stdout.splitlines()[-1]


def test_an_import_that_fails_for_the_environment_is_no_verdict(lab: Lab) -> None:
    lab.mend()
    lab.change(KERNELS, "from sglang.srt", "from json import no_such_name\nfrom sglang.srt")
    done = lab.smoke()
    assert (done.returncode, done.stdout) == (3, "")
    assert "cannot import name 'no_such_name' from 'json'" in done.stderr
    assert "not for the registration" in done.stderr


def test_an_import_that_fails_for_the_tree_is_one(lab: Lab) -> None:
    lab.mend()
    lab.change(KERNELS, "from sglang.srt", "import sglang.srt.gone\nfrom sglang.srt")
    done = lab.smoke()
    assert done.returncode == 1
    assert "ModuleNotFoundError at" in done.stdout.splitlines()[-1]


def test_a_process_that_dies_is_told_of(lab: Lab) -> None:
    lab.mend()
    lab.change(
        KERNELS, PRODUCT, "    import os, signal\n    os.kill(os.getpid(), signal.SIGSEGV)\n"
    )
    done = lab.smoke()
    assert done.returncode == 1
    assert "the process died (SIGSEGV)" in done.stdout.splitlines()[-1]


def test_a_process_that_does_not_end_is_ended(lab: Lab) -> None:
    lab.mend()
    lab.change(KERNELS, PRODUCT, "    while True:\n        pass\n")
    done = lab.smoke("--timeout", "2")
    assert done.returncode == 1
    assert "no end after 2 s" in done.stdout.splitlines()[-1]


def test_another_copy_of_the_package_is_noticed(lab: Lab) -> None:
    lab.mend()
    (lab.tree / "sglang" / "__init__.py").write_text("__file__ = '/elsewhere/sglang.py'\n")
    done = lab.smoke()
    assert done.returncode == 3
    assert "/elsewhere/sglang.py was imported, not the tree" in done.stderr


def test_a_process_that_has_chosen_otherwise_is_noticed(lab: Lab) -> None:
    lab.mend()
    utils = "sglang/srt/layers/moe/utils.py"
    lab.change(utils, "MOE_A2A_BACKEND = None", "MOE_A2A_BACKEND = MoeA2ABackend.DEEPEP")
    done = lab.smoke()
    assert done.returncode == 3
    assert "get_moe_a2a_backend gives 'deepep' here, and the key says 'none'" in done.stderr


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('device = "cpu"', 'device = "tpu"', "smokes[0].device must be one of ['cuda', 'cpu']"),
        ("error_bound = 0.001", "error_bound = 0", "smokes[0].error_bound must be a number"),
        ("error_bound = 0.001\n", "", "smokes[0].error_bound is missing"),
        ("tokens = 4", 'tokens = "4"', "shapes[0].sizes.tokens must be an integer greater than 0"),
        ('script = "cpu_script.py"', 'script = "gone.py"', "script 'gone.py' is not there"),
        ('script = "cpu_script.py"', 'script = "gone.it"', "script 'gone.it' is not there"),
        ('script = "cpu_script.py"', 'script = "_json"', "script '_json' is "),
        ('"larger"', '"small"', "smokes[0].shapes must have a name each of their own"),
        ("tokens = 4,", "name = 4,", "shapes[0].sizes must not have a size of the name 'name'"),
        ('"none", "flashinfer_mxfp4"]', '"none"]', "smokes[0].key must have the parts"),
        ('"sglang.moe.fused_func"\nkey = ["none"', '"x"\nkey = ["none"', "names no registry"),
    ],
)
def test_a_wrong_declaration_is_an_error_with_its_place(
    lab: Lab, old: str, new: str, message: str
) -> None:
    pack = lab.folder / "pack.toml"
    text = pack.read_text()
    before, smokes = text.split("[[smokes]]")
    assert old in smokes
    pack.write_text(f"{before}[[smokes]]{smokes.replace(old, new, 1)}")
    done = lab.smoke()
    assert done.returncode == 2, done.stderr
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_key_without_a_smoke_is_an_error_that_names_those_that_have_one(lab: Lab) -> None:
    done = lab.smoke(key="none,triton")
    assert done.returncode == 2
    assert "declares no smoke for none,triton; it has: none,flashinfer_mxfp4" in done.stderr


def test_confirming_a_bug_mends_a_copy_that_then_passes(lab: Lab) -> None:
    before = {file: file.read_bytes() for file in lab.tree.rglob("*.py")}
    done = lab.smoke("--confirm")
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert f"before    NotImplementedError at {RUNNER}:27" in lines
    (fix,) = (line for line in lines if line.startswith("fix "))
    assert fix.endswith("import flashinfer_cutlass  # noqa: F401")
    assert any(line.startswith("after     sglang.srt.layers") for line in lines)
    assert lines[-1].startswith(f"confirmed: before: NotImplementedError at {RUNNER}:27; after: ok")
    assert {file: file.read_bytes() for file in lab.tree.rglob("*.py")} == before


def test_confirming_what_is_no_bug_fails(lab: Lab) -> None:
    lab.mend()
    done = lab.smoke("--confirm")
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1] == (
        "not confirmed: as it is the tree finds the function: there is nothing to confirm"
    )


def test_confirming_a_fix_that_does_not_compute_what_it_should_fails(lab: Lab) -> None:
    lab.change(KERNELS, PRODUCT, "    return dispatch_output * 2\n")
    done = lab.smoke("--confirm", "--format", "json")
    assert done.returncode == 1, done.stderr
    document = json.loads(done.stdout)
    assert document["before"]["construct"]["exception"] == "NotImplementedError"
    assert document["run"]["construct"]["ok"]
    assert not document["confirmed"]
    assert document["verdict"].startswith("not confirmed: small (seed 0)")


def test_confirming_what_fix_cannot_mend_fails_and_says_why(lab: Lab) -> None:
    lab.change(RUNNER, "runner_backend.is_flashinfer_mxfp4()", "runner_backend.is_no_method()")
    done = lab.smoke("--confirm")
    assert done.returncode == 1, done.stderr
    last = done.stdout.splitlines()[-1]
    assert last.startswith("not confirmed: AttributeError at")
    assert "is not mended by fix: " in last


def test_an_archive_is_confirmed_as_well(lab: Lab) -> None:
    archive = lab.folder / "sglang-1.0-py3-none-any.whl"
    with zipfile.ZipFile(archive, "w") as file:
        for path in lab.tree.rglob("*.py"):
            file.write(path, path.relative_to(lab.tree))
    lab.tree = archive
    done = lab.smoke("--confirm")
    assert done.returncode == 0, done.stdout + done.stderr


OTHER_FAULTS = {
    "another exception": ("raise OSError('GPU busy')", "OSError at"),
    "death": ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "died (SIGKILL)"),
    "sleep": ("import time; time.sleep(60)", "no end after 3 s"),
}


@pytest.mark.parametrize("fault", OTHER_FAULTS)
def test_a_failure_of_another_kind_is_no_before(lab: Lab, fault: str) -> None:
    code, says = OTHER_FAULTS[fault]
    once = f"open({str(lab.folder / 'once')!r}, 'x')"
    guard = (
        f"        try:\n            {once}\n        except OSError: pass\n        else: {code}\n"
    )
    header = "    def __init__(self, runner_backend, config, lora_enabled=False):\n"
    lab.change(RUNNER, header, header + guard)
    done = lab.smoke("--confirm", "--timeout", "3")
    assert done.returncode == 1, done.stdout + done.stderr
    last = done.stdout.splitlines()[-1]
    assert last.startswith("not confirmed: ")
    assert says in last


def test_a_comment_is_not_what_confirms(lab: Lab) -> None:
    lab.change(RUNNER, BRANCH, BRANCH + IMPORT.replace("  # noqa: F401", ""))
    lab.change(KERNELS, '"flashinfer_mxfp4")', '"flashinfer_mxfp4" + "x" * (1 - 1))')
    lab.change(
        RUNNER,
        "        self.fused_func = None\n",
        "        self.fused_func = None\n        open('/no/such')\n",
    )
    done = lab.smoke("--confirm")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "is not mended by fix" in done.stdout.splitlines()[-1]


CHEATS = {
    "caught": "    try:\n        no_such_kernels.launch()\n    except Exception: pass\n",
    "with": "    with no_such_kernels.stream: pass\n",
    "item": "    no_such_kernels.buffer['x'] = 1\n",
    "sum": "    no_such_kernels.a + 1\n",
}


@pytest.mark.parametrize("cheat", CHEATS)
def test_a_stand_in_that_is_used_in_secret_is_noticed(lab: Lab, cheat: str) -> None:
    lab.mend()
    lab.change(KERNELS, "from sglang.srt", "import no_such_kernels\nfrom sglang.srt")
    lab.change(KERNELS, PRODUCT, CHEATS[cheat] + PRODUCT)
    done = lab.smoke()
    assert done.returncode == 1, done.stdout
    assert "the forward uses " in done.stdout.splitlines()[-1]


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("dispatch_output @ quant_info + 1000j", "TypeError"),
        ("dispatch_output.__imul__(3) @ quant_info", "relative error"),
    ],
)
def test_what_a_kernel_does_to_what_it_is_given_does_not_help_it(
    lab: Lab, code: str, says: str
) -> None:
    lab.mend()
    lab.change(KERNELS, PRODUCT, f"    return {code}\n")
    done = lab.smoke()
    assert done.returncode == 1, done.stdout
    assert says in done.stdout.splitlines()[-1]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('FAULTS = ("weights transposed",)', "FAULTS = ()"),
        (".astype(np.float32)\n", ".astype(np.float32) * np.nan\n"),
        ("self.moved = ", "self.moved = -1e9 + "),
        ("def set_up(", "def other("),
        ('"name": "numpy"', '"title": "numpy"'),
    ],
)
def test_a_script_that_cannot_judge_gives_no_verdict(lab: Lab, old: str, new: str) -> None:
    lab.mend()
    script = lab.folder / "cpu_script.py"
    assert old in script.read_text()
    script.write_text(script.read_text().replace(old, new))
    done = lab.smoke()
    assert (done.returncode, done.stdout) == (3, "")
    assert "ScriptError" in done.stderr


def test_what_the_enum_does_not_have_is_said(lab: Lab) -> None:
    pack = lab.folder / "pack.toml"
    before, smokes = pack.read_text().split("[[smokes]]")
    smokes = smokes.replace('"none", "flashinfer_mxfp4"', '"none", "gone"')
    pack.write_text(f"{before}[[smokes]]{smokes}")
    done = lab.smoke(key="none,gone")
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1].endswith("MoeRunnerBackend has no member 'gone'")


def test_a_message_of_several_lines_stays_one_verdict(lab: Lab) -> None:
    lab.mend()
    lab.change(KERNELS, PRODUCT, "    raise ValueError('one\\n\\n  two')\n")
    done = lab.smoke()
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1].endswith(": one two")


def test_terminated_it_leaves_nothing_behind(lab: Lab) -> None:
    lab.mend()
    lab.change(KERNELS, PRODUCT, f"    import time; time.sleep(600)\n{PRODUCT}")
    (lab.folder / "tmp").mkdir()
    command = [sys.executable, "-m", "regreach", "smoke", str(lab.tree)]
    command += ["--key", "none,flashinfer_mxfp4", "--pack", str(lab.folder / "pack.toml")]
    with subprocess.Popen(
        command, env={**os.environ, "TMPDIR": str(lab.folder / "tmp")}
    ) as process:
        while not _children_with_their_own_folder(lab.folder / "tmp"):
            time.sleep(0.05)
        process.terminate()
        assert process.wait(30) == 128 + signal.SIGTERM
    assert list((lab.folder / "tmp").iterdir()) == []


def _children_with_their_own_folder(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if path.name.startswith("regreach-smoke-")]


def test_noise_on_every_file_is_no_result(lab: Lab) -> None:
    lab.mend()
    noise = (
        "    import os\n"
        "    for fd in range(1, 20):\n"
        "        try: os.write(fd, b'{\"result\": 7}\\n5\\n')\n"
        "        except OSError: pass\n"
    )
    lab.change(KERNELS, PRODUCT, noise + PRODUCT)
    done = lab.smoke()
    assert done.returncode == 0, done.stdout + done.stderr


def test_nothing_is_left_in_the_tree(lab: Lab) -> None:
    lab.mend()
    done = lab.smoke(PYTHONDONTWRITEBYTECODE="")
    assert done.returncode == 0, done.stderr
    assert not list(lab.tree.rglob("__pycache__"))
