"""The sheet that shows what going back would do: each file, the differences, and what may be chosen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from agent_tui.protocol.display import DiffDisplay
from agent_tui.structures import mention
from agent_tui.structures.visible import visible
from agent_tui.tui.going_back import GoingBack, OldFile
from agent_tui.tui.model import Overlay
from agent_tui.tui.regions import FooterView, Option, OverlayView, Span, Tone
from agent_tui.tui.view.lazy import lazy
from agent_tui.tui.view.words import one_line
from agent_tui.tui.wording import count

DRAWN: Final = 1_500
"""Lines of differences up to which they are drawn as in the transcript; more would keep keys waiting."""
LINES: Final = 4_000
"""Lines of differences that can be scrolled to."""
CHARS: Final = 300
"""Characters of each."""
TONES: Final[Mapping[str, Tone]] = {"+": "good", "-": "bad"}
CHOICES: Final = {
    "": "not chosen yet", "keep": "keep it as it is now", "restore": "restore the old one",
    "both": "both: the old one beside it",
}  # fmt: skip
ACTIONS: Final = {
    "both": ("code and conversation", "files, and all said since"),
    "code": ("code", "the files only"),
    "conversation": ("conversation", "what was said only"),
}
REDONE: Final = {
    "code": ("code", "the files, changed again"),
    "conversation": ("conversation", "as it was, in a new session"),
}
NONE: Final = "These turns changed no file"

Lines = list[tuple[Span, ...]]


@lazy
def going_back_view(overlay: Overlay, going: GoingBack | None) -> OverlayView | None:
    if going is None:
        return None
    about = one_line(visible(mention.shown(going.prompt)), 50)
    name = "Redo" if going.redo else "Go back to before" if going.to else "Undo"
    title = f"{name}: {about}" if about and not (going.redo and not going.files) else name
    if not going.told:
        return OverlayView(title, ((Span("looking …", "dim"),),), footer="Esc closes")
    head, rest = _head(going), _differences(going)
    options, places = _options(going)
    selected = places[min(overlay.selected, len(places) - 1)] if places else 0
    diffs = tuple(DiffDisplay(file.path, file.diff) for file in going.chosen if file.diff) if len(rest) < DRAWN else ()
    return OverlayView(
        title, (*head, *rest), tuple(options), selected, "Esc leaves all as it is", scroll=overlay.scroll,
        diffs=diffs, told=len(head) if diffs else 0, broad=True,
    )  # fmt: skip


def _head(going: GoingBack) -> Lines:
    """How many files, which, and what is left out."""
    if not going.files:
        none = "What these turns changed in files is taken back already" if going.changed else NONE
        return [(Span("No file needs to change." if going.redo else f"{none}: only what was said goes back."),)]
    lines: Lines = [(Span(_summary(going)),)]
    for file in going.chosen:
        why = (Span(f"  {one_line(visible(file.why), 100)}", "warning"),) if file.why else ()
        fate = _fate(going, file)
        told = (Span(fate, "dim"),) if fate else ()
        lines.append((Span(f"  {one_line(visible(file.path), 80)}", "accent"), *_size(file), *told, *why))
    return lines + [(Span(note, "warning"),) for note in going.caps]


def _size(file: OldFile) -> tuple[Span, ...]:
    """How many lines come and go, in the colours of the differences below; none of a kind is not told."""
    counts: tuple[tuple[str, int, Tone], ...] = (("+", file.added, "good"), ("−", file.removed, "bad"))
    told = [Span(f" {sign}{lines:,}", tone) for sign, lines, tone in counts if lines and file.diff]
    return (Span(" "), *told) if told else ()


def _summary(going: GoingBack) -> str:
    """What would become of how many files."""
    changing = sum(not going.stays(file) for file in going.files)
    beside = sum(choice == "both" for choice in going.choices.values())
    said = f"{count(changing, 'file')} would change" if changing else "No file would change"
    more = f", {count(beside, going.version)} would be written beside" if beside else ""
    return f"{said}{more}. Nothing is written yet."


def _fate(going: GoingBack, file: OldFile) -> str:
    if going.stays(file):
        beside = going.choices.get(file.path) == "both"
        return f"  is left as it is, its {going.version} beside it" if beside else "  is left as it is"
    return "  would be deleted" if file.goes else "  would come back" if file.comes else ""


def _differences(going: GoingBack) -> Lines:
    lines: Lines = []
    for file in going.chosen:
        if file.diff:
            lines += [(), (Span(one_line(visible(file.path), 80), "accent"),), *_diff(file)]
    left = len(lines) - LINES
    return [*lines[:LINES], (Span(f"… {left:,} more lines", "dim"),)] if left > 0 else lines


def _diff(file: OldFile) -> Iterator[tuple[Span, ...]]:
    for number, hunk in enumerate(file.diff):
        if number:
            yield (Span("⋯", "dim"),)
        for line in hunk.lines:
            text = visible(line.expandtabs(4))
            cut = text if len(text) <= CHARS else f"{text[:CHARS]}…"
            yield (Span(cut or " ", TONES.get(line[:1], "dim")),)


def _options(going: GoingBack) -> tuple[list[Option], list[int]]:
    """The lines to choose from, and which of them the cursor can be on."""
    options: list[Option] = []
    if going.asked:
        options.append(Option("", "Changed since: Enter chooses for each", tone="dim", heading=True))
    for file in going.asked:
        choice = going.choices.get(file.path, "")
        tone: Tone = "normal" if choice else "warning"
        options.append(Option("", one_line(visible(file.path), 40), CHOICES[choice], tone=tone))
    if going.asked and going.offered:
        options.append(Option("", "Redo" if going.redo else "Take back", tone="dim", heading=True))
    for what in going.offered:
        label, detail = (REDONE if going.redo else ACTIONS)[what]
        options.append(Option("", label, detail))
    return options, [place for place, option in enumerate(options) if not option.heading]


@lazy
def going_back_footer(told: bool) -> FooterView:
    close = ("Esc", "leave")
    return FooterView((("↑↓", "choose"), ("Enter", "take"), ("PgUp/PgDn", "read"), close) if told else (close,))
