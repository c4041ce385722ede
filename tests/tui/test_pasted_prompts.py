"""A prompt with pastes in the transcript: its own words, and labels until it is opened."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from agent_tui.present.plain import block_lines as words_of
from agent_tui.protocol.events import Event, SessionStarted, SteerSeen, TurnStarted
from agent_tui.protocol.transcript import UserBlock
from agent_tui.sessions.export import FORMATS, export
from agent_tui.structures import chips
from agent_tui.structures.chips import Chip, Paste
from agent_tui.structures.vec import Vec
from agent_tui.tui.core.display_options import DEFAULT
from agent_tui.tui.transcript.blocks import block_lines, extent
from agent_tui.tui.transcript.state import foldable
from agent_tui.tui.transcript.truncation import MOST_LINES
from tests.tui.test_copy_joined import chosen
from tests.tui.test_update_search import at, mark

FIRST = chips.paste_chip(1, "".join(f"first paste, line {number}\n" for number in range(80)))
SECOND = chips.paste_chip(2, "\n".join(f"row {number} of the second" for number in range(40)))


def prompt(*said: str | Chip, **more: bool) -> UserBlock:
    """The block of a prompt that was typed and pasted so."""
    draft = "".join(part if isinstance(part, str) else part.label for part in said)
    text, pastes = chips.expand_chips(draft, [part for part in said if isinstance(part, Chip)])
    return UserBlock(text, pastes=pastes, **more)


BLOCK = prompt("Why does\nthis ", FIRST, " differ from ", SECOND, "? Be brief.")


def page(block: UserBlock, width: int = 60, open: bool = False) -> list[str]:
    lines = block_lines(block, width, open, 0.0, cell_len, DEFAULT)
    return [line.text.rstrip().replace("\u00a0", " ") for line in lines]


def test_each_paste_is_its_label_and_every_own_word_is_in_sight() -> None:
    assert page(BLOCK, 90) == [
        "❯ Why does",
        "  this [Pasted text #1 · 80 lines] differ from [Pasted text #2 · 40 lines]? Be brief.",
    ]
    assert page(BLOCK, 40) == [
        "❯ Why does",
        "  this [Pasted text #1 · 80 lines]",
        "  differ from",
        "  [Pasted text #2 · 40 lines]? Be",
        "  brief.",
    ]
    steered = prompt("and ", FIRST, "too", steer=True)
    assert page(steered) == ["↳ and [Pasted text #1 · 80 lines]too", "  sent while it worked"]
    assert foldable(BLOCK) and extent(BLOCK, False)[0] == 1


def test_a_label_is_of_another_look_and_opens_the_prompt() -> None:
    [line] = block_lines(prompt("see ", FIRST), 60, False, 0.0, cell_len)
    assert [(part.text, part.style) for part in line.segments] == [
        ("❯ ", "user.mark"),
        ("see ", "user"),
        (FIRST.label, "user.note"),
    ]
    assert line.segments[-1].meta == (("toggle", "1"),)


def test_an_open_prompt_says_all_and_what_was_typed_behind_a_very_long_paste() -> None:
    assert page(BLOCK, 90, open=True) == [
        "❯ Why does",
        "  this first paste, line 0",
        *(f"  first paste, line {n}" for n in range(1, 80)),
        "   differ from row 0 of the second",
        *(f"  row {n} of the second" for n in range(1, 39)),
        "  row 39 of the second? Be brief.",
    ]
    long = chips.paste_chip(3, "x\n" * (2 * MOST_LINES))
    shown = page(prompt("before ", long, "after ", FIRST, "end"), open=True)
    assert (shown[0], shown[-81], shown[-1]) == (
        "❯ before x",
        "  after first paste, line 0",
        "  end",
    )
    assert "  … 7,500 more lines" in shown


def test_a_prompt_without_pastes_folds_as_before() -> None:
    words = "\n".join(f"typed {number}" for number in range(300))
    impossible = Paste(5, 5, 1), Paste(9, 10**6, 2)
    assert page(UserBlock(words)) == page(UserBlock(words, pastes=impossible))
    assert "  … 288 lines (click or Ctrl+O)" in page(UserBlock(words))


letters = st.characters(codec="ascii", categories=("Lu", "Zs"), include_characters="\n")
own = st.text(letters, max_size=30)
pasted = st.lists(st.text("abc ", min_size=1, max_size=9), min_size=7, max_size=40).map("\n".join)


@settings(deadline=None)
@given(st.lists(st.tuples(own, pasted), max_size=4), own, st.integers(20, 80))
def test_any_prompt_shows_its_own_words_and_labels_alone(
    parts: list[tuple[str, str]], last: str, width: int
) -> None:
    said: list[str | Chip] = []
    for number, (typed, text) in enumerate(parts, 1):
        said += typed, chips.paste_chip(number, text)
    block = prompt(*said, last)
    seen = "".join("".join(page(block, width)).split())
    drawn = (part if isinstance(part, str) else part.label for part in (*said, last))
    assert seen == "❯" + "".join("".join(drawn).split()), "what was typed, and labels"
    opened = "".join("".join(page(block, width, open=True)).split())
    assert opened == "❯" + "".join(block.text.split())
    draft, known = chips.draft(block.text, block.pastes)
    assert chips.expand_chips(draft, known) == (block.text, block.pastes)


ranges = st.builds(Paste, *[st.integers(-5, 50)] * 3)


@settings(deadline=None)
@given(st.text(max_size=40), st.lists(ranges, max_size=6), st.booleans())
def test_ranges_of_any_log_do_no_harm(text: str, pastes: list[Paste], open: bool) -> None:
    kept = chips.fitting_pastes(text, pastes)
    assert all(0 <= paste.start < paste.end <= len(text) for paste in kept)
    assert all(one.end <= other.start for one, other in pairwise(kept))
    assert "".join(words for _, words in chips.parts(text, pastes)) == text
    draft, known = chips.draft(text, pastes)
    assert chips.expand(draft, known) == text
    block = UserBlock(text, pastes=tuple(pastes))
    assert page(block, 30, open)
    assert len(extent(block, open)) == 2


def test_more_pastes_than_anybody_makes_cost_no_more() -> None:
    text = "ab" * 50_000
    many = tuple(Paste(at, at + 1, at) for at in range(0, len(text), 2))
    assert len(chips.fitting_pastes(text, many)) == chips.MOST
    for open in (False, True):
        assert len(page(UserBlock(text, pastes=many), 30, open)) < 3 * MOST_LINES


@pytest.mark.parametrize(
    ("query", "nth", "opens"),
    [
        ("why", 0, False),
        ("brief", 0, False),
        ("differ", 0, False),
        ("be", 0, False),
        ("line 7", 0, True),
        ("row 3", 0, True),
        ("line", 0, True),
        ("pasted", -1, False),
    ],
)
def test_a_hit_opens_the_prompt_only_if_it_is_in_a_paste(query: str, nth: int, opens: bool) -> None:
    play = at(Vec([BLOCK]))
    play.press("ctrl+f")
    play.type(query)
    while play.view.transcript.nth > nth >= 0:
        play.press("up")
    assert (mark(play), play.view.transcript.nth) == (0 if nth >= 0 else -1, nth)
    assert (play.model.reading.exceptions == {0}) is opens


def test_a_word_behind_a_paste_that_has_it_too_is_found_where_it_is() -> None:
    play = at(Vec([prompt("a row ", SECOND, " and a row")]))
    play.press("ctrl+f")
    play.type("row")
    assert play.view.footer.note == "42 of 42" and play.model.reading.exceptions == {0}
    for _ in range(41):
        play.press("up")
    assert play.view.footer.note == "1 of 42"
    play.press("up")
    assert play.view.footer.note.startswith("42 of 42") and play.model.reading.exceptions == {0}


def test_a_word_in_the_folded_middle_of_a_long_prompt_is_shown() -> None:
    words = "\n".join(f"typed {number}." for number in range(300))
    play = at(Vec([UserBlock(words)]))
    play.press("ctrl+f")
    play.type("typed 299")
    assert not play.model.reading.exceptions
    play.text = ""
    play.type("typed 150")
    assert play.model.reading.exceptions == {0}


def test_a_copy_has_the_whole_text() -> None:
    assert chosen(BLOCK, "Why", "brief.")[0] == BLOCK.text
    part, drawn = chosen(BLOCK, "this", "differ")
    assert part == f"this {FIRST.text} differ"
    assert "".join(drawn).replace("\u00a0", " ") == "this [Pasted text #1 · 80 lines] differ"


def test_line_mode_says_labels_until_it_expands() -> None:
    [said] = words_of(BLOCK, DEFAULT, False)
    assert said == f"You: Why does\nthis {FIRST.label} differ from {SECOND.label}? Be brief."
    assert words_of(BLOCK, DEFAULT, True) == [f"You: {BLOCK.text}"]


def test_a_document_has_the_whole_text() -> None:
    events: list[Event] = [
        SessionStarted(session="s"),
        TurnStarted(BLOCK.text, turn=1, pastes=BLOCK.pastes),
        SteerSeen(BLOCK.text, turn=1, pastes=BLOCK.pastes),
    ]
    for form in FORMATS[:2]:
        text = export(events, form)
        assert text.count("first paste, line 79") == text.count("row 39 of the second") == 2
        assert "Pasted" not in text
