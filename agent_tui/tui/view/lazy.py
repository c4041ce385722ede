"""Memory for view functions: the same arguments give the same object, so that an unchanged region is not drawn."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


def lazy(function: Callable[P, R]) -> Callable[P, R]:
    """Remember the last call. Arguments are compared by identity; a result that equals the last one is the last one.

    So a view function is cheap while what it reads stays, and its region stays the same object even when it had to
    be computed again. Only for small results: they are compared.
    """
    last_arguments: tuple[object, ...] = ()
    last: R | None = None

    @wraps(function)
    def remembered(*args: P.args, **kwargs: P.kwargs) -> R:
        nonlocal last_arguments, last
        if last is not None and len(args) == len(last_arguments):
            for mine, theirs in zip(args, last_arguments, strict=True):
                if mine is not theirs:
                    break
            else:
                return last
        made = function(*args, **kwargs)
        last_arguments = args
        if last is None or made != last:
            last = made
        return last

    return remembered


def lazy_large(function: Callable[P, R]) -> Callable[P, R]:
    """As `lazy`, for results too large to compare."""
    last: tuple[tuple[object, ...], R] | None = None

    @wraps(function)
    def remembered(*args: P.args, **kwargs: P.kwargs) -> R:
        nonlocal last
        if last is not None and len(args) == len(last[0]):
            for mine, theirs in zip(args, last[0], strict=True):
                if mine is not theirs:
                    break
            else:
                return last[1]
        made = function(*args, **kwargs)
        last = (args, made)
        return made

    return remembered
