"""What servers of Chat Completions want different from each other, and requests that suit them.
Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Final

from agent_tui.protocol.messages import ToolSpec
from agent_tui.providers.services import service_of
from agent_tui.providers.services.base import PLAIN as PLAIN
from agent_tui.providers.services.base import Quirks as Quirks
from agent_tui.structures import late

LONGEST_ID: Final = 40
"""Characters of a call's id that every server takes."""
NOTHING: Final = "(nothing)"
"""Stands where a server wants words and there are none."""
_SHORT: Final = late.pattern(r"[A-Za-z0-9]{9}")
_SCHEMAS: Final = ("properties", "patternProperties", "$defs", "definitions")
_CHOICES: Final = ("anyOf", "oneOf", "allOf")
_NAMES: Final[Mapping[type, str]] = {
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    list: "array",
}
NO_THOUGHT: Final = " "
"""Stands for it where nothing was thought, or by another model: they do not take an empty text."""
Wired = dict[str, object]


def wants_thoughts(service: str, model: str) -> bool:
    family = model.rpartition("/")[2].lower()
    return any(re.match(pattern, family) for pattern in service_of(service).wants_thoughts)


def adapt_messages(messages: Iterable[Wired], quirks: Quirks) -> list[Wired]:
    """`messages` as the server takes them. What came before is written the same whatever
    follows."""
    found: list[Wired] = []
    for message in messages:
        message = (
            _worded(_with_ids(message, quirks)) if quirks.worded else _with_ids(message, quirks)
        )
        last = found[-1]["role"] if found else ""
        if message["role"] == "user" and last == "tool" and quirks.spoken:
            found.append({"role": "assistant", "content": NOTHING})
        if message["role"] == "user" and last == "user" and quirks.turns:
            found[-1] = {
                **found[-1],
                "content": _together(found[-1]["content"], message["content"]),
            }
        else:
            found.append(message)
    return found


def _worded(message: Wired) -> Wired:
    if message.get("content"):
        return message
    return {**message, "content": "" if message.get("tool_calls") else NOTHING}


def _together(before: object, after: object) -> object:
    if isinstance(before, str) and isinstance(after, str):
        return f"{before}\n\n{after}"
    return [*_parts(before), *_parts(after)]


def _parts(content: object) -> list[object]:
    return content if isinstance(content, list) else [{"type": "text", "text": content}]


def _with_ids(message: Wired, quirks: Quirks) -> Wired:
    if "tool_call_id" in message:
        id = fitting_id(str(message["tool_call_id"]), quirks.short_ids)
        return {**message, "tool_call_id": id}
    if isinstance(calls := message.get("tool_calls"), list):
        fitting = [{**call, "id": fitting_id(call["id"], quirks.short_ids)} for call in calls]
        return {**message, "tool_calls": fitting}
    return message


def fitting_id(id: str, short: bool = False) -> str:
    """An id that a server takes, the same for the same one: another provider's may be too long for
    it."""
    if _SHORT.fullmatch(id) if short else len(id) <= LONGEST_ID:
        return id
    return sha256(id.encode("utf-8", "replace")).hexdigest()[: 9 if short else 32]


def suited_tools(tools: Iterable[ToolSpec], quirks: Quirks) -> list[Wired]:
    return [
        {
            "type": "function",
            "function": {
                "name": tool.name,
                "description": tool.description,
                "parameters": add_types(tool.parameters, "object")
                if quirks.typed
                else tool.parameters,
            },
        }
        for tool in tools
    ]


def add_types(schema: object, otherwise: str = "string") -> object:
    """`schema` with a type wherever one can be missing: what it holds says which."""
    if not isinstance(schema, dict):
        return {"type": otherwise}  # `true`: anything goes
    found = dict(schema)
    for key in _SCHEMAS:
        if isinstance(inner := found.get(key), dict):
            found[key] = {name: add_types(one) for name, one in inner.items()}
    for key in _CHOICES:
        if isinstance(inner := found.get(key), list):
            found[key] = [add_types(one) for one in inner]
    for key in ("items", "additionalProperties"):
        if isinstance(found.get(key), dict):
            found[key] = add_types(found[key])
    if "type" in found or "$ref" in found or any(key in found for key in _CHOICES):
        return found
    return {"type": _type_of(found, otherwise), **found}


def _type_of(schema: Wired, otherwise: str) -> str:
    if "properties" in schema or "required" in schema:
        return "object"
    if "items" in schema:
        return "array"
    if any(key in schema for key in ("minimum", "maximum", "multipleOf")):
        return "number"
    values = schema.get("enum")
    if not isinstance(values, list):
        values = [schema["const"]] if "const" in schema else []
    names = {_NAMES.get(type(value), "object") for value in values}
    return names.pop() if len(names) == 1 else otherwise
