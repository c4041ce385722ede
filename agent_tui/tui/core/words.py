"""Numbers and paths as a person reads them. What is estimated carries `≈`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from agent_tui.protocol.display import Hunk
from agent_tui.structures.tone import Tone
from agent_tui.structures.visible import visible
from agent_tui.tui.core.regions import Span
from agent_tui.tui.markdown.lines import cut_words

DIFF_CHARS: Final = 300
"""Characters of a line of a difference."""
DIFF_TONES: Final[Mapping[str, Tone]] = {"+": "good", "-": "bad"}
SEPARATORS: Final = " -_/:."
"""What stands between the pieces of a name."""


def tokens(count: int, estimated: bool = False) -> str:
    """`812`, `12.4k`, `1.2M`."""
    mark = "≈ " if estimated else ""
    if count < 1_000:
        return f"{mark}{count}"
    if count < 99_950:
        return f"{mark}{count / 1_000:.1f}k"
    if count < 999_500:
        return f"{mark}{count / 1_000:.0f}k"
    return f"{mark}{count / 1_000_000:.1f}M"


def window(count: int) -> str:
    """A model's window: `32k`, `8k`, `1M`. Windows are powers of two or round numbers; both are
    said in round ones, and 128,000, which is both, as `128k`."""
    if count < 1_000:
        return str(count)
    if count % 1_024 == 0 and count % 1_000 and count < 1_000_000:
        return f"{count // 1_024}k"
    return f"{round(count / 1_000)}k" if count < 999_500 else f"{count / 1_000_000:.3g}M"


def duration(seconds: float) -> str:
    """`4 s`, `2 min 05 s`, `1 h 02 min`."""
    whole = max(0, int(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3_600:
        return f"{whole // 60} min {whole % 60:02} s"
    return f"{whole // 3_600} h {whole % 3_600 // 60:02} min"


def folder(path: str, home: str) -> str:
    """`path` with the home directory as `~`."""
    home = home.rstrip("/")
    if home and (path == home or path.startswith(f"{home}/")):
        return f"~{path[len(home) :]}"
    return path


def format_place(first: int, total: int, last: int = 0) -> str:
    """Where one is in a list: `3 of 17`; or which part of it is in view: `3–9 of 17`."""
    part = f"{first:,}–{last:,}" if last > first else f"{first:,}"
    return f"{part} of {total:,}"


def pieces(text: str, most: int) -> int:
    """Where to cut `text` so that at most `most` characters stay: behind a word, or behind a piece
    of a name."""
    if len(text) <= most:
        return len(text)
    ends = (
        at for at in range(most, 0, -1) if text[at] in SEPARATORS and text[at - 1] not in SEPARATORS
    )
    return next(ends, max(0, most))


def one_line(text: str, limit: int = 200) -> str:
    """`text` on one line of at most `limit` characters, cut behind a word where that leaves half of
    it."""
    head = text[: limit * 4].replace("\r", "").strip()
    line = " ⏎ ".join(part.strip() for part in head.split("\n") if part.strip())
    if len(line) > limit:
        return cut_words(line, limit, len)
    return line if len(text) <= limit * 4 else f"{line[: limit - 1]}…"


def hunk_lines(hunks: Iterable[Hunk]) -> Iterator[tuple[Span, ...]]:
    """The lines of a difference, with its marks in front."""
    for number, hunk in enumerate(hunks):
        if number:
            yield (Span("⋯", "dim"),)
        for line in hunk.lines:
            text = visible(line.expandtabs(4))
            cut = text if len(text) <= DIFF_CHARS else f"{text[:DIFF_CHARS]}…"
            yield (Span(cut or " ", DIFF_TONES.get(line[:1], "dim")),)
