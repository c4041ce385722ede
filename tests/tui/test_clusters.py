"""Whatever text is sent, the cursor ends where it was measured to end."""

from __future__ import annotations

import pyte
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from agent_tui.structures import visible as looks
from agent_tui.structures.ascii import PLAIN
from agent_tui.structures.visible import visible
from agent_tui.tui.textual_port import grapheme_fix
from agent_tui.tui.textual_port.grapheme_fix import SENT, settle_graphemes
from tests.tui.test_rows_terminals import CLUSTERS

PIECES = st.one_of(
    st.sampled_from(sorted(set("".join(CLUSTERS.values())) - {"\x85"})),
    st.characters(exclude_categories=("Cc", "Cs")),
)


def drawn(text: str) -> pyte.Screen:
    screen = pyte.Screen(200, 1)
    pyte.ByteStream(screen).feed(settle_graphemes(text).encode())
    return screen


@given(st.lists(PIECES, max_size=60).map("".join))
def test_the_cursor_ends_where_it_was_measured_to(text: str) -> None:
    assert drawn(text).cursor.x == cell_len(text)


@pytest.mark.parametrize(
    "text", ["plain", "\x1b[1;31m│ é 漢字 한글 — “x”\x1b[0m", "e\u0301 שָׁ", "\ue0b0 😀"]
)
def test_what_is_the_same_everywhere_is_sent_as_it_is(text: str) -> None:
    assert settle_graphemes(text) == text


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ("⚠\ufe0f|", "⚠ |"),
        ("👩\u200d💻|", "👩|"),
        ("👍🏽|", "👍|"),
        ("🇩🇪|", "DE|"),
        ("का\xa0|", "क |"),
        ("ที่|", "ท่|"),
        ("\u0378\u200b|", "\ufffd|"),
    ],
)
def test_what_is_not_is_drawn_in_the_cells_it_has(text: str, row: str) -> None:
    assert drawn(text).display[0].rstrip() == row


def test_a_mark_without_a_class_reaches_the_terminal() -> None:
    assert settle_graphemes("กี") == "ก\x1b7ี\x1b8"
    assert settle_graphemes("का\xa0") == "क\x1b7 \x1b8\x1b7ा\x1b8\x1b[1C"


def test_titles_and_addresses_are_sent_as_they_are() -> None:
    for said in (
        "\x1b]2;नद - agent-tui\x1b\\",
        "\x1b]2;नद\x07",
        "\x1b]8;id=1;https://example.org/नद\x1b\\",
    ):
        assert settle_graphemes(said) == said
    assert settle_graphemes("\x1b]2;नद\x07न") == "\x1b]2;नद\x07" + settle_graphemes("न")


def test_what_needs_no_look_is_left_as_the_look_would_leave_it() -> None:
    for character in sorted(SENT):
        for text in (character, f"a{character}b", f"\x1b[1m{character}\xa0"):
            assert (
                grapheme_fix._UNSURE.sub(grapheme_fix._settle, text)
                == text
                == settle_graphemes(text)
            )


def test_glyphs_of_the_screen_are_visible_as_they_are() -> None:
    text = "".join(sorted(PLAIN))
    for shown in (text, *text):
        assert looks._ODD.search(shown) is None
        assert visible(shown) == shown == looks._PILED.sub(r"\1", shown)
