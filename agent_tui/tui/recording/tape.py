"""The lines of a recording, as they are written and as they are read. A line is JSON; settled
events stand in it by their number in the session's log, so that nothing is stored twice.

    {"v": 1, "at": …, "session": id, "versions": {…}, "start": model}   a run of the program began
    to show the session
    {"t": seconds since then, "m": msg}                                 a Msg
    {"t": …, "m": msg, "s": [keep, drop, "words"]}                      one with the prompt's text:
    how that differs
    {"t": …, "e": [4, ["x", seconds, "text"], …], "i": […]}             `EventsArrived`: 4 is record
    4, `i` whose it is
    {…, "h": […], "f": …, "k": …, "r": […]}                             beside a Msg: what was shown
    of outside lists
    {"c": [model hash, frame hash]}                                     what the model then was
    {"cut": true}                                                       the recording had reached
    its limit
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from agent_tui.protocol.event import Event, Restored
from agent_tui.protocol.tool_events import ToolOutput
from agent_tui.protocol.transcript import Transcript
from agent_tui.protocol.turn_events import TextDelta, ThinkingDelta, ToolArgsDelta
from agent_tui.structures.frozen import frozen
from agent_tui.structures.plain import rebuild, to_plain
from agent_tui.tui.core.model import Model
from agent_tui.tui.core.msg import (
    CommandCalled,
    DraftChanged,
    EventsArrived,
    HistoryAsked,
    HistoryLoaded,
    HistoryRead,
    KeyPressed,
    Msg,
    Submitted,
)
from agent_tui.tui.recording import masked, patches
from agent_tui.tui.recording.classes import classes
from agent_tui.tui.recording.patches import Patch

VERSION: Final = 1
LARGEST: Final = 10_000
"""Columns and rows of a screen, at most: a frame of it is made."""
_DELTAS: Final[Mapping[type[Event], tuple[str, tuple[str, ...]]]] = {
    TextDelta: ("x", ("text",)),
    ThinkingDelta: ("y", ("text",)),
    ToolArgsDelta: ("a", ("index", "text", "name")),
    ToolOutput: ("o", ("call_id", "text")),
}
_KINDS: Final = {letter: (kind, names) for kind, (letter, names) in _DELTAS.items()}
_IDS: Final = ("session", "run", "trace", "turn", "step", "agent", "parent_call")
ANSWERED: Final = "session_events.Answered"
_TEXTS: Final[Mapping[type[Any], str]] = {
    DraftChanged: "text",
    Submitted: "text",
    KeyPressed: "draft",
    HistoryAsked: "draft",
    CommandCalled: "draft",
}


Load = Callable[[dict[str, Any]], Event]


class BadTape(ValueError):
    """A line that is none of a recording: the message says what is wrong with it."""


@frozen
class Header:
    """A run of the program that showed the session: the model that it began with."""

    at: float
    session: str
    versions: Mapping[str, str]
    start: Model


@frozen
class Step:
    """A Msg (None: only lists from outside came), and what to put in the place of what is not
    written down."""

    msg: Msg | None
    at: float
    patch: Patch


@frozen
class Check:
    model: str
    frame: str


@frozen
class Cut:
    """From here on nothing was recorded."""


class Writer:
    """Makes the lines of one run, which began at `began`; each counts on those before it."""

    def __init__(self, began: float) -> None:
        self._draft = ""
        self._ids: tuple[Any, ...] = ()
        self._began = began

    def header(self, before: Model, session: str, versions: Mapping[str, str]) -> str:
        """The first line of a run that begins with the model `before`, of which other sessions are
        left out."""
        own = before.sessions[before.active]
        start = replace(
            masked.model(before),
            sessions={before.active: Transcript(cwd=own.cwd, mode=own.mode)},
            search=None,
            finder=None,
        )
        return _line(
            {
                "v": VERSION,
                "at": self._began,
                "session": session,
                "versions": dict(versions),
                "start": to_plain(start, masked.mask_text),
            }
        )

    def step(self, msg: Msg | None, before: Model, after: Model, at: float) -> str:
        """The line of `msg` (None: it was not written down), which made `after` of the model
        `before`."""
        data: dict[str, Any] = {"t": self._time(at)}
        if isinstance(msg, EventsArrived):
            data["e"] = []
            for told in msg.events:
                self._event(told, data)
        elif msg is not None and not isinstance(msg, HistoryLoaded | HistoryRead):
            own = to_plain(msg, masked.mask_text)
            own.pop("at", None)
            if (name := _TEXTS.get(type(msg))) is not None:
                data["s"] = self._difference(own.pop(name, ""))
            data["m"] = own
        data.update(patches.write_patch(before, after))
        return _line(data)

    def _event(self, told: Event | Restored, data: dict[str, Any]) -> None:
        """Add `told` to the line `data`."""
        if isinstance(told, Restored):
            data["e"].append(["r", told.n])
            return
        if told.n and told.settled:
            data["e"].append(told.n)
            return
        shown = masked.event(told)
        if shown is None:
            return
        ids = tuple(getattr(shown, name) for name in _IDS)
        if ids != self._ids:
            self._ids = ids
            data.setdefault("i", []).append([len(data["e"]), *ids])
        if (known := _DELTAS.get(type(shown))) is not None:
            letter, names = known
            data["e"].append(
                [letter, self._time(shown.at), *(getattr(shown, name) for name in names)]
            )
        else:
            own = to_plain(shown, masked.mask_text)
            data["e"].append({key: value for key, value in own.items() if key not in _IDS})

    def _time(self, at: float) -> float | str:
        """`at` in seconds since the run began, where that says it exactly; else as it is, as a
        text."""
        since = round(at - self._began, 3)
        return since if _at(self._began, since) == at else repr(at)

    def _difference(self, text: str) -> list[Any]:
        """`text` by what it keeps of the text before: characters from its start, characters left
        out, new words."""
        old, self._draft = self._draft, text
        most = min(len(old), len(text))
        keep = (
            next((at for at in range(most) if old[at] != text[at]), most)
            if not text.startswith(old)
            else len(old)
        )
        tail = 0
        while tail < most - keep and old[-1 - tail] == text[-1 - tail]:
            tail += 1
        return [keep, len(old) - keep - tail, text[keep : len(text) - tail]]


def check(model_hash: str, frame_hash: str) -> str:
    """The line that holds what the model, and what is seen of it, hash to."""
    return _line({"c": [model_hash, frame_hash]})


def _line(data: dict[str, Any]) -> str:
    return json.dumps(data, ensure_ascii=True, separators=(",", ":")) + "\n"


def _at(began: float, written: Any) -> float:
    """The time that is `written`."""
    return float(written) if isinstance(written, str) else round(began + written, 3)


class Reader:
    """Reads the lines of a recording in their order. `record` gives the settled event of a number,
    `restored` what all records up to a number fold into; they raise BadTape where the log has it
    not. `load` gives the event in a record: answers stood in older recordings as records do
    (ValueError: not this one)."""

    def __init__(
        self,
        record: Callable[[int], Event],
        restored: Callable[[int], Transcript],
        load: Load | None = None,
    ) -> None:
        self._record, self._restored, self._load = record, restored, load
        self._draft = ""
        self._ids: list[Any] = ["", "", "", 0, 0, "main", ""]
        self._began = 0.0

    def read(self, line: str | bytes) -> Header | Step | Check | Cut:
        """What `line` says. Raises BadTape."""
        try:
            data = json.loads(line)
            if not isinstance(data, dict):
                raise BadTape("not a record")
            return self._read(data)
        except BadTape:
            raise
        except (
            ValueError,
            ArithmeticError,
            LookupError,
            TypeError,
            AttributeError,
            RecursionError,
        ) as error:
            raise BadTape(f"{type(error).__name__}: {error}") from None

    def _read(self, data: dict[str, Any]) -> Header | Step | Check | Cut:
        if "v" in data:
            if data["v"] != VERSION:
                raise BadTape(f"format {data['v']!r}; this version reads {VERSION}")
            self._draft, self._began = "", float(data["at"])
            start = _sized(_made(data["start"], Model))
            return Header(self._began, str(data["session"]), dict(data["versions"]), start)
        if "c" in data:
            return Check(*map(str, data["c"]))
        if "cut" in data:
            return Cut()
        at = _at(self._began, data["t"])
        return Step(self._msg(data, at), at, patches.read(data))

    def _msg(self, data: dict[str, Any], at: float) -> Msg | None:
        if "e" in data:
            owners = {int(item[0]): item[1:] for item in data.get("i", ())}
            return EventsArrived(
                tuple(self._event(item, owners.get(n)) for n, item in enumerate(data["e"])), at=at
            )
        if "m" not in data:
            return None
        own = dict(data["m"])
        if "s" in data:
            keep, drop, words = data["s"]
            self._draft = self._draft[:keep] + words + self._draft[keep + drop :]
            own[_TEXTS[classes()[own["_"]]]] = self._draft
        made: Msg = _sized(rebuild({**own, "at": at}, classes()))
        return made

    def _event(self, item: Any, ids: list[Any] | None) -> Event | Restored:
        self._ids = self._ids if ids is None else ids
        if isinstance(item, int):
            return self._record(item)
        if isinstance(item, list) and item[0] == "r":
            return Restored(self._restored(int(item[1])), int(item[1]))
        whose = dict(zip(_IDS, self._ids, strict=True))
        if isinstance(item, list):
            kind, names = _KINDS[item[0]]
            return kind(
                at=_at(self._began, item[1]), **dict(zip(names, item[2:], strict=True)), **whose
            )
        if item.get("_") == ANSWERED and "kind" in item:
            return replace(self._old_answer(item), **whose)
        made: Event = replace(_made(item, Event), **whose)
        return made

    def _old_answer(self, item: dict[str, Any]) -> Event:
        if self._load is None:
            raise BadTape("an answer as older versions wrote it")
        own = {key: rebuild(value, classes()) for key, value in item.items() if key != "_"}
        return self._load({**own, "type": "answered"})


def _sized(value: Any) -> Any:
    """`value`, if a screen can be as large as it says. Raises BadTape."""
    for name in ("width", "height"):
        size = getattr(value, name, 0)
        if type(size) is not int or not 0 <= size <= LARGEST:
            raise BadTape(f"{name} {str(size)[:20]}")
    return value


def _made(data: Any, kind: type[Any]) -> Any:
    found = rebuild(data, classes())
    if not isinstance(found, kind):
        raise BadTape(f"no {kind.__name__}")
    return found
