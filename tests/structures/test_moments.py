"""Moments as they are shown: in the same form wherever they stand."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_tui.cli.sessions_output import moment
from agent_tui.present.document import Speech, sections
from agent_tui.protocol.transcript import ToolBlock, Transcript, TurnBlock, UserBlock
from agent_tui.sessions.export import local
from agent_tui.structures.readable import clock, format_date
from agent_tui.structures.vec import Vec
from agent_tui.tui.transcript.page import stamp

AT = datetime(2026, 7, 1, 12, 5, 9, tzinfo=UTC).timestamp()


@pytest.fixture
def berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Two hours east of Greenwich in summer, one in winter."""
    monkeypatch.setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@given(st.datetimes(datetime(1971, 1, 1), datetime(9999, 12, 30)), st.integers(-14, 14))
def test_the_day_and_the_time_are_those_of_the_calendar(moment: datetime, hours: int) -> None:
    at = moment.replace(tzinfo=UTC, microsecond=0).timestamp()
    local = datetime.fromtimestamp(at, timezone(timedelta(hours=hours)))
    assert format_date(at, hours * 3_600) == f"{local.year:04}-{local:%m-%d %H:%M}"
    assert clock(at, hours * 3_600) == f"{local:%H:%M:%S}"


@pytest.mark.usefixtures("berlin")
def test_screen_export_and_command_line_say_it_alike() -> None:
    day, here = "2026-07-01 14:05", 7_200
    (speech,) = sections(Transcript(rows=Vec([UserBlock("hello", at=AT)])), local)
    assert isinstance(speech, Speech)
    assert {stamp(UserBlock("hello", at=AT), here), speech.at, moment(AT)} == {day}
    told = {
        stamp(ToolBlock("c", "t", "l", started_at=AT), here),
        stamp(TurnBlock("completed", at=AT), here),
    }
    assert told == {"14:05:09"}
    assert moment(AT + 180 * 86_400) == "2026-12-28 13:05", "the zone is that of the day"


@pytest.mark.parametrize("at", [1e300, float("inf"), float("nan")])
def test_what_no_calendar_shows_is_no_error(at: float) -> None:
    (speech,) = sections(Transcript(rows=Vec([UserBlock("hello", at=at)])), local)
    assert isinstance(speech, Speech) and not speech.at
    assert len(moment(at)) == len(moment(AT)), "columns stay columns"
