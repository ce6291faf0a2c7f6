"""What an analysis has asked of files: all that its verdicts hang on."""

from __future__ import annotations

from dataclasses import dataclass, field

from regreach.supply.scans import Answer, Question


@dataclass(slots=True)
class Consulted:
    """The modules of which all bytes counted, and the questions whose answers did.

    ``mentioned`` maps words to the modules that have one of them: that is asked of all at once. ``asked``
    has the other questions and their answers, by module.
    """

    whole: set[str] = field(default_factory=set)
    mentioned: dict[tuple[bytes, ...], frozenset[str]] = field(default_factory=dict)
    asked: dict[str, dict[Question, Answer]] = field(default_factory=dict)
