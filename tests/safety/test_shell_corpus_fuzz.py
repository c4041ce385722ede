"""Commands that must ask, written in other ways, still ask.

10,000 random changes in each run; `SHELL_FUZZ=1000000 python -m pytest -n 0
tests/safety/test_shell_corpus_fuzz.py` makes a million, with a new seed each time (`SHELL_FUZZ_SEED`
repeats one).
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from agent_tui.safety.shell.classifier import classify
from tests.safety import shell_corpus

COUNT = int(os.environ.get("SHELL_FUZZ", "10000"))
SEED = int(os.environ.get("SHELL_FUZZ_SEED", time.time_ns() if COUNT > 10_000 else 1))
HARMLESS = ("ls", "true", "git status", "cat README.md", "echo a 'b c'", "grep -n main src/app.py")
JOINS = (" && ", " || ", "; ", " | ", "\n", "&&", ";", "|", " |& ", "\n\n")
COMMENTS = (" # ls", ' # it\'s "fine" `here`', "\t#$(", " #")


def outside_quotes(text: str) -> list[int]:
    """Where letters stand that no quote, escape, expansion or comment has part in."""
    found, at = list[int](), 0
    while at < len(text):
        character = text[at]
        if character in "'\"`":
            end = text.find(character, at + 1)
            at = len(text) if end < 0 else end + 1
        elif character == "\\":
            at += 2
        elif character in "$#{<(":
            break  # what is behind it is a world of its own
        else:
            if character.isascii() and character.isalpha():
                found.append(at)
            at += 1
    return found


def quoted(text: str, chance: random.Random) -> str:
    places = outside_quotes(text)
    if not places:
        return text
    at = chance.choice(places)
    letter = text[at]
    written = chance.choice(
        (f"\\{letter}", f"'{letter}'", f'"{letter}"', f"''{letter}", f'{letter}""')
    )
    return text[:at] + written + text[at + 1 :]


def spaced(text: str, chance: random.Random) -> str:
    return chance.choice((" ", "\t", "\n", "  \t ")) * chance.randint(1, 3) + text + " "


def commented(text: str, chance: random.Random) -> str:
    return text + chance.choice(COMMENTS)


def before(text: str, chance: random.Random) -> str:
    return chance.choice(HARMLESS) + chance.choice(JOINS) + text


def behind(text: str, chance: random.Random) -> str:
    return text + chance.choice(JOINS) + chance.choice(HARMLESS)


def grouped(text: str, chance: random.Random) -> str:
    return chance.choice(
        ("({})", "( {} )", "! {}", "{{ {}; }}", "LC_ALL=C {}", "{} 2>/dev/null")
    ).format(text)


def long(text: str, chance: random.Random) -> str:
    return text + " " * chance.randint(1, 300) + chance.choice(("", "; ls"))


CHANGES: tuple[Callable[[str, random.Random], str], ...] = (
    quoted,
    quoted,
    spaced,
    commented,
    before,
    behind,
    grouped,
    long,
)


@pytest.mark.timeout(0)
def test_no_change_of_writing_makes_a_command_harmless(tmp_path: Path) -> None:
    place = shell_corpus.build(tmp_path)
    chance = random.Random(SEED)
    commands = [entry.command for entry in shell_corpus.of("asks", "hard")]
    for _ in range(COUNT):
        command = origin = chance.choice(commands)
        for change in chance.choices(CHANGES, k=chance.randint(1, 4)):
            command = change(command, chance)
        assert classify(command, (place,)).reason, f"seed {SEED}: {command!r} from {origin!r}"
