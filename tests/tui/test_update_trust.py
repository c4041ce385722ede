"""The question about what a project brings: what it shows, what it sends, and when it comes."""

from __future__ import annotations

from typing import Any

import pytest

from agent_tui.protocol.events import ApprovalAsked, QueueChanged, TurnStarted
from agent_tui.protocol.ops import Cancel, Query, RunShell, SetTrust, Submit
from agent_tui.protocol.transcript import Queued
from agent_tui.tui.core.effects import ReadSettings
from agent_tui.tui.core.regions import sheet_room
from agent_tui.tui.sheets import trust
from tests.answers import answer_event
from tests.tui.lists import labels, sheet, text
from tests.tui.play import Play

RULES = {
    "name": "AGENTS.md",
    "size": 26,
    "hash": "a" * 64,
    "text": "Always run the tests.\nObey me.\n",
}
SKILL = {
    "name": ".agent-tui/skills.md",
    "size": 9,
    "hash": "b" * 64,
    "text": "# /x\ngo",
    "diff": [{"old_start": 1, "new_start": 1, "lines": [" # /x", "-stay", "+go"]}],
}


def _body(play: Play) -> trust.Lines:
    assert play.model.overlay is not None
    cells = sheet_room(play.model.width, True)
    return trust._body(play.model, play.model.overlay, cells).lines


DECISIONS = ["trust these files", "trust until you quit", "go on without"]


def offer(play: Play, *files: Any, id: str = "start", **more: Any) -> None:
    data = {"folder": "/home/ada/work", "files": list(files), "asks": bool(files)} | more
    play.feed(answer_event(id, "trust", data, session=play.model.active))


def asked(*files: Any, **more: Any) -> Play:
    play = Play()
    offer(play, *files, **more)
    return play


def test_it_lists_each_file_with_its_size_and_hash_and_shows_what_is_in_it() -> None:
    play = asked(RULES, SKILL)
    assert labels(play) == ["AGENTS.md", ".agent-tui/skills.md", *DECISIONS]
    about = [option.detail for option in sheet(play).options if option.detail]
    assert about[:2] == ["new · 26 B · aaaaaaaa", "changed · 9 B · bbbbbbbb"]
    shown = text(play)
    assert "Always run the tests." in shown and "Obey me." in shown
    assert "-stay" in shown and "+go" in shown, "of a file that changed, the difference"


def test_a_row_says_which_file_imports_it() -> None:
    play = asked(RULES, RULES | {"name": "docs/style.md", "importer": "AGENTS.md"})
    about = [option.detail for option in sheet(play).options if option.detail]
    assert about[1] == "new · 26 B · imported by AGENTS.md · aaaaaaaa"


def test_code_is_called_so() -> None:
    play = asked(RULES, RULES | {"name": ".agent-tui/tools/ticket.py", "hash": "c" * 64})
    about = [option.detail for option in sheet(play).options if option.detail]
    assert about[:2] == ["new · 26 B · aaaaaaaa", "new code · 26 B · cccccccc"]
    said = " ".join(text(play).split())
    assert "1 file is code: it runs in agent-tui with your rights." in said


def test_enter_on_a_file_leads_to_the_decisions_and_no_row_of_enters_trusts() -> None:
    play = asked(RULES)
    play.press("enter")
    assert play.take() == [] and play.model.overlay is not None
    play.press("enter", after=2.0)
    assert play.take() == [SetTrust("no", ("a" * 64,))]
    assert play.model.overlay is None


def test_each_decision_is_sent_with_the_hashes_that_were_seen() -> None:
    for row, said in enumerate(("always", "once", "no")):
        play = asked(RULES, SKILL)
        play.press(*["down"] * (2 + row), "enter")
        assert play.take() == [SetTrust(said, ("a" * 64, "b" * 64))]


def test_how_much_is_not_shown_stands_at_the_end_and_at_the_decision() -> None:
    long = RULES | {"text": "Obey me.\n" * 700 + "x" * 4_100, "unseen": 1_100}
    play = asked(long)
    about = {option.label: option.detail for option in sheet(play).options}
    more = int(about["trust these files"].split(" · ")[1].split()[0].replace(",", ""))
    assert more > 1_200 and f"{more:,} more lines" in about["trust until you quit"]
    assert about["go on without"] == "none is used"
    play.press("end")
    whole = " ".join(span.text for line in _body(play) for span in line)
    assert f"… {more:,} more lines: read the file" in whole
    short = asked(RULES | {"text": "x" * 4_100})
    assert "… 100 more characters" in " ".join(s.text for line in _body(short) for s in line)
    assert "more lines" not in str(sheet(asked(RULES)).options)


def test_esc_goes_on_without() -> None:
    play = asked(RULES)
    play.press("escape")
    assert play.take() == [SetTrust("no", ("a" * 64,))] and play.model.overlay is None


def test_keys_that_come_right_after_it_appeared_trust_nothing() -> None:
    play = asked(RULES)
    for _ in range(6):
        play.press("enter", after=0.05)
    assert play.take() == []


def test_a_prompt_can_be_typed_and_is_no_answer() -> None:
    play = asked(RULES)
    play.press(*"fix", after=0.05)
    assert play.text == "fix" or play.model.composer.draft == "fix"
    assert not [op for op in play.take() if isinstance(op, SetTrust)]
    assert play.view.overlay is not None, "the question stays"
    play.press("enter")
    assert play.take() == [Submit("fix")] and play.view.overlay is not None


@pytest.mark.parametrize("gap", [0.1, 0.7, 1.4, 2.0, 4.0])
def test_a_row_of_enters_from_before_it_answers_nothing(gap: float) -> None:
    play = Play()
    play.press("enter")
    offer(play, RULES)
    for _ in range(8):
        play.press("enter", after=gap)
    assert play.take() == [] and play.model.overlay is not None
    play.press("up", "enter")
    assert [type(op) for op in play.take()] == [SetTrust], "another key ends the row"


def decided(*after: float) -> Play:
    """Esc decided while a prompt waited, whose turn begins; and more of it."""
    play = asked(RULES)
    play.press(*"fix", after=1.0)
    play.press("enter", "escape")
    assert play.take()[-1] == SetTrust("no", ("a" * 64,))
    play.feed(TurnStarted(prompt="fix", turn=1, session="s"), after=0.05)
    for pause in after:
        play.press("escape", after=pause)
    return play


def test_the_esc_behind_the_one_that_decided_stops_nothing() -> None:
    assert decided(0.2).toast == "Esc again stops"
    assert decided(0.2).take() == []
    assert decided(*[0.03] * 50).take() == [], "nor does a finger that rests on it"
    assert decided(0.2, 0.4).take() == [Cancel()]
    assert decided(1.2).take() == [Cancel()]


def test_a_question_of_the_turn_that_began_is_not_left_by_the_esc_behind() -> None:
    play = decided()
    play.feed(ApprovalAsked(id="a", call_id="c", tool="t", label="make", session="s"), after=0.05)
    play.press("escape", after=0.2)
    assert play.take() == [] and play.model.dialog is not None


def test_it_does_not_cover_what_the_person_has_opened() -> None:
    play = Play()
    play.press("f1")
    before = play.model.overlay
    assert before is not None
    offer(play, RULES)
    assert play.model.overlay is not None and play.model.overlay.kind == before.kind
    assert play.model.toast is not None and "/trust" in play.model.toast.text


def test_the_command_asks_again_and_says_where_there_is_nothing() -> None:
    play = Play()
    play.type("/trust")
    play.press("escape", "enter")
    assert play.take() == [Query("asked", "trust")]
    offer(play, id="asked", used=2)
    assert play.model.overlay is None
    assert play.model.toast is not None and "2 files" in play.model.toast.text


def test_a_home_folder_cannot_be_trusted_for_long() -> None:
    assert labels(asked(RULES, lasts=False)) == ["AGENTS.md", *DECISIONS[1:]]


def test_the_settings_of_the_project_are_read_once_it_is_trusted() -> None:
    play = asked(RULES)
    play.effects.clear()
    offer(play, used=1)
    assert ReadSettings(of_project=True) in play.effects and play.model.overlay is None


def test_another_content_replaces_what_was_shown() -> None:
    play = asked(RULES)
    offer(play, RULES | {"text": "Something else.", "hash": "c" * 64})
    assert "Something else." in text(play) and "Obey me." not in text(play)


def test_a_hidden_control_sequence_is_shown_not_sent() -> None:
    shown = text(asked(RULES | {"text": "calm\x1b[2Jwords"}))
    assert "\x1b" not in shown and "calm" in shown


def test_the_cursor_on_a_file_shows_it_from_its_beginning() -> None:
    long = RULES | {"text": "\n".join(f"line {number}" for number in range(100))}
    play = asked(long, SKILL)
    play.press("down")
    overlay = play.model.overlay
    assert overlay is not None and overlay.scroll > 100
    lines = ["".join(span.text for span in line) for line in sheet(play).lines]
    assert lines[overlay.scroll] == ".agent-tui/skills.md"


def hold(play: Play, on: bool) -> None:
    play.feed(answer_event("hold", "hold", {"on": on}, session="s"))


def held_prompt(words: str = "fix") -> Play:
    """A prompt that was sent while the question is open, and that the engine has put in the queue."""
    play = Play()
    hold(play, on=True)
    offer(play, RULES)
    play.press(*words, after=1.0)
    play.press("enter")
    assert play.take()[-1] == Submit(words)
    play.feed(QueueChanged(items=(Queued("q1", words),), session="s"))
    return play


def test_a_prompt_that_waits_for_the_answer_is_shown_as_queued_and_then_sent() -> None:
    play = held_prompt()
    assert play.take() == [] and [item.text for item in play.model.queue] == ["fix"]
    assert play.view.queue is not None and not play.model.is_running
    offer(play)
    assert play.take() == [], "the engine says when"
    hold(play, on=False)
    assert play.take() == [Submit("fix", queue_id="q1")]


def test_what_enter_does_with_words_there_is_said() -> None:
    play = held_prompt()
    play.press(*"more", after=1.0)
    assert ("Enter", "queue") in play.view.footer.keys
    play.feed(QueueChanged(items=play.model.queue, paused=True, session="s"))
    play.press("enter")
    assert not play.toast, "the new prompt waits too: nothing is resumed by an empty prompt"


@pytest.mark.parametrize(("key", "clears"), [("ctrl+c", False), ("ctrl+x", True)])
def test_a_key_that_interrupts_stops_what_waits_for_the_answer(key: str, clears: bool) -> None:
    play = held_prompt()
    play.press(key)
    assert play.take() == [Cancel(clears)]
    play.feed(QueueChanged(items=() if clears else play.model.queue, paused=not clears))
    hold(play, on=False)
    assert play.take() == []


def test_a_queued_prompt_that_was_sent_too_early_waits_again() -> None:
    play = Play()
    play.feed(QueueChanged(items=(Queued("q1", "fix"),), session="s"))
    assert play.take() == [Submit("fix", queue_id="q1")] and not play.model.queue
    hold(play, on=True)
    assert play.take() == [] and len(play.model.queue) == 1 and not play.model.is_running


def test_a_shell_command_waits_in_the_prompt_for_the_answer() -> None:
    play = Play()
    hold(play, on=True)
    offer(play, RULES)
    play.type("!touch B1")
    play.press("enter")
    assert play.toast == "answer the question first" and play.text == "!touch B1"
    assert not [op for op in play.take() if isinstance(op, RunShell)]
    assert play.view.prompt.label == "! shell command: answer the question first"
    hold(play, on=False)
    offer(play)
    play.press("enter")
    assert RunShell("touch B1") in play.take()


COVERS = ("/context", "/help", "/mode", "/map", "/model", "/settings")


def enter_words(play: Play, words: str) -> Play:
    """`words` are typed and sent as they are."""
    play.type(words)
    play.press("escape")  # the list of commands
    play.press("enter")
    return play


@pytest.mark.parametrize("words", COVERS)
def test_a_command_with_a_sheet_does_not_take_the_question_away(words: str) -> None:
    play = held_prompt()
    enter_words(play, words)
    assert play.toast == "answer the question first" and play.text == words
    assert play.model.overlay is not None and play.model.overlay.kind == "trust"
    assert play.take() == [] and not any("run" in does for _, does in play.view.footer.keys)
    hold(play, on=False)
    offer(play)
    play.take()
    play.press("enter")
    assert play.text == "", "after the answer it runs"


def test_a_command_without_a_sheet_runs_beside_the_question() -> None:
    play = held_prompt()
    enter_words(play, "/vim on")
    assert play.text == "" and play.toast != "answer the question first"
    assert play.model.overlay is not None and play.model.overlay.kind == "trust"


@pytest.mark.parametrize("key", ["ctrl+p", "f1", "alt+q"])
def test_a_key_beside_a_command_does_not_take_the_question_away(key: str) -> None:
    play = held_prompt()
    play.type("/vim")
    play.press(key, after=1.0)
    assert play.toast == "answer the question first" and play.text == "/vim"
    assert play.model.overlay is not None and play.model.overlay.kind == "trust"


def test_escape_shows_a_question_that_nobody_sees_and_does_not_answer_it() -> None:
    play = Play()
    play.press("f1")
    hold(play, on=True)
    offer(play, RULES)
    assert play.toast == "files of this project wait: /trust"
    play.press("escape", after=2.0)
    play.type("fix")
    play.press("enter")
    play.feed(QueueChanged(items=(Queued("q1", "fix"),), session="s"))
    play.take()
    play.press("escape", after=2.0)
    assert play.take() == [] and play.model.overlay is not None
    assert play.model.overlay.kind == "trust"
    play.press("escape", after=2.0)
    assert play.take() == [SetTrust("no", ("a" * 64,))]


@pytest.mark.parametrize("words", ["!ls", "!!ls"])
def test_the_footer_offers_no_enter_for_a_command_that_waits_for_the_answer(words: str) -> None:
    play = held_prompt()
    play.type(words)
    assert play.view.footer.keys[-1] == ("Esc", "go on without")
    assert "Enter" not in dict(play.view.footer.keys)
    play.press("backspace", "backspace", "backspace", "backspace")
    play.type("words")
    assert ("Enter", "queue") in play.view.footer.keys
