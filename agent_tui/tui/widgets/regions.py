"""The small regions around the transcript: header, status, queue, notes and the keys at the
bottom."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from rich.cells import cell_len, set_cell_size
from textual import events
from textual.geometry import Size

from agent_tui.tui.core.regions import (
    FooterView,
    HeaderView,
    Part,
    QueueView,
    Span,
    StatusView,
    TranscriptView,
    join_parts,
)
from agent_tui.tui.core.words import format_place, pieces
from agent_tui.tui.markdown.lines import Segment, line_cells, wrap
from agent_tui.tui.widgets.paint import Region, flatten, join_ends, pad, runs, seg, shorten

MOVES: Final = "↑↓"


class Footer(Region):
    value: FooterView | None = None

    def show(self, value: FooterView) -> None:
        self.value = value
        self.redraw()

    def lines(self, width: int) -> list[tuple[Segment, ...]]:
        """Keys that do not fit whole are left out: the last are the least useful."""
        if self.value is None:
            return [()]
        note = (seg(f"  {self.value.note}", "dim"),) if self.value.note else ()
        room = width - line_cells(note, cell_len)
        if self.value.leaves:
            return [join_ends(fit_keys(self.value.keys, room), note, width)]
        shown: list[Segment] = []
        for key, what in self.value.keys:
            more = pairs([(key, what)], "", "   " if shown else "")
            if line_cells([*shown, *more], cell_len) > room:
                break
            shown += more
        if not (shown or note) and self.value.keys:  # better its first words than nothing
            key, what = self.value.keys[0]
            shown = [
                seg(key, "accent"),
                seg(f" {shorten(what, room - cell_len(key) - 1)}", "dim"),
            ]
        return [join_ends(shown, note, width)]


def pairs(keys: Sequence[tuple[str, str]], gap: str, before: str = "") -> list[Segment]:
    """Keys and what they do, with `gap` between two."""
    found: list[Segment] = []
    for key, what in keys:
        found += [seg(gap if found else before), seg(key, "accent"), seg(f" {what}", "dim")]
    return found


def fit_keys(keys: Sequence[tuple[str, str]], room: int) -> list[Segment]:
    """All keys, or without those that move, more narrowly, and without the last ones: the one that
    leaves is named before the others, and none without its words."""
    *first, last = keys
    first = [one for one in first if one[0] != MOVES]
    wide = [pairs(keys, "   "), pairs([*first, last], "   ")]
    while first:
        wide.append(pairs([*first, last], "  "))
        first.pop()
    fits = (one for one in wide if line_cells(one, cell_len) <= room)
    return next(
        fits,
        [
            seg(last[0], "accent"),
            seg(f" {shorten(last[1], room - cell_len(last[0]) - 1)}", "dim"),
        ],
    )


Spans = tuple[Span, ...]

GAP: Final = 2
"""Cells between the two ends."""
LEAST: Final = 6
"""Cells that the beginning of a name needs to say something."""


class Header(Region):
    value: HeaderView | None = None

    def show(self, value: HeaderView) -> None:
        self.value = value
        self.redraw()

    def lines(self, width: int) -> list[tuple[Segment, ...]]:
        if self.value is None:
            return [()]
        left, right = fit_ends(self.value, width)
        return [join_ends(runs(left), runs(right), width)]


def fit_ends(view: HeaderView, width: int) -> tuple[Spans, Spans]:
    """What stands at the two ends of a line of `width` cells: the parts that matter most, each of
    them whole."""
    parts, first = (*view.at_left, *view.at_right), len(view.at_left)
    shown = [part.spans for part in parts]
    for n, instead in _turns(parts):
        over = _cells(join_parts(shown[:first])) + _cells(join_parts(shown[first:])) - width
        over += GAP * (any(shown[:first]) and any(shown[first:]))
        if over <= 0:
            break
        shown[n] = instead or (_beginning(shown[n], over) if parts[n].cuts else ())
    return join_parts(shown[:first]), join_parts(shown[first:])


def _turns(parts: Sequence[Part]) -> list[tuple[int, Spans]]:
    """What becomes shorter, or nothing, in its order. What matters most stays."""
    turns: list[tuple[int, int, Spans]] = [(part.leaves, n, ()) for n, part in enumerate(parts)]
    turns += [(part.shortens, n, part.short) for n, part in enumerate(parts) if part.short]
    return [(n, instead) for _, n, instead in sorted(turns, key=lambda turn: turn[:2])][:-1]


def _beginning(name: Spans, over: int) -> Spans:
    """`name` in fewer cells, by `over`; nothing where that leaves too little."""
    text = flatten(name[0].text)
    room = cell_len(text) - over
    if room < LEAST:
        return ()
    return (Span(f"{text[: pieces(text, len(set_cell_size(text, room - 1)))]}…", name[0].tone),)


def _cells(spans: Spans) -> int:
    return line_cells(runs(spans), cell_len)


MOST: Final = 3
"""Lines of a question; and one, what stands before its colon, on a screen that has"""
FEW: Final = 14
"""fewer rows than this."""


class Label(Region):
    """The question above the prompt; not there without one."""

    text = ""

    def show(self, text: str) -> None:
        if text != self.text:
            self.text = text
            self.display = bool(text)
            self.redraw(layout=True)

    def lines(self, width: int) -> Sequence[Sequence[Segment]]:
        if not self.text:
            return []
        lines = [line.segments for line in wrap((seg(self.text, "accent"),), width, cell_len)]
        if len(lines) > 1 and self.app.size.height < FEW:
            return [(seg(shorten(self.text.partition(": ")[0], width), "accent"),)]
        return lines[:MOST]


class Mark(Region):
    """`❯`: here you type."""

    def lines(self, width: int) -> Sequence[Sequence[Segment]]:
        return [(Segment("❯ "[:width], "accent strong"),)]


SPINNER: Final = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
LEAST_RUNNING: Final = 12
"""Cells below which what runs is not named if not even its first word has room."""
ROOM: Final = 36
"""Cells that what runs needs beside the news in words; where there are fewer, their number has to
do."""


class Status(Region):
    """Always one line high, so that the transcript does not jump when a turn begins or ends."""

    value: StatusView | None = None
    jump: Callable[[], None] | None = None
    """Shows the end of the transcript."""
    _new = -1
    _covered = False
    _left = 0
    """Cells at the right end that something else has."""

    def show(self, value: StatusView | None) -> None:
        self.value = value
        self.redraw()

    def show_below(self, new: int) -> None:
        """So many rows came below what is in view since its end was left; negative: the end is in
        view."""
        if new != self._new:
            self._new = new
            self.redraw()

    def cover(self, covered: bool) -> None:
        """Whether a sheet lies over the transcript: what came below is told when it is gone."""
        self._covered = covered
        self.redraw()

    def leave(self, cells: int) -> None:
        """Say it in the rest of the line, for `cells` of it are covered; 0: none are."""
        if cells != self._left:
            self._left = cells
            self.redraw()

    def has_room(self, cells: int) -> bool:
        """Whether `cells` of the line can be covered, and it still says how what runs is
        stopped."""
        if self.value is None:
            return True
        width = self.size.width - cells
        return (
            cell_len(self.value.spans[-1].text) + line_cells(self._news(width), cell_len) <= width
        )

    def lines(self, width: int) -> list[tuple[Segment, ...]]:
        width = max(0, width - self._left)
        news = self._news(width)
        if self.value is None:
            return [join_ends((), news, width)]
        frame = SPINNER[self.value.spinner % len(SPINNER)] + " " if self.value.spinner >= 0 else ""
        what, *more = runs(self.value.spans)
        room = width - cell_len(frame) - line_cells(news, cell_len)
        while len(more) > 2 and line_cells((what, *more), cell_len) > room:
            del more[
                -4:-2
            ]  # a dot and what stands behind it: how it is stopped is said to the last
        left = room - line_cells(more, cell_len)
        if cell_len(what.text) > left:
            if more and cell_len(what.text.partition(" ")[0]) >= left < LEAST_RUNNING:
                what, *more = more[1:]  # a few letters of it say nothing
            else:
                what = Segment(shorten(what.text, max(0, left)), what.style)
        return [join_ends((Segment(frame, "accent"), what, *more), news, width)]

    def _news(self, width: int) -> tuple[Segment, ...]:
        """At the right end, where nothing is covered."""
        if self._new < 0 or self._covered:
            return ()
        if not self._new:
            return (Segment("  ↓", "accent"),)
        words = (
            f" {self._new:,} ↓ "
            if self.value is not None and width < ROOM
            else f" {self._new:,} new ↓ "
        )
        return (Segment("  "), Segment(words, "new"))

    async def _on_click(self, event: events.Click) -> None:
        width = self.size.width - self._left
        at, news = event.get_content_offset(self), line_cells(self._news(width), cell_len)
        if self.jump is not None and news and at is not None and at.x >= width - news:
            self.jump()


SHOWN: Final = 4


class Queue(Region):
    """Has the lines that the question and the prompt leave."""

    value: QueueView | None = None
    room: Callable[[], int] | None = None
    """How many lines there are for it."""
    _room = 0

    def show(self, value: QueueView | None) -> None:
        self.value = value
        self.display = value is not None
        self.redraw(layout=True)

    def keep_room(self) -> None:
        """After a layout: there may be more room for it, or less."""
        if self.value is not None and self.room is not None and self._room != self.room():
            self.redraw(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        self._made = None
        return super().get_content_height(container, viewport, width)

    def lines(self, width: int) -> list[tuple[Segment, ...]]:
        lines = self._all(width)
        self._room = self.room() if self.room is not None else len(lines)
        return lines[: max(0, self._room)]

    def _all(self, width: int) -> list[tuple[Segment, ...]]:
        if self.value is None:
            return []
        items = self.value.items
        when = seg("  at the next step", "dim")
        steers = [
            pad((seg(" ↳ ", "accent"), seg(said, "text"), when), width)
            for said in (
                shorten(text.strip(), width - 3 - cell_len(when.text))
                for text in self.value.steers[:SHOWN]
            )
        ]
        if not items:
            return steers
        head = [seg(f"queued ({len(items)})", "accent")]
        if self.value.paused:
            head.append(seg(" paused", "notice.warning"))
        why = seg(f"  {self.value.hint}", "dim")
        if self.value.hint and line_cells([*head, why], cell_len) <= width:
            head.append(why)
        lines = [pad(head, width)]
        hidden = len(items) - SHOWN if len(items) > SHOWN else 0
        for number, text in enumerate(items[: SHOWN if not hidden else SHOWN - 1], 1):
            said = shorten(text.strip(), width - 3)
            lines.append(pad((seg(f"{number:>2} ", "dim"), seg(said, "text")), width))
        if hidden:
            lines.append(pad((seg(f"   {format_place(1, len(items), SHOWN - 1)}", "dim"),), width))
        return [*steers, *lines]


UNASKED: Final = {
    "manual": ("Asks before it reads, writes or runs anything.", ""),
    "auto": ("Asks before edits and most commands.", "Shift+Tab changes that."),
    "accept-edits": ("Edits files in this folder without asking.", "Asks before most commands."),
    "accept-all": (
        "Runs all but the dangerous without asking.",
        "Only a sandbox, if found, holds commands.",
    ),
    "plan": ("Reads files and proposes a plan.", "Changes nothing."),
}
"""What holds in each mode."""


def welcome(mode: str) -> tuple[tuple[Segment, ...], ...]:
    """The lines; those about a mode that is not known yet are blank."""
    tone = "bad" if mode == "accept-all" else "dim"
    return (
        (Segment("agent-tui", "accent strong"),),
        (),
        (Segment("Ask for a change, a fix or an explanation.", "text"),),
        *((Segment(line, tone),) for line in UNASKED.get(mode, ("", ""))),
        (),
        (Segment("/", "accent"), Segment("  commands and skills", "dim")),
        (Segment("?", "accent"), Segment("  all keys", "dim")),
    )


HEIGHT: Final = len(welcome(""))
WIDE: Final = 50


class Welcome(Region):
    """Stands in the middle of the transcript until there is something in it, above all that is
    below it. `bottom`: the row behind the last one of the transcript, once there was a layout."""

    wanted = True
    covered = False
    mode = ""
    bottom = 0

    def show(self, value: TranscriptView) -> None:
        wanted = not len(value.rows) and not value.live
        if value.mode != self.mode:
            self.mode = value.mode
            self.redraw()
        if wanted != self.wanted:
            self.wanted = wanted
            self.place()

    def cover(self, covered: bool) -> None:
        """Whether a sheet or a question has its place."""
        if covered != self.covered:
            self.covered = covered
            self.place()

    def place(self) -> None:
        screen = self.app.size
        top = min(max(1, (screen.height - 6 - HEIGHT) // 2), self.bottom - HEIGHT)
        self.display = (
            self.wanted
            and not self.covered
            and screen.width >= WIDE + 4
            and screen.height >= HEIGHT + 10
            and top > 0
        )
        self.styles.width, self.styles.height = WIDE, HEIGHT
        self.styles.offset = ((screen.width - WIDE) // 2, top)

    def lines(self, width: int) -> Sequence[Sequence[Segment]]:
        return [pad(line, width) for line in welcome(self.mode)]
