"""Which installed pack a target is judged with when none is named: the one of whose package it has."""

# Strings here and no Path objects, as in the modules that open targets.
# ruff: noqa: PTH112, PTH113
from __future__ import annotations

import os
from collections.abc import Mapping

from regreach.errors import ConfigError, TargetError
from regreach.pack import Pack, location_of
from regreach.plugins import Plugins, load_plugins
from regreach.tree import PackageLocation, open_tree
from regreach.tree.opening import NoPackageError, has_path, package_folders
from regreach.tree.paths import one_line


def pack_for(name: str | None, package: str | None, target: str, rev: str | None = None) -> Pack:
    """Return the pack that is named, or the one that fits a target.

    A folder, archive or revision has the package of the pack, a requirement is of the project with its name. With
    only one pack of a package installed, that is it: what is wrong with the target its reader says.
    Raises ConfigError where several fit, or none is sure to, and TargetError for a target that cannot be read.
    """
    plugins = load_plugins()
    if name is not None:
        return plugins.pack(name, package)
    fitting = {
        each: location
        for each, text in plugins.packs.items()
        if (location := location_of(text, f"pack {each}")) is not None
        and package in (None, location.name)
    }
    if len(fitting) > 1:
        path = rev is not None or has_path(target)
        fitting = _held(target, rev, fitting) if path else _named(target, fitting)
    if len(fitting) != 1:
        raise ConfigError(_choose(plugins, fitting, target, package))
    return plugins.pack(next(iter(fitting)), package)


def _choose(
    plugins: Plugins, fitting: Mapping[str, PackageLocation], target: str, package: str | None
) -> str:
    if fitting:
        return f"several packs fit {one_line(target)}: choose {' or '.join(fitting)} with --pack"
    known = f"installed are: {', '.join(plugins.packs) or 'none'}"
    if package is not None:
        return f"no installed pack is of the package {package!r}; name one for any with --pack; {known}"
    return f"choose a pack with --pack; {known}"


def _held(
    target: str, rev: str | None, packs: Mapping[str, PackageLocation]
) -> dict[str, PackageLocation]:
    """Return the packs whose package a path has. Raises TargetError where it is of none."""
    if rev is None and os.path.isdir(target):
        # of thousands of files only these are looked at: a hook is to answer at once
        sure = {
            name: location
            for name, location in packs.items()
            if any(os.path.isfile(f"{f}/__init__.py") for f in package_folders(target, location))
        }
        if sure:
            return sure
    found = {}
    for name, location in packs.items():
        try:
            open_tree(target, location, rev=rev).close()
        except NoPackageError:
            continue
        found[name] = location
    if not found:
        packages = dict.fromkeys(repr(location.name) for location in packs.values())
        where = one_line(target if rev is None else f"{target}@{rev}")
        raise TargetError(
            f"no package {' or '.join(packages)} in {where}: give the folder in which it lies, or with --pack"
            " the pack of another framework (docs/packs.md)"
        )
    return found


def _named(target: str, packs: Mapping[str, PackageLocation]) -> dict[str, PackageLocation]:
    """Return the packs whose package has the name of a requirement's project. Raises TargetError."""
    # What parses requirements takes as long to import as a whole tree takes to open.
    from regreach.tree.requirement import is_of_project, parse_requirement

    fitting = {n: each for n, each in packs.items() if is_of_project(target, each.name)}
    if not fitting:
        parse_requirement(target, "")  # it may be none
    return fitting
