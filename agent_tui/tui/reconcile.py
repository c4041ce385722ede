"""The widgets of the screen, and showing them what is different from the view before: regions compared by identity."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.geometry import Size

from agent_tui.tui.regions import View
from agent_tui.tui.widgets.completion import Completion
from agent_tui.tui.widgets.dialog import Dialog
from agent_tui.tui.widgets.footer import Footer
from agent_tui.tui.widgets.header import Header
from agent_tui.tui.widgets.label import Label, Mark
from agent_tui.tui.widgets.overlay import Overlay
from agent_tui.tui.widgets.paint import low
from agent_tui.tui.widgets.prompt import Prompt
from agent_tui.tui.widgets.queue import Queue
from agent_tui.tui.widgets.status import Status
from agent_tui.tui.widgets.toast import Toast
from agent_tui.tui.widgets.transcript import Transcript
from agent_tui.tui.widgets.welcome import Welcome

PROMPT_LINES = 8


class Regions:
    """`shown` is the view on the screen."""

    def __init__(self) -> None:
        self.shown: View | None = None
        self.header, self.transcript, self.queue, self.dialog = Header(), Transcript(), Queue(), Dialog()
        self.status, self.prompt, self.footer = Status(), Prompt(), Footer()
        self.welcome, self.label = Welcome(), Label(id="label")
        self.completion, self.overlay, self.toast = Completion(), Overlay(), Toast()
        self.box = Vertical(self.label, Horizontal(Mark(id="mark"), self.prompt, id="line"), id="box")

    def compose(self) -> ComposeResult:
        yield self.header
        yield self.transcript
        yield self.queue
        yield self.dialog
        yield self.status
        yield self.box
        yield self.footer
        yield self.welcome
        yield self.completion
        yield self.overlay
        yield self.toast

    def show(self, new: View) -> None:
        """Show `new`. What is the same object as before costs nothing."""
        old, self.shown = self.shown, new
        if old is None or old.too_small is not new.too_small:
            self.box.screen.set_class(new.too_small, "-tiny")
        if old is None or old.header is not new.header:
            self.header.show(new.header)
        if old is None or old.transcript is not new.transcript:
            self.transcript.apply(new.transcript)
            self.welcome.show(new.transcript)
        if old is None or old.queue is not new.queue:
            self.queue.show(new.queue)
        if old is None or old.dialog is not new.dialog:
            self.dialog.show(new.dialog)
        if old is None or old.status is not new.status:
            self.status.show(new.status)
        if old is None or old.prompt is not new.prompt:
            self.label.show(new.prompt.label)
            self.prompt.show(new.prompt)
        if old is None or old.footer is not new.footer:
            self.footer.show(new.footer)
        if old is None or old.completion is not new.completion:
            self.completion.show(new.completion)
        if old is None or old.overlay is not new.overlay:
            self.overlay.show(new.overlay)
        if old is None or old.toast is not new.toast:
            self.toast.show(new.toast)

    def fit(self, width: int, height: int) -> None:
        """Fewer lines around the text where there are few."""
        self.box.screen.set_class(low(Size(width, height)), "-low")
        self.welcome.place()
        self.prompt.styles.max_height = max(1, min(PROMPT_LINES, height // 3))

    def place(self) -> None:
        """Put what floats where it belongs, after a layout."""
        self.welcome.place()
        self.completion.place(self.box.region.y)
        self.overlay.place()
        self.toast.place()
