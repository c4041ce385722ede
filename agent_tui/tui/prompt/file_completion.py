"""The list under an `@`: the files that may be meant. They are searched in slices, behind the keys
that wait."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from agent_tui.protocol.answers import Files
from agent_tui.protocol.ops import Query
from agent_tui.structures import fuzzy, mention
from agent_tui.tui.core.effects import Effect, Send, Yield
from agent_tui.tui.core.model import Finder, Model
from agent_tui.tui.core.msg import KeyPressed
from agent_tui.tui.core.step import Step
from agent_tui.tui.prompt import composer

FIRST: Final = 0.005
"""Seconds before the first slice: so long a key takes until it is drawn."""
PAUSE: Final = 0.0
"""Seconds between two slices: keys that wait are first all the same."""
RECENT: Final = 50
"""Prompts that are looked through for files that were named."""
READING: Final = "reading the files …"


def settled(model: Model) -> Step:
    """Look again if another name is being typed, or the files are others. Costs nothing where none
    is."""
    now = model.finder
    typed = _typed(model)
    if typed is None:
        return (model if now is None else replace(model, finder=None)), ()
    effects: tuple[Effect, ...] = ()
    if now is None or now.typed.start != typed.start:
        now, effects = Finder(typed, _recent(model)), (Send(Query("files", "files")),)
    corpus = _corpus(model.transcript.answers.files, now)
    if corpus is None:
        return replace(model, finder=replace(now, typed=typed)), effects
    matches = now.matches
    if (
        matches is None
        or matches.query != fuzzy.as_query(typed.query)
        or matches.corpus is not corpus
    ):
        matches = fuzzy.begin(corpus, typed.query, matches)
    if matches is now.matches and typed == now.typed and (matches.done or now.waiting):
        return (model if now is model.finder else replace(model, finder=now)), effects
    waiting = not matches.done
    if waiting and not now.waiting:
        effects = (*effects, Yield(PAUSE if matches is now.matches else FIRST))
    return replace(
        model, finder=replace(now, typed=typed, matches=matches, waiting=waiting)
    ), effects


def went_on(model: Model) -> Model:
    """One slice more."""
    now = model.finder
    if now is None or now.matches is None or not now.waiting:
        return model
    return replace(model, finder=replace(_stepped(now, now.matches), waiting=False))


def _stepped(now: Finder, matches: fuzzy.Matches) -> Finder:
    matches = fuzzy.step(matches, now.recent)
    if not matches.done:
        return replace(now, matches=matches)
    paths = (matches.corpus.paths[place] for place in matches.best)
    shown = tuple(path for path in paths if path != now.typed.query or not path.endswith("/"))
    same = now.shown_for == matches.query
    return replace(
        now,
        matches=matches,
        shown=shown,
        shown_for=matches.query,
        selected=now.selected if same else 0,
    )


def found(model: Model) -> tuple[str, ...]:
    """The paths in the list, best first; empty while it is closed, or something else has the keys."""
    now = model.finder
    return () if now is None or not _open(model, now) else now.shown


def reading(model: Model) -> bool:
    """Whether the files are not known yet."""
    now = model.finder
    return now is not None and now.matches is None and _open(model, now)


def note(model: Model) -> str:
    """What is to be said of the list: which files are not in it."""
    found = model.transcript.answers.files
    return found.note if found is not None else ""


def pressed(model: Model, msg: KeyPressed) -> Step | None:
    """A key while the list is open. None: not a key for it."""
    now = model.finder
    if now is None or not _open(model, now):
        return None
    if msg.key == "escape":
        return replace(model, finder=replace(now, closed=True)), ()
    if msg.key in ("tab", "enter"):  # what was typed counts, not what the list still shows
        while now.matches is not None and not now.matches.done:
            now = _stepped(now, now.matches)
    if not now.shown:
        return None
    if msg.key in ("up", "down"):
        selected = (now.selected + (1 if msg.key == "down" else -1)) % len(now.shown)
        return replace(model, finder=replace(now, selected=selected)), ()
    path = now.shown[min(now.selected, len(now.shown) - 1)]
    if msg.key == "tab":
        return _taken(model, now, path, into=path.endswith("/")), ()
    if msg.key == "enter" and path != now.typed.query:
        return _taken(model, now, path), ()
    return None  # it is written out already: it is sent


def _taken(model: Model, now: Finder, path: str, into: bool = False) -> Model:
    """`path` is named in the prompt; `into`: what lies in that folder is listed next."""
    draft, end = model.composer.draft, now.typed.end
    text = mention.written(path, more=into)
    if draft[now.typed.start + 1 : now.typed.start + 2] == '"' and draft[end : end + 1] == '"':
        end += 1
    if not into:
        text += "" if draft[end : end + 1].isspace() else " "
    before = draft[: now.typed.start] + text
    return composer.write(model, before + draft[end:], caret=len(before))


def _typed(model: Model) -> mention.Typed | None:
    """The name that is being typed; a slash as its first letter leads out of the folder, where
    nothing is listed."""
    now = model.composer
    if now.purpose is not None or now.browsing >= 0 or model.gone:
        return None
    if now.draft.rfind("@", max(0, now.caret - mention.LONGEST), now.caret) < 0:
        return None
    return mention.typed(now.draft, now.caret)


def _open(model: Model, now: Finder) -> bool:
    return (
        not now.closed and model.dialog is None and model.overlay is None and model.search is None
    )


def _corpus(found: Files | None, now: Finder) -> fuzzy.Corpus | None:
    """The files as the engine told them; the same object while they are the same."""
    before = now.matches.corpus if now.matches is not None else None
    return (
        before
        if before is not None and found is not None and before.paths is found.paths
        else found
    )


def _recent(model: Model) -> tuple[str, ...]:
    """Files that were named in earlier prompts, newest first."""
    named = (
        ways
        for prompt in reversed(model.composer.history[-RECENT:])
        for ways in mention.named(prompt)
    )
    return tuple(dict.fromkeys(way for ways in named for way in ways))
