"""The list of sessions: this folder first, the search over all that was said, names, ends; what is
open elsewhere."""

from __future__ import annotations

from typing import Any

import pytest

from agent_tui.protocol.ops import Delete, Fork, Query, Rename, Resume, SaveDraft
from agent_tui.tui.core.effects import Send, Yield
from agent_tui.tui.core.msg import KeyPressed, Yielded
from tests.answers import answer_event
from tests.tui.lists import chosen, labels, sheet, text
from tests.tui.play import Play, words


def session(id: str, title: str, here: bool = True, **more: Any) -> dict[str, Any]:
    cwd = "/home/ada/work" if here else "/elsewhere"
    return {
        "id": id,
        "title": title,
        "cwd": cwd,
        "at": 1_000.0,
        "turns": 2,
        "model": "m",
        "here": here,
        **more,
    }


LISTED = [
    session("a1", "price of tea"),
    session("b2", "the shop"),
    session("c3", "far away", here=False),
]


def command(play: Play, line: str) -> None:
    play.type(f"/{line}")
    play.press("escape", "enter")


def listed(line: str = "resume", data: list[dict[str, Any]] | None = None) -> Play:
    play = Play()
    command(play, line)
    asked = next(op for op in play.take() if isinstance(op, Query) and op.kind == "sessions")
    play.feed(answer_event(asked.id, "sessions", LISTED if data is None else data, session="s"))
    return play


def rest(play: Play) -> None:
    play.say(Yielded(), after=0.3)


def test_this_folder_first_and_a_key_for_all() -> None:
    play = listed()
    assert labels(play) == ["price of tea", "the shop", "a new session"]
    play.press("ctrl+a")
    assert labels(play) == ["price of tea", "the shop", "far away", "a new session"]
    assert sheet(play).title == "Sessions of all folders"
    assert ("Ctrl+A", "this folder") in play.view.footer.keys, "the same key leads back"
    play.press("ctrl+a")
    assert labels(play) == ["price of tea", "the shop", "a new session"]
    assert ("Ctrl+A", "all folders") in play.view.footer.keys


def test_what_another_window_has_open_is_marked_and_what_is_open_here_is_not() -> None:
    play = listed(
        data=[
            session("a1", "price of tea", elsewhere=True),
            session("s", "", elsewhere=True, turns=0),
        ]
    )
    details = [option.detail for option in sheet(play).options if not option.heading]
    assert details[0].startswith("open in another window · ") and details[1].startswith(
        "open now · "
    )
    assert labels(play)[1] == "nothing said yet"


def test_without_one_here_all_are_listed() -> None:
    play = listed(data=LISTED[2:])
    assert labels(play) == ["far away", "a new session"]


def test_what_was_typed_is_searched_for_in_all_that_was_said_after_a_rest() -> None:
    play = listed()
    play.press(*"tea", after=0.05)
    assert play.takes(Yield)
    play.say(Yielded(), after=0.05)
    assert not [op for op in play.ops if isinstance(op, Query) and "search" in op.kind]
    rest(play)
    asked = play.take()[-1]
    assert isinstance(asked, Query) and (asked.kind, asked.argument) == ("search_here", "tea")
    assert "searching …" in text(play)
    hit = {
        "session": session("b2", "the shop"),
        "snippet": "a pot of tea",
        "turn": 1,
        "n": 4,
        "marks": [],
    }
    data = {"words": "tea", "here": True, "more": False, "note": "", "hits": [hit]}
    play.feed(answer_event(asked.id, "search", data, session="s"))
    assert labels(play) == ["price of tea", "the shop"]
    assert [one.label for one in sheet(play).options if one.heading] == [
        "Found in messages and calls"
    ]
    assert "a pot of tea" in sheet(play).options[-1].detail
    play.press("down", "enter")
    assert play.take()[-1] == Resume("b2")


def test_an_answer_to_other_words_is_not_shown() -> None:
    play = listed()
    play.press(*"tea")
    hit = {"session": session("b2", "the shop"), "snippet": "x"}
    play.feed(
        answer_event("x", "search", {"words": "te", "here": True, "hits": [hit]}, session="s")
    )
    assert labels(play) == ["price of tea"]
    play.feed(
        answer_event("x", "search", {"words": "tea", "here": False, "hits": [hit]}, session="s")
    )
    assert labels(play) == ["price of tea"]


def test_a_session_is_renamed_from_the_list() -> None:
    play = listed()
    play.press("down", "f2")
    assert play.view.prompt.label == "New name of “the shop”"
    play.type("tea shop")
    play.press("enter")
    assert play.take()[-1] == Rename("tea shop", session="b2")
    play.feed(
        answer_event("shelf", "shelf", {"id": "b2", "done": "renamed", "problem": ""}, session="s")
    )
    assert play.toast == "the session was renamed"
    play.feed(
        answer_event("shelf", "sessions", [LISTED[0], session("b2", "tea shop")], session="s")
    )
    assert (
        labels(play) == ["price of tea", "tea shop", "a new session"] and chosen(play) == "tea shop"
    )


def test_what_a_search_found_has_its_new_name_at_once_and_goes_with_its_session() -> None:
    play = listed()
    play.press(*"brew")
    hit = {"session": session("b2", "the shop"), "snippet": "brew a pot"}
    play.feed(
        answer_event("x", "search", {"words": "brew", "here": True, "hits": [hit]}, session="s")
    )
    play.feed(
        answer_event("shelf", "sessions", [LISTED[0], session("b2", "tea house")], session="s")
    )
    assert labels(play) == ["tea house"]
    play.press("delete")
    assert "Delete “tea house” (b2) for ever?" in text(play)
    play.press("enter")
    play.feed(answer_event("shelf", "sessions", [LISTED[0]], session="s"))
    assert labels(play) == []


def test_a_copy_is_told_from_what_it_was_made_from() -> None:
    play = listed(
        data=[{**session("f1", "price of tea"), "parent": "a1"}, session("a1", "price of tea")]
    )
    assert [option.label == "fork of price of tea" for option in sheet(play).options] == [
        True,
        False,
        False,
    ]


def test_a_session_is_deleted_only_when_asked_twice() -> None:
    play = listed()
    play.take()
    play.press("delete")
    assert "Delete “price of tea” (a1) for ever?" in text(play)
    assert play.view.footer.keys == (("Enter", "delete"), ("Esc", "keep it")), (
        "no key means anything else now"
    )
    play.press("escape")
    assert "Delete" not in text(play) and Delete("a1") not in play.take()
    play.press("delete", "enter")
    assert play.take() == [Delete("a1")]
    play.feed(
        answer_event(
            "shelf", "shelf", {"id": "a1", "done": "", "problem": "it is open"}, session="s"
        )
    )
    assert play.toast == "not done: it is open"


@pytest.mark.parametrize("gap", [0.03, 0.15, 0.5, 0.7])
def test_a_key_that_is_held_down_or_doubled_deletes_nothing(gap: float) -> None:
    play = listed()
    play.take()
    play.press("delete")
    play.press("delete", after=gap)
    play.press(*["delete"] * 12, after=0.033)
    assert play.take() == [] and "for ever?" in text(play)


def test_enter_deletes_nothing_before_the_question_can_be_read() -> None:
    play = listed()
    play.press("delete")
    play.take()
    play.press("enter", after=0.1)
    assert play.take() == [] and "for ever?" in text(play)


def test_enter_that_is_held_down_deletes_one_session_at_most() -> None:
    play = listed()
    play.press("delete")
    play.take()
    play.press("enter", after=0.5)
    play.press(*["enter"] * 12, after=0.033)
    assert play.take() == [Delete("a1")]


def test_what_arrives_while_it_is_asked_leaves_the_question_and_its_answer() -> None:
    play = listed()
    play.press("down", "delete")
    said = {"of": "b2", "parts": [{"name": "you", "text": "hi", "lines": 1}]}
    play.feed(answer_event("preview", "preview", said, session="s"))
    play.feed(
        answer_event("shelf", "sessions", [session("n9", "the newest"), *LISTED], session="s")
    )
    assert labels(play)[0] == "the newest" and "Delete “the shop” (b2) for ever?" in text(play)
    play.take()
    play.say(KeyPressed("enter", blind=True))
    assert play.take() == [] and "Delete “the shop” (b2) for ever?" in text(play)
    play.press("enter", after=5.5)
    assert play.take() == [Delete("b2")]


@pytest.mark.parametrize("kind", ["sessions", "search"])
def test_a_question_goes_with_its_session(kind: str) -> None:
    play = listed()
    play.press(*"brew")
    hit = {"session": session("b2", "the shop"), "snippet": "brew a pot"}
    found = {"words": "brew", "here": True, "hits": [hit]}
    play.feed(answer_event("x", "search", found, session="s"))
    play.press("delete")
    assert "Delete “the shop” (b2) for ever?" in text(play)
    gone = {"sessions": [LISTED[0]], "search": {**found, "hits": []}}
    play.feed(answer_event("shelf", kind, gone[kind], session="s"))
    play.take()
    play.press("enter")
    assert "for ever?" not in text(play) and not [
        op for op in play.take() if isinstance(op, Delete)
    ]


def test_the_open_session_is_not_deleted() -> None:
    play = listed(data=[session("s", "this one")])
    play.press("delete")
    assert "open now" in play.toast and "for ever" not in text(play)


def test_load_opens_what_is_called_so() -> None:
    assert listed("load the shop").take() == [Resume("b2")]
    assert listed("load c3").take() == [Resume("c3")]
    assert listed("load far").take() == [Resume("c3")], "the beginning of a name is enough"


def test_load_says_whether_there_is_none_or_more_than_one() -> None:
    play = listed("load nothing")
    assert play.toast == "no session has the name or id “nothing”"
    assert play.view.overlay is None and not play.take(), "there is nothing to choose"
    play = listed(
        "load tea", [session("a1", "tea"), session("b2", "tea", here=False), session("c3", "shop")]
    )
    assert play.toast == "2 sessions are called “tea”: choose"
    assert sheet(play).title == "Sessions of all folders" and labels(play) == ["tea", "tea"]


def locked(play: Play) -> None:
    play.feed(answer_event("locked", "locked", {"id": "b2", "said": "open elsewhere"}, session="s"))


def test_what_another_program_has_open_is_read_along_or_copied() -> None:
    for place, how in ((0, "read"), (1, "fork")):
        play = Play()
        locked(play)
        assert sheet(play).title == "Another program has this session open"
        assert labels(play) == ["read only", "fork", "a new session"]
        play.press(*["down"] * place, "enter")
        assert play.take()[-1:] == [Resume("b2", how)]  # type: ignore[arg-type]
    play = Play()
    locked(play)
    play.press("end", "enter")
    assert play.take() == [] and play.view.overlay is None


def test_words_stay_below_what_another_program_has_open_and_are_sent_nowhere() -> None:
    play = Play()
    play.type("mend ")
    locked(play)
    play.press(*"the tests", after=0.2)
    assert play.text == "mend the tests"
    assert labels(play) == ["read only", "fork", "a new session"], "they are no search"
    play.press("enter")
    assert play.ops == [] and play.text == "mend the tests"
    assert play.toast == "not sent: choose with ↑↓ and Enter first"
    play.press("down", "enter")
    assert play.take() == [Resume("b2", "fork")] and play.text == "mend the tests"


def test_who_is_at_work_may_stay() -> None:
    play = Play()
    play.begin()
    play.end()
    locked(play)
    assert labels(play) == ["read only", "fork", "a new session", "stay here"]
    play.press("down", "down", "enter")
    assert play.take()[-1] == Resume("")


def test_figures_are_listed_by_group() -> None:
    play = Play()
    command(play, "stats")
    asked = play.take()[-1]
    assert isinstance(asked, Query) and asked.kind == "stats"
    step = {
        "turn": 1,
        "step": 1,
        "tokens_in": 900,
        "tokens_out": 30,
        "provider_ms": 2_000,
        "answer": "Done.",
    }
    data = {
        "turns": 1,
        "steps": 1,
        "requests": 1,
        "tokens_in": 1_200,
        "tokens_out": 30,
        "files": ["/home/ada/work/shop.py"],
        "by_model": [{"name": "fake/model", "count": 1, "ms": 2_000}],
        "by_tool": [{"name": "read_file", "count": 3}],
        "by_step": [step],
    }
    play.feed(answer_event(asked.id, "stats", data, session="s"))
    shown = {one.label: one.detail for one in sheet(play).options}
    assert shown["files changed"] == "1: shop.py"
    assert shown["turn 1, step 1"] == "tokens: 900 in · 30 out · 2.0 s"
    assert [one.label for one in sheet(play).options if one.heading] == [
        "Total",
        "Models",
        "Tools",
        "Steps",
    ]
    assert words(sheet(play).lines[0])


def test_the_tree_opens_a_fork() -> None:
    play = Play()
    command(play, "tree")
    asked = play.take()[-1]
    assert isinstance(asked, Query) and asked.kind == "tree"
    data = [
        {"session": session("s", "root"), "depth": 0, "last": True, "lines": ""},
        {"session": session("f", "twig"), "depth": 1, "last": True, "lines": "└─ "},
    ]
    play.feed(answer_event(asked.id, "tree", data, session="s"))
    assert labels(play) == ["root", "└─ twig"]
    play.press("down", "enter")
    assert play.take()[-1] == Resume("f")


def test_a_copy_is_asked_for_once_the_engine_knows_the_prompt_as_it_is() -> None:
    play = Play()
    play.begin()
    play.end()
    play.type("/fork")
    play.effects.clear()
    play.press("enter")
    assert [effect.op for effect in play.effects if isinstance(effect, Send)] == [
        SaveDraft(""),
        Fork(0),
    ]


def test_a_command_that_leaves_the_session_is_no_draft_of_it() -> None:
    play = Play()
    play.begin()
    play.end()
    play.type("/new")
    play.effects.clear()
    play.press("enter")
    assert [effect.op for effect in play.effects if isinstance(effect, Send)] == [
        SaveDraft(""),
        Resume(""),
    ]
