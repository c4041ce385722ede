"""Opening a list by its command, and reading what is seen of it."""

from __future__ import annotations

from agent_tui.tui.core.regions import OverlayView
from tests.tui.play import Play, words


def opened(name: str) -> Play:
    play = Play()
    play.type(f"/{name}")
    play.press("escape", "enter")
    return play


def sheet(play: Play) -> OverlayView:
    shown = play.view.overlay
    assert shown is not None
    return shown


def labels(play: Play) -> list[str]:
    return [option.label for option in sheet(play).options if not option.heading]


def chosen(play: Play) -> str:
    shown = sheet(play)
    return shown.options[shown.selected].label


def text(play: Play) -> str:
    shown = sheet(play)
    return "\n".join(
        words(line)
        for line in (*shown.lines, *shown.below, *((shown.asked,) if shown.asked else ()))
    )
