"""Memory for view functions: the same arguments give the same object, so that an unchanged region
is not drawn."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar, TypeVarTuple

Ts = TypeVarTuple("Ts")
R = TypeVar("R")


def lazy(function: Callable[[*Ts], R]) -> Callable[[*Ts], R]:
    """Remember the last call. Arguments are compared by identity; a result that equals the last one
    is the last one.

    So a view function is cheap while what it reads stays, and its region stays the same object even
    when it had to be computed again. Only for small results: they are compared.
    """
    return _remembering(function, compare=True)


def lazy_large(function: Callable[[*Ts], R]) -> Callable[[*Ts], R]:
    """As `lazy`, for results too large to compare."""
    return _remembering(function, compare=False)


def _remembering(function: Callable[[*Ts], R], compare: bool) -> Callable[[*Ts], R]:
    last: tuple[tuple[object, ...], R] | None = None

    @wraps(function)
    def remembered(*args: *Ts) -> R:
        nonlocal last
        given: tuple[object, ...] = args
        if last is None:
            made = function(*args)
        else:
            for mine, theirs in zip(given, last[0], strict=True):
                if mine is not theirs:
                    break
            else:
                return last[1]
            made = function(*args)
            if compare and made == last[1]:
                made = last[1]
        last = (given, made)
        return made

    return remembered
