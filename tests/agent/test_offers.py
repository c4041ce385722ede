"""What is said of the models to choose from: prices by where they run, and which were used last."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from agent_tui.agent.services import models as offers
from agent_tui.protocol.answers import ModelFacts
from agent_tui.protocol.events import Answered
from agent_tui.protocol.messages import ModelInfo
from agent_tui.protocol.ops import Query
from agent_tui.settings.table import ProviderSettings
from tests.agent.driving import Place

NAMES = ("ollama/q", "openai/gpt-5", "openai/else", "acme/x", "nobody/y")


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_prices_go_by_where_a_model_runs(place: Place) -> None:
    config = place.config("", environment={"OPENAI_API_KEY": "k"})
    acme = {"acme": ProviderSettings("https://acme.example/v1")}
    config = replace(config, settings=replace(config.settings, providers=acme))
    models = [ModelInfo(name, thinking=True, images=False) for name in NAMES]
    found = asyncio.run(offers.facts_of(models, config))
    assert {name: one.price for name, one in found.items()} == {
        "ollama/q": (0.0, 0.0),
        "openai/gpt-5": (1.25, 10.0),
        "openai/else": None,
        "acme/x": None,
        "nobody/y": None,
    }
    assert found["openai/gpt-5"] == ModelFacts(
        (1.25, 10.0), True, ("minimal", "low", "medium", "high")
    )
    own = {"acme/*": {"input": 3.0, "output": 4.0}}
    config = replace(config, settings=replace(config.settings, prices=own))
    assert asyncio.run(offers.facts_of(models, config))["acme/x"].price == (3.0, 4.0)


def test_the_models_used_last_come_from_the_sessions(place: Place) -> None:
    for name in ("one.json", "two.json", "one.json"):
        with place.engine(place.script([{"text": "hi"}], name=name)) as driver:
            driver.turn("hello")
    with place.engine(place.script([{"text": "hi"}], name="one.json")) as driver:
        driver.send(Query("q", "models"))
        data = driver.until(Answered, lambda event: event.id == "q").data
    assert data.used == ("scripted/one.json", "scripted/two.json")
    assert data.facts.keys() == {one.name for one in data.offered}
