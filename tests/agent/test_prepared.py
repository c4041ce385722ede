"""What a model's first request would wait for is loaded before it: once the session is open, and
with another model."""

from __future__ import annotations

from pathlib import Path
from queue import SimpleQueue

import pytest

from agent_tui.protocol.events import ModelChanged
from agent_tui.protocol.ops import SetModel
from agent_tui.providers.scripted import Scripted
from tests.agent.driving import Place


def test_every_model_in_use_is_prepared_before_it_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepared: SimpleQueue[str] = SimpleQueue()

    async def prepare(self: Scripted) -> None:
        prepared.put(self.model)

    monkeypatch.setattr(Scripted, "prepare", prepare)
    place = Place(tmp_path)
    one, other = (place.script([{"text": "hi"}], name=f"{name}.json") for name in ("one", "other"))
    with place.engine(one) as driver:
        assert prepared.get(timeout=30) in one
        driver.send(SetModel(other))
        driver.until(ModelChanged)
        assert prepared.get(timeout=30) in other
        assert prepared.empty()
