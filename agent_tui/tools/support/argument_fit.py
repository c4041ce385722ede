"""Arguments that nearly fit a schema, as they were meant: repaired where there is one reading.

A null where an argument may be left out; the JSON text of a list, an object, a number or a truth
value; and the names that models were trained on. What may have been meant in two ways stays as it
is, and is an error.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from agent_tui.tools.support import argument_names
from agent_tui.tools.support.json_schema import DEEPEST, Schema, has_type, problems, types_of

_TEXTUAL: Final = ("array", "object", "integer", "number", "boolean")
_WORDS: Final = {"True": True, "False": False}


@dataclass
class Fitted:
    """Arguments as they are read. `renamed`: names that stood for ours."""

    arguments: Any
    renamed: dict[str, str] = field(default_factory=dict)

    @property
    def note(self) -> str:
        """What the model is told."""
        if not self.renamed:
            return ""
        read = ", ".join(f"{theirs} was read as {ours}" for theirs, ours in self.renamed.items())
        return f"\n\n[note: {read}]"


def fit(schema: Schema, raw: object) -> Fitted:
    """`raw` as the schema wants it, as far as there is one reading."""
    fitted = Fitted(raw)
    fitted.arguments = _fit(schema, raw, fitted.renamed, 0)
    return fitted


def _fit(schema: Schema, value: object, renamed: dict[str, str], depth: int) -> object:
    if depth > DEEPEST:
        return value
    value = _from_text(schema, value)
    inner = schema.get("items")
    if isinstance(value, list) and isinstance(inner, Mapping):
        return [_fit(inner, one, renamed, depth + 1) for one in value]
    own = schema.get("properties")
    if not isinstance(value, dict) or not isinstance(own, Mapping):
        return value
    named = _rename(own, value, renamed)
    required = schema.get("required", ())
    return {
        name: _fit(own[name], one, renamed, depth + 1) if name in own else one
        for name, one in named.items()
        if one is not None or name not in own or name in required or _takes_null(own[name])
    }


def _takes_null(schema: Schema) -> bool:
    kinds = types_of(schema)
    return not kinds or "null" in kinds


def _from_text(schema: Schema, value: object) -> object:
    """What a text stands for, where no text is wanted."""
    kinds = types_of(schema)
    if not isinstance(value, str) or not kinds or "string" in kinds:
        return value
    if value.strip() in _WORDS and "boolean" in kinds:
        return _WORDS[value.strip()]
    try:
        read = json.loads(value)
    except (ValueError, RecursionError):
        return value
    fits = any(has_type(read, kind) for kind in kinds if kind in _TEXTUAL)
    return read if fits else value


def _rename(
    own: Mapping[str, Any], given: Mapping[str, Any], renamed: dict[str, str]
) -> dict[str, Any]:
    """`given` with our names. Two names for one argument must say the same."""
    found = dict(given)
    meant: dict[str, list[str]] = {}
    for name in given:
        if name not in own and (mine := argument_names.ours(name, own)):
            meant.setdefault(mine, []).append(name)
    for mine, names in meant.items():
        values = [given[name] for name in (*names, *([mine] if mine in given else []))]
        said = [value for value in values if value is not None]
        if any(_differ(value, said[0]) for value in said):
            continue
        if said and any(problems(own[mine], _from_text(own[mine], said[0]))):
            continue  # it is something else that is called so
        for name in names:
            del found[name]
            renamed[name] = mine
        if said or mine not in given:
            found[mine] = said[0] if said else None
    return found


def _differ(one: object, other: object) -> bool:
    """Not the same; `true` and `1` are not."""
    return json.dumps(one, sort_keys=True) != json.dumps(other, sort_keys=True)
