"""The editor inside the prompt: Readline's keys on Textual's text area, with a kill ring and an
undo that holds."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual.document._document import Location, Selection
from textual.document._edit import Edit as Edited
from textual.document._edit import Edit as TextualEdit
from textual.widgets import TextArea

from agent_tui.registry import late
from agent_tui.structures import chips
from agent_tui.tui.core.model import VimMode
from agent_tui.tui.prompt import readline
from agent_tui.tui.prompt.readline import Edit, KillRing
from agent_tui.tui.prompt.vim_text import Vim, Way


class Editor(TextArea, inherit_bindings=False):
    """Each action is named in `keys.EDITING`. Places in the text are counted in characters from its
    beginning."""

    ring = KillRing()
    _killed: tuple[str, int] | None = None
    """The text and the caret that the last kill left: another kill right there joins it."""
    _yanked: tuple[str, int, int] | None = None
    """The text that the last yank left, and where in it what was yanked stands."""

    # -- places

    def current_text(self) -> tuple[str, int]:
        """The text, and the characters before the caret."""
        return self.text, self.place(self.cursor_location)

    def place(self, location: Location) -> int:
        row, column = location
        return sum(len(self.document[n]) + 1 for n in range(row)) + column

    def location(self, offset: int) -> Location:
        for row in range(self.document.line_count):
            length = len(self.document[row])
            if offset <= length:
                return row, max(0, offset)
            offset -= length + 1
        return self.document.end

    def go(self, offset: int, select: bool = False) -> None:
        self.move_cursor(self.location(offset), select=select)

    def change(self, edit: Edit) -> None:
        """Do `edit`, as a step of its own for undo."""
        if edit.start != edit.end or edit.text:
            self.history.checkpoint()
            self._replace_via_keyboard(
                edit.text, self.location(edit.start), self.location(edit.end)
            )
            self.history.checkpoint()
        self.go(edit.caret)

    # -- moving

    def action_cursor_word_left(self, select: bool = False) -> None:
        self.go(readline.word_left(*self.current_text()), select)

    def action_cursor_word_right(self, select: bool = False) -> None:
        self.go(readline.word_right(*self.current_text()), select)

    def action_text_start(self) -> None:
        self.go(0)

    def action_text_end(self) -> None:
        self.move_cursor(self.document.end)

    # -- killing and yanking

    def action_delete_word_left(self) -> None:
        self._kill(readline.word_left)

    def action_delete_word_right(self) -> None:
        self._kill(readline.word_right)

    def action_delete_to_space(self) -> None:
        self._kill(readline.space_left)

    def action_delete_to_start_of_line(self) -> None:
        self._kill(readline.kill_back)

    def action_delete_to_end_of_line(self) -> None:
        self._kill(readline.kill_line)

    def _kill(self, until: Callable[[str, int], int]) -> None:
        """Cut what stands between the caret and where `until` says; what is selected, if something
        is."""
        text, at = self.current_text()
        other = until(text, at) if self.selection.is_empty else self.place(self.selection.start)
        first, last = chips.widen_range(text, *sorted((at, other)))
        joins = self._killed == (text, at) and self.selection.is_empty
        self.ring = self.ring.with_kill(text[first:last], joins=joins, before=other < at)
        self.change(Edit(first, last, "", first))
        self._killed = self.current_text()

    def cut_ended(self) -> None:
        """What is cut next is cut by itself."""
        self._killed = None

    def action_yank(self) -> None:
        self.ring = self.ring.without_run()
        first, last = sorted(map(self.place, self.selection))
        self._put(first, last)

    def action_yank_pop(self) -> None:
        """Another text of the ring in the place of the one just yanked."""
        if self._yanked is None or self._yanked[0] != self.text:
            return
        self.ring = self.ring.rotate()
        self._put(*self._yanked[1:])

    def _put(self, first: int, last: int) -> None:
        if text := self.ring.text:
            self.change(Edit(first, last, text, first + len(text)))
            self._yanked = (self.text, first, first + len(text))

    # -- letters

    def action_uppercase_word(self) -> None:
        self.change(readline.changed_word(*self.current_text(), str.upper))

    def action_lowercase_word(self) -> None:
        self.change(readline.changed_word(*self.current_text(), str.lower))

    def action_capitalise_word(self) -> None:
        self.change(readline.changed_word(*self.current_text(), readline.capitalise))

    # -- undo

    def put_typed(self, text: str) -> None:
        """Put in what was typed in one go; undo takes back as much as if each letter had come by
        itself."""
        history = self.history
        steps, count = history._undo_stack, history._character_count
        before = steps[-1] if steps else None
        goes_on = (
            before is not None
            and not (history._force_end_batch or history._previously_replaced)
            and history._get_time() - history._last_edit_time <= history.checkpoint_timer
            and count + len(text) <= history.checkpoint_max_characters
        )
        result = self._replace_via_keyboard(text, *self.selection)
        if result is not None:
            self.move_cursor(result.end_location)
        if goes_on and before is not None and steps[-1] is not before:
            before.extend(steps.pop())
            history._character_count = count + len(text)
        history._force_end_batch = False

    def undo_mark(self) -> list[TextualEdit] | None:
        """Where `one_step` is to begin: from here on edits are steps of their own."""
        self.history.checkpoint()
        steps = self.history._undo_stack
        return steps[-1] if steps else None

    def one_step(self, mark: list[TextualEdit] | None) -> None:
        """What was done since `mark` is undone in one go, unless that is so long ago that it is no
        longer known."""
        steps, since = self.history._undo_stack, list[list[TextualEdit]]()
        if mark is not None and all(step is not mark for step in steps):
            return
        while steps and steps[-1] is not mark:
            since.append(steps.pop())
        if since:
            steps.append([edit for step in reversed(since) for edit in step])
        self.history.checkpoint()

    def _undo_batch(self, edits: Sequence[TextualEdit]) -> None:
        """Textual wraps only the lines that it believes were changed; after some pastes it is
        wrong, and fails."""
        for edit in reversed(edits):
            edit.undo(self)
        self._travelled(edits[0]._updated_selection if edits else None)

    def _redo_batch(self, edits: Sequence[TextualEdit]) -> None:
        for edit in edits:
            edit.do(self, record_selection=False)
        self._travelled(edits[-1]._updated_selection if edits else None)

    def _travelled(self, selection: Selection | None) -> None:
        """The text is that of another time: lay it out anew, with the caret where it was then, and
        draw it anew: lines are remembered as drawn for a caret, and with the caret there another
        text may have stood."""
        self.wrapped_document.wrap(self.wrap_width, self.indent_width)
        self._build_highlight_map()
        if selection is not None:
            self.selection = selection
        self._refresh_size()
        self.record_cursor_width()
        self.post_message(self.Changed(self))


with late():
    from agent_tui.tui.prompt import vim


class Vimmed(Editor, inherit_bindings=False):
    """`vim_on`: not while the prompt edits as a shell does, or is used for something else than a
    prompt."""

    _vim = Vim()
    vim_on = False
    _placed: tuple[str, int] = ("", -1)
    """The text and the caret as vim left them: any others came from elsewhere."""
    _undone_to: list[Edited] | None = None
    """What was done last before the command that began to insert."""

    def use_vim(self, wanted: bool) -> None:
        """Begin or end; it begins in insert mode."""
        if wanted != self.vim_on:
            self.vim_on = wanted
            self._move(Vim(register=self._vim.register, whole=self._vim.whole), tells=wanted)

    def vim_moved(self, mode: VimMode) -> None:
        """Vim is in another mode."""

    def vim_pressed(self, key: str, character: str | None) -> Way:
        """Do what `key` means to vim; the way that is left to the prompt."""
        text, at = self.current_text()
        before = self._vim
        done = vim.press_key(before, text, at, character or key)
        if done.way == "pass":
            self._vim = done.vim
            return "pass"
        if before.mode != "insert" and done.vim.mode == "insert":
            self._undone_to = self.undo_mark()
        if done.text != text:
            self.change(_edit(text, done.text, done.caret))
        if before.mode == "insert" and before.typing:
            self.one_step(self._undone_to)  # a command and what was typed after it is one change
        if done.vim.register != before.register:
            self.ring = self.ring.with_kill(done.vim.register, joins=False, before=False)
        self._move(done.vim)
        if done.vim.mode in ("visual", "visual line"):
            self._select(done.vim)
        else:
            self.go(done.caret)
        self._placed = self.current_text()
        if done.way in ("undo", "redo"):
            (self.action_undo if done.way == "undo" else self.action_redo)()
            self.vim_settled()
        return done.way

    def vim_settled(self) -> None:
        """The text or the caret was changed by something else: outside of insert mode it stands on
        a character."""
        if self.vim_on and self._vim.mode != "insert" and self.current_text() != self._placed:
            settled, at = vim.settle_caret(self._vim, *self.current_text())
            self._move(settled)
            self.go(at)
            self._placed = self.current_text()

    def _move(self, to: Vim, tells: bool = True) -> None:
        before, self._vim = self._vim.mode, to
        self.set_class(self.vim_on and to.mode == "insert", "-typing")
        if tells and before != to.mode:
            self.vim_moved(to.mode)

    def _select(self, now: Vim) -> None:
        """What is selected, without the character below the caret: the caret is drawn there."""
        if now.mode == "visual line":
            first, last = vim.span(now, self.text)
            ends = (first, last) if now.caret >= now.anchor else (last, first)
        else:
            ends = (now.anchor + (now.caret < now.anchor), now.caret)
        self.selection = Selection(self.location(ends[0]), self.location(ends[1]))


def _edit(old: str, new: str, caret: int) -> Edit:
    """The smallest edit that makes `new` of `old`."""
    most = min(len(old), len(new))
    first = next((n for n in range(most) if old[n] != new[n]), most)
    last = next((n for n in range(most - first) if old[-1 - n] != new[-1 - n]), most - first)
    return Edit(first, len(old) - last, new[first : len(new) - last], caret)
