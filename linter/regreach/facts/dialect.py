"""What a text is written in that does not parse: Python 2, or a syntax newer than what reads it here."""

from __future__ import annotations

import re
from importlib.metadata import version

# What CPython says of statements that only Python 2 has, and lines that only Python 2 takes.
_PYTHON_2_WORDS = re.compile(
    r"Missing parentheses in call to '(?:print|exec)'|leading zeros in decimal integer literals"
)
_PYTHON_2_LINE = re.compile(
    r"""
      ^\s* (?: print | exec ) \s+ [^\s=(.,:\[]         # print x, exec "x"
    | ^\s* except \s+ [^:#]+ , \s* [a-z_]\w* \s* :      # except A, e:
    | ^\s* raise \s+ [\w.]+ \s* ,                      # raise A, "words"
    | ^\s* def \s+ \w+ \s* \( (?: [^)]* , )? \s* \(    # def f(a, (b, c)):
    | ` [^`]+ ` | <> | \b 0[0-7]+ \b | \b \d+ L \b     # `x`, a <> b, 0777, 1L
    | \b ur ["']                                       # ur"words"
    """,
    re.VERBOSE,
)
# Statements and strings that an older libcst does not know, with the Python that brought them.
_NEWER = (
    (re.compile(r"^\s*lazy\s+(?:import|from)\b"), "`lazy import` (PEP 810) is of Python 3.15"),
    (re.compile(r"\b(?:t|rt|tr)[\"']", re.IGNORECASE), "a t-string (PEP 750) is of Python 3.14"),
    (re.compile(r"^\s*except\*?\s+[^(:]+,[^:]*:"), "`except A, B:` (PEP 758) is of Python 3.14"),
    (re.compile(r"^\s*type\s+\w+.*="), "a `type` statement (PEP 695) is of Python 3.12"),
)

PYTHON_2 = "this is Python 2"
EXCEPT_OF_PYTHON_2 = f"{PYTHON_2}: `except A, e:` is written `except A as e:` since"
LAZY_IMPORT = f"{_NEWER[0][1]}, a syntax newer than regreach reads"


def python_2(message: str, line: str) -> str:
    """Return a hint when CPython's refusal of a line is that of Python 2, else ``""``."""
    return PYTHON_2 if _PYTHON_2_WORDS.match(message) or _PYTHON_2_LINE.search(line) else ""


def newer(line: str) -> str:
    """Return a hint when a line that nobody here can parse is of a newer Python, else ``""``."""
    for pattern, words in _NEWER:
        if pattern.search(line):
            return (
                f"{words}, a syntax newer than regreach's parser reads (libcst {version('libcst')})"
            )
    return ""
