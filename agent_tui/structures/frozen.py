"""Frozen, slotted dataclasses whose methods are compiled when they are first used.

`@dataclass(frozen=True, slots=True)` compiles six functions a class: half a millisecond in Python 3.11. The screen's
vocabulary is well over a hundred classes, most of which nobody uses before the first frame. `@frozen` makes the same
class (fields, slots, `replace`, pattern matching, pydantic) and compiles each of `__init__`, `__eq__`, `__hash__` and
`__repr__` when it is first called.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, TypeVar, dataclass_transform, overload

T = TypeVar("T")

METHODS = ("__init__", "__eq__", "__hash__", "__repr__")


@overload
def frozen(cls: type[T]) -> type[T]: ...
@overload
def frozen(*, kw_only: bool = False) -> Callable[[type[T]], type[T]]: ...
@dataclass_transform(frozen_default=True, field_specifiers=(dataclasses.field,))
def frozen(cls: type[T] | None = None, *, kw_only: bool = False) -> type[T] | Callable[[type[T]], type[T]]:
    """Make `cls` a frozen, slotted dataclass. Its bases, where they have fields, must be made by it too."""

    def make(plain: type[T]) -> type[T]:
        if plain.__doc__ is None:
            plain.__doc__ = plain.__name__  # else the standard decorator computes a signature to put there
        made = dataclasses.dataclass(init=False, repr=False, eq=False, slots=True, kw_only=kw_only)(plain)
        for name in METHODS:
            if name == "__init__" or name not in plain.__dict__ or plain.__dict__[name] is None:
                setattr(made, name, _compiled_at_first_call(made, name))
        for name, method in (("__setattr__", _set), ("__delattr__", _delete), ("__getstate__", _state)):
            setattr(made, name, method)
        setattr(made, "__setstate__", _restore)  # noqa: B010  (a dunder that type objects do not declare)
        return made

    return make if cls is None else make(cls)


def _compiled_at_first_call(cls: type[Any], name: str) -> Callable[..., Any]:
    def first(self: Any, *args: Any, **kwargs: Any) -> Any:
        method = _compile(cls, name)
        if cls.__dict__.get(name) is first:
            setattr(cls, name, method)
        return method(self, *args, **kwargs)

    return first


def _compile(cls: type[Any], name: str) -> Callable[..., Any]:
    """The method `name` of `cls`, from its fields."""
    scope: dict[str, Any] = {"MISSING": dataclasses.MISSING}
    fields = dataclasses.fields(cls)
    match name:
        case "__init__":
            source = _init(cls, fields, scope)
        case "__eq__":
            compared = [own.name for own in fields if own.compare]
            source = [
                "def __eq__(self, other):",
                " if other.__class__ is not self.__class__: return NotImplemented",
                f" return {_tuple('self', compared)} == {_tuple('other', compared)}",
            ]
        case "__hash__":
            hashed = [own.name for own in fields if (own.compare if own.hash is None else own.hash)]
            source = ["def __hash__(self):", f" return hash({_tuple('self', hashed)})"]
        case _:
            shown = ", ".join(f"{own.name}={{self.{own.name}!r}}" for own in fields if own.repr)
            source = ["def __repr__(self):", f" return f'{{self.__class__.__qualname__}}({shown})'"]
    exec("\n".join(source), scope)
    made: Callable[..., Any] = scope[name]
    return made


def _init(cls: type[Any], fields: tuple[dataclasses.Field[Any], ...], scope: dict[str, Any]) -> list[str]:
    """The source of `__init__`; what it refers to goes into `scope`."""
    positional, keyword, body = ["self"], list[str](), list[str]()
    for number, own in enumerate(fields):
        scope[f"set{number}"] = getattr(cls, own.name).__set__
        parameter = own.name
        if own.default is not dataclasses.MISSING:
            scope[f"default{number}"] = own.default
            parameter += f"=default{number}"
        elif own.default_factory is not dataclasses.MISSING:
            scope[f"default{number}"] = own.default_factory
            parameter += "=MISSING"
            body.append(f"if {own.name} is MISSING: {own.name} = default{number}()")
        (keyword if own.kw_only else positional).append(parameter)
        body.append(f"set{number}(self, {own.name})")
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    parameters = ", ".join([*positional, *(["*", *keyword] if keyword else [])])
    return [f"def __init__({parameters}):", *(f" {line}" for line in body or ["pass"])]


def _tuple(owner: str, names: list[str]) -> str:
    return f"({''.join(f'{owner}.{name},' for name in names)})"


def _set(_: Any, name: str, __: Any) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _delete(_: Any, name: str) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, own.name) for own in dataclasses.fields(self)]


def _restore(self: Any, state: list[Any]) -> None:
    for own, content in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, own.name, content)
