"""Vim in the editor: what `tui/vim.py` decides is done to the text, the caret and the selection."""

from __future__ import annotations

from textual.document._document import Selection
from textual.document._edit import Edit as Edited

from agent_tui.registry import late
from agent_tui.tui.kinds import VimMode
from agent_tui.tui.readline import Edit
from agent_tui.tui.vim_state import Vim, Way
from agent_tui.tui.widgets.prompt_edit import Editor

with late():
    from agent_tui.tui import vim


class Vimmed(Editor, inherit_bindings=False):
    """`vim_on`: not while the prompt edits as a shell does, or is used for something else than a prompt."""

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
        text, at = self.now()
        before = self._vim
        done = vim.pressed(before, text, at, character or key)
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
            self.ring = self.ring.killed(done.vim.register, joins=False, before=False)
        self._move(done.vim)
        if done.vim.mode in ("visual", "visual line"):
            self._select(done.vim)
        else:
            self.go(done.caret)
        self._placed = self.now()
        if done.way in ("undo", "redo"):
            (self.action_undo if done.way == "undo" else self.action_redo)()
            self.vim_settled()
        return done.way

    def vim_settled(self) -> None:
        """The text or the caret was changed by something else: outside of insert mode it stands on a character."""
        if self.vim_on and self._vim.mode != "insert" and self.now() != self._placed:
            settled, at = vim.settled(self._vim, *self.now())
            self._move(settled)
            self.go(at)
            self._placed = self.now()

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
