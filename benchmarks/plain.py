"""The floor of a streamed answer: a Textual `Log` above one TextArea, no Markdown, no session, no
agent.

Enter sends the typed line to the server at OPENAI_BASE_URL. What has arrived is shown every 100 ms,
wrapped at about 100 columns. `--rich` shows it in a `RichLog` instead, which takes whole lines
only.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
from collections import deque

import httpx
from textual.app import App, ComposeResult
from textual.events import Key
from textual.widgets import Log, RichLog, TextArea

WIDTH = 100


class Prompt(TextArea):
    """Enter sends what it holds; the answer comes into `arrived`."""

    def __init__(self, arrived: deque[str]) -> None:
        super().__init__()
        self.arrived = arrived

    async def _on_key(self, event: Key) -> None:
        if event.key != "enter":
            await super()._on_key(event)
            return
        event.prevent_default()
        event.stop()
        prompt = self.text
        self.clear()
        threading.Thread(
            target=asyncio.run, args=(stream(prompt, self.arrived),), daemon=True
        ).start()


async def stream(prompt: str, arrived: deque[str]) -> None:
    """Ask the server, and append each piece of its answer to `arrived`."""
    body = {"model": "bench", "stream": True, "messages": [{"role": "user", "content": prompt}]}
    url = f"{os.environ['OPENAI_BASE_URL']}/chat/completions"
    async with (
        httpx.AsyncClient(timeout=None) as client,
        client.stream("POST", url, json=body) as response,
    ):
        async for line in response.aiter_lines():
            if line.startswith("data: {"):
                arrived.append(json.loads(line[6:])["choices"][0]["delta"].get("content", ""))
    arrived.append("\n")


class Plain(App[None]):
    CSS = "TextArea { height: 5; border: none; } Log, RichLog { height: 1fr; }"

    def __init__(self, rich: bool) -> None:
        super().__init__()
        self.rich = rich
        self.log_widget: Log | RichLog = RichLog(wrap=True) if rich else Log()
        self.arrived: deque[str] = deque()
        self.line = ""
        """RichLog: the line that has not ended. Log: what is on its last line."""

    def compose(self) -> ComposeResult:
        yield self.log_widget
        area = Prompt(self.arrived)
        area.cursor_blink = False
        yield area

    def on_mount(self) -> None:
        self.screen.set_focus(self.query_one(Prompt))
        self.set_interval(0.1, self.show)

    def show(self) -> None:
        text = "".join(self.arrived.popleft() for _ in range(len(self.arrived)))
        if not text:
            return
        if isinstance(self.log_widget, RichLog):
            *lines, self.line = (self.line + text).split("\n")
            for line in lines:
                self.log_widget.write(line)
        else:
            self.log_widget.write(self.wrapped(text))

    def wrapped(self, text: str) -> str:
        """`text` with a line break before each piece that would go past the width."""
        out: list[str] = []
        column = len(self.line)
        for piece in text.splitlines(keepends=True):
            if column + len(piece) > WIDTH:
                out.append("\n")
                column = 0
            out.append(piece)
            column = 0 if piece.endswith("\n") else column + len(piece)
        self.line = " " * column
        return "".join(out)


if __name__ == "__main__":
    Plain("--rich" in sys.argv).run()
