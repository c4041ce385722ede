"""Lines of plain text for a terminal of some width."""

from __future__ import annotations

import textwrap

LEAST = 11
"""Columns that a line has for its words at least."""


def wrap_words(line: str, width: int, hang: int = 0) -> list[str]:
    """`line`, broken between words at `width` (0: nowhere); what goes on is indented by `hang`."""
    if not width:
        return [line]
    return textwrap.wrap(
        line, max(width, hang + LEAST), subsequent_indent=" " * hang, break_on_hyphens=False,
        break_long_words=False,
    )  # fmt: skip
