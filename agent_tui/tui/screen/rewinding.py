"""Going back in the conversation: whether it can be done now, and the model after it."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from agent_tui.protocol.events import Rewound
from agent_tui.structures import chips
from agent_tui.tui.core.model import Model, Reading
from agent_tui.tui.core.step import Step, then, toast
from agent_tui.tui.prompt import composer

BUSY: Final = "Esc interrupts the running turn first"
SECONDS: Final = 8.0


def unable(model: Model) -> str:
    """Why nothing can be taken back now; empty: it can."""
    if model.busy:
        return BUSY
    if model.transcript.reading:
        return "this session is read only: /fork makes your own copy"
    return "" if model.started and not model.gone else "there is no session yet"


def rewound(model: Model, event: Rewound) -> Step:
    """The conversation is back where it was: an empty prompt has its old words again. Where
    something was typed meanwhile, the old words are in the history, and that is said."""
    going = model.going_back if model.going_back is not None and model.going_back.sent else None
    draft = model.transcript.draft
    old, pastes = chips.sent(draft, model.transcript.pasted)
    if going is not None and going.prompt != old:
        old, pastes, draft = going.prompt, (), going.prompt
    model = replace(model, rewound=event.n, reading=Reading(jump=model.reading.jump + 1))
    if model.composer.asks("search"):
        model = composer.leave(model)
    typed = composer.own(model) not in ("", old, draft)
    if typed:
        step = composer.remember(model, old)
    else:
        step = composer.give_back(model, old, pastes) if old else model, ()
    where = f"old prompt: {composer.way_back(model)}" if typed and old.strip() else ""
    if going is not None and going.sent == "both":  # what became of the files is said with it
        return replace(step[0], going_back=replace(going, where=where)), step[1]
    if going is None:
        return then(step, toast(step[0], where, seconds=SECONDS)) if where else step
    said = "; ".join(
        filter(None, ("conversation rewound; /redo opens the earlier one in a new session", where))
    )
    return then(step, toast(replace(step[0], going_back=None), said, "good", SECONDS))
