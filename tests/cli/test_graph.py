"""`regreach graph`: the picture of a key, read back by others' parsers and measured."""

from __future__ import annotations

import itertools
import warnings
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pydot
import pytest
from command_line import BUG, CASES, FIXTURES, Done, fails, run
from pictures import NASTY, NASTY_PACK, NASTY_SHOP, SVG, boxes, labels, read_mermaid
from regreach.rule import key_text
from shop_example import PACK, SHOP
from tree_making import write

KEY = "none,flashinfer_mxfp4"


def drawn(form: str, key: str = KEY, tree: str = BUG, *options: str) -> str:
    done = run("graph", key, tree, "--format", form, *options)
    assert (done.code, done.err) == (0, "")
    return done.out


def read_dot(text: str) -> pydot.Dot:
    with warnings.catch_warnings():
        # pydot calls functions of pyparsing by the names that they had before
        warnings.simplefilter("ignore", DeprecationWarning)
        graphs = pydot.graph_from_dot_data(text)
    assert graphs is not None
    (graph,) = graphs
    return graph


def label_of(thing: Any) -> str:
    """What a label says, as Graphviz reads it."""
    text = str(thing.get("label"))[1:-1]
    return text.replace('\\"', '"').replace("\\\\", "\0").replace("\\l", "\n").replace("\0", "\\")


def test_dot() -> None:
    graph = read_dot(drawn("dot"))
    nodes = {node.get_name(): label_of(node) for node in graph.get_nodes()}
    del nodes["node"], nodes["edge"]
    by_module = {text.partition("\n")[0]: name for name, text in nodes.items()}
    moe, quantization = "sglang.srt.layers.moe.moe_runner", "sglang.srt.layers.quantization"
    runner, cutlass = by_module[f"{moe}.runner"], by_module[f"{moe}.flashinfer_cutlass"]
    crashing, safe = by_module[f"{quantization}.modelopt_quant"], by_module[f"{quantization}.mxfp4"]
    assert "FAILS MoeRunner raises NotImplementedError :27" in nodes[runner]
    assert "FAILS :12 ModelOptFusedMoEMethod" in nodes[crashing]
    assert "ok :14 Mxfp4MoEMethod" in nodes[safe]
    edges = {
        (edge.get_source(), edge.get_destination(), str(edge.get("class")).strip('"')): edge
        for edge in graph.get_edges()
    }
    assert edges.keys() == {
        (crashing, runner, "constructs"),
        (safe, runner, "constructs"),
        (runner, cutlass, "misses"),
        (runner, cutlass, "would"),
        (crashing, cutlass, "lazy"),
        (safe, cutlass, "lazy"),
        (cutlass, by_module[moe], "eager"),
        (by_module[moe], runner, "eager"),
    }
    assert label_of(edges[runner, cutlass, "misses"]) == "looks up :25, not there"
    lazy = edges[crashing, cutlass, "lazy"]
    assert label_of(lazy) == ":10 if backend.is_flashinfer_cutl…"
    assert lazy.get("labeltooltip") == '":10 if backend.is_flashinfer_cutlass()"'
    looks = {kind: edges[runner, cutlass, kind].get("style") for kind in ("misses", "would")}
    assert lazy.get("style") == "dashed"
    assert edges[by_module[moe], runner, "eager"].get("style") == "solid"
    assert set(looks.values()) == {"dotted"}
    cycle = {key for key, edge in edges.items() if edge.get("color") == '"#9a3fa0"'}
    assert cycle == {
        (runner, cutlass, "would"),
        (cutlass, by_module[moe], "eager"),
        (by_module[moe], runner, "eager"),
    }


def test_mermaid_says_the_same_as_dot() -> None:
    chart = read_mermaid(drawn("mermaid"))
    graph = read_dot(drawn("dot"))
    pairs = [(edge.get_source(), edge.get_destination()) for edge in graph.get_edges()]
    assert sorted((source, target) for source, _, __, target in chart.edges) == sorted(pairs)
    assert len(chart.nodes) == len(graph.get_nodes()) - 2
    assert "✗ :12 ModelOptFusedMoEMethod" in "\n".join(chart.nodes.values())
    arrows = [arrow for _, arrow, __, ___ in chart.edges]
    assert arrows.count("-.-x") == 1


def check_picture(text: str) -> ElementTree.Element:
    """A picture is XML, has a name, and nothing in it lies on something else."""
    picture = ElementTree.fromstring(text)
    assert (picture.tag, picture.get("role")) == (f"{SVG}svg", "img")
    named = {each.get("id"): each for each in picture.iter() if each.get("id")}
    title, description = (named[name] for name in picture.get("aria-labelledby", "").split())
    assert (title.tag, description.tag) == (f"{SVG}title", f"{SVG}desc")
    assert title.text
    assert description.text
    found = boxes(picture)
    assert found
    for one, other in itertools.combinations(found, 2):
        assert not one.meets(other), (one, other)
    written = list(labels(picture))
    for one, other in itertools.combinations(written, 2):
        assert not one.meets(other), (one, other)
    for label, box in itertools.product(written, found):
        assert not label.meets(box), (label, box)
    width, height = float(picture.get("width", "")), float(picture.get("height", ""))
    assert all(b.right - b.left <= width and b.bottom <= height for b in (*found, *written))
    return picture


def test_svg() -> None:
    picture = check_picture(drawn("svg"))
    text = "".join(picture.itertext())
    assert "Crashing call sites: modelopt_quant.py:12." in text
    classes = [each.get("class", "") for each in picture.iter(f"{SVG}g")]
    for kind in ("edge lazy plain", "edge misses bad", "edge would doubt cycle", "row bad"):
        assert kind in classes
    assert any(name.startswith("edge eager plain cycle") for name in classes)


def registered_keys(tree: str) -> list[str]:
    audit = run("audit", tree, "--format", "json").json()
    return [
        f"{registry['id']}:{','.join(cell['key'])}"
        for registry in audit["registries"]
        for cell in registry["cells"]
        if cell["registrations"]
    ]


@pytest.mark.parametrize("case", [case for case in CASES if case != "no-moe"])
def test_every_registered_key_of_each_fixture_can_be_drawn(case: str) -> None:
    tree = str(FIXTURES / case / "tree")
    for key in registered_keys(tree):
        check_picture(run("graph", key, tree, "--format", "svg").out)
        read_dot(run("graph", key, tree).out)
        read_mermaid(run("graph", key, tree, "--format", "mermaid").out)


def test_a_key_that_nothing_registers_can_be_drawn() -> None:
    tree = str(FIXTURES / "accepted-but-unregistered" / "tree")
    text = "".join(check_picture(drawn("svg", "none,flashinfer_cutedsl", tree)).itertext())
    assert "Nothing registers the key; MoeRunner raises NotImplementedError." in text


def test_a_module_that_registers_looks_up_and_constructs(tmp_path: Path) -> None:
    checkout = SHOP["shop/checkout.py"] + SHOP["shop/cards.py"] + SHOP["shop/desk.py"]
    imports = "from shop.registry import handles\nfrom shop.kinds import Kind\n"
    files = {**SHOP, "shop/checkout.py": imports + checkout.replace("from shop.checkout", "# ")}
    for gone in ("shop/cards.py", "shop/desk.py"):
        del files[gone]
    (tmp_path / "shop.toml").write_text(PACK, encoding="utf-8")
    tree = str(write(tmp_path / "tree", files))
    options = ("--pack", str(tmp_path / "shop.toml"), "-q")
    picture = check_picture(drawn("svg", "eu,card", tree, *options))
    (box,) = boxes(picture)
    assert "Checkout" in box.text
    assert "pay_by_card" in box.text
    assert read_dot(drawn("dot", "eu,card", tree, *options)).get_edges() == []


@pytest.fixture
def nasty(tmp_path: Path) -> tuple[str, str]:
    (tmp_path / "nasty.toml").write_text(NASTY_PACK, encoding="utf-8")
    return str(write(tmp_path / "tree", NASTY_SHOP)), str(tmp_path / "nasty.toml")


def test_whatever_the_tree_says_is_escaped(nasty: tuple[str, str]) -> None:
    tree, pack = nasty
    key = f"eu,{NASTY}"
    options = ("--pack", pack, "--quiet")
    text = drawn("svg", key, tree, *options)
    picture = check_picture(text)
    assert "<img" not in text
    shown = key_text((NASTY,))[2:-3]  # as in code, without brackets and quotes
    assert shown in "".join(picture.itertext())
    assert {each.tag.removeprefix(SVG) for each in picture.iter()} == {
        *("svg", "title", "desc", "style", "rect", "g", "path", "text")
    }
    graph = read_dot(drawn("dot", key, tree, *options))
    assert shown in label_of(graph)
    chart = read_mermaid(drawn("mermaid", key, tree, *options))
    assert any("if word == " in label for _, __, label, ___ in chart.edges)


@pytest.mark.parametrize(
    ("name", "begins"),
    [
        ("key.svg", "<?xml"),
        ("key.SVG", "<?xml"),
        ("key.mmd", "flowchart"),
        ("key.gv", "digraph"),
        ("key", "digraph"),
    ],
)
def test_the_ending_of_a_file_says_the_format(tmp_path: Path, name: str, begins: str) -> None:
    output = tmp_path / name
    assert run("graph", KEY, BUG, "-o", str(output)) == Done(0, "", "")
    assert output.read_text(encoding="utf-8").startswith(begins)
    run("graph", KEY, BUG, "-o", str(output), "--format", "mermaid")
    assert output.read_text(encoding="utf-8").startswith("flowchart")


def test_an_ending_that_is_no_format(tmp_path: Path) -> None:
    message = fails(run("graph", KEY, BUG, "-o", str(tmp_path / "key.png")), 2)
    assert "key.png: the endings are .dot, .gv, .mmd, .mermaid, .svg; or say --format" in message
    assert list(tmp_path.iterdir()) == []


def test_the_same_tree_gives_the_same_picture() -> None:
    assert drawn("svg") == drawn("svg")


def test_an_unknown_key() -> None:
    assert "near are: none,flashinfer_mxfp4" in fails(run("graph", "none,flashinfer_mxfp", BUG), 2)
