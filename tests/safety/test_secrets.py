from __future__ import annotations

import pytest

from agent_tui.safety import secrets

KEY = "sk-abcdefghijklmnop0123"


@pytest.mark.parametrize(
    ("name", "secret"),
    [
        ("OPENAI_API_KEY", True), ("GITHUB_TOKEN", True), ("AWS_SECRET_ACCESS_KEY", True), ("DB_PASSWORD", True),
        ("PATH", False), ("HOME", False), ("TOKENIZERS_PARALLELISM", False), ("SSH_KEY_PATH", False), ("LANG", False),
    ],
)  # fmt: skip
def test_names_of_credentials(name: str, secret: bool) -> None:
    assert secrets.is_secret_name(name) is secret


def test_children_do_not_get_credentials() -> None:
    given = {"PATH": "/bin", "OPENAI_API_KEY": KEY, "MY_TOKEN": "abcdefgh12345", "LANG": "C"}
    assert secrets.child_environment(given) == {"PATH": "/bin", "LANG": "C"}


def test_every_known_value_is_hidden_longest_first() -> None:
    scrub = secrets.Scrubber((KEY, KEY + "-more")).scrub
    text = scrub(f"a {KEY}-more b {KEY} c")
    assert KEY not in text and "-more" not in text and text.startswith("a ") and text.endswith(" c")


def test_passwords_in_addresses_are_known() -> None:
    proxy = "http://me:hunter22@proxy:3128"
    assert secrets.known({"HTTPS_PROXY": proxy, "OLLAMA_HOST": "http://box:11434", "X": "me@box:12345678"}) == (
        "hunter22",
    )
    assert secrets.child_environment({"HTTPS_PROXY": proxy}) == {"HTTPS_PROXY": proxy}


def test_short_and_empty_values_hide_nothing() -> None:
    known = secrets.known({"API_KEY": "", "TOKEN": "abc", "OPENAI_API_KEY": KEY})
    assert known == (KEY,)
    assert secrets.Scrubber(("", "ab")).scrub("abab") == "abab"


def test_text_without_secrets_is_the_same_object() -> None:
    text = "nothing here"
    assert secrets.Scrubber((KEY,)).scrub(text) is text
