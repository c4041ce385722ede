"""Prices of the person's own: what a file may say, and that a project may not."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent_tui.settings.schema import free_sections
from tests.places import load


def written(folder: Path, text: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.toml").write_text(text)
    return folder


def test_prices_are_the_persons_own(tmp_path: Path) -> None:
    good = '[prices]\n"openai/gpt-4.1" = {input = 2, output = 8, cached = 0.5}\n"acme/*" = {input = 0, output = 0}\n'
    config = written(tmp_path / "home", f'{good}"bad/m" = {{ input = 2 }}\n')
    work = tmp_path / "work"
    written(work / ".agent-tui", '[prices]\n"openai/gpt-4.1" = { input = 0, output = 0 }\n')
    found, problems = load(work, config)
    assert dict(found.prices) == {
        "openai/gpt-4.1": {"input": 2.0, "output": 8.0, "cached": 0.5},
        "acme/*": {"input": 0.0, "output": 0.0},
    }
    wrong, not_allowed = problems
    assert wrong.line == 4 and "expected dollars for a million tokens" in wrong.text
    assert not_allowed.key == "prices" and "project" in not_allowed.text


@pytest.mark.parametrize(
    "value",
    [
        3,
        [1, 2],
        {"output": 1},
        {"input": -1, "output": 1},
        {"input": True, "output": 1},
        {"input": 1, "output": "2"},
        {"input": 1, "output": 2, "much": 3},
        {"input": float("nan"), "output": 1},
    ],
)
def test_what_is_no_price(value: object) -> None:
    with pytest.raises(ValueError):
        free_sections()["prices"].kind.read(value)
