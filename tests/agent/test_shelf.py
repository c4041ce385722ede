"""Sessions that are not the one at work get a name, or an end; the one that is open is left alone."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from agent_tui.agent.config import EngineConfig
from agent_tui.agent.services import session_admin
from agent_tui.paths import Folders
from agent_tui.protocol.answers import Sessions, ShelfOutcome
from agent_tui.protocol.events import Answered, Event, SessionStarted, TurnStarted
from agent_tui.protocol.ops import Delete, Op, Rename, Submit
from agent_tui.sessions.log.lock import Lock
from agent_tui.sessions.log.store import Store
from agent_tui.settings.table import Settings

ONE, OTHER = "11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"


def config(tmp_path: Path) -> EngineConfig:
    made = EngineConfig(
        settings=Settings(), cwd=tmp_path, folders=Folders(tmp_path, tmp_path, tmp_path / "logs")
    )
    for id in (ONE, OTHER):
        store = Store.create(made.folders.sessions, id)
        store.append(SessionStarted(session=id, cwd=str(tmp_path), at=1.0))
        store.append(TurnStarted(prompt=f"hello {id[0]}", turn=1, session=id, at=2.0))
        store.close()
    return made


def put(config: EngineConfig, op: Op) -> tuple[ShelfOutcome, list[str]]:
    """What came of it, and the titles of the sessions that there are then."""
    told: list[Event] = []
    with ThreadPoolExecutor(1) as pool:
        asyncio.run(session_admin.perform_op(config, op, ONE, pool, told.append))
    first, second = told
    assert isinstance(first, Answered) and isinstance(second, Answered)
    assert isinstance(first.data, ShelfOutcome) and isinstance(second.data, Sessions)
    return first.data, sorted(one.title for one in second.data.sessions)


def test_another_session_gets_a_name(tmp_path: Path) -> None:
    done, titles = put(config(tmp_path), Rename("the shop", session=OTHER))
    assert done == ShelfOutcome(OTHER, "renamed", "")
    assert titles == ["hello 1", "the shop"]


def test_another_session_is_deleted(tmp_path: Path) -> None:
    done, titles = put(config(tmp_path), Delete(OTHER))
    assert done == ShelfOutcome(OTHER, "deleted", "")
    assert titles == ["hello 1"]


def test_the_one_that_is_open_stays(tmp_path: Path) -> None:
    here = config(tmp_path)
    assert put(here, Delete(ONE))[0].problem == "it is open here"
    lock = Lock(here.folders.sessions / f"{OTHER}.lock")
    lock.take()
    try:
        done, titles = put(here, Delete(OTHER))
    finally:
        lock.release()
    assert done.problem and not done.done and titles == ["hello 1", "hello 2"]
    assert put(here, Delete("nothing"))[0].problem


def test_what_concerns_it() -> None:
    assert session_admin.concerns(Delete(ONE), ONE) and session_admin.concerns(
        Rename("x", session=OTHER), ONE
    )
    assert not session_admin.concerns(Rename("x"), ONE) and not session_admin.concerns(
        Rename("x", session=ONE), ONE
    )
    assert not session_admin.concerns(Submit("x"), ONE)
