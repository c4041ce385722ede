"""A configuration that changed while a session goes on is known to everyone who works with it."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

from agent_tui.agent.config import EngineConfig
from agent_tui.agent.services.models import Models
from agent_tui.agent.services.setup import Attempt, attempt_configuration
from agent_tui.agent.turn.retries import Fallbacks, Other
from agent_tui.settings.table import Settings
from tests.agent.driving import Place
from tests.places import configured

ADDRESS = "https://models.invalid/v1"


def models(tmp_path: Path) -> Models:
    made = Place(tmp_path).config("scripted/none.json")
    return Models(replace(made, settings=Settings(fallback=("acme/m",), small_model="acme/m")))


def test_a_server_that_was_set_up_meanwhile_answers_instead_of_one_that_failed(
    tmp_path: Path,
) -> None:
    known = models(tmp_path)
    fallbacks = Fallbacks(known)
    assert isinstance(asyncio.run(fallbacks.make("acme/m")), str), "nobody has heard of it"
    known.configure(attempt_configuration(Attempt("acme", ADDRESS), known.config))
    found = asyncio.run(fallbacks.make("acme/m"))
    assert isinstance(found, Other) and getattr(found.provider, "base_url", "") == ADDRESS


def test_what_is_typed_makes_a_new_configuration_of_the_same_kind(tmp_path: Path) -> None:
    before = models(tmp_path).config
    after = attempt_configuration(Attempt("acme", ADDRESS, "k" * 20), before)
    assert isinstance(after, EngineConfig) and before.settings.providers == {}
    assert (after.cwd, after.folders, after.environment) == (
        before.cwd,
        before.folders,
        before.environment,
    )
    assert type(attempt_configuration(Attempt("acme", ADDRESS), configured())) is type(configured())
