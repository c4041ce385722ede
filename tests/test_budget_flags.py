"""`--max-cost` and `--max-tokens` as a script meets them: a real process, what it says, and exit code
4."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.agent.driving import Place
from tests.test_headless import LIST, run

USED = {"usage": {"prompt_tokens": 3_000, "completion_tokens": 100}}
PRICES = '[prices]\n"scripted/*" = { input = 1000, output = 1000 }\n'


@pytest.fixture
def place(tmp_path: Path) -> Place:
    place = Place(tmp_path)
    place.cwd.mkdir()
    return place


def model(place: Place) -> str:
    return place.script([LIST, USED], [LIST, USED], [{"text": "done"}, USED])


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--max-tokens", "6000"], "6,000 tokens (max_tokens) is not enough"),
        (["--max-cost", "5"], "$5.00 (max_cost)"),
    ],
)
def test_a_budget_ends_the_turn_with_4(place: Place, flags: list[str], said: str) -> None:
    place.home.mkdir()
    (place.home / "config.toml").write_text(PRICES)
    done = run(place, "go", "-m", model(place), *flags)
    assert (done.returncode, done.stdout) == (4, "")
    assert (
        said in done.stderr
        and "The turn ends here." in done.stderr
        and "Traceback" not in done.stderr
    )


def test_a_warning_near_the_limit_is_no_end(place: Place) -> None:
    done = run(place, "go", "-m", model(place), "--max-tokens", "11000", "--output", "json")
    told: dict[str, Any] = json.loads(done.stdout)
    assert done.returncode == 0 and told["cost"] == {
        "dollars": 0.0,
        "estimated": False,
        "unpriced": 0,
    }
    assert [text for text in told["notices"] if "nearly used up: 9,300 of 11,000 tokens" in text]


def test_the_limit_can_be_a_setting(place: Place) -> None:
    place.home.mkdir()
    (place.home / "config.toml").write_text("[agent]\nmax_tokens = 10\n")
    assert run(place, "go", "-m", model(place)).returncode == 4
    assert (
        run(place, "go", "-m", model(place), "--max-tokens", "90000").returncode == 0
    )  # the flag wins


@pytest.mark.parametrize(
    "flags", [["--max-cost", "0"], ["--max-tokens", "-5"], ["--max-cost", "nan"]]
)
def test_what_is_no_limit(place: Place, flags: list[str]) -> None:
    done = run(place, "go", "-m", model(place), *flags)
    assert done.returncode == 2 and flags[0] in done.stderr and len(done.stderr.splitlines()) == 1
