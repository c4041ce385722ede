"""All settings by their keys, and checking what a file says: a problem names file, line, key and
what is expected.

Everything here is read off the rows of the table, and off what the providers declare.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Final, Protocol

from agent_tui import registry
from agent_tui.settings.table import SERVED, ProviderSettings, Settings, rows
from agent_tui.settings.values import Flag, Layer, Setting, Value
from agent_tui.structures import late
from agent_tui.structures.frozen import declared_fields, frozen

Tree = dict[str, object]
"""A file as TOML has it: tables in tables."""
Rows = Mapping[str, Setting]
DECLARATIONS: Final = "agent_tui.providers.services"
"""Where each provider declares what it understands, a file for each dialect."""
PROVIDERS: Final = "providers"
PROVIDER: Final[Rows] = dict(rows(ProviderSettings))
"""What may be set for any provider."""


class Declared(Protocol):
    """What a provider says of itself, as far as settings go. `common`: what of `PROVIDER` it uses;
    `options`: what else it understands; None: what any server does. `variables`: which of the
    environment set what. `played`: a script stands in for a model. `rank`: its place among all."""

    @property
    def name(self) -> str: ...
    @property
    def common(self) -> tuple[str, ...]: ...
    @property
    def options(self) -> Rows | None: ...
    @property
    def variables(self) -> Mapping[str, tuple[str, ...]]: ...
    @property
    def is_played(self) -> bool: ...
    @property
    def rank(self) -> int: ...


@cache
def top_rows() -> Rows:
    """The settings that stand in no section."""
    return {name: row for name, row in rows(Settings) if name not in free_sections()}


@cache
def sections() -> Mapping[str, Rows]:
    """The sections of fixed settings."""
    made = ((own.name, type(own.default)) for own in declared_fields(Settings))
    found = {name: dict(rows(section)) for name, section in made}
    return {name: own for name, own in found.items() if own}


@cache
def free_sections() -> Rows:
    """Sections whose entries have names of the person's own, and what each entry may be."""
    return {name: row for name, row in rows(Settings) if row.default is None}


@cache
def services() -> Mapping[str, Declared]:
    """What each provider declares, by name."""
    found = (registry.load(DECLARATIONS, name, "SERVICES") for name in registry.names(DECLARATIONS))
    each: list[Declared] = [one for several in found for one in several]
    return {one.name: one for one in sorted(each, key=lambda one: one.rank)}


def _tables() -> tuple[str, ...]:
    return (*sections(), PROVIDERS, *free_sections())


def options(provider: str) -> Rows:
    """What a provider understands beside what all do."""
    found = services().get(provider)
    return SERVED if found is None or found.options is None else found.options


@cache
def entries() -> tuple[Setting, ...]:
    """All settings with fixed names, in the order in which they are listed. Those of `[keys]` are
    the screen's."""
    found = list(fixed_rows().items())
    for name, service in services().items():
        if service.options is not None:
            own = {key: PROVIDER[key] for key in service.common} | dict(service.options)
            found += [(f"{PROVIDERS}.{name}.{key}", row) for key, row in own.items()]
    return tuple(replace(row, key=key) for key, row in found)


@cache
def fixed_rows() -> Rows:
    """The settings that do not belong to a provider, by key."""
    return {
        **top_rows(),
        **{f"{at}.{key}": row for at, own in sections().items() for key, row in own.items()},
    }


def flag_keys() -> Mapping[str, Flag]:
    """The keys that a flag of the command line sets, and which."""
    return {key: row.flag for key, row in fixed_rows().items() if row.flag is not None}


def entry(key: str) -> Setting | None:
    """The setting `key`; also of a provider that is not listed, where the key is common to all."""
    listed = next((one for one in entries() if one.key == key), None)
    head, _, leaf = key.rpartition(".")
    if (
        listed is None
        and head.startswith(f"{PROVIDERS}.")
        and leaf in (common := {**PROVIDER, **SERVED})
    ):
        return replace(common[leaf], key=key)
    if head in free_sections() and free_sections()[head].about:
        return replace(free_sections()[head], key=key)
    return listed


def parts(key: str) -> tuple[str, ...]:
    """`providers.<name>.<setting>` and `<section>.<setting>` in parts; a provider's name may hold
    dots."""
    head, _, rest = key.partition(".")
    name, _, leaf = rest.rpartition(".")
    return tuple(
        part for part in ((head, name, leaf) if head == PROVIDERS else (head, rest)) if part
    )


# -- what is wrong, and where


@frozen
class Problem:
    """Something in a settings file that is not used, and why. `line` 0: no line; `key` may be
    empty."""

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
        return Problem(
            self.file, number, "", f"is not valid TOML ({said}): the whole file is not used"
        )

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


# -- checking


def check(
    data: Tree, source: Source, problems: list[Problem], allowed: frozenset[str] | None = None
) -> Tree:
    """What of `data` is valid. `allowed`: the top-level keys that this file may set at all."""
    good: Tree = {}
    known = [*top_rows(), *_tables()]
    for key, value in data.items():
        if allowed is not None and key not in allowed and key in known:
            *others, last = sorted(allowed)
            only = f"{', '.join(others)} and {last}"
            problems.append(
                source.problem(
                    (key,), f"is not allowed in a project's file, only {only} are: not used"
                )
            )
        elif key in top_rows():
            _take(good, top_rows()[key], (key,), value, source, problems)
        elif key not in known:
            problems.append(_unknown((key,), known, source))
        elif not isinstance(value, dict):
            problems.append(source.problem((key,), f"is not used: expected a table [{key}]"))
        elif key == PROVIDERS:
            good[key] = _providers(value, source, problems)
        elif key in free_sections():
            good[key] = _section(
                dict.fromkeys(value, free_sections()[key]), (key,), value, source, problems
            )
        else:
            good[key] = _section(sections()[key], (key,), value, source, problems)
    return good


def flatten(tree: Tree, layer: Layer) -> dict[str, Value]:
    """The values of a checked file by dotted key."""
    return {key: Value(value, layer) for key, value in _flat(tree)}


def _flat(tree: Tree) -> Iterator[tuple[str, object]]:
    for key, value in tree.items():
        if key not in _tables() or not isinstance(value, dict):
            yield key, value
        elif key == PROVIDERS:
            for name, own in value.items():
                plain = {leaf: one for leaf, one in own.items() if leaf != "options"} | own.get(
                    "options", {}
                )
                yield from ((f"{key}.{name}.{leaf}", one) for leaf, one in plain.items())
        else:
            yield from ((f"{key}.{leaf}", one) for leaf, one in value.items())


def _section(
    known: Rows, at: tuple[str, ...], data: Tree, source: Source, problems: list[Problem]
) -> Tree:
    good: Tree = {}
    for key, value in data.items():
        if key in known:
            _take(good, known[key], (*at, key), value, source, problems)
        else:
            problems.append(_unknown((*at, key), list(known), source))
    return good


def _providers(data: Tree, source: Source, problems: list[Problem]) -> Tree:
    """Each provider's own settings; what is not common to all of them goes into its `options`."""
    good: Tree = {}
    for name, values in data.items():
        if not isinstance(values, dict):
            problems.append(
                source.problem(
                    (PROVIDERS, name), f"is not used: expected a table [{PROVIDERS}.{name}]"
                )
            )
            continue
        common = {key: value for key, value in values.items() if key in PROVIDER}
        good[name] = found = _section(PROVIDER, (PROVIDERS, name), common, source, problems)
        nested = values.get("options")
        own = {key: value for key, value in values.items() if key not in PROVIDER}
        if isinstance(nested, dict):
            own = {**{key: value for key, value in own.items() if key != "options"}, **nested}
        of_it = options(name)
        known = {key: value for key, value in own.items() if key in of_it}
        unchecked = {key: value for key, value in own.items() if key not in of_it}
        if all_of_it := unchecked | _section(of_it, (PROVIDERS, name), known, source, problems):
            found["options"] = all_of_it
    return good


def _take(
    good: Tree,
    row: Setting,
    key: tuple[str, ...],
    value: object,
    source: Source,
    problems: list[Problem],
) -> None:
    try:
        good[key[-1]] = row.kind.read(value)
    except ValueError:
        shown = "" if key[-1] == "api_key" else f" {_short(value)}"
        problems.append(
            source.problem(key, f"the value{shown} is not used: expected {row.kind.expected}")
        )


def _unknown(key: tuple[str, ...], known: list[str], source: Source) -> Problem:
    swapped = [name for name in known if sorted(name) == sorted(key[-1])]
    close = swapped or difflib.get_close_matches(key[-1], known, n=1, cutoff=0.5)
    hint = f"did you mean {close[0]}?" if close else f"there are: {', '.join(known)}"
    return source.problem(key, f"is not a setting; {hint}")


def _short(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 60 else f"{shown[:57]}…"
