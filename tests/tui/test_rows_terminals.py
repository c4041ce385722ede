"""Text that terminals measure differently never breaks a row: pyte and tmux draw the same, column
by column."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pyte
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from agent_tui.structures.visible import visible
from agent_tui.tui.textual_port.terminal import settle_graphemes
from tests.campaigns import examples
from tests.tui.pty_stage import ROOT, Pty
from tests.tui.tmux_stage import bases, in_tmux

Start = Callable[..., Pty]
PROJECT, SCRIPT = "⚠\ufe0f हिन्दी", "한글\U0001f469\u200d\U0001f4bb.json"
"""They stand in the header."""
CURSOR = re.compile(rb"\x1b\[\d+;\d+H")
CLUSTERS = {
    "wide": "漢字かな한글ｶﾅＡ",
    "jamo": "\u1112\u1161\u11ab \u1161x\u11a8 \ud7b0",
    "devanagari": "हिन्दी काम क्षि क्\u200dष",
    "tamil bengali": "க்ஷொ কো ৌ",
    "sinhala khmer": "ශ්\u200dරී ខ្មែរ မြန်မာ",
    "thai lao": "ที่น้ำกำ ພາສາ",
    "zalgo": "Z" + "\u0316\u0300\u0489" * 12 + "e\u0301",
    "kana marks": "か\u3099ハ\u309aﾊﾟ",
    "families": "👩\u200d💻 👨\u200d👩\u200d👧\u200d👦 ❤\ufe0f\u200d🔥 🏳\ufe0f\u200d🌈",
    "selectors": "⚠\ufe0f ❤\ufe0e ☎\ufe0f ©\ufe0f 🛠\ufe0f",
    "keycaps": "1\ufe0f\u20e3 #\ufe0f\u20e3 2\u20e3",
    "flags": "🇩🇪🇫🇷 🇺 🏴\U000e0067\U000e0062\U000e007f",
    "tones": "👍🏽 👩🏿\u200d🚀 🏻",
    "right to left": "שָׁלוֹם עולם مَرْحَبًا می\u200cخواهم ﷺ",
    "bidi": "a\u202eb\u202c\u2066c\u2069\u200f",
    "zero width": "a\u200bb\u200cc\u00add\ufeffe\u2060f\u034fg\u180eh\u3164i",
    "line ends": "a\x85b\u2028c\u2029d",
    "private": "\ue0b0 \uf8ff \U000f0000",
    "unassigned": "\u0378 \ufdd0 \U0003fffe \u0b54",
    "symbols": "①②㈱㉈ ½ ☯ ♥ → ▲ 𝔸 𓀀 ⠿ ℃ …",
    "tags of music": "\U0001d158\U0001d165 \U0001d173",
}


def pyte_rows(raw: bytes, size: tuple[int, int]) -> pyte.Screen:
    screen = pyte.Screen(*size)
    pyte.ByteStream(screen).feed(raw)
    return screen


def same(screen: pyte.Screen, raw: bytes, folder: Path) -> list[str]:
    """The rows, which must be the same in tmux."""
    rows = [bases("".join(cells(screen, y))) for y in range(screen.lines)]
    there = [bases(row) for row in in_tmux(raw, (screen.columns, screen.lines), folder)]
    assert [pair for pair in zip(rows, there, strict=True) if pair[0] != pair[1]] == []
    return rows


def cells(screen: pyte.Screen, y: int) -> Iterator[str]:
    """What stands in each column, without marks; nothing where a wide character goes on."""
    wide = False
    for x in range(screen.columns):
        yield "" if wide else column(screen, y, x)
        wide = not wide and cell_len(column(screen, y, x)) == 2


def column(screen: pyte.Screen, y: int, x: int) -> str:
    return screen.buffer[y][x].data[:1]  # the marks of what stood there stay with it


# ---------------------------------------------------------------------------------- the text itself


def framed(texts: list[str], width: int) -> bytes:
    """Each text, as it is laid out and sent to a terminal, in a row that ends with a border."""
    rows = []
    for number, text in enumerate(texts):
        shown = visible(text).replace("\n", "⏎").replace("\t", " ")
        while cell_len(shown) > width - 2:
            shown = shown[:-1]
        space = " " * (width - 2 - cell_len(shown))
        rows.append(f"\x1b[{number + 1};1H{settle_graphemes(f'│{shown}{space}│')}")
    return "".join(rows).encode("utf-8", "replace")


def check(texts: list[str], width: int, folder: Path) -> None:
    raw = framed(texts, width)
    screen = pyte_rows(raw, (width, len(texts)))
    same(screen, raw, folder)
    assert {(column(screen, y, 0), column(screen, y, width - 1)) for y in range(len(texts))} == {
        ("│", "│")
    }


def test_every_kind_stands_in_its_columns(tmp_path: Path) -> None:
    check([f"{name}: {text} end" for name, text in CLUSTERS.items()], 100, tmp_path)


UNSHRUNK = (Phase.explicit, Phase.reuse, Phase.generate)
"""A failing row is told by itself, and each example costs a run of tmux."""
_PIECES = st.one_of(
    st.sampled_from(sorted({word for text in CLUSTERS.values() for word in text.split(" ")})),
    st.sampled_from(sorted(set("".join(CLUSTERS.values())))),
    st.characters(max_codepoint=0x33FF).filter(lambda c: cell_len(c) == cell_len(c, "10.0.0")),
)


@settings(
    max_examples=examples(15),
    deadline=None,
    phases=UNSHRUNK,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.lists(st.lists(_PIECES, max_size=40).map("".join), min_size=60, max_size=60))
def test_any_mix_stands_in_its_columns(tmp_path: Path, texts: list[str]) -> None:
    check(texts, 90, tmp_path)


@pytest.mark.parametrize("picture", ["\U0001fae9", "\U0001fa89", "☰", "\U0001faff"])
def test_a_picture_newer_than_the_terminal_moves_nothing(picture: str) -> None:
    """Terminals of other years draw it wide, narrow or not at all: only the columns are the same."""
    shown = f"│{picture}{picture}│".replace(picture, visible(picture))
    screen = pyte_rows(settle_graphemes(shown).encode(), (20, 1))
    assert column(screen, 0, cell_len(shown) - 1) == "│"


# --------------------------------------------------------------------------------- the real program


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    running: list[Pty] = []

    def starter(size: tuple[int, int]) -> Pty:
        project = tmp_path / PROJECT
        project.mkdir(exist_ok=True)
        (project / "words.txt").write_text("\n".join(CLUSTERS.values()), "utf-8")
        (project / SCRIPT).write_text(json.dumps(script()), "utf-8")
        env = {
            "PYTHONPATH": str(ROOT),
            "AGENT_TUI_HOME": str(tmp_path / "home"),
            "HOME": str(tmp_path),
            "TMUX": "",
            "TERM": "xterm-256color",
            "ESCDELAY": "60",
            "LC_ALL": "C.UTF-8",
        }
        argv = [
            "-m",
            "agent_tui",
            "--no-animation",
            "-m",
            f"scripted/{SCRIPT}",
            "--cwd",
            str(project),
        ]
        pty = Pty(argv, env, size)
        running.append(pty)
        pty.until("Enter send")
        return pty

    yield starter
    for pty in running:
        pty.close()


def script() -> list[list[dict[str, object]]]:
    table = "| kind | text | n |\n|---|---|---|\n" + "".join(
        f"| {n} | {flat(t)} | 1 |\n" for n, t in CLUSTERS.items()
    )
    words = "\n\n".join(flat(text) for text in CLUSTERS.values())
    edit = {"path": "words.txt", "old": CLUSTERS["families"], "new": CLUSTERS["devanagari"]}
    return [
        [{"text": table}],
        [
            {"text": f"{words}\n\n```\n{words}\n```\n"},
            {"call": "read_file", "arguments": {"path": "words.txt"}},
        ],
        [{"call": "edit_file", "arguments": edit}],
        [{"text": "nearly done"}, {"hang": True}],
    ]


def flat(text: str) -> str:
    return text.replace("|", "")


def shown(pty: Pty, folder: Path) -> list[str]:
    """The rows of the screen as it is now, which are the same in tmux; none is longer than the
    screen."""
    for _ in range(
        8
    ):  # what is laid out in parts is whole when nothing more is drawn; a spinner may go on
        if not CURSOR.sub(b"", pty.read(0.2)):
            break
    rows = same(pty.emulator, pty.raw, folder)
    assert max(cell_len(row) for row in rows) <= pty.emulator.columns
    return rows


def answered(pty: Pty) -> None:
    """Take what the dialog offers first. It takes no key for some time."""
    pty.until("waiting for you")
    time.sleep(1.5)
    pty.type("\r")


def edges(pty: Pty, rows: list[str], mark: str, left: str, right: str) -> None:
    """The box that holds `mark` has its edges in one column each, in all of its rows."""
    inside = next(y for y, row in enumerate(rows) if mark in row)
    top = max(y for y in range(inside + 1) if left in rows[y])
    end = min(y for y in range(inside, len(rows)) if right in rows[y])
    xs = [x for x in range(pty.emulator.columns) if column(pty.emulator, end, x) in {"╰", "╯"}]
    assert len(xs) == 2
    assert {column(pty.emulator, y, x) for y in range(top + 1, end) for x in xs} == {"│"}


@pytest.mark.parametrize("width", [40, 60, 80, 120, 200, 300])
def test_the_program_draws_the_same_in_both(start: Start, tmp_path: Path, width: int) -> None:
    pty = start((width, 60))
    words = " ".join(CLUSTERS.values())
    pty.type(f"\x1b[200~{words} last\x1b[201~")
    pty.until("last")
    edges(pty, shown(pty, tmp_path), "last", "╭", "╯")  # the prompt
    pty.type("\r")
    pty.until(lambda text: "completed" in text and "Ask, or type" in text)
    table = shown(pty, tmp_path)
    lines = [
        y
        for y, row in enumerate(
            table[: next(y for y, row in enumerate(table) if "completed" in row)]
        )
        if "│" in row
    ]
    bars = {tuple(x for x in range(width) if column(pty.emulator, y, x) == "│") for y in lines}
    assert len(lines) > 15
    assert len(bars) == 1  # every row of the table has its bars in the same columns
    pty.type("go\r")
    pty.until("yes, once")
    edges(pty, shown(pty, tmp_path), "yes, once", "╭", "╯")  # the question, with its diff
    answered(pty)
    pty.until("nearly done")
    pty.paste(words)
    pty.until("queue")
    shown(pty, tmp_path)
    pty.type("/copy\r")
    pty.until("code 1")
    shown(pty, tmp_path)  # a list of what was said
