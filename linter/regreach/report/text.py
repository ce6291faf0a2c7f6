"""Findings and audits for people: one line that editors can read, then the story.

Lines are built as rich ``Text`` and not folded here; colour is the console's decision.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.text import Text

from regreach.model import (
    Audit,
    Cell,
    Detail,
    Finding,
    RegistryResult,
    SimpleRegistryResult,
    Suppressed,
)
from regreach.report.folding import LABEL_WIDTH, Row
from regreach.report.marks import MARKS, mark_of, marks_of
from regreach.rule import Rule, key_text

_SEVERITY = {"error": "bold red", "warning": "yellow", "info": "cyan"}


def finding_lines(finding: Finding) -> list[Text]:
    """Return a finding as lines: ``path:line:column: CODE message``, then its facts, indented."""
    style = _SEVERITY[finding.severity]
    head = Text()
    head.append(finding.spot.path, "bold")
    head.append(f":{finding.spot.line}:{finding.column}: ", "dim")
    head.append(finding.rule, style)
    head.append(f" {_one_line(finding.message)}")
    return [head, *detail_lines(finding.details)]


def detail_lines(details: Iterable[Detail]) -> list[Text]:
    """Return facts as lines, indented: what each is, and its text."""
    return [labelled(d.label, d.text, _detail_style(d.label)) for d in details]


def labelled(label: str, text: str, style: str) -> Text:
    """Return an indented line that begins with a label; the style is that of what follows."""
    line = Text()
    line.append(f"    {label:<{LABEL_WIDTH}} ", "dim")
    line.append(_one_line(text), style)
    return line


def _one_line(text: str) -> str:
    """Return a text in which a value of the tree that has line ends breaks no line."""
    return text.replace("\r", "\\r").replace("\n", "\\n")


def _detail_style(label: str) -> str:
    return {
        "crashes": "red",
        "raises": "red",
        "saves itself": "green",
        "add": "bold green",
        "put back": "bold green",
    }.get(label, "")


def check_lines(
    _: Audit, findings: Sequence[Finding], suppressed: Sequence[Suppressed] = ()
) -> list[Text]:
    """Return the findings, one below the other; those that are suppressed are only counted."""
    return [line for finding in findings for line in finding_lines(finding)]


def problem_lines(audit: Audit) -> list[Text]:
    """Return the files that could not be taken into account, and the notes."""
    lines = []
    for problem in audit.problems:
        line = Text(f"{problem.spot.path}:{problem.spot.line}:{problem.column}: ", "bold")
        line.append("not read: ", "yellow")
        line.append(problem.message)
        lines.append(line)
    lines += [Text(f"note: {note}", "yellow") for note in audit.notes]
    return lines


def suppressed_text(suppressed: Sequence[Suppressed]) -> str:
    """Return how many findings are suppressed and by what, to be appended to a summary."""
    counts = (
        (sum(each.by == "comment" for each in suppressed), "suppressed by comments"),
        (sum(each.by == "baseline" for each in suppressed), "in the baseline"),
    )
    told = ", ".join(f"{count} {words}" for count, words in counts if count)
    return f"; {told}" if told else ""


def suppressed_lines(suppressed: Iterable[Suppressed]) -> list[Text]:
    """Return a line for each finding that does not count, and what suppresses it."""
    lines = []
    for each in suppressed:
        line = Text(f"{each.finding.spot}:{each.finding.column}: ", "dim")
        line.append(f"suppressed {each.finding.rule} {each.finding.message}", "dim")
        reason = each.reason or "no reason given"
        line.append(f" ({each.by} {each.spot}: {reason})", "dim")
        lines.append(line)
    return lines


def summary(
    findings: Sequence[Finding], suppressed: Sequence[Suppressed] = (), *, unsure: bool = False
) -> Text:
    """Return one line with the number of findings of each severity, and of those that do not count.

    ``unsure`` says that there may be findings which nobody could look for.
    """
    more = suppressed_text(suppressed)
    counts = [
        f"{n} {severity}{'s' if n != 1 and severity != 'info' else ''}"
        for severity in ("error", "warning", "info")
        if (n := sum(f.severity == severity for f in findings))
    ]
    if not counts and unsure:
        return Text(f"nothing found in what could be judged{more}", "yellow")
    if not counts:
        return Text(f"no findings{more}", "green")
    worst = next(s for s in _SEVERITY if any(f.severity == s for f in findings))
    return Text(", ".join(counts), _SEVERITY[worst]).append(more, "default")


def help_lines(findings: Sequence[Finding], rules: Iterable[Rule] = ()) -> list[Text]:
    """Return where to go on from errors: the commands that mend, and the page of the first rule.

    ``rules`` say which of them are mended only if they are selected.
    """
    errors = [finding for finding in findings if finding.severity == "error"]
    if not errors:
        return []
    on_request = {rule.code for rule in rules if rule.mended == "on request"}
    fixed = [finding.rule for finding in errors if finding.fix is not None]
    mended = sum(code not in on_request for code in fixed)
    ways = [f"`regreach fix` mends {mended} of {len(errors)}"] if mended else []
    for code in sorted(on_request.intersection(fixed)):
        ways.append(f"`regreach fix --select {code}` mends {fixed.count(code)} of {len(errors)}")
    ways.append(f"`regreach rule {errors[0].rule}` tells why it matters")
    return [Text(f"help: {'; '.join(ways)}", "dim")]


def audit_lines(
    audit: Audit, findings: Sequence[Finding], suppressed: Sequence[Suppressed] = ()
) -> list[Text]:
    """Return the whole audit: what was read, each registry's matrix, the findings, the call sites."""
    head = Text()
    head.append(audit.source, "bold")
    head.append(f"  {audit.package}, {audit.modules} modules, platform {audit.platform}")
    counted = Text(f"importing the consumer executes {len(audit.eager)} modules", "dim")
    cells = [c for r in audit.registries for c in r.cells]
    sections = [
        [head, counted],
        *map(_registry_lines, audit.registries),
        _legend(cells),
        _guard_lines(cells),
        _condition_lines(cells),
        *map(simple_registry_lines, audit.simple_registries),
        *map(finding_lines, findings),
        suppressed_lines(suppressed),
        _loop_lines(audit),
        _call_site_lines(audit),
    ]
    # an empty line between two
    return [line for section in sections if section for line in (Text(), *section)][1:]


def _registry_lines(registry: RegistryResult) -> list[Text]:
    registered = sum(bool(c.registrations) for c in registry.cells)
    title = Text(registry.id, "bold")
    title.append(f"  {registered} registered of {len(registry.cells)} keys", "dim")
    if len(registry.parts) == 2:
        return [title, *_matrix(registry.parts, registry.cells)]
    return [
        title,
        *(
            Text(f"  {key_text(c.key)}  {m.word}", m.style)
            for c in registry.cells
            for m in [mark_of(c)]
        ),
    ]


def _matrix(parts: Sequence[str], cells: Iterable[Cell]) -> list[Text]:
    """Draw a two-part key as a table: the part with more values goes down, the other across."""
    by_key = {c.key: c for c in cells}
    firsts = list(dict.fromkeys(k[0] for k in by_key))
    seconds = list(dict.fromkeys(k[1] for k in by_key))
    swapped = len(seconds) >= len(firsts)
    rows, columns = (seconds, firsts) if swapped else (firsts, seconds)
    row_name, column_name = (parts[1], parts[0]) if swapped else (parts[0], parts[1])

    def cell(row: str, column: str) -> tuple[str, str]:
        found = by_key.get((column, row) if swapped else (row, column))
        mark = mark_of(found) if found is not None else None
        return (mark.word, mark.style) if mark is not None else ("", "")

    # a column in which nothing is registered says nothing: they are named below the table
    empty = [c for c in columns if all(cell(r, c)[0] in ("", "-", "x") for r in rows)]
    shown = [c for c in columns if c not in empty]
    first_width = max(map(len, (*rows, row_name)))
    widths = [max(len(c), *(len(cell(r, c)[0]) for r in rows)) for c in shown]
    begins = [first_width + 4]
    for width in widths[:-1]:
        begins.append(begins[-1] + width + 2)
    header = Row(f"  {row_name:<{first_width}}  ", "dim")
    for column, width in zip(shown, widths, strict=True):
        header.append(f"{column:<{width}}  ", "bold")
    header.columns = begins
    lines: list[Text] = [header]
    for row in rows:
        line = Row(f"  {row:<{first_width}}  ")
        for column, width in zip(shown, widths, strict=True):
            mark, style = cell(row, column)
            line.append(f"{mark:<{width}}  ", style)
        lines.append(line)
    for each in lines:
        each.rstrip()
    if empty:
        lines.append(Text(f"  nothing registered for {column_name} {', '.join(empty)}", "dim"))
    return lines


def _legend(cells: Iterable[Cell]) -> list[Text]:
    lines = []
    for mark in marks_of(cells):
        line = Text("  ")
        line.append(f"{mark.word:<8}", mark.style)
        line.append(f" {mark.meaning}", "dim")
        lines.append(line)
    return lines


def _guard_lines(cells: Iterable[Cell]) -> list[Text]:
    """Return what holds back the keys that are registered behind a guard."""
    lines = []
    for cell in cells:
        if cell.registrations and cell.held_back_by is not None:
            line = Text(f"  {key_text(cell.key)} is guarded by ")
            line.append(f"{cell.held_back_by}  {cell.held_back_by.text}", "magenta")
            lines.append(line)
    return lines


def _condition_lines(cells: Iterable[Cell]) -> list[Text]:
    """Return what the keys depend on of which nothing certain can be said."""
    lines = []
    for cell in cells:
        if cell.registrations and mark_of(cell) == MARKS["maybe"]:
            for spot in cell.conditions:
                line = Text(f"  {key_text(cell.key)} depends on ")
                line.append(f"{spot}  {spot.text}", "magenta")
                lines.append(line)
    return lines


def _loop_lines(audit: Audit) -> list[Text]:
    """Return the loops that import the modules of a package and go on where one cannot be imported."""
    lines = []
    for each in audit.swallowed:
        if each.package:
            line = Text(f"  {each.spot}  ")
            how = "logged" if each.is_told else "in silence"
            lost = f", {len(each.lost)} registrations in them" if each.lost else ""
            line.append(f"the {len(each.modules)} modules of {each.package}, {how}{lost}", "dim")
            lines.append(line)
    count = len(lines)
    head = f"{count} loop{'s' * (count != 1)} leave{'s' * (count == 1)} out modules that cannot be imported"
    return [Text(head, "bold"), *lines] if lines else []


def simple_registry_lines(registry: SimpleRegistryResult) -> list[Text]:
    """Return how many keys a simple registry has, and how the modules that register them are reached."""
    keys = {entry.key for entry in registry.entries if entry.key is not None}
    modules = {entry.module: entry.reach for entry in registry.entries}
    title = Text(registry.id, "bold")
    title.append(f"  {len(keys)} keys, registered in {len(modules)} modules", "dim")
    named = len({entry.target for entry in registry.entries} - {""})
    if named:
        title.append(f"; {named} are names of what a look-up imports", "dim")
    lines = [title]
    for reach, meaning in _SIMPLE_REACH.items():
        count = sum(found == reach for found in modules.values())
        if count:
            line = Text("  ")
            line.append(f"{reach:<10}", "red" if reach == "orphan" else "")
            line.append(f" {count:>4}  {meaning}", "dim")
            lines.append(line)
    if registry.open:
        lines.append(Text(f"  missing keys are not judged: {registry.open}", "dim"))
    return lines


_SIMPLE_REACH = {
    "own": "the registry's own module",
    "process": "loaded by the process roots",
    "lookup": "loaded with the module that looks up",
    "discovered": "found by a loop over their package",
    "lazy": "loaded by functions that import it",
    "later": "not loaded by the process roots",
    "orphan": "nothing that is ever loaded imports it",
}


def _call_site_lines(audit: Audit) -> list[Text]:
    if not audit.call_sites:
        return []
    count = len(audit.call_sites)
    lines = [Text(f"{count} call site{'s' if count != 1 else ''}", "bold")]
    for site in audit.call_sites:
        crashing = list(
            dict.fromkeys(
                v.value
                for v in site.values
                if v.outcome != "ok" and v.arrives != "no" and _is_registered(audit, v.key)
            )
        )
        line = Text(f"  {site.spot}  ")
        line.append(f"{site.argument}", "dim")
        if crashing:
            line.append(f"  fails for {', '.join(crashing)}", "red")
        lines.append(line)
    return lines


def _is_registered(audit: Audit, key: tuple[str, ...]) -> bool:
    return any(
        c.key == key and c.registrations for registry in audit.registries for c in registry.cells
    )
