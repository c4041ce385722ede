"""Puts files back, as was chosen: writes only what nobody else has changed since it was looked at.

What is about to be replaced goes into the blobs first, so going back can itself be taken back.
Reads and writes files: not for the loop.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from pathlib import Path
from typing import Final

from agent_tui.agent.services.restore_looks import CLOCK, MOST, Look, inspect_path, keep_only_copies
from agent_tui.protocol.standing import RestoredFile
from agent_tui.safety import atomic_swap, file_access, folder_walk, paths
from agent_tui.safety.file_access import is_link, make_link
from agent_tui.sessions.log.checkpoints import Blobs

PRIVATE: Final = 0o600
"""The mode of a file that is made again where nobody knows which it had."""


def put_again(
    looks: Sequence[Look], files: Mapping[str, RestoredFile], back: Set[str]
) -> dict[str, RestoredFile]:
    """Make the last copies again that were deleted to make room for their files, which did not
    come."""
    kept: dict[str, RestoredFile] = {}
    for one in keep_only_copies(looks, back):
        path, file = Path(one.plan.path), files[one.plan.path]
        if one.state == "only" and file.outcome == "done" and not file.after:
            with contextlib.suppress(OSError, ValueError):  # else /redo has it
                _folder(path)
                file_access.atomic_write(
                    path, one.found.content, one.found.mode, follow=False, new=True
                )
                kept[one.plan.path] = replace(file, outcome="kept")
    return kept


def intent(one: Look) -> RestoredFile:
    """What is about to be done to a file, for the record."""
    mode = one.plan.chmod or one.found.mode or one.plan.mode
    return RestoredFile(one.plan.path, one.found.sha, one.plan.target, mode, one.found.mode)


def restore_all(looks: Sequence[Look], choices: Sequence[str], blobs: Blobs) -> list[RestoredFile]:
    """Put the names of one file back, one after the other: each changes what the others look like.
    Where two get the same content and mode, they are names of one file again."""
    twins: dict[tuple[str, int], Path] = {}
    files: list[RestoredFile] = []
    for one, choice in zip(looks, choices, strict=True):
        kind = (one.plan.target, one.plan.chmod)
        file = restore(_again(one) if files else one, choice, blobs, twins.get(kind))
        files.append(file)
        if file.outcome == "done" and file.after and not one.plan.links:
            twins.setdefault(kind, Path(one.plan.path))
    return files


def _again(one: Look) -> Look:
    """`one` as it is now, where it is the same file with the same content: another name of it was
    put back."""
    now, then = inspect_path(Path(one.plan.path), one.plan.links), one.found.about
    same = now.about is not None and then is not None and os.path.samestat(now.about, then)
    return replace(one, found=now) if same and now.sha == one.found.sha else one


def restore(one: Look, choice: str, blobs: Blobs, twin: Path | None = None) -> RestoredFile:
    """Put one file back, as far as it may be; what became of it. `twin` was put back to the same:
    it becomes another name of that. Never raises for the disk's sake."""
    told = intent(one)
    if one.state == "same":
        return replace(told, outcome="same")
    if (decided := one.decide(choice)) in ("", "keep"):
        return replace(told, outcome="kept")
    try:
        if decided == "both":
            return replace(told, outcome="beside", beside=_beside(one))
        _write(one, blobs, twin)
    except file_access.ChangedMeanwhile as error:
        return replace(told, outcome="changed", problem=str(error))
    except FileExistsError:
        return replace(
            told, outcome="changed", problem=f"{one.plan.path}: another program just created it"
        )
    except (OSError, ValueError) as error:
        said = getattr(error, "strerror", None) or error
        return replace(told, outcome="failed", problem=f"{one.plan.path}: {said}")
    return replace(told, outcome="done")


def _write(one: Look, blobs: Blobs, twin: Path | None) -> None:
    path, now = Path(one.plan.path), one.found
    if now.about is not None:
        blobs.put(now.content)  # before anything is lost
    if one.plan.target and one.old is not None:
        _folder(path)
        if now.other:
            _remove_folders(path)
        if (
            one.plan.link or now.link
        ):  # one kind of thing in the place of another: there is no exchange of these
            if now.about is not None:
                file_access.remove(path, now.about)
            _new(one, path)
        elif now.about is None:
            file_access.atomic_write(
                path, one.old, one.plan.mode or PRIVATE, follow=False, new=True
            )
        else:
            file_access.atomic_write(
                path, one.old, one.plan.chmod or None, follow=False, expect=now.about, twin=twin
            )
    elif now.about is not None:
        file_access.remove(path, now.about)


def _remove_folders(path: Path) -> None:
    """Remove a folder in which only folders are. Raises OSError: something else is in it."""
    for above, _, names in os.walk(path):
        if names:
            raise OSError(errno.ENOTEMPTY, f"{names[0]} is in the folder {above}")
    for above, _, _ in os.walk(path, topdown=False):
        with folder_walk.folder_of(Path(above)) as folder:
            os.rmdir(Path(above).name, dir_fd=folder)


def _new(one: Look, path: Path) -> None:
    assert one.old is not None  # only then something is written
    if one.plan.link:
        make_link(path, one.old)
    else:
        file_access.atomic_write(path, one.old, one.plan.mode or PRIVATE, follow=False, new=True)


def remove_empty_folders(looks: Sequence[Look], files: Sequence[RestoredFile]) -> None:
    """Remove the folders that were made for files that are gone again, where nothing else is in
    them."""
    made: set[Path] = set()
    for one, file in zip(looks, files, strict=True):
        if not one.plan.target and file.outcome in ("done", "same"):
            made.update(Path(one.plan.path).parents[: one.plan.folders])
    for folder in sorted(made, key=lambda path: len(path.parts), reverse=True):
        with (
            contextlib.suppress(OSError),
            folder_walk.folder_of(folder) as above,
        ):  # something else is in it, or it is gone
            os.rmdir(folder.name, dir_fd=above)


def _beside(one: Look) -> str:
    """Write the old content under another name; returns that."""
    assert one.old is not None  # only then it can be chosen
    other = _name_beside(Path(one.plan.path), one.plan.target)
    _folder(other)
    try:
        if one.plan.link:
            make_link(other, one.old)
        else:
            mode = one.plan.mode or one.found.mode or PRIVATE
            file_access.atomic_write(other, one.old, mode, follow=False, new=True)
    except FileExistsError:
        if inspect_path(other, one.plan.link).sha != one.plan.target:
            raise
    return str(other)


def _name_beside(path: Path, sha: str) -> Path:
    return path.with_name(f"{atomic_swap.cut_name(path.name, 200)}.orig-{sha[:8]}")


def _folder(path: Path) -> None:
    """Make the folder of a real path where it is missing. Raises OSError, ValueError (a link leads
    elsewhere)."""
    if paths.resolve(str(path.parent), Path("/")) != path.parent:
        raise ValueError("its folder is a link now")
    if not path.parent.is_dir():
        if any(os.path.lexists(above) and not above.is_dir() for above in path.parents):
            raise ValueError("its folder is a file now")
        path.parent.mkdir(parents=True, exist_ok=True)


def refusal_of(file: RestoredFile, why: str) -> RestoredFile:
    return replace(file, outcome="failed", problem=why)


def outcome_of(file: RestoredFile) -> RestoredFile:
    """What became of a file when nobody wrote it down: its content says so."""
    now = inspect_path(Path(file.path), is_link(file.mode) or is_link(file.mode_before))
    moded = (
        bool(now.sha) and file.before == file.after and file.mode_before != file.mode
    )  # the mode alone is given back
    if now.sha == file.after and (not moded or now.mode == file.mode):
        return replace(file, outcome="done" if moded or file.before != file.after else "same")
    if now.sha == file.before:
        return replace(file, outcome="failed", problem=f"{file.path}: the program ended before")
    return replace(
        file, outcome="changed", problem=f"{file.path} is in neither its old nor its new state"
    )


def remove_unfinished(
    file: RestoredFile, begun: float, blobs: Blobs, beside: atomic_swap.Leftovers
) -> None:
    """Remove what a kill left of content on its way to a file, in a restore that began at `begun`
    (seconds). It is ours where the name, the owner and the time say so, and where it is a part of
    what was to be written, which is kept."""
    path = Path(file.path)
    for place in (path, _name_beside(path, file.after)):
        for part in beside.find(place, "tmp"):
            with contextlib.suppress(
                OSError, ValueError
            ):  # it went away, is no file, or the content is not kept
                about = part.lstat()
                ours = about.st_uid == os.geteuid() and about.st_ctime >= begun - CLOCK
                if ours and blobs.get(file.after).startswith(file_access.read_regular(part, MOST)):
                    part.unlink()


def left_beside(file: RestoredFile, beside: atomic_swap.Leftovers) -> list[str]:
    """Remove what a kill left beside a file that was put back, where its content is kept; the names
    of what is not."""
    unknown = []
    for aside in beside.find(Path(file.path), "was"):
        sha = inspect_path(aside, as_link=True).sha
        if sha and sha in (file.before, file.after):
            with contextlib.suppress(FileNotFoundError):
                aside.unlink()
        else:
            unknown.append(str(aside))
    return unknown
