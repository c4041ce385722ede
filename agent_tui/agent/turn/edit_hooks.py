"""What runs after the agent has changed files: the commands of `[hooks.after_edit]`.

They are the person's own, or those of a project that the person trusts, so nobody is asked. They
run as commands do in `accept-all`: in its sandbox where there is one, and what asks even there does
not run. What they change in the files of the call is part of it: for the model, for undo, and on
the screen.
"""

from __future__ import annotations

import asyncio
import re
import shlex
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Final

from agent_tui import registry
from agent_tui.agent.turn.approvals import Approvals
from agent_tui.agent.turn.call_facts import gather_facts
from agent_tui.agent.turn.command_changes import Watch
from agent_tui.agent.turn.told_changes import DIFF_BYTES, describe_modes
from agent_tui.agent.turn.tool_context import CallContext
from agent_tui.protocol.display import DiffDisplay, DiffsDisplay
from agent_tui.protocol.events import Notice
from agent_tui.safety import file_access, paths, policy
from agent_tui.safety.process.processes import CommandResult
from agent_tui.safety.sandbox.support import Support
from agent_tui.settings.layers import Place, read
from agent_tui.settings.values import Commands
from agent_tui.structures.frozen import frozen
from agent_tui.structures.readable import count_noun
from agent_tui.tools.base import ToolFailure, ToolResult
from agent_tui.tools.support.changes import show_changed_lines
from agent_tui.tools.support.diff import diff, noted
from agent_tui.tools.support.files import LARGEST, is_binary
from agent_tui.tools.support.walk import Glob

SECONDS: Final = 30.0
"""That a command may take; less, where `tools.command_timeout` is less."""
MOST_LINES: Final = 20
LINE: Final = 200
"""Lines of the output of one command that are told, and characters of a line."""
FILE: Final = "{file}"
"""Stands for the path in a command; a command without it runs once a call."""
SHELL: Final = "run_shell_command"
FAILED: Final = "failed (exit code"


class Hooks:
    """The commands at a place, by pattern."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self.after_edit: Commands = {}
        self.told: set[str] = set()
        """What the person was told of commands that went wrong: each once."""

    def refresh(self) -> None:
        """Take what the settings say now; those of a project only if their content is trusted.
        Reads files: not for the loop."""
        self.after_edit = read(self._place).settings.hooks.after_edit


@dataclass(slots=True)
class _File:
    """A file of the call: as the edit left it, and as it is since the last command."""

    path: Path
    shown: str
    mode: int
    edited: bytes
    now: bytes
    mode_now: int
    by: list[str] = field(default_factory=list)
    """The commands that changed what it holds; `modes_by`: its permissions."""
    modes_by: list[str] = field(default_factory=list)


@frozen
class AfterEdit:
    """Runs the commands of `hooks` after calls of a session. `watch` looks what they change."""

    hooks: Hooks
    approvals: Approvals
    mode: Callable[[], str]
    watch: Watch

    async def run(self, context: CallContext, result: ToolResult) -> ToolResult:
        """Run what the settings want after a call that changed files; its result with what came of
        that."""
        if not self.hooks.after_edit or result.tag != "ok" or self.mode() == "plan":
            return result
        files = await context.workplace.off_loop(partial(_edited_files, context))
        told: list[str] = []
        commands = list(dict.fromkeys(_commands(files, self.hooks.after_edit, context, told)))
        if commands:
            told += await self._run_watched(context, commands, files)
        for text in told:
            self._tell_trouble(text, context)
        join = partial(_joined, result, files, told, context)
        joined: ToolResult = await context.workplace.off_loop(join)
        return joined

    async def _run_watched(
        self, context: CallContext, commands: Sequence[str], files: Sequence[_File]
    ) -> list[str]:
        """Run them, and put on record what they change: also what a cancelled one does until it has
        ended."""
        own = frozenset(one.path for one in files)
        before, looked = await self.watch.take_snapshot("\n".join(commands), context, own), False
        try:
            told = await self._run_all(context, commands, files)
            if before is not None:
                await self.watch.report_changes(before)
            looked = True
            return told
        finally:
            if before is not None and not looked:
                self.watch.report_changes_later(before)

    async def _run_all(
        self, context: CallContext, commands: Sequence[str], files: Sequence[_File]
    ) -> list[str]:
        """Run the commands one after the other, up to one that does harm; what is to be told."""
        told: list[str] = []
        support = await context.workplace.workspace_support()
        for number, command in enumerate(commands, 1):
            said, is_over = await self._run_one(context, command, support)
            harm = await context.workplace.off_loop(partial(_look, files, command))
            left = len(commands) - number
            if (is_over or harm) and left:
                harm.append(f"({count_noun(left, 'command')} behind it did not run)")
            told += filter(None, (said, *harm))
            if is_over or harm:
                break
        return told

    async def _run_one(
        self, context: CallContext, command: str, support: Support
    ) -> tuple[str, bool]:
        """Run a command: what is to be told of it, and whether no other may run."""
        named, place = f"`{command}`", context.workplace
        if why := self._refusal(context, command, support):
            return f"{named} did not run: {why}", False
        own = CallContext(
            place, context.call_id, frozenset(), private=True, turn=context.turn, step=context.step
        )
        own.permissions = self.approvals.permissions
        own.confined, own.way = ("" if support.problem else "works"), support.way
        seconds = min(SECONDS, place.command_timeout)
        try:
            ran = await own.process_beside(command, seconds)
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or str(error)
            return f"{named} could not be started: {why}", False
        except asyncio.CancelledError:
            if own.protected.is_undecided:
                self.watch.look_after_endings(own.protected.judge_cancelled)
            raise
        taken_back = await own.protected.take_back()
        put_back = " ".join(filter(None, (own.protected.lost_history, taken_back)))
        if ran.timed_out:
            return f"{named} took longer than {seconds:g} s and was ended.", True
        return _describe(named, ran, put_back), False

    def _refusal(self, context: CallContext, command: str, support: Support) -> str:
        """Why a command may not run unasked; empty: it may."""
        rules, place = self.approvals.permissions, context.workplace
        tool = registry.load("agent_tui.tools", SHELL, "TOOL")
        try:
            facts = gather_facts(
                tool, (), command, place.roots, None, support, rules.limits, place.environment
            )
        except ValueError as error:
            return str(error)
        decision = policy.decide("accept-all", facts, permissions=rules)
        if decision.verdict == "ask":
            return f"it would ask, and nobody is asked after an edit: {decision.reason}"
        return decision.reason if decision.verdict == "refuse" else ""

    def _tell_trouble(self, text: str, context: CallContext) -> None:
        """Tell the person, each once, what is wrong with a command; not what a linter has found."""
        if FAILED not in text and text not in self.hooks.told:
            self.hooks.told.add(text)
            context.tell(Notice(f"After an edit: {text}", "warning"))


def _edited_files(context: CallContext) -> list[_File]:
    """The files whose content the call changed, each once: neither those that it only moved, nor
    those that commands in the sandbox could not change."""
    moved = {before for _, before, after in context.changes if not after}
    changed = {path: after for path, _, after in context.changes}
    found: list[_File] = []
    for path, after in changed.items():
        fact = paths.facts(str(path), context.roots, own=context.workplace.own)
        if not after or after in moved or fact.secret or fact.protected or not fact.inside:
            continue
        try:
            mode = _mode(path)
        except OSError:
            continue  # it is gone again
        if (data := _content(path)) is not None:
            found.append(_File(path, context.display_path(path), mode, data, data, mode))
    return found


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def _content(path: Path) -> bytes | None:
    """What a file holds; None where it is gone, or none of ours."""
    try:
        data = file_access.read_regular(path, LARGEST)
    except (OSError, ValueError):
        return None
    return data if len(data) <= LARGEST else None


def _commands(
    files: Sequence[_File], given: Commands, context: CallContext, lines: list[str]
) -> Iterator[str]:
    """What is to run, in the order of the settings for each file."""
    for one in files:
        root = next(root for root in context.roots if one.path.is_relative_to(root))
        for pattern, commands in given.items():
            try:
                fits = Glob(pattern).matches(str(one.path.relative_to(root)))
            except ToolFailure as failure:
                lines.append(f"hooks.after_edit: {failure.text}")
                continue
            name = f"./{one.shown}" if one.shown.startswith("-") else one.shown
            for command in commands if fits else ():
                if _is_in_quotes(command):  # there, the quotes of a name would end them
                    lines.append(f"`{command}` did not run: write {FILE} without quotes around it")
                else:
                    yield command.replace(FILE, shlex.quote(name))


def _is_in_quotes(command: str) -> bool:
    """Whether the place of the file stands in quotes, or behind a backslash."""
    places = (found.start() for found in re.finditer(re.escape(FILE), command))
    return any(_is_open(command[:place]) for place in places)


def _is_open(text: str) -> bool:
    """Whether quotes, or a backslash, go on behind `text`."""
    try:
        shlex.split(text, comments=False)
    except ValueError:
        return True
    return False


def _describe(named: str, ran: CommandResult, put_back: str) -> str:
    if ran.exit_code == 0:
        return f"{named}: {put_back}" if put_back else ""
    lines = [line.rstrip() for line in ran.output.split("\n") if line.strip()]
    shown = [line if len(line) <= LINE else f"{line[:LINE]}…" for line in lines[:MOST_LINES]]
    if left := len(lines) - len(shown):
        shown.append(f"… ({count_noun(left, 'more line')})")
    said = f"{named} {FAILED} {ran.exit_code}){':' if shown else '.'}"
    return "\n".join(filter(None, (said, *shown, put_back)))


def _look(files: Sequence[_File], command: str) -> list[str]:
    """See what a command did to the files of the call. One that it deleted or emptied is put back:
    returns what is told of that."""
    harm: list[str] = []
    for one in files:
        now = _content(one.path)
        if now is not None:
            _look_at_mode(one, command)
        if now or now == one.now:
            if now != one.now:
                one.now = now or b""
                one.by.append(command)
            continue
        did = "deleted" if now is None else "emptied"
        try:
            gone = now is None
            file_access.atomic_write(one.path, one.now, one.mode, follow=False, new=gone, held=now)
            then = "it was put back as it was before that."
        except (OSError, ValueError) as error:
            then = f"it could not be put back ({getattr(error, 'strerror', None) or error}); /undo can."
        harm.append(f"`{command}` {did} {one.shown}: {then}")
    return harm


def _look_at_mode(file: _File, command: str) -> None:
    try:
        mode = _mode(file.path)
    except OSError:
        return  # it is gone again
    if mode != file.mode_now:
        file.mode_now = mode
        file.modes_by.append(command)


def _difference(file: _File) -> DiffDisplay:
    """What the commands changed; of what is large, or no text, nothing is shown."""
    before, now = file.edited, file.now
    if max(len(before), len(now)) > DIFF_BYTES or is_binary(before) or is_binary(now):
        return DiffDisplay(file.shown, ())
    return diff(file.shown, before.decode("utf-8", "replace"), now.decode("utf-8", "replace"))


def _quoted(commands: Sequence[str]) -> str:
    return ", ".join(f"`{command}`" for command in commands)


def _joined(
    result: ToolResult, files: Sequence[_File], told: Sequence[str], context: CallContext
) -> ToolResult:
    """The result of the call with what came after it."""
    changed = [one for one in files if one.now != one.edited]
    modes = [one for one in files if one.mode_now != one.mode]
    if not changed and not modes and not told:
        return result
    stands, shown = list[str](), list[DiffDisplay]()
    for one in changed:
        context.seen_files.note(one.path, one.now)
        display = _difference(one)
        by = _quoted(one.by)
        counts = f"+{display.added} -{display.removed} lines"
        stands.append(f"After the edit, {by} changed {one.shown} ({counts}). It stands so now:")
        text = one.now.decode("utf-8", "replace") if display.hunks else ""
        stands.append(show_changed_lines(display, text, one.path, context) or "(too large to show)")
        shown.append(noted(display, f"changed after the edit by {by}"))
    for one in modes:
        by, now = _quoted(one.modes_by), describe_modes(one.mode, one.mode_now)
        stands.append(f"After the edit, {by} changed {one.shown}: {now}.")
        shown.append(noted(DiffDisplay(one.shown, ()), f"{now}, after the edit by {by}"))
    if told:
        lines = [line for text in told for line in text.split("\n")]
        shown.append(noted(DiffDisplay(files[0].shown, ()), *lines))
    own = result.display
    edits = own.diffs if isinstance(own, DiffsDisplay) else ()
    edits = (own,) if isinstance(own, DiffDisplay) else edits
    content = "\n".join((result.content, *filter(None, stands), *told))
    whole = DiffsDisplay((*edits, *shown))
    context.scrub_ahead(whole)
    return replace(result, content=content, display=whole)
