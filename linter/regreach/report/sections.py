"""The story of a key in words: sections of labelled lines, which text and HTML set out in their own ways."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from regreach.explain.story import Loading, SiteStory, Story, Way
from regreach.model import Cell, ImportEdge, Outcome, Remedy, Tristate
from regreach.report.marks import Tone, mark_of
from regreach.rule import key_text
from regreach.wording import chain_text, clipped, cycle_text, listed, short

_SITE_TONES: dict[str, Tone] = {"crashes": "bad", "perhaps": "doubt", "saves itself": "good"}
_LOADED: dict[Tristate, Tone] = {"yes": "good", "maybe": "doubt", "no": "bad"}
_ENDS: dict[Outcome, Tone] = {"raises": "bad", "maybe": "doubt", "ok": "good", "unreached": "soft"}
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


@dataclass(frozen=True, slots=True)
class Entry:
    """A label and what it says; one without a label goes on with what is above it."""

    label: str
    text: str
    tone: Tone = ""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a story: ``more`` says of what, in a few words."""

    title: str
    more: str
    entries: tuple[Entry, ...]


def sections(story: Story) -> list[Section]:
    """Return the story of a key but for its findings, in the order in which it is told."""
    return [
        _registered(story),
        _looked_up(story),
        *(_loaded(story, loading) for loading in story.loadings),
        *_call_sites(story),
        *(_remedy(story, each) for each in story.loadings if each.remedy is not None),
        *_siblings(story),
        *_related(story),
    ]


def head_entries(story: Story) -> tuple[Entry, ...]:
    """Return the verdict on a key and its reach."""
    cell = story.cell
    mark = mark_of(cell)
    return (
        Entry("verdict", f"{mark.word}: {mark.meaning}", mark.tone),
        Entry("reach", f"{cell.reach}: {_REACH[cell.reach]}"),
    )


def _registered(story: Story) -> Section:
    cell = story.cell
    entries = [Entry("registered", f"{r.spot}  {r.symbol}".rstrip()) for r in cell.registrations]
    if cell.held_back_by is not None:
        guard = f"{cell.held_back_by}  {cell.held_back_by.text}"
        entries.append(Entry("guarded by", guard, "doubt"))
    nothing = Entry("none", "nothing registers it", "soft")
    return Section("Registrations", "", tuple(entries) or (nothing,))


def _looked_up(story: Story) -> Section:
    cell = story.cell
    where = str(story.defined) if story.defined is not None else story.home
    entries = [Entry("consumer", f"{where}  {story.consumer}")]
    for label, spot in (("branch", cell.branch), ("looked up", cell.lookup)):
        if spot is not None:
            entries.append(Entry(label, f"{spot}  {clipped(spot.text)}"))
    entries += [Entry("later asked", f"{s}  {clipped(s.text)}") for s in story.asked_at]
    there = f"after the import: {cell.after_import}; at the look-up: {cell.at_lookup}"
    entries.append(Entry("there", there))
    entries.append(Entry("outcome", outcome_text(cell), _ENDS[cell.outcome]))
    entries += [Entry("depends on", f"{s}  {s.text}", "doubt") for s in cell.conditions]
    if cell.cycle is not None:
        entries.append(Entry("dies of", cycle_text(cell.cycle), "bad"))
        entries.append(Entry("cycle", chain_text(cell.cycle.edges, cell.cycle.module)))
    return Section("Look-up", "nobody having helped the consumer", tuple(entries))


def outcome_text(cell: Cell) -> str:
    """Return how the consumer ends for a key: with which exception, at which line."""
    if cell.outcome == "raises":
        return f"raises {cell.exception} at {cell.raised_at}"
    text = _OUTCOMES[cell.outcome]
    if cell.outcome == "maybe" and cell.exception is not None:
        return f"{text} {cell.exception} at {cell.raised_at}"
    return text


def _loaded(story: Story, loading: Loading) -> Section:
    consumer, process = loading.consumer, loading.process
    by = "its module's imports" if loading.at_import else "its init path"
    entries = [Entry("by consumer", _way_text(consumer, by), _LOADED[consumer.loaded])]
    entries += _chain(consumer.chain)
    if process is not None:
        roots = listed(story.roots)
        entries.append(Entry("by process", _way_text(process, roots), _LOADED[process.loaded]))
        entries += _chain(process.chain)
    if story.sites:
        entries.append(Entry("by callers", _callers_text(story)))
    others = [edge for edge in loading.importers if edge not in consumer.chain]
    entries += [Entry("imported by", edge_text(edge), "soft") for edge in others]
    if not loading.importers:
        entries.append(Entry("imported by", "nobody"))
    return Section("Loading", loading.module, tuple(entries))


def _way_text(way: Way, by: str) -> str:
    return {"yes": f"yes, by {by}", "maybe": f"maybe, by {by}", "no": f"no, not by {by}"}[
        way.loaded
    ]


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


def _chain(edges: Iterable[ImportEdge]) -> list[Entry]:
    return [Entry("", f"{edge_text(edge)} → {edge.imported}", "soft") for edge in edges]


def site_label(site: SiteStory) -> str:
    """Return in a word or two what becomes of a call site."""
    if site.value.outcome == "raises":
        return "crashes"
    if site.value.outcome == "maybe":
        return "perhaps"
    return "saves itself" if any(way[-1].kind == "lazy" for way in site.ways) else "works"


def site_text(site: SiteStory) -> str:
    """Return what arrives at a call site, whether the key is loaded then, and how it ends."""
    value = site.value
    argument = site.site.argument or "its argument"
    arrives = {"yes": "is", "maybe": "can be", "no": "is never"}[value.arrives]
    text = f"{argument} {arrives} {value.value!r}; loaded: {value.loaded}"
    return f"{text}; {value.exception}" if value.exception is not None else text


def paths(story: Story, site: SiteStory) -> Iterator[str]:
    """Yield the ways from a function that is called from elsewhere to the look-up, by file and line."""
    cell, own = story.cell, site.site
    steps = [short(own.spot), *(short(s) for s in (cell.branch, cell.lookup) if s is not None)]
    for module, function in own.entries or ((own.module, own.function),):
        yield " → ".join([f"{module.rpartition('.')[2]}.{function}", *dict.fromkeys(steps)])


def _call_sites(story: Story) -> Iterator[Section]:
    if not story.sites:
        return
    entries = []
    for site in story.sites:
        label = site_label(site)
        where = f"{site.site.spot}  {site.site.function}"
        entries.append(Entry(label, where, _SITE_TONES.get(label, "")))
        entries.append(Entry("", site_text(site), "soft"))
        entries += [Entry("", f"path {path}", "soft") for path in paths(story, site)]
        for way in site.ways:
            by = edge_text(way[0]) if len(way) == 1 else chain_text(way, way[-1].imported)
            entries.append(Entry("", f"has it by {by}", "soft"))
    count = len(story.sites)
    yield Section("Call sites", f"{count} at which the key can arrive", tuple(entries))


def _remedy(story: Story, loading: Loading) -> Section:
    remedy = loading.remedy
    assert remedy is not None, "only asked where there is one"
    have = loading.consumer.loaded == "yes"
    entries = []
    if not have and remedy.place is None:
        entries.append(Entry("add", "no import works where the consumer asks", "bad"))
    elif not have:
        entries.append(Entry("add", remedy.statement, "add"))
        entries.append(Entry("where", place_text(remedy)))
    entries.append(Entry("in a function", _placed(remedy.lazy.error, remedy.lazy.packages)))
    if remedy.lazy.cycle is not None:
        entries.append(Entry("", cycle_text(remedy.lazy.cycle), "soft"))
    entries.append(Entry("at the top", top_text(remedy, loading.ring)))
    entries += _chain(loading.ring)
    if remedy.others:
        entries.append(Entry("works instead", f"import {listed(remedy.others)}"))
    title = "Import" if have else "Remedy"
    return Section(title, f"of {loading.module} in {remedy.home}", tuple(entries))


def place_text(remedy: Remedy) -> str:
    """Return where the missing import belongs."""
    if remedy.place == "top":
        return f"at the top of {remedy.home}"
    if remedy.place == "branch":
        text = clipped(remedy.branch.text) if remedy.branch is not None else ""
        return f"below {remedy.branch}  {text}"
    return f"above {remedy.before}, from where it is looked up"


def _placed(error: str | None, packages: Sequence[str]) -> str:
    if error is not None:
        return f"dies of {error}"
    return f"works; it also imports {listed(packages)}" if packages else "works"


def top_text(remedy: Remedy, ring: Sequence[ImportEdge]) -> str:
    """Return what an import at the top of the consumer's module would do: why it must be lazy, if it must."""
    top = remedy.top
    if top.error is not None:
        return f"closes an import cycle; with {top.first} imported first it dies of {top.error}"
    text = _placed(None, top.packages)
    if not ring:
        return f"{text}; it closes no import cycle"
    return f"closes an import cycle, a risk only: with either end imported first it {text} today"


def _siblings(story: Story) -> Iterator[Section]:
    alike: dict[tuple[str, Tone, str], list[str]] = {}
    for cell in story.siblings:
        if cell.registrations or cell.outcome != "unreached":
            mark = mark_of(cell)
            others = alike.setdefault((mark.word, mark.tone, outcome_text(cell)), [])
            others.append(",".join(cell.key[:-1]))
    entries = [
        Entry(word, f"{listed(others, 8)}: {outcome}", tone)
        for (word, tone, outcome), others in alike.items()
    ]
    if entries:
        more = f"{story.parts[-1]} {story.cell.key[-1]}, with another {','.join(story.parts[:-1])}"
        yield Section("The same value", more, tuple(entries))


def _related(story: Story) -> Iterator[Section]:
    entries = []
    for each in story.related:
        name = f"{each.registry}  {key_text(each.key)}"
        if each.cell is None:
            entries.append(Entry("MISSING", name, "bad"))
            continue
        mark = mark_of(each.cell)
        places = listed(str(r.spot) for r in each.cell.registrations) or "nothing registered"
        entries.append(Entry(mark.word, f"{name}  {places}", mark.tone))
    if entries and any(each.why == "counterpart" for each in story.related):
        yield Section("Counterpart", "what is looked up with it", tuple(entries))
    elif entries:
        yield Section(
            "Later look-ups", "of the finished consumer, for the same value", tuple(entries)
        )
