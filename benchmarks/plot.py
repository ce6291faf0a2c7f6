"""The results as a picture: seconds by the size of the tree, and beside other tools."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks import competitors as names
from benchmarks.results import OfTree, Results

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_COLOURS = {
    names.CHECK_COLD: "#1f4e9c",
    names.CHECK_WARM: "#5b9bd5",
    names.GRIMP_COLD: "#b35c00",
    names.RUFF: "#7a7a7a",
}
_OURS, _THEIRS = "#1f4e9c", "#a8a8a8"


def draw(results: Results, file: Path) -> None:
    """Write the picture as SVG; the same results give the same bytes. Raises OSError."""
    import matplotlib as mpl
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    tree = max(results.compared, key=lambda each: each.files)
    with mpl.rc_context(
        {"svg.fonttype": "none", "svg.hashsalt": "regreach", "font.family": "sans-serif"}
    ):
        figure = Figure(figsize=(12, 4.8), layout="constrained")
        FigureCanvasSVG(figure)
        left, right = figure.subplots(1, 2, width_ratios=(1, 1.15))
        _growth(left, results.grown)
        _bars(right, tree)
        figure.savefig(file, format="svg", metadata={"Date": None}, facecolor="white")


def _growth(axes: Axes, trees: Sequence[OfTree]) -> None:
    for name, colour in _COLOURS.items():
        for made, marker, line in ((False, "o", "-"), (True, "s", "--")):
            found = [
                (tree.files, tree.samples[name].wall)
                for tree in trees
                if tree.synthetic == made and name in tree.samples
            ]
            if found:
                label = None if made else name  # once in the legend
                axes.plot(
                    *zip(*sorted(found), strict=True), marker + line, color=colour, label=label
                )
    axes.set(xscale="log", yscale="log", xlabel="files in the tree", ylabel="wall seconds")
    axes.set_title("Growth with the tree (dashed: synthetic)", fontsize=11)
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.yaxis.set_major_formatter("{x:g}")
    axes.grid(which="major", color="#e5e5e5")
    axes.legend(fontsize=8, frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.13), ncols=2)


def _bars(axes: Axes, tree: OfTree) -> None:
    rows = list(tree.samples.items())[::-1]
    walls = [found.wall for _, found in rows]
    colours = [_OURS if name.startswith("regreach") else _THEIRS for name, _ in rows]
    bars = axes.barh([name for name, _ in rows], walls, color=colours)
    axes.bar_label(bars, [f"{wall:.2f} s" for wall in walls], padding=3, fontsize=8)
    axes.set(xscale="log", xlabel="wall seconds, median (logarithmic)")
    axes.xaxis.set_major_formatter("{x:g}")
    axes.set_xlim(min(walls) / 2, max(walls) * 4)
    axes.set_title(tree.heading, fontsize=11)
    axes.tick_params(axis="y", labelsize=8)
