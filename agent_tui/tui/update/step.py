"""What every concern of `update` returns, and the small moves that all of them use."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from agent_tui.protocol.ops import Op
from agent_tui.tui.effects import Effect, ExpireToast, Send
from agent_tui.tui.model import Model, Toast
from agent_tui.tui.regions import Tone

Step = tuple[Model, tuple[Effect, ...]]

TOAST_SECONDS: Final = 4.0


def send(model: Model, *ops: Op) -> Step:
    """Nothing changes here; the engine is asked."""
    return model, tuple(Send(op) for op in ops)


def toast(model: Model, text: str, tone: Tone = "normal", seconds: float = TOAST_SECONDS) -> Step:
    """Say `text` for a moment."""
    number = model.toasts + 1
    return replace(model, toast=Toast(number, text, tone), toasts=number), (ExpireToast(number, seconds),)


def then(first: Step, second: Step) -> Step:
    """The model of `second`, the effects of both."""
    return second[0], first[1] + second[1]
