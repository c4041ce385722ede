"""The whole screen as a value: one small value a region, each made again only when what it reads
has changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from agent_tui.protocol.transcript import Block, Queued, Streaming, Transcript
from agent_tui.registry import late
from agent_tui.structures import chips, mention
from agent_tui.structures.chips import Chip
from agent_tui.structures.vec import Vec
from agent_tui.tui.core.display_options import Look
from agent_tui.tui.core.memo import lazy, lazy_large
from agent_tui.tui.core.model import Model, Reading, Search, Toast
from agent_tui.tui.core.prompt_state import Composer, Editing
from agent_tui.tui.core.regions import (
    CompletionView,
    Option,
    OverlayView,
    PromptView,
    QueueView,
    ToastView,
    TranscriptView,
    View,
)
from agent_tui.tui.core.words import one_line
from agent_tui.tui.screen.footer import footer_view, needed_hint, status_view
from agent_tui.tui.screen.header import header_view

with late():
    from agent_tui.tui.dialog import view as ask
    from agent_tui.tui.prompt import completion, history_prompt
    from agent_tui.tui.sheets import cursor, draw, opening
    from agent_tui.tui.transcript import search_prompt

STARTING: Final = "sent once agent-tui has started"
MIN_WIDTH: Final = 20
MIN_HEIGHT: Final = 6
MIN_ASKED: Final = 8
"""Lines below which a question and the prompt have no room beside anything else."""
NARROW: Final = 70
"""Columns below which a command is listed without what may follow it: its meaning has that room."""
TOO_SMALL: Final = "too small"
"""Said where the whole screen has no room; what is typed and the end of the transcript are there
all the same."""
EDITED: Final = "being edited: "
EDITING: Final = "Editing a queued prompt"
READS: Final = "Read only: another program has it open. /fork makes your own copy"
SHELL: Final = "! shell command: runs at once, the model reads its output"
SHELL_LATER: Final = "! shell command: answer the question first"
SHELL_AFTER: Final = "! shell command: use the summary or cancel it first"
PRIVATE: Final = "!! private shell command: not saved, not sent to the model"
NO_KEYS: Final[frozenset[str]] = frozenset()
IDLE: Final = ("Ask, or type / for commands", "Ask, or type /", "Ask")
RUNNING: Final = ("Queue a prompt for after this turn", "Queue a prompt", "Queue")
_FORK: Final = ("/fork, or another command", "/fork")
_SMALL: Final = (TOO_SMALL, "small", "…")
_HINTS: Final = {
    "search": ("words of the transcript", "words"),
    "history": ("words of a prompt", "words"),
}
"""Each in as many words as there is room for. The keys stand in the footer alone."""
AROUND: Final = 8
AROUND_FEW: Final = 6
"""Columns of the screen beside the text of the prompt, and where it has no border."""
HINT_KEYS: Final = frozenset(("escape",))


def view(model: Model) -> View:
    """What to show of `model`. A region that did not change is the same object as in the view
    before."""
    transcript, running = model.transcript, model.is_running
    small = model.width < MIN_WIDTH or model.height < MIN_HEIGHT
    lists = model.finder is not None or model.composer.draft.startswith("/")
    narrow = 0 < model.width < NARROW
    crowded = model.dialog is not None and model.height < MIN_ASKED
    listed = (
        _completion(completion.shown_candidates(model), completion.selected_index(model), narrow)
        if lists
        else None
    )
    footer = footer_view(
        model,
        listed is not None and listed.selected >= 0,
        ask.asked_footer(model) if model.is_asking else None,
    )
    alone = model.is_asking or (_is_free(model) and listed is None)
    return View(
        header=header_view(model),
        transcript=_transcript(
            transcript.rows,
            transcript.streaming,
            model.reading,
            model.now if running else 0.0,
            model.look,
            model.search,
            transcript.mode,
            model.files,
        ),
        queue=_waiting(model),
        dialog=ask.dialog_view(model) if model.dialog is not None else None,
        completion=listed,
        prompt=_prompt(
            model.composer,
            running,
            model.dialog is not None or model.is_held,
            model.holds_queue,
            small,
            bool(model.vim),
            transcript.reading,
            model.width,
            needed_hint(model, footer) if small else "",
            model.is_covered and model.overlay is not None and cursor.finds_rows(model.overlay),
            bool(opening.refuses_pastes(model)),
        ),
        status=status_view(model, alone) if running else None,
        footer=footer,
        overlay=_sheet(model),
        toast=_toast(model.toast),
        too_small=small or crowded,
        grab_all=model.is_covered
        or model.is_asking
        or (model.held is not None and model.held.on != ""),
        grab=_grab(model, listed),
    )


def _waiting(model: Model) -> QueueView | None:
    """The prompts that wait, for the engine or for their turn, unless the sheet that is open shows
    them."""
    if model.early:
        return _early(model.early, model.composer.chips)
    if model.overlay is not None and opening.shows(model, "queue"):
        return None
    t = model.transcript
    return _queue(t.queue, model.taken, model.edits, model.composer.editing, t.paused)


def _is_free(model: Model) -> bool:
    """Whether keys mean what they mean in the prompt alone: nothing is open, nothing else is typed
    there."""
    taken = model.search or model.recall or model.composer.purpose or model.composer.editing
    return taken is None and model.dialog is None and model.overlay is None


def _sheet(model: Model) -> OverlayView | None:
    if model.recall is not None:
        return history_prompt.recall_view(model.recall, model.height, int(model.at))
    shown = model.overlay if model.is_covered or model.composer.asks("sheet") else None
    return draw.sheet_view(model, shown) if shown is not None else None


def _grab(model: Model, listed: CompletionView | None) -> frozenset[str]:
    if model.search is not None:
        return search_prompt.KEYS
    if model.recall is not None:
        return history_prompt.KEYS
    return NO_KEYS if listed is None else completion.KEYS if listed.selected >= 0 else HINT_KEYS


@lazy_large
def _transcript(
    rows: Vec[Block],
    streaming: Streaming | None,
    reading: Reading,
    now: float,
    look: Look,
    found: Search | None,
    mode: str,
    files: Mapping[str, str],
) -> TranscriptView:
    live = Transcript(rows=rows, streaming=streaming).live()
    mark = reading.mark if reading.mark < len(rows) else -1
    query, (row, nth) = (
        (found.query, search_prompt.place(found)) if found is not None else ("", (-1, -1))
    )
    return TranscriptView(
        rows,
        live,
        reading.expanded,
        reading.exceptions,
        now,
        reading.jump,
        reading.groups,
        look,
        reading.go,
        mark,
        query,
        nth if row == mark else -1,
        mode,
        files,
    )


@lazy
def _queue(
    queue: tuple[Queued, ...],
    taken: frozenset[str],
    edits: tuple[Queued, ...],
    editing: Editing | None,
    paused: bool,
) -> QueueView | None:
    """How many wait and whether they are paused is said here alone, their keys in the footer."""
    new = {item.id: item for item in edits}
    edited = editing.id if editing is not None else ""
    items = tuple(
        (EDITED if item.id == edited else "") + _said(new.get(item.id, item))
        for item in queue
        if item.id not in taken and not item.steer
    )
    steers = tuple(_said(item) for item in queue if item.steer)
    return QueueView(items, paused, steers=steers) if items or steers else None


@lazy
def _early(prompts: tuple[str, ...], known: tuple[Chip, ...]) -> QueueView:
    """Prompts that were sent while the engine starts."""
    said = (mention.display_mentions(chips.collapse(text, reversed(known))) for text in prompts)
    return QueueView(tuple(map(one_line, said)), False, STARTING)


def _said(item: Queued) -> str:
    return one_line(mention.display_mentions(chips.fold_pastes(item.text, item.pastes)))


@lazy
def _completion(
    found: tuple[completion.Candidate, ...], selected: int, narrow: bool
) -> CompletionView | None:
    """`narrow`: what may follow a command is left out; it is said once the command is typed."""
    if not found:
        return None
    named = (one.short if narrow and one.short else one.label for one in found)
    options = tuple(
        Option("", name, one_line(one.detail)) for name, one in zip(named, found, strict=True)
    )
    return CompletionView(options, min(selected, len(found) - 1) if found[0].insert else -1)


@lazy
def _prompt(
    composer: Composer,
    running: bool,
    asked: bool,
    summed_up: bool,
    small: bool,
    vim: bool,
    reading: bool,
    width: int,
    needed: str,
    finds: bool,
    no_pastes: bool,
) -> PromptView:
    """`needed`: the key that nothing but the prompt has room to name."""
    purpose, room = composer.purpose, width - (AROUND_FEW if small else AROUND)
    if purpose is not None:
        hint = _fitting(_HINTS.get(purpose.kind, ()), room)
        label = (
            _fitting((purpose.label, "Search"), room) if purpose.kind == "search" else purpose.label
        )
        return PromptView(
            composer.rev,
            composer.text,
            hint,
            label,
            composer.place if purpose.kind == "sheet" and composer.text else -1,
            secret=purpose.secret,
            selected=composer.selected,
        )
    if composer.editing is not None:
        return PromptView(composer.rev, composer.text, "", EDITING, composer.place, vim)
    if composer.draft.startswith("!") and not reading:
        label = PRIVATE if composer.draft.startswith("!!") else SHELL
        label = SHELL_LATER if asked else SHELL_AFTER if summed_up else label
        return PromptView(composer.rev, composer.text, "", label, composer.place, vim)
    hints = _SMALL if small else _FORK if reading else RUNNING if running else IDLE
    found = needed or ("" if finds else _fitting(hints, room))  # a list says that typing finds
    hint = "" if asked else found
    label = READS if reading else ""
    return PromptView(
        composer.rev,
        composer.text,
        hint,
        label,
        composer.place,
        vim,
        composer.selected,
        no_pastes=no_pastes,
    )


def _fitting(said: Sequence[str], room: int) -> str:
    """The first that has room: a hint that ends in the middle says something else."""
    return next((one for one in said if len(one) <= room), "")


@lazy
def _toast(toast: Toast | None) -> ToastView | None:
    return None if toast is None else ToastView(toast.words, toast.tone)
