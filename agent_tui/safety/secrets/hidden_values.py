"""The values behind placeholders, for a person who wants the model to see one: in memory alone.

What is shown to the model goes into requests, and nowhere else: where its answers repeat it, the
placeholder is put back before anybody takes them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Final

from agent_tui.safety.secrets.strength import SHORTEST, is_dummy

MOST_VALUES: Final = 200
MOST_CHARACTERS: Final = 20_000
"""Of one value: as long as the longest keys."""


class HiddenValues:
    """What was hidden in a session, the newest last. Safe to use from several threads."""

    __slots__ = ("_never", "_values", "shown")

    def __init__(self) -> None:
        self._values: dict[str, str] = {}
        self._never: set[str] = set()
        self.shown: Mapping[str, str] = {}
        """The values that the model sees until the turn ends, by their placeholders."""

    def keep(self, placeholder: str, value: str) -> None:
        """Remember what `placeholder` stands for. Of two values with the same one, neither is
        known: the wrong one must not be shown."""
        known = self._values.pop(placeholder, value)
        self._values[placeholder] = value if known == value else ""
        if len(value) > MOST_CHARACTERS:
            del self._values[placeholder]
        while len(self._values) > MOST_VALUES:
            del self._values[next(iter(self._values))]

    def never_show(self, values: Iterable[str]) -> None:
        """The program's own keys are shown to nobody."""
        self._never |= set(values)

    def explain_unknown(self, placeholder: str) -> str:
        """Why a value cannot be shown; empty: it can."""
        value = self._values.get(placeholder, "")
        if value and value in self._never:
            return "it is a key of this program, or of your environment"
        if value and (len(value) < SHORTEST or is_dummy(value)):
            return "it is too short to be kept out of the log"
        return "" if value else "its value is not in memory (any more)"

    def show(self, placeholder: str) -> None:
        """Let the model see a value until the turn ends."""
        if not self.explain_unknown(placeholder):
            self.shown = {**self.shown, placeholder: self._values[placeholder]}

    def end_turn(self) -> None:
        self.shown = {}

    def fill(self, text: str) -> str:
        """`text` as the model is sent it."""
        for placeholder, value in self.shown.items():
            text = text.replace(placeholder, value)
        return text

    def written(self) -> dict[str, str]:
        """The shown values as an answer may hold them, also within JSON, with what takes their
        place."""
        shown = self.shown.items()
        escaped = {json.dumps(value)[1:-1]: placeholder for placeholder, value in shown}
        return {**escaped, **{value: placeholder for placeholder, value in shown}}
