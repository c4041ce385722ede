"""The line at the top where it is too narrow for all of it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from rich.cells import cell_len

from agent_tui.protocol.events import (
    ModeChanged,
    QueueChanged,
    SandboxFound,
    SessionStarted,
    Titled,
    UsageReported,
)
from agent_tui.protocol.messages import Usage
from agent_tui.protocol.transcript import Queued
from agent_tui.tui.core.regions import HeaderView
from agent_tui.tui.screen.header import header_view
from agent_tui.tui.widgets.regions import Header
from tests.tui.play import Play, words

MODEL = "ollama/qwen3:8b"


def header(mode: str = "auto", model: str = MODEL, used: int = 12_000) -> HeaderView:
    """Everything that it can say."""
    play = Play()
    play.feed(SessionStarted(session="s", cwd="/home/ada/work/shop", model=model, window=32_768))
    play.feed(UsageReported(usage=Usage(used, 0), session="s"), ModeChanged(mode, session="s"))
    play.feed(
        Titled("fix the login", session="s"),
        QueueChanged((Queued("q", "next"),), True, session="s"),
    )
    play.feed(SandboxFound("", "none here", session="s"))
    look = replace(
        play.model.look, status=("model", "cwd", "branch", ">", "queue", "mode", "context")
    )
    return header_view(
        replace(play.model, look=look, window=replace(play.model.window, branch="main"))
    )


def drawn(view: HeaderView, width: int) -> str:
    region = Header()
    region.value = view
    [line] = region.lines(width)
    return "".join(segment.text for segment in line)


@pytest.mark.parametrize(
    ("width", "said"),
    [
        (
            99,
            f"{MODEL} · ~/work/shop · main · fix the login | queued (1) paused · auto · 12.0k/32k 37%",
        ),
        (80, f"{MODEL} · ~/work/shop · main | queued (1) paused · auto · 12.0k/32k 37%"),
        (66, f"{MODEL} · …/shop | queued (1) paused · auto · 12.0k/32k 37%"),
        (56, f"{MODEL} · …/shop | queued (1) paused · auto · 37%"),
        (47, f"{MODEL} | queued (1) paused · auto · 37%"),
        (46, f"{MODEL} | auto · 37%"),
        (26, f"{MODEL} | auto"),
        (20, "qwen3:8b | auto"),
        (13, "qwen3… | auto"),
        (10, " | auto"),
        (4, "auto"),
    ],
)
def test_what_matters_least_is_left_out_first(width: int, said: str) -> None:
    shown = drawn(header(), width)
    assert cell_len(shown) == width
    left, _, right = said.rpartition(" | ")
    assert (shown[: len(left)], shown[len(left) : -len(right)].strip(), shown[-len(right) :]) == (
        left,
        "",
        right,
    )


@pytest.mark.parametrize("width", range(10, 120))
@pytest.mark.parametrize(("mode", "used"), [("auto", 12_000), ("accept-all", 31_000)])
def test_no_part_is_cut_and_none_touches_another(width: int, mode: str, used: int) -> None:
    view = header(mode, used=used)
    parts = {
        words(spans)
        for part in (*view.at_left, *view.at_right)
        for spans in (part.spans, part.short)
    }
    shown = drawn(view, width).strip()
    ends = [part for end in shown.split("  ") for part in end.strip().split(" · ") if part]
    assert set(ends) <= {*parts, "qwen3…"}
    assert mode in shown


def test_what_counts_stays_longest() -> None:
    view = header("accept-all", used=31_000)
    assert drawn(view, 56).split() == [MODEL, "accept-all", "no", "sandbox", "·", "95%"]
    assert drawn(view, 12).strip() == "accept-all"


def test_a_long_name_of_a_model_ends_behind_a_piece_of_it() -> None:
    view = header(model="compatible/Qwen2.5-Coder-32B-Instruct-GGUF")
    assert [drawn(view, width).split()[0] for width in (40, 30, 23, 16)] == [
        "Qwen2.5-Coder-32B-Instruct-GGUF",
        "Qwen2.5-Coder-32B…",
        "Qwen2.5-Coder…",
        "Qwen2.5…",
    ]
    assert drawn(header(model=f"x/{'y' * 50}"), 20).split() == ["y" * 13 + "…", "auto"]


def test_long_titles_and_branches_end_behind_a_word() -> None:
    play = Play()
    play.feed(Titled("the login of the shop forgets who is there when it rains", session="s"))
    window = replace(play.model.window, branch="feature/the-login-of-the-shop-forgets-who-is-there")
    look = replace(play.model.look, status=("branch",))
    shown = words(header_view(replace(play.model, window=window, look=look)).left_spans)
    assert (
        shown
        == "feature/the-login-of-the-shop-forgets… · the login of the shop forgets who is there when…"
    )
