"""The list over the prompt: commands, skills and arguments under a slash, files under an `@`."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from agent_tui.protocol.answers import Files
from agent_tui.protocol.messages import SkillInfo
from agent_tui.protocol.ops import Query
from agent_tui.protocol.transcript import Answers
from agent_tui.structures import fuzzy, late, mention
from agent_tui.structures.frozen import frozen
from agent_tui.tui import commands, sheets
from agent_tui.tui.core.effects import Effect, Send, Yield
from agent_tui.tui.core.model import Model
from agent_tui.tui.core.msg import KeyPressed
from agent_tui.tui.core.prompt_state import Finder
from agent_tui.tui.core.step import Step
from agent_tui.tui.prompt import composer
from agent_tui.tui.screen.key_guards import is_command

KEYS: Final = frozenset(("up", "down", "tab", "enter", "escape", "ctrl+s"))
"""What the open list takes from the prompt."""
LONGEST_HINT: Final = 60
SLASH: Final = late.pattern(r"/([A-Za-z][\w:-]*)(?:\s+|$)")
"""The first word of a line that calls a command or a skill; a path has a second slash and is none.
"""


def skills(answers: Answers) -> tuple[SkillInfo, ...] | None:
    """None while the engine has not told them."""
    return answers.skills.skills if answers.skills is not None else None


def find_skill(answers: Answers, name: str) -> SkillInfo | None:
    """The skill that is called so."""
    return next((skill for skill in skills(answers) or () if skill.name == name), None)


def skill_hint(skill: SkillInfo) -> str:
    """What may follow the name of a skill."""
    named = " ".join(f"<{name}>" for name in skill.arguments)
    return skill.hint[:LONGEST_HINT] or named or ("[text]" if skill.free else "")


def skill_line(skill: SkillInfo) -> str:
    """Where a skill is from, and what it is for."""
    return f"{skill.source}: {skill.description}" if skill.source else skill.description


def is_unknown(answers: Answers, text: str) -> bool:
    """Whether `text` begins as a command or a skill does, and none is known that is called so; a
    slash alone names none."""
    if text.strip() == "/":
        return True
    match = SLASH.match(text.strip())
    if match is None or commands.by_slash(match.group(1)) is not None:
        return False
    return find_skill(answers, match.group(1)) is None


@frozen
class Candidate:
    """`insert` replaces the draft; `runs`: it is complete, so Enter sends it. A mere hint has
    nothing to insert. `typed`: it is what stands in the prompt, and Tab goes past it. `short`: the
    label without what may follow it."""

    label: str
    detail: str
    insert: str = ""
    runs: bool = False
    typed: bool = False
    short: str = ""


def candidates(draft: str, answers: Answers) -> tuple[Candidate, ...]:
    """What could be meant by `draft`, best first. Empty: it does not begin with a slash and a
    name."""
    if not draft.startswith("/") or "\n" in draft or "/" in draft[1:].split(" ", 1)[0]:
        return ()
    name, space, argument = draft[1:].partition(" ")
    return _arguments(name, argument, answers) if space else _names(name, answers)


def _names(typed: str, answers: Answers) -> tuple[Candidate, ...]:
    found: list[tuple[int, tuple[int, str], Candidate]] = []
    for command in commands.COMMANDS:
        if command.slash:
            rank = min(_rank(typed, name) for name in (command.name, *command.aliases))
            line = f"/{command.name}"
            found.append(
                (rank, _place(command.name), _candidate(line, command.argument, command.summary))
            )
    for skill in skills(answers) or ():
        offered = _candidate(f"/{skill.name}", skill_hint(skill), skill_line(skill))
        found.append((_rank(typed, skill.name), _place(skill.name), offered))
    return tuple(
        candidate
        for rank, _, candidate in sorted(found, key=lambda entry: entry[:2])
        if rank < NO_MATCH
    )


def _place(name: str) -> tuple[int, str]:
    """By use, then by name."""
    return USUAL.index(name) if name in USUAL else len(USUAL), name


def _candidate(line: str, argument: str, detail: str) -> Candidate:
    required = argument.startswith("<")
    insert = f"{line} " if required else line
    return Candidate(f"{line} {argument}".rstrip(), detail, insert, runs=not required, short=line)


NO_MATCH: Final = 9
USUAL: Final = (
    "help",
    "undo",
    "clear",
    "resume",
    "mode",
    "model",
    "rewind",
    "todo",
    "copy",
    "btw",
    "settings",
    "stats",
    "fork",
    "export",
)
"""What is used most, first: the list has room for a few of fifty."""


def _rank(typed: str, name: str) -> int:
    """How well `name` fits: the same, begins so, holds it, holds its letters in this order, not at
    all."""
    typed, name = typed.lower(), name.lower()
    if name == typed:
        return 0
    if name.startswith(typed):
        return 1
    if typed in name:
        return 2
    letters = iter(name)
    return 3 if all(letter in letters for letter in typed) else NO_MATCH


def _arguments(name: str, typed: str, answers: Answers) -> tuple[Candidate, ...]:
    command = commands.by_slash(name)
    if command is None:
        skill = find_skill(answers, name)
        hint = skill_hint(skill) if skill is not None and not typed.strip() else ""
        return (Candidate(f"/{name} {hint}", skill_line(skill)),) if skill and hint else ()
    choices = command.choices(answers) if command.choices else ()
    found = sorted((_rank(typed.strip(), choice), number) for number, choice in enumerate(choices))
    fitting = tuple(
        Candidate(choices[number], "", f"/{name} {choices[number]}", runs=True)
        for rank, number in found
        if rank < NO_MATCH
    )
    if fitting and command.free and _stands(typed.strip(), choices):
        word = typed.strip()
        return (Candidate(word, "as typed", f"/{name} {word}", runs=True, typed=True), *fitting)
    if fitting or typed.strip() or not command.argument:
        return fitting
    return (Candidate(f"/{name} {command.argument}", command.summary),)


def _stands(word: str, choices: tuple[str, ...]) -> bool:
    """Whether `word` may be meant as it is: it is no choice, and not the beginning of one, or of
    its provider's name. Enter never takes another model for it that has only some of its letters.
    """
    word = word.lower()
    heads = [choice.partition("/")[0].lower() for choice in choices]
    begins = any(head.startswith(word) for head in heads) and word not in heads
    return bool(word) and not begins and all(choice.lower() != word for choice in choices)


def writes_command(model: Model) -> bool:
    """Whether a command is being written below the sheet: keys are the prompt's then."""
    now = model.overlay if model.is_covered else None
    return (
        now is not None
        and sheets.typing_of(model, now) == "below"
        and is_command(model.composer.draft)
    )


def shown_candidates(model: Model) -> tuple[Candidate, ...]:
    """The list as it stands: empty while it is closed or something else has the keys."""
    if model.finder is not None:
        return _files(model, model.finder)
    draft = model.composer.draft
    if (
        not draft.startswith("/")
        or model.composer.purpose is not None
        or model.completion.closed_for == draft
    ):
        return ()
    if model.composer.browsing >= 0 or model.dialog is not None:
        return ()
    if model.overlay is not None and not writes_command(model):
        return ()
    return candidates(draft, model.transcript.answers)


def runs_selected(model: Model) -> str:
    """What the cursor of the list is on, where Enter runs that; else empty."""
    found = shown_candidates(model)
    chosen = found[min(selected_index(model), len(found) - 1)] if found else None
    return chosen.insert if chosen is not None and chosen.runs else ""


def selected_index(model: Model) -> int:
    """Where the cursor of the list is."""
    return model.completion.selected if model.finder is None else model.finder.selected


def _files(model: Model, now: Finder) -> tuple[Candidate, ...]:
    if not _open(model, now):
        return ()
    if now.matches is None:
        return (Candidate(READING, ""),)
    told, room = model.transcript.answers.files, max(8, model.width - 10)
    note = told.note if told is not None else ""  # which files are not in the list
    return tuple(
        Candidate(
            path if len(path) <= room else f"…{path[1 - room :]}", "" if number else note, path
        )
        for number, path in enumerate(now.shown)
    )


def on_list_key(model: Model, msg: KeyPressed) -> Step | None:
    """A key while the list is open. None: not a key for it."""
    if msg.key not in KEYS:
        return None
    if model.finder is not None:
        return _pressed_files(model, model.finder, msg)
    found = shown_candidates(model)
    if not found:
        return None
    if msg.key == "escape":
        return replace(
            model, completion=replace(model.completion, closed_for=model.composer.draft)
        ), ()
    if not found[0].insert:
        return None
    if msg.key in ("up", "down"):
        selected = (model.completion.selected + (1 if msg.key == "down" else -1)) % len(found)
        return replace(model, completion=replace(model.completion, selected=selected)), ()
    chosen = found[min(model.completion.selected, len(found) - 1)]
    if msg.key == "tab" and chosen.typed:
        chosen = found[1]
    if msg.key == "tab" or not chosen.runs:
        insert = (
            chosen.insert
            if chosen.insert.endswith(" ") or chosen.runs is False
            else f"{chosen.insert} "
        )
        return composer.write(model, insert), ()
    return commands.find("send").run(composer.write(model, chosen.insert), "")


FIRST: Final = 0.005
"""Seconds before the first slice: so long a key takes until it is drawn."""
PAUSE: Final = 0.0
"""Seconds between two slices: keys that wait are first all the same."""
RECENT: Final = 50
"""Prompts that are looked through for files that were named."""
READING: Final = "reading the files …"


def settle_files(model: Model) -> Step:
    """Look again if another name is being typed, or the files are others. Costs nothing where none
    is."""
    now = model.finder
    typed = _typed(model)
    if typed is None:
        return (model if now is None else replace(model, finder=None)), ()
    effects: tuple[Effect, ...] = ()
    if now is None or now.typed.start != typed.start:
        now, effects = Finder(typed, _recent(model)), (Send(Query("files", "files")),)
    corpus = _corpus(model.transcript.answers.files, now)
    if corpus is None:
        return replace(model, finder=replace(now, typed=typed)), effects
    matches = now.matches
    if (
        matches is None
        or matches.query != fuzzy.as_query(typed.query)
        or matches.corpus is not corpus
    ):
        matches = fuzzy.begin(corpus, typed.query, matches)
    if matches is now.matches and typed == now.typed and (matches.done or now.waiting):
        return (model if now is model.finder else replace(model, finder=now)), effects
    waiting = not matches.done
    if waiting and not now.waiting:
        effects = (*effects, Yield(PAUSE if matches is now.matches else FIRST))
    return replace(
        model, finder=replace(now, typed=typed, matches=matches, waiting=waiting)
    ), effects


def go_through_files(model: Model) -> Model:
    """One slice more."""
    now = model.finder
    if now is None or now.matches is None or not now.waiting:
        return model
    return replace(model, finder=replace(_stepped(now, now.matches), waiting=False))


def _stepped(now: Finder, matches: fuzzy.Matches) -> Finder:
    matches = fuzzy.step(matches, now.recent)
    if not matches.done:
        return replace(now, matches=matches)
    paths = (matches.corpus.paths[place] for place in matches.best)
    shown = tuple(path for path in paths if path != now.typed.query or not path.endswith("/"))
    same = now.shown_for == matches.query
    return replace(
        now,
        matches=matches,
        shown=shown,
        shown_for=matches.query,
        selected=now.selected if same else 0,
    )


def _pressed_files(model: Model, now: Finder, msg: KeyPressed) -> Step | None:
    if not _open(model, now):
        return None
    if msg.key == "escape":
        return replace(model, finder=replace(now, closed=True)), ()
    if msg.key in ("tab", "enter"):  # what was typed counts, not what the list still shows
        while now.matches is not None and not now.matches.done:
            now = _stepped(now, now.matches)
    if not now.shown:
        return None
    if msg.key in ("up", "down"):
        selected = (now.selected + (1 if msg.key == "down" else -1)) % len(now.shown)
        return replace(model, finder=replace(now, selected=selected)), ()
    path = now.shown[min(now.selected, len(now.shown) - 1)]
    if msg.key == "tab":
        return _taken(model, now, path, into=path.endswith("/")), ()
    if msg.key == "enter" and path != now.typed.query:
        return _taken(model, now, path), ()
    return None  # it is written out already: it is sent


def _taken(model: Model, now: Finder, path: str, into: bool = False) -> Model:
    """`path` is named in the prompt; `into`: what lies in that folder is listed next."""
    draft, end = model.composer.draft, now.typed.end
    text = mention.write_mention(path, more=into)
    if draft[now.typed.start + 1 : now.typed.start + 2] == '"' and draft[end : end + 1] == '"':
        end += 1
    if not into:
        text += "" if draft[end : end + 1].isspace() else " "
    before = draft[: now.typed.start] + text
    return composer.write(model, before + draft[end:], caret=len(before))


def _typed(model: Model) -> mention.Typed | None:
    """The name that is being typed; a slash as its first letter leads out of the folder, where
    nothing is listed."""
    now = model.composer
    if now.purpose is not None or now.browsing >= 0 or model.gone:
        return None
    if now.draft.rfind("@", max(0, now.caret - mention.LONGEST), now.caret) < 0:
        return None
    return mention.typed_mention(now.draft, now.caret)


def _open(model: Model, now: Finder) -> bool:
    return (
        not now.closed and model.dialog is None and model.overlay is None and model.search is None
    )


def _corpus(found: Files | None, now: Finder) -> fuzzy.Corpus | None:
    """The files as the engine told them; the same object while they are the same."""
    before = now.matches.corpus if now.matches is not None else None
    return (
        before
        if before is not None and found is not None and before.paths is found.paths
        else found
    )


def _recent(model: Model) -> tuple[str, ...]:
    """Files that were named in earlier prompts, newest first."""
    named = (
        ways
        for prompt in reversed(model.composer.history[-RECENT:])
        for ways in mention.mentioned_files(prompt)
    )
    return tuple(dict.fromkeys(way for ways in named for way in ways))
