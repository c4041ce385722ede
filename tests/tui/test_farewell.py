"""What stays in the terminal after the screen is gone."""

from __future__ import annotations

from agent_tui.protocol.events import (
    AssistantReplied,
    DraftSaved,
    SavingChanged,
    SessionStarted,
    StepStarted,
    TurnEnded,
    TurnStarted,
    fold,
)
from agent_tui.protocol.transcript import Transcript
from agent_tui.tui.runtime.start import LINES, farewell


def said(text: str) -> Transcript:
    turn = (
        TurnStarted(prompt="go", turn=1),
        StepStarted(step=1, turn=1),
        AssistantReplied(text=text),
    )
    return fold([SessionStarted(session="id-1"), *turn])


def test_how_to_go_on_comes_last_and_long_lines_are_cut_at_words() -> None:
    lines = farewell(said("word " * 60), width=40).split("\n")
    assert lines[-1] == "Continue: agent-tui --resume id-1"
    assert all(len(line) <= 40 for line in lines) and "".join(lines).count("word") == 60


def test_a_long_answer_shows_its_end() -> None:
    lines = farewell(said("\n\n".join(f"line {n}" for n in range(100)))).split("\n")
    assert lines[0] == "…" and "line 99" in lines and len(lines) <= LINES + 3


def test_control_sequences_are_harmless_and_an_empty_session_says_nothing() -> None:
    assert "\x1b" not in farewell(said("a\x1b[2Jb"))
    assert farewell(Transcript()) == ""


def test_a_prompt_that_was_not_sent_is_said_to_be_kept() -> None:
    begun = fold(
        [
            SessionStarted(session="id-1"),
            DraftSaved("see\n\x1b[2J the login of the shop and mend it"),
        ]
    )
    lines = farewell(begun, 40).split("\n")
    assert lines == [
        "Not sent, but saved: see ␛[2J the login…",
        "Continue: agent-tui --resume id-1",
    ]
    assert farewell(fold([DraftSaved("  ")], begun), 60) == ""
    assert farewell(fold([DraftSaved("and then")], said("Done.")), 60).split("\n")[-3:] == [
        "",
        "Not sent, but saved: and then",
        "Continue: agent-tui --resume id-1",
    ]


def test_it_is_read_as_on_the_screen_and_begins_with_a_paragraph() -> None:
    rows = "\n".join(f"| {n} | **x{n}** |" for n in range(3))
    first = " ".join(["word"] * 150)
    lines = farewell(said(f"{first}\n\nThe **end**:\n\n| a | b |\n| --- | --- |\n{rows}")).split(
        "\n"
    )
    assert lines[:2] == ["…", "The end:"]
    assert not any("---" in line or "**" in line for line in lines)


def test_of_a_cancelled_turn_only_how_to_go_on_is_said() -> None:
    turn = (
        TurnStarted(prompt="go", turn=1),
        StepStarted(step=1, turn=1),
        AssistantReplied(text="half a sen"),
    )
    ended = fold([SessionStarted(session="id-1"), *turn, TurnEnded(state="cancelled", turn=1)])
    assert farewell(ended) == "Continue: agent-tui --resume id-1"


def test_nothing_is_said_to_be_kept_that_is_not_on_disk() -> None:
    begun = fold(
        [
            SessionStarted(session="id-1", n=1),
            TurnStarted(prompt="go", turn=1, n=2),
            DraftSaved("draft", n=3),
        ]
    )
    assert farewell(begun).split("\n") == [
        "Not sent, but saved: draft",
        "Continue: agent-tui --resume id-1",
    ]
    full = SavingChanged(problem="No space left on device (/home/log)", through=2)
    assert farewell(fold([full], begun)).split("\n") == ["Continue: agent-tui --resume id-1"], (
        "the prompt is there"
    )
    assert (
        fold([full], begun)
        .describe_loss()
        .endswith("; events after the last prompt are not on disk")
    )
    assert farewell(fold([SavingChanged(problem="no folder")], begun)) == "", "nothing is there"
    assert (
        fold([SavingChanged(problem="no folder")], begun)
        .describe_loss()
        .endswith("the prompt is not on disk")
    )
    moved = SavingChanged(elsewhere="/tmp/my file.jsonl")
    assert (
        farewell(fold([full, moved], begun)).split("\n")[-1]
        == "Continue: agent-tui sessions import '/tmp/my file.jsonl'"
    )
