"""Vim in the prompt, as a pure state machine: a key in, the text, the caret and the next state out.
Never raises.

A command is typed into `Vim.typed` until `vim_keys.parse` understands it. In insert mode the prompt
edits as ever; only its beginning and its end are noticed here, for `.` and for counts.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from agent_tui.structures.frozen import frozen
from agent_tui.tui.core.model import VimMode
from agent_tui.tui.prompt.readline import line_end, line_start
from agent_tui.tui.prompt.vim_text import (
    BRACKETS,
    MOTIONS,
    Done,
    Target,
    Vim,
    find_in_line,
    first_word,
    last_place,
    object_of,
    vertical,
)

ELSEWHERE: Final = frozenset("/?:")
"""What vim does with these, other keys do here."""
COMMANDS: Final = frozenset("/:")
"""On an empty prompt they begin a command, as `/` does while typing."""
REPEATED: Final = frozenset("dc<>xXDCsSpPrJ~oOiaIA")
"""Commands that `.` does again."""
SHORT: Final = {
    "x": ("d", "l"),
    "X": ("d", "h"),
    "D": ("d", "$"),
    "C": ("c", "$"),
    "s": ("c", "l"),
    "S": ("c", "c"),
    "Y": ("y", "y"),
}
"""Commands that are an operator and what it works on."""
VISUAL_SHORT: Final = {
    "x": "d",
    "X": "D",
    "s": "c",
    "S": "C",
    "R": "C",
    "u": "u",
    "U": "U",
    "~": "~",
    "J": "J",
}


def press_key(vim: Vim, text: str, at: int, key: str) -> Done:
    """`key`: what it types, or its name."""
    if vim.mode == "insert":
        return _inserted(vim, text, at) if key == "escape" else Done(vim, text, at, "pass")
    at = last_place(text, vim.caret if vim.mode != "normal" else at)
    key = {"backspace": "h", "space": " "}.get(key, key)
    if key == "enter" and vim.typed[-1:] == "r":
        key = "\n"
    if key == "escape" and (vim.typed or vim.mode != "normal"):
        return Done(replace(vim, typed="", mode="normal" if not vim.typed else vim.mode), text, at)
    if key == "ctrl+r":
        return Done(replace(vim, typed="", mode="normal"), text, at, "redo")
    if len(key) != 1:
        return Done(replace(vim, typed=""), text, at, "pass")
    command = parse(vim.typed + key, vim.mode != "normal")
    if key in COMMANDS and not text and not vim.typed:
        return insert(vim, "/", 1)
    if command is None and key in ELSEWHERE:
        return Done(replace(vim, typed=""), text, at, "elsewhere")
    if command is None:
        return Done(replace(vim, typed=""), text, at)
    if not command.key:
        return Done(replace(vim, typed=vim.typed + key), text, at)
    keys, vim = vim.typed + key, replace(vim, typed="")
    if vim.mode != "normal":
        return _visual(replace(vim, caret=at), text, at, command)
    done = _again(vim, text, at) if command.key == "." else _normal(vim, text, at, command)
    if (command.operator or command.key[0]) not in REPEATED:
        return done
    if done.vim.mode == "insert":
        return replace(done, vim=replace(done.vim, typing=keys))
    return replace(done, vim=replace(done.vim, change=keys, inserted=""))


def settle_caret(vim: Vim, text: str, at: int) -> tuple[Vim, int]:
    """The text or the caret is another than this state knows: where the caret may stand."""
    if vim.mode == "insert":
        return vim, at
    return replace(vim, mode="normal", typed=""), last_place(text, at)


# -- normal mode


def _normal(vim: Vim, text: str, at: int, command: Command) -> Done:
    key, count = command.key, max(1, command.count)
    if not command.operator and key in SHORT:
        operator, over = SHORT[key]
        command = replace(command, operator=operator, key=over)
    if command.operator:
        return _operated(vim, text, at, command)
    if key in ("v", "V"):
        return Done(
            replace(vim, mode="visual" if key == "v" else "visual line", anchor=at, caret=at),
            text,
            at,
        )
    if key in ("i", "a", "I", "A", "o", "O"):
        return _insertion(vim, text, at, key, count)
    if key in ("j", "k") and not command.count:
        return Done(vim, text, at, "down" if key == "j" else "up")
    match key[0]:
        case "u":
            return Done(vim, text, at, "undo")
        case "p" | "P":
            return put(vim, text, at, key == "p", count)
        case "r":
            end = at + count
            if end > line_end(text, at):
                return Done(vim, text, at)
            new = "\n" if key[1] == "\n" else key[1] * count
            text = text[:at] + new + text[end:]
            return Done(vim, text, last_place(text, at + len(new) - (new != "\n")))
        case "~":
            end = min(at + count, line_end(text, at))
            new = text[at:end].swapcase()
            text = text[:at] + new + text[end:]
            return Done(vim, text, last_place(text, at + len(new)))
        case "J":
            return join_lines(vim, text, at, max(2, count) - 1)
        case _:
            pass
    vim, target = _target(vim, text, at, command)
    return Done(vim, text, at if target is None else last_place(text, target.at))


def _target(vim: Vim, text: str, at: int, command: Command) -> tuple[Vim, Target | None]:
    """Where the motion of `command` leads; None: nowhere."""
    key, count = command.key, max(1, command.count)
    if key in MOTIONS:
        return vim, MOTIONS[key](text, at, count)
    if key in ("j", "k"):
        down = count if key == "j" else -count
        place = vertical(text, at, down, at - line_start(text, at))
        return vim, None if place is None else Target(place, whole=True)
    if key in ("G", "gg"):
        lines = text.split("\n")
        row = min(command.count or (len(lines) if key == "G" else 1), len(lines)) - 1
        return vim, Target(first_word(text, sum(len(line) + 1 for line in lines[:row])), whole=True)
    if key in (";", ","):
        if not vim.found:
            return vim, None
        how = vim.found[0] if key == ";" else vim.found[0].swapcase()
        return vim, find_in_line(text, at, how, vim.found[1], count, again=True)
    if key[0] in "ftFT" and len(key) > 1:
        return replace(vim, found=key), find_in_line(text, at, key[0], key[1], count)
    return vim, None


def _operated(vim: Vim, text: str, at: int, command: Command) -> Done:
    """An operator over a motion, a text object, or whole lines."""
    key, operator = command.key, command.operator
    if key == operator:
        last = vertical(text, at, max(1, command.count) - 1, 0)
        end = len(text) if last is None else line_end(text, last)
        return apply_operator(vim, text, at, operator, line_start(text, at), end, True)
    if key[0] in "ia" and len(key) > 1:
        held = object_of(text, at, key[0] == "a", key[1], max(1, command.count))
        return (
            Done(vim, text, at)
            if held is None
            else apply_operator(vim, text, at, operator, *held, key[1] == "p")
        )
    vim, target = _target(vim, text, at, command)
    if target is None:
        return Done(vim, text, at)
    first, last = sorted((at, target.at))
    if target.whole:
        return apply_operator(
            vim, text, at, operator, line_start(text, first), line_end(text, last), True
        )
    last = min(len(text), last + target.inclusive)
    if key in ("w", "W"):
        last = word_only(text, first, last, operator)
    return apply_operator(vim, text, at, operator, first, last, False)


# -- insert mode


def _insertion(vim: Vim, text: str, at: int, key: str, times: int) -> Done:
    if key in ("o", "O"):
        place = line_end(text, at) if key == "o" else line_start(text, at)
        return insert(vim, f"{text[:place]}\n{text[place:]}", place + (key == "o"))
    place = {
        "i": at,
        "a": min(at + 1, line_end(text, at)),
        "I": first_word(text, at),
        "A": line_end(text, at),
    }[key]
    return insert(vim, text, place, times)


def _inserted(vim: Vim, text: str, at: int) -> Done:
    """Esc in insert mode."""
    before, place = vim.began
    size = len(text) - len(before)
    new = text[place : place + size] if size > 0 else ""
    whole = text == before[:place] + new + before[place:]
    if whole and new and vim.times > 1 and at == place + size:
        more = new * (vim.times - 1)
        text, at, new = text[:at] + more + text[at:], at + len(more), new + more
    at = max(line_start(text, at), at - 1)
    vim = replace(vim, mode="normal", typed="", times=1)
    if vim.typing:
        vim = replace(vim, change=vim.typing, inserted=new if whole else "", typing="")
    return Done(vim, text, at)


def _again(vim: Vim, text: str, at: int) -> Done:
    """`.`"""
    done = Done(replace(vim, times=1), text, at)
    for key in vim.change:
        done = press_key(done.vim, done.text, done.caret, "enter" if key == "\n" else key)
    if done.vim.mode == "insert":
        text, at = done.text, done.caret
        text = text[:at] + vim.inserted + text[at:]
        at = max(line_start(text, at + len(vim.inserted)), at + len(vim.inserted) - 1)
        done = Done(replace(done.vim, mode="normal", typing="", times=1), text, at)
    return replace(done, vim=replace(done.vim, change=vim.change, inserted=vim.inserted))


# -- visual mode


def span(vim: Vim, text: str) -> tuple[int, int]:
    """What is selected: from, to."""
    first, last = sorted((min(vim.anchor, len(text)), min(vim.caret, len(text))))
    if vim.mode == "visual line":
        return line_start(text, first), line_end(text, last)
    return first, min(len(text), last + 1)


def _visual(vim: Vim, text: str, at: int, command: Command) -> Done:
    key, whole = command.key, vim.mode == "visual line"
    key = VISUAL_SHORT.get(key, key)
    if key in ("v", "V"):
        mode: VimMode = "visual" if key == "v" else "visual line"
        return Done(replace(vim, mode="normal" if mode == vim.mode else mode), text, at)
    if key == "o":
        return Done(
            replace(vim, anchor=at, caret=min(vim.anchor, len(text))),
            text,
            last_place(text, vim.anchor),
        )
    first, last = span(vim, text)
    if key in ("D", "C", "Y"):
        first, last, whole, key = (
            line_start(text, first),
            line_end(text, max(first, last - 1)),
            True,
            key.lower(),
        )
    if key in ("d", "c", "y", "<", ">", "u", "U", "~"):
        return apply_operator(vim, text, first, key, first, last, whole)
    if key == "J":
        return join_lines(vim, text, first, max(1, text.count("\n", first, last)))
    if key[0] == "r":
        new = "".join(character if character == "\n" else key[1] for character in text[first:last])
        text = text[:first] + new + text[last:]
        return Done(replace(vim, mode="normal"), text, last_place(text, first))
    if key in ("p", "P"):
        old = replace(vim, register=text[first:last], whole=whole, mode="normal")
        text = text[:first] + vim.register + text[last:]
        return Done(old, text, last_place(text, first + len(vim.register) - 1))
    if key[0] in "ia" and len(key) > 1:
        held = object_of(text, at, key[0] == "a", key[1], max(1, command.count))
        if held is None or held[0] == held[1]:
            return Done(vim, text, at)
        return Done(replace(vim, anchor=held[0], caret=held[1] - 1), text, held[1] - 1)
    vim, target = _target(vim, text, at, command)
    at = at if target is None else last_place(text, target.at)
    return Done(replace(vim, caret=at), text, at)


OPERATORS: Final = frozenset("dcy<>")
WITH_CHARACTER: Final = frozenset("fFtT")
"""Motions that take a character."""
MORE: Final = frozenset(("j", "k", "G", "gg", ";", ","))
"""Motions that need more than the text and the place."""
OBJECTS: Final = frozenset(("w", "W", "p", '"', "'", "`")) | BRACKETS.keys()
NORMAL: Final = frozenset("xXDCsSYpPuJ~oOiaIAvV.")
VISUAL: Final = frozenset("dcyxXDCsSYRpPuUJ~ovV<>")
LONGEST: Final = 12
MOST: Final = 1_000
"""What a larger count is taken for."""


@frozen
class Command:
    """`key` is empty while the command is not complete; `count` 0: none was given."""

    key: str = ""
    operator: str = ""
    count: int = 0


UNFINISHED: Final = Command()


def parse(typed: str, visual: bool) -> Command | None:
    """The command that was `typed`; `UNFINISHED` if more must come, None if it is none."""
    if len(typed) > LONGEST:
        return None
    first, rest = _counted(typed)
    operator, second = "", 0
    if rest and rest[0] in OPERATORS and not visual:
        operator = rest[0]
        second, rest = _counted(rest[1:])
        if rest == operator:
            return Command(rest, operator, _count(first, second))
    if not rest:
        return UNFINISHED
    key = _key(rest, operator, visual)
    return (
        None
        if key is None
        else Command(key, operator if key else "", _count(first, second) if key else 0)
    )


def _count(first: int, second: int) -> int:
    return min(MOST, (first or 1) * (second or 1)) if first or second else 0


def _counted(typed: str) -> tuple[int, str]:
    size = 0
    while size < len(typed) and (typed[size] in "123456789" or (size and typed[size] == "0")):
        size += 1
    return int(typed[:size] or "0"), typed[size:]


def _key(rest: str, operator: str, visual: bool) -> str | None:
    """`rest` if it is a motion, an object or a command; empty if more must come; None: nothing
    begins so."""
    head = rest[0]
    if head in WITH_CHARACTER or (head == "r" and not operator):
        return rest if len(rest) == 2 else "" if len(rest) == 1 else None
    if head == "g":
        return rest if rest == "gg" else "" if rest == "g" else None
    if head in "ia" and (operator or visual):
        return "" if len(rest) == 1 else rest if rest[1] in OBJECTS else None
    if rest in MOTIONS or rest in MORE:
        return rest
    return rest if not operator and rest in (VISUAL if visual else NORMAL) else None


INDENT: Final = "    "


def word_only(text: str, first: int, last: int, operator: str) -> int:
    """Over the last word of a line, `w` does not take the line end too; when a word is changed, no
    space either."""
    held = text[first:last]
    bare = held.rstrip()
    if operator == "c" and bare:
        return first + len(bare)
    return first + len(bare) + held[len(bare) :].find("\n") if "\n" in held[len(bare) :] else last


def apply_operator(
    vim: Vim, text: str, at: int, operator: str, first: int, last: int, whole: bool
) -> Done:
    """Do the operator to what stands from `first` to `last`; whole lines end before their line
    end."""
    if operator in ("<", ">"):
        return _shifted(
            vim, text, line_start(text, first), line_end(text, max(first, last - 1)), operator
        )
    if operator in "uU~":
        change = {"u": str.lower, "U": str.upper, "~": str.swapcase}[operator]
        text = text[:first] + change(text[first:last]) + text[last:]
        return Done(replace(vim, mode="normal"), text, last_place(text, first))
    vim = replace(vim, register=text[first:last], whole=whole, mode="normal")
    if operator == "y":
        return Done(
            vim, text, last_place(text, at if whole and line_start(text, at) == first else first)
        )
    if operator == "c":
        return insert(vim, text[:first] + text[last:], first)
    if not whole:
        text = text[:first] + text[last:]
        return Done(vim, text, last_place(text, first))
    text = text[:first] + text[last + 1 :] if last < len(text) else text[: max(0, first - 1)]
    return Done(vim, text, last_place(text, first_word(text, min(first, len(text)))))


def _shifted(vim: Vim, text: str, first: int, last: int, operator: str) -> Done:
    lines = text[first:last].split("\n")
    if operator == ">":
        lines = [INDENT + line if line else line for line in lines]
    else:
        lines = [line[min(len(INDENT), len(line) - len(line.lstrip(" "))) :] for line in lines]
    text = text[:first] + "\n".join(lines) + text[last:]
    return Done(replace(vim, mode="normal"), text, last_place(text, first_word(text, first)))


def join_lines(vim: Vim, text: str, at: int, count: int) -> Done:
    vim = replace(vim, mode="normal")
    for _ in range(count):
        end = line_end(text, at)
        if end == len(text):
            break
        left, right = text[:end].rstrip(" \t"), text[end + 1 :].lstrip(" \t")
        space = " " if right[:1] not in ("", "\n", ")") and left[-1:] not in ("", "\n") else ""
        text, at = left + space + right, len(left)
    return Done(vim, text, last_place(text, at))


def put(vim: Vim, text: str, at: int, after: bool, count: int) -> Done:
    if not vim.register and not vim.whole:
        return Done(vim, text, at)
    if vim.whole:
        held = "\n".join([vim.register] * count)
        place = line_end(text, at) if after else line_start(text, at)
        text = text[:place] + ("\n" + held if after else held + "\n") + text[place:]
        return Done(vim, text, last_place(text, first_word(text, place + after)))
    place = min(at + 1, line_end(text, at)) if after else at
    text = text[:place] + vim.register * count + text[place:]
    return Done(vim, text, last_place(text, place + len(vim.register) * count - 1))


def insert(vim: Vim, text: str, at: int, times: int = 1) -> Done:
    return Done(replace(vim, mode="insert", began=(text, at), typing="", times=times), text, at)
