"""How something that was executed ended."""

from __future__ import annotations

from dataclasses import dataclass

from regreach.probe.servers import Result


@dataclass(frozen=True, slots=True)
class Ending:
    """How something ended: ``ok``, or the exception, its message, and the innermost line of the tree.

    ``unjudged`` says why it is no truth: the process died, or a stand-in decided something.
    """

    ok: bool
    exception: str | None = None
    message: str = ""
    raised_at: tuple[str, int] | None = None
    unjudged: str | None = None


def ending_of(result: Result) -> Ending:
    """Return how a case ended, of what a process says of it."""
    raised = result.get("raised_at")
    unjudged = None
    if result.get("died"):
        unjudged = result["message"]
    elif result.get("decisions"):
        unjudged = f"a stand-in decided: {result['decisions'][0]}"
    return Ending(
        result["ok"],
        result.get("exception"),
        result.get("message", ""),
        (raised[0], raised[1]) if raised else None,
        unjudged,
    )
