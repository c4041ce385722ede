"""Numbers with their nouns, and names as words."""

from __future__ import annotations

import textwrap


def count_noun(count: int, noun: str, plural: str = "") -> str:
    """`1 file`, `2,000 files`."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def display_tool_name(name: str) -> str:
    """`edit_file` as `Edit file`."""
    return name.replace("_", " ").capitalize() if name.isidentifier() else name


def clock(at: float, zone: int) -> str:
    """The time of day at `at`, seconds since the epoch."""
    minutes, seconds = divmod(int(at + zone) % 86_400, 60)
    return f"{minutes // 60:02}:{minutes % 60:02}:{seconds:02}"


def format_date(at: float, zone: int) -> str:
    """The day and the time of day, to the minute."""
    year, month, day = _date(int(at + zone) // 86_400)
    return f"{year:04}-{month:02}-{day:02} {clock(at, zone)[:5]}"


def _date(days: int) -> tuple[int, int, int]:
    """Year, month and day of a number of days since 1970-01-01 (the Gregorian calendar, by eras of
    400 years)."""
    era, of_era = divmod(days + 719_468, 146_097)
    year = (of_era - of_era // 1_460 + of_era // 36_524 - of_era // 146_096) // 365
    of_year = of_era - (365 * year + year // 4 - year // 100)
    month = (5 * of_year + 2) // 153  # from March on
    day = of_year - (153 * month + 2) // 5 + 1
    month += 3 if month < 10 else -9
    return year + era * 400 + (month <= 2), month, day


FULL = "━"
FREE = "·"


def bar(percent: int, width: int) -> tuple[str, str]:
    """The full part and the free one of a bar of `width` cells."""
    full = width * max(0, min(100, percent)) // 100
    return FULL * full, FREE * (width - full)


LEAST = 11
"""Columns that a line has for its words at least."""


def wrap_words(line: str, width: int, hang: int = 0) -> list[str]:
    """`line`, broken between words at `width` (0: nowhere); what goes on is indented by `hang`."""
    if not width:
        return [line]
    return textwrap.wrap(
        line,
        max(width, hang + LEAST),
        subsequent_indent=" " * hang,
        break_on_hyphens=False,
        break_long_words=False,
    )
