"""A repository of git, and its configuration, read without git: and whether it may be read.

Also which files git changes on their way between its objects and the work tree: line ends,
encodings, filters. What git has of those is not what the person had.
"""

from __future__ import annotations

import errno
import os
import re
import shlex
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from agent_tui.paths import project_folders
from agent_tui.regular_file import open_regular
from agent_tui.safety.folder_walk import walk
from agent_tui.structures import late
from agent_tui.structures.frozen import frozen

COMMON: Final = ("objects", "refs", "packed-refs", "shallow", "reftable")
"""What all work trees of a repository share; its configuration, hooks and modules are left out."""
_ALTERNATES: Final = "objects/info/alternates"
ALTERNATES: Final = (_ALTERNATES, "objects/info/http-alternates")
"""They name other folders in which git looks for objects."""
_OWN: Final = (
    *("HEAD", "index", "config", "config.worktree", "commondir", "info/attributes"),
    _ALTERNATES,
)
"""What else is read of a git folder that decides what is told."""
_FILES: Final = (*_OWN, "packed-refs", "shallow", "info/exclude", "info/sparse-checkout")
MOST_TEXT: Final = 1_000_000
_LONGEST_NAME: Final = 4_096
_MOST_LINES: Final = 10_000
_HASH: Final = 8
_BETWEEN: Final = late.pattern(r"(?:\s++|[#;][^\n]*+)*+")
"""Empty lines, and comments."""
_SECTION: Final = late.pattern(r'\[\s*+([A-Za-z0-9.-]++)[ \t]*+(?:"((?:[^"\\\n]|\\.)*+)")?\s*+\]')
_KEY: Final = late.pattern(r"([A-Za-z][A-Za-z0-9-]*+)[ \t]*+(=?)[ \t]*+")
_PIECE: Final = late.pattern(r'\\(?:\r?\n|(.))|(")|([#;])|(\r?\n)|([^\\"#;\r\n]+|\r)')
_ESCAPED: Final = {"n": "\n", "t": "\t", "b": "\b"}


@frozen
class Repository:
    """`top` is the work tree, `folder` its git folder, `common` the one that all work trees of a
    repository share."""

    top: Path
    folder: Path
    common: Path


def find_repository(start: Path) -> Repository | None:
    """The repository that the folder `start` (a real path) lies in. Of a bare one nothing is
    known."""
    for top in (start, *start.parents):
        folder = top / ".git"
        try:
            if folder.is_file():  # a work tree of its own, or a submodule
                said = read_text(folder)
                if not said.startswith("gitdir:"):
                    continue
                folder = top / said.removeprefix("gitdir:").strip()
            else:
                (folder / "HEAD").lstat()  # git takes a link to a branch that is not there
        except (OSError, ValueError) as error:
            if not isinstance(
                error, PermissionError
            ):  # else it is one, and its reader says what is wrong
                continue
        shared = read_text(folder / "commondir").strip()
        return Repository(top, folder, folder / shared if shared else folder)
    return None


def places_read(where: Repository) -> Iterator[str]:
    """What decides about a git folder: each file and folder that is looked at before one is read.
    A name in a folder that is added, or replaced by a link, changes the time of that folder."""
    for folder in {where.folder, where.common}:
        yield str(folder)
        yield from (f"{folder}/{name}" for name in (*_OWN, "gitdir", *COMMON))
        for name in COMMON:
            if name != "objects":
                yield from (visit.path for visit in walk(os.path.realpath(folder / name)))


def explain_refusal(where: Repository) -> str:
    """Why nothing of a git folder is read, in one line; empty where it is the work tree's own.
    Whoever reads one without git asks here, too."""
    return _elsewhere(where) or _no_file(where) or _leads_out(where)


def explain_foreign_parts(folder: Path) -> str:
    """The same of a git folder for which it does not matter which work tree it has."""
    where = Repository(folder.parent, folder, folder)
    return _no_file(where) or _leads_out(where)


def explain_ownership(where: Repository) -> str:
    """Why commands of git fail in a repository whoever runs them here, in one line; empty: they do
    not for that. What this program asks itself is asked otherwise."""
    caller = os.environ.get("SUDO_UID", "") if os.geteuid() == 0 else ""
    try:
        owners = {path.stat().st_uid for path in (where.top, where.folder)}
    except OSError:  # it is gone, or not for us to see: that is said elsewhere
        return ""
    if all(uid == os.geteuid() or str(uid) == caller for uid in owners):
        return ""
    home = Path(os.environ.get("HOME", "~")).expanduser()
    config = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config", "git/config")
    for file in (home / ".gitconfig", config, Path("/etc/gitconfig")):
        for name, value in parse_config(read_text(file)):
            if name == "safe.directory" and _covers(value, where.top):
                return ""
    shown = shlex.quote(str(where.top))
    return (
        "the repository belongs to another user, so git refuses it (dubious ownership); "
        f"`git config --global --add safe.directory {shown}` allows it"
    )


def _covers(value: str, top: Path) -> bool:
    """Whether a value of `safe.directory` names a folder."""
    if value == "*" or value == str(top):
        return True
    return value.endswith("/*") and top.is_relative_to(value.removesuffix("/*"))


def branch(cwd: str) -> str:
    """The name of what is checked out in `cwd`: the branch, or the beginning of the commit where
    there is none. Empty outside of git, and where the git folder is not the work tree's own. It is
    asked at every step, so the rest of that folder is not looked through."""
    top = project_folders(Path(cwd))[0].resolve()
    where = find_repository(top) if cwd else None
    if where is None or where.top != top or _elsewhere(where):
        return ""
    head = where.folder / "HEAD"
    if head.is_symlink() and not _lies_in_any(str(head), (os.path.realpath(where.folder),)):
        return ""
    said = read_text(head)
    name = said.removeprefix("ref:").strip().removeprefix("refs/heads/")
    return name[:_LONGEST_NAME] if said.startswith("ref:") else name[:_HASH]


def _elsewhere(where: Repository) -> str:
    """Why a git folder that does not lie in the work tree is not read; empty where it names the
    work tree as its own. Else anybody could put a `.git` that leads to a repository of the person's
    elsewhere."""
    own = where.top / ".git"
    if where.folder == own and not own.is_symlink():
        return ""
    config = dict(parse_config(read_text(where.folder / "config")))
    config |= dict(parse_config(read_text(where.folder / "config.worktree")))
    tree, submodule = read_text(where.folder / "gitdir").strip(), config.get("core.worktree", "")
    pointers = [(tree, own)] if tree else [(submodule, where.top)] if submodule else []
    if any(_same(where.folder / pointer, meant) for pointer, meant in pointers):
        return ""
    named = shlex.quote(str(where.top))
    return (
        f"its .git leads to {where.folder}, which does not name this folder as its work tree "
        f"(`git config core.worktree {named}` does)"
    )


def foreign_parts(folder: Path) -> Iterator[str]:
    """What in a git folder is none of its own: names that lead to a pipe or the like, that name
    other folders with objects, and links that lead out, also among its reflogs."""
    where = Repository(folder.parent, folder, folder)
    yield from _no_files(where)
    for name in ALTERNATES:
        if read_text(folder / name).strip():
            yield str(folder / name)
    logs, inside = folder / "logs", (os.path.realpath(folder),)
    links = [*_links(folder), *([str(logs)] if logs.is_symlink() else _links_in(logs, deep=True))]
    yield from (link for link in links if not _lies_in_any(link, inside))


def _no_file(where: Repository) -> str:
    return next((f"{path} is not a regular file" for path in _no_files(where)), "")


def _no_files(where: Repository) -> Iterator[str]:
    """Which names of a git folder lead to a pipe or the like, for which git would wait for ever."""
    shared = (f"{where.folder}/{file.name}" for file in where.folder.glob("sharedindex.*"))
    named = (f"{place}/{name}" for place in {where.folder, where.common} for name in _FILES)
    for path in (*named, *shared):
        try:
            mode = os.stat(path).st_mode  # noqa: PTH116
        except (OSError, ValueError):
            continue  # it is not there
        if not stat.S_ISREG(mode):
            yield path


def _leads_out(where: Repository) -> str:
    """Why a git folder is not read that takes its parts from another one; empty where all of them
    are its own. Else anybody could send a folder that shows what a repository of the person's
    elsewhere holds. Of other folders only a work tree's own may share: git keeps it in the
    `worktrees` of the one that it shares with."""
    folder, common = where.folder, where.common
    is_shared = folder.parent.name == "worktrees" and _same(folder.parent.parent, common)
    if not (_same(folder, common) or (is_shared and folder != where.top / ".git")):
        return f"the commondir of {folder} leads to {common}, which is not its own"
    for place in {folder, common}:
        if read_text(place / _ALTERNATES).strip():
            return f"{place / _ALTERNATES} names other folders with objects"
    inside = tuple({os.path.realpath(folder), os.path.realpath(common)})
    try:
        links = (link for place in {folder, common} for link in _links(place))
        out = next((link for link in links if not _lies_in_any(link, inside)), None)
    except OSError as error:
        return f"{folder} cannot be looked through: {error}"
    return f"{out} leads out of the git folder" if out else ""


def _links(folder: Path) -> Iterator[str]:
    """The links among what git reads of a git folder. What lies in the folders of `objects` is
    named by its hash, so who sends a link there knows already what it leads to."""
    for name in (*_OWN, *COMMON, *(file.name for file in folder.glob("sharedindex.*"))):
        path = folder / name
        if path.is_symlink():
            yield str(path)
        elif name == "objects":
            yield from _links_in(path, deep=False)
        elif name in COMMON:
            yield from _links_in(path, deep=True)


def _links_in(folder: Path, deep: bool) -> Iterator[str]:
    if not folder.is_dir():
        return
    for visit in walk(os.path.realpath(folder)):
        paths = (f"{visit.path}/{name}" for name in visit.names)
        yield from filter(os.path.islink, paths)
        if not deep:
            return
        if visit.unseen:
            raise OSError(errno.ELOOP, "there are too many folders in folders", visit.path)


def _lies_in_any(link: str, folders: tuple[str, ...]) -> bool:
    target = os.path.realpath(link)
    return any(target.startswith(f"{folder}{os.sep}") for folder in folders)


def _same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except (OSError, ValueError):
        return False


def read_text(path: Path) -> str:
    """A small file of git; empty where it cannot be read. It names files: see `os.fsdecode`."""
    return os.fsdecode(read_bytes(path))


def parse_config(text: str) -> Iterator[tuple[str, str]]:
    """The settings of a configuration file of git, by the names that git gives them; what is no
    setting ends it. Nothing is included from elsewhere."""
    section, at = "", 0
    while (found := _BETWEEN.match(text, at)) and (at := found.end()) < len(text):
        if found := _SECTION.match(text, at):
            inner = re.sub(r"\\(.)", r"\1", found[2]) if found[2] is not None else None
            section, at = found[1].lower() + (f".{inner}" if inner is not None else ""), found.end()
        elif section and (found := _KEY.match(text, at)):
            value, at = _value(text, found.end())
            if len(section) <= _LONGEST_NAME:  # else each key would be as long again
                yield f"{section}.{found[1].lower()}", value if found[2] else "true"
        else:
            return


_PLAIN_LINE: Final = late.pattern(
    r"""[ \t]*(?:
        (?P<section>\[[A-Za-z0-9.-]+(?:[ ]"(?:[^"\\]|\\.)*")?\][ \t]*)
        | [#;].*
        | (?P<key>[A-Za-z][A-Za-z0-9-]*[ \t]*(?:=(?:[^"\\]|\\.|"(?:[^"\\]|\\.)*")*)?)
    )?""",
    re.VERBOSE,
)
_UNSEEN: Final = late.pattern(r"[\x00-\x08\x0b-\x1f\x7f\ufeff]")


def is_plain_config(text: str) -> bool:
    """Whether a configuration file is written as git itself writes it, so that everybody reads the
    same in it: a section, a key or a comment in each line, and nothing that goes on in the next. It
    is short enough that a look at it takes no time: a repository can bring one of any length."""
    lines = text.replace("\r\n", "\n").split("\n")
    if len(text) > MOST_TEXT or len(lines) > _MOST_LINES or max(map(len, lines)) > _LONGEST_NAME:
        return False
    found = [_PLAIN_LINE.fullmatch(line) for line in lines]
    if _UNSEEN.search("\n".join(lines)) or None in found:
        return False
    kinds = [match.lastgroup for match in found if match is not None and match.lastgroup]
    return not kinds or kinds[0] == "section"


def _value(text: str, at: int) -> tuple[str, int]:
    """The value that begins at `at`, and where its line ends."""
    parts: list[str] = []
    quoted, kept, size = False, 0, 0
    while piece := _PIECE.match(text, at):
        escaped, quote, comment, end, plain = piece.groups()
        if end or (comment and not quoted):
            break
        at = piece.end()
        quoted ^= quote is not None
        parts.append(_ESCAPED.get(escaped, escaped) if escaped else comment or plain or "")
        size += len(parts[-1])
        if escaped or quoted:
            kept = size  # blanks behind it are none of the value
    value = "".join(parts)
    after = text.find("\n", at)
    return value[:kept] + value[kept:].rstrip(" \t\r"), len(text) if after < 0 else after + 1


def read_bytes(path: Path) -> bytes:
    """As `read_text`, undecoded."""
    try:
        with os.fdopen(open_regular(path), "rb") as file:
            return file.read(MOST_TEXT + 1)
    except (OSError, ValueError):
        return b""


ATTRIBUTES_FILE: Final = ".gitattributes"
_ATTRIBUTES: Final = ("text", "crlf", "eol", "ident", "filter", "working-tree-encoding")
_NO: Final = ("unspecified", "unset")
CRLF: Final = ("config", "--get", "--default", "false", "core.autocrlf")
ATTRIBUTE_RULES: Final = ("check-attr", "-z", "--stdin", *_ATTRIBUTES)
_OFF: Final = ("false", "no", "off", "0", "")


def attribute_query(where: Repository, paths: Sequence[Path]) -> bytes:
    """What git is given with the question `ATTRIBUTE_RULES`."""
    return b"".join(os.fsencode(path.relative_to(where.top)) + b"\0" for path in paths)


def converted_paths(paths: Sequence[Path], crlf: str, rules: bytes) -> set[Path]:
    """Those of `paths` that git converts, by its answers to `CRLF` and `ATTRIBUTE_RULES`; all
    where the answer is not whole."""
    values = os.fsdecode(rules).split("\0")[2::3]
    count = len(_ATTRIBUTES)
    if crlf.strip().lower() not in _OFF or len(values) != count * len(paths):
        return {*paths}
    return {
        path
        for number, path in enumerate(paths)
        if any(value not in _NO for value in values[number * count : (number + 1) * count])
    }


def are_rules_unknown(where: Repository, begun: int) -> bool:
    """Whether the rules cannot be known: they lie elsewhere, or some in its folder were written
    since `begun` (nanoseconds)."""
    return _names_other_rules(where) or _has_newer_rules(where, begun)


def _names_other_rules(where: Repository) -> bool:
    """Whether the repository's configuration names other files with rules: our questions do not
    read those."""
    return any(
        name == "core.attributesfile" or name.startswith(("include.", "includeif."))
        for file in (where.common / "config", where.folder / "config.worktree")
        for name, _ in parse_config(read_text(file))
    )


def _has_newer_rules(where: Repository, begun: int) -> bool:
    for file in (where.common / "config", where.common / "info" / "attributes"):
        try:
            if file.stat().st_ctime_ns >= begun:
                return True
        except OSError:
            continue  # there is none: it has no rules
    return False
