"""Frozen dataclasses, and tuples with names, as JSON text and back, without a schema: each says by
itself what it is.

`{"_": "module.Name", field: value, ...}` is a dataclass (fields at their default are left out),
`["()", ...]` a tuple,
`["{}", ...]` a frozen set, `["[]", ...]` a list, `["vec", ...]` a `Vec`, `["{:}", [key, value],
...]` a mapping,
`["inf"]`, `["-inf"]` and `["nan"]` the floats that JSON has not.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping
from typing import Any, Final

from agent_tui.structures.vec import Vec

_ATOMS: Final = frozenset((str, int, bool, type(None)))
_FLOATS: Final = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}
_MISSING: Final = dataclasses.MISSING
_Field = tuple[str, object, Callable[[], object] | None]
_fields: dict[type[object], tuple[_Field, ...]] = {}


def to_plain(value: Any, said: Callable[[str], str] = str) -> Any:
    """`value` as JSON data, every text of it as `said` gives it. Raises TypeError for what is none
    of the above."""
    kind = type(value)
    if kind is str:
        return said(value)
    if kind in _ATOMS:
        return value
    if kind is float:
        return value if math.isfinite(value) else [str(value)]
    if kind is tuple:
        return ["()", *(to_plain(item, said) for item in value)]
    if kind is frozenset or kind is set:
        return ["{}", *sorted((to_plain(item, said) for item in value), key=repr)]
    if kind is list:
        return ["[]", *(to_plain(item, said) for item in value)]
    if isinstance(value, Mapping):
        return [
            "{:}",
            *([to_plain(key, said), to_plain(item, said)] for key, item in value.items()),
        ]
    if kind is Vec:
        return ["vec", *(to_plain(item, said) for item in value)]
    if not has_fields(kind):
        raise TypeError(f"{kind.__name__} cannot be written down")
    data: dict[str, Any] = {"_": name_of(kind)}
    for name, default, factory in _known(kind):
        own = getattr(value, name)
        if own is default or (
            default is not _MISSING and own == default and type(own) is type(default)
        ):
            continue
        if factory is not None and own == factory():
            continue
        data[name] = to_plain(own, said)
    return data


def has_fields(kind: type[object]) -> bool:
    """Whether its values are written down field by field: a dataclass, or a tuple with names."""
    return dataclasses.is_dataclass(kind) or (
        issubclass(kind, tuple) and hasattr(kind, "_field_defaults")
    )


def name_of(kind: type[object]) -> str:
    """What a dataclass is called: the last part of its module, and its name."""
    return f"{kind.__module__.rpartition('.')[2]}.{kind.__name__}"


def rebuild(data: object, classes: Mapping[str, type[Any]]) -> Any:
    """What `plain` was given. Raises ValueError for what it never wrote, and for the name of a
    class that is not among `classes`."""
    if type(data) in _ATOMS or type(data) is float:
        return data
    if isinstance(data, dict):
        return _object(data, classes)
    if not isinstance(data, list) or not data or not isinstance(data[0], str):
        raise ValueError(f"{str(data)[:40]!r} is nothing that was written here")
    kind, *items = data
    if kind in _FLOATS and not items:
        return _FLOATS[kind]
    if kind == "{:}":
        if any(not isinstance(item, list) or len(item) != 2 for item in items):
            raise ValueError("a mapping without pairs")
        return {rebuild(key, classes): rebuild(item, classes) for key, item in items}
    made = [rebuild(item, classes) for item in items]
    match kind:
        case "()":
            return tuple(made)
        case "{}":
            return frozenset(made)
        case "[]":
            return made
        case "vec":
            return Vec(made)
        case _:
            raise ValueError(f"{kind!r} is no kind of value")


def _object(data: dict[str, object], classes: Mapping[str, type[Any]]) -> object:
    name = data.get("_")
    kind = classes.get(name) if isinstance(name, str) else None
    if kind is None:
        raise ValueError(f"{name!r} is no value of this version")
    known = {own[0] for own in _known(kind)}
    try:
        return kind(**{key: rebuild(item, classes) for key, item in data.items() if key in known})
    except TypeError as error:
        raise ValueError(f"{name}: {error}") from None


def _known(kind: type[Any]) -> tuple[_Field, ...]:
    """Name, default and default factory of each field of `kind`."""
    found = _fields.get(kind)
    if found is None and not dataclasses.is_dataclass(kind):
        found = tuple(
            (name, kind._field_defaults.get(name, _MISSING), None) for name in kind._fields
        )
        _fields[kind] = found
    elif found is None:
        found = tuple(
            (
                own.name,
                own.default,
                None if own.default_factory is _MISSING else own.default_factory,
            )
            for own in dataclasses.fields(kind)
            if own.init
        )
        _fields[kind] = found
    return found
