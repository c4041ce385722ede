"""Regular expressions that are compiled when they are first used: of dozens, the first frame needs
two."""

from __future__ import annotations

import re
from typing import cast


def pattern(source: str, flags: int = 0) -> re.Pattern[str]:
    """As `re.compile`, at the first use. Raises `re.error` then."""
    return cast("re.Pattern[str]", _Late(source, flags))


class _Late:
    """Becomes as fast as the pattern itself: what is used of it is kept here."""

    def __init__(self, source: str, flags: int) -> None:
        self._given = (source, flags)

    def __getattr__(self, name: str) -> object:
        found = getattr(re.compile(*self._given), name)
        setattr(self, name, found)
        return found
