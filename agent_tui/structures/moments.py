"""Moments as a person reads them, everywhere in one form: `14:05:09` for a time of day, `2026-03-01 14:05` for a day
with its time. They sort, nobody takes the month for the day, and so a search for a day is typed as it is seen.

`zone`: seconds east of Greenwich.
"""

from __future__ import annotations


def clock(at: float, zone: int) -> str:
    """The time of day at `at`, seconds since the epoch."""
    minutes, seconds = divmod(int(at + zone) % 86_400, 60)
    return f"{minutes // 60:02}:{minutes % 60:02}:{seconds:02}"


def dated(at: float, zone: int) -> str:
    """The day and the time of day, to the minute."""
    year, month, day = _date(int(at + zone) // 86_400)
    return f"{year:04}-{month:02}-{day:02} {clock(at, zone)[:5]}"


def _date(days: int) -> tuple[int, int, int]:
    """Year, month and day of a number of days since 1970-01-01 (the Gregorian calendar, by eras of 400 years)."""
    era, of_era = divmod(days + 719_468, 146_097)
    year = (of_era - of_era // 1_460 + of_era // 36_524 - of_era // 146_096) // 365
    of_year = of_era - (365 * year + year // 4 - year // 100)
    month = (5 * of_year + 2) // 153  # from March on
    day = of_year - (153 * month + 2) // 5 + 1
    month += 3 if month < 10 else -9
    return year + era * 400 + (month <= 2), month, day
