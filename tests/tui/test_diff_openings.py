"""The colours of a part of a file (a hunk, a page) are those that it has in the whole file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from agent_tui.protocol.codec import dump, load
from agent_tui.protocol.display import CodeDisplay, DiffDisplay
from agent_tui.protocol.tool_events import ToolEnded
from agent_tui.structures import lexing
from agent_tui.structures.lexing import FOLLOWED
from agent_tui.tools.read_file import TOOL
from agent_tui.tools.support.diff import diff
from agent_tui.tui.markdown.code import highlight
from agent_tui.tui.transcript.diff import PART, diff_lines
from agent_tui.tui.transcript.displays import display_lines
from tests.campaigns import examples
from tests.tools.context import Context, call
from tests.tui.markdown.test_lexing import BITS

FILLER = [f"a = {n}" for n in range(12)]
PYTHON = [
    "def f() -> int:",
    '    """What it does.',
    "    Not a keyword.",
    *FILLER,
    '    """',
    "    return 1",
]
BASH = ["cat > a <<'END'", *FILLER, "if this is text", "END", "echo done"]
SCRIPT = ["const page = `", *FILLER, "return of ${ the + 1 } king", "`;", "let x = 1;"]
COMMENT = ["int a;", "/*", *FILLER, " return of the int", " */", "int b;"]
FILES = {
    "a.py": PYTHON,
    "a.sh": BASH,
    "a.js": SCRIPT,
    "a.ts": SCRIPT,
    "a.c": COMMENT,
    "a.rs": COMMENT,
    "a.go": COMMENT,
}
Characters = list[tuple[str, str]]


def in_file(text: str, name: str) -> list[Characters]:
    return [
        [(letter, run.style) for run in runs for letter in run.text if not letter.isspace()]
        for runs in highlight(text, name)
    ]


def drawn_rows(display: DiffDisplay) -> Iterator[tuple[str, int, Characters]]:
    """Each line of `display` as it is drawn: its mark, its number, its letters."""
    for line in diff_lines(display, 200, cell_len, "unified")[0]:
        number, *rest = line.segments
        if number.text.strip().isdigit():
            letters = [
                (
                    letter,
                    next(
                        (name for name in run.style.split() if name.startswith("code.")),
                        "code.text",
                    ),
                )
                for run in rest[1:]
                for letter in run.text
                if not letter.isspace()
            ]
            yield rest[0].text, int(number.text), letters


def assert_as_in_the_files(name: str, old: list[str], new: list[str]) -> None:
    display = diff(name, "\n".join(old), "\n".join(new))
    whole = {"-": in_file("\n".join(old), name), "+": in_file("\n".join(new), name)}
    for mark, number, letters in drawn_rows(display):
        assert letters == whole["-" if mark == "-" else "+"][number - 1], f"{mark}{number}"


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("at", [-2, -1])
def test_a_change_under_an_open_string_or_comment_is_coloured_as_in_the_file(
    name: str, at: int
) -> None:
    old = FILES[name]
    new = [*old]
    new[at] += " // more" if at == -1 else "x"
    assert_as_in_the_files(name, old, [*old[:-3], "return changed", *old[-2:]])
    assert_as_in_the_files(name, old, new)


def test_each_side_has_its_own_colours() -> None:
    code = ["x = 1", *FILLER, "if x: return x", *FILLER, "if y: return y"]
    assert_as_in_the_files(
        "a.py", code, ['"""', *code[1:13], "if x: return 2", *FILLER, "if y: return 2"]
    )
    assert_as_in_the_files("a.py", ['"""', *code], [*code, "z = 1"])


def test_what_is_stored_is_the_line_that_opened_it() -> None:
    old = "\n".join(PYTHON)
    hunk = diff("a.py", old, old.replace("return 1", "return 2")).hunks[0]
    assert hunk.old_opening == hunk.new_opening == ('    """What it does.',)
    assert diff("a.py", "\n".join(FILLER), "\n".join([*FILLER, "b"])).hunks[0].new_opening == ()
    assert diff("a.unheard", old, old + "x").hunks[0].new_opening == ()


def test_a_file_too_long_to_be_lexed_still_has_a_difference() -> None:
    long = "a = 1\n" * (FOLLOWED // 4)
    display = diff("a.py", f'"""\n{long}', f'"""\n{long}b')
    assert (display.added, display.hunks[0].new_opening) == (1, ())


def test_a_hunk_that_is_drawn_in_parts_goes_on_in_the_next_one() -> None:
    new = ['"""', *(f"a = {n}" for n in range(PART + 9)), '"""', "b = 1"]
    assert_as_in_the_files("a.py", [], new)


def test_a_record_of_an_older_version_is_read() -> None:
    display = DiffDisplay("a.py", diff("a.py", "a", "b").hunks, 1, 1)
    record = dump(ToolEnded("c1", "edit_file", "Edit a.py", "done", display))
    for hunk in record["display"]["hunks"]:
        del hunk["old_opening"], hunk["new_opening"]
    event = load(record)
    assert isinstance(event, ToolEnded) and event.display == display


def test_a_page_of_a_file_is_coloured_as_in_the_file(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("\n".join(PYTHON))
    display = call(TOOL, Context(tmp_path), path="a.py", start_line=4).display
    assert isinstance(display, CodeDisplay)
    whole = in_file("\n".join(PYTHON), "a.py")
    for number, line in enumerate(
        display_lines(display, 100, True, cell_len)[: len(PYTHON) - 3], 4
    ):
        letters = [(c, run.style) for run in line.segments[1:] for c in run.text if not c.isspace()]
        assert letters == whole[number - 1]


@settings(max_examples=examples(60), deadline=None)
@given(st.data())
def test_any_change_of_any_code_is_coloured_as_in_the_file(data: st.DataObject) -> None:
    language, name = data.draw(
        st.sampled_from([("python", "a.py"), ("javascript", "a.js"), ("bash", "a.sh")])
    )
    some = st.lists(st.sampled_from(BITS[language]), max_size=12).map("".join)
    head, gone, came, middle, gone_too, came_too, tail = (data.draw(some) for _ in range(7))
    old, new = (
        f"{head}{one}{middle}{two}{tail}" for one, two in ((gone, gone_too), (came, came_too))
    )
    assert_as_in_the_files(name, old.split("\n"), new.split("\n"))


def test_following_a_file_keeps_the_state_of_reading_it_whole() -> None:
    stepper = lexing.find_stepper("a.js")
    assert stepper is not None
    lines = "".join(BITS["javascript"] * 5).split("\n")
    state = lexing.State()
    for count, line in enumerate(lines, 1):
        _, state = stepper.line(f"{line}\n", state)
        opening = stepper.follow(lines[:count])
        assert (opening[-1][1] if opening else lexing.State()) == state
