"""Overlays as numbered lists, and the keys that a typed line stands for."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from agent_tui import registry
from agent_tui.protocol.display import TodoDisplay
from agent_tui.structures import late
from agent_tui.tui import sheets
from agent_tui.tui.linear.displays import display_lines
from agent_tui.tui.linear.keys import REAL, UNSEEN
from agent_tui.tui.model import Model, Overlay
from agent_tui.tui.picker import Entry
from agent_tui.tui.regions import OverlayView
from agent_tui.tui.sheets import draw
from agent_tui.tui.update import pulling, setup_steps
from agent_tui.tui.update.overlay import FIRST_RUN
from agent_tui.tui.view.sheets import overlay_view

if TYPE_CHECKING:
    from agent_tui.tui.update import setup_rows
else:
    setup_rows = registry.late("agent_tui.tui.update.setup_rows", warm=False)

GAP: Final = late.pattern(r" · |\s{2,}")
MOST: Final = 50
"""Entries of a list that are said; words find the others."""
PAGE: Final = 10
READ_ONLY: Final = frozenset(("private", "aside", "paste", "todo", "pull"))
"""Sheets with nothing to choose: a line that is meant for the model closes them."""
HINTS: Final = {
    "first_run": "Type k, a, r, d or q, or /models, or /model and a name.",
    "aside": "Type c to copy it, or go on.",
    "pull": "Type y to start it, or an empty line to leave.",
    "setup": "Type a number to choose, k and a number to type a key for it, words to search, or an empty line to go "
    "back.",
    "private": "Type an empty line to go on.",
    "paste": "Type an empty line to go on.",
    "todo": "Type an empty line to go on.",
    "copy": "Type a number or letter to copy it, w and it to write it to a file, or an empty line to close.",
    "going_back": "Type a file's number to switch it, a to switch all files, the number of an action, or an "
    "empty line to cancel.",
    "resume": "Type a number to open it, r and a number to rename it, d and a number to delete it, all for all "
    "folders, words to search, or an empty line to close.",
    "queue": "Type e (edit), d (remove), s (send now), i (interrupt and send), u (up) or l (lower) and a number, "
    "p to pause or resume, or an empty line to close.",
    "settings": "Type a number to change that setting, r and a number to reset it, words to search, or an empty line "
    "to close.",
}  # fmt: skip
TYPED: Final = (
    "Each line is a prompt; while the agent works, it is queued. End a line with a backslash to continue it;",
    'the lines between two lines of """ are one prompt. !command runs a shell command. Ctrl+C interrupts;',
    "Ctrl+D on an empty line quits.",
)
PROVIDER: Final = "Type a number or a name to choose, k and a number to type a key for it, or an empty line to leave."
STEP: Final = "Type a number or a name to choose, or an empty line to go back."
"""Of the setup, where there is nothing to search."""
GROUPED: Final = frozenset(("stats", "resume"))
"""Lists whose groups are said."""
CHOOSE: Final = "Type a number to choose, words to search, or an empty line to close."

Press = tuple[str, str]
"""A key, and what it types."""


def signature(model: Model) -> Any:
    """What the said list depends on; another one: it is said again. None: it is not complete yet."""
    overlay = model.overlay
    if overlay is None:
        return None
    picker = overlay.picker
    if picker is not None:
        waits = overlay.query or (draw.still_waits(model, overlay) and not picker.count)
        shown = tuple(one.id or one.label for one in picker.shown[:MOST])
        return None if waits else (overlay.kind, picker.query, shown, overlay.confirming)
    match overlay.kind:
        case "aside":
            aside = model.aside
            return (aside.id, aside.state) if aside is not None and aside.state != "asking" else None
        case "pull":
            return ("pull", overlay.on) if pulling.state(model) == "down" else None
        case "going_back":
            going = model.going_back
            return (going.told, going.files, going.choices) if going is not None and going.told else None
        case "queue":
            return ("queue", model.listed, model.transcript.paused)
        case "setup":
            return None if setup_steps.waits(model) else replace(overlay, selected=0, shown_at=0.0)
        case "todo":
            return ("todo", model.transcript.todos)
        case "settings":
            return ("settings", overlay.filter) if model.configured.values else None
        case _:
            return (overlay.kind, overlay.note)


def sheet_lines(model: Model, overlay: Overlay) -> list[str]:
    """The overlay as lines: what it is called, what it says, and what can be chosen."""
    if asked := draw.question_of(overlay):
        return [f"{asked.partition('?')[0]}? Type yes, or an empty line to keep it."]
    if overlay.picker is not None:
        return _list(model, overlay, choices(overlay), hint(overlay))
    shown = overlay_view(model)
    if shown is None:
        return []
    if overlay.kind == "todo":
        return [f"{shown.title}:", *display_lines(TodoDisplay(model.transcript.todos)), hint(overlay)]
    said = _said(shown, 1 if overlay.kind == "queue" else 3 if overlay.kind == "settings" else None)
    lines = [f"{shown.title}:", *(said if overlay.kind not in ("settings", "copy") else [])]
    options = [option for option in shown.options if not option.heading]
    long = overlay.kind in ("settings", "setup")
    for number, option in enumerate(options[: MOST if long else None], 1):
        key = FIRST_RUN[number - 1].key if overlay.kind == "first_run" else ""
        key = key or (option.key if overlay.kind == "copy" and option.key else str(number))
        detail = _plain(option.detail)
        lines.append(f"{key}: {option.label}{f', {detail}' if detail else ''}")
    if len(options) > MOST and long:
        lines.append(f"and {len(options) - MOST} more; type words to find them")
    return [*lines, hint(overlay)]


def hint(overlay: Overlay) -> str:
    """What may be typed while it is open."""
    if overlay.setup is not None and overlay.setup.step != "model":
        return PROVIDER if overlay.setup.step == "provider" else STEP
    return HINTS.get(overlay.kind, CHOOSE)


def choices(overlay: Overlay) -> list[tuple[int, Entry]]:
    """What can be chosen here, each with its place in the list; what only a screen can do is left out."""
    assert overlay.picker is not None
    shown = enumerate(overlay.picker.shown)
    if overlay.picker.ordered:  # the newest are last: those are the ones to hear
        shown = enumerate(overlay.picker.shown[-MOST:], max(0, len(overlay.picker.shown) - MOST))
    found = [(at, one) for at, one in shown if one.id.removeprefix("command:") not in UNSEEN]
    if overlay.kind != "help":
        return found
    found = [(at, one) for at, one in found if one.id.removeprefix("command:") not in REAL]  # keys, told in TYPED
    return list({one.id: (at, one) for at, one in found if one.id}.values())  # a key here is a command: said once


def _list(model: Model, overlay: Overlay, found: list[tuple[int, Entry]], hinted: str) -> list[str]:
    assert overlay.picker is not None
    total = len(overlay.picker.shown)
    lines = [f"{sheets.find(overlay.kind).title_for(model, overlay)}:", *(TYPED if overlay.kind == "help" else [])]
    group = ""
    for number, (_, entry) in enumerate(found[:MOST], 1):
        if entry.group != group and overlay.kind in GROUPED:
            group = entry.group
            lines.append(f"{group}:")
        detail = _plain(entry.detail)
        lines.append(f"{number}: {entry.label}{f', {detail}' if detail else ''}")
    if not found:
        lines.append("empty")
    elif len(found) > MOST:
        lines.append(f"and {total - MOST} more; type words to find them")
    return [*lines, hinted]


def _plain(detail: str) -> str:
    """`detail` without what only divides it for the eye."""
    return GAP.sub(", ", detail.replace("✗", "").strip()).replace("≈", "about")


def _said(shown: OverlayView, most: int | None) -> list[str]:
    texts = [(len(line), "".join(span.text for span in line)) for line in shown.lines]
    lines = [text if spans == 1 and text[:1] in " +-" else _plain(text) for spans, text in texts][:most]
    below = [_plain("".join(span.text for span in line)) for line in shown.below]
    return [line for line in (*lines, *shown.text.split("\n"), *below) if line]


def presses(model: Model, overlay: Overlay, line: str) -> list[Press] | None:
    """The keys that `line` stands for; None: it is nothing that can be chosen here."""
    text = line.strip()
    if not text:
        return [("escape", "")] * (2 if overlay.filter else 1)
    if overlay.picker is not None:
        return _picked(overlay, text)
    word, _, rest = text.partition(" ")
    number = int(rest) if rest.strip().isascii() and rest.strip().isdecimal() else 0
    match overlay.kind:
        case "first_run":
            keys = {item.key for item in FIRST_RUN}
            return [(word, word)] if text in keys else None
        case "copy":
            return _copied(overlay, text)
        case "queue":
            return _queued(model, word, number or (int(word) if word.isdecimal() else 0))
        case "settings":
            return _set(text, word, number)
        case "going_back":
            if text in ("a", "all"):
                return [("a", "a")]
            rows = len(model.going_back.files) + len(model.going_back.offered) if model.going_back else 0
            at = int(text) if text.isascii() and text.isdecimal() else 0
            return [*_goto(at - 1, False), ("enter", "")] if 0 < at <= rows else None
        case "setup":
            return _set_up(model, overlay, text, word, number)
        case "pull" if text in ("y", "yes"):
            return [("enter", "")]
        case "aside" if text == "c":
            return [("c", "c"), ("escape", "")]
        case _:
            return None


def closing(model: Model, overlay: Overlay) -> list[Press]:
    """The keys that close it for a line that is meant for the model; what is fetched goes on."""
    if overlay.kind == "pull" and signature(model) is None:
        return [("enter", "")]
    if overlay.setup is not None:
        return [("escape", "")] * setup_steps.depth(overlay.setup)
    return [("escape", "")] * (2 if overlay.filter else 1)


def _picked(overlay: Overlay, text: str) -> list[Press] | None:
    found = choices(overlay)
    if overlay.kind == "resume" and (own := _of_session(overlay, text)) is not None:
        return own
    if text.isascii() and text.isdecimal():
        at = int(text) - 1
        return [*_goto(found[at][0]), ("enter", "")] if 0 <= at < min(len(found), MOST) else None
    return [("ctrl+u", ""), (text, text)]


def _of_session(overlay: Overlay, text: str) -> list[Press] | None:
    """What only the list of sessions knows: a name, an end, all folders."""
    assert overlay.picker is not None
    if overlay.confirming is not None:
        return [("enter", "") if text.lower() in ("y", "yes") else ("escape", "")]
    word, _, rest = text.partition(" ")
    number = int(rest) if rest.isascii() and rest.isdecimal() else 0
    if word in ("r", "d") and 0 < number <= len(overlay.picker.shown):
        return [*_goto(number - 1), ("f2" if word == "r" else "delete", "")]
    return [("ctrl+a", "")] if text == "all" else None


def _goto(place: int, pages: bool = True) -> list[Press]:
    """From the first entry to number `place`."""
    if not pages:
        return [("home", ""), *[("down", "")] * place]
    return [("home", ""), *[("pagedown", "")] * (place // PAGE), *[("down", "")] * (place % PAGE)]


def _copied(overlay: Overlay, text: str) -> list[Press] | None:
    writes = text.startswith("w ")
    key = text[2:].strip() if writes else text
    at = next((n for n, source in enumerate(overlay.sources) if source.key == key), -1)
    if at < 0 or not key:
        return None
    moves = [("down", "")] * ((at - overlay.selected) % len(overlay.sources))
    return [*moves, ("w", "w") if writes else ("enter", "")]


def _queued(model: Model, word: str, number: int) -> list[Press] | None:
    if word == "p":
        return [("p", "p")]
    act = {"e": ("e", "e"), "d": ("d", "d"), "s": ("s", "s"), "i": ("i", "i"), "u": ("alt+up", ""),
           "l": ("alt+down", "")}.get(word if not word.isdecimal() else "e")  # fmt: skip
    if act is None or not 1 <= number <= len(model.listed):
        return None
    return [("home", ""), *[("down", "")] * (number - 1), act]


def _set_up(model: Model, overlay: Overlay, text: str, word: str, number: int) -> list[Press] | None:
    if overlay.setup is None:
        return None
    step, shown = overlay.setup.step, setup_rows.rows(model, overlay.setup)
    if text.isascii() and text.isdecimal():
        return [*_goto(int(text) - 1), ("enter", "")] if 0 < int(text) <= len(shown) else None
    if word == "k" and (number or text == "k") and step in ("provider", "model"):
        return [*_goto(max(0, number - 1)), ("f2", "")]
    if step == "model":
        return [("ctrl+u", ""), (text, text)]
    named = [at for at, one in enumerate(shown) if text.lower() in (one.id, one.label.lower())]
    return [*_goto(named[0]), ("enter", "")] if named else None


def _set(text: str, word: str, number: int) -> list[Press]:
    if text.isascii() and text.isdecimal() and int(text) >= 1:
        return [*_goto(int(text) - 1), ("enter", "")]
    if word == "r" and number:
        return [*_goto(number - 1), ("delete", "")]
    return [("ctrl+u", ""), (text, text)]
