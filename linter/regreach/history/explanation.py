"""Why a key is worse off than it was, in words: what it was before, and which import is gone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from regreach.history.comparison import Worsened
from regreach.history.import_changes import ImportChange, ImportLine
from regreach.history.repository import Commit
from regreach.model import Cell, Detail, Related, Spot
from regreach.rule import key_text

_LISTED = 4  # so many deleted imports are told


def state_text(cell: Cell | None) -> str:
    """Return in a few words how it stands with a key."""
    if cell is None:
        return "no such key"
    if not cell.registrations:
        return f"nothing registered{_ending(cell)}"
    return f"reach {cell.reach}{_ending(cell) or ', the consumer is constructed'}"


def _ending(cell: Cell) -> str:
    if cell.outcome == "raises" and cell.raised_at is not None:
        return f", {cell.exception} at {cell.raised_at}"
    return ", perhaps an exception" if cell.outcome == "maybe" else ""


def details(found: Worsened, change: ImportChange, old: Commit) -> Iterator[Detail]:
    """Yield what a key was before, and the imports whose deletion made it worse."""
    yield Detail("before", f"{state_text(found.before)} (at {old})")
    yield from deletions(change, old, found.before)


def deletions(change: ImportChange, old: Commit, cell: Cell) -> Iterator[Detail]:
    """Yield the imports that are gone, how to have those back that were there for their side effect."""
    for deleted in change.deleted[:_LISTED]:
        yield Detail("deleted", f"{deleted.edge.spot} at {old}  {deleted.text}")
        if deleted.for_side_effect:
            yield Detail("side effect", _why_kept(deleted))
            yield Detail("put back", f"{deleted.statement}  # noqa: F401")
    if len(change.deleted) > _LISTED:
        yield Detail("deleted", f"and {len(change.deleted) - _LISTED} more imports of it")
    direct = any(deleted.direct for deleted in change.deleted)
    if direct and all(edge.kind == "type-checking" for edge in change.left):
        first = cell.registrations[0]
        whom = "for type checkers only" if change.left else "any more"
        yield Detail(
            "last import",
            f"nobody imports {first.module} {whom}, which registers {key_text(cell.key)}",
        )


def places(change: ImportChange, old: Commit) -> Iterator[Related]:
    """Yield the lines of the new tree in whose place the deleted imports stood."""
    for deleted in change.deleted[:_LISTED]:
        if deleted.now is not None:
            yield Related("deleted", deleted.now, f"{deleted.text} (at {old})")


def _why_kept(deleted: ImportLine) -> str:
    if deleted.kept_by_noqa:
        return "nothing used its name: it was there to register, as its `# noqa: F401` said"
    return "nothing used its name, so that a fixer of unused imports deletes it; it was there to register"


def headline(found: Worsened, old: Commit) -> str:
    """Return in one line what is worse about a key."""
    key, after = key_text(found.before.key), found.after
    if after is None or not after.registrations:
        first = found.before.registrations[0]
        text = f"{key} is registered no more; at {old} it was, at {first.spot}"
    elif after.reach != found.before.reach:
        text = f"{key} is reached less surely than at {old}: {found.before.reach} → {after.reach}"
    else:
        text = f"{key} is worse off than at {old}: {state_text(after)}"
    return f"{text}{_crashes([site.spot for site in found.crashing])}"


def _crashes(spots: Sequence[Spot]) -> str:
    if not spots:
        return ""
    shown = ", ".join(
        dict.fromkeys(f"{spot.path.rpartition('/')[2]}:{spot.line}" for spot in spots)
    )
    return f"; {shown} crash{'es' if len(spots) == 1 else ''}"
