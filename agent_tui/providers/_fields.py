"""Reads one object of a script, key by key: every mistake is one line that says where and what."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final


class BadScript(ValueError):
    """The script cannot be played: one line that says where and why."""


_KIND_NAMES: Final[Mapping[type, str]] = {
    str: "text", int: "a whole number", float: "a number", bool: "true or false", list: "a list", dict: "an object",
}  # fmt: skip


class Fields:
    """The keys of one object of the script; whatever was not taken by the end is a mistake."""

    def __init__(self, data: Mapping[str, Any], where: str) -> None:
        self.data, self.where = dict(data), where

    def take(self, key: str, kind: type | tuple[type, ...], default: Any) -> Any:
        if key not in self.data:
            return default
        value = self.data.pop(key)
        kinds = kind if isinstance(kind, tuple) else (kind,)
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            raise BadScript(f"{self.where}: `{key}` must be {' or '.join(_KIND_NAMES[k] for k in kinds)}")
        return value

    def number(self, key: str, default: float = 0.0) -> float:
        """A number that is finite and not negative."""
        try:
            value = float(self.take(key, (int, float), default))
        except OverflowError:
            value = float("inf")
        if not 0 <= value < float("inf"):
            raise BadScript(f"{self.where}: `{key}` must be 0 or more")
        return value

    def count(self, key: str, default: int = 0) -> int:
        value: int = self.take(key, int, default)
        if value < 0:
            raise BadScript(f"{self.where}: `{key}` must be 0 or more")
        return value

    def string(self, key: str, default: str = "") -> str:
        value: str = self.take(key, str, default)
        return value

    def flag(self, key: str, default: bool = False) -> bool:
        value: bool = self.take(key, bool, default)
        return value

    def pick(self, key: str, names: tuple[str, ...]) -> str:
        value = self.string(key)
        if value not in names:
            raise BadScript(f"{self.where}: `{key}` is {value!r}; it must be one of: {', '.join(names)}")
        return value

    def end(self) -> None:
        if self.data:
            raise BadScript(f"{self.where}: unknown key {', '.join(repr(key) for key in self.data)}")
