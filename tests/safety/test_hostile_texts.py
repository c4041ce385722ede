"""Whatever text a model or a repository brings: to judge it takes time in proportion to its length.
No time is asserted, only that twice the text does not take much more than twice the time."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from agent_tui.safety import git_config, permissions, policy, repository_check
from agent_tui.safety.process.output_capture import Captured, find_refusal
from agent_tui.safety.sandbox.network_hosts import named_hosts
from agent_tui.safety.secrets import env_files, secret_files
from agent_tui.safety.secrets.formats import FORMATS
from agent_tui.safety.secrets.scrubber import hide_secrets
from agent_tui.safety.shell import hard_list
from agent_tui.safety.shell.classifier import classify
from agent_tui.settings.table import PermissionSettings
from agent_tui.structures.visible import harmless, readable, visible
from tests.campaigns import WHOLE
from tests.safety import shell_corpus

FLOOR, MOST = 0.02, 3.5
"""Seconds below which nothing is slow, and how much more time twice the text may take. What grows
with the square takes four times as much."""
SURE = 2.6
"""Times as much that need not be measured again."""
LENGTH = 8_000
TRIES = 3

CONFIG_FRAGMENTS = {
    "empty lines": ("[a]", "\n", ""),
    "blanks": ("[a]", " \t", ""),
    "comments": ("", "# \n", ""),
    "escapes": ("[a]\nb = ", "\\t", ""),
    "quotes": ("[a]\nb = ", '"', ""),
    "quoted words": ("[a]\nb = ", '"a"', ""),
    "lines that go on": ("[a]\nb = ", "\\\n", ""),
    "an open section": ("[", "a", ""),
    "a section and blanks": ("[a", " ", "x"),
    "a section in quotes": ('[a "', "\\a", ""),
    "a section and line ends": ("[a", "\n", "x"),
    "blanks before a section": ("[", " ", ""),
    "sections": ("", "[a]", ""),
    "keys": ("[a]\n", "b\n", ""),
    "a key and blanks": ("[a]\nb", " ", "\0"),
    "a long key": ("[a]\n", "b", "\0"),
    "carriage returns": ("[a]\nb = ", "\r", ""),
    "submodules": ("", '[submodule "a"]\n\tpath = b\n', ""),
    "keys of a long section": (f'[a "{"b" * 4_000}"]\n', "c\n", ""),
}

FRAGMENTS = (
    *(
        "a ",
        "a/",
        "*/",
        "*/* ",
        "../",
        "/",
        "//",
        "./",
        ".",
        "{a,b}",
        "{a,",
        "~/",
        "$x",
        "$x/",
        "${x}",
    ),
    *("\\", "\\/", '\\"', "\\ ", '"', "''", "'\"", "[", "[-", "-", "--a ", "-c ", "-C a ", "a=b "),
    *(
        "\n",
        "\t",
        " ",
        ";",
        "a;",
        "a|",
        "(",
        ")",
        "$(",
        "`",
        "<(",
        "< a ",
        "<<A\n",
        "#",
        ":(){",
        "a(){a|a;",
    ),
    *(
        "x=$x$x;",
        'x="$x$x";',
        "x=a;",
        "cd a;",
        "git status;",
        "s/a/b/;",
        "s/a/b/e;",
        "1e ls;",
        "{print}",
    ),
    *(
        "sudo ",
        "env ",
        "runuser ",
        "xargs ",
        "find -exec ",
        "-exec a ",
        "-exec a ; ",
        "-x ",
        "-e x ",
    ),
    *("bash -c ", "echo a | sh;", "eval ", "curl http://a.example ", "-c alias.a=!b ", "é", "\x1b"),
)
PLACES = (
    *(
        "{}",
        "'{}'",
        '"{}"',
        "$({})",
        "echo $({})",
        "cd a; {}",
        "cd a; rm -rf $({})",
        "git status; {}",
    ),
    *(
        "rm -rf {}",
        "rm -rf '{}'",
        "mv {} x",
        "sed '{}' x",
        "awk '{}' x",
        "find . {}",
        "find -exec {}",
    ),
    *(
        "xargs {}",
        "git -c {} status",
        "git {}",
        "foo {}",
        "foo '{}'",
        "x='{}'; rm -rf $x",
        "cat {}",
    ),
    *("bash -c '{}'", "echo '{}' | sh", "sh <<< '{}'", "for x in {}; do rm $x; done", "kubectl {}"),
)
"""Where a fragment stands, again and again."""
EACH = ("rm -rf {}", "sed '{}' x")
"""Where every third one is tried; elsewhere every twelfth, which is another one each time. In a
campaign each is tried everywhere."""
DENIES = permissions.own_rules(PermissionSettings(deny=("run_shell_command(git push *)",)))


def decide(command: str, place: Path, mode: str) -> policy.Decision:
    """As the agent does, with all that takes a command apart."""
    judged = classify(command, (place,))
    roots, limits = (place,), DENIES.limits
    permissions.apply_limits(limits, (), command, judged.calls, roots, {})
    named_hosts(command)
    secret_files.shows_secrets(command)
    facts = policy.Facts("run_shell_command", "execute", (), command, str(place))
    facts = replace(facts, unsure=judged.reason, calls=judged.calls, sandboxed=True)
    return policy.decide(mode, facts, permissions=DENIES)


def seconds(work: Callable[[], object], times: int) -> float:
    """The processor's, the smallest of some."""
    took = []
    for _ in range(times):
        begin = time.process_time()
        work()
        took.append(time.process_time() - begin)
        if took[-1] < FLOOR:
            break
    return min(took)


def repeat(fragment: tuple[str, str, str], length: int) -> str:
    before, repeated, after = fragment
    return before + repeated * (length // len(repeated)) + after


def assert_linear(work: Callable[[int], Callable[[], object]], length: int = LENGTH) -> None:
    """`work` prepares what is done with a text of that length. What takes the square of it does so
    each time; what a busy machine slows down does not."""
    measured: list[tuple[float, float]] = []
    for times, most in ((1, SURE), *((3, MOST),) * TRIES):
        twice = seconds(work(2 * length), times)
        if twice <= FLOOR:
            return
        once = seconds(work(length), times)
        measured.append((round(once, 3), round(twice, 3)))
        if twice <= most * max(once, FLOOR):
            return
    raise AssertionError(f"seconds, and seconds for twice as much: {measured}")


@pytest.mark.parametrize("name", CONFIG_FRAGMENTS)
def test_a_configuration_of_git_is_read_once(name: str) -> None:
    def work(length: int) -> Callable[[], object]:
        text = repeat(CONFIG_FRAGMENTS[name], length)
        return lambda: (git_config.is_plain_config(text), *git_config.parse_config(text))

    assert_linear(work)


@pytest.mark.parametrize("file", [".gitmodules", ".git/config"])
@pytest.mark.parametrize("name", CONFIG_FRAGMENTS)
def test_a_repository_is_judged_at_once(tmp_path: Path, name: str, file: str) -> None:
    place = shell_corpus.build(tmp_path)

    def work(length: int) -> Callable[[], object]:
        (place / file).write_text(repeat(CONFIG_FRAGMENTS[name], length))
        return lambda: repository_check.check_repository(place)

    assert_linear(work)


def test_what_is_too_long_to_be_read_for_certain_asks(tmp_path: Path) -> None:
    place = shell_corpus.build(tmp_path)
    modules = place / ".gitmodules"
    modules.write_text("[a]\n" + "\n" * 40_000)
    assert "cannot be read for certain" in repository_check.check_repository(place)
    modules.write_text('[submodule "a"]\n' + "\tpath = b\n" * 101)
    assert "too many submodules" in repository_check.check_repository(place)
    modules.write_text(f'[submodule "{"a" * 5_000}"]\n\tpath = b\n')
    assert "cannot be read for certain" in repository_check.check_repository(place)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shell_corpus.build(tmp_path_factory.mktemp("project"))


@pytest.mark.parametrize("where", PLACES)
def test_a_command_is_judged_in_proportion_to_its_length(project: Path, where: str) -> None:
    slow, at = [], PLACES.index(where)
    every = 1 if WHOLE else 3 if where in EACH else 12
    for fragment in FRAGMENTS[at % every :: every]:

        def work(length: int, fragment: str = fragment) -> Callable[[], object]:
            text = where.replace("{}", fragment * (length // len(fragment)))
            return lambda: decide(text, project, "accept-all")

        try:
            assert_linear(work)
        except AssertionError as error:
            slow.append(f"{fragment!r}: {error}")
    assert not slow, slow


@pytest.mark.parametrize("mode", ["auto", "accept-all"])
@pytest.mark.parametrize(
    "nest",
    ["cd a; foo $({}) $({})", "$({})", "find -exec {}", "bash -c '{}'", 'x="$x$x"; {}', "sudo {}"],
)
def test_no_nesting_multiplies(project: Path, nest: str, mode: str) -> None:
    """Twice as deep is twice the text, or more of it."""

    def work(depth: int) -> Callable[[], object]:
        text = "git status; true"
        for _ in range(depth):
            text = nest.replace("{}", text)[:20_000]
        return lambda: decide(text, project, mode)

    for depth in (4, 8, 16):
        assert_linear(work, depth)


def test_values_that_double_ask(project: Path) -> None:
    """Each command fits in a line, and its words in no memory."""
    assert hard_list.reason("x=a;" + 'x="$x$x";' * 28 + "true")
    for text in ('x="$x$x";' * 40 + "git push", "x=a;" + "x=$x$x;" * 40 + "$x"):
        assert decide(text, project, "accept-all").verdict != "allow"


def test_a_rule_finds_what_find_starts_in_what_find_starts(project: Path) -> None:
    for text in (
        "find -exec " * 24 + "git push",
        "find . -exec fd -x git push \\;",
        "find . -name -exec -exec git push o \\;",
        "find . -exec echo \\; -exec sudo git push \\;",
    ):
        assert decide(text, project, "accept-all").verdict == "refuse", text


ANCHORS = sorted({anchor for _, anchor, _ in FORMATS if anchor})
OUTPUTS = (
    "-",
    " ",
    "\n",
    "=",
    "://",
    "a:",
    "a@",
    "/",
    "x=",
    '"',
    "'",
    "\\",
    ".",
    "key=",
    "#",
    "\t",
)


@pytest.mark.parametrize("of_secrets", [False, True])
def test_a_text_is_looked_through_for_secrets_once(of_secrets: bool) -> None:
    for fragment in (*ANCHORS, *(f"-{one}" for one in ANCHORS), *OUTPUTS):

        def work(length: int, fragment: str = fragment) -> Callable[[], object]:
            text = fragment * (length // len(fragment))
            return lambda: (hide_secrets(text, of_secrets), *env_files.values_in(f"A={text}"))

        assert_linear(work, 10_000)


WRITTEN = (
    *("a\b", "\b", "a\r", "\r\n", "\x1b[", "\x1b[0;", "\x1b]", "\x1b ", "\x1bP", "\x9b", "\x9b0"),
    *("\x9d", "\x90", "\x98", "\x9d\x90", "\x9d\x07", "\u200b", "a\u0301", "\u202e", "E   "),
)
"""What a program may write to a terminal, without an end."""
HALVES = (("a", "\b"), ("\x1b[", "0"), ("\x9d", "a"), ("a", "\r"), ("\x1b", " "))


def take_output(text: str) -> str:
    """As the output of a command comes, is kept, shown and copied."""
    captured = Captured(50_000, None)
    data = text.encode()
    for at in range(0, len(data), 65_536):
        captured.feed(data[at : at + 65_536])
    captured.feed(b"", final=True)
    find_refusal("ls | cat", 1, text)
    return visible(captured.text(), overwrite=True) + harmless(text) + readable(text)


@pytest.mark.parametrize("fragment", [*WRITTEN, *HALVES], ids=ascii)
def test_output_is_read_in_proportion_to_its_length(fragment: str | tuple[str, str]) -> None:
    def work(length: int) -> Callable[[], object]:
        if isinstance(fragment, str):
            text = fragment * (length // len(fragment))
        else:
            text = "".join(part * (length // 2 // len(part)) for part in fragment)
        return lambda: take_output(text)

    assert_linear(work, 30_000)
