"""Numbers in words: durations, counts, sizes. Estimates carry `≈`."""

from __future__ import annotations


def duration(ms: float) -> str:
    """`120 ms`, `4.2 s`, `35 s`, `2 min 5 s`, `1 h 4 min`."""
    if ms < 1000:
        return f"{max(0, round(ms))} ms"
    seconds = ms / 1000
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if minutes else f"{hours} h"


def elapsed(seconds: float) -> str:
    """Time that still runs, in whole seconds: `4 s`, `2 min 5 s`."""
    whole = max(0, int(seconds))
    return f"{whole} s" if whole < 60 else duration(whole * 1000)


def ago(seconds: float) -> str:
    """How long since, in one word or two: `just now`, `5 min ago`, `3 h ago`, `2 days ago`."""
    minutes = max(0, int(seconds // 60))
    if minutes < 1:
        return "just now"
    if minutes < 60:
        return f"{minutes} min ago"
    if minutes < 24 * 60:
        return f"{minutes // 60} h ago"
    days = minutes // (24 * 60)
    return f"{days} {'day' if days == 1 else 'days'} ago"


def tokens(number: int, estimated: bool = False) -> str:
    """`312 tokens`, `≈ 1.2k tokens`."""
    if number < 1000:
        shown = str(number)
    elif number < 99_950:
        shown = f"{number / 1000:.1f}k"
    else:
        shown = f"{number / 1000:.0f}k"
    return f"{'≈ ' if estimated else ''}{shown} {'token' if number == 1 else 'tokens'}"


def count(number: int, one: str, many: str = "") -> str:
    """`1 line`, `12 lines`, `1,204 matches`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def size(number: int) -> str:
    """`812 B`, `4.1 kB`, `12 MB`."""
    value = float(number)
    for unit in ("B", "kB", "MB", "GB"):
        if value < 1000 or unit == "GB":
            break
        value /= 1000
    return f"{value:.0f} {unit}" if unit == "B" or value >= 10 else f"{value:.1f} {unit}"
