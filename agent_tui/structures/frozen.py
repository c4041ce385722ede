"""Frozen, slotted dataclasses whose methods are compiled when they are first used.

`@dataclass(frozen=True, slots=True)` compiles six functions a class: half a millisecond in Python
3.11. The screen's vocabulary is well over a hundred classes, most of which nobody uses before the
first frame. `@frozen` makes the same class (fields, slots, `replace`, pattern matching, pydantic),
compiles each of `__init__`, `__eq__`, `__hash__` and `__repr__` when it is first called, and asks
the standard decorator for the fields when they are first wanted. What stands for a method or a fact
until then is one object for all classes, and the class as it was written is not kept: there are
seven hundred, and each would be 2 KB.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, dataclass_transform, overload

T = TypeVar("T")
if TYPE_CHECKING:
    Field: TypeAlias = dataclasses.Field[object]

METHODS = ("__init__", "__eq__", "__hash__", "__repr__")
FACTS = ("__dataclass_fields__", "__dataclass_params__", "__match_args__")
"""What `dataclasses`, pydantic and `match` ask a class for."""
TWIN = ("__annotations__", "__module__", "__orig_bases__")
"""What the standard decorator reads of a class beside its fields."""
NO_FIELD = ("ClassVar", "typing.ClassVar")
NOT_TAKEN = ("__dict__", "__weakref__")
DECLARED = "__declared__"


@overload
def frozen(cls: type[T]) -> type[T]: ...
@overload
def frozen(*, kw_only: bool = False) -> Callable[[type[T]], type[T]]: ...
@dataclass_transform(frozen_default=True, field_specifiers=(dataclasses.field,))
def frozen(
    cls: type[T] | None = None, *, kw_only: bool = False
) -> type[T] | Callable[[type[T]], type[T]]:
    """Make `cls` a frozen, slotted dataclass. Its bases, where they have fields, must be made by it
    too; `InitVar` and `KW_ONLY` are not understood."""

    def make(plain: type[T]) -> type[T]:
        return _made(plain, kw_only)

    return make if cls is None else make(cls)


def _made(plain: type[T], kw_only: bool) -> type[T]:
    """`plain` once more, with slots where it has fields and methods that are compiled when they are
    called."""
    own = plain.__dict__
    names = [
        name
        for name, kind in own.get("__annotations__", {}).items()
        if not str(kind).startswith(NO_FIELD)
    ]
    inherited = {
        slot for base in plain.__mro__[1:-1] for slot in base.__dict__.get("__slots__", ())
    }
    content = {
        name: value for name, value in own.items() if name not in names and name not in NOT_TAKEN
    }
    for name in METHODS:
        if name == "__init__" or own.get(name) is None:
            content[name] = _LATE_METHODS[name]
    content |= _FROZEN
    content["__slots__"] = tuple(name for name in names if name not in inherited)
    content[DECLARED] = _Declared(names, {n: own[n] for n in names if n in own}, kw_only)
    content |= _LATE_FACTS
    made: type[T] = _create(plain, content)
    return made


def _create(like: type[object], content: dict[str, object]) -> Any:
    kind: Any = type(like)
    made = kind(like.__name__, like.__bases__, content)
    made.__qualname__ = like.__qualname__
    return made


class _Declared:
    """What the body of a class says of its fields: their names, and what stands for them (a default
    or a `field`)."""

    __slots__ = ("kw_only", "names", "values")

    def __init__(self, names: list[str], values: dict[str, Any], kw_only: bool) -> None:
        self.names, self.values, self.kw_only = names, values, kw_only

    def own_fields(self) -> Iterator[Field]:
        """The fields of the class itself, without its bases'."""
        for name in self.names:
            value = self.values.get(name, dataclasses.MISSING)
            own: Field = (
                value if isinstance(value, dataclasses.Field) else dataclasses.field(default=value)
            )
            own.name = name
            if own.kw_only is dataclasses.MISSING:
                own.kw_only = self.kw_only
            yield own

    def find_facts(self, made: type[object]) -> None:
        """Have the standard decorator find them. It is asked about a twin: it takes things out of
        what it is given, and two threads may want to know at once."""
        content = {name: made.__dict__[name] for name in TWIN if name in made.__dict__}
        content["__doc__"] = made.__name__  # else a signature is computed to put there
        twin = _create(made, content | self.values)
        dataclasses.dataclass(init=False, repr=False, eq=False, kw_only=self.kw_only)(twin)
        for name in FACTS:
            setattr(made, name, twin.__dict__[name])


def declared_fields(cls: type[object]) -> list[Field]:
    """The fields of a class, its bases' first: what `dataclasses.fields` says, without what that
    has to find out."""
    found: dict[str, Field] = {}
    for base in reversed(cls.__mro__):
        facts = base.__dict__.get(DECLARED)
        found |= {own.name: own for own in facts.own_fields()} if facts else {}
    return list(found.values())


def replace_fields(value: T, fields: Mapping[str, object]) -> T:
    """As `dataclasses.replace`, where the names of the fields are known only while the program
    runs."""
    return dataclasses.replace(value, **fields)  # type: ignore[type-var]


class _Late:
    """Stands for what a class does not have yet: the attribute `name`, which `find` sets."""

    __slots__ = ("find", "name")

    def __init__(self, name: str, find: Callable[[type[object], str], None]) -> None:
        self.name, self.find = name, find

    def __get__(self, instance: object, kind: type[object]) -> object:
        for owner in kind.__mro__:
            if owner.__dict__.get(self.name) is self:
                self.find(owner, self.name)
                break
        found: object = getattr(kind if instance is None else instance, self.name)
        return found


def _find_fact(owner: type[object], _: str) -> None:
    owner.__dict__[DECLARED].find_facts(owner)


def _find_method(owner: type[object], name: str) -> None:
    setattr(owner, name, _compile(owner, name))


_LATE_METHODS: dict[str, object] = {name: _Late(name, _find_method) for name in METHODS}
_LATE_FACTS: dict[str, object] = {name: _Late(name, _find_fact) for name in FACTS}


def _compile(cls: type[object], name: str) -> Callable[..., object]:
    """The method `name` of `cls`, from its fields."""
    scope: dict[str, Any] = {"MISSING": dataclasses.MISSING}
    fields = declared_fields(cls)
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
    made: Callable[..., object] = scope[name]
    return made


def _init(cls: type[object], fields: list[Field], scope: dict[str, Any]) -> list[str]:
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


def _set(_: object, name: str, __: object) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _delete(_: object, name: str) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[object]:
    return [getattr(self, own.name) for own in dataclasses.fields(self)]


def _restore(self: Any, state: list[object]) -> None:
    for own, content in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, own.name, content)


_FROZEN = {
    "__setattr__": _set,
    "__delattr__": _delete,
    "__getstate__": _state,
    "__setstate__": _restore,
}
