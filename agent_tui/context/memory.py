"""What is remembered from session to session: facts as Markdown files, one each, for the person
(`memory/` in the config folder) and for a project (`.agent-tui/memory/` in it).

The files are the truth. `MEMORY.md` beside the person's facts is an index that is made by looking
at them: one line a fact, which the person may word otherwise or move. Below it stand the facts that
were found on the way and that nobody has accepted yet. A project's facts come with a repository,
from anyone: they are data, pass the trust in that project, and have their secrets hidden.
"""

from __future__ import annotations

import json
import os
import re
import unicodedata
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from agent_tui.context import text_files
from agent_tui.paths import project_folders
from agent_tui.protocol.messages import MemoryFact, MemoryScope, Request, UserMessage
from agent_tui.protocol.turn_events import Profile
from agent_tui.structures import late
from agent_tui.structures.frozen import frozen
from agent_tui.structures.visible import is_text, visible

FOLDER: Final = "memory"
INDEX: Final = "MEMORY.md"
MADE: Final = ".MEMORY.json"
"""Beside the index: a checksum of each fact as its line was made from it."""
LIMIT: Final = 8_000
"""Bytes of one fact that are used."""
MOST: Final[Mapping[MemoryScope, int]] = {"user": 20_000, "project": 500}
"""Facts that are read; of a project, each is read anew for every prompt."""
INDEX_CHARS: Final[Mapping[Profile, int]] = {"full": 1_500, "small": 500}
"""Characters of the list of facts: it goes with every request."""
LINE: Final = 160
"""Characters of a fact in an index."""
NAME: Final = 50
"""Characters of a fact's name."""
CAPTURED: Final = "## Auto-captured -- "
"""How the heading begins of the facts that nobody has accepted yet."""
CAPTURED_MOST: Final = 5
CAPTURED_CHARS: Final = 300
"""Facts that are proposed at a time, and characters of each."""
INSTRUCTION: Final = """\
A person said this to a coding agent. List what will still be true and useful in other \
conversations: what the person prefers, has decided for good, or told about themselves and their \
projects. Leave out the task of the moment, guesses, passwords and keys. Write one fact a line, \
beginning with "- ", in a sentence that is clear by itself, at most five. Where there is nothing of \
the kind, answer: none."""
_HEAD: Final = "# Memory\n"
_ENTRY: Final = late.pattern(r"- \[[^\]]*\]\((?P<name>[^()/]+)\.md\):?\s*(?P<line>.*)")
_WORD: Final = late.pattern(r"\w+")
_NONE: Final[Mapping[str, int]] = {}


@frozen
class FactFile:
    """A fact, and the file that holds it. `changed`: when that was written, in nanoseconds, and
    how long it is then."""

    fact: MemoryFact
    path: Path
    changed: tuple[int, int] = (0, 0)

    @property
    def key(self) -> str:
        return f"{self.fact.scope}/{self.fact.name}"


@frozen
class Proposal:
    """A fact that nobody has accepted yet, and the day on which it was found."""

    text: str
    day: str

    @property
    def id(self) -> str:
        return f"new/{zlib.crc32(self.text.encode('utf-8', 'surrogatepass')):08x}"


def user_folder(config: Path) -> Path:
    return config / FOLDER


def project_folder(cwd: Path) -> Path:
    """Where the facts of the project are that `cwd` lies in."""
    return project_folders(cwd)[0] / ".agent-tui" / FOLDER


def read_user(
    folder: Path,
    known: Mapping[str, FactFile],
    problems: list[str],
    closed: Sequence[str] = (),
) -> tuple[FactFile, ...]:
    """The person's facts, sorted by name. What was `known`, by the names of files, and has not
    changed is not read again."""
    return tuple(_read(folder, "user", None, known, problems, closed))


def read_project(
    cwd: Path,
    hide: Callable[[str], str],
    problems: list[str],
    *,
    admits: Callable[[Path, bytes], bool],
    closed: Sequence[str] = (),
) -> tuple[FactFile, ...]:
    """Those of the project. `admits` says which are used, and `hide` replaces the secrets."""
    folders, folder = project_folders(cwd), project_folder(cwd)
    project = text_files.Project(folders[:1], folders[-1:], hide, admits)
    if folder.is_dir() and is_linked(cwd):
        problems.append(f"{visible(str(folder))} leads elsewhere through a link: it is not used")
        return ()
    return tuple(_read(folder, "project", project, {}, problems, closed))


def is_linked(cwd: Path) -> bool:
    """Whether the folder of a project's facts is another one of its folders, behind a link: who
    forgets a fact there deletes a file that is more than that."""
    real = project_folders(cwd)[0].resolve() / ".agent-tui" / FOLDER
    return project_folder(cwd).resolve() != real


def _read(
    folder: Path,
    scope: MemoryScope,
    project: text_files.Project | None,
    known: Mapping[str, FactFile],
    problems: list[str],
    closed: Sequence[str],
) -> Iterator[FactFile]:
    if folder.is_dir() and (why := text_files.forbid(folder.resolve(), closed)):
        problems.append(f"{visible(str(folder))} {why}: not used")
        return
    try:
        with os.scandir(folder) as entries:
            found = sorted((one for one in entries if _is_fact(one.name)), key=lambda e: e.name)
    except OSError:  # not there, or not for us to see
        return
    if len(found) > MOST[scope]:
        problems.append(f"{folder} holds more than {MOST[scope]:,} facts: the rest is not used")
    for entry in found[: MOST[scope]]:
        path = folder / entry.name
        if problem := _unusable(entry, scope):
            problems.append(f"{visible(str(path))} {problem}: not used")
            continue
        try:
            about = entry.stat()
        except OSError:  # it has just gone
            continue
        changed = (about.st_mtime_ns, about.st_size)
        if (before := known.get(entry.name)) is not None and before.changed == changed:
            yield before
            continue
        file = text_files.read(path, LIMIT, project, closed)
        if file is not None and file.problem:
            problems.append(file.problem)
        if file is not None and file.text.strip():
            yield FactFile(MemoryFact(path.stem, scope, file.text.strip()), path, changed)


def _unusable(entry: os.DirEntry[str], scope: MemoryScope) -> str:
    """Why no fact can be in a file of that name."""
    if not is_text(entry.name):  # it is sent, logged and written into the index
        return "has a name with bytes that are no UTF-8, or control characters"
    if scope == "project" and entry.is_symlink():  # to forget it would delete what it leads to
        return "is a link, which a project's fact cannot be"
    return ""


def _is_fact(name: str) -> bool:
    return name.endswith(".md") and not name.startswith(".") and name.lower() != INDEX.lower()


def name_for(text: str, taken: Callable[[str], bool] = lambda _: False) -> str:
    """The name of a fact, made of its first line; another one where that is `taken`."""
    plain = unicodedata.normalize("NFKC", first_line(text)).lower()
    name = "-".join(_WORD.findall(plain.replace("_", " "))) or "fact"
    if len(name) > NAME:
        name = name[:NAME].rpartition("-")[0] or name[:NAME]
    numbers = (f"{name}-{number}" for number in range(2, 10_000))
    return next(one for one in (name, *numbers) if one != "memory" and not taken(one))


def first_line(text: str) -> str:
    """What a fact says first, short."""
    lines = (line.strip(" #>*-\t") for line in text.split("\n"))
    first = " ".join(next((line for line in lines if line), "").split())
    return first if len(first) <= LINE else f"{first[: LINE - 1].rstrip()}…"


# -- the index


def make_index(
    before: str, written: int, files: Sequence[FactFile], made: Mapping[str, int] = _NONE
) -> str:
    """`MEMORY.md` as it is with these facts, from how it was. A line stays as it is until its fact
    says something else, by its checksum in `made`: the person may have worded it. Of a fact without
    one, the line stays if it is younger (`written`, in nanoseconds). Only the line of a fact that
    was there goes with it: any other one is the person's."""
    facts = (one for one in files if _ENTRY.fullmatch(_entry(one.fact)))  # else it has no line
    there = {one.fact.name: one for one in facts}
    lines, at, seen = list[str](), -1, set[str]()
    for line in (before or _HEAD).split("\n"):
        entry = _ENTRY.fullmatch(line)
        name = entry["name"] if entry is not None else ""
        if name in seen or not (name in there or name in made):
            lines.append(line)
            continue
        seen.add(name)
        at = len(lines) if at < 0 else at
        if (file := there.get(name)) is not None:
            lines.append(line if _is_up_to_date(file, written, made) else _entry(file.fact))
    if at < 0:
        at = next((i + 1 for i, line in enumerate(lines) if line.startswith("# ")), 0)
    lines[at:at] = [_entry(one.fact) for name, one in there.items() if name not in seen]
    return "\n".join(lines).rstrip("\n") + "\n"


def _is_up_to_date(file: FactFile, written: int, made: Mapping[str, int]) -> bool:
    if (sum := made.get(file.fact.name)) is not None:
        return sum == checksum(file.fact)
    return file.changed[0] <= written


def checksum(fact: MemoryFact) -> int:
    return zlib.crc32(fact.text.encode("utf-8", "surrogatepass"))


def checksums(data: bytes) -> dict[str, int]:
    """What stands in the file `MADE`; nothing where it is gone or damaged."""
    try:
        read = json.loads(data)
    except ValueError:
        return {}
    return {str(k): v for k, v in read.items() if type(v) is int} if type(read) is dict else {}


def _entry(fact: MemoryFact) -> str:
    return f"- [{fact.name}]({fact.name}.md): {first_line(fact.text)}"


def worded(index: str) -> dict[str, str]:
    """How the index puts each fact, by its name, in its order."""
    entries = (_ENTRY.fullmatch(line) for line in index.split("\n"))
    found = dict[str, str]()
    for one in entries:
        if one is not None and one["line"]:
            found.setdefault(one["name"], one["line"])  # the first one is the fact's
    return found


def told_index(files: Sequence[FactFile], index: str, limit: int) -> str:
    """What of all facts goes with every request: one line each, as far as `limit` characters go.
    Empty where there are none."""
    words = worded(index)
    order = {name: place for place, name in enumerate(words)}
    ordered = sorted(
        files, key=lambda one: (one.fact.scope == "project", order.get(one.fact.name, 0))
    )
    lines, room = list[str](), limit
    for one in ordered:
        mine = words.get(one.fact.name) if one.fact.scope == "user" else None
        mark = "" if one.fact.scope == "user" else "(project) "
        line = f"- {mark}{first_line(mine or one.fact.text)}"
        if room < len(line) + 1:
            lines.append(f"- … and {len(files) - len(lines)} more: search_memory finds them")
            break
        lines.append(line)
        room -= len(line) + 1
    return "\n".join(lines)


# -- what nobody has accepted yet


def request(words: Sequence[str], most: int) -> Request:
    """What asks a model for facts in what the person said. Only in that: files, results and the
    agent's own words are no source."""
    said = "\n\n".join(words)[-most:]
    return Request(INSTRUCTION, (UserMessage(f"<words>\n{said}\n</words>"),), temperature=0.2)


def facts_in(answer: str) -> list[str]:
    """The facts that a model found."""
    lines = (line.strip() for line in answer.split("\n"))
    found = (" ".join(line[2:].split()) for line in lines if line.startswith("- "))
    return [text for text in found if 0 < len(text) <= CAPTURED_CHARS][:CAPTURED_MOST]


def proposals(index: str) -> tuple[Proposal, ...]:
    found, day = list[Proposal](), ""
    for line in index.split("\n"):
        if line.startswith("#"):
            day = line.removeprefix(CAPTURED).strip() if line.startswith(CAPTURED) else ""
        elif day and line.startswith("- "):
            found.append(Proposal(line[2:].strip(), day))
    return tuple(found)


def with_proposals(index: str, day: str, texts: Iterable[str]) -> str:
    """The index with more of them, below the heading of that day."""
    known = {one.text for one in proposals(index)}
    new = [f"- {text}" for text in dict.fromkeys(texts) if text not in known]
    if not new:
        return index
    lines = (index or _HEAD).rstrip("\n").split("\n")
    if (heading := f"{CAPTURED}{day}") not in lines:
        return "\n".join((*lines, "", heading, "", *new, ""))
    at = lines.index(heading) + 1
    while at < len(lines) and not lines[at].startswith("#"):
        at += 1
    return "\n".join((*lines[:at], *new, *lines[at:], ""))


def without_proposal(index: str, text: str) -> str:
    """The index without the one that says `text`; a heading with nothing below it goes, too."""
    lines, in_section, gone = list[str](), False, False
    for line in index.split("\n"):
        in_section = line.startswith(CAPTURED) if line.startswith("#") else in_section
        if in_section and not gone and line.startswith("- ") and line[2:].strip() == text:
            gone = True
        else:
            lines.append(line)
    kept = "\n".join(lines)
    return re.sub(rf"{re.escape(CAPTURED)}.*\n\s*(?=#|\Z)", "", kept).rstrip("\n") + "\n"
