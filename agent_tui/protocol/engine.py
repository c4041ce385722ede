"""What a front end holds of the engine: a place to put Ops, and a queue of events to drain."""

from __future__ import annotations

from collections.abc import Callable
from queue import SimpleQueue
from typing import Protocol

from agent_tui.protocol.event import Event, Restored
from agent_tui.protocol.ops import Op


class Engine(Protocol):
    """The agent in its worker thread. All methods are called from the front end's thread and never
    block."""

    events: SimpleQueue[Event | Restored]
    resting: bool
    """Set by the front end when it stops polling. The first event after that clears it and calls
    `wake` once, from the worker thread; after setting it the front end must look at the queue once
    more."""

    def start(self, wake: Callable[[], None]) -> None:
        """Start the thread, if it is not running: imports, model choice, the log."""
        ...

    def send(self, op: Op) -> None:
        """Give an Op to the agent; starts the thread if need be."""
        ...

    def stop(self, timeout: float) -> None:
        """End the thread: the turn is cancelled, children are ended, the log is closed. Waits at
        most `timeout` s."""
        ...
