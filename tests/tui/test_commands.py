"""The command table: one file a command, and everything derived from it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from agent_tui.protocol.event import Event
from agent_tui.protocol.events import (
    AssistantReplied,
    QueueChanged,
    StepStarted,
    TextDelta,
    TurnStarted,
)
from agent_tui.protocol.ops import MODES, QueueEdit, Resume, SetMode
from agent_tui.protocol.transcript import Queued
from agent_tui.tui import commands, sheets
from agent_tui.tui.commands import COMMANDS, bindings, by_slash, find
from agent_tui.tui.commands.base import Situation, key_name
from agent_tui.tui.core.effects import Copy, Quit
from tests.tui.play import Play

NAMES = [
    "search",
    "timestamps",
    "durations",
    "edit",
    "settings",
    "hidden",
    "memory",
    "history",
    "suspend",
    "vim",
    "palette",
    "resume",
    "new",
    "theme",
    "files",
    "log",
    "debug",
    "todo",
    "trust",
    "undo",
    "diff",
    "redo",
    "rewind",
    "load",
    "rename",
    "label",
    "fork",
    "tree",
    "stats",
    "go-on",
    "retry",
    "effort",
    "replay",
    "bug",
    "btw",
    "help",
    "model",
    "models",
    "next-model",
    "permissions",
    "pull",
    "mode",
    "clear",
    "quit",
    "queue",
    "skills",
    "thinking",
    "compact",
    "context",
    "map",
    "copy",
    "export",
    "mouse",
    "doctor",
    "setup",
    "add",
    "add-dir",
    "drop",
    "jobs",
    "background",
]


def test_the_slash_commands() -> None:
    assert sorted(command.name for command in COMMANDS if command.slash) == sorted(NAMES)


def test_every_command_of_every_file_is_there_once() -> None:
    folder = Path(commands.__file__).parent
    made = [
        function.name.replace("_", "-")
        for path in folder.glob("*.py")
        for function in ast.parse(path.read_text("utf-8")).body
        if isinstance(function, ast.FunctionDef)
        and "command" in map(_called, function.decorator_list)
    ]
    of_sheets = {command.name for kind in sheets.names() for command in sheets.find(kind).commands}
    assert sorted(made) == sorted({command.name for command in COMMANDS} - of_sheets)


def _called(decorator: ast.expr) -> str:
    made = decorator.func if isinstance(decorator, ast.Call) else decorator
    return made.id if isinstance(made, ast.Name) else ""


def test_each_command_of_the_footer_is_in_the_file_that_the_table_names() -> None:
    """The first frame imports no other."""
    for name, file in commands.LABELLED.items():
        assert name in [one.name for one in commands.of_file(file)]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_every_command_has_help_and_a_way_to_it(command: commands.Command) -> None:
    assert command.help.endswith(".")
    assert command.summary
    assert command.slash or command.keys or command.empty


def test_no_key_or_name_is_taken_twice() -> None:
    keys = [key for command in COMMANDS for key in (*command.keys, *command.empty)]
    names = [
        name for command in COMMANDS if command.slash for name in (command.name, *command.aliases)
    ]
    assert len(keys) == len(set(keys)) == len(bindings())
    assert len(names) == len(set(names))


def test_the_help_names_every_key_and_command() -> None:
    play = Play()
    play.press("f1")
    overlay = play.model.overlay
    assert overlay is not None and overlay.picker is not None
    text = "\n".join(f"{entry.label} {entry.about}" for entry in overlay.picker.entries)
    for command in COMMANDS:
        assert command.help in text
        for key in (*command.keys, *command.empty):
            assert key_name(key) in text


def test_the_footer_names_only_keys_that_are_bound() -> None:
    shown = {key_name(key) for key in bindings()}
    for running in (False, True):
        for draft in (False, True):
            for queued in (False, True):
                now = Situation(running=running, draft=draft, queued=queued, paused=queued)
                labels = [c for c in COMMANDS if c.label is not None and c.label(now)]
                assert {key_name((*c.keys, *c.empty)[0]) for c in labels} <= shown
                assert all(c.name != "stop" for c in labels), "it is said above the prompt"
                assert any(c.name == "queue" for c in labels) == queued


def test_key_names() -> None:
    keys = ["ctrl+x", "escape", "question_mark", "shift+tab", "f1", "pagedown", "ctrl+home"]
    assert [key_name(key) for key in keys] == [
        "Ctrl+X",
        "Esc",
        "?",
        "Shift+Tab",
        "F1",
        "PgDn",
        "Ctrl+Home",
    ]


def test_aliases() -> None:
    assert by_slash("exit") is find("quit")
    assert by_slash("stop") is None


def test_quit() -> None:
    play = Play()
    play.type("/exit")
    play.press("enter")
    assert play.takes(Quit) == [Quit()]


def test_a_new_session_begins_when_nothing_runs() -> None:
    play = Play()
    play.begin()
    play.type("/new")
    play.press("enter")
    assert play.ops == [] and "stop it first" in play.toast
    play.end()
    play.type("/new")
    play.press("enter")
    assert play.take() == [Resume("")]


def test_what_a_session_costs_is_among_its_figures() -> None:
    play = Play()
    play.type("/cost")
    play.press("enter")
    assert play.model.overlay is not None and play.model.overlay.kind == "stats"


@pytest.mark.parametrize("mode", MODES)
def test_a_mode_by_name(mode: str) -> None:
    play = Play()
    play.type(f"/mode {mode}")
    play.press("enter")
    assert play.take() == [SetMode(mode)]


def test_an_unknown_mode_names_the_modes() -> None:
    play = Play()
    play.type("/mode yolo")
    play.press("enter")
    assert play.ops == []
    assert all(mode in play.toast for mode in MODES)


def test_the_queue_is_shown_and_cleared() -> None:
    play = Play()
    play.type("/queue")
    play.press("escape", "enter")
    assert play.toast == "the queue is empty"
    play.begin()
    play.feed(QueueChanged(items=(Queued("a", "one"), Queued("b", "two")), session="s"))
    play.text = ""
    play.type("/queue")
    play.press("escape", "enter")
    assert play.view.overlay is not None
    assert [option.label for option in play.view.overlay.options] == ["one", "two"]
    play.press("escape")
    play.effects.clear()
    play.type("/queue clear")
    play.press("enter")
    assert play.take() == [QueueEdit("clear")]


def _copied(*events: Event) -> list[object]:
    play = Play()
    play.feed(*events)
    play.effects.clear()
    play.type("/copy 1")
    play.press("enter")
    return list(play.takes(Copy)) or [play.view.toast.text if play.view.toast else ""]


def test_copy_takes_the_last_answer_whole() -> None:
    answer = "# Title\n\nText.\n\n```py\n" + "x = 1\n" * 150 + "```\n\nEnd."
    events = (
        TurnStarted(prompt="go", session="s"),
        StepStarted(step=1, session="s"),
        AssistantReplied(text="An older answer.", session="s"),
        StepStarted(step=2, session="s"),
        AssistantReplied(text=answer, reasoning="hm", session="s"),
    )
    assert _copied(*events) == [Copy(answer)]


def test_copy_takes_what_is_written_so_far() -> None:
    begun = (TurnStarted(prompt="go", session="s"), StepStarted(step=1, session="s"))
    assert _copied(*begun, TextDelta("One.\n\nTwo", session="s")) == [Copy("One.\n\nTwo")]


def test_nothing_to_copy_is_said() -> None:
    assert _copied(TurnStarted(prompt="go", session="s")) == ["there is no answer to copy yet"]


def test_the_footer_asks_for_no_command_that_it_may_not_name() -> None:
    assert [one.name for one in commands.COMMANDS if one.label is not None] == [*commands.LABELLED]


@pytest.mark.parametrize("draft", [False, True])
@pytest.mark.parametrize("paused", [False, True])
@pytest.mark.parametrize("reading", [False, True])
def test_at_rest_the_footer_may_name_no_other_command(
    draft: bool, paused: bool, reading: bool
) -> None:
    now = Situation(draft=draft, paused=paused, reading=reading)
    named = {
        name for name in commands.LABELLED if (label := commands.find(name).label) and label(now)
    }
    assert named <= set(commands.AT_REST)
