"""What ``regreach fix`` prints beside a patch: what became of each finding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from regreach.fixes import LeftFinding, Mended, MendedFinding, Verified
from regreach.model import Finding
from regreach.report.text import suppressed_text
from regreach.rule import key_text


def fix_lines(
    mended: Mended, verified: Sequence[Verified] | None, *, only_left: bool = False
) -> Iterator[Text]:
    """Yield for each finding whether it is mended, where and by what, or (``only_left``) just why not.

    Those that one import mends are told together, and those that are left for the same reason.
    """
    seen = {id(each.finding): each for each in verified or ()}
    done: dict[tuple[str, int, str], list[MendedFinding]] = {}
    left: dict[tuple[str, str], list[LeftFinding]] = {}
    for each in mended.mended:
        executed = seen.get(id(each.finding))
        if executed is not None and not executed.ok:
            why = f"executed with the import in place: {executed.text}"
            left.setdefault((each.finding.spot.path, why), []).append(
                LeftFinding(each.finding, why)
            )
        else:
            done.setdefault((each.path, each.line, each.finding.rule), []).append(each)
    for other in mended.left:
        left.setdefault((other.finding.spot.path, other.why), []).append(other)
    for group in () if only_left else done.values():
        yield from _mended(group, seen.get(id(group[0].finding)))
    for others in left.values():
        findings = [other.finding for other in others]
        yield _head("not mended", "bold red", findings, str(findings[0].spot))
        yield _detail("why", others[0].why)


def _mended(group: Sequence[MendedFinding], executed: Verified | None) -> Iterator[Text]:
    first = group[0]
    place = f"{first.path}:{first.line}"
    yield _head("mended", "bold green", [each.finding for each in group], place)
    yield _detail("add", first.added, "green")
    yield _detail("where", first.where)
    yield _detail("why there", first.why)
    if executed is not None:
        yield _detail("verified", executed.text)


def _head(word: str, style: str, findings: Sequence[Finding], place: str) -> Text:
    head = Text()
    head.append(f"{place}: ", "bold")
    head.append(word, style)
    head.append(f" {findings[0].rule}")
    keys = dict.fromkeys(key_text(f.key) for f in findings if f.key is not None)
    if keys:
        head.append(f" {', '.join(keys)}")
    return head


def _detail(label: str, text: str, style: str = "") -> Text:
    line = Text()
    line.append(f"    {label:<13} ", "dim")
    line.append(text, style)
    return line


def fix_summary(mended: Mended, verified: Sequence[Verified] | None, *, wrote: bool | None) -> Text:
    """Return one line: how many findings are mended, and what was written (None: it was not asked)."""
    failed = sum(not each.ok for each in verified or ())
    done, left = len(mended.mended) - failed, len(mended.left) + failed
    if not done and not left:
        return _nothing(mended)
    counts = [f"{done} mended{' by the patch' * (wrote is False)}"] if done else []
    counts += [f"{left} not mended"] if left else []
    text = ", ".join(counts)
    if failed:
        text += "; nothing was written, as executing it did not confirm all"
        return Text(text, "bold red")
    paths = ", ".join(edit.path for edit in mended.edits)
    if wrote is None:
        how = "--write changes the files" if mended.editable else "apply the patch to a checkout"
        text += f"; nothing was written ({how})"
    elif wrote:
        text += f"; written: {paths}" if paths else "; nothing was written"
    text += suppressed_text(mended.suppressed)
    return Text(text, "bold red" if left else "green")


def _nothing(mended: Mended) -> Text:
    """Say that there is nothing to mend, and which rules would be mended if they were selected."""
    text = Text(f"nothing to mend{suppressed_text(mended.suppressed)}", "green")
    if mended.unasked:
        rules = sorted({finding.rule for finding in mended.unasked})
        many = len(mended.unasked)
        text.append(
            f"; {many} finding{'s' * (many > 1)} of {', '.join(rules)} only if selected"
            f" (--select {','.join(rules)})"
        )
    return text
