"""What any forward through sglang's ``MoeRunner`` needs; names as in its releases since 0.5.13."""

from __future__ import annotations

import importlib
import socket
from collections.abc import Mapping
from typing import Any

import numpy as np

from . import moe

Shape = Mapping[str, Any]


def config(shape: Shape) -> dict[str, Any]:
    """Return the fields of ``MoeRunnerConfig`` for a shape; those a release lacks are left out."""
    import torch

    return {
        "num_experts": shape["experts"],
        "num_local_experts": shape["experts"],
        "hidden_size": shape["hidden"],
        "intermediate_size_per_partition": shape["intermediate"],
        "top_k": shape["top_k"],
        "params_dtype": torch.bfloat16,
        "activation": "silu",
        "is_gated": True,
        "inplace": False,  # an output of its own, so that what is not written shows
    }


def set_up() -> None:
    """Make this process the only one of its group, as a server with one GPU does."""
    import torch
    from sglang.srt.distributed import parallel_state

    if torch.distributed.is_initialized():
        return
    torch.cuda.set_device(0)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    parallel_state.init_distributed_environment(
        world_size=1,
        rank=0,
        local_rank=0,
        backend="nccl",
        distributed_init_method=f"tcp://127.0.0.1:{port}",
    )
    parallel_state.initialize_model_parallel()


class Case:
    """Tokens and a routing for a shape; a subclass has the weights.

    ``run`` gives the tokens to the runner, as a layer does after its dispatcher; ``moved`` is the least
    number of bytes that a forward reads and writes: the weights of experts that have a token, the
    tokens, and the output.
    """

    weight_bytes: int
    """Of one expert."""

    def __init__(self, shape: Shape, seed: int, entry: Any) -> None:
        self.shape = shape
        self.entry = entry
        self.rng = np.random.default_rng(seed)
        self.tokens = moe.random_tokens(self.rng, shape["tokens"], shape["hidden"])
        self.weights, self.ids, self.logits = moe.route(
            self.rng, shape["tokens"], shape["experts"], shape["top_k"]
        )
        self._given: tuple[Any, Any] | None = None

    @property
    def moved(self) -> int:
        """Return the bytes that a forward has to move at least."""
        return len(np.unique(self.ids)) * self.weight_bytes + 2 * 2 * self.tokens.size

    def reference(self) -> Any:
        """Return the output in float32."""
        return moe.forward(self.tokens, self.weights, self.ids, self.expert)

    def expert(self, index: int) -> tuple[Any, Any, Any]:
        """Return an expert's gate, up and down in float32."""
        raise NotImplementedError

    def quant_info(self) -> Any:
        """Return what the registered function takes the weights from, on the GPU."""
        raise NotImplementedError

    def run(self, runner: Any) -> Any:
        """Return the output of the runner's forward, still on the GPU."""
        if self._given is None:
            self._given = self._dispatched(), self.quant_info()
        return runner.run(*self._given).hidden_states

    def from_entry(self, name: str) -> Any:
        """Return what the module of the registered function calls by a name."""
        return getattr(importlib.import_module(self.entry.__module__), name)

    def _dispatched(self) -> Any:
        import torch
        from sglang.srt.layers.moe.token_dispatcher.standard import StandardDispatchOutput
        from sglang.srt.layers.moe.topk import StandardTopKOutput

        tokens = to_gpu(self.tokens).to(torch.bfloat16)
        top_k = StandardTopKOutput(to_gpu(self.weights), to_gpu(self.ids), to_gpu(self.logits))
        return StandardDispatchOutput(tokens, None, top_k)


def to_gpu(array: Any) -> Any:
    """Return a numpy array as a tensor on the GPU."""
    import torch

    return torch.from_numpy(np.ascontiguousarray(array)).cuda()
