"""The program's own log, a file a run: never the screen, never the content of requests."""

from __future__ import annotations

import faulthandler
import logging
import os
from datetime import datetime
from pathlib import Path

from agent_tui.paths import make_private


class _Quiet(logging.FileHandler):
    """A log file that loses what cannot be written (a full disk): the standard one says so on the
    screen."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - its name in the library
        """Nothing: there is nowhere left to say it."""


def open_log(folder: Path | None) -> logging.Logger:
    """A logger that writes `agent-<timestamp>.log` in `folder` (0600); without a usable folder it
    writes nowhere."""
    log = logging.getLogger("agent_tui")
    log.setLevel(logging.INFO)
    log.propagate = False
    for old in tuple(log.handlers):
        log.removeHandler(old)
        old.close()
    try:
        if folder is None:
            raise FileNotFoundError
        make_private(folder)
        path = folder / f"agent-{datetime.now():%Y%m%d-%H%M%S-%f}.log"
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600))
        file = _Quiet(path, encoding="utf-8", errors="backslashreplace")
        if file.stream is not None:  # as it is for one that is opened at once
            faulthandler.enable(file.stream)  # for a crash of the interpreter itself
        handler: logging.Handler = file
    except OSError:
        faulthandler.disable()  # it would write over the screen
        handler = logging.NullHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    log.addHandler(handler)
    return log
