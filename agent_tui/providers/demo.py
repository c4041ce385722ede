"""The embedded default: no model, no server, no network. It plays a tour and obeys a few typed
requests.

`demo.toml` holds what it says and calls. It works through the real loop, tools and approvals, and
is a function of the
request's messages; only the name of a new tour's scratch folder comes from the disk (the first
`tour-<n>` that is
free).
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, Iterable, Iterator
from pathlib import Path
from typing import Final

from agent_tui.protocol.messages import ModelInfo, Request
from agent_tui.providers.base import ProviderSetup, StreamItem
from agent_tui.providers.script.demo import (
    NAME,
    Standing,
    Step,
    fill_values,
    items,
    read_standing,
    say,
    state,
    words,
)
from agent_tui.providers.script.format import Beat, Call, Item, Text, beats

MODEL: Final = "tour"
NOTE: Final = "Type `tour` for a tour of the program, or `help`."
"""What it is stands in its first answer, where it stays."""


def create(model: str, setup: ProviderSetup) -> Demo:
    """The demo. Option `pace` stretches its delays (default 1; 0: none). Raises LookupError (one
    line)."""
    if model not in ("", MODEL):
        raise LookupError(f"no model {NAME}/{model}; there is: {NAME}/{MODEL}")
    pace = setup.options.get("pace", 1)
    if isinstance(pace, bool) or not isinstance(pace, int | float) or not 0 <= pace <= 100:
        raise LookupError(
            f"the option `pace` of the demo must be a number from 0 to 100, not {pace!r}"
        )
    return Demo(setup.data, float(pace))


class Demo:
    """The script that speaks. `data` is the folder in which a tour gets its scratch folder."""

    name = NAME
    model = MODEL

    def __init__(self, data: Path, pace: float = 1.0) -> None:
        self.data, self.pace = data, pace
        self._scratch = ""
        """Name of the scratch folder of the newest tour."""

    @property
    def roots(self) -> tuple[Path, ...]:
        """The scratch folder of the tour that is being played."""
        return (self._folder(self._scratch),) if self._scratch else ()

    async def info(self) -> ModelInfo:
        return ModelInfo(f"{NAME}/{MODEL}", tools=True, thinking=False, note=NOTE)

    async def models(self) -> tuple[ModelInfo, ...]:
        return (await self.info(),)

    async def prepare(self) -> None:
        return None

    async def close(self) -> None:
        return None

    async def stream(self, request: Request) -> AsyncGenerator[StreamItem, None]:
        for beat in self.schedule(request):
            await asyncio.sleep(beat.delay * self.pace)
            if beat.item is not None:
                yield beat.item

    def schedule(self, request: Request) -> Iterator[Beat]:
        """What is streamed, and when; makes the scratch folder if this is where the tour begins."""
        now = read_standing(request.messages)
        said, left = self._tour_step(now) if now.is_touring else (_reply(now), "{}")
        if not now.introduced:
            said = _before(say(words().notice), said)
        return beats(said, f"demo-{now.answers}", left)

    def _tour_step(self, now: Standing) -> tuple[tuple[Item, ...], str]:
        """What is played, and what it leaves in the history."""
        number = words().next_step(now.done, now.has_file)
        if number is None:
            return (say(words().over),), "{}"
        try:
            name = self._reserved(now.scratch)
        except OSError as error:
            why = os.strerror(error.errno) if error.errno else str(error)
            return (
                say(fill_values(words().no_folder, {"folder": str(self.data), "why": why})),
            ), "{}"
        step = words().tour[number]
        seen = now.cut and now.scratch and step.items  # what nothing follows is shown again
        shown = [] if seen else step.show
        played = items([*shown, *step.items], {"scratch": str(self._folder(name))})
        opening = _opening(now, step)
        return (_before(say(f"{opening}\n\n"), played) if opening else played), state(name, number)

    def _folder(self, name: str) -> Path:
        return self.data.resolve() / name

    def _reserved(self, name: str) -> str:
        """The scratch folder of this tour, there and private; a new one where `name` is empty.
        Raises OSError."""
        if name:
            self._folder(name).mkdir(0o700, parents=True, exist_ok=True)
        elif not self._scratch or any(self._folder(self._scratch).iterdir()):
            name = self._new()
        else:  # made for a tour that was interrupted before it wrote anything
            name = self._scratch
        self._scratch = name
        return name

    def _new(self) -> str:
        self.data.mkdir(0o700, parents=True, exist_ok=True)
        number = 1
        while True:
            try:
                self._folder(f"tour-{number}").mkdir(0o700)
            except FileExistsError:
                number += 1
            else:
                return f"tour-{number}"


def _before(first: Item, items: Iterable[Item]) -> tuple[Item, ...]:
    """`items` with `first` before them, but behind what is only thought."""
    each = (first, *items)
    thoughts = tuple(item for item in each if isinstance(item, Text) and item.thinking)
    return (*thoughts, *(item for item in each if item not in thoughts))


def _opening(now: Standing, step: Step) -> str:
    """The first words of a step: about what happened since the step before."""
    if now.back and step.cut and now.cut:
        return step.cut
    if now.back:
        return words().back if now.done >= 0 else ""
    heard = fill_values(words().heard, {"said": now.said}) if now.said else ""
    return " ".join(part for part in (_about(now), heard) if part)


def _about(now: Standing) -> str:
    """What the tour says about the results of its step before."""
    if now.done < 0 or not now.results:
        return ""
    before = words().tour[now.done]
    if before.done == "" or (before.done and not now.failed_calls):
        return before.done
    told = next(iter(now.failed_calls), now.results[0])
    call = next((call for call in now.calls if call.id == told.call_id), None)
    about = words().describe_result(call, told) if call else ""
    return about + (before.failed if now.failed_calls else "")


def _reply(now: Standing) -> tuple[Item, ...]:
    """The answer to anything but the tour."""
    go_on = words().go_on if now.is_midway else ""
    if now.results:
        calls = {call.id: call for call in now.calls}
        told = [
            words().describe_result(calls[r.call_id], r) for r in now.results if r.call_id in calls
        ]
        return (say((" ".join(told) or words().above) + go_on),)
    request = now.due.request
    if now.is_midway and request.midway:
        return items(request.midway, now.due.values)
    played = items(request.items, now.due.values)
    return played if any(isinstance(item, Call) for item in played) else (*played, say(go_on))
