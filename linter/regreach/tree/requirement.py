"""A target that is no path: a requirement such as `name==1.0`."""

from __future__ import annotations

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from regreach.errors import TargetError
from regreach.tree.paths import one_line
from regreach.tree.suffixes import ARCHIVES


def parse_requirement(target: str, package: str) -> Requirement:
    """Parse a target that is no existing path.

    A word without a version is most often a folder that is not there, so only the name of ``package``,
    which is what is looked for, stands for its newest release; any other names its version.
    Raises TargetError, which guesses what was meant: a path, an address or a requirement.
    """
    text = one_line(target)
    if "://" in target:
        raise TargetError(
            f"{text!r} names an address, which is not fetched: download the file and give its path"
        )
    if "/" in target or "\\" in target or target[:1] == "." or target.lower().endswith(ARCHIVES):
        raise TargetError(f"{text}: no such file or folder")
    try:
        requirement = Requirement(target)
    except InvalidRequirement as error:
        raise TargetError(
            f"{text!r} is neither an existing path nor a requirement such as name==1.0"
        ) from error
    if requirement.url is not None:
        raise TargetError(f"{text!r} names a file: give its path alone")
    if is_bare(requirement) and not _same_project(requirement.name, package):
        raise TargetError(
            f"{text}: no such file or folder; the package index was not asked: a requirement names its"
            f" version, as {text}==1.0"
        )
    return requirement


def is_of_project(target: str, package: str) -> bool:
    """Say whether a target is a requirement whose project has the package's name."""
    try:
        return _same_project(Requirement(target).name, package)
    except InvalidRequirement:
        return False


def is_bare(requirement: Requirement) -> bool:
    """Say whether a requirement is a name and nothing more."""
    return str(requirement) == requirement.name


def _same_project(name: str, other: str) -> bool:
    return canonicalize_name(name) == canonicalize_name(other)


def is_exact(specifier: SpecifierSet) -> bool:
    """Say whether only one release can satisfy the specifier."""
    return any(s.operator in ("==", "===") and not s.version.endswith(".*") for s in specifier)
