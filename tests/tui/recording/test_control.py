"""Playing a recording: what each key does to where it is."""

from __future__ import annotations

import pytest

from agent_tui.tui.runtime.replay import SPEEDS, Control, clock


class Steps:
    """A line of eleven steps, one a second; prompts begin with the third and the eighth."""

    seconds = 10.0

    def __len__(self) -> int:
        return 11

    def steps_before(self, moment: float) -> int:
        return int(moment) + 1

    def moment(self, count: int) -> float:
        return max(0.0, count - 1.0)

    def prompt(self, count: int, way: int) -> int:
        others = [at for at in (3, 8) if (at > count if way > 0 else at < count)]
        return (others[0] if way > 0 else others[-1]) if others else (11 if way > 0 else 0)


LINE = Steps()


def pressed(control: Control, *keys: str) -> Control:
    for key in keys:
        after = control.press_key(LINE, key)
        assert after is not None
        control = after
    return control


@pytest.mark.parametrize(
    ("keys", "count"),
    [
        (["right"], 5),
        (["left"], 3),
        (["left"] * 9, 0),
        (["right"] * 20, 11),
        (["home"], 1),
        (["end"], 11),
        (["pagedown"], 11),
        (["pageup"], 1),
        (["n"], 8),
        (["n", "n"], 11),
        (["p"], 3),
        (["p", "p"], 0),
        (["5"], 6),
        (["0"], 1),
        (["x"], 4),
    ],
)
def test_keys_go_to_a_step(keys: list[str], count: int) -> None:
    assert pressed(Control(count=4, moment=3.0), *keys).count == count


def test_it_plays_at_its_speed_and_stops_at_the_end() -> None:
    playing = pressed(Control(speed=2.0), "space")
    later = playing.advance(LINE, 2.5)
    assert (later.moment, later.count, later.playing) == (5.0, 6, True)
    ended = later.advance(LINE, 60.0)
    assert (ended.count, ended.playing) == (11, False)
    assert pressed(ended, "space").moment == 0.0


def test_speeds_have_ends() -> None:
    assert pressed(Control(), *["plus"] * 20).speed == SPEEDS[-1]
    assert pressed(Control(), *["minus"] * 20).speed == SPEEDS[0]


@pytest.mark.parametrize("key", ["q", "escape", "ctrl+c", "ctrl+d"])
def test_leaving(key: str) -> None:
    assert Control().press_key(LINE, key) is None


def test_the_sheet_about_a_moment_stops_the_playing_and_takes_the_arrows() -> None:
    about = pressed(Control(playing=True), "i", "down", "down", "up")
    assert (about.about, about.playing, about.scroll) == (True, False, 1)
    assert "PgUp/PgDn" not in dict(about.footer().keys), "the edge of the sheet says how it scrolls"
    assert ("PgUp/PgDn", "10 s") in Control().footer().keys
    for key, scroll in (
        ("pagedown", 11),
        ("pagedown", 21),
        ("pageup", 11),
        ("pageup", 1),
        ("pageup", 0),
    ):
        about = pressed(about, key)
        assert (about.scroll, about.count, about.moment) == (scroll, 0, 0.0), (
            "it is the sheet that moves"
        )
    assert not pressed(about, "escape").about


@pytest.mark.parametrize("width", [20, 80, 200])
def test_where_it_is_fits_the_line(width: int) -> None:
    for moment in (0.0, 5.0, 10.0):
        said = Control(moment=moment, count=LINE.steps_before(moment)).position_line(LINE, width)
        assert said.count("●") == 1 and f"step {LINE.steps_before(moment)} of 11" in said
        assert len(said) <= max(width, 60)


@pytest.mark.parametrize(
    ("seconds", "said"), [(0, "0:00"), (61.9, "1:01"), (3_599, "59:59"), (3_661, "1:01:01")]
)
def test_a_clock(seconds: float, said: str) -> None:
    assert clock(seconds) == said
