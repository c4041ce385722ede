"""Facts that are recalled by meaning, where a model of embeddings is set: beside the search by
words, never in its way, and never of what is not to leave."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from agent_tui.context.vectors import ORDINARY
from agent_tui.protocol.events import ContextTold, Notice, ToolEnded
from agent_tui.protocol.ops import ChangeMemory
from agent_tui.settings.table import AgentSettings
from tests.agent.driving import Driver, Place
from tests.agent.embedding_server import EmbeddingServer, embedding_server
from tests.agent.model_server import ModelServer, call, engine, model_server, said, streamed
from tests.agent.test_memory import listed, remember, sent

DEPLOY = "Deployments never go out before noon."
ASKED = "May I ship it right away?"
"""The same in other words."""
KEY = "AKIAQ3EGRLVCW7NKZBXM"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    place = Place(tmp_path)
    place.cwd.mkdir()
    return place


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with model_server(*(said(f"answer {n}") for n in range(6))) as made:
        yield made


@pytest.fixture
def meaning() -> Iterator[EmbeddingServer]:
    with embedding_server() as made:
        yield made


@contextmanager
def session(
    place: Place, server: ModelServer, meaning: EmbeddingServer, **more: Any
) -> Iterator[Driver]:
    agent = more.pop("agent", AgentSettings(embedding_model="near/e"))
    with engine(place, server, agent, others={"near": meaning}, **more) as driver:
        yield driver


def ready(driver: Driver, count: int) -> str:
    """What `/memory` says of it, once the vectors of `count` facts are there."""
    deadline = time.monotonic() + 10
    while f"{count}/{count} facts" not in (told := listed(driver).meaning):
        assert time.monotonic() < deadline, told
        time.sleep(0.05)
    return told


def warnings(driver: Driver) -> list[str]:
    return [one.text for one in driver.all(Notice) if "by words alone" in one.text]


@pytest.mark.parametrize(("name", "path"), [("near", "/v1"), ("ollama", "")])
def test_a_fact_in_other_words_is_recalled(
    place: Place, server: ModelServer, name: str, path: str
) -> None:
    remember(place, "plan", DEPLOY)
    remember(place, "dog", "The person has a puppy.")
    with embedding_server(path) as meaning:
        agent = AgentSettings(embedding_model=f"{name}/e")
        with engine(place, server, agent, others={name: meaning}) as driver:
            told = ready(driver, 2)
            driver.turn(ASKED)
            [recalled] = driver.all(ContextTold)
    assert list(recalled.parts) == ["memory: user/plan"] and DEPLOY in sent(server)[-1]
    assert told.startswith(f"By meaning, too: {name}/e (")
    assert {path for path, _ in meaning.asked} == {
        "/v1/embeddings" if path else "/api/embed"
    } and meaning.texts[-1] == ASKED


def test_without_such_a_model_words_are_all_that_is_searched(
    place: Place, server: ModelServer, meaning: EmbeddingServer
) -> None:
    remember(place, "plan", DEPLOY)
    with session(place, server, meaning, agent=AgentSettings()) as driver:
        driver.turn(ASKED)
        assert not driver.all(ContextTold) and listed(driver).meaning == ""
    assert not meaning.asked


def test_what_both_searches_find_is_told_once_and_words_alone_still_find(
    place: Place, server: ModelServer, meaning: EmbeddingServer
) -> None:
    remember(place, "plan", DEPLOY)
    remember(place, "cake", "The saffron cake needs a dozen other things that nobody asks about.")
    with session(place, server, meaning) as driver:
        ready(driver, 2)
        driver.turn("Deployments of saffron never go out?")
        [recalled] = driver.all(ContextTold)
    assert sorted(recalled.parts) == ["memory: user/cake", "memory: user/plan"]
    assert sent(server)[-1].count(DEPLOY) == 1


@pytest.mark.parametrize(
    ("asked", "best"),
    [("Ship saffron cake oven flour butter vanilla", "a"), ("Ship oven", "plan")],
)
def test_a_fact_has_the_better_of_its_two_scores(
    place: Place, server: ModelServer, meaning: EmbeddingServer, asked: str, best: str
) -> None:
    remember(place, "plan", "Rollout ya yb yc yd ye yf.")
    remember(place, "a", "Saffron cake oven flour butter vanilla xa xb xc xd xe.")
    with session(place, server, meaning) as driver:
        ready(driver, 2)
        driver.turn(asked)
        [recalled] = driver.all(ContextTold)
    assert len(recalled.parts) == 2 and next(iter(recalled.parts)) == f"memory: user/{best}"


def test_a_vector_is_made_once_for_a_text_and_goes_with_its_fact(
    place: Place, server: ModelServer, meaning: EmbeddingServer
) -> None:
    file = remember(place, "plan", DEPLOY)
    remember(place, "dog", "The person has a puppy.")
    with session(place, server, meaning) as driver:
        ready(driver, 2)
    cache = place.home / "cache" / "memory-vectors.sqlite"
    assert cache.stat().st_mode & 0o077 == 0, "for the person alone"
    assert meaning.texts[: len(ORDINARY)] == [*ORDINARY] and len(meaning.texts) == 10
    meaning.asked.clear()
    with session(place, server, meaning) as driver:
        ready(driver, 2)
        assert meaning.texts == [*ORDINARY], "what is there is not asked for again"
        file.write_text("Deployments go out at night.")
        driver.turn("Hello")
        ready(driver, 2)
        assert meaning.texts[len(ORDINARY) :].count("plan: Deployments go out at night.") == 1
        size = cache.stat().st_size
        driver.send(ChangeMemory("forget", "user/dog"))
        ready(driver, 1)
        assert rows(cache) == 2 and cache.stat().st_size <= size, "its fact and a sentence"


def rows(cache: Path) -> int:
    with sqlite3.connect(cache) as connection:
        return int(connection.execute("select count(*) from vector").fetchone()[0])


def test_the_first_prompt_of_a_session_is_searched_by_meaning(
    place: Place, server: ModelServer, meaning: EmbeddingServer
) -> None:
    remember(place, "plan", DEPLOY)
    with session(place, server, meaning) as driver:
        ready(driver, 1)
    with session(place, server, meaning, interactive=False) as driver:
        driver.turn(ASKED)
        assert len(driver.all(ContextTold)) == 1


def test_another_model_of_the_same_name_makes_all_vectors_anew(
    place: Place, server: ModelServer, meaning: EmbeddingServer
) -> None:
    remember(place, "plan", DEPLOY)
    with session(place, server, meaning) as driver:
        ready(driver, 1)
    meaning.asked.clear()
    meaning.turned = 7
    with session(place, server, meaning) as driver:
        ready(driver, 1)
        driver.turn(ASKED)
        assert len(driver.all(ContextTold)) == 1
    assert f"plan: {DEPLOY}" in meaning.texts


def test_a_slow_model_holds_no_turn_up_and_is_told_once(
    place: Place, server: ModelServer, meaning: EmbeddingServer
) -> None:
    remember(place, "plan", DEPLOY)
    with session(place, server, meaning) as driver:
        ready(driver, 1)
        meaning.delay = 4.0
        began = time.monotonic()
        driver.turn("When are the deployments?")
        took = time.monotonic() - began
        began = time.monotonic()
        driver.turn(ASKED)
        again = time.monotonic() - began
        [recalled] = driver.all(ContextTold)
        [warned] = warnings(driver)
        assert "Not by meaning now: " in listed(driver).meaning
    assert 0.9 < took < 2.5 and again < 0.9, "the second does not wait behind the first"
    assert list(recalled.parts) == ["memory: user/plan"], "found by its words"
    assert "did not answer within 1 s" in warned
    assert len(meaning.asked) == 3


@pytest.mark.parametrize("how", ["refused", "nonsense", "gone", "no such provider", "no such api"])
def test_a_model_that_fails_is_one_notice_and_words_still_find(
    place: Place, server: ModelServer, how: str
) -> None:
    remember(place, "plan", DEPLOY)
    names = {"no such provider": "nobody/e", "no such api": "scripted/x.json"}
    agent = AgentSettings(embedding_model=names.get(how, "near/e"))
    with embedding_server() as meaning:
        meaning.status = 500 if how == "refused" else 200
        meaning.answer = {"data": [{"embedding": ["x"]}]} if how == "nonsense" else None
        if how == "gone":
            meaning.address = "http://127.0.0.1:9/v1"
        place.script({"text": "x"}, name="x.json")
        with session(place, server, meaning, agent=agent) as driver:
            driver.turn("When are the deployments?")
            driver.turn(ASKED)
            [recalled] = driver.all(ContextTold)
            [_] = warnings(driver)
    assert list(recalled.parts) == ["memory: user/plan"]


def test_a_cache_that_cannot_be_written_is_one_notice(
    place: Place, server: ModelServer, meaning: EmbeddingServer
) -> None:
    remember(place, "plan", DEPLOY)
    (place.home / "cache" / "memory-vectors.sqlite").mkdir(parents=True)
    with session(place, server, meaning) as driver:
        driver.turn("When are the deployments?")
        [_], [_] = driver.all(ContextTold), warnings(driver)


@pytest.mark.parametrize("off", ["memory", "otr"])
def test_nothing_is_sent_off_the_record_or_without_memory(
    place: Place, server: ModelServer, meaning: EmbeddingServer, off: str
) -> None:
    remember(place, "plan", DEPLOY)
    memory = "off" if off == "memory" else "recall"
    agent = AgentSettings(embedding_model="near/e", memory=memory)
    scratch = place.root / "scratch" if off == "otr" else None
    with session(place, server, meaning, agent=agent, scratch=scratch) as driver:
        driver.turn(ASKED)
        assert listed(driver).meaning == ""
    assert not meaning.asked and not (place.home / "cache" / "memory-vectors.sqlite").exists()


def test_secrets_are_hidden_in_what_is_sent(
    place: Place, server: ModelServer, meaning: EmbeddingServer
) -> None:
    remember(place, "keys", f"The key of the bucket is {KEY}.")
    with session(place, server, meaning) as driver:
        ready(driver, 1)
        driver.turn(f"Is {KEY} the right one?")
    assert len(meaning.texts) == len(ORDINARY) + 2 and KEY not in str(meaning.texts)


@pytest.mark.parametrize("trusts", [True, False])
def test_facts_of_a_project_are_sent_once_it_is_trusted(
    tmp_path: Path, server: ModelServer, meaning: EmbeddingServer, trusts: bool
) -> None:
    place = Place(tmp_path, trusts)
    folder = place.cwd / ".agent-tui" / "memory"
    folder.mkdir(parents=True)
    (place.cwd / ".git").mkdir()
    (folder / "plan.md").write_text(DEPLOY)
    remember(place, "dog", "The person has a puppy.")
    with session(place, server, meaning, interactive=trusts) as driver:
        ready(driver, 2 if trusts else 1)
        driver.turn(ASKED)
        assert len(driver.all(ContextTold)) == trusts
    assert (DEPLOY in str(meaning.texts)) is trusts


def test_the_search_of_the_model_finds_by_meaning_too(
    place: Place, meaning: EmbeddingServer
) -> None:
    remember(place, "plan", DEPLOY)
    asks = streamed(call("search_memory", json.dumps({"query": "rollout"})), end="tool_calls")
    loads = streamed(call("load_tools", json.dumps({"group": "memory"}), "c0"), end="tool_calls")
    with (
        model_server(loads, asks, said("done")) as server,
        session(place, server, meaning) as driver,
    ):
        ready(driver, 1)
        driver.turn("Hello")
        ended = driver.all(ToolEnded)[-1]
    assert ended.tag == "ok" and DEPLOY in sent(server)[-1]


def test_a_server_that_takes_only_short_texts_gets_the_beginning(
    place: Place, server: ModelServer, meaning: EmbeddingServer
) -> None:
    meaning.longest = 600
    remember(place, "plan", f"{DEPLOY} {'x' * 3_000}")
    remember(place, "dog", "The person has a puppy.")
    with session(place, server, meaning) as driver:
        ready(driver, 2)
        driver.turn(f"rollout {'hmm ' * 1_000}")
        assert not warnings(driver)
    assert max(map(len, meaning.texts)) <= 2_000 and len(meaning.texts[-1]) == 500
