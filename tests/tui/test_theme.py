"""Every theme is whole, says what is wrong with it, and can be read."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.color import Color
from rich.style import Style

from agent_tui.paths import shipped_folder
from agent_tui.tui.markdown.lines import DECORATION, STYLES
from agent_tui.tui.widgets.theme import COLOURS, Theme, load_theme, names
from tests.tui.seeing import contrast

THEMES = [shipped_folder("themes")]
SHIPPED = names(THEMES)
COLOURED = [name for name in SHIPPED if name not in ("ansi", "no-colour")]
BODY = [
    "text",
    "dim",
    "code",
    "quote",
    "link",
    "heading.1",
    "heading.2",
    "code.text",
    "code.keyword",
    "code.string",
    "code.number",
    "code.name",
    "code.type",
    "code.comment",
    "diff.added",
    "diff.removed",
    "diff.context",
    "tool.name",
    "tool.label",
    "tool.output",
    "tool.bad",
    "tool.wait",
    "tool.ok",
    "user",
    "user.note",
    "notice.info",
    "notice.warning",
    "notice.error",
    "notice.hint",
    "turn.bad",
    "divider",
    "new",
]


def load(name: str) -> Theme:
    return load_theme(name, THEMES)


def test_the_four_are_there() -> None:
    assert {"dark", "light", "ansi", "no-colour"} <= set(SHIPPED)


@pytest.mark.parametrize("name", SHIPPED)
def test_a_theme_has_every_colour_and_style_and_no_problem(name: str) -> None:
    theme = load(name)
    assert theme.problems == ()
    assert set(theme.colours) == set(COLOURS)
    assert set(theme.specs) == set(STYLES)
    assert all(isinstance(theme.style(style), Style) for style in STYLES)
    assert set(STYLES) >= DECORATION


@pytest.mark.parametrize("name", COLOURED)
@pytest.mark.parametrize("style", BODY)
def test_text_can_be_read(name: str, style: str) -> None:
    theme = load(name)
    grounds = ["", "code.block"] if style.startswith("code.") else [""]
    for ground in grounds:
        look = theme.base + theme.style(ground) + theme.style(style)
        assert contrast(look) >= 4.5, (name, style, ground, round(contrast(look), 2))


@pytest.mark.parametrize("name", COLOURED)
@pytest.mark.parametrize(
    "style", ["code.label", "diff.number", "diff.hunk", "tool.time", "turn", "thinking"]
)
def test_asides_can_be_seen(name: str, style: str) -> None:
    theme = load(name)
    assert contrast(theme.base + theme.style(style)) >= 3.0


def test_ansi_uses_the_terminals_own_colours_only() -> None:
    theme = load("ansi")
    assert theme.ansi
    for style in STYLES:
        look = theme.base + theme.style(style)
        assert all(
            c is None or c.is_default or c.number in range(16) for c in (look.color, look.bgcolor)
        ), style


def test_no_colour_has_no_colour() -> None:
    theme = load("no-colour")
    for style in STYLES:
        look = theme.base + theme.style(style)
        assert look.color is not None and look.color.is_default, style
        assert look.bgcolor is None or look.bgcolor.is_default, style


def test_added_and_removed_differ_without_colour() -> None:
    theme = load("no-colour")
    assert theme.style("diff.added") != theme.style("diff.removed")
    assert theme.style("selection").reverse


def test_styles_add_up() -> None:
    look = load("dark").style("text strong link")
    assert look.bold and look.underline and look.color is not None


def test_a_themes_own_file_and_its_mistakes(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(
        'dark = false\n[colours]\naccent = "#ff0000"\ntext = "reddish"\nnope = "#000000"\n'
        '[styles]\nlink = "bold accent"\nwrong = "bold"\n"heading.1" = "bold sparkly"\n'
    )
    theme = load_theme("mine", [tmp_path, *THEMES])
    light = load("light")
    assert theme.style("link").color == Color.parse("#ff0000")
    assert theme.colours["text"] == light.colours["text"]
    assert theme.specs["heading.1"] == light.specs["heading.1"]
    text = "\n".join(theme.problems)
    assert "colours.text: not a colour" in text
    assert "colours.nope: there is no such colour" in text
    assert "styles.wrong: there is no such style" in text
    assert "styles.heading.1: neither a colour nor an attribute: sparkly" in text
    assert "colours not given, taken from light: 22 of 24" in text
    assert theme.problem == f"{theme.problems[0]} (and {len(theme.problems) - 1} more)"


def test_a_theme_says_what_it_extends(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(
        'extends = "nord"\n[colours]\naccent = "#ff0000"\n[styles]\nuser = "bold"\n'
    )
    (tmp_path / "yours.toml").write_text('extends = "mine"\n[colours]\ngood = "nice"\n')
    mine, yours, nord = (
        load_theme(name, [*THEMES, tmp_path]) for name in ("mine", "yours", "nord")
    )
    assert mine.problems == nord.problems == ()
    assert mine.colours == {**nord.colours, "accent": "#ff0000"} and mine.specs == {
        **nord.specs,
        "user": "bold",
    }
    assert yours.colours == mine.colours and yours.specs == mine.specs
    assert yours.problem == "theme yours: colours.good: not a colour (#rrggbb or ansi_red): 'nice'"
    assert load_theme("high-contrast-light", THEMES).dark is False


@pytest.mark.parametrize("below", ['"circle"', '"nosuch"', "7", '"one"'])
def test_a_theme_that_cannot_extend_stands_on_the_default(tmp_path: Path, below: str) -> None:
    (tmp_path / "circle.toml").write_text(f"extends = {below}\n")
    (tmp_path / "one.toml").write_text('extends = "circle"\n')
    theme = load_theme("circle", [tmp_path, *THEMES])
    assert theme.colours == load("dark").colours and "cannot extend" in theme.problem


def test_with_fewer_colours_a_theme_uses_those(tmp_path: Path) -> None:
    (tmp_path / "plain.toml").write_text('extends = "ansi"\nansi = true\n')
    folders = [*THEMES, tmp_path]
    assert (
        load_theme("nord", folders, "16").name == "ansi" == load_theme("nosuch", folders, "16").name
    )
    assert load_theme("plain", folders, "16").name == "plain"
    assert (
        load_theme("no-colour", folders, "16").name
        == load_theme("nord", folders, "none").name
        == "no-colour"
    )
    assert load_theme("ansi", folders, "256").colours == load("ansi").colours


def test_a_missing_or_broken_theme_is_the_default(tmp_path: Path) -> None:
    (tmp_path / "broken.toml").write_text("[colours\n")
    assert load_theme("nosuch", THEMES).name == "dark"
    assert "there is no such theme" in load_theme("nosuch", THEMES).problems[0]
    assert load_theme("../dark", THEMES).name == "dark"
    broken = load_theme("broken", [tmp_path, *THEMES])
    assert "broken.toml" in broken.problems[0]
    assert broken.colours == load("dark").colours
    assert set(load_theme("dark", [tmp_path]).specs) == set(STYLES)


@pytest.mark.parametrize("name", SHIPPED)
def test_textual_takes_it(name: str) -> None:
    theme = load(name).textual()
    assert theme.to_color_system().generate()["background"]
    assert theme.variables["tui-accent"] == load(name).colours["accent"]
    assert theme.dark == ("light" not in name and "latte" not in name)
