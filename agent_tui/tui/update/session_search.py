"""The list of sessions: its own keys, and the search over all that was said, which waits until the person rests."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from agent_tui.protocol.answers import SearchResults
from agent_tui.protocol.ops import Delete, Query, Resume
from agent_tui.tui.effects import Effect, Yield
from agent_tui.tui.model import Model, Overlay, Purpose
from agent_tui.tui.msg import KeyPressed
from agent_tui.tui.picker import Picker
from agent_tui.tui.update import composer, session_lists
from agent_tui.tui.update.step import Step, send, toast
from agent_tui.tui.view.words import one_line

REST: Final = 0.25
"""Seconds without a key after which what was typed is searched for in the text of all sessions."""
LEAST: Final = 2
"""Letters from which on that is worth it."""
OPEN: Final = "it is open now: /new or another session first"


def filled(model: Model, picker: Picker) -> Picker:
    """The list as it is now: what was found in the text is called as it is called now, and what is gone is gone."""
    if known := session_lists.known(model):
        names = {one.id: one.title or one.id for one in known}
        extra = tuple(replace(one, label=names[one.id]) for one in picker.extra if one.id in names)
        picker = replace(picker, extra=extra)
    entries = (*session_lists.sessions(model, picker.wide), session_lists.NEW)
    return picker.filled(entries)


def named(model: Model, overlay: Overlay) -> tuple[str, ...]:
    """The sessions that are called as `/load` was told, or whose ids begin so; where one of them is meant, it alone."""
    name, found = overlay.note.strip().casefold(), session_lists.known(model)
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


def loaded(model: Model, overlay: Overlay) -> Step | None:
    """`/load` was given a name: open that session, if it is one. None: there was no name."""
    if not overlay.note or overlay.query:
        return None
    closed, meant, name = replace(model, overlay=None), named(model, overlay), one_line(overlay.note.strip(), 40)
    if not meant:
        return toast(closed, f"no session has the name or id “{name}”", "warning")
    if len(meant) == 1:
        return toast(closed, "this session is open now") if meant[0] == model.active else send(closed, Resume(meant[0]))
    said = f"{len(meant)} sessions are called “{name}”: choose"
    shown = replace(overlay, note="", picker=overlay.picker and replace(overlay.picker, wide=True))
    return toast(replace(model, overlay=shown), said, "warning")


# -- keys


def pressed(model: Model, overlay: Overlay, picker: Picker, msg: KeyPressed) -> Step | None:
    """A key that only this list has. None: it is one like in every list."""
    chosen = picker.chosen
    if picker.sure:
        kept = replace(model, overlay=replace(overlay, picker=replace(picker, sure="")))
        return send(kept, Delete(picker.sure)) if msg.key == "delete" and not msg.blind else (kept, ())
    if msg.key == "ctrl+a":
        return widened(model, overlay, picker)
    if msg.key not in ("f2", "delete") or chosen is None or not chosen.id:
        return None
    if msg.key == "f2":
        label = f"New name of “{one_line(chosen.label, 40)}”"
        return composer.ask(model, Purpose("title", label, chosen.id)), ()
    if model.started and chosen.id == model.active:
        return toast(model, OPEN, "warning")
    return replace(model, overlay=replace(overlay, picker=replace(picker, sure=chosen.id))), ()


def widened(model: Model, overlay: Overlay, picker: Picker) -> Step:
    """All folders, or this one again."""
    if session_lists.all_here(model):
        return toast(model, "all sessions are from this folder")
    picker = replace(picker, wide=not picker.wide, extra=())
    return typed(replace(model, overlay=replace(overlay, picker=filled(model, picker))))


# -- the text of all sessions


def typed(model: Model) -> Step:
    """Something else is in the field now: it is searched for when the person rests."""
    overlay = model.overlay
    if overlay is None or overlay.kind != "sessions" or overlay.picker is None:
        return model, ()
    worth = len(overlay.picker.query.strip()) >= LEAST
    picker = replace(overlay.picker, typed_at=model.at if worth else 0.0, note="")
    effects: tuple[Effect, ...] = (Yield(REST),) if worth else ()
    return replace(model, overlay=replace(overlay, picker=picker)), effects


def rested(model: Model) -> Step:
    """A moment has passed: was it long enough?"""
    overlay = model.overlay
    picker = overlay.picker if overlay is not None else None
    if overlay is None or picker is None or not picker.typed_at or model.at - picker.typed_at < REST * 0.9:
        return model, ()
    picker = replace(picker, typed_at=0.0, note="searching …")
    model = replace(model, queries=model.queries + 1, overlay=replace(overlay, picker=picker))
    return send(model, Query(f"search-{model.queries}", "search" if picker.wide else "search_here", picker.query))


def found(model: Model, data: SearchResults) -> Model:
    """What the engine found in the text; it counts only for what is in the field now."""
    overlay = model.overlay
    if overlay is None or overlay.kind != "sessions" or overlay.picker is None:
        return model
    picker = overlay.picker
    if data.words != picker.query or data.here == picker.wide:
        return model
    extra, on = session_lists.hits(model, data), picker.chosen
    picker = replace(picker, extra=extra, note="searching …" if data.more else data.note)
    picker = picker.looked_up(picker.query)
    at = next((place for place, one in enumerate(picker.shown) if on is not None and one.id == on.id), picker.at)
    return replace(model, overlay=replace(overlay, picker=replace(picker, at=at)))
