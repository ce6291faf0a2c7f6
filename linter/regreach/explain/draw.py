"""From the story of a key to its picture."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from regreach.explain.picture import Edge, EdgeKind, Node, NodeKind, Picture, Row, State
from regreach.explain.story import SiteStory, Story
from regreach.model import ImportEdge, Outcome, Reach, Tristate
from regreach.rule import key_text
from regreach.wording import clipped, short

# source, target, kind, and whether part of a cycle
_Between = tuple[str, str, EdgeKind, bool]
_LABEL_WIDTH = 34
_ROW_WIDTH = 46
_MOST_LABELS = 3
_MOST_ROWS = 12
# Importers that are on no way to the look-up: so many are shown.
_MOST_IMPORTERS = 3
_ORDER: tuple[NodeKind, ...] = ("root", "site", "consumer", "module", "registering")
_IMPORTS: tuple[EdgeKind, ...] = ("eager", "lazy", "dynamic", "type-checking")
_STATES: dict[Outcome, State] = {
    "ok": "good",
    "raises": "bad",
    "maybe": "doubt",
    "unreached": "plain",
}
_LOOKS: dict[Tristate, tuple[EdgeKind, State, str]] = {
    "yes": ("finds", "good", "finds it"),
    "no": ("misses", "bad", "not there"),
    "maybe": ("misses", "doubt", "perhaps not there"),
}
# What others load is there in practice.
_BY_OTHERS: dict[Reach, tuple[EdgeKind, State, str]] = {
    "process": ("finds", "doubt", "there by the process"),
    "caller": ("finds", "doubt", "there by the callers"),
}


def picture_of(story: Story) -> Picture:
    """Return the modules and imports between process roots, call sites, consumer and registrations."""
    return _Drawing(story).picture()


class _Drawing:
    def __init__(self, story: Story) -> None:
        self.story = story
        self.kinds: dict[str, NodeKind] = {}  # by module
        self.rows: dict[str, list[Row]] = {}
        self.edges: dict[_Between, list[str]] = {}
        self.states: dict[_Between, State] = {}

    def picture(self) -> Picture:
        self._consumer_and_registrations()
        self._imports()
        self._cycles()
        grouped = self._sites()
        self._other_importers()
        # where it begins stands first, also for those who lay the picture out
        modules = sorted(self.kinds, key=lambda module: _ORDER.index(self.kinds[module]))
        names = {module: f"n{number}" for number, module in enumerate(modules)}
        nodes = [self._node(names[module], module) for module in modules]
        if grouped:
            names[""] = f"n{len(names)}"
            nodes.append(Node(names[""], "site", f"{len(grouped)} call sites", "", _some(grouped)))
        # so that the consumer stands above what registers, and what leads back is part of a cycle
        ordered = sorted(self.edges, key=lambda key: (key[3], key[2] in _IMPORTS))
        edges = (self._drawn(names, key) for key in ordered)
        return Picture(self._title(), describe(self.story), tuple(nodes), tuple(edges))

    # -- what is in it ------------------------------------------------------------------------

    def _consumer_and_registrations(self) -> None:
        story, cell = self.story, self.story.cell
        self._add(story.home, "consumer")
        asked = [cell.lookup] if cell.lookup is not None else list(story.asked_at)
        kind, state, words = _BY_OTHERS.get(cell.reach, _LOOKS[cell.at_lookup])
        if cell.outcome in ("raises", "maybe") and cell.exception:
            at = f" :{cell.raised_at.line}" if cell.raised_at is not None else ""
            by_others = cell.reach in _BY_OTHERS
            text = f"{'alone, ' * by_others}{story.consumer} raises {cell.exception}{at}"
            self._row(story.home, text, "doubt" if by_others else _STATES[cell.outcome])
        else:
            self._row(story.home, story.consumer, "plain")
        for loading in story.loadings:
            self._add(loading.module, "registering")
            looked = [f"looks up :{spot.line}, {words}" for spot in asked] or [f"looks up, {words}"]
            for text in looked:
                self._edge(story.home, loading.module, kind, text, state)
        for registration in cell.registrations:
            self._row(registration.module, f":{registration.spot.line} {registration.symbol}")

    def _imports(self) -> None:
        """Add the imports by which the consumer, the process and the call sites have the modules."""
        story = self.story
        for loading in story.loadings:
            ways = [loading.consumer.chain]
            if loading.process is not None:
                ways.append(loading.process.chain)
                for edge in loading.process.chain[:1]:
                    self._add(edge.importer, "root" if edge.importer in story.roots else "module")
            ways += [way for site in story.sites for way in site.ways]
            for edge in (edge for way in ways for edge in way):
                self._import(edge)

    def _cycles(self) -> None:
        """Add the cycle that an import dies of, and the one that an import at the top would close."""
        story = self.story
        if story.cell.cycle is not None:
            for edge in story.cell.cycle.edges:
                self._import(edge, cycle=True)
        for loading in story.loadings:
            remedy = loading.remedy
            if remedy is None or not loading.ring or loading.at_import:
                continue
            state: State = "bad" if remedy.top.error is not None else "doubt"
            closes = loading.ring[-1].imported == story.home
            words = f"at the top: {'closes' if closes else 'dies of'} a cycle"
            self._edge(story.home, loading.module, "would", words, state, cycle=closes)
            module = loading.module
            for edge in loading.ring:
                if edge.importer != module:
                    self._add(edge.importer, "module")
                    self._edge(module, edge.importer, "eager", "its package", cycle=True)
                self._import(edge, cycle=True)
                module = edge.imported

    def _sites(self) -> list[Row]:
        """Add the call sites; those of modules that are there for nothing else come as one list."""
        story = self.story
        involved = set(self.kinds) | {edge.importer for edge in self._unhelpful()}
        loose = [site for site in story.sites if site.site.module not in involved]
        together = len(loose) > 1
        grouped: list[Row] = []
        for site in story.sites:
            state = _STATES[site.value.outcome]
            if together and site in loose:
                grouped.append(_site_row(site, with_file=True))
                continue
            self._add(site.site.module, "site")
            row = _site_row(site, with_file=False)
            self.rows.setdefault(site.site.module, []).append(row)
            worst = _worst(state, self._constructing(site.site.module))
            self._edge(site.site.module, story.home, "constructs", "", worst)
        if grouped:
            states = [row.state for row in grouped]
            self._edge("", story.home, "constructs", "", _worst(*states))
        return grouped

    def _unhelpful(self) -> list[ImportEdge]:
        """Return the imports that are there and do not help, where the key is missing."""
        if self.story.cell.reach not in ("none", "partial", "orphan"):
            return []
        return [edge for loading in self.story.loadings for edge in loading.importers]

    def _other_importers(self) -> None:
        left: set[str] = set()
        for edge in self._unhelpful():
            if edge.importer not in self.kinds and len(left) < _MOST_IMPORTERS:
                left.add(edge.importer)
            if edge.importer in self.kinds or edge.importer in left:
                self._import(edge)

    # -- how it is put ------------------------------------------------------------------------

    def _add(self, module: str, kind: NodeKind) -> None:
        if self.kinds.get(module, "module") == "module":
            self.kinds[module] = kind

    def _row(self, module: str, text: str, state: State = "plain") -> None:
        self.rows.setdefault(module, []).append(Row(clipped(text, _ROW_WIDTH), state, text))

    def _import(self, edge: ImportEdge, *, cycle: bool = False) -> None:
        self._add(edge.importer, "module")
        self._add(edge.imported, "module")
        label = f":{edge.spot.line}"
        if edge.guards:
            label += f" {edge.guards[-1].rstrip(':')}"
        elif edge.kind == "lazy":
            label += f" in {edge.scope.rpartition('.')[2] or 'a function'}"
        elif edge.kind == "type-checking":
            label += " for type checkers"
        other = (edge.importer, edge.imported, edge.kind, not cycle)
        if other in self.edges and label in self.edges[other]:
            if not cycle:
                return  # it is there as part of the cycle
            self.edges[other].remove(label)
            if not self.edges[other]:
                del self.edges[other]
        self._edge(edge.importer, edge.imported, edge.kind, label, cycle=cycle)

    def _edge(
        self,
        source: str,
        target: str,
        kind: EdgeKind,
        label: str,
        state: State = "plain",
        *,
        cycle: bool = False,
    ) -> None:
        if source == target:
            return  # what a module does with itself is in its rows
        key = (source, target, kind, cycle)
        labels = self.edges.setdefault(key, [])
        self.states[key] = state
        if label and label not in labels:
            labels.append(label)

    def _constructing(self, module: str) -> State:
        return self.states.get((module, self.story.home, "constructs", False), "plain")

    def _node(self, name: str, module: str) -> Node:
        package, _, title = module.rpartition(".")
        return Node(name, self.kinds[module], title, package, _some(self.rows.get(module, ())))

    def _drawn(self, names: Mapping[str, str], key: _Between) -> Edge:
        source, target, kind, cycle = key
        texts = self.edges[key]
        labels, state = _labels(texts), self.states[key]
        return Edge(names[source], names[target], kind, labels, state, cycle, "\n".join(texts))

    def _title(self) -> str:
        return f"{key_text(self.story.cell.key)} in {self.story.cell.registry}"


def describe(story: Story) -> str:
    """Return in a sentence or two what a picture of a key shows."""
    cell, consumer = story.cell, story.consumer
    modules = " and ".join(each.module for each in story.loadings)
    if not modules:
        return f"Nothing registers the key; {consumer} {_ends(story)}."
    state = {"yes": "is", "no": "is not", "maybe": "may not be"}[cell.at_lookup]
    text = f"Registered in {modules}, which {state} imported when {consumer} looks it up"
    text += f"; alone, {consumer} {_ends(story)}."
    crashing = [short(s.site.spot) for s in story.sites if s.value.outcome != "ok"]
    if crashing:
        text += f" Crashing call sites: {', '.join(crashing)}."
    remedy = story.remedy
    if remedy is not None and remedy.cycle:
        text += " An import at the top of the consumer's module would close an import cycle."
    return text


def _ends(story: Story) -> str:
    cell = story.cell
    if cell.outcome == "raises":
        return f"raises {cell.exception}"
    if cell.outcome == "maybe":
        return f"may raise {cell.exception}" if cell.exception else "may fail"
    return "works" if cell.outcome == "ok" else "is not asked for it"


def _site_row(site: SiteStory, *, with_file: bool) -> Row:
    place = short(site.site.spot) if with_file else f":{site.site.spot.line}"
    # the class says more than the method, which is mostly the same
    name = site.site.function.rpartition(".")[0] or site.site.function
    full = f"{site.site.spot} {site.site.function}"
    return Row(clipped(f"{place} {name}", _ROW_WIDTH), _STATES[site.value.outcome], full)


def _some(rows: Iterable[Row]) -> tuple[Row, ...]:
    # what fails is never among those left out
    order: list[State] = ["bad", "doubt", "good", "plain"]
    found = list(rows)
    if len(found) <= _MOST_ROWS:
        return tuple(found)
    kept = sorted(found, key=lambda row: order.index(row.state))[: _MOST_ROWS - 1]
    more = len(found) - len(kept)
    left = [row for row in found if row not in kept]
    full = "\n".join(row.full or row.text for row in left)
    return (*kept, Row(f"and {more} more", "plain", full))


def _labels(labels: Sequence[str]) -> tuple[str, ...]:
    """Return what stands on an edge: lines with the same guard together, and not too many."""
    guards: dict[str, list[str]] = {}
    for label in labels:
        place, _, guard = label.partition(" ") if label.startswith(":") else ("", "", label)
        guards.setdefault(guard, []).append(place)
    texts = [" ".join(filter(None, (", ".join(p for p in ps if p), g))) for g, ps in guards.items()]
    shown = texts if len(texts) <= _MOST_LABELS else texts[: _MOST_LABELS - 1]
    more = [f"and {len(texts) - len(shown)} more"] if len(texts) > len(shown) else []
    return tuple(clipped(text, _LABEL_WIDTH) for text in (*shown, *more))


def _worst(*states: State) -> State:
    order: list[State] = ["bad", "doubt", "good", "plain"]
    return min(states, key=order.index)
