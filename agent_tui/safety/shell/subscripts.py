"""Subscripts of variables: bash runs the commands in them where it takes the word for a name or a
number, also where the word was quoted (`let 'a[$(date)]=1'`, `x='a[$(date)]'; ((x))`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from agent_tui.safety.shell.words import Word, substitutions, word_set
from agent_tui.structures import late

_EVALUATES: Final = word_set(
    """
    [ [[ compgen declare export getopts let local mapfile printf read readarray readonly set test
    typeset unset wait
    """
)
"""What takes the name of a variable, or sets one."""
_MARKS: Final = late.pattern(r"\$\{[!#]?\w*\[|\w\[|\]|\$\(|`")
"""What opens a subscript, in braces or not, and closes one, and what begins a command."""
_ASSIGNS: Final = late.pattern(r"(\w+)\+?=")
_EXPANDED: Final = word_set("PS0 PS1 PS2 PS3 PS4 PROMPT_COMMAND BASH_ENV ENV")
"""Variables whose value the shell expands, or runs."""


def runs_subscript(argv: Sequence[str]) -> bool:
    """Whether a word of the command runs another one, as `let 'a[$(date)]=1'` does."""
    return bool(argv) and argv[0] in _EVALUATES and any(map(_may_evaluate, argv[1:]))


def evaluated_commands(name: str, words: Sequence[Word], only_says: bool) -> Iterator[str]:
    """The commands in the subscripts of the words of the program `name`, but for those that are
    run as soon as the word is read (`Word.nested`). `only_says`: it runs none of its words."""
    only_says = only_says and not any("$[" in word.text for word in words)  # as `$((…))`
    for word in words:
        text = word.text
        if "$(" not in text and "`" not in text:
            continue
        assigns = _ASSIGNS.match(text)
        loose = name in _EVALUATES or assigns is not None
        expands = assigns is not None and assigns[1] in _EXPANDED
        if expands or (loose and _may_evaluate(text)) or _holds_subscript(text, only_says):
            yield from (code for code in substitutions(text) if code not in word.nested)


def _may_evaluate(text: str) -> bool:
    """Whether a command stands behind a bracket: that of a subscript, or of the list in
    `declare 'a=(…)'`."""
    last = max(text.rfind("$("), text.rfind("`"))
    return 0 <= text.find("[") < last or 0 <= text.find("=(") < last


def _holds_subscript(text: str, in_braces: bool) -> bool:
    """Whether a command stands in a subscript of `text`. `in_braces`: only of `${a[…]}`."""
    is_open = False
    for found in _MARKS.finditer(text):
        mark = found.group()
        if mark.endswith("["):
            is_open = is_open or mark.startswith("$") or not in_braces
        elif mark == "]":
            is_open = False
        elif is_open:
            return True
    return False
