"""Palette, pickers, log and debug console as values: what they show, what a key does, what a choice
brings."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agent_tui.protocol.ops import Pull, Query, QueueEdit, Resume, SetMode, Submit
from agent_tui.settings.values import Value
from agent_tui.tui.core.effects import ReadSettings, UseTheme, WriteSetting
from agent_tui.tui.core.model import Configured
from agent_tui.tui.core.msg import KeyPressed, Resized, SettingsRead, Yielded
from tests.answers import answer_event
from tests.tui.lists import chosen, labels, opened, sheet, text
from tests.tui.play import Play, words

VALUES = {"display.theme": Value("dark", "user"), "display.durations": Value(True)}
SET = Configured(VALUES, ("auto", "dark", "light", "nord"))
OTHER = {
    "id": "two",
    "title": "Tidy the shop",
    "cwd": "/p",
    "at": 900.0,
    "turns": 2,
    "model": "fake/model",
}


# -- the palette


def test_the_palette_finds_runs_and_remembers() -> None:
    play = Play()
    play.press("ctrl+p", *"timest")
    assert chosen(play) == "/timestamps" and "search: timest" in text(play)
    play.press("enter")
    assert play.view.overlay is None and play.model.look.timestamps
    play.press("ctrl+p")
    first = sheet(play).options[:2]
    assert (first[0].label, first[0].heading, first[1].label) == ("Used last", True, "/timestamps")


def test_what_was_run_by_a_slash_or_a_key_is_among_the_last_used_too() -> None:
    play = Play()
    play.type("/timestamps")
    play.press("escape", "enter", "shift+tab", "ctrl+o", "ctrl+p")
    last = [option.label for option in sheet(play).options if not option.heading][:2]
    assert last == ["/mode", "/timestamps"], "what only moves or opens is none of it"


def test_the_palette_holds_commands_keys_skills_and_settings() -> None:
    play = Play()
    play.press("ctrl+p")
    assert play.takes(ReadSettings) == [ReadSettings()]
    assert play.model.overlay is not None and play.model.overlay.picker is not None
    groups = {entry.group for entry in play.model.overlay.picker.entries}
    assert groups == {"Commands", "Keys", "Skills", "Settings"}
    play.press(*"expand")
    assert chosen(play) == "expand" and sheet(play).options[0].value == "Ctrl+O"


def test_a_command_that_needs_a_word_asks_for_it_and_the_draft_stays() -> None:
    play = Play()
    play.type("my draft")
    play.press("ctrl+p", *"/pull", "enter")
    assert play.view.prompt.label == "/pull <name>" and play.text == ""
    play.type("qwen3:8b")
    play.press("enter")
    assert play.text == "my draft" and Pull("qwen3:8b") in play.ops


def test_a_skill_that_needs_a_word_asks_for_it_too() -> None:
    play = Play()
    play.type("my draft")
    play.press("ctrl+p", *"review", "enter")
    assert play.view.prompt.label == "/review <file>"
    play.type("shop.py")
    play.press("enter")
    assert Submit("/review shop.py") in play.ops and play.text == "my draft"
    play.press("ctrl+p", *"tidy", "enter")
    assert QueueEdit("add", text="/tidy") in play.ops or Submit("/tidy") in play.ops


def test_leaving_the_question_for_a_word_gives_the_draft_back() -> None:
    play = Play()
    play.type("my draft")
    play.press("ctrl+p", *"/pull", "enter", "escape")
    assert play.text == "my draft" and play.view.overlay is None and play.take() == []


def test_a_setting_with_two_values_is_switched_the_rest_is_shown() -> None:
    play = Play()
    play.press("ctrl+p")
    play.say(SettingsRead(SET))
    play.press(*"display.durations", "enter")
    assert play.takes(WriteSetting) == [WriteSetting("display.durations", False)]
    play.press("ctrl+p", *"command_timeout", "enter")
    assert sheet(play).title == "Settings" and play.model.overlay is not None
    assert "tools.command_timeout" in text(play)


def test_a_list_opened_from_the_palette_takes_its_place() -> None:
    play = Play()
    play.press("ctrl+p", *"/mode", "enter")
    assert sheet(play).title == "Modes" and chosen(play) == "auto"


@pytest.mark.parametrize("key", ["escape", "ctrl+p"])
def test_the_palette_closes_and_keeps_the_draft(key: str) -> None:
    play = Play()
    play.type("my draft")
    play.press("ctrl+p", *"xx", "escape")
    assert play.view.overlay is None and play.text == "my draft"
    play.press("ctrl+p", key)
    assert play.view.overlay is None


# -- keys of every list


def test_moving_wraps_and_the_counter_follows() -> None:
    play = opened("effort")
    assert sheet(play).note == "1 of 8"
    play.press("end", "down")
    assert chosen(play) == "auto" and sheet(play).note == "1 of 8"
    play.press("up")
    assert chosen(play) == "max" and sheet(play).note == "8 of 8"


def test_what_is_taken_in_at_a_glance_is_not_counted_and_still_found_by_typing() -> None:
    play = opened("mode")
    assert sheet(play).note == "" and sheet(play).lines == ()
    play.press("end", "down")
    assert chosen(play) == "manual"
    play.press("p")
    assert labels(play)[0] == "plan" and words(sheet(play).lines[0]) == "search: p▏"
    play.press("ctrl+u")
    play.press("home", "pagedown", "pageup")
    assert chosen(play) == "manual"


def test_typing_and_taking_back() -> None:
    play = opened("mode")
    play.press(*"planx")
    assert "no match" in text(play) and sheet(play).note == "0 of 5" and labels(play) == []
    play.press("enter")
    assert play.view.overlay is not None, "there is nothing to take"
    play.press("backspace")
    assert labels(play) == ["plan"] and sheet(play).note == "1 of 1"
    play.press("ctrl+u")
    assert len(labels(play)) == 5


def test_of_a_long_search_the_end_is_seen_in_one_line() -> None:
    play = opened("mode")
    play.press(*["x"] * 200, "z")
    first = text(play).split("\n")[0]
    assert first.startswith("search: …") and "xxz▏" in first and first.endswith("no match")
    assert len(first) <= play.model.width


def test_a_mode_is_chosen_with_what_it_means() -> None:
    play = opened("mode")
    assert (
        "in use" in sheet(play).options[1].detail
        and "asks before everything" in sheet(play).options[0].detail
    )
    play.press(*"plan", "enter")
    assert "only reads" in play.toast and play.take() == [SetMode("plan")]


# -- themes


def test_a_theme_is_seen_while_the_cursor_moves_and_given_back() -> None:
    play = opened("theme")
    assert "looking" in text(play)
    play.say(SettingsRead(SET))
    assert labels(play) == ["auto", "dark", "light", "nord"] and chosen(play) == "dark"
    assert sheet(play).options[1].detail == "in use" and play.takes(UseTheme) == []
    play.press("down", "down", after=0.01)
    play.say(Yielded(), after=0.01)
    assert play.takes(UseTheme) == [], "the cursor is still moving"
    play.say(Yielded(), after=0.1)
    play.say(Yielded(), after=0.1)
    assert play.takes(UseTheme) == [UseTheme("nord")]
    play.press("escape")
    assert play.takes(UseTheme) == [UseTheme("dark")] and play.view.overlay is None


@pytest.mark.parametrize(
    ("width", "height", "shown"),
    [(80, 24, "TWCra"), (40, 24, "TWCra"), (100, 40, "TWCra"), (80, 16, "ra"), (80, 10, "")],
)
def test_a_theme_is_judged_by_words_code_and_a_difference(
    width: int, height: int, shown: str
) -> None:
    play = opened("theme")
    play.say(Resized(width, height))
    play.say(SettingsRead(SET))
    begins = {
        "T": "Text, a hint",
        "W": "⚠ a warn",
        "C": "def price",
        "r": "-    return",
        "a": "+    return",
    }
    sample = [line for line in sheet(play).lines if words(line).strip()]
    assert len(sample) == len(shown)
    for line, what in zip(sample, shown, strict=True):
        assert words(line).startswith(begins[what]) and len(words(line)) <= width - 6
    tones = {span.tone for line in sample for span in line}
    assert {"removed", "removed word", "added", "added word"} <= tones or not shown
    assert {"keyword", "name", "string", "comment", "warning", "bad"} <= tones or "C" not in shown


def test_a_theme_is_kept_in_the_settings() -> None:
    play = opened("theme")
    play.say(SettingsRead(SET))
    play.press(*"nord", "enter")
    assert play.takes(WriteSetting) == [WriteSetting("display.theme", "nord")]


def test_a_theme_by_its_name_is_taken_at_once() -> None:
    play = Play()
    for name, taken in (("light", [WriteSetting("display.theme", "light")]), ("lig", [])):
        play = Play()
        play.type(f"/theme {name}")
        play.press("enter")
        play.say(SettingsRead(SET))
        assert play.takes(WriteSetting) == taken and (play.view.overlay is None) == bool(taken)
    play.press(*"ht")
    assert labels(play) == ["light"] and play.takes(WriteSetting) == [], (
        "what is typed into the list only searches"
    )


def test_leaving_without_a_look_changes_nothing() -> None:
    play = opened("theme")
    play.say(SettingsRead(SET))
    play.press("down", "up")
    play.say(Yielded())
    play.effects.clear()
    play.press("escape")
    assert play.takes(UseTheme) == []


# -- sessions and files


def test_another_session_is_looked_at_and_opened() -> None:
    play = opened("resume")
    assert play.take() == [Query("resume-1", "sessions")]
    play.feed(
        answer_event("resume-1", "sessions", [{**OTHER, "id": "s", "title": "This one"}, OTHER])
    )
    assert "open now" in sheet(play).options[0].detail
    play.press("down")
    assert Query("preview", "session_preview", "two") in play.take() and "looking" in text(play)
    parts = [
        {"name": "you", "text": "tidy it", "lines": 2},
        {"name": "answer", "text": "It is tidy.", "lines": 4},
    ]
    play.feed(answer_event("preview", "preview", {"of": "two", "parts": parts}))
    assert "you: tidy it\nanswer: It is tidy." in text(play)
    long = [parts[0], {**parts[1], "text": "It is tidy, and all of it was looked at twice. " * 9}]
    play.feed(answer_event("preview", "preview", {"of": "two", "parts": long}))
    assert text(play).rstrip().endswith(" …"), "its end is not all of it"
    play.say(Resized(60, 20))
    assert "answer: It is tidy" in text(play) and text(play).rstrip().endswith(" …")
    play.press("enter")
    assert play.take() == [Resume("two")] and play.view.overlay is None


def test_a_search_that_was_taken_back_is_typed_anew_in_the_list() -> None:
    play = opened("resume")
    play.feed(answer_event("resume-1", "sessions", [OTHER]))
    assert play.model.overlay is not None
    play.model = replace(play.model, overlay=replace(play.model.overlay, shown_at=play.model.at))
    play.press("x", "backspace")
    play.say(KeyPressed("t", "t", blind=True))
    assert "search: t" in text(play) and play.take() != [] and play.text == ""


def test_the_open_session_and_a_running_turn_are_not_left() -> None:
    play = opened("resume")
    play.feed(answer_event("resume-1", "sessions", [{**OTHER, "id": "s"}, OTHER]))
    play.take()
    play.press("enter")
    assert "already open" in play.toast and play.take() == []
    play.begin()
    play.text = ""
    play.type("/resume")
    play.press("escape", "enter")
    play.press("down", "enter")
    assert "interrupts the running turn" in play.toast and not any(
        isinstance(op, Resume) for op in play.take()
    )


def test_a_file_goes_where_the_caret_is() -> None:
    play = opened("files")
    data = {
        "paths": ["my shop.py", "README.md"],
        "folded": ["my shop.py", "readme.md"],
        "names": ["my shop.py", "readme.md"],
        "whole": True,
        "note": "",
    }
    play.feed(answer_event("files-1", "files", data))
    assert Query("preview", "file_preview", "my shop.py") in play.take()
    parts = [{"name": "", "text": "one\n\ttwo", "lines": 8}]
    play.feed(answer_event("preview", "preview", {"of": "my shop.py", "parts": parts}))
    assert "one\n    two" in text(play)
    play.press("enter")
    assert play.text == '@"my shop.py" '


def test_whose_skills_they_are_is_named_once_the_nearest_first() -> None:
    sources = {
        "commit": "shipped",
        "deploy": "project",
        "notes": "~/.claude",
        "review": "user",
        "test": "shipped",
    }
    skill = {"description": "It helps.", "arguments": [], "free": True}
    play = Play()
    known = [{"name": name, "source": whose, **skill} for name, whose in sources.items()]
    play.feed(answer_event("start", "skills", known))
    play.type("/skills")
    play.press("escape", "enter")
    options = sheet(play).options
    assert [one.label for one in options if one.heading] == [
        "project",
        "user",
        "~/.claude",
        "shipped",
    ]
    assert labels(play)[-2:] == ["/commit [text]", "/test [text]"]
