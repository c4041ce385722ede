"""What is said at each step of setting up a provider, above its list or its field, between borders
that are `inner` cells apart."""

from __future__ import annotations

from typing import Final

from agent_tui.protocol.answers import PullProgress, SetupOffers, SetupOutcome
from agent_tui.tui.core.memo import lazy
from agent_tui.tui.core.regions import Span
from agent_tui.tui.core.setup_state import SettingUp
from agent_tui.tui.core.words import one_line
from agent_tui.tui.screen.model_words import progress
from agent_tui.tui.sheets import Lines

LONGEST: Final = 300
"""Characters of what a server says."""
NARROW: Final = 50
BLANK: Final[tuple[Span, ...]] = ()
NOT_YET: Final = "Nothing is saved before the last step."


@lazy
def step_lines(
    state: SettingUp,
    all_of_them: SetupOffers | None,
    found: SetupOutcome,
    pull: PullProgress | None,
    down: bool,
    inner: int,
) -> Lines:
    note: Lines = ((Span("✗  ", "bad"), Span(one_line(state.note, LONGEST))),) if state.note else ()
    match state.step:
        case "provider":
            said = (
                "checking which of them answer …"
                if all_of_them is None or all_of_them.looking
                else NOT_YET
            )
            return ((Span("Whose models do you want to use?"),), (Span(said, "dim"),))
        case "address":
            said = "It speaks Ollama's API or OpenAI's, such as llama.cpp, vLLM or a gateway."
            about = said if not state.provider else f"The address of {state.label} is needed."
            return (*note, (Span(about),), (Span("Type the address below.", "dim"),))
        case "key":
            first = f"Type the key for {state.label} below; paste works too."
            return (
                *note,
                *((BLANK,) if note else ()),
                (Span(first),),
                (Span(_unseen(inner), "dim"),),
            )
        case "asking":
            waits = found.state == "starting"
            what = (
                "starting Ollama …"
                if waits
                else f"asking {state.address or state.label} for its models …"
            )
            return ((Span(what),),)
        case "failed":
            return _failure(state, found)
        case "model":
            return _models(state, found)
        case "pull":
            said = "Ollama's library lists the names, such as qwen3:8b or llama3.1."
            return (
                *note,
                (Span("Type the name of the model to download below."),),
                (Span(said, "dim"),),
            )
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
    return (
        "It stays hidden, and is saved only if it works."
        if inner >= NARROW
        else "Saved only if it works."
    )


def _failure(state: SettingUp, found: SetupOutcome) -> Lines:
    """What went wrong, and what to do about it."""
    said = one_line(state.note or found.said, LONGEST)
    hint = "" if state.note else one_line(found.hint, LONGEST)
    if found.state == "down" and not state.note:
        hint = "it is installed and can be started"
    lines: Lines = ((Span("✗  ", "bad"), Span(said)),)
    return (*lines, (Span("   "), Span(hint, "dim"))) if hint else lines


def _models(state: SettingUp, found: SetupOutcome) -> Lines:
    number = len(found.models)
    where = f" at {state.address}" if state.address else ""
    offers = (
        f"offers {number} models"
        if number > 1
        else "offers 1 model"
        if number
        else "answers, but lists no models"
    )
    return (
        (Span("✓  ", "good" if number else "warning"), Span(f"{state.label}{where} {offers}.")),
    )


def _summary(state: SettingUp, keyring: bool = False, place: bool = True) -> Lines:
    told: list[tuple[Span, ...]] = [(Span("Model    ", "dim"), Span(state.model))]
    if state.address:
        told.append((Span("Server   ", "dim"), Span(state.address)))
    if state.keyed and place:
        where = (
            "in the keyring"
            if keyring and state.place != "file"
            else "in credentials.toml, only for you"
        )
        told.append((Span("Key      ", "dim"), Span(where)))
    return tuple(told)
