"""Where the set-up of a model stands; each step knows the one behind it."""

from __future__ import annotations

from typing import Literal

from agent_tui.protocol.setup_op import KeyPlace
from agent_tui.structures.frozen import frozen

SetupStep = Literal[
    "provider",
    "address",
    "key",
    "asking",
    "failed",
    "model",
    "pull",
    "pulling",
    "place",
    "scope",
    "keeping",
]


@frozen
class SettingUp:
    """One step; `back` is the one to which Esc returns (None: Esc leaves). What was chosen on the
    way stands in all steps behind it. A key that was typed is the engine's alone: `keyed` says that
    it has one."""

    step: SetupStep = "provider"
    provider: str = ""
    label: str = ""
    address: str = ""
    """Of the server, as it was typed or found; empty: the one that it has."""
    keyed: bool = False
    model: str = ""
    place: KeyPlace = ""
    at: int = 0
    """The row of the cursor."""
    query: str = ""
    """What was typed to find a model."""
    note: str = ""
    """Why what was typed last will not do."""
    waits: str = ""
    """The id of the op whose outcome is waited for."""
    back: SettingUp | None = None
