"""The todo list on the screen as values: its sheet, its place in the header, what is typed
meanwhile."""

from __future__ import annotations

from dataclasses import replace

from agent_tui.protocol.display import TodoItem
from agent_tui.protocol.events import Cleared, TodoChanged
from agent_tui.protocol.ops import Submit
from agent_tui.tui.linear import sheets
from agent_tui.tui.screen.header import header_view
from agent_tui.tui.sheets.todo import NONE
from tests.tui.play import Play, words

ITEMS = (TodoItem("find it", "done"), TodoItem("mend\x1b it", "active"), TodoItem("test it"))


def playing(*items: TodoItem) -> Play:
    play = Play()
    play.feed(TodoChanged(items or ITEMS, session="s"))
    return play


def shown(play: Play) -> list[str]:
    sheet = play.view.overlay
    assert sheet is not None
    return [sheet.title, *map(words, sheet.lines)]


def header(play: Play) -> str:
    return "".join(span.text for part in play.view.header.at_right for span in part.spans)


def test_the_key_and_the_command_show_it_and_it_says_each_state_in_a_word() -> None:
    play = playing()
    play.press("ctrl+t")
    assert shown(play) == [
        "Todo: 1 of 3 done",
        "☑ done     find it",
        "▸ in work  mend␛ it",
        "☐ to do    test it",
    ]
    play.press("ctrl+t")
    assert play.view.overlay is None
    for text in ("/todo", "/todos"):
        play.type(text)
        play.press("enter")
        assert shown(play)[0] == "Todo: 1 of 3 done"
        play.press("escape")
        assert play.view.prompt.text == ""
        assert play.view.overlay is None


def test_the_open_sheet_follows_the_list() -> None:
    play = playing()
    play.press("ctrl+t")
    play.feed(TodoChanged((TodoItem("find it", "done"),), session="s"))
    assert shown(play) == ["Todo: 1 of 1 done", "☑ done     find it"]
    play.feed(Cleared(session="s"))
    assert shown(play) == ["Todo", "The list is empty."]


def test_without_a_list_that_is_said() -> None:
    play = Play()
    play.press("ctrl+t")
    assert play.toast == NONE and play.view.overlay is None


def test_what_is_typed_while_it_is_open_is_for_the_prompt() -> None:
    play = playing()
    play.press("ctrl+t")
    play.press("a", "l", "s", "o")
    assert play.view.overlay is None and play.model.composer.draft == "also"
    play.press("enter")
    assert play.take()[-1] == Submit("also")


def test_a_long_list_opens_at_the_item_in_work_and_can_be_scrolled() -> None:
    items = tuple(TodoItem(f"item {n}", "active" if n == 30 else "open") for n in range(50))
    play = playing(*items)
    play.asked = (15, 50)
    play.press("ctrl+t")

    def first() -> int:
        assert play.view.overlay is not None
        return play.view.overlay.scroll

    assert first() == 28
    play.press("pagedown", "pagedown", "pagedown", "down")
    last = first()
    assert 28 < last < 50
    play.press("up")
    assert first() == last - 1
    play.press("pageup", "pageup", "pageup", "pageup")
    assert first() == 0


def test_the_header_counts_it_while_something_is_left() -> None:
    play = playing()
    assert "todo 1/3" in header(play)
    play.feed(TodoChanged(tuple(replace(item, state="done") for item in ITEMS), session="s"))
    assert "todo" not in header(play)
    play = playing()
    play.model = replace(play.model, look=replace(play.model.look, status=("model", ">", "mode")))
    assert "todo" not in repr(header_view(play.model))


def test_a_mode_without_a_screen_says_it_in_lines() -> None:
    play = playing()
    play.press("ctrl+t")
    assert play.model.overlay is not None
    assert sheets.sheet_lines(play.model, play.model.overlay) == [
        "Todo: 1 of 3 done:",
        "done, find it",
        "in work, mend␛ it",
        "to do, test it",
        "Type an empty line to close.",
    ]
    assert sheets.intents(play.model, play.model.overlay, "and now this") is None, (
        "such a line is a prompt"
    )
    said = sheets.signature(play.model)
    play.tick()
    assert said is not None and sheets.signature(play.model) == said, "it is not said again"
