"""The sheets of setting up a provider."""

from __future__ import annotations

from typing import Final

from agent_tui.protocol.answers import PullProgress, SetupOffers, SetupOutcome
from agent_tui.tui.model import Model, Overlay
from agent_tui.tui.picker import Entry
from agent_tui.tui.regions import FooterView, Option, OverlayView, Span, sheet_room
from agent_tui.tui.setting_up import SettingUp, Step
from agent_tui.tui.update import pulling
from agent_tui.tui.update.setup_rows import keyed as keyed
from agent_tui.tui.update.setup_rows import outcome, overview, rows
from agent_tui.tui.view.lazy import lazy
from agent_tui.tui.view.pulling import is_down, progress
from agent_tui.tui.view.words import one_line

Line = tuple[Span, ...]
BLANK: Final[Line] = ()
LINES: Final = 12
AROUND: Final = 10
"""Lines of the screen beside the shortest sheet."""
LISTS: Final = ("provider", "model")
"""Steps with so many choices that PgUp and PgDn are theirs."""
LONGEST: Final = 300
"""Characters of what a server says."""
NARROW: Final = 50
NAME_CELLS: Final = 30
"""Cells of a name, so that what is said of it has its place beside it."""
KEPT: Final = "Nothing is saved before the last step."


def setup_view(model: Model, overlay: Overlay) -> OverlayView | None:
    state = overlay.setup
    if state is None:
        return None
    shown = rows(model, state)
    return _sheet(
        state, shown, overview(model), outcome(model), pulling.told(model), is_down(model), model.width, model.height,
        overlay.scroll,
    )  # fmt: skip


@lazy
def _sheet(
    state: SettingUp, shown: tuple[Entry, ...], all_of_them: SetupOffers | None, found: SetupOutcome,
    pull: PullProgress | None, down: bool, width: int, height: int, scroll: int,
) -> OverlayView:  # fmt: skip
    inner = sheet_room(width)
    title = f"Set up {one_line(state.label, 30)}" if state.label and state.back else "Set up a provider"
    options, selected = _options(shown, state, inner)
    if state.step == "pulling" and down:
        options = (Option("Enter", "start `ollama serve`", "keeps running after agent-tui"),)
    lines = _lines(state, all_of_them, found, pull, down, inner)
    options = (*options, *_filled(sum(_high(line, inner) for line in lines) + len(options) + 1, height))
    leaves = "Esc closes" if state.back is None else "Esc goes back"
    if len(shown) > LINES // 2:  # perhaps not all of it is in view
        leaves = f"{min(state.at, len(shown) - 1) + 1} of {len(shown)} · {leaves}"
    return OverlayView(title, lines, options, selected, leaves, scroll, reads=state.step not in LISTS)


def _high(line: Line, inner: int) -> int:
    """About so many lines of the sheet it takes."""
    return max(1, -(-sum(len(span.text) for span in line) // inner))


def _filled(lines: int, height: int) -> tuple[Option, ...]:
    """What makes a short step as high as the others: the sheet stays where it is from one to the next."""
    return (Option("", "", heading=True),) * (min(LINES, height - AROUND) - lines)


def _lines(
    state: SettingUp, all_of_them: SetupOffers | None, found: SetupOutcome, pull: PullProgress | None, down: bool,
    inner: int,
) -> tuple[Line, ...]:  # fmt: skip
    note: tuple[Line, ...] = ((Span("✗  ", "bad"), Span(one_line(state.note, LONGEST))),) if state.note else ()
    match state.step:
        case "provider":
            said = "checking which of them answer …" if all_of_them is None or all_of_them.looking else KEPT
            return ((Span("Whose models do you want to use?"),), (Span(said, "dim"),))
        case "address":
            said = "It speaks Ollama's API or OpenAI's, such as llama.cpp, vLLM or a gateway."
            about = said if state.provider in ("", "compatible") else f"The address of {state.label} is needed."
            return (*note, (Span(about),), (Span("Type the address below.", "dim"),))
        case "key":
            first = f"Type the key for {state.label} below; paste works too."
            return (*note, *((BLANK,) if note else ()), (Span(first),), (Span(_unseen(inner), "dim"),))
        case "asking":
            waits = found.state == "starting"
            what = "starting Ollama …" if waits else f"asking {state.address or state.label} for its models …"
            return ((Span(what),), (Span("Esc stops it.", "dim"),))
        case "failed":
            return _failure(state, found)
        case "model":
            return _models(state, found)
        case "pull":
            said = "Ollama's library lists the names, such as qwen3:8b or llama3.1."
            return (*note, (Span("Type the name of the model to download below."),), (Span(said, "dim"),))
        case "pulling" if down:
            said = one_line(pull.said if pull is not None else "", LONGEST)
            return ((Span(f"{said}. It is installed and can be started."),),)
        case "pulling":
            name = (Span("Downloading "), Span(one_line(state.model, inner - 13), "accent"))
            return (name, BLANK, *progress(pull, inner))
        case "place":
            return (*_summary(state, place=False), BLANK, (Span("Where should the key be saved?"),))
        case "scope":
            return (
                *_summary(state, all_of_them is not None and all_of_them.keyring),
                BLANK,
                (Span("Where should this be your model?"),),
            )
        case "keeping":
            return ((Span(f"testing {state.model}, then saving it …"),),)


def _unseen(inner: int) -> str:
    return "It stays hidden, and is saved only if it works." if inner >= NARROW else "Saved only if it works."


def _failure(state: SettingUp, found: SetupOutcome) -> tuple[Line, ...]:
    """What went wrong, and what to do about it."""
    said = one_line(state.note or found.said, LONGEST)
    hint = "" if state.note else one_line(found.hint, LONGEST)
    if found.state == "down" and not state.note:
        hint = "it is installed and can be started"
    lines: tuple[Line, ...] = ((Span("✗  ", "bad"), Span(said)),)
    return (*lines, (Span("   "), Span(hint, "dim"))) if hint else lines


def _models(state: SettingUp, found: SetupOutcome) -> tuple[Line, ...]:
    number = len(found.models)
    where = f" at {state.address}" if state.address else ""
    offers = f"offers {number} models" if number > 1 else "offers 1 model" if number else "answers, but lists no models"
    head = (Span("✓  ", "good" if number else "warning"), Span(f"{state.label}{where} {offers}."))
    if state.query:
        return (head, (Span("   "), Span("search: ", "dim"), Span(f"{state.query}▏", "accent")))
    return (head, (Span("   "), Span("type to search, or another name" if number else "type a name", "dim")))


def _summary(state: SettingUp, keyring: bool = False, place: bool = True) -> tuple[Line, ...]:
    told: list[Line] = [(Span("Model    ", "dim"), Span(state.model))]
    if state.address:
        told.append((Span("Server   ", "dim"), Span(state.address)))
    if state.keyed and place:
        where = "in the keyring" if keyring and state.place != "file" else "in credentials.toml, only for you"
        told.append((Span("Key      ", "dim"), Span(where)))
    return tuple(told)


def _options(shown: tuple[Entry, ...], state: SettingUp, inner: int) -> tuple[tuple[Option, ...], int]:
    """The rows; a group begins with its name."""
    options: list[Option] = []
    selected, group = -1, ""
    cells = NAME_CELLS if inner >= NARROW else max(8, inner // 2 - 2)
    for number, entry in enumerate(shown):
        if entry.group != group:
            group = entry.group
            options.append(Option("", group, tone="dim", heading=True))
        if number == min(state.at, len(shown) - 1):
            selected = len(options)
        options.append(
            Option("", one_line(entry.label, cells if entry.detail else inner - 2), entry.detail, entry.tone)
        )
    return tuple(options), selected


@lazy
def setup_footer(step: Step, down: bool, keyed: bool) -> FooterView:
    """`keyed`: what is chosen takes a key."""
    back = ("Esc", "close" if step == "provider" else "back")
    match step:
        case "provider" if keyed:
            return FooterView((("↑↓", "choose"), ("Enter", "take"), ("F2", "type a key"), back))
        case "model" if keyed:
            return FooterView((("↑↓", "choose"), ("Enter", "take"), ("F2", "type another key"), back))
        case "pulling" if down:
            return FooterView((("Enter", "start Ollama"), back))
        case "asking" | "pulling":
            return FooterView((("Esc", "stop"),))
        case "keeping":
            return FooterView((("Esc", "close"),))
        case _:
            return FooterView((("↑↓", "choose"), ("Enter", "take"), back))
