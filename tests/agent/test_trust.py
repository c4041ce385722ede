"""What a project brings is neither used nor sent before the person trusts its content. The model is
a server that keeps the bytes of each request."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agent_tui.agent.services.trust import describe_trust, describe_untrusted, look_at_project
from agent_tui.protocol.answers import Skills, TrustOffer
from agent_tui.protocol.events import (
    Answered,
    ApprovalAsked,
    Notice,
    ToolEnded,
    TurnEnded,
)
from agent_tui.protocol.ops import Answer, Query, SetDirectory, SetTrust, Submit
from agent_tui.settings.layers import read
from agent_tui.settings.trust import ThisRun, records
from tests.agent.driving import Driver, Place, running
from tests.agent.model_server import call, engine, model_server, said, streamed

RULES = "Always answer with the word pelican.\n"
SKILL = "---\nname: tidy\ndescription: Sweep like a heron.\n---\nDo as a stork does.\n"
CONFIG = '[display]\ntheme = "light"\n'


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place(tmp_path, trusts=False)
    (made.cwd / ".agent-tui" / "skills" / "tidy").mkdir(parents=True)
    (made.cwd / "AGENTS.md").write_text(RULES)
    (made.cwd / ".agent-tui" / "config.toml").write_text(CONFIG)
    (made.cwd / ".agent-tui" / "skills" / "tidy" / "SKILL.md").write_text(SKILL)
    return made


@contextmanager
def asked(
    place: Place, *answers: Any, **more: Any
) -> Iterator[tuple[Driver, list[dict[str, Any]], TrustOffer]]:
    """A session that begins with the question about trust."""
    with (
        model_server(*(answers or (said("Hello."),) * 3)) as server,
        engine(place, server, **more) as driver,
    ):
        yield driver, server.bodies, offered(driver)


def offered(driver: Driver) -> TrustOffer:
    found = driver.until(Answered, lambda answer: isinstance(answer.data, TrustOffer)).data
    assert isinstance(found, TrustOffer)
    return found


def say(driver: Driver, offer: TrustOffer, choice: Any) -> TrustOffer:
    driver.send(SetTrust(choice, tuple(one.hash for one in offer.files)))
    return offered(driver)


def names(offer: TrustOffer) -> list[str]:
    return [one.name for one in offer.files]


def system(body: dict[str, Any]) -> str:
    return str(body["messages"])


EVERYTHING = ["AGENTS.md", ".agent-tui/config.toml", ".agent-tui/skills/tidy/SKILL.md"]
WORDS = ("pelican", "heron")


def test_nothing_is_used_before_the_answer_and_a_prompt_waits_for_it(place: Place) -> None:
    with asked(place) as (driver, bodies, offer):
        assert names(offer) == EVERYTHING and offer.asks and offer.lasts
        assert read(driver.config).settings.display.theme != "light"
        driver.send(Submit("hello"))
        again = offered(driver)
        assert not bodies and names(again) == EVERYTHING, "the prompt waits, and the question comes"
        say(driver, again, "no")
        driver.until(TurnEnded)
        assert len(bodies) == 1 and not any(word in system(bodies[0]) for word in WORDS)
        assert not any(
            isinstance(a.data, Skills) and "tidy" in str(a.data) for a in driver.all(Answered)
        )


def test_after_a_yes_all_of_it_is_used_and_no_later_session_asks(place: Place) -> None:
    with asked(place) as (driver, bodies, offer):
        left = say(driver, offer, "always")
        assert left.files == () and not left.asks and left.used == 3
        driver.turn("hello")
        assert all(word in system(bodies[0]) for word in WORDS)
        assert read(driver.config).settings.display.theme == "light"
    [state] = (place.home / "trusted").iterdir()
    assert state.stat().st_mode & 0o777 == 0o600
    assert state.parent.stat().st_mode & 0o777 == 0o700
    with model_server(said("Hello.")) as server, engine(place, server) as driver:
        driver.turn("hello")
        assert "pelican" in system(server.bodies[0])
        assert not [
            one
            for one in driver.all(Answered)
            if isinstance(one.data, TrustOffer) and one.data.asks
        ]


@pytest.mark.parametrize("choice", ["once", "no"])
def test_what_is_said_for_now_is_asked_again_at_the_next_start(place: Place, choice: str) -> None:
    with asked(place) as (driver, bodies, offer):
        say(driver, offer, choice)
        driver.turn("hello")
        assert ("pelican" in system(bodies[0])) == (choice == "once")
    assert not (place.home / "trusted").exists()
    with asked(place) as (_, __, offer):
        assert names(offer) == EVERYTHING


def test_what_is_trusted_later_is_used_from_the_next_prompt_on_and_a_line_says_so(
    place: Place,
) -> None:
    with asked(place) as (driver, bodies, offer):
        say(driver, offer, "no")
        driver.turn("hello")
        driver.send(Query("again", "trust"))
        say(driver, offered(driver), "always")
        driver.turn("and now?")
    first, second = map(system, bodies)
    assert "pelican" not in first and "pelican" in second
    [line] = [one.text for one in driver.all(Notice) if "next prompt" in one.text]
    assert line == "The model is told of them with your next prompt."


def test_what_a_file_imports_is_asked_about_with_it_and_by_whom(tmp_path: Path) -> None:
    place = Place(tmp_path, trusts=False)
    (place.cwd / "docs").mkdir(parents=True)
    (place.cwd / "AGENTS.md").write_text(f"{RULES}See @docs/style.md and @docs/away.md")
    (place.cwd / "docs" / "style.md").write_text("Write like an egret. @deep.md")
    (place.cwd / "docs" / "deep.md").write_text("Dive like a grebe.")
    (place.cwd / ".env").write_text("TOKEN=abc")
    (place.cwd / "docs" / "away.md").symlink_to(place.cwd / ".env")
    with asked(place) as (driver, bodies, offer):
        by = {one.name: one.importer for one in offer.files}
        assert by == {
            "AGENTS.md": "",
            "docs/style.md": "AGENTS.md",
            "docs/deep.md": "docs/style.md",
        }
        say(driver, offer, "no")
        driver.turn("hello")
        assert not any(word in system(bodies[0]) for word in ("pelican", "egret", "grebe"))
    with asked(place) as (driver, bodies, offer):
        left = say(driver, offer, "always")
        assert not left.asks and left.files == ()
        driver.turn("hello")
        assert all(word in system(bodies[0]) for word in ("pelican", "egret", "grebe"))


def test_a_folder_that_brings_nothing_is_not_asked_about(tmp_path: Path) -> None:
    plain = Place(tmp_path, trusts=False)
    plain.cwd.mkdir()
    (plain.cwd / "README.md").write_text("obey me")
    with model_server(said("Hello.")) as server, engine(plain, server) as driver:
        driver.turn("hello")
        assert not [
            one
            for one in driver.all(Answered)
            if isinstance(one.data, TrustOffer) and one.data.asks
        ]


def test_a_change_asks_again_with_the_difference_and_the_rest_stays(place: Place) -> None:
    with asked(place) as (driver, _, offer):
        say(driver, offer, "always")
    (place.cwd / "AGENTS.md").write_text(f"{RULES}And obey the egret.\n")
    with asked(place) as (driver, bodies, offer):
        [changed] = offer.files
        assert changed.name == "AGENTS.md" and offer.used == 2
        assert "+And obey the egret." in changed.diff[0].lines
        say(driver, offer, "no")
        driver.turn("hello")
        assert "heron" in system(bodies[0]) and "pelican" not in system(bodies[0])
    (place.cwd / "AGENTS.md").write_text(RULES)
    with model_server(said("Hello.")) as server, engine(place, server) as driver:
        driver.turn("hello")
        assert "pelican" in system(server.bodies[0]), "a content that was trusted still is"


def test_a_content_that_changed_after_it_was_shown_is_not_trusted(place: Place) -> None:
    with asked(place) as (driver, bodies, offer):
        (place.cwd / "AGENTS.md").write_text("Obey the egret.\n")
        again = say(driver, offer, "always")
        assert names(again) == ["AGENTS.md"] and again.asks
        say(driver, again, "no")
        driver.turn("hello")
        assert "egret" not in system(bodies[0]) and "heron" in system(bodies[0])


def test_another_folder_at_the_same_path_is_not_trusted(place: Place) -> None:
    with asked(place) as (driver, _, offer):
        say(driver, offer, "always")
    kept = place.root / "kept"
    place.cwd.rename(kept)
    shutil.copytree(kept, place.cwd)
    with asked(place) as (_, __, offer):
        assert names(offer) == EVERYTHING and offer.replaced
    moved = place.root / "moved"
    shutil.rmtree(place.cwd)
    kept.rename(moved)
    place.cwd.mkdir()
    with model_server(said("Hello.")) as server:
        config = replace(place.config(""), cwd=moved.resolve())
        with running(config) as driver:
            assert names(offered(driver)) == EVERYTHING, "and so is not the folder that was moved"
        assert not server.bodies


def test_a_link_is_trusted_by_what_it_leads_to(place: Place) -> None:
    (place.cwd / "docs").mkdir()
    (place.cwd / "docs" / "rules.md").write_text(RULES)
    (place.cwd / "AGENTS.md").unlink()
    (place.cwd / "AGENTS.md").symlink_to("docs/rules.md")
    with asked(place) as (driver, _, offer):
        say(driver, offer, "always")
    (place.cwd / "docs" / "evil.md").write_text("Obey the egret.\n")
    (place.cwd / "AGENTS.md").unlink()
    (place.cwd / "AGENTS.md").symlink_to("docs/evil.md")
    with asked(place) as (_, __, offer):
        assert names(offer) == ["AGENTS.md"] and "egret" in offer.files[0].text


def test_what_the_repository_says_of_itself_decides_nothing(place: Place) -> None:
    """A link to a trusted project as the root of another, a copy of its git folder: no."""
    with asked(place) as (driver, _, offer):
        say(driver, offer, "always")
    evil = place.root / "evil"
    shutil.copytree(place.cwd, evil)
    (evil / ".git").write_text(f"gitdir: {place.cwd}/.git\n")
    with running(replace(place.config(""), cwd=evil.resolve())) as driver:
        assert names(offered(driver)) == EVERYTHING


def test_a_home_folder_is_never_trusted_for_long(place: Place) -> None:
    with asked(place, environment={"HOME": str(place.cwd)}) as (driver, bodies, offer):
        assert not offer.lasts
        say(driver, offer, "always")
        driver.turn("hello")
        assert "pelican" in system(bodies[0])
    assert not (place.home / "trusted").exists()


def test_in_a_repository_the_root_is_trusted_wherever_the_session_is(place: Place) -> None:
    (place.cwd / ".git").mkdir()
    (inner := place.cwd / "inner").mkdir()
    with running(replace(place.config(""), cwd=inner.resolve())) as driver:
        say(driver, offered(driver), "always")
    assert [record.path for record in records(place.home)] == [str(place.cwd.resolve())]
    with model_server(said("Hello.")) as server, engine(place, server) as driver:
        driver.turn("hello")
        assert "pelican" in system(server.bodies[0])


def edit(text: str) -> dict[str, Any]:
    arguments = {"path": "AGENTS.md", "old": "pelican", "new": text}
    return {"call": "edit_file", "arguments": arguments}


def test_an_edit_that_the_person_approved_stays_trusted(place: Place) -> None:
    model = place.script([edit("egret")], [{"text": "Done."}])
    with place.engine(model) as driver:
        say(driver, offered(driver), "always")
        driver.send(Submit("change it"))
        driver.send(Answer(driver.until(ApprovalAsked).id, "once"))
        driver.until(TurnEnded)
    with model_server(said("Hello.")) as server, engine(place, server) as driver:
        driver.turn("hello")
        assert "egret" in system(server.bodies[0])


def test_an_edit_of_a_file_that_is_not_trusted_makes_it_not_trusted(place: Place) -> None:
    model = place.script([edit("egret")], [{"text": "Done."}])
    with place.engine(model) as driver:
        say(driver, offered(driver), "no")
        driver.send(Submit("change it"))
        driver.send(Answer(driver.until(ApprovalAsked).id, "once"))
        driver.until(TurnEnded)
    with asked(place) as (_, __, offer):
        assert names(offer) == EVERYTHING


def test_a_file_that_the_person_let_the_agent_write_is_trusted(tmp_path: Path) -> None:
    plain = Place(tmp_path, trusts=False)
    create = {"path": "AGENTS.md", "content": RULES}
    model = plain.script([{"call": "create_file", "arguments": create}], [{"text": "Done."}])
    with plain.engine(model) as driver:
        driver.send(Submit("write it"))
        driver.send(Answer(driver.until(ApprovalAsked).id, "once"))
        driver.until(TurnEnded)
    with model_server(said("Hello.")) as server, engine(plain, server) as driver:
        driver.turn("hello")
        assert "pelican" in system(server.bodies[0])


def test_nobody_is_asked_in_a_run_and_one_line_says_what_is_left_out(place: Place) -> None:
    with (
        model_server(said("Hello.")) as server,
        engine(place, server, interactive=False) as driver,
    ):
        [notice] = [one for one in driver.all(Notice) if "not trusted" in one.text] or [
            driver.until(Notice, lambda one: "not trusted" in one.text)
        ]
        assert all(name in notice.text for name in EVERYTHING) and "--trust" in notice.text
        driver.turn("hello")
        assert not any(word in system(server.bodies[0]) for word in WORDS)


def test_instructions_that_are_not_trusted_any_more_are_not_sent_again(place: Place) -> None:
    """The recorded prompt holds what was trusted in an earlier run."""
    quiet: dict[str, Any] = {"interactive": False}
    with model_server(*(said("Hello."),) * 4) as server:
        place.trusts = True
        with engine(place, server, **quiet) as driver:
            driver.turn("hello")
            session = driver.events[0].session
        with engine(place, server, resume=session, **quiet) as driver:
            driver.turn("again")
        place.trusts = False
        (place.cwd / "AGENTS.md").write_text("Obey the egret.\n")
        with engine(place, server, resume=session, **quiet) as driver:
            driver.turn("and again")
            driver.turn("and again")
        sent = [system(body) for body in server.bodies]
    assert ["pelican" in one for one in sent] == [True, True, False, False]
    assert not any("egret" in one for one in sent) and "again" in sent[1] and "Hello" in sent[2]


def test_the_line_names_the_folder_whose_files_are_left_out(place: Place) -> None:
    (lib := place.root / "my lib").mkdir()
    (lib / "AGENTS.md").write_text("Obey the egret.\n")
    own = Place(place.root, trusts=False).config("demo")
    at = replace(own, this_run=ThisRun([str(place.cwd.resolve())]))
    gate = look_at_project(at, [lib.resolve()])
    said = describe_untrusted(gate)
    assert f"--trust '{lib.resolve()}'" in said and f"--trust {place.cwd.resolve()} " not in said
    assert describe_trust(gate)[1].startswith(f"{lib.resolve()}: not trusted")


def test_a_session_that_goes_on_in_another_folder_asks_there(place: Place) -> None:
    plain = place.root / "plain"
    plain.mkdir()
    with model_server(said("Hello."), said("Hello.")) as server:
        with engine(place, server) as driver:
            say(driver, offered(driver), "no")
            driver.turn("hello")
            session = driver.events[0].session
        with engine(place, server, resume=session) as driver:
            assert names(offered(driver)) == EVERYTHING


def test_a_folder_that_is_added_is_asked_about(place: Place) -> None:
    (lib := place.root / "lib").mkdir()
    (lib / "AGENTS.md").write_text("Obey the egret.\n")
    with asked(place) as (driver, bodies, offer):
        say(driver, offer, "always")
        driver.send(SetDirectory(str(lib)))
        added = offered(driver)
        assert names(added) == [str(lib / "AGENTS.md")]
        driver.send(Submit("hello"))
        say(driver, offered(driver), "no")
        driver.until(TurnEnded)
        assert "egret" not in system(bodies[0]) and "pelican" in system(bodies[0])


def test_permissions_say_how_it_stands(place: Place) -> None:
    with asked(place) as (driver, _, offer):
        say(driver, offer, "no")
        driver.send(Query("p", "permissions"))
        told = driver.until(Answered, lambda answer: answer.id == "p").data
        assert "not trusted" in told.project and "AGENTS.md" in told.project


def test_where_it_cannot_be_saved_it_holds_until_the_end(place: Place) -> None:
    place.home.mkdir(exist_ok=True)
    (place.home / "trusted").write_text("in the way")
    with asked(place) as (driver, bodies, offer):
        say(driver, offer, "always")
        assert [one for one in driver.all(Notice) if "cannot be saved" in one.text]
        driver.turn("hello")
        assert "pelican" in system(bodies[0])


def test_a_record_that_cannot_be_read_trusts_nothing(place: Place) -> None:
    with asked(place) as (driver, _, offer):
        say(driver, offer, "always")
    [state] = (place.home / "trusted").iterdir()
    for broken in (b"", b"{", b"[]", b'{"path": 1, "files": []}', b"\xff"):
        state.write_bytes(broken)
        assert not list(records(place.home))
    with asked(place) as (_, __, offer):
        assert names(offer) == EVERYTHING


def test_the_rules_of_a_project_hold_from_the_moment_of_trust(place: Place) -> None:
    rules = '[permissions]\ndeny = ["read_file(AGENTS.md)"]\n'
    (place.cwd / ".agent-tui" / "config.toml").write_text(rules)
    reads = streamed(call("read_file", '{"path": "AGENTS.md"}'), end="tool_calls")
    with asked(place, reads, said("done")) as (driver, _, offer):
        say(driver, offer, "once")
        driver.turn("read it")
        [ended] = driver.all(ToolEnded)
    assert ended.tag == "blocked" and "read_file(AGENTS.md)" in ended.content
