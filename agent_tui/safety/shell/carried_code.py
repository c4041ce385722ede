"""Code that stands in the words of a command: in its arguments, in a script of sed, and in what a
shell reads."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice, pairwise
from typing import Final

from agent_tui.safety.shell import harmless
from agent_tui.safety.shell.harmless_scripts import is_harmless_awk
from agent_tui.safety.shell.option_values import STORES, find_values, inner_values, named_values
from agent_tui.safety.shell.programs import SHELLS, Call, git_command, is_stdin, unwrap_call
from agent_tui.safety.shell.sed_scripts import SED, effects, scripts
from agent_tui.safety.shell.started_programs import named_programs
from agent_tui.safety.shell.words import Simple, TooMany, Word, word_set
from agent_tui.structures import late

_SHOWN: Final = frozenset({"cat", "head", "tail", "base64", "base32"})
"""They hand on a file that can be looked at, as `bash FILE` runs one; what encodes writes no
command."""
_ONLY_SAY: Final = word_set(
    """
    [ [[ alias apropos apt apt-get brew cargo cp declare docker-compose echo export gh git-commit glab
    help info install jq let ln local logger man mkdir mv notify-send perldoc pip printf read readonly
    return rm rmdir say sed set test tldr touch trap typeset unset whatis eval
    """
)
"""Programs whose words are names, or texts that they store or show; so do those that only look."""
_OPTIONS_RUN: Final = harmless.PROGRAMS.keys() - word_set("find fd fdfind") | word_set(
    "git man apt apt-get cargo"
)
"""Programs whose words are only said, but for the values of options; what `find` runs is looked at
by itself."""
_REACHES: Final = frozenset({"git", "pip"})
"""Those of them that are given addresses."""
_GIT_RUNS: Final = word_set("bisect difftool for-each-repo mergetool rebase submodule")
_OPTION_OF_CODE: Final = late.pattern(r"^(?:[\w-]+=|-\w(?=[^\s=]+\s)|[:+]*!+(?=\S))")
"""What stands before code in one word; `!` is for editors."""
_AWK: Final = word_set("awk gawk mawk nawk original-awk")
_STRING: Final = late.pattern(r"\"((?:[^\"\\\n]|\\.)*+)\"", re.DOTALL)
_AWK_RUNS: Final = late.pattern(r"(?<!\|)\|(?!\|)|\bsystem\b|@\w")
_AWK_STARTS: Final = late.pattern(r"\b(?:getline|printf?|system)\b|@\w")
"""Where a program of awk may run what a string, or several, hold: only in a word with both."""
_SOCAT: Final = late.pattern(r"(?is)(?:exec|system|shell):(?P<code>.*)")
_MOST_CARRIED: Final = 24


def only_says(name: str) -> bool:
    """Whether the words of this program are names, or texts that it stores or shows."""
    return name == "git" or name in _ONLY_SAY or name in harmless.PROGRAMS


def find_carried(call: Call, simple: Simple) -> Iterator[Simple | str]:
    """What a program may run that stands in its arguments: commands, word by word, and code in one
    word (`uv run twine upload`, `tmux new 'git push'`). One that only says its words runs none."""
    arguments = call.arguments
    texts = [word.text for word in arguments]
    if call.name in _REACHES or not only_says(call.name):
        named = named_programs([call.name, *texts])
        yield from (code for _, _, code in islice(named, _MOST_CARRIED) if code)
    if call.name in STORES or call.name in _OPTIONS_RUN or not only_says(call.name):
        yield from _named_values(call, simple)
    if call.name in SED:
        yield from code_of_sed(texts, simple)
    elif call.name in _OPTIONS_RUN:
        yield from find_values(call.name, texts)
    if call.name == "git":
        command, rest = git_command(texts)
        arguments = arguments[len(arguments) - len(rest) :] if command in _GIT_RUNS else ()
        if command == "for-each-repo":
            git = Word("git")
            yield from (Simple([git, *arguments[at:]]) for at in range(len(arguments)))
    elif only_says(call.name) or call.name in SHELLS:
        return
    strings = [target.text for operator, target in simple.redirects if operator == "<<<"]
    yield from (_OPTION_OF_CODE.sub("", text) for text in strings)
    if call.name in _AWK:
        held = chain.from_iterable(map(_STRING.findall, (*strings, *texts)))
        yield from islice(held, _MOST_CARRIED)
    if call.name == "socat":
        parts = islice(chain.from_iterable(text.split("!!") for text in texts), _MOST_CARRIED)
        codes = [found["code"] for part in parts if (found := _SOCAT.fullmatch(part))]
        yield from (one for code in codes for one in (code, code.partition(",")[0]))
    for at, word in enumerate((*simple.words[:1], *arguments[:_MOST_CARRIED]), -1):
        code = _OPTION_OF_CODE.sub("", word.text)
        inner = [value for value in inner_values(code) if value not in (code, word.text)]
        if word.nested and word.text.startswith(("$(", "`")):
            continue  # what comes of it is a word
        if any(blank in code for blank in " \t\n"):
            yield word.text  # it may begin with an assignment
            if code != word.text and not code.startswith(("$(", "`")):
                yield code  # also of a language like Python, where it may be the only word
            yield from inner
        elif at >= 0 and not word.text.startswith("-"):
            yield Simple([*arguments[at:]], simple.redirects, simple.fed, simple.before)


def _named_values(call: Call, simple: Simple) -> Iterator[Simple | str]:
    """Programs that options, settings and variables name; code where it is more than a word."""
    own = len(simple.words) - len(call.arguments)
    before = simple.words[: max(own, 0)]
    for word, at in islice(named_values(call.name, call.arguments, before), _MOST_CARRIED):
        if any(blank in word.text for blank in " \t\n"):
            yield word.text
        elif word.text:
            named, rest = replace(word, text=word.text.rpartition("/")[2]), call.arguments[at:]
            yield from (Simple([named]), Simple([named, *rest]), Simple([word, *rest]))


def code_of_sed(arguments: Sequence[str], simple: Simple) -> Iterator[str]:
    """What the scripts of sed run in a shell: the words behind `e`, and what an `s///e` puts in.
    Raises TooMany."""
    found = [code for what, code in _effects_of_sed(arguments, simple) if what == "runs" and code]
    if len(found) > _MOST_CARRIED:
        raise TooMany(f"its script runs too many commands to be checked (over {_MOST_CARRIED})")
    yield from found


def _effects_of_sed(arguments: Sequence[str], simple: Simple) -> Iterator[tuple[str, str]]:
    """Of a script in a file nothing is known, and it may be said what sed reads for one."""
    for _, said, is_file in scripts(arguments):
        if not is_file:
            yield from effects(said)
        elif is_stdin(said):
            read, writer = read_code(simple)
            yield from (one for script in read for one in effects(script))
            yield from ((("unread", ""),) if writer or not read else ())


def runs_unseen(call: Call, simple: Simple) -> bool:
    """Whether a script in the words of sed or awk runs what is not written there."""
    texts = [word.text for word in call.arguments]
    if call.name in SED:
        found = _effects_of_sed(texts, simple)
        return any(what == "unread" or (what == "runs" and not code) for what, code in found)
    if call.name not in _AWK:
        return False
    reads = any(text[:2] == "-f" and is_stdin(text[2:]) for text in texts)
    reads = reads or any(one == "-f" and is_stdin(after) for one, after in pairwise(texts))
    bare = (_STRING.sub('""', text) for text in texts if not is_harmless_awk(text))
    return reads or any(_AWK_RUNS.search(text) and _AWK_STARTS.search(text) for text in bare)


def given_words(simple: Simple, arguments: list[str]) -> list[str]:
    """The words of a program, its here-strings, and those that the stage before it was given."""
    before = simple.before or Simple()
    redirects = (*simple.redirects, *before.redirects)
    strings = (target for operator, target in redirects if operator == "<<<")
    return [*arguments, *(word.text for word in (*strings, *before.words))]


def read_code(simple: Simple) -> tuple[list[str], str]:
    """What a shell reads as its program where that is written there: here-strings, or what `echo`
    and `printf` hand it. Else the name of the program that writes it; empty for a file."""
    strings = [target.text for operator, target in simple.redirects if operator == "<<<"]
    before = simple.before
    if strings or before is None or any(operator == "<" for operator, _ in simple.redirects):
        return strings, ""
    call = unwrap_call(before)
    while before and call and call.name in ("cat", "tee") and (before.before or before.redirects):
        if call.name == "cat" and any(word.text != "-" for word in call.arguments):
            break
        if strings := [target.text for operator, target in before.redirects if operator == "<<<"]:
            return strings, ""
        if before.before is None:
            break
        before = before.before
        call = unwrap_call(before)
    if call is None:
        return [], "another command"
    texts = [word.text for word in call.arguments]
    if call.name == "echo":
        return [_lines(" ".join(text for text in texts if not re.match(r"-[neE]+$", text)))], ""
    if call.name == "printf":
        return [_printed(texts[texts[:1] == ["--"] :])], ""
    return [], "" if call.name in _SHOWN else call.name


def _printed(texts: list[str]) -> str:
    """What `printf` makes of its words: the format, as often as there are words for it."""
    *parts, end = re.split("%[sbq]", "".join(texts[:1]))
    words = iter(texts[1:])
    made = ""
    for _ in range(max(1, -(-len(texts[1:]) // max(1, len(parts))))):
        made += "".join(part + next(words, "") for part in parts) + end
    return _lines(made)


def _lines(text: str) -> str:
    return text.replace("\\n", "\n").replace("\\t", "\t")
