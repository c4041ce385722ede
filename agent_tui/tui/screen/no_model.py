"""Why there is no model to choose, in words."""

from __future__ import annotations

from typing import Final

from agent_tui.protocol.answers import Models
from agent_tui.tui.core.regions import Span

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
    """What was tried, and where keys are read from."""
    lines: list[tuple[Span, ...]] = (
        [(Span(note, "warning"),)] if note else []
    )  # what failed follows it
    lines += [(Span(head, "dim"),)] if head else []
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
