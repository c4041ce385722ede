"""Words about an answer are cut before they are left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from agent_tui.protocol.display import CommandDisplay
from agent_tui.tui.core.regions import DialogView, Option
from agent_tui.tui.dialog.widget import options_lines, roomy_parts
from agent_tui.tui.markdown.lines import Segment
from tests.tui.test_question_compact import EDIT, question, rows

HARD = replace(question("Run git push -f", CommandDisplay("git push -f"), hard=True), always="")
OPTIONS = (
    Option("y", "yes, once", also="1", short="yes"),
    Option(
        "a",
        "always in this session",
        "exactly this command in this folder",
        also="2",
        short="always",
    ),
    Option("n", "no", also="3"),
    Option("m", "no, and say why", also="4", short="no, say why"),
)


def plain(lines: Sequence[Sequence[Segment]]) -> list[str]:
    return ["".join(part.text for part in line).rstrip() for line in lines]


@pytest.mark.parametrize("width", range(44, 90))
def test_words_about_an_answer_are_cut_behind_a_word_before_they_are_left_out(width: int) -> None:
    (detail,) = (option.detail for option in OPTIONS if option.detail)
    value = DialogView("t", "", None, OPTIONS, 0)
    whole = options_lines(OPTIONS, 0, width, False)
    tight = roomy_parts(value, (), 5, width, 11)  # a line for each answer and no more
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
    assert any("always, this session: this file, with this tool" in row for row in shown)
    value = DialogView("t", "", None, OPTIONS, 0)
    tight = roomy_parts(value, (), 1, 100, 9)
    assert tight is not None and "exactly this command in this folder" in "\n".join(plain(tight[2]))
