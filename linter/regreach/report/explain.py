"""The story of a key for people: sections of labelled lines, as findings have them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rich.text import Text

from regreach.explain.story import Loading, SiteStory, Story, Way
from regreach.model import Audit, Cell, ImportEdge
from regreach.report.text import finding_lines, labelled, mark_of
from regreach.rule import key_text
from regreach.wording import chain_text, clipped, cycle_text, listed, short

_STYLES = {"crashes": "bold red", "perhaps": "magenta", "saves itself": "green", "works": "green"}
_OUTCOMES = {"ok": "constructed", "maybe": "may raise", "unreached": "never asked for it"}
_REACH = {
    "runner": "loaded by the consumer's own init path",
    "process": "loaded by the process at start, not by the consumer",
    "caller": "loaded by every call site that asks for it, not by the consumer",
    "partial": "loaded by some call sites that ask for it, not by all, and not by the consumer",
    "none": "loaded by nobody who asks for it",
    "orphan": "loaded by nobody: nothing in the tree imports the module",
    "unregistered": "registered nowhere",
}


def explain_lines(audit: Audit, story: Story) -> list[Text]:
    """Return the whole story of a key."""
    sections = [
        _head(audit, story),
        _registered(story),
        _looked_up(story),
        *(_loaded(story, loading) for loading in story.loadings),
        _call_sites(story),
        *(_remedy(story, loading) for loading in story.loadings),
        _siblings(story),
        _related(story),
        _findings(story),
    ]
    return [line for section in sections if section for line in (Text(), *section)][1:]


def _head(audit: Audit, story: Story) -> list[Text]:
    cell = story.cell
    title = Text(key_text(cell.key), "bold")
    title.append(f"  {cell.registry}", "default")
    title.append(f"  {audit.source}, platform {audit.platform}", "dim")
    mark, style, _ = mark_of(cell)
    reach = labelled("reach", f"{cell.reach}: {_REACH[cell.reach]}", style)
    return [title, labelled("verdict", mark, style), reach]


def _title(text: str, more: str = "") -> Text:
    line = Text(text, "bold")
    if more:
        line.append(f"  {more}", "dim")
    return line


def _registered(story: Story) -> list[Text]:
    cell = story.cell
    lines = [
        labelled("registered", f"{r.spot}  {r.symbol}".rstrip(), "") for r in cell.registrations
    ]
    if cell.held_back_by is not None:
        guard = f"{cell.held_back_by}  {cell.held_back_by.text}"
        lines.append(labelled("guarded by", guard, "magenta"))
    return [_title("Registrations"), *(lines or [labelled("none", "nothing registers it", "dim")])]


def _looked_up(story: Story) -> list[Text]:
    cell = story.cell
    where = str(story.defined) if story.defined is not None else story.home
    lines = [labelled("consumer", f"{where}  {story.consumer}", "")]
    for label, spot in (("branch", cell.branch), ("looked up", cell.lookup)):
        if spot is not None:
            lines.append(labelled(label, f"{spot}  {clipped(spot.text)}", ""))
    lines += [labelled("later asked", f"{s}  {clipped(s.text)}", "") for s in story.asked_at]
    there = f"after the import: {cell.after_import}; at the look-up: {cell.at_lookup}"
    lines.append(labelled("there", there, ""))
    lines.append(labelled("outcome", outcome_text(cell), _outcome_style(cell)))
    lines += [labelled("depends on", f"{s}  {s.text}", "magenta") for s in cell.conditions]
    if cell.cycle is not None:
        lines.append(labelled("dies of", cycle_text(cell.cycle), "red"))
        lines.append(labelled("cycle", chain_text(cell.cycle.edges, cell.cycle.module), ""))
    return [_title("Look-up", "nobody having helped the consumer"), *lines]


def outcome_text(cell: Cell) -> str:
    """Return how the consumer ends for a key: with which exception, at which line."""
    if cell.outcome == "raises":
        return f"raises {cell.exception} at {cell.raised_at}"
    text = _OUTCOMES[cell.outcome]
    if cell.outcome == "maybe" and cell.exception is not None:
        return f"{text} {cell.exception} at {cell.raised_at}"
    return text


def _outcome_style(cell: Cell) -> str:
    return {"raises": "red", "maybe": "magenta", "ok": "green"}.get(cell.outcome, "dim")


def _loaded(story: Story, loading: Loading) -> list[Text]:
    by = "its module's imports" if loading.at_import else "its init path"
    lines = [labelled("by consumer", _way_text(loading.consumer, by), _way_style(loading.consumer))]
    lines += _chain(loading.consumer.chain)
    if loading.process is not None:
        roots = listed(story.roots)
        lines.append(
            labelled("by process", _way_text(loading.process, roots), _way_style(loading.process))
        )
        lines += _chain(loading.process.chain)
    if story.sites:
        lines.append(labelled("by callers", _callers_text(story), ""))
    imports = [edge for edge in loading.importers if edge not in loading.consumer.chain]
    lines += [labelled("imported by", edge_text(edge), "dim") for edge in imports]
    if not loading.importers:
        lines.append(labelled("imported by", "nobody", ""))
    return [_title("Loading", loading.module), *lines]


def _way_text(way: Way, by: str) -> str:
    return {"yes": f"yes, by {by}", "maybe": f"maybe, by {by}", "no": f"no, not by {by}"}[
        way.loaded
    ]


def _way_style(way: Way) -> str:
    return {"yes": "green", "maybe": "magenta", "no": "red"}[way.loaded]


def _callers_text(story: Story) -> str:
    loaded = [s.value.loaded for s in story.sites]
    text = f"{loaded.count('yes')} of {len(loaded)} call sites that ask for it have it loaded"
    doubtful = loaded.count("maybe")
    return f"{text}, {doubtful} perhaps" if doubtful else text


def edge_text(edge: ImportEdge) -> str:
    """Return an import as its place, its kind, the function and the condition around it."""
    kind = "at module level" if edge.kind == "eager" else edge.kind
    text = f"{edge.spot}  {kind}"
    if edge.scope:
        text += f", in {edge.scope}"
    return f"{text}, under {clipped(edge.guards[-1])}" if edge.guards else text


def _chain(edges: Iterable[ImportEdge]) -> list[Text]:
    return [labelled("", f"{edge_text(edge)} → {edge.imported}", "dim") for edge in edges]


def site_label(site: SiteStory) -> str:
    """Return in a word or two what becomes of a call site."""
    value = site.value
    if value.outcome == "raises":
        return "crashes"
    if value.outcome == "maybe":
        return "perhaps"
    return "saves itself" if site.ways else "works"


def site_text(site: SiteStory) -> str:
    """Return what arrives at a call site, whether the key is loaded then, and how it ends."""
    value = site.value
    argument = site.site.argument or "its argument"
    arrives = {"yes": "is", "maybe": "can be", "no": "is never"}[value.arrives]
    text = f"{argument} {arrives} {value.value!r}; loaded: {value.loaded}"
    if value.exception is not None:
        text += f"; {value.exception}"
    return text


def paths(story: Story, site: SiteStory) -> Iterator[str]:
    """Yield the ways from a function that is called from elsewhere to the look-up, by file and line."""
    cell, own = story.cell, site.site
    steps = [short(own.spot), *(short(s) for s in (cell.branch, cell.lookup) if s is not None)]
    for module, function in own.entries or ((own.module, own.function),):
        yield " → ".join([f"{module.rpartition('.')[2]}.{function}", *dict.fromkeys(steps)])


def _call_sites(story: Story) -> list[Text]:
    if not story.sites:
        return []
    lines = []
    for site in story.sites:
        label = site_label(site)
        where = f"{site.site.spot}  {site.site.function}"
        lines.append(labelled(label, where, _STYLES.get(label, "")))
        lines.append(labelled("", site_text(site), "dim"))
        lines += [labelled("", f"path {path}", "dim") for path in paths(story, site)]
        for way in site.ways:
            lines += [labelled("", f"by {edge_text(edge)}", "dim") for edge in way]
    count = len(story.sites)
    return [_title("Call sites", f"{count} at which the key can arrive"), *lines]


def _remedy(story: Story, loading: Loading) -> list[Text]:
    remedy = loading.remedy
    if remedy is None:
        return []
    have = loading.consumer.loaded == "yes"
    lines = []
    if not have:
        add, style = (
            (remedy.statement, "bold green")
            if remedy.place is not None
            else ("no import works where the consumer asks", "red")
        )
        lines.append(labelled("add", add, style))
        lines += [labelled("where", text, "") for text in place_text(loading)]
    lines.append(labelled("in a function", _placed(remedy.lazy.error, remedy.lazy.packages), ""))
    if remedy.lazy.cycle is not None:
        lines.append(labelled("", cycle_text(remedy.lazy.cycle), "dim"))
    lines.append(labelled("at the top", top_text(loading), ""))
    lines += _chain(loading.ring)
    if remedy.others:
        lines.append(labelled("works instead", f"import {listed(remedy.others)}", ""))
    return [_title("Import" if have else "Remedy", f"of {loading.module} in {remedy.home}"), *lines]


def place_text(loading: Loading) -> Iterator[str]:
    """Yield where the missing import belongs."""
    remedy = loading.remedy
    if remedy is None or remedy.place is None:
        return
    if remedy.place == "top":
        yield f"at the top of {remedy.home}"
    elif remedy.place == "branch":
        yield f"below {remedy.branch}  {clipped(remedy.branch.text) if remedy.branch else ''}"
    else:
        yield f"above {remedy.before}, from where it is looked up"


def _placed(error: str | None, packages: Sequence[str]) -> str:
    if error is not None:
        return f"dies of {error}"
    return f"works; it also imports {listed(packages)}" if packages else "works"


def top_text(loading: Loading) -> str:
    """Return what an import at the top of the consumer's module would do: why it must be lazy, if it must."""
    remedy = loading.remedy
    assert remedy is not None, "only asked where there is one"
    if remedy.top.error is not None:
        return f"closes an import cycle; with {remedy.top.first} imported first it dies of {remedy.top.error}"
    text = _placed(None, remedy.top.packages)
    if not loading.ring:
        return f"{text}; it closes no import cycle"
    return f"closes an import cycle, a risk only: with either end imported first it {text} today"


def _siblings(story: Story) -> list[Text]:
    cells = [c for c in story.siblings if c.registrations or c.outcome != "unreached"]
    if not cells:
        return []
    alike: dict[tuple[str, str, str], list[str]] = {}
    for cell in cells:
        mark, style, _ = mark_of(cell)
        alike.setdefault((mark, style, outcome_text(cell)), []).append(",".join(cell.key[:-1]))
    lines = [
        labelled(mark, f"{listed(others, 8)}: {outcome}", style)
        for (mark, style, outcome), others in alike.items()
    ]
    beside = ",".join(story.parts[:-1])
    more = f"{story.parts[-1]} {story.cell.key[-1]}, with another {beside}"
    return [_title("The same value", more), *lines]


def _related(story: Story) -> list[Text]:
    lines = []
    for each in story.related:
        if each.cell is None:
            lines.append(labelled("MISSING", f"{each.registry}  {key_text(each.key)}", "red"))
            continue
        mark, style, _ = mark_of(each.cell)
        places = listed(str(r.spot) for r in each.cell.registrations) or "nothing registered"
        lines.append(labelled(mark, f"{each.registry}  {key_text(each.key)}  {places}", style))
    if not lines:
        return []
    counterpart = any(each.why == "counterpart" for each in story.related)
    more = "what is looked up with it" if counterpart else "what the consumer looks up later"
    return [_title("Counterpart" if counterpart else "Later look-ups", more), *lines]


def _findings(story: Story) -> list[Text]:
    if not story.findings:
        return [_title("Findings", "none")]
    lines = [_title("Findings")]
    for finding in story.findings:
        rule = story.rules.get(finding.rule)
        lines.append(finding_lines(finding)[0])
        if rule is not None:
            page = f"{rule.name}, {finding.severity}: `regreach rule {rule.code}` prints its page"
            lines.append(labelled("rule", page, "dim"))
    return lines
