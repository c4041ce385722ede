"""A session in figures: the values, and how people read them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from agent_tui.protocol.messages import Usage


@dataclass(frozen=True, slots=True)
class Tool:
    """One call: its line, how it ended and how long it took."""

    name: str
    label: str
    tag: str
    ms: int


@dataclass(frozen=True, slots=True)
class Step:
    """A model call and its tools. `provider_ms`: waiting for the model, `tool_ms`: the calls, added up; `thought` and
    `answer`: how they begin; `cost` in dollars, None where no price was known, `unpriced` so many requests."""

    turn: int
    step: int
    agent: str = "main"
    at: float = 0.0
    model: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    cached: int = 0
    estimated: bool = False
    cost: float | None = None
    cost_estimated: bool = False
    unpriced: int = 0
    provider_ms: int = 0
    thinking_ms: int = 0
    tool_ms: int = 0
    requests: int = 0
    retries: int = 0
    errors: int = 0
    thought: str = ""
    answer: str = ""
    tools: tuple[Tool, ...] = ()
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Share:
    """What one model, one tool or one turn had in it: requests or calls, tokens, time, errors."""

    name: str
    count: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cached: int = 0
    ms: int = 0
    errors: int = 0
    cost: float | None = None
    cost_estimated: bool = False
    unpriced: int = 0

    def plus(self, one: Usage, ms: int, cost: float | None, estimated: bool) -> Share:
        """With one more request in it."""
        return Share(
            self.name, self.count + 1, self.tokens_in + one.prompt_tokens, self.tokens_out + one.completion_tokens,
            self.cached + one.cached_tokens, self.ms + ms, self.errors, added(self.cost, cost),
            self.cost_estimated or estimated, self.unpriced + (cost is None),
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Stats:
    """A session in figures. `turn_ms`: from prompts to ends of turns, `wall_ms`: from its first record to its last.
    `beside`: what was asked of a model in no turn (questions on the side, titles); its cost is part of `cost`, its
    tokens are not part of the others. `by_turn`: named by their numbers."""

    session: str = ""
    began: float = 0.0
    ended: float = 0.0
    turns: int = 0
    steps: int = 0
    requests: int = 0
    retries: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cached: int = 0
    estimated: bool = False
    cost: float | None = None
    cost_estimated: bool = False
    unpriced: int = 0
    beside: Share = Share("beside")
    provider_ms: int = 0
    thinking_ms: int = 0
    tool_ms: int = 0
    turn_ms: int = 0
    wall_ms: int = 0
    tool_calls: int = 0
    commands: int = 0
    errors: int = 0
    warnings: int = 0
    files: tuple[str, ...] = ()
    ends: dict[str, int] = field(default_factory=dict)
    by_turn: tuple[Share, ...] = ()
    by_model: tuple[Share, ...] = ()
    by_tool: tuple[Share, ...] = ()
    by_step: tuple[Step, ...] = ()


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
        ("beside the turns", beside(found.beside), found.beside.count),
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


def added(one: float | None, other: float | None) -> float | None:
    return one if other is None else other if one is None else one + other


def clock(ms: int) -> str:
    """A time in the largest units that say something."""
    seconds = ms / 1000
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02} min"
