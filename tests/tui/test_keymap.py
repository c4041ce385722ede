"""A person's own keys: how they are written, what is no key, who has a key that two want, where
they are shown."""

from __future__ import annotations

import pytest
from textual.keys import _character_to_key

from agent_tui.protocol.ops import Submit
from agent_tui.tui import commands
from agent_tui.tui.commands import COMMANDS, bindings, key_of, when_empty
from agent_tui.tui.core.effects import Type
from agent_tui.tui.core.keymap import MARKS, grabbed_keys, key_named, resolve
from agent_tui.tui.core.msg import KeyPressed, Submitted
from agent_tui.tui.prompt.keys import NEWLINE, SUBMIT
from tests.tui.play import Play, words


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("ctrl+f", "ctrl+f"),
        ("Ctrl+F", "ctrl+f"),
        ("ctrl-f", "ctrl+f"),
        ("control + f", "ctrl+f"),
        ("F3", "f3"),
        ("f24", "f24"),
        ("alt+shift+up", "alt+shift+up"),
        ("Shift+Alt+Up", "alt+shift+up"),
        ("pgup", "pageup"),
        ("page down", "pagedown"),
        ("esc", "escape"),
        ("return", "enter"),
        ("?", "question_mark"),
        ("alt+.", "alt+full_stop"),
        ("question_mark", "question_mark"),
        ("ctrl+-", "ctrl+minus"),
        ("ctrl++", "ctrl+plus"),
        ("-", "minus"),
        ("option+x", "alt+x"),
        ("cmd+k", "super+k"),
        ("↑", "up"),
        ("a", "a"),
        ("A", "A"),
        ("ctrl+space", "ctrl+space"),
    ],
)
def test_keys_are_read_as_people_write_them(text: str, key: str) -> None:
    assert key_named(text) == key


@pytest.mark.parametrize(
    "text", ["", " ", "ctrl", "ctrl+", "ctrl+fx", "f25", "f0", "hyper+x", "+", "ctrl f", "é é"]
)
def test_what_is_no_key(text: str) -> None:
    assert key_named(text) in ("", "plus")


def test_marks_have_the_names_that_the_terminal_layer_gives_them() -> None:
    assert {mark: _character_to_key(mark) for mark in MARKS} == MARKS


def test_every_key_of_the_table_can_be_written() -> None:
    for key in bindings():
        assert key_named(key) == key
        if "_" not in key:
            assert key_named(commands.base.key_name(key)) == key


def test_an_own_key_takes_the_place_of_the_old_ones() -> None:
    own, said = resolve({"search": ("f21", "f22")})
    assert said == ()
    assert {key: name for key, name in bindings(own).items() if name == "search"} == {
        "f21": "search",
        "f22": "search",
    }
    assert "ctrl+f" not in bindings(own)
    assert key_of("search", own) == "F21"
    assert key_of("search") == "Ctrl+F"
    assert bindings(()) == bindings() and resolve({}) == ((), ())


def test_no_key_at_all() -> None:
    own, said = resolve({"mouse": (), "steer": ()})
    assert said == ()
    assert (key_of("mouse", own), key_of("steer", own)) == ("/mouse", "")
    assert commands.hint("steer", "steers", own) == ""


@pytest.mark.parametrize(
    ("wanted", "at", "says", "holds"),
    [
        ({"serach": ("f22",)}, "serach", "there is no such command; did you mean search?", {}),
        ({"zzzz": ("f22",)}, "zzzz", "F1 lists the commands", {}),
        ({"search": ("ctrl+fx", "f22")}, "search", "'ctrl+fx' is not a key", {"f22": "search"}),
        ({"search": ("x",)}, "search", "X is needed for typing: not used", {"ctrl+f": "search"}),
        ({"search": ("shift+x",)}, "search", "needed for typing", {}),
        ({"search": ("enter",)}, "search", "Enter is needed for typing", {"enter": "send"}),
        ({"search": ("?",)}, "search", "needed for typing", {"question_mark": "help"}),
        ({"search": ("ctrl+m",)}, "search", "terminals cannot tell Ctrl+M from Enter", {}),
        (
            {"search": ("f22",), "mouse": ("f22", "f23")},
            "mouse",
            "F22 is already the key of search",
            {"f23": "mouse"},
        ),
        (
            {"search": ("ctrl+l",)},
            "search",
            "Ctrl+L was the key of model, which has none now",
            {"ctrl+l": "search"},
        ),
    ],
)
def test_a_conflict_is_one_line_and_the_rest_works(
    wanted: dict[str, tuple[str, ...]], at: str, says: str, holds: dict[str, str]
) -> None:
    own, said = resolve(wanted)
    assert len(said) == 1
    assert said[0][0] == at and says in said[0][1]
    assert holds.items() <= bindings(own).items()
    assert set(bindings(own).values()) >= {one.name for one in COMMANDS if one.keys} - {
        *wanted,
        "model",
    }


def test_a_key_may_move_from_one_command_to_another() -> None:
    own, said = resolve({"model": ("ctrl+f",), "search": ("ctrl+l",)})
    assert said == ()
    assert (bindings(own)["ctrl+f"], bindings(own)["ctrl+l"]) == ("model", "search")
    own, said = resolve({"search": ("f1",)})
    assert said == (), "help still has its other key"
    assert bindings(own)["question_mark"] == "help"


def test_a_key_of_the_empty_prompt_stays_one() -> None:
    own, said = resolve({"help": ("f2", "?"), "search": ("ctrl+d",), "leave": ("ctrl+q",)})
    assert said == ()
    assert "question_mark" in when_empty(own)
    assert not {"ctrl+d", "ctrl+q", "f2"} & when_empty(own)


def test_what_the_prompt_hands_over() -> None:
    assert grabbed_keys(()) == frozenset(bindings()) - SUBMIT - NEWLINE
    own, said = resolve({"send": ("ctrl+enter",), "search": ("ctrl+s", "alt+enter")})
    assert said == ()
    assert {"ctrl+enter", "ctrl+s", "alt+enter"} <= grabbed_keys(own)
    assert "enter" not in bindings(own)


def _with(**wanted: tuple[str, ...]) -> Play:
    play = Play()
    own, _ = resolve({name.replace("_", "-"): keys for name, keys in wanted.items()})
    object.__setattr__(play.model, "keys", own)
    return play


def test_an_own_key_runs_its_command_and_is_shown_everywhere() -> None:
    play = _with(help=("f2",), stop=("f21",), search=(), stop_all=("f7",))
    assert ("F2", "help") in play.view.footer.keys
    play.say(KeyPressed("f2"))
    sheet = play.view.overlay
    assert sheet is not None and sheet.title == "Keys and commands"
    keys = [option.label for option in sheet.options]
    assert "F2" in keys and not {"F1", "Ctrl+F"} & set(keys)
    play.say(KeyPressed("f2"))
    assert play.view.overlay is None, "the key that opened it closes it"
    play.begin()
    assert play.view.status is not None and words(play.view.status.spans).endswith("F21 stop")


def test_without_a_key_nothing_is_named() -> None:
    play = _with(stop=())
    play.begin()
    assert play.view.status is not None and "stop" not in words(play.view.status.spans)
    assert "" not in dict(play.view.footer.keys)


def test_enter_makes_a_new_line_where_another_key_sends() -> None:
    play = _with(send=("ctrl+enter",))
    play.say(Submitted("one"))
    assert play.ops == [] and play.takes(Type) == [Type("\n", "ctrl+j")]
    play.say(KeyPressed("ctrl+enter", draft="one\ntwo"))
    assert play.ops == [Submit("one\ntwo")]


@pytest.mark.parametrize("keys", [("ctrl+enter",), ("ctrl+s", "alt+enter"), ()])
def test_ctrl_s_sends_whatever_else_does(keys: tuple[str, ...]) -> None:
    play = _with(send=keys)
    assert "ctrl+s" in grabbed_keys(play.model.keys)
    play.say(KeyPressed("ctrl+s", draft="one"))
    assert play.ops == [Submit("one")]


def test_ctrl_s_is_given_to_a_command_that_wants_it() -> None:
    own, said = resolve({"send": ("alt+enter",), "search": ("ctrl+s",)})
    assert said == () and dict(own)["send"] == ("alt+enter",)
    assert bindings(own)["ctrl+s"] == "search"
