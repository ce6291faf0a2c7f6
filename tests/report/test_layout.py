"""The layout of pictures, on graphs that nobody has drawn before."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st
from regreach.report.drawing.layout import Layout, Line, Size, lay_out
from regreach.report.drawing.order import crossings
from regreach.report.drawing.ranks import backward, ranks

NAMES = [f"n{number}" for number in range(9)]
sizes = st.tuples(st.floats(20, 400), st.floats(20, 120))
ends = st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)).filter(
    lambda pair: pair[0] != pair[1]
)
lines = st.builds(
    lambda pair, label: Line(pair[0], pair[1], label),
    ends,
    st.one_of(st.just((0.0, 0.0)), st.tuples(st.floats(5, 250), st.floats(8, 45))),
)

Box = tuple[float, float, float, float]


def box_around(centre: tuple[float, float], size: Size) -> Box:
    (x, y), (width, height) = centre, size
    return x - width / 2, y - height / 2, x + width / 2, y + height / 2


def meet(one: Box, other: Box) -> bool:
    # what touches does not lie on each other; numbers are not exact
    return (
        one[0] < other[2] - 1e-6
        and other[0] < one[2] - 1e-6
        and one[1] < other[3] - 1e-6
        and other[1] < one[3] - 1e-6
    )


@given(st.dictionaries(st.sampled_from(NAMES), sizes, min_size=1), st.lists(lines, max_size=25))
def test_nothing_lies_on_something_else(boxes: dict[str, Size], joined: list[Line]) -> None:
    joined = [line for line in joined if line.source in boxes and line.target in boxes]
    layout = lay_out(boxes, joined)
    assert layout == lay_out(boxes, joined)
    placed = [box_around(layout.boxes[name], size) for name, size in boxes.items()]
    placed += [
        box_around(place, line.label)
        for place, line in zip(layout.labels, joined, strict=True)
        if line.label != (0.0, 0.0)
    ]
    for one, other in itertools.combinations(placed, 2):
        assert not meet(one, other)
    for left, top, right, bottom in placed:
        assert left >= -1e-6
        assert top >= -1e-6
        assert right <= layout.size[0] + 1e-6
        assert bottom <= layout.size[1] + 1e-6
    check_lines(boxes, joined, layout)


def check_lines(boxes: dict[str, Size], joined: list[Line], layout: Layout) -> None:
    """A line begins and ends at the sides of its boxes, leads down, and meets no box but at its ends."""
    for number, line in enumerate(joined):
        points = layout.lines[number]
        upper, lower = line.source, line.target
        if number in layout.upward:
            upper, lower = lower, upper
        first = box_around(layout.boxes[upper], boxes[upper])
        last = box_around(layout.boxes[lower], boxes[lower])
        assert abs(points[0][1] - first[3]) < 1e-6
        assert first[0] <= points[0][0] <= first[2]
        assert abs(points[-1][1] - last[1]) < 1e-6
        assert last[0] <= points[-1][0] <= last[2]
        assert all(a[1] <= b[1] + 1e-6 for a, b in itertools.pairwise(points))
        assert len(points) % 2 == 0
        for above, below in zip(points[::2], points[1::2], strict=True):
            assert above[0] == below[0], "where a box may be, a line goes straight down"
            for name in boxes.keys() - {upper, lower}:
                left, top, right, bottom = box_around(layout.boxes[name], boxes[name])
                inside = left + 1e-6 < above[0] < right - 1e-6
                assert not (inside and above[1] < bottom - 1e-6 and below[1] > top + 1e-6)


@given(st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), max_size=40))
def test_without_the_edges_back_each_edge_leads_down(edges: list[tuple[int, int]]) -> None:
    edges = [edge for edge in edges if edge[0] != edge[1]]
    back = backward(range(9), edges)
    assert back <= set(edges)
    forward = [edge for edge in edges if edge not in back]
    found = ranks(range(9), forward)
    assert all(found[source] < found[target] for source, target in forward)


def test_a_chain_has_no_edge_back_and_a_ring_has_one() -> None:
    chain = [(0, 1), (1, 2), (2, 3)]
    assert backward(range(4), chain) == set()
    assert backward(range(4), [*chain, (3, 0)]) == {(3, 0)}


def test_crossings_are_counted() -> None:
    layers = [[0, 1, 2], [3, 4, 5]]
    assert crossings(layers, {0: [3], 1: [4], 2: [5]}) == 0
    assert crossings(layers, {0: [5], 1: [4], 2: [3]}) == 3
    assert crossings(layers, {0: [3, 4], 1: [3, 4]}) == 1


def test_lines_that_need_not_cross_do_not() -> None:
    boxes = dict.fromkeys("abcdef", (40.0, 20.0))
    layout = lay_out(boxes, [Line("a", "f"), Line("b", "e"), Line("c", "d")])
    order = sorted("abc", key=lambda name: layout.boxes[name])
    below = sorted("def", key=lambda name: layout.boxes[name])
    assert [{"a": "f", "b": "e", "c": "d"}[name] for name in order] == below


def test_nothing_to_draw() -> None:
    assert lay_out({}, []) == Layout((0.0, 0.0), {})
