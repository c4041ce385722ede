"""Choosing a model in a real terminal, of a real server: `/models`, `/pull`, and `/doctor`."""

from __future__ import annotations

import socket
from pathlib import Path

from tests.tui.ollama_stage import screen, serving


def test_models_of_a_provider_and_of_an_alias(tmp_path: Path) -> None:
    config = '[aliases]\nbig = "ollama/tall"\n'
    with serving("small", "tall") as ollama, screen(tmp_path, ollama.address, config) as pty:
        pty.type("/models ollama\r")
        shown = pty.until("search: ollama/")
        assert (
            "ollama/small" in shown
            and "ollama/tall" in shown
            and "enter a server address" not in shown
        )
        pty.type("\x1b")
        pty.until(lambda text: "search:" not in text)
        pty.type("/models big\r")
        pty.until("ollama/tall · 8k window")
        pty.pause()
        pty.type("\r")
        pty.until("big is ollama/tall.")


def test_an_unknown_model_names_the_list(tmp_path: Path) -> None:
    with serving("small") as ollama, screen(tmp_path, ollama.address) as pty:
        pty.type("/model ollama/none\r")
        pty.until("/models lists the models, /setup adds a provider")


def test_a_pull_shows_its_bar_is_stopped_and_goes_on(tmp_path: Path) -> None:
    with serving("small") as ollama, screen(tmp_path, ollama.address) as pty:
        pty.type("/pull tall\r")
        ollama.parts.put(40)
        pty.until(" 40 %")
        pty.type("\x1b")
        pty.until("The downloaded part of tall is kept")
        ollama.parts.put(41)
        ollama.parts.put(42)
        assert ollama.broken.get(timeout=15) == "tall"
        pty.type("/pull tall\r")
        ollama.parts.put(70)
        pty.until(" 70 %")
        pty.pause()
        pty.type("\r")
        pty.until(lambda text: "70 %" not in text)
        ollama.parts.put(None)
        pty.until(lambda text: "tall is downloaded." in text and "ollama/tall ·" in text)


def test_the_doctor_says_on_the_screen_what_is_wrong_and_keys_go_on(tmp_path: Path) -> None:
    with serving("small") as ollama, screen(tmp_path, ollama.address) as pty:
        (tmp_path / "place" / "config.toml").chmod(0o644)
        pty.type("/doctor\r")
        said = (
            "1 problem to fix",
            "chmod 600",
            "(0644)",
            f"http://{ollama.address}: answers, 1 model ",
        )
        pty.until(lambda text: all(words in text for words in said))  # a frame comes in parts
        pty.type("\x1b")
        pty.until(lambda text: "problem to fix" not in text)
        pty.type("still here")
        pty.until("still here")


def test_the_doctor_waits_for_a_server_and_keys_do_not(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent, serving("small") as ollama:
        silent.settimeout(20)
        address = "http://{}:{}/v1".format(*silent.getsockname())
        with screen(tmp_path, ollama.address, f'[providers.slow]\nbase_url = "{address}"\n') as pty:
            pty.type("/doctor\r")
            pty.until("looking")
            connection, _ = silent.accept()  # it is asked, and says nothing
            with connection:
                pty.type("\x1b")
                pty.until(lambda text: "looking" not in text)
                pty.type("still here")
                pty.until("still here")


def test_a_provider_is_set_up_later_and_left_without_a_change(tmp_path: Path) -> None:
    with serving("small") as ollama, screen(tmp_path, ollama.address) as pty:
        pty.type("/setup\r")
        shown = pty.until("1 model")
        assert "Whose models do you want to use?" in shown and "Anthropic" in shown
        pty.type("\x1b")
        pty.until(
            lambda text: (
                "Enter send" in text and "ollama/small" in text and "Whose models" not in text
            )
        )
    assert (tmp_path / "place" / "config.toml").read_text() == ""
