"""How files are named in a prompt: while they are typed, when they are sent, and that both agree."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_tui.structures import mention


@pytest.mark.parametrize(
    ("text", "query", "start"),
    [
        ("@", "", 0),
        ("look at @src/ap", "src/ap", 8),
        ("a\n@x", "x", 2),
        ("(@x", "x", 1),
        ("看@src", "src", 1),
        ("看，@src", "src", 2),
        ('@"a b', "a b", 0),
        ('@"a \\"b', 'a "b', 0),
        ('@"', "", 0),
        ("@Ä", "Ä", 0),
        ('@"a" @b', "b", 5),
    ],
)
def test_a_name_is_typed_where_it_ends_at_the_caret(text: str, query: str, start: int) -> None:
    assert mention.typed_mention(text, len(text)) == mention.Typed(start, len(text), query)


@pytest.mark.parametrize(
    "text", ["", "a@b", "me@example.org", "@a ", '@"a"', "@@", "x/@y", "@a\n", "no name"]
)
def test_no_name_is_typed(text: str) -> None:
    assert mention.typed_mention(text, len(text)) is None


def test_what_is_behind_the_caret_does_not_count() -> None:
    assert mention.typed_mention("@src and @docs", 4) == mention.Typed(0, 4, "src")
    assert mention.typed_mention("@src and @docs", 7) is None


def test_a_long_prompt_is_not_gone_through() -> None:
    text = "@" + "x" * mention.LONGEST
    assert mention.typed_mention(text, len(text)) is None


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("see @a.py, and @b", (("a.py,", "a.py"), ("b",))),
        ('see @"a b.txt".', (("a b.txt",),)),
        ("@a @a", (("a",),)),
        ("(@src/x)", (("src/x)", "src/x"),)),
        ("me@example.org @ x @@y", ()),
        ("@. and @../ and @-", ()),
        ("看@日本語。", (("日本語。", "日本語"),)),
    ],
)
def test_what_a_prompt_may_name(text: str, names: tuple[tuple[str, ...], ...]) -> None:
    assert mention.mentioned_files(text) == names


def test_an_open_quote_is_typed_on() -> None:
    assert mention.write_mention("a b/", more=True) == '@"a b/'
    assert mention.write_mention("src/", more=True) == "@src/"


@given(st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), min_size=1, max_size=20))
def test_what_is_written_names_the_file(path: str) -> None:
    names = mention.mentioned_files(f"see {mention.write_mention(path)} there")
    meant = '"' in mention.write_mention(path) or any(map(str.isalnum, path))
    assert [ways[0] for ways in names] == ([path] if meant else [])
    open_name = mention.write_mention(path, more=True)
    assert mention.typed_mention(open_name, len(open_name)) == mention.Typed(
        0, len(open_name), path
    )


COPY = "/home/me/.local/share/agent-tui/outputs/13d40250-17d7/clipboard-acb950cb.png"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"see @{COPY} there", "see @clipboard.png there"),
        (f"see @{COPY}.", "see @clipboard.png."),
        ('@"/x/outputs/13d4/shot of it-acb950cb.png" and', '@"shot of it.png" and'),
        (f"@{COPY} @{COPY.replace('clipboard', 'other')}", "@clipboard.png @other.png"),
        ("@/x/outputs/13d4/shot.png", "@/x/outputs/13d4/shot.png"),
        (f"not named: {COPY}", f"not named: {COPY}"),
        ("@src/app.py and words", "@src/app.py and words"),
    ],
)
def test_a_copy_is_shown_as_what_it_is_a_copy_of(text: str, shown: str) -> None:
    assert mention.display_mentions(text) == shown


@given(st.text(alphabet='@/outputs-ab1 ".\\\n', max_size=80))
def test_what_names_no_copy_is_shown_as_it_is(text: str) -> None:
    names = [way for ways in mention.mentioned_files(text) for way in ways]
    if all(mention.original(name) == name for name in names):
        assert mention.display_mentions(text) == text
