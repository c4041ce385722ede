"""The widgets of the screen, and showing them what is different from the view before: regions
compared by identity."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from itertools import islice
from math import inf
from time import monotonic, time
from typing import Final

from textual import events
from textual.app import ComposeResult
from textual.geometry import Size
from textual.widget import Widget

from agent_tui.registry import late
from agent_tui.tui.core.model import Model
from agent_tui.tui.core.msg import AskedShown, KeyPressed
from agent_tui.tui.core.regions import OverlayView, View
from agent_tui.tui.prompt.widget import Prompt
from agent_tui.tui.transcript.scrollbar import WHEEL
from agent_tui.tui.transcript.widget import Transcript
from agent_tui.tui.widgets.paint import Region, is_low, is_short
from agent_tui.tui.widgets.regions import Footer, Header, Label, Mark, Status, Welcome

with late():
    from agent_tui.tui.dialog import widget as dialogs
    from agent_tui.tui.screen import key_routing
    from agent_tui.tui.widgets import popups, regions
    from agent_tui.tui.widgets import sheet as overlays

PROMPT_LINES = 8
CONTEXT_ROWS: Final = 3
CONTEXT_SHORT: Final = 1
CROWDED: Final = 28
"""Lines below which a sheet leaves the transcript no more than that, if it needs them."""
"""Lines of the transcript that stay in view above a sheet, and how many on a short screen, or where
there are none."""
ASKED_LINES: Final = 3
"""Lines that a question needs: what is asked, about what, and the answer that is marked."""
FEW_ASKED: Final = 10
"""Rows below which the prompt has one line beside a question."""
TOGETHER: Final = 0.02
"""Keys that came so soon after the first of them have one time."""


class Plain(Widget, inherit_css=False):
    """Holds other widgets."""


class Regions:
    """`shown` is the view on the screen; `tell` is given what only the widgets know.

    What is rarely there is made and mounted when it is first shown: each widget costs the first
    frame a millisecond.
    """

    def __init__(self, tell: Callable[[AskedShown], None]) -> None:
        self.shown: View | None = None
        self._tell = tell
        self._told = (
            "",
            0,
            0,
        )  # the question, and how much of what it asks about was said to be in view
        self._paints, self._painted_at = 0, 0.0
        self.header, self.transcript, self.status, self.prompt = (
            Header(),
            Transcript(),
            Status(),
            Prompt(),
        )
        self.footer, self.welcome = Footer(), Welcome()
        self.line = Plain(Mark(id="mark"), self.prompt, id="line")
        self.box = Plain(self.line, id="box")
        self.transcript.below = self.status.show_below
        self.status.jump = lambda: self.transcript.scroll_view("end")

    @cached_property
    def label(self) -> Label:
        return Label(id="label")

    @cached_property
    def queue(self) -> regions.Queue:
        made = regions.Queue()
        made.room = self._room_of_queue
        return made

    @cached_property
    def dialog(self) -> dialogs.Dialog:
        made = dialogs.Dialog()
        made.around = self._around
        return made

    @cached_property
    def completion(self) -> popups.Completion:
        return popups.Completion()

    @cached_property
    def overlay(self) -> overlays.Overlay:
        made = overlays.Overlay()
        made.around = self._around_sheet
        return made

    @cached_property
    def toast(self) -> popups.Toast:
        made = popups.Toast()
        made.spare = self._spare
        return made

    def _made(self, name: str) -> bool:
        """Whether that region has ever been shown."""
        return name in vars(self)

    def compose(self) -> ComposeResult:
        yield self.header
        yield self.transcript
        yield self.status
        yield self.box
        yield self.footer
        yield self.welcome

    def show(self, new: View) -> None:
        """Show `new`. What is the same object as before costs nothing."""
        old, self.shown = self.shown, new
        if old is None or old.too_small is not new.too_small:
            self.box.screen.set_class(new.too_small, "-tiny")
        full = bool(new.dialog and new.prompt.label) and self.box.app.size.height < ASKED_LINES + 3
        self.transcript.display = not full  # else it would take a line that it does not have
        if old is None or old.header is not new.header:
            self.header.show(new.header)
        if old is None or old.transcript is not new.transcript:
            self.transcript.apply(new.transcript)
            self.welcome.show(new.transcript)
        if old is None or old.status is not new.status:
            self.status.show(new.status)
        if old is None or old.prompt is not new.prompt:
            if self._changed("label", old and old.prompt.label, new.prompt.label, before=self.line):
                self.label.show(new.prompt.label)
            self.prompt.show(new.prompt)
        if old is None or old.footer is not new.footer:
            self.footer.show(new.footer)
        self._show_rare(old, new)

    def _show_rare(self, old: View | None, new: View) -> None:
        """What comes and goes, each at its place among the others whichever comes first."""
        if self._changed("queue", old and old.queue, new.queue, after=self.transcript):
            self.queue.show(new.queue)
        if self._changed("dialog", old and old.dialog, new.dialog, before=self.status):
            self.dialog.show(new.dialog)
        self._crowd()
        if self._changed("completion", old and old.completion, new.completion, after=self.welcome):
            self.completion.show(new.completion)
        dialog, overlay = (old.dialog, old.overlay) if old is not None else (None, None)
        if (dialog is None) is not (new.dialog is None):
            self.prompt.styles.max_height = self._prompt_lines()
        if dialog != new.dialog or not _asks_the_same(overlay, new.overlay):
            self._unpainted()
        if (new.overlay is None) is not (old is None or old.overlay is None):
            self._leave_room(new.overlay is not None)
        if self._changed("overlay", old and old.overlay, new.overlay, before=self.status):
            self.overlay.show(new.overlay)
        self.welcome.cover(new.overlay is not None or new.dialog is not None)
        if self._changed("toast", old and old.toast, new.toast, after=self._highest("completion")):
            self.toast.show(new.toast)

    def _leave_room(self, open_: bool) -> None:
        """A sheet has been opened, or closed. On a short screen it has the line of what runs: its
        keys are the sheet's now."""
        self.status.cover(open_)
        self.status.display = not (open_ and is_short(self.box.app.size))

    def takes(self, key: str) -> bool:
        """Whether something else than the prompt is open that wants `key`."""
        return self.shown is not None and (self.shown.grab_all or key in self.shown.grab)

    def key_message(self, key: str, character: str, draft: str, selection: bool) -> KeyPressed:
        """The key that came last, with what was to be seen then."""
        came = self.prompt.pressed_at
        return KeyPressed(
            at=_clock(came),
            key=key,
            character=character,
            draft=draft,
            blind=came < self._painted_at,
            selection=selection or self.prompt.selects,
            seen=self.transcript.rows_in_view,
            asked=self.part,
        )

    @property
    def part(self) -> tuple[int, int]:
        """Of a question, or a sheet that can be turned: how many lines are in view, and how many
        there are."""
        if self.shown is not None and self.shown.dialog is not None:
            return self.dialog.part
        return self.overlay.part if self._made("overlay") else (0, 0)

    def only_text(self, model: Model, keys: Sequence[events.Key], first: int, free: bool) -> int:
        """How many of `keys` from `first` on are nothing but text; `free`: the prompt puts it where
        its caret is."""
        shown, came = self.shown, keys[first].time
        if shown is None:
            return 0
        names = (one.key for one in islice(keys, first, None))
        found = key_routing.count_text(model, names, _clock(came), free, shown.grab)
        if not shown.grab_all:
            return found
        soon = (n for n in range(first, first + found) if keys[n].time - came > TOGETHER)
        return next(soon, first + found) - first

    def _unpainted(self) -> None:
        """A question or a sheet is to be seen soon; a long one takes its time."""
        self._paints, self._painted_at = self._paints + 1, inf
        self.box.call_after_refresh(partial(self._painted, self._paints))

    def _painted(self, number: int) -> None:
        if number == self._paints:
            self._painted_at = monotonic()
            self._tell_asked()

    def _tell_asked(self) -> None:
        """Say how much of what is asked about is in view, if that was not said yet."""
        asked = self.shown.dialog if self.shown is not None else None
        if asked is None or self._painted_at == inf:
            return
        page, lines = self.dialog.part
        if lines and self._told != (asked.id, page, lines):
            self._told = (asked.id, page, lines)
            self._tell(AskedShown(asked.id, page, lines, at=round(time(), 3)))

    def _highest(self, *over: str) -> Region:
        """The first of `over` that is mounted; else what is below them all."""
        made = (getattr(self, name) for name in over if self._made(name))
        return next((region for region in made if region.parent is not None), self.welcome)

    def _changed(
        self,
        name: str,
        old: object,
        new: object,
        *,
        before: Widget | None = None,
        after: Widget | None = None,
    ) -> bool:
        """Whether the region `name` has something else to show. At its first value it is mounted,
        `before` or `after` a widget."""
        if old is new or not (new or self._made(name)):
            return False
        region: Region = getattr(self, name)
        if region.parent is None and new:
            beside = before or after
            assert beside is not None
            parent = beside.parent
            # else the screen ends, with keys and events of the engine still on their way
            if isinstance(parent, Widget) and parent.is_attached:
                parent.mount(region, before=before, after=after)
        return region.parent is not None

    def restyle(self) -> None:
        """Draw all again: the colours are others."""
        self.transcript.restyle()
        for region in self.box.screen.query(Region):
            region.redraw()

    def fit(self, width: int, height: int) -> None:
        """Fewer lines around the text where there are few."""
        self.box.screen.set_class(is_low(Size(width, height)), "-low")
        self.box.screen.set_class(is_short(Size(width, height)), "-short")
        self._crowd()
        if self._made("overlay"):
            self._leave_room(self.overlay.value is not None)
        self.welcome.place()
        if self.label.parent is not None and self.label.text:
            self.label.redraw(layout=True)  # its lines are fewer on a low screen
        self.prompt.styles.max_height = self._prompt_lines()

    def _crowd(self) -> None:
        """Between a question and prompts that wait no line is empty on a short screen."""
        if not self.box.is_attached:
            return  # the app is being closed
        both = all(self._made(name) and getattr(self, name).value for name in ("queue", "dialog"))
        self.box.screen.set_class(both and self.box.screen.has_class("-short"), "-crowded")

    def _room_of_queue(self) -> int:
        """Lines that are left to it where there are few: a question and the prompt come first. On a
        short screen a question leaves it one, so that its frame, its reason and all answers
        stay."""
        asked = self._made("dialog") and self.dialog.value is not None
        few = self.box.screen.has_class("-low")
        taken = self._fixed() + CONTEXT_SHORT + (not few) + ASKED_LINES * asked
        left = self.box.app.size.height - taken
        return min(1, left) if asked and is_short(self.box.app.size) else left

    def _prompt_lines(self) -> int:
        """So many lines of a draft are shown, where a question leaves them."""
        height, asked = self.box.app.size.height, self.shown is not None and self.shown.dialog
        return 1 if asked and height < FEW_ASKED else max(1, min(PROMPT_LINES, height // 3))

    def _around(self) -> int:
        """Rows of all but the transcript and the dialog, as the layout that is being made will have
        them."""
        few, rows = self.box.screen.has_class("-low"), self._fixed()
        if queued := self._lines("queue", self.box.app.size.width - 4):
            rows += queued + (not (few or self.box.screen.has_class("-crowded")))
        return rows

    def _fixed(self) -> int:
        """Rows of header, status, prompt and footer, and the empty ones between."""
        few, tiny = self.box.screen.has_class("-low"), self.box.screen.has_class("-tiny")
        apart = 0 if few else 2 - self.box.screen.has_class("-crowded")
        return self._outside() + 1 + apart - 3 * tiny  # tiny: no header, status, footer

    def _around_sheet(self) -> int:
        """Rows of all but the sheet: of the transcript its last ones stay in view."""
        empty = self.welcome.wanted  # there is nothing to keep in view
        if not is_short(self.box.app.size):
            crowded = self.box.app.size.height < CROWDED  # what is decided on comes first
            return self._around() + (CONTEXT_SHORT if empty or crowded else CONTEXT_ROWS)
        few, tiny = self.box.screen.has_class("-low"), self.box.screen.has_class("-tiny")
        # neither status nor the empty line above it
        return self._around() - (not tiny) - (not few) + CONTEXT_SHORT

    def _outside(self) -> int:
        """Rows of header, prompt and footer."""
        size, few = self.box.app.size, self.box.screen.has_class("-low")
        inner = size.width - (4 if few else 6)
        typed = self.prompt.get_content_height(size, size, inner - 2)
        return (
            (2 if few else 4)
            + self._lines("label", inner)
            + max(1, min(typed, self._prompt_lines()))
        )

    def _lines(self, name: str, width: int) -> int:
        region: Region | None = getattr(self, name) if self._made(name) else None
        return (
            len(region.strips(width))
            if region is not None and region.display and region.parent is not None
            else 0
        )

    def _spare(self, cells: int) -> int:
        """The row above the prompt, which says no more than what runs, and leaves so many cells;
        the first of the transcript where a list has it, a tiny screen no such row, or a question no
        other word of how it is stopped. 0: none is needed."""
        listed = self._made("completion") and self.completion.value is not None
        asked = self.shown is not None and self.shown.dialog is not None
        free = cells > 0 and not listed and not (asked and not self.status.has_room(cells))
        self.status.leave(cells if free else 0)
        return max(1, self.status.region.y) if free else min(1, cells)

    def wheel(self, where: str) -> None:
        for _ in range(WHEEL):
            self.transcript.scroll_view(where)

    def place(self) -> None:
        """Put what floats where it belongs, after a layout."""
        if self._made("queue"):
            self.queue.keep_room()
        if self._made("dialog"):
            self.dialog.keep_room()
            if self.dialog.value is not None:
                self.box.call_after_refresh(self._tell_asked)
        self.welcome.bottom = self.transcript.region.bottom
        self.welcome.place()
        if self._made("completion"):
            self.completion.place(self.box.region.y)
        top = -1
        if self._made("overlay") and self.overlay.value is not None:
            self.overlay.keep_room()
            top = self.overlay.region.y
        if self._made("toast"):
            self.toast.place(top)


def _asks_the_same(old: OverlayView | None, new: OverlayView | None) -> bool:
    """Whether a key that is meant for the one sheet is meant for the other. Above a list stands
    what a key answers; its rows, and what is said of one, may come later."""
    if old is None or new is None or not all(one.head or one.list_first for one in (old, new)):
        return old is new
    return (old.title, old.lines[: old.head], old.asked) == (
        new.title,
        new.lines[: new.head],
        new.asked,
    )


def _clock(came: float) -> float:
    """The time of day of what came at `came`, as events count; 0: now."""
    return time() - (monotonic() - came) if came else time()
