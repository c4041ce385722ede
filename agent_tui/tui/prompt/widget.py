"""The prompt: an editor that owns its text and caret, tells of every change, and handles all keys
in order.

Every key is handled here, in the order it came: Textual's own bindings bubble up and would change
places with letters typed in the same burst.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final, Protocol, cast

from rich.text import Text
from textual import events
from textual.actions import SkipAction
from textual.content import Content
from textual.document._document import EditResult, Location, Selection
from textual.document._edit import Edit
from textual.widgets import TextArea

from agent_tui.structures import chips
from agent_tui.tui.core.model import VimMode
from agent_tui.tui.core.regions import HIDDEN, PromptView
from agent_tui.tui.prompt.editor import Vimmed
from agent_tui.tui.prompt.keys import CUTS, EDITING, NEWLINE, SELECTING, SUBMIT
from agent_tui.tui.textual_port.key_parser import Unmarked, text_of
from agent_tui.tui.textual_port.terminal import Typed
from agent_tui.tui.widgets.paint import flatten


class Chipped(TextArea, inherit_bindings=False, inherit_css=False):
    """The caret is never inside a label; what takes a part of one away takes all of it."""

    COMPONENT_CLASSES: ClassVar = {*TextArea.COMPONENT_CLASSES, "prompt--chip"}

    def chip_hit(self, label: str) -> None:
        """The mouse clicked on `label`."""

    def edit(self, edit: Edit) -> EditResult:
        first, last = sorted((edit.from_location, edit.to_location))
        given = first, last
        if given[0] == given[1]:  # nothing goes: what is put inside a label stands behind it
            wider = (self._outside(given[0], True),) * 2
        else:
            wider = self._outside(given[0], False), self._outside(given[1], True)
            if edit.text and wider != given:  # other letters for a part of a label: it has none
                return EditResult(self.cursor_location, "")
        if wider == given:
            return super().edit(edit)
        return super().edit(Edit(edit.text, wider[0], wider[1], edit.maintain_selection_offset))

    def _validate_selection(self, selection: Selection) -> Selection:
        start, end = super()._validate_selection(selection)
        forward = end >= self.selection.end
        return Selection(self._outside(start, forward), self._outside(end, forward))

    def _outside(self, location: Location, forward: bool) -> Location:
        row, column = location
        return row, chips.snap_outside(self.document[row], column, forward)

    def mark_labels(self, drawn: Text, line: str) -> Text:
        """`line` as it is drawn, with its labels in their colour."""
        for begin, end in chips.spans(line):
            drawn.stylize(self.get_component_rich_style("prompt--chip"), begin, end)
        return drawn

    async def _on_mouse_down(self, event: events.MouseDown) -> None:
        row, column = self.get_target_document_location(event)
        line = self.document[row]
        await super()._on_mouse_down(event)
        for begin, end in chips.spans(line):
            if begin <= column < end:
                self.chip_hit(line[begin:end])


_SHOWN: Final = (
    {code: 0x2400 + code for code in range(0x20) if code != 9}
    | dict.fromkeys(
        (0x7F, *range(0x80, 0xA0), 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A)),
        0xFFFD,
    )
    | {0x200D: 0x200C, 0xA0: 0x20}
)
"""Each character that could move the cursor or reorder the line, and the one drawn in its place.
What a joiner joins is measured as nothing, letters too: drawn, the parts stand side by side."""


class Keyboard(Protocol):
    """What the prompt needs of the app: where things go that are not editing."""

    def key_came(self) -> None: ...
    def draft_changed(self, text: str, caret: int) -> None: ...
    def on_submit(self, text: str) -> None: ...
    def on_paste_text(self, text: str, unmarked: bool) -> None: ...
    def chip_clicked(self, label: str) -> None: ...
    def history_asked(self, step: int, draft: str) -> None: ...
    def vim_moved(self, mode: VimMode, missed: str = "") -> None: ...
    def key_aside(self, key: str) -> bool:
        """Whether something else than the prompt is open that wants `key`."""
        ...

    def only_text(self, keys: Sequence[events.Key], first: int, free: bool) -> int:
        """How many of `keys` from `first` on are nothing but text, here or elsewhere; `free`: it
        would go in here."""
        ...

    def key_taken(self, key: str, character: str, draft: str) -> bool:
        """Whether the key went to the core: a command key, or any key while a dialog or overlay is
        open."""
        ...


class Prompt(Chipped, Vimmed, inherit_bindings=False):
    def __init__(self) -> None:
        super().__init__(
            id="prompt",
            soft_wrap=True,
            tab_behavior="focus",
            show_line_numbers=False,
            highlight_cursor_line=False,
        )
        self.cursor_blink = False
        self.match_cursor_bracket = False
        self.pressed_at = 0.0
        """When the newest key came from the terminal; it may be handled later."""
        self._rev = 0
        self._hint = ""
        self._told: tuple[str, int] = ("", 0)
        self._offered: Selection | None = None
        """A text that was given back, selected as a whole."""
        self.no_pastes = self.secret = False
        """What is typed is drawn as dots, and nothing but its being there is told to anyone."""

    def show(self, value: PromptView) -> None:
        """Take the model's text if it has a new one; else only what stands around it."""
        self.no_pastes = value.no_pastes
        if value.secret != self.secret:
            self._keep_secret(value.secret)
        if value.placeholder != self._hint:
            self._hint = value.placeholder
            self.placeholder = Content(
                flatten(value.placeholder)
            )  # a plain text would be read as markup
        if value.rev != self._rev:
            self._rev = value.rev
            if value.text != self.text:
                self.load_text(value.text)  # forgets what could be undone
            self.move_cursor(
                self.document.end if value.place < 0 else _location(value.text, value.place)
            )
            if value.selected:
                self.select_all()
            self._offered = self.selection if value.selected else None
            self._told = self.reported_text()
            self.vim_settled()
        self.use_vim(value.vim)

    def _keep_secret(self, secret: bool) -> None:
        """Begin or end; afterwards neither undo nor what was cut brings anything of it back."""
        self.secret = secret
        if secret:
            self._outside_ring = self.ring
        else:
            self.ring = self._outside_ring
        self.load_text("")

    def reported_text(self) -> tuple[str, int]:
        """What others may know of the text and the caret."""
        return self.current_text() if not self.secret else (HIDDEN, 1) if self.text else ("", 0)

    @property
    def selects(self) -> bool:
        """Whether the person selected something; that is not what was given back."""
        return not self.secret and not (self.selection.is_empty or self.selection == self._offered)

    def vim_moved(self, mode: VimMode) -> None:
        self._keyboard.vim_moved(mode)

    def tell(self) -> None:
        """Report the text and the caret, if they changed since the last time."""
        now = self.reported_text()
        if now != self._told:
            self._told = now
            self._keyboard.draft_changed(*now)

    def get_line(self, line_index: int) -> Text:
        """The line as it is drawn: a control character of pasted text must not reach the
        terminal."""
        line = self.document.get_line(line_index)
        if self.secret:
            return Text(HIDDEN * len(line), end="", no_wrap=True)
        return self.mark_labels(Text(line.translate(_SHOWN), end="", no_wrap=True), line)

    @property
    def _keyboard(self) -> Keyboard:
        return cast(Keyboard, self.app)

    async def _on_key(self, event: events.Key) -> None:
        event.stop()
        event.prevent_default()
        self._keyboard.key_came()
        self._press([event], 0)

    async def _on_typed(self, event: Typed) -> None:
        """What waited together is done together, as far as one after the other would come to the
        same."""
        event.stop()
        self._keyboard.key_came()
        keys, done = event.take(), 0
        while done < len(keys):
            done += self._press(keys, done)

    def _press(self, keys: Sequence[events.Key], first: int) -> int:
        """Do what the key number `first` means, and those after it that are text like it; how many
        it were."""
        key = keys[first]
        self.pressed_at = key.time
        free = self.selection.is_empty and (not self.vim_on or self._vim.mode == "insert")
        size = self._keyboard.only_text(keys, first, free) if first + 1 < len(keys) else 1
        if size > 1:
            self._type("".join(one.character or "" for one in keys[first : first + size]))
        else:
            self.press(key.key, text_of(key) or None)
        if self.selection.is_empty:
            self._offered = None
        self.vim_settled()
        self.tell()
        return max(1, size)

    def _type(self, text: str) -> None:
        if self._keyboard.key_aside(""):
            self._keyboard.key_taken("", text, self.reported_text()[0])
        else:
            self.cut_ended()
            self.put_typed(text)

    async def _on_paste(self, event: events.Paste) -> None:
        """Pasted text is text: its line ends never submit."""
        event.stop()
        event.prevent_default()
        self._keyboard.key_came()
        if self.secret:
            self._insert("".join(event.text.split()))
            return
        self.tell()
        text = event.text.replace("\r\n", "\n").replace("\r", "\n") if not self.no_pastes else ""
        if (
            text
            and isinstance(event, Unmarked)
            and "\n" not in text
            and self._keyboard.key_aside("")
        ):
            self._type(text)  # a list has the keys, and to it they were typed
            self.tell()
            return
        self._keyboard.on_paste_text(text, isinstance(event, Unmarked))

    def chip_hit(self, label: str) -> None:
        self.tell()
        self._keyboard.chip_clicked(label)

    def on_text_area_changed(self) -> None:
        self.tell()

    def press(self, key: str, character: str | None) -> None:
        """Do what `key` means here and now; `character` is what it types, if anything."""
        draft = self.reported_text()[0] if self.secret else self.text
        if self.secret and (character or key in NEWLINE or EDITING.get(key) == "copy"):
            self._insert(character or self.selected_text)  # what was selected stays
            return
        if (
            self.vim_on
            and not (key == "question_mark" and not draft)
            and not self._keyboard.key_aside(key)
        ):
            way = self.vim_pressed(key, character)
            if way in ("up", "down"):
                self._vertical(-1 if way == "up" else 1, draft)
            elif way == "elsewhere":
                self._keyboard.vim_moved("normal", character or "")
            if way != "pass":
                return
        if self._keyboard.key_taken(key, character or "", draft):
            return
        if key in SUBMIT:
            self._submit(draft)
        elif key in ("up", "down"):
            self._vertical(-1 if key == "up" else 1, draft)
        else:
            self.edit_by_key(key, character)

    def take_key(self, key: str, character: str) -> None:
        """Do with `key` what it does here, where something else had it first."""
        for_vim = self.vim_on and bool(key) and (self._vim.mode != "insert" or key == "escape")
        if for_vim and self.vim_pressed(key, character) != "pass":
            return
        self.edit_by_key(key, character)

    def edit_by_key(self, key: str, character: str | None) -> None:
        """Let `key` edit the text or move the caret; nothing else can come of it."""
        if EDITING.get(key) not in CUTS:
            self.cut_ended()
        if key in NEWLINE:
            self._insert("\n")
        elif key in EDITING:
            try:
                getattr(self, f"action_{EDITING[key]}")()
            except SkipAction:  # nothing is selected: there is nothing to copy
                return
        elif key in SELECTING:
            getattr(self, f"action_{SELECTING[key]}")(True)
        elif character:
            self._insert(character)

    def _insert(self, text: str) -> None:
        result = self._replace_via_keyboard(text, *self.selection)
        if result is not None and len(text) > 1:
            self.move_cursor(result.end_location)

    def _submit(self, draft: str) -> None:
        """Send; but a backslash before the caret makes Enter a line break."""
        row, column = self.cursor_location
        if (
            self.selection.is_empty
            and not self.secret
            and column
            and self.document[row][column - 1] == "\\"
        ):
            self._replace_via_keyboard("\n", (row, column - 1), (row, column))
            return
        self.tell()
        self._keyboard.on_submit(draft)

    def _vertical(self, step: int, draft: str) -> None:
        """The caret moves first; at the first or last line (as wrapped) it is history's turn."""
        location = self.cursor_location
        move = self.navigator.get_location_above if step < 0 else self.navigator.get_location_below
        at_edge = (
            self.navigator.is_first_wrapped_line(location)
            if step < 0
            else self.navigator.is_last_wrapped_line(location)
        )
        if at_edge or move(location) == location:
            self.tell()
            self._keyboard.history_asked(step, draft)
        elif step < 0:
            self.action_cursor_up()
        else:
            self.action_cursor_down()


def _location(text: str, place: int) -> tuple[int, int]:
    """The row and the column of the character at `place`."""
    return text.count("\n", 0, place), place - text.rfind("\n", 0, place) - 1
