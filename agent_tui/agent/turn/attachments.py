"""Files and folders that a prompt names with `@` go to the model with it, read as its own tools
would read them.

Each is a call that the person made: judged (the name of a secret and a path outside the folder ask
first), recorded, scrubbed, bounded and shown as a line in the transcript. What names nothing that
is there stays text.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from pydantic import Field

from agent_tui.agent.services import images
from agent_tui.agent.turn.executor import Executor
from agent_tui.agent.turn.running_turn import Turn
from agent_tui.protocol.display import ImageDisplay
from agent_tui.protocol.events import Notice
from agent_tui.protocol.messages import ToolCall
from agent_tui.protocol.tool_events import ATTACHED
from agent_tui.safety import paths
from agent_tui.structures import late, mention
from agent_tui.tools import list_files, read_file
from agent_tui.tools.base import LenientArguments, Tool, ToolContext, ToolResult

MOST: Final = 20
"""Files that are attached to a prompt."""
LOOKED_UP: Final = 500
"""Names that are looked up for it: pasted code is full of them."""
BUDGET: Final = 3
"""All attachments of a prompt together may be so many times as long as one result of a tool."""

MEANT: Final = 5
"""So many names are a person's; more are pasted code, in which `@` is something else."""
FILE: Final = late.pattern(r"(?:[\w.-]+/)*[\w-]+\.[A-Za-z]\w{0,4}")
"""What looks like the name of a file: if there is none, that is said."""

Attach = Callable[[str, Turn], Awaitable[None]]


class Attached(LenientArguments):
    path: str = Field(description="File or folder to attach")


async def run(args: Attached, ctx: ToolContext) -> ToolResult:
    real = ctx.path(args.path)
    if folder := await ctx.run_blocking(lambda _: real.is_dir()):
        result = await list_files.run(list_files.ListFiles(path=args.path), ctx)
    else:
        result = await read_file.run(read_file.ReadFile(path=args.path), ctx)
    if result.reading is not None:  # the person gives it, so it is given
        result = replace(result, reading=replace(result.reading, unchanged=""))
    if isinstance(result.display, ImageDisplay):
        return images.attach_image(real, result, ctx)
    kind = "folder" if folder else "file"
    head = head_of(kind, ctx.hide_secrets(ctx.display_path(real)))
    return replace(result, content=f"{head}\n{result.content}")


def label_of(path: str) -> str:
    return f"Attach {mention.original(path)}"


def head_of(kind: str, name: str) -> str:
    """What stands above the content of an attached file or folder."""
    return f"[The {kind} {name}, attached to this message:]"


TOOL: Final = Tool(
    name=ATTACHED, description="", arguments=Attached, effect="read", run=run,
    label=lambda args: label_of(args.path), paths=lambda args: (args.path,),
)  # fmt: skip


def attacher(executor: Executor) -> Attach:
    """What attaches files to the prompts of the session of `executor`."""
    # who names a file in a prompt has consented to its being read, in every mode; what always asks
    # asks here too
    own = Executor(
        {ATTACHED: TOOL},
        frozenset,
        executor.workplace,
        executor.scrub,
        lambda: "auto",
        executor.ask,
        executor.new_id,
        parallel=False,
    )

    told: set[str] = set()

    async def attach(text: str, turn: Turn) -> None:
        if not (named := mention.mentioned_files(text)):
            return
        own.approvals.permissions = executor.approvals.permissions
        looked_up = own.workplace.off_loop(lambda: _there(named[:LOOKED_UP], own.workplace.roots))
        there, lost = await looked_up
        new = [path for path in lost if path not in told] if len(named) <= MEANT else []
        told.update(new)
        if new:
            turn.emit(Notice(f"{', '.join(new)}: no such file; sent as text."))
        room = BUDGET * own.workplace.max_output_chars
        for number, path in enumerate(there):
            if room <= 0 or number == MOST:
                left = ", ".join(f"@{path}" for path in there[number:])
                turn.emit(Notice(f"Not attached, too large together: {left}.", "warning"))
                return
            call = ToolCall(own.new_id(), ATTACHED, json.dumps({"path": path}))
            for outcome in await own.run((call,), turn, ()):
                room -= len(outcome.result)

    return attach


def _there(
    named: Sequence[tuple[str, ...]], roots: tuple[Path, ...]
) -> tuple[list[str], list[str]]:
    """Of each name the reading that is there, each file once; and the names that look like a file's
    and are none's."""
    found: dict[Path, str] = {}
    lost: list[str] = []
    for ways in named:
        for way in ways:
            try:
                real = paths.resolve(way, roots[0])
                exists = real.exists()
            except (OSError, ValueError):
                continue  # no path: it is only text
            if exists:
                found.setdefault(real, way)
                break
        else:
            if FILE.fullmatch(ways[-1]):
                lost.append(ways[-1])
    return list(found.values()), lost
