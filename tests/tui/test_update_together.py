"""Several questions of one step, and words that go with a yes or a no."""

from __future__ import annotations

import pytest

from agent_tui.protocol.display import CommandDisplay, DiffDisplay, Display, Hunk
from agent_tui.protocol.events import ApprovalAnswered, ApprovalAsked, QuestionAsked
from agent_tui.protocol.ops import Answer, QueueEdit, SetMode
from agent_tui.tui.core.msg import AskedShown, QuestionAnswered, QuestionTurned
from agent_tui.tui.linear import announcer
from tests.tui.play import Play


def change(path: str) -> DiffDisplay:
    return DiffDisplay(path, (Hunk(1, 1, ("-one", "+two")),), 1, 1)


def edit(id: str, path: str = "", **more: object) -> ApprovalAsked:
    display = change(path or f"{id}.py")
    return question(id, "edit_file", f"Edit {display.path}", display, **more)


def command(id: str, text: str = "make", **more: object) -> ApprovalAsked:
    label = f"Run {text}"
    return question(id, "run_shell_command", label, CommandDisplay(text, "/home/ada/work"), **more)


def question(id: str, tool: str, label: str, display: Display, **more: object) -> ApprovalAsked:
    return ApprovalAsked(id, f"c{id}", tool, label, "why", display, session="s", **more)  # type: ignore[arg-type]


def asking(*questions: ApprovalAsked | QuestionAsked) -> Play:
    play = Play()
    play.begin()
    play.feed(*questions)
    play.tick(3.0)
    play.effects.clear()
    return play


def footer(play: Play) -> dict[str, str]:
    return dict(play.view.footer.keys)


def place(play: Play) -> str:
    dialog = play.view.dialog
    assert dialog is not None
    return f"{dialog.id} {dialog.position}".strip()


# -- several


def test_each_can_be_seen_before_one_is_answered() -> None:
    play = asking(edit("a"), edit("b"), command("c"))
    assert place(play) == "a 1 of 3" and footer(play)["←→"] == "see others"
    assert play.view.dialog is not None
    assert play.view.dialog.others == ("Edit b.py +1 -1", "Run make")
    seen = []
    for key in ("right", "right", "right", "left"):
        play.press(key)
        seen.append(place(play))
    assert seen == ["b 2 of 3", "c 3 of 3", "a 1 of 3", "c 3 of 3"]
    play.press("n", "enter", after=2.0)
    assert play.take() == [Answer("c", "no")]
    play.feed(ApprovalAnswered(id="c", choice="no", session="s"))
    assert place(play) == "a 1 of 2"


def test_what_has_just_come_into_view_takes_no_enter() -> None:
    play = asking(edit("a"), edit("b"))
    play.press("right")
    play.press("enter", after=0.1)
    assert (play.toast, play.take()) == ("not answered: pause, then press Enter", [])
    play.press("enter", after=2.0)
    assert play.take() == [Answer("b", "once")]


def test_one_key_answers_all_that_are_alike_and_nothing_else() -> None:
    hard = command("h", "rm -rf .git", hard=True)
    play = asking(edit("a"), command("c"), edit("b"), hard, edit("d"))
    labels = [option.label for option in play.view.dialog.options] if play.view.dialog else []
    assert "yes to all 3 edits" in labels, labels
    play.press("t")
    assert play.take() == []
    play.press("enter")
    assert play.take() == [Answer("a", "once"), Answer("b", "once"), Answer("d", "once")]


def test_what_cannot_be_undone_is_never_one_of_several() -> None:
    one, two = (command(id, "rm -rf .git", hard=True) for id in ("a", "b"))
    for play in (asking(one, two), asking(one, command("c")), asking(command("c"), one)):
        play.press("t", "enter")
        assert not [op for op in play.take() if isinstance(op, Answer)]


def test_all_commands_are_allowed_only_when_all_were_read() -> None:
    play = asking(command("a", "make a"), command("b", "make b"))
    play.say(AskedShown("a", 1, 1))
    play.press("t")
    assert footer(play)["→"] == "read the others first" and "Enter" not in footer(play)
    play.press("enter")
    assert (play.toast, play.take()) == ("→: read the others first", [])
    play.press("right")
    play.say(AskedShown("b", 1, 1))
    play.press("left")
    play.press("t", "enter", after=2.0)
    assert play.take() == [Answer("a", "once"), Answer("b", "once")]


def test_another_agent_and_another_kind_are_not_alike() -> None:
    stuck = QuestionAsked(id="q", kind="stuck", text="?", options=("stop",), session="s")
    play = asking(edit("a"), command("c"), stuck)
    assert play.view.dialog is not None
    assert not any("all" in option.label.split() for option in play.view.dialog.options)


def test_a_protected_name_and_what_has_run_are_asked_alone() -> None:
    why = "AGENTS.md is obeyed (a protected name)"
    play = asking(edit("a"), ApprovalAsked("b", "cb", "edit_file", "Edit AGENTS.md", why,
        change("AGENTS.md"), session="s"))  # fmt: skip
    play.press("t", "enter")
    assert not [op for op in play.take() if isinstance(op, Answer)]
    play = asking(command("a", always="this"), command("again"))
    play.press("t", "enter")
    assert not [op for op in play.take() if isinstance(op, Answer)]


@pytest.mark.parametrize("key", ["left", "right"])
def test_arrows_to_the_side_choose_nothing_where_there_is_one_question_alone(key: str) -> None:
    play = asking(edit("a", always="this file"))
    play.press("n", key, "enter")
    assert play.take() in ([], [Answer("a", "no")])


# -- words


def test_tab_takes_words_with_a_yes() -> None:
    play = asking(edit("a"))
    assert footer(play)["Tab"] == "add words"
    play.press("tab")
    assert play.view.prompt.label == "Yes, and tell the model"
    play.type("and test it")
    play.press("enter")
    assert play.take() == [Answer("a", "once", "and test it")]


@pytest.mark.parametrize(
    ("downs", "choice"), [(0, "once"), (1, "always"), (2, "prefix"), (3, "folder"), (4, "no")]
)
def test_tab_takes_words_with_every_answer(downs: int, choice: str) -> None:
    play = asking(command("a", always="this", prefix="make …", folder="make …"))
    play.say(AskedShown("a", 1, 1))
    play.press(*["down"] * downs, "tab", after=2.0)
    play.type("so it is")
    play.press("enter")
    assert play.take() == [Answer("a", choice, "so it is")]  # type: ignore[arg-type]


def test_a_letter_and_tab_take_words_for_its_row() -> None:
    play = asking(edit("a"))
    play.press("n", "tab", after=2.0)
    assert play.view.prompt.label == "Tell the model why not"
    play.type("use b")
    play.press("enter")
    assert play.take() == [Answer("a", "no", "use b")]
    play = asking(edit("a"))
    play.press("y", after=2.0)
    play.press("tab", after=0.05)
    assert (play.text, play.model.composer.purpose) == ("y", None), "a word goes on"


def test_a_yes_without_its_words_is_none_and_esc_goes_back() -> None:
    play = asking(edit("a"))
    play.press("tab", "enter")
    assert (play.toast, play.take()) == ("type an answer, or press Esc", [])
    play.press("escape")
    assert play.take() == [] and place(play) == "a"


def test_a_no_without_words_is_a_no() -> None:
    play = asking(edit("a"))
    play.press("down", "tab", "enter", after=2.0)
    assert play.take() == [Answer("a", "no")]


def test_tab_that_belongs_to_something_else_opens_nothing() -> None:
    """It came at once, behind words, or among them: what is typed next is queued, and no answer."""
    for early in (True, False):
        play = Play()
        play.begin()
        if not early:
            play.type("wor")
            play.text = ""
            play.type("", after=0.1)
        play.feed(edit("a"), after=0.1)
        play.press("tab", after=0.2 if early else 0.9)
        assert play.model.composer.purpose is None
        play.type("go on")
        play.press("enter", after=2.0)
        assert not [op for op in play.take() if isinstance(op, Answer)]
    play = asking(edit("a"))
    play.type("src/m")
    play.press("tab")
    assert play.model.composer.purpose is None and "Tab" not in footer(play)
    play.press("enter", after=2.0)
    assert play.take() == [QueueEdit("add", text="src/m")]


def test_no_words_go_with_what_cannot_be_undone_nor_with_an_unread_command() -> None:
    play = asking(command("a", "rm -rf .git", hard=True))
    play.press("tab", "down", "tab", after=2.0)
    assert play.model.composer.purpose is None
    play = asking(command("a", "echo\n" * 40))
    play.asked = (10, 41)
    play.press("tab")
    assert play.model.composer.purpose is None and "read to the end" in play.toast


# -- what a command is


def test_a_command_says_where_it_runs_what_holds_it_and_how_it_reads() -> None:
    play = asking(
        command("a", "r'm' *.o", sandbox="no sandbox", argv=("rm a.o b.o",), folder="rm a.o")
    )
    dialog = play.view.dialog
    assert dialog is not None
    assert dialog.about == ("in ~/work, no sandbox", "no sandbox")
    assert isinstance(dialog.display, CommandDisplay)
    assert dialog.display.output == "It reads: rm a.o b.o"
    [lasting] = [option for option in dialog.options if option.key == "f"]
    assert (lasting.label, lasting.detail) == (
        "for good, every session: rm a.o",
        "in this folder",
    )


# -- line mode


def test_lines_say_and_answer_all_of_them() -> None:
    play = asking(edit("a", mode="accept-edits"), edit("b", mode="accept-edits"))
    pending, asked = play.model.transcript.questions, play.model.question
    assert asked is not None
    said = announcer.question_lines(asked, pending)
    assert said[0] == "Question 1 of 2: Allow this? Edit a.py"
    assert "Also asked: Edit b.py +1 -1" in said and "next: see the next question" in said
    taken = announcer.match_answer(asked, "all", pending)
    assert taken is not None
    play.say(announcer.reply(asked, taken, pending))
    assert play.take() == [Answer("a", "once"), Answer("b", "once")]
    taken = announcer.match_answer(asked, "e", pending)
    assert taken is not None
    play.say(announcer.reply(asked, taken, pending))
    assert play.take() == [SetMode("accept-edits"), Answer("a", "once")]
    play.say(QuestionTurned())
    assert place(play) == "b 2 of 2"


def test_a_line_takes_words_with_a_yes() -> None:
    play = asking(edit("a"))
    play.say(QuestionAnswered("a", "once", text="and test it"))
    assert play.take() == [Answer("a", "once", "and test it")]
    play.say(QuestionAnswered("a", "once", together=True))
    assert (play.toast, play.take()) == ("this question has no such answer", [])
