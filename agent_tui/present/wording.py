"""Numbers in words: durations, counts, sizes (estimates carry `≈`); and why a call failed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

REPEATS: Final = "The agent repeats itself"
FAILED: Final[Mapping[str, str]] = {
    "no_match": "text not found",
    "ambiguous": "text found more than once",
    "not_found": "not found",
    "stale": "the file changed",
    "exists": "there already",
    "too_large": "too large",
    "binary": "not a text",
    "write_failed": "not written",
    "invalid_arguments": "wrong arguments",
    "unknown_tool": "no such tool",
    "too_many": "too many calls at once",
    "no_handler": "not available here",
    "placeholder": "hidden value in the call",
    "denied": "denied",
    "blocked": "blocked",
    "exception": "failed",
    "": "failed",
}
"""A failure in two or three words, by its tag."""
NEXT: Final[Mapping[str, str]] = {
    "no_match": "showed the model the nearest text",
    "ambiguous": "asked the model to include more context",
    "stale": "told the model what changed",
}
"""What becomes of it, where the reason leaves that open."""


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


def elapsed_time(seconds: float) -> str:
    """Time that still runs, in whole seconds: `4 s`, `2 min 5 s`."""
    whole = max(0, int(seconds))
    return f"{whole} s" if whole < 60 else duration(whole * 1000)


def time_ago(seconds: float) -> str:
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


def written_tokens(number: int, estimated: bool = False) -> str:
    """Tokens that a model wrote: `312 tokens out`, `≈ 1.2k tokens out`."""
    if number < 1000:
        shown = str(number)
    elif number < 99_950:
        shown = f"{number / 1000:.1f}k"
    elif number < 999_500:
        shown = f"{number / 1000:.0f}k"
    else:
        shown = f"{number / 1_000_000:.1f}M"
    return f"{'≈ ' if estimated else ''}{shown} {'token' if number == 1 else 'tokens'} out"


def cost(dollars: float, estimated: bool = False) -> str:
    """`$0.0042`, `$1.24`, `≈ $0.31`: cents, and below a dollar what comes behind them."""
    if dollars >= 0.995 or not dollars:
        shown = f"{dollars:,.2f}"
    else:
        whole, _, cents = f"{max(dollars, 0.0001):.4f}".partition(".")
        shown = f"{whole}.{cents.rstrip('0'):0<2}"
    return f"{'≈ ' if estimated else ''}{'< ' if 0 < dollars < 0.00005 else ''}${shown}"


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


def fetch_progress(done: int | None, total: int | None, left: float | None) -> str:
    """`1.4 of 5.2 GB, about 3 min left`; nothing where nobody said how much there is."""
    if done is None or not total:
        return ""
    here, all_of_it = size(done), size(total)
    value, _, unit = here.partition(" ")
    here = value if all_of_it.endswith(f" {unit}") else here
    if left is None or left < 1 or done >= total:
        return f"{here} of {all_of_it}"
    rest = f"{round(left)} s" if left < 90 else duration(round(left / 60) * 60_000)
    return f"{here} of {all_of_it}, about {rest} left"


def failure_reason(tag: str) -> str:
    """Why a call failed, in words."""
    return FAILED.get(tag) or f"failed: {tag.replace('_', ' ')}"


def reason(text: str, tag: str) -> str:
    """The first line of what was said of a failure, for a person: without its tag, and ending as
    a sentence does."""
    first = (
        next((line for line in text.split("\n") if line.strip()), "")
        .strip()
        .removeprefix(f"Error [{tag}]: ")
    )
    if tag in NEXT:
        said, _, more = first.partition(": give " if tag == "ambiguous" else ". ")
        if tag != "ambiguous" and not more.startswith(("The nearest", "What changed")):
            return said
        return f"{said.rstrip('.:')}; {NEXT[tag]}"
    return f"{first[:-1]} …" if first.endswith(":") else first
