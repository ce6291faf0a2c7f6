"""The installed sglang, run on this machine's GPU; skipped with a reason where that is not possible."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

NEEDS = ("torch", "flashinfer", "sgl_kernel", "sglang")


def _obstacle() -> str | None:
    missing = [name for name in NEEDS if importlib.util.find_spec(name) is None]
    if missing:
        return f"not installed: {', '.join(missing)}"
    import torch

    return None if torch.cuda.is_available() else "PyTorch sees no GPU"


OBSTACLE = _obstacle()
pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(OBSTACLE is not None, reason=f"needs a GPU: {OBSTACLE}"),
]


@pytest.mark.parametrize("key", ["none,flashinfer_mxfp4", "none,triton"])
def test_the_installed_release(key: str) -> None:
    spec = importlib.util.find_spec("sglang")
    assert spec is not None
    assert spec.submodule_search_locations
    tree = Path(next(iter(spec.submodule_search_locations))).parent
    command = [sys.executable, "-m", "regreach", "smoke", str(tree), "--key", key]
    done = subprocess.run(
        [*command, "--format", "json"], capture_output=True, check=False, encoding="utf-8"
    )
    if done.returncode == 3:
        pytest.skip(done.stderr)
    document = json.loads(done.stdout)
    assert document["stood_in"] == []
    if document["run"]["construct"]["ok"]:
        assert document["confirmed"], document["verdict"]
        return
    # a release with the bug: mended, it must pass
    done = subprocess.run([*command, "--confirm"], capture_output=True, check=False, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
