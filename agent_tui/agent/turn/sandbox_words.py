"""What a person and the model are told of the sandboxes of commands."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from agent_tui.protocol.events import Event, Notice, SandboxFound
from agent_tui.safety.policy import Confined
from agent_tui.safety.process.output_capture import Refusal
from agent_tui.safety.sandbox.git_history import PutBack
from agent_tui.safety.sandbox.support import Support

_AGAIN: Final = "a yes runs it again without the sandbox"
STOPPED_NOTES: Final[Mapping[Confined, str]] = {
    "looks": "\n\n[note: it ran in a read-only sandbox, which may have stopped it]",
    "works": "\n\n[note: it ran in a sandbox, which may have stopped it: no network, and it writes "
    "only in the folders of the session and in $TMPDIR]",
}
SHUT_IN: Final = (
    "\n\n[note: what it left runs in a sandbox: no other command and nobody else can connect to it or "
    "end it with kill; the tool `jobs` and the person can stop it]"
)
GIT_HELD: Final = (
    "\n\n[note: the git folder is read-only beside other programs: run the git command by itself, with "
    "its words written out]"
)
KEEPS: Final = "; a yes keeps"
PROTECTED: Final = (
    f"protected names changed while a command ran, perhaps by you: {{}}{KEEPS} that, a no puts them "
    "back and says where what is there now went"
)
PUT_BACK: Final = (
    "protected names changed while a command ran, perhaps by the person, and were put back: {}. "
    "What was there is in {}"
)
NOT_PUT_BACK: Final = (
    "protected names changed while a command ran, perhaps by the person, and could not all be put "
    "back: {}. What was moved away is in {}"
)
JOB: Final = (
    "Keep what changed while a job ran?\n{}: these names, which programs obey, changed while it "
    "ran, perhaps by you: {}."
)
JOB_BACK: Final = "put back what was there before; what is there now moves to {}"
JOB_STAYS: Final = "keep these changes"
JOB_KEPT: Final = "protected names changed while it ran, and the person lets them stay: {}"
NO_HISTORY: Final = (
    "What this command deletes of the history of the repository could not be put back: {}"
)
HISTORY_UNSEEN: Final = "history of git could not be looked at: {}."
CLOSED: Final = "The rights of these folders let nobody here look into them: {}. {}"
OUT_OF_REACH: Final = "Commands in the sandbox cannot reach them, either."
UNWATCHED: Final = "What a command does there is not seen, and cannot be put back."
OPENED: Final = (
    "The rights of these folders changed while a command ran, and let you look into them no more: "
    "{}. They were opened again (chmod u+rwx)."
)
NAMED: Final = 5
"""Protected names that are named."""
MOST_OF_NAME: Final = 80
"""Characters of one."""


def explain_stop(confined: Confined, refused: Refusal, reaches_hosts: bool) -> str:
    """Why a person is asked about a command that a sandbox has probably stopped; `reaches_hosts`:
    it could have network to single hosts."""
    if confined == "looks":
        return f"the read-only sandbox may have stopped it; {_AGAIN}"
    if refused == "network":
        single = "" if reaches_hosts else ", and this kind cannot have it for single hosts"
        return f"it wants the network, which the sandbox does not have{single}; {_AGAIN}"
    if refused == "git_folder":
        return f"it changes the git folder, which only commands of git alone may do; {_AGAIN}"
    if refused == "reach":
        return f"it left a program running that nobody can connect to in the sandbox; {_AGAIN}"
    return f"the sandbox may have stopped it; {_AGAIN}"


def explain_hosts(hosts: Sequence[str], runs: str) -> str:
    """Why a person is asked about a command that wants network to `hosts`."""
    named = name_some(hosts)
    return (
        f"it wants network to {named}; a yes {runs} it in the sandbox, with network to that alone"
    )


def note_hosts(refused: Iterable[str]) -> str:
    """What the model is told of hosts that the command was kept from."""
    names = name_some(list(refused))
    return f"\n\n[note: network: {names} refused]" if names else ""


def describe_lost(found: Iterable[PutBack], display: Callable[[Path], str]) -> str:
    """What is told of the histories of repositories that were lost, and are there again; `display`:
    how a path is shown. Empty: none were."""
    return " ".join(_describe_one(one, display) for one in found)


def _describe_one(found: PutBack, display: Callable[[Path], str]) -> str:
    at = display(Path(found.folder))
    if found.trouble:
        return HISTORY_UNSEEN.format(f"{found.trouble} ({at})")
    return " ".join((*_describe_history(found, at), *_describe_limits(found, at)))


def _describe_history(found: PutBack, at: str) -> Iterator[str]:
    lost = f"history of git was lost in {at} while a command ran, perhaps by the person, and"
    missing = ", ".join(found.missing) or name_some(found.left)
    if found.parts:
        came = "put back" if found.to == found.folder else f"kept in {found.to}"
        yield f"{lost} was {came}: {', '.join(found.parts)}."
        if found.left:
            yield f"Not put back: {missing} (in {name_some(found.left)})."
    elif found.left:
        yield f"{lost} could not be put back: {missing} (in {name_some(found.left)})."
    if found.left:
        yield f"Copies of its objects are in {found.copies}."
    if found.is_failed:
        yield "The next start in this folder tries again."
    if found.refs:
        names = name_some(found.refs)
        moved = f"commits in {at} lost their names while a command ran, perhaps by the person, and "
        yield (
            f"Commits that no branch leads to any more: {names}."
            if found.parts
            else f"{moved}have new ones: {names}."
        )


def _describe_limits(found: PutBack, at: str) -> Iterator[str]:
    if found.unchecked:
        objects = "1 object" if found.unchecked == 1 else f"{found.unchecked} objects"
        yield f"Too large to be checked: {objects}; `git fsck` says whether all is whole."
    if found.unchecked_packs:
        yield (
            f"git has packed its objects in {at}, in packs too large to be checked; what it "
            f"packed is kept for a day in {found.copies}. `git fsck` says whether all is whole."
        )
    if found.opened and not found.parts:
        folders = "1 folder" if found.opened == 1 else f"{found.opened} folders"
        yield f"{folders} of git in {at} could not be read after a command, and can be again."
    if not found.is_all:
        yield f"There are too many files in {at}: those that are new were not all looked at."


def describe_limit(folder: str, reason: str) -> str:
    """What a person is told once of a repository in which not all can be put back."""
    return (
        f"Not all that commands delete of the history of git in {folder} can be put back: {reason}"
    )


def describe_gone(folder: str, copies: str) -> str:
    """The same of a history that is gone, with what is left of it."""
    return (
        f"The history of git in {folder} is gone. Its objects, as commands of an earlier session "
        f"found them, are in {copies} for about a day. To have them back: `git init`, copy what is "
        "in that folder to `.git/objects`, and `git fsck --lost-found` lists the commits"
    )


def capitalize(said: str) -> str:
    return said[:1].upper() + said[1:]


def note_stop(confined: Confined, refused: Refusal) -> str:
    """What the model is told where that stays so."""
    said = {"reach": SHUT_IN, "git_folder": GIT_HELD}
    return said.get(refused, STOPPED_NOTES[confined])


def name_some(names: Sequence[str]) -> str:
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more


def shorten_path(path: str) -> str:
    """Its begin and its end, so that what follows can be read."""
    half = MOST_OF_NAME // 2
    return path if len(path) <= MOST_OF_NAME else f"{path[:half]}…{path[-half:]}"


def describe_undecided(reason: str) -> str:
    """What is told of changes about which a killed program had asked for this reason."""
    changed = reason.partition(KEEPS)[0]
    return f"Nobody decided about this, and it is still so: {changed}. Look before you go on."


def describe_sandbox(found: Support) -> Iterator[Event]:
    """What is told once a session of the sandbox that commands work in."""
    yield SandboxFound(found.backend, found.problem)
    if found.problem:
        said = (
            f"No sandbox: {found.problem}. Commands run without a question, with your own rights."
        )
        yield Notice(said, "warning", "`/mode auto` asks before commands")
    elif found.passed:
        said = f"Commands run in a sandbox by {found.backend}, because others do not hold here"
        yield Notice(f"{said}: {'; '.join(found.passed)}", "warning")
