"""The settings sheet: finding a setting, changing it, and what holds at once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from agent_tui.protocol.ops import Submit
from agent_tui.settings.layers import Flags
from agent_tui.settings.schema import entries, fixed_rows, free_sections, sections, top_rows
from agent_tui.settings.table import Settings
from agent_tui.settings.values import Value
from agent_tui.tui import sheets
from agent_tui.tui.commands import COMMANDS
from agent_tui.tui.core.display_options import FIELDS
from agent_tui.tui.core.effects import ReadSettings, UseTheme, WriteSetting
from agent_tui.tui.core.keymap import resolve
from agent_tui.tui.core.model import Configured, Overlay
from agent_tui.tui.core.msg import KeyPressed, Resized, SettingsRead
from agent_tui.tui.core.regions import OverlayView
from agent_tui.tui.screen import settings as sheet
from tests.tui.play import Play, words

CHARACTERS = {" ": "space", ".": "full_stop", "_": "underscore"}


def assert_default(play: Play, value: str) -> None:
    """A source is said of what somebody has set; the default is said below the list alone."""
    first = shown(play).options[0]
    assert (first.value, first.detail) == (value, "")
    assert f"{value}, the default" in "".join(map(words, shown(play).lines))


class Files:
    """The person's file as the runtime would keep it."""

    def __init__(self, play: Play, **others: Value) -> None:
        self.play = play
        self.values = {one.key: Value(one.default) for one in entries()} | {
            key.replace("__", "."): value for key, value in others.items()
        }
        self.defaults = {one.key: Value(one.default) for one in sheet.all_entries()}

    def answer(self, failed: str = "") -> list[WriteSetting]:
        """Do what was asked for, and say so."""
        wanted = [
            effect
            for effect in self.play.effects
            if isinstance(effect, ReadSettings | WriteSetting)
        ]
        self.play.effects.clear()
        for effect in wanted:
            key = ""
            if isinstance(effect, WriteSetting) and not failed:
                key, value = effect.key, effect.value
                read = tuple(value) if isinstance(value, list) else value
                if self.values.get(key, Value(None)).layer in ("default", "user"):
                    self.values[key] = self.defaults[key] if value is None else Value(read, "user")
            found = Configured(
                dict(self.values),
                ("ansi", "dark", "light", "nord"),
                ("/home/ada/config.toml:3: x: wrong",),
            )
            self.play.say(SettingsRead(found, key, failed))
        return [effect for effect in wanted if isinstance(effect, WriteSetting)]


def type_keys(play: Play, text: str) -> None:
    for character in text:
        play.say(KeyPressed(CHARACTERS.get(character, character), character))


def opened(asked: str = "", **others: Value) -> tuple[Play, Files]:
    play = Play()
    play.type(f"/settings {asked}".rstrip())
    play.press("escape", "enter") if not asked else play.press("enter")
    files = Files(play, **others)
    assert play.takes(ReadSettings) == [ReadSettings()]
    play.effects.append(ReadSettings())
    files.answer()
    return play, files


def shown(play: Play) -> OverlayView:
    found = play.view.overlay
    assert found is not None and found.title == "Settings"
    return found


def test_what_typing_does_is_said_once() -> None:
    view = shown(opened()[0])
    said = " ".join(span.text for line in view.lines for span in line)
    assert f"{said} {view.note}".count("type to search") == 1


def chosen(play: Play) -> str:
    view = shown(play)
    return view.options[view.selected].label


def test_every_setting_is_there() -> None:
    play, _ = opened()
    assert play.model.overlay is not None and play.model.overlay.picker is not None
    names = [row.label for row in play.model.overlay.picker.entries]
    for key in fixed_rows():
        assert key in names
    assert {f"keys.{command.name}" for command in COMMANDS} <= set(names)
    assert "providers.compatible.api_key" in names
    assert len(names) == len(set(names))


def test_value_and_source_are_shown() -> None:
    play, _ = opened("mode", mode=Value("plan", "environment", "AGENT_TUI_MODE"))
    option = shown(play).options[0]
    assert (option.label, option.value, option.detail) == (
        "mode",
        "plan",
        "environment AGENT_TUI_MODE",
    )
    text = "\n".join(map(words, shown(play).lines))
    assert "config.toml:3: x: wrong" in text and "/home/ada" not in text
    assert (
        "mode: plan, from environment AGENT_TUI_MODE; the default is auto; it overrides your config.toml"
        in text
    )
    assert "at the next start" in text


def test_typing_searches_names_and_meanings() -> None:
    play, _ = opened()
    type_keys(play, "max ste")
    assert chosen(play) == "agent.max_steps"
    assert "search: max ste▏" in "\n".join(map(words, shown(play).lines))
    assert shown(play).note.startswith("1 of ")
    play.press("ctrl+u")
    assert shown(play).note == f"1 of {len(sheet.all_entries())}"
    type_keys(play, "side by side")
    assert "display.diff" in [option.label for option in shown(play).options]
    assert "mode" not in [option.label for option in shown(play).options]
    play.press("backspace")
    assert "side by sid▏" in "\n".join(map(words, shown(play).lines))
    type_keys(play, "zzz")
    assert shown(play).options == () and "no match" in "\n".join(map(words, shown(play).lines))
    play.press("enter", "delete", "down", "end", "ctrl+u", "escape")
    assert play.view.overlay is None
    assert play.takes(WriteSetting) == []


def test_moving() -> None:
    play, _ = opened()
    play.press("down", "down", "up")
    assert chosen(play) == "mode"
    play.press("end")
    assert chosen(play) == f"keys.{COMMANDS[-1].name}"
    play.press("down")
    assert chosen(play) == "model", "the cursor goes round, as in every list"
    play.press("home")
    play.press("pagedown")
    assert chosen(play) == shown(play).options[10].label


@pytest.mark.parametrize(
    ("key", "presses", "written", "says"),
    [
        ("display.timestamps", ["enter"], True, "saved: display.timestamps is true"),
        ("display.diff", ["enter", "enter"], "split", "saved: display.diff is split"),
        ("display.diff", ["left"], "split", "saved: display.diff is split"),
        ("display.thinking", ["right"], "hidden", "saved: display.thinking is hidden"),
        ("display.ascii", ["enter"], True, "saved: display.ascii is true, from the next start"),
        ("mode", ["right"], "accept-edits", "saved: mode is accept-edits, from the next start"),
        ("display.theme", ["right", "right"], "dark", "saved: display.theme is dark"),
    ],
)
def test_choices_change_in_place(key: str, presses: list[str], written: Any, says: str) -> None:
    play, files = opened(key)
    assert chosen(play) == key
    done: list[WriteSetting] = []
    for press in presses:
        play.press(press)
        done = files.answer()
    assert done == [WriteSetting(key, written)]
    assert play.view.toast is not None and play.view.toast.text == says


@pytest.mark.parametrize(
    ("key", "title", "value"),
    [
        ("display.theme", "Themes", "dark"),
        ("display.theme_dark", "display.theme_dark", "dark"),
        ("mode", "mode", "plan"),
        ("agent.effort", "agent.effort", "low"),
    ],
)
def test_more_than_a_few_values_are_a_list(key: str, title: str, value: str) -> None:
    play, files = opened(key)
    play.press("enter")
    assert files.answer() == [] and (play.view.overlay or shown(play)).title == title
    play.press("escape")
    assert files.answer() == [], "Esc leaves it as it was"
    play, files = opened(key)
    play.press("enter")
    play.press(*value)
    play.press("enter")
    assert files.answer() == [WriteSetting(key, value)]


def test_what_can_change_now_does() -> None:
    play, files = opened("display")
    for key, field, value in (
        ("diff", "diff", "unified"),
        ("timestamps", "timestamps", True),
        ("durations", "durations", False),
        ("animation", "animation", False),
        ("thinking", "thinking", "hidden"),
    ):
        play.press("ctrl+u")
        type_keys(play, f"display.{key}")
        play.press("enter")
        files.answer()
        assert getattr(play.model.look, field) == value
    play.press("ctrl+u")
    type_keys(play, "display.theme")
    play.press("right")
    files.answer()
    assert play.takes(UseTheme) == [UseTheme("ansi")]
    play.press("ctrl+u")
    type_keys(play, "vim")
    play.press("enter")
    files.answer()
    assert play.model.vim == "insert"
    play.press("ctrl+u")
    type_keys(play, "paste_lines")
    edit(play, "9")
    files.answer()
    assert play.model.look.paste_lines == 9
    live = {
        one.key.rpartition(".")[2]
        for one in entries()
        if one.live and one.key.startswith("display.")
    }
    assert live <= FIELDS, "what shows at once is a part of the look"


def edit(play: Play, text: str) -> None:
    """Enter, another text, Enter."""
    play.press("enter")
    assert play.view.overlay is not None, "the sheet stays in view"
    play.text = ""
    play.type(text)
    play.press("enter")


def test_a_number_is_typed() -> None:
    play, files = opened("max_steps")
    play.press("enter")
    assert (
        play.view.prompt.label
        == "agent.max_steps: a whole number from 0 to 10,000; empty: the default"
    )
    assert play.text == "0"
    play.text = ""
    play.type("20000")
    play.press("enter")
    assert play.toast == "20000 is not used: expected a whole number from 0 to 10,000"
    assert play.view.prompt.label and play.text == "20000", "it is still there to be corrected"
    play.text = ""
    play.type("1,000")
    play.press("enter")
    assert files.answer() == [WriteSetting("agent.max_steps", 1000)]
    assert play.view.prompt.label == "" and chosen(play) == "agent.max_steps"


def test_the_draft_comes_back_and_nothing_is_sent() -> None:
    play, _ = opened("max_steps")
    play.press("enter", "escape")
    assert play.view.prompt.label == "" and shown(play)
    play.press("escape", "escape")
    play.type("hello")
    play.press("enter")
    assert play.take() == [Submit("hello")]


@pytest.mark.parametrize(
    ("key", "typed", "written"),
    [
        ("model", "ollama/qwen3:8b", "ollama/qwen3:8b"),
        ("model", "", None),
        ("agent.max_steps", " ", None),
        ("tools.enabled", "read_file, glob_files", ["read_file", "glob_files"]),
        ("tools.enabled", "", []),
        ("keys.search", "f21, f22", ["f21", "f22"]),
        ("keys.mouse", "", []),
        ("providers.demo.pace", "0.5", 0.5),
    ],
)
def test_what_is_typed_is_written(key: str, typed: str, written: Any) -> None:
    play, files = opened(key)
    edit(play, typed)
    assert files.answer() == [WriteSetting(key, written)]


@pytest.mark.parametrize("key", ["delete", "ctrl+r"])
def test_a_setting_is_reset(key: str) -> None:
    play, files = opened("max_steps", agent__max_steps=Value(9, "user"))
    play.press(key)
    assert files.answer() == [WriteSetting("agent.max_steps", None)]
    assert_default(play, "0")
    play.press(key)
    assert files.answer() == [] and "already has its default" in play.model.toast.text  # type: ignore[union-attr]


def test_what_another_source_sets_is_said() -> None:
    play, files = opened("display.diff", display__diff=Value("split", "project"))
    play.press("delete")
    assert play.toast == "display.diff is not set by your config.toml, but by: project"
    assert files.answer() == []
    play.press("enter")
    assert files.answer() == [WriteSetting("display.diff", "auto")]
    assert play.model.toast is not None
    assert play.model.toast.text == "saved, but project overrides it: display.diff is split"
    assert play.model.look.diff == "split"


def test_what_cannot_be_written_is_said() -> None:
    play, files = opened("max_steps")
    edit(play, "9")
    files.answer(failed="config.toml: cannot be written (Permission denied)")
    assert play.view.toast is not None and play.view.toast.text.endswith("(Permission denied)")
    assert_default(play, "0")


def test_own_keys_hold_at_once_and_conflicts_are_refused() -> None:
    play, files = opened("keys.search")
    edit(play, "f22")
    files.answer()
    assert play.model.keys == resolve({"search": ("f22",)})[0]
    play.press("ctrl+u")
    type_keys(play, "keys.mouse")
    edit(play, "f22")
    assert files.answer() == []
    assert (
        play.model.toast is not None
        and play.model.toast.text == "F22 is already the key of search: not used"
    )
    play.press("escape", "escape", "escape")
    assert play.view.overlay is None
    play.say(KeyPressed("f22"))
    assert play.view.prompt.label == "Search the transcript"


def test_a_key_that_leaves_a_command_without_one_is_said() -> None:
    play, files = opened("keys.search")
    edit(play, "ctrl+l")
    files.answer()
    assert play.model.toast is not None
    assert play.model.toast.text == "saved; Ctrl+L was the key of model, which has none now"


def test_a_narrow_screen_shows_names_and_values() -> None:
    play, _ = opened()
    play.say(Resized(40, 24))
    for option in shown(play).options:
        assert len(option.label) + len(option.value) + len(option.detail) + 4 <= 36
    play.press("end")
    assert any(words(line).startswith(f"keys.{COMMANDS[-1].name}: ") for line in shown(play).lines)


def test_the_settings_are_those_that_the_program_knows() -> None:
    assert {one.key.partition(".")[0] for one in sheet.all_entries()} <= {
        *top_rows(),
        *sections(),
        *free_sections(),
        "providers",
    }
    assert Settings().keys == {} and Flags() == Flags()


def test_how_many_more_files_are_wrong_is_no_warning_of_its_own() -> None:
    play = Play()
    told = replace(play.model.configured, problems=("config.toml: mode: what", "a: b", "c: d"))
    body = sheets.find("settings").body
    assert body is not None
    [line] = body(replace(play.model, configured=told), Overlay("settings"), 60).lines
    assert [(span.text, span.tone) for span in line] == [
        ("config.toml: mode: what", "warning"),
        (" (and 2 more)", "dim"),
    ]


def test_a_long_value_has_the_room_to_its_right() -> None:
    play, _ = opened("model", model=Value("compatible/small-and-long", "user"))
    value = next(one.value for one in shown(play).options if one.label == "model")
    assert value == "compatible/small-and-long"


@pytest.mark.parametrize("key", ["enter", "escape"])
def test_a_theme_that_is_chosen_leads_back_to_the_settings(key: str) -> None:
    play, files = opened("display.theme")
    assert chosen(play) == "display.theme"
    play.press("enter")
    assert play.view.overlay is not None and play.view.overlay.title == "Themes"
    play.press("down", key)
    assert chosen(play) == "display.theme"
    assert bool(files.answer()) is (key == "enter")
