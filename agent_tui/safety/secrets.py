"""The keys that this program itself holds: kept from children, and out of everything that is stored or sent."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

HIDDEN: Final = "[hidden]"
_SHORTEST: Final = 8
"""Shorter values are words that appear anywhere; hiding them would damage text and hide nothing."""

_NAME: Final = re.compile(
    r"(^|_)(API_?KEY|ACCESS_?KEY|SECRET(_?ACCESS)?(_?KEY)?|AUTH_?TOKEN|TOKEN|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?"
    r"|PRIVATE_?KEY|CLIENT_?SECRET|PAT)($|_)",
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

    __slots__ = ("_pattern",)

    def __init__(self, values: Iterable[str]) -> None:
        kept = sorted({v for v in values if len(v) >= _SHORTEST}, key=len, reverse=True)
        self._pattern = re.compile("|".join(map(re.escape, kept))) if kept else None

    def scrub(self, text: str) -> str:
        """`text` with every known value replaced by `[hidden]`."""
        return text if self._pattern is None else self._pattern.sub(HIDDEN, text)
