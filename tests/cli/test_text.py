"""The whole text output on three fixtures, so that every change of a word is seen."""

# ruff: noqa: E501 - lines are as long as the output's
from __future__ import annotations

import pytest
from command_line import ROOT, Done, run


@pytest.fixture(autouse=True)
def _at_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


BUG_RR101 = """\
sglang/srt/layers/moe/moe_runner/flashinfer_cutlass.py:11:1: RR101 ("none", "flashinfer_mxfp4") is registered here, but MoeRunner cannot reach it: 1 of 2 call sites that ask for it have not imported the module; modelopt_quant.py:12 crashes
    registered    sglang/srt/layers/moe/moe_runner/flashinfer_cutlass.py:11  fused_experts_none_to_flashinfer_mxfp4
    branch        sglang/srt/layers/moe/moe_runner/runner.py:18  elif runner_backend.is_flashinfer_mxfp4():
    looked up     sglang/srt/layers/moe/moe_runner/runner.py:25  self.fused_func = FusedOpPool.get_fused_func(a2a_name, runner_backend.v…
    raises        sglang/srt/layers/moe/moe_runner/runner.py:27  NotImplementedError
    crashes       sglang/srt/layers/quantization/modelopt_quant.py:12  ModelOptFusedMoEMethod.create_moe_runner
    saves itself  mxfp4.py:14 (Mxfp4MoEMethod)
    imported by   modelopt_quant.py:10 (if backend.is_flashinfer_cutlass()), mxfp4.py:12 (lazy)
    add           from sglang.srt.layers.moe.moe_runner import flashinfer_cutlass  # noqa: F401
    where         below sglang/srt/layers/moe/moe_runner/runner.py:18, before the look-up
    why lazy      at the top of the module it closes an import cycle: runner → moe_runner/__init__.py:2 → runner; a risk only: with either end imported first it works today
"""
BUG_RR102 = """\
sglang/srt/layers/moe/moe_runner/flashinfer_cutlass.py:6:1: RR102 ("none", "flashinfer_cutlass") is there when MoeRunner asks for it only because each caller imports the module itself
    registered    sglang/srt/layers/moe/moe_runner/flashinfer_cutlass.py:6  fused_experts_none_to_flashinfer_cutlass
    looked up     sglang/srt/layers/moe/moe_runner/runner.py:25  self.fused_func = FusedOpPool.get_fused_func(a2a_name, runner_backend.v…
    relies on     modelopt_quant.py:10 (lazy)
"""


def test_bug() -> None:
    err = """\
help: `regreach fix` mends 1 of 1; `regreach rule RR101` tells why it matters
1 error, 1 warning
"""
    head = """\
fixtures/bug/tree  sglang, 13 modules, platform cuda
importing the consumer executes 9 modules

sglang.moe.fused_func  3 registered of 8 keys
  backend             none
  auto                x
  triton              ok
  flashinfer_cutlass  caller
  flashinfer_mxfp4    MISSING
  nothing registered for a2a deepep

sglang.moe.pre_permute  1 registered of 1 keys
  backend  standard
  triton   ok

sglang.moe.post_permute  1 registered of 1 keys
  combine_format  triton
  standard        ok

  ok       registered, and loaded by the consumer itself
  caller   every caller loads it
  MISSING  registered, not loaded when it is looked up
  -        nothing registered; works without
  x        nothing registered; refused or raises

"""
    sites = """
3 call sites
  sglang/srt/layers/quantization/modelopt_quant.py:12  backend  fails for flashinfer_mxfp4
  sglang/srt/layers/quantization/mxfp4.py:10  backend
  sglang/srt/layers/quantization/mxfp4.py:14  backend
"""
    assert run("check", "fixtures/bug/tree") == Done(1, BUG_RR101 + BUG_RR102, err)
    out = head + BUG_RR101 + "\n" + BUG_RR102 + sites
    assert run("audit", "fixtures/bug/tree") == Done(1, out, err)


UNSERVED_RR103 = """\
sglang/srt/layers/moe/moe_runner/runner.py:30:1: RR103 "flashinfer_cutedsl" is accepted by MoeRunner, but nothing is registered for it under any key, and the look-up raises NotImplementedError
    branch        sglang/srt/layers/moe/moe_runner/runner.py:24  elif runner_backend.is_flashinfer_cutedsl():
    looked up     sglang/srt/layers/moe/moe_runner/runner.py:30  self.fused_func = FusedOpPool.get_fused_func(a2a_name, runner_backend.v…
    raises        sglang/srt/layers/moe/moe_runner/runner.py:32  NotImplementedError
    crashes       sglang/srt/layers/quantization/modelopt_quant.py:9  ModelOptFusedMoEMethod.create_moe_runner
"""


def test_accepted_but_unregistered() -> None:
    err = """\
help: `regreach rule RR103` tells why it matters
1 error
"""
    head = """\
fixtures/accepted-but-unregistered/tree  sglang, 13 modules, platform cuda
importing the consumer executes 9 modules

sglang.moe.fused_func  2 registered of 10 keys
  backend             none  deepep
  auto                x     x
  triton              ok    -
  aiter               -     -
  marlin              x     ok
  flashinfer_cutedsl  x     x

sglang.moe.pre_permute  1 registered of 1 keys
  backend  standard
  triton   ok

sglang.moe.post_permute  1 registered of 1 keys
  combine_format  triton
  standard        ok

  ok       registered, and loaded by the consumer itself
  -        nothing registered; works without
  x        nothing registered; refused or raises

"""
    sites = """
1 call site
  sglang/srt/layers/quantization/modelopt_quant.py:9  backend
"""
    assert run("check", "fixtures/accepted-but-unregistered/tree") == Done(1, UNSERVED_RR103, err)
    out = head + UNSERVED_RR103 + sites
    assert run("audit", "fixtures/accepted-but-unregistered/tree") == Done(1, out, err)


UNREACHED_RR101 = """\
sglang/srt/layers/moe/moe_runner/flashinfer_cutlass.py:6:1: RR101 ("none", "flashinfer_mxfp4") is registered here, but MoeRunner cannot reach it: 1 of 2 call sites that ask for it have not imported the module; modelopt_quant.py:9 crashes
    registered    sglang/srt/layers/moe/moe_runner/flashinfer_cutlass.py:6  fused_experts_none_to_flashinfer_mxfp4
    branch        sglang/srt/layers/moe/moe_runner/runner.py:16  elif runner_backend.is_flashinfer_mxfp4():
    looked up     sglang/srt/layers/moe/moe_runner/runner.py:22  self.fused_func = FusedOpPool.get_fused_func(a2a_name, runner_backend.v…
    raises        sglang/srt/layers/moe/moe_runner/runner.py:24  NotImplementedError
    crashes       sglang/srt/layers/quantization/modelopt_quant.py:9  ModelOptFusedMoEMethod.create_moe_runner
    saves itself  mxfp4.py:11 (Mxfp4MoEMethod)
    imported by   mxfp4.py:8 (lazy)
    add           from sglang.srt.layers.moe.moe_runner import flashinfer_cutlass  # noqa: F401
    where         below sglang/srt/layers/moe/moe_runner/runner.py:16, before the look-up
    why lazy      at the top of the module it closes an import cycle: runner → moe_runner/__init__.py:2 → runner; a risk only: with either end imported first it works today
"""


def test_syntax_error() -> None:
    err = """\
sglang/srt/layers/quantization/broken.py:6:23: not read: invalid syntax
help: `regreach fix` mends 1 of 1; `regreach rule RR101` tells why it matters
1 error
"""
    head = """\
fixtures/syntax-error/tree  sglang, 14 modules, platform cuda
importing the consumer executes 9 modules

sglang.moe.fused_func  2 registered of 6 keys
  backend           none
  auto              x
  triton            ok
  flashinfer_mxfp4  MISSING
  nothing registered for a2a deepep

sglang.moe.pre_permute  1 registered of 1 keys
  backend  standard
  triton   ok

sglang.moe.post_permute  1 registered of 1 keys
  combine_format  triton
  standard        ok

  ok       registered, and loaded by the consumer itself
  MISSING  registered, not loaded when it is looked up
  -        nothing registered; works without
  x        nothing registered; refused or raises

"""
    sites = """
2 call sites
  sglang/srt/layers/quantization/modelopt_quant.py:9  backend  fails for flashinfer_mxfp4
  sglang/srt/layers/quantization/mxfp4.py:11  backend
"""
    assert run("check", "fixtures/syntax-error/tree") == Done(1, UNREACHED_RR101, err)
    out = head + UNREACHED_RR101 + sites
    assert run("audit", "fixtures/syntax-error/tree") == Done(1, out, err)
