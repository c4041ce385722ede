"""Searching earlier prompts, as values: narrowing, the order of hits, and what becomes of the
draft."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_tui.protocol.ops import Submit
from agent_tui.tui.core.effects import ReadHistory, Remember, Send
from agent_tui.tui.core.history_search import Past, Recall
from agent_tui.tui.core.msg import DraftEdited, HistoryLoaded, HistoryRead, Msg, VimMoved
from tests.tui.play import Play, words

PASTS = (
    Past("fix the parser", 990.0, True),
    Past("write\n\nthe docs", 500.0),
    Past("Parser tests", 400.0, True),
    Past("docs of the parser", 300.0),
)


def opened(draft: str = "", pasts: tuple[Past, ...] = PASTS) -> Play:
    play = Play()
    if draft:
        play.type(draft)
    play.press("ctrl+r")
    number = next(effect.number for effect in play.effects if isinstance(effect, ReadHistory))
    play.say(HistoryRead(number=number, entries=pasts))
    play.say(HistoryRead(number=number, done=True))
    play.effects.clear()
    return play


def listed(play: Play) -> list[str]:
    """What the sheet offers, nearest first; the chosen one with a mark."""
    sheet = play.view.overlay
    assert sheet is not None
    return [
        ("> " if n == sheet.selected else "") + option.label
        for n, option in enumerate(sheet.options)
    ][::-1]


def test_this_folder_comes_first_and_the_nearest_is_chosen() -> None:
    play = opened()
    assert listed(play) == [
        "> fix the parser",
        "Parser tests",
        "write ⏎ the docs",
        "docs of the parser",
    ]
    assert [option.detail for option in play.view.overlay.options][1::2] == [  # type: ignore[union-attr]
        "8 min ago · elsewhere",
        "just now",
    ]
    assert play.view.overlay.note == "1 of 4" and not play.view.footer.note  # type: ignore[union-attr]


def test_commands_are_behind_prompts() -> None:
    commands = (Past("/effort high", 995.0, True), Past("/label done", 994.0))
    play = opened(pasts=(*commands, Past("/usr/bin is full", 993.0, True), *PASTS))
    assert listed(play) == [
        "> /usr/bin is full",
        "fix the parser",
        "Parser tests",
        "write ⏎ the docs",
        "docs of the parser",
        "/effort high",
        "/label done",
    ]


def test_its_footer_names_the_way_out_before_other_keys_on_a_narrow_screen() -> None:
    assert opened().view.footer.leaves


def test_typing_narrows_by_words_in_any_order_and_case() -> None:
    play = opened()
    play.type("parser")
    assert listed(play) == ["> fix the parser", "Parser tests", "docs of the parser"]
    play.type(" DOCS")
    assert listed(play) == ["> docs of the parser"]
    play.type(" nowhere")
    assert words(play.view.overlay.lines[0]) == "no earlier prompt matches"  # type: ignore[union-attr]
    play.press("up", "enter")
    assert (play.text, play.toast.partition(":")[0]) == (
        "parser DOCS nowhere",
        "no earlier prompt matches",
    )


def test_older_and_newer_stop_at_the_ends() -> None:
    play = opened()
    play.press("ctrl+r", "up")
    assert listed(play)[2] == "> write ⏎ the docs"
    play.press("pageup", "up")
    assert listed(play)[3] == "> docs of the parser"
    play.press("down")
    assert listed(play)[2] == "> write ⏎ the docs"
    play.press("pagedown", "down")
    assert listed(play)[0] == "> fix the parser"


@pytest.mark.parametrize("key", ["enter", "tab", "ctrl+s"])
def test_the_chosen_one_takes_the_place_of_the_draft_which_is_kept(key: str) -> None:
    play = opened("half a thought")
    play.press("up", key)
    assert (play.text, play.model.recall, play.model.composer.purpose) == (
        "Parser tests",
        None,
        None,
    )
    assert play.takes(Remember) == [Remember("half a thought")]
    play.press("up")
    assert play.text == "half a thought"
    assert play.ops == []


@pytest.mark.parametrize("key", ["escape", "ctrl+c", "ctrl+g"])
def test_leaving_gives_the_draft_back(key: str) -> None:
    play = opened("half a thought")
    play.type("docs")
    play.press(key)
    assert (play.text, play.model.recall, play.view.overlay) == ("half a thought", None, None)
    assert play.takes(Remember) == []


def test_an_empty_history_and_one_that_is_being_read_say_so() -> None:
    play = opened(pasts=())
    assert words(play.view.overlay.lines[0]) == "no prompts yet"  # type: ignore[union-attr]
    play = Play()
    play.press("ctrl+r")
    assert words(play.view.overlay.lines[0]) == "reading …"  # type: ignore[union-attr]


def test_what_was_read_for_an_earlier_search_comes_too_late() -> None:
    play = opened()
    play.press("escape", "ctrl+r")
    play.say(HistoryRead(number=1, entries=PASTS))
    assert listed(play) == []


def test_a_hit_far_into_a_long_prompt_is_shown() -> None:
    play = opened(pasts=(Past("a " * 5_000 + "needle here", 1.0),))
    play.type("needle")
    assert "needle here" in listed(play)[0]


def test_the_sheet_keeps_its_height() -> None:
    play = opened(pasts=tuple(Past(f"prompt {n}", float(n)) for n in range(40)))
    heights = set()
    for key in ("", "1", "2", "2", "x"):
        play.type(key)
        sheet = play.view.overlay
        assert sheet is not None
        gap = 1 if sheet.lines and sheet.options else 0
        heights.add(len(sheet.lines) + gap + len(sheet.options))
    assert len(heights) == 1


def test_what_another_copy_wrote_takes_the_place_of_what_was_known() -> None:
    play = Play()
    play.say(HistoryLoaded(entries=("a", "b")))
    play.say(HistoryLoaded(entries=("a", "theirs", "b"), again=True))
    play.press("up", "up")
    assert play.text == "theirs"


@given(
    st.lists(st.tuples(st.text("abC ", max_size=6), st.booleans()), max_size=30),
    st.text("abc ", max_size=3),
    st.integers(1, 7),
    st.integers(0, 40),
)
def test_read_in_pieces_it_finds_what_it_finds_read_whole(
    entries: list[tuple[str, bool]], query: str, size: int, older: int
) -> None:
    pasts = tuple(Past(text, 0.0, here) for text, here in entries)
    whole = Recall(1).read(pasts, done=True).with_query(query)
    pieces = Recall(1).with_query(query)
    for n in range(0, len(pasts), size):
        pieces = pieces.read(pasts[n : n + size], done=n + size >= len(pasts))
    assert (pieces.here, pieces.elsewhere) == (whole.here, whole.elsewhere)
    assert 0 <= whole.move_by(older).selected < max(1, whole.total)
    assert all(word in past.text.lower() for past in whole.here for word in query.split())


def test_of_a_word_that_is_everywhere_as_many_are_found_as_one_goes_to() -> None:
    pasts = tuple(Past(f"prompt {n}", 0.0, n % 3 == 0) for n in range(30_000))
    found = Recall(1)
    for n in range(0, len(pasts), 500):
        found = found.read(pasts[n : n + 500], done=n + 500 == len(pasts))
    found = found.with_query("prompt")
    assert found.total < 2_500
    assert found.has_more
    seen = [found.hit_at(0)]
    for _ in range(12_000):
        found = found.move_by(1)
        assert found.chosen_hit is not None
        seen.append(found.chosen_hit)
    here = [past for past in pasts if past.here]
    assert seen[: len(here)] == here
    assert seen[len(here) :] == [past for past in pasts if not past.here][: len(seen) - len(here)]
    assert found.with_query("prompt 29999").hit_at(0).text == "prompt 29999"


STEPS = st.one_of(
    st.sampled_from(
        [
            "ctrl+r",
            "enter",
            "tab",
            "escape",
            "up",
            "down",
            "pageup",
            "ctrl+c",
            "ctrl+g",
            "ctrl+f",
            "f1",
        ]
    ),
    st.builds(HistoryRead, number=st.integers(1, 3), entries=st.just(PASTS), done=st.booleans()),
    st.builds(HistoryLoaded, entries=st.just(("a", "b")), again=st.booleans()),
    st.builds(VimMoved, mode=st.sampled_from(["insert", "normal", "visual"])),
    st.builds(DraftEdited, text=st.just("edited"), problem=st.sampled_from(["", "ed failed"])),
)


@given(st.lists(STEPS, max_size=25))
def test_in_any_order_the_draft_is_in_the_prompt_or_put_aside_or_remembered(
    steps: list[str | Msg],
) -> None:
    play = Play()
    play.type("precious")
    for step in steps:
        if not isinstance(step, str):
            play.say(step)
        elif step not in ("enter", "ctrl+c") or play.model.recall is not None:
            play.press(step)
        now = play.model.composer
        assert (play.model.recall is not None) == (
            now.purpose is not None and now.purpose.kind == "history"
        )
        edited = any(isinstance(step, DraftEdited) and not step.problem for step in steps)
        ops = [effect.op for effect in play.effects if isinstance(effect, Send)]
        sent = [op.text for op in ops if isinstance(op, Submit)]
        kept = (
            now.draft,
            now.stash,
            now.kept,
            *now.history,
            *sent,
        )  # a list of commands can send it too
        assert edited or any("precious" in text for text in kept)
