"""What a session uses and what that costs, request by request, as events: whoever sends one reports
it here. And how much it may use, counted from when it was opened; what more, once somebody said
so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final, Literal

from agent_tui.agent.turn.tokens import Calibration
from agent_tui.present import wording
from agent_tui.protocol.events import AssistantReplied, UsageReported
from agent_tui.protocol.messages import ModelInfo, Request, Usage
from agent_tui.providers.base import Provider
from agent_tui.providers.facts.prices import Listing, price_of

NEAR: Final = 0.8
"""The part of a limit from which on it is said to be near."""
SURELY: Final = 2
"""So many windows an estimate must be to be sure that a request does not fit into one."""
Limit = Literal["cost", "tokens", "price"]


class Budget:
    """`max_cost` in dollars, `max_tokens` read and written; 0: no limit."""

    def __init__(self, max_cost: float, max_tokens: int) -> None:
        self._cost_step, self._tokens_step = max_cost, max_tokens
        self.max_cost, self.max_tokens = max_cost, max_tokens
        self.cost, self.tokens = 0.0, 0
        self.estimated = False
        self._accepted = set[str]()
        self._warned = set[Limit]()

    @property
    def is_limited(self) -> bool:
        return bool(self.max_cost or self.max_tokens)

    def spend(self, tokens: int, cost: float | None, estimated: bool) -> None:
        self.tokens += tokens
        self.cost += cost or 0.0
        self.estimated = self.estimated or estimated

    def near_limit_warning(self) -> str:
        """What to say of a limit that is near, once; or nothing."""
        for limit, used, most, words in (
            (
                "cost",
                self.cost,
                self.max_cost,
                f"{self._spent} of {wording.cost(self.max_cost)} are used (max_cost)",
            ),
            (
                "tokens",
                self.tokens,
                self.max_tokens,
                f"{self.tokens:,} of {self.max_tokens:,} tokens (max_tokens)",
            ),
        ):
            if most and used >= NEAR * most and limit not in self._warned:
                self._warned.add("cost" if limit == "cost" else "tokens")
                return f"The budget is nearly used up: {words}."
        return ""

    def reached_limit(
        self, model: str, priced: bool, tokens: int = 0, cost: float = 0.0
    ) -> tuple[Limit, str] | None:
        """Which limit a request of `tokens` and `cost` would go over, and how that is said; None:
        none."""
        if self.max_cost and not priced and model not in self._accepted:
            said = f"No price is known for {model}, so max_cost cannot work: set one under [prices], or use max_tokens."
            return "price", said
        if self.max_cost and (self.cost >= self.max_cost or self.cost + cost > self.max_cost):
            return "cost", _said(
                f"{wording.cost(self.max_cost)} (max_cost)",
                self._spent,
                wording.cost(cost),
                self.cost >= self.max_cost,
            )
        if self.max_tokens and (
            self.tokens >= self.max_tokens or self.tokens + tokens > self.max_tokens
        ):
            return "tokens", _said(
                f"{self.max_tokens:,} tokens (max_tokens)",
                f"{self.tokens:,}",
                f"{tokens:,}",
                self.tokens >= self.max_tokens,
            )
        return None

    def extend(self, limit: Limit, model: str) -> None:
        """Somebody said to go on: as much again may be used."""
        self._warned.discard(limit)
        match limit:
            case "price":
                self._accepted.add(model)
            case "cost":
                self.max_cost = max(self.max_cost, self.cost) + self._cost_step
            case "tokens":
                self.max_tokens = max(self.max_tokens, self.tokens) + self._tokens_step

    @property
    def _spent(self) -> str:
        return wording.cost(self.cost, self.estimated)


def _said(budget: str, used: str, more: str, over: bool) -> str:
    if over:
        return f"The budget of {budget} is used up: {used}."
    return f"The budget of {budget} is not enough: {used} used, and the next request needs {more} or more."


class Accounts:
    """The tokens and the cost of one session, and its budget. `prices`: the person's own; `cache`:
    the folder where what is learned of tokens is kept."""

    def __init__(
        self, prices: Mapping[str, Mapping[str, float]], budget: Budget, cache: Path | None = None
    ) -> None:
        self.prices, self.budget, self.calibration = prices, budget, Calibration(cache)
        self.last_used = Usage()
        """Of the newest step."""

    async def report_answer(
        self,
        provider: Provider,
        info: ModelInfo,
        request: Request,
        reply: AssistantReplied,
        said: Usage | None,
        duration_ms: int,
    ) -> UsageReported:
        """What an answer took. `said`: the server's own words; where there are none it is asked for
        a count, if it can tell one."""
        if said is None:
            prompt, _ = await self.calibration.count_tokens(info.name, provider, request)
            said = replace(
                self.calibration.estimate_usage(info.name, request, reply), prompt_tokens=prompt
            )
        used = self.complete_usage(info.name, request, reply, said)
        return self._report(provider, info, used, duration_ms)

    def report_cut_off(
        self,
        provider: Provider,
        info: ModelInfo,
        request: Request,
        reply: AssistantReplied,
        duration_ms: int,
    ) -> UsageReported:
        """What an answer took that did not come to its end: its server told nothing, and counts it
        all the same."""
        return self._report(
            provider, info, self.complete_usage(info.name, request, reply), duration_ms
        )

    def complete_usage(
        self, model: str, request: Request, reply: AssistantReplied, said: Usage | None = None
    ) -> Usage:
        """`said` with what it leaves out, or what nobody said, estimated."""
        if said is None:
            return self.calibration.estimate_usage(model, request, reply)
        return self.calibration.learn_usage(model, said, request, reply)

    def _report(
        self, provider: Provider, info: ModelInfo, usage: Usage, duration_ms: int
    ) -> UsageReported:
        cost, estimated = self.bill(provider, usage)
        return UsageReported(
            usage=usage,
            model=info.name,
            provider=provider.name,
            duration_ms=duration_ms,
            window=info.window,
            cost=cost,
            cost_estimated=estimated,
            window_assumed=info.window_assumed,
        )

    def bill(self, provider: Provider | None, usage: Usage) -> tuple[float | None, bool]:
        """What `usage` costs in dollars, and whether that is an estimate; None where no price is
        known. It counts."""
        price = None if provider is None else price_of(provider, self.prices)
        cost, estimated = (None, False) if price is None else price.cost(usage)
        self.budget.spend(usage.prompt_tokens + usage.completion_tokens, cost, estimated)
        return cost, estimated

    async def exceeded_limit(
        self, provider: Provider, model: str, request: Request
    ) -> tuple[Limit, str] | None:
        """Which limit `request` would go over. Where an estimate says so, its server is asked for a
        count."""
        budget = self.budget
        if budget.is_limited and isinstance(provider, Listing):
            await provider.learn_prices()
        price = price_of(provider, self.prices)
        if not budget.is_limited or (found := budget.reached_limit(model, price is not None)):
            return found if budget.is_limited else None
        tokens = self.calibration.tokens(model, "read", self.calibration.requests.size(request))
        for counted in (False, True):
            if counted:
                tokens, _ = await self.calibration.count_tokens(model, provider, request)
            cost = price.cost(Usage(tokens, cached_tokens=tokens))[0] if price is not None else 0.0
            if (found := budget.reached_limit(model, price is not None, tokens, cost)) is None:
                return None
        return found

    async def refusal(self, provider: Provider, info: ModelInfo, request: Request) -> str:
        """Why `request`, about which nobody is asked, is not sent; empty where it may be. A window
        is only too small for certain: where its server counts, or where it is far too small."""
        if (found := await self.exceeded_limit(provider, info.name, request)) is not None:
            return found[1]
        size = self.calibration.tokens(info.name, "read", self.calibration.requests.size(request))
        if not info.window or info.window_assumed or size <= info.window * NEAR:
            return ""
        tokens, estimated = await self.calibration.count_tokens(info.name, provider, request)
        if tokens <= info.window * (SURELY if estimated else 1):
            return ""
        return (
            f"It is about {tokens:,} tokens, and the context window of {info.name} has "
            f"{info.window:,}: /clear starts over, or choose a /model with a larger one."
        )
