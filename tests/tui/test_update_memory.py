"""`/memory` on the screen: facts are read, edited, forgotten after a second look and brought back;
proposals are kept or declined."""

from __future__ import annotations

from typing import Any

from agent_tui.protocol.ops import ChangeMemory, Query
from agent_tui.tui.core.effects import OpenFile, Send
from tests.answers import answer_event
from tests.tui.lists import chosen, labels, sheet, text
from tests.tui.play import Play

NEW = {"id": "new/1", "scope": "proposed", "text": "Ada works from Lisbon.", "day": "2026-01-31"}
MINE = {
    "id": "user/tabs",
    "scope": "user",
    "text": "Use tabs.\nNever spaces.",
    "path": "/m/tabs.md",
}
SHOP = {"id": "project/cents", "scope": "project", "text": "Prices are cents.", "path": "/p/c.md"}


def tell(play: Play, *rows: dict[str, Any], **more: Any) -> None:
    data = {"rows": list(rows), **more}
    overlay = play.model.overlay
    id = overlay.query if overlay is not None else "memory"
    play.feed(answer_event(id, "memory", data, session=play.model.active))


def asked(*rows: dict[str, Any], **more: Any) -> Play:
    play = Play()
    play.type("/memory")
    play.press("escape", "enter")
    overlay = play.model.overlay
    assert overlay is not None and play.take() == [Query(overlay.query, "memory")]
    tell(play, *rows, **more)
    return play


def test_facts_of_both_scopes_and_proposals_are_listed_and_found_by_typing() -> None:
    play = asked(NEW, MINE, SHOP)
    assert len(labels(play)) == 3 and labels(play)[0] == "Ada works from Lisbon."
    play.press("down")
    assert "Never spaces." in text(play)
    play.press(*"cents")
    assert labels(play) == ["Prices are cents."]


def test_enter_edits_a_fact_in_the_persons_own_editor() -> None:
    play = asked(MINE)
    play.press("enter", after=4.0)
    [opened, asked_again] = play.effects
    assert opened == OpenFile("/m/tabs.md")
    overlay = play.model.overlay
    assert overlay is not None and asked_again == Send(Query(overlay.query, "memory"))
    tell(play, {**MINE, "text": "Use spaces."})
    assert labels(play) == ["Use spaces."], "what was edited is shown without another key"


def test_delete_forgets_after_a_second_look_and_f2_brings_it_back() -> None:
    play = asked(MINE, SHOP)
    play.press("delete", after=4.0)
    assert play.take() == [] and "forget" in text(play)
    assert play.view.overlay is not None and "/m/tabs.md" in str(play.view.overlay)
    play.press("enter", after=4.0)
    assert play.take() == [ChangeMemory("forget", "user/tabs")]
    tell(play, SHOP, forgotten="user/tabs")
    assert labels(play) == ["Prices are cents."]
    play.press("f2", after=4.0)
    assert play.take() == [ChangeMemory("restore")]


def test_a_proposal_is_kept_with_enter_and_declined_with_delete() -> None:
    play = asked(NEW, MINE)
    play.press("enter", after=4.0)
    assert play.take() == [ChangeMemory("accept", "new/1")]
    play.press("delete", after=4.0)
    assert play.take() == [ChangeMemory("decline", "new/1")]
    tell(play, MINE)
    assert chosen(play) == "Use tabs. Never spaces."


def test_one_proposal_after_the_other_is_declined_and_no_enter_keeps_what_a_delete_missed() -> None:
    second, third = ({**NEW, "id": f"new/{n}", "text": f"Fact {n}."} for n in (2, 3))
    play = asked(NEW, second, third)
    play.press("delete", after=3.0)
    tell(play, second, third)
    play.press("delete", after=3.0)
    assert play.take() == [ChangeMemory("decline", "new/1"), ChangeMemory("decline", "new/2")]
    tell(play, third, MINE)
    tell(play, MINE, {**NEW, "id": "new/4"})  # another program took it away meanwhile
    play.press("delete", after=3.0)
    assert "gone" in play.toast and play.take() == []
    tell(play, {**NEW, "id": "new/4"})
    play.press("enter", after=4.0)
    assert play.take() == [], "it would keep what was to be declined"
    play.press("down", "enter", after=4.0)
    assert play.take() == [ChangeMemory("accept", "new/4")]


def test_an_enter_behind_a_delete_that_is_held_down_keeps_nothing() -> None:
    second = {**NEW, "id": "new/2", "text": "Fact 2."}
    play = asked(NEW, second)
    play.press("delete", after=3.0)
    tell(play, second)
    play.press("delete", after=3.0, rests=False)
    play.press("delete", "delete", after=0.03)
    tell(play, second)
    assert len(play.take()) == 2
    play.press("enter", after=4.0)
    assert play.take() == []


def test_where_there_is_nothing_it_says_how_something_comes_there() -> None:
    assert "Nothing is remembered yet" in text(asked())


def test_it_says_where_it_is_switched_off() -> None:
    play = asked(MINE, on=False)
    assert play.view.overlay is not None and "agent.memory is off" in str(play.view.overlay)


def test_it_says_what_holds_of_the_search_by_meaning() -> None:
    said = "By meaning, too: ollama/nomic-embed-text (Python), 1/1 facts"
    play = asked(MINE, meaning=said)
    assert play.view.overlay is not None and said in str(play.view.overlay)
    play = asked(MINE, meaning=said, left=12)
    assert "12 more" in str(play.view.overlay) and said in str(play.view.overlay)


def test_a_row_says_whose_fact_it_is_and_nothing_is_said_twice() -> None:
    """On a low screen there is no room for headings."""
    play = asked(NEW, SHOP)
    details = [option.detail for option in sheet(play).options if not option.heading]
    assert details == ["proposed", "this project"]
    assert NEW["text"] not in text(play) and "Enter keeps it" in text(play)
    play.press("down")
    assert SHOP["text"] not in text(play) and "/p/c.md" in text(play)
