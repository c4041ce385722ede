"""What may go wrong while a provider is set up, and what is offered then."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from agent_tui.protocol.events import ModelChanged
from agent_tui.protocol.ops import Pull
from agent_tui.protocol.setup_op import SetUp
from agent_tui.tui.core.regions import HIDDEN
from agent_tui.tui.screen.setup_steps import state_of
from tests.answers import answer_event
from tests.campaigns import examples
from tests.tui.lists import chosen, labels, text
from tests.tui.setup_play import STOP, answered_moonshot, at, came, chooses, opened, wait


def test_a_server_that_does_not_answer_can_be_asked_again_or_elsewhere() -> None:
    play = opened()
    chooses(play, "Ollama")
    assert play.take() == [SetUp(wait(play), "ask", "ollama")]
    came(
        play,
        "failed",
        provider="ollama",
        kind="unreachable",
        said="no server answers",
        hint="correct it",
    )
    assert "no server answers" in text(play) and "correct it" in text(play)
    assert labels(play) == ["try again", "type its address", "choose another provider"]
    play.press("enter", after=0.1)
    assert at(play) == "failed", "an Enter that was on its way is no answer"
    play.press("enter")
    assert play.take() == [SetUp(wait(play), "ask", "ollama")]
    play.press("escape")
    assert play.take() == [STOP] and at(play) == "provider", "a failure is no step to return to"


def test_an_address_that_is_mended_is_one_step_to_go_back_over() -> None:
    play = opened()
    chooses(play, "another server")
    for typed in ("nowhere", ":1", ":2"):
        play.type(typed)
        play.press("enter")
        came(play, "failed", kind="unreachable", said="no server answers")
        chooses(play, "type its address")
        assert at(play) == "address" and play.text.startswith("nowhere"), (
            "what was typed is there to be mended"
        )
    play.press("escape")
    view = play.view.overlay
    assert at(play) == "provider" and view is not None and view.title == "Set up a provider"


def test_letters_behind_a_wrong_address_begin_another_one() -> None:
    play = opened()
    chooses(play, "another server")
    play.type("nowhere")
    play.press("enter")
    came(play, "failed", kind="unreachable", said="no server answers")
    play.press(*"http", after=0.2)
    assert at(play) == "failed", "they came too soon to be meant for what just appeared"
    play.press(*"there", after=0.6)
    assert at(play) == "address" and play.text == "there"
    play.take()
    play.press("enter")
    assert play.take() == [SetUp(wait(play), "ask", address="there")]
    came(play, "failed", kind="unreachable", said="no server answers")
    play.press("down", "up", "enter")
    assert play.take() == [SetUp(wait(play), "ask", address="there")], "arrows choose as before"


def test_ollama_is_started_on_consent_alone() -> None:
    play = opened(ollama={"state": "down"})
    chooses(play, "Ollama")
    play.effects.clear()
    came(play, "down", provider="ollama", kind="unreachable", said="no server answers")
    assert chosen(play) == "start `ollama serve`" and play.ops == []
    play.press("enter")
    assert play.take() == [SetUp(wait(play), "ask", "ollama", serve=True)]
    came(play, "starting", provider="ollama")
    assert "starting Ollama" in text(play)


def test_a_model_is_fetched_with_a_bar_and_is_then_the_one() -> None:
    play = opened()
    chooses(play, "Ollama")
    came(play, "answered", provider="ollama", label="Ollama", models=[])
    assert labels(play) == ["download a model …"]
    play.press("enter")
    play.type("qwen3:8b")
    play.press("enter")
    assert play.take()[-1] == Pull("qwen3:8b") and at(play) == "pulling"
    pull = {"model": "qwen3:8b", "state": "pulling", "percent": 40, "said": "", "hint": ""}
    play.feed(answer_event("pull", "pull", pull, session="s"))
    assert " 40 %" in text(play)
    play.feed(answer_event("pull", "pull", pull | {"state": "done"}, session="s"))
    play.feed(ModelChanged("ollama/qwen3:8b", session="s"))
    assert at(play) == "scope" and "ollama/qwen3:8b" in text(play)
    play.press("enter")
    assert play.take() == [SetUp(wait(play), "keep", "ollama", model="ollama/qwen3:8b")]


def test_a_model_that_ollama_does_not_have_is_fetched_at_a_key() -> None:
    play = opened()
    chooses(play, "Ollama")
    came(play, "answered", provider="ollama", label="Ollama", models=["ollama/small"])
    play.press(*"big")
    chooses(play, "use “big”")
    play.press("enter")
    came(
        play,
        "failed",
        provider="ollama",
        kind="unknown_model",
        said="no model 'big'",
        models=["ollama/small"],
    )
    assert labels(play) == [
        "download big",
        "try again",
        "choose another model",
        "choose another provider",
    ]
    play.effects.clear()
    play.press("enter", after=1.0)
    assert play.take() == [Pull("big")] and at(play) == "pulling"
    pull = {"model": "big", "state": "done", "percent": 100, "said": "", "hint": ""}
    play.feed(answer_event("pull", "pull", pull, session="s"))
    assert at(play) == "scope" and "ollama/big" in text(play)
    play.press("escape")
    assert at(play) == "model", "one step back, over what was mended"


def test_esc_stops_what_is_fetched() -> None:
    play = opened()
    chooses(play, "Ollama")
    came(play, "answered", provider="ollama", label="Ollama", models=["ollama/small"])
    chooses(play, "download another model …")
    play.type("big")
    play.press("enter")
    pull = {"model": "big", "state": "pulling", "percent": 40, "said": "", "hint": ""}
    play.feed(answer_event("pull", "pull", pull, session="s"))
    play.effects.clear()
    play.press("escape")
    assert play.take() == [Pull("big", "stop")] and at(play) == "pull"


def test_what_cannot_be_kept_leads_back_to_the_choice() -> None:
    play = answered_moonshot()
    play.press("enter", "enter")
    came(play, "failed", provider="moonshot", kind="refused", said="config.toml: is not valid TOML")
    assert "not valid TOML" in text(play) and chosen(play) == "try again"
    play.press("enter")
    assert at(play) == "scope"


KEYS = st.sampled_from(["enter", "escape", "down", "up", "f2", "a", "backspace", "end", "ctrl+u"])
TYPED = st.sampled_from(["typed:", f"typed:{HIDDEN}", "typed:qwen3:8b", "typed:localhost:1"])
STATES = st.sampled_from(
    [
        f"came:{one}"
        for one in ("asking", "starting", "no_key", "answered", "failed", "down", "keeping", "kept")
    ]
)
PULLS = st.sampled_from(
    [f"pull:{one}" for one in ("pulling", "starting", "down", "failed", "done", "stopped")]
)


@settings(max_examples=examples(150), deadline=None)
@given(st.lists(KEYS | TYPED | STATES | PULLS, max_size=25), st.sampled_from(["", "fake/model"]))
def test_whatever_is_pressed_and_comes_the_draft_is_kept_and_the_prompt_is_no_trap(
    told: list[str], model: str
) -> None:
    play = opened(model=model, keyring=True)
    play.type("my own words")
    for one in told:
        what, _, rest = one.partition(":")
        now = state_of(play.model)
        waits = now.waits if now is not None else ""
        if what == "came":
            data = {
                "state": rest,
                "provider": "ollama",
                "models": ["ollama/a"],
                "kind": "auth",
                "key": True,
                "said": "no",
            }
            play.feed(answer_event(waits, "setup_step", data, session="s"))
        elif what == "pull":
            play.feed(
                answer_event(
                    "pull", "pull", {"state": rest, "model": "m", "percent": 7}, session="s"
                )
            )
        elif what == "typed" and play.model.composer.purpose is not None:
            play.type(rest)
        elif what != "typed" and (play.model.composer.purpose is None or len(what) > 1):
            play.press(what)
        if play.model.overlay is None or play.model.overlay.kind != "setup":
            break
        assert play.model.composer.stash == "my own words" or play.model.composer.purpose is None
    for _ in range(30):
        if play.model.overlay is None or play.model.overlay.kind != "setup":
            break
        play.press("escape")
    assert play.model.composer.purpose is None and (play.model.overlay is None or not model)
    assert play.model.composer.draft in ("my own words", "")
