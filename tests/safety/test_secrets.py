from __future__ import annotations

import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_tui.safety.secrets import scrubber as secrets

KEY = "sk-abcdefghijklmnop0123"


@pytest.mark.parametrize(
    ("name", "secret"),
    [
        ("OPENAI_API_KEY", True),
        ("GITHUB_TOKEN", True),
        ("AWS_SECRET_ACCESS_KEY", True),
        ("DB_PASSWORD", True),
        ("PATH", False),
        ("HOME", False),
        ("TOKENIZERS_PARALLELISM", False),
        ("SSH_KEY_PATH", False),
        ("LANG", False),
    ],
)
def test_names_of_credentials(name: str, secret: bool) -> None:
    assert secrets.is_secret_name(name) is secret


def test_every_known_value_is_hidden_longest_first() -> None:
    scrub = secrets.Scrubber((KEY, KEY + "-more")).scrub
    text = scrub(f"a {KEY}-more b {KEY} c")
    assert KEY not in text and "-more" not in text and text.startswith("a ") and text.endswith(" c")


def test_passwords_in_addresses_are_known() -> None:
    proxy = "http://me:hunter22@proxy:3128"
    assert secrets.known_secrets(
        {"HTTPS_PROXY": proxy, "OLLAMA_HOST": "http://box:11434", "X": "me@box:12345678"}
    ) == ("hunter22",)


@pytest.mark.parametrize(
    "text",
    [
        "HTTPS_PROXY=alice:{}@proxy.corp:3128",
        'proxy: "alice:{}@proxy.corp:3128"',
        "access-tokens = github.com=OAuth2:{} gitlab.corp/team=PAT:x",
        "channel_alias: https://conda.corp/t/{}/main",
    ],
)
def test_a_credential_without_a_name_is_hidden_where_it_stands(text: str) -> None:
    assert "Qz7vRk2mWp9xAb3" not in secrets.hide_secrets(text.format("Qz7vRk2mWp9xAb3"))


def test_short_and_empty_values_hide_nothing() -> None:
    known = secrets.known_secrets({"API_KEY": "", "TOKEN": "abc", "OPENAI_API_KEY": KEY})
    assert known == (KEY,)
    assert secrets.Scrubber(("", "ab")).scrub("abab") == "abab"


@given(
    st.lists(st.sampled_from([KEY, "sk-abc", "x", KEY[:9], KEY[9:]])), st.lists(st.integers(0, 200))
)
def test_a_stream_in_pieces_is_scrubbed_as_the_whole(words: list[str], cuts: list[int]) -> None:
    whole = "".join(words).encode()
    places = sorted({min(cut, len(whole)) for cut in cuts} | {0, len(whole)})
    stream = secrets.Scrubber((KEY,)).stream()
    pieces = [stream.feed(whole[start:end]) for start, end in itertools.pairwise(places)]
    passed = b"".join(pieces)
    assert KEY.encode() not in passed
    assert (
        passed + stream.feed(b"", final=True)
        == secrets.Scrubber((KEY,)).scrub(whole.decode()).encode()
    )


def test_a_stream_holds_back_only_what_may_be_a_secret() -> None:
    stream = secrets.Scrubber((KEY,)).stream()
    assert stream.feed(b"ready> ") == b"ready> "
    assert stream.feed(b"ready> sk-ab") == b"ready> "
    assert stream.feed(b"out") == b"sk-about"
    assert secrets.Scrubber(()).stream().feed(b"all") == b"all"


@given(
    st.sampled_from([(KEY, f"{KEY}-more"), (KEY, f"x{KEY}{KEY}"), (KEY, f"{KEY[-9:]}{KEY}")]),
    st.lists(st.integers(0, 3), max_size=6),
    st.integers(1, 60),
)
def test_a_value_within_another_does_not_leave_the_rest_of_it(
    keys: tuple[str, str], words: list[int], step: int
) -> None:
    """Nor where one ends while the other may go on, with the next piece."""
    whole = "".join([*keys, KEY[:-1], " "][word] for word in words)
    scrubber = secrets.Scrubber(keys)
    stream, text = scrubber.stream(), scrubber.words()
    pieces = [whole[at : at + step] for at in range(0, len(whole), step)]
    passed = b"".join(
        [*(stream.feed(piece.encode()) for piece in pieces), stream.feed(b"", final=True)]
    )
    assert passed.decode() == scrubber.scrub(whole)
    told = "".join([*(text.feed(piece) for piece in pieces), text.feed("", final=True)])
    shown = re.escape(scrubber.scrub(whole))
    assert re.fullmatch(re.sub(r"(\\\[hidden:key:[0-9a-f]{4}\\\])", r".{0,3}\1", shown), told)


def test_text_without_secrets_is_the_same_object() -> None:
    text = "nothing here"
    assert secrets.Scrubber((KEY,)).scrub(text) is text


@pytest.mark.parametrize(
    ("value", "secret"),
    [
        ("password", False),
        ("postgres", False),
        ("Password123", False),
        ("changeme-2024", False),
        ("development", False),
        ("my_application_db", False),
        ("localhost:5432", False),
        ("20240101", False),
        ("/run/secrets/token", False),
        ("my-app-2024", False),
        ("https://auth.example.org/x", False),
        ("lm-studio", False),
        ("not-needed", False),
        ("hunter22", True),
        ("Sommer2031!", True),
        ("kq7Zp2xW", True),
        ("9f86d081884c7d65", True),
        ("correct-horse-battery-staple", True),
        ("xkqzvbwmtplrjhgd", True),
        ("602214076131", True),
        ("550e8400-e29b-41d4-a716-446655440000", True),
    ],
)
def test_only_a_value_that_looks_like_a_secret_is_hidden_everywhere(
    value: str, secret: bool
) -> None:
    text = f"def login(user, {value}):  # {value}"
    scrubber = secrets.Scrubber(secrets.known_secrets({"DB_PASSWORD": value}))
    assert (scrubber.scrub(text) != text) is secret


def test_the_key_of_a_provider_is_hidden_whatever_it_looks_like() -> None:
    assert secrets.known_secrets(
        {"OPENAI_API_KEY": "our-company-key", "ANTHROPIC_AUTH_TOKEN": "plainword"}
    ) == (
        "our-company-key",
        "plainword",
    )
    assert (
        secrets.Scrubber(("plainword",)).scrub("a plainword")
        == f"a {secrets.placeholder('key', 'plainword')}"
    )
    assert secrets.known_secrets({"OPENAI_API_KEY": "not-needed"}) == ()
