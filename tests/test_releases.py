"""Real releases: those with the bug that regreach was made for, those without, and the range of the pack.

Each is read by a process of its own, as many at once as there are processors, from the user's cache
(the first time, from the package index).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.release

TRUTH = Path(__file__).parent / "truth"
FIELDS = ("after_import", "at_lookup", "outcome", "exception")
KEY = ["none", "flashinfer_mxfp4"]
WITH_THE_BUG = ["0.5.15", "0.5.13", "0.5.14", "0.5.15.post1"]
WITHOUT = ["0.5.16"]
OTHERS = ["0.5.23", "0.5.10", "0.5.5", "0.5.3"]
# What regreach says when the index is not there, or is one that does not have the release.
UNAVAILABLE = (
    "the package index was not reached",
    "the package index knows no project",
    "no release",
)


@dataclass(frozen=True)
class Audited:
    code: int
    document: Any
    errors: str


def audit(release: str) -> Audited:
    command = ["-m", "regreach", "audit", f"sglang=={release}", "--format", "json"]
    done = subprocess.run(
        [sys.executable, *command],
        capture_output=True,
        check=False,
        encoding="utf-8",
    )
    return Audited(done.returncode, json.loads(done.stdout or "null"), done.stderr)


@pytest.fixture(scope="module")
def audits(request: pytest.FixtureRequest) -> Iterator[dict[str, Future[Audited]]]:
    """The audits of all releases that the selected tests want, each begun when a processor is free."""
    here = [item for item in request.session.items if item.path == Path(__file__)]
    params = [item.callspec.params for item in here if isinstance(item, pytest.Function)]
    wanted = dict.fromkeys(str(each["release"]) for each in params)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        yield {release: pool.submit(audit, release) for release in wanted}
        pool.shutdown(cancel_futures=True)


def audited(release: str, audits: dict[str, Future[Audited]]) -> Audited:
    found = audits[release].result()
    if found.code == 3 and any(reason in found.errors for reason in UNAVAILABLE):
        pytest.skip(found.errors.strip())
    assert found.code in (0, 1), found.errors
    assert "Traceback" not in found.errors
    return found


SIMM = "sglang/srt/mem_cache/storage/simm/test_simm.py"


@pytest.mark.parametrize("release", [*WITH_THE_BUG, *WITHOUT, *OTHERS])
def test_the_import_above_the_root(release: str, audits: dict[str, Future[Audited]]) -> None:
    """One test has it, in each release since it was written."""
    found = audited(release, audits).document["findings"]
    places = [(f["path"], f["line"]) for f in found if f["rule"] == "RR111"]
    assert places == ([(SIMM, 6)] if release not in ("0.5.10", "0.5.5", "0.5.3") else [])


def cell_of(document: Any, key: list[str]) -> Any:
    (registry,) = (r for r in document["registries"] if r["id"] == "sglang.moe.fused_func")
    return next(cell for cell in registry["cells"] if cell["key"] == key)


@pytest.mark.parametrize("release", WITH_THE_BUG)
def test_releases_with_the_bug(release: str, audits: dict[str, Future[Audited]]) -> None:
    found = audited(release, audits)
    assert found.code == 1
    errors = [f for f in found.document["findings"] if f["severity"] == "error"]
    # beside it, what the registries without selectors show: each was executed once
    others = [("RR104", ["marlin"]), ("RR105", ["merged_experts_fused_moe_lora_add"])]
    assert sorted((f["rule"], f["key"]) for f in errors) == [
        ("RR101", KEY),
        *others,
        ("RR111", None),
    ]
    cell = cell_of(found.document, KEY)
    assert (cell["at_lookup"], cell["outcome"]) == ("no", "raises")
    assert cell["exception"] == "NotImplementedError"
    assert found.document["problems"] == []


@pytest.mark.parametrize("release", WITHOUT)
def test_releases_without_it(release: str, audits: dict[str, Future[Audited]]) -> None:
    found = audited(release, audits)
    cell = cell_of(found.document, KEY)
    assert (cell["at_lookup"], cell["outcome"], cell["reach"]) == ("yes", "ok", "runner")
    assert KEY not in [f["key"] for f in found.document["findings"]]


@pytest.mark.parametrize("release", OTHERS)
def test_other_releases_can_be_analysed(release: str, audits: dict[str, Future[Audited]]) -> None:
    found = audited(release, audits)
    ids = [registry["id"] for registry in found.document["registries"]]
    if release == "0.5.3":  # older than the registries: what it lacks is said
        assert ids or found.document["notes"]
        return
    assert ids == ["sglang.moe.fused_func", "sglang.moe.pre_permute", "sglang.moe.post_permute"]
    assert found.document["modules"]["eager"]
    assert found.document["call_sites"]


@pytest.mark.parametrize("release", [*WITH_THE_BUG, *WITHOUT, *OTHERS])
def test_what_cpython_does(release: str, audits: dict[str, Future[Audited]]) -> None:
    """Compare with what was executed: see ``tests/truth/README.md``."""
    document = audited(release, audits).document
    truth = json.loads((TRUTH / f"{release}.json").read_text(encoding="utf-8"))
    assert document["modules"]["eager"] == truth["eager"]
    (registry,) = (r for r in document["registries"] if r["id"] == "sglang.moe.fused_func")
    found = {"|".join(cell["key"]): cell for cell in registry["cells"]}
    for group in truth["cells"]:
        for key in group["keys"]:
            at = found[key]["raised_at"]
            assert {
                **{field: found[key][field] for field in FIELDS},
                "raised_at": at and f"{at['path']}:{at['line']}",
            } == {field: group[field] for field in (*FIELDS, "raised_at")}, key
    assert sorted(found) == sorted(key for group in truth["cells"] for key in group["keys"])
    first = document["modules"]["imported_first"]
    assert {m: first[m][:80] for m in truth["imported_first"]} == {
        module: ended[:80] for module, ended in truth["imported_first"].items()
    }
    sites = [f"{s['path']}:{s['line']}" for s in document["call_sites"]]
    assert sorted(sites) == sorted(truth["call_sites"])
    hanging = [key for key, cell in found.items() if cell["reach"] == "process"]
    assert set(hanging) <= set(truth["process"])
    for reach in ("caller", "partial", "none", "orphan"):
        assert not {k for k, c in found.items() if c["reach"] == reach} & set(truth["process"])


# The branch in which sglang 0.5.16 has the import itself.
BRANCH = "         elif runner_backend.is_flashinfer_mxfp4():"


def fixed(release: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = ["-m", "regreach", "fix", f"sglang=={release}", *arguments]
    return subprocess.run(
        [sys.executable, *command], capture_output=True, check=False, encoding="utf-8"
    )


@pytest.mark.parametrize("release", ["0.5.15", "0.5.15.post1"])
def test_what_mends_the_bug(release: str, audits: dict[str, Future[Audited]]) -> None:
    """The same module is imported in the same branch as by sglang's own fix, and nothing else changes."""
    audited(release, audits)
    done = fixed(release, "--diff")
    assert done.returncode == 0, done.stderr
    name, _, *lines = done.stdout.splitlines()
    assert name == "--- a/sglang/srt/layers/moe/moe_runner/runner.py"
    assert [line for line in lines if not line.startswith((" ", "@@ "))] == [
        '+            # Registers ("none", "flashinfer_mxfp4") before the look-up; at the top of',
        "+            # the module it would close an import cycle.",
        "+            from sglang.srt.layers.moe.moe_runner import (  # noqa: F401",
        "+                flashinfer_cutlass,",
        "+            )",
        "+",
    ]
    first = next(place for place, line in enumerate(lines) if line.startswith("+   "))
    assert lines[first - 1] == BRANCH
    refused = fixed(release, "--write")
    assert (refused.returncode, refused.stdout) == (2, "")


@pytest.mark.parametrize("release", WITHOUT)
def test_nothing_to_mend_without_it(release: str, audits: dict[str, Future[Audited]]) -> None:
    audited(release, audits)
    done = fixed(release)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.startswith("nothing to mend")
    assert done.stderr.count("\n") == 1
