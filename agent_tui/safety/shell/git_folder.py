"""The folder in which git keeps the history of a repository: what names it in a command, what takes
it away or writes over it."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from typing import Final

from agent_tui.safety.shell import find_expression, moved_files, programs, start_files
from agent_tui.safety.shell.find_expression import Entry, Takes
from agent_tui.safety.shell.moved_files import taken_by
from agent_tui.safety.shell.words import Budget, Simple, Word, simple_commands, word_set
from agent_tui.structures import late

NAME: Final = ".git"
_LETTERS: Final = NAME[1:]
_OF_SCRIPT: Final = (
    r"\"?\$\(dirname (?:-- )?\"?\$(?:0|\{0\}|\{?BASH_SOURCE(?:\[0\])?\}?)\"?\)(?:/\.\.)*\"?"
)
HERE: Final = late.pattern(
    r"(\$PWD|\$\{PWD\}|^~\+|(?:\$\(|`)(?:pwd(?: -P)?|git rev-parse --show-toplevel"
    r"|(?:realpath|readlink -f) \."
    rf"| ?cd (?:-- |-P )?(?:\.|{_OF_SCRIPT})[ \d&>/devnul]*(?:&&|;) ?pwd(?: -P)? ?)[)`])(?=/|$)"
)
"""How a command says the folder in which it runs; that of a script may be the same."""
_OF_PWD: Final = late.pattern(
    r"\$\{PWD(?![\w}]|%%?/\*|##?\*/|:[^-=?+0]|:?\+[^{}]*(?<!PWD)(?<!PWD\})\})"
    r"(?:[^{}]|\{[^{}]*\})*\}"
)
"""What is made of the name of that folder, and may be the same: no end of it, no folder above."""
_ASKED: Final = late.pattern(
    r"(?:\$\(|`)\s*git(?:\s+-C\s+[^\s()`]+)?\s+rev-parse\s+(?:--path-format=\w+\s+)?"
    r"(?:--(?:absolute-git-dir|git-dir|git-common-dir)|--git-path\s+([\w/.-]+))"
    r"\s*(?:2>\s*/dev/null\s*)?[)`]"
    r"|\$(?:GIT_(?:COMMON_)?DIR\b|\{GIT_(?:COMMON_)?DIR[^{}]{0,40}\})"
)
"""How a command asks git where the folder is."""
_HELD: Final = word_set("HEAD config index logs modules objects packed-refs refs shallow worktrees")
"""What in it holds the history, or says where it is: hooks, messages and notes do not."""
_WILD: Final = late.pattern(r"[*?]|\[[^\[\]]*\]")
_FILES: Final = (
    *("HEAD", "config", "index", "packed-refs", "logs/HEAD", "refs/heads/main"),
    *("refs/heads/master", "objects/ab/cdef0123456789abcdef0123456789abcdef01"),
    *("objects/pack/pack-0123456789abcdef.pack", "objects/pack/pack-0123456789abcdef.idx"),
)
_FOLDERS: Final = ("logs", "objects", "objects/ab", "objects/pack", "refs", "refs/heads")
"""Some of what lies in every such folder."""
_HANDS_ON: Final = word_set("sort uniq head tail tac shuf tr cat tee")
_FEEDS: Final = word_set("xargs parallel")
_INNER: Final = late.pattern(r"(?:\$\(|`)\s*(find [^()`]*)[)`]")
_STEPS_OF_TEST: Final = 80
"""For all entries that are looked at."""
_MOST_INNER: Final = 4
_SOMEWHERE: Final = "/somewhere/here"


def plain(text: str) -> str:
    """`text` with the folder in place of what asks for it, and `$PWD` in place of what may be
    it."""
    if "$" not in text and "`" not in text:
        return text
    text = _OF_PWD.sub("$PWD", text) if "${PWD" in text else text
    return _ASKED.sub(lambda found: posixpath.join(NAME, found[1] or "").rstrip("/"), text)


def entered(path: str) -> str:
    """`path` as `cd` goes there: also a pattern that fits the folder is the folder."""
    parts = HERE.sub(".", plain(path)).split("/")
    return "/".join(NAME if may_be(part) else part for part in parts)


def is_in(path: str, cwd: str = "") -> bool:
    """Whether a path is that of such a folder, or leads into one. Its parts may be patterns."""
    parts = posixpath.normpath(plain(path)).split("/")
    return any(map(may_be, parts)) or NAME in posixpath.normpath(
        posixpath.join(cwd, plain(path))
    ).split("/")


def may_be(part: str) -> bool:
    """Whether a part of a path is `.git`, or a pattern that fits it and was written for names with
    a dot, or for this one: `.g*`, `*git`."""
    if part == NAME:
        return True
    literal = _WILD.sub("", part)
    written = part.startswith((".", "[.]", "[.")) or not {*_LETTERS}.isdisjoint(literal)
    return literal != part and written and fnmatchcase(NAME, part.replace("[^", "[!"))


def find_overwritten(name: str, words: Sequence[str], cwd: str) -> str:
    """The file of a history that this program writes over; empty: none."""
    written = start_files.written_files(name, words)
    if name in ("sed", "gsed", "perl"):
        written = written[1:] or written  # the first is the script
    return next((one for one in written if is_held(one, cwd)), "")


def is_held(path: str, cwd: str) -> bool:
    """Whether a path leads to what holds a history."""
    parts = posixpath.normpath(posixpath.join(cwd, plain(path))).split("/")
    return NAME in parts and not _HELD.isdisjoint(parts[parts.index(NAME) + 1 :][:1])


def deletes_found(
    simple: Simple, call: programs.Call, places: Sequence[str], budget: Budget
) -> bool:
    """Whether the call deletes what `find` finds, in itself or before it, and that may be a
    history. The first of `places` is where it runs. Raises TooMany."""
    texts = [word.text for word in call.arguments]
    if call.name == "find":
        return moved_files.finds_to_delete(texts) and _may_find(
            texts, places, moved_files.deleted_by, budget
        )
    if call.name in ("fd", "fdfind"):
        hidden = programs.has(texts, "Hu", "--hidden", "--unrestricted")
        said = (text for text in texts if _LETTERS in text and "--" not in text)
        return hidden and any(said) and moved_files.fd_deletes(texts)
    needed = taken_by([call.name, *texts])
    if not needed:
        return False
    handed = any(_base(word) in _FEEDS for word in simple.words) or any("$" in t for t in texts)
    before = simple.before if handed else None
    while before is not None and before.words and _base(before.words[0]) in _HANDS_ON:
        before = before.before
    sources = [before] if before is not None else []
    for found in _INNER.findall(" ".join(texts))[:_MOST_INNER]:
        sources += simple_commands(found, lambda _: "")
    return any(_hands_history(one, places, needed, budget) for one in sources)


def _hands_history(simple: Simple, places: Sequence[str], taken: int, budget: Budget) -> bool:
    call = programs.unwrap_call(simple)
    if call is None or call.name != "find":
        return False
    texts = [word.text for word in call.arguments]
    return _may_find(
        texts, places, lambda name, _: taken if name in find_expression.PRINTS else 0, budget
    )


def _may_find(words: Sequence[str], places: Sequence[str], takes: Takes, budget: Budget) -> bool:
    """Whether a `find` with these words may take a history, or a part of one."""
    roots, expression = find_expression.split(words)
    named, cwd = _names_history(expression), places[0] or _SOMEWHERE
    prunes = "-prune" in expression
    for root in (HERE.sub(".", plain(root)) for root in roots):
        for folder in _histories(posixpath.join(cwd, root), places, named):
            budget.take(_STEPS_OF_TEST * len(expression))
            for needed, entry in _entries(root, folder, cwd, named):
                above = _above(entry) if prunes else ()
                if find_expression.find_loss(expression, entry, above, takes) >= needed:
                    return True
    return False


def _names_history(expression: Sequence[str]) -> bool:
    """Whether a test asks for such a folder."""
    return any(
        option in find_expression.NAMES
        and before not in ("!", "-not")
        and (_LETTERS in said if option.endswith("regex") else any(map(may_be, said.split("/"))))
        for before, option, said in zip(("", *expression), expression, expression[1:], strict=False)
    )


def _histories(root: str, places: Sequence[str], named: bool) -> Iterator[str]:
    """The folders of this kind that may lie below `root`, or above it."""
    root = posixpath.normpath(root)
    if NAME in (parts := root.split("/")):
        yield "/".join(parts[: parts.index(NAME) + 1])
        return
    below = [place or _SOMEWHERE for place in places if _is_below(place or _SOMEWHERE, root)]
    yield from (posixpath.join(posixpath.normpath(place), NAME) for place in below)
    if named and not below:
        yield from (posixpath.join(root, NAME), posixpath.join(root, "x", NAME))


def _entries(root: str, folder: str, cwd: str, named: bool) -> Iterator[tuple[int, Entry]]:
    """What `find` sees of a history: what must be done to it that something is lost (`taken_by`),
    and the entry."""
    start = posixpath.normpath(posixpath.join(cwd, root))
    inside = [(1, f"{folder}/{name}", False) for name in _FILES]
    inside += [(2, f"{folder}/{name}", True) for name in _FOLDERS]
    inside += [(1, folder, True), (1, folder, False)] if named else [(2, folder, True)]
    while folder != start and _is_below(folder := posixpath.dirname(folder), start):
        inside.append((2, folder, True))
    for needed, path, is_folder in inside:
        if path != start and _is_below(path, start):
            inner = path[len(start.rstrip("/")) + 1 :]
            yield needed, Entry(posixpath.join(root, inner), inner.count("/") + 1, is_folder)


def _above(entry: Entry) -> list[Entry]:
    """The folders on the way to it."""
    paths = [entry.path]
    for _ in range(entry.depth):
        paths.append(posixpath.dirname(paths[-1]))
    return [Entry(path, entry.depth - at, True) for at, path in enumerate(paths)][-2:0:-1]


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder.rstrip('/')}/")


def _base(word: Word) -> str:
    return word.text.rpartition("/")[2]
