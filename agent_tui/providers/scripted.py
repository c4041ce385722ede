"""Plays a script file as if it were a model: for tests, demos and bug reports. The format:
`docs/scripted.md`.

Which step is played depends on the request alone (how many answers its history holds), so a resumed
session goes on where it stopped; only `fail` with `times` counts its attempts in the provider.
"""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from collections.abc import AsyncGenerator, Iterator
from pathlib import Path
from typing import Final

from agent_tui.protocol.messages import AssistantMessage, ModelInfo, Request, UserMessage
from agent_tui.providers.base import (
    Failed,
    Finished,
    ProviderError,
    ProviderSetup,
    StreamItem,
    TextChunk,
)
from agent_tui.providers.script.format import BadScript, Branch, Fail, Item, Script, beats, parse

SIZE_LIMIT: Final = 16_000_000
"""Bytes of a script file."""
HINT: Final = "see docs/scripted.md for the format"


def create(model: str, setup: ProviderSetup) -> Scripted:
    """The player of the script file `model` (relative to the session's folder). A bad script shows
    when it is used."""
    return Scripted(model, setup.cwd)


class Scripted:
    """One script. It is read once, here; what is wrong with it is a `Failed` in every stream and a
    ProviderError."""

    name = "scripted"
    roots: tuple[Path, ...] = ()

    def __init__(self, model: str, cwd: Path) -> None:
        self.model = model
        self.script = read(model, cwd)
        self.reached: Counter[tuple[int, int, int]] = Counter()
        """How often each `fail` (step, branch, item) was reached."""

    async def info(self) -> ModelInfo:
        if isinstance(self.script, Failed):
            raise ProviderError(self.script)
        window = self.script.window
        return ModelInfo(
            f"{self.name}/{self.model}", window, window, self.script.tools, self.script.thinking
        )

    async def models(self) -> tuple[ModelInfo, ...]:
        return (await self.info(),)

    async def prepare(self) -> None:
        return None

    async def close(self) -> None:
        return None

    async def stream(self, request: Request) -> AsyncGenerator[StreamItem, None]:
        if isinstance(self.script, Failed):
            yield self.script
            return
        step = sum(isinstance(message, AssistantMessage) for message in request.messages)
        if step >= len(self.script.steps):
            yield TextChunk(
                f"The script {self.model} has no more answers: it has {len(self.script.steps)}."
            )
            yield Finished("stop")
            return
        said = next((m.text for m in reversed(request.messages) if isinstance(m, UserMessage)), "")
        for number, branch in enumerate(self.script.steps[step]):
            if branch.when in said:
                for beat in beats(self._reached(branch, step, number), f"call-{step + 1}"):
                    if beat.delay:
                        await asyncio.sleep(beat.delay)
                    if beat.item is not None:
                        yield beat.item
                return
        yield TextChunk(
            f"Step {step + 1} of the script {self.model} has no branch for this prompt."
        )
        yield Finished("stop")

    def _reached(self, branch: Branch, step: int, number: int) -> Iterator[Item]:
        """The items of `branch`, but each `fail` that has failed often enough."""
        for place, item in enumerate(branch.items):
            if isinstance(item, Fail):
                self.reached[step, number, place] += 1
                if item.times and self.reached[step, number, place] > item.times:
                    continue
            yield item


def read(name: str, cwd: Path) -> Script | Failed:
    """The script in file `name`, or in one line why it cannot be played."""
    path = cwd / Path(name).expanduser()
    try:
        if not path.is_file():
            return Failed(
                "unknown_model", f"no script file {path}", "name an existing file: scripted/<path>"
            )
        with path.open("rb") as file:
            raw = file.read(SIZE_LIMIT + 1)
        if len(raw) > SIZE_LIMIT:
            return Failed("bad_request", f"{path}: larger than {SIZE_LIMIT:,} bytes", HINT)
        return parse(raw.decode("utf-8-sig"), lines=path.suffix == ".jsonl")
    except BadScript as error:
        return Failed("bad_request", f"{path}: {error}", HINT)
    except UnicodeDecodeError as error:
        return Failed("bad_request", f"{path}: not valid UTF-8 at byte {error.start}", HINT)
    except (
        OSError,
        ValueError,
        RuntimeError,
    ) as error:  # unreadable; a NUL in the name; no home for `~`
        said = (
            os.strerror(error.errno) if isinstance(error, OSError) and error.errno else str(error)
        )
        return Failed("unknown_model", f"{path}: {said}", HINT)
