"""The figures of a session, from its events alone: in all, for each step, for each model and each tool. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final

from agent_tui.protocol.events import (
    AssistantReplied,
    ErrorRaised,
    Event,
    FileChanged,
    Notice,
    RequestSent,
    Retrying,
    ShellEnded,
    StepStarted,
    ToolEnded,
    TurnEnded,
    TurnStarted,
    UsageReported,
)

SUMMARY: Final = 160
"""Characters of what was thought and answered that stand with a step."""
ANSWERED: Final = ("ok", "cancelled", "interrupted", "denied", "refused")
"""How a tool call may end that is no error: it was done, or somebody did not want it."""


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
    `answer`: how they begin; `cost` in dollars, None where nobody said."""

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
    """What one model or one tool had in it: requests or calls, tokens, time, errors."""

    name: str
    count: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cached: int = 0
    ms: int = 0
    errors: int = 0
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class Stats:
    """A session in figures. `turn_ms`: from prompts to ends of turns, `wall_ms`: from its first record to its last."""

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
    by_model: tuple[Share, ...] = ()
    by_tool: tuple[Share, ...] = ()
    by_step: tuple[Step, ...] = ()


def stats(events: Iterable[Event]) -> Stats:
    """The figures of `events`. What was taken back later counts too: it was done, and paid for."""
    count = _Count()
    for event in events:
        count.take(event)
    return count.told()


def dump(found: Stats) -> dict[str, Any]:
    """Plain JSON data."""
    return asdict(found)


class _Count:
    def __init__(self) -> None:
        self.all = Stats()
        self.steps: dict[tuple[str, int, int], Step] = {}
        self.files: dict[str, None] = {}
        self.ends: dict[str, int] = {}
        self.models: dict[str, Share] = {}
        self.tools: dict[str, Share] = {}

    def take(self, event: Event) -> None:
        found = self.all
        if event.at:
            found = replace(found, began=found.began or event.at, ended=max(found.ended, event.at))
        self.all = replace(found, session=found.session or event.session)
        match event:
            case TurnStarted():
                self.all = replace(self.all, turns=self.all.turns + 1)
            case TurnEnded():
                self.ends[event.state] = self.ends.get(event.state, 0) + 1
                self.all = replace(self.all, turn_ms=self.all.turn_ms + event.duration_ms)
            case ErrorRaised():
                self._failed(event)
            case Notice():
                bad = {"error": "errors", "warning": "warnings"}.get(event.level)
                if bad is not None:
                    self.all = replace(self.all, **{bad: getattr(self.all, bad) + 1})
            case ShellEnded():
                self.all = replace(self.all, commands=self.all.commands + 1)
            case FileChanged() if not event.step and self.steps:  # its record does not always name its step
                newest = next(reversed(self.steps.values()))
                self._of_step(replace(event, turn=newest.turn, step=newest.step, agent=newest.agent))
            case _:
                if event.step:
                    self._of_step(event)

    def _failed(self, event: ErrorRaised) -> None:
        self.all = replace(self.all, errors=self.all.errors + 1)
        if event.step:
            step = self._step(event)
            self._keep(replace(step, errors=step.errors + 1))

    def _of_step(self, event: Event) -> None:
        step = self._step(event)
        match event:
            case StepStarted():
                self._keep(step)
            case RequestSent():
                self._keep(replace(step, model=event.model, requests=step.requests + 1))
            case Retrying():
                self._keep(replace(step, retries=step.retries + 1))
            case AssistantReplied():
                thought, answer = _summary(event.reasoning), _summary(event.text)
                self._keep(replace(step, thought=thought, answer=answer, thinking_ms=event.thinking_ms))
            case UsageReported():
                self._used(event, step)
            case ToolEnded():
                self._called(event, step)
            case FileChanged():
                self.files[event.path] = None
                self._keep(replace(step, files=tuple(dict.fromkeys((*step.files, event.path)))))
            case _:
                return

    def _step(self, event: Event) -> Step:
        known = self.steps.get((event.agent, event.turn, event.step))
        return known or Step(event.turn, event.step, event.agent, event.at)

    def _keep(self, step: Step) -> None:
        self.steps[step.agent, step.turn, step.step] = step

    def _used(self, event: UsageReported, step: Step) -> None:
        usage, cost = event.usage, _cost(event)
        self._keep(
            replace(
                step, model=event.model or step.model, tokens_in=step.tokens_in + usage.prompt_tokens,
                tokens_out=step.tokens_out + usage.completion_tokens, cached=step.cached + usage.cached_tokens,
                estimated=step.estimated or usage.estimated, provider_ms=step.provider_ms + event.duration_ms,
                cost=_sum(step.cost, cost),
            )
        )  # fmt: skip
        name = event.model or step.model
        share = self.models.get(name) or Share(name)
        self.models[name] = Share(
            name, share.count + 1, share.tokens_in + usage.prompt_tokens, share.tokens_out + usage.completion_tokens,
            share.cached + usage.cached_tokens, share.ms + event.duration_ms, share.errors, _sum(share.cost, cost),
        )  # fmt: skip

    def _called(self, event: ToolEnded, step: Step) -> None:
        bad = int(event.tag not in ANSWERED)
        call = Tool(event.name, event.label, event.tag, event.duration_ms)
        self._keep(
            replace(step, tools=(*step.tools, call), tool_ms=step.tool_ms + event.duration_ms, errors=step.errors + bad)
        )
        share = self.tools.get(event.name) or Share(event.name)
        self.tools[event.name] = replace(
            share, count=share.count + 1, ms=share.ms + event.duration_ms, errors=share.errors + bad
        )

    def told(self) -> Stats:
        steps = tuple(self.steps.values())
        costs = [step.cost for step in steps if step.cost is not None]
        return replace(
            self.all, steps=len(steps), by_step=steps, files=tuple(self.files), ends=self.ends,
            cost=sum(costs) if costs else None, estimated=any(step.estimated for step in steps),
            errors=self.all.errors + sum(share.errors for share in self.tools.values()),
            tool_calls=sum(share.count for share in self.tools.values()),
            wall_ms=round((self.all.ended - self.all.began) * 1000),
            by_model=_largest(self.models), by_tool=_largest(self.tools),
            **{name: sum(getattr(step, name) for step in steps) for name in _ADDED},
        )  # fmt: skip


_ADDED: Final = (
    "requests", "retries", "tokens_in", "tokens_out", "cached", "provider_ms", "thinking_ms", "tool_ms",
)  # fmt: skip


def _largest(shares: dict[str, Share]) -> tuple[Share, ...]:
    return tuple(sorted(shares.values(), key=lambda share: (-share.ms, -share.count, share.name)))


def _cost(event: UsageReported) -> float | None:
    """What the request cost, where the record says so: a field that not every version knows."""
    cost = getattr(event, "cost", None) or (event.newer or {}).get("cost")
    return float(cost) if isinstance(cost, int | float) else None


def _sum(one: float | None, other: float | None) -> float | None:
    return one if other is None else other if one is None else one + other


def _summary(words: str) -> str:
    """How `words` begin, in one line."""
    line = " ".join(words[: SUMMARY * 4].split())
    return line if len(line) <= SUMMARY else f"{line[: SUMMARY - 1]}…"


def lines(found: Stats) -> Iterator[tuple[str, str]]:
    """The figures for people: (name, value), what is nought left out."""
    ends = ", ".join(f"{count:,} {state.replace('_', ' ')}" for state, count in found.ends.items())
    about = " (estimated)" if found.estimated else ""
    told = (
        ("turns", f"{found.turns:,}" + (f" ({ends})" if ends else ""), found.turns),
        ("steps", f"{found.steps:,}", found.steps),
        ("tokens in", f"{found.tokens_in:,}{about}" + (f", {found.cached:,} cached" if found.cached else ""), 1),
        ("tokens out", f"{found.tokens_out:,}{about}", 1),
        ("cost", f"${found.cost or 0:.4f}", found.cost is not None),
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


def clock(ms: int) -> str:
    """A time in the largest units that say something."""
    seconds = ms / 1000
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02} min"
