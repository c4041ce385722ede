"""What is known of programs: which ones run another, which run code, which bring bytes from
outside, and options."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from agent_tui.safety.shell.listed_files import listed
from agent_tui.safety.shell.words import Simple, TooMany, Word, word_set
from agent_tui.structures import late
from agent_tui.structures.frozen import frozen

_ASSIGNMENT: Final = late.pattern(r"[A-Za-z_]\w*\+?=")
_BRACES: Final = late.pattern(r"\{([^{},]*(?:,[^{},]*)+)\}")

SHELLS: Final = frozenset(
    {"sh", "bash", "zsh", "dash", "ash", "ksh", "mksh", "fish", "csh", "tcsh", "pwsh"}
)
_INTERPRETERS: Final = late.pattern(
    r"(python[\d.]*|pypy[\d.]*|perl|ruby|node|nodejs|deno|bun|php|lua|osascript|Rscript)$"
)
_PYTHON_CODE: Final = late.pattern(r"-(?![WX])[a-zA-Z]*?[cm]")
_OTHER_CODE: Final = late.pattern(r"-[a-zA-Z0-9]*?[eEpr](?=$|.*\W)|--(eval|print)(=|$)|eval$")
NETWORK: Final = frozenset(
    {
        "curl",
        "wget",
        "wget2",
        "fetch",
        "http",
        "https",
        "xh",
        "aria2c",
        "nc",
        "ncat",
        "netcat",
        "socat",
        "ftp",
        "lynx",
        "w3m",
        "links",
        "elinks",
        "telnet",
        "ssh",
    }
)
_STARTS: Final = word_set("-exec -execdir -ok -okdir -x -X --exec --exec-batch")
"""Options of `find` and `fd` behind which the command stands that is run for what was found."""
_MOST_WORDS: Final = 64
_KEYWORDS: Final = frozenset({"if", "then", "elif", "else", "while", "until", "do", "!", "coproc"})

_WRAPPERS: Final[dict[str, tuple[str, tuple[str, ...], int]]] = {
    # program: (short options that take a word, long ones, words of its own before the command)
    "sudo": (
        "ugpChrtTRDU",
        ("--user", "--group", "--prompt", "--chdir", "--host", "--role", "--type", "--chroot"),
        0,
    ),
    "doas": ("uC", (), 0),
    "env": ("uCS", ("--unset", "--chdir", "--split-string"), 0),
    "nice": ("n", ("--adjustment",), 0),
    "ionice": ("cn", ("--class", "--classdata"), 0),
    "time": ("fo", ("--format", "--output"), 0),
    "nohup": ("", (), 0),
    "setsid": ("", (), 0),
    "timeout": ("ks", ("--kill-after", "--signal"), 1),
    "stdbuf": ("ioe", ("--input", "--output", "--error"), 0),
    "command": ("", (), 0),
    "builtin": ("", (), 0),
    "exec": ("a", (), 0),
    "xargs": (
        "IEdLnPsa",
        ("--max-args", "--max-procs", "--delimiter", "--arg-file", "--max-lines", "--replace"),
        0,
    ),
    "parallel": ("jIan", ("--jobs",), 0),
    "busybox": ("", (), 0),
    "toybox": ("", (), 0),
    "chroot": ("", (), 1),
    "watch": ("n", ("--interval",), 0),
    "unshare": (
        "RwSG",
        ("--root", "--wd", "--setuid", "--setgid", "--map-user", "--map-group", "--propagation"),
        0,
    ),
    "nsenter": ("tSG", ("--target", "--setuid", "--setgid"), 0),
    "setarch": ("", (), 1),
    "linux32": ("", (), 0),
    "linux64": ("", (), 0),
    "pkexec": ("", ("--user",), 0),
    "runuser": ("ugGsw", ("--user", "--group", "--supp-group", "--shell"), 0),
    "fakeroot": ("lsib", ("--lib", "--faked"), 0),
    "hyperfine": ("", (), 0),
}
_SPLITS: Final = late.pattern(r"-[0iv]*S|--s[-a-z]*(?:=|$)")
"""An option of `env` whose value holds several words, also in a row of letters or shortened."""
_SHELL_IF_ALONE: Final = frozenset(
    {"unshare", "nsenter", "chroot", "setarch", "linux32", "linux64", "fakeroot", "parallel"}
)
"""Without a command they run a shell, or what they read as one does."""
_RUN_CODE: Final = frozenset({"watch", "parallel"})
"""They hand their words to a shell."""
_SIGNS: Final = late.pattern(r"[;&|<>`$(]")
"""What makes more of words there than one command."""
_ENTERS: Final = {"-C": "env", "--chdir": "env", "-D": "sudo"}
"""Options that name a folder, and the program that takes them."""
_MAY_ENTER: Final = late.pattern(r"(?m)(?:env|sudo)$|^--chdir=")
_STDIN: Final = late.pattern(r"-|/dev/(?:stdin|fd/\d+)|/proc/[^/]+/(?:task/[^/]+/)?fd/\d+")
_SU: Final = frozenset({"su", "runuser", "script", "sg"})
"""A word behind `-c` is code; without one they run a shell."""
QUEUES: Final = frozenset({"at", "batch"})
_SHELL_CODE: Final = late.pattern(r"[-+][a-zA-Z]*c[a-zA-Z]*$|(?i:-c|--?(?:init-)?command)(?:=|$)")
"""An option of a shell by which the first word that is no option is code, wherever `c` stands."""
_SU_CODE: Final = late.pattern(
    r"-[a-zA-Z]*?c(?P<code>.*)|--(?:session-)?command(?:=(?P<long>.*))?$"
)


_VALUED_BY_GIT: Final = word_set(
    """
    -C -c --git-dir --work-tree --namespace --exec-path --config-env --attr-source --super-prefix
    """
)
"""Git's own options whose value is the next word."""
_MOST_WRAPPERS: Final = 12


@frozen
class Call:
    """What a simple command comes down to. `code`: words that are run as shell code; `program`: the
    words that say which program text an interpreter runs; `runs_stdin`: it runs what it reads;
    `is_shell`: and that as a shell does."""

    name: str
    arguments: tuple[Word, ...] = ()
    code: tuple[Word, ...] = ()
    program: tuple[Word, ...] = ()
    runs_stdin: bool = False
    is_shell: bool = False


def runs_others(name: str) -> bool:
    """Whether the program `name` is a shell, an interpreter or a wrapper, or reaches outside."""
    known = SHELLS | _SU | QUEUES | NETWORK | _WRAPPERS.keys()
    return name in known or _INTERPRETERS.match(name) is not None


def is_stdin(file: str) -> bool:
    """Whether this is what a program reads without a file: another descriptor may be the same."""
    return _STDIN.fullmatch(re.sub(r"/(?:\.?/)+", "/", file)) is not None


def unwrap_call(simple: Simple) -> Call | None:
    """The program that really runs, behind `sudo`, `env`, `xargs` and the like; None where there is
    none. Raises TooMany."""
    words, spoken = list(simple.words), list[Word]()
    fed = alone = False
    wrappers = 0
    while words:
        name = _name(words[0])
        if words[0].nested and words[0].text.startswith(("$(", "`")):
            return Call("a shell", program=(words[0],))
        if _ASSIGNMENT.match(words[0].text) or name in _KEYWORDS:
            words.pop(0)
            continue
        if name not in _WRAPPERS or (name in _SU and _code_of_su(name, words[1:]) is not None):
            break
        if (wrappers := wrappers + 1) > _MOST_WRAPPERS:
            raise TooMany(f"too many programs start one another (over {_MOST_WRAPPERS})")
        if name == "xargs":
            fed = True
            words += _spoken(simple)
        short, long, own = _WRAPPERS[name]
        words.pop(0)
        if name == "hyperfine":
            return Call(name, tuple(words), code=tuple(_commands_of_hyperfine(words)))
        if name == "setarch" and words and words[0].text.startswith("-"):
            own = 0  # no machine is named
        alone = name in _SHELL_IF_ALONE or (name in ("sudo", "doas") and _asks_for_shell(words))
        code = _skip_options(words, short, long, splits=name == "env")
        if code is not None:
            return Call("env", code=(code,))
        while own and words:
            words.pop(0)
            own -= 1
            _skip_options(words, short, long)
        while words and _ASSIGNMENT.match(words[0].text):
            words.pop(0)
        if name in _RUN_CODE and words:
            joined = Word(" ".join(word.text for word in words))
            if words[0].quoted:
                return Call(name, code=(*words, joined))
            spoken += [joined] if _SIGNS.search(joined.text) else []
    if words:
        call = _call(_name(words[0]), tuple(words[1:]), fed)
        return replace(call, code=(*call.code, *spoken)) if spoken else call
    return Call("a shell", runs_stdin=True, is_shell=True) if alone else None


def _commands_of_hyperfine(words: Iterable[Word]) -> Iterator[Word]:
    """Each word is a command, or the value of an option that may be one."""
    for word in words:
        text = re.sub(r"^(?:--[\w-]+(?:=|$)|-\w)", "", word.text)
        if text:
            yield replace(word, text=text)


def skip_wrapper_options(name: str, words: Sequence[Word]) -> list[Word]:
    """The words behind the options of the wrapper `name`."""
    rest, (short, long, _) = [*words], _WRAPPERS[name]
    _skip_options(rest, short, long)
    return rest


def _asks_for_shell(words: list[Word]) -> bool:
    """Whether the options of `sudo` ask for a shell."""
    first = words[0].text if words else ""
    return re.fullmatch(r"-[a-zA-Z]*[si]|--shell|--login", first) is not None


def _code_of_shell(arguments: Sequence[Word]) -> tuple[Word, ...] | None:
    """The words that a shell runs as code: behind an option that says so, other options and their
    values left out. None where none says so, before the name of a script."""
    for at, word in enumerate(arguments):
        if found := _SHELL_CODE.match(word.text):
            rest = list(arguments[at + 1 :])
            while rest and re.match(r"[-+]\w|--", rest[0].text):
                taken = rest.pop(0).text
                if taken == "--":
                    break
                del rest[: taken[-1] in "oO"]
            glued = word.text[found.end() :]
            return (replace(word, text=glued),) if glued else tuple(rest[:1])
        if word.text[:1] not in ("-", "+") and not arguments[at - 1].text.startswith(("-", "+")):
            return None
    return None


def _code_of_su(name: str, arguments: Sequence[Word]) -> tuple[Word, ...] | None:
    """The same of a program that runs code as somebody else."""
    for at, word in enumerate(arguments):
        if word.text[:1] == "-" and (found := _SU_CODE.match(word.text)):
            glued = found["code"] or found["long"]
            return (replace(word, text=glued),) if glued else tuple(arguments[at + 1 : at + 2])
    _, operands = split([word.text for word in arguments])
    return tuple(arguments[-1:]) if name == "sg" and len(operands) > 1 else None


def _call(name: str, arguments: tuple[Word, ...], fed: bool) -> Call:
    if name in ("eval", "trap", ".", "source"):
        arguments = arguments[bool(arguments) and arguments[0].text == "--" :]
    texts = [word.text for word in arguments]
    if name == "eval":
        joined = Word(" ".join(texts), tuple(inner for word in arguments for inner in word.nested))
        return Call(name, arguments, code=(joined,), program=arguments)
    if name in (".", "source"):
        stdin = any(map(is_stdin, texts[:1]))
        return Call(name, arguments, program=arguments[:1], runs_stdin=stdin, is_shell=stdin)
    if name == "trap":
        return Call(name, arguments, code=arguments[:1])
    if name in QUEUES:
        reads = not any(re.match(r"-[a-zA-Z]*[lrcdf]", text) for text in texts)
        return Call(name, arguments, runs_stdin=reads, is_shell=reads)
    if name in SHELLS or name in _SU:
        is_su = name in _SU
        code = _code_of_su(name, arguments) if is_su else _code_of_shell(arguments)
        if code is not None:
            reads = fed or any("$(cat" in word.text or "/dev/stdin" in word.text for word in code)
            return Call(name, arguments, code=code, runs_stdin=reads)
        if name in _SU:
            reads = not _only_asks(texts)
            return Call(name, arguments, runs_stdin=reads, is_shell=reads)
        _, operands = split(texts, valued="oO")
        stdin = not operands or any(re.match(r"-[a-z]*s", text) for text in texts)
        stdin = stdin or is_stdin(operands[0])
        return Call(
            name,
            arguments,
            program=_first(arguments, operands),
            runs_stdin=stdin and not _only_asks(texts),
            is_shell=stdin and not _only_asks(texts),
        )
    if _INTERPRETERS.match(name):
        return _interpreter(name, arguments, texts, fed)
    return Call(name, arguments)


def _interpreter(name: str, arguments: tuple[Word, ...], texts: list[str], fed: bool) -> Call:
    """python, perl, ruby, node …: code in an option makes of stdin mere data."""
    inline = _PYTHON_CODE if name.startswith(("python", "pypy")) else _OTHER_CODE
    at = next((i for i, text in enumerate(texts) if inline.match(text)), None)
    if at is not None:
        return Call(name, arguments, program=arguments[at : at + 2], runs_stdin=fed)
    _, operands = split(texts, valued="WXrI")
    stdin = (not operands or is_stdin(operands[0])) and not _only_asks(texts)
    return Call(name, arguments, program=_first(arguments, operands), runs_stdin=stdin)


def entered_folder(simple: Simple) -> str:
    """The folder in which `env -C` or `sudo -D` runs a command; empty: where it stands."""
    texts, names = [word.text for word in simple.words], set[str]()
    if _MAY_ENTER.search("\n".join(texts)) is None:
        return ""
    for at, text in enumerate(texts):
        if text in _ENTERS and _ENTERS[text] in names:
            return texts[at + 1] if at + 1 < len(texts) else ""
        if text.startswith("--chdir="):
            return text.partition("=")[2]
        names.add(_name(simple.words[at]))
    return ""


def source(name: str, arguments: Sequence[str]) -> str:
    """What a program brings that nobody has seen: from the network, or out of a decoder; empty for
    neither."""
    flags, operands = split(arguments)
    if name in NETWORK:
        return "code from the network"
    decodes = (
        has(flags, "dD", "--decode") if name in ("base64", "base32", "basenc", "gbase64") else False
    )
    decodes = (
        decodes or (name == "xxd" and has(flags, "r", "--revert")) or name in ("uudecode", "base58")
    )
    decodes = decodes or (
        name == "openssl" and operands[:1] in (["enc"], ["base64"]) and "-d" in arguments
    )
    decodes = decodes or (name in ("gpg", "gpg2", "age") and has(flags, "d", "--decrypt"))
    return "decoded code" if decodes else ""


def split(
    arguments: Iterable[str], valued: str = "", long_valued: tuple[str, ...] = ()
) -> tuple[list[str], list[str]]:
    """Options and operands. `valued` are short options whose word follows; behind `--` there are
    only operands."""
    if not valued and not long_valued:
        return _split_plain([*arguments])
    flags: list[str] = []
    operands: list[str] = []
    rest = iter(arguments)
    for text in rest:
        if text == "--":
            operands += rest
        elif text.startswith("-") and text != "-":
            flags.append(text)
            if text in long_valued or (not text.startswith("--") and text[-1] in valued):
                next(rest, None)
        else:
            operands.append(text)
    return flags, operands


def _split_plain(texts: list[str]) -> tuple[list[str], list[str]]:
    """The same where no option takes the next word: it is asked for often, of many words."""
    end = texts.index("--") if "--" in texts else len(texts)
    flags = [text for text in texts[:end] if text[:1] == "-" and text != "-"]
    operands = [text for text in texts[:end] if text[:1] != "-" or text == "-"]
    return flags, operands + texts[end + 1 :]


def has(flags: Iterable[str], short: str, *long: str) -> bool:
    """Whether one of the short letters (also in a cluster) or long options (also shortened) is
    there."""
    for flag in flags:
        if flag.startswith("--"):
            said = flag.partition("=")[0]
            if any(name == said or (len(said) > 2 and name.startswith(said)) for name in long):
                return True
        elif any(letter in flag[1:] for letter in short):
            return True
    return False


def braces(text: str) -> list[str]:
    """`text` with the first `{a,b}` in it expanded."""
    found = _BRACES.search(text)
    if not found:
        return [text]
    return [
        text[: found.start()] + choice + text[found.end() :] for choice in found.group(1).split(",")
    ]


def all_braces(text: str) -> list[str]:
    """The words that a shell makes of one with braces, at most `_MOST_WORDS`."""
    done: list[str] = []
    todo = [text]
    while todo and len(done) + len(todo) < _MOST_WORDS:
        first, *todo = todo
        choices = braces(first)
        if len(choices) > 1:
            todo = choices + todo
        else:
            done.append(first)
    return done + todo


def started_by_find(name: str, arguments: Sequence[Word]) -> Iterator[tuple[Word, ...]]:
    """The commands that `find` (or `fd`) runs for what it finds, and those that these run so."""
    for at, word in enumerate(arguments if name in ("find", "fd", "fdfind") else ()):
        if word.text in _STARTS:
            rest = arguments[at + 1 :]
            ends = (i for i, one in enumerate(rest) if one.text in (";", "+"))
            yield tuple(rest[: next(ends, len(rest))])


def without_git_options(argv: Sequence[str]) -> Iterator[list[str]]:
    """A command, and one of git once more without the options before its own command."""
    yield [*argv]
    name = argv[0].rpartition("/")[2]
    if name == "git":
        command, rest = git_command(argv[1:])
        yield ["git", *filter(None, (command,)), *rest]
    elif name.startswith("git-"):
        yield ["git", name[4:], *argv[1:]]


def git_aliases(argv: Sequence[str]) -> list[str]:
    """What `-c alias.name=…` lets git run, as shell code, or `git config alias.name …` later.
    Raises TooMany."""
    if argv[0] != "git":
        return []
    given = [
        text.partition("=")[2]
        for option, text in pairwise(argv)
        if option == "-c" and text.lower().startswith("alias.")
    ]
    command, rest = git_command(argv[1:])
    if command == "config":
        given += [text for name, text in pairwise(rest) if name.lower().startswith("alias.")]
    if len(given) > _MOST_WRAPPERS:
        raise TooMany(f"it gives git too many aliases to be checked (over {_MOST_WRAPPERS})")
    return [text[1:] if text.startswith("!") else f"git {text}" for text in given]


def git_command(arguments: Sequence[str]) -> tuple[str, list[str]]:
    """The git command and its words, behind git's own options."""
    at = 0
    while at < len(arguments) and arguments[at].startswith("-"):
        at += 2 if arguments[at] in _VALUED_BY_GIT else 1
    rest = list(arguments[at:])
    return (rest[0], rest[1:]) if rest else ("", [])


def _name(word: Word) -> str:
    return word.text.rsplit("/", 1)[-1]


def _first(arguments: tuple[Word, ...], operands: list[str]) -> tuple[Word, ...]:
    return tuple(word for word in arguments if operands and word.text == operands[0])[:1]


def _only_asks(texts: Sequence[str]) -> bool:
    return any(text in ("--version", "--help", "-V", "-h") for text in texts)


def _skip_options(
    words: list[Word], short: str, long: tuple[str, ...], splits: bool = False
) -> Word | None:
    """Drop a wrapper's own options from `words`. Returns what `env -S` would run as code
    (`splits`): its value, with the words behind it."""
    while words and words[0].text.startswith("-") and words[0].text != "-":
        first = words.pop(0)
        text = first.text
        if text == "--":
            return None
        if splits and (found := _SPLITS.match(text)):
            glued = [replace(first, text=text[found.end() :])] if found.end() < len(text) else []
            code = [*glued, *words]
            nested = tuple(inner for word in code for inner in word.nested)
            return Word(" ".join(word.text for word in code), nested) if code else None
        if words and (text in long or (not text.startswith("--") and text[-1] in short)):
            words.pop(0)
    return None


def _spoken(simple: Simple) -> list[Word]:
    """The words that a here-string or the stage before hands to `xargs`."""
    strings = (target.text for operator, target in simple.redirects if operator == "<<<")
    return [Word(text) for string in strings for text in string.split()] or listed(simple.before)
