"""Chips: labels in the prompt, and what they stand for, there and back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_tui.structures import chips, mention

LONG = "\n".join(f"line {number}" for number in range(120))
PASTED = chips.paste_chip(1, LONG)
SHOT = chips.image(2, "/tmp/my shot.png", 1280, 720)


def test_labels_say_what_they_stand_for() -> None:
    assert PASTED.label.replace("\u00a0", " ") == "[Pasted text #1 · 120 lines]"
    assert SHOT.label.replace("\u00a0", " ") == "[Image #2 · my shot.png · 1280×720]"
    assert (
        chips.paste_chip(3, "x" * 900).label.replace("\u00a0", " ")
        == "[Pasted text #3 · 900 characters]"
    )
    assert (chips.number(PASTED.label), chips.number(SHOT.label)) == (1, 2)


def test_a_copy_of_an_image_has_the_name_of_what_it_is_a_copy_of() -> None:
    kept = chips.image(1, "/data/outputs/5f2c/my shot-63848c7c.png", 640, 400)
    assert kept.label.replace("\u00a0", " ") == "[Image #1 · my shot.png · 640×400]"
    assert "my shot-63848c7c.png" in kept.text, "what is sent is the copy"


def test_what_is_typed_is_no_label() -> None:
    typed = "[Pasted text #1 · 120 lines]"
    assert chips.expand(typed, (PASTED,)) == typed
    assert not chips.spans(typed)


@given(
    st.lists(
        st.one_of(st.sampled_from([PASTED.label, SHOT.label, " ", "\n"]), st.text(max_size=9)),
        max_size=8,
    )
)
def test_every_label_is_expanded_and_nothing_else_changes(parts: list[str]) -> None:
    text = " ".join(parts)
    sent = chips.expand(text, (PASTED, SHOT))
    known = {PASTED.label: PASTED.text, SHOT.label: SHOT.text}
    assert not chips.spans(sent)
    assert sent == " ".join(known.get(part, part) for part in parts).replace(
        f"{SHOT.text}  ", f"{SHOT.text} "
    )


@pytest.mark.parametrize(
    ("path", "text", "sent"),
    [
        ("/tmp/my shot.png", "see{}now", 'see @"/tmp/my shot.png"now'),
        ("shot.png", "{} what is it", "@shot.png what is it"),
        ("shot.png", "{}  what is it", "@shot.png what is it"),
        ("shot.png", "{}\n\n  what is it", "@shot.png\n\n  what is it"),
        ("shot.png", "see{}, and", 'see @"shot.png", and'),
        ("shot.png", "{}{}", '@"shot.png" @shot.png'),
        ('a"b.png', "{}", '@"a\\"b.png"'),
    ],
)
def test_an_image_is_named_apart_from_other_words_and_in_quotes_only_where_they_are_needed(
    path: str, text: str, sent: str
) -> None:
    shot = chips.image(1, path, 3, 4)
    assert chips.expand(text.replace("{}", shot.label), (shot,)) == sent
    assert mention.mentioned_files(sent) == ((path,),)


def test_what_is_sent_says_where_its_pastes_are() -> None:
    text, pastes = chips.expand_chips(f"a{PASTED.label} {SHOT.label}{PASTED.label}", (PASTED, SHOT))
    assert [text[paste.start : paste.end] for paste in pastes] == [LONG, LONG]
    assert [paste.number for paste in pastes] == [1, 1]
    assert chips.fold_pastes(text, pastes) == f'a{PASTED.label} @"/tmp/my shot.png"{PASTED.label}'
    assert chips.without_pastes(text, pastes) == 'a @"/tmp/my shot.png"'
    assert chips.expand_chips("typed", (PASTED,)) == ("typed", ())


@pytest.mark.parametrize(
    ("pastes", "kept"),
    [
        (((0, 2), (2, 4)), ((0, 2), (2, 4))),
        (((2, 4), (0, 2)), ((2, 4),)),
        (((0, 3), (2, 4)), ((0, 3),)),
        (((-1, 2), (3, 3), (4, 2), (1, 11), (9, 10)), ((9, 10),)),
    ],
)
def test_a_paste_that_cannot_be_in_a_text_counts_as_typed(
    pastes: tuple[tuple[int, int], ...], kept: object
) -> None:
    found = chips.fitting_pastes(
        "0123456789", [chips.Paste(start, end, 1) for start, end in pastes]
    )
    assert tuple((paste.start, paste.end) for paste in found) == kept


def test_a_draft_that_labels_would_not_bring_back_has_none() -> None:
    text = f"{PASTED.label} was {LONG}"
    pastes = (chips.Paste(len(text) - len(LONG), len(text), 1),)
    assert chips.draft(text, pastes) == (text, ()), (
        "the label that was typed would be expanded, too"
    )
    assert chips.draft(text[-len(LONG) - 4 :], (chips.Paste(4, 4 + len(LONG), 1),)) == (
        f"was {PASTED.label}",
        (PASTED,),
    )


def test_a_paste_that_begins_like_a_name_is_sent_as_it_is() -> None:
    decorated = chips.paste_chip(1, "@cache\n" * 50)
    assert chips.expand(f"({decorated.label}", (decorated,)) == f"({decorated.text}"


def test_images_are_numbered_for_themselves() -> None:
    assert chips.images(f"{chips.paste_chip(7, LONG).label} {SHOT.label}") == 2
    assert chips.images("") == 0


def test_the_way_back() -> None:
    text = f"look at {PASTED.label} and {SHOT.label}!"
    assert chips.collapse(chips.expand(text, (PASTED, SHOT)), (PASTED, SHOT)) == text
    plain = chips.image(1, "a.png", 1, 1)
    others = "x@a.png @a.png.txt @b/a.png "
    for near in ("", " here", ", here", "\nhere"):
        assert chips.collapse(
            chips.expand(f"{others}{plain.label}{near}", (plain,)), (plain,)
        ).endswith(f"@b/a.png {plain.label}{near}")
    assert chips.collapse(others, (plain,)) == others


def test_a_range_takes_labels_whole_and_a_caret_is_outside() -> None:
    text = f"ab{PASTED.label}cd"
    end = 2 + len(PASTED.label)
    assert chips.widen_range(text, end - 1, end) == (2, end)
    assert chips.widen_range(text, 0, 3) == (0, end)
    assert chips.widen_range(text, 0, 2) == (0, 2)
    assert (chips.snap_outside(text, 5, True), chips.snap_outside(text, 5, False)) == (end, 2)
    assert chips.label_at(text, 4) == PASTED.label
    assert chips.label_at("nothing", 3) == ""


def test_only_what_stands_in_the_text_is_held() -> None:
    assert chips.chips_in(SHOT.label, (PASTED,), (SHOT,)) == (SHOT,)
    assert chips.chips_in("plain", (PASTED, SHOT)) == ()


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("/tmp/shot.png", "/tmp/shot.png"),
        ("'/tmp/my shot.png' ", "/tmp/my shot.png"),
        ("/tmp/my\\ shot.PNG", "/tmp/my shot.PNG"),
        ("file:///tmp/my%20shot%C3%A9.jpg", "/tmp/my shoté.jpg"),
        ("file://host/tmp/a.webp\n", "/tmp/a.webp"),
        ("shot.gif", "shot.gif"),
        ("see shot.png", ""),
        ("/tmp/a.txt", ""),
        ("/tmp/a.png\n/tmp/b.png", ""),
        ("", ""),
    ],
)
def test_what_a_terminal_pastes_for_a_file(text: str, path: str) -> None:
    assert chips.dropped_image(text) == path


def test_images_that_a_prompt_names_once_it_goes_on() -> None:
    assert chips.mentioned_images('@a.png @"b c.jpg" d@e.png @f.png') == (
        ("@a.png", "a.png"),
        ('@"b c.jpg"', "b c.jpg"),
    )
