"""Makes a new file. What is there is never overwritten silently."""

from __future__ import annotations

from pydantic import Field

from agent_tui.protocol.display import DiffDisplay, Display
from agent_tui.safety import paths
from agent_tui.tools._diff import diff
from agent_tui.tools._text import FileText, parted, read_text
from agent_tui.tools.base import Arguments, Tool, ToolContext, ToolFailure, ToolResult, sha256


class CreateFile(Arguments):
    path: str = Field(description="the new file, relative to the working directory")
    content: str = Field(description="its whole text")
    overwrite: bool = Field(default=False, description="replace the file if it exists")


def _before(arguments: CreateFile, ctx: ToolContext) -> FileText | None:
    """The file that is there, if it may be replaced. Raises ToolFailure."""
    path = ctx.path(arguments.path)
    if not path.exists():
        return None
    if not arguments.overwrite:
        raise ToolFailure(
            "exists", f"{ctx.shown(path)} exists: change it with edit_file, or give overwrite=true to replace it all"
        )
    return read_text(path, ctx)


def _difference(arguments: CreateFile, ctx: ToolContext) -> DiffDisplay:
    before = _before(arguments, ctx)
    shown = ctx.shown(ctx.path(arguments.path))
    return diff(shown, before.text if before else "", arguments.content, created=before is None)


async def preview(arguments: CreateFile, ctx: ToolContext) -> Display:
    return _difference(arguments, ctx)


async def run(arguments: CreateFile, ctx: ToolContext) -> ToolResult:
    before = _before(arguments, ctx)
    display = _difference(arguments, ctx)
    path = ctx.path(arguments.path)
    data = arguments.content.encode("utf-8", "surrogatepass")
    saved = ctx.checkpoint(before.raw) if before else ""
    apart = parted(path, display.path) if before else ""
    folders = sum(not above.exists() for above in path.parents)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ToolFailure("write_failed", f"{display.path}: its folder cannot be made: {error.strerror}") from None
    try:
        paths.atomic_write(path, data, follow=False, new=before is None)
    except FileExistsError:
        raise ToolFailure("exists", f"{display.path}: another program has just made it") from None
    except (OSError, ValueError) as error:
        raise ToolFailure("write_failed", f"{display.path}: {getattr(error, 'strerror', None) or error}") from None
    ctx.changed(path, display, saved, sha256(data), folders, apart)
    count = len(arguments.content.splitlines())
    done = "Created" if before is None else "Replaced"
    return ToolResult(f"{done} {display.path} ({count} lines). {apart}".rstrip(), display)


TOOL = Tool(
    name="create_file",
    description="Create a new file with the given text, and its folders. Fails if it exists, unless overwrite.",
    arguments=CreateFile,
    effect="write",
    label=lambda a: f"{'Replace' if a.overwrite else 'Create'} {a.path}",
    run=run,
    paths=lambda a: (a.path,),
    preview=preview,
)
