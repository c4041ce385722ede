"""Every key can be found where a person looks for it: the help, the footers, the sheets."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agent_tui.protocol.events import AsideDelta, AsideEnded, QueueChanged
from agent_tui.protocol.transcript import Queued
from agent_tui.tui.commands import COMMANDS, keys_of
from agent_tui.tui.commands.base import key_name
from agent_tui.tui.core.msg import Pasted
from agent_tui.tui.prompt import keys
from agent_tui.tui.sheets import help
from agent_tui.tui.sheets.draw import FIRM
from tests.tui.play import Play, words


def footer(play: Play) -> str:
    return "   ".join(f"{key} {what}" for key, what in play.view.footer.keys)


def test_the_help_has_every_key() -> None:
    play = Play()
    play.model = replace(play.model, vim="normal")
    play.press("f1")
    assert play.model.overlay is not None and play.model.overlay.picker is not None
    said = play.model.overlay.picker.entries
    groups = list(dict.fromkeys(entry.group for entry in said))
    assert groups == [
        "",
        "Other keys",
        "Keys in the prompt",
        "Keys in the prompt, with /vim",
        "Keys when the agent asks",
        "Commands",
    ]
    edits = " ".join(
        f"{entry.label} {entry.about}" for entry in said if entry.group == "Keys in the prompt"
    ).split()
    for name in (*keys.EDITING, *keys.SELECTING):
        assert any(help.key(name) == word.rstrip(":") for word in edits), name
    assert [entry.label for entry in said if entry.group == "Keys when the agent asks"][:8] == [
        "y 1, Enter",
        "t, Enter",
        "a 2, Enter",
        "p, Enter",
        "f, Enter",
        "e, Enter",
        "n 3, Enter",
        "m 4, Enter",
    ]
    assert sum(entry.group == "Commands" for entry in said) == sum(one.slash for one in COMMANDS)


def test_the_help_says_each_key_once() -> None:
    play = Play()
    play.press("f1")
    assert play.model.overlay is not None and play.model.overlay.picker is not None
    others = ("Commands", "Keys when the agent asks")
    said = [one for one in play.model.overlay.picker.entries if one.group not in others]
    labels = [entry.label for entry in said]
    assert [label for label in set(labels) if labels.count(label) > 1] == []
    named = [entry.id for entry in said if entry.id]
    assert [id for id in set(named) if named.count(id) > 1] == [], (
        "a command's keys stand in one row"
    )
    for one in COMMANDS:
        label = " ".join(map(key_name, keys_of(one.name)))
        assert not label or any(entry.label == label for entry in said), one.name


def test_a_key_is_found_by_what_it_does() -> None:
    play = Play()
    play.press("f1", *"undo")
    shown = play.view.overlay
    assert shown is not None
    labels = [option.label for option in shown.options]
    assert labels[0] == "/undo" and any("Ctrl+_" in label for label in labels)
    assert not any(label == ". u Ctrl+R" for label in labels), "vim is off"


def test_enter_is_named_where_it_runs_something() -> None:
    play = Play()
    play.press("f1")
    assert "Enter run" in footer(play)
    play.press("down")
    assert "Enter" not in footer(play), "a key that no command has"
    play.press("enter")
    assert play.view.overlay is not None and play.take() == []
    play.press("down")
    assert "Enter run" in footer(play)


@pytest.mark.parametrize(
    ("running", "named"),
    [(True, ["s steer", "i stop and send"]), (False, ["s send now"])],
)
def test_the_queue_panel_names_its_keys(running: bool, named: list[str]) -> None:
    play = Play()
    if running:
        play.begin("work")
    play.feed(
        QueueChanged(
            items=(Queued("1", "one"), Queued("2", "two")), paused=not running, session="s"
        )
    )
    play.press("alt+q")
    assert footer(play) == "Enter edit   ↑↓ choose   Esc close"
    shown = play.view.overlay
    assert shown is not None
    inside = " ".join(map(words, shown.lines)).replace(FIRM, " ")
    for said in (*named, "d remove", "Alt+↑ move up", "Alt+↓ move down"):
        assert said in inside, said
    assert "Enter" not in inside and "Esc" not in inside, "each stands in one place"


def test_the_sheet_of_a_question_on_the_side_names_its_keys() -> None:
    play = Play()
    play.type("/btw why?")
    play.press("enter")
    assert footer(play) == "Esc cancel"
    assert play.model.aside is not None
    play.feed(AsideDelta(id=play.model.aside.id, text="so"))
    assert footer(play) == "c copy   Esc cancel"
    play.feed(AsideEnded(play.model.aside.id, "why?", "so"))
    assert footer(play) == "c copy   Esc close"


def test_the_help_begins_with_a_card_that_fills_a_small_screen() -> None:
    play = Play()
    play.press("f1")
    card = [entry for entry in play.model.overlay.picker.entries if not entry.group]  # type: ignore[union-attr]
    assert len(card) == 15
    assert all(len(entry.detail.split()) <= 6 for entry in card)
    sheet = play.view.overlay
    assert sheet is not None and len(sheet.lines) == 1, "no room is kept for more words"
    assert [option.label for option in sheet.options[:15]] == [entry.label for entry in card]
    for _ in card:
        play.press("down")
    assert play.view.overlay is not None and len(play.view.overlay.lines) > 1, (
        "the others have more to say"
    )


def test_the_card_names_the_persons_own_keys() -> None:
    play = Play()
    play.model = replace(play.model, keys=(("steer", ("f8",)),))
    play.press("f1")
    labels = [entry.label for entry in play.model.overlay.picker.entries if not entry.group]  # type: ignore[union-attr]
    assert "F8" in labels and "Alt+S" not in labels


def test_the_sheet_of_a_chip_names_its_keys() -> None:
    play = Play()
    play.say(Pasted("line\n" * 20))
    play.press("f4")
    assert footer(play) == "Enter expand   Esc close"
