"""What there is to choose from in each list, as entries of the picker."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from agent_tui.protocol.answers import LogTail
from agent_tui.protocol.display import DiffDisplay
from agent_tui.protocol.ops import EFFORTS, MODES
from agent_tui.protocol.transcript import Answers, ToolBlock
from agent_tui.settings_kinds import Entry as Setting
from agent_tui.settings_kinds import words
from agent_tui.tui import commands, key_words
from agent_tui.tui.commands import effort
from agent_tui.tui.commands.base import Command, key_name
from agent_tui.tui.commands.mode import MEANING
from agent_tui.tui.kinds import OverlayKind
from agent_tui.tui.model import Model
from agent_tui.tui.picker import Entry
from agent_tui.tui.regions import Tone
from agent_tui.tui.update import checks, leaving, model_list, session_lists, settings, skills
from agent_tui.tui.view.words import one_line
from agent_tui.tui.wording import ago, count, size

RECENT: Final = 5
ALL_JOBS: Final = "*"
LEVELS: Final[Mapping[str, Tone]] = {
    "error": "bad", "critical": "bad", "warning": "warning", "debug": "dim", "info": "normal", "record": "dim",
}  # fmt: skip


def entries(model: Model, kind: OverlayKind) -> tuple[Entry, ...]:
    """The list of `kind` as it is now."""
    answers = model.transcript.answers
    match kind:
        case "palette":
            return _palette(model)
        case "help":
            return tuple(_help(model))
        case "models":
            return tuple(model_list.entries(model))
        case "tree":
            return tuple(session_lists.tree(model))
        case "stats":
            return tuple(session_lists.stats(model))
        case "doctor":
            return tuple(checks.entries(model))
        case "jobs":
            return tuple(_jobs(model))
        case "locked":
            return session_lists.locked(model)
        case "unsaved":
            return leaving.entries(model)
        case "skills":
            return tuple(_skills(answers))
        case "themes":
            return tuple(Entry(name, name, "in use" if name == theme(model) else "") for name in themes(model))
        case "modes":
            return tuple(_mode(name, model) for name in MODES)
        case "efforts":
            return tuple(_efforts(model))
        case "log":
            return tuple(_log(answers.log))
        case "rewind":
            return tuple(_turns(model))
        case _:
            return ()


def _jobs(model: Model) -> Iterator[Entry]:
    """What runs in the background; under the cursor its last line of output."""
    known = model.transcript.answers.jobs
    jobs = known.jobs if known is not None else ()
    for job in jobs:
        state = "stopping" if job.stops else f"started {ago(model.at - job.since)}"
        about = job.last or "It has not written anything yet."
        yield Entry(job.id, one_line(job.command), f"{state}, pid {' '.join(map(str, job.pids))}", about)
    if len(jobs) > 1:
        yield Entry(ALL_JOBS, "Stop all", "", "Ends everything in this list.")


# -- actions


def _palette(model: Model) -> tuple[Entry, ...]:
    found = (*_commands(model), *_skill_actions(model.transcript.answers), *_settings(model))
    by_id = {entry.id: entry for entry in found}
    recent = [by_id[id] for id in model.recent_actions if id in by_id][:RECENT]
    first = tuple(Entry(one.id, one.label, one.detail, one.about, "Used last") for one in recent)
    return (*first, *(entry for entry in found if entry not in recent))


def _commands(model: Model) -> Iterator[Entry]:
    for command in sorted(commands.COMMANDS, key=lambda one: not one.slash):
        if command.name != "palette":
            label, group = (f"/{command.name}", "Commands") if command.slash else (command.name, "Keys")
            yield Entry(f"command:{command.name}", label, _keyed(model, command), command.help, group)


def _keyed(model: Model, command: Command) -> str:
    """The key, and what it does."""
    keys = commands.keys_of(command.name, model.keys)
    return f"{key_name(keys[0]) if keys else '':<12} {command.summary}"


def _skill_actions(answers: Answers) -> Iterator[Entry]:
    for one in _skills(answers):
        yield Entry(f"skill:{one.id}", one.label, f"{'':<12} {one.detail}", one.about, "Skills")


def _skills(answers: Answers) -> Iterator[Entry]:
    for skill in skills.listed(answers):
        called, about = f"/{skill.name} {skills.hint(skill)}".rstrip(), skill.description
        yield Entry(skill.name, called, about, f"{about} ({skill.source})" if skill.source else about, skill.source)


def _settings(model: Model) -> Iterator[Entry]:
    for one in settings.all_entries():
        if not one.key.startswith("keys."):
            now = words(settings.value_of(model, one).value) or "not set"
            does = f"is {now}; Enter switches it" if toggles(one) else f"is {now}"
            shown = does if model.configured.values and one.kind.form != "secret" else "show and change it"
            yield Entry(f"setting:{one.key}", one.key, f"{'':<12} {shown}", one.about, "Settings")


def toggles(setting: Setting) -> bool:
    """Whether Enter can go to the other value at once."""
    return len(setting.kind.choices) == 2


def _help(model: Model) -> Iterator[Entry]:
    """First a card of the usual keys, in no group, then all others."""
    for name, key, what in key_words.CARD:
        keys = key or " ".join(map(key_name, commands.keys_of(name, model.keys)[:1]))
        if keys:
            yield Entry(f"command:{name}" if name else "", keys, what, commands.find(name).help if name else "")
    for one in commands.COMMANDS:
        if keys := " ".join(map(key_name, commands.keys_of(one.name, model.keys))):
            yield Entry(f"command:{one.name}", keys, one.summary, one.help, "All keys")
    told = (
        ("Keys in the prompt", key_words.prompt_rows()),
        ("Keys in the prompt, with /vim", key_words.VIM if model.vim else ()),
        ("Keys when the agent asks", key_words.asked_rows()),
    )  # fmt: skip
    for group, rows in told:
        for keys, what, about in rows:
            yield Entry("", keys, what, about, group)
    for one in commands.COMMANDS:
        if one.slash:
            called = f"/{one.name} {one.argument}".rstrip()
            yield Entry(f"command:{one.name}", called, one.summary, one.help, "Commands")


# -- what is picked


def theme(model: Model) -> str:
    """The theme that the settings name; empty: none, as long as the settings are not known."""
    value = model.configured.values.get("display.theme")
    return str(value.value or "auto") if value is not None else ""


def themes(model: Model) -> tuple[str, ...]:
    return model.configured.themes


def _mode(name: str, model: Model) -> Entry:
    used = name == (model.mode_asked or model.transcript.mode)
    return Entry(name, name, f"{MEANING[name]}{' · in use' if used else ''}")


def _efforts(model: Model) -> Iterator[Entry]:
    now, known = model.transcript.effort or effort.AUTO, effort.meanings(model)
    for name in (effort.AUTO, *EFFORTS):
        yield Entry(name, name, " · ".join(filter(None, (known.get(name, ""), "in use" if name == now else ""))))


def _log(found: LogTail | None) -> Iterator[Entry]:
    """Lines of the program's log and records of the session, oldest first."""
    for number, line in enumerate(found.lines if found is not None else ()):
        level = line.level.lower()
        label, about = f"{line.at}  {level:<7}  {line.text}", f"{line.source}: {line.text}"
        yield Entry(str(number), label, about=about, tone=LEVELS.get(level, "normal"))


def _turns(model: Model) -> Iterator[Entry]:
    """Where each turn began, the newest first, and how many files were changed in it."""
    t, last = model.transcript, len(model.transcript.rows)
    for place in range(len(t.marks) - 1, -1, -1):
        mark = t.marks[place]
        shown = {  # all that there is of a session that another program has written
            row.display.path
            for row in t.rows[mark.rows : last]
            if isinstance(row, ToolBlock) and isinstance(row.display, DiffDisplay)
        }
        paths = shown | set(mark.files)
        last = mark.rows
        when = ago(model.at - mark.at) if mark.at and model.at else ""
        files = count(len(paths), "file") + " changed" if paths else ""
        called = t.labels.get(mark.n, "")
        label = next((line.strip() for line in mark.prompt.splitlines() if line.strip()), "(went on)")
        yield Entry(str(mark.n), label, " · ".join(filter(None, (called, when, files))), mark.prompt)


def log_note(found: LogTail | None) -> str:
    """What of the log is not in the list."""
    return f"without {size(found.left)} of older lines" if found is not None and found.left > 0 else ""
