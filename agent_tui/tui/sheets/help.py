"""F1: all keys and commands. Its command is in `commands/search.py`: the footer names its key.

Also what the keys do that no command has: in the prompt, with vim, when something is asked. The
documents say it with the same words.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from agent_tui.protocol.display import DiffDisplay
from agent_tui.protocol.transcript import Approval, Question
from agent_tui.tui import commands
from agent_tui.tui.commands.base import key_name
from agent_tui.tui.core.model import Model, Overlay
from agent_tui.tui.core.picker import Entry
from agent_tui.tui.core.step import Step
from agent_tui.tui.dialog import answer_keys
from agent_tui.tui.dialog.offers import offers
from agent_tui.tui.prompt import keys
from agent_tui.tui.sheets import TAKES, Action, Sheet, palette
from agent_tui.tui.sheets.palette import COMMAND

Row = tuple[str, str, str]
"""Keys, what they do, and more about it."""
CARD: Final[tuple[tuple[str, str, str], ...]] = (
    ("send", "", "send, or queue while it works"),
    ("", "Ctrl+J", "start a new line"),
    ("steer", "", "steer the running turn"),
    ("stop", "", "interrupt the running turn"),
    ("interrupt", "", "copy, interrupt, or quit (twice)"),
    ("mode", "", "change the mode"),
    ("model", "", "choose the model"),
    ("palette", "", "find and run a command"),
    ("", "/ @", "complete a command, a file"),
    ("", "!", "run a shell command yourself"),
    ("", "↑", "bring back earlier prompts"),
    ("history", "", "search earlier prompts"),
    ("search", "", "search the transcript"),
    ("", "PgUp PgDn", "scroll the transcript"),
    ("expand", "", "expand or collapse everything"),
)
"""The keys of every day, a command's (its name) or one that is always the same: the first screen of
the help."""
EDITING: Final = {
    "cursor_left": "a character to the left",
    "cursor_right": "a character to the right",
    "cursor_word_left": "a word to the left",
    "cursor_word_right": "a word to the right",
    "cursor_up": "a line up; in the first line: the prompt before",
    "cursor_down": "a line down; in the last line: the next prompt",
    "cursor_line_start": "to the start of the line",
    "cursor_line_end": "to the end of the line",
    "delete_left": "delete the character on the left",
    "delete_right": "delete the character on the right",
    "delete_word_left": "cut the word on the left",
    "delete_word_right": "cut the word on the right",
    "delete_to_space": "cut to the white space on the left",
    "delete_to_start_of_line": "cut to the start of the line; at the start, join the one before",
    "delete_to_end_of_line": "cut to the end of the line; at the end, join the next one",
    "yank": "paste the last cut; cuts in a row count as one",
    "yank_pop": "after that: replace it with the cut before",
    "uppercase_word": "the rest of the word in capitals",
    "lowercase_word": "the rest of the word in small letters",
    "capitalise_word": "a capital, and the rest of the word in small letters",
    "text_start": "to the start of the prompt",
    "text_end": "to the end of the prompt",
    "undo": "undo",
    "redo": "redo",
    "paste": "paste text that was copied in agent-tui",
    "copy": "copy the selection",
    "select_all": "select all",
}
"""What each editor action does, in words."""
MARKS: Final = {
    "underscore": "_",
    "minus": "-",
    "delete": "Del",
    "left": "←",
    "right": "→",
    "less_than_sign": "<",
    "greater_than_sign": ">",
    "comma": ",",
    "full_stop": ".",
}
VIM: Final[tuple[Row, ...]] = (
    (
        "h j k l w b e 0 ^ $ gg G { } %",
        "move",
        "With counts. f F t T ; , find a character; k in the first line: the prompt before.",
    ),
    (
        "i a I A o O",
        "insert",
        "Esc returns to normal mode; in normal mode, with no command half typed, it interrupts.",
    ),
    (
        "d c y < >",
        "change, over a motion or a text object",
        "Twice: the line. x X D C s S Y p P r ~ J work too.",
    ),
    ('iw aw ip i" i( i[ i{ i<', "text objects", "i or a, and w W p \" ' ` ( b [ { B <"),
    ("v V", "select", "Then motions, text objects, o; d c y x s p r J u U ~ < >."),
    (". u Ctrl+R", "again, undo, redo", "In insert mode Ctrl+R searches earlier prompts."),
)


def key(name: str) -> str:
    """A key as a person writes it: `Ctrl+_`."""
    return "+".join(MARKS.get(part, key_name(part)) for part in name.split("+"))


def key_names(names: Iterable[str]) -> str:
    return " ".join(dict.fromkeys(map(key, names)))


def plain_first(name: str) -> tuple[bool, int, str]:
    return name != "ctrl+j", name.count("+"), name


def prompt_rows() -> Iterator[Row]:
    """The keys that edit."""
    yield (
        "Ctrl+J",
        "a new line",
        "Also Shift+Enter, if the terminal supports it, or a backslash before Enter.",
    )
    yield "↑ ↓", "move, then earlier prompts", "On an empty prompt, ↑ edits the last queued prompt."
    yield "Tab", "complete what follows a slash or an @", "Enter takes the selected entry."
    for action in dict.fromkeys(keys.EDITING.values()):
        if action not in ("cursor_up", "cursor_down"):
            found = [name for name, does in keys.EDITING.items() if does == action]
            yield key_names(found[:2]), EDITING[action], f"{key_names(found)}: {EDITING[action]}."
    yield "Shift+← → ↑ ↓", "move and select", f"{key_names(keys.SELECTING)}: move and select."


def asked_rows() -> Iterator[Row]:
    """The keys of a question."""
    consent = Approval("", "", "", "", "", always="what the question names", mode="accept-edits")
    consent = replace(
        consent, prefix="its beginning", folder="the same", display=DiffDisplay("", ())
    )
    for offer in (*offers(consent, (consent, consent)), *offers(Question("", "stuck", ""))):
        what = f"{offer.label}: {offer.detail}" if offer.detail else offer.label
        yield (
            f"{' '.join(offer.keys)}, Enter",
            what,
            f"With words in the prompt: {answer_keys.alt_key(offer)}, Enter.",
        )
    yield (
        "↑ ↓ Enter",
        "choose and take",
        "What cannot be undone takes its letter first, then Enter.",
    )
    yield (
        "Tab",
        "add words to the answer",
        "A yes or a no then goes to the model with what you write. Esc goes back to the answers.",
    )
    yield (
        "← →",
        "see the other questions",
        "The model wants several things at once. Each can be answered first.",
    )
    yield (
        "PgUp PgDn",
        "scroll what is asked about",
        "If all of it is in view, the transcript scrolls. You can allow a command once its end was in view.",
    )
    yield "Esc", "stop the turn", "Nothing is allowed."


def _rows(model: Model, _: Overlay) -> Iterator[Entry]:
    """First a card of the usual keys, in no group, then all others: each is said once."""
    prompt = list(prompt_rows())
    more = {keys: about for keys, _, about in prompt}
    for name, key, what in CARD:
        if keys := key or _keys(model, name):
            about = commands.find(name).help if name else more.get(key, "")
            yield Entry(f"{COMMAND}{name}" if name else "", keys, what, about)
    usual = {name or key for name, key, _ in CARD}
    for one in commands.COMMANDS:
        if one.name not in usual and (keys := _keys(model, one.name)):
            yield Entry(f"{COMMAND}{one.name}", keys, one.summary, one.help, "Other keys")
    others = (
        ("Keys in the prompt", (row for row in prompt if row[0] not in usual)),
        ("Keys in the prompt, with /vim", VIM if model.vim else ()),
        ("Keys when the agent asks", asked_rows()),
    )
    for group, rows in others:
        for keys, what, about in rows:
            yield Entry("", keys, what, about, group)
    for one in commands.COMMANDS:
        if one.slash:
            called = f"/{one.name} {one.argument}".rstrip()
            yield Entry(f"{COMMAND}{one.name}", called, one.summary, one.help, "Commands")


def _keys(model: Model, name: str) -> str:
    return " ".join(map(key_name, commands.keys_of(name, model.keys)))


def _run(model: Model, _: Overlay, row: Entry) -> Step:
    return palette.run(model, row.id)


def _is_command(_: Model, __: Overlay, row: Entry) -> bool:
    """A row may only tell of a key that no command has."""
    return bool(row.id)


SHEET: Final = Sheet(
    "Keys and commands",
    _rows,
    (Action("run", TAKES, "run", _run, _is_command),),
    about_lines=2,
    lists_keys=True,
    says_all=lambda row: not row.group,  # the card of the usual keys, which fills a small screen
)
