"""How `agent-tui sessions` says things: lines for people, JSON for programs. Nothing of a log comes
out raw."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Final

from agent_tui.agent.services.exporting import write_new
from agent_tui.protocol.answers import Hit, Stats, Step, Summary
from agent_tui.sessions.imports.files import Imported
from agent_tui.sessions.index.listing import tree
from agent_tui.sessions.index.manage import Old
from agent_tui.sessions.index.search import fields_with
from agent_tui.sessions.index.stats import clock, cost, lines, share_of
from agent_tui.sessions.log.copies import Copied
from agent_tui.sessions.log.repair import Repaired
from agent_tui.structures import late
from agent_tui.structures.readable import count_noun, format_date
from agent_tui.structures.visible import visible

TITLE: Final = 60


_STREAM: Final = late.pattern(r"/(?:dev|proc/self)/fd/(\d+)")
_STREAMS: Final = {"-": 1, "/dev/stdout": 1, "/dev/stderr": 2}


def stream_of(path: str) -> int:
    """A descriptor of its own for the open file that `path` names, such as `-` or `/dev/fd/3`; -1:
    it names none.

    Raises OSError where that is not open.
    """
    named = _STREAM.fullmatch(path)
    number = int(named[1]) if named is not None else _STREAMS.get(path, -1)
    return os.dup(number) if number >= 0 else -1


class Unknown(Exception):
    """What was asked for cannot be meant: one line for the person."""


class Failed(Exception):
    """It was not done: one line for the person."""


class Output:
    def say(self, text: str) -> None:
        """One line."""
        print(_line(text))

    def note(self, text: str) -> None:
        """One line, on standard error."""
        print(f"agent-tui: {_line(text)}", file=sys.stderr)

    def raw(self, document: str) -> None:
        """A document that is harmless already."""
        sys.stdout.write(document)
        sys.stdout.flush()

    def json(self, data: object) -> None:
        print(json.dumps(data, indent=1))

    def summary(self, one: Summary) -> dict[str, object]:
        return {name: value for name, value in asdict(one).items() if name != "elsewhere"}

    def print_sessions(self, found: Sequence[Summary]) -> None:
        if not found:
            self.note("there are no sessions")
        for one in found:
            self.say(
                f"{one.id}  {moment(one.at)}  {_turns(one.turns):>10}  {_title(one)}  {one.cwd}"
            )

    def tree(self, found: Sequence[Summary]) -> None:
        for branch in tree(found):
            one = branch.session
            print(
                f"{branch.lines}{_line(f'{one.id[:8]}  {moment(one.at)}  {_turns(one.turns)}  {_title(one)}')}"
            )

    def hits(self, hits: Iterable[Hit], words: str, as_json: bool) -> None:
        if as_json:
            self.json([{"session": asdict(hit.session), **_place(hit)} for hit in hits])
            return
        for hit in hits:
            one = hit.session
            where = f"turn {hit.turn}" if hit.turn else f"found in the {fields_with(one, words)}"
            self.say(f"{one.id}  {moment(one.at)}  {_title(one)}  {one.cwd}")
            print(f"  {where}: {_line(hit.snippet)}")

    def write_document(self, target: Path, document: str) -> Path:
        """Raises Failed."""
        try:
            return write_new(target, document)
        except OSError as error:
            raise Failed(f"{target}: {error.strerror or error}") from None

    def written_to(self, fd: int, document: str) -> None:
        """Write it to an open file, pipe or terminal. Raises Failed."""
        sys.stdout.flush()
        try:
            with os.fdopen(fd, "wb") as file:
                file.write(document.encode("utf-8", "replace"))
        except BrokenPipeError:
            raise  # nobody reads on: there is nothing to say
        except OSError as error:
            raise Failed(f"not written: {error.strerror or error}") from None

    def print_copy(self, made: Copied) -> int:
        left = (
            f"; {count_noun(made.left_out, 'record')} of the old one left out"
            if made.left_out
            else ""
        )
        self.say(
            f"{made.id}: {_turns(made.turns)}, {count_noun(made.records, 'record')} in a new session{left}"
        )
        return 0

    def print_import(self, made: Imported) -> None:
        if made.already:
            self.say(f"{made.id}: already imported from {made.program}")
            return
        left = ", ".join(f"{what} ({count:,})" for what, count in sorted(made.left_out.items()))
        self.say(
            f"{made.id}: {_turns(made.turns)} from {made.program}{f'; left out: {left}' if left else ''}"
        )

    def confirm_deletion(self, one: Summary, files: Sequence[Path]) -> bool:
        """Ask whether `one` may go."""
        size = sum(path.lstat().st_size for path in files)
        self.say(f"{one.id}  {moment(one.at)}  {_turns(one.turns)}  {_title(one)}")
        print(
            f"delete {len(files)} file{'' if len(files) == 1 else 's'}, {size:,} bytes? [y/N] ",
            end="",
            flush=True,
        )
        answer = sys.stdin.readline() if sys.stdin is not None else ""
        agreed = answer.strip().lower() in ("y", "yes")
        if not agreed:
            self.note(
                "nothing was deleted"
                if answer
                else "nothing was deleted: nobody answered (--yes deletes)"
            )
        return agreed

    def print_repair(self, done: Repaired) -> None:
        if done.original is None:
            self.say(f"{done.check.summary}: nothing to repair")
            return
        aside = ", ".join(path.name for path in done.aside)
        self.say(
            f"{done.check.summary}: repaired; set aside: {aside}; the log as it was: {done.original.name}"
        )

    def stats(self, found: Stats, as_json: bool, steps: bool) -> None:
        if as_json:
            self.json(asdict(found))
            return
        for name, value in lines(found):
            print(f"{name:15} {_line(value)}")
        for share in (*found.by_model, *found.by_tool):
            tokens = (
                f", {share.tokens_in:,} tokens in, {share.tokens_out:,} out"
                if share.tokens_in
                else ""
            )
            errors = f", {share.errors:,} failed" if share.errors else ""
            said = (
                f", {share_of(share.cached, share.tokens_in)} from a cache" if share.cached else ""
            )
            said = f"{tokens}{said}{errors}"
            said += (
                f", {cost(share.cost, share.cost_estimated)}" if tokens and share.cost != 0 else ""
            )
            self.say(f"{share.name or 'a model'}: {share.count:,} in {clock(share.ms)}{said}")
        for share in found.by_turn:
            if share.cost:  # what is free has no price
                self.say(f"turn {share.name}: {cost(share.cost, share.cost_estimated)}")
        for step in found.by_step if steps else ():
            self._step(step)

    def _step(self, step: Step) -> None:
        times = f"model {clock(step.provider_ms)}, tools {clock(step.tool_ms)}"
        self.say(
            f"turn {step.turn} step {step.step}: {step.tokens_in:,} in, {step.tokens_out:,} out, {times}"
        )
        told = [("thought", step.thought), ("answer", step.answer)]
        told += [(tool.tag, tool.label) for tool in step.tools] + [
            ("changed", path) for path in step.files
        ]
        for name, words in told:
            if words:
                print(f"  {_line(name)}: {_line(words)}")

    def print_old(self, old: Sequence[Old], deleted: bool) -> None:
        for one in old:
            self.say(
                f"{one.session.id}  {moment(one.session.at)}  {one.size:,} bytes  {_title(one.session)}  {one.why}"
            )
        total = sum(one.size for one in old)
        what = f"{len(old):,} session{'' if len(old) == 1 else 's'}, {total:,} bytes"
        self.say(
            f"{what}: {'deleted' if deleted else 'would be deleted (--yes deletes)' if old else 'nothing to delete'}"
        )


def _place(hit: Hit) -> dict[str, object]:
    return {"snippet": hit.snippet, "turn": hit.turn, "n": hit.n, "marks": hit.marks}


def _line(text: str) -> str:
    return visible(text, overwrite=True).replace("\n", "␊")


def _title(one: Summary) -> str:
    title = " ".join(one.title.split()) or ("(no title)" if one.turns else "(nothing said yet)")
    return title if len(title) <= TITLE else f"{title[: TITLE - 1]}…"


def _turns(count: int) -> str:
    return f"{count:,} turn{'' if count == 1 else 's'}"


def moment(at: float) -> str:
    try:
        return format_date(at, time.localtime(at).tm_gmtoff)
    except (OverflowError, OSError, ValueError):
        return "an unknown time "
