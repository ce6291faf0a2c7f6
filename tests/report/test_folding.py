"""Lines folded to a width, where the tests of the command have no tree that shows it."""

from __future__ import annotations

from command_line import FIXTURES
from regreach.report.folding import folded
from regreach.report.text import audit_lines
from regreach.request import Request
from regreach.run import analyse
from rich.text import Text


def plain(lines: list[Text], width: int) -> list[str]:
    return [line.plain for line in folded(lines, width)]


def test_columns_that_have_no_room_come_below() -> None:
    audit = analyse(Request(f"{FIXTURES}/stacked-decorators-and-call-form/tree", keep=False)).audit
    lines = audit_lines(audit, ())
    start = next(i for i, line in enumerate(lines) if line.plain.startswith("  backend"))
    count = len({cell.key[1] for cell in audit.registries[0].cells}) + 1
    table = lines[start : start + count]
    header, first, *_ = (line.plain for line in table)
    assert header.split() == ["backend", "none", "deepep"]
    assert plain(table, len(header)) == [line.plain for line in table]
    narrow = plain(table, len(header) - 1)
    assert len(narrow) == 2 * count
    assert narrow[0] == header.removesuffix("deepep").rstrip()
    assert narrow[count].split() == ["backend", "deepep"]
    both = [a.split() + b.split()[1:] for a, b in zip(narrow, narrow[count:], strict=False)]
    assert both == [line.plain.split() for line in table]
    assert both[1] == first.split()


def test_a_word_longer_than_a_line_is_cut_where_it_has_joints() -> None:
    def cut(word: str) -> list[str]:
        return [each.strip() for each in plain([Text(word)], 20)]

    assert cut("kernels/moe/flashinfer_cutlass.py:7") == [
        "kernels/moe/",
        "flashinfer_",
        "cutlass.py:7",
    ]
    assert cut("package.module.function_name") == ["package.module.", "function_name"]
    assert cut('("none", "flashinfer_mxfp4")') == ['("none",', '"flashinfer_', 'mxfp4")']
    assert "".join(cut("x" * 50)) == "x" * 50


def test_styles_stay_with_their_words() -> None:
    line = Text("one two ")
    line.append("three", "red")
    first, second = folded([line], 10)
    assert (first.plain, first.spans, second.plain) == ("one two", [], "    three")
    assert [str(span.style) for span in second.spans] == ["red"]


def test_wide_characters_take_two_columns() -> None:
    assert plain([Text("漢字 漢字 漢字")], 10) == ["漢字 漢字", "    漢字"]
