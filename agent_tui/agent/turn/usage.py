"""What a session uses and what that costs, request by request, as events: whoever sends one reports
it here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from agent_tui.agent.turn.budget import Budget, Limit
from agent_tui.agent.turn.tokens import Calibration, size_of
from agent_tui.protocol.events import AssistantReplied, UsageReported
from agent_tui.protocol.messages import ModelInfo, Request, Usage
from agent_tui.providers.base import Provider
from agent_tui.providers.facts.prices import Listing, of


class Accounts:
    """The tokens and the cost of one session, and its budget. `prices`: the person's own; `cache`:
    the folder where what is learned of tokens is kept."""

    def __init__(
        self, prices: Mapping[str, Mapping[str, float]], budget: Budget, cache: Path | None = None
    ) -> None:
        self.prices, self.budget, self.calibration = prices, budget, Calibration(cache)

    async def answered(
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
            prompt, _ = await self.calibration.counted(info.name, provider, request)
            said = replace(
                self.calibration.guessed(info.name, request, reply), prompt_tokens=prompt
            )
        return self._report(provider, info, self.used(info.name, request, reply, said), duration_ms)

    def cut(
        self,
        provider: Provider,
        info: ModelInfo,
        request: Request,
        reply: AssistantReplied,
        duration_ms: int,
    ) -> UsageReported:
        """What an answer took that did not come to its end: its server told nothing, and counts it
        all the same."""
        return self._report(provider, info, self.used(info.name, request, reply), duration_ms)

    def used(
        self, model: str, request: Request, reply: AssistantReplied, said: Usage | None = None
    ) -> Usage:
        """`said` with what it leaves out, or what nobody said, estimated."""
        if said is None:
            return self.calibration.guessed(model, request, reply)
        return self.calibration.heard(model, said, request, reply)

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
        price = None if provider is None else of(provider, self.prices)
        cost, estimated = (None, False) if price is None else price.cost(usage)
        self.budget.took(usage.prompt_tokens + usage.completion_tokens, cost, estimated)
        return cost, estimated

    def reached(self, provider: Provider) -> tuple[Limit, str] | None:
        """Which limit is reached, whatever is asked next."""
        return self.budget.reached(
            f"{provider.name}/{provider.model}", of(provider, self.prices) is not None
        )

    async def exceeded(
        self, provider: Provider, model: str, request: Request
    ) -> tuple[Limit, str] | None:
        """Which limit `request` would go over. Where an estimate says so, its server is asked for a
        count."""
        budget = self.budget
        if budget.limited and isinstance(provider, Listing):
            await provider.learn_prices()
        price = of(provider, self.prices)
        if not budget.limited or (found := budget.reached(model, price is not None)):
            return found if budget.limited else None
        tokens = self.calibration.tokens(model, "read", size_of(request))
        for counted in (False, True):
            if counted:
                tokens, _ = await self.calibration.counted(model, provider, request)
            cost = price.cost(Usage(tokens, cached_tokens=tokens))[0] if price is not None else 0.0
            if (found := budget.reached(model, price is not None, tokens, cost)) is None:
                return None
        return found
