"""Setting up a provider, asked of the engine step by step. In a module of its own: no start needs
it."""

from __future__ import annotations

from dataclasses import field
from typing import Literal

from agent_tui.protocol.ops import Op
from agent_tui.structures.frozen import frozen

SetupStep = Literal["look", "ask", "stop", "keep", "leave"]
SetupScope = Literal["user", "project", "session"]
"""Where a model is the default from then on; in the session alone: nowhere."""
KeyPlace = Literal["", "keyring", "file"]
"""Where a key is kept; empty: in the keyring, if there is one."""


@frozen
class SetUp(Op):
    """`look`: tell which providers there are, and which of them answer (`answered`, kind `setup`).
    `ask`: what the
    `provider` offers, at `address` and with `key` where those were typed (an address without a
    provider: whatever
    answers there; `serve`: Ollama is started first). `stop`: ask no longer. `keep`: what
    answered last, its key included, with `model`, which is used from then on; nothing is written
    before that. `leave`:
    forget the key. What comes of a step is told as `answered`, kind `setup_step`, under its `id`
    (shapes:
    `agent_tui/protocol/answers.py`)."""

    id: str
    step: SetupStep
    provider: str = ""
    address: str = ""
    key: str = field(default="", repr=False)
    serve: bool = False
    model: str = ""
    place: KeyPlace = ""
    scope: SetupScope = "user"
    type: Literal["set_up"] = "set_up"
