"""What keys type and do inside the prompt: nothing here knows a widget or a command."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from textual import events
from textual.message import Message

from agent_tui.structures.visible import is_text

NEWLINE: Final = frozenset({"ctrl+j", "shift+enter", "alt+enter", "ctrl+enter", "ctrl+shift+enter", "alt+shift+enter"})
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

CUTS: Final = frozenset((
    "delete_word_left", "delete_word_right", "delete_to_space", "delete_to_start_of_line", "delete_to_end_of_line",
))  # fmt: skip
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

HELD: Final = ("alt+", "ctrl+", "super+", "hyper+", "meta+")


class Typed(events.InputEvent, bubble=False):
    """Keys in a row that type something. Others are added as long as nobody took them: what waits is one step."""

    def __init__(self, keys: Sequence[events.Key]) -> None:
        super().__init__()
        self._keys = [*keys]
        self._later: deque[Typed] = deque()
        self._taken = False

    def add(self, later: Typed) -> bool:
        """Whether there was still time to add what came later. Called by the thread that reads, beside `take`: what
        was put in before that looked is gone when it is to be taken out again."""
        self._later.append(later)
        if not self._taken:
            return True
        try:
            self._later.remove(later)
        except ValueError:
            return True
        return False

    def take(self) -> list[events.Key]:
        """The keys, once."""
        self._taken = True
        keys, self._keys = self._keys, []
        while self._later:
            try:
                keys += self._later.popleft().take()
            except IndexError:  # it was taken out again
                break
        return keys


def joined(messages: Iterable[Message]) -> Iterator[Message]:
    """Runs of keys that type, each as one; the order stays."""
    run: list[events.Key] = []
    for message in messages:
        if isinstance(message, events.Key) and types(message):
            run.append(message)
            continue
        if run:
            yield Typed(run)
            run = []
        yield message
    if run:
        yield Typed(run)


def types(key: events.Key) -> bool:
    """Whether all that the terminal says of it is what it types."""
    return is_text(key.character or "") and "+" not in key.key


def text_of(key: events.Key) -> str:
    """What `key` types: nothing, where Alt or Ctrl is held down and the terminal says no text of its own."""
    return key.character if key.character and is_text(key.character) and not key.key.startswith(HELD) else ""
