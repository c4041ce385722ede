"""An answer that reached the model's token limit: whether it goes on by itself, and what the person is told."""

from __future__ import annotations

from agent_tui.protocol.events import AssistantReplied, Notice


def goes_on(reply: AssistantReplied, cuts: int, limit: int) -> bool:
    """`cuts`: how many answers in a row were cut, this one included. Without any words there is nothing to go on
    with: asked again, the model would only think as long again."""
    return bool(reply.text) and not reply.calls and cuts <= limit


def told(reply: AssistantReplied, cuts: int, limit: int) -> Notice:
    if reply.calls:
        return Notice("The answer reached the model's token limit in the middle of a call.", "warning")
    if not reply.text:
        said = "The model reached its token limit before it said anything."
        return Notice(said, "warning", "allow it more (max_tokens of its provider), or let it think less")
    if goes_on(reply, cuts, limit):
        return Notice(f"The answer reached the model's token limit and goes on by itself ({cuts} of {limit}).")
    times = f" {cuts} times in a row" if cuts > 1 else ""
    said = f"The answer was cut at the model's token limit{times}."
    return Notice(said, "warning", "/continue goes on with it; agent.continues says how often that happens by itself")
