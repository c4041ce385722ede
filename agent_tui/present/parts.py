"""What is shown, in parts: a closed vocabulary between what happened (`protocol`) and what draws,
says or writes it.

A result or a block becomes parts in one function (`displays.py`, `blocks.py`); the screen, line
mode, documents, search and copy are backends, and each decides every part once. Texts are raw: a
backend makes them harmless. Lists are made item by item, when somebody looks: a result may have
a hundred thousand entries, and a screen shows thirty.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from operator import attrgetter
from typing import Any, Final, Generic, Literal, NamedTuple, TypeVar

from agent_tui.protocol.display import DiffDisplay, Match
from agent_tui.structures.frozen import frozen

T_co = TypeVar("T_co", covariant=True)
Mark = Literal["", "open", "active", "done", "option", "chosen", "folder", "link", "image"]
"""What an item is: each backend has its own sign or word for it."""


@frozen
class Run:
    """Words of one line in one style of the screen's (`tui/markdown/lines.py`)."""

    text: str
    style: str = "text"


@frozen
class Words:
    """Text without markup, wrapped between words: running text, what something is called, what a
    person typed; or words of the program itself, about how it ended (`failure`) or what stands
    below (`note`)."""

    text: str
    kind: Literal["text", "heading", "prompt", "failure", "note"] = "text"


@frozen
class Output:
    """What a program or a tool said, line by line, as a terminal would show it."""

    text: str


@frozen
class Markdown:
    text: str


@frozen
class Script:
    """What a shell is to run, and in which folder."""

    text: str
    cwd: str = ""


@frozen
class Code:
    """A stretch of a file: `language` is its name or the file's, `opening` as in a `Hunk`."""

    text: str
    language: str = ""
    first_line: int = 1
    total_lines: int = 0
    opening: tuple[str, ...] = ()


@frozen
class Diff:
    diff: DiffDisplay


@frozen
class Matches:
    """Lines of files, and what was looked for in them. `total` counts those left out too."""

    pattern: str
    matches: tuple[Match, ...]
    total: int = 0


@frozen
class Table:
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class Item(NamedTuple):
    """An entry of a list: its `text`, or a `name`, a `note` about it and then the text. `size`,
    in bytes, is for those who see all of it at a glance; nobody else is told. `file`: the path of
    the file that it is. (A tuple: there may be thousands, and they are made anew.)"""

    text: str
    mark: Mark = ""
    name: str = ""
    note: str = ""
    size: int = 0
    file: str = ""


class Items(Generic[T_co]):
    """An item for each of `source`, made when it is asked for. `field`: the one of the source
    that is the text of an item without a name; so it can be read without making any."""

    __slots__ = ("_field", "_make", "_source")

    def __init__(
        self, source: Sequence[T_co], make: Callable[[T_co], Item], field: str = ""
    ) -> None:
        self._source: Final = source
        self._make: Final = make
        self._field: Final = field

    def __len__(self) -> int:
        return len(self._source)

    def first_items(self, most: int) -> Items[T_co]:
        return Items(self._source[:most], self._make, self._field)

    def __iter__(self) -> Iterator[Item]:
        return map(self._make, self._source)

    def texts(self) -> Iterator[str]:
        if self._field:
            return map(attrgetter(self._field), self._source)
        return (
            " ".join(filter(None, (item.name, item.note, item.text))) if item.name else item.text
            for item in self
        )


@frozen
class List:
    """`total` counts those left out too; `empty` is what stands there for none."""

    items: Items[Any]
    total: int = 0
    empty: str = ""
    numbered: bool = False


Part = Words | Output | Markdown | Script | Code | Diff | Matches | Table | List
