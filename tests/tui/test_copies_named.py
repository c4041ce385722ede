"""A copied image is called by its own name wherever a prompt is shown; what is copied and sent
names the copy."""

from __future__ import annotations

from agent_tui.present import plain
from agent_tui.present.texts import block_text, head
from agent_tui.protocol.events import QueueChanged
from agent_tui.protocol.transcript import Queued, UserBlock
from agent_tui.tui.core.display_options import DEFAULT
from tests.tui.play import Play
from tests.tui.test_blocks import page
from tests.tui.test_copy_joined import chosen

COPY = "/home/me/.local/share/agent-tui/outputs/13d40250-17d7/clipboard-acb950cb.png"
ASKED = f"What is in @{COPY} here?"
SHOWN = "What is in @clipboard.png here?"


def test_a_message_names_what_was_copied() -> None:
    assert page(UserBlock(ASKED)) == [f"❯ {SHOWN}"]
    assert plain.block_lines(UserBlock(ASKED), DEFAULT, False) == [f"You: {SHOWN}"]


def test_it_is_found_by_what_is_shown() -> None:
    assert block_text(UserBlock(ASKED)) == head(UserBlock(ASKED)) == SHOWN


def test_the_whole_message_is_copied_as_it_was_sent() -> None:
    assert chosen(UserBlock(ASKED), "❯", "here?")[0] == ASKED
    assert chosen(UserBlock(ASKED), "in", "here")[0] == "in @clipboard.png here"


def test_the_queue_names_it_too() -> None:
    play = Play()
    play.feed(QueueChanged((Queued("q1", ASKED),), paused=True, session="s"))
    shown = play.view.queue
    assert shown is not None and shown.items == (SHOWN,)
