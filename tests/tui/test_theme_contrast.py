"""Every shipped theme can be read, by every eye, with all colours and with 256."""

from __future__ import annotations

import asyncio
from colorsys import rgb_to_hsv
from dataclasses import replace

import pytest
from rich.color import Color, ColorSystem

from agent_tui.paths import shipped_folder
from agent_tui.structures.terminal_facts import TYPE_CHECKING
from agent_tui.tui.widgets.theme import Theme, load_theme, names
from tests.tui.seeing import apart, contrast, ratio
from tests.tui.story import still
from tests.tui.story import told as story

if TYPE_CHECKING:
    from agent_tui.structures.terminal_facts import Depth

THEMES = [shipped_folder("themes")]
COLOURED = [name for name in names(THEMES) if name not in ("ansi", "no-colour")]
SAYING = ("accent", "good", "warning", "bad")
CODE = ("keyword", "string", "number", "name", "type", "comment")
WORDS = (
    "dim",
    "thinking",
    "turn",
    "turn.bad",
    "tool.note",
    "tool.output",
    "tool.more",
    "notice.info",
    "notice.hint",
    "quote",
    "divider",
    "user.note",
    "link.target",
)
BESIDE = (
    "tool.time",
    "tool.mark",
    "diff.number",
    "diff.hunk",
    "match.number",
    "code.label",
    "stamp",
)
"""Numbers and marks beside words."""


def told(colour: str) -> str:
    """What a terminal of 256 colours gets for `colour`."""
    red, green, blue = Color.parse(colour).downgrade(ColorSystem.EIGHT_BIT).get_truecolor()
    return f"#{red:02x}{green:02x}{blue:02x}"


def hue(colour: str) -> float:
    return rgb_to_hsv(*(channel / 255 for channel in Color.parse(colour).get_truecolor()))[0]


def theme_of(name: str, depth: Depth = "truecolour") -> Theme:
    """The theme as it is seen."""
    theme = load_theme(name, THEMES, depth)
    if depth == "truecolour":
        return theme
    return replace(
        theme, colours={key: told(value) for key, value in theme.colours.items()}, _styles={}
    )


def colours(name: str, depth: Depth = "truecolour") -> dict[str, str]:
    return dict(theme_of(name, depth).colours)


def test_there_is_a_choice() -> None:
    light = [name for name in COLOURED if not load_theme(name, THEMES).dark]
    assert len(COLOURED) >= 12 and len(light) >= 4


@pytest.mark.parametrize("name", COLOURED)
def test_contrast(name: str) -> None:
    c = colours(name)
    for ground in ("background", "surface", "panel", "prompt", "code"):
        assert ratio(c["text"], c[ground]) >= 7, ground
        assert ratio(c["muted"], c[ground]) >= 4.5, ground
    for ground, least in (
        ("selection", 4.5),
        ("added", 5.5),
        ("removed", 5.5),
        ("added-word", 4.5),
    ):
        assert ratio(c["text"], c[ground]) >= least, ground
    assert ratio(c["text"], c["removed-word"]) >= 4.5
    assert ratio(c["faint"], c["background"]) >= 3.5
    for one in (*SAYING, *CODE):
        assert min(ratio(c[one], c["background"]), ratio(c[one], c["code"])) >= 4.4, one


@pytest.mark.parametrize("name", COLOURED)
def test_code_can_be_read_in_a_diff(name: str) -> None:
    c = colours(name)
    for one in (
        *CODE,
        "muted",
        "warning",
    ):  # operators are muted, decorators have the warning's colour
        assert min(ratio(c[one], c["added"]), ratio(c[one], c["removed"])) >= 4.5, one
        assert min(ratio(c[one], c["added-word"]), ratio(c[one], c["removed-word"])) >= 3, one
    assert min(ratio(c["faint"], c["added"]), ratio(c["faint"], c["removed"])) >= 3, (
        "the numbers of the lines"
    )


@pytest.mark.parametrize("name", COLOURED)
def test_what_is_selected_or_found_can_be_read(name: str) -> None:
    theme = load_theme(name, THEMES)
    for one in ("text", "thinking", "code.comment", "diff.number", "tool.time"):
        assert contrast(theme.base + theme.style(f"{one} selection")) >= 4.5, one
    for one in ("new", "search.current"):
        assert contrast(theme.base + theme.style(one)) >= 4.5, one


@pytest.mark.parametrize("name", COLOURED)
@pytest.mark.parametrize("depth", ["truecolour", "256"])
def test_words_can_be_read_and_what_is_beside_them_seen(name: str, depth: Depth) -> None:
    theme = theme_of(name, depth)
    for one in WORDS:
        assert contrast(theme.base + theme.style(one)) >= 4.5, one
    for one in BESIDE:
        assert contrast(theme.base + theme.style(one)) >= 3, one
    for ground in ("added", "removed"):
        assert contrast(theme.base + theme.style(f"diff.{ground} diff.number")) >= 3, ground
    for one in ("muted", *SAYING):  # sheets and lists
        assert ratio(theme.colours[one], theme.colours["panel"]) >= 4.5, one


@pytest.mark.parametrize("name", ["high-contrast-dark", "high-contrast-light"])
def test_high_contrast_is_high(name: str) -> None:
    c = colours(name)
    for one in ("text", "muted", *SAYING, *CODE):
        assert ratio(c[one], c["background"]) >= 7, one
    assert ratio(c["faint"], c["background"]) >= 4.5 and ratio(c["border"], c["background"]) >= 4.5


@pytest.mark.parametrize("name", COLOURED)
@pytest.mark.parametrize("depth", ["truecolour", "256"])
def test_good_and_bad_are_apart_for_every_eye(name: str, depth: Depth) -> None:
    c = colours(name, depth)
    assert apart(c["good"], c["bad"]) >= 10
    if depth == "truecolour":
        assert apart(c["added"], c["removed"]) >= 5
    assert apart(c["added-word"], c["removed-word"]) >= 10
    least = 4 if depth == "truecolour" else 3.5  # one step of the greys
    assert (
        apart(c["added"], c["background"]) >= least
        and apart(c["removed"], c["background"]) >= least
    )
    assert apart(c["added"], c["added-word"]) >= 4 and apart(c["removed"], c["removed-word"]) >= 4


@pytest.mark.parametrize("name", COLOURED)
def test_with_256_colours_changed_lines_are_grey_and_their_signs_coloured(name: str) -> None:
    theme = theme_of(name, "256")
    for side, colour in (("added", "good"), ("removed", "bad")):
        ground = Color.parse(theme.colours[side]).get_truecolor()
        assert len(set(ground)) == 1
        sign = theme.style(f"diff.{side} diff.{side}.sign")
        assert sign.color == Color.parse(theme.colours[colour]) and contrast(sign) >= 3


@pytest.mark.parametrize("name", COLOURED)
@pytest.mark.parametrize("side", ["added", "removed"])
def test_with_256_colours_changed_words_can_be_read(name: str, side: str) -> None:
    """The grounds that are there are too strong for the colours of code."""
    theme = theme_of(name, "256")
    for one in ("keyword", "string", "number", "name", "type", "comment", "operator", "meta"):
        look = theme.base + theme.style(f"code.{one} diff.{side} diff.{side}.word")
        assert contrast(look) >= 4.5, one


@pytest.mark.parametrize("name", COLOURED)
def test_with_256_colours(name: str) -> None:
    c = colours(name, "256")
    assert ratio(c["text"], c["background"]) >= 7 and ratio(c["muted"], c["background"]) >= 4.5
    for ground in ("added", "removed", "added-word", "removed-word", "selection"):
        assert ratio(c["text"], c[ground]) >= 4.5, ground
    for one in (*SAYING, *CODE):
        assert min(ratio(c[one], c["background"]), ratio(c[one], c["panel"])) >= 4.5, one


@pytest.mark.parametrize("name", COLOURED)
def test_with_256_colours_a_red_stays_red(name: str) -> None:
    """What has to be darker to be read is no other colour."""
    full, few = colours(name), colours(name, "256")
    turn = abs(hue(full["bad"]) - hue(few["bad"]))
    assert min(turn, 1 - turn) <= 0.06
    assert len({few[one] for one in SAYING}) == len(SAYING)


@pytest.mark.parametrize("name", COLOURED)
@pytest.mark.parametrize("depth", ["truecolour", "256"])
def test_grounds_that_are_raised_are_seen(name: str, depth: Depth) -> None:
    c = colours(name, depth)
    assert (
        len({c["background"], c["panel"], c["border"]})
        == len({c["background"], c["panel"], c["selection"]})
        == 3
    )


@pytest.mark.parametrize("name", ["dark", "light"])
def test_the_words_in_the_empty_prompt_can_be_read(name: str) -> None:
    async def seen() -> float:
        app = still(story(), name)
        async with app.run_test() as pilot:
            await pilot.pause()
            return contrast(app.regions.prompt.get_component_rich_style("text-area--placeholder"))

    assert asyncio.run(seen()) >= 4.5
