"""Small scripts of sed, awk and jq that only look: a grammar for each, and what it does not know
asks.

Programs read a script in different ways. So a grammar here takes only what all of them read alike:
no slash in brackets, no division, no bracket behind a delimiter that could end in it.
"""

from __future__ import annotations

import re
from typing import Final

from agent_tui.safety.shell.words import word_set
from agent_tui.structures import late

LONGEST: Final = 2_000
"""Characters of a script beyond which it is not read."""

_CLASS: Final = r"\[:[a-z]+:\]"


def _regex(mark: str, least: str = "*") -> str:
    """A regular expression between two `mark`. It is not in brackets: programs disagree whether it
    ends there, and what comes behind would be a command to one of them."""
    bracket = rf"\[\^?(?:{_CLASS}|\\[a-z.]|[^{mark}\[\]\\\n^])++\]"
    return rf"{mark}(?:[^{mark}\\\n\[]|\\[^\n]|{bracket}){least}+{mark}"


_REPLACED: Final = "|".join(
    rf"s{_regex(mark)}(?:[^{mark}\\\n]|\\[^\n])*+{mark}[gpI\d]*+"
    rf"|y{mark}(?:[^{mark}\\\n]|\\[^\n])*+{mark}(?:[^{mark}\\\n]|\\[^\n])*+{mark}"
    for mark in ("/", "\\|", "#", ",", "@", "%", "!", "_", "~")
)
_ADDRESS: Final = rf"(?:\d++(?:~\d++)?|\$|{_regex('/')}I?)"
_SED_COMMAND: Final = late.pattern(
    rf"[ \t]*+(?:{_ADDRESS}(?:[ \t]*+,[ \t]*+(?:{_ADDRESS}|[+~]\d++))?)?[ \t]*+!?[ \t]*+"
    rf"(?:[pPdDgGhHxnN=]|[qQ]\d*+|{_REPLACED})[ \t]*+(?:;[ \t;]*+|\Z)"
)
"""Lines that are printed, left out or shown with something replaced; `w`, `e` and `r` are none."""


def is_harmless_sed(script: str) -> bool:
    script, at = script.strip(" \t"), 0
    while at < len(script) <= LONGEST:
        found = _SED_COMMAND.match(script, at)
        if found is None:
            return False
        at = found.end()
    return 0 < len(script) <= LONGEST


_AWK_TOKEN: Final = late.pattern(
    r"[ \t]++|(?P<string>\"(?:[^\"\\\n]|\\[^\n])*+\")|(?P<number>\d++(?:\.\d++)?|\.\d++)"
    r"|(?P<name>[A-Za-z_][A-Za-z0-9_]*+)(?P<call>[ \t]*+\()?|(?P<slash>/)"
    r"|(?P<mark>&&|\|\||\+\+|--|[-+*%^]=?|[=!<>]=|!~|[<>=!~?:,;(){}\[\]$\n])"
)
_AWK_REGEX: Final = late.pattern(rf"(?!/=){_regex('/', '+')}")
_BEFORE_REGEX: Final = frozenset(["(", ",", "{", "}", ";", "!", "~", "!~", "&&", "||", "\n"]) | {""}
"""Behind one of these every awk reads a regular expression, and no division."""
_AWK_WORDS: Final = word_set(
    """
    BEGIN END NR NF FNR FS OFS RS ORS FILENAME SUBSEP RSTART RLENGTH
    """
)
"""The only names in capitals: others hold the environment, or name files that are read."""
_AWK_REFUSED: Final = word_set(
    """
    getline system close fflush func function return nextfile include load namespace eval
    """
)
_AWK_CALLS: Final = word_set(
    """
    length substr index split sub gsub match sprintf tolower toupper int if for while print
    printf
    """
)
_AWK_VARIABLE: Final = late.pattern(r"([A-Za-z_][A-Za-z0-9_]*)=", re.ASCII)


def is_harmless_awk(program: str) -> bool:
    """Whether it computes and prints: it calls nothing, opens nothing, and sets no variable that
    names a file. `>` is a comparison in the brackets of an `if` and outside of braces; elsewhere it
    may write."""
    if len(program) > LONGEST or not program.strip():
        return False
    at, before, opened = 0, "", list[str]()
    while at < len(program):
        found = _AWK_TOKEN.match(program, at)
        if found is not None and found["slash"]:
            found = _AWK_REGEX.match(program, at) if before in _BEFORE_REGEX else None
        if found is None:
            return False
        at = found.end()
        token = found.group()
        if token.isspace() and token != "\n":
            continue
        groups = found.groupdict()  # a regular expression has none
        if name := groups.get("name"):
            if not _is_known(name, bool(groups["call"])):
                return False
            before = "(" if groups["call"] else name
            opened += [name] if groups["call"] else []
            continue
        if token in ("(", "{", "["):
            opened.append(token)
        elif token in (")", "}", "]"):
            if not opened:
                return False
            opened.pop()
        elif token == ">" and not (not opened or ("if" in opened and opened[-1] != "{")):
            return False
        before = token
    return not opened


def _is_known(name: str, called: bool) -> bool:
    if called and name not in _AWK_CALLS:
        return False
    return name in _AWK_WORDS or (name != name.upper() and name not in _AWK_REFUSED)


def is_harmless_assignment(text: str) -> bool:
    """Whether `name=value` behind `-v` sets a variable that is known to be harmless."""
    found = _AWK_VARIABLE.match(text)
    return found is not None and _is_known(found[1], False)


_JQ_REACHES_OUT: Final = late.pattern(
    r"(?<!\.)\b(?:env|input|inputs|input_filename|input_line_number|debug|stderr|import|include"
    r"|modulemeta|get_search_list|halt_error)\b|\.\.\s*env|\$\s*ENV|\$__prog|#"
)
"""Behind a point such a word is the name of a field. A comment can stand within such a word."""


def is_harmless_jq(program: str) -> bool:
    return bool(program) and len(program) <= LONGEST and not _JQ_REACHES_OUT.search(program)
