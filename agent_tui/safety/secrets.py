"""The keys that this program itself holds: kept from children, and out of everything that is stored or sent."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import AnyStr, Final, Generic

HIDDEN: Final = "[hidden]"
_SHORTEST: Final = 8
"""Shorter values are words that appear anywhere; hiding them would damage text and hide nothing."""
_TELLING_NOTHING: Final = 3
"""Letters of a value that may pass before it is sure that it is one: half of all keys begin with the same."""

_NAME: Final = re.compile(
    r"(^|_)(API_?KEY|ACCESS_?KEY|SECRET(_?ACCESS)?(_?KEY)?|AUTH_?TOKEN|TOKEN|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?"
    r"|PRIVATE_?KEY|CLIENT_?SECRET|PAT|OTLP_(TRACES_|METRICS_|LOGS_)?HEADERS)($|_)",
    re.IGNORECASE,
)
_NOT_SECRET: Final = re.compile(r"(_|^)(FILE|PATH|DIR|URL|HOST|LENGTH|COUNT|LIMIT|TTL)$|^TOKENIZERS_", re.IGNORECASE)


_IN_ADDRESS: Final = re.compile(r"://[^/?#\s@]*?:([^/?#\s]+)@")


def is_secret_name(name: str) -> bool:
    """Whether a variable's name says that it holds a credential."""
    return bool(_NAME.search(name)) and not _NOT_SECRET.search(name)


def known(environment: Mapping[str, str]) -> tuple[str, ...]:
    """The values of the credentials in `environment`, and the passwords in its addresses, longest first."""
    values = {value.strip() for name, value in environment.items() if is_secret_name(name)}
    values |= {password for value in environment.values() for password in _IN_ADDRESS.findall(value)}
    return tuple(sorted((v for v in values if len(v) >= _SHORTEST), key=lambda v: (-len(v), v)))


def child_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """`environment` as a command may see it: without our provider keys and whatever else is named like a secret."""
    return {name: value for name, value in environment.items() if not is_secret_name(name)}


class Scrubber:
    """Replaces exact values in text. Linear, and safe to use from several threads."""

    __slots__ = ("_kept", "_pattern")

    def __init__(self, values: Iterable[str]) -> None:
        self._kept: list[str] = []
        self._pattern: re.Pattern[str] | None = None
        self.learn(values)

    def learn(self, values: Iterable[str]) -> None:
        """Replace these from now on too."""
        kept = sorted({*self._kept, *(v for v in values if len(v) >= _SHORTEST)}, key=len, reverse=True)
        self._kept, self._pattern = kept, re.compile("|".join(map(re.escape, kept))) if kept else None

    @property
    def knows(self) -> bool:
        """Whether there is anything to replace."""
        return self._pattern is not None

    def scrub(self, text: str) -> str:
        """`text` with every known value replaced by `[hidden]`."""
        return text if self._pattern is None else self._pattern.sub(HIDDEN, text)

    def stream(self) -> ScrubbedStream:
        """The same for bytes that come in pieces."""
        return ScrubbedStream([value.encode("utf-8", "surrogateescape") for value in self._kept], b"|", HIDDEN.encode())

    def words(self) -> ScrubbedText:
        """The same for text that somebody reads as it comes: a word that ends as a value begins does not wait, so that
        the first three letters of a value that comes in pieces may stand before its `[hidden]`."""
        return ScrubbedText(self._kept, "|", HIDDEN, _TELLING_NOTHING)


class _Scrubbed(Generic[AnyStr]):
    """Replaces exact values in one stream; what may be the beginning of one waits for the next piece, but for `passes`
    characters."""

    __slots__ = ("_begins", "_begun_with", "_hidden", "_passed", "_passes", "_pattern", "_shortest", "_values")

    def __init__(self, values: Sequence[AnyStr], bar: AnyStr, hidden: AnyStr, passes: int = 0) -> None:
        self._values: Sequence[AnyStr] = values
        self._shortest = min(map(len, values), default=0)
        self._begins: set[AnyStr] = {value[:1] for value in values}
        self._hidden: AnyStr = hidden
        self._begun_with: AnyStr = hidden[:0]
        self._passes, self._passed = passes, 0  # of what it has begun with
        self._pattern: re.Pattern[AnyStr] | None = re.compile(bar.join(map(re.escape, values))) if values else None

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
        start = len(data) if final else self._begun(data, 0)
        for match in self._pattern.finditer(data) if len(data) >= self._shortest else ():
            if match.start() >= start:
                break  # it may be a part of a longer one
            parts += data[max(at, passed) : match.start()], self._hidden
            at = match.end()
            start = start if at <= start else self._begun(data, at)
        end = len(data) if len(data) - start <= self._passes else max(start, passed)
        parts.append(data[max(at, passed) : end])
        self._begun_with, self._passed = data[start:], end - start
        return self._hidden[:0].join(parts)

    def _begun(self, data: AnyStr, at: int) -> int:
        """Where, from `at` on, the end of `data` is the beginning of a value; else its length."""
        start = len(data)
        for value in self._values:
            begin = data.find(value[:1], max(at, len(data) - len(value) + 1))
            while begin >= 0 and not value.startswith(data[begin:]):
                begin = data.find(value[:1], begin + 1)
            start = min(start, begin) if begin >= 0 else start
        return start


ScrubbedStream = _Scrubbed[bytes]
ScrubbedText = _Scrubbed[str]
