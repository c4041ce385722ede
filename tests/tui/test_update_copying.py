"""Copying as values: what the list holds, what its keys do, and what is said of a copy; the mouse
and the export."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from agent_tui.protocol.events import (
    AssistantReplied,
    Event,
    StepStarted,
    TextDelta,
    ToolStarted,
    TurnStarted,
)
from agent_tui.protocol.ops import Export, SetClipboard, WriteFile
from agent_tui.protocol.transcript import Transcript
from agent_tui.tui.core.effects import Copy, Mouse
from agent_tui.tui.core.msg import Copied
from agent_tui.tui.sheets.copy import answers, codes, sources
from tests.answers import answer_event
from tests.tui.play import Play, words

OLD = "An older answer.\n\n```js\nlet x\n```"
NEW = "# Title\n\n- item:\n\n  ```python\n  if x:\n      y\n  ```\n\n> ~~~\n> quoted\n> ~~~\n\nEnd."


def talk(*texts: str) -> list[Event]:
    events: list[Event] = []
    for number, text in enumerate(texts, 1):
        events += [
            TurnStarted(prompt="go", turn=number, session="s"),
            StepStarted(step=1, session="s"),
        ]
        events += [AssistantReplied(text=text, session="s")]
    return events


def opened(*texts: str) -> Play:
    play = Play()
    play.feed(*talk(*texts))
    play.effects.clear()
    play.type("/copy")
    play.press("enter")
    return play


def run(play: Play, line: str) -> None:
    play.type(line)
    play.press("escape", "enter")


def test_the_list_holds_answers_and_their_code_newest_first() -> None:
    play = opened(OLD, NEW)
    shown = play.view.overlay
    assert shown is not None
    assert [(o.key, o.label) for o in shown.options] == [
        ("1", "answer 1"),
        ("a", "code 1 python"),
        ("b", "code 2"),
        ("2", "answer 2"),
        ("c", "code 3 js"),
    ]
    assert [words(line) for line in shown.lines] == [
        "# Title",
        "- item:",
        "  ```python",
        "  if x:",
        "      y",
        "  ```",
        "… 6 more lines",
    ], "an empty line says nothing of what would be copied"
    assert shown.list_first and shown.spare == 0
    play.press("down")
    shown = play.view.overlay
    assert shown is not None
    assert ([words(line) for line in shown.lines], shown.spare) == (["if x:", "    y"], 5), (
        "the list stays there"
    )
    assert ("w", "write to a file") in play.view.footer.keys


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        (["enter"], NEW),
        (["1", "enter"], NEW),
        (["2", "enter"], OLD),
        (["a", "enter"], "if x:\n    y"),
        (["down", "down", "enter"], "quoted"),
        (["up", "enter"], "let x"),
        (["c", "enter"], "let x"),
    ],
)
def test_a_key_copies_the_raw_source(keys: list[str], text: str) -> None:
    play = opened(OLD, NEW)
    play.press(*keys)
    assert play.takes(Copy) == [Copy(text)]
    assert play.view.overlay is None


def test_w_writes_a_file_and_its_name_is_said() -> None:
    play = opened(OLD, NEW)
    play.press("down", "w")
    assert play.toast == "press Enter to write to a file" and play.take() == []
    play.press("enter")
    assert play.take() == [WriteFile("code-1.py", "if x:\n    y\n")]
    play.feed(
        answer_event("written", "written", {"path": "code-1-2.py", "problem": "", "note": ""})
    )
    assert play.toast == "written to code-1-2.py"
    play.feed(
        answer_event("written", "written", {"path": "", "problem": "No space left on device"})
    )
    assert play.toast == "Error: not written: No space left on device"


def test_the_list_stays_as_it_was_when_something_arrives() -> None:
    play = opened(OLD, NEW)
    play.press("down")
    play.feed(*talk("A newer one.\n\n```py\nnew\n```"))
    play.press("enter")
    assert play.takes(Copy) == [Copy("if x:\n    y")]


@pytest.mark.parametrize("key", ["escape", "q"])
def test_leaving_copies_nothing(key: str) -> None:
    play = opened(OLD, NEW)
    play.press(key)
    assert play.view.overlay is None
    assert not [effect for effect in play.effects if isinstance(effect, Copy)]
    assert play.take() == []


@pytest.mark.parametrize(("args", "text"), [("1", NEW), ("2", OLD), ("02", OLD)])
def test_a_number_names_an_answer(args: str, text: str) -> None:
    play = Play()
    play.feed(*talk(OLD, NEW))
    run(play, f"/copy {args}")
    assert play.takes(Copy) == [Copy(text)]


@pytest.mark.parametrize("args", ["3", "0", "x", "-1"])
def test_a_number_that_names_none_is_said(args: str) -> None:
    play = Play()
    play.feed(*talk(OLD, NEW))
    run(play, f"/copy {args}")
    assert play.toast == f"no answer {args!r}: there are answers 1 to 2, 1 is the last"
    assert not play.takes(Copy)


def test_the_only_answer_is_copied_at_once() -> None:
    play = opened("Just words.")
    assert play.takes(Copy) == [Copy("Just words.")]


def test_an_answer_is_found_whole_around_tools_and_while_it_streams() -> None:
    play = Play()
    text = "One.\n\n" + "Two.\n\n" * 40 + "```py\n" + "x = 1\n" * 300 + "```"
    play.feed(*talk(text), ToolStarted(call_id="1", name="t", label="T", session="s"))
    assert answers(play.model.transcript) == (text,)
    play.feed(TurnStarted(prompt="more", turn=2, session="s"), StepStarted(step=1, session="s"))
    play.feed(TextDelta("And\n\nnow", session="s"))
    assert answers(play.model.transcript) == ("And\n\nnow", text)
    assert answers(play.model.transcript, 1) == ("And\n\nnow",)
    assert sources(Transcript()) == ()


def test_a_copy_goes_to_the_terminal_and_to_the_machine() -> None:
    play = Play()
    play.say(Copied(3, "abc"))
    assert play.toast == "copied 3 characters"
    assert play.take() == [SetClipboard("abc")]
    play.feed(answer_event("clipboard", "clipboard", {"tool": "xclip", "problem": ""}))
    assert play.model.toast is not None and play.model.toast.text == "copied 3 characters"
    play.feed(
        answer_event(
            "clipboard", "clipboard", {"tool": "", "problem": "xclip: did not end within 2 s"}
        )
    )
    assert play.toast == "sent to the terminal only: xclip: did not end within 2 s"


def test_what_a_terminal_may_cut_is_said_until_a_tool_has_it() -> None:
    play = Play()
    text = "ä" * 40_000
    play.say(Copied(len(text), text))
    assert (
        play.toast
        == "copied 40,000 characters; a terminal may take only 74,994 of its 80,000 bytes"
    )
    play.feed(answer_event("clipboard", "clipboard", {"tool": "wl-copy", "problem": ""}))
    assert play.toast == "copied 40,000 characters with wl-copy"


@pytest.mark.parametrize(
    ("tool", "problem", "tmux", "said"),
    [
        ("", "", True, "copied 3 characters (tmux buffer too)"),
        ("", "xclip: no display", True, "copied 3 characters (tmux buffer too)"),
        ("xclip", "", True, "copied 3 characters (tmux buffer too)"),
        ("xclip", "", False, "copied 3 characters"),
        ("", "", False, "sent to the terminal; tmux may block it"),
    ],
)
def test_inside_of_tmux_it_is_said_who_has_the_copy(
    tool: str, problem: str, tmux: bool, said: str
) -> None:
    play = Play()
    play.say(Copied(3, "abc"))
    play.feed(
        answer_event("clipboard", "clipboard", {"tool": tool, "problem": problem, "tmux": tmux})
    )
    assert play.model.toast is not None and play.model.toast.text == said


@pytest.mark.parametrize(
    ("line", "path"), [("/export", ""), ("/export notes/a b.html", "notes/a b.html")]
)
def test_the_engine_is_asked_to_export(line: str, path: str) -> None:
    play = Play()
    play.type(line)
    play.press("enter")
    assert play.toast == "writing …"
    assert play.take() == [Export(path)]


def test_the_mouse_is_released_and_taken_back_whatever_is_open() -> None:
    play = opened(OLD, NEW)
    play.press("f9")
    assert play.takes(Mouse) == [Mouse(False)]
    assert play.view.footer.keys[0] == ("F9", "take mouse back")
    play.press("escape")
    assert play.view.footer.keys[0] == ("F9", "take mouse back")
    play.press("f9")
    assert play.takes(Mouse) == [Mouse(True)]
    assert play.view.footer.keys[0][0] != "F9"


FENCES = [
    "```\naaa\n```",
    "~~~\naaa\n```\n~~~",
    "````\naaa\n```\n``````",
    "```\naaa",
    "> ```\n> aaa\n\nbbb",
    "```\n\n  \n```",
    "   ```\n   aaa\n aaa\n  ```",
    "    ```\n    aaa\n    ```",
    "```\naaa\n    ```",
    "``` ```\naaa",
    "``` aa ```\naaa",
    "~~~~    ruby startline=3 $%@#$\ndef foo(x)\n  return 3\nend\n~~~~~~~",
    "~~~ aa ``` ~~~\naaa\n~~~",
    "```\n``` aaa\n```",
    "- a\n\n  ```py\n  x\n    y\n  ```\n- b",
    "1. ```\n   one\n   ```\n2. ~~~\n   two\n   ~~~",
    "> - ```\n>   q\n>   ```",
    "foo\n```\nbar\n```\nbaz",
    "- a\n  - b\n\n    ```sh\n    ls\n    ```\n\ntext\n\n    ```\n    no\n    ```",
]


def expected(source: str) -> list[str]:
    tokens = MarkdownIt("commonmark").parse(source)
    return [t.content.removesuffix("\n") for t in tokens if t.type == "fence" and t.content.strip()]


@pytest.mark.parametrize("source", FENCES)
def test_code_is_what_a_parser_calls_code(source: str) -> None:
    assert [text for _, text in codes(source)] == expected(source)


@given(
    st.lists(
        st.sampled_from(["```", "~~~", "````", "```py", "x", "  y", "", "# h", "text `a`"]),
        max_size=12,
    )
)
def test_code_at_the_top_is_what_a_parser_calls_code(lines: list[str]) -> None:
    source = "\n".join(lines)
    assert [text for _, text in codes(source)] == [e for e in expected(source) if e.strip()]
