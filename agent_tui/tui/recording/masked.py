"""What is never written down, and what stands in its place on both sides: in the live session and
in its replay.

`!!` commands and what they put out are the person's own. Lists from outside the session (its
folder's files, prompts
of other sessions) are neither small nor this session's: of them only what was shown is written
down.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from agent_tui.protocol.answers import Files, PrivateOutput
from agent_tui.protocol.event import Event
from agent_tui.protocol.session_events import Answered
from agent_tui.protocol.transcript import Transcript
from agent_tui.tui.core.history_search import Past, Pasts, Recall
from agent_tui.tui.core.model import Model
from agent_tui.tui.prompt.history_prompt import hits_in_view

PRIVATE: Final = "!!"
HIDDEN: Final = "•"
UNSEEN: Final = Past("")


def mask_text(text: str) -> str:
    """`text`, or dots in the place of a private command. What was hidden once stays as it is."""
    bare = text.lstrip()
    if not bare.startswith(PRIVATE):
        return text
    lead = len(text) - len(bare) + len(PRIVATE)
    return text[:lead] + HIDDEN * (len(text) - lead)


def event(told: Event) -> Event | None:
    """`told` as it is written down; None: not at all."""
    match told:
        case Answered(data=Files()):
            return None
        case Answered(data=PrivateOutput() as output):
            return replace(told, data=_marker(output))
        case _:
            return told


def model(live: Model) -> Model:
    """`live` as far as its replay can know it: what hashes and frames are made of."""
    sessions = {
        live.active: _session(live.sessions[live.active])
    }  # another one has a recording of its own
    composer, finder, overlay, search = live.composer, live.finder, live.overlay, live.search
    composer = replace(
        composer,
        history=(),
        draft=mask_text(composer.draft),
        text=mask_text(composer.text),
        stash=mask_text(composer.stash),
        saved=mask_text(composer.saved),
        kept=mask_text(composer.kept),
    )
    if finder is not None:
        finder = replace(finder, matches=None, recent=())
    if overlay is not None and overlay.picker is not None and overlay.picker.files is not None:
        overlay = replace(overlay, picker=replace(overlay.picker, files=None, entries=()))
    if search is not None:
        search = replace(search, index=type(search.index)())
    found = live.recall and recall(live.recall, live.height)
    return replace(
        live,
        sessions=sessions,
        composer=composer,
        finder=finder,
        overlay=overlay,
        search=search,
        recall=found,
    )


def recall(found: Recall, height: int) -> Recall:
    """`found` as far as it is shown: of the other prompts their number."""
    hits = [UNSEEN] * found.total
    for number in hits_in_view(found, height):
        past = found.hit_at(number)
        hits[number] = past._replace(text=mask_text(past.text))
    return with_hits(replace(found, query=mask_text(found.query)), tuple(hits))


def with_hits(found: Recall, hits: Pasts) -> Recall:
    """`found` with other `hits`, and without what they were found in."""
    near = len(found.here)
    return replace(found, shelves=(), here=hits[:near], elsewhere=hits[near:])


def _session(t: Transcript) -> Transcript:
    private = t.answers.private
    hidden = _marker(private) if private is not None else None
    return replace(
        t, answers=replace(t.answers, files=None, private=hidden), draft=mask_text(t.draft)
    )


def _marker(told: PrivateOutput) -> PrivateOutput:
    """In the place of a private command's output: how many lines it had."""
    lines = len(told.output.splitlines()) if told.lines is None else told.lines
    return PrivateOutput(
        said=told.said, output=f"{lines} line{'s' * (lines != 1)}, not recorded", lines=lines
    )
