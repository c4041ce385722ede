"""What a person does in an ordinary hour, in a real tmux window: the queue, an image, the history,
an editor, vim."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.tui.test_paste_terminal import png
from tests.tui.tmux_live import TmuxWindow

Start = Callable[..., TmuxWindow]
READY = "Ask, or type"
SEARCHING = "Search earlier prompts"
WAITS = {
    "call": "run_shell_command",
    "arguments": {"command": "until [ -e go ]; do sleep 0.02; done"},
}


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts the program in its own folder, on a model that plays `steps`."""
    running: list[TmuxWindow] = []
    work = tmp_path / "work"
    work.mkdir()

    def starter(*steps: Any, **env: str) -> TmuxWindow:
        (work / "s.json").write_text(json.dumps({"steps": steps}))
        argv = [
            "-m",
            "agent_tui",
            "-m",
            "scripted/s.json",
            "--mode",
            "accept-all",
            "--cwd",
            str(work),
        ]
        window = TmuxWindow(argv, tmp_path, {"VISUAL": "", "EDITOR": "", **env}, (100, 30))
        running.append(window)
        window.until(READY)
        return window

    yield starter
    for window in running:
        window.close()


def _records(tmp_path: Path, kind: str) -> list[dict[str, Any]]:
    """What the logs of all sessions hold of this kind, in their order."""
    paths = sorted((tmp_path / "sessions").glob("*-????????????.jsonl"))
    records = [json.loads(line) for path in paths for line in path.read_bytes().splitlines()]
    return [record for record in records if record["type"] == kind]


def _prompts(tmp_path: Path) -> list[str]:
    return [record["prompt"] for record in _records(tmp_path, "turn_started")]


def _search(text: str) -> str:
    """What stands in the prompt; the transcript shows the same words, so they are no sign by
    themselves."""
    return next((row.strip(" │❯") for row in reversed(text.splitlines()) if "│ ❯" in row), "")


def _chosen(text: str) -> str:
    """The line under the cursor of the open sheet."""
    rows = text.partition("Earlier prompts")[2].splitlines()
    return next((row for row in rows if row.startswith("   ❯")), "")


def test_three_are_queued_one_is_edited_one_steers_and_the_rest_goes_on_after_escape(
    start: Start, tmp_path: Path
) -> None:
    window = start(
        ["Off I go.", WAITS], ["seen and slow", {"hang": True}], ["first done"], ["second done"]
    )
    window.send("begin", "Off I go.")
    for number, prompt in enumerate(("apples", "pears", "plums"), 1):
        window.send(prompt, f"queued ({number})")
    window.press("M-q")
    window.until("Queued prompts (3)")
    window.press("Down")
    window.until("❯ 2 pears")
    window.press("e")
    window.until("press Enter to edit")
    window.press("Enter")
    window.until("being edited: pears")
    window.type(" and figs")
    window.press("Enter")
    window.until(lambda text: "2 pears and figs" in text and "being edited" not in text)
    window.press("M-s")
    window.until("at the next step")
    (tmp_path / "work" / "go").touch()
    window.until("seen and slow")
    window.press("Escape")
    window.until("queued (2) paused")
    window.press("Enter")
    window.until("second done")
    window.until(READY)
    assert "queued" not in window.text
    assert [record["text"] for record in _records(tmp_path, "steer_seen")] == ["apples"]
    assert _prompts(tmp_path) == ["begin", "pears and figs", "plums"]


def test_the_path_of_an_image_is_pasted_and_sent(start: Start, tmp_path: Path) -> None:
    picture = tmp_path / "my shot.png"
    picture.write_bytes(png(64, 32))
    window = start(["A grey field."])
    window.type("what is on ")
    window.paste(f"'{picture}'")
    window.until("[Image #1 · my")
    window.type("?")
    assert not _prompts(tmp_path)
    window.press("Enter")
    window.until("A grey field.")
    assert _prompts(tmp_path)[0].startswith("what is on @")
    kept = [
        path for path in tmp_path.rglob("*") if path.is_file() and path.read_bytes() == png(64, 32)
    ]
    assert len(kept) > 1


def test_an_earlier_prompt_is_found_by_typing_and_sent_again(start: Start, tmp_path: Path) -> None:
    window = start(["one"], ["two"], ["three"], ["four"])
    for prompt, answer in (
        ("mend the till", "one"),
        ("paint the door", "two"),
        ("mend the roof", "three"),
    ):
        window.send(prompt, answer)
        window.until(READY)
    window.type("half a draft")
    window.press("C-r")
    window.until(SEARCHING)
    window.type("mend")
    window.until(lambda text: _search(text) == "mend" and "mend the roof" in _chosen(text))
    window.press("C-r")
    window.until(lambda text: "mend the till" in _chosen(text))
    window.press("Escape")
    window.until(lambda text: SEARCHING not in text and "❯ half a draft" in text)
    window.press("C-r")
    window.until(SEARCHING)
    window.type("door")
    window.until(lambda text: _search(text) == "door" and "paint the door" in _chosen(text))
    window.press("Enter")
    window.until(lambda text: SEARCHING not in text and _search(text) == "paint the door")
    window.press("Enter")
    window.until("four")
    assert _prompts(tmp_path)[-1] == "paint the door"


def test_the_editor_of_the_person_writes_the_prompt(start: Start, tmp_path: Path) -> None:
    editor = tmp_path / "editor"
    editor.write_text(
        '#!/bin/sh\nprintf "IN THE EDITOR "; read answer\nprintf " %s\\nsecond line\\n" "$answer" >> "$1"\n'
    )
    editor.chmod(0o755)
    window = start(["Understood."], EDITOR=str(editor))
    window.type("first words,")
    window.press("C-g")
    window.until("IN THE EDITOR")
    window.type("written outside")
    window.press("Enter")
    window.until(lambda text: "second line" in text and "IN THE EDITOR" not in text)
    window.press("Enter")
    window.until("Understood.")
    [prompt] = _prompts(tmp_path)
    assert prompt == "first words, written outside\nsecond line"


def test_vim_is_switched_on_edits_and_is_switched_off(start: Start, tmp_path: Path) -> None:
    window = start(["In vim."], ["As a shell."])
    window.send("/vim on", "vim: insert")
    window.type("mend old roof")
    window.press("Escape")
    window.until("vim: normal")
    window.press("0", "w", "c", "w")
    window.until("vim: insert")
    window.type("the")
    window.press("Escape")
    window.until("vim: normal")
    window.press("A")
    window.until("vim: insert")
    window.type("s")
    window.press("Enter")
    window.until("In vim.")
    window.until(READY)
    window.send("/vim off", READY)
    window.until(lambda text: "vim: " not in text.rstrip().splitlines()[-1])
    window.type("paint it 0w")
    window.press("Enter")
    window.until("As a shell.")
    assert _prompts(tmp_path) == ["mend the roofs", "paint it 0w"]
