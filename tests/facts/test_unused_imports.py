"""What is said to be deletable is what ruff's F401 deletes; ruff is the judge."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from import_texts import MORE_CAREFUL, TEXTS
from regreach.facts.parse import ModuleFacts
from regreach.facts.unused_imports import UnusedImports
from ruff_judge import is_fixed, left_by_ruff


def deletable(text: str) -> list[str]:
    """Return the names that would be deleted, those of all imports being asked for."""
    facts = ModuleFacts(text)
    words = frozenset(re.findall(r"\w+", text))
    imports = UnusedImports(facts)
    return [
        alias.asname or alias.name
        for found in imports.naming(words, words)
        for alias in imports.deletable(found)
    ]


def test_each_reason(tmp_path: Path) -> None:
    texts = [text for text in TEXTS if _parses(text)]
    judged = is_fixed(texts, tmp_path)
    wrong = [
        text for text, fixed in zip(texts, judged, strict=True) if bool(deletable(text)) != fixed
    ]
    assert wrong == []


def test_where_more_care_is_taken(tmp_path: Path) -> None:
    assert all(is_fixed(MORE_CAREFUL, tmp_path))
    assert [deletable(text) for text in MORE_CAREFUL] == [[]] * len(MORE_CAREFUL)


def _parses(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


NAMES = st.sampled_from("abc")
COMMENTS = st.sampled_from(
    ["", "", "", "  # noqa", "  # noqa: F401", "  # noqa: E402", "  # noqa:E402,F401", "  # x"]
)
IMPORTS = st.one_of(
    st.builds("from pkg import {0}{1}".format, NAMES, COMMENTS),
    st.builds("from pkg import {0} as {1}{2}".format, NAMES, NAMES, COMMENTS),
    st.builds(
        "from pkg import ({2}\n    {0},\n    {1},{3}\n)".format, NAMES, NAMES, COMMENTS, COMMENTS
    ),
    st.builds("import pkg.{0} as {1}{2}".format, NAMES, NAMES, COMMENTS),
    st.builds("import {0}.{1}{2}".format, NAMES, NAMES, COMMENTS),
    st.builds("import {0}.{1}, \\\n    {1}.x{2}".format, NAMES, NAMES, COMMENTS),
    st.builds(
        "try:\n    import {0}.x{1}\nexcept {2}:\n    pass".format,
        NAMES,
        COMMENTS,
        st.sampled_from(["ImportError", "Exception", "(OSError, ModuleNotFoundError)"]),
    ),
    st.builds(
        "if x:\n    from pkg import {0}{1}\nelse:\n    {2} = 1".format, NAMES, COMMENTS, NAMES
    ),
)
# What may stand after the imports of a scope.
READS = st.one_of(
    st.builds("print({0})".format, NAMES),
    st.builds("{0}.x = 1".format, NAMES),
    st.builds("z = [{0} for {0} in x]".format, NAMES),
    st.builds("z = [{0} for {1} in x]".format, NAMES, NAMES),
    st.builds("z = lambda {0}: {1}".format, NAMES, NAMES),
    st.builds("z = '{0}'".format, NAMES),
    st.builds("z = f'{{{0}}}'".format, NAMES),
    st.builds("class K:\n    {0} = 1".format, NAMES),
    st.builds("class K:\n    y = {0}".format, NAMES),
    st.builds("def h({0}: {1}): return {2}".format, NAMES, NAMES, NAMES),
    st.builds("def h():\n    global {0}\n    {0} = 1".format, NAMES),
)
BINDS = st.one_of(
    st.builds("{0} = 1".format, NAMES),
    st.builds("with x as {0}: pass".format, NAMES),
)
STRINGS = st.builds("z: '{0}.T' = 1".format, NAMES)


def _indented(lines: list[str], indent: str) -> str:
    return "".join(f"{indent}{line}\n" for text in lines for line in text.split("\n"))


@st.composite
def modules(draw: st.DrawFn) -> str:
    """A module of imports and uses, with functions, methods and classes of such."""
    # with that import, ruff takes some names in a function's annotations for those outside
    future = draw(st.booleans())
    parts = ["from __future__ import annotations" if future else "# flake8: noqa: E501"]
    parts += draw(st.lists(IMPORTS, max_size=3))
    kinds = st.sampled_from(
        ["def f():", "class C:", "class D:\n    def m(self):", "async def g():"]
    )
    for head in draw(st.lists(kinds, max_size=0 if future else 3)):
        depth = "        " if "\n" in head else "    "
        imports = draw(st.lists(IMPORTS, min_size=1, max_size=2))
        # left out: a class that binds a name and reads its own, and a function that reads a name before
        # it binds it, which raises; ruff reads line by line, and takes that for the name outside
        some = draw(st.sampled_from([READS, BINDS]))
        uses = [] if head == "class C:" else draw(st.lists(some, max_size=2))
        parts.append(head + "\n" + _indented([*imports, *uses], depth).rstrip("\n"))
    # a string that stands for a type counts in whatever scope: at module level, that makes no difference
    parts += draw(st.lists(st.one_of(READS, BINDS, STRINGS), max_size=2))
    if draw(st.integers(0, 4)) == 0:
        parts.append(f"__all__ = ['{draw(NAMES)}']")
    return "\n".join(parts) + "\n"


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(texts=st.lists(modules().filter(_parses), min_size=20, max_size=20))
def test_generated_modules(texts: list[str], tmp_path_factory: pytest.TempPathFactory) -> None:
    """Compare with what ``ruff --fix`` leaves, round after round: the names that are still imported."""
    left = left_by_ruff(texts, tmp_path_factory.mktemp("texts"))
    for text, after in zip(texts, left, strict=True):
        assert sorted(_imported(text)) == sorted([*_imported(after), *deletable(text)]), text


def _imported(text: str) -> list[str]:
    return [
        alias.asname or alias.name
        for node in ast.walk(ast.parse(text))
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for alias in node.names
    ]
