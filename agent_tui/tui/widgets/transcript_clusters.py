"""Pictures that are joined (a family, a flag, a tone of skin) are drawn in their parts (`structures/visible.py`).
Selected they are whole, and copied they are as they were written."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Final

from agent_tui.present.copy import sources
from agent_tui.protocol.transcript import Block
from agent_tui.structures import late
from agent_tui.structures.frozen import frozen
from agent_tui.structures.visible import PAD, harmless, spacing, visible
from agent_tui.tui.widgets.transcript_written import LOOKED_AT

_PICTURE: Final = (
    "[\u00a9\u00ae\u203c-\u3299\U0001f000-\U0001f1e5\U0001f200-\U0001faff][\ufe0e\ufe0f]?[\U0001f3fb-\U0001f3ff]?"
)
_CLUSTER: Final = late.pattern(
    f"[\U0001f1e6-\U0001f1ff]{{2}}|[0-9#*]\ufe0f\u20e3?|{_PICTURE}(?:\u200d{_PICTURE})*"  # flags, keys, pictures
)
_KEPT: Final = 8
"""Blocks whose pictures are remembered: a selection has two ends."""


@frozen
class Forms:
    """How the pictures of a block are drawn, and for each how it is written; `pattern` finds them."""

    written: Mapping[str, str]
    pattern: re.Pattern[str] | None = None

    def snapped(self, text: str, start: int, end: int) -> tuple[int, int]:
        """`start` and `end` (-1: the end) of what is selected of a drawn line, no picture or letter in part."""
        if self.pattern is None and text.isascii():
            return start, end
        last = len(text) if end < 0 else min(end, len(text))
        if start >= last:
            return start, end
        for found in self.pattern.finditer(text) if self.pattern is not None else ():
            first, after = found.span()
            start = first if first < start < after else start
            last = after if first < last < after else last
        while 0 < start < len(text) and _goes_with(text, start):
            start -= 1
        while last < len(text) and _goes_with(text, last):
            last += 1
        return start, end if end < 0 else max(last, end)

    def rejoined(self, text: str) -> str:
        """What is drawn as `text`, as it is written."""
        if self.pattern is None:
            return text
        return self.pattern.sub(lambda found: self.written[found.group()], text)


_PLAIN: Final = Forms({})
_known: dict[int, tuple[Block, Forms]] = {}


def forms(block: Block) -> Forms:
    """The pictures of `block`. One that is drawn like something else in it is left as it is drawn."""
    known = _known.get(id(block))
    if known is None or known[0] is not block:
        if len(_known) >= _KEPT:
            _known.clear()
        known = _known[id(block)] = (block, _forms(block))
    return known[1]


def _forms(block: Block) -> Forms:
    texts = [source.text[:LOOKED_AT] for source in sources(block) if not source.text.isascii()]
    found: dict[str, set[str]] = {}
    for cluster in {cluster for text in texts for cluster in _CLUSTER.findall(text)}:
        if (drawn := visible(cluster)) != cluster:
            found.setdefault(drawn, set()).add(cluster)
    if not found:
        return _PLAIN
    shown = [visible(text) for text in texts]
    written: dict[str, str] = {}
    for drawn in sorted(found, key=len, reverse=True):
        cluster = next(iter(found[drawn]))
        alike = sum(text.count(drawn) for text in shown) == sum(text.count(cluster) for text in texts)
        if len(found[drawn]) == 1 and alike:
            written[drawn] = harmless(cluster)
    if not written:
        return _PLAIN
    among = "|".join(map(re.escape, written))
    return Forms(written, re.compile(f"(?<!\u200d)(?:{among})(?![\ufe0e\ufe0f\u200d\u20e3\U0001f3fb-\U0001f3ff])"))


def _goes_with(text: str, at: int) -> bool:
    """Whether the character at `at` is drawn on the one before it, or is the cell of that."""
    return unicodedata.category(text[at])[0] == "M" or (text[at] == PAD and spacing(text[at - 1]))
