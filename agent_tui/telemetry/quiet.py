"""Keeps what the SDK says of itself off the screen, where Python would write it. Begins before the SDK is imported."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Final

LONGEST: Final = 300
"""Characters of what is said about a failure."""
LIBRARIES: Final = ("opentelemetry", "urllib3")


class Once(logging.Handler):
    """The first of what is said is one line in the program's log, the rest goes nowhere."""

    def __init__(self, log: logging.Logger, scrub: Callable[[str], str]) -> None:
        super().__init__(logging.WARNING)
        self._log, self._scrub, self._said = log, scrub, False

    def emit(self, record: logging.LogRecord) -> None:
        if not self._said:
            self._said = True
            text = " ".join(self._scrub(record.getMessage()).split())[:LONGEST]
            self._log.warning("telemetry: %s (said once)", text)


def quiet(log: logging.Logger, scrub: Callable[[str], str]) -> None:
    handler = Once(log, scrub)
    for name in LIBRARIES:
        logger = logging.getLogger(name)
        logger.propagate, logger.handlers = False, [handler]
