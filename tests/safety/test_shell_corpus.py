"""The corpus of shell commands: what only looks runs unasked, nothing else ever does."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from agent_tui.safety import policy
from agent_tui.safety.shell.classifier import classify
from tests.safety import shell_corpus
from tests.safety.shell_corpus import Entry

UNASKED_NEVER = ("plan", "manual", "auto", "accept-edits")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shell_corpus.build(tmp_path_factory.mktemp("corpus"))


def decided(mode: str, command: str, place: Path) -> policy.Decision:
    judged = classify(command, (place,))
    facts = policy.Facts("run_shell_command", "execute", (), command, str(place))
    return policy.decide(mode, replace(facts, unsure=judged.reason, calls=judged.calls))


def listed(*severities: str) -> list[object]:
    return [pytest.param(one, id=one.command[:60]) for one in shell_corpus.of(*severities)]


def test_the_corpus_is_large_and_says_nothing_twice() -> None:
    found = shell_corpus.entries()
    assert [
        command for command, times in Counter(e.command for e in found).items() if times > 1
    ] == []
    count = Counter(entry.severity for entry in found)
    assert count["looks"] >= 300
    assert count["asks"] + count["hard"] >= 450


@pytest.mark.parametrize("mode", UNASKED_NEVER)
def test_nothing_dangerous_runs_unasked(place: Path, mode: str) -> None:
    entries = shell_corpus.of("asks", "hard", "false ask")
    ran = [e.command for e in entries if decided(mode, e.command, place).verdict == "allow"]
    assert ran == []


@pytest.mark.parametrize("entry", listed("hard"))
def test_what_cannot_be_taken_back_asks_in_accept_all(place: Path, entry: Entry) -> None:
    decision = decided("accept-all", entry.command, place)
    assert decision.verdict == "ask"
    assert decision.hard


@pytest.mark.parametrize("entry", listed("looks"))
def test_what_only_looks_runs_unasked(place: Path, entry: Entry) -> None:
    assert classify(entry.command, (place,)).reason == ""
    assert decided("auto", entry.command, place).verdict == "allow"
    assert decided("plan", entry.command, place).verdict == "allow"
    assert decided("accept-all", entry.command, place).verdict == "allow"


def test_every_false_ask_has_its_reason() -> None:
    """The heading says it: more than a name of a class."""
    assert all(len(entry.group.split()) >= 6 for entry in shell_corpus.of("false ask"))
