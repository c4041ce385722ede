"""`/map` on the screen: files with what they define, found by typing; Enter names one in the
prompt."""

from __future__ import annotations

from typing import Any

from agent_tui.protocol.ops import Query
from tests.answers import answer_event
from tests.tui.gallery import MAP
from tests.tui.lists import chosen, labels, text
from tests.tui.play import Play


def asked(words: str = "", **changed: Any) -> Play:
    play = Play()
    play.type(f"/map {words}".strip())
    play.press("escape", "enter")
    overlay = play.model.overlay
    assert overlay is not None
    assert play.take() == [Query(overlay.query, "repo_map", words)]
    data = {**MAP, **changed}
    play.feed(answer_event(overlay.query, "repo_map", data, session=play.model.active))
    return play


def test_files_are_listed_with_what_they_define() -> None:
    play = asked()
    assert labels(play) == ["shop/price.py", "shop/cart.py", "web/basket.ts"]
    assert "class PriceList" in text(play) and "… 5 more" in text(play)
    assert "3 of 41 files" in text(play) and "agent-tui[map]" in text(play)


def test_a_definition_is_found_by_typing_and_enter_names_its_file() -> None:
    play = asked()
    play.press(*"basket")
    assert chosen(play) == "web/basket.ts"
    play.press("enter", after=4.0)
    assert play.model.overlay is None and "@web/basket.ts " in play.model.composer.draft


def test_words_behind_the_name_are_asked_of_the_engine() -> None:
    assert "Map: undo journal" in str(asked("undo journal").view.overlay)


def test_where_there_is_nothing_it_says_so() -> None:
    assert "No file here defines anything" in text(asked(files=[], note=""))
    problem = "There is no map of /work: it cannot be listed"
    assert problem in text(asked(files=[], note="", problem=problem))


def test_an_answer_to_an_older_question_is_not_shown() -> None:
    play = Play()
    play.type("/map")
    play.press("escape", "enter")
    play.feed(answer_event("map-99", "repo_map", MAP, session=play.model.active))
    assert labels(play) == []
