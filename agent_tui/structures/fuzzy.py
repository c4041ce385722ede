"""Fuzzy search among paths: the letters of a query in this order, best first.

A query is looked up in slices, so that whoever types is never kept waiting; what matched a query is
all that can match a longer one. Of the paths that match, those whose name begins with the query
come first, in the order of the corpus; the rest is scored letter by letter (starts of words and of
names, letters in a row), a bounded number of them.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Final

from agent_tui.structures import late
from agent_tui.structures.frozen import frozen

SLICE: Final = 12_500
"""Paths that one `step` looks at: a few milliseconds."""
ENOUGH: Final = 64
"""So many names that begin with the query are more than anybody looks at: what is behind them is
not looked for."""
PLENTY: Final = 15_000
"""So many paths that match are enough to find good ones: of the rest only the names are looked at.
"""
SCORED: Final = 120
"""Paths that are scored, of each kind: the query in one piece, its letters at the starts of words,
in the name, or anywhere."""
FEW: Final = 3_000
MANY: Final = 10_000
"""Among more matches than that, nobody looks for the starts of words, or for the letters in the
name."""
LONGEST: Final = 256
"""Characters of a query that count."""

_BESIDE: Final = late.pattern(
    r"(?:.*/)?(?:(?:tests?|specs?|__tests__|__snapshots__)/.*|__init__\.py|conftest\.py|test_[^/]*"
    r"|[^/]*(?:[._-](?:tests?|spec)\.\w+|[.-]lock|\.lock\.\w+|\.min\.\w+|\.snap|\.map))",
    re.IGNORECASE,
)
"""Tests, markers and what is made by programs: seldom the file that is meant, unless the query says
so."""
_NAMES_THEM: Final = late.pattern(r"test|spec|init|lock|min\b|snap|conf", re.IGNORECASE)
_LOOKED_AT: Final = 1_000
"""Names that begin with the query, of which that is asked."""
_LESS: Final = 12
"""What it costs a path to be one of these."""
_QUICK: Final = 4
"""One letter alone is found so many times as fast."""
_PAUSE: Final = 1_000
_RECENT: Final = 24
"""What it is worth that a path was used: more than the start of a name."""


@frozen
class Corpus:
    """What is searched: `paths` in their order (see `order`), a folder with a slash at its end;
    `folded` is each without its case, `names` the last part of that."""

    paths: Sequence[str] = ()
    folded: Sequence[str] = ()
    names: Sequence[str] = ()


@frozen
class Matches:
    """A lookup: `found` match (positions, ascending), the name of `begun` begins so; `left` is not
    looked at yet.
    `best` is the answer, once there is one."""

    corpus: Corpus
    query: str
    found: tuple[int, ...] = ()
    begun: tuple[int, ...] = ()
    left: Sequence[int] = ()
    best: tuple[int, ...] = ()
    done: bool = False


def fold(text: str) -> str:
    """`text` as it is compared: without case, and composed, however the disk or the keyboard spells
    it."""
    return text.lower() if text.isascii() else unicodedata.normalize("NFC", text).casefold()


def as_query(text: str) -> str:
    """`text` as a query of `Matches`."""
    return (text if text.isascii() else unicodedata.normalize("NFC", text))[:LONGEST]


def name_of(path: str) -> str:
    """The last part of a path; that of a folder keeps its slash."""
    return path[path.rfind("/", 0, -1) + 1 :]


def order(path: str) -> tuple[int, bool, int, str]:
    """Nearer to the top is first, then what is not hidden, then shorter, then the alphabet."""
    return path.count("/", 0, -1), path[0] == "." or "/." in path, len(path), path


def corpus(paths: Iterable[str], pause: Callable[[], object] = bool) -> Corpus:
    """`paths` made ready; `pause` is called every few milliseconds. Sorted in small lots: no sort
    holds up a key."""
    lots: dict[tuple[int, bool, int], list[str]] = {}
    for number, path in enumerate(paths):
        depth, hidden, length, _ = order(path)
        lots.setdefault((depth, hidden, length), []).append(path)
        if not number % _PAUSE:
            pause()
    ordered: list[str] = []
    folded: list[str] = []
    names: list[str] = []
    for lot in sorted(lots):
        for path in sorted(lots[lot]):
            ordered.append(path)
            folded.append(fold(path))
            names.append(name_of(folded[-1]))
            if not len(ordered) % _PAUSE:
                pause()
    return Corpus(ordered, folded, names)


def begin(among: Corpus, query: str, before: Matches | None = None) -> Matches:
    """Look `query` up; `before` is the lookup before it, which may narrow this one. Nothing is
    searched yet."""
    query = as_query(query)
    if (
        before is not None
        and before.corpus is among
        and before.query
        and _narrows(before.query, query)
    ):
        return Matches(among, query, left=(*before.found, *before.left))
    return Matches(among, query, left=range(len(among.paths)))


def step(now: Matches, recent: Sequence[str] = (), most: int = ENOUGH) -> Matches:
    """One slice more. `recent` are paths that were used, newest first; `most` is how many the
    answer holds."""
    if now.done:
        return now
    if not now.query:
        first = dict.fromkeys((*_places(now.corpus, recent), *now.left[:most]))
        return Matches(now.corpus, "", left=now.left, best=tuple(first)[:most], done=True)
    size = SLICE if len(now.query) > 1 else SLICE * _QUICK
    part, left = now.left[:size], now.left[size:]
    matching, starting = _matching(now.corpus, now.query, part)
    found, begun = (*now.found, *matching), (*now.begun, *starting)
    if left and len(begun) < ENOUGH and len(found) < PLENTY:
        return Matches(now.corpus, now.query, found, begun, left)
    if len(begun) < ENOUGH:
        begun = (*begun, *_beginning(now.corpus, now.query, left))
    best = _ranked(now.corpus, now.query, found, begun, recent)[:most]
    return Matches(now.corpus, now.query, found, begun, left, best, done=True)


def search(
    among: Corpus, query: str, recent: Sequence[str] = (), most: int = ENOUGH
) -> tuple[str, ...]:
    """The best paths for `query`, looked up at once."""
    now = begin(among, query)
    while not now.done:
        now = step(now, recent, most)
    return tuple(among.paths[place] for place in now.best)


def _narrows(before: str, query: str) -> bool:
    """Whether all that matches `query` matched `before`."""
    if not query.startswith(before):
        return False
    return _folds(before) or not _folds(query)


def _folds(query: str) -> bool:
    """Whether case does not matter: a capital letter in the query says that it does."""
    return query == query.lower()


def _matching(among: Corpus, query: str, part: Sequence[int]) -> tuple[list[int], list[int]]:
    """Those of `part` that match, and those whose name begins with the query."""
    folds = _folds(query)
    texts, wanted = (among.folded, fold(query)) if folds else (among.paths, query)
    if len(wanted) == 1:
        found = [place for place in part if wanted in texts[place]]
    else:
        matches = _pattern(wanted).match
        found = [place for place in part if matches(texts[place])]
    if "/" in wanted or not folds:
        starts = re.compile(
            f"(?:.*/)?{re.escape(wanted)}"
            if "/" in wanted
            else f"(?:.*/)?{re.escape(wanted)}[^/]*/?$"
        )
        return found, [
            place for place in found if wanted in texts[place] and starts.match(texts[place])
        ]
    names = among.names
    return found, [place for place in found if names[place].startswith(wanted)]


def _beginning(among: Corpus, query: str, left: Sequence[int]) -> list[int]:
    """Those of `left` whose name begins with the query, where that is quickly told."""
    if "/" in query or not _folds(query):
        return []
    wanted, names = fold(query), among.names
    return list(islice((place for place in left if names[place].startswith(wanted)), ENOUGH))


def _pattern(query: str) -> re.Pattern[str]:
    """The letters of `query` in this order; possessive, so that a path is gone over once at
    most."""
    return re.compile(
        "".join(f"[^{escaped}]*+{escaped}" for escaped in map(re.escape, query)), re.DOTALL
    )


def _ranked(
    among: Corpus, query: str, found: Sequence[int], begun: Sequence[int], recent: Sequence[str]
) -> tuple[int, ...]:
    texts, wanted = (among.folded, fold(query)) if _folds(query) else (among.paths, query)
    first = frozenset(begun)
    used = [place for place in _places(among, recent) if _pattern(wanted).match(texts[place])]
    aside = _asides(among, query, (*begun[:_LOOKED_AT], *used))
    exact = (place for place in begun if _whole(texts[place], wanted))
    meant = [place for place in begun if place not in aside]
    stems = (place for place in meant if _whole(texts[place].rpartition(".")[0], wanted))
    best = dict.fromkeys(
        (*(place for place in used if place in first), *exact, *stems, *meant, *begun)
    )
    if len(best) >= ENOUGH:
        return tuple(best)
    mark, bonus = scorer(wanted), frozenset(used)
    rest = [
        place
        for place in dict.fromkeys((*used, *_promising(among, wanted, texts, found)))
        if place not in first
    ]
    aside |= _asides(among, query, rest)
    scored = sorted(
        (
            (_LESS if place in aside else 0)
            - mark(texts[place], among.paths[place])
            - (_RECENT if place in bonus else 0),
            place,
        )
        for place in rest
    )
    return (*best, *(place for _, place in scored))


def _asides(among: Corpus, query: str, places: Iterable[int]) -> set[int]:
    """Those of `places` that are seldom meant; none where the query may name such."""
    if _NAMES_THEM.search(query):
        return set()
    return {place for place in places if _BESIDE.fullmatch(among.paths[place])}


def _promising(
    among: Corpus, wanted: str, texts: Sequence[str], found: Sequence[int]
) -> Iterator[int]:
    """Those of `found` that may score best, of each kind the first ones."""
    yield from islice((place for place in found if wanted in texts[place]), SCORED)
    if len(found) <= FEW:
        words = by_words(wanted).match
        yield from islice((place for place in found if words(texts[place])), SCORED)
    if len(found) <= MANY:
        letters, names = _pattern(fold(wanted)).match, among.names
        yield from islice((place for place in found if letters(names[place])), SCORED)
    yield from found[:SCORED]


def _whole(text: str, wanted: str) -> bool:
    """Whether the name, or the whole path, is the query."""
    text = text.rstrip("/")
    return text == wanted.rstrip("/") or text.endswith(f"/{wanted.rstrip('/')}")


def _places(among: Corpus, paths: Sequence[str]) -> list[int]:
    """Where those of `paths` that are there stand."""
    found: list[int] = []
    for path in paths:
        place = bisect_left(among.paths, order(path), key=order)
        if place < len(among.paths) and among.paths[place] == path:
            found.append(place)
    return found


_LETTER: Final = 16
_FIRST: Final = 2
"""Where the first letter stands counts so many times."""
_IN_ROW: Final = 5
_GAP: Final = 3
_FURTHER: Final = 1
"""What a gap costs, and each letter of it after the first."""
_SEGMENT: Final = 10
_WORD: Final = 8
_HUMP: Final = 7
"""What the beginning of a part of the path is worth, that of a word, and that of a hump (`fooBar`).
"""
_NAME: Final = 14
"""What it is worth that all letters are in the name."""
_ENDS: Final = "_-. "


def by_words(query: str) -> re.Pattern[str]:
    """Each letter of `query` at the start of a word, in this order."""
    return re.compile(
        "".join(f"(?>.*?(?<![^/_\\-. ]){re.escape(letter)})" for letter in query), re.DOTALL
    )


def scorer(query: str) -> Callable[[str, str], int]:
    """How well a path that matches fits: the text it is compared by, and the path as it is
    written."""
    words = by_words(query)

    def mark(text: str, path: str) -> int:
        written = path if len(path) == len(text) else text
        name = text.rfind("/", 0, -1) + 1
        best = -(10**6)
        for begin, extra in ((name, _NAME), (0, 0)):
            places = _tight(query, text, begin)
            if places is not None:
                best = max(best, _sum(written, places) + extra)
            if (one := _piece(query, written, text, begin)) >= 0:
                best = max(best, _sum(written, range(one, one + len(query))) + extra)
            if (found := words.match(text, begin)) is not None:
                best = max(
                    best, _sum(written, _word_starts(query, text, begin, found.end())) + extra
                )
            if places is not None:
                break  # what is in the name is worth more than what is in the folders
        return best

    return mark


def _tight(query: str, text: str, begin: int) -> list[int] | None:
    """Places of the letters: the first end that can be reached, and from there backwards the
    nearest ones."""
    end = begin
    for letter in query:
        end = text.find(letter, end) + 1
        if not end:
            return None
    places: list[int] = []
    for letter in reversed(query):
        end = text.rfind(letter, begin, end)
        places.append(end)
    return places[::-1]


def _piece(query: str, written: str, text: str, begin: int) -> int:
    """Where the query stands in one piece, at the start of a word if there is such a place;
    negative: nowhere."""
    first = place = text.find(query, begin)
    for _ in range(8):
        if place < 0 or _start(written, place):
            break
        place = text.find(query, place + 1)
    return place if place >= 0 else first


def _word_starts(query: str, text: str, begin: int, end: int) -> list[int]:
    """The places of the letters where each begins a word, as it was found to be possible."""
    places: list[int] = []
    at = begin
    for letter in query:
        at = text.find(letter, at, end)
        while at > 0 and text[at - 1] not in "/_-. ":
            at = text.find(letter, at + 1, end)
        places.append(at)
        at += 1
    return places


def _start(written: str, place: int) -> int:
    """What it is worth that a letter stands there: the beginning of a name, of a word, of a
    hump."""
    if not place or written[place - 1] == "/":
        return _SEGMENT
    before, here = written[place - 1], written[place]
    if before in _ENDS:
        return _WORD
    return (
        _HUMP
        if (before.islower() and here.isupper()) or (here.isdigit() and not before.isdigit())
        else 0
    )


def _sum(written: str, places: Sequence[int]) -> int:
    total, last, run = 0, -1, 0
    for number, place in enumerate(places):
        worth = _start(written, place)
        if number and place == last + 1:
            worth = max(worth, run, _IN_ROW)
        else:
            run = worth
            if number:
                total -= _GAP + _FURTHER * (place - last - 2)
        total += _LETTER + (worth * _FIRST if not number else worth)
        last = place
    return total
