"""The sheet that shows what a chip of the prompt stands for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from agent_tui.structures.chips import Chip
from agent_tui.structures.visible import visible
from agent_tui.tui.model import Overlay
from agent_tui.tui.regions import OverlayView, Span
from agent_tui.tui.view.lazy import lazy

SHOWN_LINES: Final = 200
"""Lines from the one scrolled to; no screen has more."""
SHOWN_CHARS: Final = 400
"""Characters of each."""


@lazy
def paste_view(overlay: Overlay, chips: tuple[Chip, ...]) -> OverlayView | None:
    chip = next((chip for chip in chips if chip.label == overlay.note), None)
    if chip is None:
        return None
    title = chip.label[1:-1].replace("\u00a0", " ")
    lines = tuple((Span(visible(line)),) for line in _lines(chip.text, overlay.scroll))
    unfolds = "Enter names the file instead" if chip.text.startswith('@"') else "Enter puts it into the prompt"
    return OverlayView(title, lines, footer=f"↑↓ PgUp PgDn scroll · {unfolds} · Esc closes")


def _lines(text: str, first: int) -> list[str]:
    """Some lines of `text` from number `first` on; what stands before is only stepped over."""
    begin = 0
    for _ in range(first):
        begin = text.find("\n", begin) + 1
        if not begin:
            return []
    found: list[str] = []
    while len(found) < SHOWN_LINES:
        end = text.find("\n", begin)
        stop = len(text) if end < 0 else end
        found.append(text[begin : min(stop, begin + SHOWN_CHARS)].expandtabs(4) + "…" * (stop - begin > SHOWN_CHARS))
        if end < 0:
            break
        begin = end + 1
    return found


@lazy
def private_view(data: Any, scroll: int) -> OverlayView | None:
    """What a private command put out. Nothing else holds it."""
    if not isinstance(data, Mapping):
        return None
    output = str(data.get("output", ""))
    lines = tuple((Span(visible(line)),) for line in _lines(output, scroll)) if output else ()
    head = ((Span(str(data.get("said", "")), "dim"),),) if not scroll else ()
    command = visible(str(data.get("command", ""))).partition("\n")[0][:80]
    return OverlayView(f"!! {command}", (*head, *lines), footer="private: nobody else has it · ↑↓ scroll · Esc closes")
