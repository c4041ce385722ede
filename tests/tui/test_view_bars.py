"""Header, status and footer: what they say in each state."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agent_tui.protocol.events import (
    ApprovalAnswered,
    ApprovalAsked,
    AssistantReplied,
    ModeChanged,
    ModelChanged,
    QuestionAsked,
    Retrying,
    SandboxFound,
    SessionStarted,
    TextDelta,
    ThinkingDelta,
    ToolArgsDelta,
    ToolStarted,
    UsageReported,
)
from agent_tui.protocol.messages import Usage
from agent_tui.tui.core import words as say
from agent_tui.tui.prompt import composer
from agent_tui.tui.screen.header import header_view
from tests.tui.play import Play, words


def _used(prompt: int, completion: int, *, estimated: bool = False, window: int = 32_768) -> Play:
    play = Play()
    play.feed(SessionStarted(session="s", cwd="/home/ada/work", model="ollama/q", window=window))
    usage = replace(Usage(prompt, completion), estimated=estimated)
    play.feed(UsageReported(usage=usage, session="s"))
    return play


def test_the_header_names_model_folder_mode_and_context() -> None:
    play = _used(12_000, 400)
    assert words(play.view.header.left_spans) == "ollama/q · ~/work"
    assert words(play.view.header.right_spans) == "auto · 12.4k/32k 38%"


def test_estimates_carry_their_sign() -> None:
    assert "≈ 12.4k/32k 38%" in words(_used(12_000, 400, estimated=True).view.header.right_spans)


def test_a_window_that_is_only_assumed_carries_its_sign() -> None:
    play = _used(12_000, 400)
    play.feed(ModelChanged("acme/x", 128_000, window_assumed=True, session="s"))
    context = header_view(play.model).at_right[-1]
    assert words(context.spans) == "12.4k/≈128k 10%" and words(context.short) == "≈10%"
    usage = UsageReported(Usage(20_000, 400), window=32_768, session="s")
    play.feed(usage)
    assert "20.4k/32k 62%" in words(play.view.header.right_spans), (
        "another model answered, whose server tells it"
    )
    play.feed(replace(usage, window=0))
    assert "20.4k/32k 62%" in words(play.view.header.right_spans)


def test_an_unknown_window_shows_tokens_only() -> None:
    assert words(_used(12_000, 400, window=0).view.header.right_spans) == "auto · 12.4k tokens"


def test_accept_all_says_whether_there_is_a_sandbox() -> None:
    play = Play()
    play.feed(ModeChanged("accept-all", session="s"))
    assert "sandbox" not in words(play.view.header.right_spans), "nobody knows yet"
    play.feed(SandboxFound("bwrap", session="s"))
    assert "accept-all sandboxed" in words(play.view.header.right_spans)
    play.feed(SandboxFound("", "switched off", session="s"))
    assert "accept-all no sandbox" in words(play.view.header.right_spans)


def test_the_header_shows_what_is_wanted_in_its_order() -> None:
    play = _used(12_000, 400)
    look = replace(play.model.look, status=("branch", "mode", "model", "context"))
    model = replace(play.model, look=look, window=replace(play.model.window, branch="main"))
    shown = header_view(model)
    assert words(shown.left_spans).endswith(" · auto · ollama/q · 12.4k/32k 38%") and words(
        shown.left_spans
    ).startswith("main")
    assert shown.right_spans == ()
    right = header_view(
        replace(model, look=replace(look, status=("branch", ">", "cwd")))
    ).right_spans
    assert words(right) == "~/work"
    assert header_view(replace(model, look=replace(look, status=()))).left_spans == ()


def test_a_mode_without_a_sandbox_is_shown_whatever_is_wanted() -> None:
    play = Play()
    play.feed(ModeChanged("accept-all", session="s"), SandboxFound("", "none", session="s"))
    shown = header_view(replace(play.model, look=replace(play.model.look, status=("cwd",))))
    assert words(shown.right_spans) == "accept-all no sandbox"


def test_before_the_session_the_header_says_so() -> None:
    assert "starting" in words(Play(started=False).view.header.left_spans)
    assert words(Play(model="").view.header.left_spans).startswith("no model")


def _status(play: Play) -> str:
    status = play.view.status
    assert status is not None
    return words(status.spans)


def test_the_status_follows_the_turn() -> None:
    play = Play()
    assert play.view.status is None
    play.type("go")
    play.press("enter")
    assert _status(play) == "starting · Esc stop"
    play.begin("go")
    assert _status(play).startswith("waiting for the model · ")
    play.feed(ThinkingDelta("hm " * 10, session="s", at=play.at))
    assert "thinking" in _status(play)
    play.feed(TextDelta("word " * 80, session="s", at=play.at))
    assert _status(play) == "writing · 3 s · ≈ 107 tokens out · Esc stop"
    play.feed(ToolArgsDelta(index=0, text="{", name="read_file", session="s"))
    assert "writing read_file" in _status(play)
    play.feed(ToolArgsDelta(index=0, text='"path": "' + "x" * 391, session="s"))
    assert "≈ 207 tokens out" in _status(play), "what is written of a call counts too"
    play.feed(AssistantReplied(text="word " * 80, session="s"))
    play.feed(UsageReported(usage=Usage(10, 312), session="s"))
    play.feed(ToolStarted(call_id="c", name="t", label="read a.py", session="s", at=play.at))
    assert _status(play).startswith("read a.py · ")
    assert "· 312 tokens out ·" in _status(play)
    play.feed(ApprovalAsked(id="a", call_id="d", tool="t", label="$ make", session="s"))
    assert "waiting for you" in _status(play)
    assert play.view.status is not None and play.view.status.spinner == -1
    play.end()
    assert play.view.status is None


def test_before_a_turn_there_is_no_time_to_tell() -> None:
    play = Play()
    play.begin()
    play.end()
    play.feed(QuestionAsked(id="q", kind="skill_argument", text="/x needs <y>", session="s"))
    assert _status(play) == "waiting for you", "Esc goes back, and says so in the footer"


def test_a_question_outside_a_turn_has_no_time_and_nothing_to_stop() -> None:
    play = Play()
    play.feed(
        QuestionAsked(
            id="q", kind="confirm", text="Keep this address?", options=("y", "n"), session="s"
        )
    )
    assert _status(play) == "waiting for you"


def test_a_retry_counts_down() -> None:
    play = Play()
    play.begin()
    play.feed(
        Retrying(
            attempt=2, delay_s=4.0, reason="503 from the server", session="s", at=play.at + 1.0
        )
    )
    assert _status(play).startswith("retrying in 4 s: 503 from the server")
    play.tick(1.5)
    assert "retrying in 3 s" in _status(play)


@pytest.mark.parametrize(
    ("reason", "shown"),
    [
        (
            "the server of acme at http://127.0.0.1:8811/v1 failed (500): no",
            "the server of acme failed (500): no",
        ),
        (
            "cannot reach Ollama at https://there: no server there",
            "cannot reach Ollama: no server there",
        ),
        ("it meets you at http: strange", "it meets you at http: strange"),
    ],
)
def test_the_reason_of_a_retry_has_the_room_of_the_address(reason: str, shown: str) -> None:
    play = Play()
    play.begin()
    play.feed(Retrying(attempt=2, delay_s=4.0, reason=reason, session="s", at=play.at))
    assert f" s: {shown} · " in _status(play)


def test_the_spinner_moves_with_time_alone() -> None:
    play = Play()
    play.begin()
    frames = []
    for _ in range(5):
        status = play.tick(0.1).status
        assert status is not None
        frames.append(status.spinner)
    assert frames == sorted(frames) and len(set(frames)) >= 4


def _keys(play: Play) -> dict[str, str]:
    return dict(play.view.footer.keys)


def test_the_footer_names_the_keys_of_the_moment() -> None:
    play = Play()
    assert _keys(play)["Enter"] == "send"
    assert "Esc" not in _keys(play)
    play.begin()
    assert _status(play).endswith("Esc stop") and "Esc" not in _keys(play), "it is said once"
    play.type("x")
    assert (_keys(play)["Enter"], _keys(play)["Alt+S"]) == ("queue", "steer")
    for command in ("/copy", "!ls"):
        play.model = composer.write(play.model, command)
        assert _keys(play)["Enter"] == "run" and "Alt+S" not in _keys(play)
    play.model = composer.write(play.model, "x")
    play.feed(ApprovalAsked(id="a", call_id="d", tool="t", label="$ make", session="s"))
    assert _status(play).endswith("Esc stop") and "Esc" not in _keys(play), "it is said once"
    play.press("alt+m", "enter")
    assert _keys(play) == {"Enter": "send", "Esc": "back"}
    play = Play()
    play.type("/")
    assert _keys(play)["Tab"] == "complete"


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0"),
        (999, "999"),
        (1_000, "1.0k"),
        (12_400, "12.4k"),
        (123_456, "123k"),
        (2_500_000, "2.5M"),
    ],
)
def test_tokens(count: int, text: str) -> None:
    assert say.tokens(count) == text
    assert say.tokens(count, True) == f"≈ {text}"


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (512, "512"),
        (8_192, "8k"),
        (32_768, "32k"),
        (128_000, "128k"),
        (200_000, "200k"),
        (1_048_576, "1.05M"),
        (1_000_000, "1M"),
    ],
)
def test_windows(count: int, text: str) -> None:
    assert say.window(count) == text


@pytest.mark.parametrize(
    ("seconds", "text"), [(-3, "0 s"), (12.9, "12 s"), (65, "1 min 05 s"), (3_720, "1 h 02 min")]
)
def test_durations(seconds: float, text: str) -> None:
    assert say.duration(seconds) == text


@pytest.mark.parametrize(
    ("path", "home", "shown"),
    [
        ("/home/ada", "/home/ada", "~"),
        ("/home/ada/x", "/home/ada/", "~/x"),
        ("/home/adam", "/home/ada", "/home/adam"),
        ("/x", "", "/x"),
    ],
)
def test_folders(path: str, home: str, shown: str) -> None:
    assert say.folder(path, home) == shown


def test_one_line() -> None:
    assert say.one_line(" a\n\n b ") == "a ⏎ b"
    assert say.one_line("x" * 300, 10) == "x" * 9 + "…"


def test_the_clock_stops_while_the_program_waits_for_the_person() -> None:
    play = Play()
    play.begin()
    play.tick(9.0)
    assert " 10 s " in _status(play)
    for name in ("a", "b"):
        play.feed(
            ApprovalAsked(id=name, call_id=name, tool="t", label="$ make", session="s", at=play.at)
        )
    play.tick(60.0)
    assert _status(play) == "waiting for you · Esc stop", (
        "a time there would be taken for how long it waits"
    )
    play.feed(ApprovalAnswered(id="a", choice="no", session="s", at=play.at))
    play.tick(60.0)
    assert _status(play) == "waiting for you · Esc stop", "the other question still waits"
    play.feed(ApprovalAnswered(id="b", choice="no", session="s", at=play.at))
    play.tick(4.0)
    assert " 15 s " in _status(play)
