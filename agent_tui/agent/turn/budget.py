"""How much a session may use, counted from when it was opened; what more it may, once somebody said
so."""

from __future__ import annotations

from typing import Final, Literal

NEAR: Final = 0.8
"""The part of a limit from which on it is said to be near."""
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
    def limited(self) -> bool:
        return bool(self.max_cost or self.max_tokens)

    def took(self, tokens: int, cost: float | None, estimated: bool) -> None:
        self.tokens += tokens
        self.cost += cost or 0.0
        self.estimated = self.estimated or estimated

    def near(self) -> str:
        """What to say of a limit that is near, once; or nothing."""
        for limit, used, most, words in (
            (
                "cost",
                self.cost,
                self.max_cost,
                f"{self._dollars} of {_dollars(self.max_cost)} are used (max_cost)",
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

    def reached(
        self, model: str, priced: bool, tokens: int = 0, cost: float = 0.0
    ) -> tuple[Limit, str] | None:
        """Which limit a request of `tokens` and `cost` would go over, and how that is said; None:
        none."""
        if self.max_cost and not priced and model not in self._accepted:
            said = f"No price is known for {model}, so max_cost cannot work: set one under [prices], or use max_tokens."
            return "price", said
        if self.max_cost and (self.cost >= self.max_cost or self.cost + cost > self.max_cost):
            return "cost", _said(
                f"{_dollars(self.max_cost)} (max_cost)",
                self._dollars,
                f"${cost:.4f}",
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
    def _dollars(self) -> str:
        return f"{'≈ ' if self.estimated else ''}${self.cost:.4f}"


def _dollars(amount: float) -> str:
    """`$5.00`, `$0.001`: a limit is said as it was set."""
    cents = f"{amount:,.2f}"
    return f"${cents}" if abs(amount - round(amount, 2)) < 1e-9 else f"${amount:,.9f}".rstrip("0")


def _said(budget: str, used: str, more: str, over: bool) -> str:
    if over:
        return f"The budget of {budget} is used up: {used}."
    return f"The budget of {budget} is not enough: {used} used, and the next request needs {more} or more."
