"""The figures of a session, from its events alone: in all, for each step, for each model and each
tool. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from agent_tui.present import wording
from agent_tui.present.blocks import ENDS
from agent_tui.protocol.answers import Share, Stats, Step, Tool
from agent_tui.protocol.events import (
    AsideEnded,
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
from agent_tui.protocol.messages import Usage
from agent_tui.protocol.session_answers import add_costs

SUMMARY: Final = 160
"""Characters of what was thought and answered that stand with a step."""
ANSWERED: Final = ("ok", "cancelled", "interrupted", "denied", "refused")
"""How a tool call may end that is no error: it was done, or somebody did not want it."""
REFUSED: Final = ("unknown_model", "invalid_arguments")
"""What comes of a command that names something that is not there. Outside a turn nothing has failed
by it."""


def stats(events: Iterable[Event]) -> Stats:
    """The figures of `events`. What was taken back later counts too: it was done, and paid for."""
    count = _Count()
    for event in events:
        count.take(event)
    return count.to_stats()


class _Count:
    def __init__(self) -> None:
        self.all = Stats()
        self.steps: dict[tuple[str, int, int], Step] = {}
        self.files: dict[str, None] = {}
        self.turn = 0
        self.of_agent: dict[str, int] = {}
        """The turn that started each sub-agent: what it takes is that turn's."""
        self.ends: dict[str, int] = {}
        self.models: dict[str, Share] = {}
        self.turns: dict[int, Share] = {}
        self.beside = Share("beside")
        self.tools: dict[str, Share] = {}

    def take(self, event: Event) -> None:
        found = self.all
        if event.at:
            found = replace(found, began=found.began or event.at, ended=max(found.ended, event.at))
        self.all = replace(found, session=found.session or event.session)
        match event:
            case TurnStarted() if not event.is_main:  # a part of the turn that started it
                self.of_agent.setdefault(event.agent, self.turn)
            case TurnEnded() if not event.is_main:
                return
            case TurnStarted():
                self.turn = event.turn
                self.all = replace(self.all, turns=self.all.turns + 1)
            case TurnEnded():
                self.ends[event.state] = self.ends.get(event.state, 0) + 1
                self.all = replace(self.all, turn_ms=self.all.turn_ms + event.duration_ms)
            case ErrorRaised() if event.turn or event.kind not in REFUSED:
                self._failed(event)
            case Notice():
                bad = {"error": "errors", "warning": "warnings"}.get(event.level)
                if bad is not None:
                    self.all = replace(self.all, **{bad: getattr(self.all, bad) + 1})
            case ShellEnded():
                self.all = replace(self.all, commands=self.all.commands + 1)
            case AsideEnded() if event.usage != Usage():  # else nobody was asked, or it was refused
                self._shared(event, event.model)
            case UsageReported(purpose=purpose) if purpose:
                self._shared(event, event.model)
            case FileChanged() if (
                not event.step and self.steps
            ):  # its record does not always name its step
                newest = next(reversed(self.steps.values()))
                self._of_step(
                    replace(event, turn=newest.turn, step=newest.step, agent=newest.agent)
                )
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
                self._keep(
                    replace(step, thought=thought, answer=answer, thinking_ms=event.thinking_ms)
                )
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
        turn = step.turn if event.is_main else self.of_agent.get(event.agent, self.turn)
        self._shared(event, event.model or step.model, turn)
        self._keep(
            replace(
                step,
                model=event.model or step.model,
                tokens_in=step.tokens_in + usage.prompt_tokens,
                tokens_out=step.tokens_out + usage.completion_tokens,
                cached=step.cached + usage.cached_tokens,
                estimated=step.estimated or usage.estimated,
                provider_ms=step.provider_ms + event.duration_ms,
                cost=add_costs(step.cost, cost),
                cost_estimated=step.cost_estimated or event.cost_estimated,
                unpriced=step.unpriced + (cost is None),
            )
        )

    def _shared(
        self, event: UsageReported | AsideEnded, model: str, turn: int | None = None
    ) -> None:
        """Its part in what its model and its turn took; without a turn it was beside them."""
        one = (event.usage, event.duration_ms, _cost(event), event.cost_estimated)
        self.models[model] = (self.models.get(model) or Share(model)).plus(*one)
        if turn is None:
            self.beside = self.beside.plus(*one)
        else:
            self.turns[turn] = (self.turns.get(turn) or Share(str(turn))).plus(*one)

    def _called(self, event: ToolEnded, step: Step) -> None:
        bad = int(event.tag not in ANSWERED)
        call = Tool(event.name, event.label, event.tag, event.duration_ms)
        self._keep(
            replace(
                step,
                tools=(*step.tools, call),
                tool_ms=step.tool_ms + event.duration_ms,
                errors=step.errors + bad,
            )
        )
        share = self.tools.get(event.name) or Share(event.name)
        self.tools[event.name] = replace(
            share, count=share.count + 1, ms=share.ms + event.duration_ms, errors=share.errors + bad
        )

    def to_stats(self) -> Stats:
        steps = tuple(self.steps.values())
        paid: tuple[Step | Share, ...] = (*steps, self.beside)
        costs = [one.cost for one in paid if one.cost is not None]
        return replace(
            self.all,
            steps=len(steps),
            by_step=steps,
            files=tuple(self.files),
            ends=self.ends,
            cost=sum(costs) if costs else None,
            cost_estimated=any(one.cost_estimated for one in paid),
            unpriced=sum(one.unpriced for one in paid),
            beside=self.beside,
            by_turn=tuple(self.turns.values()),
            estimated=any(step.estimated for step in steps),
            errors=self.all.errors + sum(share.errors for share in self.tools.values()),
            tool_calls=sum(share.count for share in self.tools.values()),
            wall_ms=round((self.all.ended - self.all.began) * 1000),
            by_model=_largest(self.models),
            by_tool=_largest(self.tools),
            **{name: sum(getattr(step, name) for step in steps) for name in _ADDED},
        )


_ADDED: Final = (
    "requests",
    "retries",
    "tokens_in",
    "tokens_out",
    "cached",
    "provider_ms",
    "thinking_ms",
    "tool_ms",
)


def _largest(shares: dict[str, Share]) -> tuple[Share, ...]:
    return tuple(sorted(shares.values(), key=lambda share: (-share.ms, -share.count, share.name)))


def _cost(event: UsageReported | AsideEnded) -> float | None:
    """What the request cost, where the record says so: once in a field that not every version
    knew."""
    cost = (event.newer or {}).get("cost") if event.cost is None else event.cost
    return float(cost) if isinstance(cost, int | float) else None


def _summary(words: str) -> str:
    """How `words` begin, in one line."""
    line = " ".join(words[: SUMMARY * 4].split())
    return line if len(line) <= SUMMARY else f"{line[: SUMMARY - 1]}…"


def lines(found: Stats) -> Iterator[tuple[str, str]]:
    """The figures for people: (name, value), what is nought left out."""
    ends = ", ".join(f"{count:,} {ENDS.get(state, state)}" for state, count in found.ends.items())
    about = " (estimated)" if found.estimated else ""
    told = (
        ("turns", f"{found.turns:,}" + (f" ({ends})" if ends else ""), found.turns),
        ("steps", f"{found.steps:,}", found.steps),
        (
            "tokens in",
            f"{found.tokens_in:,}{about}" + (f", {found.cached:,} cached" if found.cached else ""),
            1,
        ),
        ("from a cache", share_of(found.cached, found.tokens_in), found.cached),
        ("tokens out", f"{found.tokens_out:,}{about}", 1),
        ("outside the turns", describe_share(found.beside), found.beside.count),
        ("cost", cost(found.cost, found.cost_estimated), found.cost),
        ("no price known", requests(found.unpriced), found.unpriced),
        ("time with the model", clock(found.provider_ms), found.provider_ms),
        ("time thinking", clock(found.thinking_ms), found.thinking_ms),
        ("time in tools", clock(found.tool_ms), found.tool_ms),
        ("time in turns", clock(found.turn_ms), found.turn_ms),
        ("tool calls", f"{found.tool_calls:,}", found.tool_calls),
        ("own commands", f"{found.commands:,}", found.commands),
        ("retries", f"{found.retries:,}", found.retries),
        ("errors", f"{found.errors:,}", found.errors),
        ("files changed", f"{len(found.files):,}", found.files),
    )
    yield from ((name, value) for name, value, there in told if there)


def describe_share(share: Share) -> str:
    return f"{requests(share.count)}, {share.tokens_in:,} tokens in, {share.tokens_out:,} out"


def requests(number: int) -> str:
    return f"{number:,} request{'' if number == 1 else 's'}"


def share_of(cached: int, read: int) -> str:
    """How much of what was read came from a cache."""
    return f"{round(100 * cached / max(read, 1))}%"


def cost(dollars: float | None, estimated: bool) -> str:
    return "no price known" if dollars is None else wording.cost(dollars, estimated)


def clock(ms: int) -> str:
    """A time in the largest units that say something."""
    seconds = ms / 1000
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return (
        f"{minutes} min {rest:02} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02} min"
    )
