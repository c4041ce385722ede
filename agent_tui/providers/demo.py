"""The embedded default: no model, no server, no network. It plays a tour and obeys a few typed requests.

It works through the real loop, tools and approvals, and is a function of the request's messages; only the name of a
new tour's scratch folder comes from the disk (the first `tour-<n>` that is free).
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, Iterator
from pathlib import Path
from typing import Final, assert_never

from agent_tui.protocol.messages import ModelInfo, Request
from agent_tui.providers import _tour
from agent_tui.providers._demo_requests import Act, Chat, Help, Think, Tour, Unfinished
from agent_tui.providers._demo_results import comment
from agent_tui.providers._demo_speech import Beat, Reply, Say, beats, code
from agent_tui.providers._demo_standing import NAME, Standing, standing, state
from agent_tui.providers.base import ProviderSetup, StreamItem

MODEL: Final = "tour"
REST: Final = 2.0
"""Seconds between the words of a tour's answer and its calls."""
QUICK: Final = 150.0
"""Tokens per second of the help: it is looked up, not watched."""
NOTICE: Final = (
    "**This is the demo, not a language model.** A script writes the answers. The tools, the files and the questions"
    " before a change are real.\n\n"
)
HELP: Final = """\
| Type | What happens |
|---|---|
| `tour` | shows what the program can do, in a little over a minute |
| `think` | shows thoughts before an answer, and how to fold or hide them |
| `list` or `list FOLDER` | lists a folder |
| `read FILE` or `read FILE 10-20` | shows a file, or some of its lines |
| `find WORDS` | finds the lines that contain these words |
| `run COMMAND` | runs a shell command |
| `replace OLD with NEW in FILE` | changes a file; quotes around OLD and NEW help |
| `create FILE with TEXT` | writes a new file |

These requests work in the folder of this session. They ask before a change, as with a real model. `/model` chooses one.
"""
THOUGHT: Final = """\
The person wants to see thoughts. A model would think about the request here: what it means, which files to read, what \
could go wrong. It would try one way, find a mistake, and try another.

I am a script. This text was written before anybody asked. But it arrives as the thoughts of a model do: word by word, \
before the answer. Of a long thought, only the last lines are shown.

That is enough. Now I answer.
"""
THINKING: Final = """\
Those were thoughts, as an example. You see them while they arrive; then they become one line. Click it or press Alt+O
to expand it. Ctrl+O expands everything.

`/thinking` shows thoughts `live` (the default), `folded` from the first word, or `hidden`. That lasts until you quit;
the setting `display.thinking` keeps it.
"""
NOTE: Final = "This is the demo: a script, not a language model. Type `tour` for a tour, or `help`."
GO_ON: Final = " `tour` continues the tour."


def create(model: str, setup: ProviderSetup) -> Demo:
    """The demo. Option `pace` stretches its delays (default 1; 0: none). Raises LookupError (one line)."""
    if model not in ("", MODEL):
        raise LookupError(f"no model {NAME}/{model}; there is: {NAME}/{MODEL}")
    pace = setup.options.get("pace", 1)
    if isinstance(pace, bool) or not isinstance(pace, int | float) or not 0 <= pace <= 100:
        raise LookupError(f"the option `pace` of the demo must be a number from 0 to 100, not {pace!r}")
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
            yield beat.item

    def schedule(self, request: Request) -> Iterator[Beat]:
        """What is streamed, and when; makes the scratch folder if this is where the tour begins."""
        now = standing(request.messages)
        reply = self._tour_step(now) if now.touring else _reply(now)
        if not now.introduced:
            reply = Reply((Say(NOTICE), *reply.said), reply.wishes, reply.state, thought=reply.thought)
        return beats(reply, now.answers)

    def _tour_step(self, now: Standing) -> Reply:
        step = _tour.following(now.done, now.has_file)
        if step is None:
            return _spoken("The tour is over. `tour` plays it again.")
        try:
            name = self._reserved(now.scratch)
        except OSError as error:
            why = os.strerror(error.errno) if error.errno else str(error)
            return _spoken(f"The tour cannot make a scratch folder in {code(str(self.data))}: {code(why)}.")
        folder, scene = str(self._folder(name)), _tour.STEPS[step]
        words = _tour.opening(step, now.done, now.results, now.said, now.back, now.cut)
        opening = (Say(f"{words}\n\n"),) if words else ()
        shown = () if now.cut and now.scratch else scene.show(folder)
        asked = (Say(scene.ask.rstrip()),) if scene.ask else ()
        return Reply((*opening, *shown, *asked), scene.calls(folder), state(name, step), REST, scene.thought)

    def _folder(self, name: str) -> Path:
        return self.data.resolve() / name

    def _reserved(self, name: str) -> str:
        """The scratch folder of this tour, there and private; a new one where `name` is empty. Raises OSError."""
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


def _spoken(text: str) -> Reply:
    return Reply((Say(text),))


def _reply(now: Standing) -> Reply:
    """The answer to anything but the tour."""
    go_on = GO_ON if now.midway else ""
    if now.results:
        calls = {call.id: call for call in now.calls}
        said = [comment(calls[r.call_id], r) for r in now.results if r.call_id in calls]
        return _spoken((" ".join(said) or "The result is above.") + go_on)
    match now.due:
        case Act(wish=wish):
            return Reply((), (wish,))
        case Unfinished(usage=usage):
            return _spoken(f"Something is missing. A complete request is {code(usage)}.{go_on}")
        case Help():
            return Reply((Say(f"{HELP}{go_on}".rstrip(), rate=QUICK),))
        case Think():
            return Reply((Say(f"{THINKING}{go_on}".rstrip()),), thought=THOUGHT)
        case Chat(text=text):
            few = f"I do not understand {code(text)}." if text else "I understand only a few requests."
            if go_on:
                return _spoken(f"{few}{go_on} `help` lists what I understand.")
            return _spoken(f"{few} Type `tour` to see what the program can do, or `help` to see what I understand.")
        case Tour():
            return _spoken("Type `tour` to see what the program can do.")
        case _:
            assert_never(now.due)
