"""Checking what a file says; a problem names the file, the line, the key and what is expected."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from typing import Any, Final

from agent_tui.settings_kinds import FREE, OPTIONS, SERVED, Kind, Layer, Value
from agent_tui.settings_kinds import PROVIDER as PROVIDER
from agent_tui.settings_kinds import SECTIONS as SECTIONS
from agent_tui.settings_kinds import TOP as TOP
from agent_tui.structures import late
from agent_tui.structures.frozen import frozen


@frozen
class Problem:
    """Something in a settings file that is not used, and why. `line` 0: no line; `key` may be empty."""

    file: str
    line: int
    key: str
    text: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        return ": ".join(part for part in (place, self.key, self.text) if part)


@frozen
class Source:
    """Where values come from. `text`: the file's, to find the line of a key."""

    file: str
    text: str = ""

    def problem(self, key: tuple[str, ...], text: str) -> Problem:
        return Problem(self.file, self.line(key), ".".join(key), text)

    def invalid(self, message: str) -> Problem:
        """Broken TOML, in the words of its reader: those name the line."""
        said, _, place = message.partition(" (at ")
        line = re.match(r"line (\d+)", place)
        number = int(line[1]) if line else self.text.rstrip().count("\n") + 1
        return Problem(self.file, number, "", f"is not valid TOML ({said}): the whole file is not used")

    def line(self, key: tuple[str, ...]) -> int:
        """The line that sets `key`, or the nearest table above it; 0 without a text."""
        table: tuple[str, ...] = ()
        best, depth = (1 if self.text else 0), 0
        inside = ""
        for number, line in enumerate(self.text.split("\n"), 1):
            if inside:
                inside = "" if line.count(inside) % 2 else inside
                continue
            here: tuple[str, ...] = ()
            if header := _HEADER.match(line):
                here = table = _path(header[1])
            elif entry := _ENTRY.match(line):
                here = (*table, *_path(entry[1]))
            shared = min(len(here), len(key))
            if shared > depth and here[:shared] == key[:shared]:
                best, depth = number, shared
            inside = next((mark for mark in ('"""', "'''") if line.count(mark) % 2), "")
        return best


_PART: Final = r"(?:[A-Za-z0-9_-]+|\"[^\"]*\"|'[^']*')"
_KEY: Final = rf"{_PART}(?:\s*\.\s*{_PART})*"
_HEADER: Final = late.pattern(rf"\s*\[\[?\s*({_KEY})\s*\]")
_ENTRY: Final = late.pattern(rf"\s*({_KEY})\s*=")


def _path(dotted: str) -> tuple[str, ...]:
    return tuple(part.strip("\"'") for part in re.findall(_PART, dotted))


def check(
    data: Mapping[str, Any], source: Source, problems: list[Problem], allowed: frozenset[str] | None = None
) -> dict[str, Any]:
    """What of `data` is valid. `allowed`: the top-level keys that this file may set at all."""
    good: dict[str, Any] = {}
    for key, value in data.items():
        if allowed is not None and key not in allowed and key in (*TOP, *SECTIONS):
            only = " and ".join(sorted(allowed, reverse=True))
            problems.append(source.problem((key,), f"is not allowed in a project's file, only {only} are: not used"))
        elif key in TOP:
            _take(good, TOP[key], (key,), value, source, problems)
        elif key not in SECTIONS:
            problems.append(_unknown((key,), [*TOP, *SECTIONS], source))
        elif not isinstance(value, dict):
            problems.append(source.problem((key,), f"is not used: expected a table [{key}]"))
        elif key == "providers":
            good[key] = _providers(value, source, problems)
        elif key in FREE:
            good[key] = _section(dict.fromkeys(value, FREE[key]), (key,), value, source, problems)
        else:
            good[key] = _section(SECTIONS[key], (key,), value, source, problems)
    return good


def flat(tree: Mapping[str, Any], layer: Layer) -> dict[str, Value]:
    """The values of a checked file by dotted key."""
    found: dict[str, Any] = {}
    for key, value in tree.items():
        if key == "providers":
            for name, own in value.items():
                plain = {leaf: one for leaf, one in own.items() if leaf != "options"} | own.get("options", {})
                found |= {f"{key}.{name}.{leaf}": one for leaf, one in plain.items()}
        elif key in SECTIONS:
            found |= {f"{key}.{leaf}": one for leaf, one in value.items()}
        else:
            found[key] = value
    return {key: Value(value, layer) for key, value in found.items()}


def _section(
    kinds: Mapping[str, Kind], at: tuple[str, ...], data: Mapping[str, Any], source: Source, problems: list[Problem]
) -> dict[str, Any]:
    good: dict[str, Any] = {}
    for key, value in data.items():
        if key in kinds:
            _take(good, kinds[key], (*at, key), value, source, problems)
        else:
            problems.append(_unknown((*at, key), list(kinds), source))
    return good


def _providers(data: Mapping[str, Any], source: Source, problems: list[Problem]) -> dict[str, dict[str, Any]]:
    """Each provider's own settings; what is not common to all of them goes into its `options`."""
    good: dict[str, dict[str, Any]] = {}
    for name, values in data.items():
        if not isinstance(values, dict):
            problems.append(source.problem(("providers", name), f"is not used: expected a table [providers.{name}]"))
            continue
        common = {key: value for key, value in values.items() if key in PROVIDER}
        good[name] = _section(PROVIDER, ("providers", name), common, source, problems)
        nested = values.get("options")
        own = {key: value for key, value in values.items() if key not in PROVIDER}
        if isinstance(nested, dict):
            own = {**{key: value for key, value in own.items() if key != "options"}, **nested}
        of_it = OPTIONS.get(name, SERVED)
        known = {key: value for key, value in own.items() if key in of_it}
        free = {key: value for key, value in own.items() if key not in of_it}
        if options := free | _section(of_it, ("providers", name), known, source, problems):
            good[name]["options"] = options
    return good


def _take(
    good: dict[str, Any], kind: Kind, key: tuple[str, ...], value: Any, source: Source, problems: list[Problem]
) -> None:
    try:
        good[key[-1]] = kind.read(value)
    except ValueError:
        shown = "" if key[-1] == "api_key" else f" {_short(value)}"
        problems.append(source.problem(key, f"the value{shown} is not used: expected {kind.expected}"))


def _unknown(key: tuple[str, ...], known: list[str], source: Source) -> Problem:
    swapped = [name for name in known if sorted(name) == sorted(key[-1])]
    close = swapped or difflib.get_close_matches(key[-1], known, n=1, cutoff=0.5)
    hint = f"did you mean {close[0]}?" if close else f"there are: {', '.join(known)}"
    return source.problem(key, f"is not a setting; {hint}")


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"
