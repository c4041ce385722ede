"""Sessions, their forks and their figures as entries of a list."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from agent_tui.tui import wording
from agent_tui.tui.model import Model
from agent_tui.tui.picker import Entry
from agent_tui.tui.view.words import tokens
from agent_tui.tui.wording import ago, count, duration

NEW: Final = Entry("", "a new session", about="Begin with an empty transcript; the session that is open now is kept.")
ONE: Final = {"retries": "retry", "warnings": "warning"}
IN_TEXT: Final = "Found in what was said and done"


def listed(data: Any, name: str = "") -> list[Mapping[str, Any]]:
    """The list of objects in an answer (under `name`); empty if it has another shape."""
    if name:
        data = data.get(name) if isinstance(data, Mapping) else None
    return [one for one in data if isinstance(one, Mapping)] if isinstance(data, list | tuple) else []


def sessions(model: Model, wide: bool) -> Iterator[Entry]:
    """Those of this folder, or (`wide`, or where there are none here) of all folders."""
    found = listed(model.transcript.answers.get("sessions"))
    wide = wide or not any(one.get("here", True) for one in found)
    for one in found:
        if wide or one.get("here", True):
            yield _session(model, one, wide)


def all_here(model: Model) -> bool:
    """Whether there is nothing to be seen of other folders."""
    return all(one.get("here", True) for one in listed(model.transcript.answers.get("sessions")))


def _session(model: Model, one: Mapping[str, Any], wide: bool, snippet: str = "", group: str = "") -> Entry:
    turns, at, id = one.get("turns"), one.get("at"), str(one.get("id", ""))
    labels, folder = one.get("labels"), str(one.get("cwd", ""))
    said = (
        "open now" if model.started and id == model.active else "",
        ago(model.at - at) if isinstance(at, int | float) and model.at else "",
        "" if snippet else count(turns, "turn") if isinstance(turns, int) else "0 turns",
        "a fork" if one.get("parent") and not snippet else "",
        count(labels, "label") if isinstance(labels, int) and labels and not snippet else "",
        snippet or (folder if wide else ""),
    )
    detail = " · ".join(filter(None, said))
    return Entry(id, str(one.get("title") or id), detail, str(one.get("model", "")), group)


def hits(model: Model, data: Mapping[str, Any]) -> tuple[Entry, ...]:
    """What a search over the text of the sessions has found."""
    found = []
    for hit in listed(data, "hits"):
        session, snippet = hit.get("session"), str(hit.get("snippet") or "")
        if isinstance(session, Mapping):
            found.append(_session(model, session, True, snippet or "…", IN_TEXT))
    return tuple(found)


def tree(model: Model) -> Iterator[Entry]:
    """A session and its forks, the forks below what they were made from."""
    for branch in listed(model.transcript.answers.get("tree")):
        one = branch.get("session")
        if isinstance(one, Mapping):
            entry = _session(model, {**one, "parent": ""}, False)  # the lines say whose fork it is
            yield Entry(entry.id, f"{branch.get('lines') or ''}{entry.label}", entry.detail, entry.about)


LOCKED: Final = (
    Entry(
        "read",
        "read along",
        "see what happens there",
        "Nothing is written; /fork makes a copy.",
    ),
    Entry(
        "fork",
        "fork",
        "a copy of it, to work in here",
        "The session in the other program stays as it is.",
    ),
    Entry("new", "a new session", "begin with an empty transcript"),
)
STAY: Final = Entry("stay", "stay here", "leave things as they are")


def locked(model: Model) -> tuple[Entry, ...]:
    """What can be done about a session that another program has open; at a start a new one is open already."""
    if len(model.transcript.marks):
        return (*LOCKED, STAY)
    return (*LOCKED[:2], Entry("stay", LOCKED[2].label, LOCKED[2].detail))


# -- figures


def stats(model: Model) -> Iterator[Entry]:
    """The session in figures: in all, then each model, tool and step."""
    data = model.transcript.answers.get("stats")
    if not isinstance(data, Mapping):
        return
    for number, (name, said) in enumerate(_all(data, model.transcript.cwd)):
        yield Entry(f"all-{number}", name, said, group="In all")
    for number, share in enumerate(listed(data, "by_model")):
        asked = count(_whole(share, "count"), "request")
        said = f"{asked} · tokens: {_tokens(share)} · {_time(share, 'ms')}{_cost(share)}"
        yield Entry(f"model-{number}", str(share.get("name", "")), said, said, "Models")
    for number, share in enumerate(listed(data, "by_turn")):
        said = f"{count(_whole(share, 'count'), 'request')} · tokens: {_tokens(share)}{_cost(share)}"
        yield Entry(f"turn-{number}", f"turn {share.get('name', '')}", said, said, "Turns")
    for number, share in enumerate(listed(data, "by_tool")):
        errors = _whole(share, "errors")
        failed = f" · {count(errors, 'error')}" if errors else ""
        said = f"{count(_whole(share, 'count'), 'call')} · {_time(share, 'ms')}{failed}"
        yield Entry(f"tool-{number}", str(share.get("name", "")), said, group="Tools")
    for number, step in enumerate(listed(data, "by_step")):
        yield _step(number, step)


def _all(data: Mapping[str, Any], cwd: str) -> Iterator[tuple[str, str]]:
    ends = data.get("ends")
    ended = ", ".join(f"{number} {end}" for end, number in ends.items()) if isinstance(ends, Mapping) else ""
    yield "turns", f"{_whole(data, 'turns'):,}{f' · {ended}' if ended else ''}"
    yield "steps", f"{_whole(data, 'steps'):,} · {count(_whole(data, 'requests'), 'request')}{_more(data, 'retries')}"
    yield "tokens", _tokens(data)
    yield "cost", _cost(data).removeprefix(" · ") or "nothing was asked"
    beside = data.get("beside")
    if isinstance(beside, Mapping) and _whole(beside, "count"):
        asked = count(_whole(beside, "count"), "request")
        yield "beside the turns", f"{asked} · tokens: {_tokens(beside)}{_cost(beside)}"
    yield "time with the model", f"{_time(data, 'provider_ms')} · {_time(data, 'thinking_ms')} of it in thought"
    yield "time in tools", f"{_time(data, 'tool_ms')} · {count(_whole(data, 'tool_calls'), 'call')}"
    yield "time in turns", f"{_time(data, 'turn_ms')} · {_time(data, 'wall_ms')} from first to last"
    yield "errors", f"{_whole(data, 'errors'):,}{_more(data, 'warnings')}"
    files = data.get("files")
    names = [str(one).removeprefix(f"{cwd}/") for one in files] if isinstance(files, list | tuple) else []
    yield "files changed", f"{len(names)}{': ' if names else ''}{', '.join(names)}"


def _step(number: int, step: Mapping[str, Any]) -> Entry:
    called = [str(one.get("label") or one.get("name") or "") for one in listed(step, "tools")]
    said = f"tokens: {_tokens(step)} · {_time(step, 'provider_ms')}"
    said += f" · tools {_time(step, 'tool_ms')}" if called else ""
    parts: Sequence[str] = (str(step.get("thought") or ""), str(step.get("answer") or ""), ", ".join(called))
    name = f"turn {_whole(step, 'turn')}, step {_whole(step, 'step')}"
    return Entry(f"step-{number}", name, said, " · ".join(filter(None, parts)), "Steps")


def _whole(data: Mapping[str, Any], name: str) -> int:
    value = data.get(name)
    return int(value) if isinstance(value, int | float) else 0


def _more(data: Mapping[str, Any], name: str) -> str:
    number = _whole(data, name)
    return f" · {number:,} {name if number != 1 else ONE[name]}" if number else ""


def _time(data: Mapping[str, Any], name: str) -> str:
    return duration(_whole(data, name))


def _tokens(data: Mapping[str, Any]) -> str:
    guessed = bool(data.get("estimated"))
    came, went = tokens(_whole(data, "tokens_in"), guessed), tokens(_whole(data, "tokens_out"), guessed)
    cached = _whole(data, "cached")
    share = f" ({round(100 * cached / max(1, _whole(data, 'tokens_in')))}%)"
    return f"{came} in · {went} out{f' · {tokens(cached)} from the cache{share}' if cached else ''}"


def _cost(data: Mapping[str, Any]) -> str:
    found, unpriced = data.get("cost"), _whole(data, "unpriced")
    told = [wording.cost(found, bool(data.get("cost_estimated")))] if isinstance(found, int | float) else []
    unknown = count(unpriced, "request") if told else "it"
    told += [f"no price is known for {unknown}"] if unpriced else []
    return "".join(f" · {part}" for part in told)
