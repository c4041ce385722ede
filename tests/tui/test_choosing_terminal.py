"""Choosing a model in a real terminal, of a real server: `/models` with a provider and with an alias."""

from __future__ import annotations

from pathlib import Path

from tests.tui.ollama_stage import screen, serving


def test_models_of_a_provider_and_of_an_alias(tmp_path: Path) -> None:
    with serving("small", "tall") as ollama:
        pty = screen(tmp_path, ollama.address, '[aliases]\nbig = "ollama/tall"\n')
        try:
            pty.until("Enter send")
            pty.type("/models ollama\r")
            shown = pty.until("search: ollama/")
            assert "ollama/small" in shown and "ollama/tall" in shown and "enter a server address" not in shown
            pty.type("\x1b")
            pty.until(lambda text: "search:" not in text)
            pty.type("/models big\r")
            pty.until("ollama/tall · 8k window")
            pty.type("\r")
            pty.until("big is ollama/tall.")
        finally:
            pty.close()


def test_an_unknown_model_names_the_list(tmp_path: Path) -> None:
    with serving("small") as ollama:
        pty = screen(tmp_path, ollama.address)
        try:
            pty.until("Enter send")
            pty.type("/model ollama/none\r")
            pty.until("/models lists what there is")
        finally:
            pty.close()


def test_a_pull_shows_its_bar_is_stopped_and_goes_on(tmp_path: Path) -> None:
    with serving("small") as ollama:
        pty = screen(tmp_path, ollama.address)
        try:
            pty.until("Enter send")
            pty.type("/pull tall\r")
            ollama.parts.put(40)
            pty.until(" 40 %")
            pty.type("\x1b")
            pty.until("Stopped: tall is not all here")
            ollama.parts.put(41)
            ollama.parts.put(42)
            assert ollama.broken.get(timeout=15) == "tall"
            pty.type("/pull tall\r")
            ollama.parts.put(70)
            pty.until(" 70 %")
            pty.type("\r")
            pty.until(lambda text: "70 %" not in text)
            ollama.parts.put(None)
            pty.until(lambda text: "tall is here." in text and "ollama/tall ·" in text)
        finally:
            pty.close()
