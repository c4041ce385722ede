"""What is hashed of a session stays as large as it is, however long the session."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from agent_tui.protocol.standing import Mark
from agent_tui.protocol.transcript import Block, TextBlock, Transcript
from agent_tui.structures.vec import Vec
from agent_tui.tui.core.model import Model, initial
from agent_tui.tui.recording import digest
from agent_tui.tui.view import view


def of(turns: int) -> Model:
    rows = Vec[Block]([TextBlock(f"answer {n:06}") for n in range(turns)])
    marks = Vec([Mark(n=10**6 + n, rows=10**6 + n, prompt=f"prompt {n:06}") for n in range(turns)])
    return replace(
        initial(), sessions={"": Transcript(rows=rows, marks=marks)}, width=80, height=24
    )


def test_a_long_session_costs_what_a_short_one_does(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []

    def hashed(data: object) -> str:
        sizes.append(len(json.dumps(data)))
        return ""

    monkeypatch.setattr(digest, "_hash", hashed)
    for turns in (1_000, 20_000):
        digest.digests(of(turns), view)
    (model, frame), (later_model, later_frame) = sizes[:2], sizes[2:]
    assert abs(later_model - model) < 10 and abs(later_frame - frame) < 10


def test_a_row_or_a_mark_that_is_missing_is_seen() -> None:
    whole = of(2_000)
    t = whole.sessions[""]
    for other in (replace(t, rows=Vec(t.rows[1:])), replace(t, marks=Vec(t.marks[1:]))):
        assert (
            digest.digests(replace(whole, sessions={"": other}), view)[0]
            != digest.digests(whole, view)[0]
        )
