"""`/stats`: the session in figures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from agent_tui.present import wording
from agent_tui.present.wording import count, duration
from agent_tui.protocol import answers
from agent_tui.protocol.answers import Share, Stats
from agent_tui.tui.commands.base import command
from agent_tui.tui.core.model import Model, Overlay
from agent_tui.tui.core.picker import Entry
from agent_tui.tui.core.step import Step
from agent_tui.tui.core.words import tokens
from agent_tui.tui.sheets import TAKES, Action, Sheet
from agent_tui.tui.sheets.opening import copy_rows, open_sheet

OFF: Final = "this session is off the record: it has no statistics"
ENDS: Final = {"stuck": "repeated itself"}
"""How a turn ended, where the name of it is no plain word."""
ONE: Final = {"retries": "retry", "warnings": "warning"}


def _rows(model: Model, _: Overlay) -> Iterator[Entry]:
    """In all, then each model, tool and step."""
    found = model.transcript.answers.stats
    if found is None:
        return
    for number, (name, said) in enumerate(_all(found, model.transcript.cwd)):
        yield Entry(f"all-{number}", name, said, group="Total")
    for number, share in enumerate(found.by_model):
        asked, took = count(share.count, "request"), duration(share.ms)
        said = f"{asked} · tokens: {_tokens(share)} · {took}{_cost(share)}"
        yield Entry(f"model-{number}", share.name, said, said, "Models")
    for number, share in enumerate(found.by_turn):
        said = f"{count(share.count, 'request')} · tokens: {_tokens(share)}{_cost(share)}"
        yield Entry(f"turn-{number}", f"turn {share.name}", said, said, "Turns")
    for number, share in enumerate(found.by_tool):
        failed = f" · {count(share.errors, 'error')}" if share.errors else ""
        said = f"{count(share.count, 'call')} · {duration(share.ms)}{failed}"
        yield Entry(f"tool-{number}", share.name, said, group="Tools")
    for number, step in enumerate(found.by_step):
        yield _step(number, step)


def _all(found: Stats, cwd: str) -> Iterator[tuple[str, str]]:
    ended = ", ".join(f"{number} {ENDS.get(end, end)}" for end, number in found.ends.items())
    yield "turns", f"{found.turns:,}{f' · {ended}' if ended else ''}"
    yield (
        "steps",
        f"{found.steps:,} · {count(found.requests, 'request')}{_more(found.retries, 'retries')}",
    )
    yield "tokens", _tokens(found, found.estimated)
    yield "cost", _cost(found).removeprefix(" · ") or "nothing was asked"
    if beside := found.beside.count:
        said = f"{count(beside, 'request')} · tokens: {_tokens(found.beside)}{_cost(found.beside)}"
        yield "outside the turns", said
    yield (
        "time with the model",
        f"{duration(found.provider_ms)} · {duration(found.thinking_ms)} of it thinking",
    )
    yield "time in tools", f"{duration(found.tool_ms)} · {count(found.tool_calls, 'call')}"
    yield (
        "time in turns",
        f"{duration(found.turn_ms)} · {duration(found.wall_ms)} from first to last",
    )
    yield "errors", f"{found.errors:,}{_more(found.warnings, 'warnings')}"
    names = [one.removeprefix(f"{cwd}/") for one in found.files]
    yield "files changed", f"{len(names)}{': ' if names else ''}{', '.join(names)}"


def _step(number: int, step: answers.Step) -> Entry:
    called = [one.label or one.name for one in step.tools]
    said = f"tokens: {_tokens(step, step.estimated)} · {duration(step.provider_ms)}"
    said += f" · tools {duration(step.tool_ms)}" if called else ""
    about = " · ".join(filter(None, (step.thought, step.answer, ", ".join(called))))
    return Entry(f"step-{number}", f"turn {step.turn}, step {step.step}", said, about, "Steps")


def _more(number: int, name: str) -> str:
    return f" · {number:,} {name if number != 1 else ONE[name]}" if number else ""


def _tokens(one: Stats | answers.Step | Share, guessed: bool = False) -> str:
    came, went = tokens(one.tokens_in, guessed), tokens(one.tokens_out, guessed)
    share = f" ({round(100 * one.cached / max(1, one.tokens_in))}%)"
    cached = f" · {tokens(one.cached)} from the cache{share}" if one.cached else ""
    return f"{came} in · {went} out{cached}"


def _cost(one: Stats | answers.Step | Share) -> str:
    told = [wording.cost(one.cost, one.cost_estimated)] if one.cost is not None else []
    unknown = count(one.unpriced, "request") if told else "it"
    told += [f"no price is known for {unknown}"] if one.unpriced else []
    return "".join(f" · {part}" for part in told)


@command(aliases=("cost",), argument="[search]", rank=58)
def stats(model: Model, args: str) -> Step:
    """Show the statistics of this session: tokens, time, calls and files, in total and for each
    model, tool and step."""
    return open_sheet(model, "stats", args)


SHEET: Final = Sheet(
    "Statistics of this session",
    _rows,
    (Action("copy", TAKES, "copy", copy_rows),),
    (stats,),
    query="stats",
    about_lines=2,
    says_groups=True,
    refuse=lambda model: OFF if model.transcript.otr else "",
)
