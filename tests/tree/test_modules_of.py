"""The module table of a list of paths."""

from __future__ import annotations

import pytest
from regreach.tree.modules import ModuleFile, modules_of


def names(*paths: str, root: str = "") -> list[str]:
    return list(modules_of(paths, "pkg", root))


def test_a_regular_package_and_its_modules_sorted() -> None:
    table = modules_of(["pkg/z.py", "pkg/sub/__init__.py", "pkg/__init__.py", "pkg/a.py"], "pkg")
    assert list(table.values()) == [
        ModuleFile("pkg", "pkg/__init__.py", True),
        ModuleFile("pkg.a", "pkg/a.py", False),
        ModuleFile("pkg.sub", "pkg/sub/__init__.py", True),
        ModuleFile("pkg.z", "pkg/z.py", False),
    ]


def test_paths_begin_at_the_tree_and_names_at_the_import_root() -> None:
    table = modules_of(["python/pkg/a.py", "pkg/b.py", "python/pkgs/c.py"], "pkg", "python")
    assert {name: file.path for name, file in table.items()} == {
        "pkg": None,
        "pkg.a": "python/pkg/a.py",
    }


def test_folders_without_init_are_namespace_packages_down_to_a_module() -> None:
    table = modules_of(["pkg/__init__.py", "pkg/x/y/z.py"], "pkg")
    assert table["pkg.x"] == ModuleFile("pkg.x", None, True)
    assert table["pkg.x.y"] == ModuleFile("pkg.x.y", None, True)
    assert table["pkg.x.y.z"].path == "pkg/x/y/z.py"


def test_a_package_hides_a_module_of_the_same_name() -> None:
    table = modules_of(["pkg/__init__.py", "pkg/a.py", "pkg/a/__init__.py", "pkg/a/b.py"], "pkg")
    assert table["pkg.a"].path == "pkg/a/__init__.py"
    assert "pkg.a.b" in table


def test_a_module_hides_a_folder_without_init_and_all_below_it() -> None:
    paths = ["pkg/__init__.py", "pkg/a.py", "pkg/a/b.py", "pkg/a/c/__init__.py", "pkg/a/c/d.py"]
    assert names(*paths) == ["pkg", "pkg.a"]


@pytest.mark.parametrize(
    "path",
    [
        "pkg/a-b.py",
        "pkg/class.py",
        "pkg/1.py",
        "pkg/a.pyi",
        "pkg/a.pyc",
        "pkg/.hidden.py",
        "pkg/.py",
        "pkg/a.b.py",
        "pkg/lib.so.1",
        "pkg/lib.1-2.so",
        "pkg/with-dash/a.py",
        "pkg/import/a.py",
        "pkg/__pycache__/a.py",
        "pkg/data.txt",
    ],
)
def test_what_no_import_statement_can_name_is_left_out(path: str) -> None:
    assert names("pkg/__init__.py", path) == ["pkg"]


@pytest.mark.parametrize(
    "file",
    [
        "_x.so",
        "_x.pyd",
        "_x.abi3.so",
        "_x.cpython-311-x86_64-linux-gnu.so",
        "_x.cpython-313t-darwin.so",
        "_x.cp312-win_amd64.pyd",
        "_x.pypy310-pp73-x86_64-linux-gnu.so",
    ],
)
def test_compiled_modules_are_modules_without_source(file: str) -> None:
    table = modules_of(["pkg/__init__.py", f"pkg/{file}"], "pkg")
    assert table["pkg._x"] == ModuleFile("pkg._x", f"pkg/{file}", False, is_extension=True)


def test_a_source_stands_for_the_compiled_module_beside_it() -> None:
    for paths in (["pkg/a.so", "pkg/a.py"], ["pkg/a.py", "pkg/a.so"]):
        assert modules_of(paths, "pkg")["pkg.a"] == ModuleFile("pkg.a", "pkg/a.py", False)


def test_a_compiled_init_makes_a_regular_package() -> None:
    table = modules_of(["pkg/__init__.py", "pkg/a/__init__.abi3.so", "pkg/a.py"], "pkg")
    assert table["pkg.a"] == ModuleFile("pkg.a", "pkg/a/__init__.abi3.so", True, True)


def test_soft_keywords_dunder_main_and_other_alphabets_are_importable() -> None:
    assert names("pkg/match.py", "pkg/__main__.py", "pkg/größe.py") == [
        "pkg",
        "pkg.__main__",
        "pkg.größe",
        "pkg.match",
    ]


def test_no_files_no_modules() -> None:
    assert names() == []
    assert names("other/a.py", "pkg.py") == []
