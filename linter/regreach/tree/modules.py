"""From a list of files to the modules that CPython would find in them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from keyword import iskeyword

SOURCE_SUFFIX = ".py"
EXTENSION_SUFFIXES = (".so", ".pyd")
MODULE_SUFFIXES = (SOURCE_SUFFIX, *EXTENSION_SUFFIXES)

# What may stand between a compiled module's name and its suffix: `_x.cpython-311-darwin.so`.
_BUILD_TAG = re.compile(r"(?:abi3|cpython-|cp\d|pypy|graalpy)[\w-]*")


@dataclass(frozen=True, slots=True)
class ModuleFile:
    """One module of the tree.

    Attributes:
        name: the dotted name.
        path: the file, relative to the tree's root with `/`; None for a namespace package, which is
            a folder without `__init__.py`.
        is_package: whether it has submodules, so also for namespace packages.
        is_extension: whether `path` is a compiled module: it can be imported, there is no source.
    """

    name: str
    path: str | None
    is_package: bool
    is_extension: bool = False


def is_importable(name: str) -> bool:
    """Say whether an import statement can name this file or folder."""
    return name.isidentifier() and not iskeyword(name) and name != "__pycache__"


def module_stem(filename: str) -> str | None:
    """Return the module name that a file's name stands for, None when it can be no module.

    `a.py` and `a.cpython-311-x86_64-linux-gnu.so` give `a`; `a-b.py`, `class.py`, `a.pyi` and
    `a.so.1` give None.
    """
    if filename.endswith(SOURCE_SUFFIX):
        stem = filename[: -len(SOURCE_SUFFIX)]
    elif filename.endswith(EXTENSION_SUFFIXES):
        stem, _, tag = filename.rpartition(".")[0].partition(".")
        if tag and not _BUILD_TAG.fullmatch(tag):
            return None
    else:
        return None
    return stem if is_importable(stem) else None


def is_init(path: str, folder: str) -> bool:
    """Say whether `path` is the file that makes `folder` a regular package."""
    head, _, filename = path.rpartition("/")
    return head == folder and module_stem(filename) == "__init__"


def modules_of(paths: Iterable[str], package: str, import_root: str = "") -> dict[str, ModuleFile]:
    """Map files to the modules of `package`, with the precedence of CPython's FileFinder.

    Takes paths relative to the tree's root (those outside `import_root/package` are ignored) and
    returns the modules sorted by name. A folder with `__init__` hides a module file of the same
    name, which hides a folder without one together with all that lies in it. Such a folder is a
    namespace package only when some module lies below it.

    One difference is on purpose: where a source file and a compiled module stand side by side
    CPython loads the compiled one; here the source stands for both, being what it was built from.
    """
    folders = _files_by_folder(paths, package, import_root)
    found: dict[str, ModuleFile] = {}
    for folder in sorted(folders):  # a parent sorts before its children
        files = folders[folder]
        parent = folder.rpartition(".")[0]
        own = files.get("__init__")
        if parent:
            outer = found.get(parent)
            if outer is None or not outer.is_package:
                continue  # below a module file, so out of reach
            if own is None and folder in found:
                continue  # a module file hides a folder without __init__
        found[folder] = ModuleFile(folder, own, True, own is not None and _is_extension(own))
        for stem, path in files.items():
            if stem != "__init__":
                name = f"{folder}.{stem}"
                found[name] = ModuleFile(name, path, False, _is_extension(path))
    return dict(sorted(found.items()))


def dotted_path(path: str, package: str, import_root: str = "") -> str | None:
    """Return the module name of a file or a folder of `package`; None when it can have none."""
    base = f"{import_root}/" if import_root else ""
    if not f"{path}/".startswith(f"{base}{package}/"):
        return None
    head, _, name = path[len(base) :].rpartition("/")
    stem = module_stem(name) or name
    folder = _dotted(head) if head else ""
    if folder is None or not is_importable(stem):
        return None
    return folder if stem == "__init__" else f"{folder}.{stem}".lstrip(".")


def _files_by_folder(
    paths: Iterable[str], package: str, import_root: str
) -> dict[str, dict[str, str]]:
    """Group files as dotted folder -> module name -> path, with every folder above a file."""
    base = f"{import_root}/" if import_root else ""
    inside = f"{base}{package}/"
    folders: dict[str, dict[str, str]] = {}
    dotted: dict[str, str | None] = {}
    for path in paths:
        if not path.startswith(inside):
            continue
        head, _, filename = path.rpartition("/")
        stem = module_stem(filename)
        if stem is None:
            continue
        if head not in dotted:
            dotted[head] = _dotted(head[len(base) :])
        folder = dotted[head]
        if folder is None:
            continue
        if folder not in folders:
            _add_with_parents(folders, folder)
        known = folders[folder].get(stem)
        if known is None or _rank(path) < _rank(known):
            folders[folder][stem] = path
    return folders


def _add_with_parents(folders: dict[str, dict[str, str]], folder: str) -> None:
    while folder and folder not in folders:
        folders[folder] = {}
        folder = folder.rpartition(".")[0]


def _dotted(folder: str) -> str | None:
    parts = folder.split("/")
    return ".".join(parts) if all(map(is_importable, parts)) else None


def _is_extension(path: str) -> bool:
    return not path.endswith(SOURCE_SUFFIX)


def _rank(path: str) -> tuple[bool, str]:
    return _is_extension(path), path
