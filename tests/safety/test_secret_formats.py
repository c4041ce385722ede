"""All that is planted is hidden, and nothing else changes: whole, in pieces of any size, and as
fast as it is long."""

from __future__ import annotations

import itertools
import random
import re
import string

import pytest

from agent_tui.safety.secrets import formats as secret_formats
from agent_tui.safety.secrets import scrubber as secrets
from agent_tui.safety.secrets.formats import FORMATS, find_secrets
from agent_tui.safety.secrets.places import MARKS
from agent_tui.safety.secrets.scrubber import DOT, Redactor
from agent_tui.safety.secrets.strength import PLACEHOLDER
from tests.safety.secret_corpus import (
    AROUND,
    LOOKALIKES,
    NAMED,
    WORD,
    formatted,
    over_lines,
    parts_of_keys,
    people,
    placed,
    private_keys,
    values,
    written_out,
)

KEYS = tuple(formatted())
PLANTED = [
    *(
        (around.format(key), key)
        for key, around in zip(KEYS, itertools.cycle(AROUND), strict=False)
    ),
    *((text.format(value), value) for value in values() for text in NAMED),
    *people(),
    *placed(),
    *written_out(),
]


def test_the_corpus_is_large_enough() -> None:
    assert len(PLANTED) >= 150 and len(LOOKALIKES) >= 100


@pytest.mark.parametrize(("text", "secret"), [*PLANTED, *over_lines()])
def test_what_is_planted_is_hidden_and_the_rest_stays(text: str, secret: str) -> None:
    hidden = secrets.hide_secrets(text)
    assert secret not in hidden
    left = PLACEHOLDER.sub("", hidden)
    assert left in (
        text.replace(secret, ""),
        text.replace(secret.removesuffix("="), "").replace("==", ""),
    )
    assert secrets.hide_secrets(hidden) == hidden


@pytest.mark.parametrize(
    "place", ["<password>{}</password>", "mysql -uroot -p{}", "DB_PASSWORD={}", 'password: "{}"']
)
@pytest.mark.parametrize("alphabet", [string.ascii_letters, WORD])
@pytest.mark.parametrize("count", [12, 14, 16])
def test_hardly_a_generated_password_passes_for_words(
    place: str, alphabet: str, count: int
) -> None:
    chance, kept = random.Random(f"{place}{count}"), 0
    for _ in range(1_000):
        value = "".join(chance.choice(alphabet) for _ in range(count))
        kept += value in secrets.hide_secrets(place.format(value))
    assert kept <= 35


@pytest.mark.parametrize(("text", "lines"), private_keys())
def test_no_line_of_a_private_key_stays(text: str, lines: list[str]) -> None:
    hidden = secrets.hide_secrets(text)
    assert not [line for line in lines if line.rstrip("=") in hidden]
    assert hidden.count("\n") == text.count("\n") and hidden.count("\\n") == text.count("\\n")
    assert "PRIVATE KEY" in hidden


@pytest.mark.parametrize(("text", "lines"), parts_of_keys())
def test_a_part_of_a_private_key_is_known_and_nothing_around_it_is_touched(
    text: str, lines: list[str]
) -> None:
    """As `sed -n 2,5p` or `tail` show it."""
    hidden = secrets.hide_secrets(text)
    assert not [line for line in lines if line.rstrip("=") in hidden]
    rest = [
        line
        for line in text.splitlines()
        if line.partition(":")[2] not in lines and line not in lines
    ]
    assert [line for line in hidden.splitlines() if line in rest] == rest


@pytest.mark.parametrize("marks", ["", "+", "++"])
def test_the_last_line_of_a_key_may_begin_with_what_marks_a_difference(marks: str) -> None:
    line = "+7Grbu6H/uPDDkwj8" + "FHBaoHxgM3RE0=="
    end = "-----END EC PRIVATE " + "KEY-----"
    assert len(line) % 4 == 0
    assert line not in secrets.hide_secrets(f"{marks}{line}\n{marks}{end}\n")


@pytest.mark.parametrize("text", LOOKALIKES)
def test_what_only_looks_like_it_is_not_touched(text: str) -> None:
    assert secrets.hide_secrets(text) is text or secrets.hide_secrets(text) == text


@pytest.mark.parametrize(("kind", "anchor", "pattern"), FORMATS)
def test_every_format_has_a_key_in_the_corpus(kind: str, anchor: str, pattern: str) -> None:
    fitting = [key for key in KEYS if re.fullmatch(pattern, key)]
    assert fitting
    assert all(anchor in key for key in fitting)
    assert (
        kind in {found.kind for key in fitting for found in find_secrets(key)}
        or kind == "anthropic-key"
    )


@pytest.mark.parametrize("seed", range(20))
def test_a_stream_in_pieces_hides_what_the_whole_does(seed: int) -> None:
    chance = random.Random(seed)
    texts = [text for text, _ in PLANTED] + [text for text, _ in private_keys()] + list(LOOKALIKES)
    chance.shuffle(texts)
    whole = "\n".join(texts[:40]) + "\n"
    stream, passed, at = secrets.Scrubber((), formats=True).stream(), b"", 0
    data = whole.encode()
    while at < len(data):
        size = chance.choice((1, 2, 7, 40, 300))
        passed += stream.feed(data[at : at + size])
        at += size
    passed += stream.feed(b"", final=True)
    shown = passed.decode()
    for text, secret in PLANTED:
        if text in texts[:40]:
            assert secret not in shown
    assert shown.count("\n") == whole.count("\n")


LATE = [(text, secret) for text, secret in PLANTED if any(mark in text for mark in MARKS)]


@pytest.mark.parametrize(("text", "secret"), LATE, ids=range(len(LATE)))
def test_a_line_whose_end_comes_last_hides_what_the_whole_does(text: str, secret: str) -> None:
    stream = secrets.Scrubber((), formats=True).stream()
    shown = stream.feed(text.encode()) + stream.feed(b"\n") + stream.feed(b"", final=True)
    assert secret.encode() not in shown


def test_a_prompt_without_an_end_of_line_is_shown_at_once() -> None:
    stream = secrets.Scrubber((), formats=True).stream()
    assert stream.feed(b"12 of 30 files ") == b"12 of 30 files "
    assert stream.feed(b"done\nready> ") == b"done\nready> "


def test_equal_values_have_equal_placeholders_and_others_do_not() -> None:
    one, two = KEYS[0], KEYS[1]
    hidden = secrets.hide_secrets(f"{one} {two} {one}").split()
    assert hidden[0] == hidden[2] != hidden[1]
    assert all(PLACEHOLDER.fullmatch(word) for word in hidden)


def test_a_report_hides_the_same_in_the_same_places() -> None:
    hide = Redactor().text
    for text, secret in PLANTED:
        assert secret not in hide(text) and len(hide(text)) == len(text)
    generous = re.compile("(?i)(password|passwd|api_?key|secret|token)(=|: )|bearer |://.*@")
    harmless = [text for text in LOOKALIKES if not generous.search(text)]
    assert not [text for text in harmless if DOT in hide(text)]


def test_every_hint_is_in_small_letters() -> None:
    assert all(hint == hint.lower() for hint in secret_formats._HINTS)
