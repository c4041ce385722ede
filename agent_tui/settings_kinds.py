"""Every setting: what it may hold, its default and its meaning. Plain data: files are read elsewhere."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final, Literal

from agent_tui.settings_about import ABOUT, price
from agent_tui.settings_about import DIVIDER as DIVIDER
from agent_tui.settings_about import OCCASIONS as OCCASIONS
from agent_tui.settings_about import STATUS as STATUS
from agent_tui.structures.frozen import frozen

MODES: Final = ("manual", "auto", "accept-edits", "accept-all", "plan")
"""Approval modes, as they are listed."""
Form = Literal["text", "choice", "number", "names", "secret"]
"""How a person sets it: `choice` and what else is typed; `secret` is never shown."""
Layer = Literal["default", "user", "project", "environment", "flag"]


@frozen
class Kind:
    """What a key may hold: in words, and as a function that gives the value to use or raises ValueError."""

    expected: str
    read: Callable[[Any], Any]
    form: Form = "text"
    choices: tuple[str, ...] = ()


@frozen
class Value:
    """The value of a setting and where it comes from; `name`: of the variable or flag that sets it."""

    value: Any
    layer: Layer = "default"
    name: str = ""

    @property
    def source(self) -> str:
        return f"{self.layer} {self.name}".rstrip()


@frozen
class Entry:
    """One setting. `live`: a change shows at once; else at the next start."""

    key: str
    kind: Kind
    default: Any
    about: str
    live: bool = False


def _model(value: Any) -> str:
    name = re.sub("[\u200c\u200d]", "", value) if isinstance(value, str) else ""  # letters and pictures may be joined
    if not re.fullmatch(r"(?!/)\S{1,300}(?<!/)", name) or not name.isprintable():
        raise ValueError
    return str(value)


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError
    return value


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError
    return value


def _address(value: Any) -> str:
    if not isinstance(value, str) or not re.fullmatch(r"https?://[^\s/]+\S*", value):
        raise ValueError
    return value.rstrip("/")


def _names(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) and item for item in value):
        raise ValueError
    return tuple(value)


def _variables(value: Any) -> tuple[str, ...]:
    names = _names(value)
    if not all(re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*\*?", name) for name in names):
        raise ValueError
    return names


def _one_of(*choices: str) -> Kind:
    def read(value: Any) -> str:
        if value not in choices:
            raise ValueError
        return str(value)

    return Kind(f"one of {', '.join(choices)}", read, "choice", choices)


def _whole(least: int, most: int) -> Kind:
    def read(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise ValueError
        return value

    return Kind(f"a whole number from {least:,} to {most:,}", read, "number")


def _seconds(least: float, most: float, note: str = "", what: str = "seconds") -> Kind:
    def read(value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
            raise ValueError
        return float(value)

    return Kind(f"{what}, from {least:g} to {most:,.0f}{note}", read, "number")


def _keys(value: Any) -> tuple[str, ...]:
    return _names([value] if isinstance(value, str) else value)


def _occasions(value: Any) -> tuple[str, ...]:
    names = _names(value)
    if not set(names) <= set(OCCASIONS):
        raise ValueError
    return names


_PARTS: Final = ("model", "mode", "context", "cost", "cwd", "branch", "todo", "queue", DIVIDER)


def _status(value: Any) -> tuple[str, ...]:
    names = _names(value)
    if not set(names) <= set(_PARTS) or len(set(names)) < len(names):
        raise ValueError
    return names


_SWITCH: Final = Kind("true or false", _flag, "choice", ("true", "false"))
_MODEL: Final = Kind('"<provider>/<model>", such as "ollama/qwen3:8b"', _model)
_WINDOW: Final = _whole(0, 100_000_000)
_IDLE: Final = _seconds(0, 604_800, " (0: no limit)")
KEYS: Final = Kind('a key, such as "ctrl+f", or a list of keys ([]: none)', _keys, "names")
_MODELS: Final = Kind("a list of models", lambda value: tuple(map(_model, _names(value))), "names")
EFFORTS: Final = ("low", "medium", "high", "xhigh", "max")
"""How hard a model may be asked to think."""
TOP: Final[Mapping[str, Kind]] = {
    "model": _MODEL, "mode": _one_of(*MODES), "fallback": _MODELS, "small_model": _MODEL, "favourites": _MODELS,
}  # fmt: skip
SECTIONS: Final[Mapping[str, Mapping[str, Kind]]] = {
    "agent": {
        "max_steps": _whole(1, 10_000), "timeout": _IDLE, "parallel_tools": _SWITCH, "continues": _whole(0, 100),
        "effort": _one_of("none", "minimal", *EFFORTS),
        "max_cost": _seconds(0, 1_000_000, " (0: no limit)", "dollars"), "max_tokens": _whole(0, 1_000_000_000_000),
    },
    "tools": {
        "enabled": Kind("a list of tool names", _names, "names"),
        "pass_env": Kind("a list of names of variables, such as NAME or NAME_*", _variables, "names"),
        "command_timeout": _seconds(1, 86_400),
        "max_output_chars": _whole(500, 1_000_000),
    },
    "display": {
        "theme": Kind("the name of a theme", _text),
        "theme_dark": Kind("the name of a theme", _text),
        "theme_light": Kind("the name of a theme", _text),
        "status": Kind(f"a list of {', '.join(_PARTS)}", _status, "names"),
        "diff": _one_of("auto", "unified", "split"),
        "thinking": _one_of("hidden", "folded", "live"),
        "timestamps": _SWITCH,
        "durations": _SWITCH,
        "animation": _SWITCH,
        "ascii": Kind(
            'true, false or "auto"', lambda value: value if value == "auto" else _flag(value), "choice",
            ("auto", "true", "false"),
        ),
    },
    "notify": {
        "on": Kind(f"a list of {', '.join(OCCASIONS)}", _occasions, "names"),
        "desktop": _one_of("auto", "off", "osc9", "osc99", "osc777"),
        "bell": _SWITCH,
        "title": _SWITCH,
        "after": _seconds(0, 86_400),
    },
    "sessions": {
        "record": _SWITCH,
        "record_mb": _whole(1, 100_000),
        "blobs_mb": _whole(0, 1_000_000),
        "blobs_days": _whole(0, 36_500),
        "keep_days": _whole(0, 36_500),
        "keep_mb": _whole(0, 10_000_000),
    },
    "prompt": {"vim": _SWITCH, "paste_lines": _whole(0, 100_000), "paste_chars": _whole(0, 10_000_000)},
    "telemetry": {"prometheus": _whole(0, 65_535), "content": _SWITCH},
    **{name: {} for name in ("providers", "keys", "aliases", "prices")},
}  # fmt: skip
_PRICE: Final = Kind("dollars for a million tokens, such as { input = 1.25, output = 10 }", price)
FREE: Final = {"keys": KEYS, "aliases": _MODEL, "prices": _PRICE}
"""Sections whose entries have names of the person's own."""
PROVIDER: Final[Mapping[str, Kind]] = {
    "base_url": Kind('an address, such as "http://127.0.0.1:11434"', _address),
    "api_key": Kind("a text", _text, "secret"),
    "num_ctx": _WINDOW,
}


def _effort(levels: tuple[str, ...], least: int) -> Kind:
    """Whether to think, how hard, or with how many tokens; what was typed for a number is one."""

    def read(value: Any) -> Any:
        if isinstance(value, str) and value.isdecimal():
            value = int(value)
        if value in levels or isinstance(value, bool) or (isinstance(value, int) and least <= value <= 1_000_000):
            return value
        raise ValueError

    return Kind(f"true, false, {', '.join(levels)}, or a number of tokens, {least:,} or more", read)


_MODEL_OF: Final = Kind("the name of a model", _text)
_BUNDLE: Final = Kind("a file, or a folder, of certificates", _text)
SERVED: Final[Mapping[str, Kind]] = {
    "model": _MODEL_OF, "window": _WINDOW, "max_tokens": _whole(0, 1_000_000), "stream": _SWITCH, "idle_timeout": _IDLE,
    "ca_bundle": _BUNDLE,  # all of these are for every provider with a server, but `model` for those of any
}  # fmt: skip
_ANY: Final = {key: kind for key, kind in SERVED.items() if key != "model"}
_API: Final = Kind('the version of an API, such as "v1beta"', _text)
_OPENAI: Final = {"api": _one_of("responses", "chat"), "think": _one_of("none", "minimal", *EFFORTS[:4])}
OPTIONS: Final[Mapping[str, Mapping[str, Kind]]] = {
    "ollama": {
        "think": Kind('true, false or a level, such as "low"', lambda v: v if isinstance(v, bool) else _text(v)),
        "idle_timeout": _IDLE, "stream": _SWITCH, "ca_bundle": _BUNDLE,
    },
    "openai": {**SERVED, **_OPENAI}, "azure": {**SERVED, **_OPENAI, "api_version": _API},
    "anthropic": {**SERVED, "think": _effort(EFFORTS, 1_024)},
    "gemini": {**SERVED, "think": _effort(("minimal", *EFFORTS[:4]), 0), "api_version": _API},
    "compatible": _ANY,
    "demo": {"pace": _seconds(0, 100, what="a factor")},
}  # fmt: skip
"""What only one provider understands."""

_LIVE: Final = (
    "display.theme", "display.theme_dark", "display.theme_light", "display.status", "display.diff", "display.thinking",
    "display.timestamps", "display.durations", "display.animation", "prompt.vim", "prompt.paste_lines",
    "prompt.paste_chars", "notify.on", "notify.desktop", "notify.bell", "notify.title", "notify.after", "favourites",
)  # fmt: skip


@cache
def entries() -> tuple[Entry, ...]:
    """All settings with fixed names, in the order in which they are listed. Those of `[keys]` are the screen's."""
    found = [(key, kind) for key, kind in TOP.items()]
    found += [(f"{name}.{key}", kind) for name, kinds in SECTIONS.items() for key, kind in kinds.items()]
    found += [(f"providers.{name}.{key}", kind) for name, own in OPTIONS.items() for key, kind in _of(name, own)]
    return tuple(Entry(key, kind, *_about(key), key in _LIVE) for key, kind in found)


def _of(name: str, own: Mapping[str, Kind]) -> tuple[tuple[str, Kind], ...]:
    common = {"demo": (), "ollama": tuple(PROVIDER)}.get(name, ("base_url", "api_key"))
    return (*((key, PROVIDER[key]) for key in common), *own.items())


def _about(key: str) -> tuple[Any, str]:
    leaf = key.rpartition(".")[2]
    return next(ABOUT[name] for name in (key, f"{key.partition('.')[0]}.{leaf}", leaf) if name in ABOUT)


def entry(key: str) -> Entry | None:
    """The setting `key`; also of a provider that is not listed, where the key is common to all."""
    listed = next((one for one in entries() if one.key == key), None)
    head, _, leaf = key.rpartition(".")
    if listed is None and head.startswith("providers.") and leaf in (common := {**PROVIDER, **SERVED}):
        return Entry(key, common[leaf], *_about(f"providers.{leaf}"))
    if head == "aliases":
        return Entry(key, _MODEL, "", "The model that this name means.")
    return listed


def typed(kind: Kind, text: str) -> Any:
    """What `text` stands for, as a file would hold it. Raises ValueError where `kind` may not hold it."""
    text = text.strip()
    raw: Any = {"true": True, "false": False}.get(text, text) if kind.expected.startswith("true") else text
    if kind.form == "names":
        raw = [part.strip(" \"'") for part in text.strip("[]").split(",") if part.strip(" \"'")]
    elif kind.form == "number":
        plain = text.replace(",", "").replace("_", "")
        raw = int(plain) if re.fullmatch(r"-?\d{1,15}", plain) else float(plain)
    kind.read(raw)
    return raw


def words(value: Any) -> str:
    """A value as it is typed: no quotes around a text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else repr(value)
    return ", ".join(map(str, value)) if isinstance(value, tuple | list) else str(value)


def parts(key: str) -> tuple[str, ...]:
    """`providers.<name>.<setting>` and `<section>.<setting>` in parts; a provider's name may hold dots."""
    head, _, rest = key.partition(".")
    name, _, leaf = rest.rpartition(".")
    return tuple(part for part in ((head, name, leaf) if head == "providers" else (head, rest)) if part)
