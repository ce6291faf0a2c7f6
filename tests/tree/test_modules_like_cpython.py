"""On generated trees the module table agrees with CPython's own finders."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from importlib.machinery import (
    EXTENSION_SUFFIXES,
    SOURCE_SUFFIXES,
    ExtensionFileLoader,
    FileFinder,
    ModuleSpec,
    PathFinder,
    SourceFileLoader,
)
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from regreach.errors import TargetError
from regreach.tree import ModuleFile, open_tree
from tree_making import LOCATION

STEMS = st.sampled_from(["a", "b", "c"])
FOLDERS = st.lists(STEMS, max_size=3).map(lambda parts: "/".join(["pkg", *parts]))
FILES = st.one_of(
    STEMS.map(lambda stem: f"{stem}.py"),
    STEMS.map(lambda stem: f"{stem}{EXTENSION_SUFFIXES[0]}"),
    st.sampled_from(["__init__.py", "__main__.py", "data.txt", "class.py", "a-b.py", "a.pyi"]),
)
TREES = st.sets(st.tuples(FOLDERS, FILES), min_size=1, max_size=14)


def cpython_finds(root: Path, name: str) -> ModuleSpec | None:
    """Find a module below `root` with fresh finders, importing nothing."""
    hook = FileFinder.path_hook(
        (ExtensionFileLoader, EXTENSION_SUFFIXES), (SourceFileLoader, SOURCE_SUFFIXES)
    )
    places = [str(root)]
    spec: ModuleSpec | None = None
    parts = name.split(".")
    for depth in range(1, len(parts) + 1):
        dotted = ".".join(parts[:depth])
        found = [hook(place).find_spec(dotted) for place in places if Path(place).is_dir()]
        spec = next((s for s in found if s is not None and s.loader is not None), None)
        if spec is None:
            portions = [p for s in found if s for p in s.submodule_search_locations or ()]
            if not portions:
                return None
            spec = ModuleSpec(dotted, None, is_package=True)
            spec.submodule_search_locations = portions
        places = list(spec.submodule_search_locations or [])
    return spec


def paired(tree: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """Drop compiled modules beside their source: there the table prefers the source on purpose."""
    suffix = EXTENSION_SUFFIXES[0]
    return {
        (folder, file)
        for folder, file in tree
        if not (file.endswith(suffix) and (folder, file[: -len(suffix)] + ".py") in tree)
    }


@settings(max_examples=150, deadline=None)
@given(TREES)
def test_each_name_is_found_by_both_or_by_neither(tree: set[tuple[str, str]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        for inner, file in sorted(paired(tree)):
            (root / inner).mkdir(parents=True, exist_ok=True)
            (root / inner / file).write_text("", encoding="utf-8")
        table: Mapping[str, ModuleFile]
        try:
            table = open_tree(str(root), LOCATION).modules
        except TargetError:
            table = {}
        candidates = {"pkg"}
        for path in (root / "pkg").rglob("*"):
            stem = path.name.partition(".")[0]
            if stem.isidentifier() and stem not in ("__init__", "data", "class"):
                candidates.add(".".join((*path.parent.relative_to(root).parts, stem)))
        assert set(table) <= candidates
        for name in candidates:
            spec = cpython_finds(root, name)
            ours = table.get(name)
            if ours is None:
                assert spec is None or holds_no_module(spec), name
            elif ours.path is None:
                assert spec is not None
                assert spec.origin is None
            else:
                assert spec is not None
                assert spec.origin == str(root / ours.path)
                assert (spec.submodule_search_locations is not None) == ours.is_package


def holds_no_module(spec: ModuleSpec) -> bool:
    """CPython calls every folder a namespace package; the table only those with a module below."""
    return spec.loader is None and not any(
        path.suffix in (".py", ".so", ".pyd") and path.stem not in ("class", "a-b")
        for place in spec.submodule_search_locations or ()
        for path in Path(place).rglob("*")
    )


def test_the_reference_itself_agrees_with_the_import_system(tmp_path: Path) -> None:
    (tmp_path / "pkg" / "a").mkdir(parents=True)
    (tmp_path / "pkg" / "a" / "b.py").write_text("", encoding="utf-8")
    spec = PathFinder.find_spec("pkg", [str(tmp_path)])
    assert spec is not None
    assert spec.loader is None or spec.origin is None
    found = cpython_finds(tmp_path, "pkg.a.b")
    assert found is not None
    assert found.origin == str(tmp_path / "pkg" / "a" / "b.py")
