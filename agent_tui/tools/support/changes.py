"""What a call does to files, worked out first and then done just so: all of it, or nothing."""

from __future__ import annotations

import asyncio
import contextlib
import stat
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from agent_tui.protocol.display import DiffDisplay, DiffsDisplay, Display
from agent_tui.protocol.standing import IntendedChange
from agent_tui.safety import atomic_swap, file_access, hard_links, paths
from agent_tui.structures.frozen import frozen
from agent_tui.tools.base import A, Planned, Stale, ToolContext, ToolFailure, ToolResult, sha256
from agent_tui.tools.support import pieces
from agent_tui.tools.support.diff import diff
from agent_tui.tools.support.files import LARGEST, describe_other_names
from agent_tui.tools.support.matching import Replacement
from agent_tui.tools.support.nearest import Hide, cut_lines
from agent_tui.tools.support.syntax import describe_break

SHOWN_LINES: Final = 40
"""Lines of a result that show how changed lines stand now."""
LINE: Final = 300
"""Characters of such a line."""
_MORE: Final = "   … (more changed lines)"
LONGEST_KEY: Final = 200_000
"""Characters of a private key, at most."""


@frozen
class Change:
    """`data` (None: no file) instead of `before` (None: there is none) at a real path.
    `moved_from`: the file is brought from there, and holds `before`. `done` is the sentence for the
    model; `stands`: the changed lines, which follow it. `sha`: the SHA-256 of `before`, where it is
    known."""

    path: Path
    before: bytes | None
    data: bytes | None
    display: DiffDisplay
    done: str
    moved_from: Path | None = None
    stands: str = ""
    sha: str = ""


@frozen
class _Done:
    """What becomes of a change: the hashes of what was there and of what is, the mode before, the
    folders that are made for it, what becomes of its other names. `token`: what is in the names
    beside it meanwhile."""

    change: Change
    saved: str = ""
    after: str = ""
    mode: int = 0
    folders: int = 0
    apart: str = ""
    token: str = ""

    def intended(self) -> tuple[IntendedChange, ...]:
        """What is about to be done, by the files that it touches."""
        path, source = str(self.change.path), self.change.moved_from
        told = IntendedChange(path, self.saved, self.after, self.mode, self.folders, self.token)
        if source is None:
            return (told,)
        gone = IntendedChange(str(source), self.saved, mode=self.mode)
        return gone, replace(told, before="", mode=0)


async def plan_changes(work_out: Callable[[], Sequence[Change]], ctx: ToolContext) -> Planned:
    """The changes, worked out off the loop, as what a person may be asked about."""

    def work(stopped: Callable[[], bool]) -> Sequence[Change]:
        with pieces.stoppable(stopped):
            found = work_out()
        ctx.scrub_ahead(_display(found))
        return found

    changes: Sequence[Change] = await ctx.run_blocking(work)

    async def is_current() -> bool:
        return await ctx.run_blocking(lambda _: all(map(_is_current, changes)))

    return Planned(_display(changes), lambda: _apply(changes, ctx), is_current)


def run_planned(
    plan: Callable[[A, ToolContext], Awaitable[Planned]],
) -> Callable[[A, ToolContext], Awaitable[ToolResult]]:
    """How a tool runs where nobody is asked: a call that became stale is worked out anew, once."""

    async def run(arguments: A, ctx: ToolContext) -> ToolResult:
        try:
            return await (await plan(arguments, ctx)).apply()
        except Stale:
            return await (await plan(arguments, ctx)).apply()

    return run


def is_secret(path: Path, ctx: ToolContext) -> bool:
    """Whether a file's purpose is secrets."""
    return paths.is_secret(path) or hard_links.is_secret(path, ctx.roots)


def hide_in(path: Path, ctx: ToolContext) -> Hide:
    """What hides secrets in a text of the file `path`."""
    return lambda text: ctx.hide_secrets(text, is_secret(path, ctx))


def refuse_stale(path: Path, held: bytes, ctx: ToolContext) -> str:
    """Raise ToolFailure (`stale`) where the model knows the file as another one than `held`;
    returns the SHA-256 of that."""
    sha = sha256(held)

    if why := ctx.seen_files.find_stale(path, held, hide_in(path, ctx), sha):
        raise ToolFailure("stale", f"{ctx.display_path(path)} {why}")
    return sha


def refuse_link(text: str, ctx: ToolContext) -> None:
    """Raise ToolFailure where the last name of a path is a link: what is meant, it or the file that
    it leads to, has two readings."""
    folder, _, name = text.rstrip("/").rpartition("/")
    start = folder or ("/" if text.startswith("/") else ".")
    try:
        named = paths.resolve(start, ctx.roots[0]) / name
        leads = ctx.display_path(paths.resolve(text, ctx.roots[0])) if named.is_symlink() else ""
    except ValueError as error:
        raise ToolFailure("invalid_arguments", str(error)) from None
    if leads:
        said = f"{text} is a link to {leads}: name that file, or use run_shell_command"
        raise ToolFailure("invalid_arguments", said)


def _display(changes: Sequence[Change]) -> Display:
    if len(changes) == 1:
        return changes[0].display
    return DiffsDisplay(tuple(change.display for change in changes))


def _is_current(change: Change) -> bool:
    if change.moved_from is not None:
        return _holds(change.moved_from, change.before) and _holds(change.path, None)
    return _holds(change.path, change.before)


def _holds(path: Path, content: bytes | None) -> bool:
    try:
        return file_access.read_regular(path, LARGEST) == content
    except FileNotFoundError:
        return content is None
    except (OSError, ValueError):
        return False  # a folder, a link or no permission: working it out again says which


async def _apply(changes: Sequence[Change], ctx: ToolContext) -> ToolResult:
    """Put on record what will be done, do it off the loop, and tell of it in any case: a cancel
    between the two would hide a change from undo."""
    done: list[_Done] = []
    begun = await ctx.run_blocking(lambda _: [_begin(change, ctx) for change in changes])
    ctx.begin_changes(tuple(file for one in begun for file in one.intended()))
    work = asyncio.ensure_future(ctx.run_blocking(lambda _: _do_all(begun, done, ctx)))
    try:
        said = await asyncio.shield(work)
    except asyncio.CancelledError:
        await asyncio.wait({work})  # a moment: it is not stopped half way
        work.exception()
        raise
    finally:
        if work.done():
            _report(done, ctx)
        else:  # cancelled once more
            work.add_done_callback(lambda _: _report(done, ctx))
    return ToolResult(said, _display(changes))


def _begin(change: Change, ctx: ToolContext) -> _Done:
    """What a change will be. What the file holds is kept by then. Raises ToolFailure."""
    path, before, shown = change.path, change.before, change.display.path
    after = "" if change.data is None else sha256(change.data)
    begun = _Done(change, after=after, token=atomic_swap.new_token())
    with _failures(change):
        if before is not None:
            mode = stat.S_IMODE((change.moved_from or path).lstat().st_mode)
            apart = "" if change.moved_from else describe_other_names(path, shown)
            begun = replace(begun, saved=ctx.checkpoint(before, change.sha), mode=mode, apart=apart)
        return _with_folders(begun)


def _with_folders(one: _Done) -> _Done:
    """`one` with how many folders are missing for it now."""
    if one.change.data is None:
        return one
    return replace(one, folders=sum(not above.exists() for above in one.change.path.parents))


def _do_all(begun: Sequence[_Done], done: list[_Done], ctx: ToolContext) -> str:
    """Do them one after the other; where one fails, what was done is put back. Returns what the
    model is told."""
    if len(begun) > 1 and not all(_is_current(one.change) for one in begun):
        raise Stale("stale", "a file was changed by another program at this moment")
    for one in sorted(begun, key=lambda one: one.change.data is None):  # what goes, goes last
        try:
            done.append(_do(one))
        except ToolFailure as failure:
            left = _put_back(done, ctx)
            if left:
                failure.text += f"; {', '.join(left)} could not be put back as before"
            elif len(begun) > 1:
                failure.text += "; no file was changed"
            raise
    return "\n".join(_describe(one, ctx) for one in done)


def _do(one: _Done) -> _Done:
    """One change, whole or not at all. Raises ToolFailure."""
    change, path = one.change, one.change.path
    with _failures(change):
        if change.data is None:
            file_access.remove_held(path, change.before or b"", one.token)
            return one
        one = _with_folders(one)  # one before it may have made some
        try:
            file_access.make_folders(path)
            _write(change, change.data, one.token)
        except BaseException:
            with contextlib.suppress(OSError):
                _remove_folders(path, one.folders)
            raise
    return one


@contextlib.contextmanager
def _failures(change: Change) -> Iterator[None]:
    """What fails here, as the model is told of it."""
    shown = change.display.path
    try:
        yield
    except (FileExistsError, FileNotFoundError, file_access.ChangedMeanwhile):
        text = f"{shown} was changed by another program at this moment, so nothing was written: read it again"
        raise Stale("stale", text) from None
    except (OSError, ValueError) as error:
        raise ToolFailure(
            "write_failed", f"{shown}: {getattr(error, 'strerror', None) or error}"
        ) from None


def _write(change: Change, data: bytes, token: str) -> None:
    before, path, source = change.before, change.path, change.moved_from
    if source is None:
        new = before is None
        file_access.atomic_write(path, data, follow=False, new=new, held=before, token=token)
        return
    held = before or b""
    file_access.move(source, path, held)
    if data != before:
        try:
            file_access.atomic_write(path, data, follow=False, held=held, token=token)
        except BaseException:
            file_access.move(path, source, held)
            raise


def _put_back(done: list[_Done], ctx: ToolContext) -> list[str]:
    """Undo what was done, the last first; what cannot be put back stays in `done` and is named."""
    left: list[_Done] = []
    for one in reversed(done):
        change, path, token = one.change, one.change.path, one.token
        write, before, data = file_access.atomic_write, change.before or b"", change.data
        try:
            if change.moved_from is not None:
                if data != before:
                    write(path, before, follow=False, held=data, token=token)
                file_access.move(path, change.moved_from, before)
            elif change.before is None:
                file_access.remove_held(path, data or b"", token)
            elif data is None:
                write(path, before, one.mode, follow=False, new=True, token=token)
            else:
                write(path, before, follow=False, held=data, token=token)
            _remove_folders(path, one.folders)
        except (OSError, ValueError):
            left.insert(0, one)
    done[:] = left
    return [ctx.display_path(one.change.path) for one in left]


def _remove_folders(path: Path, count: int) -> None:
    """Those that were made for a file that is gone again."""
    for folder in list(path.parents)[:count]:
        with contextlib.suppress(FileNotFoundError):  # not all of them were made
            file_access.remove_folder(folder)


def _report(done: Sequence[_Done], ctx: ToolContext) -> None:
    for one in done:
        change, after = one.change, one.after
        if change.moved_from is None:
            ctx.report_change(
                change.path, change.display, one.saved, after, one.folders, one.apart, one.mode
            )
        else:
            gone = diff(ctx.display_path(change.moved_from), "", "")
            ctx.report_change(change.moved_from, gone, one.saved, "", mode=one.mode)
            ctx.report_change(change.path, change.display, "", after, one.folders)


def _describe(one: _Done, ctx: ToolContext) -> str:
    """What the model is told, and knows from now on."""
    change = one.change
    if change.moved_from is not None:
        ctx.seen_files.forget(change.moved_from)
    if change.data is None:
        ctx.seen_files.forget(change.path)
        return change.done
    ctx.seen_files.note(change.path, change.data, one.after)
    broken = describe_break(change.path, change.before, change.data)
    said = " ".join(filter(None, (change.done, one.apart)))
    return "\n".join(filter(None, (said, change.stands, broken)))


def changes_nothing(text: str, made: Sequence[Replacement]) -> bool:
    """Whether `text` has all of it already."""
    return all(text[one.place.start : one.place.end] == one.text for one in made)


def around_changes(text: str, made: Sequence[Replacement]) -> str:
    """The part of `text` in which a private key would stand that `made` changes."""
    first = min((one.place.start for one in made), default=0)
    last = max((one.place.end for one in made), default=0)
    return text[max(0, first - LONGEST_KEY) : last + LONGEST_KEY]


def show_changed_lines(display: DiffDisplay, around: str, path: Path, ctx: ToolContext) -> str:
    """The changed lines of a file as they stand now, with their numbers; not those of private keys,
    of which a single line tells nothing to who hides them. `around`: the file's text, or as much of
    it around the changes as may be a key."""
    changed = (line for hunk in display.hunks for line in hunk.lines)
    if "PRIVATE KEY" in around or any("PRIVATE KEY" in line for line in changed):
        return ""
    marks, lines = list[str](), list[str]()
    for hunk in display.hunks:
        texts = [line[1:] for line in hunk.lines if line[:1] in (" ", "+")]
        marks += ["   …"] * bool(lines) + [f"{hunk.new_start + at:>5}→" for at in range(len(texts))]
        lines += [""] * bool(lines) + texts
    hidden = hide_in(path, ctx)(cut_lines("\n".join(lines[:SHOWN_LINES]))).split("\n")
    cut = (text if len(text) < LINE else f"{text[: LINE - 1]}…" for text in hidden)
    shown = [f"{mark}{text}" for mark, text in zip(marks, cut, strict=False)]
    return "\n".join([*shown, _MORE] if len(lines) > SHOWN_LINES else shown)
