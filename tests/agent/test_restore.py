"""Taking back what tools changed, through the real engine: asked first, on record, and safe against
a kill."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agent_tui.protocol.answers import OldTurn
from agent_tui.protocol.codec import decode, encode
from agent_tui.protocol.events import (
    Answered,
    FilesRestored,
    Notice,
    RestoreStarted,
    Rewound,
    SessionStarted,
    TurnStarted,
)
from agent_tui.protocol.ops import FileChoice, Fork, Query, RestoreFiles, Resume
from agent_tui.protocol.transcript import NoticeBlock
from tests.agent.driving import Driver, Place


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def creating(*names: str) -> list[dict[str, Any]]:
    return [
        {
            "call": "create_file",
            "arguments": {"path": name, "content": f"{name}\n", "overwrite": True},
        }
        for name in names
    ]


def answer(driver: Driver, kind: str) -> Any:
    return driver.until(Answered, lambda event: event.kind == kind.replace("redo", "undo")).data


def ask(driver: Driver, kind: Any = "undo", argument: str = "") -> Any:
    driver.send(Query("q", kind, argument))
    return answer(driver, kind)


def restore_all(driver: Driver) -> Any:
    """Undo also what changed while a command ran."""
    choices: dict[str, FileChoice] = {file.real: "restore" for file in ask(driver).files}
    driver.send(RestoreFiles(choices=choices))
    return answer(driver, "restored")


def test_what_would_be_taken_back_is_told_then_done_then_made_again(place: Place) -> None:
    model = place.script(creating("a", "b"), [{"text": "made"}], [{"text": "then"}])
    (place.cwd / "a").write_text("old\n")
    with place.engine(model, mode="accept-all") as driver:
        driver.turn("make")
        said = [event.text for event in driver.all(Notice) if "/undo" in event.text]
        assert len(said) == 1 and said[0].startswith("Changed a"), (
            "the first change is named, and it is said once"
        )
        told = ask(driver)
        assert [(f.path, f.state, f.added, f.removed) for f in told.files] == [
            ("a", "as_left", 1, 1),
            ("b", "as_left", 0, 1),
        ]
        assert told.files[0].diff[0].lines == ("-a", "+old")
        [turn] = driver.all(TurnStarted)
        assert told.turns == (OldTurn(turn.n, 1, "make"),) and told.caps == ()
        driver.send(RestoreFiles())
        said = answer(driver, "restored")
        assert said.done and [(f.outcome, bool(f.after)) for f in said.files] == [
            ("done", True),
            ("done", False),
        ]
        assert said.said == "Restored a, deleted b. /redo reverses this."
        assert [row.text for row in driver.transcript().rows if isinstance(row, NoticeBlock)][
            -1
        ] == said.said
        assert (place.cwd / "a").read_text() == "old\n" and not (place.cwd / "b").exists()
        assert ask(driver).files == ()
        assert [f.path for f in ask(driver, "redo").files] == ["a", "b"]
        driver.send(RestoreFiles(redo=True))
        assert answer(driver, "restored").done
        assert (place.cwd / "a").read_text() == "a\n" and (place.cwd / "b").read_text() == "b\n"
        driver.turn("and then")
    lines = [line for line in place.log_lines() if line["type"] == "files_restored"]
    assert [line["direction"] for line in lines] == ["undo", "redo"]


def test_code_and_conversation_together(place: Place) -> None:
    model = place.script([{"text": "hello"}], creating("a"), [{"text": "made"}])
    with place.engine(model, mode="accept-all") as driver:
        driver.turn("hello")
        driver.turn("make")
        second = driver.all(TurnStarted)[1].n
        driver.send(RestoreFiles(second, "both"))
        driver.until(Rewound)
        said = answer(driver, "restored")
        assert said.done
        assert not (place.cwd / "a").exists() and driver.transcript().draft == "make"
        assert list(driver.transcript().rows)[-1] == NoticeBlock("info", said.said)
        assert said.said == (
            "Rewound the conversation. Deleted a. Clear the prompt, then /redo reverses this."
        )


def test_redo_after_one_more_turn(place: Place) -> None:
    """A later turn takes no file from what can be redone, and the copy knows all of its changes."""
    calls = (creating("a"), creating("b"), creating("c"))
    model = place.script(*(part for made in calls for part in (made, [{"text": "made"}])))
    with place.engine(model, mode="accept-all") as driver:
        driver.turn("make a")
        driver.turn("make b")
        driver.send(RestoreFiles(driver.all(TurnStarted)[1].n, "both"))
        assert answer(driver, "restored").done and not (place.cwd / "b").exists()
        driver.turn("make c")
        told = ask(driver, "redo")
        assert [file.path for file in told.files] == ["b"]
        assert told.begun == driver.all(RestoreStarted)[0].n
        driver.send(RestoreFiles(what="both", redo=True))
        assert answer(driver, "restored").done and (place.cwd / "b").exists()
        assert ask(driver, "redo").files == ()
        driver.send(Fork(told.begun))
        copy = answer(driver, "forked").id
        driver.send(Resume(copy))
        driver.until(SessionStarted, lambda event: event.session == copy)
        back = ask(driver)
        assert [file.path for file in back.files] == ["b"] and back.turns[0].prompt == "make b"


def test_redo_asks_about_a_file_that_a_later_turn_changed(place: Place) -> None:
    other = {"path": "a", "content": "other\n"}
    model = place.script(
        creating("a"), [{"text": "made"}], [{"call": "create_file", "arguments": other}], []
    )
    with place.engine(model, mode="accept-all") as driver:
        driver.turn("make")
        driver.send(RestoreFiles())
        assert answer(driver, "restored").done
        driver.turn("make another")
        told = ask(driver, "redo")
        assert [(file.state, file.default) for file in told.files] == [("changed", "")]
        assert told.begun == 0


def test_nothing_is_done_while_a_word_is_missing(place: Place) -> None:
    model = place.script(creating("a", "b"), [{"text": "made"}])
    with place.engine(model, mode="accept-all") as driver:
        driver.turn("make")
        (place.cwd / "a").write_text("mine\n")
        driver.send(RestoreFiles())
        said = answer(driver, "restored")
        assert not said.done and [f.path for f in said.asked] == ["a"]
        assert (place.cwd / "b").exists() and not driver.all(RestoreStarted)
        driver.send(RestoreFiles(choices={"a": "keep"}))
        assert answer(driver, "restored").done
        assert (place.cwd / "a").read_text() == "mine\n" and not (place.cwd / "b").exists()


def test_a_file_whose_earlier_version_lies_beside_it_is_not_undone_and_offered_again(
    place: Place,
) -> None:
    model = place.script(creating("a"), [{"text": "made"}])
    (place.cwd / "a").write_text("old\n")
    with place.engine(model, mode="accept-all") as driver:
        driver.turn("make")
        [turn] = driver.all(TurnStarted)
        (place.cwd / "a").write_text("mine\n")
        driver.send(RestoreFiles(choices={"a": "both"}))
        assert answer(driver, "restored").done and (place.cwd / "a").read_text() == "mine\n"
        told = ask(driver, "undo", str(turn.n))
        assert [file.path for file in told.files] == ["a"] and not told.undone
        driver.send(RestoreFiles(turn.n, choices={"a": "restore"}))
        assert answer(driver, "restored").done and (place.cwd / "a").read_text() == "old\n"
        told = ask(driver, "undo", str(turn.n))
        assert told.files == () and told.undone


@pytest.mark.parametrize("written", [0, 1, 2])
def test_a_kill_while_files_are_put_back(place: Place, written: int) -> None:
    """The log ends behind the intent, `written` of two files were put back: it is known which, and
    the rest can be."""
    model = place.script(creating("a", "b"), [{"text": "made"}])
    with place.engine(model, mode="accept-all") as driver:
        driver.turn("make")
        driver.send(RestoreFiles())
        answer(driver, "restored")
        session = driver.events[0].session
    path = place.home / "sessions" / f"{session}.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    cut = next(i for i, line in enumerate(lines) if json.loads(line)["type"] == "restore_started")
    path.write_bytes(b"".join(lines[: cut + 1]))
    for name in ("b", "a")[: 2 - written]:
        (place.cwd / name).write_text(f"{name}\n")
    with place.engine(model, mode="accept-all", resume=session) as driver:
        restored = place.log_lines()
        [settled] = [line for line in restored if line["type"] == "files_restored"]
        assert sum(file.get("outcome") == "done" for file in settled["files"]) == written
        driver.send(RestoreFiles())
        said = answer(driver, "restored")
    assert not (place.cwd / "a").exists() and not (place.cwd / "b").exists()
    assert said.done == (written < 2)


def test_restored_files_round_trip() -> None:
    event = FilesRestored("i", "undo", (1, 2), (), n=3)
    assert decode(encode(event)) == event
    assert replace(event, files=()).summary() == "No file had to be restored."
