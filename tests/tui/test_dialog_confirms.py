"""Answers that Enter confirms say so beside their key; and words about an answer are cut before
they are left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from agent_tui.protocol.display import CommandDisplay, DiffDisplay, Display
from agent_tui.protocol.events import ApprovalAsked, QuestionAsked
from agent_tui.tui.core.regions import DialogView, Option
from agent_tui.tui.dialog.layout import answers, packed_lines
from agent_tui.tui.dialog.widget import options_lines, roomy
from agent_tui.tui.markdown.lines import Segment
from tests.tui.play import Play
from tests.tui.test_question_compact import COMMAND, EDIT, NEW, question, rows
from tests.tui.test_update_dialog_read import asking as asked_play
from tests.tui.test_update_overlay import _first_run as first_run

HARD = replace(question("Run git push -f", CommandDisplay("git push -f"), hard=True), always="")
OPTIONS = (
    Option("y", "yes, once", also="1", short="yes"),
    Option(
        "a",
        "always in this session",
        "exactly this command in this folder",
        also="2",
        short="always",
        confirms=True,
    ),
    Option("n", "no", also="3"),
    Option("m", "no, and say why", also="4", short="no, say why"),
)


def plain(lines: Sequence[Sequence[Segment]]) -> list[str]:
    return ["".join(part.text for part in line).rstrip() for line in lines]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (question("Edit cart.py", EDIT), ["y/1 ", "a/2, Enter ", "e, Enter ", "n/3 ", "m/4 "]),
        (question("Run make", COMMAND), ["y/1 ", "a/2, Enter ", "n/3 ", "m/4 "]),
    ],
    ids=["edit", "command"],
)
def test_an_answer_that_enter_confirms_says_so_in_its_row(
    asked: ApprovalAsked, said: list[str]
) -> None:
    shown = rows(asked, 100, 30)
    first = next(number for number, row in enumerate(shown) if "yes, once" in row)
    keyed = [row[4:] for row in shown[first : first + len(said)]]
    assert [row.startswith(keys) for row, keys in zip(keyed, said, strict=True)] == [True] * len(
        said
    ), shown
    assert all(row[10:12] == "  " and row[12] != " " for row in keyed), (
        "the words stand below each other"
    )


def test_so_does_the_yes_to_what_cannot_be_undone() -> None:
    assert any("y/1, Enter yes, once" in row for row in rows(HARD, 100, 30))


def test_the_yes_to_a_setting_says_so_too() -> None:
    play = Play()
    play.feed(
        QuestionAsked(
            id="q", kind="confirm", text="Set it?\nit\nwhy", options=("sets", "leaves"), session="s"
        )
    )
    assert play.view.dialog is not None
    assert [(one.key, one.confirms) for one in play.view.dialog.options] == [
        ("y", True),
        ("n", False),
    ]


def confirming(display: Display, hard: bool = False, words: str = "") -> list[tuple[str, bool]]:
    play = asked_play(display, mode="accept-edits", hard=hard, asked=(1, 1))
    if words:
        play.type(words)
    assert play.view.dialog is not None
    return [(option.key, option.confirms) for option in play.view.dialog.options]


def test_with_words_in_the_prompt_enter_follows_alt_and_the_letter() -> None:
    said = confirming(DiffDisplay("a.py", (), 1), words="first look")
    assert said == [
        ("Alt+Y", False),
        ("Alt+A", True),
        ("Alt+E", True),
        ("Alt+N", False),
        ("Alt+M", False),
    ]
    assert confirming(COMMAND, hard=True, words="no")[0] == ("Alt+Y", True)


@pytest.mark.parametrize("width", range(30, 110))
def test_in_short_it_is_said_only_where_it_costs_no_row_and_no_word(width: int) -> None:
    bare = tuple(Option(one.key, one.label, short=one.short) for one in OPTIONS)
    for number in range(len(OPTIONS)):
        named = plain(packed_lines(OPTIONS, number, width))
        assert len(named) == len(packed_lines(bare, number, width))
        assert not any("…" in row for row in named)
        side = plain(answers(DialogView("t", "", None, OPTIONS, number), width, 9, 3))
        without = plain(answers(DialogView("t", "", None, bare, number), width, 9, 3))
        assert len(side) == len(without)
        assert " ".join(side).replace(", Enter", "").split() == " ".join(without).split()


def test_in_short_it_is_said_where_there_is_room() -> None:
    assert any(", Enter" in row for row in plain(packed_lines(OPTIONS, 0, 60)))
    assert any(
        "a, Enter always: this file" in row for row in rows(question("Create a.py", NEW), 60, 20)
    )


@pytest.mark.parametrize("width", range(44, 90))
def test_words_about_an_answer_are_cut_behind_a_word_before_they_are_left_out(width: int) -> None:
    (detail,) = (option.detail for option in OPTIONS if option.detail)
    value = DialogView("t", "", None, OPTIONS, 0)
    whole = options_lines(OPTIONS, 0, width, False)
    tight = roomy(value, (), 5, width, 11)  # a line for each answer and no more
    assert tight is not None
    kept = plain(tight[2])[-len(OPTIONS) :]
    row = next(row for row in kept if "always" in row)
    said = row.partition("always in this session")[2].strip()
    assert len(kept) == 4 and (len(whole) > 4 or said == detail)
    if said != detail:
        assert not said or (said.endswith("…") and f"{detail} ".startswith(f"{said[:-1]} ")), said
        assert said or width < 52, "there is room for two words and more"


def test_they_stay_whole_where_leaving_them_out_saves_no_line() -> None:
    shown = rows(question("Edit cart.py", EDIT), 100, 24)
    assert any("always: this file, with this tool" in row for row in shown)
    value = DialogView("t", "", None, OPTIONS, 0)
    tight = roomy(value, (), 1, 100, 9)
    assert tight is not None and "exactly this command in this folder" in "\n".join(plain(tight[2]))


def test_the_first_screen_says_it_of_quit() -> None:
    shown = first_run().view.overlay
    assert shown is not None
    assert [one.key for one in shown.options if one.detail == "Enter confirms"] == ["q"]
