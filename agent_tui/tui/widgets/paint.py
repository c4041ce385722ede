"""Styled text to strips of the screen, and the one base of all small regions.

Whatever text comes in (a model's, a tool's, a file's) is made harmless here and never read as
markup.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final, Protocol, cast

from rich.cells import cell_len
from rich.segment import Segment as RichSegment
from rich.style import Style
from textual.geometry import Size
from textual.selection import Selection
from textual.strip import Strip
from textual.widget import Widget

from agent_tui.structures.tone import Tone
from agent_tui.structures.visible import visible
from agent_tui.tui.core.regions import Option, Span
from agent_tui.tui.markdown.lines import Segment, cut_runs, cut_words, line_cells

TONES: Final[dict[Tone, str]] = {
    "normal": "text",
    "dim": "dim",
    "accent": "accent",
    "good": "tool.ok",
    "warning": "notice.warning",
    "bad": "notice.error",
    "keyword": "code.keyword",
    "name": "code.name",
    "string": "code.string",
    "comment": "code.comment",
    "removed": "diff.removed",
    "removed word": "diff.removed.word",
    "added": "diff.added",
    "added word": "diff.added.word",
}


LEAST_WORDS: Final = 10
"""Cells below which the words behind the names of a list are left out if they have no room whole.
"""


SHORT: Final = 24
FIRST: Final = 2
"""Parts of the words behind a name that stay where a long name needs room."""
LEAST_SAID: Final = 24
"""Cells below which the words behind the names take the place of the column in front of them."""


def is_low(size: Size) -> bool:
    """Whether lines are so few (or short) that everything around the text goes away."""
    return size.height < 20 or size.width < 30


def is_short(size: Size) -> bool:
    """Whether lines are so few that a sheet has the empty ones around it, and the one that says
    what runs."""
    return size.height < SHORT or is_low(size)


class Palette(Protocol):
    """What a theme must give: the look behind one or more style names."""

    def style(self, name: str) -> Style: ...


class HasPalette(Protocol):
    palette: Palette


def flatten(text: str) -> str:
    """`text` harmless and on one line."""
    return visible(text).replace("\n", " ⏎ ").replace("\t", "    ")


def runs(spans: Iterable[Span]) -> tuple[Segment, ...]:
    return tuple(Segment(flatten(span.text), TONES[span.tone]) for span in spans)


def seg(text: str, style: str = "text") -> Segment:
    return Segment(flatten(text), style)


def pad(segments: Sequence[Segment], width: int, style: str = "") -> tuple[Segment, ...]:
    """`segments` in exactly `width` cells: cut with `…`, or filled with spaces."""
    kept = cut_runs(segments, width, cell_len)
    return (*kept, Segment(" " * max(0, width - line_cells(kept, cell_len)), style))


def fit_options(options: Sequence[Option], width: int) -> Sequence[Option]:
    """A name that leaves no room for the words behind it loses its end, where it has more than half
    of the line and the words keep their first parts; words that would be hardly one are left out,
    and the names have all of it. The column in between goes first."""
    valued = max((cell_len(flatten(option.value)) for option in options), default=0)
    named = max(
        (cell_len(flatten(option.label)) for option in options if option.value or option.detail),
        default=0,
    )
    words = max((cell_len(flatten(option.detail)) for option in options), default=0)
    keyed = max((cell_len(flatten(option.key)) for option in options), default=0) or -1
    left = width - keyed - 5  # the mark, and blanks behind the key and the name
    if words and valued:
        if left - named - valued - 2 < min(words, LEAST_SAID):
            return fit_options([replace(option, value="") for option in options], width)
        left -= valued + 2
    first = max((cell_len(_first_parts(option.detail)) for option in options), default=0)
    room = max(width // 2, left - (first or valued))
    if left - room < LEAST_WORDS and not has_room(
        (option.detail for option in options), left - min(room, named)
    ):
        return [replace(option, detail="") for option in options]
    return [
        replace(option, label=shorten(flatten(option.label), room))
        if (words or valued) and not option.heading
        else option
        for option in options
    ]


def has_room(words: Iterable[str], room: int) -> bool:
    """Whether each of them, or its first parts, has room."""
    return not any(most_of(said, room).endswith("…") for said in words)


def _first_parts(said: str) -> str:
    """What is said before later parts of it go, so that a name is whole."""
    return " · ".join(flatten(said).split(" · ")[:FIRST])


def most_of(said: str, room: int) -> str:
    """`said` in at most `room` cells: without its last parts (behind a dot), or else to the end of
    a word."""
    said = flatten(said)
    while cell_len(said) > room and " · " in said:
        said = said.rpartition(" · ")[0]
    return shorten(said, room)


def at_word(said: str, room: int) -> str:
    """The same; empty where hardly a word is left, or where one would be cut."""
    most = most_of(said, room)
    inside = most.endswith("…") and flatten(said)[len(most) - 1 :][:1] not in ("", " ", "…")
    return "" if inside or room < LEAST_WORDS else most


def shorten(text: str, room: int) -> str:
    """`text` in `room` cells, cut behind a word where that leaves half of it."""
    return cut_words(text, room, cell_len)


def join_ends(left: Sequence[Segment], right: Sequence[Segment], width: int) -> tuple[Segment, ...]:
    """`left` and `right` at the two ends of a line; `left` is cut first."""
    right = cut_runs(right, width, cell_len)
    room = width - line_cells(right, cell_len)
    return (*pad(left, room), *right)


class Region(Widget, can_focus=False, inherit_css=False):
    """A region that draws lines of segments. Subclasses hold a value and say its `lines`."""

    DEFAULT_CSS = "Region { height: auto; }"

    _made: tuple[int, Style, list[Strip]] | None = None

    def lines(self, width: int) -> Sequence[Sequence[Segment]]:
        """What to draw, at most `width` cells a line."""
        raise NotImplementedError

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:  # noqa: ARG002
        """What the mouse selected in here: nothing, but where a region says otherwise."""
        return None

    def redraw(self, layout: bool = False) -> None:
        """The value has changed; `layout`: so may have the number of lines."""
        self._made = None
        self.refresh(layout=layout)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        return len(self.strips(width))

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        strips = self.strips(width)
        return strips[y] if y < len(strips) else Strip.blank(width, self.rich_style)

    def strips(self, width: int) -> list[Strip]:
        """The drawn lines; made again only after `redraw`, at another width or in other colours."""
        palette, base = cast(HasPalette, self.app).palette, self.rich_style
        if self._made is None or self._made[0] != width or self._made[1] != base:
            drawn = (
                [paint(line, width, palette, base) for line in self.lines(width)]
                if width > 0
                else []
            )
            self._made = (width, base, drawn)
        return self._made[2]


def _look(segment: Segment, palette: Palette, base: Style) -> Style:
    look = base + palette.style(segment.style) if segment.style else base
    return look + Style(meta=dict(segment.meta)) if segment.meta else look


def paint(line: Sequence[Segment], width: int, palette: Palette, base: Style) -> Strip:
    """One line as a strip of exactly `width` cells, on the background of `base`."""
    parts = [RichSegment(s.text, _look(s, palette, base)) for s in line if s.text]
    return Strip(parts).adjust_cell_length(width, base)
