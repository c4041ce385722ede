"""Files that a prompt names: what the model is sent of them, what asks first, and what stays text."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from agent_tui.agent.session.history import History
from agent_tui.agent.turn.attachments import MOST
from agent_tui.protocol.events import (
    ApprovalAsked,
    Event,
    Notice,
    SessionStarted,
    SteerSeen,
    ToolEnded,
    ToolStarted,
    fold,
)
from agent_tui.protocol.messages import UserMessage
from agent_tui.protocol.ops import Answer, Cancel, Steer, Submit
from agent_tui.protocol.session_events import QueueChanged
from agent_tui.protocol.transcript import ToolBlock
from agent_tui.protocol.turn_events import TurnEnded
from agent_tui.settings.table import PermissionSettings, ToolSettings
from tests.agent.driving import Driver, Place

SAY: list[dict[str, Any]] = [{"text": "Seen."}]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    place = Place(tmp_path)
    for name, text in {
        "src/app.py": "print('app')\n",
        "a b.txt": "spaced\n",
        ".env": "KEY=hidden\n",
        "data.bin": "\0\1\2",
        "long.txt": "line\n" * 2_000,
    }.items():
        path = place.cwd / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (tmp_path / "outside.txt").write_text("outside\n")
    return place


def said(events: list[Event]) -> list[str]:
    """What the model has been sent of the person, without the facts of the day."""
    history = History()
    for event in events:
        if event.settled:
            history = history.with_event(event)
    words = [message.text for message in history.messages if isinstance(message, UserMessage)]
    return [text.partition("\n\n<environment>")[0] for text in words]


def rows(driver: Driver) -> list[tuple[str, str]]:
    return [(row.label, row.tag) for row in driver.transcript().rows if isinstance(row, ToolBlock)]


def test_a_file_and_a_folder_go_along_and_are_shown(place: Place) -> None:
    with place.engine(place.script(SAY)) as driver:
        driver.turn('see @src/app.py, @src and @"a b.txt" for me@src @nothing @property')
        assert rows(driver) == [
            ("Attach src/app.py", "ok"),
            ("Attach src", "ok"),
            ("Attach a b.txt", "ok"),
        ]
    assert said(driver.events) == [
        'see @src/app.py, @src and @"a b.txt" for me@src @nothing @property'
        "\n\n[The file src/app.py, attached to this message:]\n    1→print('app')"
        "\n\n[The folder src, attached to this message:]\nsrc (1 entry):\napp.py  13 B"
        "\n\n[The file a b.txt, attached to this message:]\n    1→spaced"
    ]


def test_a_file_that_is_named_twice_goes_along_once(place: Place) -> None:
    (place.cwd / "link").symlink_to("src/app.py")
    with place.engine(place.script(SAY)) as driver:
        driver.turn("@src/app.py @./src/app.py @link @src/app.py.")
        assert rows(driver) == [("Attach src/app.py", "ok")]


def test_a_name_that_is_no_file_s_is_said_once(place: Place) -> None:
    with place.engine(place.script(SAY, SAY)) as driver:
        driver.turn("see @nosuch.py, @src/app.py and @property")
        driver.turn("again: @nosuch.py")
        assert [notice.text for notice in driver.all(Notice)] == [
            "nosuch.py: no such file; sent as text."
        ]


def test_what_cannot_be_read_is_said_to_both(place: Place) -> None:
    with place.engine(place.script(SAY)) as driver:
        driver.turn("see @data.bin")
        assert rows(driver) == [("Attach data.bin", "binary")]
    assert "[Attach data.bin: Error [binary]: data.bin is a binary file" in said(driver.events)[0]


def test_the_rules_and_limits_of_the_person_hold(place: Place) -> None:
    rules = PermissionSettings(
        deny=("read_file(src/**)",), forbidden_dirs=(str(place.cwd / "closed"),)
    )
    (place.cwd / "closed").mkdir()
    (place.cwd / "closed" / "x.txt").write_text("closed\n")
    with place.engine(place.script(SAY), permissions=rules) as driver:
        driver.turn("see @src/app.py and @closed/x.txt and @long.txt")
        assert rows(driver) == [
            ("Attach src/app.py", "blocked"),
            ("Attach closed/x.txt", "blocked"),
            ("Attach long.txt", "ok"),
        ]


@pytest.mark.parametrize(("choice", "tag"), [("no", "denied"), ("once", "ok")])
@pytest.mark.parametrize("name", [".env", "../outside.txt"])
def test_a_secret_and_a_path_outside_ask_first(
    place: Place, name: str, choice: Any, tag: str
) -> None:
    with place.engine(place.script(SAY)) as driver:
        driver.send(Submit(f"see @{name}"))
        asked = driver.until(ApprovalAsked)
        driver.send(Answer(asked.id, choice))
        driver.until(TurnEnded)
        assert [found for _, found in rows(driver)] == [tag]
    assert ("1→" in said(driver.events)[0]) is (choice == "once")


def test_with_nobody_there_a_secret_stays_where_it_is(place: Place) -> None:
    with place.engine(place.script(SAY), interactive=False) as driver:
        driver.turn("see @.env")
    assert (
        "hidden" not in said(driver.events)[0]
        and "nobody can approve it here" in said(driver.events)[0]
    )


@pytest.mark.parametrize("mode", ["manual", "plan"])
def test_who_names_a_file_is_not_asked_whether_it_may_be_read(place: Place, mode: str) -> None:
    with place.engine(
        place.script(SAY), mode=mode, tools=ToolSettings(enabled=("list_files",))
    ) as driver:
        driver.turn("see @src/app.py")
        assert rows(driver) == [("Attach src/app.py", "ok")]


def test_the_program_s_own_keys_do_not_go_along(place: Place) -> None:
    (place.cwd / "notes.txt").write_text("the key is sk-0123456789abcdef\n")
    with place.engine(
        place.script(SAY), environment={"OPENAI_API_KEY": "sk-0123456789abcdef"}
    ) as driver:
        driver.turn("see @notes.txt")
    assert "the key is" in said(driver.events)[0] and "0123456789" not in said(driver.events)[0]


def test_words_said_into_the_turn_bring_their_files(place: Place) -> None:
    wait = [{"call": "run_shell_command", "arguments": {"command": "read line < gate"}}]
    with place.engine(place.script(wait, SAY), mode="accept-all") as driver:
        os.mkfifo(place.cwd / "gate")
        driver.send(Submit("begin"))
        driver.until(ToolStarted)
        driver.send(Steer("see @src/app.py"))
        driver.until(QueueChanged)
        (place.cwd / "gate").write_text("go\n")
        driver.until(SteerSeen)
        driver.until(TurnEnded)
    assert said(driver.events)[1].startswith(
        "see @src/app.py\n\n[The file src/app.py, attached to this message:]"
    )


def test_too_many_and_too_much_at_once_is_said(place: Place) -> None:
    for number in range(MOST + 5):
        (place.cwd / f"f{number}").write_text(f"{number}\n")
    names = " ".join(f"@f{number}" for number in range(MOST + 5))
    with place.engine(place.script(SAY, SAY), tools=ToolSettings(max_output_chars=2_000)) as driver:
        driver.turn(names)
        assert len(rows(driver)) == MOST
        notice = driver.all(Notice)[-1]
        assert notice.text.endswith("@f20, @f21, @f22, @f23, @f24.") and notice.level == "warning"
        for number in range(6):
            shutil.copy(place.cwd / "long.txt", place.cwd / f"long{number}")
        driver.turn(" ".join(f"@long{number}" for number in range(6)))
    assert len(said(driver.events)[1]) < 10_000
    assert "@long5" in driver.all(Notice)[-1].text


def test_an_interrupt_while_it_is_asked_settles_everything(place: Place) -> None:
    with place.engine(place.script(SAY, SAY)) as driver:
        driver.send(Submit("see @.env"))
        driver.until(ApprovalAsked)
        driver.send(Cancel())
        driver.until(TurnEnded)
        assert rows(driver) == [("Attach .env", "cancelled")]
        assert driver.transcript().pending == ()
        driver.turn("go on")
    assert "hidden" not in "".join(said(driver.events))


def test_a_resumed_session_shows_and_sends_the_same(place: Place) -> None:
    with place.engine(place.script(SAY, SAY)) as driver:
        driver.turn("see @src/app.py")
        before, shown = said(driver.events), driver.transcript().rows
        session = driver.all(SessionStarted)[0].session
    (place.cwd / "src/app.py").write_text("changed\n")
    with place.engine("scripted/script.json", resume=session) as again:
        assert again.restored is not None and tuple(again.restored.rows)[: len(shown)] == tuple(
            shown
        )
    assert fold([event for event in driver.events if event.settled]).rows[1] == shown[1]
    assert "print('app')" in before[0]


def test_a_kill_while_it_is_asked_leaves_no_open_line(place: Place) -> None:
    with place.engine(place.script(SAY)) as driver:
        driver.send(Submit("see @.env"))
        driver.until(ApprovalAsked)
        session = driver.all(SessionStarted)[0].session
        [log] = (place.home / "sessions").glob("*.jsonl")
        killed = log.read_bytes()
    log.write_bytes(killed)
    with place.engine("scripted/script.json", resume=session) as again:
        assert again.restored is not None
        ended = [row for row in again.restored.rows if isinstance(row, ToolBlock)]
        assert [(row.label, row.tag) for row in ended] == [("Attach .env", "interrupted")]
    assert not again.all(ToolEnded)
