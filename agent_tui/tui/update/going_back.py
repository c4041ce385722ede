"""Taking back what was done, and making it again: the sheet that shows what would change, and what became of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Final, cast

from agent_tui.protocol.answers import RestoreOutcome, UndoPlan
from agent_tui.protocol.events import Rewound
from agent_tui.protocol.ops import FileChoice, Fork, Query, RestoreFiles, Rewind
from agent_tui.structures import chips
from agent_tui.tui.going_back import GoingBack, What, in_order
from agent_tui.tui.model import Model, Overlay, Reading
from agent_tui.tui.msg import KeyPressed
from agent_tui.tui.update import composer
from agent_tui.tui.update.step import Step, send, then, toast
from agent_tui.tui.view.words import one_line

READ_FIRST: Final = 0.8
"""So long after the files were told Enter does nothing: a key that is held down comes again before."""
JUST: Final = 0.5
"""So soon after the files were told, a key may have been meant for what was there before."""
BUSY: Final = "Esc interrupts the running turn first"
SECONDS: Final = 8.0
WORDS: Final = 300
"""Characters of what a toast says."""
NOTHING: Final = "no file is chosen: Space chooses one"
NO_FILE: Final = "↑↓: choose a file first"


def opened(model: Model, to: int = 0, redo: bool = False) -> Step:
    """Show what would be taken back (`to`: up to the turn that began with this record), or made again."""
    if refused := unable(model):
        return toast(model, refused, "warning")
    mark = next((mark for mark in model.transcript.marks if mark.n == to), None) if to else None
    id = f"{'redo' if redo else 'undo'}-{model.queries + 1}"
    talks = bool(model.rewound) if redo else bool(len(model.transcript.marks))
    going = GoingBack(redo, to, mark.prompt if mark else "", talks)
    model = replace(model, queries=model.queries + 1, going_back=going, overlay=Overlay("going_back", query=id))
    return send(model, Query(id, "redo" if redo else "undo", str(to) if to else ""))


def unable(model: Model) -> str:
    """Why nothing can be taken back now; empty: it can."""
    if model.busy:
        return BUSY
    if model.transcript.reading:
        return "this session is read only: /fork makes your own copy"
    return "" if model.started and not model.gone else "there is no session yet"


def told(model: Model, id: str, data: UndoPlan) -> Step:
    """The engine said which files there are. Nothing at all: the sheet is not needed."""
    overlay, going = model.overlay, model.going_back
    if overlay is None or going is None or overlay.query != id:
        return model, ()
    prompt = going.prompt or (data.turns[0].prompt if data.turns else "")
    going = replace(
        going, told=True, told_at=model.at, files=in_order(data.files), turns=tuple(one.n for one in data.turns),
        prompt=prompt, caps=data.caps, undone=data.undone,
    )  # fmt: skip
    if not going.files and not going.to and not (going.redo and going.talks):
        said = "there is nothing to redo" if going.redo else "there is no changed file to undo"
        more = "" if going.redo or not going.talks else "; /rewind goes back in the conversation"
        limits = "".join(f". {one.removesuffix('.')}" for one in data.caps)
        return toast(replace(model, overlay=None, going_back=None), said + more + limits, seconds=SECONDS)
    at = next((number for number, file in enumerate(going.files) if file.path == going.on), going.first)
    return replace(model, going_back=going, overlay=replace(overlay, query="", selected=at)), ()


def pressed(model: Model, overlay: Overlay, msg: KeyPressed) -> Step | None:
    """A key while the sheet is open. None: not a key for it."""
    going = model.going_back
    if msg.key == "escape" or going is None:
        return replace(model, overlay=None, going_back=None), ()
    files = len(going.files)
    last = max(0, files + len(going.offered) - 1)
    at = min(overlay.selected, last)
    goes = {"up": at - 1 if at else last, "down": at + 1 if at < last else 0, "home": 0, "end": last}
    if msg.key in goes:
        return replace(model, overlay=replace(overlay, selected=goes[msg.key])), ()
    unseen = (msg.blind or going.on) and msg.at - going.told_at < JUST
    if msg.key == "enter" and (model.repeated or (msg.at - going.told_at < READ_FIRST and not msg.sure)):
        return model, ()  # rather a second one of the Enter that opened it, or one that is held down
    if unseen or not going.told:
        return None
    if msg.character == "a" and files:
        return replace(model, going_back=replace(going, choices=going.switch_all())), ()
    if msg.key == "space":  # it switches a file, and never confirms anything
        return take_row(model, at) if at < files else toast(model, NO_FILE) if files else (model, ())
    return take_row(model, at) if msg.key == "enter" else None


def take_row(model: Model, at: int) -> Step:
    """Row number `at` of the sheet was taken, by a key or a click: the next choice for a file, or what is offered."""
    overlay, going = model.overlay, model.going_back
    if overlay is None or going is None or not going.told or at < 0:
        return model, ()
    overlay = replace(overlay, selected=at)
    if at < len(going.files):
        return replace(model, overlay=overlay, going_back=replace(going, choices=going.switch(at))), ()
    offered = going.offered[at - len(going.files) :]
    return _ask_for(replace(model, overlay=overlay), overlay, going, offered[0]) if offered else (model, ())


def take_option(model: Model, option: int) -> Step:
    """A line of the choices was clicked; one heading stands above the files, one below them."""
    going = model.going_back
    files = len(going.files) if going is not None else 0
    if not files:
        return take_row(model, option)
    return (model, ()) if option in (0, files + 1) else take_row(model, option - 1 - (option > files))


def _ask_for(model: Model, overlay: Overlay, going: GoingBack, what: What) -> Step:
    """Do it; a file that changed since needs a word first."""
    if refused := unable(model):
        return toast(model, refused, "warning")
    if what != "conversation" and (file := going.open_question) is not None:
        shown = replace(model, overlay=replace(overlay, selected=going.files.index(file)))
        return toast(shown, f"first choose what happens to {file.path}", "warning")
    if what == "code" and going.idle:
        return toast(replace(model, overlay=replace(overlay, selected=0)), NOTHING, "warning")
    to = going.to or min(going.turns, default=0)
    prompt = next((mark.prompt for mark in model.transcript.marks if mark.n == to), "")
    after = replace(model, overlay=None, going_back=replace(going, sent=what, prompt=prompt))
    if what == "conversation" and going.redo:
        return send(after, Fork(model.rewound))
    if what == "conversation":
        return send(after, Rewind(to))
    choices = {path: cast(FileChoice, choice) for path, choice in going.choices.items()}
    seen = {file.path: file.now for file in going.files if file.now and choices.get(file.path, "keep") != "keep"}
    return send(after, RestoreFiles(going.to, what, choices, going.redo, seen))


# -- what became of it


def rewound(model: Model, event: Rewound) -> Step:
    """The conversation is back where it was: an empty prompt has its old words again. Where something was typed
    meanwhile, the old words are in the history, and that is said."""
    going = model.going_back if model.going_back is not None and model.going_back.sent else None
    draft = model.transcript.draft
    old, pastes = chips.sent(draft, model.transcript.pasted)
    if going is not None and going.prompt != old:
        old, pastes, draft = going.prompt, (), going.prompt
    model = replace(model, rewound=event.n, reading=Reading(jump=model.reading.jump + 1))
    if model.composer.asks("search"):
        model = composer.leave(model)
    typed = composer.own(model) not in ("", old, draft)
    if typed:
        step = composer.remember(model, old)
    else:
        step = composer.give_back(model, old, pastes) if old else model, ()
    where = f"old prompt: {composer.way_back(model)}" if typed and old.strip() else ""
    if going is not None and going.sent == "both":  # what became of the files is said with it
        return replace(step[0], going_back=replace(going, where=where)), step[1]
    if going is None:
        return then(step, toast(step[0], where, seconds=SECONDS)) if where else step
    said = "; ".join(filter(None, ("conversation rewound; /redo opens the earlier one in a new session", where)))
    return then(step, toast(replace(step[0], going_back=None), said, "good", SECONDS))


def restored(model: Model, data: RestoreOutcome) -> Step:
    """The engine has put files back, or could not."""
    going = model.going_back if model.going_back is not None and model.going_back.sent else GoingBack()
    closed = replace(model, going_back=None) if going is model.going_back else model  # else another sheet is open
    if data.asked:
        again, effects = opened(closed, going.to, going.redo)
        if again.going_back is not None:
            named = [one.path for one in data.asked]
            kept = {path: choice for path, choice in going.choices.items() if path not in named}
            again = replace(again, going_back=replace(again.going_back, choices=kept, on=named[0]))
        first = again, effects
        said = f"{data.asked[0].path} changed meanwhile, so nothing was done: choose what happens to it"
        return then(first, toast(first[0], said, "warning", SECONDS))
    if data.problem:
        return toast(closed, f"not done: {data.problem}", "warning", SECONDS)
    said = f"{one_line(data.said, WORDS)} {going.where[:1].upper()}{going.where[1:]}".rstrip()
    return toast(closed, said, "good" if data.done else "bad", SECONDS)
