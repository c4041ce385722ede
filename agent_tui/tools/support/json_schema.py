"""JSON Schema as far as tools need it: what is wrong with a value, in plain words, and an example.

For arguments of tools that bring a schema and no class. What a schema says beyond this is not
checked: the tool itself does.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

Schema = Mapping[str, Any]
MOST_SHOWN: Final = 60
"""Characters of a value that an example repeats."""
DEEPEST: Final = 20
_TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}
_WORDS: Final = {
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}


class SchemaArguments:
    """Arguments that are declared by a JSON schema alone; a call gets them as a plain object."""

    def __init__(self, schema: Schema) -> None:
        self._schema = dict(schema)

    def schema(self) -> dict[str, object]:
        return self._schema

    def validate(self, raw: object) -> Any:
        """`raw`, if it fits. Raises ValueError."""
        if found := list(problems(self._schema, raw)):
            raise ValueError("; ".join(found))
        return raw


def types_of(schema: Schema) -> tuple[str, ...]:
    """The types that a value may have; none: any."""
    declared = schema.get("type", ())
    own = (declared,) if isinstance(declared, str) else tuple(declared)
    inner = (one for key in ("anyOf", "oneOf") for one in schema.get(key, ()))
    return (*own, *(kind for one in inner if isinstance(one, Mapping) for kind in types_of(one)))


def has_type(value: object, kind: str) -> bool:
    if isinstance(value, bool) and kind != "boolean":
        return False
    if kind == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, _TYPES.get(kind, (object,)))


def problems(schema: Schema, value: object, where: str = "", depth: int = 0) -> Iterator[str]:
    """What is wrong with `value`, a line each."""
    if depth > DEEPEST:
        return
    at = f"{where}: " if where else ""
    for key in ("anyOf", "oneOf"):
        inner = [one for one in schema.get(key, ()) if isinstance(one, Mapping)]
        if inner and all(any(problems(one, value, where, depth + 1)) for one in inner):
            yield f"{at}must be {_either(types_of(schema))}"
            return
    declared = schema.get("type", ())
    kinds = (declared,) if isinstance(declared, str) else tuple(declared)
    if kinds and not any(has_type(value, kind) for kind in kinds):
        yield f"{at or 'the arguments '}must be {_either(kinds)}"
        return
    if "const" in schema and value != schema["const"]:
        yield f"{at}must be {json.dumps(schema['const'])}"
    choices = schema.get("enum")
    if isinstance(choices, list) and value not in choices:
        yield f"{at}must be one of {', '.join(map(str, choices))}"
    match value:
        case dict():
            yield from _in_object(schema, value, where, depth)
        case list():
            yield from _in_list(schema, value, where, depth)
        case str():
            yield from _in_text(schema, value, at)
        case int() | float() if not isinstance(value, bool):
            yield from _in_number(schema, value, at)
        case _:
            pass


def _in_object(schema: Schema, value: dict[str, Any], where: str, depth: int) -> Iterator[str]:
    own = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value:
            yield f"{_inside(where, name)}: is missing"
    for name, inner in value.items():
        rest = schema.get("additionalProperties", True)
        if name in own:
            yield from problems(own[name], inner, _inside(where, name), depth + 1)
        elif rest is False:
            there = ", ".join(own) or "none"
            yield f"{_inside(where, name)}: no such argument; there are: {there}"
        elif isinstance(rest, Mapping):
            yield from problems(rest, inner, _inside(where, name), depth + 1)


def _in_list(schema: Schema, value: list[Any], where: str, depth: int) -> Iterator[str]:
    if len(value) < schema.get("minItems", 0):
        yield f"{where}: must have at least {schema['minItems']} entries"
    if len(value) > schema.get("maxItems", len(value)):
        yield f"{where}: must have at most {schema['maxItems']} entries"
    inner = schema.get("items")
    if isinstance(inner, Mapping):
        for number, one in enumerate(value):
            yield from problems(inner, one, f"{where}[{number}]", depth + 1)


def _in_text(schema: Schema, value: str, at: str) -> Iterator[str]:
    if len(value) < schema.get("minLength", 0):
        yield f"{at}must have at least {schema['minLength']} characters"
    if len(value) > schema.get("maxLength", len(value)):
        yield f"{at}must have at most {schema['maxLength']} characters"


def _in_number(schema: Schema, value: float, at: str) -> Iterator[str]:
    if value < schema.get("minimum", value):
        yield f"{at}must be at least {schema['minimum']}"
    if value > schema.get("maximum", value):
        yield f"{at}must be at most {schema['maximum']}"
    if "exclusiveMinimum" in schema and value <= schema["exclusiveMinimum"]:
        yield f"{at}must be more than {schema['exclusiveMinimum']}"
    if "exclusiveMaximum" in schema and value >= schema["exclusiveMaximum"]:
        yield f"{at}must be less than {schema['exclusiveMaximum']}"


def _inside(where: str, name: str) -> str:
    return f"{where}.{name}" if where else name


def _either(kinds: tuple[str, ...]) -> str:
    return " or ".join(_WORDS.get(kind, kind) for kind in dict.fromkeys(kinds)) or "another value"


def example_call(schema: Schema, given: object) -> str:
    """A call as it should be, as JSON: what was `given` and fits stays, the rest is made up."""
    return json.dumps(_example(schema, given, 0), ensure_ascii=False)


def _example(schema: Schema, given: object, depth: int) -> object:
    own, required = schema.get("properties", {}), schema.get("required", ())
    known: Mapping[str, Any] = given if isinstance(given, dict) else {}
    found: dict[str, object] = {}
    for name, inner in own.items():
        if name in known and not any(problems(inner, known[name])):
            short = _short(known[name])
            found[name] = _sample(inner, depth + 1) if any(problems(inner, short)) else short
        elif name in required or name in known:
            found[name] = _sample(inner, depth + 1)
    return found


def _short(value: object) -> object:
    if isinstance(value, str):
        return value if len(value) <= MOST_SHOWN else f"{value[: MOST_SHOWN - 1]}…"
    return (
        value if len(json.dumps(value)) <= MOST_SHOWN else ([] if isinstance(value, list) else {})
    )


def _sample(schema: Schema, depth: int) -> object:
    """A value that fits; a text says what it should be."""
    if choices := schema.get("enum"):
        return choices[0]
    kinds = types_of(schema)
    kind = kinds[0] if kinds else "string"
    if kind == "array":
        inner = schema.get("items")
        if not isinstance(inner, Mapping) or depth >= DEEPEST:
            return []
        return [_sample(inner, depth + 1)] * max(1, schema.get("minItems", 1))
    if kind == "object":
        return _example(schema, {}, depth) if depth < DEEPEST else {}
    if kind in ("integer", "number"):
        return max(1, schema.get("minimum", 1))
    if kind in ("boolean", "null"):
        return kind == "boolean" or None
    said = re.split(r"[;,.(:]", str(schema.get("description", "")), maxsplit=1)[0].strip()
    return f"<{said[:MOST_SHOWN]}>" if said else "<text>"
