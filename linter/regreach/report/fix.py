"""What ``regreach fix`` prints beside a patch: what became of each finding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from regreach.fixes import LeftFinding, Mended, MendedFinding, Verified
from regreach.model import Finding
from regreach.rule import key_text


def fix_lines(mended: Mended, verified: Sequence[Verified] | None) -> Iterator[Text]:
    """Yield for each finding whether it is mended, where and by what, or why not."""
    seen = {id(each.finding): each for each in verified or ()}
    for each in mended.mended:
        executed = seen.get(id(each.finding))
        if executed is not None and not executed.ok:
            why = f"executed with the import in place: {executed.text}"
            yield from _left(LeftFinding(each.finding, why))
        else:
            yield from _mended(each, executed)
    for left in mended.left:
        yield from _left(left)


def _mended(each: MendedFinding, executed: Verified | None) -> Iterator[Text]:
    yield _head("mended", "bold green", each.finding, f"{each.path}:{each.line}")
    yield _detail("add", each.added, "green")
    yield _detail("where", each.where)
    yield _detail("why there", each.why)
    if executed is not None:
        yield _detail("verified", executed.text)


def _left(left: LeftFinding) -> Iterator[Text]:
    yield _head("not mended", "bold red", left.finding, str(left.finding.spot))
    yield _detail("why", left.why)


def _head(word: str, style: str, finding: Finding, place: str) -> Text:
    head = Text()
    head.append(f"{place}: ", "bold")
    head.append(word, style)
    head.append(f" {finding.rule}")
    if finding.key is not None:
        head.append(f" {key_text(finding.key)}")
    return head


def _detail(label: str, text: str, style: str = "") -> Text:
    line = Text()
    line.append(f"    {label:<13} ", "dim")
    line.append(text, style)
    return line


def fix_summary(mended: Mended, *, refused: bool, wrote: bool | None) -> Text:
    """Return one line: how many findings are mended, and what was written (None: it was not asked)."""
    done, left = len(mended.mended), len(mended.left)
    if not done and not left:
        return Text("nothing to mend", "green")
    counts = [f"{done} mended"] if done else []
    counts += [f"{left} not mended"] if left else []
    text = ", ".join(counts)
    if refused:
        text = f"{text}, but what was executed does not confirm it: nothing was written"
        return Text(text, "bold red")
    paths = ", ".join(edit.path for edit in mended.edits)
    if wrote is None:
        text += "; nothing was written (--write changes the files)"
    elif wrote:
        text += f"; written: {paths}" if paths else "; nothing was written"
    return Text(text, "bold red" if left else "green")
