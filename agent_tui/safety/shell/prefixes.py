"""Beginnings of commands that a person may allow for the rest of a session: `pytest …`.

Only programs are offered whose further words cannot make them run, write or read something else
than what a person has in mind who reads the beginning: no interpreter, no shell, no wrapper, no
command of git that takes a program. What runs the project's own code (tests, a build) runs that
code however its words go on; so only words that are known follow: none that names another program,
settings that replace the project's, or a file outside the folders of the session, with a protected
name or with that of a secret.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from agent_tui.safety import paths
from agent_tui.safety.shell import programs as shell_programs
from agent_tui.safety.shell.harmless_options import Spec, Unknown, parse_words, spec
from agent_tui.structures import late
from agent_tui.structures.frozen import frozen

if TYPE_CHECKING:
    from agent_tui.safety.shell.classifier import Call

_ANY: Final = "*"
"""Stands for one word of the person's: the script of `npm run`, the target of `make`."""


@frozen
class Row:
    """What may follow a beginning, and what may stand behind `--`; without `behind`, operands.
    `text` as operands: plain words, for a target, a filter or a script that a shell reads."""

    options: Spec
    behind: Spec | None = None


_CARGO: Final = (
    ".qvr release package= p= lib bins bin= examples example= tests test= benches bench= workspace"
    " all exclude= all-targets all-features no-default-features features= F= locked offline frozen"
    " jobs= j= keep-going profile= message-format= color= quiet verbose"
)
_SCRIPT: Final = "silent watch coverage ci run verbose bail runInBand fix check"
_NPM: Final = Row(spec("s silent if-present", "text", rows=False), spec(_SCRIPT, "text"))
_PASSED_ON: Final = Row(spec(f"s {_SCRIPT}", "text", rows=False), spec(_SCRIPT, "text"))
"""`yarn` and `pnpm` hand options to the script without `--`."""

_ROWS: Final = {
    "pytest": Row(
        spec(
            ".xqvslhV k= m= n= r= exitfirst quiet verbose last-failed lf failed-first ff new-first"
            " nf stepwise sw stepwise-skip maxfail= durations= durations-min= tb= capture= color="
            " collect-only co no-header no-summary showlocals full-trace setup-show setup-plan"
            " fixtures markers numprocesses= dist= timeout= reruns= deselect= ignore= cov? no-cov"
            " strict-markers strict-config doctest-modules version help"
        )
    ),
    "ruff check": Row(
        spec(
            ".qvnew fix unsafe-fixes fix-only no-fix no-unsafe-fixes diff show-fixes show-files"
            " watch statistics quiet verbose no-cache preview no-preview isolated exit-zero"
            " exit-non-zero-on-fix select= ignore= extend-select= extend-ignore= exclude="
            " extend-exclude= force-exclude output-format= target-version= line-length="
        )
    ),
    "ruff format": Row(
        spec(
            ".qvn check diff quiet verbose no-cache preview no-preview isolated exclude="
            " force-exclude target-version= line-length="
        )
    ),
    "mypy": Row(
        spec(
            ".v strict verbose pretty no-pretty ignore-missing-imports check-untyped-defs"
            " disallow-untyped-defs disallow-incomplete-defs disallow-any-generics"
            " warn-unused-ignores warn-redundant-casts warn-return-any warn-unreachable"
            " no-implicit-optional strict-equality show-error-codes hide-error-codes"
            " show-error-context show-column-numbers show-absolute-path no-color-output"
            " no-error-summary no-incremental follow-imports= python-version= platform= exclude="
            " explicit-package-bases namespace-packages show-traceback version help"
        )
    ),
    "black": Row(
        spec(
            ".qvSC l= t= W= check diff color no-color fast safe quiet verbose preview line-length="
            " target-version= skip-string-normalization skip-magic-trailing-comma workers= version"
        )
    ),
    "isort": Row(
        spec(
            "c d q v l+ check check-only diff quiet verbose atomic profile= line-length="
            " filter-files version",
            rows=False,  # `-sp` is one option to it
        )
    ),
    "cargo build": Row(spec(_CARGO, "none")),
    "cargo check": Row(spec(_CARGO, "none")),
    "cargo clippy": Row(
        spec(f"{_CARGO} no-deps fix allow-dirty allow-staged", "none"),
        spec("D= W= A= F= deny= warn= allow= forbid=", "none"),
    ),
    "cargo fmt": Row(spec(".qv all check package= p= quiet verbose", "none"), spec(".lv check")),
    "cargo test": Row(
        spec(f"{_CARGO} doc no-run no-fail-fast", "text"),
        spec(
            ".q nocapture no-capture show-output test-threads= ignored include-ignored exact list"
            " skip= quiet color=",
            "text",
        ),
    ),
    "go build": Row(spec("v x n a race trimpath p= tags=", rows=False)),
    "go test": Row(
        spec(
            "v x n race short cover failfast json benchmem run= skip= bench= benchtime= count="
            " timeout= parallel= shuffle= cpu= covermode= tags= p= trimpath",
            rows=False,
        )
    ),
    "go vet": Row(spec("v x n json tags=", rows=False)),
    "gofmt": Row(spec("l d s e w", rows=False)),
    "make *": Row(
        spec(
            ".sknBiqwrR j? jobs? silent quiet keep-going always-make dry-run just-print recon"
            " ignore-errors question print-directory no-print-directory trace"
            " warn-undefined-variables",
            "text",
        )
    ),
    "npm test": _NPM,
    "npm run *": _NPM,
    "pnpm test": _PASSED_ON,
    "yarn test": _PASSED_ON,
    "tsc": Row(
        spec(
            "w v h noEmit strict pretty watch skipLibCheck listFiles explainFiles diagnostics"
            " extendedDiagnostics traceResolution noErrorTruncation preserveWatchOutput"
            " noImplicitAny strictNullChecks noUnusedLocals noUnusedParameters noImplicitReturns"
            " esModuleInterop allowJs checkJs isolatedModules resolveJsonModule target+ module+"
            " moduleResolution+ jsx+ lib+ version help",
            rows=False,
        )
    ),
    "eslint": Row(
        spec(
            "h v fix fix-dry-run quiet cache max-warnings= ext= color no-color debug"
            " report-unused-disable-directives no-error-on-unmatched-pattern no-inline-config"
            " version help",
            rows=False,
        )
    ),
    "git add": Row(spec(".AuvnN all update verbose dry-run intent-to-add ignore-errors")),
    "git commit": Row(
        spec(".aqvsio m= message= all quiet verbose signoff include only allow-empty dry-run short")
    ),
    "git switch": Row(
        spec(
            ".mqd c= t? create= merge quiet detach track? no-track guess no-guess progress"
            " no-progress"
        )
    ),
    "git stash push": Row(
        spec(".ukqS m= message= include-untracked keep-index no-keep-index quiet staged")
    ),
}
PREFIXES: Final = {tuple(words.split()): row for words, row in _ROWS.items()}
"""Each with all that may follow it. What is not here asks: an option that is abbreviated or written
otherwise is another one, and so is one that writes a file or loads settings, code or a program."""
_TEXTS: Final = frozenset({"k", "m", "message", "run", "skip", "bench"})
"""Options whose value is a message or an expression, and names no file."""
_PLAIN: Final = late.pattern(r"[A-Za-z0-9_][A-Za-z0-9_:./-]*")
"""A script or a target: no option, no variable."""
_WORD: Final = late.pattern(r"-|[^-\s=@:][^\s=]*")
"""A path, a name or a number: no option, variable, list of words (`@file`) or magic of git."""
_ONE_HYPHEN: Final = frozenset({"go", "gofmt"})
"""Their options are whole words behind one hyphen or two."""


_STARTERS: Final = tuple(
    tuple(words.split())
    for words in (
        "uv run", "poetry run", "pdm run", "pipenv run", "hatch run", "rye run", "npx", "bunx",
        "pnpm exec", "yarn", "python -m", "python3 -m", "uv run python -m",
    )
)  # fmt: skip
_LONGEST: Final = 200
"""Characters of a command that may be allowed for good: what a person takes in at a glance."""
_RUN_OTHERS: Final = """
    git eval source . trap awk gawk mawk uv uvx poetry pdm pipenv hatch rye npx bunx conda tmux
    screen nix-shell
"""
_NEVER_LAST: Final = frozenset(_RUN_OTHERS.split())
"""Beside shells, interpreters, wrappers and what brings bytes from outside."""


def names_files(argv: list[str]) -> bool:
    """Whether the paths among these words are files for the program, which runs none of them: it is
    one of the table, perhaps behind another that starts it (`uv run pytest`), or those behind its
    `-exec` are looked at by themselves."""
    starter = next((one for one in _STARTERS if tuple(argv[: len(one)]) == one), ())
    started = argv[len(starter) :]
    return started[:1] in (["find"], ["fd"], ["go"]) or any(
        _begins(started, row) for row in PREFIXES
    )


def may_last(command: str, calls: Sequence[Call]) -> bool:
    """Whether it may be allowed in its folder for good: read for certain, short, and none of its
    programs runs what its words or a file say, or is found by its path."""
    names = [call.argv[0] for call in calls]
    return (
        bool(names)
        and len(command) <= _LONGEST
        and command.isprintable()
        and not any("/" in name or name in _NEVER_LAST for name in names)
        and not any(map(shell_programs.runs_others, names))
    )


def prefix_of(calls: Sequence[Call], roots: tuple[Path, ...]) -> tuple[str, ...]:
    """The beginning of a command with these simple commands that may be allowed; empty: there is
    none. All of it that is not inert begins so, and goes on harmlessly. A command that changes the
    folder has none: its words name other files."""
    asking = [call.argv for call in calls if not call.is_inert]
    row = next((row for row in PREFIXES if asking and _begins(asking[0], row)), None)
    if row is None or any(call.argv[0] == "cd" for call in calls):
        return ()
    words = asking[0][: len(row)]
    goes_on = all(
        argv[: len(words)] == words and _goes_on(argv[len(words) :], row, roots) for argv in asking
    )
    return words if goes_on else ()


def _begins(argv: Sequence[str], row: tuple[str, ...]) -> bool:
    return len(argv) >= len(row) and all(
        word == part or (part == _ANY and _PLAIN.fullmatch(word) is not None)
        for word, part in zip(argv, row, strict=False)
    )


def _goes_on(words: Sequence[str], row: tuple[str, ...], roots: tuple[Path, ...]) -> bool:
    """Whether the table says of all these further words that they may follow."""
    if row[0] in _ONE_HYPHEN:
        words = [re.sub(r"^--?(?=\w)", "--" if _is_long(word) else "-", word) for word in words]
    known = PREFIXES[row]
    split = words.index("--") if known.behind and "--" in words else len(words)
    return _may_follow(words[:split], known.options, roots) and (
        known.behind is None or _may_follow(words[split + 1 :], known.behind, roots)
    )


def _is_long(word: str) -> bool:
    return len(word.lstrip("-").partition("=")[0]) > 1


def _may_follow(words: Sequence[str], known: Spec, roots: tuple[Path, ...]) -> bool:
    """Whether there are only options of `known` among `words`, and operands as it has them."""
    try:
        parsed = parse_words(known, words)
    except Unknown:
        return False
    form = _PLAIN if known.operands == "text" else _WORD
    values = [value for name, value in parsed.options if value and name not in _TEXTS]
    return (
        not (known.operands == "none" and parsed.operands)
        and not any(text.startswith("@") for text in parsed.values(*_TEXTS))
        and all(map(form.fullmatch, parsed.operands))
        and all(map(_WORD.fullmatch, values))
        and not any(_is_elsewhere(word, roots) for word in (*parsed.operands, *values))
    )


def _is_elsewhere(word: str, roots: tuple[Path, ...]) -> bool:
    """Whether `word` is unprintable or names a file that is not the project's to give, perhaps with
    the name of a test behind it."""
    if not word.isprintable():
        return True
    for name in {word, re.split(r"::|\[", word, maxsplit=1)[0]} - {""}:
        try:
            facts = paths.facts(name, roots, deep=False)
        except ValueError:
            return True
        if not facts.inside or facts.secret or facts.protected:
            return True
    return False
