"""Words typed at the speed of a person while something asks: in a real terminal they grant nothing
and stay whole."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from tests.tui.pty_stage import ROOT, Pty

HUMAN = 0.16
"""Seconds from key to key."""


def start(tmp_path: Path, *arguments: str, settings: str = "") -> Pty:
    place, project = tmp_path / "place", tmp_path / "project"
    project.mkdir(exist_ok=True)
    if not place.exists():  # what an earlier start has saved stays
        place.mkdir()
        (place / "config.toml").write_text(f"[providers.demo]\npace = 0\n{settings}")
    env = {
        "AGENT_TUI_HOME": str(place),
        "HOME": str(tmp_path),
        "PYTHONPATH": str(ROOT),
        "TERM": "xterm-256color",
        "OLLAMA_HOST": "127.0.0.1:9",
        "OPENAI_API_KEY": "",
        "ANTHROPIC_API_KEY": "",
    }
    return Pty(["-m", "agent_tui", *arguments, "--cwd", str(project)], env, (100, 40))


def types(pty: Pty, words: str) -> None:
    """One key after the other, as people do; what is drawn in between is read."""
    for letter in words:
        pty.type(letter)
        end = time.monotonic() + HUMAN
        while (left := end - time.monotonic()) > 0:
            pty.read(left)


def test_words_at_a_question_go_to_the_prompt_and_only_enter_answers(tmp_path: Path) -> None:
    pty = start(tmp_path, "--model", "demo/tour")
    try:
        pty.until("Enter send")
        pty.type("tour\r")
        pty.until("yes, once")
        pty.read(1.0)
        types(pty, "also add tests")
        assert "yes, once" in pty.until("also add tests")
        pty.read(1.0)
        assert "yes, once" in pty.text, "it still asks"
        pty.choose("\x1by")
        pty.read(2.0)
        assert "yes, once" in pty.text, "a letter answers nothing by itself"
        pty.type("\r")
        pty.until(lambda text: "yes, once" not in text and "also add tests" in text)
    finally:
        pty.close()


@pytest.mark.parametrize("behind", ["\x1b", "\x1bn", "\x1b[B", "ls -la\r"])
def test_an_enter_with_a_key_right_behind_it_that_a_slow_line_parts_runs_nothing(
    tmp_path: Path, behind: str
) -> None:
    touch = {"call": "run_shell_command", "arguments": {"command": "touch ran.txt"}}
    (tmp_path / "s.json").write_text(json.dumps([[touch], ["done"]]))
    pty = start(tmp_path, "--model", f"scripted/{tmp_path}/s.json")
    try:
        pty.until("Enter send")
        pty.type("go\r")
        pty.until("yes, once")
        pty.read(2.0)
        pty.type("\r")
        pty.read(0.03)
        pty.type(behind[0])
        pty.read(0.1)
        pty.type(behind[1:])
        pty.read(2.0)
        assert not (tmp_path / "project" / "ran.txt").exists()
    finally:
        pty.close()


def test_late_answers_of_the_terminal_answer_no_question(tmp_path: Path) -> None:
    pty = start(tmp_path, "--model", "demo/tour")
    try:
        pty.until("Enter send")
        pty.type("tour\r")
        pty.until("yes, once")
        for piece in (
            "\x1b]10;rgb:ff",
            "ff/ffff",
            "/ffff\x07",
            "\x1bP>|XTe",
            "rm(390)",
            "\x1b\\",
            "\x1b[?62;2",
            "2c",
        ):
            pty.type(piece)
            pty.read(1.3)  # longer than the rest of an answer is waited for
        types(pty, "so")
        assert "yes, once" in pty.until("❯ so ")
        pty.choose("\x1bn")
        pty.type("\r")
        pty.until("✗ denied")
    finally:
        pty.close()


def test_esc_and_a_word_that_come_at_once_are_all_of_the_word(tmp_path: Path) -> None:
    pty = start(tmp_path, "--model", "demo/tour")
    try:
        pty.until("Enter send")
        pty.type("tour\r")
        pty.until("yes, once")
        pty.read(1.0)
        pty.type("\x1byes")
        assert "yes, once" in pty.until("❯ yes ")
    finally:
        pty.close()


@pytest.mark.parametrize("words", ["quick look", "describe it"])
def test_words_at_the_first_run_go_to_the_prompt(tmp_path: Path, words: str) -> None:
    pty = start(tmp_path)
    try:
        pty.until("No model yet")
        pty.read(1.0)
        types(pty, words)
        assert "No model yet" in pty.until(words)
        pty.read(1.0)
        pty.type("\x1bq")
        pty.until("press Enter to quit")
        pty.read(0.5)
        pty.type("\r")
        assert pty.wait() == 0
    finally:
        pty.close()
