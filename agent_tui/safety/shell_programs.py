"""What is known of programs: which ones run another, which run code, which bring bytes from
outside, and options."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from agent_tui.safety.shell_words import Simple, Word

_ASSIGNMENT: Final = re.compile(r"[A-Za-z_]\w*\+?=")
_BRACES: Final = re.compile(r"\{([^{},]*(?:,[^{},]*)+)\}")

_SHELLS: Final = frozenset(
    {"sh", "bash", "zsh", "dash", "ash", "ksh", "mksh", "fish", "csh", "tcsh", "pwsh"}
)
_INTERPRETERS: Final = re.compile(
    r"(python[\d.]*|pypy[\d.]*|perl|ruby|node|nodejs|deno|bun|php|lua|osascript|Rscript)$"
)
_PYTHON_CODE: Final = re.compile(r"-[a-zA-Z]*[cm]$")
_OTHER_CODE: Final = re.compile(r"-[a-zA-Z0-9]*[eEpr]$|--(eval|print)$|eval$")
_NETWORK: Final = frozenset(
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
_FREE: Final = frozenset(
    {
        "-delete",
        "-depth",
        "-mindepth",
        "-maxdepth",
        "-print",
        "-print0",
        "-xdev",
        "-mount",
        "-type",
        "-user",
    }
)
"""Words of `find` that choose nothing, or one kind of file."""
_COMMANDS_OF_FIND: Final = re.compile(r"(?ms)^-exec(?:dir)?\n.*?(?:^[;+]$|\Z)")
_STARTS: Final = {
    "find": frozenset({"-exec", "-execdir", "-ok", "-okdir"}),
    "fd": frozenset({"-x", "-X", "--exec", "--exec-batch"}),
    "fdfind": frozenset({"-x", "-X", "--exec", "--exec-batch"}),
}
"""Options behind which the command stands that is run for what was found."""
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
    "chrt": ("TPD", ("--sched-runtime", "--sched-period", "--sched-deadline"), 1),
    "taskset": ("", (), 1),
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
    "flock": ("wE", ("--wait", "--timeout"), 1),
    "strace": ("eopsu", (), 0),
    "watch": ("n", ("--interval",), 0),
    "unbuffer": ("", (), 0),
    "caffeinate": ("tw", (), 0),
    "unshare": (
        "RwSG",
        ("--root", "--wd", "--setuid", "--setgid", "--map-user", "--map-group", "--propagation"),
        0,
    ),
    "nsenter": ("tSG", ("--target", "--setuid", "--setgid"), 0),
    "setarch": ("", (), 1),
    "linux32": ("", (), 0),
    "linux64": ("", (), 0),
    "prlimit": ("po", ("--pid", "--output"), 0),
    "numactl": ("NCmipP", ("--cpunodebind", "--physcpubind", "--membind", "--preferred"), 0),
    "setpriv": ("", ("--reuid", "--regid", "--groups", "--inh-caps", "--bounding-set"), 0),
    "pkexec": ("", ("--user",), 0),
    "runuser": ("ugGsw", ("--user", "--group", "--supp-group", "--shell"), 0),
    "gosu": ("", (), 1),
    "su-exec": ("", (), 1),
    "setuidgid": ("", (), 1),
    "systemd-run": (
        "pEuMHt",
        ("--property", "--setenv", "--unit", "--slice", "--description", "--uid", "--gid"),
        0,
    ),
    "systemd-inhibit": ("", ("--what", "--who", "--why", "--mode"), 0),
    "fakeroot": ("lsib", ("--lib", "--faked"), 0),
    "firejail": ("", (), 0),
    "eatmydata": ("", (), 0),
    "faketime": ("f", (), 1),
    "cpulimit": ("lpe", ("--limit", "--pid", "--exe"), 0),
    "cgexec": ("g", (), 0),
    "rlwrap": ("abcCDfFgHlmMNOpPqsSTwz", (), 0),
    "ltrace": ("aAeFlnopsuwx", (), 0),
    "valgrind": ("", (), 0),
    "xvfb-run": ("enfps", ("--server-num", "--error-file", "--auth-file", "--server-args"), 0),
    "dbus-run-session": ("", ("--config-file", "--dbus-daemon"), 0),
    "tini": ("p", (), 0),
    "dumb-init": ("r", ("--rewrite",), 0),
    "torsocks": ("", (), 0),
    "proxychains": ("f", (), 0),
    "proxychains4": ("f", (), 0),
    "hyperfine": ("wrmMpcsLn", ("--warmup", "--runs", "--prepare", "--cleanup", "--setup"), 0),
}
_SHELL_IF_ALONE: Final = frozenset(
    {"unshare", "nsenter", "chroot", "setarch", "linux32", "linux64", "fakeroot", "parallel"}
)
"""Without a command they run a shell, or what they read as one does."""
_RUN_CODE: Final = frozenset({"watch", "hyperfine", "parallel"})
"""They hand their words to a shell."""
_SU: Final = frozenset({"su", "runuser", "script", "sg"})
"""A word behind `-c` is code; without one they run a shell."""
_QUEUES: Final = frozenset({"at", "batch"})
_CODE_OPTION: Final = re.compile(r"-[a-zA-Z]*c$|--command$")
_SHOWN: Final = frozenset({"cat", "head", "tail", "base64", "base32"})
"""They hand on a file that can be looked at, as `bash FILE` runs one; what encodes writes no
command."""


@dataclass(frozen=True, slots=True)
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


def unwrap_call(simple: Simple) -> Call | None:
    """The program that really runs, behind `sudo`, `env`, `xargs` and the like; None where there is
    none."""
    words = list(simple.words)
    fed = alone = False
    while words:
        name = _name(words[0])
        if words[0].nested and words[0].text.startswith(("$(", "`")):
            return Call("a shell", program=(words[0],))
        if _ASSIGNMENT.match(words[0].text) or name in _KEYWORDS:
            words.pop(0)
            continue
        if name not in _WRAPPERS or (name in _SU and _code_at(words) is not None):
            break
        if name == "xargs":
            fed = True
            words += _spoken(simple)
        short, long, own = _WRAPPERS[name]
        words.pop(0)
        alone = name in _SHELL_IF_ALONE or (name in ("sudo", "doas") and _asks_for_shell(words))
        code = _skip_options(words, short, long)
        if code is not None:
            return Call("env", code=(code,))
        while own and words:
            words.pop(0)
            own -= 1
            _skip_options(words, short, long)
        while words and _ASSIGNMENT.match(words[0].text):
            words.pop(0)
        if name in _RUN_CODE and words and words[0].quoted:
            return Call(name, code=tuple(words))
    if words:
        return _call(_name(words[0]), tuple(words[1:]), fed)
    return Call("a shell", runs_stdin=True, is_shell=True) if alone else None


def _asks_for_shell(words: list[Word]) -> bool:
    """Whether the options of `sudo` ask for a shell."""
    first = words[0].text if words else ""
    return re.fullmatch(r"-[a-zA-Z]*[si]|--shell|--login", first) is not None


def _code_at(words: Sequence[Word]) -> int | None:
    return next((i for i, word in enumerate(words) if _CODE_OPTION.match(word.text)), None)


def _call(name: str, arguments: tuple[Word, ...], fed: bool) -> Call:
    texts = [word.text for word in arguments]
    if name == "eval":
        joined = Word(" ".join(texts), tuple(inner for word in arguments for inner in word.nested))
        return Call(name, arguments, code=(joined,), program=arguments)
    if name in (".", "source"):
        return Call(
            name, arguments, program=arguments[:1], runs_stdin=texts[:1] in (["-"], ["/dev/stdin"])
        )
    if name == "trap":
        return Call(name, arguments, code=arguments[:1])
    if name in _QUEUES:
        reads = not any(re.match(r"-[a-zA-Z]*[lrcdf]", text) for text in texts)
        return Call(name, arguments, runs_stdin=reads, is_shell=reads)
    if name in _SHELLS or name in _SU:
        at = _code_at(arguments)
        if at is not None:
            code = arguments[at + 1 : at + 2]
            reads = fed or any("$(cat" in word.text or "/dev/stdin" in word.text for word in code)
            return Call(name, arguments, code=code, runs_stdin=reads)
        if name in _SU:
            reads = not _only_asks(texts)
            return Call(name, arguments, runs_stdin=reads, is_shell=reads)
        _, operands = split(texts, valued="oO")
        stdin = any(re.match(r"-[a-z]*s", text) for text in texts) or operands[:1] in (
            [],
            ["-"],
            ["/dev/stdin"],
        )
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
        return Call(name, arguments, program=arguments[at + 1 : at + 2], runs_stdin=fed)
    _, operands = split(texts, valued="WXrI")
    stdin = operands[:1] in ([], ["-"], ["/dev/stdin"]) and not _only_asks(texts)
    return Call(name, arguments, program=_first(arguments, operands), runs_stdin=stdin)


def source(name: str, arguments: Sequence[str]) -> str:
    """What a program brings that nobody has seen: from the network, or out of a decoder; empty for
    neither."""
    flags, operands = split(arguments)
    if name in _NETWORK:
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


def has(flags: Iterable[str], short: str, *long: str) -> bool:
    """Whether one of the short letters (also in a cluster) or long options (also shortened) is
    there."""
    for flag in flags:
        if flag.startswith("--"):
            if any(name == flag or (len(flag) > 4 and name.startswith(flag)) for name in long):
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
    """The commands that `find` (or `fd`) runs for what it finds."""
    options = _STARTS.get(name, frozenset())
    for at, word in enumerate(arguments):
        if word.text in options:
            rest = arguments[at + 1 :]
            ends = (i for i, one in enumerate(rest) if one.text in (";", "+"))
            yield tuple(rest[: next(ends, len(rest))])


def without_git_options(argv: Sequence[str]) -> Iterator[list[str]]:
    """A command, and one of git once more without the options before its own command."""
    yield [*argv]
    if argv[0].rpartition("/")[2] == "git":
        command, rest = git_command(argv[1:])
        yield ["git", *filter(None, (command,)), *rest]


def git_aliases(argv: Sequence[str]) -> list[str]:
    """What `-c alias.name=…` lets git run, as shell code."""
    given = (
        text.partition("=")[2]
        for option, text in pairwise(argv)
        if argv[0] == "git" and option == "-c" and text.lower().startswith("alias.")
    )
    return [text[1:] if text.startswith("!") else f"git {text}" for text in given]


def git_command(arguments: Sequence[str]) -> tuple[str, list[str]]:
    """The git command and its words, behind git's own options."""
    rest = list(arguments)
    while rest and rest[0].startswith("-"):
        valued = rest[0] in (
            "-C",
            "-c",
            "--git-dir",
            "--work-tree",
            "--namespace",
            "--exec-path",
            "--config-env",
            "--attr-source",
            "--super-prefix",
        )
        rest = rest[2 if valued else 1 :]
    return (rest[0], rest[1:]) if rest else ("", [])


def _name(word: Word) -> str:
    return word.text.rsplit("/", 1)[-1]


def _first(arguments: tuple[Word, ...], operands: list[str]) -> tuple[Word, ...]:
    return tuple(word for word in arguments if operands and word.text == operands[0])[:1]


def _only_asks(texts: Sequence[str]) -> bool:
    return any(text in ("--version", "--help", "-V", "-h") for text in texts)


def _skip_options(words: list[Word], short: str, long: tuple[str, ...]) -> Word | None:
    """Drop a wrapper's own options from `words`. Returns the word that `env -S` would run as code."""
    while words and words[0].text.startswith("-") and words[0].text != "-":
        text = words.pop(0).text
        if text == "--":
            return None
        if text in ("-S", "--split-string"):
            return words[0] if words else None
        if words and (text in long or (not text.startswith("--") and text[-1] in short)):
            words.pop(0)
    return None


def finds_all(arguments: Sequence[str]) -> bool:
    """Whether a `find` takes all that is there, or all of a kind: it does not choose by name, time
    or content."""
    tests = _COMMANDS_OF_FIND.sub("", "\n".join(arguments))
    tests = re.sub(r"(?m)^-i?(?:name|path)\n\*$", "", tests)
    return all(test in _FREE for test in re.findall(r"(?m)^-[a-z].*", tests))


def roots_of_find(arguments: Sequence[str]) -> list[str]:
    """The folders that a `find` begins with."""
    first = next(
        (i for i, text in enumerate(arguments) if text.startswith(("-", "(", "!"))), len(arguments)
    )
    return list(arguments[:first]) or ["."]


def _spoken(simple: Simple) -> list[Word]:
    """The words that a here-string, `echo`, `printf`, `ls` or `find` hands to `xargs`: `find` goes
    into all folders, as `-r` does."""
    strings = (target.text for operator, target in simple.redirects if operator == "<<<")
    handed = [Word(text) for string in strings for text in string.split()]
    if handed or simple.before is None or not simple.before.words:
        return handed
    name, arguments = _name(simple.before.words[0]), simple.before.words[1:]
    if name == "ls" and all(word.text.startswith("-") for word in arguments):
        return [Word("*")]
    if name in ("echo", "printf", "ls"):
        return arguments
    texts = [word.text for word in arguments]
    if name == "find" and finds_all(texts):
        return [Word("-r"), *(Word(root) for root in roots_of_find(texts))]
    return []


def given(simple: Simple, arguments: list[str]) -> list[str]:
    """The words of a program, its here-strings, and those that the stage before it was given."""
    before = simple.before.words if simple.before else []
    strings = (target for operator, target in simple.redirects if operator == "<<<")
    return [*arguments, *(word.text for word in (*strings, *before))]


def read_code(simple: Simple) -> tuple[list[str], str]:
    """What a shell reads as its program where that is written there: here-strings, or what `echo`
    and `printf` hand it. Else the name of the program that writes it; empty for a file."""
    strings = [target.text for operator, target in simple.redirects if operator == "<<<"]
    before = simple.before
    if strings or before is None or any(operator == "<" for operator, _ in simple.redirects):
        return strings, ""
    call = unwrap_call(before)
    while before and call and call.name in ("cat", "tee") and before.before:
        if call.name == "cat" and any(word.text != "-" for word in call.arguments):
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
