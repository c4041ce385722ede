"""What each kind of result shows: one function for each member of `protocol/display.py`, and
nowhere else a list of them. A new kind is its class there and its function here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, Final, Literal, TypeVar

from agent_tui.present import parts as p
from agent_tui.present import wording
from agent_tui.protocol import display as d
from agent_tui.structures.frozen import frozen
from agent_tui.structures.visible import visible

D = TypeVar("D")
Stays = Literal["", "begin", "end"]
"""What is seen below the line of a call that is folded: nothing, its beginning, or the end of
its output."""
Role = Literal["", "read", "search", "list"]
"""What a call did that is told in one line with its neighbours."""


@frozen
class Presented:
    """`parts`: all of it. `summary`: what came of it, in a few words for the line of the call;
    `spoken`: the same for the ear, where it needs other words. `failure`: how it ended, if that
    was badly. `output`: what it said, if it is something that speaks. `about`: the file or
    pattern it is about."""

    parts: tuple[p.Part, ...]
    summary: tuple[p.Run, ...] = ()
    spoken: str | None = None
    failure: str = ""
    output: str = ""
    about: str = ""


@frozen
class Kind:
    """What is true of all results of a kind. `runs`: it is a command; consent to it needs that
    its end was in view."""

    show: Callable[[Any], Presented]
    stays: Stays = ""
    role: Role = ""
    runs: bool = False


KINDS: Final[dict[type[object], Kind]] = {}
DECLINED: Final = "declined"
SAID: Final = 40
"""Characters of an answer, or of a result of one line, in the line of its call."""
_NONE: Final = Kind(lambda _: Presented(()))


BACKGROUND: Final = "in the background"


def presents(
    kind: type[D], stays: Stays = "", role: Role = "", runs: bool = False
) -> Callable[[Callable[[D], Presented]], Callable[[D], Presented]]:
    """The function below says what results of `kind` show."""

    def keep(show: Callable[[D], Presented]) -> Callable[[D], Presented]:
        KINDS[kind] = Kind(show, stays, role, runs)
        return show

    return keep


def present(display: d.Display | None) -> Presented:
    return kind_of(display).show(display)


def kind_of(display: d.Display | None) -> Kind:
    return _NONE if display is None else KINDS[type(display)]


def parts_of(display: d.Display | None) -> tuple[p.Part, ...]:
    """All of it, and how it ended, if that was badly."""
    presented = present(display)
    end = (p.Words(presented.failure, "failure"),) if presented.failure else ()
    return presented.parts + end


def markdown(text: str) -> d.Display:
    """`text` as it is shown where it is Markdown."""
    return d.MarkdownDisplay(text)


def diff_of(display: d.Display | None) -> d.DiffDisplay | None:
    """The change that `display` shows, the first of several, if it shows one."""
    return next(iter(diffs_of(display)), None)


def diffs_of(display: d.Display | None) -> tuple[d.DiffDisplay, ...]:
    """All changes that `display` shows."""
    return tuple(part.diff for part in present(display).parts if isinstance(part, p.Diff))


def diff_count(diff: d.DiffDisplay) -> tuple[p.Run, ...]:
    """`new file +3`, `+3 -1`; nothing where no line changed, as below a note about a file."""
    runs = [p.Run("new file ", "dim")] if diff.created else []
    if diff.added or (diff.created and not diff.removed):
        runs.append(p.Run(f"+{diff.added}", "diff.count.added"))
    if diff.removed:
        runs.append(p.Run(f"{' ' if diff.added else ''}-{diff.removed}", "diff.count.removed"))
    return tuple(runs)


def is_in_background(display: d.Display | None) -> bool:
    """Whether it is a command in the background."""
    return isinstance(display, d.CommandDisplay) and display.background


def folder_of(display: d.Display | None) -> str:
    """Where the command of a question would run; empty: it is about none."""
    return display.cwd if isinstance(display, d.CommandDisplay) else ""


def with_output(display: d.Display | None, text: str) -> d.Display | None:
    """A command with `text` below it."""
    return replace(display, output=text) if isinstance(display, d.CommandDisplay) else display


def at_home(display: d.Display | None, cwd: str) -> d.Display | None:
    """`display`, without the folder of a command that runs where the session works: the header
    names it."""
    return (
        replace(display, cwd="")
        if isinstance(display, d.CommandDisplay) and display.cwd == cwd
        else display
    )


@presents(d.TextDisplay)
def _text(display: d.TextDisplay) -> Presented:
    text = display.text.strip()
    lines = text.count("\n") + 1
    said = wording.count(lines, "line") if lines > 1 else _short(" ".join(text.split()))
    return Presented((p.Output(display.text),), (_figure(said),) if said else ())


@presents(d.MarkdownDisplay)
def _markdown(display: d.MarkdownDisplay) -> Presented:
    return Presented((p.Markdown(display.text),))


@presents(d.PlanDisplay, stays="begin")
def _plan(plan: d.PlanDisplay) -> Presented:
    summary = (_figure(plan.verdict),) if plan.verdict else ()
    return Presented((p.Markdown(plan.text),), summary)


@presents(d.CodeDisplay, role="read")
def _code(code: d.CodeDisplay) -> Presented:
    language = code.language or code.path.rpartition("/")[2]
    part = p.Code(code.text, language, code.first_line, code.total_lines, code.opening)
    lines = wording.count(code.text.removesuffix("\n").count("\n") + 1, "line")
    return Presented((part,), (_figure(lines),), about=code.path)


@presents(d.DiffDisplay, stays="begin")
def _diff(diff: d.DiffDisplay) -> Presented:
    new = "new file, " if diff.created else ""
    spoken = f"{new}{wording.count(diff.added, 'line')} added, {diff.removed} removed"
    return Presented((p.Diff(diff),), diff_count(diff), spoken, about=diff.path)


@presents(d.DiffsDisplay, stays="begin")
def _diffs(changes: d.DiffsDisplay) -> Presented:
    files = wording.count(len({diff.path for diff in changes.diffs}), "file")
    added, removed = (
        sum(diff.added for diff in changes.diffs),
        sum(diff.removed for diff in changes.diffs),
    )
    counted = diff_count(d.DiffDisplay("", (), added, removed))
    runs = (_figure(f"{files} " if counted else files), *counted)
    spoken = f"{files}, {wording.count(added, 'line')} added, {removed} removed"
    return Presented(tuple(map(p.Diff, changes.diffs)), runs, spoken)


@presents(d.ListingDisplay, role="list")
def _listing(listing: d.ListingDisplay) -> Presented:
    entry = partial(_entry, "" if listing.path in ("", ".") else f"{listing.path}/")
    entries = p.List(p.Items(listing.entries, entry, "name"), listing.total, "empty")
    counted = wording.count(max(listing.total, len(listing.entries)), "entry", "entries")
    return Presented((entries,), (_figure(counted),), about=listing.path or ".")


def _entry(folder: str, entry: d.Entry) -> p.Item:
    """`folder`: where the names are, with a slash; those that were found below it have it in
    front."""
    mark: p.Mark = entry.kind if entry.kind == "folder" or entry.kind == "link" else ""
    if entry.kind != "file":
        return p.Item(entry.name.removesuffix("/"), mark)
    file = entry.name if entry.name.startswith(folder) else folder + entry.name
    return p.Item(entry.name, mark, size=entry.size, file=file)


@presents(d.MatchesDisplay, role="search")
def _matches(found: d.MatchesDisplay) -> Presented:
    counted = wording.count(max(found.total, len(found.matches)), "match", "matches")
    part = p.Matches(found.pattern, found.matches, found.total)
    return Presented((part,), (_figure(counted),), about=found.pattern)


@presents(d.CommandDisplay, stays="end", runs=True)
def _command(command: d.CommandDisplay) -> Presented:
    code = "" if command.exit_code is None else f"exit code {command.exit_code}"
    failure = "timed out" if command.timed_out else code if command.exit_code else ""
    summary = p.Run(f"✗ {failure}", "tool.bad") if failure else p.Run("✓", "tool.ok")
    if command.background:
        code, summary = BACKGROUND, p.Run(BACKGROUND, "dim")
    parts = (p.Script(command.command, command.cwd), p.Output(command.output))
    return Presented(parts, (summary,), failure or code, failure, command.output)


@presents(d.TableDisplay)
def _table(table: d.TableDisplay) -> Presented:
    return Presented(
        (p.Table(table.header, table.rows),), (_figure(wording.count(len(table.rows), "row")),)
    )


@presents(d.TodoDisplay, stays="begin")
def _todo(todo: d.TodoDisplay) -> Presented:
    done = sum(item.state == "done" for item in todo.items)
    items = p.Items(todo.items, lambda item: p.Item(item.text, item.state), "text")
    return Presented((p.List(items),), (_figure(f"{done} of {len(todo.items)} done"),))


@presents(d.QuestionDisplay)
def _question(asked: d.QuestionDisplay) -> Presented:
    parts = tuple(part for one in asked.questions for part in _asked(one))
    return Presented(parts, _answered(asked.questions))


def _asked(question: d.AskedQuestion) -> tuple[p.Part, ...]:
    answers = question.answers
    options = p.Items(
        question.options, lambda text: p.Item(text, "chosen" if text in answers else "option")
    )
    own = tuple(answer for answer in answers if answer not in question.options)
    other = p.List(p.Items(own, lambda text: p.Item(text, "chosen")))
    declined = (p.Words(DECLINED, "note"),) if question.declined else ()
    return p.Markdown(question.text), p.List(options, numbered=True), other, *declined


def _answered(questions: tuple[d.AskedQuestion, ...]) -> tuple[p.Run, ...]:
    """What was answered, and to how many of several questions."""
    given = [one for one in questions if one.answers]
    if not given:
        declined = any(one.declined for one in questions)
        return (_figure(DECLINED),) if declined else ()
    answers = "; ".join(", ".join(one.answers) for one in given)
    said = _short(" ".join(answers.split()))
    counted = f"{len(given)} of {len(questions)}: " if len(given) < len(questions) else ""
    return (_figure(f"{counted}{said}"),)


def _short(text: str) -> str:
    return visible(text if len(text) <= SAID else f"{text[:SAID]}…")


@presents(d.ImageDisplay, role="read")
def _image(image: d.ImageDisplay) -> Presented:
    size = f"{image.width}×{image.height}" if image.width else ""
    summary = (_figure(size),) if size else ()
    picture = p.Items((image.path,), lambda path: p.Item(path, "image", note=size, file=path))
    return Presented((p.List(picture),), summary, "", about=image.path)


@presents(d.AgentsDisplay, stays="begin")
def _agents(display: d.AgentsDisplay) -> Presented:
    items = p.Items(
        display.agents, lambda agent: p.Item(agent.task, name=agent.name, note=agent.state)
    )
    return Presented((p.List(items),))


def _figure(text: str) -> p.Run:
    return p.Run(text, "tool.time")
