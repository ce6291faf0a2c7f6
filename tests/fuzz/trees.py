"""Trees in the shape that the pack `sglang` knows: a runner, its registries, and modules that import each other."""

from __future__ import annotations

import textwrap
from pathlib import Path
from random import Random

FIXTURE = Path(__file__).parent.parent.parent / "fixtures" / "bug" / "tree"
MOE = "sglang.srt.layers.moe"
RUNNER = f"{MOE}.moe_runner"
KERNELS = "sglang.srt.kernels"
ROOT = "sglang.srt.managers.scheduler"
_BACKENDS = ["triton", "flashinfer_cutlass", "flashinfer_mxfp4"]
_KEPT = ("moe/utils.py", "moe_runner/base.py", "moe_runner/runner.py")

Files = dict[str, str]


def generated(rng: Random) -> Files:
    """Return the files of a tree, by path."""
    return _Tree(rng).files()


class _Tree:
    def __init__(self, rng: Random) -> None:
        self._rng = rng
        count = rng.randrange(2, 6)
        places = [RUNNER, KERNELS, f"{KERNELS}.deep", "sglang.srt.layers.quantization"]
        self._modules = [f"{rng.choice(places)}.k{i}" for i in range(count)]
        self._sites = [f"sglang.srt.layers.quantization.q{i}" for i in range(rng.randrange(1, 3))]
        self._packages = [KERNELS, f"{KERNELS}.deep"]
        self._targets = [*self._modules, *self._packages, *self._sites[:1], f"{RUNNER}.base"]

    def files(self) -> Files:
        """Return the files: fixed ones of a fixture, and generated ones."""
        found = {
            file.relative_to(FIXTURE).as_posix(): file.read_text()
            for file in sorted(FIXTURE.rglob("*.py"))
            if file.as_posix().endswith(_KEPT)
        }
        for package in (
            "sglang",
            "sglang.srt",
            "sglang.srt.layers",
            "sglang.srt.managers",
            MOE,
            RUNNER,
        ):
            found[_path(package, True)] = ""
        found[_path("sglang.srt.layers.quantization", True)] = self.some(
            "sglang.srt.layers.quantization", True, 0.15
        )
        found[_path(RUNNER, True)] = self.some(RUNNER, True, 0.4)
        for package in self._packages:
            if self._rng.random() < 0.85:
                found[_path(package, True)] = self.some(package, True, 0.6)
        for module in self._modules:
            found[_path(module, False)] = self.module(module)
        for module in self._sites:
            found[_path(module, False)] = self.site(module)
        runner = _path(f"{RUNNER}.runner", False)
        text = found[runner].replace(
            f"from {RUNNER}.triton import TritonRunnerCore\n", "", 1
        ).replace("TritonRunnerCore(config)", "None", 1)  # fmt: skip
        if self._rng.random() < 0.5:
            text = self.some(f"{RUNNER}.runner", False, 1) + text
        if self._rng.random() < 0.5:
            mark = "is_flashinfer_mxfp4():\n"
            lazy = textwrap.indent(self.loading(f"{RUNNER}.runner", False), " " * 12)
            text = text.replace(mark, mark + lazy, 1)
        found[runner] = text
        found[_path(ROOT, False)] = self.some(ROOT, False, 1) + self.some(ROOT, False, 0.5)
        return found

    def pick(self, *options: str) -> str:
        return self._rng.choice(options)

    def some(self, module: str, is_package: bool, chance: float) -> str:
        """Return statements that import modules, perhaps none."""
        text = ""
        while self._rng.random() < chance:
            text += self.loading(module, is_package)
            chance *= 0.6
        return text

    def module(self, module: str) -> str:
        text = self.some(module, False, 0.4)
        text += f"from {RUNNER}.base import register_fused_func\nNAME = {module!r}\n"
        for _ in range(self._rng.choice([0, 1, 1, 1, 2])):
            backend = self._rng.choice(_BACKENDS)
            registration = (
                f"@register_fused_func('none', {backend!r})\n"
                f"def f_{backend}(output, info, config):\n    return output\n"
            )
            guard = self.pick(
                "", "", "", "if NAME:\n", "if not NAME:\n", "for _ in [1]:\n", "def later():\n"
            )
            text += guard + (textwrap.indent(registration, "    ") if guard else registration)
            if guard.startswith("def") and self._rng.random() < 0.6:
                text += "later()\n"
        text += self.pick(
            "", "", "", "__all__ = ['NAME']\n", "raise ImportError('not here')\n", "1 / 0\n"
        )
        return text + self.some(module, False, 0.2)

    def site(self, module: str) -> str:
        before = self.some(module, False, 0.3)
        lazy = self.some(module, False, 0.6).replace("import *", "import NAME")
        guard = self.pick(
            "", "", "if backend.is_flashinfer_mxfp4():\n", "if not backend.is_triton():\n"
        )
        if guard and lazy:
            lazy = guard + textwrap.indent(lazy, "    ")
        body = f"backend = get_moe_runner_backend()\n{lazy}self.runner = MoeRunner(backend, moe_runner_config)\n"
        return (
            f"{before}from {RUNNER}.runner import MoeRunner\nfrom {MOE}.utils import get_moe_runner_backend\n\n\n"
            "class Method:\n    def create_moe_runner(self, layer, moe_runner_config):\n"
            + textwrap.indent(body, " " * 8)
        )

    def loading(self, module: str, is_package: bool) -> str:
        """Return one way to import a module, or not to."""
        target = self._rng.choice([t for t in self._targets if t != module])
        parent, _, last = target.rpartition(".")
        plain = self.pick(
            f"import {target}\n", f"import {target} as m\n", f"from {parent} import {last}\n",
            f"from {target} import NAME\n", f"from {_relative(module, is_package, parent)} import {last}\n",
            f"import os, {target}; x = 1\n", f"from {parent} import (\n    {last},  # )\n)\n",
            f"import importlib\nimportlib.import_module({target!r})\n", f"__import__({target!r})\n",
            f"import importlib\nfor n in [{last!r}]:\n    importlib.import_module(f'{parent}.{{n}}')\n",
        )  # fmt: skip
        inner = textwrap.indent(plain, "    ")
        loop = (
            f"import importlib, pkgutil\nimport {KERNELS} as package\n"
            "for info in pkgutil.iter_modules(package.__path__):\n"
            "    importlib.import_module(f'{package.__name__}.{info.name}')\n"
        )
        hook = (
            f"def __getattr__(name):\n    if name == 'lazy':\n{textwrap.indent(inner, '    ')}"
            "        return 1\n    raise AttributeError(name)\n"
        )
        forms = [
            *[plain] * 8,
            f"try:\n{inner}except ImportError:\n    pass\n",
            f"try:\n{inner}except Exception:\n    x = 0\n",
            f"def load():\n{inner}\n\nload()\n",
            f"def load():\n{inner}\n",
            f"from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n{inner}",
            f"if 1:\n    def g():\n        pass\n    if g:\n{textwrap.indent(inner, '    ')}",
            f"class Loads:\n{inner}",
            loop,
        ]
        if module != ROOT and not module.endswith(("q0", "q1", "runner")):
            forms += [hook, f"from {target} import *\n"]
        return self._rng.choice(forms)


def _path(module: str, is_package: bool) -> str:
    return module.replace(".", "/") + ("/__init__.py" if is_package else ".py")


def _relative(module: str, is_package: bool, target: str) -> str:
    """Return how a module names a package relatively."""
    own = module.split(".") if is_package else module.split(".")[:-1]
    wanted = target.split(".")
    common = 0
    while common < min(len(own), len(wanted)) and own[common] == wanted[common]:
        common += 1
    return "." * (len(own) - common + 1) + ".".join(wanted[common:])
