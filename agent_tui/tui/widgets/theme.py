"""Themes: one TOML file each, found by name: how every name in `STYLES` looks, and the colours of
the screen.

What a file leaves out is as in the theme that it extends (`dark`, or `light` where it is one, if it
names none); what it gets wrong is as there too, and a line in `problems`, never an error.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from rich.style import Style
from textual.theme import Theme as TextualTheme

from agent_tui.paths import stems
from agent_tui.structures import late
from agent_tui.structures.frozen import frozen
from agent_tui.tui.markdown.lines import STYLES
from agent_tui.tui.widgets.theme_depth import fewer

if TYPE_CHECKING:
    from agent_tui.structures.terminal_facts import Depth

DEFAULT: Final = "dark"
_NAMED: Final = 6
"""So many missing colours are named; more are counted."""
COLOURS: Final = (
    "background",
    "surface",
    "panel",
    "text",
    "muted",
    "faint",
    "border",
    "accent",
    "good",
    "warning",
    "bad",
    "selection",
    "prompt",
    "code",
    "added",
    "added-word",
    "removed",
    "removed-word",
    "keyword",
    "string",
    "number",
    "name",
    "type",
    "comment",
)
_ATTRIBUTES: Final = {"bold", "dim", "italic", "underline", "strike", "reverse"}
_ANSI_NAMES: Final = frozenset(
    f"{bright}{name}"
    for bright in ("", "bright_")
    for name in ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")
) | {"default"}
_HEX: Final = late.pattern(r"#[0-9a-fA-F]{6}")


@frozen
class Theme:
    """`colours`: every name of `COLOURS`, as `#rrggbb` or `ansi_…`. `specs`: every name of `STYLES`,
    in words."""

    name: str
    dark: bool
    ansi: bool
    colours: Mapping[str, str]
    specs: Mapping[str, str]
    problems: tuple[str, ...] = ()
    _styles: dict[str, Style] = field(default_factory=dict, repr=False, compare=False)

    def style(self, names: str) -> Style:
        """The look of one style name, or of several by spaces, the later over the earlier."""
        known = self._styles.get(names)
        if known is None:
            known = Style()
            for name in names.split():
                known += self._parsed(self.specs.get(name, ""))
            self._styles[names] = known
        return known

    def textual(self) -> TextualTheme:
        """The same theme for Textual's own widgets. Every colour is also a variable: `$tui-muted`."""
        colours = self.colours
        variables = {f"tui-{name}": value for name, value in colours.items()}
        variables["tui-placeholder-style"] = (
            "dim" if self.ansi else "none"
        )  # there, no colour sets it apart
        variables |= {
            "scrollbar": colours["border"],
            "scrollbar-hover": colours["faint"],
            "scrollbar-active": colours["accent"],
            "scrollbar-background": colours["background"],
            "scrollbar-background-hover": colours["background"],
            "scrollbar-background-active": colours["background"],
            "scrollbar-corner-color": colours["background"],
            "border": colours["border"],
            "border-blurred": colours["border"],
            "screen-selection-background": colours["selection"],
            "input-selection-background": colours["selection"],
        }
        if (
            self.ansi
        ):  # Textual's own style sheets want these of such a theme; reverse shows on any background
            variables |= {
                "ansi-background": "ansi_default",
                "ansi-foreground": "ansi_default",
                "input-cursor-background": "ansi_default",
                "input-cursor-foreground": "ansi_default",
                "input-cursor-text-style": "reverse",
                "input-selection-foreground": "ansi_default",
                "screen-selection-foreground": "ansi_default",
            }
        return TextualTheme(
            name=f"agent-tui-{self.name}",
            dark=self.dark,
            ansi=self.ansi,
            primary=colours["accent"],
            secondary=colours["muted"],
            accent=colours["accent"],
            foreground=colours["text"],
            background=colours["background"],
            surface=colours["surface"],
            panel=colours["panel"],
            boost=colours["panel"],
            success=colours["good"],
            warning=colours["warning"],
            error=colours["bad"],
            variables=variables,
        )

    @property
    def problem(self) -> str:
        """What is wrong with it, on one line; empty if nothing is."""
        more = len(self.problems) - 1
        return f"{self.problems[0]}{f' (and {more} more)' if more else ''}" if self.problems else ""

    @property
    def base(self) -> Style:
        """Body text on the screen's background."""
        return Style(color=_rich(self.colours["text"]), bgcolor=_rich(self.colours["background"]))

    def _parsed(self, spec: str) -> Style:
        words = spec.split()
        attributes = {word: True for word in words if word in _ATTRIBUTES}
        colour = background = None
        for index, word in enumerate(words):
            if word in _ATTRIBUTES or word == "on":
                continue
            value = _rich(self.colours.get(word, word))
            if index and words[index - 1] == "on":
                background = value
            else:
                colour = value
        return Style(color=colour, bgcolor=background, **attributes)  # type: ignore[arg-type]


def load_theme(name: str, folders: Sequence[Path], depth: Depth = "truecolour") -> Theme:
    """The theme `name` from the first of `folders` that holds `<name>.toml`; the default where none
    does. `depth`: the colours that the terminal has. With sixteen, the themes for that are better
    than any that is brought down to it."""
    if depth in ("16", "none"):
        own = _chain(name, folders, [])[-1][1] if _find(name, folders) else {}
        plain = name == "no-colour" or depth == "none"
        name = "no-colour" if plain else name if own.get("ansi") is True else "ansi"
    problems: list[str] = []
    chain = _chain(name, folders, problems)
    colours, specs = dict.fromkeys(COLOURS, "ansi_default"), dict.fromkeys(STYLES, "")
    dark, ansi = True, False
    for at, (one, own) in enumerate(chain):
        wrong = problems if at == len(chain) - 1 else []
        given = _colours(own, one, wrong)
        colours |= given
        specs |= _specs(own, one, colours, wrong)
        dark, ansi = own.get("dark", dark) is not False, own.get("ansi", ansi) is True
        missing = [c for c in COLOURS if c not in _table(own, "colours")]
        if wrong is problems and at and missing and "extends" not in own:
            named = (
                ", ".join(missing)
                if len(missing) <= _NAMED
                else f"{len(missing)} of {len(COLOURS)}"
            )
            problems.append(
                f"theme {one}: colours not given, taken from {chain[at - 1][0]}: {named}"
            )
    if depth == "256" and not ansi:
        colours = fewer(colours, dark)
        for word in (
            "diff.added.word",
            "diff.removed.word",
        ):  # their grounds are too strong for the colours of code
            specs[word] += " text"
    return Theme(chain[-1][0], dark, ansi, colours, specs, tuple(problems))


def _chain(
    name: str, folders: Sequence[Path], problems: list[str]
) -> list[tuple[str, dict[str, Any]]]:
    """The theme and what it stands on, the lowest first."""
    if name != DEFAULT and _find(name, folders) is None:
        problems.append(f"theme {name}: there is no such theme; using {DEFAULT}")
        name = DEFAULT
    chain: list[tuple[str, dict[str, Any]]] = []
    while name:
        path = _find(name, folders)
        if path is None:
            problems.append(f"theme {name}: no {name}.toml in {', '.join(map(str, folders))}")
        own = _read(path, problems) if path else {}
        chain.insert(0, (name, own))
        if name == DEFAULT:
            break
        below = own.get(
            "extends", "light" if own.get("dark") is False and name != "light" else DEFAULT
        )
        known = {one for one, _ in chain}
        if not isinstance(below, str) or below in known or _find(below, folders) is None:
            if below != DEFAULT:
                problems.append(f"theme {name}: it cannot extend {below!r}; using {DEFAULT}")
            below = DEFAULT
        name = below
    return chain


def names(folders: Sequence[Path]) -> tuple[str, ...]:
    """All themes there are, by name."""
    return stems(folders, ".toml")


def _find(name: str, folders: Sequence[Path]) -> Path | None:
    if not re.fullmatch(r"[\w-]+", name):
        return None
    return next((path for folder in folders if (path := folder / f"{name}.toml").is_file()), None)


def _read(path: Path, problems: list[str]) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        problems.append(f"{path}: {error}")
        return {}


def _table(data: Mapping[str, Any], key: str) -> dict[str, Any]:
    table = data.get(key)
    return table if isinstance(table, dict) else {}


def _colours(data: Mapping[str, Any], name: str, problems: list[str]) -> dict[str, str]:
    good: dict[str, str] = {}
    for key, value in _table(data, "colours").items():
        if key not in COLOURS:
            problems.append(f"theme {name}: colours.{key}: there is no such colour")
        elif not isinstance(value, str) or not (
            _HEX.fullmatch(value) or value.removeprefix("ansi_") in _ANSI_NAMES
        ):
            problems.append(
                f"theme {name}: colours.{key}: not a colour (#rrggbb or ansi_red): {value!r}"
            )
        else:
            good[key] = value if value.startswith(("#", "ansi_")) else f"ansi_{value}"
    return good


def _specs(
    data: Mapping[str, Any], name: str, colours: Mapping[str, str], problems: list[str]
) -> dict[str, str]:
    good: dict[str, str] = {}
    for key, value in _table(data, "styles").items():
        if key not in STYLES:
            problems.append(f"theme {name}: styles.{key}: there is no such style")
        elif bad := _bad_word(value, colours):
            problems.append(f"theme {name}: styles.{key}: {bad}")
        else:
            good[key] = value
    return good


def _bad_word(spec: Any, colours: Mapping[str, str]) -> str:
    if not isinstance(spec, str):
        return "not a text"
    for word in spec.split():
        known = (
            word in _ATTRIBUTES
            or word == "on"
            or word in colours
            or word.removeprefix("ansi_") in _ANSI_NAMES
        )
        if not known and not _HEX.fullmatch(word):
            return f"neither a colour nor an attribute: {word}"
    return ""


def _rich(colour: str) -> str:
    return colour.removeprefix("ansi_")
