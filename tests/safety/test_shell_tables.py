"""The rows of the tables against the programs themselves: what is judged as the value of an option is
one to the program, too, and what is not is not.

Each installed program is asked by running it: an option and then a word that no program knows. If
the program complains about that word as it does without the option, the option took none.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent_tui.safety.shell import harmless, harmless_git
from agent_tui.safety.shell.harmless_options import KINDS, Spec, Unknown

NOBODYS = "--zz-nobodys"
WANTS = re.compile(
    r"(?i)requires? (an? )?(argument|value|parameter)|missing argument|needs a value"
)
NO_SUCH = r"(?i)(?:invalid|unknown|unrecognized|illegal|wrongly|no such|not an) (?:option|argument|"
NO_SUCH += r"switch)[^\n]*?(?<![\w-])-*{name}(?![\w-])|argument '-*{name}' (?:which )?wasn't"
REJECTED = r"(?i)(?:invalid|unknown|unrecognized|illegal|not an) (?:option|switch)[^\n]*~"
REJECTED += r"|unrecognized argument|invalid argument -|argument '-(?:{name})?~'|^usage"
RUNS = {"fd": "fdfind" if shutil.which("fdfind") else "fd"}
BEHIND = {
    "git rev-list": ("HEAD",),
    "git diff-tree": ("HEAD",),
    "git diff-index": ("HEAD",),
    "git stash": ("list",),
    "git worktree": ("list",),
    "git reflog": ("show",),
    "rg": ("x",),
    "fd": ("x",),
    "egrep": ("x",),
    "fgrep": ("x",),
    "git range-diff": ("HEAD...HEAD",),
    "git shortlog": ("HEAD",),
}
"""Words with which a program looks at its options at all."""
CANNOT_BE_ASKED = {
    *(("uptime", "s"), ("uptime", "since"), ("rg", "h")),
    *(("git stash", name) for name in ("L", "diff-algorithm", "inter-hunk-context")),
}
"""The program looks at no other word then; or gives the option one more of its own."""
GLUED_CANNOT_BE_ASKED = CANNOT_BE_ASKED | {
    *(("strings", "e"), ("strings", "t"), ("shasum", "a"), ("git blame", "L")),
    *(("git annotate", "L"), ("git rev-parse", "q"), ("cksum", "b"), ("cksum", "t")),
    *((f"git {name}", digit) for name in ("diff", "diff-files") for digit in "0123"),
}
"""The program says of a wrong value what it says of an option, or the other way round."""


def rows() -> Iterator[object]:
    every = {**harmless.PROGRAMS, "sed": harmless._SED_ROW, "awk": harmless._AWK_ROW}
    every["jq"] = harmless._JQ_ROW
    for name, row in every.items():
        if shutil.which(RUNS.get(name, name)) and name not in BUILT_IN:
            yield pytest.param(name, (RUNS.get(name, name),), row, id=name)
    for name, row in harmless_git.COMMANDS.items():
        yield pytest.param(f"git {name}", ("git", name), row, id=f"git {name}")


BUILT_IN = frozenset({"true", "false", ":", "cd", "pwd", "type", "sleep", "expr", "echo"})
"""They have no options, or are no programs."""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tables")
    (folder / "a.txt").write_text("a 1\n")
    who = ("-c", "user.name=a", "-c", "user.email=a@b.c")
    for words in (("init", "-q"), ("add", "."), ("commit", "-qm", "x")):
        subprocess.run(("git", *who, *words), cwd=folder, check=True)
    (folder / "a.txt").write_text("a 2\n")
    for words in (("stash", "-q"),):
        subprocess.run(("git", *who, *words), cwd=folder, check=True)
    return folder


def ask(place: Path, *argv: str) -> tuple[int, str, str]:
    """The exit code of a program, and what it says."""
    ran = subprocess.run(
        argv,
        cwd=place,
        env={"PATH": os.environ["PATH"], "HOME": str(place), "LC_ALL": "C"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
    )
    return ran.returncode, ran.stdout.decode(errors="replace"), ran.stderr.decode(errors="replace")


def takes_next(place: Path, head: tuple[str, ...], option: str) -> bool | None:
    """Whether a program takes the word behind `option` as its value; None: it has no such option."""
    _, shown, said = ask(place, *head, option, NOBODYS)
    if re.search(NO_SUCH.replace("{name}", re.escape(option.lstrip("-"))), said):
        return None
    alone = ask(place, *head, option)
    if head[:2] == ("git", "rev-parse"):  # what it does not know it says
        return NOBODYS not in shown.split() and said != alone[2]
    if WANTS.search(alone[2]):
        return True
    without = complaint(ask(place, *head, NOBODYS)[2])
    assert without, head
    if said.startswith("usage: git") or (said and said == alone[2]):
        return False
    return complaint(said) != without


def complaint(said: str) -> str:
    """The line about nobody's option; all that is said, where there is none."""
    return next((line for line in said.splitlines() if NOBODYS in line), said[:6])


@pytest.mark.parametrize(("name", "head", "row"), rows())
def test_a_row_says_which_options_take_the_next_word(
    place: Path, name: str, head: tuple[str, ...], row: Spec
) -> None:
    wrong = []
    for option in names_of(row):
        if (name, option) in CANNOT_BE_ASKED:
            continue
        said = row.kind(option) not in ("", "?")
        found = takes_next(place, (*head, *BEHIND.get(name, ())), written(option))
        if found is not None and found is not said:
            wrong.append(f"{written(option)}: the row says {said}, the program {found}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(("name", "head", "row"), rows())
def test_a_row_says_which_letters_take_the_rest_of_their_word(
    place: Path, name: str, head: tuple[str, ...], row: Spec
) -> None:
    """A letter that no program has behind the option is part of its value, or is complained of."""
    wrong = []
    head = (*head, *BEHIND.get(name, ()))
    for option in names_of(row):
        kind = row.kind(option)
        if len(option) > 1 or kind == "+" or not (kind or row.rows):
            continue
        if (name, option) in GLUED_CANNOT_BE_ASKED:
            continue
        alone, ran = ask(place, *head, f"-{option}")[2], ask(place, *head, f"-{option}~")
        unknown = re.search(NO_SUCH.replace("{name}", option), alone) is not None
        unknown = unknown or (alone != "" and alone == ran[2])  # it says something else first
        found = not re.search(REJECTED.replace("{name}", option), ran[2])
        said = kind != ""
        if not unknown and found is not said:
            wrong.append(f"-{option}: the row says {said}, the program {found}: {ran[2][:200]}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(("name", "head", "row"), rows())
def test_a_row_takes_numbers_where_the_program_does(
    place: Path, name: str, head: tuple[str, ...], row: Spec
) -> None:
    if "#" in row.options:
        _, _, said = ask(place, *head, *BEHIND.get(name, ()), "-5")
        assert not re.search(NO_SUCH.replace("{name}", "5"), said), said


def names_of(row: Spec) -> list[str]:
    return sorted(one.rstrip(KINDS) for one in row.options if one != "#")


def written(option: str) -> str:
    return f"{'--' if len(option) > 1 else '-'}{option}"


TESTS_OF_FIND = sorted(harmless._FIND_TEXTS | harmless._FIND_PATHS | harmless._FIND_FLAGS)


@pytest.mark.parametrize("test", TESTS_OF_FIND)
def test_the_tests_of_find_take_a_word_or_none(place: Path, test: str) -> None:
    said = test in harmless._FIND_TEXTS | harmless._FIND_PATHS
    ran = ask(place, "find", ".", *NESTED.get(test, (test, NOBODYS)))[2]
    if f"unknown predicate `{test}'" not in ran:
        assert (f"unknown predicate `{NOBODYS}'" not in ran) is said, ran


NESTED = {
    "(": ("(", NOBODYS, ")"),
    ")": ("(", "-true", ")", NOBODYS),
    "!": ("!", NOBODYS),
    **{word: ("-true", word, NOBODYS) for word in ("-o", "-or", "-a", "-and", ",", "-print")},
}


DANGEROUS = """
--output=x --output|x -ox -o|x --contents=x --contents|x --no-index --file=x --file|x -fx -f|x
--rawfile|x|y --slurpfile|x|y --from-file|x --ext-diff --textconv --filters --open-files-in-pager=x -Ox
-O|x --pre=x --pre|x --exec|x -xx -x|x -X|x --exec-batch|x --compress-program=x --files0-from=x
--files-from=x --from-file=x --to-file=x --stdin --in-place -i -i.bak -w|x -r -e|x --expression=x
--delete -d -D -m|x -M|x --edit -e --unset|x --set|x --add --replace-all|x|y --config=x --hostname-bin=x
--search-zip --ignore-file=x --magic-file=x -C|x --check -c -T|x --exclude-from=x --infofile --fromfile
-s|x --set=x -R -A|x -L|x --ignore-revs-file=x -S|x --exec-path=x --batch --batch-check
-delete -exec|x|; -fprint|x -fls|x -ok|x|; -files0-from|x
"""
"""Options with which some program writes, runs another, or reads what nobody named as a file."""


def every_row() -> Iterator[object]:
    every = {**harmless.PROGRAMS, "sed": harmless._SED_ROW, "awk": harmless._AWK_ROW}
    every["jq"] = Spec(harmless._JQ_ROW.options | {f"{one[2:]}=" for one in harmless._JQ_VALUES})
    for name, row in every.items():
        yield pytest.param((name,), row, id=name)
    for name, row in harmless_git.COMMANDS.items():
        more = sorted(harmless_git._FIRST_WORD.get(name, {""}))[-1]
        yield pytest.param(("git", name, *([more] if more else [])), row, id=f"git {name}")


def looks(argv: tuple[str, ...]) -> tuple[str, ...] | None:
    """The files that a command reads which only looks; None: it asks."""
    try:
        if argv[0] == "git":
            return tuple(harmless_git.judge(argv[1:]))
        return tuple(harmless.judge(argv))
    except Unknown:
        return None


@pytest.mark.parametrize(("head", "row"), every_row())
def test_a_dangerous_option_asks_behind_each_option(head: tuple[str, ...], row: Spec) -> None:
    """Whatever stands before it, also in one row of letters."""
    known = set(names_of(row))
    for first, *more in (text.split("|") for text in DANGEROUS.split()):
        name = first[2:].partition("=")[0] if first.startswith("--") else first[1]
        if name in known:
            continue  # its row says how it is judged
        for option in known:
            before = written(option)
            ways = [(before, first), (before, "x", first), (before, "-5", first)]
            if len(option) == 1 and len(name) == 1 and row.kind(option) in ("", "+"):
                ways.append((f"{before}{first[1:]}",))
            for way in ways:
                assert looks((*head, *way, *more, "a.py")) is None, (*head, *way, *more)


@pytest.mark.parametrize("test", TESTS_OF_FIND)
def test_an_action_of_find_asks_behind_each_test(test: str) -> None:
    for text in ("-delete", "-exec|x|;", "-fprint|x", "-fls|x", "-ok|x|;", "-files0-from|x"):
        assert looks(("find", ".", test, *text.split("|"))) is None
        assert looks(("find", ".", test, "1", *text.split("|"))) is None


@pytest.mark.parametrize("name", sorted(harmless.INERT & {*harmless.NAMES} - BUILT_IN))
def test_no_option_of_an_inert_program_makes_a_file(tmp_path: Path, name: str) -> None:
    """Each option that its help names, with a file as its value, glued and behind it."""
    (tmp_path / "given").write_text("a\n")
    help_of_it = "".join(ask(tmp_path, name, "--help")[1:])
    for option in sorted(set(re.findall(r"(?<![\w-])--?[A-Za-z][\w-]*", help_of_it))):
        if name == "tail" and option in WAITS:
            continue
        glued = f"{option}=made" if option.startswith("--") else f"{option}made"
        for words in ((option, "made"), (glued,), (option, "given", "made"), (glued, "given")):
            ask(tmp_path, name, *words)
            assert [one.name for one in tmp_path.iterdir()] == ["given"], (name, *words)
    assert (tmp_path / "given").read_text() == "a\n"


WAITS = {"-f", "-F", "--follow", "--retry"}
"""`tail` waits for more then."""
