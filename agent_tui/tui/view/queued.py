"""The queue panel: what waits, in which state, and the keys for it; the footers of this and the other sheets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from agent_tui.structures import chips, mention
from agent_tui.tui import commands
from agent_tui.tui.kinds import OwnKeys
from agent_tui.tui.model import Model
from agent_tui.tui.regions import FooterView, Option, OverlayView, Span
from agent_tui.tui.update import queued
from agent_tui.tui.view.lazy import lazy
from agent_tui.tui.view.words import one_line

FIRM: Final = "\N{NO-BREAK SPACE}"
AROUND: Final = 12
"""Cells of the screen beside a prompt and its state: the border and margin of the sheet, the mark, the key, blanks."""
LEAST_TEXT: Final = 34
"""Cells of a prompt below which its state stands in front of it: that must not be cut off."""


@lazy
def queued_view(model: Model) -> OverlayView:
    listed, paused = model.listed, model.transcript.paused
    states, number = list[str](), 0
    for item in listed:
        states.append(queued.state(model, item, number))
        number += not item.steer
    room = model.width - AROUND - max(map(len, states), default=0)
    narrow = room < LEAST_TEXT
    options = []
    for place, (item, state) in enumerate(zip(listed, states, strict=True)):
        said = mention.shown(chips.folded(item.text, item.pastes))
        text = one_line(said)  # the widget cuts it: letters may take two cells
        key = str(place + 1) if place < 9 else ""
        options.append(Option(key, f"{state}: {text}" if narrow else text, "" if narrow else state))
    steers = len(listed) - len(model.queue)
    more = f", {steers} at the next step" if steers else ""
    title = f"Queued prompts ({len(model.queue)}){more}{', paused' if paused else ''}"
    return OverlayView(title, _said(model), tuple(options), queued.place(model), "Esc closes", broad=True)


def _said(model: Model) -> tuple[tuple[Span, ...], ...]:
    """What becomes of the queue, and the keys, in words."""
    if not model.listed:
        return ((Span("The queue is empty. Prompts that you send while the agent works wait here."),),)
    paused = model.transcript.paused
    if paused:
        what = Span("Paused: nothing is sent until you resume.", "warning")
    else:
        what = Span("The next is sent when this turn ends." if model.running else "The next is sent now.")
    return (what,), tuple(_keys(model.running, paused))


def _keys(running: bool, paused: bool) -> Iterator[Span]:
    """A key and its words are never on two lines; as in the footer, nothing but room is between two."""
    now = (("s", "steer"), ("i", "stop and send")) if running else (("s", "send now"),)
    last = ("p", "resume" if paused else "pause")
    for key, what in (("Enter", "edit"), *now, ("Alt+↑", "move up"), ("Alt+↓", "move down"), ("d", "remove"), last):
        yield Span(key, "accent")
        yield Span(f" {what}".replace(" ", FIRM), "dim")
        if key != "p":
            yield Span("   ")


@lazy
def editing_footer(running: bool, own: OwnKeys) -> FooterView:
    """The keys while a queued prompt is being edited."""
    steers = commands.key_of("steer", own)
    named = (("Enter", "save"), (steers if running else "", "steer"), ("Esc", "cancel"))
    return FooterView(tuple(pair for pair in named if pair[0]))


_CHOOSE: Final = ("↑↓", "choose")
_SCROLL: Final = (("↑↓", "scroll"), ("PgUp/PgDn", "a page"))
_CLOSE: Final = ("Esc", "close")


def sheet_footer(kind: str, running: bool, paused: bool, queued: bool) -> FooterView:
    """The keys of a sheet, what is needed most in front."""
    match kind:
        case "copy":
            return FooterView((_CHOOSE, ("Enter", "copy"), ("w", "write to a file"), _CLOSE))
        case "settings":
            return FooterView((_CHOOSE, ("Enter", "change"), ("Del", "reset"), _CLOSE))
        case "queue" if not queued:
            return FooterView((_CLOSE,))
        case "queue":
            sends = "steer" if running else "send now"
            acts = (("Enter", "edit"), ("s", sends), ("d", "remove"), ("p", "resume" if paused else "pause"))
            stops = (("i", "stop and send"),) if running else ()
            return FooterView((_CHOOSE, *acts, _CLOSE, ("Alt+↑↓", "move"), *stops))
        case "paste":
            return FooterView((*_SCROLL, ("Enter", "expand"), _CLOSE))
        case "first_run":
            return FooterView((_CHOOSE, ("Enter", "take"), _CLOSE))
        case _:
            return FooterView((*_SCROLL, _CLOSE))


@lazy
def first_run_footer(send: str) -> FooterView:
    """The keys of the first screen while words for the model are typed under it."""
    return FooterView((_CHOOSE, (send, "keep the prompt"), _CLOSE))


@lazy
def aside_footer(asking: bool, text: bool) -> FooterView:
    """The keys while a question on the side is shown."""
    copies = (("c", "copy"),) if text else ()
    return FooterView((*_SCROLL, *copies, ("Esc", "cancel") if asking else _CLOSE))
