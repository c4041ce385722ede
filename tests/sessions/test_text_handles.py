"""The text of a file that a call writes stands in a log once, and every reader gets it everywhere."""

from __future__ import annotations

import base64
import json
import os
import signal
import subprocess
import sys
import zlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agent_tui.agent.session.following import growth
from agent_tui.protocol.codec import VERSION, as_line, decode, dump, encode
from agent_tui.protocol.display import DiffDisplay, DiffsDisplay, Hunk
from agent_tui.protocol.events import (
    ApprovalAsked,
    AssistantReplied,
    Event,
    FileChanged,
    SessionStarted,
    ToolEnded,
    ToolStarted,
    TurnEnded,
    TurnStarted,
    fold,
)
from agent_tui.protocol.messages import ToolCall
from agent_tui.protocol.ops import Answer, Submit
from agent_tui.sessions.imports.files import import_file
from agent_tui.sessions.log import copies, text_handles
from agent_tui.sessions.log.raw import scan
from agent_tui.sessions.log.repair import repair, verify_log
from agent_tui.sessions.log.store import Store, log_path, read
from agent_tui.sessions.log.text_handles import Texts
from agent_tui.tools.support.diff import diff
from tests.agent.driving import Place

LINES = 400
CALLS = ("create_file", "edit_file", "apply_patch")


def words(name: str) -> str:
    return "".join(f'    {name}("line {number}\\t", é)\n' for number in range(LINES))


def writing(number: int, agent: str = "main") -> Iterator[Event]:
    """A turn in which a file is made, one is edited, and a patch makes two."""
    at: dict[str, Any] = {"turn": number, "step": 1, "agent": agent}
    made, edited = words(f"made{number}"), words(f"edited{number}")
    others = [words(f"patched{number}{which}") for which in "ab"]
    patch = "".join(
        f"*** Add File: {which}\n" + "".join(f"+{line}\n" for line in text.splitlines())
        for which, text in zip("ab", others, strict=True)
    )
    old = words("old")
    whole = diff("e", f"first\n{old}last\n", f"first\n{edited}last\n")
    arguments = (
        {"path": "m", "content": made},
        {"path": "e", "edits": [{"old": "x", "new": "y"}, {"old": old, "new": edited}]},
        {"patch": patch},
    )
    shown: tuple[DiffDisplay | DiffsDisplay, ...] = (
        diff("m", "", made, created=True),
        whole,
        DiffsDisplay(
            tuple(diff(w, "", t, created=True) for w, t in zip("ab", others, strict=True))
        ),
    )
    calls = tuple(
        ToolCall(f"call_{place}", name, json.dumps(arguments[place], ensure_ascii=place == 1))
        for place, name in enumerate(CALLS)
    )
    if agent == "main":
        yield TurnStarted(f"turn {number}", turn=number)
    yield AssistantReplied("here", calls=calls, **at)
    for call, display in zip(calls, shown, strict=True):
        yield ApprovalAsked(f"a{call.id}", call.id, call.name, call.name, display=display, **at)
        yield ToolStarted(call.id, call.name, call.name, call.arguments, **at)
        for one in display.diffs if isinstance(display, DiffsDisplay) else (display,):
            yield FileChanged(call.id, one.path, one, **at)
        yield ToolEnded(call.id, call.name, call.name, "done", display, **at)
    if agent == "main":
        yield TurnEnded("completed", turn=number)


def put(folder: Path, id: str, *events: Event) -> tuple[Path, list[Event]]:
    """A log of `events`, and those as they were stored."""
    store = Store.create(folder, id)
    told = [store.append(event) for event in (SessionStarted(session=id), *events)]
    store.close()
    return store.path, told


@pytest.fixture
def two(tmp_path: Path) -> tuple[Path, list[Event]]:
    """A log of two turns."""
    return put(tmp_path / "sessions", "one", *writing(1), *writing(2))


def content(events: list[Event]) -> list[dict[str, object]]:
    """Events without the place where they are kept."""
    return [{**dump(event), "n": 0, "session": ""} for event in events]


def of_turns(events: list[Event]) -> list[dict[str, object]]:
    return content([event for event in events if event.turn])


def test_each_text_stands_once_and_is_read_everywhere(two: tuple[Path, list[Event]]) -> None:
    path, told = two
    data = path.read_bytes()
    for name in ("made1", "edited1", "patched1a", "patched1b", "made2"):
        assert data.count(f'{name}(\\\\\\"line {LINES // 2}\\\\'.encode()) == 1, name
    assert len(data) < sum(len(encode(event)) for event in told) / 3
    events, problems = read(path)
    assert (events, problems) == (told, ())
    assert fold(events) == fold(told)


def test_a_record_says_of_which_format_it_is(two: tuple[Path, list[Event]]) -> None:
    """An older program reads no handle as a text: it says that a newer one wrote the log."""
    path, _ = two
    records = [json.loads(line) for line in path.read_bytes().splitlines()]
    named = [one for one in records if '"of"' in json.dumps(one)]
    assert {one["v"] for one in named} == {VERSION} and len(named) == 26
    assert {one["v"] for one in records if one not in named} == {1}
    short, _ = put(path.parent, "two", TurnStarted("hello", turn=1))
    assert {json.loads(line)["v"] for line in short.read_bytes().splitlines()} == {1}


def test_logs_from_before_are_read(tmp_path: Path) -> None:
    events = [replace(event, n=n) for n, event in enumerate(writing(1), 1)]
    path = tmp_path / "old.jsonl"
    path.write_bytes(b"".join(encode(event) for event in events))
    assert read(path) == (events, ())
    opened = Store.open(tmp_path, "old")
    more = [opened.store.append(event) for event in writing(2)]
    opened.store.close()
    assert read(path) == ([*events, *more], ())


def test_the_same_text_is_held_in_memory_once(two: tuple[Path, list[Event]]) -> None:
    events, _ = read(two[0])
    [reply, *_] = [event for event in events if isinstance(event, AssistantReplied)]
    started = [event for event in events if isinstance(event, ToolStarted)]
    assert started[0].arguments is reply.calls[0].arguments


def test_agents_with_the_same_ids_of_calls_are_told_apart(tmp_path: Path) -> None:
    mixed = [
        event
        for pair in zip(list(writing(1))[1:-1], writing(9, "main/a"), strict=True)
        for event in pair
    ]
    path, told = put(tmp_path, "one", TurnStarted("go", turn=1), *mixed, TurnEnded("completed"))
    assert read(path) == (told, ())
    assert path.read_bytes().count(b'made9(\\\\\\"line 200\\\\') == 1


@pytest.mark.parametrize("made", ["fork", "fork all", "trim", "import"])
def test_copies_hold_all_of_it_and_each_text_once(
    two: tuple[Path, list[Event]], tmp_path: Path, made: str
) -> None:
    path, told = two
    second = next(event.n for event in told if isinstance(event, TurnStarted) and event.turn == 2)
    wanted = told
    match made:
        case "fork":
            id = copies.fork(path.parent, "one", second).id
            wanted = [event for event in told if event.n < second]
        case "fork all":
            id = copies.fork(path.parent, "one").id
        case "trim":
            id = copies.trim(path.parent, "one", 1).id
            wanted = [event for event in told if event.n >= second]
        case _:
            id = import_file(path, tmp_path / "elsewhere").id
            path = tmp_path / "elsewhere" / "x"
    copy = log_path(path.parent, id)
    events, problems = read(copy)
    assert (of_turns(events), problems) == (of_turns(wanted), ())
    assert copy.stat().st_size < sum(len(encode(event)) for event in events) / 3


def test_a_log_that_grows_is_read_along(two: tuple[Path, list[Event]], tmp_path: Path) -> None:
    """At every end of a record, from what was read until then."""
    path, told = two
    lines = path.read_bytes().splitlines(keepends=True)
    for cut in range(len(lines) + 1):
        copy = tmp_path / "copy.jsonl"
        copy.write_bytes(b"".join(lines[:cut]))
        with copy.open("rb") as file:
            found = scan(file)
        copy.write_bytes(b"".join(lines))
        assert [*found.events, *growth(copy, found.end, found.texts).events] == told


def test_at_every_cut_the_beginning_is_a_log(two: tuple[Path, list[Event]], tmp_path: Path) -> None:
    """As a kill leaves it: in the middle of a record, or behind it."""
    path, told = two
    data = path.read_bytes()
    ends = [0, *(at + 1 for at in range(len(data)) if data[at : at + 1] == b"\n")]
    copy = tmp_path / "one.jsonl"
    for count, end in enumerate(ends):
        for cut in (end, min(len(data), end + 30)):
            copy.write_bytes(data[:cut])
            if not count:
                continue
            opened = Store.open(tmp_path, "one")
            after = [opened.store.append(event) for event in writing(3)]
            opened.store.close()
            assert opened.events == told[:count]
            assert read(copy)[0] == [*told[:count], *after]
            for torn in tmp_path.glob("*.torn-*"):
                torn.unlink()


def test_a_kill_at_any_moment_leaves_what_was_acknowledged(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from agent_tui.sessions.log.store import Store;"
        "from tests.sessions.test_text_handles import writing;"
        "s = Store.create(Path(sys.argv[1]), 'one');"
        "[print(s.append(e).n, flush=True) for turn in range(1, 1000) for e in writing(turn)]"
    )
    expected = [event for turn in range(1, 60) for event in writing(turn)]
    for lines in (3, 8, 21, 50):
        folder = tmp_path / str(lines)
        with subprocess.Popen(
            [sys.executable, "-c", program, str(folder)], stdout=subprocess.PIPE, text=True
        ) as child:
            assert child.stdout is not None
            told = [int(next(child.stdout)) for _ in range(lines)]
            os.kill(child.pid, signal.SIGKILL)
        events, _ = read(folder / "one.jsonl")
        assert len(events) >= told[-1]
        assert content(events) == content(expected[: len(events)])


def test_a_lost_message_is_named_in_one_line_and_the_rest_is_there(
    two: tuple[Path, list[Event]],
) -> None:
    path, told = two
    lines = path.read_bytes().splitlines(keepends=True)
    place = next(at for at, event in enumerate(told) if isinstance(event, AssistantReplied))
    lines[place] = lines[place].replace(b"here", b"hare")
    path.write_bytes(b"".join(lines))
    assert verify_log(path).state == "damaged"
    repair(path.parent, "one")
    opened = Store.open(path.parent, "one")
    opened.store.close()
    assert opened.problems == (
        f"record {place + 2} names a text in record {place + 1}, which is lost:"
        " what its calls wrote is not shown",
        f"record {place + 1} is missing",
    )
    damaged = [event for event in opened.events if event.turn == 1]
    assert [type(event) for event in damaged] == [
        type(event) for event in told if event.turn == 1 and event is not told[place]
    ]
    changed = next(event for event in damaged if isinstance(event, FileChanged))
    assert changed.diff.hunks == (Hunk(1, 1, (text_handles.LOST,)),) and changed.diff.path == "m"
    assert next(e for e in damaged if isinstance(e, ToolStarted)).arguments == "{}"
    assert [event for event in opened.events if event.turn == 2] == [
        event for event in told if event.turn == 2
    ]


HANDLES: tuple[Any, ...] = (
    {"z": "AAAA"},
    {"z": 5},
    {"z": base64.b64encode(zlib.compress(b"x" * 10_000_000)).decode()},
    {},
    {"of": []},
    {"of": {"a": 1}, "diff": {}},
    {"of": 1, "diff": 99},
    {"of": 2, "in": "content", "at": 0, "length": 5, "mark": "+"},
    {"of": 2, "in": ["content", 3, None], "at": 0, "length": 5, "mark": "+"},
    {"of": 2, "in": ["content"], "at": -5, "length": 5, "mark": "+"},
    {"of": 2, "in": ["content"], "at": 0, "length": 1 << 70, "mark": "+"},
    {"of": 2, "in": ["content"], "at": 0, "length": 5, "mark": "+" * 1_000_000},
    {"of": 2, "in": ["path"], "at": True, "length": 1, "mark": 1},
)


@pytest.mark.parametrize("handle", HANDLES)
def test_a_handle_that_names_nothing_is_lost_text(tmp_path: Path, handle: Any) -> None:
    first = [dump(replace(event, n=n)) for n, event in enumerate(writing(1), 1)][:2]
    about = {"v": VERSION, "at": 0.0, "call_id": "call_0", "turn": 1, "step": 1}
    hunk = {"old_start": 1, "new_start": 1, "lines": [handle]}
    more: list[dict[str, object]] = [
        {"type": "tool_started", "name": "a", "label": "b", "arguments": handle},
        {"type": "file_changed", "path": "p", "diff": {"path": "p", "hunks": handle}},
        {"type": "file_changed", "path": "p", "diff": {"path": "p", "hunks": [hunk]}},
    ]
    records = [*first, *({**about, "n": n, **one} for n, one in enumerate(more, 3))]
    path = tmp_path / "one.jsonl"
    path.write_bytes(b"".join(as_line(record) for record in records))
    events, problems = read(path)
    assert len(events) == 5 and problems
    for event in events[3:]:
        assert isinstance(event, FileChanged)
        assert event.diff.hunks == (Hunk(1, 1, (text_handles.LOST,)),)


def test_a_text_cannot_be_named_for_ever() -> None:
    """A small file from elsewhere is no large one in memory."""
    texts, call = Texts(), ToolCall("c", "create_file", json.dumps({"content": "x\n" * 100_000}))
    texts.unpack(dump(AssistantReplied("", calls=(call,), n=1)))
    handle = {"of": 1, "in": ["content"], "at": 0, "length": 200_000, "mark": "+"}
    hunks = [{"old_start": 1, "new_start": 1, "lines": [handle] * 1_000}]
    record = dump(FileChanged("c", "p", DiffDisplay("p", ()), n=2))
    whole, lost = texts.unpack({**record, "v": VERSION, "diff": {"path": "p", "hunks": hunks}})
    assert lost and text_handles._size(whole["diff"]["hunks"]) < 32 * 200_000


@pytest.mark.parametrize("ascii", [False, True])
def test_letters_that_are_no_ascii_take_no_more_than_they_are(tmp_path: Path, ascii: bool) -> None:
    """Also where a server sends them as escapes; half a character is kept as it is."""
    text = "".join(f"строка {line} файла {'я' * (line % 7)}\n" for line in range(LINES)) + "\ud83d"
    arguments = json.dumps({"path": "p", "content": text}, ensure_ascii=ascii)
    call = ToolCall("c", "create_file", arguments)
    display = diff("p", "", text, created=True)
    path, told = put(
        tmp_path,
        "one",
        TurnStarted("go", turn=1),
        AssistantReplied("", calls=(call,)),
        ToolStarted("c", "create_file", "p", arguments),
        FileChanged("c", "p", display),
    )
    assert read(path) == (told, ()) and path.read_bytes().isascii()
    assert path.stat().st_size < 1.1 * len(text.encode("utf-8", "surrogatepass"))


def test_lines_that_go_are_compressed(tmp_path: Path) -> None:
    old = words("old")
    display = diff("p", old, "new\n")
    path, told = put(
        tmp_path,
        "one",
        TurnStarted("go", turn=1),
        FileChanged("c", "p", display),
        TurnEnded("error"),
    )
    assert read(path) == (told, ()) and path.stat().st_size < len(old) / 2


def test_what_is_about_to_be_written_is_asked_about_changed_and_put_on_record_once(
    tmp_path: Path,
) -> None:
    """The engine itself: what it tells is what a log gives back, and requests are the same after."""
    place, text = Place(tmp_path), words("made")
    create = {"call": "create_file", "arguments": {"path": "a.py", "content": text}}
    edit = {"old": words("made")[:9_000], "new": words("other")[:9_000]}
    model = place.script(
        [create], [{"call": "edit_file", "arguments": {"path": "a.py", **edit}}], [{"text": "done"}]
    )
    with place.engine(model, mode="ask") as driver:
        driver.send(Submit("write"))
        for _ in range(2):
            driver.send(Answer(driver.until(ApprovalAsked).id, "once"))
        driver.until(TurnEnded)
    [path] = (place.home / "sessions").glob("*.jsonl")
    stored = [event for event in driver.events if event.settled and event.n]
    assert read(path)[0][: len(stored)] == stored
    written = sum(len(encode(event)) for event in stored)
    assert path.stat().st_size < written / 2
    assert path.read_bytes().count(b'made(\\\\\\"line 399\\\\') == 1
    with place.engine(model, resume=path.stem) as again:
        assert again.restored == fold(read(path)[0][: len(stored)])
    assert decode(path.read_bytes().splitlines()[0]) == stored[0]
