"""The list under an `@`: opened, narrowed, taken, closed; and never in the way of a key."""

from __future__ import annotations

import pytest

from agent_tui.protocol.events import Answered, ErrorRaised
from agent_tui.protocol.ops import Query, Submit
from agent_tui.structures import fuzzy
from agent_tui.tui.core.effects import Yield
from agent_tui.tui.core.msg import DraftChanged, Yielded
from tests.answers import answer_event
from tests.tui.play import Play

PATHS = (
    "src/",
    "src/app.py",
    "src/a b.py",
    "README.md",
    "docs/",
    "docs/api.md",
    "docs/my notes/",
    "docs/my notes/x",
)


def told(*paths: str, note: str = "") -> Answered:
    made = fuzzy.corpus(paths)
    data = {
        "paths": made.paths,
        "folded": made.folded,
        "names": made.names,
        "whole": True,
        "note": note,
    }
    return answer_event("files", "files", data)


def searched(play: Play) -> list[str]:
    """What is listed once the search has ended."""
    for _ in range(100):
        if not play.takes(Yield):
            break
        play.say(Yielded())
    return labels(play)


def labels(play: Play) -> list[str]:
    shown = play.view.completion
    return [] if shown is None else [option.label for option in shown.options]


def typing(text: str, *paths: str) -> Play:
    play = Play()
    play.feed(told(*(paths or PATHS)))
    play.type(text)
    searched(play)
    return play


def test_an_at_asks_for_the_files_once_and_says_that_it_waits() -> None:
    play = Play()
    play.type("see @")
    assert play.ops == [Query("files", "files")]
    assert labels(play) == ["reading the files …"]
    assert play.view.completion is not None and play.view.completion.selected == -1
    play.type("a")
    assert play.take() == [Query("files", "files")]
    play.feed(told(*PATHS))
    assert searched(play)[:2] == ["src/a b.py", "src/app.py"]
    play.type(" and @")
    assert play.take() == [Query("files", "files")]


def test_what_was_asked_while_nothing_is_known_is_sent_all_the_same() -> None:
    play = Play()
    play.type("@alice is right")
    play.press("enter")
    assert Submit("@alice is right") in play.take()
    play = Play()
    play.type("ask @alice")
    play.press("enter")
    assert Submit("ask @alice") in play.take()


@pytest.mark.parametrize("text", ["me@example.org", "a ", "see @src/app.py ", "@zzz"])
def test_what_lists_nothing(text: str) -> None:
    assert labels(typing(text)) == []


def test_the_arguments_of_a_command_name_files_too() -> None:
    play = typing("/review @ap")
    assert labels(play)[0] == "src/app.py"
    play.press("tab")
    assert play.text == "/review @src/app.py "


def test_the_list_narrows_and_the_cursor_starts_anew() -> None:
    play = typing("@")
    assert labels(play)[:2] == ["src/", "docs/"]
    play.press("down")
    play.type("d")
    assert labels(play)[0] == "src/"  # until the search has ended, nothing flickers
    assert searched(play)[0] == "docs/"
    assert play.view.completion is not None and play.view.completion.selected == 0


def test_tab_takes_a_file_and_goes_into_a_folder() -> None:
    play = typing("see @doc")
    play.press("tab")
    assert play.text == "see @docs/"
    assert searched(play) == ["docs/api.md", "docs/my notes/", "docs/my notes/x"]
    play.press("down", "tab")
    assert play.text == 'see @"docs/my notes/'
    assert searched(play) == ["docs/my notes/x"]
    play.press("tab")
    assert play.text == 'see @"docs/my notes/x" '
    assert labels(play) == []


def test_enter_takes_what_is_chosen_and_sends_what_is_written_out() -> None:
    play = typing("see @doc")
    play.press("enter")
    assert play.text == "see @docs/ "
    play = typing("see @ap")
    play.press("down", "up", "enter")
    assert play.text == "see @src/app.py "
    play.press("enter")
    assert play.take()[-1] == Submit("see @src/app.py ")
    play = typing("see @src/app.py")
    play.press("enter")
    assert play.take()[-1] == Submit("see @src/app.py")


def test_a_key_that_takes_is_meant_for_what_was_typed() -> None:
    play = typing("@")
    play.type("read")  # no slice of the search has run
    play.press("tab")
    assert play.text == "@README.md "


def test_escape_closes_it_for_this_name() -> None:
    play = typing("@a")
    play.press("escape")
    assert labels(play) == [] and play.text == "@a"
    play.type("p")
    assert searched(play) == []
    play.press("enter")
    assert play.take()[-1] == Submit("@ap")
    play.type("@ap")
    assert searched(play)[0] == "src/app.py"


def test_in_the_middle_of_a_prompt_the_rest_stays_and_the_caret_stands_behind_the_name() -> None:
    play = Play()
    play.feed(told(*PATHS))
    play.text = "see @ap\nplease"
    play.say(DraftChanged(play.text, 7))
    searched(play)
    play.press("tab")
    assert play.text == "see @src/app.py\nplease"
    assert play.view.prompt.place == len("see @src/app.py")
    play.text = 'see @"a b" now'
    play.say(DraftChanged(play.text, 9))
    assert searched(play) == ["src/a b.py"]
    play.press("tab")
    assert play.text == 'see @"src/a b.py" now'


def test_the_files_that_were_named_before_come_first() -> None:
    play = typing("see @docs/api.md and")
    play.press("enter")
    play.end()
    play.type("@")
    assert searched(play)[0] == "docs/api.md"


def test_another_answer_changes_the_list_but_not_the_cursor() -> None:
    play = typing("@")
    play.press("down", "down")
    play.feed(told(*PATHS, "new/"))
    assert "new/" in searched(play)
    assert play.view.completion is not None and play.view.completion.selected == 2


def test_what_is_not_in_the_list_is_said() -> None:
    play = Play()
    play.feed(told("a", "b", note="only the first 2 are listed"))
    play.type("@")
    searched(play)
    shown = play.view.completion
    assert shown is not None and [option.detail for option in shown.options] == [
        "only the first 2 are listed",
        "",
    ]


def test_of_a_long_path_the_end_is_shown_and_all_is_taken() -> None:
    path = "folder/" * 15 + "name.py"
    play = typing("@name", path)
    assert labels(play) == [f"…{path[-69:]}"]
    play.press("tab")
    assert play.text == f"@{path} "


def test_a_key_is_never_kept_waiting() -> None:
    paths = tuple(f"folder{number % 97}/file{number}.py" for number in range(4 * fuzzy.SLICE))
    play = Play()
    play.feed(told(*paths))
    play.type("@x9z")
    assert labels(play) == [] and play.model.finder is not None
    matches = play.model.finder.matches
    assert matches is not None and len(matches.left) == len(
        paths
    )  # the key itself searched nothing
    assert len(play.takes(Yield)) == 1
    play.say(Yielded())
    play.type("q")
    assert len(play.takes(Yield)) == 1  # one slice at a time, whatever is typed
    assert play.model.finder.matches is not None and play.model.finder.matches.query == "x9zq"


def test_nothing_is_listed_where_the_keys_are_for_something_else() -> None:
    play = typing("@a")
    play.press("f1")
    assert labels(play) == []
    play = typing("@a")
    play.feed(ErrorRaised("The engine stopped", kind="stopped"))
    assert labels(play) == []
