"""`agent-tui chat` on a terminal that can do nothing: lines, questions, the queue, lists, Ctrl+C,
Ctrl+D."""

from __future__ import annotations

import os
import signal
import termios
import time

import pytest

from agent_tui.tui.linear.chat import TWICE_SECONDS
from agent_tui.tui.linear.input_rules import LIST_SECONDS
from tests.agent.driving import Place
from tests.tui.linear.talk import CREATE, PATIENCE, place, steps, terminal

__all__ = ["place"]

WAIT = {
    "call": "run_shell_command",
    "arguments": {"command": "while ! test -e go; do sleep 0.05; done"},
}
READ = 0.4
"""Seconds after which a line is meant for the question that came before it."""


def test_a_turn_and_the_end(place: Place) -> None:
    with terminal(place, "-m", place.script(*steps("hello\nthere", "again"))) as it:
        it.hear("> ")
        it.say("one")
        heard = it.hear("> ")
        assert "Assistant: hello\r\nthere\r\nDone in" in heard
        assert "You: one" not in heard, "the terminal shows what is typed"
        it.type("\x04")
        it.hear("Continue: agent-tui chat --resume ")
        assert it.wait() == 0
        assert "\x1b" not in it.raw.decode(), "nothing but lines"


def test_a_prompt_that_was_not_sent_is_told_of_at_the_end_and_is_there_again(place: Place) -> None:
    with terminal(place, "-m", place.script(*steps("hello"))) as it:
        it.hear("> ")
        it.say("why is the total wrong")
        it.hear("Assistant: hello")
        it.hear("> ")
        it.say("/history")
        it.hear("Type a number to take it")
        it.hear("> ")
        it.say("1")  # commands, such as this one, are behind prompts
        it.hear("In the prompt: why is the total wrong")
        it.hear("> ")
        it.type("\x04")
        it.hear("Not sent, but saved: why is the total wrong\r\nContinue: agent-tui chat --resume ")
        assert it.wait() == 0
    with terminal(place, "-m", place.script(*steps("hello")), "--continue") as it:
        it.hear("In the prompt: why is the total wrong")


def test_a_question_is_answered_by_a_line(place: Place) -> None:
    with terminal(place, "-m", place.script([CREATE], [{"text": "made"}])) as it:
        it.hear("> ")
        it.say("make it")
        it.hear("Type y, a, e, n or m")
        time.sleep(READ)
        it.say("perhaps")
        it.hear("That is not one of the answers. Nothing was sent.")
        it.say("y")
        it.hear("Tool: Create new.txt, new file, 2 lines added, 0 removed")
        it.hear("Assistant: made")
        assert (place.cwd / "new.txt").exists()


def test_a_line_that_was_begun_before_the_question_answers_nothing(place: Place) -> None:
    with terminal(
        place, "-m", place.script([WAIT], [CREATE], [{"text": "made"}], [{"text": "more"}])
    ) as it:
        it.hear("> ")
        it.say("make it")
        it.hear("Type y")
        time.sleep(READ)
        it.say("y")
        it.hear("Tool: ")
        it.type("y")
        it.read(0.3)
        (place.cwd / "go").touch()
        it.hear("Type y, a, e, n or m")
        time.sleep(4 * READ)
        it.type("\r")
        it.hear("You typed that before you could read the question. Type it again.")
        assert not (place.cwd / "new.txt").exists()
        it.say("y")
        it.hear("Assistant: made")
        assert (place.cwd / "new.txt").exists()


def test_words_that_were_begun_before_the_question_are_a_prompt(place: Place) -> None:
    with terminal(
        place, "-m", place.script([WAIT], [CREATE], [{"text": "made"}], [{"text": "more"}])
    ) as it:
        it.hear("> ")
        it.say("make it")
        it.hear("Type y")
        time.sleep(READ)
        it.say("y")
        it.hear("Tool: ")
        it.type("add te")
        it.read(0.3)
        (place.cwd / "go").touch()
        it.hear("Type y, a, e, n or m")
        it.say("sts too")
        time.sleep(2 * READ)
        it.say("y")
        it.hear("Assistant: made")
        assert "add tests too" in it.hear("Assistant: more"), "it had its own turn"


def test_why_not_is_asked_for(place: Place) -> None:
    with terminal(place, "-m", place.script([CREATE], [{"text": "understood"}])) as it:
        it.hear("> ")
        it.say("make it")
        it.hear("Type y, a, e, n or m")
        time.sleep(READ)
        it.say("m")
        it.hear("Tell the model why not.")
        it.say("another name")
        it.hear("you said no: another name")
        it.hear("Assistant: understood")


def test_lines_queue_while_a_turn_runs(place: Place) -> None:
    model = place.script([WAIT], [{"text": "one"}], [{"text": "changed"}])
    with terminal(place, "-m", model, "--mode", "accept-all") as it:
        it.hear("> ")
        it.say("first")
        it.hear("running")
        it.say("second")
        it.hear("Queued as number 1: second")
        it.say("third")
        it.hear("Queued as number 2: third")
        it.say("/queue")
        it.hear("2: third, waits")
        it.hear("or an empty line to close.")
        it.say("d 2")
        it.hear("Removed; it is in the history.")
        it.hear("or an empty line to close.")
        it.say("e 1")
        it.hear("Queued prompt: second")
        it.say("second, with other words")
        it.hear("Queued as number 1: second, with other words")
        it.say("/steer faster")
        it.hear("For the next step of this turn: faster")
        (place.cwd / "go").touch()
        it.hear("You, into the turn: faster")
        it.hear("Assistant: one")
        it.hear("You: second, with other words")
        it.hear("Assistant: changed")


def test_ctrl_c_interrupts_the_queue_waits_and_goes_on(place: Place) -> None:
    with terminal(
        place, "-m", place.script([{"text": "begun\n"}, {"hang": True}], [{"text": "after"}])
    ) as it:
        it.hear("> ")
        it.say("first")
        it.hear("begun")
        it.say("second")
        it.hear("Queued as number 1")
        it.type("\x03")
        it.hear("The queue is paused, 1 prompt waits; /queue resume continues it.")
        it.hear("Interrupted after")
        it.hear("> ")
        it.say("/queue resume")
        it.hear("Assistant: after")
        it.hear("> ")
        time.sleep(TWICE_SECONDS)
        it.type("\x03")
        it.hear("Press Ctrl+C again to quit.")
        it.type("\x03")
        assert it.wait() == 130


def test_lists_are_chosen_from_by_number(place: Place) -> None:
    with terminal(place, "-m", place.script(*steps("the answer"))) as it:
        it.hear("> ")
        it.say("/mode")
        heard = it.hear("Type a number to choose")
        number = next(line.partition(":")[0] for line in heard.splitlines() if ": plan" in line)
        it.hear("> ")
        it.say(number)
        it.hear("Plan: only reads")
        it.hear("> ")
        it.say("/settings durations")
        it.hear("1: display.durations, true")
        it.hear("> ")
        it.say("1")
        it.hear("Saved: display.durations is false.")
        it.hear("> ")
        it.say("")
        it.hear("> ")
        it.say("what is it?")
        it.hear("Assistant: the answer")
        it.hear("Done, ")


def test_readline_edits_and_knows_the_prompts_of_before(place: Place) -> None:
    with terminal(place, "-m", place.script(*steps("first", "second"))) as it:
        it.hear("> ")
        it.say("onne\x7f\x7fe")
        it.hear("Assistant: first")
        it.hear("> ")
        it.say("\x10")  # Ctrl+P: the prompt before
        it.hear("Assistant: second")
    log = next((place.home / "sessions").rglob("*.jsonl")).read_text()
    assert log.count('"prompt":"one"') + log.count('"prompt": "one"') == 2


def test_a_paste_of_several_lines_is_one_prompt(place: Place) -> None:
    with terminal(place, "-m", place.script(*steps("read"))) as it:
        it.hear("> ")
        it.type("one\rtwo\rthree\r")
        it.hear("Assistant: read")
        it.hear("> ")
    log = next((place.home / "sessions").rglob("*.jsonl")).read_text()
    assert "one\\ntwo\\nthree" in log


def test_the_end_of_the_input_waits_for_the_turn(place: Place) -> None:
    with terminal(
        place, "-m", place.script([WAIT], [{"text": "one"}]), "--mode", "accept-all"
    ) as it:
        it.hear("> ")
        it.say("first")
        it.hear("running")
        it.type("\x04")
        it.hear("Quitting when this turn ends")
        (place.cwd / "go").touch()
        it.hear("Assistant: one")
        assert it.wait() == 0


def test_lists_and_answers_are_said_once(place: Place) -> None:
    """A choice takes several keys of the full screen; only what comes of it is said."""
    with terminal(place, "-m", place.script(*steps("the answer", "on the side"))) as it:
        it.hear("> ")
        it.say("/help")
        it.hear("Keys and commands:")
        it.hear("> ")
        it.say("export")
        it.hear("/export [path]")
        it.hear("> ")
        it.say("/queue")
        assert "Keys and commands:" not in it.hear("The queue is empty.")


def test_a_terminated_program_leaves(place: Place) -> None:
    with terminal(place, "-m", place.script(*steps("hello"))) as it:
        it.hear("> ")
        os.kill(it.pid, signal.SIGTERM)
        assert it.wait() == 128 + signal.SIGTERM


def test_suspend_without_a_shell_is_said(place: Place) -> None:
    with terminal(place, "-m", place.script(*steps("hello"))) as it:
        it.hear("> ")
        it.say("/suspend")
        it.hear("Error: there is no shell to return to")
        it.hear("> ")
        it.say("one")
        it.hear("Assistant: hello")


def test_a_secret_is_not_shown(place: Place) -> None:
    with terminal(place, "-m", place.script(*steps("hello"))) as it:
        it.hear("> ")
        it.say("/settings openai.api_key")
        it.hear("1: providers.openai.api_key")
        it.hear("> ")
        time.sleep(READ)
        it.say("1")
        it.hear("hidden as you type")
        it.hear("> ")
        it.say("sk-Abc")
        it.hear("providers.openai.api_key is set")
        it.say("/quit")
        it.wait()
        assert "sk-Abc" not in it.raw.decode()


def test_a_line_of_a_prompt_that_goes_on_answers_no_question_and_none_is_lost(
    place: Place,
) -> None:
    model = place.script([WAIT], [CREATE], [{"text": "made"}], [{"text": "read"}])
    with terminal(place, "-m", model) as it:
        it.hear("> ")
        it.say("make it")
        it.hear("Type y")
        time.sleep(READ)
        it.say("y")
        it.hear("Tool: ")
        it.say('"""')
        it.say("please do three things:")
        (place.cwd / "go").touch()
        it.hear("Type y, a, e, n or m")
        time.sleep(4 * READ)
        for line in ("a", "first thing is important", "y", 'and more"""'):
            it.say(line)
            it.read(0.3)
        it.hear("Type y, a, e, n or m")
        assert not (place.cwd / "new.txt").exists()
        time.sleep(READ)
        it.say("y")
        it.hear("Assistant: made")
        said = it.hear("Assistant: read")
        for line in ("please do three things:", "first thing is important", "and more"):
            assert line in said
        it.type("\x04")
        assert it.wait() == 0


@pytest.mark.parametrize("first", ['"""', '"""\nplease do three things:'])
def test_three_quotes_at_a_question_begin_a_prompt(place: Place, first: str) -> None:
    """Also where they come together with the line behind them."""
    model = place.script([CREATE], [{"text": "made"}], [{"text": "read"}])
    with terminal(place, "-m", model) as it:
        it.hear("> ")
        it.say("make it")
        it.hear("Type y")
        time.sleep(4 * READ)
        for line in (first, "a", "y", 'and more"""'):
            it.say(line)
            it.read(0.3)
        it.hear("Type y, a, e, n or m")
        assert not (place.cwd / "new.txt").exists()
        time.sleep(READ)
        it.say("y")
        it.hear("Assistant: made")
        assert "and more" in it.hear("Assistant: read")


def test_the_end_of_the_input_sends_no_prompt_that_goes_on(place: Place) -> None:
    for begun in (('"""', "remove the old files"), ("remove the old files\\",)):
        with terminal(place, "-m", place.script([CREATE], [{"text": "never"}])) as it:
            it.hear("> ")
            for line in begun:
                it.say(line)
                it.hear("> ")
            it.type("\x04")
            it.hear("Not sent, but saved: remove the old files")
            assert it.wait() == 0 and "Tool:" not in it.raw.decode()


def test_a_kill_keeps_the_lines_of_a_prompt_that_goes_on(place: Place) -> None:
    with terminal(place, "-m", place.script([{"text": "hello"}])) as it:
        it.hear("> ")
        it.say('"""')
        it.hear("> ")
        it.say("remove the old files")
        it.hear("> ")
        time.sleep(READ)
        os.kill(it.pid, signal.SIGKILL)
        it.wait()
    with terminal(place, "-m", place.script([{"text": "hello"}]), "--continue") as it:
        it.hear("In the prompt: remove the old files")


def test_ctrl_c_leaves_such_a_prompt_and_the_history_has_it(place: Place) -> None:
    with terminal(place, "-m", place.script([{"text": "hello"}])) as it:
        it.hear("> ")
        it.say("remove the old files\\")
        it.hear("> ")
        it.type("\x03")
        it.hear("> ")
        it.say("/history")
        it.hear("remove the old files")


def test_a_number_that_was_meant_for_a_list_answers_no_question(place: Place) -> None:
    with terminal(place, "-m", place.script([WAIT], [CREATE], [{"text": "made"}])) as it:
        it.hear("> ")
        it.say("make it")
        it.hear("Type y")
        time.sleep(READ)
        it.say("y")
        it.hear("Tool: ")
        it.say("/mode")
        it.hear("1: manual")
        (place.cwd / "go").touch()
        it.hear("Type y, a, e, n or m")
        time.sleep(2 * READ)
        it.say("1")
        it.hear("You typed that before you could read the question. Type it again.")
        assert not (place.cwd / "new.txt").exists()
        time.sleep(LIST_SECONDS)
        it.say("1")
        it.hear("Assistant: made")


@pytest.mark.parametrize(
    "words", ["please use touch instead", "refactor/everything,please", "修复"]
)
def test_words_at_a_question_that_are_no_answer_are_in_the_history(
    place: Place, words: str
) -> None:
    with terminal(place, "-m", place.script([CREATE], [{"text": "made"}])) as it:
        it.hear("> ")
        it.say("make it")
        it.hear("Type y, a, e, n or m")
        time.sleep(READ)
        it.say(words)
        it.hear("Nothing was sent. /history has it.")
        it.say("n")
        it.hear("Assistant: made")
        it.say("/history")
        it.hear("Earlier prompts")
        it.hear(words)


def test_ctrl_c_keeps_the_line_that_is_typed(place: Place) -> None:
    with terminal(place, "-m", place.script([{"text": "begun\n"}, {"hang": True}])) as it:
        it.hear("> ")
        it.say("first")
        it.hear("begun")
        it.type("typed beside the turn")
        it.read(0.3)
        it.type("\x03")
        it.hear("Not sent. /history has it.")
        it.hear("> ")
        it.type("typed at the prompt")
        it.read(0.3)
        it.type("\x03")
        it.hear("Not sent. /history has it.")
        it.hear("> ")
        it.say("/history")
        it.hear("1: typed at the prompt")
        it.hear("2: typed beside the turn")
        it.say("")
        it.hear("> ")
        it.type("\x04")
        it.hear("Continue: ")
        assert termios.tcgetattr(it.fd) == it.before, "the terminal is as it was"
        assert it.wait() == 0


def test_a_secret_is_not_shown_while_a_turn_runs_and_a_question_waits_for_it(place: Place) -> None:
    model = place.script([WAIT], [CREATE], [{"text": "made"}])
    with terminal(place, "-m", model) as it:
        it.hear("> ")
        it.say("make it")
        it.hear("Type y")
        time.sleep(READ)
        it.say("y")
        it.hear("Tool: ")
        it.say("/settings openai.api_key")
        it.hear("1: providers.openai.api_key")
        time.sleep(READ)
        it.say("1")
        it.hear("hidden as you type")
        it.type("sk-Abc")
        (place.cwd / "go").touch()  # the next call asks
        it.hear("A question waits: finish here first.")
        it.say("def")
        it.hear("providers.openai.api_key is set")
        it.hear("Type y")
        time.sleep(LIST_SECONDS)  # it took the list of settings away
        it.say("n")
        it.hear("made")
        it.say("/quit")
        it.wait()
        assert "sk-Abc" not in it.raw.decode() and "def" not in it.raw.decode()
    kept = [path.read_text(errors="replace") for path in place.home.rglob("*") if path.is_file()]
    assert sum("sk-Abc" in text for text in kept) <= 1  # where the setting is


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("busy", [False, True], ids=["idle", "busy"])
def test_a_line_that_a_signal_ends_is_in_the_history(
    place: Place, number: signal.Signals, busy: bool
) -> None:
    with terminal(place, "-m", place.script([WAIT], *steps("hello"))) as it:
        it.hear("> ")
        if busy:
            it.say("make it")
            it.hear("Type y")
            time.sleep(READ)
            it.say("y")
            it.hear("Tool: ")
        it.type("half a line")
        it.hear("half a line")
        os.kill(it.pid, number)
        assert it.wait() == 128 + number
    kept = [path.read_text(errors="replace") for path in place.home.rglob("*.jsonl")]
    assert any("half a line" in text for text in kept)


def test_a_terminal_that_is_closed_ends_it_as_a_hang_up(place: Place) -> None:
    with terminal(place, "-m", place.script(*steps("hello"))) as it:
        it.hear("> ")
        it.hang_up()
        end = time.monotonic() + PATIENCE
        while it.poll() is None and time.monotonic() < end:
            time.sleep(0.05)
        assert it.code == 128 + signal.SIGHUP


def test_an_answer_for_several_is_offered_and_taken_only_once_all_were_named(place: Place) -> None:
    edits = [
        {"call": "create_file", "arguments": {"path": f"{name}.txt", "content": f"{name}\n"}}
        for name in ("a", "b", "c")
    ]
    with terminal(place, "-m", place.script(edits, [{"text": "made"}])) as it:
        it.hear("> ")
        it.say("make them")
        it.hear("Also asked: Create b.txt")
        it.hear("Also asked: Create c.txt")
        it.hear("t, ")
        time.sleep(READ)
        it.say("t")
        it.hear("made")
    assert sorted(path.name for path in place.cwd.glob("*.txt")) == ["a.txt", "b.txt", "c.txt"]
