"""Titles by the small model: asked for once a turn is done, counted, and never over a person's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agent_tui.agent.services.titles import LONGEST, clean_title
from agent_tui.protocol.events import Titled, TurnEnded, UsageReported
from agent_tui.protocol.ops import Rename
from agent_tui.sessions.index.stats import stats
from agent_tui.sessions.log.store import read
from tests.agent.driving import Driver, Place, running

SAID = [
    {"text": '"Fix the login"\nand more'},
    {"usage": {"prompt_tokens": 90, "completion_tokens": 4}},
]
MAIN = ([{"text": "one"}], [{"text": "two"}], [{"text": "three"}], [{"text": "four"}])


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@contextmanager
def engine(place: Place, *small: Any, **options: Any) -> Iterator[Driver]:
    model, other = place.script(*MAIN), place.script(*small, name="small.json") if small else ""
    config = place.config(model, **options)
    config = replace(config, settings=replace(config.settings, small_model=other))
    with running(config) as driver:
        yield driver


def test_a_session_gets_a_title_and_what_it_took_counts(place: Place) -> None:
    with engine(place, SAID) as driver:
        driver.turn("the login fails")
        titled = driver.until(Titled)
        assert (titled.title, titled.by) == ("Fix the login", "model")
        driver.turn("again")
    assert len(driver.all(Titled)) == 1
    [used] = [event for event in driver.all(UsageReported) if event.purpose == "title"]
    assert (used.model, used.usage.prompt_tokens, used.cost) == ("scripted/small.json", 90, 0.0)
    seen = driver.transcript()
    assert (seen.title, seen.titled_by) == ("Fix the login", "model") and seen.context_tokens != 94
    [log] = (place.home / "sessions").glob("*.jsonl")
    beside = stats(read(log)[0]).beside
    assert (beside.count, beside.tokens_in, beside.tokens_out) == (1, 90, 4)


def test_without_a_small_model_nothing_is_asked(place: Place) -> None:
    with engine(place) as driver:
        driver.turn("the login fails")
        driver.turn("again")
    assert not driver.all(Titled) and all(not event.purpose for event in driver.all(UsageReported))
    assert driver.transcript().title == "the login fails"


def test_a_title_of_the_persons_own_is_not_asked_about(place: Place) -> None:
    with engine(place, SAID) as driver:
        driver.send(Rename("mine"))
        assert driver.until(Titled).by == "person"
        driver.turn("the login fails")
        driver.turn("again")
    assert [event.title for event in driver.all(Titled)] == ["mine"]


def test_a_title_given_meanwhile_stays(place: Place) -> None:
    with engine(place, [{"wait": 0.3}, *SAID]) as driver:
        driver.turn("the login fails")
        driver.send(Rename("mine"))
        driver.until(UsageReported, lambda event: event.purpose == "title")
        driver.turn("again")
    assert [event.title for event in driver.all(Titled)] == [
        "mine"
    ] and driver.transcript().title == "mine"


def test_a_small_model_that_fails_is_asked_twice_and_disturbs_nothing(place: Place) -> None:
    with engine(place, [{"fail": "auth", "text": "no key"}]) as driver:
        for prompt in ("one", "two", "three", "four"):
            assert driver.turn(prompt).state == "completed"
    assert not driver.all(Titled)
    logs = "".join(path.read_text() for path in (place.home / "logs").glob("*.log"))
    assert 1 <= logs.count("no title: no key") <= 2


def test_nothing_is_asked_where_nobody_looks(place: Place) -> None:
    with engine(place, SAID, interactive=False) as driver:
        driver.turn("the login fails")
        assert driver.turn("again").state == "completed"
    assert not driver.all(Titled) and len(driver.all(TurnEnded)) == 2


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("\n\n# **Fix the login.**\nmore", "Fix the login"),
        ("Title: «Der Anmeldefehler»", "Der Anmeldefehler"),
        ("a\tb   c", "a b c"),
        ("", ""),
        ("***", ""),
        ("\x1b[31mred", "␛[31mred"),
        ("Use C#", "Use C#"),
    ],
)
def test_what_of_an_answer_is_the_title(text: str, title: str) -> None:
    assert clean_title(text) == title


def test_a_long_title_ends_behind_a_word() -> None:
    title = clean_title("word " * 40)
    assert len(title) <= LONGEST and title.endswith("word…")
    assert len(clean_title("x" * 500)) == LONGEST
