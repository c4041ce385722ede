"""Whatever a terminal sends, cut anywhere, with any pause in each cut: nothing is typed or sent
that nobody typed, and what was pasted arrives exactly once."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import combinations, pairwise
from pathlib import Path

import pytest
from textual import events

from agent_tui.tui.textual_port.terminal import ESCAPE_DELAY
from tests.tui.pty_stage import ROOT, Pty
from tests.tui.test_key_cuts import ANSWERS, KEYS, TOLD
from tests.tui.test_key_halves import END, START, Line

GAPS = (0.02, 0.055, 0.07, 0.11, 0.15, 0.3, 0.6, 0.95, 1.2)
HUMAN = 0.2
"""Seconds from one key of a person to the next."""
PASTES = {
    "a command": f"{START}!touch ran\r{END}",
    "lines": f"{START}one\rtwo\r{END}",
    "one letter": f"{START}y{END}",
    "nothing": START + END,
    "two": f"{START}one\r{END}{START}!two\rthree{END}",
    "Enter behind it": f"{START}!ls\rtwo{END}\r",
    "two and Enter": f"{START}a\rb{END}{START}c\rd{END}\r",
}
REPORTS = (
    "\x1b[<35;20;10M",
    "\x1b[<0;20;10m",
    "\x1b[<64;1;1M\x1b[<65;1;1M",
    "\x1b[I",
    "\x1b[O",
    "\x1b[O\x1b[I",
)


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Line]]:
    """Lines of a program that waits for what follows an ESC as long as this one does."""
    monkeypatch.setattr("textual.constants.ESCAPE_DELAY", ESCAPE_DELAY)
    yield type("Fresh", (Line,), {"__init__": lambda line: Line.__init__(line, monkeypatch)})


def sent(line: Line, data: str, cut: tuple[int, ...], gap: float) -> Line:
    """`line` after a person typed `x`, `data` came in these pieces, and the person typed `z`."""
    line.send("x").wait(1)
    for begin, end in pairwise((0, *cut, len(data))):
        line.send(data[begin:end]).wait(gap)
    return line.wait(3).send("z")


def keys(line: Line) -> list[str]:
    """What was pressed, but for what types nothing and does nothing to a prompt."""
    return [said for said in line.said if isinstance(said, str) and said not in TOLD]


def pairs(data: str) -> Iterator[tuple[int, int]]:
    """Two cuts, but for a single character between them: that is what a key sends."""
    return ((one, two) for one, two in combinations(range(1, len(data)), 2) if two - one > 1)


@pytest.mark.parametrize("gap", GAPS)
@pytest.mark.parametrize("paste", PASTES)
def test_a_paste_is_a_paste_wherever_it_is_cut(fresh: type[Line], paste: str, gap: float) -> None:
    data = PASTES[paste]
    text = data.replace(START, "").replace(END, "")
    for cut in (*((at,) for at in range(1, len(data))), *pairs(data)):
        line = sent(fresh(), data, cut, gap)
        pressed = keys(line)
        if data.endswith("\r") and len(data) - 1 in cut and gap >= 0.05:
            assert pressed.count("enter") == 1, "a person may press it so long after a paste"
            pressed.remove("enter")
        alone = [data[at] for at in (cut[-1],) if at == len(data) - 1 and data[at] not in "~\r"]
        assert pressed == ["x", *alone, "z"], (data, cut, line.said)
        came = "".join(said[0] for said in line.said if isinstance(said, list))
        assert came.removesuffix("\r") == text.removesuffix("\r"), (data, cut, line.said)


@pytest.mark.parametrize("gap", GAPS)
@pytest.mark.parametrize("data", [*KEYS, *REPORTS])
def test_a_key_or_a_report_types_nothing_wherever_it_is_cut(
    fresh: type[Line], data: str, gap: float
) -> None:
    for cut in (*((at,) for at in range(1, len(data))), *pairs(data)):
        if cut[0] == 1 and (len(data) - cut[-1] == 1 or data[1] == "O"):
            continue  # a letter alone, or a word: that may have been typed
        line = sent(fresh(), data, cut, gap)
        assert [one for one in keys(line) if one != KEYS.get(data)] == ["x", "z"], (
            data,
            cut,
            line.said,
        )
        assert keys(line).count(str(KEYS.get(data))) <= 1


@pytest.mark.parametrize("gap", GAPS)
@pytest.mark.parametrize("answer", ANSWERS)
def test_an_answer_types_nothing_wherever_it_is_cut(
    fresh: type[Line], answer: str, gap: float
) -> None:
    for cut in (*((at,) for at in range(1, len(answer))), *pairs(answer)):
        if len(cut) == 2 and (len(answer) - cut[1] == 1 or cut[0] == 1):
            continue
        line = sent(fresh(), answer, cut, gap)
        assert keys(line) == ["x", "z"], (answer, cut, line.said)


@pytest.mark.parametrize("row", ["{}y", "y{}", "y{}z{}"])
@pytest.mark.parametrize("answer", ANSWERS)
def test_an_answer_right_behind_a_paste_types_nothing(
    fresh: type[Line], answer: str, row: str
) -> None:
    line = fresh().send(f"{START}fix the bug{END}{row.format(answer, answer)}").wait(3)
    typed = "".join("".join(said) for said in line.said if isinstance(said, list | str))
    assert typed == f"fix the bug{row.format('', '')}", line.said


@pytest.mark.parametrize("gap", [0.055, 0.2, 1.2, 40.0])
@pytest.mark.parametrize(
    "mark",
    ["\x1b|[200~", "\x1b|[20|0~", "\x1b|[|200~", "\x1b|[|2|0|0|~", "\x1b[|200|~", "\x1b[2|00|~"],
)
def test_the_mark_of_a_paste_begins_one_however_it_comes(
    fresh: type[Line], mark: str, gap: float
) -> None:
    for body in ("!touch ran\r", "one\rtwo\r", "y\r", "\r"):
        line = fresh()
        for piece in mark.split("|"):
            line.send(piece).wait(gap)
        line.send(f"{body}{END}").wait(2).send("z")
        assert "enter" not in line.said
        assert [said for said in line.said if isinstance(said, list)] == [[body]]


def test_the_rest_of_a_paste_that_stalled_around_one_letter_sends_nothing(
    fresh: type[Line],
) -> None:
    line = (
        fresh()
        .send(f"{START}on")
        .wait(1.2)
        .send("e")
        .wait(1.2)
        .send(f"\rtwo\r{END}")
        .wait(2)
        .send("z")
    )
    assert line.said == [["on"], "e", ["\rtwo\r"], "z"]


@pytest.mark.parametrize("gap", [0.12, 0.5, 1.9])
@pytest.mark.parametrize(
    "reads",
    [
        "[|A",
        "[|I",
        "[|O|h",
        "[A-Z]",
        "[AB",
        "[I think",
        "[1] see",
        "[1|] see",
        "[12|a",
        "[<3",
        "[<3| you",
        "[1;|2",
        "OH",
        "OR",
        "Open",
        "[x]",
        "[",
        "[]",
        "[2026",
        "1;5C",
        "A",
        "[200",
        "<35;20;10M",
        "[?",
    ],
)
def test_what_a_person_types_or_pastes_behind_esc_is_kept(
    fresh: type[Line], reads: str, gap: float
) -> None:
    line = fresh().send("\x1b").wait(gap)
    for read in reads.split("|"):
        line.send(read).wait(HUMAN)
    line.wait(3)
    whole = fresh()
    for letter in reads.replace("|", ""):
        whole.send(letter)
    assert line.said == ["escape", *whole.said]


def test_a_report_long_after_esc_is_text_that_came(fresh: type[Line]) -> None:
    line = fresh().send("\x1b").wait(5).send("[A").wait(3)
    assert line.said == ["escape", "left_square_bracket", "A"]


def test_the_rest_of_reports_that_came_together_types_nothing_and_the_keys_behind_them_act(
    fresh: type[Line],
) -> None:
    line = fresh().send("\x1b").wait(0.3).send("[<35;20;10M\x1b[<35;21;10M\x1b[Aab").wait(1)
    assert line.said == ["escape", events.MouseMove, "up", "a", "b"]


@pytest.mark.parametrize(
    "pieces", [("\x1b]4;1", ";", "rgb:00/11/22\x07"), ("\x1b]11;rgb:1e", "1", "e/1e1e/1e1e\x07")]
)
@pytest.mark.parametrize("first", [0.5, 0.95, 1.2])
@pytest.mark.parametrize("second", [0.06, 0.5, 0.9])
def test_one_character_of_an_answer_that_is_owed_types_nothing(
    fresh: type[Line], pieces: tuple[str, str, str], first: float, second: float
) -> None:
    line = fresh()
    line.parser.asked = line.now
    line.send(pieces[0]).wait(first).send(pieces[1]).wait(second).send(pieces[2]).wait(2).send("z")
    assert keys(line) == ["z"]


def test_one_character_after_the_beginning_of_an_answer_is_kept_where_no_more_comes(
    fresh: type[Line],
) -> None:
    line = fresh()
    line.parser.asked = line.now
    line.send("\x1b]4;1").wait(1.2).send(";").wait(2)
    assert line.said == ["semicolon"]


@pytest.mark.parametrize("gap", [0.07, 0.3])
def test_a_command_that_is_pasted_in_halves_does_not_run_in_a_real_terminal(
    tmp_path: Path, gap: float
) -> None:
    place = {
        "AGENT_TUI_HOME": str(tmp_path / "home"),
        "HOME": str(tmp_path),
        "PYTHONPATH": str(ROOT),
        "LC_ALL": "C.UTF-8",
        "TERM": "xterm-256color",
        "TMUX": "",
        "STY": "",
    }
    pty, ran = Pty(["-m", "agent_tui", "--demo", "--cwd", str(tmp_path)], place), tmp_path / "ran"
    try:
        pty.until("Enter send")
        for rest in ("[<35;20;10M", "[I", "[A", f"[200~!touch {ran}\r{END}"):
            pty.type("\x1b")
            end = time.monotonic() + gap
            while (left := end - time.monotonic()) > 0:
                pty.read(left)
            pty.type(rest)
            pty.read(0.3)
        pty.until("touch")
        pty.read(1.0)
        assert not ran.exists()
        assert not any(rest in pty.text for rest in ("[<35", "[I", "[A", "200~"))
    finally:
        pty.close()
