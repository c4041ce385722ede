"""Commands that ask in every mode, also in accept-all: what they do cannot be taken back.

A literal list: it names what a careless or misled model writes in plain sight. It does not stop
someone who hides a command on purpose, and it need not: outside accept-all every command asks
anyway.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from typing import Final

from agent_tui.safety import remote_services, start_files
from agent_tui.safety import shell_programs as programs
from agent_tui.safety.fetched_files import FetchedFiles, written_files
from agent_tui.safety.lost_work import git_loss
from agent_tui.safety.shell_words import ShellValues, Simple, Word, simple_commands

_DEEPEST: Final = 8
_LONGEST: Final = 50_000
_TOO_DEEP: Final = "it is nested too deeply to be checked"

_FORK_BOMB: Final = re.compile(
    r"(?<![\w:.])([\w:.]+)\(\)\{[^}]{0,200}?(?<![\w:.])\1\|&?\1&?[^}]{0,200}\}"
)
_QUOTED: Final = re.compile(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"")
_DISK: Final = re.compile(
    r"/dev/(sd|hd|vd|xvd|nvme|mmcblk|r?disk|mapper/|dm-|md|loop|nbd|mem$|kmem$|port$|sr\d)"
)
_HARMLESS_DEVICES: Final = re.compile(r"/dev/(null|zero|full|stdout|stderr|tty|fd/\d+|shm(/.*)?)$")
_MAKE_FILESYSTEM: Final = re.compile(r"(mkfs(\.(?!py$|sh$)\w+)?|mke2fs|mkswap|wipefs|blkdiscard)$")
_HOME: Final = re.compile(r"(~[\w-]*|\$HOME|\$\{HOME\b[^}]*\}|/root|/(home|Users)(/[^/]+)?)$")
_MAY_BE_EMPTY: Final = re.compile(r"(\$[A-Za-z_]\w*|\$\{[A-Za-z_]\w*(:?-)?\})+/[/.]*(\*|\.\*)?/*$")
"""Variables of which the command does not say what they hold, and `/` or `/*` behind them."""
_HERE: Final = re.compile(
    r"(\$PWD|\$\{PWD\}|\$\(pwd\)|`pwd`|\$\(git rev-parse --show-toplevel\))(?=/|$)"
)
_EVERYTHING_IN: Final = re.compile(r"(^|/)(\*|\.\*|\.\[!?\^?\.\]\*|\*\*)$")
_SYSTEM: Final = frozenset(
    {
        "/bin",
        "/boot",
        "/dev",
        "/etc",
        "/lib",
        "/lib64",
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
        "/System",
        "/Library",
        "/Applications",
    }
)

_POWER: Final = frozenset({"shutdown", "reboot", "halt", "poweroff"})
_POWER_UNITS: Final = frozenset(
    {"poweroff", "reboot", "halt", "kexec", "soft-reboot", "emergency", "rescue"}
)


def reason(command: str, cwd: str = "", *others: str) -> str:
    """Why this command asks in every mode; empty if it is not on the list. `cwd` is the folder of
    the session, `others` are those that it works in besides."""
    if len(command) > _LONGEST:
        return f"it is too long to be checked ({len(command):,} characters)"
    try:
        return _judge(command, (cwd, *others), 0)
    except RecursionError:
        return _TOO_DEEP


def _judge(text: str, places: tuple[str, ...], depth: int) -> str:
    if depth > _DEEPEST:
        return _TOO_DEEP
    if _FORK_BOMB.search("".join(_QUOTED.sub("", text).replace("\n", ";").split())):
        return "a fork bomb: it starts processes until the machine stops"
    values, fetched, moved = ShellValues(), FetchedFiles(), places
    for simple in simple_commands(text, lambda stage: _makes(stage, depth)):
        values.fill(simple)
        call = programs.unwrap_call(simple)
        found = _simple(simple, call, places, depth)
        if not found and call is not None:
            found = fetched.reason(simple, call)
        if not found and moved != places:
            found = _simple(simple, call, moved, depth)
        if found:
            return found
        if call is not None and (names := written_files(simple, call)):
            fetched.learn(names, simple.fed or _makes(simple, depth))
        if call and call.name in ("cd", "pushd"):
            moved = _moved(call, moved[0], places)
    return ""


def _moved(call: programs.Call, here: str, places: tuple[str, ...]) -> tuple[str, ...]:
    """The places behind `cd`: first the new folder. One that is not known changes nothing."""
    _, operands = programs.split([word.text for word in call.arguments])
    target = start_files.at_home(operands[0] if operands else "~")
    unknown = len(operands) > 1 or "$" in target or "`" in target
    return (here, *places) if unknown else (posixpath.join(here, target), *places)


def _simple(simple: Simple, call: programs.Call | None, places: tuple[str, ...], depth: int) -> str:
    """The verdict on one simple command, and on the commands inside its words."""
    for operator, target in simple.redirects:
        if ">" in operator and _DISK.match(target.text):
            return f"it writes over the device {target.text}"
        if ">" in operator and (what := start_files.find_obeyed(target.text, places[0])):
            return f"it writes {what}"
    everything = [*simple.words, *(target for _, target in simple.redirects)]
    for inner in (text for word in everything for text in word.nested):
        if found := _judge(inner, places, depth + 1):
            return found
    if call is None:
        return ""
    read, writer = programs.read_code(simple) if call.is_shell else ([], "")
    for code in (*(word.text for word in call.code), *read):
        if found := _judge(code, places, depth + 1):
            return found
    if found := _fetched_code(simple, call, depth):
        return found
    if writer:
        return f"it runs what {writer} writes in {call.name}, and the code is not shown"
    words = [word.text for word in call.arguments]
    if what := start_files.find_written(call.name, words, places[0]):
        return f"it writes {what}"
    if call.name in remote_services.DATABASES and _drops_database(programs.given(simple, words)):
        return "it deletes a database"
    return _program(call.name, words, places)


def _fetched_code(simple: Simple, call: programs.Call, depth: int) -> str:
    """Code that comes from the network, or out of a decoder, and is run unseen."""
    if simple.fed and call.runs_stdin:
        return f"it runs {simple.fed} in {call.name}, and the code is not shown"
    read = (
        [target for operator, target in simple.redirects if operator in ("<", "<<<")]
        if call.runs_stdin
        else []
    )
    for word in (*call.code, *call.program, *read):
        if source := _nested_source(word, depth):
            return f"it runs {source} in {call.name}, and the code is not shown"
    return ""


def _makes(simple: Simple, depth: int) -> str:
    """What this stage hands on that nobody should run unseen; empty for nothing."""
    call = programs.unwrap_call(simple)
    own = programs.source(call.name, [word.text for word in call.arguments]) if call else ""
    return own or next((made for word in simple.words if (made := _nested_source(word, depth))), "")


def _nested_source(word: Word, depth: int) -> str:
    if depth > _DEEPEST:
        return ""
    for text in word.nested:
        for simple in simple_commands(text, lambda _: ""):
            if made := _makes(simple, depth + 1):
                return made
    return ""


def _program(name: str, arguments: list[str], places: tuple[str, ...]) -> str:
    """The verdict on a program and its words."""
    flags, operands = programs.split(arguments)
    if name in ("rm", "mv", "shred", "unlink") and (history := _history(name, operands)):
        return history
    if name == "rm" and programs.has(flags, "rR", "--recursive"):
        return next(
            (f"it deletes {what}" for target in operands if (what := _place(target, places))), ""
        )
    if name == "find" and programs.finds_all(arguments) and _deletes(arguments):
        roots = programs.roots_of_find(arguments)
        return next((f"it deletes {what}" for root in roots if (what := _place(root, places))), "")
    if name == "rsync" and any(flag.startswith("--del") for flag in flags) and operands:
        return f"it deletes what is in {what}" if (what := _place(operands[-1], places)) else ""
    if name in ("chmod", "chown", "chgrp") and programs.has(flags, "R", "--recursive"):
        wide = (
            target
            for target in operands
            if _place(target, ("",)).startswith(("the whole", "the system"))
        )
        return next((f"it changes the rights of everything under {target}" for target in wide), "")
    if _MAKE_FILESYSTEM.match(name):
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
    if name == "kill":
        return "it ends every process of this user" if _kills_all(arguments) else ""
    if name == "git":
        return _git(arguments)
    return _service(name, operands, arguments)


def _history(name: str, operands: list[str]) -> str:
    """That the git folder, or a part of it, is moved or deleted; empty: it stays as it is."""
    for target in operands[:-1] if name == "mv" else operands:
        if ".git" in posixpath.normpath(target).split("/"):
            return f"it {'moves' if name == 'mv' else 'deletes'} the history of a repository ({target})"
    return ""


def _service(name: str, operands: list[str], arguments: list[str]) -> str:
    """Programs that stop the machine, schedule code for later, or delete what runs elsewhere."""
    stops = name in _POWER or (name in ("init", "telinit") and operands[:1] in (["0"], ["6"]))
    if stops or (name == "systemctl" and _POWER_UNITS.intersection(operands[:1])):
        return "it shuts the machine down or restarts it"
    if name == "crontab" and "-l" not in arguments:
        return "it changes scheduled jobs"
    if name == "launchctl" and operands[:1] and operands[0] in ("load", "bootstrap", "submit"):
        return "it changes services that start by themselves"
    if name in ("terraform", "tofu") and ("destroy" in operands[:1] or "-destroy" in arguments):
        return "it destroys infrastructure"
    if (
        name in ("kubectl", "oc")
        and "delete" in operands
        and {"ns", "namespace", "namespaces"} & set(operands)
    ):
        return "it deletes a namespace"
    if name == "dropdb":
        return "it deletes a database"
    return remote_services.reason(name, arguments)


def _drops_database(arguments: Sequence[str]) -> bool:
    return any(
        re.search(r"\bdrop\s+(database|schema)\b|\bdropDatabase\b|\bflush(all|db)\b", text, re.I)
        for text in arguments
    )


def _place(target: str, places: tuple[str, ...]) -> str:
    """What a recursive delete of `target` would take that nobody gets back; empty for anything else.
    The first of
    `places` is where it runs."""
    cwd = places[0]
    for text in programs.braces(target):
        if _MAY_BE_EMPTY.match(_HERE.sub(".", text)) and not _HOME.match(
            _without_end(text.removesuffix("*"))
        ):
            return f"the whole disk (/) if the variable in {text} is empty"
        path = _HERE.sub(cwd or ".", text)
        path = _without_end(path)
        while _EVERYTHING_IN.search(path):
            path = _without_end(_EVERYTHING_IN.sub(r"\1", path) or ".")
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
        if posixpath.basename(whole) == ".git":
            return f"the history of a repository ({text})"
        here = posixpath.normpath(cwd) if cwd else "."
        if whole == here or here.startswith(whole + "/") or whole == ".." or whole.endswith("/.."):
            return f"the folder of this session ({text})"
        if any(other == whole or other.startswith(whole + "/") for other in places[1:]):
            return f"a folder that this session works in ({text})"
    return ""


def _without_end(path: str) -> str:
    """`path` without slashes, and points that say nothing, at its end."""
    return re.sub(r"(/\.?)+$", "", path) or ("/" if path.startswith("/") else ".")


def _deletes(arguments: Sequence[str]) -> bool:
    """Whether a `find` deletes what it finds."""
    acts = {"-exec", "-execdir"}.intersection(arguments) and {"rm", "shred", "unlink"}.intersection(
        arguments
    )
    return "-delete" in arguments or bool(acts)


def _kills_all(arguments: Sequence[str]) -> bool:
    """`-1` as a process id (behind a signal), not as the signal."""
    rest = list(arguments)
    if rest[:1] in (["-s"], ["-n"]):
        rest = rest[2:]
    elif rest and rest[0] != "--" and rest[0].startswith("-") and len(rest) > 1:
        rest = rest[1:]
    return "-1" in rest


def _git(arguments: Sequence[str]) -> str:
    command, rest = programs.git_command(arguments)
    if command in ("filter-branch", "filter-repo") or (command, *rest[:1]) == ("reflog", "expire"):
        return "it rewrites the history of the repository"
    if command == "update-ref" and programs.has(programs.split(rest)[0], "d"):
        return "it deletes a branch or a tag without a look at what is lost"
    if command == "config" and start_files.sets_program_for_all(rest):
        return "it makes git run a program in every repository"
    if command != "push":
        return git_loss(command, rest)
    flags, operands = programs.split(
        rest, "o", ("--push-option", "--repo", "--receive-pack", "--exec")
    )
    forced = programs.has(flags, "f", "--force", "--mirror") or any(
        f.startswith("--force-with-lease") for f in flags
    )
    if forced or any(ref.startswith("+") for ref in operands):
        return "it overwrites the history of a remote branch (a forced push)"
    if programs.has(flags, "d", "--delete", "--prune") or any(
        ref.startswith(":") and ref != ":" for ref in operands
    ):
        return "it deletes a branch or a tag of a remote repository"
    return ""
