from __future__ import annotations

import re
from pathlib import Path

import pytest

import agent_tui
from agent_tui.present.wording import FAILED, failure_reason, reason, time_ago

SOURCES = Path(agent_tui.__file__).parent


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (-5, "just now"),
        (59, "just now"),
        (60, "1 min ago"),
        (3599, "59 min ago"),
        (3600, "1 h ago"),
        (86_399, "23 h ago"),
        (86_400, "1 day ago"),
        (200_000, "2 days ago"),
    ],
)
def test_how_long_since(seconds: float, words: str) -> None:
    assert time_ago(seconds) == words


@pytest.mark.parametrize(
    ("tag", "said", "words"),
    [
        (
            "no_match",
            "Error [no_match]: a.py does not contain that text. The nearest text is this (mind spaces):\n 1→x",
            "a.py does not contain that text; showed the model the nearest text",
        ),
        (
            "no_match",
            "Error [no_match]: a.py does not contain that text. It has no similar text: read it again.",
            "a.py does not contain that text",
        ),
        (
            "ambiguous",
            "Error [ambiguous]: a.py contains that text 2 times, at lines 1, 4: give more lines around it",
            "a.py contains that text 2 times, at lines 1, 4; asked the model to include more context",
        ),
        ("exception", "\nError [exception]: OSError: full\nmore", "OSError: full"),
        (
            "not_found",
            "Error [not_found]: there is no b.py. Near it are:\na.py",
            "there is no b.py. Near it are …",
        ),
        ("", "it broke", "it broke"),
    ],
)
def test_a_failure_is_a_sentence(tag: str, said: str, words: str) -> None:
    assert reason(said, tag) == words
    assert "[" not in failure_reason(tag) and "_" not in failure_reason(tag)


def test_a_tag_of_another_version_is_said_in_words() -> None:
    assert failure_reason("disk_quota_hit") == "failed: disk quota hit"


@pytest.mark.parametrize(
    "path", sorted((SOURCES / "agent").glob("*.py")) + sorted((SOURCES / "tools").glob("*.py"))
)
def test_each_tag_has_its_words(path: Path) -> None:
    for tag in re.findall(r"(?:ToolFailure|_failed)\(\s*[\"'](\w+)[\"']", path.read_text()):
        assert tag in FAILED, tag
