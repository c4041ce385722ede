"""Reasoning as OpenRouter tells it (`reasoning_details`): opaque blocks, kept as they came, for the
same model alone.

They carry signatures and encrypted thoughts of whoever answers behind it, who refuses them where a
byte differs.
"""

from __future__ import annotations

import json
from typing import Final

from agent_tui.protocol.messages import AssistantMessage
from agent_tui.providers.dialects.translate import state_of, text_in

FIELD: Final = "reasoning_details"
WORDS: Final = ("text", "summary")
"""What comes piece by piece; everything else of a block is told once, or again."""
Block = dict[str, object]


class Details:
    """The blocks of one answer, put together from the pieces that a stream brings."""

    def __init__(self) -> None:
        self._blocks: list[Block] = []
        self._pieces: list[dict[str, list[str]]] = []

    def add(self, given: object) -> str:
        """Take what one event brings; returns the words in it."""
        words = ""
        for piece in given if isinstance(given, list) else ():
            if isinstance(piece, dict):
                said = {name: text for name in WORDS if (text := text_in(piece.get(name)))}
                words += "".join(said.values())
                self._take(piece, said)
        return words

    def _take(self, piece: Block, said: dict[str, str]) -> None:
        told = {name: value for name, value in piece.items() if name not in said}
        if self._blocks and _goes_on(self._blocks[-1], piece):
            self._blocks[-1].update(
                (name, value) for name, value in told.items() if value is not None
            )
        else:
            self._blocks.append(told)
            self._pieces.append({})
        for name, text in said.items():
            self._pieces[-1].setdefault(name, []).append(text)

    def state(self, model: str) -> str:
        """What to keep; empty where nothing came."""
        blocks = [
            {**block, **{name: "".join(parts) for name, parts in said.items()}}
            for block, said in zip(self._blocks, self._pieces, strict=True)
        ]
        return state_of({"model": model, "details": blocks}) if blocks else ""


def _goes_on(block: Block, piece: Block) -> bool:
    """Whether `piece` is more of `block`: of the same place and kind, and no block that is told
    whole."""
    same = all(block.get(name) == piece.get(name) for name in ("type", "index"))
    other = block.get("id") and piece.get("id") and block["id"] != piece["id"]
    return same and not other and not piece.get("data") and not block.get("signature")


def kept(given: AssistantMessage, provider: str, model: str) -> list[Block] | None:
    """The blocks that go back with an answer; None where it has none, an empty list where they are
    another model's."""
    if not given.state:
        return None
    try:
        found = json.loads(given.state)
    except (ValueError, RecursionError):
        return None
    blocks = found.get("details") if isinstance(found, dict) else None
    if not isinstance(blocks, list):
        return None
    own = (given.provider, found.get("model")) == (provider, model)
    return [block for block in blocks if isinstance(block, dict)] if own else []
