"""The keys that this program itself holds: kept from children, and out of everything that is stored
or sent."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from functools import partial
from pathlib import PurePath
from typing import AnyStr, Final, Generic

from agent_tui.safety.secrets.control_sequences import (
    drop_sequences,
    find_through,
    has_sequences,
    strip_sequences,
)
from agent_tui.safety.secrets.formats import begins_secret, find_secrets
from agent_tui.safety.secrets.hidden_values import HiddenValues
from agent_tui.safety.secrets.private_keys import find_key_lines, is_in_key
from agent_tui.safety.secrets.strength import SHORTEST, Secret, disjoint, is_dummy, is_secret_value
from agent_tui.structures import late

HIDDEN: Final = "[hidden]"
"""For headers and fields of which nobody needs to know which value they had."""
_LONGEST_LINE: Final = 4_000
"""Characters of a line without an end that are looked at again with what comes next."""
_HALF: Final = re.compile(rb"(?:[\xc2-\xdf]|[\xe0-\xef][\x80-\xbf]?|[\xf0-\xf4][\x80-\xbf]{0,2})\Z")
"""The beginning of a character, of which more comes with the next bytes."""
_PROVIDER: Final = late.pattern(r"(API_?KEY|AUTH_?TOKEN)$", re.IGNORECASE)
"""Names of what providers are sent: a key, whatever it looks like."""
KEY: Final = 100_000
"""Characters from the first line of a private key to its last, at most, with what colours it."""
_TELLING_NOTHING: Final = 3
"""Letters of a value that may pass before it is sure that it is one: half of all keys begin with
the same."""

_NAME: Final = late.pattern(
    r"(^|_)(API_?KEY|ACCESS_?KEY|SECRET(_?ACCESS)?(_?KEY)?|AUTH_?TOKEN|TOKEN|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?"
    r"|PRIVATE_?KEY|CLIENT_?SECRET|PAT|OTLP_(TRACES_|METRICS_|LOGS_)?HEADERS)($|_)",
    re.IGNORECASE,
)
_NOT_SECRET: Final = late.pattern(
    r"(_|^)(FILE|PATH|DIR|URL|HOST|LENGTH|COUNT|LIMIT|TTL)$|^TOKENIZERS_", re.IGNORECASE
)


_IN_ADDRESS: Final = late.pattern(r"://[^/?#\s@:]*+:([^/?#\s]+)@")


def is_secret_name(name: str) -> bool:
    """Whether a variable's name says that it holds a credential."""
    return bool(_NAME.search(name)) and not _NOT_SECRET.search(name)


def find_in_variable(name: str, value: str) -> tuple[str, ...]:
    """What looks like a secret in the value of a variable, whose own name does not say so."""
    if name == "PATH":  # long, and nothing works without it
        return ()
    text = f"proxy={value}" if name.upper().endswith("PROXY") else value
    return tuple(text[start:end] for start, end, _ in find_secrets(text))


def known_secrets(environment: Mapping[str, str]) -> tuple[str, ...]:
    """The values of the credentials in `environment`, and what looks like a secret within others
    (passwords in addresses, keys among options), longest first: those that look like a secret. A
    word (`password`, `postgres`) stands in code as well, and is no secret."""
    named = {name: value.strip() for name, value in environment.items() if is_secret_name(name)}
    values = {
        value for name, value in named.items() if _PROVIDER.search(name) or is_secret_value(value)
    }
    inner = {password for value in environment.values() for password in _IN_ADDRESS.findall(value)}
    for name, value in environment.items():
        inner.update(find_in_variable(name, value))
    return _sorted(values | {password for password in inner if is_secret_value(password)})


def placeholder(kind: str, value: str | bytes) -> str:
    """What stands in the place of a secret."""
    data = value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value
    return f"[hidden:{kind}:{hashlib.sha256(data).hexdigest()[:4]}]"


def hide_secrets(text: str, of_secrets: bool = False) -> str:
    """`text` with placeholders for what looks like a secret; `of_secrets`: it stands in a file
    whose purpose is secrets, so that any value counts."""
    return _replaced(text, find_secrets(text, of_secrets=of_secrets))


def _replaced(
    text: str, found: Iterable[Secret], hide: Callable[[str, str], str] = placeholder
) -> str:
    parts, at = list[str](), 0
    for start, end, kind in found:
        parts += text[at:start], hide(kind, drop_sequences(text[start:end]))
        at = end
    return "".join((*parts, text[at:])) if at else text


def hide_keys(text: str, hide_known: Callable[[str], str] = str) -> str:
    """`text` with placeholders for the lines of private keys alone: for what is then shown in
    pieces, of which one may lack the line that begins a key. The number of lines stays. Where there
    is one, `hide_known` comes first: no known value is cut."""
    if not any(find_through(text, find_key_lines)):
        return text
    text = hide_known(text)
    return _replaced(text, disjoint(text, find_through(text, find_key_lines)))


def hide_keys_between(
    above: str, text: str, below: str, hide_known: Callable[[str], str] = str
) -> str:
    """The lines `text` as `hide_keys` leaves them where they stand between `above` and `below`.
    With `hide_known` also without the known values, of which a part may stand there; the line ends
    before and behind `text` are then those of `above` and `below`."""
    whole = above + text + below
    if (known := hide_known(whole)) != whole:
        first, count = above.count("\n"), text.count("\n") + 1
        lines = known.split("\n")
        above = "".join(f"{line}\n" for line in lines[:first])
        text = "\n".join(lines[first : first + count])
        whole = known
    start, end = len(above), len(above) + len(text)
    found = disjoint(whole, find_through(whole, find_key_lines))
    own = (one for one in found if start <= one.start < end)
    return _replaced(text, (Secret(at - start, to - start, kind) for at, to, kind in own))


def _sorted(values: Iterable[str]) -> tuple[str, ...]:
    """Those that can be looked for: no dummies, which are written where no key is needed. Longest
    first."""
    kept = {value for value in values if len(value) >= SHORTEST and not is_dummy(value)}
    return tuple(sorted(kept, key=lambda value: (-len(value), value)))


def _known_in(pattern: re.Pattern[str], text: str) -> Iterator[Secret]:
    return (Secret(*found.span(), "key") for found in pattern.finditer(text))


class Scrubber:
    """Replaces exact values in text, and with `formats` whatever looks like a secret; `hidden`
    remembers what. Linear, and safe to use from several threads."""

    __slots__ = ("_formats", "_hidden", "_kept", "_pattern")

    def __init__(
        self, values: Iterable[str], formats: bool = False, hidden: HiddenValues | None = None
    ) -> None:
        self._formats, self._hidden = formats, hidden
        self._kept: tuple[str, ...] = ()
        self._pattern: re.Pattern[str] | None = None
        self.learn(values)

    def learn(self, values: Iterable[str]) -> None:
        """Replace these from now on too."""
        kept = _sorted((*self._kept, *values))
        self._kept, self._pattern = (
            kept,
            re.compile("|".join(map(re.escape, kept))) if kept else None,
        )

    def _hide(self, kind: str, value: str) -> str:
        made = placeholder(kind, value)
        if self._hidden is not None:
            self._hidden.keep(made, value)
        return made

    def _own(self, value: str) -> str:
        return self._hide("key", value) + "\n" * value.count("\n")

    def _own_bytes(self, value: bytes) -> bytes:
        return self._own(value.decode("utf-8", "surrogateescape")).encode()

    @property
    def knows(self) -> bool:
        """Whether there is anything to replace."""
        return self._pattern is not None

    def scrub_known(self, text: str) -> str:
        """`text` with a placeholder for every known value, and for nothing else. The number of
        lines stays."""
        if self._pattern is None:
            return text
        text = self._pattern.sub(lambda found: self._own(found[0]), text)
        if not has_sequences(text):
            return text
        found = disjoint(text, find_through(text, partial(_known_in, self._pattern)))
        return _replaced(text, found, lambda _, value: self._own(value))

    def scrub(self, text: str, of_secrets: bool = False) -> str:
        """`text` with placeholders for secrets. The values that are known come first: what looks
        like a secret may be a part of one, of which the rest would then be shown."""
        text = self.scrub_known(text)
        if not self._formats:
            return text
        return _replaced(text, find_secrets(text, of_secrets=of_secrets), self._hide)

    def stream(self, of_secrets: bool = False) -> ScrubbedStream:
        """The same for bytes that come in pieces."""
        values = [value.encode("utf-8", "surrogateescape") for value in self._kept]
        known = _Scrubbed(values, b"|", self._own_bytes)
        letters = _Scrubbed([value.decode("latin-1") for value in values], "|", str)
        return ScrubbedStream(known, self._formats, of_secrets, self._hide, letters)

    def words(self) -> ScrubbedText:
        """The same for text that somebody reads as it comes: a word that ends as a value begins
        does not wait, so that the first three letters of a value that comes in pieces may stand
        before its placeholder."""
        return ScrubbedText(self._kept, "|", self._own, _TELLING_NOTHING)


class AnswerScrubber(Scrubber):
    """Puts placeholders back where an answer repeats the values that the model was shown."""

    __slots__ = ("_placeholders",)

    def __init__(self, hidden: HiddenValues) -> None:
        self._placeholders: Mapping[str, str] = hidden.written()
        super().__init__(self._placeholders)

    def _own(self, value: str) -> str:
        return self._placeholders.get(value, HIDDEN)


class _Scrubbed(Generic[AnyStr]):
    """Replaces exact values in one stream; what may be the beginning of one waits for the next
    piece, but for `passes` characters."""

    __slots__ = (
        "_begins",
        "_begun_with",
        "_empty",
        "_hide",
        "_passed",
        "_passes",
        "_pattern",
        "_shortest",
        "_values",
    )

    def __init__(
        self,
        values: Sequence[AnyStr],
        bar: AnyStr,
        hide: Callable[[AnyStr], AnyStr],
        passes: int = 0,
    ) -> None:
        self._values: Sequence[AnyStr] = values
        self._shortest = min(map(len, values), default=0)
        self._begins: set[AnyStr] = {value[:1] for value in values}
        self._hide: Callable[[AnyStr], AnyStr] = hide
        self._empty: AnyStr = bar[:0]
        self._begun_with: AnyStr = bar[:0]
        self._passes, self._passed = passes, 0  # of what it has begun with
        self._pattern: re.Pattern[AnyStr] | None = (
            re.compile(bar.join(map(re.escape, values))) if values else None
        )

    def feed(self, data: AnyStr, final: bool = False) -> AnyStr:
        """What of the stream can be passed on now that `data` has come; with `final` all of it."""
        if self._pattern is None:
            return data
        if not self._begun_with:
            for begin in self._begins:
                if begin in data:
                    break
            else:  # as most tokens are
                return data
        data, passed, parts, at = self._begun_with + data, self._passed, list[AnyStr](), 0
        start = len(data) if final else self.begun(data, 0)
        for match in self._pattern.finditer(data) if len(data) >= self._shortest else ():
            if match.start() >= start:
                break  # it may be a part of a longer one
            parts += data[max(at, passed) : match.start()], self._hide(match[0])
            at = match.end()
            start = start if at <= start else self.begun(data, at)
        end = len(data) if len(data) - start <= self._passes else max(start, passed)
        parts.append(data[max(at, passed) : end])
        self._begun_with, self._passed = data[start:], end - start
        return self._empty.join(parts)

    def find_in(self, data: AnyStr) -> Iterator[Secret]:
        """The values that stand in `data`."""
        matches = self._pattern.finditer(data) if self._pattern is not None else ()
        return (Secret(*found.span(), "key") for found in matches)

    def begun(self, data: AnyStr, at: int = 0) -> int:
        """Where, from `at` on, the end of `data` is the beginning of a value; else its length."""
        start = len(data)
        for value in self._values:
            begin = data.find(value[:1], max(at, len(data) - len(value) + 1))
            while begin >= 0 and not value.startswith(data[begin:]):
                begin = data.find(value[:1], begin + 1)
            start = min(start, begin) if begin >= 0 else start
        return start


_NOTHING: Final = _Scrubbed[str]([], "|", str)


def _hide_key(value: bytes) -> bytes:
    made = placeholder("key", value.decode("utf-8", "surrogateescape")).encode()
    return made + b"\n" * value.count(b"\n")


class ScrubbedStream:
    """The output of a command as it comes, without secrets. A line in which one may have begun
    waits for its end, but no longer than `_LONGEST_LINE`; what was passed of a line is looked at
    again with the rest of it."""

    __slots__ = (
        "_half",
        "_hide",
        "_in_key",
        "_known",
        "_letters",
        "_line",
        "_of_secrets",
        "_passed",
    )

    def __init__(
        self,
        known: _Scrubbed[bytes],
        formats: bool = False,
        of_secrets: bool = False,
        hide: Callable[[str, str], str] = placeholder,
        letters: _Scrubbed[str] | None = None,
    ) -> None:
        self._half = b""
        self._letters = letters or _NOTHING
        self._of_secrets = of_secrets
        self._hide: Callable[[str, str], str] = hide
        self._known = known
        self._line: str | None = "" if formats else None
        self._passed = 0
        self._in_key = False

    def copy(self) -> ScrubbedStream:
        """The same, as far as it has come, also to be pickled; what it hides is remembered by
        nobody."""
        other = copy(self)
        other._hide, other._known = placeholder, copy(self._known)
        other._known._hide = _hide_key
        return other

    def feed(self, data: bytes, final: bool = False) -> bytes:
        """What of the stream can be passed on now that `data` has come; with `final` all of it."""
        data = self._half + data
        half = None if final else _HALF.search(data, max(0, len(data) - 3))
        self._half = half[0] if half else b""
        data = self._known.feed(data[: half.start()] if half else data, final)
        if self._line is None:
            return data
        # a character is a byte, so nothing is lost
        text, passed = self._line + data.decode("latin-1"), self._passed
        coloured = has_sequences(text)
        whole = len(text) if final else self._ends_at(text)
        parts, at = list[str](), passed
        known = self._letters if coloured else _NOTHING
        found = find_secrets(text[:whole], self._in_key, self._of_secrets, known.find_in)
        for start, end, kind in found:
            if end > passed:
                start = max(start, at)  # what of it was passed is not said again
                value = drop_sequences(text[start:end])
                value = value.encode("latin-1").decode("utf-8", "surrogateescape")
                parts += text[at:start], self._hide(kind, value)
                at = end
        self._in_key = is_in_key(text[:whole], self._in_key) if whole else self._in_key
        self._line = text[whole:]
        waits = self._in_key or self._of_secrets
        begun = min(begins_secret(self._line), self._known_begins(self._line))
        self._passed = 0 if waits else max(begun, 0 if whole else passed)
        parts += text[at:whole], text[max(at, whole) : max(at, whole + self._passed)]
        return "".join(parts).encode("latin-1")

    def _ends_at(self, text: str) -> int:
        """Where what is passed on ends: behind a line, or in a very long one before what may be the
        beginning of a value."""
        after, size = text.rfind("\n") + 1, len(text)
        if size - after < _LONGEST_LINE:
            return after
        begun = self._known_begins(text)
        return size if size - begun > _LONGEST_LINE else max(begun, after)

    def _known_begins(self, text: str) -> int:
        """Where a value with sequences in it may begin, of which more may come."""
        plain = strip_sequences(text)
        if plain is None:
            return len(text)
        begun = self._letters.begun(plain.text)
        whole = next(self._letters.find_in(plain.text), None)  # its line is not complete yet
        return plain.original_index(begun if whole is None else min(begun, whole.start))


ScrubbedText = _Scrubbed[str]


DOT: Final = "•"
_GENEROUS: Final = (
    r"(?<=://)[^/?#\s:@]{0,256}:[^/?#\s@]{1,256}(?=@)",
    r"(?<=[Bb]earer )[A-Za-z0-9._~+/=-]{12,}",
    r"(?i:(?<=password=)|(?<=password: )|(?<=passwd=)|(?<=api_key=)|(?<=apikey=)|(?<=secret=)|(?<=token=))"
    r"[^\s\"'&]{6,}",
)
"""For others less is better: what stands in these places is hidden although it looks like a word.
"""
_BEGUN: Final = 12
"""Characters of a secret that was cut short which are hidden: fewer are little more than the name
of its format."""
_LONGEST: Final = 80
_MOST: Final = 500


class Redactor:
    """`values` are hidden wherever they stand, and the name of the person whose `home` it is in
    paths. Of `whole` values the beginnings are hidden, too."""

    def __init__(
        self, values: Iterable[str] = (), home: str = "", whole: Iterable[str] = ()
    ) -> None:
        self._own = (tuple(values), home)
        own = [re.escape(value) for value in sorted({*values} - {""}, key=len, reverse=True)]
        name = PurePath(home).name
        if len(name) > 1 and name != "root":
            own.append(rf"(?<=/){re.escape(name)}(?=/|$|\W)")
        begun = [_beginning(value) for value in sorted({*whole}, key=len, reverse=True)]
        self._pattern = re.compile("|".join((*own, *_GENEROUS, *begun)))

    def with_secrets_of(self, texts: Iterable[str]) -> Redactor:
        """One that knows the secrets which stand in `texts`, where they are cut short (a label,
        half of a word that was typed) or stand where no format tells of them."""
        values, home = self._own
        found = {text[start:end] for text in texts for start, end in self._spans(text)} | {*values}
        whole = sorted(
            value for value in found if len(value) >= _BEGUN + 4 and len(value.split()) == 1
        )
        return Redactor(values, home, whole[:_MOST])

    def text(self, text: str) -> str:
        """`text`, of the same length, with dots in the place of what is hidden; line ends stay."""
        parts, at = list[str](), 0
        for start, end in sorted(self._spans(text)):
            start = max(start, at)
            parts += text[at:start], re.sub(r"[^\n]", DOT, text[start:end])
            at = max(at, end)
        return "".join((*parts, text[at:])) if at else text

    def _spans(self, text: str) -> Iterator[tuple[int, int]]:
        known = find_through(text, partial(_known_in, self._pattern))
        yield from ((found.start, found.end) for found in known)
        yield from ((found.start, found.end) for found in find_secrets(text))


def _beginning(value: str) -> str:
    """What fits `value`, and as much of its beginning as there is."""
    tail = ""
    for letter in reversed(value[_BEGUN:_LONGEST]):
        tail = f"(?:{re.escape(letter)}{tail})?"
    return re.escape(value[:_BEGUN]) + tail
