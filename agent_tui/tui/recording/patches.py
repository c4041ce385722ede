"""What is written beside a Msg of the lists that come from outside the session: only what was shown
of them.

`h`: how many earlier prompts there are, which of them stands in the prompt, and its words. `f`: the
files under an
`@`. `k`: those in the list of files. `r`: the search of earlier prompts, how many it found in this
folder and in all,
and from which one on they were shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from agent_tui.structures.frozen import frozen
from agent_tui.structures.plain import rebuild, to_plain
from agent_tui.tui.core.history_search import Recall
from agent_tui.tui.core.model import Model
from agent_tui.tui.core.picker import Picker
from agent_tui.tui.core.prompt_state import Finder
from agent_tui.tui.prompt.history_prompt import hits_in_view
from agent_tui.tui.recording import masked
from agent_tui.tui.recording.classes import classes


@frozen
class Patch:
    """`history`: the number of earlier prompts, the place of the one that is shown (negative:
    none), and its words. None: nothing is to be put in."""

    history: tuple[int, int, str] | None = None
    finder: Finder | None = None
    picker: Picker | None = None
    recall: Recall | None = None


NOTHING = Patch()
MOST: Final = 100_000
"""Earlier prompts that a recording may count: as many are made anew of it."""


def write_patch(before: Model, after: Model) -> dict[str, Any]:
    """What a line says beside the Msg that made `after` of `before`."""
    data: dict[str, Any] = {}
    mine, old = after.composer, before.composer
    if mine.history is not old.history or (mine.browsing != old.browsing and mine.browsing >= 0):
        shown = mine.history[mine.browsing] if mine.browsing >= 0 else ""
        data["h"] = [len(mine.history), mine.browsing, masked.mask_text(shown)]
    if after.finder is not None and after.finder is not before.finder:
        data["f"] = to_plain(replace(after.finder, matches=None, recent=()), masked.mask_text)
    picker, seen = _files(after), _files(before)
    if picker is not None and picker is not seen:
        data["k"] = to_plain(replace(picker, files=None, entries=()), masked.mask_text)
    if after.recall is not None and (
        after.recall is not before.recall or after.height != before.height
    ):
        data["r"] = _written(after.recall, after.height)
    return data


def _written(found: Recall, height: int) -> list[Any]:
    hits = hits_in_view(found, height)
    bare = replace(masked.with_hits(found, ()), query="")  # it is what the prompt says
    return [
        to_plain(bare, masked.mask_text),
        len(found.here),
        found.total,
        hits.start,
        *(to_plain(found.hit_at(number), masked.mask_text) for number in hits),
    ]


def read(data: Mapping[str, Any]) -> Patch:
    """What a line says. Raises ValueError, LookupError and TypeError for what was never written."""
    history = (int(data["h"][0]), int(data["h"][1]), str(data["h"][2])) if "h" in data else None
    if history is not None and not 0 <= history[0] <= MOST:
        raise ValueError("more earlier prompts than are ever kept")
    finder = rebuild(data["f"], classes()) if "f" in data else None
    picker = rebuild(data["k"], classes()) if "k" in data else None
    patch = Patch(history, finder, picker, _recall(*data["r"]) if "r" in data else None)
    return patch if patch != NOTHING else NOTHING


def _recall(bare: Any, near: int, total: int, first: int, *seen: Any) -> Recall:
    """What `_written` wrote. Raises ValueError for more than there can be."""
    found = rebuild(bare, classes())
    if (
        not 0 <= near <= total <= MOST
        or not 0 <= first <= total - len(seen)
        or not 0 <= found.selected < max(1, total)
    ):
        raise ValueError("earlier prompts that are not there")
    hits = [masked.UNSEEN] * total
    hits[first : first + len(seen)] = [rebuild(past, classes()) for past in seen]
    made: Recall = replace(found, here=tuple(hits[:near]), elsewhere=tuple(hits[near:]))
    return made


def apply_patch(model: Model, patch: Patch) -> Model:
    """`model` with what was shown of the outside."""
    if patch is NOTHING:
        return model
    if patch.history is not None:
        model = apply_remembered(model, patch)
        model = replace(model, composer=replace(model.composer, browsing=patch.history[1]))
    if patch.finder is not None:
        model = replace(model, finder=patch.finder)
    if patch.recall is not None and model.recall is not None:
        model = replace(model, recall=replace(patch.recall, query=model.composer.draft.lower()))
    if patch.picker is not None and model.overlay is not None:
        model = replace(model, overlay=replace(model.overlay, picker=patch.picker))
    return model


def apply_remembered(model: Model, patch: Patch) -> Model:
    """`model` with the earlier prompt that a key is about to put into the prompt."""
    if patch.history is None:
        return model
    size, at, shown = patch.history
    prompts = [""] * size
    if 0 <= at < size:
        prompts[at] = shown
    return replace(model, composer=replace(model.composer, history=tuple(prompts)))


def _files(model: Model) -> Picker | None:
    picker = model.overlay.picker if model.overlay is not None else None
    return picker if picker is not None and picker.files is not None else None
