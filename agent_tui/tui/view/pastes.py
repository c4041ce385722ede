"""The sheet that shows what a chip of the prompt stands for."""

from __future__ import annotations

from typing import Final

from agent_tui.protocol.answers import PrivateOutput
from agent_tui.structures import chips as chips_of
from agent_tui.structures.chips import Chip
from agent_tui.structures.visible import visible
from agent_tui.tui.model import Overlay
from agent_tui.tui.regions import OverlayView, Span
from agent_tui.tui.view.lazy import lazy

SHOWN_LINES: Final = 2_000
"""Lines that can be scrolled to."""
SHOWN_CHARS: Final = 400
"""Characters of each."""


@lazy
def paste_view(overlay: Overlay, chips: tuple[Chip, ...]) -> OverlayView | None:
    chip = next((chip for chip in chips if chip.label == overlay.note), None)
    if chip is None:
        return None
    title = chip.label[1:-1].replace("\u00a0", " ")
    lines = _lines(chip.text)
    unfolds = "Enter names the file instead" if chips_of.is_image(chip.label) else "Enter expands it"
    return OverlayView(title, lines, scroll=overlay.scroll, footer=f"↑↓ PgUp PgDn scroll · {unfolds} · Esc closes")


@lazy
def _lines(text: str) -> tuple[tuple[Span, ...], ...]:
    """The first lines of `text`, harmless."""
    found: list[tuple[Span, ...]] = []
    begin = 0
    while len(found) < SHOWN_LINES:
        end = text.find("\n", begin)
        stop = len(text) if end < 0 else end
        line = text[begin : min(stop, begin + SHOWN_CHARS)].expandtabs(4)
        found.append((Span(visible(line) + "…" * (stop - begin > SHOWN_CHARS)),))
        if end < 0:
            return tuple(found)
        begin = end + 1
    return (*found, (Span(f"… {text.count(chr(10), begin) + 1:,} more lines", "dim"),))


@lazy
def private_view(data: PrivateOutput | None, scroll: int) -> OverlayView | None:
    """What a private command put out. Nothing else holds it."""
    if data is None:
        return None
    lines = ((Span(data.said, "dim"),), *(_lines(data.output) if data.output else ()))
    command = visible(data.command).partition("\n")[0][:80]
    return OverlayView(
        f"!! {command}", lines, scroll=scroll,
        footer="private: not saved, not sent to the model · ↑↓ scroll · Esc closes",
    )  # fmt: skip
