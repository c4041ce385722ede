"""`agent-tui chat` through pipes: prompts in order, answers from the script, exit codes, and nothing
but text."""

from __future__ import annotations

import json
import signal
import subprocess
import sys

import pytest

from agent_tui.tui.linear.writer import PAUSE
from tests.agent.driving import Place
from tests.tui.linear.talk import CREATE, LIST, chat, command, environment, place, settled, steps

__all__ = ["place"]

GOLDEN = """\
Session <id> in <cwd>, model scripted/script.json, mode auto.
You: make it
Assistant thought.
Assistant: I will **make** it:

* one
Question: Allow this? Create new.txt
Reason: auto mode asks before a file is changed
Diff of new.txt: new file, 2 lines added, 0 removed
At line 1:
+one
+two
y or 1: yes, once
a or 2: always, this session: this file, with this tool
e: yes, and accept edits from now on (commands still ask)
n or 3: no
m or 4: no, and say why
Type y, a, e, n or m, or n and why, or y: and more words.
Tool: Create new.txt, new file, 2 lines added, 0 removed, <time>
Note: Changed new.txt. /undo reverts what a turn changed.
Assistant: Done.
Done in <time>, 2 steps, 6 tokens out.
You: and then
Assistant: More.
Done in <time>, 6 tokens out.
"""
USAGE = {"usage": {"prompt_tokens": 100, "completion_tokens": 6}}


def test_a_conversation(place: Place) -> None:
    model = place.script(
        [
            {"thinking": "hm"},
            {"text": "I will **make** it:\n\n* one\n"},
            CREATE,
            {"usage": {"completion_tokens": 0}},
        ],
        [{"text": "Done."}, USAGE],
        [{"text": "More."}, USAGE],
    )
    done = chat(place, "make it\ny\nand then\n", "-m", model)
    assert settled(done.stdout, place) == GOLDEN
    assert (done.returncode, done.stderr) == (0, "")
    assert (place.cwd / "new.txt").read_text() == "one\ntwo\n"


@pytest.mark.parametrize(
    ("script", "said", "code", "heard"),
    [
        (
            [[{"fail": "auth", "text": "401 from somewhere"}]],
            "go\n",
            1,
            "Error: 401 from somewhere",
        ),
        ([[CREATE], [{"text": "could not"}]], "go\n", 3, "Nobody answered, so the answer is no."),
        ([[LIST]] * 4, "go\n", 4, "Stopped: it repeated itself"),
        ([[LIST]] * 3 + [[{"text": "I see"}]], "go\nm look elsewhere\n", 0, "Assistant: I see"),
        ([[{"fail": "auth", "text": "401"}], [{"text": "fine"}]], "go\n", 1, "Failed after"),
        ([[{"text": "unheard"}]], "", 0, "Session"),
    ],
)
def test_exit_codes_are_those_of_the_last_turn(
    place: Place, script: list[object], said: str, code: int, heard: str
) -> None:
    done = chat(place, said, "-m", place.script(*script))
    assert heard in done.stdout
    assert done.returncode == code


def test_a_line_that_is_no_answer_is_the_next_prompt(place: Place) -> None:
    model = place.script([CREATE], [{"text": "not made"}], [{"text": "second answer"}])
    done = chat(place, "make it\nsomething else\n", "-m", model)
    assert done.stdout.index("Nobody answered, so the answer is no.") < done.stdout.index(
        "You: something else"
    )
    assert "second answer" in done.stdout
    assert not (place.cwd / "new.txt").exists()


def test_where_nobody_answers_nobody_is_said_to_have_said_no(place: Place) -> None:
    done = chat(place, "make it\n", "-m", place.script([CREATE], [{"text": "not made"}]))
    said = done.stdout[done.stdout.index("Nobody answered, so the answer is no.") :]
    assert "nobody answered" in said and "you said" not in said, said
    command = chat(place, "!git push --force\n", "-m", place.script(*steps("unheard")))
    assert "not run: nobody answered" in command.stdout and "you said" not in command.stdout, (
        command.stdout
    )


def test_a_hint_names_what_can_be_typed_here(place: Place) -> None:
    done = chat(place, "/x\n", "-m", place.script(*steps("unheard")))
    assert "No command or skill /x: /help lists the commands." in done.stdout


def test_a_no_says_what_to_do_instead(place: Place) -> None:
    model = place.script([CREATE], {"branches": [{"items": [{"text": "understood"}]}]})
    done = chat(place, "make it\nn call it old.txt\n", "-m", model)
    assert "you said no: call it old.txt" in done.stdout
    assert done.returncode == 0


def test_undo_restores_the_files_that_are_switched_on(place: Place) -> None:
    """A command's changes are off at first; the number of a file switches it."""
    for words in (["init", "-q"], ["add", "README.rst"]):
        (place.cwd / "README.rst").write_text("mine\n")
        subprocess.run(["git", *words], cwd=place.cwd, check=True)
    call = {"call": "run_shell_command", "arguments": {"command": "echo more >> README.rst"}}
    model = place.script([CREATE, call], [{"text": "done"}])
    said = "go\n/undo\n1\n2\n3\n"
    done = chat(place, said, "-m", model, "--mode", "accept-all")
    assert "1: [ ] README.rst, -1, kept, changed while a command ran, perhaps by you" in done.stdout
    assert "Type 1 or 2 to switch, 3, 4 or 5 to undo, a (switch all), or an empty" in done.stdout
    assert (
        "2: [x] new.txt" in done.stdout
        and "1: [x] README.rst" in done.stdout
        and "2: [ ] new.txt" in done.stdout
    )
    assert "Restored README.rst. /redo reverses this. Kept new.txt unchanged." in done.stdout
    assert ".." not in done.stdout
    assert (place.cwd / "README.rst").read_text() == "mine\n" and (place.cwd / "new.txt").exists()


def test_a_skill_asks_for_its_argument(place: Place) -> None:
    done = chat(
        place, "/fix\nthe wrong total\nand then\n", "-m", place.script(*steps("mended", "more"))
    )
    assert "/fix needs <error>. Type it, or an empty line to go back." in done.stdout
    assert done.stdout.index("Assistant: mended") < done.stdout.index("You: and then")
    assert "Nobody answered" not in done.stdout


def test_what_cannot_be_taken_back_needs_the_whole_word(place: Place) -> None:
    (place.cwd / "x").mkdir()
    call = {"call": "run_shell_command", "arguments": {"command": "git push --force"}}
    done = chat(
        place,
        "go\ny\n",
        "-m",
        place.script([call], [{"text": "left"}], [{"text": "next"}]),
        "--mode",
        "auto",
    )
    assert "\nQuestion: Run it? This cannot be undone\nReason: " in done.stdout
    assert "yes: yes, once (type the whole word)" in done.stdout
    assert "denied" in done.stdout


def test_several_lines_are_one_prompt(place: Place) -> None:
    model = place.script(*steps("first", "second", "third"))
    done = chat(place, 'one\\\ntwo\n"""\nthree\n\nfour\n"""\n"""five"""\n', "-m", model)
    assert "You: one\ntwo\nAssistant: first" in done.stdout
    assert "You: three\n\nfour\nAssistant: second" in done.stdout
    assert "You: five\nAssistant: third" in done.stdout


def test_a_prompt_that_has_no_end_is_sent_at_the_end(place: Place) -> None:
    done = chat(place, '"""\nall of it\n', "-m", place.script(*steps("heard")))
    assert "You: all of it\nAssistant: heard" in done.stdout


def test_control_sequences_of_a_model_never_leave(place: Place) -> None:
    model = place.script([{"text": "a\x1b[31mred\x1b[0m \x07 \x9b2J\x1b]0;title\x07 [bold]no[/]"}])
    done = chat(place, "go\n", "-m", model)
    assert "[bold]no[/]" in done.stdout
    assert not [c for c in done.stdout if (c < " " and c != "\n") or "\x7f" <= c < "\xa0"]


def test_colour_only_where_it_is_asked_for(place: Place) -> None:
    model = place.script(*steps("hello"))
    assert "\x1b[36mAssistant: hello\x1b[0m" in chat(place, "go\n", "-m", model, "--color").stdout
    assert "\x1b" not in chat(place, "go\n", "-m", model, "--color", NO_COLOR="1").stdout
    assert "\x1b" not in chat(place, "go\n", "-m", model, TERM="xterm-256color").stdout


def test_long_lines_are_not_broken(place: Place) -> None:
    line = "word " * 500 + "end"
    assert (
        f"Assistant: {line}\n"
        in chat(place, "go\n", "-m", place.script(*steps(line)), COLUMNS="40").stdout
    )


def test_a_line_may_be_as_long_as_one_likes(place: Place) -> None:
    done = chat(place, "word " * 400_000 + "\n", "-m", place.script(*steps("read")))
    assert done.stdout.count("word") == 400_000
    assert "Assistant: read" in done.stdout


def test_a_session_goes_on(place: Place) -> None:
    model = place.script(*steps("the first answer", "the second answer"))
    chat(place, "one\n", "-m", model)
    done = chat(place, "two\n", "-c")
    assert done.stdout.index("Assistant: the first answer") < done.stdout.index(
        "The session was resumed."
    )
    assert done.stdout.index("The session was resumed.") < done.stdout.index(
        "Assistant: the second answer"
    )


def test_the_session_to_go_on_with_is_chosen_by_number(place: Place) -> None:
    chat(
        place,
        "the old prompt\n",
        "-m",
        place.script(*steps("the first answer", "the second answer")),
    )
    done = chat(place, "1\ntwo\n", "--resume")
    assert "1: the old prompt" in done.stdout
    assert "Assistant: the second answer" in done.stdout


def test_without_a_model_it_says_what_was_tried(place: Place) -> None:
    done = chat(place, "", "-m", "scripted/none.json")
    assert "No model yet:" in done.stdout
    assert "no script file" in done.stdout
    assert done.returncode == 1


def test_lines_while_a_turn_runs_wait_but_steering_does_not(place: Place) -> None:
    slow = {
        "call": "run_shell_command",
        "arguments": {"command": "while ! test -e go; do sleep 0.05; done"},
    }
    model = place.script([slow], [{"text": "one"}], [{"text": "two"}])
    with subprocess.Popen(
        [sys.executable, *command(place, "-m", model, "--mode", "accept-all")],
        env=environment(place),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        bufsize=1,
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write("first\n")
        heard = []
        while "running" not in (line := process.stdout.readline()):
            heard.append(line)
        process.stdin.write("/steer and quickly\nsecond\n")
        while "For the next step" not in (line := process.stdout.readline()):
            heard.append(line)
        (place.cwd / "go").touch()
        rest, _ = process.communicate(timeout=60)
    assert (
        rest.index("You, into the turn: and quickly")
        < rest.index("Assistant: one")
        < rest.index("You: second")
    )
    assert "Assistant: two" in rest


@pytest.mark.parametrize("times", [1, 2])
def test_ctrl_c_interrupts_and_twice_leaves(place: Place, times: int) -> None:
    model = place.script([{"text": "begun\n"}, {"hang": True}], [{"text": "after"}])
    with subprocess.Popen(
        [sys.executable, *command(place, "-m", model)],
        env=environment(place),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        bufsize=1,
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write("first\n")
        while "begun" not in process.stdout.readline():
            continue
        process.send_signal(signal.SIGINT)
        while "Interrupted" not in process.stdout.readline():
            continue
        if times == 2:
            process.send_signal(signal.SIGINT)
        else:
            process.stdin.write("second\n")
        rest, _ = process.communicate(timeout=60)
    assert ("Assistant: after" in rest) == (times == 1)
    assert process.returncode == (0 if times == 1 else 130)


def test_nobody_reads_any_more(place: Place) -> None:
    model = place.script([{"text": "line\n", "repeat": 20_000}])
    with subprocess.Popen(
        [sys.executable, *command(place, "-m", model)],
        env=environment(place),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert (
            process.stdin is not None and process.stdout is not None and process.stderr is not None
        )
        process.stdin.write("go\n")
        process.stdin.close()
        process.stdout.readline()
        process.stdout.close()
        assert process.wait(60) == 1
        assert "Traceback" not in process.stderr.read()


def test_nothing_of_textual_or_rich_is_imported() -> None:
    code = "import agent_tui.tui.linear.chat, sys, json; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    tops = {name.partition(".")[0] for name in json.loads(done.stdout)}
    assert not tops & {"textual", "rich", "pydantic", "httpx"}


def test_a_line_is_never_broken_by_the_time_that_its_words_take(place: Place) -> None:
    slow = [
        {"text": "one two "},
        {"wait": PAUSE + 0.5},
        {"text": "three\nfour "},
        {"wait": PAUSE + 0.5},
        {"text": "five"},
    ]
    done = chat(place, "go\n", "-m", place.script(slow))
    assert "Assistant: one two three\nfour five\n" in done.stdout


def test_the_todo_list_is_said_and_keeps_no_prompt(place: Place) -> None:
    todos = {"todos": [{"text": "look", "state": "done"}, {"text": "mend", "state": "active"}]}
    model = place.script(
        [{"call": "update_todos", "arguments": todos}], [{"text": "So."}], [{"text": "More."}]
    )
    done = chat(place, "go\n/todo\nand then\n", "-m", model)
    said = "Todo: 1 of 2 done:\ndone, look\nin work, mend\nType an empty line to close.\nYou: and then\nAssistant: "
    assert said in settled(done.stdout, place)
    assert (done.returncode, done.stderr) == (0, "")
