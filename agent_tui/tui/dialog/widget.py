"""A question for consent, directly above the prompt: the whole command or diff, and the keys that
answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final, cast

from rich.cells import cell_len
from textual import events
from textual.geometry import Region as Area
from textual.geometry import Size
from textual.message import Message
from textual.selection import Selection
from textual.strip import Strip

from agent_tui.protocol.display import Display
from agent_tui.registry import late
from agent_tui.tui.core.display_options import Look
from agent_tui.tui.core.regions import DialogView, Option
from agent_tui.tui.dialog import layout as small
from agent_tui.tui.dialog.layout import (
    ASKED_ROWS,
    CORNERS,
    Parts,
    key_cells,
    option_cells,
    option_row,
)
from agent_tui.tui.markdown.lines import Line, Segment, line_cells, wrap
from agent_tui.tui.transcript.painted_rows import mark_range
from agent_tui.tui.widgets.paint import (
    HasPalette,
    Region,
    at_word,
    fit_options,
    flatten,
    is_low,
    join_ends,
    most_of,
    pad,
    seg,
)

with late():
    from agent_tui.present import displays as presented
    from agent_tui.tui.transcript import displays, source_map

NEXT_SECONDS: Final = 0.03
"""After so long the next part of a long command or diff is laid out."""
CONTEXT_ROWS: Final = 3
"""So much of the transcript stays above a question, where what is asked about can be seen all the
same."""
FRAMED: Final = 6
"""Lines of a frame, and of what is asked about in it, beside the reason and the answers in
short."""
BESIDE_TITLE: Final = 10
"""Cells beside a title without a border that say which lines are in view."""


class Dialog(Region):
    """Selected with the mouse, its command or diff is copied as it is, without what is drawn around
    it."""

    class Clicked(Message):
        """The answer number `row` was clicked."""

        def __init__(self, row: int) -> None:
            super().__init__()
            self.row = row

    value: DialogView | None = None
    around: Callable[[], int] | None = None
    """How many rows the screen needs for what is neither this nor the transcript."""
    _around = 0
    """The same, as the last layout had it."""
    _whole: Sequence[Line] = ()
    """The command or diff, every line of it. The rest says where it is: """
    _top = _first = _count = _inset = 0
    """What line of the dialog shows which first line of it, how many do, and behind how many
    characters of border."""
    _note = ""
    """How much of it is in view, where that has no line of its own; it stands in the border or
    beside the title."""
    _painting = False
    _laid: tuple[Display | None, int, Look, bool] | None = None
    _drawn: list[Line]
    """The lines of what `_laid` names, as far as they are laid out, and what lays out the others.
    """
    _coming: Iterator[Sequence[Line]] | None = None

    @property
    def part(self) -> tuple[int, int]:
        """How many lines of the command or diff are on the screen, and how many there are: of a
        command one more than are laid out while others are to come, for the last of these is not
        its end."""
        more = (
            self._coming is not None
            and self.value is not None
            and presented.kind_of(self.value.display).runs
        )
        return (self._count, len(self._whole) + more) if self._count else (0, 0)

    def show(self, value: DialogView | None) -> None:
        before = self.value and (self.value.id, id(self.value.display))
        if (
            before != (value and (value.id, id(value.display)))
            and self.is_attached
            and self in self.screen.selections
        ):
            self.screen.clear_selection()  # it was in something else
        self.value = value
        self.display = value is not None
        self.redraw(layout=True)

    def keep_room(self) -> None:
        """After a layout: what is around it may have grown or shrunk, of which Textual tells nobody
        else."""
        if self.value is not None and self.around is not None and self._around != self.around():
            self.redraw(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        # how much of the diff fits depends on the height of the screen too, and on what is around
        self._made = None
        self._around = self.around() if self.around is not None else 0
        return super().get_content_height(container, viewport, width)

    def lines(self, width: int) -> Sequence[Sequence[Segment]]:
        value, self._count = self.value, 0
        if value is None:
            return []
        tone = tone_of(value)
        if width < 12:
            return [
                pad((seg(value.title, tone),), width),
                *options_lines(value.options, value.selected, width, False),
            ]
        budget = max(1, self.app.size.height - self._around - self._kept_rows(value))
        inner = width - 4
        packed = len(small.packed_lines(value.options, value.selected, inner))
        if budget < min(len(value.options) + 5, packed + bool(value.reason) + FRAMED):
            return self._tight(value, width, budget)
        head = heading(value, width - cell_len(value.position) - CORNERS)
        reason, whole = small.reason_lines(value, inner), len(self._text(value, inner, head))
        parts, beside, why = roomy_parts(value, reason, whole, inner, budget), 0, ""
        if parts is None:
            why = small.reason_in_border(value, width)
            reason = small.others_lines(value, inner) if why else reason
            beside = width - 6 - cell_len(why) - (4 if why else 0)
            parts = small.pack_parts(value, reason, whole, inner, budget, self._kept_rows(value))
        room, above, below = parts
        shown = self._window(value, inner, room, beside, head)
        self._top, self._inset = 1 + len(above), 2
        return [
            edge("╭", "╮", head, value.position, width, tone),
            *(side(line, width, tone) for line in (*above, *shown, *below)),
            edge("╰", "╯", [seg(why, "dim")] if why else [], self._note, width, tone),
        ]

    def _tight(self, value: DialogView, width: int, budget: int) -> list[Sequence[Segment]]:
        """For a handful of lines: no border, the answers in as few lines as say them all."""
        head = heading(value, width - BESIDE_TITLE)
        whole = len(self._text(value, width, head))
        answers = small.answers(value, width, budget - 1, whole)
        room = budget - 1 - max(1, len(answers))
        reason = small.reason_lines(value, width)[: max(0, room - whole)]
        place = f"{value.position} · " if value.position else ""
        beside = width - line_cells(head, cell_len) - 1 - cell_len(place)
        shown = self._window(value, width, max(1, room - len(reason)), beside, head)
        self._top, self._inset = 1 + len(reason), 0
        said = f"{place}{self._note}".removesuffix(" · ")
        note = [seg(f" {said}", "dim")] if said and beside >= 0 else []
        return [join_ends(head, note, width), *reason, *shown, *answers]

    def _kept_rows(self, value: DialogView) -> int:
        """Lines of the transcript that stay; one where there is little room (none at all would be
        laid out as one too many)."""
        size = self.app.size
        few = is_low(size) or size.height - self._around - CONTEXT_ROWS < len(value.options) + 5
        return 1 if few else CONTEXT_ROWS

    def _text(self, value: DialogView, width: int, head: Sequence[Segment]) -> Sequence[Line]:
        """The command or diff in lines; where there is none, the words of the question. A long one
        takes a while, so it is laid out once."""
        laid = (value.display, width, value.look, len(head) > 1)
        if self._laid is None or self._laid[0] is not laid[0] or self._laid[1:] != laid[1:]:
            self._laid = laid
            self._drawn, self._coming = [], None
            if value.display is not None:
                self._coming = displays.asked_parts(
                    value.display, width, cell_len, value.look, laid[3]
                )
                self._go_on(self._coming)
        return self._drawn if value.display is not None else small.question_lines(value, width)

    def _go_on(self, coming: Iterator[Sequence[Line]]) -> None:
        """Lay out the next part; the one after it when a key has had its turn."""
        if coming is not self._coming:
            return  # another question, or another width
        if (part := next(coming, None)) is None:
            self._coming = None
        else:
            self._drawn += part
            if len(part) < displays.PART:
                self._coming = None  # it was the last
            else:
                self.set_timer(NEXT_SECONDS, lambda: self._continued(coming))

    def _continued(self, coming: Iterator[Sequence[Line]]) -> None:
        if self.value is not None:
            self._go_on(coming)
            self.redraw()

    def _window(
        self, value: DialogView, width: int, room: int, beside: int, head: Sequence[Segment]
    ) -> list[Sequence[Segment]]:
        """As much of the command or diff as fits, from line `scroll` on. How much that is has a
        line, or some of the `beside` cells of another one."""
        self._note = ""
        drawn = self._text(value, width, head)
        self._whole, self._first, self._count = drawn, 0, len(drawn)
        if len(drawn) <= room:
            return [fill_line(line, width) for line in drawn]
        aside = beside >= 3 * len(str(len(drawn))) + 3  # `1–9/9…`
        room = max(1, room - (not aside))
        first = min(max(0, value.scroll), len(drawn) - room)
        self._first, self._count = first, room
        lines = [fill_line(line, width) for line in drawn[first : first + room]]
        part = f"line {first + 1}" if room == 1 else f"lines {first + 1}–{first + room}"
        said = f"{part} of {len(drawn)}{'…' if self._coming else ''}"
        if aside or room == 1:
            short = said.replace(" of ", "/").partition(" ")[2]
            room = beside or width - 6
            self._note = said if cell_len(said) <= room else short
            return lines
        return [*lines, (seg(said, "tool.more"),)]

    def render_line(self, y: int) -> Strip:
        strip = super().render_line(y)
        if not 0 <= y - self._top < self._count:
            return strip
        number = self._first + y - self._top
        selection = self.text_selection
        if selection is not None and (span := selection.get_span(number)) is not None:
            end = self._inset + len(self._whole[number].text)
            look = cast(HasPalette, self.app).palette.style("selection")
            strip = mark_range(
                strip, max(span[0], self._inset), end if span[1] < 0 else min(span[1], end), look
            )
        return strip if self._painting else strip.apply_offsets(0, number)

    def render_lines(self, crop: Area) -> list[Strip]:
        """For the screen; where each character stands in the text is told only when `render_line`
        is asked itself."""
        self._painting = True
        try:
            return super().render_lines(crop)
        finally:
            self._painting = False

    async def _on_click(self, event: events.Click) -> None:
        """The answer under the mouse, or the only one of its line."""
        at = event.get_content_offset(self)
        if at is None:
            return
        named = event.style.meta.get(small.ROW)
        of_line = {
            one.style.meta[small.ROW]
            for one in self.render_line(at.y)
            if one.style is not None and small.ROW in one.style.meta
        }
        row = named or (of_line.pop() if len(of_line) == 1 else None)
        if row is not None:
            self.post_message(self.Clicked(int(row)))

    def selection_updated(self, selection: Selection | None) -> None:  # noqa: ARG002
        self.refresh()

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        start, end = selection
        first, left = (start.y, max(0, start.x - self._inset)) if start is not None else (0, 0)
        last, right = (
            (end.y, max(0, end.x - self._inset)) if end is not None else (len(self._whole) - 1, -1)
        )
        text = source_map.unwrap_lines(self._whole, first, last, left, right) if self._count else ""
        return (text, "\n") if text.strip() else None


def heading(value: DialogView, room: int) -> list[Segment]:
    """The title, or its short form where only that has room; behind one that names the file of a
    diff, how much of it changes: then the diff itself need not say so."""
    tone = f"{tone_of(value)} strong"
    titles = [seg(title, tone) for title in (value.title, value.brief) if title]
    diff = presented.diff_of(value.display)
    if diff is not None and value.title.endswith(f" {diff.path}"):
        count = (Segment("  "), *displays.runs_of(presented.diff_count(diff)))
        for head in titles:
            if line_cells((head, *count), cell_len) <= room:
                return [head, *count]
    title = next((head for head in titles if cell_len(head.text) <= room), titles[0])
    for about in filter(None, value.about):
        with_about = [title, seg(f"  {about}", "dim")]
        if line_cells(with_about, cell_len) <= room:
            return with_about
    return [title]


def tone_of(value: DialogView) -> str:
    return "notice.warning" if value.warning else "accent"


def fill_line(line: Line, width: int) -> Sequence[Segment]:
    """The line's segments, its background to the right edge."""
    if not line.fill:
        return line.segments
    room = width - line_cells(line.segments, cell_len)
    under = [Segment(s.text, f"{line.fill} {s.style}".strip()) for s in line.segments]
    return (*under, Segment(" " * max(0, room), line.fill))


def roomy_parts(
    value: DialogView, reason: Sequence[Sequence[Segment]], whole: int, width: int, budget: int
) -> Parts | None:
    """Each answer has a line, and what it would cover beside it. None: too little would be left."""
    options = options_lines(value.options, value.selected, width, False)
    least = min(whole, ASKED_ROWS) + (whole > ASKED_ROWS)
    around = 2 + bool(reason)
    if (
        len(options) + max(7, around + whole) > budget
    ):  # what is asked about comes before words about the answers
        options = options_lines(value.options, value.selected, width, False, cuts=True)
    if around + len(options) + whole > budget:
        bare = [replace(option, detail="") for option in value.options]
        options = options_lines(bare, value.selected, width, False)
        if whole and around + len(options) + whole > budget:
            return None
    above = reason[
        : 3 if budget > len(options) + 8 else max(1, min(3, budget - 2 - len(options) - least))
    ]
    gap = int(bool(options) and budget > 2 + len(options) + len(above) + (whole or 3))
    return max(1, budget - 2 - len(options) - len(above) - gap), above, [*[()] * gap, *options]


def options_lines(
    options: Sequence[Option], selected: int, width: int, column: bool, cuts: bool = False
) -> list[Sequence[Segment]]:
    """The choices, the key first: in one row where they fit, else one a line. `cuts`: words about
    one that are too long for its line are cut; else they are whole, below it."""
    options = fit_options(options, width) if column else options
    if not options:
        return []
    if not column and not any(option.detail for option in options):
        row = option_row(options, selected, "  ")
        if line_cells(row, cell_len) <= width:
            return [row]
    keyed = max(line_cells(key_cells(option), cell_len) for option in options)
    if not column:  # an answer is said in short before it is cut
        room = width - keyed - 3
        options = [
            replace(one, label=one.label if cell_len(one.label) <= room else small.brief(one))
            for one in options
        ]
    drawn = [
        option_cells(option, number == selected, keyed) for number, option in enumerate(options)
    ]
    drawn = add_values(drawn, options)
    wide = [line_cells(line, cell_len) for line in drawn]
    words = max(
        (cells for cells, option in zip(wide, options, strict=True) if option.detail), default=0
    )
    lines: list[Sequence[Segment]] = []
    for line, cells, option in zip(
        drawn, wide, options, strict=True
    ):  # what is said of them is below each other
        free = width - words - 2
        said = (
            most_of(option.detail, free)
            if column
            else at_word(option.detail, free)
            if cuts
            else option.detail
        )
        detail = [seg(" " * (words - cells + 2) + said, "dim")] if said else []
        if detail and not column and line_cells([*line, *detail], cell_len) > width:
            under = (Segment("    "),)  # what a yes would cover is said whole, below it
            lines.append(pad(line, width))
            lines += [
                x.segments
                for x in wrap((seg(option.detail, "dim"),), width, cell_len, under, under)
            ]
        else:
            lines.append(pad([*line, *detail], width))
    return lines


def add_values(drawn: list[list[Segment]], options: Sequence[Option]) -> list[list[Segment]]:
    """With a column for what each of them is now."""
    if not any(option.value for option in options):
        return drawn
    wide = [line_cells(line, cell_len) for line in drawn]
    beside = (
        cells for cells, option in zip(wide, options, strict=True) if option.value or option.detail
    )
    named = max(beside, default=0)
    return [
        [*line, seg(" " * (named - cells + 2) + flatten(option.value))] if option.value else line
        for line, cells, option in zip(drawn, wide, options, strict=True)
    ]


def edge(
    left: str, right: str, title: Sequence[Segment], note: str, width: int, tone: str
) -> list[Segment]:
    """A border line with `title` at its left and `note` at its right."""
    head = [Segment(f"{left}─ ", tone), *title, Segment(" ")] if title else [Segment(left, tone)]
    tail = [seg(f" {note} ", "dim"), Segment(f"─{right}", tone)] if note else [Segment(right, tone)]
    room = width - line_cells(tail, cell_len)
    if line_cells(head, cell_len) > room - 1:
        head = [*pad(head, room - 2), Segment(" ")]
    return [*head, Segment("─" * (room - line_cells(head, cell_len)), tone), *tail]


def side(line: Sequence[Segment], width: int, tone: str) -> tuple[Segment, ...]:
    """`line` between the two side borders."""
    return (Segment("│ ", tone), *pad(line, width - 4), Segment(" │", tone))
