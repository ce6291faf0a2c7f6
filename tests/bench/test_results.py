"""The page and the picture, of numbers that are made up."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from benchmarks import competitors as c
from benchmarks.options import COMPARED, GROWTH, SMALL, parsed
from benchmarks.plot import draw
from benchmarks.results import OfTree, Results, page
from benchmarks.targets import measured
from benchmarks.timing import Run, Samples

MIB = 2**20


def took(*walls: float, cpu: float = 1.0, mib: int = 100, together: int | None = None) -> Samples:
    most = None if together is None else together * MIB
    return Samples([Run(wall, cpu, mib * MIB, most, 0, b"", b"") for wall in walls])


SAMPLES = {
    c.CHECK_COLD: took(1.9, 2.1, 2.0, cpu=3.5, mib=200, together=310),
    c.CHECK_WARM: took(0.2),
    c.AUDIT_COLD: took(10.0),
    c.GRIMP_COLD: took(2.5),
    c.GRIMP_CACHED: took(0.5),
    c.PARSE: took(100.0),
}
TREE = OfTree("sglang 0.5.23", 4719, 68_291_653, SAMPLES, 138)
MADE_UP = OfTree("synthetic 50,000", 51_049, 177_000_000, {c.CHECK_COLD: took(4.0)}, synthetic=True)
RESULTS = Results(["a machine"], None, 3, [TREE], [TREE, MADE_UP])


def test_targets() -> None:
    found = {target.text: (round(target.value, 3), target.met) for target in measured(SAMPLES)}
    assert found == {
        "regreach check, cold / grimp, cold": (0.8, True),
        "regreach check, cold / libcst, every file": (0.02, True),
        "regreach audit, cold / grimp, cold": (4.0, True),
        "regreach check, warm / grimp, cached": (0.4, False),
        "memory of regreach's largest process": (200, True),
        "memory of all its processes together": (310, False),
    }


def test_targets_without_who_they_are_measured_by() -> None:
    assert [target.text for target in measured({c.GRIMP_COLD: took(1.0)})] == []
    one = measured({c.CHECK_COLD: took(1.0), f"{c.PARSE} (every 10th)": took(50.0)})
    assert [(t.text, t.shown) for t in one] == [
        ("regreach check, cold / libcst, every file", "0.02 x"),
        ("memory of regreach's largest process", "100 MiB"),
    ]


def test_page() -> None:
    text = page(RESULTS, "a.svg")
    lines = text.splitlines()
    assert "- a machine" in lines
    assert "## sglang 0.5.23: 4,719 files, 68 MB" in lines
    assert "| regreach check, cold | 2.00 | 1.90 to 2.10 | 3.50 | 0.80 | 200 | 310 |" in lines
    assert "| libcst, every file | 100.00 | once | 1.00 | 40.00 | 100 |  |" in lines
    assert "| regreach check, cold / grimp, cold | 0.80 x | 1 x | met |" in lines
    assert "| regreach check, warm / grimp, cached | 0.40 x | 0.35 x | **not met** |" in lines
    assert "| synthetic 50,000 | 51,049 | 177.0 | 4.00 (1.00) |  |  |  |  |  | 100 |" in lines
    assert "(a.svg)" in text
    assert "Warning" not in text


def test_tables_are_whole() -> None:
    rows = [line for line in page(RESULTS).splitlines() if line.startswith("|")]
    widths = [row.count("|") for row in rows]
    heads = [i for i, row in enumerate(rows) if row.startswith("| --- |")]
    assert len(heads) == 3
    for head, end in zip(heads, [*[i - 1 for i in heads[1:]], len(rows)], strict=True):
        assert set(widths[head - 1 : end]) == {widths[head]}


def test_a_busy_machine_is_told() -> None:
    busy = Results([], "the machine is busy", 1, [], [])
    assert "**Warning:** the machine is busy." in page(busy)


def test_picture(tmp_path: Path) -> None:
    draw(RESULTS, tmp_path / "one.svg")
    draw(RESULTS, tmp_path / "two.svg")
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()
    words = "".join(ElementTree.parse(tmp_path / "one.svg").getroot().itertext())
    for name in (
        *SAMPLES,
        "Growth with the tree (dashed: synthetic)",
        "sglang 0.5.23: 4,719 files, 68 MB",
    ):
        assert name in words


def test_options() -> None:
    assert (parsed([]).releases, parsed([]).growth, parsed([]).rounds) == (COMPARED, GROWTH, 3)
    quick = parsed(["--quick"])
    assert (quick.releases, quick.growth, quick.rounds) == (SMALL, [], 1)
    some = parsed(["--growth", "0.5.5, 500"])
    assert (some.releases, some.growth) == ([], ["0.5.5", "500"])


@pytest.mark.parametrize(
    "arguments",
    [
        ["--write", "--quick"],
        ["--write", "--only", "x"],
        ["--growth", "51"],
        ["--rounds", "0"],
        ["--x"],
    ],
)
def test_wrong_options(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        parsed(arguments)
    assert "error" in capsys.readouterr().err
