"""`regreach explain`: what is told of a key, of one that is not there, and of every key of every fixture."""

# ruff: noqa: E501 - lines are as long as the output's
from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from command_line import BUG, CASES, FIXTURES, ROOT, Done, fails, run
from shop_example import PACK, SHOP
from tree_making import write

KEY = "none,flashinfer_mxfp4"
TOLD = """\
("none", "flashinfer_mxfp4")  sglang.moe.fused_func  fixtures/bug/tree, platform cuda
    verdict       MISSING: registered, not loaded when it is looked up
    reach         partial: loaded by some call sites that ask for it, not by all, and not by the consumer

Registrations
    registered    sglang/srt/layers/moe/moe_runner/flashinfer_cutlass.py:11  fused_experts_none_to_flashinfer_mxfp4

Look-up  nobody having helped the consumer
    consumer      sglang/srt/layers/moe/moe_runner/runner.py:8  MoeRunner
    branch        sglang/srt/layers/moe/moe_runner/runner.py:18  elif runner_backend.is_flashinfer_mxfp4():
    looked up     sglang/srt/layers/moe/moe_runner/runner.py:25  self.fused_func = FusedOpPool.get_fused_func(a2a_name, runner_backend.v…
    there         after the import: no; at the look-up: no
    outcome       raises NotImplementedError at sglang/srt/layers/moe/moe_runner/runner.py:27

Loading  sglang.srt.layers.moe.moe_runner.flashinfer_cutlass
    by consumer   no, not by its init path
    by callers    1 of 2 call sites that ask for it have it loaded
    imported by   sglang/srt/layers/quantization/modelopt_quant.py:10  lazy, in ModelOptFusedMoEMethod.create_moe_runner, under if backend.is_flashinfer_cutlass():
    imported by   sglang/srt/layers/quantization/mxfp4.py:12  lazy, in Mxfp4MoEMethod.create_moe_runner, under elif backend.is_flashinfer_mxfp4():

Call sites  2 at which the key can arrive
    crashes       sglang/srt/layers/quantization/modelopt_quant.py:12  ModelOptFusedMoEMethod.create_moe_runner
                  backend is 'flashinfer_mxfp4'; loaded: no; NotImplementedError
                  path modelopt_quant.ModelOptFusedMoEMethod.create_moe_runner → modelopt_quant.py:12 → runner.py:18 → runner.py:25
    saves itself  sglang/srt/layers/quantization/mxfp4.py:14  Mxfp4MoEMethod.create_moe_runner
                  backend is 'flashinfer_mxfp4'; loaded: yes
                  path mxfp4.Mxfp4MoEMethod.create_moe_runner → mxfp4.py:14 → runner.py:18 → runner.py:25
                  has it by sglang/srt/layers/quantization/mxfp4.py:12  lazy, in Mxfp4MoEMethod.create_moe_runner, under elif backend.is_flashinfer_mxfp4():

Remedy  of sglang.srt.layers.moe.moe_runner.flashinfer_cutlass in sglang/srt/layers/moe/moe_runner/runner.py
    add           from sglang.srt.layers.moe.moe_runner import flashinfer_cutlass  # noqa: F401
    where         below sglang/srt/layers/moe/moe_runner/runner.py:18  elif runner_backend.is_flashinfer_mxfp4():
    in a function works
    at the top    closes an import cycle, a risk only: with either end imported first it works today
                  sglang/srt/layers/moe/moe_runner/__init__.py:2  at module level → sglang.srt.layers.moe.moe_runner.runner

The same value  backend flashinfer_mxfp4, with another a2a
    x             deepep: raises NotImplementedError at sglang/srt/layers/moe/moe_runner/runner.py:27

Findings
sglang/srt/layers/moe/moe_runner/flashinfer_cutlass.py:11:1: RR101 ("none", "flashinfer_mxfp4") is registered here, but MoeRunner cannot reach it: 1 of 2 call sites that ask for it have not imported the module; modelopt_quant.py:12 crashes
    rule          unreached-registration, error: `regreach rule RR101` prints its page
"""


def tree_of(case: str) -> str:
    return str(FIXTURES / case / "tree")


def story(key: str, case: str, *options: str) -> Any:
    done = run("explain", key, tree_of(case), "--format", "json", *options)
    assert done.code == 0, done.err
    return done.json()


def test_the_bug_is_told_in_full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert run("explain", KEY, "fixtures/bug/tree") == Done(0, TOLD, "")


@pytest.mark.parametrize(
    "key",
    [
        f"sglang.moe.fused_func:{KEY}",
        f"fused_func:{KEY}",
        f"moe.fused_func:{KEY}",
        "none , flashinfer_mxfp4",
    ],
)
def test_ways_to_write_a_key(key: str) -> None:
    assert story(key, "bug") == story(KEY, "bug")


def test_what_json_says_of_the_bug() -> None:
    told = story(KEY, "bug")
    assert told["registry"] == "sglang.moe.fused_func"
    assert told["cell"]["outcome"] == "raises"
    assert told["cell"]["raised_at"]["line"] == 27
    (loading,) = told["loading"]
    assert loading["by_consumer"] == {"loaded": "no", "chain": []}
    remedy = loading["remedy"]
    assert remedy["needed"] is True
    assert remedy["place"] == "branch"
    assert remedy["branch"]["line"] == 18
    assert remedy["in_function"]["error"] is None
    assert [edge["imported"] for edge in remedy["cycle_at_top"]] == [
        "sglang.srt.layers.moe.moe_runner.runner"
    ]
    crashing, safe = told["call_sites"]
    assert (crashing["outcome"], crashing["loaded"], crashing["loaded_by"]) == ("raises", "no", [])
    ((edge,),) = safe["loaded_by"]
    assert (edge["line"], edge["kind"], edge["guards"]) == (
        12,
        "lazy",
        ["else of: if backend.is_triton():", "elif backend.is_flashinfer_mxfp4():"],
    )
    assert [finding["rule"] for finding in told["findings"]] == ["RR101"]
    (rule,) = told["rules"]
    assert rule["code"] == "RR101"
    assert rule["page"].startswith("# RR101")


@pytest.mark.parametrize(
    ("case", "key", "chain"),
    [
        ("eager-at-top", KEY, ["runner.py"]),
        ("fix-lazy-in-branch", KEY, ["runner.py"]),
        ("helper-in-init-path", KEY, ["runner.py"]),
    ],
)
def test_the_imports_by_which_the_consumer_has_it(case: str, key: str, chain: list[str]) -> None:
    (loading,) = story(key, case)["loading"]
    assert loading["by_consumer"]["loaded"] == "yes"
    names = [edge["path"].rpartition("/")[2] for edge in loading["by_consumer"]["chain"]]
    assert names[: len(chain)] == chain
    assert loading["by_consumer"]["chain"][-1]["imported"] == loading["module"]


def test_why_an_import_that_is_there_must_stay_in_its_function() -> None:
    (loading,) = story(KEY, "fix-lazy-in-branch")["loading"]
    remedy = loading["remedy"]
    assert remedy["needed"] is False
    assert remedy["cycle_at_top"]
    text = run("explain", KEY, tree_of("fix-lazy-in-branch")).out
    assert "\nImport  of sglang.srt.layers.moe.moe_runner.flashinfer_cutlass in " in text
    assert "    at the top    closes an import cycle" in text
    assert "    add  " not in text


def test_the_imports_by_which_the_process_has_it() -> None:
    told = story("none,marlin", "process")
    (loading,) = told["loading"]
    way = loading["by_process"]
    assert way["loaded"] == "yes"
    assert way["chain"][0]["importer"] in told["process_roots"]
    assert way["chain"][-1]["imported"] == loading["module"]


def test_nobody_imports_an_orphan() -> None:
    (loading,) = story(KEY, "orphan")["loading"]
    assert loading["importers"] == []
    assert "    imported by   nobody\n" in run("explain", KEY, tree_of("orphan")).out


def test_on_what_a_maybe_depends() -> None:
    told = story(KEY, "optional-dependency")
    assert told["cell"]["at_lookup"] == "maybe"
    assert told["cell"]["conditions"]
    text = run("explain", KEY, tree_of("optional-dependency")).out
    for condition in told["cell"]["conditions"]:
        place = f"{condition['path']}:{condition['line']}"
        assert f"    depends on    {place}  {condition['text']}\n" in text


def test_the_guard_that_holds_a_registration_back() -> None:
    text = run("explain", KEY, tree_of("environment-switch")).out
    assert "    verdict       guarded: registered behind a guard that does not hold here\n" in text
    assert "\n    guarded by    sglang/" in text


def test_a_counterpart_that_is_missing() -> None:
    told = story("standard,deep_gemm", "permute-without-counterpart")
    (related,) = told["related"]
    assert (related["registry"], related["key"], related["why"]) == (
        "sglang.moe.post_permute",
        ["deep_gemm", "standard"],
        "counterpart",
    )
    assert related["cell"]["registrations"] == []
    assert [finding["rule"] for finding in told["findings"]] == ["RR107"]
    asked = told["consumer"]["asked_later_at"]
    assert [place["path"].rpartition("/")[2] for place in asked] == ["runner.py"]
    text = run("explain", "standard,deep_gemm", tree_of("permute-without-counterpart")).out
    assert "    later asked   sglang/srt/layers/moe/moe_runner/runner.py:" in text
    missing = 'sglang.moe.post_permute  ("deep_gemm", "standard")  nothing registered'
    assert f"\nCounterpart  what is looked up with it\n    x             {missing}\n" in text


def test_an_import_that_dies_of_a_cycle() -> None:
    text = run("explain", KEY, tree_of("import-would-die-of-cycle")).out
    assert "    add           no import works where the consumer asks\n" in text
    assert "    in a function dies of ImportError: " in text


def test_a_value_that_nothing_serves() -> None:
    told = story("none,flashinfer_cutedsl", "accepted-but-unregistered")
    assert told["cell"]["reach"] == "unregistered"
    assert told["loading"] == []
    assert [finding["rule"] for finding in told["findings"]] == ["RR103"]
    assert (
        "nothing registers it"
        in run("explain", "none,flashinfer_cutedsl", tree_of("accepted-but-unregistered")).out
    )


@pytest.mark.parametrize(
    ("key", "near"),
    [
        ("none,flashinfer_mxfp", "none,flashinfer_mxfp4"),
        ("non,triton", "none,triton"),
        ("flashinfer_mxfp4,none", "none,flashinfer_mxfp4"),
        ("flashinfer_mxfp4", "none,flashinfer_mxfp4"),
        ("fused_func:none,tritn", "none,triton"),
        ("deepep,flashinfer_cutlas", "deepep,flashinfer_cutlass"),
    ],
)
def test_an_unknown_key_names_those_that_are_near(key: str, near: str) -> None:
    message = fails(run("explain", key, BUG), 2)
    assert message.startswith(f"there is no key ({', '.join(_quoted(key))}")
    assert near in message.partition("near are: ")[2].split("; ")


def _quoted(key: str) -> list[str]:
    return [f'"{part}"' for part in key.rpartition(":")[2].split(",")]


def test_a_key_of_several_registries(tmp_path: Path) -> None:
    start = PACK.index("[[registries]]")
    registry = PACK[start : PACK.index("[common]")]
    second = registry.replace("shop.handlers", "shop.refunds")
    pack = tmp_path / "shop.toml"
    pack.write_text(PACK[:start] + registry + second + PACK[PACK.index("[common]") :], "utf-8")
    tree = str(write(tmp_path / "tree", SHOP))
    message = fails(run("explain", "eu,card", tree, "--pack", str(pack)), 2)
    ways = "shop.handlers:eu,card, shop.refunds:eu,card"
    assert message == f"'eu,card' is in several registries; say which: {ways}"
    for way in ways.split(", "):
        told = run("explain", way, tree, "--pack", str(pack), "--format", "json", "-q").json()
        assert told["registry"] == way.partition(":")[0]


def test_a_key_that_nothing_is_near_to() -> None:
    message = fails(run("explain", "zzz,qqq", BUG), 2)
    assert "near" not in message
    assert "sglang.moe.fused_func (a2a,backend)" in message


@pytest.mark.parametrize("key", ["", ",", " , "])
def test_an_empty_key(key: str) -> None:
    assert fails(run("explain", key, BUG), 2).startswith("the key is empty")


def test_a_tree_without_the_registries() -> None:
    message = fails(run("explain", KEY, tree_of("no-moe")), 2)
    assert message == f"there is no key {KEY!r}: this tree has none of the pack's registries"


def test_the_fields_of_json_are_described() -> None:
    page = (ROOT / "docs" / "explain.md").read_text(encoding="utf-8")
    described = set(re.findall(r"`(\w+)(?:\[\])?`", page.partition("## JSON")[2]))
    told = story(KEY, "bug")
    remedy = told["loading"][0]["remedy"]
    for part in (told, told["consumer"], *told["loading"], remedy, remedy["at_top"]):
        assert part.keys() <= described
    for part in (*told["call_sites"], *told["rules"]):
        assert part.keys() <= described
    (related,) = story("standard,triton", "bug")["related"]
    assert related.keys() <= described


def every_story(case: str) -> list[tuple[Any, Any]]:
    """The stories of all registered keys of a fixture beside their cells in the audit."""
    audit = run("audit", tree_of(case), "--format", "json").json()
    return [
        (story(f"{registry['id']}:{','.join(cell['key'])}", case), cell)
        for registry in audit["registries"]
        for cell in registry["cells"]
        if cell["registrations"]
    ]


@pytest.mark.parametrize("case", CASES)
def test_every_registered_key_of_each_fixture(case: str) -> None:
    for told, cell in every_story(case):
        # what is told is what the audit says, but for imports that are only of interest to a story
        assert {**told["cell"], "importers": 0} == {**cell, "importers": 0}
        registering = [loading["module"] for loading in told["loading"]]
        assert sorted(set(registering)) == sorted({r["module"] for r in cell["registrations"]})
        home = told["consumer"]["path"].partition(":")[0]
        for loading in told["loading"]:
            check_chain(loading["by_consumer"], loading["module"])
            if len(registering) == 1 and cell["outcome"] != "unreached":
                assert (
                    loading["by_consumer"]["loaded"] == cell["at_lookup"] or cell["outcome"] != "ok"
                )
            if loading["by_process"] is not None:
                check_chain(loading["by_process"], loading["module"])
            if loading["remedy"] is not None and loading["remedy"]["cycle_at_top"]:
                ends = loading["remedy"]["cycle_at_top"][-1]["imported"]
                assert ends in (home, loading["module"])
        for site in told["call_sites"]:
            for way in site["loaded_by"]:
                check_chain({"loaded": site["loaded"], "chain": way}, way[-1]["imported"])
                assert way[-1]["imported"] in registering


def check_chain(way: dict[str, Any], goal: str) -> None:
    """Each import of a chain makes the next module import, and the last is of what is to be loaded."""
    edges = way["chain"]
    assert way["loaded"] != "no" or edges == []
    for edge, following in pairwise(edges):
        assert edge["imported"] == following["importer"]
    if edges:
        assert edges[-1]["imported"] == goal
