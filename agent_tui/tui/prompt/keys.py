"""What keys do inside the prompt, as tables: nothing here knows a widget or a command."""

from __future__ import annotations

from typing import Final

NEWLINE: Final = frozenset(
    {"ctrl+j", "shift+enter", "alt+enter", "ctrl+enter", "ctrl+shift+enter", "alt+shift+enter"}
)
"""Keys that break the line. `ctrl+j` is the one that every terminal can send."""

SUBMIT: Final = frozenset({"enter", "ctrl+s"})

EDITING: Final[dict[str, str]] = {
    "left": "cursor_left",
    "right": "cursor_right",
    "ctrl+b": "cursor_left",
    "ctrl+left": "cursor_word_left",
    "ctrl+right": "cursor_word_right",
    "alt+left": "cursor_word_left",
    "alt+right": "cursor_word_right",
    "alt+b": "cursor_word_left",
    "alt+f": "cursor_word_right",
    "up": "cursor_up",
    "down": "cursor_down",
    "home": "cursor_line_start",
    "ctrl+a": "cursor_line_start",
    "end": "cursor_line_end",
    "ctrl+e": "cursor_line_end",
    "backspace": "delete_left",
    "ctrl+h": "delete_left",
    "shift+backspace": "delete_left",
    "delete": "delete_right",
    "ctrl+d": "delete_right",
    "ctrl+w": "delete_to_space",
    "ctrl+backspace": "delete_word_left",
    "alt+backspace": "delete_word_left",
    "alt+d": "delete_word_right",
    "alt+delete": "delete_word_right",
    "ctrl+delete": "delete_word_right",
    "ctrl+u": "delete_to_start_of_line",
    "super+backspace": "delete_to_start_of_line",
    "ctrl+k": "delete_to_end_of_line",
    "ctrl+y": "yank",
    "alt+y": "yank_pop",
    "alt+u": "uppercase_word",
    "alt+l": "lowercase_word",
    "alt+c": "capitalise_word",
    "alt+less_than_sign": "text_start",
    "alt+shift+comma": "text_start",
    "alt+greater_than_sign": "text_end",
    "alt+shift+full_stop": "text_end",
    "ctrl+underscore": "undo",
    "ctrl+minus": "undo",
    "super+z": "undo",
    "alt+z": "redo",
    "alt+underscore": "redo",
    "alt+shift+minus": "redo",
    "ctrl+shift+z": "redo",
    "super+shift+z": "redo",
    "ctrl+v": "paste",
    "super+c": "copy",
    "f7": "select_all",
}
"""Keys that edit the text, each with the editor action it stands for."""

CUTS: Final = frozenset(
    (
        "delete_word_left",
        "delete_word_right",
        "delete_to_space",
        "delete_to_start_of_line",
        "delete_to_end_of_line",
    )
)
"""Actions whose cuts, one after the other, count as one."""

SELECTING: Final[dict[str, str]] = {
    "shift+left": "cursor_left",
    "shift+right": "cursor_right",
    "shift+up": "cursor_up",
    "shift+down": "cursor_down",
    "shift+home": "cursor_line_start",
    "shift+end": "cursor_line_end",
    "ctrl+shift+left": "cursor_word_left",
    "ctrl+shift+right": "cursor_word_right",
}
"""Keys that move the caret and select on the way."""
