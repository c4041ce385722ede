"""Setting up a provider in the real engine, against real servers: what is told, what is kept, and
what never is."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from agent_tui.protocol.answers import Offer, SetupOutcome
from agent_tui.protocol.events import (
    Answered,
    ModelChanged,
    Notice,
    QuestionAnswered,
    QuestionAsked,
    SessionStarted,
)
from agent_tui.protocol.ops import Answer, Resume, SetModel
from agent_tui.protocol.setup_op import SetUp
from agent_tui.safety import credentials
from agent_tui.settings.table import ProviderSettings
from tests import keyrings
from tests.agent.driving import Driver, Place, running
from tests.agent.model_server import model_server
from tests.test_cli_doctor import KEY, listing
from tests.tui.ollama_stage import serving

WRONG = "sk-wrong-key-0123456789"
NOWHERE = "http://127.0.0.1:9/v1"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    found = Place(tmp_path)
    found.home.mkdir(mode=0o700)
    return found


@pytest.fixture
def address() -> Iterator[str]:
    with listing() as found:
        yield found


@pytest.mark.parametrize("names", [("first",), ("first", "second")])
def test_of_an_address_with_more_than_one_model_all_are_told(
    place: Place, names: tuple[str, ...]
) -> None:
    with model_server() as server, place.engine(place.script({"text": "hi"})) as driver:
        server.listed = [*names]
        driver.send(SetModel("", base_url=server.address))
        assert driver.until(ModelChanged).model == "compatible/first"
        driver.send(Answer(driver.until(QuestionAsked).id, "later"))
        others = [event.data for event in driver.all(Answered) if event.id == "others"]
        shown = [[one.name for one in data.offered] for data in others]
        assert shown == [[f"compatible/{name}" for name in names]] * (len(names) > 1)


def step(driver: Driver, op: SetUp, *states: str) -> SetupOutcome:
    """What came of `op`: the first of `states` (or an end) that is told."""
    driver.send(op)
    ends = states or ("answered", "failed", "down", "no_key", "kept")
    told = driver.until(
        Answered, lambda e: e.kind == "setup_step" and e.id == op.id and e.data.state in ends
    )
    assert isinstance(told.data, SetupOutcome)
    return told.data


def kept(place: Place, name: str) -> dict[str, Any]:
    path = place.home / name
    return tomllib.loads(path.read_text()) if path.exists() else {}


def having(place: Place, text: str) -> set[str]:
    return {
        path.name
        for path in place.root.rglob("*")
        if path.is_file() and text.encode() in path.read_bytes()
    }


def offers(driver: Driver) -> dict[str, Offer]:
    driver.send(SetUp("1", "look"))
    told = driver.until(Answered, lambda e: e.kind == "setup" and not e.data.looking)
    return {one.name: one for one in told.data.offers}


def test_what_there_is_and_what_answers_is_told(place: Place, address: str) -> None:
    environment = {
        "MOONSHOT_BASE_URL": address,
        "MOONSHOT_API_KEY": KEY,
        "DEEPSEEK_API_KEY": WRONG,
        "DEEPSEEK_BASE_URL": address,
        "LMSTUDIO_BASE_URL": NOWHERE,
        "OLLAMA_HOST": "127.0.0.1:9",
    }
    with place.engine(place.script({"text": "hi"}), environment=environment) as driver:
        told = offers(driver)
        assert KEY not in repr(driver.events) and WRONG not in repr(driver.events)
    assert (told["moonshot"].state, told["moonshot"].models) == ("ok", 2)
    assert (told["moonshot"].group, told["moonshot"].key) == ("ready", "MOONSHOT_API_KEY")
    assert (told["deepseek"].state, told["deepseek"].kind) == ("failed", "auth")
    assert (told["lmstudio"].group, told["lmstudio"].state) == ("ready", "failed")
    assert (told["ollama"].group, told["ollama"].state) == ("nearby", "failed")
    assert (told["openai"].group, told["openai"].needs, told["openai"].state) == (
        "service",
        "key",
        "",
    )
    assert told["azure"].needs == "address"


def test_a_key_is_tried_and_kept_with_the_model_and_never_told(place: Place, address: str) -> None:
    script = place.script({"text": "hi"})
    with place.engine(script, environment={"MOONSHOT_BASE_URL": address}) as driver:
        assert step(driver, SetUp("1", "ask", "moonshot", key="two words")).state == "no_key"
        refused = step(driver, SetUp("2", "ask", "moonshot", key=WRONG))
        assert (refused.state, refused.kind, refused.key) == ("failed", "auth", True)
        assert "[hidden:key:" in refused.said
        found = step(driver, SetUp("3", "ask", "moonshot", key=KEY))
        assert (found.state, found.models) == ("answered", ("moonshot/a", "moonshot/b"))
        assert not having(place, KEY) and kept(place, "config.toml") == {}
        assert step(driver, SetUp("4", "keep", "moonshot", model="moonshot/b")).state == "kept"
        assert driver.all(ModelChanged)[-1].model == "moonshot/b"
        assert "saved in" in repr([asdict(one) for one in driver.all(Notice)])
        assert KEY not in repr(driver.events) and WRONG not in repr(driver.events)
    assert having(place, KEY) == {"credentials.toml"} and not having(place, WRONG)
    assert kept(place, "config.toml") == {"model": "moonshot/b"}


@pytest.mark.parametrize("scope", ["project", "session"])
def test_the_default_is_the_projects_or_nobodys(place: Place, address: str, scope: Any) -> None:
    script = place.script({"text": "hi"})
    with place.engine(
        script, environment={"MOONSHOT_BASE_URL": address, "MOONSHOT_API_KEY": KEY}
    ) as driver:
        step(driver, SetUp("1", "ask", "moonshot"))
        assert (
            step(driver, SetUp("2", "keep", "moonshot", model="moonshot/b", scope=scope)).state
            == "kept"
        )
        assert driver.all(ModelChanged)[-1].model == "moonshot/b"
    project = place.cwd / ".agent-tui" / "config.toml"
    assert project.exists() == (scope == "project") and kept(place, "config.toml") == {}
    assert not project.exists() or tomllib.loads(project.read_text()) == {"model": "moonshot/b"}
    assert kept(place, "credentials.toml") == {}, "a variable has it"


def test_a_server_is_known_by_its_address_alone_and_a_new_session_knows_it(
    place: Place, address: str
) -> None:
    typed = address.removesuffix("/v1").removeprefix("http://")
    with place.engine(
        place.script({"text": "hi"}), environment={"OLLAMA_HOST": "127.0.0.1:9"}
    ) as driver:
        wants = step(driver, SetUp("1", "ask", "", typed))
        assert (wants.kind, wants.provider, wants.address) == ("auth", "compatible", address)
        found = step(driver, SetUp("2", "ask", "compatible", address, key=KEY))
        assert found.models == ("compatible/a", "compatible/b")
        step(driver, SetUp("3", "keep", "compatible", model="a"))
        driver.send(Resume(""))
        again = driver.until(SessionStarted)
        assert again.model == "compatible/a"
    assert kept(place, "config.toml") == {
        "providers": {"compatible": {"base_url": address}},
        "model": "compatible/a",
    }
    assert kept(place, "credentials.toml") == {"keys": {"compatible": KEY}}


@pytest.mark.parametrize(
    ("scope", "keeps"), [("user", True), ("project", True), ("session", False)]
)
def test_a_default_comes_with_the_address_that_the_session_alone_knows(
    place: Place, scope: Any, keeps: bool
) -> None:
    with model_server() as server, place.engine(place.script({"text": "hi"})) as driver:
        driver.send(SetModel("", base_url=server.address))
        question = driver.until(QuestionAsked)
        driver.send(Answer(question.id, "later"))
        driver.until(QuestionAnswered)
        step(driver, SetUp("1", "ask", "compatible"))
        assert (
            step(driver, SetUp("2", "keep", "compatible", model="m", scope=scope)).state == "kept"
        )
    servers = kept(place, "config.toml").get("providers")
    assert servers == ({"compatible": {"base_url": server.address}} if keeps else None)


def test_a_second_server_does_not_take_the_place_of_the_first(place: Place, address: str) -> None:
    (place.home / "config.toml").write_text(
        '[providers.compatible]\nbase_url = "http://127.0.0.1:9/v1"\n'
    )
    config = place.config(place.script({"text": "hi"}), environment={"OLLAMA_HOST": "127.0.0.1:9"})
    first = {"compatible": ProviderSettings("http://127.0.0.1:9/v1")}
    with running(replace(config, settings=replace(config.settings, providers=first))) as driver:
        found = step(driver, SetUp("1", "ask", "", address, key=KEY))
        name = (
            address.removeprefix("http://").removesuffix("/v1").replace(".", "-").replace(":", "-")
        )
        assert found.models == (f"{name}/a", f"{name}/b")
        step(driver, SetUp("2", "keep", name, model=f"{name}/a"))
        assert driver.all(ModelChanged)[-1].model == f"{name}/a"
    servers = {"compatible": {"base_url": "http://127.0.0.1:9/v1"}, name: {"base_url": address}}
    assert kept(place, "config.toml") == {"providers": servers, "model": f"{name}/a"}


def test_what_answers_may_be_an_ollama(place: Place) -> None:
    with serving("small") as ollama, place.engine(place.script({"text": "hi"})) as driver:
        found = step(driver, SetUp("1", "ask", "", ollama.address))
        assert (found.provider, found.models, found.first) == (
            "ollama",
            ("ollama/small",),
            "ollama/small",
        )
        step(driver, SetUp("2", "keep", "ollama", model="ollama/small"))
    assert kept(place, "config.toml")["providers"] == {
        "ollama": {"base_url": f"http://{ollama.address}"}
    }


@pytest.mark.parametrize(
    ("typed", "says"),
    [("127.0.0.1:9", "no server answers there"), ("not an address", "is not an address")],
)
def test_where_nobody_answers_it_says_so_in_a_line(place: Place, typed: str, says: str) -> None:
    with place.engine(place.script({"text": "hi"})) as driver:
        failed = step(driver, SetUp("1", "ask", "", typed))
    assert (
        failed.state == "failed" and says in failed.said and "\n" not in failed.said and failed.hint
    )


def test_what_is_set_up_elsewhere_gets_no_key_of_the_first_place(
    place: Place, address: str
) -> None:
    """A key is kept for an address: another one that is typed is not sent it."""
    credentials.save(place.home, "lmstudio", KEY)
    with place.engine(
        place.script({"text": "hi"}), environment={"LMSTUDIO_BASE_URL": NOWHERE}
    ) as driver:
        assert step(driver, SetUp("1", "ask", "lmstudio", address)).kind == "auth"


@pytest.mark.parametrize("broken", ["config.toml", "credentials.toml"])
def test_all_is_kept_or_nothing(place: Place, address: str, broken: str) -> None:
    if broken == "config.toml":
        (place.home / broken).write_text("this is no TOML\n")
    else:
        (place.home / broken).mkdir()
    script = place.script({"text": "hi"})
    with place.engine(script, environment={"MOONSHOT_BASE_URL": address}) as driver:
        step(driver, SetUp("1", "ask", "moonshot", key=KEY))
        failed = step(driver, SetUp("2", "keep", "moonshot", model="moonshot/b"))
        assert failed.state == "failed" and broken in failed.said and not driver.all(ModelChanged)
    assert not having(place, KEY)
    assert "model" not in (place.home / "config.toml").read_text()


def test_a_model_that_cannot_be_opened_is_not_kept(place: Place) -> None:
    with serving("small") as ollama:
        environment = {"OLLAMA_HOST": ollama.address}
        with place.engine(place.script({"text": "hi"}), environment=environment) as driver:
            offered = step(driver, SetUp("1", "ask", "ollama"))
            failed = step(driver, SetUp("2", "keep", "ollama", model="ollama/none"))
            assert failed.state == "failed" and "none" in failed.said
            assert failed.models == offered.models != (), "they are there to choose from"
    assert kept(place, "config.toml") == {}


@pytest.mark.parametrize("where", ["keyring", "file"])
def test_the_key_is_kept_where_the_person_says(
    place: Place, address: str, where: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEST_KEYRING", str(place.root / "ring.json"))
    backend = keyrings.FileKeyring()
    with keyrings.used(backend):
        backend.set_password(credentials.SERVICE, "moonshot", WRONG)
        with place.engine(
            place.script({"text": "hi"}), environment={"MOONSHOT_BASE_URL": address}
        ) as driver:
            driver.send(SetUp("1", "look"))
            told = driver.until(Answered, lambda e: e.kind == "setup" and not e.data.looking)
            assert told.data.keyring is True
            step(driver, SetUp("2", "ask", "moonshot", key=KEY))
            step(driver, SetUp("3", "keep", "moonshot", model="moonshot/b", place=where))
    assert having(place, KEY) == ({"ring.json"} if where == "keyring" else {"credentials.toml"})
    assert not having(place, WRONG), "an older key in the keyring would win"


def test_leaving_forgets_the_key(place: Place, address: str) -> None:
    with place.engine(
        place.script({"text": "hi"}), environment={"MOONSHOT_BASE_URL": address}
    ) as driver:
        step(driver, SetUp("1", "ask", "moonshot", key=KEY))
        driver.send(SetUp("", "leave"))
        assert step(driver, SetUp("2", "keep", "moonshot", model="moonshot/b")).state == "failed"
    assert not having(place, KEY) and kept(place, "config.toml") == {}


def test_a_key_that_another_one_wins_over_is_told(place: Place, address: str) -> None:
    environment = {"MOONSHOT_BASE_URL": address, "MOONSHOT_API_KEY": WRONG}
    with place.engine(place.script({"text": "hi"}), environment=environment) as driver:
        step(driver, SetUp("1", "ask", "moonshot", key=KEY))
        step(driver, SetUp("2", "keep", "moonshot", model="moonshot/b"))
        assert any(
            "MOONSHOT_API_KEY" in one.text and one.level == "warning" for one in driver.all(Notice)
        )
