"""The bare app, the floor of the benchmarks: Textual, one TextArea, nothing else.

`--append RATE` adds a log above it that gains RATE plain tokens a second, ten times a second.
"""

from __future__ import annotations

import sys

from textual.app import App, ComposeResult
from textual.widgets import Log, TextArea

TOKEN = "word "


class Bare(App[None]):
    CSS = "TextArea { height: 5; border: none; } Log { height: 1fr; }"

    def __init__(self, rate: int) -> None:
        super().__init__()
        self.rate = rate
        self.column = 0

    def compose(self) -> ComposeResult:
        if self.rate:
            yield Log()
        area = TextArea()
        area.cursor_blink = False
        yield area

    def on_mount(self) -> None:
        self.screen.set_focus(self.query_one(TextArea))
        if self.rate:
            self.set_interval(0.1, self.append)

    def append(self) -> None:
        text = ""
        for _ in range(self.rate // 10):
            self.column += len(TOKEN)
            text += TOKEN
            if self.column > 100:
                self.column, text = 0, text + "\n"
        self.query_one(Log).write(text)


if __name__ == "__main__":
    Bare(int(sys.argv[sys.argv.index("--append") + 1]) if "--append" in sys.argv else 0).run()
