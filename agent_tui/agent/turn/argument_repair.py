"""Arguments of a call that are no JSON object as they stand: read as one where only one reading
exists.

Several things that models do wrong are undone, one by one and together; what comes out must be the
same object each time. What a model may have meant in two ways is never guessed: it is told what is
wrong instead.
"""

from __future__ import annotations

import ast
import io
import json
import re
import tokenize
from collections.abc import Callable, Iterator
from itertools import combinations, pairwise
from typing import Any, Final

from agent_tui.structures import late

LONGEST: Final = 50_000
"""Characters; what is longer is not looked at."""
DEEPEST: Final = 100
AT_ONCE: Final = 3
"""Repairs of one text."""
AROUND: Final = 20
"""Characters on each side of the place where JSON ends to be JSON."""
_FENCE: Final = "```"
_STRING: Final = late.pattern(r'"(?:[^"\\]|\\(?:.|\Z))*+("|\Z)', re.DOTALL)
"""One that is never closed goes on to the end."""
_ODD: Final = late.pattern(r"\\[^'\"nrt\\]")
"""Escapes that Python does not read as everybody would."""
_ESCAPE: Final = late.pattern(r"\\(.)", re.DOTALL)
_WORDS: Final = {"True": "true", "False": "false", "None": "null"}
Object = dict[str, Any]


def parse_json(text: str) -> Any:
    """`text` as JSON; raw line ends in strings are taken. Raises ValueError or RecursionError."""
    return json.loads(text.strip() or "{}", strict=False)


def parse_object(text: str) -> Object | None:
    """The object that `text` is as it stands."""
    try:
        data = parse_json(text)
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None


def repair_object(text: str) -> Object | None:
    """The one object that `text`, which is no JSON object, can be read as; None where there is none
    or more."""
    if len(text) > LONGEST:
        return None
    readings = {json.dumps(found, sort_keys=True): found for found in _readings(text)}
    return next(iter(readings.values())) if len(readings) == 1 else None


def describe_error(text: str) -> str:
    """What is wrong with `text`, for the model."""
    try:
        data = parse_json(text)
    except json.JSONDecodeError as error:
        near = text.strip()[max(0, error.pos - AROUND) : error.pos + AROUND]
        return f"the arguments are not JSON: {error.msg} at character {error.pos}, near {near!r}; write one JSON object"
    except (ValueError, RecursionError) as error:
        return f"the arguments are not JSON: {error}"
    return f"the arguments are {_kind(data)}, not a JSON object"


def _kind(data: Any) -> str:
    names = {
        str: "a text",
        list: "a list",
        bool: "true or false",
        int: "a number",
        float: "a number",
    }
    return names.get(type(data), "null")


def _readings(text: str) -> Iterator[Object]:
    for count in range(AT_ONCE + 1):
        found = [
            data
            for mends in combinations(_MENDS, count)
            if (data := _mended(text, mends)) is not None
        ]
        if found:  # the fewest repairs that help; they may still disagree
            yield from found
            return
    yield from _python(text)


def _mended(text: str, mends: tuple[Callable[[str], str | None], ...]) -> Object | None:
    for mend in mends:
        changed = mend(text)
        if changed is None or changed == text:
            return None
        text = changed
    try:
        return _object(parse_json(text))
    except (ValueError, RecursionError):
        return None


def _object(data: Any, depth: int = 0) -> Object | None:
    """The object in `data`: itself, the only one of a list, or one that was written as a text."""
    if isinstance(data, dict):
        return data
    if isinstance(data, list) and len(data) == 1:
        data = data[0]
        return data if isinstance(data, dict) else None
    if isinstance(data, str) and data.strip()[:1] == "{" and depth < 2:
        return _object(parse_json(data), depth + 1)
    return None


def _unfenced(text: str) -> str | None:
    text = text.strip()
    if not text.startswith(_FENCE) or not text.endswith(_FENCE):
        return None
    language, line, body = text[len(_FENCE) : -len(_FENCE)].partition("\n")
    return body.rstrip() if line and re.fullmatch(r"\w*", language.rstrip()) else None


def _outside(text: str, change: Callable[[str], str]) -> str:
    """`text` with all that stands outside of its strings changed."""
    found, at = list[str](), 0
    for string in _STRING.finditer(text):
        found += [change(text[at : string.start()]), string[0]]
        at = string.end()
    return "".join([*found, change(text[at:])])


def _commas(text: str) -> str:
    """Without commas that nothing follows."""
    return _outside(text + "\0", lambda part: re.sub(r",(\s*[\]}\0])", r"\1", part)).rstrip("\0")


def _words(text: str) -> str:
    """Python's words for true, false and null, and names without quotes."""

    def change(part: str) -> str:
        part = re.sub(r"\b(True|False|None)\b", lambda found: _WORDS[found[0]], part)
        return re.sub(r"([{,]\s*)([A-Za-z_]\w*)(\s*:)", r'\1"\2"\3', part)

    return _outside(text, change)


def _escapes(text: str) -> str | None:
    """Backslashes that begin no escape are themselves; a string that has others too can be read in
    two ways."""
    doubtful = False

    def mend(string: re.Match[str]) -> str:
        nonlocal doubtful
        letters = set(_ESCAPE.findall(string[0]))
        if not letters - set('"\\/bfnrtu'):
            return string[0]
        doubtful = doubtful or bool(letters & set("bfnrtu\\xUNav01234567"))
        return _ESCAPE.sub(
            lambda found: found[0] if found[1] in '"/' else f"\\\\{found[1]}", string[0]
        )

    changed = _STRING.sub(mend, text)
    return None if doubtful else changed


def _closed(text: str) -> str | None:
    """With the brackets that are missing at the end, and without those that are too many; a value
    that may have been cut in the middle is not ended."""
    open_, rest, at = list[str](), _outside_only(text), 0
    for at, letter in enumerate(rest):  # noqa: B007  (where it stopped is what is wanted)
        if letter in "{[":
            open_.append("}" if letter == "{" else "]")
        elif letter in "}]":
            if not open_ or open_.pop() != letter:
                return None
            if not open_:
                break
        if len(open_) > DEEPEST:
            return None
    if open_:
        whole = text.rstrip()[-1:] in ('"', "}", "]") and all(
            string[1] for string in _STRING.finditer(text)
        )
        return text + "".join(reversed(open_)) if whole else None
    after = rest[at + 1 :].strip()
    return text[: at + 1] if after and not after.strip("}]") else None


def _outside_only(text: str) -> str:
    """`text` with blanks in the place of its strings."""
    return _STRING.sub(lambda string: " " * len(string[0]), text)


def _first(text: str) -> str | None:
    """Objects that follow each other and are all the same, or empty but one."""
    found, at, decoder = list[Any](), 0, json.JSONDecoder(strict=False)
    while at < len(text.rstrip()) and len(found) < DEEPEST:
        try:
            data, at = decoder.raw_decode(text, at + len(text[at:]) - len(text[at:].lstrip()))
        except (ValueError, RecursionError):
            return None
        if data != {} and data not in found:
            found.append(data)
    return json.dumps(found[0]) if len(found) == 1 and isinstance(found[0], dict) else None


def _python(text: str) -> Iterator[Object]:
    """An object as Python writes it, with single quotes."""
    if _ODD.search(text):
        return
    try:
        data = ast.literal_eval(
            text.strip()
        )  # first: the tokens of what is no Python take a square of the time
        kinds = [
            token.type for token in tokenize.generate_tokens(io.StringIO(text.strip()).readline)
        ]
        if (tokenize.STRING, tokenize.STRING) in pairwise(kinds):
            return  # to Python they are one
        if isinstance(data, dict) and all(isinstance(key, str) for key in data):
            yield json.loads(json.dumps(data, allow_nan=False))
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError, tokenize.TokenError):
        return


_MENDS: Final = (_unfenced, _words, _commas, _escapes, _closed, _first)
