"""The real engine keeps what of a prompt was pasted: turn, queue, steer, failure, resume, rewind,
fork."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent_tui.protocol.events import (
    Answered,
    DraftSaved,
    QueueChanged,
    Rewound,
    SessionStarted,
    SteerSeen,
    TextDelta,
    TurnEnded,
    TurnStarted,
)
from agent_tui.protocol.ops import Cancel, Fork, QueueEdit, Resume, Rewind, Steer, Submit
from agent_tui.protocol.transcript import UserBlock
from agent_tui.structures import chips
from tests.agent.driving import Place

CHIP = chips.paste_chip(1, "".join(f"line {number}\n" for number in range(30)))
DRAFT = f"why {CHIP.label}is so"
TEXT, PASTES = chips.expand_chips(DRAFT, (CHIP,))
HANG = {
    "call": "run_shell_command",
    "arguments": {"command": "until [ -e go ]; do sleep 0.02; done"},
}


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_sent_queued_and_steered_prompts_keep_their_pastes_over_a_resume(place: Place) -> None:
    model = place.script([{"text": "on it"}, HANG], [{"text": "done"}], [{"text": "next"}])
    with place.engine(model, mode="accept-all") as driver:
        driver.send(Submit(TEXT, pastes=PASTES))
        driver.until(TextDelta)
        driver.send(Steer(TEXT, pastes=PASTES))
        driver.send(Submit(TEXT, pastes=PASTES))  # while a turn runs, it waits
        waits = driver.until(QueueChanged, lambda event: len(event.items) == 2).items
        assert [item.pastes for item in waits] == [PASTES, PASTES]
        (place.cwd / "go").touch()
        assert driver.until(SteerSeen).pastes == PASTES
        driver.until(TurnEnded)
        driver.send(Submit("", queue_id=waits[1].id))
        assert driver.until(TurnStarted).pastes == PASTES
        driver.until(TurnEnded)
        before, session = driver.transcript(), driver.events[0].session
    with place.engine(model, resume=session) as driver:
        assert driver.restored is not None
        for transcript in (before, driver.restored):
            said = [row for row in transcript.rows if isinstance(row, UserBlock)]
            assert [(row.text, row.pastes, row.steer) for row in said] == [
                (TEXT, PASTES, False),
                (TEXT, PASTES, True),
                (TEXT, PASTES, False),
            ]


def test_other_words_for_a_prompt_that_waits_have_pastes_of_their_own(place: Place) -> None:
    model = place.script([{"text": "on it"}, HANG], [{"hang": True}])
    with place.engine(model, mode="accept-all") as driver:
        driver.send(Submit("go"))
        driver.until(TextDelta)
        driver.send(Steer(TEXT, pastes=PASTES))
        steer = driver.until(QueueChanged).items[0]
        driver.send(QueueEdit("edit", steer.id, "other"))
        assert driver.until(QueueChanged).items[0].pastes == ()
        driver.send(QueueEdit("edit", steer.id, f"{TEXT}!", PASTES))
        driver.until(QueueChanged)
        (place.cwd / "go").touch()
        seen = driver.until(SteerSeen)
        assert (seen.text, seen.pastes) == (f"{TEXT}!", PASTES)
        driver.send(QueueEdit("add", text="waits"))
        driver.send(Steer(TEXT, pastes=PASTES))
        driver.until(QueueChanged, lambda event: len(event.items) == 2)
        driver.send(Cancel())
        driver.until(TurnEnded)
        assert [(item.text, item.pastes) for item in driver.transcript().queue] == [
            (TEXT, PASTES),
            ("waits", ()),
        ], "what the model has not read waits again"


def test_a_prompt_that_failed_is_a_draft_with_its_chips(place: Place) -> None:
    model = place.script([{"fail": "overflow", "text": "too long"}])
    with place.engine(model) as driver:
        driver.send(Submit(TEXT, pastes=PASTES))
        saved = driver.until(DraftSaved, lambda event: bool(event.text))
        driver.until(TurnEnded)
        assert (saved.text, saved.pasted) == (DRAFT, (CHIP,))


@pytest.mark.parametrize("old", [False, True], ids=["with its pastes", "of an older log"])
def test_a_fork_and_a_rewind_give_the_prompt_back_with_its_chips(place: Place, old: bool) -> None:
    model = place.script([{"text": "one"}], [{"text": "two"}])
    with place.engine(model) as driver:
        driver.turn("first")
        driver.send(Submit(TEXT, pastes=() if old else PASTES))
        driver.until(TurnEnded)
        begun = driver.all(TurnStarted)[1].n
        driver.send(Fork(begun))
        made = driver.until(Answered, lambda event: event.kind == "forked").data
        driver.send(Rewind(begun))
        driver.until(Rewound)
        here = driver.transcript()
        driver.send(Resume(made.id))
        driver.until(SessionStarted)
        assert driver.restored is not None
        wanted = (TEXT, ()) if old else (DRAFT, (CHIP,))
        for transcript in (here, driver.restored):
            assert (transcript.draft, transcript.pasted) == wanted
