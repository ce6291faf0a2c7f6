"""Which files are worth parsing: told by bytes, since a large tree takes minutes to parse."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from regreach.program import Program

_ANNOTATION = rb"[ \t]*(?::[^=\n]+(?:\n[^=\n]+){0,2})?=[ \t]*\(?\s*"
_MAKER = (
    rb"(?:[\[{]|(?:\w+\.)*"
    rb"(?:dict|list|set|\w*[dD]ict|deque|ChainMap|Counter|WeakSet|\w*Dictionary|User\w+)(?:\[[^\n]*\])?\()"
)
# A name at the margin that is bound to a container, or to what some call gives.
_AT_MARGIN = re.compile(
    rb"\n(?P<name>[^\W\d]\w*)%b(?:[\[{]|[^\W\d][\w.]*(?:\[[^\n]*\])?\()" % _ANNOTATION
)
# The same in a class; and an attribute of an object.
_IN_CLASS = re.compile(rb"\n[ \t]+(?P<name>[^\W\d]\w*)%b%b" % (_ANNOTATION, _MAKER))
_OF_OBJECT = re.compile(
    rb"\n[ \t]+(?:self|cls)\.(?P<name>[^\W\d]\w*)%b(?:%b|[\w.]+[ \t]+or[ \t]+%b|(?:\w+\.)*[A-Z]\w*[\[(])"
    % (_ANNOTATION, _MAKER, _MAKER)
)
_FIELD = re.compile(
    rb"\n[ \t]+(?P<name>[^\W\d]\w*)[ \t]*:[^=\n]+=[ \t]*(?:\w+\.)?(?:field|Field|ib|attrib|PrivateAttr)\("
)
# A name at the margin, or one in a class, bound to what a call gives.
_MADE = re.compile(
    rb"\n(?:    |\t)?(?P<name>[^\W\d]\w*)%b(?P<owner>(?:\w+\.)*)(?P<func>[^\W\d]\w*)(?:\[[^\n]*\])?[.\w]*\("
    % _ANNOTATION
)
_CLASS = re.compile(rb"\n[ \t]*class[ \t]+(?P<name>[^\W\d]\w*)(?:\([ \t\n]*(?P<bases>[^)]*)\))?")
# A function that says that it registers, and the call in it that takes a key and a thing.
_SAYS_SO = re.compile(rb"(?i)\ndef[ \t]+\w*regist\w*\(")
_HANDS_OUT = re.compile(rb"\n[ \t]+\w+\.(?:impl|register\w*|add\w*)\(\s*\w+,\s*\w+")
_NEXT = re.compile(rb"\n[^\s)#]")
_REGISTRY = re.compile(rb"(?i)regist|catalog")
_RETURNED = re.compile(rb"\n[ \t]+return[ \t]+(?:\w+\.)*([A-Z_]\w*)\(")
_LIKE_A_CONTAINER = re.compile(rb"(?:dict|Dict|Mapping|[lL]ist|[sS]et|Dictionary)\b")
_OF_SELF = re.compile(rb"\n[ \t]+(?:self|cls)\[[^\n]*\][ \t]*=(?!=)")
_WORDS = rb"append|appendleft|add|insert|setdefault|update|__setitem__"
# How a line goes on that puts something into what its beginning names.
_FILLS = re.compile(
    rb"(?:\[[^\n]*\][ \t]*(?::[^=\n]+)?=(?!=)|\[[ \t]*\n|(?:\[[^\n]*\]|\.(?:setdefault|get)\([^\n]*\))*\s*\.(?:%b)\()"
    % _WORDS
)
STORES = re.compile(rf"\]\s*(?::[^=\n]+)?=(?!=)|\.(?:{_WORDS.decode()})\(")
"""Whether the text of a function may put something into a container."""

_WORD = re.compile(rb"[^\W\d]\w+")
_ALIAS = re.compile(rb"\n[ \t]+(\w+)[ \t]*=(?!=)[^=]*\Z")
_STATEMENT = 200  # bytes of the beginning of a statement
_NEAR = 2000  # bytes in which what has got another name is filled
_MAX_NAMES = 400  # in one pattern


class Words:
    """The words of all modules: which stand in which."""

    def __init__(self) -> None:
        self._modules: list[str] = []
        self._places: dict[bytes, list[int]] = {}

    def add(self, module: str, data: bytes) -> None:
        """Take in a module."""
        number = len(self._modules)
        self._modules.append(module)
        for word in set(_WORD.findall(data)):
            self._places.setdefault(word, []).append(number)

    def of(self, word: str) -> list[str]:
        """Return the modules in which a word stands, in the order in which they were taken in."""
        return [self._modules[number] for number in self._places.get(word.encode(), ())]


@dataclass(slots=True)
class Candidates:
    """What a scan of all bytes found.

    ``storing`` are the modules in which a function may fill a container that lives long. ``made`` maps
    what is called to make an object at a margin or in a class to the modules, ``objects`` the names that
    these have, ``heirs`` the last names of classes to the modules with classes below them, ``returned``
    what is called to make what a function returns. ``registering`` are the modules that make an object of
    which a name says that something is registered there.
    """

    storing: list[str] = field(default_factory=list)
    made: dict[str, set[str]] = field(default_factory=dict)
    objects: dict[str, set[str]] = field(default_factory=dict)
    heirs: dict[str, set[str]] = field(default_factory=dict)
    returned: dict[str, set[str]] = field(default_factory=dict)
    words: Words = field(default_factory=Words)
    registering: set[str] = field(default_factory=set)


def scan(program: Program, modules: Iterable[str]) -> Candidates:
    """Look through the bytes of modules for what may fill a container."""
    found = Candidates()
    margin: dict[str, set[bytes]] = {}
    of_objects: dict[str, set[bytes]] = {}  # classes in modules whose objects fill what is theirs
    heirs: dict[bytes, set[bytes]] = {}
    for module in modules:
        data = b"\n" + program.source(module)
        found.words.add(module, data)
        margin[module] = {m["name"] for m in _AT_MARGIN.finditer(data)}
        for made in _MADE.finditer(data):
            func, name = (made[key].decode("utf-8", "replace") for key in ("func", "name"))
            found.made.setdefault(func, set()).add(module)
            if _REGISTRY.search(made[0]) or b"egistr" in made["owner"]:
                found.registering.add(module)
            found.objects.setdefault(name, set()).add(module)
        classes = {m["name"]: m["bases"] or b"" for m in _CLASS.finditer(data)}
        for name, above in ((n, b) for n, bases in classes.items() for b in _words(bases)):
            heirs.setdefault(above, set()).add(name)
            found.heirs.setdefault(above.decode("utf-8", "replace"), set()).add(module)
        for each in _RETURNED.finditer(data):
            found.returned.setdefault(each[1].decode("utf-8", "replace"), set()).add(module)
        shared = {m["name"] for m in _IN_CLASS.finditer(data)} if classes else set()
        if (
            _hands_out(data)
            or _fills(data, margin[module], dotted=False)
            or _fills(data, shared, dotted=True)
        ):
            found.storing.append(module)
        elif classes:
            own = {m["name"] for m in (*_OF_OBJECT.finditer(data), *_FIELD.finditer(data))}
            mapping = any(map(_LIKE_A_CONTAINER.search, classes.values()))
            if (mapping and _OF_SELF.search(data)) or _fills(data, own, dotted=True):
                of_objects[module] = set(classes)
    called = {name.encode() for name in found.made}
    for module, names in of_objects.items():
        if any(_made_somewhere(name, called, heirs) for name in names):
            found.storing.append(module)
    _add_foreign(program, found, margin)
    found.storing.sort()
    return found


def _words(data: bytes) -> Iterator[bytes]:
    return iter(re.findall(rb"\w+", data))


def _fills(data: bytes, names: set[bytes], *, dotted: bool) -> bool:
    """Return whether an indented line may fill one of these, or an attribute of this name."""
    some = sorted(names)
    for start in range(0, len(some), _MAX_NAMES):
        either = b"|".join(map(re.escape, some[start : start + _MAX_NAMES]))
        before = rb"\." if dotted else rb"(?<![\w.])"
        for found in re.finditer(rb"%b(?:%b)\b" % (before, either), data):
            if not _is_indented(data, found.start()):
                continue
            if _FILLS.match(data, found.end()) or _fills_by_alias(data, found.start()):
                return True
    return False


def _fills_by_alias(data: bytes, at: int) -> bool:
    """Return whether a name is given to what stands there, which is filled under it."""
    alias = _ALIAS.search(data[max(0, at - _STATEMENT) : at])
    if alias is None:
        return False
    under = re.compile(rb"\n[ \t]+%b(?=[\[.])" % re.escape(alias[1]))
    return any(_FILLS.match(data, f.end()) for f in under.finditer(data, at, at + _NEAR))


def _hands_out(data: bytes) -> bool:
    """Return whether a function that says that it registers gives a key and a thing to some object."""
    for found in _SAYS_SO.finditer(data):
        end = _NEXT.search(data, found.end())
        if _HANDS_OUT.search(data, found.end(), end.start() if end is not None else len(data)):
            return True
    return False


def _is_indented(data: bytes, at: int) -> bool:
    line = data.rfind(b"\n", 0, at) + 1
    return data[line : line + 1] in (b" ", b"\t")


def _made_somewhere(name: bytes, called: set[bytes], heirs: dict[bytes, set[bytes]]) -> bool:
    """Return whether a class, or one that inherits from it, is called where its object lives long."""
    seen, waiting = {name}, [name]
    while waiting:
        each = waiting.pop()
        if each in called or b"egistr" in each:
            return True
        new = heirs.get(each, set()) - seen
        seen |= new
        waiting += new
    return False


def _add_foreign(program: Program, found: Candidates, margin: dict[str, set[bytes]]) -> None:
    """Add the modules that fill what is bound at the margin of another module, which they import."""
    everywhere: set[bytes] = set().union(*margin.values()) if margin else set()
    known = set(found.storing)
    for module in margin:
        data = b"\n" + program.source(module)
        if module in known:
            continue
        imported = {
            word
            for line in re.finditer(
                rb"\n[ \t]*from\b[^\n]*\bimport\b[ \t]*(\([^)]*\)|[^\n]*)", data
            )
            for word in _words(line[1])
        }
        if _fills(data, {n for n in imported & everywhere if len(n) > 2}, dotted=False):
            found.storing.append(module)
