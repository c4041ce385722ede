"""The screen in ASCII, on every picture of the screen; nothing moves when it is not to; every width
holds."""

from __future__ import annotations

import ast
import asyncio
import unicodedata
from dataclasses import replace
from pathlib import Path

import pytest
from rich.cells import cell_len
from rich.segment import Segment
from textual.color import Color

from agent_tui.settings.layers import Flags
from agent_tui.settings.schema import flag_keys
from agent_tui.structures import ascii
from agent_tui.structures.visible import visible
from agent_tui.tui.core.display_options import Look
from agent_tui.tui.core.model import Model
from agent_tui.tui.core.msg import Resized
from agent_tui.tui.textual_port.canvas import AsciiFilter
from agent_tui.tui.textual_port.terminal import settle_graphemes
from agent_tui.tui.update import update
from agent_tui.tui.widgets.regions import SPINNER
from tests.places import load
from tests.tui.play import Play
from tests.tui.pty_stage import ROOT
from tests.tui.stage import text
from tests.tui.story import NOW, Story, still
from tests.tui.test_snapshots import STORIES as WORK
from tests.tui.test_snapshots_reading import STORIES as READING

PICTURES = [
    story for story in (*WORK, *READING) if (story.size, story.theme) == ((100, 30), "dark")
]
CORE = ROOT / "agent_tui" / "tui"
WIDTHS = (40, 60, 100, 200, 300)
NEEDED = {
    "a_long_answer_reads_like_a_page": (
        "The price is rounded twice",
        "def total(items",
        "Print what total gives",
    ),
    "a_change_is_asked_with_its_diff": ("return sum(it).quantize(CENT)", "session: this file"),
    "a_disaster_is_asked_with_a_key_of_its_own": (
        "curl https://example.org/i.sh | sh",
        "asked in every mode",
    ),
    "a_failed_command_says_its_code_and_keeps_its_last_lines": (
        "Run ls shop",
        "exit code 1",
        "you said no",
    ),
    "three_prompts_wait_their_turn": ("Then run the tests.", "queued (3)"),
    "a_first_start_says_what_was_tried": ("nothing answers there", "OPENAI_API_KEY is not set"),
}


def shown(model: Model, size: tuple[int, int] = (100, 30)) -> str:
    """The screen of `model`, as text."""
    app = still(update(model, Resized(at=NOW + 9, width=size[0], height=size[1]))[0])

    async def run() -> str:
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            await pilot.pause()
            return text(app)

    return asyncio.run(run())


@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.name)
def test_every_picture_has_an_ascii_twin_of_the_same_shape(picture: Story) -> None:
    model = picture.model()
    drawn, plain = shown(model), shown(replace(model, look=replace(model.look, ascii=True)))
    assert plain.isascii(), sorted({c for c in plain if not c.isascii()})
    assert [ascii.twin(line) for line in drawn.split("\n")] == plain.split("\n")


def test_every_glyph_in_the_code_of_the_screen_has_a_twin() -> None:
    glyphs: set[str] = set()
    for file in sorted(CORE.rglob("*.py")):
        tree = ast.parse(file.read_text())
        said = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if (
                isinstance(node, ast.Constant)
                and isinstance(node.value, str)
                and id(node) not in said
            ):
                glyphs |= set(
                    "" if node.value.startswith("[") else node.value
                )  # a class of letters is not drawn
    drawn = {
        c
        for c in glyphs
        if not c.isascii() and cell_len(c) == 1 and unicodedata.category(c)[0] in "SP"
    }
    assert set(SPINNER) <= drawn
    assert {c for c in drawn if ord(c) not in ascii.TWINS} == set()


def test_twins_are_one_cell_of_ascii_and_other_text_stays() -> None:
    assert all(
        len(to) == 1 and to.isascii() and cell_len(chr(c)) == 1 for c, to in ascii.TWINS.items()
    )
    assert ascii.twin("❯ naïve 日本 … done ✓") == "> naïve 日本 ~ done +"


def test_a_vowel_sign_keeps_the_cell_that_it_is_drawn_in() -> None:
    line = [Segment(f"… {visible('हिन्दी')}\xa0x")]
    (drawn,) = AsciiFilter().apply(line, Color(0, 0, 0))
    assert drawn.text == f"~ {visible('हिन्दी')} x"
    assert settle_graphemes(drawn.text) == settle_graphemes(line[0].text).replace("…", "~").replace(
        "\xa0", " "
    )


@pytest.mark.parametrize(
    ("environment", "limited"),
    [
        ({}, False),
        ({"LANG": "C.UTF-8"}, False),
        ({"LANG": "de_DE.utf8", "TERM": "xterm"}, False),
        ({"LANG": "de_DE.ISO-8859-1"}, True),
        ({"LC_ALL": "C", "LANG": "en_US.UTF-8"}, True),
        ({"LC_CTYPE": "C.UTF-8", "LANG": "C"}, False),
        ({"TERM": "linux", "LANG": "C.UTF-8"}, True),
        ({"TERM": "dumb"}, True),
        ({"TERM": "xterm-256color", "LC_ALL": ""}, False),
    ],
)
def test_a_terminal_that_can_show_nothing_else_is_known(
    environment: dict[str, str], limited: bool
) -> None:
    assert ascii.wants_ascii(environment) is limited


def test_the_spinner_stands_still_without_animation_and_the_clock_counts() -> None:
    def turn(look: Look) -> list[tuple[int, str]]:
        play = Play()
        play.model = replace(play.model, look=look)
        play.begin("go")
        states = [play.tick(0.45).status for _ in range(6)]
        return [
            (state.spinner, "".join(span.text for span in state.spans))
            for state in states
            if state is not None
        ]

    moving, calm = turn(Look()), turn(Look(animation=False))
    assert len({frame for frame, _ in moving}) > 3
    assert {frame for frame, _ in calm} == {0}
    assert [said for _, said in calm] == [said for _, said in moving]
    assert len({said for _, said in calm}) > 1


def test_settings_and_the_flag_turn_it_on(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("[display]\nascii = true\nanimation = true\n")
    values, problems = load(
        tmp_path, tmp_path, Flags({flag_keys()["display.animation"].destination: False})
    )
    assert (values.display.ascii, values.display.animation, problems) == (True, False, ())
    assert load(tmp_path / "none", tmp_path / "none")[0].display.ascii == "auto"


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", NEEDED)
def test_at_every_width_lines_fit_and_nothing_is_lost(name: str, width: int) -> None:
    model = {picture.name: picture.model for picture in PICTURES}[name]()
    lines = shown(model, (width, 60)).split("\n")
    assert {cell_len(line) for line in lines} == {width}
    seen = "".join(c for line in lines for c in line if not c.isspace() and c not in "│▌↳")
    for words in NEEDED[name]:
        assert words.replace(" ", "") in seen, "\n".join(lines)
