"""`/resume`: the sessions, and the search over all that was said in them, which waits until the
person rests."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from agent_tui.protocol.answers import AnswerData, SearchResults, Sessions
from agent_tui.protocol.ops import Delete, Query, Resume
from agent_tui.structures.frozen import frozen
from agent_tui.tui.commands.base import command
from agent_tui.tui.core.effects import Yield
from agent_tui.tui.core.model import Model, Overlay
from agent_tui.tui.core.picker import Entry, Picker
from agent_tui.tui.core.prompt_state import Purpose
from agent_tui.tui.core.step import Step, send, then, toast
from agent_tui.tui.core.words import one_line
from agent_tui.tui.prompt import composer
from agent_tui.tui.screen import session_actions
from agent_tui.tui.screen.session_actions import session_row
from agent_tui.tui.sheets import TAKES, Action, Sheet
from agent_tui.tui.sheets.opening import open_sheet, refresh

REST: Final = 0.25
"""Seconds without a key after which what was typed is searched for in the text of all sessions."""
LEAST: Final = 2
"""Letters from which on that is worth it."""
OPEN: Final = "it is open now: /new or another session first"
NEW: Final = Entry(
    "", "a new session", about="Start with an empty transcript. The current session is kept."
)
IN_TEXT: Final = "Found in messages and calls"


@frozen
class Search:
    """`wide`: sessions of all folders are listed. `typed_at`: when words were typed that are to be
    searched for (0: none are). `note`: how the search stands."""

    wide: bool = False
    typed_at: float = 0.0
    note: str = ""


def search_of(overlay: Overlay) -> Search:
    return overlay.state if isinstance(overlay.state, Search) else Search()


def _sessions(model: Model) -> Sessions:
    return model.transcript.answers.sessions or Sessions()


def _rows(model: Model, overlay: Overlay) -> Iterator[Entry]:
    """Those of this folder, or (of all folders, or where there are none here) all."""
    found = _sessions(model)
    here = [one for one in found.sessions if found.is_here(one)]
    wide = search_of(overlay).wide or not here
    for one in found.sessions if wide else here:
        yield session_row(model, one, with_folder=wide)
    yield NEW


def _arrange(model: Model, _: Overlay, picker: Picker, __: bool) -> Picker:
    """What was found in the text is called as it is called now, and what is gone is gone."""
    if not picker.extra or not (known := session_actions.known_sessions(model)):
        return picker
    names = {one.id: session_actions.name_of(one) for one in known}
    extra = tuple(replace(one, label=names[one.id]) for one in picker.extra if one.id in names)
    return picker if extra == picker.extra else replace(picker, extra=extra).looked_up(picker.query)


def _named(model: Model, overlay: Overlay) -> tuple[str, ...]:
    """The sessions that are called as `/load` was told, or whose ids begin so; where one of them is
    meant, it alone."""
    name, found = overlay.note.strip().casefold(), session_actions.known_sessions(model)
    if not name:
        return ()
    named_so = list[str]()
    begun = [one.id for one in found if one.id.startswith(name)]
    for same in (str.__eq__, str.startswith):
        titled = [one.id for one in found if same(one.title.strip().casefold(), name)]
        if len(titled) == 1:
            return tuple(titled)
        named_so += titled
    return tuple(begun if len(begun) == 1 else dict.fromkeys((*named_so, *begun)))


def _load(model: Model, overlay: Overlay) -> Step | None:
    """`/load` was given a name: open that session, if it is one. None: there was no name."""
    if not overlay.note or overlay.query:
        return None
    closed, meant, name = (
        replace(model, overlay=None),
        _named(model, overlay),
        one_line(overlay.note.strip(), 40),
    )
    if not meant:
        return toast(closed, f"no session has the name or id “{name}”", "warning")
    if len(meant) == 1:
        return (
            toast(closed, "this session is open now")
            if meant[0] == model.active
            else send(closed, Resume(meant[0]))
        )
    said = f"{len(meant)} sessions are called “{name}”: choose"
    step = refresh(replace(model, overlay=replace(overlay, note="", state=Search(wide=True))))
    return then(step, toast(step[0], said, "warning"))


# -- actions


def _rename(model: Model, _: Overlay, row: Entry) -> Step:
    return composer.ask(
        model,
        Purpose("title", f"New name of “{one_line(row.label, 40)}”", row.id, sends="save"),
    ), ()


def _delete(model: Model, _: Overlay, row: Entry) -> Step:
    return send(model, Delete(row.id))


def _refuse_delete(model: Model, _: Overlay, __: Entry) -> Step:
    return toast(model, OPEN, "warning")


def _is_session(_: Model, __: Overlay, row: Entry) -> bool:
    return bool(row.id)


def _is_open(model: Model, _: Overlay, row: Entry) -> bool:
    return bool(row.id) and model.started and row.id == model.active


def _is_closed(model: Model, overlay: Overlay, row: Entry) -> bool:
    return bool(row.id) and not _is_open(model, overlay, row)


def _sure(row: Entry) -> str:
    """Two may have the same name."""
    which = ", ".join(filter(None, (row.id[:8], _when(row))))
    return f"Delete “{one_line(row.label, 40)}” ({which}) for ever?"


def _when(row: Entry) -> str:
    return next((said for said in row.detail.split(" · ") if said.endswith("ago")), "")


def _widen(model: Model, overlay: Overlay, _: Entry) -> Step:
    """All folders, or this one again."""
    found = _sessions(model)
    if all(map(found.is_here, found.sessions)):
        return toast(model, "all sessions are from this folder")
    now, picker = search_of(overlay), overlay.picker and replace(overlay.picker, extra=())
    overlay = replace(overlay, picker=picker, state=replace(now, wide=not now.wide))
    step = refresh(replace(model, overlay=overlay))
    shown = step[0].overlay
    return then(step, _on_typed(step[0], shown)) if shown is not None else step


# -- the text of all sessions


def _on_typed(model: Model, overlay: Overlay) -> Step:
    """Something else is in the field now: it is searched for when the person rests."""
    worth = overlay.picker is not None and len(overlay.picker.query.strip()) >= LEAST
    state = replace(search_of(overlay), typed_at=model.at if worth else 0.0, note="")
    return replace(model, overlay=replace(overlay, state=state)), (Yield(REST),) if worth else ()


def _on_rest(model: Model, overlay: Overlay) -> Step:
    """A moment has passed: was it long enough?"""
    now, picker = search_of(overlay), overlay.picker
    if picker is None or not now.typed_at or model.at - now.typed_at < REST * 0.9:
        return model, ()
    shown = replace(overlay, state=replace(now, typed_at=0.0, note="searching …"))
    model = replace(model, queries=model.queries + 1, overlay=shown)
    return send(
        model,
        Query(f"search-{model.queries}", "search" if now.wide else "search_here", picker.query),
    )


def _on_answer(model: Model, _: str, data: AnswerData) -> Step | None:
    """What the engine found in the text; it counts only for what is in the field now."""
    overlay = model.overlay
    if not isinstance(data, SearchResults) or overlay is None or overlay.picker is None:
        return None
    now, picker = search_of(overlay), overlay.picker
    if data.words != picker.query or data.here == now.wide:
        return model, ()
    extra = tuple(
        session_row(model, hit.session, True, hit.snippet or "…", IN_TEXT) for hit in data.hits
    )
    found = replace(picker, extra=extra, touched=True).with_entries(picker.entries)
    state = replace(now, note="searching …" if data.more else data.note)
    return replace(model, overlay=replace(overlay, picker=found, state=state)), ()


# -- opening and leaving it


def _leave(model: Model, _: Overlay) -> Step:
    """Who leaves the list of a start begins a new session."""
    return (model, ()) if model.started else send(model, Resume(""))


@command(aliases=("sessions",), argument="[search]", rank=55)
def resume(model: Model, args: str) -> Step:
    """Resume another session, or start a new one. The list shows the last prompt and answer of the
    selected one."""
    return open_sheet(model, "resume", args)


@command(argument="<name>", rank=55)
def load(model: Model, args: str) -> Step:
    """Resume the session with this name or the beginning of this id. If several match, they are
    listed."""
    return open_sheet(model, "resume", args, note=args)


SHEET: Final = Sheet(
    lambda _, overlay: "Sessions of all folders" if search_of(overlay).wide else "Sessions",
    _rows,
    (
        Action("open", TAKES, "open", session_actions.open_row),
        Action(
            "folders",
            ("ctrl+a",),
            lambda _, overlay: "this folder" if search_of(overlay).wide else "all folders",
            _widen,
            needs_row=False,
            closes=False,
            typed="all",
        ),
        Action("rename", ("f2",), "rename", _rename, _is_session, closes=False, typed="r"),
        Action(
            "delete",
            ("delete",),
            "delete",
            _delete,
            _is_closed,
            closes=False,
            confirm=_sure,
            typed="d",
        ),
        Action("refuse", ("delete",), "delete", _refuse_delete, _is_open, closes=False),
    ),
    (resume, load),
    query="sessions",
    preview="session_preview",
    about_lines=6,
    always_about=True,
    note=lambda _, overlay: search_of(overlay).note,
    settle=_load,
    arrange=_arrange,
    on_typed=_on_typed,
    on_rest=_on_rest,
    on_answer=_on_answer,
    leave=_leave,
    states=(Search,),
    says_groups=True,
)
