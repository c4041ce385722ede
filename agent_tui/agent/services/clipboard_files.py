"""What a person asks for beside the conversation: the clipboard, files to keep. No record tells of
it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import Executor as Pool
from pathlib import Path
from typing import Any, Final

from agent_tui.agent.config import EngineConfig
from agent_tui.agent.services.clipboard import own_programs, set_clipboard
from agent_tui.agent.services.exporting import Writing
from agent_tui.agent.session.record import Record
from agent_tui.protocol.events import Answered
from agent_tui.protocol.ops import Export, SetClipboard, WriteFile

LAST_SECONDS: Final = 0.5
"""How long the end of the program waits for a clipboard tool."""

Spawn = Callable[[Coroutine[Any, Any, None]], "asyncio.Task[None]"]


class Exports:
    """Each runs beside the turn; of texts for the clipboard only the newest counts."""

    def __init__(self, config: EngineConfig, record: Record, pool: Pool, spawn: Spawn) -> None:
        self._config, self._record, self._spawn = config, record, spawn
        self._writing = Writing(config.cwd, config.environment, pool)
        self._copying: asyncio.Task[None] | None = None

    def run(self, op: SetClipboard | WriteFile | Export) -> None:
        match op:
            case SetClipboard():
                if self._copying is not None:
                    self._copying.cancel()
                self._copying = self._spawn(
                    self._tell(set_clipboard(op.text, own_programs(self._config)))
                )
            case WriteFile():
                self._spawn(self._tell(self._writing.text(op.name, op.text)))
            case Export():
                store = self._record.store
                work = self._writing.session(
                    store.path, self._record.session, op.path, store.trouble
                )
                self._spawn(self._tell(work))

    def target_of_log(self, path: str) -> Path:
        """The new file that the session's log is to be kept in; `path` may be a folder."""
        return self._writing.target_of_log(path, self._record.session)

    async def close(self) -> None:
        """What was copied last, right before the end, still gets to the clipboard; a long document
        is given up."""
        self._writing.ended = True
        if self._copying is not None and not self._copying.done():
            await asyncio.wait({self._copying}, timeout=LAST_SECONDS)

    async def _tell(self, work: Coroutine[Any, Any, Answered]) -> None:
        self._record.emit(await work)
