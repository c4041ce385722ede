"""`/permissions` from the engine: the list, taking back, and allowing once."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent_tui.protocol.answers import PermissionList
from agent_tui.protocol.events import (
    Answered,
    ApprovalAsked,
    Notice,
    ToolEnded,
    ToolStarted,
    TurnEnded,
    TurnStarted,
)
from agent_tui.protocol.ops import AllowOnce, Answer, Query, RevokePermission, Submit
from agent_tui.settings.table import PermissionSettings
from tests.agent.driving import Driver, Place


def run(command: str) -> dict[str, object]:
    return {"call": "run_shell_command", "arguments": {"command": command}}


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def listed(driver: Driver) -> PermissionList:
    driver.send(Query("list", "permissions"))
    found = driver.until(Answered, lambda answer: isinstance(answer.data, PermissionList)).data
    assert isinstance(found, PermissionList)
    return found


def ended(driver: Driver) -> list[str]:
    driver.until(TurnEnded)
    return [event.tag for event in driver.all(ToolEnded)]


def test_what_was_allowed_is_taken_back_also_for_a_session_that_is_resumed(place: Place) -> None:
    one = [run("env echo one")]
    done = [{"text": "ok"}]
    with place.engine(place.script(one, done, one, done, one, done)) as driver:
        driver.send(Submit("go"))
        driver.send(Answer(driver.until(ApprovalAsked).id, "always"))
        driver.until(TurnEnded)
        [held] = listed(driver).session
        assert held.text == "Run shell command env echo one" and held.folder == str(place.cwd)
        driver.send(RevokePermission("nothing of that name"))
        driver.send(RevokePermission(held.id))
        assert listed(driver).session == ()
        driver.send(Submit("again"))
        driver.send(Answer(driver.until(ApprovalAsked).id, "no"))
        assert ended(driver) == ["ok", "denied"]
        session = driver.events[0].session
    with place.engine("", resume=session) as driver:
        driver.send(Submit("go on"))
        driver.send(Answer(driver.until(ApprovalAsked).id, "no"))
        assert ended(driver) == ["denied"]


def test_what_was_denied_is_allowed_once_and_the_model_is_asked_again(place: Place) -> None:
    make = [run("env touch made")]
    done = [{"text": "ok"}]
    with place.engine(place.script(make, done, make, make, done)) as driver:
        driver.send(Submit("go"))
        driver.send(Answer(driver.until(ApprovalAsked).id, "no"))
        driver.until(TurnEnded)
        [denied] = listed(driver).denied
        assert denied.label == "Run env touch made" and denied.may_retry
        driver.send(AllowOnce(denied.call_id))
        second = driver.until(TurnStarted)
        assert "I allow this now, once: Run env touch made." in second.prompt
        third = driver.until(ApprovalAsked)
        assert (place.cwd / "made").exists()
        driver.send(Answer(third.id, "no"))
        assert ended(driver) == ["denied", "ok", "denied"]
        driver.send(AllowOnce(denied.call_id))
        assert listed(driver).denied[0].call_id == third.call_id


def test_what_a_rule_denies_is_listed_but_cannot_be_allowed(place: Place) -> None:
    rules = PermissionSettings(deny=("run_shell_command(make *)",))
    model = place.script([run("make x")], [{"text": "ok"}])
    with place.engine(model, permissions=rules) as driver:
        driver.send(Submit("go"))
        driver.until(TurnEnded)
        found = listed(driver)
        assert [rule.text for rule in found.settings] == ["run_shell_command(make *)"]
        [denied] = found.denied
        assert not denied.may_retry and "your rule denies it" in denied.reason
        driver.send(AllowOnce(denied.call_id))
        assert listed(driver).denied == found.denied


def test_what_is_allowed_in_a_folder_for_good_holds_in_every_session_until_it_is_taken_back(
    place: Place,
) -> None:
    make, done = [run("touch made")], [{"text": "ok"}]
    model = place.script(make, done, make, done)
    with place.engine(model) as driver:
        driver.send(Submit("go"))
        question = driver.until(ApprovalAsked)
        assert question.folder == "touch made"
        driver.send(Answer(question.id, "folder"))
        assert ended(driver) == ["ok"]
        first = driver.events[0].session
    assert not list(place.cwd.rglob("allowed.toml")), "the project's own files say nothing of it"
    with place.engine(model) as driver:
        driver.turn("go")
        [started] = driver.all(ToolStarted)
        assert started.note == "always, in this folder" and not driver.all(ApprovalAsked)
        [held] = listed(driver).folder
        assert (held.text, held.folder) == ("Run shell command touch made", str(place.cwd))
        driver.send(RevokePermission(held.id))
        driver.until(Notice, lambda notice: "No longer allowed" in notice.text)
        assert listed(driver).folder == ()
        driver.send(Submit("again"))
        driver.send(Answer(driver.until(ApprovalAsked).id, "no"))
        assert ended(driver) == ["ok", "denied"]
    with place.engine("", resume=first) as driver:
        driver.send(Submit("go on"))
        driver.send(Answer(driver.until(ApprovalAsked).id, "no"))
        assert ended(driver) == ["denied"], "the answer in the log brings it not back"


def test_what_cannot_be_kept_is_allowed_in_this_session_and_said(place: Place) -> None:
    make, done = [run("touch made")], [{"text": "ok"}]
    file = place.home / "allowed.toml"
    with place.engine(place.script(make, done, make, done)) as driver:
        file.write_text("[")
        driver.send(Submit("go"))
        driver.send(Answer(driver.until(ApprovalAsked).id, "folder"))
        assert "in this session only" in driver.until(Notice).text
        driver.until(TurnEnded)
        driver.turn("again")
        assert len(driver.all(ApprovalAsked)) == 1 and file.read_text() == "["
