"""A secret with colours, control characters or characters without width in it is hidden as a whole,
in a text and in a stream, wherever the stream is cut."""

from __future__ import annotations

import shutil
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_tui.safety.secrets.control_sequences import strip_sequences
from agent_tui.safety.secrets.scrubber import Redactor, Scrubber, hide_keys, hide_secrets

OWN = "hunter2xyzzyVALUE"
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
SEQUENCES = (
    "\x1b[31m", "\x1b[0m\x1b[1;38;5;9m", "\x1b[m\x1b[K", "\x1b]8;;http://x\x1b\\", "\x1b]0;t\x07",
    "\x1b(B", "\x1b7", "\0", "\x08", "\x07", "\u200b", "\ufeff", "\u2060", "\u00ad", "\ufe0f",
)  # fmt: skip
LINE = "a = {}; ünd so weiter\n"


def all_hidden(shown: str) -> bool:
    plain = strip_sequences(shown)
    text = plain.text if plain else shown
    return "[hidden:" in text and not any(value[4:12] in text for value in (OWN, TOKEN))


@pytest.mark.parametrize("sequence", SEQUENCES)
@pytest.mark.parametrize("value", [OWN, TOKEN])
def test_a_secret_with_a_sequence_in_it_is_hidden(sequence: str, value: str) -> None:
    scrubber = Scrubber([OWN], formats=True)
    for at in range(len(value) + 1):
        text = LINE.format(value[:at] + sequence + value[at:])
        shown = scrubber.scrub(text)
        assert all_hidden(shown), shown
        assert shown.startswith("a = ") and shown.endswith("; ünd so weiter\n")
        stream = scrubber.stream()
        assert stream.feed(text.encode(), final=True).decode() == shown
    between = LINE.format(sequence.join(value))
    assert all_hidden(scrubber.scrub(between))
    assert sequence not in scrubber.scrub(between)


@given(
    st.sampled_from([OWN, TOKEN]),
    st.lists(st.tuples(st.integers(0, 17), st.sampled_from(SEQUENCES)), max_size=6),
    st.lists(st.integers(0, 200), max_size=8),
)
def test_a_stream_hides_it_wherever_it_is_cut(
    value: str, put: list[tuple[int, str]], cuts: list[int]
) -> None:
    inside = [*value, ""]
    for at, sequence in put:
        inside[at] = sequence + inside[at]
    value = "".join(inside)
    data = LINE.format(value).encode()
    stream = Scrubber([OWN], formats=True).stream()
    places = sorted({min(cut, len(data)) for cut in cuts} | {0, len(data)})
    pieces = [data[start:end] for start, end in pairwise(places)]
    shown = b"".join((*map(stream.feed, pieces), stream.feed(b"", final=True))).decode()
    assert all_hidden(shown), (pieces, shown)
    assert shown.endswith("; ünd so weiter\n")


def test_what_is_no_secret_keeps_its_sequences() -> None:
    scrubber = Scrubber([OWN], formats=True)
    for text in (f"{sequence}red {sequence} tea{sequence}\n" for sequence in SEQUENCES):
        assert scrubber.scrub(text) == text
        stream = scrubber.stream()
        data = text.encode()
        pieces = [stream.feed(data[at : at + 1]) for at in range(len(data))]
        assert b"".join((*pieces, stream.feed(b"", final=True))) == data


def test_letters_of_a_sequence_are_no_part_of_the_word_behind() -> None:
    assert TOKEN not in hide_secrets(f"old\x1b[m\x1b[32m{TOKEN}")
    assert TOKEN not in hide_secrets(f"abc\0{TOKEN}\0{TOKEN}")


def test_bold_text_of_a_printer_hides_it() -> None:
    bold = "".join(f"{letter}\x08{letter}" for letter in TOKEN)
    shown = hide_secrets(f"x {bold} y")
    assert shown.startswith("x g\x08[hidden:github-token:") and shown.endswith("] y")


def test_a_very_long_line_is_passed_on_before_what_may_be_a_value() -> None:
    stream = Scrubber([OWN], formats=True).stream()
    begun = stream.feed(b"x " * 3_000 + b"hun\x1b[31mte")
    assert len(begun) > 5_000 and b"hun" not in begun
    assert b"r2xyzzy" not in stream.feed(b"r2xyzzyVALUE\n", final=True)


def test_private_keys_in_colours_are_hidden() -> None:
    body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n" * 3
    key = f"-----BEGIN \x1b[31mPRIVATE\x1b[m KEY-----\n{body}-----END PRIVATE KEY-----\n"
    coloured = key.replace("MIIEv", "MII\x1b[31mEv\x1b[m")
    assert "VJTUt9Us8" not in hide_keys(coloured)
    stream = Scrubber((), formats=True).stream()
    shown = b"".join(stream.feed(line.encode()) for line in coloured.splitlines(keepends=True))
    assert b"VJTUt9Us8" not in shown + stream.feed(b"", final=True)


def test_what_is_shared_has_dots_of_the_same_length() -> None:
    text = LINE.format(TOKEN[:9] + "\x1b[31m" + TOKEN[9:])
    shown = Redactor().text(text)
    assert len(shown) == len(text) and TOKEN[9:] not in shown


@pytest.mark.parametrize(
    "words",
    [
        ["grep", "--color=always", "ghp_", "t"],
        ["grep", "--color=always", "4e5", "t"],
        ["git", "grep", "--no-index", "--color=always", "ghp_", "t"],
    ],
)
def test_what_programs_colour(tmp_path: Path, words: list[str]) -> None:
    (tmp_path / "t").write_text(f"token: {TOKEN}\n")
    assert shutil.which(words[0])
    output = subprocess.run(words, cwd=tmp_path, capture_output=True, check=True).stdout
    assert b"\x1b[" in output
    shown = Scrubber((), formats=True).stream().feed(output, final=True)
    assert b"[hidden:github-token:" in shown and TOKEN[-9:].encode() not in shown
