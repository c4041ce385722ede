"""Whatever is hidden, and however a text comes: it is the original with parts replaced; nothing is
doubled or moved."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

import pytest

from agent_tui.safety.secrets import scrubber as secrets
from agent_tui.tools import grep_files, read_file
from agent_tui.tools.support import search
from tests.campaigns import examples
from tests.safety.hidden_text import is_hidden
from tests.safety.secret_corpus import BASE64, formatted, made
from tests.tools.context import Context

_KEYS = tuple(formatted())
_TEXT = (
    "# notes",
    "",
    "def f(x):",
    "    return x + 1",
    "after = 1",
    "a long line of words " * 12,
    "ready> ok",
)
_MARKS = ("", "> ", "+", "  ")


def _mixed(chance: random.Random) -> tuple[str, list[str]]:
    """A text, and the lines of private keys in it of which the first or the last is in view."""
    lines, hidden = list[str](), list[str]()
    for _ in range(chance.randrange(2, 7)):
        kind = chance.choice(("text", "text", "token", "option", "whole", "head", "tail", "middle"))
        mark = chance.choice(_MARKS)
        if kind == "text":
            lines += chance.sample(_TEXT, chance.randrange(1, 4))
        elif kind == "token":
            lines.append(f"{mark}x = '{chance.choice(_KEYS)}'")
        elif kind == "option":
            lines.append(f"{mark}--password {made(BASE64[:62], 16)}")
        else:
            body, key = _key(chance, kind)
            lines += [f"{mark}{line}" for line in key]
            hidden += body if kind != "middle" else []
            lines.append("between, some words")
    return "\n".join([*lines, "end"]), hidden


def _key(chance: random.Random, kind: str) -> tuple[list[str], list[str]]:
    """The body of a private key or of a part of one, and the same with the lines around it."""
    label = chance.choice(("RSA ", "", "OPENSSH ", "EC "))
    short = made(BASE64, chance.choice((6, 10, 22, 30, 42))) + "=="
    body = [*(made(BASE64, 64) for _ in range(chance.randrange(1, 9))), short]
    begin, end = (
        f"-----BEGIN {label}PRIVATE " + "KEY-----",
        f"-----END {label}PRIVATE " + "KEY-----",
    )
    if kind == "head":
        return body[:-1], [begin, *body[:-1]]
    if kind == "tail":
        body = body[chance.randrange(len(body)) :]
        return body, [*body, end]
    if kind == "middle":
        return [], body[:-1]
    return body, [begin, *body, end]


def _assert_hidden(shown: str, text: str, hidden: list[str]) -> None:
    assert is_hidden(shown, text), f"{text}\n=====\n{shown}"
    assert not [line for line in hidden if line.rstrip("=") in shown], f"{text}\n=====\n{shown}"


@pytest.mark.parametrize("seed", range(examples(200)))
def test_any_mix_is_the_original_with_parts_replaced(seed: int) -> None:
    text, hidden = _mixed(random.Random(seed))
    for hide in (secrets.hide_secrets, secrets.hide_keys):
        shown = hide(text)
        _assert_hidden(shown, text, hidden)
        _assert_hidden(hide(shown), text, hidden)
    _assert_hidden(secrets.hide_secrets(secrets.hide_keys(text)), text, hidden)


@pytest.mark.parametrize("seed", range(examples(200)))
def test_any_mix_in_pieces_is_the_original_with_parts_replaced(seed: int) -> None:
    """As the output of a command comes, and is then looked at as a whole."""
    chance = random.Random(seed)
    text, hidden = _mixed(chance)
    stream, passed, at, data = secrets.Scrubber((), formats=True).stream(), b"", 0, text.encode()
    while at < len(data):
        size = chance.choice((1, 7, 40, 66, 300, 2_000))
        passed += stream.feed(data[at : at + size])
        at += size
    came = (passed + stream.feed(b"", final=True)).decode()
    assert is_hidden(came, text), f"{text}\n=====\n{came}"
    _assert_hidden(secrets.hide_secrets(came), text, hidden)


@pytest.mark.parametrize("seed", range(examples(40)))
def test_a_file_is_read_and_searched_as_the_original_with_parts_replaced(
    seed: int, tmp_path: Path
) -> None:
    chance = random.Random(seed)
    text, hidden = _mixed(chance)
    (tmp_path / "a.txt").write_text(text)
    lines, context = text.split("\n"), Context(tmp_path)
    first = chance.randrange(1, len(lines) + 1)
    last = chance.randrange(first, len(lines) + 1)
    for start, end in ((0, 0), (first, last)):
        arguments = read_file.ReadFile(path="a.txt", start_line=start, end_line=end)
        read = asyncio.run(read_file.run(arguments, context)).content
        numbered = [line.partition("→") for line in read.split("\n") if "→" in line]
        shown = lines[first - 1 : last] if start else lines
        assert [int(number) for number, _, _ in numbered] == list(
            range(start or 1, (start or 1) + len(shown))
        )
        _assert_hidden("\n".join(line for _, _, line in numbered), "\n".join(shown), hidden)
        assert secrets.hide_secrets(read) == read
    searched = asyncio.run(
        grep_files.run(grep_files.GrepFiles(pattern="^", path="a.txt", page=1), context)
    ).content
    matches = [line.partition(": ") for line in searched.split("\n")[2:]]
    wanted = [line.rstrip() for line in lines]
    for (_, _, found), line in zip(matches, wanted, strict=False):
        if len(line) <= search.LINE:
            _assert_hidden(found, line, hidden)


_OPTIONS = (
    "--password {}",
    "--api-key {}",
    "--token {}",
    "  --secret {} \\",
    "password {}",
    "machine x login b password {}",
)
_BEFORE = (
    "",
    "    1→",
    "   12→",
    "12:",
    "path:12:",
    "path-12-",
    "path/a.txt:12:",
    "+",
    "-",
    "> ",
    "    7\t",
    "      3: ",
)


@pytest.mark.parametrize("before", _BEFORE)
@pytest.mark.parametrize("line", _OPTIONS)
def test_a_number_or_a_mark_before_a_line_does_not_hide_an_option(before: str, line: str) -> None:
    value = "Zx8cV6bN4mQ2" + "wE9r"
    text = before + line.format(value)
    shown = secrets.hide_secrets(f"first\n{text}\nlast")
    assert value not in shown and is_hidden(shown, f"first\n{text}\nlast")


@pytest.mark.parametrize("line", _OPTIONS)
def test_an_option_at_the_start_of_a_line_is_hidden_where_files_are_read(
    line: str, tmp_path: Path
) -> None:
    value = "Zx8cV6bN4mQ2" + "wE9r"
    (tmp_path / "a.txt").write_text(line.format(value) + "\n")
    context = Context(tmp_path)
    read = asyncio.run(read_file.run(read_file.ReadFile(path="a.txt"), context)).content
    searched = asyncio.run(
        grep_files.run(grep_files.GrepFiles(pattern=".", path="a.txt", page=1), context)
    ).content
    assert value not in read + searched and "[hidden:" in read and "[hidden:" in searched


@pytest.mark.parametrize(
    "text",
    [
        'if line.endswith("-----END PRIVATE ' + 'KEY-----"):',
        "the end of it\n-----END PRIVATE " + "KEY-----",
    ],
)
def test_words_before_the_end_of_a_key_stay(text: str) -> None:
    assert secrets.hide_secrets(text) == text
