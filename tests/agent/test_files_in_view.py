"""Files that a person keeps in the model's view. The model is a server that keeps each request."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent_tui.protocol.answers import Ledger
from agent_tui.protocol.events import (
    Answered,
    ApprovalAsked,
    ErrorRaised,
    InViewChanged,
    Notice,
    TurnEnded,
)
from agent_tui.protocol.ops import Answer, Clear, Query, SetInView, Submit
from tests.agent.driving import Driver, Place
from tests.agent.model_server import ModelServer, engine, model_server, said


@pytest.fixture
def place(tmp_path: Path) -> Place:
    place = Place(tmp_path)
    place.cwd.mkdir()
    (place.cwd / "a.py").write_text("one = 1\n")
    (place.cwd / "b b.py").write_text("two = 2\n")
    return place


def sent(server: ModelServer, at: int = -1) -> list[str]:
    return [str(message["content"]) for message in server.bodies[at]["messages"]]


def keep(driver: Driver, *paths: str, remove: bool = False) -> InViewChanged:
    driver.send(SetInView(paths, remove))
    return driver.until(InViewChanged)


def test_a_file_goes_with_a_prompt_when_the_model_does_not_have_it_so(place: Place) -> None:
    with model_server(*[said("ok")] * 4) as server, engine(place, server) as driver:
        assert keep(driver, "a.py", "./b b.py").paths == ("a.py", "b b.py")
        driver.turn("first")
        driver.turn("second")
        (place.cwd / "a.py").write_text("one = 11\n")
        driver.turn("third")
        keep(driver, "a.py", remove=True)
        (place.cwd / "a.py").write_text("one = 111\n")
        driver.turn("fourth")
    assert "one = 1" in sent(server, 0)[-1] and "two = 2" in sent(server, 0)[-1]
    assert sent(server, 1)[-1].startswith("second") and "two = 2" not in sent(server, 1)[-1]
    assert "one = 11" in sent(server, 2)[-1] and "two = 2" not in sent(server, 2)[-1]
    assert "one = 111" not in "".join(sent(server, 3))
    before: list[str] = []
    for at in range(4):
        now = sent(server, at)
        assert now[: len(before)] == before
        before = now


def test_it_outlives_a_resume_and_is_sent_again_after_clear(place: Place) -> None:
    with model_server(*[said("ok")] * 3) as server:
        with engine(place, server) as driver:
            keep(driver, "a.py")
            driver.turn("first")
            session = driver.events[0].session
        with engine(place, server, resume=session) as driver:
            driver.send(Clear())
            driver.turn("second")
            driver.turn("third")
    assert len(sent(server, 1)) == 2 and "one = 1" in sent(server, 1)[-1]
    assert sum("one = 1" in text for text in sent(server, 2)) == 1


def test_what_is_not_there_is_said_and_so_is_what_there_is(place: Place) -> None:
    with model_server() as server, engine(place, server) as driver:
        driver.send(SetInView(("gone.py",)))
        assert "gone.py: no such file" in driver.until(ErrorRaised).text
        driver.send(SetInView(("a.py",), remove=True))
        assert driver.until(ErrorRaised).text == "Nothing was dropped."
        driver.send(SetInView())
        assert driver.until(Notice).text == "No file is kept in view."
        (place.cwd / "lib").mkdir()
        driver.send(SetInView(("lib/",)))
        assert "lib/: is a folder" in driver.until(ErrorRaised).text
        keep(driver, "a.py")
        driver.send(SetInView(("nope.py",), remove=True))
        assert driver.until(ErrorRaised).text == "Not in view: nope.py."
        driver.send(SetInView())
        assert driver.until(Notice).text == "These files stay in view:\na.py"
        assert keep(driver, remove=True).paths == ()


def test_a_name_is_one_however_it_is_written(place: Place) -> None:
    with model_server() as server, engine(place, server) as driver:
        assert keep(driver, "./a.py", "./gone.py").paths == ("a.py",)
        assert [one.text for one in driver.all(ErrorRaised)] == [
            "Not kept in view: ./gone.py: no such file."
        ]


def test_a_file_that_is_gone_is_said_once_and_listed_so(place: Place) -> None:
    with model_server(*[said("ok")] * 4) as server, engine(place, server) as driver:
        keep(driver, "a.py")
        driver.turn("first")
        (place.cwd / "a.py").unlink()
        driver.turn("second")
        driver.turn("third")
        driver.send(SetInView())
        listed = driver.until(Notice, lambda one: one.text.startswith("These files"))
        assert listed.text == "These files stay in view:\na.py (gone, or not readable)"
        assert len([one for one in driver.all(Notice) if "In view, but gone" in one.text]) == 1
        (place.cwd / "a.py").write_text("one = 1\n")
        driver.turn("fourth")
    told = ["cannot be read any more" in text for text in sent(server)]
    assert told.count(True) == 1
    assert "cannot be read any more" in sent(server, 1)[-1] and "a.py" in sent(server, 1)[-1]
    assert "one = 1" in sent(server)[-1]


def test_at_most_twenty_stay_in_view(place: Place) -> None:
    for number in range(21):
        (place.cwd / f"{number}.txt").touch()
    with model_server() as server, engine(place, server) as driver:
        driver.send(SetInView(tuple(f"{number}.txt" for number in range(21))))
        assert "At most 20 files" in driver.until(ErrorRaised).text
        assert not driver.all(InViewChanged)


def test_a_secret_file_is_asked_about_once_and_a_no_holds_until_it_changes(place: Place) -> None:
    (place.cwd / ".env").write_text("KEY=abcdefghij0123456789\n")
    with model_server(*[said("ok")] * 2) as server, engine(place, server) as driver:
        keep(driver, ".env")
        driver.send(Submit("first"))
        driver.send(Answer(driver.until(ApprovalAsked).id, "no"))
        driver.until(TurnEnded)
        driver.turn("second")
        assert len(driver.all(ApprovalAsked)) == 1
    assert not any("abcdefghij" in text for text in (*sent(server, 0), *sent(server, 1)))


def test_the_ledger_calls_what_is_told_of_files_in_view_so(place: Place) -> None:
    with model_server(*[said("ok")] * 2) as server, engine(place, server) as driver:
        keep(driver, "a.py")
        driver.turn("first")
        (place.cwd / "a.py").unlink()
        driver.turn("second")
        driver.send(Query("ledger", "context"))
        found = driver.until(Answered, lambda event: event.id == "ledger").data
    assert isinstance(found, Ledger)
    [told] = [part for part in found.parts if part.name.startswith("told later")]
    assert told.name == "told later: files in view" and "a.py" in told.text
