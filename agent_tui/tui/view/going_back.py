"""The sheet that shows what going back would do: each file, the differences, and what may be chosen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from agent_tui.protocol.answers import OldFile
from agent_tui.protocol.display import DiffDisplay
from agent_tui.structures import mention
from agent_tui.structures.visible import visible
from agent_tui.tui.going_back import GoingBack
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
MARKS: Final = {"": "[?]", "keep": "[ ]", "restore": "[x]", "both": "[+]"}
ACTIONS: Final = {
    "both": ("code and conversation", "files and messages"),
    "code": ("code", "the files only"),
    "conversation": ("conversation", "messages only"),
}
REDONE: Final = {
    "code": ("code", "the files, changed again"),
    "conversation": ("conversation", "as before, in a new session"),
}
NONE: Final = "These turns left no file changed"
UNDONE: Final = "The file changes of these turns are already undone"
FILES: Final = "Files: Space switches one, a all"

Lines = list[tuple[Span, ...]]


@lazy
def going_back_view(overlay: Overlay, going: GoingBack | None) -> OverlayView | None:
    if going is None:
        return None
    about = one_line(visible(mention.shown(going.prompt)), 50)
    name = "Redo" if going.redo else "Go back to before" if going.to else "Undo"
    title = f"{name}: {about}" if about and not (going.redo and not going.files) else name
    if not going.told:
        return OverlayView(title, ((Span("looking …", "dim"),),), footer="Esc cancels")
    head, rest = _head(going), _differences(going)
    options, places = _options(going)
    selected = places[min(overlay.selected, len(places) - 1)] if places else 0
    diffs = tuple(DiffDisplay(file.path, file.diff) for file in going.looked_at) if len(rest) < DRAWN else ()
    return OverlayView(
        title, (*head, *rest), tuple(options), selected, "Esc cancels", scroll=overlay.scroll,
        diffs=diffs, told=len(head) if diffs else 0, broad=True, reads=True,
    )  # fmt: skip


def _head(going: GoingBack) -> Lines:
    """What would be done, and what undo cannot reach or show."""
    notes: Lines = [(Span(note, "warning"),) for note in going.caps]
    if going.files:
        return [(Span(_summary(going)),), *notes]
    none = UNDONE if going.undone else NONE
    said = "No file needs to change." if going.redo else f"{none}: only the conversation goes back."
    return [(Span(said),), *notes]


def _summary(going: GoingBack) -> str:
    """What would become of how many files, in the words that say afterwards what was done."""
    chosen = [(going.choice(file), file) for file in going.files]
    restored = [file for choice, file in chosen if choice == "restore"]
    gone = sum(file.goes for file in restored)
    there, kept = len(restored) - gone, sum(choice == "keep" for choice, _ in chosen)
    beside, unsaid = sum(choice == "both" for choice, _ in chosen), sum(not choice for choice, _ in chosen)
    parts = [f"{'change' if going.redo else 'restore'} {count(there, 'file')}"] if there else []
    parts += [f"delete {count(gone, 'file')}"] if gone else []
    parts += [f"write {count(beside, going.version)} beside"] if beside else []
    parts += [f"keep {count(kept, 'file')} unchanged"] if kept else []
    parts += [f"{count(unsaid, 'file')} to decide about"] if unsaid else []
    said = ", ".join(parts)
    return f"{said[:1].upper()}{said[1:]}. Nothing is written yet."


def _fate(going: GoingBack, file: OldFile) -> str:
    """The words beside a file: what becomes of it, how many lines come and go, and what there is to know."""
    choice = going.choice(file)
    restored = "deleted" if file.goes else "restored" if file.comes else ""
    fate = {"": "choose what happens", "keep": "kept", "both": f"kept, {going.version} beside it"}.get(choice, restored)
    counts = [f"{sign}{lines:,}" for sign, lines in (("+", file.added), ("-", file.removed)) if lines]
    why = one_line(visible(file.why), 100)
    return " · ".join(filter(None, (" ".join(counts), fate, why)))


def _differences(going: GoingBack) -> Lines:
    lines: Lines = []
    for file in going.looked_at:
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
    if going.files:
        options.append(Option("", FILES, tone="dim", heading=True))
    for file in going.files:
        choice = going.choice(file)
        tone: Tone = "normal" if choice == "restore" else "dim" if choice else "warning"
        name = f"{MARKS[choice]} {one_line(visible(file.path), 60)}"
        options.append(Option("", name, _fate(going, file), tone=tone))
    if going.files and going.offered:
        options.append(Option("", "Redo" if going.redo else "Undo", tone="dim", heading=True))
    for what in going.offered:
        label, detail = (REDONE if going.redo else ACTIONS)[what]
        options.append(Option("", label, detail))
    return options, [place for place, option in enumerate(options) if not option.heading]


@lazy
def going_back_footer(told: bool, files: bool) -> FooterView:
    close = ("Esc", "cancel")
    switches = (("Space", "switch"), ("a", "all")) if files else ()
    keys = (("Enter", "take"), ("↑↓", "move"), *switches, ("PgUp/PgDn", "read"), close)
    return FooterView(keys if told else (close,))
