"""Says what is new beside the transcript: questions, lists, what the prompt is for, and passing
remarks."""

from __future__ import annotations

from typing import Any, Final

from agent_tui.tui.core.model import Confirming, Model, Purpose, SettingUp
from agent_tui.tui.core.picker import Entry
from agent_tui.tui.core.words import one_line
from agent_tui.tui.linear.asking import question_lines
from agent_tui.tui.linear.out import Out
from agent_tui.tui.linear.sheets import MOST, choices, hint, question_line, sheet_lines, signature

HINTS: Final = {
    "search": "Type the words to look for, or an empty line to leave.",
    "history": "",
    "deny": "Type it, or an empty line for a plain no.",
}  # fmt: skip
HITS: Final = 30
UNSAID: Final = ("copied ", "writing …")
CLIPBOARD: Final = "sent to the terminal only: "


class Notices:
    def __init__(self, out: Out) -> None:
        self._out = out
        self._sheet: Any = None
        self._confirming: Confirming | None = None
        self.rows: tuple[Entry, ...] = ()
        """The rows of the open list as they were said last: a number means one of these."""
        self._asked = ""
        self._purpose: Purpose | None = None
        self._note = ""
        self._recalled = -1
        self._rev = 0
        self._toasts = 0

    def follow(self, model: Model) -> None:
        """Say what `model` has that was not said yet."""
        self._toast(model)
        self._question(model)
        self._overlay(model)
        self._prompt(model)
        self._recall(model)

    def again(self, model: Model) -> None:
        """Say the open question or list once more."""
        self._sheet, self._asked, self._purpose, self._recalled = None, "", None, -1
        self._confirming = None
        self.follow(model)

    def _toast(self, model: Model) -> None:
        toast = model.toast
        if toast is None or toast.number == self._toasts:
            return
        self._toasts = toast.number
        text = toast.words.replace(CLIPBOARD, "not copied: ").replace(
            "type / to list", "/help lists"
        )
        if not text.startswith(UNSAID):
            self._out.say([f"{text[:1].upper()}{text[1:]}."], "bad" if toast.tone == "bad" else "")

    def _question(self, model: Model) -> None:
        question = model.question
        if question is None or model.dialog is None or self._asked == question.id:
            return
        self._asked = question.id
        if not model.composer.asks("argument"):
            self._out.say(question_lines(question, len(model.transcript.questions)), "warning")

    def _overlay(self, model: Model) -> None:
        overlay = model.overlay
        if overlay is None:
            self._sheet, self._confirming, self.rows = None, None, ()
            return
        asked, self._confirming = self._confirming, overlay.confirming
        if question := question_line(overlay):
            if overlay.confirming != asked:
                self._out.say([question])
            return
        now = signature(model)
        if now is None or model.composer.purpose is not None:
            return
        if now != self._sheet:
            self._sheet, self.rows = now, tuple(choices(overlay)[:MOST])
            self._out.say(sheet_lines(model, overlay))
        elif asked is not None:
            self._out.say([hint(model, overlay)])

    def _prompt(self, model: Model) -> None:
        """What the next line is for, where it is not for the model; and a draft that nobody has
        just typed."""
        composer, note = model.composer, _note(model)
        if composer.purpose is not self._purpose or note != self._note:
            self._purpose, self._note = composer.purpose, note
            if composer.purpose is not None and not _searching(model):
                hint = HINTS.get(composer.purpose.kind, "Type it, or an empty line to go back.")
                now = f" It is now: {composer.draft}" if composer.draft else ""
                why = [f"{note[:1].upper()}{note[1:]}."] if note else []
                self._out.say([*why, f"{composer.purpose.label}.{now} {hint}".rstrip()])
        if composer.purpose is not None or composer.rev == self._rev:
            return
        self._rev = composer.rev
        if composer.editing is not None:
            self._out.say(
                [
                    f"Queued prompt: {composer.draft}",
                    "Type the new text, or an empty line to keep it.",
                ]
            )
        elif composer.draft:
            self._out.say(
                [
                    f"In the prompt: {one_line(composer.draft)}",
                    "Type /send to send it, or another prompt.",
                ]
            )

    def _recall(self, model: Model) -> None:
        found = model.recall
        if found is None or not found.done or self._recalled == hash((found.number, found.query)):
            return
        self._recalled = hash((found.number, found.query))
        shown = [f"{n + 1}: {one_line(found.hit(n).text)}" for n in range(min(found.total, HITS))]
        more = (
            [f"and {found.total - HITS} more; type words to find them"]
            if found.total > HITS
            else []
        )
        none = [] if shown else ["no earlier prompt matches"]
        choose = "Type a number to take it, words to search, or an empty line to leave."
        self._out.say(["Earlier prompts, the newest first:", *shown, *more, *none, choose])


def _note(model: Model) -> str:
    """Why what was typed last will not do."""
    state = model.overlay.state if model.overlay is not None else None
    return state.note if isinstance(state, SettingUp) else ""


def _searching(model: Model) -> bool:
    composer = model.composer
    return composer.asks("history") or (composer.asks("search") and bool(composer.draft))
