"""How things are drawn: what a text is, and where a person may choose. Set by `[display]`, changed
by commands while it runs."""

from __future__ import annotations

from typing import Final, Literal

from agent_tui.settings.table import DisplaySettings, PromptSettings, Settings
from agent_tui.structures.frozen import declared_fields, frozen, replace_fields

DiffForm = Literal["auto", "unified", "split"]
"""`split`: old and new side by side; `auto`: so where there is room and something to compare."""
Thinking = Literal["hidden", "folded", "live"]
"""`folded`: one line; `live`: its end is shown while it runs, one line after."""
THINKING: Final[tuple[Thinking, ...]] = ("live", "folded", "hidden")
"""In the order in which `/thinking` goes through them."""
PASTE: Final = PromptSettings()


@frozen
class Look(DisplaySettings):
    """What the settings say of it (`[display]`), and what the terminal and the place do."""

    ascii: bool = False
    """Every glyph of the screen is drawn as its ASCII twin."""
    zone: int = 0
    """Local time, in seconds east of Greenwich."""
    paste_lines: int = PASTE.paste_lines
    paste_chars: int = PASTE.paste_chars


DEFAULT: Final = Look()
FIELDS: Final = frozenset(own.name for own in declared_fields(Look))


def look_of(settings: Settings, ascii: bool, zone: int) -> Look:
    """How things look at the start: all of `[display]`, and what of `[prompt]` has a field of the
    same name."""
    own = {**_values(settings.prompt), **_values(settings.display), "ascii": ascii, "zone": zone}
    return replace_fields(DEFAULT, own)


def _values(section: object) -> dict[str, object]:
    return {
        name: getattr(section, name)
        for name in (own.name for own in declared_fields(type(section)))
        if name in FIELDS
    }
