"""A screen with nothing but the transcript, for its tests."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from textual.app import App, ComposeResult
from textual.geometry import Region
from textual.pilot import Pilot
from textual.widgets import Static

from agent_tui.paths import shipped_folder
from agent_tui.protocol.transcript import Block, TextBlock, ThinkingBlock, ToolBlock, UserBlock
from agent_tui.structures.vec import Vec
from agent_tui.tui.core.regions import TranscriptView
from agent_tui.tui.transcript.widget import Transcript
from agent_tui.tui.widgets.theme import load_theme

PROSE = "Some words of an answer that goes on for a while, so that it wraps at most widths of a screen.\n"


class Screen(App[None]):
    CSS = "Static { height: 1; }"

    def __init__(self, view: TranscriptView, theme: str = "dark") -> None:
        super().__init__()
        self.view = view
        self.palette = load_theme(theme, [shipped_folder("themes")])
        self.register_theme(self.palette.textual())
        self.theme = self.palette.textual().name
        self.said: list[tuple[str, object]] = []

    def compose(self) -> ComposeResult:
        yield Static("top")
        yield Transcript()
        yield Static("bottom")

    def on_mount(self) -> None:
        self.transcript.apply(self.view)

    @property
    def transcript(self) -> Transcript:
        return self.query_one(Transcript)

    def on_transcript_toggled(self, event: Transcript.Toggled) -> None:
        self.said.append(("toggled", event.row))

    def on_transcript_scrolled(self, event: Transcript.Scrolled) -> None:
        self.said.append(("following", event.following))

    def on_transcript_link_clicked(self, event: Transcript.LinkClicked) -> None:
        self.said.append(("link", event.href))


def blocks(count: int) -> Vec[Block]:
    kinds: list[Callable[[int], Block]] = [
        lambda n: UserBlock(f"question {n}"),
        lambda n: TextBlock(f"Answer {n}. " + PROSE * (n % 4 + 1), head=True),
        lambda n: TextBlock(f"```python\nprint({n})\n```\n"),
        lambda n: ToolBlock(str(n), "read_file", f"Read file{n}.py", "done"),
        lambda n: ThinkingBlock(f"thought {n}\n" * 3, 30, 1000),
    ]
    return Vec(kinds[n % len(kinds)](n) for n in range(count))


def rows_of(transcript: Transcript) -> list[str]:
    size = transcript.scrollable_content_region.size
    return [
        strip.text.rstrip()
        for strip in transcript.render_lines(Region(0, 0, size.width, size.height))
    ]


def run(
    view: TranscriptView,
    journey: Callable[[Screen, Pilot[None]], Awaitable[None]],
    size: tuple[int, int] = (60, 22),
    theme: str = "dark",
    screen: type[Screen] = Screen,
) -> None:
    async def drive() -> None:
        app = screen(view, theme)
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            await journey(app, pilot)

    asyncio.run(drive())
