"""A search of files for an expression: which lines match, what stands around them, and what was
left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from io import FileIO
from pathlib import Path
from typing import Final, Literal

from agent_tui.protocol.display import Match
from agent_tui.safety import paths
from agent_tui.structures.frozen import frozen
from agent_tui.structures.readable import count_noun
from agent_tui.tools.read_file import decode_text
from agent_tui.tools.support.expression import Expression
from agent_tui.tools.support.files import is_binary, path_below, size_text
from agent_tui.tools.support.walk import PER_PAGE, Halt, Walk, walk_notes

Show = Literal["lines", "files", "counts"]
MAX_BYTES: Final = 5_000_000
"""Of a file; larger ones are named by number where they match."""
MAX_TOTAL: Final = 10_000
"""Matches that are counted."""
LINE: Final = 250
"""Characters of a line that are shown, around the match."""
_LOOKED_AT: Final = 20_000
"""Characters on either side of a match in which secrets are looked for."""
_AT_ONCE: Final = 20_000
"""Characters that are searched at once, between two looks at whether to stop."""
_PIECE: Final = 1_000_000
"""Bytes of a large file that are read at a time."""


@frozen
class Hit:
    """A line that matches, with those around it by number. Where only files are wanted its line is
    how many there are, and its text is empty."""

    match: Match
    around: dict[int, str] = field(default_factory=dict)


@dataclass(slots=True)
class Search:
    """A search under way: what is on one page, how much there is in all (matches, or files), and
    what was left out."""

    expression: Expression
    first: int
    halt: Halt
    hide: Callable[[str, bool], str]
    """Puts placeholders in the place of secrets."""
    hide_known: Callable[[str], str]
    """The same for the values that are known alone."""
    show: Show = "lines"
    context: int = 0
    of_secrets: bool = False
    """The purpose of the file is secrets, whatever its name."""
    page: list[Hit] = field(default_factory=list)
    total: int = 0
    secrets: int = 0
    forbidden: int = 0
    large: int = 0
    unreadable: int = 0

    @property
    def is_full(self) -> bool:
        return self.total >= MAX_TOTAL and self.total >= self.first + PER_PAGE

    def file(self, folder: str, path: str, file: FileIO, size: int) -> None:
        """Search an open file at `path` below `folder`, as that is shown. Raises OSError."""
        data = read_up_to(file, size, MAX_BYTES)
        if len(data) <= MAX_BYTES:
            self.text(folder, path, data)
        elif not is_binary(data) and self._is_in(data, file):
            self.large += 1

    def _is_in(self, data: bytes, file: FileIO) -> bool:
        """Whether a line of a large file matches, before the first NUL: what is no text has one."""
        rest = b""
        while data and not self.halt():
            data = rest + data
            if b"\0" in data:
                return False
            whole, _, rest = data.rpartition(b"\n")
            if len(rest) > MAX_BYTES:  # no end is in sight
                whole, rest = data, b""
            if whole and self._matches(whole):
                return True
            data = file.read(_PIECE) or b""
        return bool(rest) and self._matches(rest)

    def _matches(self, lines: bytes) -> bool:
        text = decode_text(lines, self.hide_known)[0].replace("\r\n", "\n")
        return self.expression.search(text) is not None

    def text(self, folder: str, path: str, data: bytes) -> None:
        """Search the content of a file."""
        required = self.expression.required
        if not data or (required and required.encode() not in data):
            return
        if b"\0" in data or is_binary(data):
            return
        text = decode_text(data, self.hide_known)[0].replace("\r\n", "\n").removesuffix("\n")
        number = 1
        found: list[tuple[int, str, int]] = []
        for block in _blocks(text):
            if self.is_full or self.halt():
                break
            if self.expression.search(block):
                found += self._lines(number, block.split("\n"))
                if self.show == "files" or self.total + len(found) >= self._most:
                    break
            number += block.count("\n") + 1
        if found:
            self._add(path_below(folder, path), found, text)

    @property
    def _most(self) -> int:
        """Matching lines after which no more are looked for in a file."""
        return max(MAX_TOTAL, self.first + PER_PAGE)

    def _lines(self, first: int, lines: list[str]) -> Iterator[tuple[int, str, int]]:
        """Those of `lines` that match, with their numbers (`first` is the first one's) and
        where."""
        for number, line in enumerate(lines, first):
            if span := self.expression.search(line):
                yield number, line, span[0]

    def _add(self, path: str, found: list[tuple[int, str, int]], text: str) -> None:
        """Count what was found in a file, and keep what is on the page."""
        if self.show != "lines":
            if self.first <= self.total < self.first + PER_PAGE:
                self.page.append(Hit(Match(path, len(found), "")))
            self.total += 1
            return
        of_secrets = self.of_secrets or paths.is_secret(Path(path))
        begin, end = max(0, self.first - self.total), self.first + PER_PAGE - self.total
        on_page = found[begin : max(0, end)]
        whole = text.split("\n") if self.context and on_page else []
        for number, line, start in on_page:
            match = Match(path, number, self._shown(line.rstrip(), start, of_secrets))
            self.page.append(Hit(match, self._around(whole, number, of_secrets)))
        self.total += min(len(found), max(0, self._most - self.total))

    def _around(self, lines: list[str], number: int, of_secrets: bool) -> dict[int, str]:
        """The lines around line `number`, with their own numbers."""
        if not self.context:
            return {}
        first = max(1, number - self.context)
        shown = lines[first - 1 : number + self.context]
        hidden = self.hide("\n".join(line[:_LOOKED_AT] for line in shown), of_secrets).split("\n")
        return {first + at: cut_around(line.rstrip(), 0) for at, line in enumerate(hidden)}

    def _shown(self, line: str, start: int, of_secrets: bool) -> str:
        """A line in which something was found at `start`, without secrets: they are hidden before
        it is cut."""
        first = max(0, start - _LOOKED_AT)
        part = line[first : start + _LOOKED_AT]
        hidden = self.hide(part, of_secrets)
        if hidden == part:
            return cut_around(line, start)
        span = self.expression.search(hidden)
        return cut_around(hidden, span[0] if span else min(start - first, len(hidden)))

    def notes(self, walk: Walk | None) -> list[str]:
        found = walk_notes(walk, self.halt)
        if self.secrets:
            files = count_noun(self.secrets, "file")
            found.append(
                f"[{files} left out, with names of secrets (.env, keys): name one as path to search it.]"
            )
        if self.forbidden:
            files = count_noun(self.forbidden, "file")
            found.append(f"[{files} left out: a rule of the person keeps them from being read.]")
        if self.large:
            files = count_noun(self.large, "file")
            found.append(f"[{files} over {size_text(MAX_BYTES)} left out, with matches.]")
        if self.unreadable:
            found.append(f"[{count_noun(self.unreadable, 'file')} could not be read.]")
        if self.expression.ascii_edges:
            found.append("[\\b and \\B know only ASCII letters: leave them out beside others.]")
        return found


def read_up_to(file: FileIO, size: int, limit: int) -> bytes:
    """At most `limit` + 1 bytes of a file that is said to have `size`. Raises OSError."""
    wanted = min(size, limit) + 1
    data = file.read(wanted) or b""
    while len(data) == wanted <= limit:  # it has grown
        wanted = limit + 1
        data += file.read(wanted - len(data)) or b""
    return data


def _blocks(text: str) -> Iterator[str]:
    """`text` in stretches of whole lines."""
    start = 0
    while start <= len(text):
        end = text.find("\n", start + _AT_ONCE)
        end = len(text) if end < 0 else end
        yield text[start:end]
        start = end + 1


def cut_around(line: str, start: int) -> str:
    """A line, or the part of a long one that the match lies in."""
    if len(line) <= LINE:
        return line
    first = max(0, min(start - LINE // 3, len(line) - LINE))
    last = first + LINE
    return ("…" if first else "") + line[first:last] + ("…" if last < len(line) else "")
