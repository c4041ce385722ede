"""`/compact` and `/context` on the screen: what a summary would stand for, and of what the next
request is made."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agent_tui.protocol.events import (
    Compacted,
    CompactionStarted,
    CompactionStopped,
    QueueChanged,
    TurnEnded,
    TurnStarted,
)
from agent_tui.protocol.ops import (
    Cancel,
    Compact,
    Query,
    QueueEdit,
    SaveDraft,
    Submit,
    UndoCompaction,
)
from agent_tui.protocol.transcript import DividerBlock, Queued
from agent_tui.tui.core.effects import Remember, Send
from agent_tui.tui.core.msg import KeyPressed, Pasted
from agent_tui.tui.transcript.state import foldable
from tests.answers import answer_event
from tests.tui.gallery import COMPACTION, CONTEXT
from tests.tui.lists import labels, sheet, text
from tests.tui.play import Play, words


def typed(command: str) -> Play:
    play = Play()
    play.feed(TurnStarted("Where is a price rounded?", n=3))
    play.feed(TurnEnded("completed"))
    play.take()
    play.type(command)
    play.press("escape", "enter")
    return play


def proposed(**changed: object) -> Play:
    play = typed("/compact keep the prices")
    overlay = play.model.overlay
    assert overlay is not None
    assert play.take() == [Query(overlay.query, "compaction", "keep the prices")]
    data = {**COMPACTION, **changed}
    play.feed(answer_event(overlay.query, "compaction", data, session=play.model.active))
    return play


def test_the_summary_and_what_it_stands_for_are_seen_before_anything_changes() -> None:
    play = proposed()
    assert "Round prices once" in text(play) and "3 messages" in text(play)
    assert [label[7:] for label in labels(play)] == [
        "prompt: Where is a price rounded?",
        "answer: In two places: cart.py and till.py.",
        "result of read_file: def total(items):",
    ]
    play.press("escape")
    assert play.model.overlay is None and play.take() == []


def test_enter_compacts_without_what_is_kept() -> None:
    play = proposed()
    play.press("down", "space", "enter")
    summary = str(COMPACTION["summary"])
    assert play.take() == [Compact(summary, 3, 9, (1,), "openai/gpt-5-mini")]
    assert play.model.overlay is None


def test_a_space_that_came_with_the_key_before_it_marks_nothing_and_says_so() -> None:
    """In one read: the row that it would mark was not on the screen yet."""
    play = proposed()
    play.press("down", after=2.0)
    play.say(KeyPressed("space", " ", blind=True), after=0.0)
    assert play.toast == "nothing done: pause, then press Space"
    play.press("space", after=2.0)
    play.press("enter", after=5.0)
    summary = str(COMPACTION["summary"])
    assert play.take() == [Compact(summary, 3, 9, (1,), "openai/gpt-5-mini")]


def test_the_summary_can_be_edited() -> None:
    play = proposed()
    play.press("e")
    assert play.model.composer.draft == COMPACTION["summary"]
    assert play.view.prompt.place == 0, "it is read from its beginning"
    play.type("; and this")
    play.press("enter")
    assert "and this" in text(play)
    play.press("enter", after=5.0)
    edited = f"{COMPACTION['summary']}; and this"
    assert play.take() == [Compact(edited, 3, 9, (), "you")]


def test_an_enter_soon_after_the_one_that_used_the_edit_is_refused_and_the_footer_says_so() -> None:
    play = edited()
    play.press("enter", after=2.0)
    play.press("enter", after=1.5)
    assert play.toast == "nothing done: press ↑↓, then Enter" and play.take() == []
    assert ("Enter", "compact") not in play.view.footer.keys
    play.press("down")
    assert ("Enter", "compact") in play.view.footer.keys
    play.press("enter")
    assert play.take() == [Compact(WRITTEN, 3, 9, (), "you")]


def test_the_counts_are_those_of_what_the_person_made_of_it() -> None:
    play = proposed()
    assert "≈ 21.4k → ≈ 6.2k tokens" in text(play)
    play.press("down", "down", "space")
    assert "≈ 21.4k → ≈ 8.3k tokens" in text(play), "a message that is kept counts"
    play.press("e")
    play.type("words " * 20_000)
    play.press("enter")
    assert "≈ 21.4k → ≈ 38.3k tokens" in text(play)


def test_to_leave_while_it_is_written_calls_it_off() -> None:
    play = typed("/compact")
    play.take()
    play.press("escape")
    assert play.model.overlay is None and play.take() == [Cancel()]


def test_the_clock_is_that_of_the_summary() -> None:
    play = Play()
    play.feed(TurnStarted("Where?", n=3), TurnEnded("completed"))
    play.tick(40.0)
    play.feed(CompactionStarted(900, at=play.at))
    play.tick(3.0)
    status = play.view.status
    assert status is not None and "compacting the conversation · 4 s" in words(status.spans)


def test_why_there_is_nothing_to_do_is_said() -> None:
    play = proposed(problem="there is nothing to compact: the conversation is short")
    assert play.model.overlay is None and "short" in play.toast
    assert play.take() == []


def test_it_waits_for_the_end_of_a_turn() -> None:
    play = Play()
    play.feed(TurnStarted("Where is a price rounded?", n=3))
    play.take()
    play.type("/compact")
    play.press("tab", "enter")
    assert play.model.overlay is None and "interrupts the running turn" in play.toast


def test_undo_takes_the_summary_back() -> None:
    assert typed("/compact undo").take() == [UndoCompaction()]


def test_a_line_across_holds_the_summary_folded() -> None:
    play = Play()
    play.feed(CompactionStarted(900))
    assert play.model.transcript.compacting and play.model.transcript.state == "running"
    play.feed(Compacted("## Goal\nall of it", 4, before=900, after=200, n=5))
    t = play.model.transcript
    block = t.rows[-1]
    assert isinstance(block, DividerBlock) and foldable(block)
    assert "900" in block.text and "/compact undo" in block.text and block.detail
    assert t.state == "idle" and t.context_tokens == 200
    assert not foldable(replace(block, detail=""))


def test_a_summary_that_was_called_off_leaves_no_line() -> None:
    play = Play()
    rows = len(play.model.transcript.rows)
    play.feed(CompactionStarted(900), CompactionStopped())
    assert play.model.transcript.state == "idle" and len(play.model.transcript.rows) == rows


def test_the_parts_of_the_next_request_are_listed_with_what_is_left_out() -> None:
    play = typed("/context")
    overlay = play.model.overlay
    assert overlay is not None and play.take() == [Query(overlay.query, "context")]
    play.feed(answer_event(overlay.query, "context", CONTEXT, session=play.model.active))
    assert "≈ 14.4k tokens of 32.8k · 44%" in text(play)
    assert "99% of the last request" in text(play)
    groups = [option.label for option in sheet(play).options if option.heading and option.label]
    assert groups == ["In the next request", "Left out"]


def test_a_part_of_the_instructions_is_read_and_esc_goes_back_to_it() -> None:
    play = typed("/context")
    overlay = play.model.overlay
    assert overlay is not None
    parts = [{"name": "answers", "tokens": 1}, *CONTEXT["parts"]]
    data = {**CONTEXT, "parts": parts}
    play.feed(answer_event(overlay.query, "context", data, session=play.model.active))
    assert "built in" not in text(play)
    play.press("enter")
    assert play.model.overlay is not None and play.model.overlay.kind == "context", "no text"
    play.press("down")
    assert "built in" in text(play)
    play.press("enter")
    assert sheet(play).title == "system: work" and "Do what was asked, all of it" in text(play)
    play.press("escape")
    assert play.model.overlay.kind == "context" and "built in" in text(play)
    play.press("escape")
    assert play.model.overlay is None


def test_each_row_of_the_ledger_says_one_line_about_itself_so_that_no_row_jumps() -> None:
    play = typed("/context")
    overlay = play.model.overlay
    assert overlay is not None
    deep = f"/home/ada/{'deep/' * 30}AGENTS.md"
    parts = [
        {"name": "system: role", "tokens": 1, "source": "built in", "text": "You"},
        {"name": "system: instructions: AGENTS.md", "tokens": 1, "source": deep, "text": "Do"},
        {"name": "answers", "tokens": 1},
        {"name": "facts of the moment", "tokens": 1, "text": "Date"},
        {"name": "older messages, summarised", "tokens": 9, "gone": True},
        {"name": "system: work", "tokens": 0, "gone": True, "source": "work.md is empty"},
    ]
    data = {**CONTEXT, "parts": parts}
    play.feed(answer_event(overlay.query, "context", data, session=play.model.active))
    assert "role: built in" in text(play)
    abouts = list[str]()
    for _ in parts:
        abouts.append(words(sheet(play).lines[-1]))
        assert len(sheet(play).lines) == 4 and 0 < len(abouts[-1]) <= 72
        play.press("down")
    assert len(set(abouts)) == len(parts)
    details = [option.detail for option in sheet(play).options if not option.heading]
    assert details[-2:] == ["≈ 9 · left out", "left out"]


def test_a_window_that_nobody_knows_has_no_bar() -> None:
    play = typed("/context")
    overlay = play.model.overlay
    assert overlay is not None
    data = {**CONTEXT, "window": 0, "limit": 0}
    play.feed(answer_event(overlay.query, "context", data, session=play.model.active))
    assert "not known" in text(play) and "━" not in text(play)


def edited(words: str = " and this") -> Play:
    play = proposed()
    play.press("e")
    play.type(words)
    return play


WRITTEN = f"{COMPACTION['summary']} and this"


def history(play: Play) -> list[str]:
    return [effect.text for effect in play.effects if isinstance(effect, Remember)]


def test_an_edit_that_is_left_with_esc_is_in_the_history_and_e_shows_it_again() -> None:
    play = edited()
    play.press("escape")
    assert history(play) == [WRITTEN] and "in the history" in play.toast
    assert play.view.overlay is not None
    play.press("e")
    assert play.model.composer.draft == WRITTEN
    play.press("escape")
    assert history(play) == [WRITTEN], "it was not changed since"


def test_an_edit_that_is_used_is_in_the_history_whatever_becomes_of_the_sheet() -> None:
    play = edited()
    play.press("enter")
    assert history(play) == [WRITTEN]
    play.press("escape")
    assert play.view.overlay is None


def test_ctrl_c_leaves_what_it_clears_of_an_edit_in_the_history() -> None:
    play = edited()
    play.press("ctrl+c")
    assert history(play) == [WRITTEN] and "in the history" in play.toast


def test_an_edit_is_on_record_as_it_is_written() -> None:
    play = edited()
    saved = [effect.op for effect in play.effects if isinstance(effect, Send)]
    assert isinstance(saved[-1], SaveDraft) and saved[-1].text == WRITTEN


def test_the_summary_as_it_was_offered_is_nothing_that_somebody_wrote() -> None:
    play = edited("")
    play.press("escape")
    assert history(play) == [] and play.toast == ""
    assert not any(isinstance(e, Send) and isinstance(e.op, SaveDraft) for e in play.effects)


def written() -> Play:
    play = typed("/compact")
    play.feed(CompactionStarted(900))
    play.take()
    return play


def told(play: Play) -> None:
    overlay = play.model.overlay
    assert overlay is not None
    answer = answer_event(overlay.query, "compaction", COMPACTION, session=play.model.active)
    play.feed(CompactionStopped(), answer)


def queued(play: Play, text: str) -> None:
    """The engine has it in the queue."""
    assert QueueEdit("add", text=text) in play.take()
    play.feed(QueueChanged((Queued("q", text),), False, session="s"))


def test_words_beside_a_summary_that_is_written_are_queued_until_it_is_decided() -> None:
    play = written()
    play.press(*"next", after=0.2)
    play.press("x", "backspace", after=0.2)
    assert play.text == "next" and play.take() == [] and play.view.overlay is not None
    assert ("Enter", "queue") in play.view.footer.keys
    play.press("enter")
    queued(play, "next")
    told(play)
    assert play.take() == [] and ("Enter", "compact") in play.view.footer.keys
    play.press("enter", after=5.0)
    [compacts, sends] = play.take()
    assert isinstance(compacts, Compact) and sends == Submit("next", queue_id="q")


def test_they_go_out_when_the_summary_is_not_wanted() -> None:
    play = written()
    play.type("next")
    play.press("enter")
    queued(play, "next")
    told(play)
    play.press("escape")
    assert play.view.overlay is None and play.take() == [Submit("next", queue_id="q")]


def test_a_paste_is_queued_and_words_that_the_summary_overtakes_are_never_enter_for_it() -> None:
    play = written()
    play.say(Pasted("words of a paste"))
    told(play)
    assert ("Enter", "queue") in play.view.footer.keys
    play.press("n", after=0.2)
    assert play.text == "words of a pasten" and play.view.overlay is not None
    play.press("enter")
    assert play.take() == [QueueEdit("add", text="words of a pasten")]


def test_words_on_the_preview_are_written_below_it() -> None:
    play = proposed()
    play.press(*"no way", after=0.2)
    assert play.text == "no way" and play.view.overlay is not None
    play.press("enter")
    assert play.take() == [QueueEdit("add", text="no way")]


def test_no_command_runs_beside_a_summary() -> None:
    for command in ("/jobs", "!ls"):
        play = written()
        play.type(command)
        play.press("escape", "enter") if command[0] == "/" else play.press("enter")
        assert "not run" in play.toast and play.text == command
        assert play.model.overlay is not None and play.model.overlay.kind == "compact"


@pytest.mark.parametrize("words", ["!ls", "!!ls", "/rename x"])
def test_nothing_offers_a_command_that_the_summary_refuses(words: str) -> None:
    play = written()
    play.type(words)
    assert "Enter" not in dict(play.view.footer.keys)
    assert play.view.footer.keys[-1] == ("Esc", "cancel")
    assert "runs at once" not in play.view.prompt.label
    if words.startswith("!"):
        said = "! shell command: use the summary or cancel it first"
        assert play.view.prompt.label == said
    play.press("enter")
    assert play.take() == [] and play.text == words
    play.press("escape", after=2.0)
    assert play.model.overlay is None and ("Enter", "run") in play.view.footer.keys


def test_the_list_of_commands_offers_no_enter_that_the_summary_refuses() -> None:
    play = written()
    play.type("/cont")
    assert play.view.completion is not None and "Enter" not in dict(play.view.footer.keys)
    assert ("Tab", "complete") in play.view.footer.keys


def test_a_command_behind_one_that_the_summary_refused_is_not_queued() -> None:
    play = written()
    play.type("/context")
    play.press("escape", "enter")
    play.type("/mode")
    play.press("enter")
    assert play.toast == "not sent: clear the prompt, then /mode"
    assert play.take() == []
