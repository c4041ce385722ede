"""A turn with one call that changes files, on the real engine, killed at a moment that is given.

    python -m tests.agent.change_program FOLDER MODEL MOMENT

Moments are counted from the start of the call: each sync, rename, exchange, link and unlink is two,
before it is done and after. Without a kill their number is printed.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from agent_tui.agent.worker import Worker
from agent_tui.protocol.events import SessionStarted, TurnEnded
from agent_tui.protocol.ops import Submit
from agent_tui.safety import atomic_swap, file_access
from agent_tui.sessions.log import store
from tests.agent.driving import PATIENCE, Place


class Moments:
    """Counts them, and kills the program at the one that is wanted."""

    def __init__(self, wanted: int) -> None:
        self.wanted, self.passed, self.counts = wanted, 0, False

    def pass_one(self) -> None:
        if not self.counts:
            return
        self.passed += 1
        if self.passed == self.wanted:
            os.kill(os.getpid(), signal.SIGKILL)

    def around(self, act: Callable[..., Any]) -> Callable[..., Any]:
        def acting(*given: Any, **named: Any) -> Any:
            self.pass_one()
            result = act(*given, **named)
            self.pass_one()
            return result

        return acting


def main(folder: Path, model: str, wanted: int) -> None:
    moments = Moments(wanted)
    for name in ("fsync", "rename", "replace", "link", "unlink", "mkdir", "rmdir"):
        setattr(os, name, moments.around(getattr(os, name)))
    store._sync = moments.around(store._sync)
    file_access.exchange = moments.around(file_access.exchange)
    atomic_swap.rename_to_free = moments.around(atomic_swap.rename_to_free)
    worker = Worker(Place(folder).config(model, mode="accept-edits"))
    worker.start(lambda: None)
    while True:
        event = worker.events.get(timeout=PATIENCE)
        if isinstance(event, SessionStarted):
            moments.counts = True
            worker.send(Submit("go"))
        if isinstance(event, TurnEnded):
            break
    moments.counts = False
    print(moments.passed, flush=True)
    worker.stop(10)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
