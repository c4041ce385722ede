"""The lines around the prompt: status, footer."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from agent_tui.present import wording
from agent_tui.protocol.tool_events import at_work
from agent_tui.protocol.transcript import Question, Retry, Streaming, ToolBlock, Transcript
from agent_tui.registry import late
from agent_tui.structures import chips
from agent_tui.structures.tone import Tone
from agent_tui.tui import commands
from agent_tui.tui.commands.base import Situation
from agent_tui.tui.core import words
from agent_tui.tui.core.memo import lazy
from agent_tui.tui.core.model import Model, OwnKeys, Search, VimMode
from agent_tui.tui.core.prompt_state import Purpose
from agent_tui.tui.core.regions import DOT, FooterView, Span, StatusView

with late():
    from agent_tui.tui.dialog import answer_keys
    from agent_tui.tui.prompt import completion, history_prompt, submit
    from agent_tui.tui.screen import key_guards
    from agent_tui.tui.sheets import draw

FRAMES_PER_SECOND: Final = 10
_ADDRESS: Final = re.compile(r" at https?://\S*[^\s:;,.]")
CHARS_PER_TOKEN: Final = 4
"""For what is streaming and not yet counted; shown with `≈`."""


def status_view(model: Model, stops: bool) -> StatusView:
    """What runs; made for a turn, or for a prompt that waits for its turn to begin. `stops`:
    nothing else than that takes the key which stops it."""
    t = model.transcript
    begun = t.state != "idle" and not any(
        isinstance(one, Question) and one.before_turn for one in t.questions
    )
    what, tone = _activity(t, model.now)
    count, estimated = _tokens(t) if begun and not t.compacting else (0, False)
    frame = (
        -1
        if t.questions
        else int(model.now % 3_600 * FRAMES_PER_SECOND)
        if model.look.animation
        else 0
    )
    since = t.compacting or t.turn_at
    elapsed = int(max(0.0, model.now - since)) if begun and not t.questions else -1
    stop = _stops(model) if stops and (begun or t.state == "idle") else ""
    return _status(frame, what, tone, elapsed, count, estimated, stop)


def _stops(model: Model) -> str:
    """What the key that stops the turn does now. The footer does not say it again."""
    # Esc goes back to vim's normal mode first
    typing = answer_keys.leaves_vim(model) if model.is_asking else model.vim not in ("", "normal")
    if typing or not model.busy:
        return ""
    question, pauses = model.question, _waits(model) and not model.transcript.paused
    later = isinstance(question, Question) and question.before_turn
    does = "decide later" if later else "stop and pause" if pauses else "stop"
    return commands.hint("stop", does, model.keys)


def _waits(model: Model) -> bool:
    """Whether prompts wait for a turn of their own."""
    return any(not item.steer and item.id not in model.taken for item in model.transcript.queue)


@lazy
def _status(
    frame: int, what: str, tone: Tone, elapsed: int, count: int, estimated: bool, stop: str
) -> StatusView:
    spans = [Span(what, tone)]
    if elapsed >= 0:
        spans += [DOT, Span(words.duration(elapsed), "dim")]
    if count:
        spans += [DOT, Span(wording.written_tokens(count, estimated), "dim")]
    return StatusView(frame, (*spans, DOT, Span(stop, "dim")) if stop else tuple(spans))


def _activity(t: Transcript, now: float) -> tuple[str, Tone]:
    if t.questions:
        return "waiting for you", "warning"
    if t.retry is not None:
        return _retry(t.retry, now), "warning"
    if t.compacting:
        return "compacting the conversation", "normal"
    if t.state == "waiting_for_tool":
        return _tool(t), "normal"
    stream = t.streaming
    if stream is None or t.state == "idle":
        if at_work(t):
            return _tool(t), "normal"
        return "starting" if t.state == "idle" else "working", "normal"
    return _writing(stream), "normal"


def _retry(retry: Retry, now: float) -> str:
    left = int(max(0.0, retry.until - now) + 0.999)
    why = _ADDRESS.sub(
        "", retry.reason, 1
    )  # it would take the room of the reason; where it matters, an error has it
    return f"retrying in {left} s: {words.one_line(why, 80)}" if left else "retrying"


def _writing(stream: Streaming) -> str:
    if stream.calls:
        return f"writing {words.one_line(stream.calls[-1].name, 40) or 'a call'}"
    if stream.text.length:
        return "writing"
    return "thinking" if stream.thinking_chars else "waiting for the model"


def _tool(t: Transcript) -> str:
    """The label of the newest call that runs, and how many run beside it."""
    running = [
        row for row in map(t.rows.__getitem__, t.open_tools.values()) if isinstance(row, ToolBlock)
    ]
    if not running:
        return "running a tool"
    more = f" and {len(running) - 1} more" if len(running) > 1 else ""
    return f"{words.one_line(running[-1].label, 60)}{more}"


def _tokens(t: Transcript) -> tuple[int, bool]:
    """Tokens written in this turn: counted ones, and an estimate of what is streaming."""
    stream = t.streaming
    chars = 0 if stream is None else stream.text.length + stream.thinking_chars
    chars += sum(call.arguments.length for call in stream.calls) if stream is not None else 0
    return t.turn_tokens + chars // CHARS_PER_TOKEN, t.estimated or chars > 0


def footer_view(model: Model, completing: bool, asked: FooterView | None) -> FooterView:
    """`asked`: the keys of what is asked."""
    t = model.transcript
    if model.search is not None:
        return _search_footer(model.search)
    if model.recall is not None:
        return history_prompt.recall_footer()
    now = model.composer
    sheet = model.overlay if model.overlay is not None and model.is_covered else None
    writes = sheet is not None and completion.writes_command(model)
    runs = completion.runs_selected(model) if completing else ""
    refused = submit.refuses(model, runs or now.draft) and (runs or not completing)
    if sheet is not None and (not writes or (refused and not completing)):
        shown = draw.sheet_footer(model, sheet)
        if refused and (writes or not key_guards.enter_takes(model)):
            shown = _without(shown, commands.key_of("send", model.keys))
        return shown if model.mouse else _released(shown, model.keys)
    if now.editing is not None and now.purpose is None and not (completing or model.is_asking):
        return _editing_footer(model.is_running, model.keys)
    shown = (
        asked
        if asked is not None
        else _footer(
            bool(model.composer.draft),
            model.is_running,
            _waits(model),
            t.paused,
            completing,
            model.composer.purpose,
            model.keys,
            chips.label_at(model.composer.draft, model.composer.caret),
            t.reading,
            submit.runs_at_once(model.composer.draft),
            bool(runs),
        )
    )
    if refused and asked is None:
        shown = _without(shown, "Enter" if completing else commands.key_of("send", model.keys))
    taken = (
        (model.is_asking and not answer_keys.leaves_vim(model))
        or model.is_covered
        or completing
        or now.purpose is not None
    )
    shown = _moded(shown, model.vim, taken) if model.vim else shown
    return shown if model.mouse else _released(shown, model.keys)


def needed_hint(model: Model, shown: FooterView) -> str:
    """How the sheet is left that is open, or what runs is stopped: all that a screen without a
    footer says."""
    if model.is_covered and model.overlay is not None:
        return next((f"{key} {does}" for key, does in shown.keys if key == "Esc"), "")
    return commands.hint("stop", "stop", model.keys) if model.is_running else ""


@lazy
def _editing_footer(running: bool, own: OwnKeys) -> FooterView:
    """The keys while a queued prompt is being edited."""
    steers = commands.key_of("steer", own)
    named = (("Enter", "save"), (steers if running else "", "steer"), ("Esc", "cancel"))
    return FooterView(tuple(pair for pair in named if pair[0]))


@lazy
def _moded(shown: FooterView, mode: VimMode, taken: bool) -> FooterView:
    """Vim's mode, in words; Esc goes back to the normal one first, unless something else has taken
    it."""
    first = (("Esc", "normal mode"),) if mode != "normal" and not taken else ()
    keys = tuple(pair for pair in shown.keys if not (first and pair[0] == "Esc"))
    return replace(shown, keys=(*keys, *first), note=f"vim: {mode}")


@lazy
def _without(shown: FooterView, key: str) -> FooterView:
    """The footer does not offer what is refused."""
    return replace(shown, keys=tuple(pair for pair in shown.keys if pair[0] != key))


@lazy
def _released(shown: FooterView, own: OwnKeys) -> FooterView:
    """The mouse is the terminal's: how it comes back is said before all else."""
    return replace(shown, keys=((commands.key_of("mouse", own), "take mouse back"), *shown.keys))


@lazy
def _search_footer(found: Search) -> FooterView:
    """Where the search stands: `3 of 17`, with `wrapped` where it began again at the other end, or
    `12+ …` while older rows are still to be searched."""
    total = found.hits.total
    note = words.format_place(found.at + 1, total) if total else "not found" if found.query else ""
    note += " · wrapped" if found.wrapped and total else ""
    if found.hits.first:
        note = f"{total:,}+ …" if total else "searching …"
    return FooterView((("Enter ↓", "next"), ("↑", "previous"), ("Esc", "close")), note)


@lazy
def _footer(
    draft: bool,
    running: bool,
    queued: bool,
    paused: bool,
    completing: bool,
    purpose: Purpose | None,
    own: OwnKeys,
    chip: str,
    reading: bool,
    runs: bool,
    completes: bool,
) -> FooterView:
    """`completes`: what the cursor of the list is on is complete, and Enter runs it."""
    if purpose is not None:
        return FooterView((("Enter", purpose.sends), ("Esc", "back")))
    if completing:
        does = "run" if completes else "take"
        return FooterView(
            (("↑↓", "choose"), ("Tab", "complete"), ("Enter", does), ("Esc", "close"))
        )
    if reading:  # what runs and what waits is the other program's
        running = queued = paused = False
    now = Situation(running, draft, queued, paused, chip, reading, runs)
    names = commands.LABELLED if running or queued or chip else commands.AT_REST
    labelled = (
        (one.name, one.label(now)) for one in map(commands.find, names) if one.label is not None
    )
    named = list[tuple[str, str]]()
    for name, label in labelled:
        named += [(commands.key_of(name, own), label)] if label else []
        named += [("↑", "edit the last")] if name == "queue" and queued and not draft else []
    return FooterView(tuple((key, label) for key, label in named if key))
