"""Queries over all sessions: search in two answers, the newest one only; figures; the tree; nothing
off the record."""

from __future__ import annotations

import asyncio
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from agent_tui.agent.config import EngineConfig
from agent_tui.agent.services import queries
from agent_tui.agent.services.queries import Looker
from agent_tui.paths import Folders
from agent_tui.protocol.events import Answered
from agent_tui.protocol.events import Event as Told
from agent_tui.protocol.ops import Query, QueryKind
from agent_tui.sessions.index.cache import cache_file
from agent_tui.sessions.index.search import update
from agent_tui.sessions.log.copies import fork
from agent_tui.settings.table import Settings
from tests.sessions.logs import turn, write


@pytest.fixture
def config(tmp_path: Path) -> EngineConfig:
    write(
        tmp_path / "sessions",
        "one",
        *turn(1, "first"),
        *turn(2, "a needle here"),
        cwd=str(tmp_path),
    )
    write(
        tmp_path / "sessions",
        "two",
        *turn(2, "later"),
        *turn(3, "a needle there"),
        cwd="/elsewhere",
    )
    return EngineConfig(
        settings=Settings(),
        cwd=tmp_path,
        folders=Folders(tmp_path, tmp_path, tmp_path / "logs"),
        environment={},
    )


def asked(config: EngineConfig, *ops: Query, session: str = "one") -> list[Answered]:
    """The answers to `ops`, which are all asked at once."""
    told: list[Told] = []

    async def run(pool: ThreadPoolExecutor) -> None:
        looker = Looker(config, told.append, pool, session)
        await asyncio.gather(*(looker.look(op) for op in ops))

    with ThreadPoolExecutor(4) as pool:
        asyncio.run(run(pool))
    return [event for event in told if isinstance(event, Answered)]


def query(kind: QueryKind, argument: str = "", id: str = "q") -> Query:
    return Query(id=id, kind=kind, argument=argument)


def found(answer: Answered) -> list[str]:
    return [hit.session.id for hit in answer.data.hits]


def test_the_first_search_says_that_it_reads_and_then_answers(config: EngineConfig) -> None:
    first, second = asked(config, query("search", "needle"))
    assert (first.id, first.kind, first.data.more, first.data.hits) == ("q", "search", True, ())
    assert first.data.note == "reading all sessions for the first time"
    assert (second.data.words, second.data.more, second.data.note) == ("needle", False, "")
    assert found(second) == ["two", "one"]
    hit = second.data.hits[0]
    assert (hit.snippet, hit.turn, hit.marks) == ("a needle there", 3, ((2, 8),))


def test_a_later_search_answers_at_once_from_what_is_known(config: EngineConfig) -> None:
    update(config.folders.sessions, config.folders.cache)
    write(config.folders.sessions, "new", *turn(4, "start"), *turn(5, "a new needle"))
    first, second = asked(config, query("search", "needle"))
    assert (found(first), found(second)) == (["two", "one"], ["new", "two", "one"])
    [_, here] = asked(config, query("search_here", "needle"))
    assert found(here) == ["one"]


def test_a_search_ends_the_one_before_it(config: EngineConfig) -> None:
    answers = asked(config, query("search", "here", "1"), query("search", "there", "2"))
    assert [answer.id for answer in answers if not answer.data.more] == ["2"]
    assert found(answers[-1]) == ["two"]


def test_an_answer_that_is_late_for_the_next_search_is_not_told(
    config: EngineConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other search comes after the last look of the first one."""
    update(config.folders.sessions, config.folders.cache)
    found_by = Looker._found
    told: list[Any] = []

    async def run(pool: ThreadPoolExecutor) -> None:
        loop, late = asyncio.get_running_loop(), list[asyncio.Task[None]]()
        looker = Looker(config, told.append, pool)

        def overtaken(self: Looker, op: Query, more: bool, check: queries.Check) -> Answered:
            answer = found_by(self, op, more, check)
            if op.id == "1":
                asyncio.run_coroutine_threadsafe(come(), loop).result()
            return answer

        async def come() -> None:
            late.append(asyncio.create_task(looker.look(query("search", "there", "2"))))
            await asyncio.sleep(0)

        monkeypatch.setattr(Looker, "_found", overtaken)
        await looker.look(query("search", "here", "1"))
        await asyncio.gather(*late)

    with ThreadPoolExecutor(4) as pool:
        asyncio.run(run(pool))
    assert {answer.id for answer in told} == {"2"}


def test_two_searches_do_not_read_for_the_index_at_the_same_time(
    config: EngineConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second one would find it locked, and answer from less than there is."""
    update, began, leave = Looker._update, Event(), Event()
    given: list[object] = []
    told: list[Answered] = []

    class Pool(ThreadPoolExecutor):
        def submit(self, fn: Any, /, *args: Any, **more: Any) -> Any:
            given.append(fn)
            return super().submit(fn, *args, **more)

    def held(self: Looker, check: queries.Check) -> None:
        if not began.is_set():
            began.set()
            leave.wait()
            check()
        update(self, check)

    async def run(pool: Pool) -> None:
        loop, at_once = asyncio.get_running_loop(), list[int]()

        def release() -> None:
            at_once.append(given.count(looker._update))
            leave.set()

        def tell(answer: Any) -> None:
            told.append(answer)
            if answer.id == "2" and answer.data.more:  # it asks for the update in this same step
                loop.call_soon(release)

        looker = Looker(config, tell, pool)
        first = asyncio.create_task(looker.look(query("search", "here", "1")))
        await loop.run_in_executor(None, began.wait)
        await asyncio.gather(first, looker.look(query("search", "there", "2")))
        assert at_once == [1]

    monkeypatch.setattr(Looker, "_update", held)
    with Pool(4) as pool:
        asyncio.run(run(pool))
    assert [answer.id for answer in told if not answer.data.more] == ["2"]
    assert found(told[-1]) == ["two"]


def test_an_end_stops_the_reading(config: EngineConfig, monkeypatch: pytest.MonkeyPatch) -> None:
    stopped = []

    def endless(_: Path, __: Path, check: queries.Check) -> None:
        try:
            while True:
                check()
        except InterruptedError:
            stopped.append(True)
            raise

    monkeypatch.setattr(
        Looker, "_update", lambda self, check: endless(self.config.cwd, self.config.cwd, check)
    )

    async def run(pool: ThreadPoolExecutor) -> None:
        seen = asyncio.Event()
        looker = Looker(config, lambda _: seen.set(), pool)
        task = asyncio.create_task(looker.look(query("search", "needle")))
        await seen.wait()
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with ThreadPoolExecutor(1) as pool:
        asyncio.run(run(pool))
    assert stopped in ([True], [])  # or the pool had not begun with it


def test_figures_of_this_session_and_of_another(config: EngineConfig) -> None:
    [own] = asked(config, query("stats"))
    assert (own.kind, own.data.turns, own.data.steps, own.data.session) == ("stats", 2, 4, "one")
    [other] = asked(config, query("stats", "two"))
    assert other.data.session == "two"
    [none] = asked(config, query("stats", "gone"))
    assert none.data.turns == 0


def test_the_tree_of_this_session(config: EngineConfig) -> None:
    child = fork(config.folders.sessions, "one").id
    [answer] = asked(config, query("tree"), session=child)
    assert [(branch.session.id, branch.depth) for branch in answer.data.branches] == [
        ("one", 0),
        (child, 1),
    ]


def test_off_the_record_no_index_is_made(config: EngineConfig) -> None:
    answers = asked(replace(config, otr=True), query("search", "needle"), query("tree"))
    assert not config.folders.cache.exists()
    assert {answer.kind for answer in answers} == {"search", "tree"}


def test_what_was_wrong_at_the_update_is_said_with_every_search_until_the_next(
    config: EngineConfig,
) -> None:
    update(config.folders.sessions, config.folders.cache)
    with sqlite3.connect(cache_file(config.folders.cache)) as other:
        other.execute("begin immediate")
        [_, last] = asked(config, query("search", "needle"))
        other.rollback()
    assert "another program" in last.data.note and found(last) == ["two", "one"]
