"""The line at the top: the parts that the person wants there, in their order."""

from __future__ import annotations

from typing import Final

from agent_tui.present.wording import cost
from agent_tui.protocol.display import TodoItem
from agent_tui.protocol.transcript import Bill, Queued, Transcript
from agent_tui.registry import late
from agent_tui.settings.values import DIVIDER
from agent_tui.structures.tone import Tone
from agent_tui.structures.visible import visible
from agent_tui.tui.core import words
from agent_tui.tui.core.memo import lazy
from agent_tui.tui.core.model import Model
from agent_tui.tui.core.regions import HeaderView, Part, Span

with late():
    from agent_tui.tui.sheets import opening

CONTEXT_WARNING: Final = 80
"""Percent of the window from which the context use is said in a warning tone."""
MODE_TONES: Final[dict[str, Tone]] = {
    "plan": "accent",
    "accept-edits": "warning",
    "accept-all": "bad",
}
BRANCH_CHARS: Final = 40
TITLE_CHARS: Final = 48
(
    TITLE,
    BRANCH,
    INNERMOST,
    PERCENT,
    CWD,
    TODO,
    QUEUE,
    COST,
    CONTEXT,
    BARE,
    FULL,
    MODEL,
    SANDBOX,
    STANDING,
    MODE,
    SAVING,
) = range(16)
"""What goes or becomes shorter first where the line is too narrow. The mode stays: nobody may
overlook it."""
OTR: Final = "off the record"
READING: Final = "read only"
UNSAVED: Final = "not saved"


def header_view(model: Model) -> HeaderView:
    t = model.transcript
    return _header(
        t.model,
        _effort(t),
        t.mode,
        t.sandbox,
        t.cwd,
        model.home,
        t.context_tokens,
        t.window,
        t.estimated,
        () if _shows(model, "queue") else t.queue,
        len(model.early),
        model.taken,
        t.paused,
        "stopped"
        if model.gone
        else ""
        if model.started or t.model
        else f"starting … {model.starting}".rstrip(),
        model.window.branch,
        model.look.status,
        t.title if t.titled_by else "",
        t.otr,
        t.reading,
        t.bill,
        () if _shows(model, "todo") else t.todos,
        t.answering if t.answering != t.model else "",
        _fetched(model),
        t.window_assumed,
        bool(t.saving.problem),
        len(t.jobs),
        sum(bool(job.waits) for job in t.jobs),
    )


@lazy
def _header(
    name: str,
    effort: str,
    mode: str,
    sandbox: str,
    cwd: str,
    home: str,
    used: int,
    window: int,
    estimated: bool,
    queue: tuple[Queued, ...],
    early: int,
    taken: frozenset[str],
    paused: bool,
    instead: str,
    branch: str,
    wanted: tuple[str, ...],
    title: str,
    otr: bool,
    reading: bool,
    bill: Bill,
    todos: tuple[TodoItem, ...],
    other: str,
    fetched: int,
    assumed: bool,
    unsaved: bool,
    jobs: int,
    stuck: int,
) -> HeaderView:
    waiting = early + sum(not item.steer and item.id not in taken for item in queue)
    parts: dict[str, Part | None] = {
        "model": _fallback(other, name)
        if other and name and not instead
        else _model(name, instead, effort),
        "cwd": _folder(words.folder(cwd, home)) if cwd else None,
        "branch": Part((Span(_cut(visible(branch), BRANCH_CHARS), "dim"),), BRANCH)
        if branch
        else None,
        "todo": _todo(todos),
        "queue": _queue(waiting, paused) if waiting else None,
        "mode": _mode(mode, sandbox) if mode else None,
        "context": _context(used, window, estimated, assumed),
        "cost": _cost(bill),
    }
    if "mode" not in wanted and MODE_TONES.get(mode) in ("warning", "bad"):
        wanted = (
            *wanted,
            *(() if DIVIDER in wanted else (DIVIDER,)),
            "mode",
        )  # nobody may overlook it
    at = wanted.index(DIVIDER) if DIVIDER in wanted else len(wanted)
    standing = (
        Part((Span(OTR if otr else READING, "warning"),), STANDING) if otr or reading else None
    )
    named = Part((Span(_cut(visible(title), TITLE_CHARS)),), TITLE) if title else None
    pull = Part((Span(f"pull {fetched}%", "dim"),), TODO) if fetched >= 0 else None
    running = _running(jobs, stuck) if jobs else None
    left, right = [parts[one] for one in wanted[:at]], [parts[one] for one in wanted[at + 1 :]]
    warned = Part((Span(UNSAVED, "bad"),), SAVING) if unsaved else None
    return HeaderView(_there(*left, named), _there(warned, standing, running, pull, *right))


def _shows(model: Model, what: str) -> bool:
    return model.overlay is not None and opening.shows(model, what)


def _fetched(model: Model) -> int:
    """How much of a model has come that is fetched while nothing else says so; below zero: none
    is."""
    told = model.transcript.answers.pull
    return (
        told.percent
        if not _shows(model, "pull") and told is not None and told.state == "pulling"
        else -1
    )


def _effort(t: Transcript) -> str:
    """How hard the model was asked to think; nothing where the engine says that it cannot be."""
    told = t.answers.efforts
    mute = told is not None and told.model == t.model and not told.levels
    return "" if mute else t.effort


def _there(*parts: Part | None) -> tuple[Part, ...]:
    return tuple(part for part in parts if part is not None)


def _cut(text: str, most: int) -> str:
    """`text` on one line of at most `most` characters."""
    line = words.one_line(text)
    return line if len(line) <= most else f"{line[: words.pieces(line, most - 1)]}…"


def _fallback(other: str, name: str) -> Part:
    """Another model answers in this turn than the one that was chosen: nobody may take it for
    that."""
    whole = (Span(visible(other), "warning"), Span(f" instead of {visible(name)}", "dim"))
    return Part(whole, MODEL, (Span(visible(other), "warning"),), BARE, cuts=True)


def _model(name: str, instead: str, effort: str) -> Part:
    if instead:
        return Part((Span(visible(instead), "dim"),), MODEL, cuts=True)
    if not name:
        return Part((Span("no model", "warning"),), MODEL)
    _, slash, bare = name.partition("/")
    tried = (Span(f" {effort}", "dim"),) if effort else ()
    short = (Span(bare, "accent"), *tried) if slash and bare else ()
    return Part((Span(name, "accent"), *tried), MODEL, short, BARE, cuts=True)


def _folder(path: str) -> Part:
    above, _, last = path.rstrip("/").rpartition("/")
    return Part(
        (Span(path, "dim"),), CWD, (Span(f"…/{last}", "dim"),) if len(above) > 1 else (), INNERMOST
    )


def _queue(waiting: int, paused: bool) -> Part:
    count = Span(f"queued ({waiting})", "accent")
    return Part((count, Span(" paused", "warning")) if paused else (count,), QUEUE)


def _running(jobs: int, stuck: int) -> Part:
    """What runs in the background, and what of it seems to wait for input."""
    count = (Span(f"{jobs} running", "accent"),)
    if not stuck:
        return Part(count, QUEUE)
    return Part((*count, Span(f", {stuck} waiting for input", "warning")), QUEUE, count, QUEUE)


def _todo(items: tuple[TodoItem, ...]) -> Part | None:
    """How much of the list is done, while there is something left."""
    done = sum(item.state == "done" for item in items)
    return Part((Span(f"todo {done}/{len(items)}", "dim"),), TODO) if done < len(items) else None


def _cost(bill: Bill) -> Part | None:
    if bill.cost is None:
        return None
    return Part((Span(cost(bill.cost, bill.estimated), "dim"),), COST)


def _mode(mode: str, sandbox: str) -> Part:
    said = Span(mode, MODE_TONES.get(mode, "normal"))
    if mode != "accept-all" or not sandbox:
        return Part((said,), MODE)
    more = Span(" no sandbox", "bad") if sandbox == "none" else Span(" sandboxed", "dim")
    return Part((said, more), MODE, (said,), SANDBOX)


def _context(used: int, window: int, estimated: bool, assumed: bool) -> Part | None:
    if not window:
        return (
            Part((Span(f"{words.tokens(used, estimated)} tokens", "dim"),), CONTEXT)
            if used
            else None
        )
    percent = round(100 * used / window)
    full = percent >= CONTEXT_WARNING
    tone: Tone = "warning" if full else "dim"
    about = "≈" if assumed else ""
    text = f"{words.tokens(used, estimated)}/{about}{words.window(window)} {percent}%"
    return Part(
        (Span(text, tone),), FULL if full else CONTEXT, (Span(f"{about}{percent}%", tone),), PERCENT
    )
