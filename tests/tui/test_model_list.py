"""The list of models: favourites and those used last first, what each costs and can do, and the
keys of the list."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from agent_tui.protocol.events import ModelChanged
from agent_tui.protocol.ops import SetModel
from agent_tui.settings.values import Layer, Value
from agent_tui.tui.core.effects import WriteSetting
from agent_tui.tui.core.model import Configured
from agent_tui.tui.core.msg import SettingsRead
from agent_tui.tui.sheets.opening import open_sheet
from agent_tui.tui.widgets.regions import Footer
from tests.answers import answer_event
from tests.tui.lists import labels, sheet
from tests.tui.play import Play

OFFERED = [
    {"name": "openai/gpt-5", "window": 1_050_000, "tools": True, "where": "openai"},
    {"name": "ollama/q", "window": 32_768, "room": 8192, "tools": False, "where": "Ollama"},
    {"name": "acme/x", "tools": None, "where": "acme"},
]
FACTS = {
    "openai/gpt-5": {"price": [1.25, 10.0], "sure": True, "thinking": True, "images": True},
    "ollama/q": {"price": [0.0, 0.0], "sure": True, "thinking": None, "images": False},
    "acme/x": {"price": None, "sure": False, "thinking": None, "images": None},
}


def shown(
    play: Play, used: Any = (), offered: Any = OFFERED, facts: Any = FACTS
) -> list[tuple[str, str, str]]:
    data = {"model": "ollama/q", "offered": offered, "facts": facts, "used": used, "tried": []}
    overlay = play.model.overlay
    assert overlay is not None
    play.feed(answer_event(overlay.query, "models", data, session=play.model.active))
    assert play.model.overlay is not None and play.model.overlay.picker is not None
    return [(one.group, one.id, one.detail) for one in play.model.overlay.picker.entries]


def at_work(*favourites: str) -> Play:
    play = Play()
    play.begin()
    values = {"favourites": Value(favourites, "user")}
    play.model, _ = open_sheet(replace(play.model, configured=Configured(values)), "model")
    return play


def test_favourites_and_those_used_last_stand_first() -> None:
    found = shown(at_work("acme/x", "gone/m"), ["ollama/q", "acme/x", "other/y"])
    assert [(group, id) for group, id, _ in found] == [
        ("Favourites", "acme/x"),
        ("Favourites", "gone/m"),
        ("Used last", "ollama/q"),
        ("All others", "openai/gpt-5"),
        ("", "address"),
    ]
    assert found[1][2] == "not listed now"


def test_the_model_in_use_is_listed_first_where_its_server_does_not_list_it() -> None:
    found = shown(at_work("ollama/q", "acme/x"), ["ollama/q"], offered=[OFFERED[2]])
    assert found[:2] == [("In use", "ollama/q", "not listed"), ("Favourites", "acme/x", "")]
    assert [id for _, id, _ in found].count("ollama/q") == 1
    assert [id for _, id, _ in shown(at_work(), offered=[])] == ["ollama/q", "address"]


def test_a_name_that_is_not_listed_can_be_used() -> None:
    play = at_work()
    shown(play)
    play.press(*"zzz-x")
    assert [one.label for one in sheet(play).options] == ["use “zzz-x”"]
    play.press("enter")
    assert SetModel("zzz-x") in play.take() and play.model.overlay is None


@pytest.mark.parametrize(
    ("typed", "last"),
    [
        ("acme/", "acme/x"),
        ("acme/X", "acme/x"),
        ("openai/gpt", "use “openai/gpt”"),
        ("gpt", "openai/gpt-5"),
    ],
)
def test_what_may_be_meant_as_it_is_stands_behind_what_fits(typed: str, last: str) -> None:
    play = at_work()
    shown(play)
    play.press(*typed)
    assert labels(play)[-1] == last


def test_where_nothing_fits_the_footer_has_no_key_that_needs_an_entry() -> None:
    play = at_work()
    shown(play)
    play.press(*"zz", "space", *"yy")
    assert sheet(play).note.startswith("0 of ")
    assert [key for key, _ in play.view.footer.keys] == ["F5", "Esc"]


def test_price_and_what_it_can_do_stand_behind_the_window() -> None:
    found = {id: (group, detail) for group, id, detail in shown(at_work())}
    assert found["openai/gpt-5"] == ("", "1.05M window · $1.25/$10 · thinking · images")
    assert found["ollama/q"] == ("", "32k window · free · no tools · in use")
    assert found["acme/x"] == ("", "")


def test_the_entry_says_it_in_words() -> None:
    play = at_work()
    shown(play, facts={**FACTS, "openai/gpt-5": {"price": [1.5, 2], "sure": False}})
    picker = play.model.overlay and play.model.overlay.picker
    assert picker
    gpt, ollama, acme, _ = picker.entries
    assert "≈ $1.50 for a million tokens read, $2 written" in gpt.about
    assert "32k window, 8k set (num_ctx)" in ollama.about and "num_ctx" not in gpt.about
    assert "free: it runs locally" in ollama.about and "no price is known" in acme.about


@pytest.mark.parametrize(
    ("before", "key", "effect"),
    [
        ((), "f2", WriteSetting("favourites", ("openai/gpt-5",))),
        (("acme/x",), "f2", WriteSetting("favourites", None)),
        (("acme/x", "ollama/q"), "f2", WriteSetting("favourites", ("ollama/q",))),
        (("acme/x",), "f3", WriteSetting("model", "acme/x", project=True)),
    ],
)
def test_its_keys(before: tuple[str, ...], key: str, effect: WriteSetting) -> None:
    play = at_work(*before)
    shown(play)
    play.press("home")
    play.effects.clear()
    play.press(key)
    assert effect in play.effects and play.model.overlay is not None


def test_a_favourite_moves_to_the_top_and_keeps_the_cursor() -> None:
    play = at_work()
    shown(play)
    play.press("end", "up")
    values = {"favourites": Value(("acme/x",), "user")}
    play.say(SettingsRead(Configured(values), "favourites"))
    picker = play.model.overlay and play.model.overlay.picker
    assert (
        picker
        and picker.entries[0].id == "acme/x"
        and picker.chosen_entry
        and picker.chosen_entry.id == "acme/x"
    )
    play.press("enter")
    assert SetModel("acme/x") in play.take()


def test_that_no_favourite_is_left_is_said() -> None:
    play = at_work()
    play.say(SettingsRead(Configured({"favourites": Value((), "default")}), "favourites"))
    assert play.toast == "saved: favourites is empty"


@pytest.mark.parametrize(
    ("layer", "text"),
    [
        ("project", "saved for this project: model is acme/x, from the next start"),
        ("environment", "saved, but environment overrides it: model is acme/x"),
    ],
)
def test_what_became_of_the_model_of_the_project_is_said(layer: Layer, text: str) -> None:
    play = at_work()
    play.say(SettingsRead(Configured({"model": Value("acme/x", layer)}), "model", project=True))
    assert play.toast == text


def test_the_footer_has_all_keys_of_the_list_on_a_narrow_screen() -> None:
    play = at_work()
    shown(play)
    footer = Footer()
    footer.value = play.view.footer
    words = "".join(segment.text for segment in footer.lines(58)[0])
    assert all(
        pair in words
        for pair in ("Enter use", "F2 favourite", "F3 project", "F5 refresh", "Esc close")
    )


@pytest.mark.parametrize(
    ("name", "said"),
    [("acme/x", "window not known: 128k assumed"), ("ollama/q", "window not known")],
)
def test_a_window_that_is_only_assumed_is_said_to_be(name: str, said: str) -> None:
    play = at_work()
    facts = {"ollama/q": {"price": None, "window_later": True}}
    shown(play, offered=[{"name": name, "tools": None, "where": "acme"}], facts=facts)
    assert play.model.overlay is not None and play.model.overlay.picker is not None
    about = next(one.about for one in play.model.overlay.picker.entries if one.id == name)
    assert f"{said} · tools: unknown" in about


def test_a_key_goes_through_favourites_and_those_used_last() -> None:
    play = at_work("acme/x")
    shown(play, ["ollama/q", "openai/gpt-5"])
    play.press("escape")
    play.take()
    wanted = []
    for _ in range(3):
        play.press("f6", after=1.0)
        [op] = play.take()
        assert isinstance(op, SetModel)
        wanted.append(op.model)
        play.feed(ModelChanged(model=op.model, session=play.model.active))
    assert wanted == ["acme/x", "ollama/q", "openai/gpt-5"]


def test_without_others_the_key_opens_the_list() -> None:
    play = Play()
    play.press("f6")
    assert play.model.overlay is not None and play.model.overlay.kind == "model"
