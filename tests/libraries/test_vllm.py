"""The pack for vLLM, on little trees in its shape: a hit and a near miss for each rule that it can fire."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest
from command_line import ROOT, run
from tree_making import Files, write

PACK = str(ROOT / "rules/regreach_rules/packs/vllm.toml")

OPS = {
    "vllm/__init__.py": "",
    "vllm/utils/__init__.py": "",
    "vllm/utils/torch_utils.py": """\
        def direct_register_custom_op(op_name, op_func, mutates_args=None, fake_impl=None, target_lib=None): ...
        """,
    "vllm/v1/__init__.py": "",
    "vllm/v1/engine/__init__.py": "",
    "vllm/v1/engine/core.py": "import vllm.linear\n",
    "vllm/linear.py": """\
        import torch
        def apply(x):
            import vllm.gemm  # noqa: F401
            return torch.ops.vllm.block_gemm(x)
        """,
    "vllm/gemm.py": """\
        from vllm.utils.torch_utils import direct_register_custom_op
        def gemm(x): ...
        direct_register_custom_op(op_name="block_gemm", op_func=gemm)
        """,
}
UNIMPORTED = OPS["vllm/linear.py"].replace("    import vllm.gemm  # noqa: F401\n", "")
OTHER_GEMM = """\
    from vllm.utils.torch_utils import direct_register_custom_op
    def other(x): ...
    direct_register_custom_op("block_gemm", other)
    """
OTHER_LIBRARY = OTHER_GEMM.replace(", other)", ", other, target_lib=LIB)")
BOTH = OPS["vllm/v1/engine/core.py"] + "import vllm.gemm, vllm.other\n"

MODELS = {
    "vllm/__init__.py": "",
    "vllm/model_executor/__init__.py": "",
    "vllm/model_executor/models/__init__.py": "",
    "vllm/model_executor/models/registry.py": """\
        import importlib
        _TEXT_GENERATION_MODELS = {
            "LlamaForCausalLM": ("llama", "LlamaForCausalLM"),
            "PhiForCausalLM": ("phi", "PhiForCausalLM"),
            "BeamForCausalLM": ("vllm.models.beam", "BeamForCausalLM"),
        }
        def _whole(name):
            return name if name.startswith("vllm.") else f"vllm.model_executor.models.{name}"
        class _ModelRegistry:
            def resolve_model_cls(self, name):
                module, attribute = _TEXT_GENERATION_MODELS[name]
                return getattr(importlib.import_module(_whole(module)), attribute)
            def register_model(self, model_arch, model_cls): ...
        ModelRegistry = _ModelRegistry()
        """,
    "vllm/model_executor/models/llama.py": "class LlamaForCausalLM: ...\n",
    "vllm/model_executor/models/phi.py": "from .llama import LlamaForCausalLM as PhiForCausalLM\n",
    "vllm/models/__init__.py": "",
    "vllm/models/beam.py": "class BeamForCausalLM: ...\n",
}
REGISTRY = "vllm/model_executor/models/registry.py"

QUANTIZATION = {
    "vllm/__init__.py": "",
    "vllm/config/__init__.py": "",
    "vllm/config/quantization.py": '_ONLINE_SHORTHANDS = {"fp8_online": object(), "int8_online": object()}\n',
    "vllm/model_executor/__init__.py": "",
    "vllm/model_executor/layers/__init__.py": "",
    "vllm/model_executor/layers/quantization/__init__.py": """\
        from typing import Literal, get_args
        QuantizationMethods = Literal["awq", "fp8", "fp8_online"]
        QUANTIZATION_METHODS = list(get_args(QuantizationMethods))
        _CUSTOMIZED_METHOD_TO_QUANT_CONFIG = {}
        def register_quantization_config(quantization):
            def wrapper(cls):
                QUANTIZATION_METHODS.append(quantization)
                _CUSTOMIZED_METHOD_TO_QUANT_CONFIG[quantization] = cls
                return cls
            return wrapper
        def get_quantization_config(quantization):
            from vllm.config.quantization import _ONLINE_SHORTHANDS
            method_to_config = {
                "awq": object,
                "fp8": object,
            }
            for shorthand in _ONLINE_SHORTHANDS:
                method_to_config.setdefault(shorthand, object)
            method_to_config.update(_CUSTOMIZED_METHOD_TO_QUANT_CONFIG)
            return method_to_config[quantization]
        """,
}
METHODS = "vllm/model_executor/layers/quantization/__init__.py"

PARSERS = {
    "vllm/__init__.py": "",
    "vllm/entrypoints/__init__.py": "",
    "vllm/entrypoints/openai/__init__.py": "",
    "vllm/entrypoints/openai/api_server.py": "from vllm.entrypoints.openai.tool_parsers import ToolParserManager\n",
    "vllm/entrypoints/openai/tool_parsers/__init__.py": """\
        from .abstract_tool_parser import ToolParserManager
        from .hermes_tool_parser import Hermes
        """,
    "vllm/entrypoints/openai/tool_parsers/abstract_tool_parser.py": """\
        class ToolParserManager:
            tool_parsers = {}
            @classmethod
            def get_tool_parser(cls, name): return cls.tool_parsers[name]
            @classmethod
            def register_module(cls, name=None, force=True, module=None):
                def register(module):
                    for each in [name] if isinstance(name, str) else name:
                        cls.tool_parsers[each] = module
                    return module
                return register
        """,
    "vllm/entrypoints/openai/tool_parsers/hermes_tool_parser.py": """\
        from .abstract_tool_parser import ToolParserManager
        @ToolParserManager.register_module(["hermes"])
        class Hermes: ...
        """,
}
XLAM = "vllm/entrypoints/openai/tool_parsers/xlam_tool_parser.py"
XLAM_PARSER = PARSERS["vllm/entrypoints/openai/tool_parsers/hermes_tool_parser.py"].replace(
    "hermes", "xlam"
)


def told(folder: Path, files: Files) -> list[str]:
    """What ``check`` says of a tree: rule, key and place."""
    write(folder, {name: dedent(text) for name, text in files.items()})
    done = run("check", str(folder), "--pack", PACK, "--format", "json")
    assert done.code in (0, 1), done
    findings = done.json()["findings"]
    return [f"{f['rule']} {f['message'].split()[0]} {f['path']}:{f['line']}" for f in findings]


@pytest.mark.parametrize(
    ("files", "findings"),
    [
        # an operator that another module's import has to register (vLLM pull request 19514)
        (OPS, []),
        (OPS | {"vllm/linear.py": UNIMPORTED}, ['RR101 "block_gemm" vllm/linear.py:3']),
        (OPS | {"vllm/linear.py": UNIMPORTED, "vllm/v1/engine/core.py": BOTH.split(",")[0]}, []),
        # one that nobody registers, or in another library only
        (OPS | {"vllm/gemm.py": OTHER_GEMM.replace('"block_gemm"', '"gemm"')}, ['RR104 "block_gemm" vllm/linear.py:4']),
        (OPS | {"vllm/gemm.py": OTHER_LIBRARY}, ['RR104 "block_gemm" vllm/linear.py:4']),
        # one of a name that two modules register
        (
            OPS | {"vllm/other.py": OTHER_GEMM, "vllm/v1/engine/core.py": BOTH},
            ['RR105 "block_gemm" vllm/other.py:3'],
        ),
        (OPS | {"vllm/other.py": OTHER_LIBRARY, "vllm/v1/engine/core.py": BOTH}, []),
    ],
)  # fmt: skip
def test_custom_operators(files: Files, findings: list[str], tmp_path: Path) -> None:
    assert told(tmp_path, files) == findings


def test_models(tmp_path: Path) -> None:
    """Names below the package of models, and whole names elsewhere."""
    assert told(tmp_path / "whole", MODELS) == []
    wrong = (
        MODELS[REGISTRY]
        .replace('("phi", "Phi', '("phi4", "Phi')
        .replace('("llama", "Llama', '("llama", "Lama')
        .replace('"vllm.models.beam"', '"vllm.models.gone"')
    )
    assert told(tmp_path / "wrong", MODELS | {REGISTRY: wrong}) == [
        f'RR112 "LlamaForCausalLM" {REGISTRY}:3',
        f'RR112 "PhiForCausalLM" {REGISTRY}:4',
        f'RR112 "BeamForCausalLM" {REGISTRY}:5',
    ]


@pytest.mark.parametrize(
    ("old", "new", "findings"),
    [
        ("fp8_online", "fp8_online", []),
        ("fp8_online", "int8_online", []),
        ("fp8_online", "fp4_online", [f'RR104 "fp4_online" {METHODS}:2']),
        ('            "awq": object,\n', "", [f'RR104 "awq" {METHODS}:2']),
    ],
)
def test_quantization_methods(old: str, new: str, findings: list[str], tmp_path: Path) -> None:
    """Of the names in the literal, each has an entry: in the dict, or by the loop over the shorthands."""
    text = QUANTIZATION[METHODS].replace(old, new)
    assert told(tmp_path, QUANTIZATION | {METHODS: text}) == findings


def test_a_tool_parser_that_the_package_forgets(tmp_path: Path) -> None:
    """As it was up to 0.11.0: decorators, and a package that imports what they stand in."""
    assert told(tmp_path / "all", PARSERS) == []
    files = PARSERS | {XLAM: XLAM_PARSER}
    assert told(tmp_path / "forgotten", files) == [f'RR101 "xlam" {XLAM}:2']
    package = "vllm/entrypoints/openai/tool_parsers/__init__.py"
    files[package] = dedent(files[package]) + "from .xlam_tool_parser import Hermes as Xlam\n"
    assert told(tmp_path / "imported", files) == []
