"""The tool `grep_files`: searches the text of files, line by line, with a regular expression."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, TypeVar

from pydantic import Field

from agent_tui.protocol.display import Display, Entry, ListingDisplay, MatchesDisplay, TableDisplay
from agent_tui.safety import file_access, hard_links, paths, protected_names
from agent_tui.structures.readable import count_noun
from agent_tui.tools.base import LenientArguments, Tool, ToolContext, ToolFailure, ToolResult
from agent_tui.tools.support import ripgrep
from agent_tui.tools.support.expression import Expression, dialect_note, readings
from agent_tui.tools.support.files import (
    binary_failure,
    failure,
    is_binary,
    patterns_of_type,
    size_text,
)
from agent_tui.tools.support.search import MAX_BYTES, Hit, Search, Show
from agent_tui.tools.support.walk import (
    BUDGET,
    PER_PAGE,
    Batch,
    Glob,
    Halt,
    Links,
    Page,
    Reader,
    SecretLink,
    Walk,
    folder_failure,
    page_notes,
)

T = TypeVar("T")
MOST_CONTEXT: Final = 20
_FIRST: Final = ripgrep.FEWEST
_BATCH: Final = 20_000
"""Files that are walked past for a batch, the first one and the others."""
_NAMES: Final = 200_000
"""Characters of the folders of a batch: they become arguments of a program."""
_AHEAD: Final = 2
"""Batches that are looked at beside the one that is searched."""


class GrepFiles(LenientArguments):
    pattern: str = Field(description="Regular expression (RE2: no lookarounds, no backreferences)")
    path: str = Field(default=".", description="Folder or file to search")
    glob: str = Field(default="", description="Only files that match, such as *.py")
    type: str = Field(default="", description="Only files of a language, such as py or rust")
    show: Show = Field(default="lines", description="Lines, files only, or matches per file")
    context: int = Field(default=0, ge=0, description="Lines around each match")
    ignore_case: bool = Field(default=False)
    page: Page


async def run(args: GrepFiles, ctx: ToolContext) -> ToolResult:
    real, halt = ctx.path(args.path), Halt.after(lambda: False, BUDGET)
    search: Search | None = None
    walk, note = None, ""
    wrong: ToolFailure | None = None
    for pattern in (args.pattern, *readings(args.pattern)):
        try:
            again, walk = await _searched(args, real, pattern, halt, ctx)
        except ToolFailure as failure:
            wrong = wrong or failure  # it has no such reading
            continue
        if search is None or again.total:
            search = again
            as_written = pattern == args.pattern
            note = (
                ""
                if as_written
                else f"[Read as {pattern}: as written, {args.pattern} has no match.]"
            )
        if search.total or halt.late:
            break
    if search is None:
        raise wrong or ToolFailure("invalid_arguments", "the pattern is empty")
    if not search.total:
        return _nothing(args, search, walk, real, ctx)
    notes = [
        *page_notes(args.page, len(search.page), search.total, search.is_full),
        *search.notes(walk),
    ]
    head = f"{'Over ' if search.is_full else ''}{_counted(args.show, search.total)}:"
    shown, display = _SHOWN[args.show](args, search)
    return ToolResult("\n".join([head, *shown, *notes, *([note] if note else [])]), display)


def _counted(show: Show, total: int) -> str:
    return count_noun(total, "match", "matches") if show == "lines" else count_noun(total, "file")


def _nothing(
    args: GrepFiles, search: Search, walk: Walk | None, real: Path, ctx: ToolContext
) -> ToolResult:
    notes = [*page_notes(args.page, 0, 0), *search.notes(walk)]
    hint = "" if walk is None else (
        " Files that .gitignore names are left out, unless path names their folder."
    )  # fmt: skip
    said = f"No match for {args.pattern!r} in {ctx.display_path(real)}.{hint}{dialect_note(args.pattern)}"
    return ToolResult("\n".join([said, *notes]), MatchesDisplay(args.pattern, (), 0))


async def _searched(
    args: GrepFiles, real: Path, pattern: str, halt: Halt, ctx: ToolContext
) -> tuple[Search, Walk | None]:
    """Search the file `real`, or all files below it. Raises ToolFailure."""
    globs = [Glob(args.glob)] if args.glob.strip() else []
    if args.type.strip():
        globs.append(Glob(*patterns_of_type(args.type)))
    search = Search(
        Expression(pattern, args.ignore_case), (args.page - 1) * PER_PAGE, halt, ctx.hide_secrets,
        ctx.hide_known, args.show, min(args.context, MOST_CONTEXT),
    )  # fmt: skip
    tree = _Tree(search, real, globs, ctx)

    def begin(stopped: Callable[[], bool]) -> bool:
        halt.stopped = stopped
        if real.is_dir():
            return tree.begin()
        _one(search, real, ctx)
        return False

    if not await ctx.run_blocking(begin):
        return search, None
    try:
        await tree.run()
    finally:
        tree.close()
    return search, tree.walk


class _Tree:
    """A search of all files below a folder: they are gathered in batches, which ripgrep may look at
    first, and are read in order."""

    def __init__(self, search: Search, real: Path, globs: list[Glob], ctx: ToolContext) -> None:
        self._search, self._real, self._globs, self._ctx = search, real, globs, ctx
        self._names = next((glob.plain for glob in globs if glob.plain), ())

    def begin(self) -> bool:
        """Raises ToolFailure."""
        ctx, real = self._ctx, self._real
        try:
            self._reader = Reader(real, Links(real, ctx.roots).is_secret)
        except OSError as error:
            raise folder_failure(real, ctx, error) from None
        self.walk = Walk(real, ctx.roots, self._search.halt, ctx.environment)
        self._batches = self._gathered()
        return True

    def close(self) -> None:
        self._reader.close()

    async def run(self) -> None:
        ahead: deque[tuple[Batch, asyncio.Task[set[str] | None]]] = deque()
        search = self._search
        try:
            while batch := await self._blocking(self._next):
                looked_at = ripgrep.narrow(
                    batch, search.expression, self._real, self._names, self._ctx
                )
                ahead.append((batch, asyncio.create_task(looked_at)))
                while ahead and (len(ahead) > _AHEAD or ahead[0][0].count < ripgrep.FEWEST):
                    await self._read(*ahead.popleft())
                if search.is_full:
                    return
            while ahead and not search.is_full:
                await self._read(*ahead.popleft())
        finally:
            for _, task in ahead:
                task.cancel()

    async def _read(self, batch: Batch, task: asyncio.Task[set[str] | None]) -> None:
        named = await task
        await self._blocking(lambda: self._files(batch, named))

    def _next(self) -> Batch | None:
        return next(self._batches, None)

    async def _blocking(self, work: Callable[[], T]) -> T:
        def stoppable(stopped: Callable[[], bool]) -> T:
            self._search.halt.stopped = stopped
            return work()

        return await self._ctx.run_blocking(stoppable)

    def _gathered(self) -> Iterator[Batch]:
        """All files that count. The names of secrets are left out and counted."""
        batch, size, left = Batch(), 0, _FIRST
        for run in self.walk.runs():
            names = run.names
            left -= len(names)
            if run.special:
                names = [name for name in names if name not in run.special]
            for glob in self._globs:
                names = glob.among(run.path, names)
            folder = (*self._real.parts, *run.path.split("/")[:-1])
            if secrets := protected_names.find_secrets(folder, names):
                names = [name for name in names if name not in secrets]
                self._search.secrets += len(secrets)
                batch.secrets += [run.path + name for name in secrets]
            if kept := self._ctx.unreadable(self._real / run.path, names):
                names = [name for name in names if name not in kept]
                self._search.forbidden += len(kept)
            if names:
                batch.files.append((run.path, names))
                batch.count, size = batch.count + len(names), size + len(run.path)
            if left <= 0 or size > _NAMES:
                yield batch
                batch, size, left = Batch(), 0, _BATCH
        yield batch

    def _files(self, batch: Batch, named: set[str] | None) -> None:
        """Search the files of a batch, or those of them that are `named`."""
        search, shown = self._search, self._ctx.display_path(self._real)
        by_folder: dict[str, set[str]] = {}
        for path in named or ():
            by_folder.setdefault(path[: path.rfind("/") + 1], set()).add(path)
        for folder, names in batch.files:
            wanted = by_folder.get(folder, ())
            if named is not None and not wanted:
                continue
            for name in names:
                if named is not None and folder + name not in wanted:
                    continue
                if search.is_full or search.halt():
                    return
                try:
                    opened = self._reader.open(folder, name)
                    if opened is not None:
                        with opened[0] as file:
                            search.file(shown, folder + name, file, opened[1])
                except SecretLink:
                    continue  # to count those that may match would tell what is in them
                except OSError:
                    search.unreadable += 1


def _one(search: Search, real: Path, ctx: ToolContext) -> None:
    """Search a file that was named itself: then what is wrong with it is a failure."""
    try:
        data = file_access.read_regular(real, MAX_BYTES)
    except (OSError, file_access.NotRegular) as error:
        raise failure(error, real, ctx) from None
    if is_binary(data) or b"\0" in data:
        raise binary_failure(ctx.display_path(real), data, len(data))
    if len(data) > MAX_BYTES:
        limit = size_text(MAX_BYTES)
        raise ToolFailure(
            "too_large",
            f"{ctx.display_path(real)} is larger than {limit}; use run_shell_command: grep -n",
        )
    search.of_secrets = paths.is_secret(real) or hard_links.is_secret(real, ctx.roots)
    search.text("", ctx.display_path(real), data)


def _show_lines(args: GrepFiles, search: Search) -> tuple[list[str], Display]:
    display = MatchesDisplay(args.pattern, tuple(hit.match for hit in search.page), search.total)
    lines: list[str] = []
    by_file: dict[str, list[Hit]] = {}
    for hit in search.page:
        by_file.setdefault(hit.match.path, []).append(hit)
    for path, hits in by_file.items():
        marked = {at: f"{at:>6}- {text}" for hit in hits for at, text in hit.around.items()}
        marked |= {hit.match.line: f"{hit.match.line:>6}: {hit.match.text}" for hit in hits}
        lines.append(path)
        before = 0
        for at in sorted(marked):
            if args.context and before and at > before + 1:
                lines.append("    --")
            lines.append(marked[at])
            before = at
    return lines, display


def _show_files(_args: GrepFiles, search: Search) -> tuple[list[str], Display]:
    names = [hit.match.path for hit in search.page]
    return names, ListingDisplay("", tuple(map(Entry, names)), search.total)


def _show_counts(_args: GrepFiles, search: Search) -> tuple[list[str], Display]:
    rows = [(hit.match.path, str(hit.match.line)) for hit in search.page]
    return [f"{path}: {count}" for path, count in rows], TableDisplay(
        ("file", "matches"), tuple(rows)
    )


_SHOWN: Final = {"lines": _show_lines, "files": _show_files, "counts": _show_counts}


def label(args: GrepFiles) -> str:
    where = "" if args.path in (".", "") else f" in {args.path}"
    only = ", ".join(one for one in (args.glob, args.type) if one)
    return f'Search "{args.pattern}"{where}' + (f" ({only})" if only else "")


TOOL: Final = Tool(
    name="grep_files",
    description=(
        "Search the text of files with a regular expression: gives file, line number and line. "
        "Leaves out what .gitignore names, .git, binary files and files with names of "
        f"secrets. {PER_PAGE} results a page. To find files by name use glob_files."
    ),
    arguments=GrepFiles,
    effect="read",
    label=label,
    run=run,
    paths=lambda args: (args.path,),
)
