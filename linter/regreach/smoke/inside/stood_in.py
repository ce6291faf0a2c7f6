"""Stand-ins for packages without which the tree cannot be imported; the forward must not touch one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from regreach.probe.inside.stand_in import Ground
else:
    from _regreach_probe.stand_in import Ground


class TouchedError(Exception):
    """The forward has used a stand-in: what it computes is worth nothing."""


class GuardedGround(Ground):
    """A ground on which, once it is closed, no stand-in may be used."""

    closed = False
    touched: str | None = None

    def used(self, what: str) -> None:
        """Raise TouchedError when the forward has begun; ``touched`` keeps it, should that be caught."""
        if self.closed:
            self.touched = f"the forward uses {what}, which is not installed"
            raise TouchedError(self.touched)

    def decide(self, what: str, default: bool = True) -> bool:
        """Answer as a ground does."""
        self.used(what)
        return super().decide(what, default)

    def note(self, what: str) -> None:
        """Note as a ground does."""
        self.used(what)
        super().note(what)
