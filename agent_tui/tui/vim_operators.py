"""What vim's operators do to a part of the text."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from agent_tui.tui.readline import line_end, line_start
from agent_tui.tui.vim_state import Done, Vim
from agent_tui.tui.vim_text import first_word, last_place

INDENT: Final = "    "


def word_only(text: str, first: int, last: int, operator: str) -> int:
    """Over the last word of a line, `w` does not take the line end too; when a word is changed, no space either."""
    held = text[first:last]
    bare = held.rstrip()
    if operator == "c" and bare:
        return first + len(bare)
    return first + len(bare) + held[len(bare) :].find("\n") if "\n" in held[len(bare) :] else last


def changed(vim: Vim, text: str, at: int, operator: str, first: int, last: int, whole: bool) -> Done:
    """Do the operator to what stands from `first` to `last`; whole lines end before their line end."""
    if operator in ("<", ">"):
        return _shifted(vim, text, line_start(text, first), line_end(text, max(first, last - 1)), operator)
    if operator in "uU~":
        change = {"u": str.lower, "U": str.upper, "~": str.swapcase}[operator]
        text = text[:first] + change(text[first:last]) + text[last:]
        return Done(replace(vim, mode="normal"), text, last_place(text, first))
    vim = replace(vim, register=text[first:last], whole=whole, mode="normal")
    if operator == "y":
        return Done(vim, text, last_place(text, at if whole and line_start(text, at) == first else first))
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


def joined(vim: Vim, text: str, at: int, count: int) -> Done:
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
