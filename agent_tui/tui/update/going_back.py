"""Taking back what was done, and making it again: the sheet that shows what would change, and what became of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, cast

from agent_tui.protocol.events import Rewound
from agent_tui.protocol.ops import FileChoice, Fork, Query, RestoreFiles, Rewind
from agent_tui.tui.going_back import GoingBack, What, files_told
from agent_tui.tui.model import Model, Overlay, Reading
from agent_tui.tui.msg import KeyPressed
from agent_tui.tui.update import composer
from agent_tui.tui.update.step import Step, send, then, toast
from agent_tui.tui.view.words import one_line
from agent_tui.tui.wording import count

PAGE: Final = 10
JUST: Final = 0.5
"""So soon after the files were told, a key may have been meant for what was there before."""
MOST: Final = 100_000
"""Where scrolling ends."""
BUSY: Final = "something is running: interrupt it first (Esc)"
SECONDS: Final = 8.0
NEXT: Final[Mapping[str, str]] = {"": "keep", "keep": "restore", "restore": "both", "both": "keep"}


def opened(model: Model, to: int = 0, redo: bool = False) -> Step:
    """Show what would be taken back (`to`: up to the turn that began with this record), or made again."""
    if refused := unable(model):
        return toast(model, refused, "warning")
    mark = next((mark for mark in model.transcript.marks if mark.n == to), None) if to else None
    id = f"{'redo' if redo else 'undo'}-{model.queries + 1}"
    talks = bool(model.rewound) if redo else bool(len(model.transcript.marks))
    changed = bool(to) and any(mark.files for mark in model.transcript.marks if mark.n >= to)
    going = GoingBack(redo, to, mark.prompt if mark else "", talks, changed=changed)
    model = replace(model, queries=model.queries + 1, going_back=going, overlay=Overlay("going_back", query=id))
    return send(model, Query(id, "redo" if redo else "undo", str(to) if to else ""))


def unable(model: Model) -> str:
    """Why nothing can be taken back now; empty: it can."""
    if model.busy:
        return BUSY
    if model.transcript.reading:
        return "this session is only read along: /fork makes a copy that you can work in"
    return "" if model.started and not model.gone else "there is no session yet"


def told(model: Model, id: str, data: Any) -> Step:
    """The engine said which files there are. Nothing at all: the sheet is not needed."""
    overlay, going = model.overlay, model.going_back
    if overlay is None or going is None or overlay.query != id or not isinstance(data, Mapping):
        return model, ()
    turns = [one for one in data.get("turns") or () if isinstance(one, Mapping)]
    prompt = going.prompt or str(turns[0].get("prompt", "") if turns else "")
    numbers = tuple(int(one.get("n") or 0) for one in turns)
    caps = tuple(map(str, data.get("caps") or ()))
    going = replace(going, told=True, told_at=model.at, files=files_told(data), turns=numbers, prompt=prompt, caps=caps)
    if not going.files and not going.to and not (going.redo and going.talks):
        said = "nothing was taken back" if going.redo else "no change of a file is left to undo"
        more = "" if going.redo or not going.talks else "; /rewind takes back what was said"
        return toast(replace(model, overlay=None, going_back=None), said + more)
    return replace(model, going_back=going, overlay=replace(overlay, query="", selected=0)), ()


def pressed(model: Model, overlay: Overlay, msg: KeyPressed) -> Step | None:
    """A key while the sheet is open. None: not a key for it."""
    going = model.going_back
    if msg.key == "escape" or going is None:
        return replace(model, overlay=None, going_back=None), ()
    last = max(0, len(going.asked) + len(going.offered) - 1)
    at = min(overlay.selected, last)
    goes = {"up": at - 1 if at else last, "down": at + 1 if at < last else 0, "home": 0, "end": last}
    if msg.key in goes:
        return replace(model, overlay=replace(overlay, selected=goes[msg.key])), ()
    if msg.key in ("pageup", "pagedown"):
        by = PAGE if msg.key == "pagedown" else -PAGE
        return replace(model, overlay=replace(overlay, scroll=max(0, min(MOST, overlay.scroll + by)))), ()
    unseen = msg.blind and msg.at - going.told_at < JUST
    if msg.key not in ("enter", "space") or unseen or not going.told:
        return None
    if at < len(going.asked):
        return _chosen(model, going, at), ()
    return _asked_for(model, overlay, going, going.offered[at - len(going.asked)]) if going.offered else (model, ())


def _chosen(model: Model, going: GoingBack, at: int) -> Model:
    """The next of the choices for a file that changed since."""
    file = going.asked[at]
    choice = NEXT[going.choices.get(file.path, "")]
    while choice not in file.choices:
        choice = NEXT[choice]
    return replace(model, going_back=replace(going, choices={**going.choices, file.path: choice}))


def _asked_for(model: Model, overlay: Overlay, going: GoingBack, what: What) -> Step:
    """Do it; a file that changed since needs a word first."""
    if refused := unable(model):
        return toast(model, refused, "warning")
    open_ = next((n for n, file in enumerate(going.asked) if not going.choices.get(file.path)), -1)
    if what != "conversation" and open_ >= 0:
        shown = replace(model, overlay=replace(overlay, selected=open_))
        return toast(shown, f"choose first what becomes of {going.asked[open_].path}", "warning")
    after = replace(model, overlay=None, going_back=replace(going, sent=what))
    if what == "conversation" and going.redo:
        return send(after, Fork(model.rewound))
    to = going.to or min(going.turns, default=0)
    if what == "conversation":
        return send(after, Rewind(to))
    choices = {path: cast(FileChoice, choice) for path, choice in going.choices.items()}
    return send(after, RestoreFiles(going.to, what, choices, going.redo))


# -- what became of it


def rewound(model: Model, event: Rewound) -> Step:
    """The conversation is back where it was: an empty prompt has its old words again."""
    text, going = model.transcript.draft, model.going_back
    model = replace(model, rewound=event.n, reading=Reading(jump=model.reading.jump + 1))
    if model.composer.asks("search"):
        model = composer.leave(model)
    model = composer.give_back(model, text) if text else model
    if going is None or going.sent != "conversation":
        return model, ()
    said = "the conversation is back there; /redo opens it as it was, in a new session"
    return toast(replace(model, going_back=None), said, "good", SECONDS)


def restored(model: Model, data: Any) -> Step:
    """The engine has put files back, or could not."""
    going = model.going_back if model.going_back is not None and model.going_back.sent else GoingBack()
    done: Mapping[str, Any] = data if isinstance(data, Mapping) else {}
    closed = replace(model, going_back=None) if going is model.going_back else model  # else another sheet is open
    if asked := [one for one in done.get("asked") or () if isinstance(one, Mapping)]:
        first = opened(closed, going.to, going.redo)
        said = f"{asked[0].get('path')} changed meanwhile, and nothing was done: choose what becomes of it"
        return then(first, toast(first[0], said, "warning", SECONDS))
    if problem := str(done.get("problem") or ""):
        return toast(closed, f"not done: {problem}", "warning", SECONDS)
    files = [one for one in done.get("files") or () if isinstance(one, Mapping)]
    bad = [one for one in files if one.get("outcome") in ("failed", "changed")]
    if bad:
        said = f"{count(len(bad), 'file')} of {len(files)} could not be put back: {bad[0].get('problem')}"
        return toast(closed, said, "bad", SECONDS)
    return toast(closed, _said(files, going), "good", SECONDS)


def _said(files: list[Mapping[str, Any]], going: GoingBack) -> str:
    """What was done and how it is taken back; then what was left, for that stays so."""
    done = [one for one in files if one.get("outcome") == "done"]
    gone = sum(bool(one.get("gone")) for one in done)
    again, way = ("changed again", "/undo") if going.redo else ("put back", "/redo")
    things = [count(len(done) - gone, "file")] if len(done) > gone else []
    things += ["the conversation"] if going.sent == "both" else []
    parts = [f"{' and '.join(things)} {again}"] if things else []
    parts += [f"{count(gone, 'file')} removed again"] if gone else []
    told = [", ".join(parts), f"{way} takes that back"] if parts else []
    return "; ".join(told + _left(files, going)) or f"nothing had to be {again}"


def _left(files: list[Mapping[str, Any]], going: GoingBack) -> list[str]:
    """Of the files that were left as they are: how many, and what was written beside them."""
    kept = sum(one.get("outcome") == "kept" for one in files)
    left = [f"{count(kept, 'file')} kept as {'it is' if kept == 1 else 'they are'}"] if kept else []
    names = [one_line(str(one.get("beside")).rpartition("/")[2], 40) for one in files if one.get("beside")]
    listed = ", ".join(names[:2]) + (", …" if len(names) > 2 else "")
    if len(names) == 1:
        left.append(f"1 file kept, its {going.version} stays beside it as {listed}")
    elif names:
        left.append(f"{count(len(names), 'file')} kept, their {going.version}s stay beside them as {listed}")
    return left
