"""Questions of the model in a real terminal: two tabs, a mark, own words, and a plan."""

from __future__ import annotations

import json
import time
from pathlib import Path

from agent_tui.tui.screen.key_guards import ROW_SECONDS
from tests.tui.tmux_live import TmuxWindow

QUESTIONS = [
    {"question": "Which Pythons?", "options": ["3.11", "3.12"], "multi": True},
    {"question": "Where to?", "options": ["here", "there"]},
]
ASK = {"call": "ask_user", "arguments": {"questions": QUESTIONS}}
PLAN = "\n".join(f"{n}. Step number {n}" for n in range(1, 60))
PROPOSE = {"call": "propose_plan", "arguments": {"plan": PLAN}}


def press(window: TmuxWindow, key: str, shown: str) -> None:
    """Press `key` when it can be meant for the question."""
    time.sleep(1.5 * ROW_SECONDS)
    window.press(key)
    window.until(shown)


def test_a_journey(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    steps = [[ASK], [PROPOSE], ["All done."]]
    (work / "s.json").write_text(json.dumps({"steps": steps}))
    argv = ["-m", "agent_tui", "-m", "scripted/s.json", "--cwd", str(work), "--mode", "plan"]
    window = TmuxWindow(argv, tmp_path, {}, (80, 24))
    try:
        window.until("Ask, or type")
        window.type("go")
        window.press("Enter")
        window.until("Which Pythons?")
        press(window, "Down", "❯ 2 [ ] 3.12")
        press(window, "Space", "❯ 2 [x] 3.12")
        press(window, "Right", "2 of 2")
        press(window, "m", "❯ m")
        press(window, "Enter", "Your answer")
        window.type("nowhere")
        press(window, "Enter", "[x] 3.12")
        press(window, "Enter", "Start with this plan?")
        press(window, "PageDown", "of 59")
        press(window, "e", "❯ e")
        press(window, "Enter", "All done.")
        window.until("accept-edits")
    finally:
        window.close()
