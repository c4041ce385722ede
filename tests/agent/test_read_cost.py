"""What a read costs: its text is looked through for secrets once, and reads side by side share the
look at `.env`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from agent_tui.protocol.display import CodeDisplay
from agent_tui.protocol.events import ToolEnded
from agent_tui.safety.secrets import scrubber
from agent_tui.safety.secrets.env_files import EnvFiles
from agent_tui.safety.secrets.scrubber import placeholder
from agent_tui.safety.secrets.strength import Secret
from tests.agent.driving import Driver, Place

TEXT = "".join(f"value_{number} = {number}\n" for number in range(400))
TOKEN = "ghp_" + "a1B2c3D4" * 5
OWN = "hunter2-xyzzy-plugh"
DONE = [{"text": "done"}]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    place = Place(tmp_path)
    place.cwd.mkdir()
    return place


def reads(*names: str, **more: Any) -> list[dict[str, Any]]:
    return [{"call": "read_file", "arguments": {"path": name, **more}} for name in names]


def test_the_text_is_looked_through_once(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    (place.cwd / "a.py").write_text(TEXT)
    looked = 0
    find: Callable[..., Iterable[Secret]] = scrubber.find_secrets

    def counted(text: str, *args: Any, **more: Any) -> Iterable[Secret]:
        nonlocal looked
        looked += len(text)
        return find(text, *args, **more)

    monkeypatch.setattr(scrubber, "find_secrets", counted)
    with place.engine(place.script(reads("a.py"), DONE)) as driver:
        driver.turn("read it")
    assert len(TEXT) <= looked <= len(TEXT) + 500


def test_ten_reads_share_the_look(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"{number}.py" for number in range(10)]
    for name in names:
        (place.cwd / name).write_text(TEXT)
    looks = 0
    new_values = EnvFiles.new_values

    def counted(files: EnvFiles, folders: Iterable[Path]) -> tuple[str, ...]:
        nonlocal looks
        looks += 1
        return new_values(files, folders)

    monkeypatch.setattr(EnvFiles, "new_values", counted)
    with place.engine(place.script(reads(*names), DONE)) as driver:
        driver.turn("read them")
        assert len(driver.all(ToolEnded)) == 10
    assert looks <= 4  # of the turn, of the step, one that runs, and one that is waited for


def ended(driver: Driver) -> ToolEnded:
    return driver.all(ToolEnded)[-1]


def test_nothing_is_told_that_was_hidden_before(place: Place) -> None:
    """By its shape, as a value that is known, in the lines above that colours depend on."""
    (place.cwd / ".env").write_text(f"DB_PASSWORD={OWN}\n")
    secret = f'key = """{TOKEN} {OWN}\n' + "text\n" * 5
    (place.cwd / "a.py").write_text(f'{secret}"""\n')
    part = reads("a.py", start_line=3, end_line=4)
    with place.engine(place.script(reads("a.py"), DONE, part, DONE)) as driver:
        for _ in range(2):
            driver.turn("read it")
            shown = ended(driver).display
            assert isinstance(shown, CodeDisplay)
            told = f"{ended(driver).content}{shown}"
            assert TOKEN not in told and OWN not in told
            assert placeholder("github-token", TOKEN) in told and "[hidden:key:" in told
    log = "".join(path.read_text() for path in (place.home / "sessions").glob("*.jsonl"))
    assert TOKEN not in log and OWN not in log


HALVES = ("Qk8vWz3nRt", "Lm5pXc7dYh2bJf/Gs9qTe4u")


def names_it(value: str) -> str:
    """As each format writes a value."""
    return "\n".join(
        [
            f"url = postgres://app:{value}@db.local/x",
            f"get https://api.local/?token={value}&x=1",
            f"password: {value}",
            f"mysql -u root -p{value}",
            f"Authorization: Bearer {value}",
            f"export SECRET_KEY={value}",
            f'api_key = "{value}"',
            f"curl -u admin:{value} https://h/",
            f"plain {value} word",
        ]
    )


@pytest.mark.parametrize("mark", "@/&;,})>")
def test_no_part_of_a_known_value_is_told(place: Place, mark: str) -> None:
    """What looks like a secret may be a part of one that is known."""
    value = mark.join(HALVES)
    (place.cwd / ".env").write_text(f"DB_PASSWORD='{value}'\n")
    (place.cwd / "a.conf").write_text(names_it(value))
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
    cells = [{**cell, "source": names_it(value)}]
    book = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}
    (place.cwd / "n.ipynb").write_text(json.dumps(book))
    looks = [
        *reads("a.conf", "n.ipynb"),
        {"call": "grep_files", "arguments": {"pattern": "."}},
        {"call": "grep_files", "arguments": {"pattern": "plain", "context": 3}},
    ]
    with place.engine(place.script(looks, DONE), mode="accept-all") as driver:
        driver.turn("look")
        told = [f"{one.content}{one.display}" for one in driver.all(ToolEnded)]
    assert len(told) == 4 and all("[hidden:key:" in one for one in told)
    assert [part for part in HALVES if part in "".join(told)] == []
