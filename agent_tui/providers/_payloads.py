"""The JSON objects in what a reader found; what is none is skipped, until there is too much of it."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Iterator
from typing import Any, Final

from agent_tui.providers._failures import Place
from agent_tui.providers._readers import whole_number
from agent_tui.providers.base import Failed

log = logging.getLogger(__name__)

MOST_BAD: Final = 3
"""Payloads in a row that are no JSON, until the stream counts as malformed."""
_object_in: Final = json.JSONDecoder().raw_decode


class Done:
    """The payload `[DONE]`."""


DONE: Final = Done()
Payload = dict[str, Any] | Done | Failed


class Payloads:
    """Of one stream. `good`: there was an object; `broken`: the stream counts as malformed.

    They are made one by one as they are taken: a list of them would be garbage enough to have it collected.
    """

    def __init__(self, place: Place) -> None:
        self._place = place
        self._bad = 0
        self._skipped = False
        self.good = self.broken = False

    def of(self, texts: Iterable[str]) -> Iterator[Payload]:
        """What came together; a Failed, if any, is the last."""
        for text in texts:
            payload = parsed(text)
            if payload is not None:
                self._bad, self.good = 0, self.good or payload is not DONE
                yield payload
                continue
            self._bad, self._skipped = self._bad + 1, True
            hidden = self._place.secrets.scrub(text)
            log.warning("%s: skipped a payload that is no JSON object: %.200r", self._place.where, hidden)
            if self._bad == MOST_BAD:
                self.broken = True
                yield self._malformed()
                return

    def end(self) -> list[Payload]:
        """What is to be said at the end of the stream: where nothing in it was good, it was no answer."""
        return [self._malformed()] if self._skipped and not self.good else []

    def _malformed(self) -> Failed:
        text = f"{self._place.where} sent something that is not a valid JSON object"
        return Failed("malformed", text, "try again, or check the address", True)


def parsed(text: str) -> dict[str, Any] | Done | None:
    if text == "[DONE]":
        return DONE
    try:
        data, end = _beginning(text)
        if end != len(text):
            data = json.loads(text, parse_int=whole_number)
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None


def _beginning(text: str) -> tuple[Any, int]:
    """The object that `text` begins with, and where it ends; (None, -1) where there is none that is read so.
    `json.loads` looks for white space around what has none, and costs half as much again."""
    try:
        return _object_in(text) if text.startswith("{") else (None, -1)
    except ValueError:  # broken, or a number with more digits than are read: `json.loads` tells them apart
        return None, -1
