"""A keyring may ask a person for a password: it is asked for a key when that is wanted, and for no
other."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from agent_tui.agent.services.stored_keys import Found, fetch_keys, key_refresher
from agent_tui.protocol.events import Answered, ModelChanged
from agent_tui.protocol.ops import Query, SetModel
from agent_tui.providers.choosing import keys
from agent_tui.safety import credentials
from agent_tui.settings.table import ProviderSettings, Settings
from tests import keyrings
from tests.agent.driving import Place
from tests.agent.model_server import ModelServer, engine, model_server, said, status
from tests.places import configured

KEY = "sk-abcdefghijklmnop0123"
NOWHERE = "http://127.0.0.1:9"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.fixture
def seen() -> list[str]:
    """The keys that came with prompts."""
    return []


@pytest.fixture
def server(seen: list[str]) -> Iterator[ModelServer]:
    def answer(to: BaseHTTPRequestHandler) -> None:
        seen.append(to.headers["Authorization"])
        said("hello")(to)

    with model_server(answer, answer) as found:
        yield found


@pytest.fixture
def ring(place: Place, monkeypatch: pytest.MonkeyPatch) -> Iterator[keyrings.ListeningKeyring]:
    monkeypatch.setenv("TEST_KEYRING", str(place.root / "ring.json"))
    backend = keyrings.ListeningKeyring()
    for name in ("moonshot", "zhipu", "ollama"):
        backend.set_password(credentials.SERVICE, name, KEY)
    with keyrings.used(backend):
        yield backend


def at(server: ModelServer, **more: str) -> dict[str, str]:
    return {
        "OLLAMA_HOST": NOWHERE,
        "MOONSHOT_BASE_URL": server.address,
        "ZAI_BASE_URL": server.address,
        **more,
    }


@pytest.mark.parametrize(
    ("model", "given"),
    [
        ("ollama/m", {}),
        ("moonshot/m", {"MOONSHOT_API_KEY": "of the environment"}),
        ("script", {}),
    ],
)
def test_whoever_needs_no_stored_key_has_none_asked_for(
    place: Place,
    ring: keyrings.ListeningKeyring,
    server: ModelServer,
    model: str,
    given: dict[str, str],
) -> None:
    name = place.script([{"text": "hello"}]) if model == "script" else model
    with place.engine(name, environment=at(server, **given)) as driver:
        driver.send(Query("s", "sessions"))
        driver.until(Answered, lambda answer: answer.id == "s")
    assert ring.asked == []


def test_it_is_asked_for_the_one_that_is_wanted(
    place: Place, ring: keyrings.ListeningKeyring, server: ModelServer, seen: list[str]
) -> None:
    with place.engine("moonshot/m", environment=at(server)) as driver:
        assert driver.turn("hi").state == "completed" and ring.asked == ["moonshot"]
        driver.send(SetModel("zhipu/m"))
        driver.until(ModelChanged)
        assert driver.turn("hi").state == "completed" and ring.asked == ["moonshot", "zhipu"]
        driver.send(Query("m", "models"))
        offered = driver.until(Answered, lambda answer: answer.id == "m").data.offered
        assert KEY not in repr(driver.events)
    assert [one.name for one in offered] == ["moonshot/m", "zhipu/m"], (
        "a list of all has those with stored keys"
    )
    assert {"moonshot", "zhipu", "openai"} <= {*ring.asked[2:]} and "ollama" not in ring.asked
    assert seen == [f"Bearer {KEY}"] * 2


def test_a_model_that_answers_instead_has_its_key_asked_for_then(
    place: Place, ring: keyrings.ListeningKeyring
) -> None:
    with model_server(status(404, "no such model"), said("hello")) as server:
        given = at(server, MOONSHOT_API_KEY="of the environment")
        changed = {"fallback": ("zhipu/m",)}
        with engine(
            place, server, model_name="moonshot/m", settings=changed, environment=given
        ) as driver:
            assert ring.asked == []
            assert driver.turn("hi").state == "completed" and ring.asked == ["zhipu"]


@pytest.mark.usefixtures("ring")
def test_of_two_that_ask_at_once_neither_forgets_what_the_other_found(place: Place) -> None:
    async def ask() -> list[Found]:
        with ThreadPoolExecutor(2) as pool:
            fresh = key_refresher(place.config("x"), pool, lambda _: None)
            await asyncio.gather(fresh(("moonshot",)), fresh(("zhipu",)))
            return [await fresh(())]

    [(config, _)] = asyncio.run(ask())
    providers = config.settings.providers
    assert [providers[name].api_key for name in ("moonshot", "zhipu")] == [KEY, KEY]


def test_a_keyring_that_never_answers_keeps_one_thread(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However often a key is wanted: the others are for the tools."""
    monkeypatch.setenv("TEST_KEYRING", str(place.root / "ring.json"))
    backend = keyrings.WaitingKeyring()

    async def ask() -> int:
        with ThreadPoolExecutor(4) as pool:
            while not backend.asked:
                assert (
                    "did not answer"
                    in (await fetch_keys(place.config("x"), pool, patience=0.5)).problems[0]
                )
            for _ in range(3):
                assert "did not answer" in (await fetch_keys(place.config("x"), pool)).problems[0]
            waiting = len(backend.asked)
            backend.answered.set()
            while (await fetch_keys(place.config("x"), pool)).problems:
                await asyncio.sleep(0.01)  # until its thread has the answer
            return waiting

    with keyrings.used(backend):
        assert asyncio.run(ask()) == 1


@pytest.mark.parametrize(
    ("name", "own", "given", "wanted"),
    [
        ("openai", {}, {}, True),
        ("openai", {}, {"OPENAI_API_KEY": "x"}, False),
        ("nobody", {}, {}, False),
        ("openai", {"api_key": "x", "key_from": "the keyring"}, {}, True),
        ("openai", {"api_key": "x"}, {}, False),
        ("ollama", {}, {}, False),
        ("ollama", {}, {"OLLAMA_HOST": "0.0.0.0"}, False),
        ("ollama", {}, {"OLLAMA_HOST": "https://ollama.com"}, True),
        ("ollama", {"base_url": "http://box:1"}, {}, True),
        ("compatible", {}, {}, False),
        ("compatible", {"base_url": "http://box:1/v1"}, {}, True),
        ("demo", {}, {}, False),
        ("own", {"base_url": "http://box:1/v1"}, {}, True),
    ],
)
def test_whose_key_could_be_a_stored_one(
    name: str, own: dict[str, Any], given: dict[str, str], wanted: bool
) -> None:
    settings = Settings(providers={name: ProviderSettings(**own)} if own else {})
    assert keys.providers_without_key((name,), configured(settings, given)) == (
        (name,) if wanted else ()
    )
