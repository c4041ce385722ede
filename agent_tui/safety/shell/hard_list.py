"""Commands that ask in every mode, also in accept-all: what they do cannot be taken back.

A literal list: it names what a careless or misled model writes in plain sight. It does not stop
someone who hides a command on purpose, and it need not: outside accept-all every command asks
anyway.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from itertools import chain
from typing import Final

from agent_tui.safety.protected_names import SECRET_FOLDERS
from agent_tui.safety.shell import (
    carried_code,
    git_folder,
    machine_power,
    moved_files,
    programs,
    remote_services,
    scheduled_jobs,
    start_files,
)
from agent_tui.safety.shell.fetched_files import FetchedFiles, named_files, written_files
from agent_tui.safety.shell.listed_files import fill_in
from agent_tui.safety.shell.lost_work import OBJECTS, git_loss, sets_expiry
from agent_tui.safety.shell.sed_scripts import SED
from agent_tui.safety.shell.subscripts import evaluated_commands
from agent_tui.safety.shell.words import (
    STEPS_OF_SUFFIX,
    STEPS_OF_TEXT,
    Budget,
    ShellValues,
    Simple,
    TooMany,
    Word,
    simple_commands,
    word_set,
)
from agent_tui.structures import late

_DEEPEST: Final = 8
_LONGEST: Final = 50_000
_NAMED: Final = 2
_TOO_DEEP: Final = "it is nested too deeply to be checked"

_FORK_BOMB: Final = late.pattern(
    r"(?<![\w:.])([\w:.]+)\(\)\{[^}]{0,200}?(?<![\w:.])\1\|&?\1(?![\w:.])"
)
_QUOTED: Final = late.pattern(r"((?:[^'\"\\]|\\.)++)|'[^']*'|\"(?:[^\"\\]|\\.)*+\"", re.DOTALL)
"""Also what stands between, which stays, with letters behind a backslash: else each quote that is
none were looked at to the end of the text."""
_DISK: Final = late.pattern(
    r"/dev/(sd|hd|vd|xvd|nvme|mmcblk|r?disk|mapper/|dm-|md|loop|nbd|mem$|kmem$|port$|sr\d)"
    r"|/proc/sysrq-trigger$"
)
_ERASES: Final = {
    "sgdisk": frozenset({"-Z", "-z", "-o", "--zap", "--zap-all", "--clear"}),
    "parted": frozenset({"mklabel", "mktable", "mkpart", "rm"}),
    "sfdisk": frozenset({"--delete"}),
    "cryptsetup": frozenset({"luksFormat", "luksErase", "erase", "reencrypt"}),
    "zpool": frozenset({"destroy", "labelclear"}),
    "nvme": frozenset({"format", "sanitize"}),
    "hdparm": frozenset({"--security-erase", "--security-erase-enhanced"}),
    "mdadm": frozenset({"--zero-superblock"}),
    "btrfs": frozenset({"delete"}),
    "diskutil": frozenset(
        {"eraseDisk", "eraseVolume", "zeroDisk", "secureErase", "reformat", "partitionDisk"}
        | {"deleteVolume", "deleteContainer"}
    ),
    **dict.fromkeys(
        ("lvremove", "vgremove", "pvremove", "zfs"), frozenset({"destroy", "-f", "-y"})
    ),
}
_HARMLESS_DEVICES: Final = late.pattern(
    r"/dev/(null|zero|full|stdout|stderr|tty|fd/\d+|shm(/.*)?)$"
)
_MAKE_FILESYSTEM: Final = late.pattern(
    r"(mkfs(\.(?!py$|sh$)\w+)?|mke2fs|mkswap|wipefs|blkdiscard)$"
)
_HOME: Final = late.pattern(r"(~[\w-]*|\$HOME|\$\{HOME\b[^}]*\}|/root|/(home|Users)(/[^/]+)?)$")
_VARIABLES: Final = r"(?:\$[A-Za-z_]\w*+|\$\{[A-Za-z_]\w*+(?::?-)?\})++"
_MAY_BE_EMPTY: Final = late.pattern(rf"(?:/++{_VARIABLES}|{_VARIABLES}/[/.]*+)/*+(?:\.?\*/*+)?$")
"""Variables of which the command does not say what they hold, and `/` before or behind them."""
_DEFAULT: Final = late.pattern(r"\$\{[A-Za-z_]\w*:?[-=]([^{}]+)\}")
_THIS: Final = r"[\"']?(?:\$PWD|\$\{PWD\}|\$\(pwd\)|`pwd`)[\"']?"
_ABOVE: Final = late.pattern(rf"\$\(dirname {_THIS}\)|\$\{{PWD%/\*\}}")
_AGAIN: Final = late.pattern(rf"\.\./(?:\$\(basename {_THIS}\)|\$\{{PWD##\*/\}})(?=/|$)")
"""Out of the folder and into it."""
_EVERYTHING: Final = late.pattern(
    r"\.?|\*\*?|\?+\*|\*\?+|\[[^\]-]*-[^\]]*\]\*|\.\*|\.\[!?\^?\.\]\*"
)
"""A part of a path by which it means all that is in the part before, or says nothing."""
_SYSTEM: Final = frozenset(
    {
        "/bin",
        "/boot",
        "/dev",
        "/etc",
        "/lib",
        "/lib64",
        "/media",
        "/mnt",
        "/opt",
        "/proc",
        "/sbin",
        "/srv",
        "/sys",
        "/usr",
        "/var",
        "/usr/bin",
        "/usr/lib",
        "/usr/local",
        "/var/lib",
        "/System",
        "/Library",
        "/Applications",
    }
)

_OVER_HISTORY: Final = "it writes over the history of a repository"
_WIDE: Final = ("the whole", "the system", "a home")
"""How `_place` names what is not one project's."""

_RESOLVES: Final = moved_files.DELETES | word_set(
    "mv shred unlink rsync chmod chown chgrp cp install tee truncate sponge"
)
"""Programs each of whose words is resolved as a path."""
_TAKES: Final = frozenset({"rm", "mv", "shred", "unlink", "rsync"})


def reason(command: str, cwd: str = "", *others: str) -> str:
    """Why this command asks in every mode; empty if it is not on the list. `cwd` is the folder of
    the session, `others` are those that it works in besides."""
    if len(command) > _LONGEST:
        return f"it is too long to be checked ({len(command):,} characters)"
    try:
        return _judge(command, (cwd, *others), Budget())
    except TooMany as many:
        return str(many)
    except RecursionError:
        return _TOO_DEEP


def _judge(text: str, places: tuple[str, ...], budget: Budget) -> str:
    if budget.depth > _DEEPEST:
        return _TOO_DEEP
    budget.take(len(text))
    commands = simple_commands(text, lambda stage: _makes(stage, budget))
    if (
        "(" in text
        and "{" in text
        and _FORK_BOMB.search("".join(_QUOTED.sub(r"\1", text).replace("\n", ";").split()))
    ):
        return "a fork bomb: it starts processes until the machine stops"
    values, fetched, moved = ShellValues(budget), FetchedFiles(), places
    reasons = dict[str, None]()
    for simple in commands:
        values.fill(simple)
        call = programs.unwrap_call(simple)
        found = _simple(simple, call, _in_folder(simple, places), budget)
        if not found and call is not None:
            found = fetched.reason(simple, call) or _reads_drop(simple, call, text)
        if not found and moved != places:
            found = _simple(simple, call, _in_folder(simple, moved), budget)
        if found:
            reasons[found] = None
        if call is not None and (names := written_files(simple, call)):
            fetched.learn(names, simple.fed or _makes(simple, budget))
        if call is not None and (made := fetched.copied(call)):
            fetched.learn([word.text for word in call.arguments[-1:]], made)
        if call and call.name in ("cd", "pushd", "popd"):
            moved = _moved(call, moved[0], places)
    return _join(*reasons)


def _join(*reasons: str) -> str:
    """Those of several commands: two of them, and how many more there are."""
    more = len(reasons) - _NAMED
    return "; ".join(reasons[:_NAMED]) + (f"; and {more} more" if more > 0 else "")


def _in_folder(simple: Simple, places: tuple[str, ...]) -> tuple[str, ...]:
    folder = programs.entered_folder(simple)
    return (posixpath.join(places[0], folder), *places) if folder else places


def _reads_drop(simple: Simple, call: programs.Call, text: str) -> str:
    """That a client of databases deletes one by a here-document: its lines are somewhere in
    `text`."""
    stages = [simple, *((simple.before,) if simple.before else ())]
    reads = any(sign in ("<<", "<<-") for stage in stages for sign, _ in stage.redirects)
    words = {call.name, *(word.text for word in call.arguments)}
    client = not words.isdisjoint(remote_services.DATABASES)
    return remote_services.DROPS if reads and client and remote_services.drops((text,)) else ""


def _moved(call: programs.Call, here: str, places: tuple[str, ...]) -> tuple[str, ...]:
    """The places behind `cd`: first the new folder. One that is not known changes nothing."""
    _, operands = programs.split([word.text for word in call.arguments])
    target = start_files.at_home(git_folder.entered(operands[0] if operands else "~"))
    if target == "-" or call.name == "popd":
        return places
    unknown = len(operands) > 1 or "$" in target or "`" in target
    return (here, *places) if unknown else (posixpath.join(here, target), *places)


def _simple(
    simple: Simple, call: programs.Call | None, places: tuple[str, ...], budget: Budget
) -> str:
    """The verdict on one simple command, and on the commands inside its words."""
    budget.take_words(simple.words)
    for operator, target in simple.redirects:
        if ">" in operator and _DISK.match(target.text):
            return f"it writes over the device {target.text}"
        if ">" in operator and (what := start_files.find_obeyed(target.text, places[0])):
            return f"it writes {what}"
        if ">" in operator and git_folder.is_held(target.text, places[0]):
            return f"{_OVER_HISTORY} ({target.text})"
    everything = [*simple.words, *(target for _, target in simple.redirects)]
    name = "" if call is None else call.name
    nested = (text for word in everything for text in word.nested)
    evaluated = evaluated_commands(name, everything, carried_code.only_says(name))
    for inner in chain(nested, evaluated):
        if found := _judge(inner, places, budget.deeper()):
            return found
    if call is None:
        return ""
    if found := _called(simple, call, places, budget) or _of_machine(call):
        return found
    for carried in carried_code.find_carried(call, simple):
        inside = None if isinstance(carried, str) else programs.unwrap_call(carried)
        if isinstance(carried, str):
            found = _judge(carried, places, budget.deeper())
        elif inside is not None:
            budget.take(STEPS_OF_SUFFIX * len(inside.arguments))
            found = _called(carried, inside, places, budget) or _of_machine(inside, call.name)
        if found:
            return found
    return ""


def _called(simple: Simple, call: programs.Call, places: tuple[str, ...], budget: Budget) -> str:
    """The verdict on a program with its words, and on the code that it runs."""
    read, writer = carried_code.read_code(simple) if call.is_shell else ([], "")
    words = [word.text for word in call.arguments]
    if call.name in _RESOLVES:
        words = fill_in(words, simple, budget)
        budget.take_paths(words)
    of_sed = carried_code.code_of_sed(words, simple) if call.name in SED else ()
    aliases = programs.git_aliases([call.name, *words])
    for code in (*(word.text for word in call.code), *read, *of_sed, *aliases):
        if found := _judge(code, places, budget.deeper()):
            return found
    if found := _fetched_code(simple, call, budget):
        return found
    if writer:
        return f"it runs what {writer} writes in {call.name}, and the code is not shown"
    fetched = named_files(simple, call) if call.name in programs.NETWORK else []
    obeyed = (start_files.find_obeyed(file, places[0]) for file in fetched)
    what = start_files.find_written(call.name, words, places[0]) or next(filter(None, obeyed), "")
    if what:
        return f"it writes {what}"
    if call.name in remote_services.DATABASES and remote_services.drops(
        carried_code.given_words(simple, words)
    ):
        return remote_services.DROPS
    if git_folder.deletes_found(simple, call, places, budget):
        return "it deletes what it finds, and that may be the history of a repository"
    if what := git_folder.find_overwritten(call.name, words, places[0]):
        return f"{_OVER_HISTORY} ({what})"
    return _program(call.name, words, places)


def _fetched_code(simple: Simple, call: programs.Call, budget: Budget) -> str:
    """Code that comes from the network, or out of a decoder, and is run unseen."""
    if simple.fed and call.runs_stdin:
        return f"it runs {simple.fed} in {call.name}, and the code is not shown"
    read = (
        [target for operator, target in simple.redirects if operator in ("<", "<<<")]
        if call.runs_stdin
        else []
    )
    for word in (*call.code, *call.program, *read):
        if source := _nested_source(word, budget):
            return f"it runs {source} in {call.name}, and the code is not shown"
    return ""


def _makes(simple: Simple, budget: Budget) -> str:
    """What this stage hands on that nobody should run unseen; empty for nothing."""
    call = programs.unwrap_call(simple)
    own = programs.source(call.name, [word.text for word in call.arguments]) if call else ""
    return own or next(
        (made for word in simple.words if (made := _nested_source(word, budget))), ""
    )


def _nested_source(word: Word, budget: Budget) -> str:
    if budget.depth > _DEEPEST:
        return ""
    for text in word.nested:
        budget.take(len(text) + STEPS_OF_TEXT)
        for simple in simple_commands(text, lambda _: ""):
            budget.take_words(simple.words)
            if made := _makes(simple, budget.deeper()):
                return made
    return ""


def _program(name: str, arguments: list[str], places: tuple[str, ...]) -> str:
    """The verdict on a program and its words."""
    flags, operands = programs.split(arguments)
    if name in _TAKES and (taken := _taken(name, arguments, places)):
        return taken
    if kept := moved_files.kept_in_temporary(name, arguments, places):
        return kept
    for target in moved_files.deleted_folders(name, arguments):
        if what := _place(target, places):
            return f"it deletes {what}"
    if name == "rsync" and any(flag.startswith("--del") for flag in flags) and operands:
        return f"it deletes what is in {what}" if (what := _place(operands[-1], places)) else ""
    if name in ("chmod", "chown", "chgrp") and programs.has(flags, "R", "--recursive"):
        wide = (target for target in operands if _place(target, ("",)).startswith(_WIDE))
        return next((f"it changes the rights of everything under {target}" for target in wide), "")
    if _MAKE_FILESYSTEM.match(name) or _ERASES.get(name, frozenset()) & {*arguments}:
        return f"{name} erases a device"
    if name == "dd":
        outputs = (text[3:] for text in arguments if text.startswith("of=/dev/"))
        return next(
            (f"it writes over the device {o}" for o in outputs if not _HARMLESS_DEVICES.match(o)),
            "",
        )
    if name in ("tee", "shred", "truncate", "sponge", "cp", "mv", "install"):
        written = operands[-1:] if name in ("cp", "mv", "install") else operands
        return next(
            (f"it writes over the device {target}" for target in written if _DISK.match(target)), ""
        )
    if name in ("kill", "killall5", "pkill", "killall"):
        return (
            "it ends every process of this user" if machine_power.kills_all(name, arguments) else ""
        )
    if name in ("gpg", "gpg2") and any(flag.startswith("--delete-secret") for flag in flags):
        return "it deletes keys that are nowhere else"
    if name.startswith("git-"):
        name, arguments = "git", [name[4:], *arguments]
    if name == "git":
        return _git(arguments, places[0])
    return _service(name, operands, arguments)


def _taken(name: str, arguments: Sequence[str], places: tuple[str, ...]) -> str:
    """That the history of a repository, keys, or a whole home or system folder is moved or deleted;
    empty: they stay as they are. A whole folder that is deleted: see `_place`."""
    flags, operands = programs.split(arguments, "t" if name == "mv" else "")
    if name == "rsync" and "--remove-source-files" not in flags:
        return ""
    moves = name in ("mv", "rsync")
    into = moves and not programs.has(flags, "t" if name == "mv" else "", "--target-directory")
    does = "moves" if moves else "deletes"
    for target in operands[:-1] if into else operands:
        for text in programs.all_braces(target):
            parts = posixpath.normpath(text).split("/")
            if git_folder.is_in(text, places[0]):
                return f"it {does} the history of a repository ({target})"
            path = start_files.at_home(text)
            whole = (
                path if path[:1] == "~" else posixpath.join(start_files.at_home(places[0]), path)
            )
            if _HOME.match(
                posixpath.normpath(whole).partition("/.")[0]
            ) and not SECRET_FOLDERS.isdisjoint(parts):
                return f"it {does} keys that are nowhere else ({target})"
        if name == "mv" and (what := _place(target, places)).startswith(_WIDE):
            return f"it moves {what}"
    return ""


def _of_machine(call: programs.Call, given_to: str = "") -> str:
    """Programs that stop the machine, or schedule code for later. `given_to`: they stand in the
    arguments of this program, where the same words may mean something else."""
    arguments = [word.text for word in call.arguments]
    stops = machine_power.reason(call.name, arguments, given_to)
    return stops or scheduled_jobs.reason(call.name, arguments, bool(given_to))


def _service(name: str, operands: list[str], arguments: list[str]) -> str:
    """Programs that delete what runs elsewhere."""
    if name in ("terraform", "tofu") and ("destroy" in operands[:1] or "-destroy" in arguments):
        return "it destroys infrastructure"
    if remote_services.empties_database(name, arguments):
        return remote_services.DROPS
    return remote_services.reason(name, arguments)


def _place(target: str, places: tuple[str, ...]) -> str:
    """What a recursive delete of `target` would take that nobody gets back; empty for anything
    else. The first of `places` is where it runs."""
    cwd = places[0]
    plain = _AGAIN.sub(".", git_folder.plain(_ABOVE.sub("..", target)))
    for text in programs.braces(_DEFAULT.sub(r"\1", plain)):
        if _MAY_BE_EMPTY.match(git_folder.HERE.sub(".", text)) and not _HOME.match(
            _without_end(text.removesuffix("*"))
        ):
            return f"the whole disk (/) if the variable in {text} is empty"
        path = _without_end(git_folder.HERE.sub(cwd or ".", text))
        if _HOME.match(path):
            return f"a home folder ({text})"
        whole = posixpath.normpath(posixpath.join(cwd, path)) if cwd else posixpath.normpath(path)
        whole = "/" + whole.lstrip("/") if whole.startswith("/") else whole
        if whole == "/":
            return "the whole disk (/)"
        if whole in _SYSTEM:
            return f"the system folder {whole}"
        if _HOME.match(whole):
            return f"a home folder ({text})"
        if git_folder.NAME in whole.split("/"):
            return f"the history of a repository ({text})"
        here = posixpath.normpath(cwd) if cwd else "."
        if whole == here or here.startswith(whole + "/") or whole == ".." or whole.endswith("/.."):
            return f"the folder of this session ({text})"
        if any(other == whole or other.startswith(whole + "/") for other in places[1:]):
            return f"a folder that this session works in ({text})"
    return ""


def _without_end(path: str) -> str:
    """`path` without slashes, points that say nothing and patterns for everything at its end."""
    parts = path.split("/")
    while parts and _EVERYTHING.fullmatch(parts[-1]):
        parts.pop()
    return "/".join(parts) or ("/" if path.startswith("/") else ".")


def _git(arguments: Sequence[str], cwd: str) -> str:
    command, rest = programs.git_command(arguments)
    if command in ("filter-branch", "filter-repo") or (command, *rest[:1]) in (
        ("reflog", "expire"),
        ("reflog", "delete"),
    ):
        return "it rewrites the history of the repository"
    if command == "update-ref" and programs.has(programs.split(rest)[0], "d", "--stdin"):
        return "it deletes a branch or a tag without a look at what is lost"
    own = arguments[: len(arguments) - len(rest)]
    if sets_expiry(own) or (command == "config" and sets_expiry(rest[:-1])):
        return OBJECTS
    if command == "config" and start_files.sets_program_for_all(rest):
        return "it makes git run a program in every repository"
    if command not in ("push", "send-pack"):
        return git_loss(command, rest, cwd)
    flags, operands = programs.split(
        rest, "o", ("--push-option", "--repo", "--receive-pack", "--exec")
    )
    forced = programs.has(flags, "f", "--force", "--mirror", "--force-with-lease")
    if forced or any(ref.startswith("+") for ref in operands):
        return "it overwrites the history of a remote branch (a forced push)"
    if programs.has(flags, "d", "--delete", "--prune") or any(
        ref.startswith(":") and ref != ":" for ref in operands
    ):
        return "it deletes a branch or a tag of a remote repository"
    return ""
