"""What the next request is made of, part by part, for `/context`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from agent_tui.agent.services.map_desk import HEAD as MAP
from agent_tui.agent.session.history import MEMORY, Behind, History
from agent_tui.agent.session.record import Record
from agent_tui.agent.turn.compactor import reserve
from agent_tui.agent.turn.request_measure import size_of
from agent_tui.agent.turn.request_prefix import LISTS, MOVED
from agent_tui.agent.turn.turns import Turns
from agent_tui.context.compaction import HEAD
from agent_tui.context.prompt import part_texts, source_of
from agent_tui.protocol.answers import Ledger, LedgerPart
from agent_tui.protocol.events import Answered
from agent_tui.protocol.messages import AssistantMessage, ToolMessage, UserMessage

Sized = tuple[str, int, str, str]
"""A part: its name, its size in bytes, where it is from, and what can be read of it."""
SYSTEM: Final = "system: "
"""How the name of a part of the system prompt begins."""
PROMPTS, ANSWERS, SUMMARY = "your prompts", "answers", "summary of older messages"
TOOLS: Final = "descriptions of the tools"
TOLD, FACTS, RECALLED = "told later: ", "facts of the moment", "recalled from memory"
"""What the program puts behind messages: they are no words of the person."""
IN_VIEW: Final = "files in view"


class ContextDesk:
    def __init__(self, record: Record, turns: Turns) -> None:
        self._record, self._turns = record, turns

    async def tell(self, id: str) -> None:
        """Answer the query `id`."""
        turns, history = self._turns, self._record.history
        if not history.system:
            turns.main.prepare(self._record.emit)
            history = self._record.history
        models, accounts = turns.models, turns.accounts
        calibration, name = accounts.calibration, models.info.name
        request = history.request()
        if models.provider is not None:
            tokens, estimated = await calibration.count_tokens(name, models.provider, request)
        else:
            tokens = calibration.tokens(name, "read", calibration.requests.size(request))
            estimated = True
        sized = [part for part in _parts(history) if part[1]]
        shares = _shares([size for _, size, _, _ in sized], tokens)
        parts = [
            LedgerPart(called, share, source, text=text)
            for (called, _, source, text), share in zip(sized, shares, strict=True)
        ]
        gone = [
            LedgerPart(called, calibration.tokens(name, "read", size), gone=True)
            for called, size in _gone(history)
            if size > 0
        ]
        gone += [
            LedgerPart(f"{SYSTEM}{called}", 0, why, gone=True)
            for called, why in await turns.main.prefix.left_out()
        ]
        used, info, guard = accounts.last_used, models.info, turns.main.guard
        self._record.emit(
            Answered(
                id,
                Ledger(
                    (*parts, *gone),
                    tokens,
                    estimated,
                    name,
                    info.window,
                    info.window_assumed,
                    turns.main.compactor.limit(info) if turns.config.settings.agent.compact else 0,
                    reserve(info) if info.window else 0,
                    used.cached_tokens,
                    used.prompt_tokens,
                    guard.broke,
                ),
            )
        )


def _parts(history: History) -> Iterator[Sized]:
    """All that the next request holds."""
    total = sum(part.chars for part in history.parts) or 1
    whole = size_of(history.system)
    texts = part_texts(history.system, history.parts)
    for part in history.parts:
        share = round(whole * part.chars / total)
        yield f"{SYSTEM}{part.name}", share, source_of(part), texts[part.name]
    if not history.parts:
        yield "system prompt", whole, "", history.system
    tools = "\n\n".join(f"{tool.name}: {tool.description}" for tool in history.tools)
    yield TOOLS, size_of(history.tools), "", tools
    yield from _message_parts(history)


def _message_parts(history: History) -> Iterator[Sized]:
    """The messages, and apart from them what the program told behind them."""
    sums, texts = dict[str, int](), dict[str, str]()
    stood = _stood_behind(history)
    for at, message in enumerate(history.messages):
        if isinstance(message, ToolMessage):
            name = f"results of {message.name}"
        elif isinstance(message, AssistantMessage):
            name = ANSWERS
        else:
            name = SUMMARY if message.text.startswith(HEAD) else PROMPTS
        sums[name] = sums.get(name, 0) + size_of(message)
        for one in stood.get(at, ()):
            called = _called(one)
            sums[name] -= size_of(one.text)
            sums[called] = sums.get(called, 0) + size_of(one.text)
            texts[called] = "\n\n".join(filter(None, (texts.get(called), one.text)))
    for name, size in sorted(sums.items(), key=lambda one: -one[1]):
        yield name, size, "", texts.get(name, "")


def _stood_behind(history: History) -> dict[int, list[Behind]]:
    """What the program told, by the places of the messages that hold it. Both are in the order of
    time, so each text is looked for from where the one before it was found."""
    prompts = [
        (at, message.text)
        for at, message in enumerate(history.messages)
        if isinstance(message, UserMessage)
    ]
    found, place, begin = dict[int, list[Behind]](), 0, 0
    for one in history.behind:
        for nth in range(place, len(prompts)):
            at, text = prompts[nth]
            begun = text.find(one.text, begin if nth == place else 0)
            if begun >= 0:
                found.setdefault(at, []).append(one)
                place, begin = nth, begun + len(one.text)
                break
    return found


def _called(one: Behind) -> str:
    """The name of its row."""
    if one.is_facts:
        return FACTS
    if not one.parts:
        known = {MOVED: "another folder", MAP: "map of the project"}
        about = next((said for text, said in known.items() if one.text.startswith(text)), IN_VIEW)
        return f"{TOLD}{about}"
    if one.parts[0].startswith(MEMORY):
        return RECALLED
    names = (LISTS.get(name, name.rpartition(": ")[2]) for name in one.parts)
    return TOLD + ", ".join(name.removeprefix("The ") for name in names)


def _gone(history: History) -> Iterator[tuple[str, int]]:
    """What the model read before, and reads in fewer words now."""
    older = history.summary
    if older is not None:
        first = older.before.messages[: older.replaced]
        yield "older messages, summarised", sum(map(size_of, first))
    shown = sum(
        size_of(message)
        for message in history.messages
        if isinstance(message, ToolMessage) and message.call_id in history.results
    )
    there = {m.call_id for m in history.messages if isinstance(m, ToolMessage)}
    whole = sum(size_of(text) for call, text in history.results.items() if call in there)
    yield "older results, one line each", whole - shown


def _shares(sizes: list[int], tokens: int) -> list[int]:
    """`tokens` in parts as large as these: their sum is exact."""
    whole = sum(sizes) or 1
    shares, done, given = list[int](), 0, 0
    for size in sizes:
        done += size
        share = tokens * done // whole - given
        given += share
        shares.append(share)
    return shares
