"""Of models in words: how it stands with one that is fetched onto the local Ollama, and why there
is none to choose."""

from __future__ import annotations

from typing import Final, Literal

from agent_tui.present.wording import fetch_progress
from agent_tui.protocol.answers import Models, PullProgress, PullState
from agent_tui.structures.readable import bar
from agent_tui.tui.core.model import Model
from agent_tui.tui.core.regions import Span

UNDER_WAY: Final = frozenset(("pulling", "starting"))


def pull_progress(model: Model) -> PullProgress | None:
    """What the engine said last of a model that is fetched; None: nothing yet."""
    return model.transcript.answers.pull


def state(model: Model) -> PullState | Literal[""]:
    """How that stands; empty: nothing was said yet."""
    found = pull_progress(model)
    return found.state if found is not None else ""


WIDEST: Final = 60
"""Cells of the bar: a longer one says no more."""
KEPT: Final = "If you stop, the downloaded part is kept."
Line = tuple[Span, ...]


def progress(data: PullProgress | None, inner: int) -> tuple[Line, ...]:
    """The bar of `inner` cells at most, and how it stands in words."""
    state = data.state if data is not None else ""
    pulling = data if data is not None and data.state == "pulling" else None
    percent = pulling.percent if pulling is not None else 0
    said = {
        "pulling": "checking the download …" if not percent else "",
        "starting": "starting Ollama …",
    }
    full, free = bar(percent, max(8, min(WIDEST, inner) - 7))
    words = said.get(state, "asking Ollama …")
    return (
        (Span(full, "accent"), Span(free, "dim"), Span(f"  {percent:>3} %")),
        (Span(fetch_progress(pulling.done, pulling.total, pulling.left), "dim"),)
        if pulling is not None
        else (),
        (Span(words or KEPT, "dim"),),
    )


Lines = tuple[tuple[Span, ...], ...]

READ: Final = "API keys are read when the program starts"
ADDRESS_LABEL: Final = "Address of a model server (http://host:port)"
NEEDED: Final = (Span("agent-tui needs a model that can call tools."),)
WAYS: Final = (
    Span("/models", "accent"),
    Span(" lists what is there, "),
    Span("/setup", "accent"),
    Span(" adds a provider."),
)


def tried_lines(found: Models | None, note: str = "", head: str = "") -> Lines:
    """What was tried, and where keys are read from. `note` stands instead of `head`: what is below
    does not move."""
    first = Span(note, "warning") if note else Span(head, "dim")
    lines: list[tuple[Span, ...]] = [(first,)] if first.text else []
    tried = found.tried if found is not None else ()
    for one in tried:
        lines.append((Span("  ✗  ", "bad"), Span(f"{one.what}: "), Span(one.result, "dim")))
    if found is not None and found.variables:
        named = any(name in f"{one.what} {one.result}" for one in tried for name in found.variables)
        names = () if named else (Span(", from "), Span(", ".join(found.variables), "accent"))
        lines += [(), (Span(READ), *names, Span("."))]
    return tuple(lines)


def no_models(found: Models | None) -> Lines:
    """What is said where a list of models is empty."""
    head = (Span("No configured server offers a model; ", "warning"), *WAYS[2:])
    return (head, *tried_lines(found))
