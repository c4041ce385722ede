"""What holds for every sheet, and for what stands around the prompt, at every size: nothing is
wider than the screen, no key is without its words or named twice, no word is cut."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import pytest
from rich.cells import cell_len
from textual.pilot import Pilot

from agent_tui.tui import sheets
from agent_tui.tui.core import msg
from agent_tui.tui.core.model import Model
from agent_tui.tui.runtime.app import AgentApp
from agent_tui.tui.view import view
from tests.tui.gallery import AROUND, SHEETS
from tests.tui.play import words
from tests.tui.stage import play, text
from tests.tui.story import NOW, Unheard

PICTURES: Final = SHEETS | AROUND
SIZES: Final = ((40, 14), (60, 20), (80, 24), (100, 30), (160, 48))
KEYS: Final = {"help", "palette", "settings", "settings, searched"}
"""Their rows tell of keys."""
CODE: Final = {"copy", "files", "undo", "undo, a choice", "a change is asked", "a search"}
"""Lines of code are cut wherever their room ends."""
EDGE: Final = " ─ "


@dataclass(frozen=True)
class Seen:
    """A picture as it is drawn: `below` are the header and all that is not the transcript."""

    name: str
    model: Model
    lines: list[str]
    size: tuple[int, int]

    @property
    def edge(self) -> str:
        return next((line for line in self.lines if line.startswith(EDGE)), "")

    @property
    def below(self) -> list[str]:
        first = self.lines.index(self.edge) if self.edge else len(self.lines) - 9
        return [self.lines[0], *self.lines[first:]]


def fits(seen: Seen) -> None:
    width, height = seen.size
    assert len(seen.lines) == height and max(map(cell_len, seen.lines)) <= width
    assert seen.lines[-1].strip(), "the footer stands in the last line"


def says_what_its_keys_do(seen: Seen) -> None:
    footer, left = view(seen.model).footer, seen.lines[-1]
    for key, what in footer.keys:
        assert what, key
        left = left.replace(f"{key} {what}", "", 1)
    assert not left.replace(footer.note, "").strip(), "a key without its words"


def names_no_key_twice(seen: Seen) -> None:
    shown = view(seen.model)
    stop = shown.status.spans[-1].text if shown.status is not None else ""
    keys = [key for key, _ in shown.footer.keys] + ["Esc"] * stop.startswith("Esc ")
    assert len(keys) == len(set(keys)), keys
    said = "\n".join(seen.below)
    for key in keys if seen.name not in KEYS else ():
        found = re.findall(rf"(?<![\w+]){re.escape(key)}(?![\w+])", said)
        assert len(found) <= 1 or len(key) == 1, key


def says_a_fact_of_the_queue_once(seen: Seen) -> None:
    said = "\n".join(seen.below).lower()
    assert said.count("paused") <= 1 and said.count("(3)") <= 1


def counts_once(seen: Seen) -> None:
    turned = re.sub(r"\d+–\d+ of \d+", "", seen.edge)
    assert len(re.findall(r"\d+ of \d+|\d+ more|in all", turned)) <= 1
    assert "1 of" not in turned or not seen.name.startswith("setup"), "it would count the steps"


def cuts_no_word(seen: Seen) -> None:
    """A name that is longer than its room is; words are cut between two."""
    source = " ".join(all_words(seen.model)).split()
    for line in seen.below if seen.name not in CODE and seen.size[0] >= 60 else ():
        for before, end in re.findall(r"(\S+) ([^\W\d]+)…", line):
            longer = any(one.startswith(end) and one != end for one in source)
            assert end in source or not longer or not before.isalpha(), line


def leaves_no_heading_alone(seen: Seen) -> None:
    """A heading of a list has a row below it."""
    shown = view(seen.model).overlay
    heads = (
        {one.label for one in shown.options if one.heading and one.label}
        if shown is not None
        else set()
    )
    rows = [line.strip() for line in seen.below]
    for head, row in pairwise(rows):
        assert row or head not in heads, head


RULES: Final = (
    fits,
    says_what_its_keys_do,
    names_no_key_twice,
    says_a_fact_of_the_queue_once,
    counts_once,
    cuts_no_word,
    leaves_no_heading_alone,
)


def test_the_gallery_has_every_sheet() -> None:
    assert set(SHEETS) == set(sheets.names())
    for name, picture in SHEETS.items():
        overlay = picture().overlay
        assert overlay is not None and overlay.kind == name


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_every_picture_keeps_the_rules(size: tuple[int, int]) -> None:
    broken: list[str] = []

    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        app.poll = lambda: None  # type: ignore[method-assign]
        for name, picture in PICTURES.items():
            app.model = picture()
            app.dispatch(msg.Resized(at=NOW + 100, width=size[0], height=size[1]))
            await pilot.pause()
            await pilot.pause()
            broken.extend(_broken(Seen(name, app.model, text(app).split("\n"), size)))

    play(Unheard(), steps, size=size)
    assert not broken, "\n\n".join(broken)


def _broken(seen: Seen) -> Iterator[str]:
    for rule in RULES:
        try:
            rule(seen)
        except AssertionError as error:
            said = str(error).partition("\n")[0]
            yield "\n".join([f"{rule.__name__}: {seen.name}: {said}", *seen.below])


def all_words(model: Model) -> list[str]:
    """What the picture is made of, before anything is cut."""
    shown, overlay = view(model), model.overlay
    rows = overlay.picker.entries if overlay is not None and overlay.picker is not None else ()
    said = [part for one in rows for part in (one.label, one.value, one.detail, one.about)]
    if shown.overlay is not None:
        said += [words(line) for line in shown.overlay.lines]
        said += [shown.overlay.title, shown.overlay.note]
    return [*said, *(item.text for item in model.transcript.queue)]
