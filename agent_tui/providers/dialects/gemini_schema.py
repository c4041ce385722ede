"""JSON schemas of tools as Gemini takes them: a subset of OpenAPI 3.0, where an unknown word
refuses the whole request.

What has no place there is said in another way where there is one, and left out elsewhere; the
arguments that come back are checked against the tool's own schema anyway. The same schema always
gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from agent_tui.protocol.messages import ToolSpec
from agent_tui.providers.dialects.translate import arguments_of

KEPT: Final[Mapping[str, tuple[type, ...]]] = {
    "description": (str,),
    "pattern": (str,),
    "minimum": (int, float),
    "maximum": (int, float),
    "minItems": (int,),
    "maxItems": (int,),
    "minLength": (int,),
    "maxLength": (int,),
    "minProperties": (int,),
    "maxProperties": (int,),
}
TYPES: Final = ("string", "integer", "number", "boolean", "array", "object")
FORMATS: Final = {
    "integer": ("int32", "int64"),
    "number": ("float", "double"),
    "string": ("date-time",),
}
_MOST_NODES: Final = 5_000
"""Parts of one tool's schema: definitions that hold each other multiply when they are put in their
places."""


def declarations(tools: Iterable[ToolSpec]) -> list[dict[str, object]]:
    """The `functionDeclarations` of `tools`; one without arguments has no `parameters`."""
    found = []
    for tool in tools:
        declared: dict[str, object] = {"name": tool.name, "description": tool.description}
        parameters = clean_schema(tool.parameters)
        if parameters.get("properties"):
            declared["parameters"] = parameters
        found.append(declared)
    return found


def clean_schema(schema: dict[str, object]) -> dict[str, object]:
    """`schema` in Gemini's words."""
    try:
        return _Cleaning(schema).clean(schema, ())
    except RecursionError:  # deeper than any arguments are
        return {"type": "object"}


class _Cleaning:
    """One schema: its definitions, and how much room is left."""

    def __init__(self, root: dict[str, object]) -> None:
        self._root = root
        self._left = _MOST_NODES

    def clean(self, given: object, inside: tuple[str, ...]) -> dict[str, object]:
        """`inside`: the references that led here."""
        self._left -= 1
        if not isinstance(given, dict):  # `true` is a schema too: anything
            return {"type": "string"}
        node, inside, whole = self._resolved(given, inside)
        if not whole or self._left < 0:
            return {
                "type": "object",
                **({"description": d} if isinstance(d := node.get("description"), str) else {}),
            }
        kinds, variants = node.get("type"), _list(node.get("anyOf")) or _list(node.get("oneOf"))
        if variants and not (
            "properties" in node or "items" in node
        ):  # else they only say what goes with what
            common = {"type": kinds} if kinds else {}
            variants = [
                {**common, **variant} if isinstance(variant, dict) else variant
                for variant in variants
            ]
            return self._of_variants(node, variants, inside)
        if isinstance(kinds, list):
            plain = {key: value for key, value in node.items() if key != "type"}
            return self._of_variants(node, [{**plain, "type": kind} for kind in kinds], inside)
        return self._plain(node, inside)

    def _resolved(
        self, node: dict[str, object], inside: tuple[str, ...]
    ) -> tuple[dict[str, object], tuple[str, ...], bool]:
        """`node` with what it refers to and is `allOf`; False: it holds itself, or what it names is
        not there."""
        self._left -= 1
        own = {key: value for key, value in node.items() if key not in ("$ref", "allOf")}
        parts = [part for part in _list(node.get("allOf")) if isinstance(part, dict)]
        if "$ref" in node:
            name = str(node["$ref"])
            found = self._definition(name)
            if found is None or name in inside or self._left < 0:
                return own, inside, False
            parts, inside = [found, *parts], (*inside, name)
        for part in parts:
            part, inside, whole = self._resolved(part, inside)
            if not whole:
                return own, inside, False
            own = _joined(part, own)
        return own, inside, True

    def _definition(self, name: str) -> dict[str, object] | None:
        found: object = self._root
        if not name.startswith("#"):
            return None
        for step in name[1:].strip("/").split("/"):
            step = step.replace("~1", "/").replace("~0", "~")
            found = (
                found.get(step) if step and isinstance(found, dict) else found if not step else None
            )
        return found if isinstance(found, dict) else None

    def _of_variants(
        self, node: dict[str, object], variants: list[object], inside: tuple[str, ...]
    ) -> dict[str, object]:
        """One of several: null among them is a flag, one alone is itself, constants are one
        enumeration."""
        real = [v for v in variants if not (isinstance(v, dict) and _is_null(v))]
        outside = (
            {"description": node["description"]} if isinstance(node.get("description"), str) else {}
        )
        nullable = {"nullable": True} if len(real) < len(variants) else {}
        found = [self.clean(variant, inside) for variant in real]
        if len(found) > 1 and all("enum" in each for each in found):
            found = [
                {
                    "type": "string",
                    "enum": list(dict.fromkeys(v for each in found for v in _list(each["enum"]))),
                }
            ]
        if not found:
            return {"type": "string", **outside, **nullable}
        if len(found) == 1:
            return {**found[0], **outside, **nullable}
        return {"anyOf": found, **outside, **nullable}

    def _plain(self, node: dict[str, object], inside: tuple[str, ...]) -> dict[str, object]:
        allowed = [node["const"]] if "const" in node else _list(node.get("enum"))
        values = [value for value in allowed if value is not None]
        kind = _type(node, values)
        clean: dict[str, object] = {"type": kind}
        clean |= {key: node[key] for key, of in KEPT.items() if type(node.get(key)) in of}
        if len(values) < len(allowed):
            clean["nullable"] = True
        if node.get("format") in FORMATS.get(kind, ()):
            clean["format"] = node["format"]
        if kind == "integer":
            clean |= {key: bound for key, bound in _bounds(node).items() if key not in clean}
        if values:
            _enumerate(clean, values)
        if kind == "array":
            clean["items"] = self._items(node, inside)
        if (
            kind == "object"
            and isinstance(properties := node.get("properties"), dict)
            and properties
        ):
            known = {str(name): self.clean(inner, inside) for name, inner in properties.items()}
            clean["properties"] = known
            if needed := [
                name
                for name in _list(node.get("required"))
                if isinstance(name, str) and name in known
            ]:
                clean["required"] = needed
        return clean

    def _items(self, node: dict[str, object], inside: tuple[str, ...]) -> dict[str, object]:
        several = _list(node.get("prefixItems")) or _list(node.get("items"))
        if not several:
            return self.clean(node.get("items", True), inside)
        found: list[dict[str, object]] = []
        for each in (self.clean(one, inside) for one in several):
            found += [each] if each not in found else []
        return found[0] if len(found) == 1 else {"anyOf": found}


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _joined(first: dict[str, object], second: dict[str, object]) -> dict[str, object]:
    """Both at once; `second` is the nearer one and wins."""
    both = {**first, **second}
    parts = first.get("properties"), second.get("properties")
    if isinstance(parts[0], dict) and isinstance(parts[1], dict):
        both["properties"] = {**parts[0], **parts[1]}
    needed = [*_list(first.get("required")), *_list(second.get("required"))]
    return {**both, "required": needed} if needed else both


def _is_null(node: dict[str, object]) -> bool:
    return (
        node.get("type") == "null"
        or ("const" in node and node["const"] is None)
        or node.get("enum") == [None]
    )


def _type(node: dict[str, object], values: list[object]) -> str:
    """The type that `node` names, or that it must mean."""
    named = node.get("type")
    if isinstance(named, str) and named.lower() in TYPES:
        return named.lower()
    if "properties" in node or "additionalProperties" in node:
        return "object"
    if "items" in node or "prefixItems" in node:
        return "array"
    kinds = {_type_of(value) for value in values}
    if len(kinds) == 1:
        return kinds.pop()
    bounds = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
    return "number" if not kinds and any(name in node for name in bounds) else "string"


def _type_of(value: object) -> str:
    names = {bool: "boolean", int: "integer", float: "number", list: "array", dict: "object"}
    return names.get(type(value), "string")


def _bounds(node: dict[str, object]) -> dict[str, int]:
    """Exclusive bounds of whole numbers as inclusive ones, which is all that there is."""
    found = {}
    for name, other, step in (
        ("exclusiveMinimum", "minimum", 1),
        ("exclusiveMaximum", "maximum", -1),
    ):
        if isinstance(bound := node.get(name), int) and not isinstance(bound, bool):
            found[other] = bound + step
    return found


def _enumerate(clean: dict[str, object], values: list[object]) -> None:
    """Only texts that hold something can be enumerated; other values are said in words."""
    if clean["type"] == "string" and all(isinstance(value, str) and value for value in values):
        clean["enum"] = values
        return
    said = f"One of: {', '.join(map(arguments_of, values))}."
    clean["description"] = f"{clean['description']} {said}" if clean.get("description") else said
