"""A session in figures: how people read them."""

from __future__ import annotations

from collections.abc import Iterator

from agent_tui.protocol.answers import Share, Stats


def lines(found: Stats) -> Iterator[tuple[str, str]]:
    """The figures for people: (name, value), what is nought left out."""
    ends = ", ".join(f"{count:,} {state.replace('_', ' ')}" for state, count in found.ends.items())
    about = " (estimated)" if found.estimated else ""
    told = (
        ("turns", f"{found.turns:,}" + (f" ({ends})" if ends else ""), found.turns),
        ("steps", f"{found.steps:,}", found.steps),
        ("tokens in", f"{found.tokens_in:,}{about}" + (f", {found.cached:,} cached" if found.cached else ""), 1),
        ("from a cache", share_of(found.cached, found.tokens_in), found.cached),
        ("tokens out", f"{found.tokens_out:,}{about}", 1),
        ("outside the turns", beside(found.beside), found.beside.count),
        ("cost", cost(found.cost, found.cost_estimated), found.cost),
        ("no price known", requests(found.unpriced), found.unpriced),
        ("provider time", clock(found.provider_ms), found.provider_ms),
        ("thinking time", clock(found.thinking_ms), found.thinking_ms),
        ("tool time", clock(found.tool_ms), found.tool_ms),
        ("time in turns", clock(found.turn_ms), found.turn_ms),
        ("tool calls", f"{found.tool_calls:,}", found.tool_calls),
        ("own commands", f"{found.commands:,}", found.commands),
        ("retries", f"{found.retries:,}", found.retries),
        ("errors", f"{found.errors:,}", found.errors),
        ("files changed", f"{len(found.files):,}", found.files),
    )
    yield from ((name, value) for name, value, there in told if there)


def beside(share: Share) -> str:
    return f"{requests(share.count)}, {share.tokens_in:,} tokens in, {share.tokens_out:,} out"


def requests(number: int) -> str:
    return f"{number:,} request{'' if number == 1 else 's'}"


def share_of(cached: int, read: int) -> str:
    """How much of what was read came from a cache."""
    return f"{round(100 * cached / max(read, 1))}%"


def cost(dollars: float | None, estimated: bool) -> str:
    return "no price known" if dollars is None else f"${dollars:.4f}{' (estimated)' if estimated else ''}"


def clock(ms: int) -> str:
    """A time in the largest units that say something."""
    seconds = ms / 1000
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02} min"
