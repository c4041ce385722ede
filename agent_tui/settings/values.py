"""What a setting may hold: in words, as a check, and as a person types it. A row of the table, with
all that is known of a setting; and a value, with where it is from. Plain data: files are read
elsewhere."""

from __future__ import annotations

import dataclasses
import re
import shlex
import tomllib
from collections.abc import Callable, Iterator, Mapping
from typing import Final, Generic, Literal, TypeVar, cast

from agent_tui.structures.frozen import declared_fields, frozen

OCCASIONS: Final = ("done", "question", "failure")
"""What a person who is elsewhere may be told: a turn ended, something is asked, something failed.
"""
DIVIDER: Final = ">"
STATUS: Final = ("model", "cwd", DIVIDER, "todo", "mode", "context")
"""The line at the top; what stands behind the divider is at the right."""
_PARTS: Final = ("model", "mode", "context", "cost", "cwd", "branch", "todo", "queue", DIVIDER)

Held = TypeVar("Held", covariant=True)
T = TypeVar("T")
Choice = TypeVar("Choice", bound=str)
Names = tuple[str, ...]
Commands = Mapping[str, Names]
"""Shell commands by the pattern of the files that they are for."""
Raw = str | int | float | bool | list[str] | dict[str, object]
"""A value as a file holds it."""
Layer = Literal["default", "user", "project", "environment", "flag"]
FrontEnd = Literal["screen", "chat", "run"]
_ROW: Final = "row"
Form = Literal["text", "choice", "number", "names", "table", "secret"]
"""How a person sets it: `choice` and what else is typed; `secret` is never shown."""


@frozen
class Kind(Generic[Held]):
    """What a key may hold: in words, and as a function that gives the value to use or raises
    ValueError."""

    expected: str
    read: Callable[[object], Held]
    form: Form = "text"
    choices: Names = ()


@frozen
class Flag:
    """The flag of the command line that sets a setting. `only`: the front end that has it; empty:
    each has. Without a `metavar` it takes no value and says false."""

    name: str
    help: str
    metavar: str = ""
    short: str = ""
    only: FrontEnd | Literal[""] = ""

    @property
    def destination(self) -> str:
        """Where the parser of the command line keeps its value."""
        return self.name.lstrip("-").replace("-", "_")


@frozen
class Variable:
    """The environment variable that sets a setting. `means`: the value, whatever the variable
    holds."""

    name: str
    means: str = ""


@frozen
class Setting:
    """One setting. `about`: its meaning in `/settings`; `documented`: the same in docs/settings.md,
    where that says more; `live`: a change shows at once, else at the next start."""

    kind: Kind[object]
    default: object
    about: str
    documented: str = ""
    live: bool = False
    variable: Variable | None = None
    flag: Flag | None = None
    key: str = ""


@frozen
class Value:
    """The value of a setting and where it comes from; `name`: of the variable or flag that sets
    it."""

    value: object
    layer: Layer = "default"
    name: str = ""

    @property
    def source(self) -> str:
        return f"{self.layer} {self.name}".rstrip()


# -- kinds with something of their own


def one_of(*choices: Choice) -> Kind[Choice]:
    known = {str(choice): choice for choice in choices}

    def read(value: object) -> Choice:
        if not isinstance(value, str) or value not in known:
            raise ValueError
        return known[value]

    return Kind(f"one of {', '.join(choices)}", read, "choice", choices)


def whole_number(least: int, most: int) -> Kind[int]:
    def read(value: object) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise ValueError
        return value

    return Kind(f"a whole number from {least:,} to {most:,}", read, "number")


def number(what: str, least: float, most: float, note: str = "") -> Kind[float]:
    def read(value: object) -> float:
        if (
            isinstance(value, bool)
            or not isinstance(value, int | float)
            or not least <= value <= most
        ):
            raise ValueError
        return float(value)

    return Kind(f"{what}, from {least:g} to {most:,.0f}{note}", read, "number")


def seconds(least: float, most: float) -> Kind[float]:
    return number("seconds", least, most)


def text(expected: str) -> Kind[str]:
    return Kind(expected, _text)


def names(expected: str, known: Names = ()) -> Kind[Names]:
    """A list of names; where some are `known`, of those alone, each once."""

    def read(value: object) -> Names:
        found = _names(value)
        if known and (not set(found) <= set(known)):
            raise ValueError
        return found

    return Kind(expected, read, "names")


def parse_rule(text: str) -> tuple[str, str, Names]:
    """Of `tool(pattern)`: the tool, its pattern, and the words of that. Raises ValueError, one
    line."""
    found = re.fullmatch(r"([a-z_][a-z0-9_]*)(?:\((.+)\))?", text.strip(), re.DOTALL)
    if found is None:
        raise ValueError(f"{text!r} is no rule: write tool(pattern), as in edit_file(src/**)")
    try:
        return found[1], found[2] or "", tuple(shlex.split(found[2] or ""))
    except ValueError as error:
        raise ValueError(f"{text!r} is no rule: {error}") from None


def _rules(value: object) -> Names:
    found = _names(value)
    for text in found:
        parse_rule(text)
    return found


RULES: Final = Kind("a list of rules: tool, or tool(pattern)", _rules, "names")


def _commands(value: object) -> Commands:
    """Commands by pattern; one alone may stand without the brackets of a list."""
    if not isinstance(value, dict) or not all(isinstance(key, str) and key for key in value):
        raise ValueError
    given = {key: [one] if isinstance(one, str) else one for key, one in value.items()}
    return {key: _names(one) for key, one in given.items()}


COMMANDS: Final = Kind(
    'patterns with commands, such as { "*.py" = ["ruff format {file}"] }', _commands, "table"
)


def effort(levels: Names, least: int) -> Kind[str | bool | int]:
    """Whether to think, how hard, or with how many tokens; what was typed for a number is one."""

    def read(value: object) -> str | bool | int:
        if isinstance(value, str) and value.isdecimal():
            value = int(value)
        if isinstance(value, bool) or (isinstance(value, int) and least <= value <= 1_000_000):
            return value
        if isinstance(value, str) and value in levels:
            return value
        raise ValueError

    return Kind(f"true, false, {', '.join(levels)}, or a number of tokens, {least:,} or more", read)


# -- how values are read


def _text(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError
    return value


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError
    return value


def _names(value: object) -> Names:
    if not isinstance(value, list) or not all(isinstance(item, str) and item for item in value):
        raise ValueError
    return tuple(value)


def _model(value: object) -> str:
    name = (
        re.sub("[\u200c\u200d]", "", value) if isinstance(value, str) else ""
    )  # letters and pictures may be joined
    if not re.fullmatch(r"(?!/)\S{1,300}(?<!/)", name) or not name.isprintable():
        raise ValueError
    return str(value)


def _models(value: object) -> Names:
    return tuple(map(_model, _names(value)))


def _address(value: object) -> str:
    if not isinstance(value, str) or not re.fullmatch(r"https?://[^\s/]+\S*", value):
        raise ValueError
    return value.rstrip("/")


def _variables(value: object) -> Names:
    found = _names(value)
    if not all(re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*\*?", name) for name in found):
        raise ValueError
    return found


def _keys(value: object) -> Names:
    return _names([value] if isinstance(value, str) else value)


def _status(value: object) -> Names:
    found = _names(value)
    if not set(found) <= set(_PARTS) or len(set(found)) < len(found):
        raise ValueError
    return found


def _auto(value: object) -> bool | Literal["auto"]:
    return "auto" if value == "auto" else _flag(value)


def _think(value: object) -> bool | str:
    return value if isinstance(value, bool) else _text(value)


def _price(value: object) -> dict[str, float]:
    """Dollars for a million tokens, as a file gives them."""
    needed, may = {"input", "output"}, {"cached", "cache_write"}
    if not isinstance(value, dict) or not needed <= set(value) <= needed | may:
        raise ValueError
    if any(
        isinstance(n, bool) or not isinstance(n, int | float) or not 0 <= n < 1_000_000
        for n in value.values()
    ):
        raise ValueError
    return {name: float(number) for name, number in value.items()}


SWITCH: Final = Kind("true or false", _flag, "choice", ("true", "false"))
SWITCH_OR_AUTO: Final = Kind('true, false or "auto"', _auto, "choice", ("auto", "true", "false"))
THINK: Final = Kind('true, false or a level, such as "low"', _think)
MODEL: Final = Kind('"<provider>/<model>", such as "ollama/qwen3:8b"', _model)
MODELS: Final = Kind("a list of models", _models, "names")
ADDRESS: Final = Kind('an address, such as "http://127.0.0.1:11434"', _address)
SECRET: Final = Kind("a text", _text, "secret")
KEYS: Final = Kind('a key, such as "ctrl+f", or a list of keys ([]: none)', _keys, "names")
VARIABLES: Final = Kind("a list of names of variables, such as NAME or NAME_*", _variables, "names")
PARTS: Final = Kind(f"a list of {', '.join(_PARTS)}", _status, "names")
PRICE: Final = Kind("dollars for a million tokens, such as { input = 1.25, output = 10 }", _price)
THEME: Final = text("the name of a theme")
LIMIT: Final = number("seconds", 0, 604_800, " (0: no limit)")


# -- as a person types them


def parse_typed(kind: Kind[object], text: str) -> Raw:
    """What `text` stands for, as a file would hold it. Raises ValueError where `kind` may not hold
    it."""
    text = text.strip()
    raw: Raw = (
        {"true": True, "false": False}.get(text, text) if kind.expected.startswith("true") else text
    )
    if kind.form == "names":
        raw = [part.strip(" \"'") for part in text.strip("[]").split(",") if part.strip(" \"'")]
    elif kind.form == "table":
        raw = tomllib.loads(f"typed = {text}")["typed"]
    elif kind.form == "number":
        plain = text.replace(",", "").replace("_", "")
        raw = int(plain) if re.fullmatch(r"-?\d{1,15}", plain) else float(plain)
    kind.read(raw)
    return raw


def words(value: object) -> str:
    """A value as it is typed: no quotes around a text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else repr(value)
    if isinstance(value, Mapping):
        return inline_table(value)
    return ", ".join(map(str, value)) if isinstance(value, tuple | list) else str(value)


def inline_table(value: Mapping[str, object]) -> str:
    """`value` as one line of TOML; empty where nothing is in it."""
    bare = re.compile(r"[A-Za-z0-9_-]+")
    entries = (
        f"{key if bare.fullmatch(key) else quoted(key)} = {_in_table(one)}"
        for key, one in value.items()
    )
    return f"{{ {', '.join(entries)} }}" if value else ""


def _in_table(value: object) -> str:
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(_in_table, value))}]"
    return quoted(value) if isinstance(value, str) else words(value)


def quoted(text: str) -> str:
    """`text` as TOML has it."""
    plain = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in plain) + '"'


# -- fields of the table's classes


def setting(
    default: T,
    kind: Kind[T],
    about: str,
    documented: str = "",
    *,
    live: bool = False,
    variable: Variable | None = None,
    flag: Flag | None = None,
) -> T:
    """A setting, as the field that holds it."""
    row = Setting(kind, default, about, documented, live, variable, flag)
    shown = kind.form != "secret"
    return dataclasses.field(default=default, repr=shown, metadata={_ROW: row})


def table(
    kind: Kind[Mapping[str, T]], about: str, documented: str = "", *, live: bool = False
) -> Mapping[str, T]:
    """A setting that holds a table of the person's own names, as the field that holds it."""
    row = Setting(kind, {}, about, documented, live)
    return cast(Mapping[str, T], dataclasses.field(default_factory=dict, metadata={_ROW: row}))


def own_names(kind: Kind[T], about: str = "") -> Mapping[str, T]:
    """A section whose entries have names of the person's own."""
    row = Setting(kind, None, about)
    return cast(Mapping[str, T], dataclasses.field(default_factory=dict, metadata={_ROW: row}))


def rows(section: type[object]) -> Iterator[tuple[str, Setting]]:
    """The settings of a class, and the sections with names of the person's own."""
    for own in declared_fields(section):
        if (row := own.metadata.get(_ROW)) is not None:
            yield own.name, row
