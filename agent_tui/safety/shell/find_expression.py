"""Which entries of a folder `find` hands to its actions. An expression is read with three values:
what it says of names and kinds is known, what it says of times, sizes and owners is not (None)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase
from typing import Final, Literal

from agent_tui.safety.shell.words import word_set
from agent_tui.structures import late
from agent_tui.structures.frozen import frozen

COMMANDS: Final = word_set("-exec -execdir -ok -okdir")
PRINTS: Final = word_set("-print -print0 -printf -fprint -fprint0 -fprintf -ls -fls")
_VALUED: Final = word_set(
    """
    -name -iname -path -ipath -wholename -iwholename -lname -ilname -regex -iregex -regextype -type
    -xtype -size -mtime -atime -ctime -mmin -amin -cmin -newer -anewer -cnewer -user -group -uid -gid
    -perm -links -inum -samefile -fstype -used -context -maxdepth -mindepth -printf -fprint -fprint0
    -fls -fprintf
    """
)
NAMES: Final = word_set("-name -iname -path -ipath -wholename -iwholename -regex -iregex")
_ONE_FILE: Final = word_set("-inum -samefile -lname -ilname -false")
"""They choose one file, or links."""
_DEPTHS: Final = {"-maxdepth": "most", "-mindepth": "least"}
_ENDING: Final = late.pattern(r"\\\.(?:\\?\(([\w\\|]+)\)|(\w+))\$?", re.DOTALL)
"""The end of a regular expression that names the endings of files."""
_MOST_WORDS: Final = 100
_MOST_ROOTS: Final = 4
_ANY: Final = "some/some.thing"
"""A file or a folder that no test means."""

Reach = Literal[0, 1, 2]
"""Not, perhaps, surely."""
Value = bool | None
Takes = Callable[[str, Sequence[str]], int]
"""What an action (its name and its words) takes away, as `moved_files.taken_by` says it."""
_ALL: Final = 2


@frozen
class Entry:
    """A file or a folder as `find` names it: `depth` below the root that it was given."""

    path: str
    depth: int
    is_folder: bool = False


def finds_all(arguments: Sequence[str], takes: Takes) -> bool:
    """Whether a `find` takes all that is there, or all of a kind or an owner: surely what none of
    its tests means, at any depth. Tests that only leave something out change nothing."""
    roots, expression = split(arguments)
    if len(expression) > _MOST_WORDS:
        return True
    readings = (
        _Reading(expression, Entry(f"{root}/{_ANY}", 0, is_folder), takes, is_any=True)
        for root in roots[:_MOST_ROOTS]
        for is_folder in (False, True)
    )
    return any(reading.takes_surely() for reading in readings)


def split(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """The folders that a `find` begins with, behind its options for links, and its expression."""
    while arguments and re.match(r"-([HLP]|O\d|D)$", arguments[0]):
        arguments = arguments[2 if arguments[0] == "-D" else 1 :]
    first = next(
        (i for i, text in enumerate(arguments) if text.startswith(("-", "(", "!"))), len(arguments)
    )
    return list(arguments[:first]) or ["."], list(arguments[first:])


def find_loss(expression: Sequence[str], entry: Entry, above: Sequence[Entry], takes: Takes) -> int:
    """What may be taken away of `entry`. `above`: the folders on the way to it, below the root."""
    if len(expression) > _MOST_WORDS:
        return _ALL
    reading = _Reading(expression, entry, takes)
    reading.evaluate()
    late_order = not {"-depth", "-d", "-delete"}.isdisjoint(expression)  # nothing is pruned then
    if reading.taken and "-prune" in expression and not late_order:
        for folder in above:
            outer = _Reading(expression, folder, takes)
            outer.evaluate()
            if outer.pruned:
                return 0
    return reading.taken


class _Reading:
    """Reads an expression once, for one entry. `is_any`: for one at some depth, of some owner, with
    which the programs succeed."""

    def __init__(
        self, words: Sequence[str], entry: Entry, takes: Takes, is_any: bool = False
    ) -> None:
        self.taken, self.surely, self.pruned = 0, 0, False
        self._words, self._entry, self._takes, self._at = words, entry, takes, 0
        self._is_any = is_any

    def evaluate(self) -> None:
        depths = (word for word in self._words if word in _DEPTHS)
        if not self._is_any and any(self._out_of(name) for name in depths):
            return
        reach: Reach = 2
        while self._at < len(self._words):  # behind a bracket too many it goes on
            value = self._either(reach)
            said = any(
                word == "-delete" or word in COMMANDS or word in PRINTS for word in self._words
            )
            if not said and value is not False:
                self._act("-print", (), _reach(value, True, reach))
            self._at += 1

    def takes_surely(self) -> bool:
        self.evaluate()
        return bool(self.surely)

    def _out_of(self, name: str) -> bool:
        at = self._words.index(name) + 1
        said = self._words[at] if at < len(self._words) else ""
        depth = self._entry.depth
        if not (said.isascii() and said.isdecimal()) or len(said) > 9:
            return False
        return depth > int(said) if name == "-maxdepth" else depth < int(said)

    def _peek(self) -> str:
        return self._words[self._at] if self._at < len(self._words) else ""

    def _either(self, reach: Reach) -> Value:
        value = self._both(reach)
        while self._peek() in ("-o", "-or", ","):
            comma = self._peek() == ","
            self._at += 1
            other = self._both(reach if comma else _reach(value, False, reach))
            if comma or True in (value, other):
                value = other if comma else True
            else:
                value = None if None in (value, other) else False
        return value

    def _both(self, reach: Reach) -> Value:
        value = self._one(reach)
        while self._peek() not in ("", "-o", "-or", ",", ")"):
            self._at += self._peek() in ("-a", "-and")
            other = self._one(_reach(value, True, reach))
            value = False if False in (value, other) else None if None in (value, other) else True
        return value

    def _one(self, reach: Reach) -> Value:
        word = self._peek()
        if word in ("", ")"):
            return None
        self._at += 1
        if word in ("!", "-not"):
            value = self._one(reach)
            return None if value is None else not value
        if word == "(":
            value = self._either(reach)
            self._at += self._peek() == ")"
            return value
        if word in COMMANDS:
            rest = self._words[self._at :]
            ends = (at for at, one in enumerate(rest) if one in (";", "+"))
            end = next(ends, len(rest))
            self._at += end + 1
            self._act(word, rest[:end], reach)
            return True if self._is_any else None
        said = self._peek() if word in _VALUED or word.startswith("-newer") else ""
        self._at += bool(said) + (word == "-fprintf")
        if word == "-delete" or word in PRINTS:
            self._act(word, (), reach)
            return True
        if word == "-prune":
            self.pruned = self.pruned or reach == 2
            return True
        if word == "-user" and self._is_any:
            return True
        return _test(word, said, self._entry)

    def _act(self, name: str, words: Sequence[str], reach: Reach) -> None:
        taken = self._takes(name, words) if reach else 0
        self.taken = max(self.taken, taken)
        self.surely = max(self.surely, taken if reach == 2 else 0)


def _reach(value: Value, wanted: bool, reach: Reach) -> Reach:
    """How far it is gone on behind a test with this value."""
    if value is None:
        return 1 if reach else 0
    return reach if value is wanted else 0


def _test(name: str, said: str, entry: Entry) -> Value:
    """The value of a test for an entry of a repository: none of them is empty or a link."""
    if name in _DEPTHS or name in ("-true", "-depth", "-d", "-xdev", "-mount", "-regextype"):
        return True
    if name == "-empty" or name in _ONE_FILE or (name == "-size" and re.match(r"0\w?$", said)):
        return False
    if name in ("-type", "-xtype"):
        return ("d" if entry.is_folder else "f") in said.split(",")
    if name not in NAMES or "$" in said.removesuffix("$") or "`" in said:
        return None
    if name in ("-regex", "-iregex"):
        return _fits_ending(said, entry.path)
    path = entry.path.rpartition("/")[2] if name in ("-name", "-iname") else entry.path
    pattern = said.replace("[^", "[!")
    if name[1] == "i":
        path, pattern = path.lower(), pattern.lower()
    return fnmatchcase(path, pattern)


def _fits_ending(pattern: str, path: str) -> Value:
    """Whether a path may fit a regular expression: not if that names other endings."""
    found = _ENDING.search(pattern, max(pattern.rfind("\\."), 0))
    if found is None or found.end() != len(pattern):
        return None
    endings = re.split(r"\\?\|", found[1].removesuffix("\\")) if found[1] else [found[2]]
    return None if path.rpartition(".")[2].lower() in map(str.lower, endings) else False
