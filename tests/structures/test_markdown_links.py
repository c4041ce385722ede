"""Definitions of links across the pieces of one text: drawn in pieces, it says what it says in one."""

from __future__ import annotations

import random

from hypothesis import example, given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from agent_tui.protocol.transcript import TextBlock, Transcript
from agent_tui.structures.markdown_stream import NO_LINKS, Links, links, split
from agent_tui.tui.markdown.render import render
from tests.campaigns import examples

NAMES = ("a", "B", "b", "two words", "Two  Words", "c")
BLOCKS = (
    *(f"See [{name}] and [text][{name}] of it.\n\n" for name in NAMES),
    *(f"[{name}]: https://e.org/{number}\n\n" for number, name in enumerate(NAMES)),
    '[c]: </in> "Title"\n[a]: /after\n\n',
    "[d]: /unused\n\n",
    "# Head\n[a]: /under\n\n",
    "- [c]\n- x\n\n",
    "```\n[a]: /code\n```\n",
    "Text\n[c]: /no-definition\n\n",
    "`[a]`\n\n",
    "> [b]\n\n",
    "[b]:\n\n",
    "[c]: /x\n'title'\n\n",
)
texts = st.lists(st.sampled_from(BLOCKS), max_size=12).map("".join)


def said(text: str, told: Links = NO_LINKS, lead: str = "") -> list[tuple[str, object]]:
    """Words and where they lead; sorted, since definitions that nothing uses are drawn at the end
    of what is parsed."""
    lines = render(text, 200, cell_len, lead=lead, links=told)
    return sorted(
        ((word, s.meta) for line in lines for s in line.segments for word in s.text.split()),
        key=str,
    )


def settled(text: str, seed: int) -> list[TextBlock]:
    chance, transcript, position = random.Random(seed), Transcript(), 0
    while position < len(text):
        size = chance.choice((1, 5, 30, 400))
        transcript = transcript.stream_text(text[position : position + size], 0.0)
        position += size
    return [block for block in transcript.settle(text, "", 0).rows if isinstance(block, TextBlock)]


@settings(max_examples=examples(200), deadline=None)
@given(texts, st.integers())
@example("See [a].\n\n[a]: /x\n", 0)
@example("[a]: /x\n\nSee [A][].\n\n[a]: /y\n", 0)
def test_links_in_pieces_are_those_of_the_whole(text: str, seed: int) -> None:
    blocks = settled(text, seed)
    assert blocks == [b for b in Transcript().settle(text, "", 0).rows if isinstance(b, TextBlock)]
    assert sorted(
        (pair for b in blocks for pair in said(b.text, b.links, b.lead)), key=str
    ) == said(text)


def test_only_what_is_concerned_changes() -> None:
    text = "Plain.\n\nSee [a].\n\nAnd [b].\n\n[a]: /x 'T'\n"
    told = [block.links for block in settled(text, 1)]
    assert told == [Links(), Links("[a]: /x 'T'\n\n"), Links(), Links("", ("A",))]
    before = Transcript().stream_text(text, 0.0)
    after = before.settle(text, "", 0)
    assert [b is a for b, a in zip(before.rows, after.rows, strict=False)] == [True, False, True]


def test_code_neither_defines_nor_uses() -> None:
    assert links(["```\n[a]: /x\n```\n", "[a] `[b]`\n\n", "[b]: /y\n"]) == [Links()] * 3


def test_a_text_without_definitions_is_not_looked_through() -> None:
    assert links([piece.text for piece in split("[x] and [y]\n\n" * 50)]) == [Links()] * 50


def test_brackets_without_end_are_no_trap() -> None:
    """The patterns never go back far: twice the brackets would else be many times the work, and
    this never end."""
    for text in (
        "[" * 20_000,
        "\\[" * 20_000,
        "[a\\" * 20_000,
        "`" * 20_000 + "[a",
        "` `` ``` [a] " * 6_000,
        "[a]" * 20_000,
        "['" * 20_000,
    ):
        assert len(links([text, f"{text}\n", "[z]: /y\n", "[z]\n"])) == 4
