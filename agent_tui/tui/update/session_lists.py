"""Sessions, their forks and their figures as entries of a list."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from agent_tui.protocol.answers import SearchResults, Sessions, Share, Stats, Step, Summary
from agent_tui.tui import wording
from agent_tui.tui.model import Model
from agent_tui.tui.picker import Entry
from agent_tui.tui.view.words import tokens
from agent_tui.tui.wording import ago, count, duration

NEW: Final = Entry("", "a new session", about="Start with an empty transcript. The current session is kept.")
ONE: Final = {"retries": "retry", "warnings": "warning"}
IN_TEXT: Final = "Found in messages and calls"


def known(model: Model) -> tuple[Summary, ...]:
    """The sessions that the engine told of."""
    found = model.transcript.answers.sessions
    return found.sessions if found is not None else ()


def sessions(model: Model, wide: bool) -> Iterator[Entry]:
    """Those of this folder, or (`wide`, or where there are none here) of all folders."""
    found = model.transcript.answers.sessions or Sessions()
    here = [one for one in found.sessions if found.is_here(one)]
    wide = wide or not here
    for one in found.sessions if wide else here:
        yield _session(model, one, wide)


def all_here(model: Model) -> bool:
    """Whether there is nothing to be seen of other folders."""
    found = model.transcript.answers.sessions or Sessions()
    return all(map(found.is_here, found.sessions))


def _session(model: Model, one: Summary, wide: bool, snippet: str = "", group: str = "") -> Entry:
    said = (
        "open now" if model.started and one.id == model.active else "",
        ago(model.at - one.at) if model.at else "",
        "" if snippet else count(one.turns, "turn"),
        "a fork" if one.parent and not snippet else "",
        count(one.labels, "label") if one.labels and not snippet else "",
        snippet or (one.cwd if wide else ""),
    )
    return Entry(one.id, one.title or one.id, " · ".join(filter(None, said)), one.model, group)


def hits(model: Model, data: SearchResults) -> tuple[Entry, ...]:
    """What a search over the text of the sessions has found."""
    return tuple(_session(model, hit.session, True, hit.snippet or "…", IN_TEXT) for hit in data.hits)


def tree(model: Model) -> Iterator[Entry]:
    """A session and its forks, the forks below what they were made from."""
    found = model.transcript.answers.tree
    for branch in found.branches if found is not None else ():
        entry = _session(model, replace(branch.session, parent=""), False)  # the lines say whose fork it is
        yield replace(entry, label=f"{branch.lines}{entry.label}")


LOCKED: Final = (
    Entry(
        "read",
        "read only",
        "watch it",
        "Nothing is written; /fork makes a copy.",
    ),
    Entry(
        "fork",
        "fork",
        "your own copy, to work in",
        "The session in the other program stays as it is.",
    ),
    Entry("new", "a new session", "start with an empty transcript"),
)
STAY: Final = Entry("stay", "stay here", "cancel")


def locked(model: Model) -> tuple[Entry, ...]:
    """What can be done about a session that another program has open; at a start a new one is open already."""
    if len(model.transcript.marks):
        return (*LOCKED, STAY)
    return (*LOCKED[:2], Entry("stay", LOCKED[2].label, LOCKED[2].detail))


# -- figures


def stats(model: Model) -> Iterator[Entry]:
    """The session in figures: in all, then each model, tool and step."""
    found = model.transcript.answers.stats
    if found is None:
        return
    for number, (name, said) in enumerate(_all(found, model.transcript.cwd)):
        yield Entry(f"all-{number}", name, said, group="Total")
    for number, share in enumerate(found.by_model):
        said = f"{count(share.count, 'request')} · tokens: {_tokens(share)} · {duration(share.ms)}{_cost(share)}"
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
    ended = ", ".join(f"{number} {end}" for end, number in found.ends.items())
    yield "turns", f"{found.turns:,}{f' · {ended}' if ended else ''}"
    yield "steps", f"{found.steps:,} · {count(found.requests, 'request')}{_more(found.retries, 'retries')}"
    yield "tokens", _tokens(found, found.estimated)
    yield "cost", _cost(found).removeprefix(" · ") or "nothing was asked"
    if beside := found.beside.count:
        said = f"{count(beside, 'request')} · tokens: {_tokens(found.beside)}{_cost(found.beside)}"
        yield "outside the turns", said
    yield "time with the model", f"{duration(found.provider_ms)} · {duration(found.thinking_ms)} of it thinking"
    yield "time in tools", f"{duration(found.tool_ms)} · {count(found.tool_calls, 'call')}"
    yield "time in turns", f"{duration(found.turn_ms)} · {duration(found.wall_ms)} from first to last"
    yield "errors", f"{found.errors:,}{_more(found.warnings, 'warnings')}"
    names = [one.removeprefix(f"{cwd}/") for one in found.files]
    yield "files changed", f"{len(names)}{': ' if names else ''}{', '.join(names)}"


def _step(number: int, step: Step) -> Entry:
    called = [one.label or one.name for one in step.tools]
    said = f"tokens: {_tokens(step, step.estimated)} · {duration(step.provider_ms)}"
    said += f" · tools {duration(step.tool_ms)}" if called else ""
    about = " · ".join(filter(None, (step.thought, step.answer, ", ".join(called))))
    return Entry(f"step-{number}", f"turn {step.turn}, step {step.step}", said, about, "Steps")


def _more(number: int, name: str) -> str:
    return f" · {number:,} {name if number != 1 else ONE[name]}" if number else ""


def _tokens(one: Stats | Step | Share, guessed: bool = False) -> str:
    came, went = tokens(one.tokens_in, guessed), tokens(one.tokens_out, guessed)
    share = f" ({round(100 * one.cached / max(1, one.tokens_in))}%)"
    return f"{came} in · {went} out{f' · {tokens(one.cached)} from the cache{share}' if one.cached else ''}"


def _cost(one: Stats | Step | Share) -> str:
    told = [wording.cost(one.cost, one.cost_estimated)] if one.cost is not None else []
    unknown = count(one.unpriced, "request") if told else "it"
    told += [f"no price is known for {unknown}"] if one.unpriced else []
    return "".join(f" · {part}" for part in told)
