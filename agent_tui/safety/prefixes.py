"""Beginnings of commands that a person may allow for the rest of a session: `pytest …`.

Only programs are offered whose further words cannot make them run, write or read something else
than what a person has in mind who reads the beginning: no interpreter, no shell, no wrapper, no
command of git that takes a program. What runs the project's own code (tests, a build) runs that
code however its words go on; so these words may name no other program, no settings that replace the
project's, and no file outside the folders of the session, with a protected name or with that of a
secret.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from agent_tui.safety import paths

if TYPE_CHECKING:
    from agent_tui.safety.shell_classifier import Call

_ANY: Final = "*"
"""Stands for one word of the person's: the script of `npm run`, the target of `make`."""
_PREFIXES: Final = """
    pytest: -c --config-file -o --override-ini -p --basetemp --pastebin --pdbcls --import-mode
    ruff check: --config --output-file -o
    ruff format: --config
    mypy: -c --command -m --module -p --package --config-file --python-executable --install-types
    black: --config --code -c
    isort: --settings-path --settings-file --sp
    cargo build: --config -Z --target-dir
    cargo check: --config -Z --target-dir
    cargo clippy: --config -Z --target-dir
    cargo fmt: --config --config-path
    cargo test: --config -Z --target-dir
    go build: -toolexec -exec -overlay -modfile -C -o
    go test: -toolexec -exec -overlay -modfile -C -o -vettool
    go vet: -toolexec -exec -overlay -modfile -C -vettool
    gofmt:
    make *: -f --file --makefile --eval -C --directory -I --include-dir -E
    npm test: --prefix --script-shell --node-options --userconfig --globalconfig -C
    npm run *: --prefix --script-shell --node-options --userconfig --globalconfig -C
    pnpm test: -C --dir --config --script-shell
    yarn test: --cwd --script-shell
    tsc: --build -b -p --project --outDir --outFile --declarationDir
    eslint: -c --config --rulesdir --resolve-plugins-relative-to --plugin --parser -f --format -o
    git add: --pathspec-from-file
    git commit: --amend -F --file -t --template --pathspec-from-file -c -C -S --gpg-sign
    git switch: -f --force --discard-changes -C --force-create --orphan
    git stash push: --pathspec-from-file -a --all
"""
"""Each with the options that lead elsewhere."""


def _rows() -> dict[tuple[str, ...], frozenset[str]]:
    lines = (line.partition(":") for line in _PREFIXES.strip().splitlines())
    return {tuple(head.split()): frozenset(tail.split()) for head, _, tail in lines}


PREFIXES: Final = _rows()
_TEXTS: Final = {
    "git": frozenset({"-m", "-am", "--message"}),
    "pytest": frozenset({"-k", "-m"}),
    "go": frozenset({"-run", "-bench"}),
}
"""Options whose value is the next word, and names no file."""
_PLAIN: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9:_./-]*")
"""A script or a target: no option, no variable."""


def prefix_of(calls: Sequence[Call], roots: tuple[Path, ...]) -> tuple[str, ...]:
    """The beginning of a command with these simple commands that may be allowed; empty: there is
    none. All of it that does more than look begins so, and goes on harmlessly. A command that
    changes the folder has none: its words name other files."""
    asking = [call.argv for call in calls if call.unsure]
    row = next((row for row in PREFIXES if asking and _begins(asking[0], row)), None)
    if row is None or any(call.argv[0] == "cd" for call in calls):
        return ()
    words = asking[0][: len(row)]
    goes_on = all(
        argv[: len(words)] == words and _goes_on(argv[len(words) :], words[0], PREFIXES[row], roots)
        for argv in asking
    )
    return words if goes_on else ()


def _begins(argv: Sequence[str], row: tuple[str, ...]) -> bool:
    return len(argv) >= len(row) and all(
        word == part or (part == _ANY and _PLAIN.fullmatch(word) is not None)
        for word, part in zip(argv, row, strict=False)
    )


def _goes_on(
    words: Sequence[str], program: str, leading: frozenset[str], roots: tuple[Path, ...]
) -> bool:
    """Whether these further words lead to nothing else. What follows an option for a message or an
    expression is text."""
    texts = _TEXTS.get(program, frozenset())
    before = ""
    for word in words:
        if before not in texts and (_leads(word, program, leading) or _is_elsewhere(word, roots)):
            return False
        before = "" if before in texts else word
    return True


def _leads(word: str, program: str, leading: frozenset[str]) -> bool:
    """Whether `word` is one of the options `leading`, also abbreviated, glued to its value or in a
    row of letters; or sets a variable, as `make` takes them."""
    if not word.startswith("-"):
        return re.match(r"[A-Za-z_][A-Za-z0-9_]*[:+?!]*=", word) is not None
    if word == "--":
        return False
    name = word.partition("=")[0]
    if program == "go":  # its options are whole words behind one hyphen or two
        return f"-{name.lstrip('-')}" in leading
    if name.startswith("--"):
        return any(option.startswith(name) for option in leading)
    return any(option[1] in name[1:] for option in leading if not option.startswith("--"))


def _is_elsewhere(word: str, roots: tuple[Path, ...]) -> bool:
    """Whether `word`, or the value in it, names a file that is not the project's to give."""
    values = {word} if not word.startswith("-") else {word.partition("=")[2], word[2:]}
    for value in values - {""}:
        try:
            facts = paths.facts(value, roots)
        except ValueError:
            return True
        if not facts.inside or facts.secret or facts.protected:
            return True
    return False
