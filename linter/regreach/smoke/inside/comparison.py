"""How far an output is from its reference."""

from __future__ import annotations

from typing import Any

import numpy as np

from .script import ScriptError


def checked_reference(reference: Any) -> Any:
    """Return a reference as a float32 array of its own. Raises ScriptError when it is none."""
    found = np.asarray(reference)
    if found.dtype.kind != "f" or not found.size or not np.isfinite(found).all():
        raise ScriptError("reference() must return an array of finite floats")
    return np.array(found, dtype=np.float32)


def compare(output: Any, reference: Any) -> dict[str, Any]:
    """Return how far an output is from its reference: relative errors in the Frobenius norm.

    ``error`` is that of the whole, ``worst`` the greatest of a row (a token); both are None when the
    output is not finite everywhere, which ``finite`` says, or has another shape.
    """
    same_shape = output.shape == reference.shape
    finite = bool(np.isfinite(output).all())
    result: dict[str, Any] = {"finite": finite, "error": None, "worst": None}
    result["shape"] = None if same_shape else f"{output.shape} instead of {reference.shape}"
    if same_shape and finite:
        difference = (output - reference).astype(np.float64)
        norms = np.linalg.norm(reference.astype(np.float64), axis=-1)
        smallest = np.finfo(np.float64).tiny
        result["error"] = float(np.linalg.norm(difference) / max(np.linalg.norm(norms), smallest))
        rows = np.linalg.norm(difference, axis=-1) / np.maximum(norms, smallest)
        result["worst"] = float(rows.max())
    return result


def as_numpy(output: Any) -> Any:
    """Return an output as a float32 array on the host."""
    if hasattr(output, "detach"):
        output = output.detach().float().cpu().numpy()
    found = np.asarray(output)
    if found.dtype.kind not in "fiu":
        raise TypeError(f"the output is an array of {found.dtype}, not of real numbers")
    return found.astype(np.float32)
