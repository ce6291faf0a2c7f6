"""The paths through a module, one by one."""

from __future__ import annotations


class Explorer:
    """Takes one way at each unknown branch of a module, another one in the next run, until all were taken.

    Merging forgets what goes together (the import and the value that are set in one branch); running
    the paths one by one does not. A condition that is asked again on one path (``subject``: its text)
    is answered as before. When there are too many paths, the later branches of each are merged.
    """

    def __init__(self, module: str, limit: int) -> None:
        self.module = module
        self._limit = limit
        self._runs = 0
        self._decisions: list[
            bool
        ] = []  # of the present run; the next run repeats all but the last
        self._next = 0
        self._answers: dict[str, bool] = {}

    def decide(self, subject: str | None) -> bool | None:
        """Return the way to take, True for the first; None to run both and merge them."""
        if subject is not None and subject in self._answers:
            return self._answers[subject]
        if self._next == len(self._decisions):
            if 2 ** len(self._decisions) * 2 > self._limit:
                return None
            self._decisions.append(True)
        decision = self._decisions[self._next]
        self._next += 1
        if subject is not None:
            self._answers[subject] = decision
        return decision

    def another(self) -> bool:
        """Prepare the next run; return whether there is one."""
        self._runs += 1
        del self._decisions[self._next :]
        while self._decisions and not self._decisions[-1]:
            self._decisions.pop()
        self._next = 0
        self._answers.clear()
        if not self._decisions or self._runs >= self._limit:
            return False
        self._decisions[-1] = False
        return True
