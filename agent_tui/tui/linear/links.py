"""Links in the lines of `agent-tui chat` (OSC 8): files of the session's folder, and addresses as
they are written. No text is another link than what it shows."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final

from agent_tui.structures import terminal_facts as facts
from agent_tui.structures.file_address import file_address
from agent_tui.structures.file_names import file_names
from agent_tui.tui.markdown.inline import bare_addresses

_LINK: Final = "\x1b]8;;{}\x1b\\{}\x1b]8;;\x1b\\"
_BETWEEN: Final = "]("
"""Ends the text of a Markdown link, which may be an address, and begins where it leads."""
LONGEST: Final = 2_000
"""Characters of an address: terminals drop longer ones, some with what follows."""


class Links:
    """`address` makes that of a file; `folder` is the session's, once it is known."""

    def __init__(self, address: Callable[[str, int], str]) -> None:
        self._address = address
        self.folder = ""

    def mark(self, line: str) -> str:
        """`line`, which has no control sequences, with its links. What it shows stays the same."""
        return _BETWEEN.join(map(self._mark, line.split(_BETWEEN)))

    def _mark(self, line: str) -> str:
        parts, at = list[str](), 0
        for start, text in bare_addresses(line):
            parts += self._files(line[at:start])
            fits = text.isascii() and len(text) <= LONGEST  # other letters can look like these
            parts.append(_LINK.format(text, text) if fits else text)
            at = start + len(text)
        return "".join((*parts, *self._files(line[at:])))

    def _files(self, text: str) -> Iterator[str]:
        at = 0
        for start, end, path, line in file_names(text):
            where = self._find(path)
            if where and len(address := self._address(where, line)) <= LONGEST:
                yield text[at:start]
                yield _LINK.format(address, text[start:end])
                at = end
        yield text[at:]

    def _find(self, path: str) -> str:
        """The absolute path of a file in the session's folder; empty: there is none."""
        if not self.folder:
            return ""
        place, folder = Path(self.folder, path), Path(self.folder)
        try:
            inside = place.resolve().is_relative_to(folder.resolve())
            return os.path.abspath(place) if inside and place.is_file() else ""  # noqa: PTH100  as it is named
        except (
            OSError,
            RuntimeError,
            ValueError,
        ):  # a loop of links, or no permission: no link, then
            return ""


def links(environment: Mapping[str, str], coloured: bool, terminal: bool) -> Links | None:
    """Those for a terminal that takes them; None: only text may leave."""
    if not (coloured and terminal and facts.answers(environment)):
        return None
    return Links(file_address(environment, os.uname().nodename))
