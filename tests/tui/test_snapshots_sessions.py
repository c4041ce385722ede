"""Pictures of sessions: going back, lists of them, figures, one that is open elsewhere, off the
record, played back."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from agent_tui.paths import shipped_folder
from agent_tui.protocol.events import Event
from agent_tui.protocol.ops import Query
from agent_tui.tui.core import msg
from agent_tui.tui.core.effects import Send
from agent_tui.tui.core.model import Model, initial
from agent_tui.tui.runtime.replay import ReplayApp
from agent_tui.tui.update import update
from agent_tui.tui.widgets.theme import load_theme
from tests.answers import answer_event
from tests.tui.recording.live import Live
from tests.tui.story import NOW, OPENING, Stories, Story, answered, arrived, compare, pressed, told

STORIES = Stories()
SALE = {
    "lines": [
        " @cached",
        " def price(item: Item) -> Decimal:",
        "-    return item.price / 2",
        "+    return item.price",
    ]
}
SWITCH = ["keep", "restore"]
FREE = {
    "path": "shop/price.py", "choices": SWITCH, "default": "restore", "added": 1, "removed": 1,
    "diff": [{"old_start": 8, "new_start": 8, **SALE}],
}  # fmt: skip
MADE = {
    "path": "sale.txt",
    "goes": True,
    "choices": SWITCH,
    "default": "restore",
    "removed": 1,
    "diff": [{"old_start": 1, "new_start": 1, "lines": ["-half price"]}],
}
CHANGED = {
    "path": "README.md",
    "why": "changed since then",
    "choices": ["keep", "restore", "both"],
    "added": 1,
    "removed": 2,
    "diff": [
        {
            "old_start": 1,
            "new_start": 1,
            "lines": [" # Shop", "-Half price!", "-Closed now.", "+All you need."],
        }
    ],
}
DURING = {
    **MADE,
    "path": "notes.txt",
    "why": "changed while a command ran, perhaps by you",
    "default": "keep",
}
TURN = {"n": 9, "turn": 2, "prompt": "Start the sale."}


@STORIES.each()
def test_a_session_looks_as_it_did(story: Story, snap_compare: Any) -> None:
    compare(story, snap_compare)


def session(id: str, title: str, **more: Any) -> dict[str, Any]:
    return {
        "id": id,
        "title": title,
        "cwd": "/home/ada/shop",
        "at": NOW - 300,
        "turns": 3,
        "model": "",
        **more,
    }


def worked() -> Model:
    """Two turns."""
    second = tuple(
        replace(event, turn=2, at=NOW + 60)
        for event in answered("Start the sale.", "All is half price.")
    )
    first = (
        replace(event, n=n)
        for n, event in enumerate(answered("Tidy the shop.", "It is **tidy**."), 2)
    )
    return told(*first, *(replace(event, n=n) for n, event in enumerate(second, 9)))


def asked(command: str, data: Any) -> Model:
    """`command` is called, and the engine answers `data` to what it is asked."""
    model, effects = update(worked(), msg.Submitted(at=NOW + 99, text=command))
    query = next(
        effect.op for effect in effects if isinstance(effect, Send) and isinstance(effect.op, Query)
    )
    return told(answer_event(query.id, query.kind, data), before=model, at=NOW + 99)


CHANGES = {
    "files": [
        {
            "path": "shop/cart.py",
            "added": 1,
            "removed": 1,
            "hunks": [
                {
                    "old_start": 10,
                    "new_start": 10,
                    "lines": [" def total(items):", "-    return 1", "+    return sum(items)"],
                }
            ],
        },
        {"path": "README.md", "hunks": [], "created": True},
    ],
    "against": "session",
    "left_out": ["shop/logo.png: it is not text"],
}


def differences(command: str, data: Any) -> Model:
    model, effects = update(worked(), msg.Submitted(at=NOW + 99, text=command))
    query = next(
        effect.op for effect in effects if isinstance(effect, Send) and isinstance(effect.op, Query)
    )
    return told(answer_event(query.id, "differences", data), before=model, at=NOW + 99)


@STORIES.add()
def the_changes_of_the_session() -> Model:
    return differences("/diff", CHANGES)


@STORIES.add(theme="light")
def what_differs_from_the_last_commit() -> Model:
    return pressed(differences("/diff head", {**CHANGES, "against": "head"}), "down", "up")


@STORIES.add(size=(60, 20))
def nothing_has_changed() -> Model:
    return differences("/diff", {"against": "session"})


@STORIES.add(size=(100, 54))
def undo_shows_what_would_change() -> Model:
    return asked("/undo", {"files": [FREE, MADE], "turns": [TURN], "caps": []})


@STORIES.add(size=(100, 34), theme="light")
def a_file_that_changed_since_is_asked_about() -> Model:
    limit = (
        "/undo does not see a command's changes to files that git ignores, to empty folders, and to permissions "
        "other than executable."
    )
    return asked("/undo", {"files": [FREE, CHANGED, DURING], "turns": [TURN], "caps": [limit]})


@STORIES.add(size=(80, 24), theme="ansi")
def undo_in_sixteen_colours() -> Model:
    return asked("/undo", {"files": [FREE, MADE], "turns": [TURN], "caps": []})


@STORIES.add()
def rewind_lists_the_turns() -> Model:
    return pressed(worked(), "escape", "escape")


@STORIES.add()
def the_tree_shows_what_was_forked() -> Model:
    branches = (("", "Tidy the shop."), ("├─ ", "What if it were blue?"), ("└─ ", "The sale"))
    data = [
        {
            "session": session(f"s{n}", title, parent="s0" if n else ""),
            "depth": int(n > 0),
            "last": n == 2,
            "lines": lines,
        }
        for n, (lines, title) in enumerate(branches)
    ]
    parts = [
        {"name": "you", "text": "And the windows?", "lines": 1},
        {"name": "answer", "text": "Clean.", "lines": 1},
    ]
    preview = {"of": "s0", "parts": parts}
    return told(
        answer_event("preview", "preview", preview), before=asked("/tree", data), at=NOW + 99
    )


@STORIES.add(size=(100, 34))
def the_figures_of_a_session() -> Model:
    share = {"count": 6, "ms": 41_000, "tokens_in": 48_100, "tokens_out": 2_900, "errors": 1}
    step = {
        "turn": 1,
        "step": 1,
        "tokens_in": 1_800,
        "tokens_out": 120,
        "provider_ms": 2_400,
        "answer": "I look at it.",
    }
    edit = {"name": "edit_file", "label": "Edit shop/price.py", "tag": "ok", "ms": 12}
    return asked(
        "/stats",
        {
            "turns": 2,
            "ends": {"completed": 2},
            "steps": 6,
            "requests": 7,
            "retries": 1,
            "tokens_in": 48_100,
            "tokens_out": 2_900,
            "cached": 31_000,
            "provider_ms": 41_000,
            "thinking_ms": 9_000,
            "tool_ms": 1_900,
            "tool_calls": 5,
            "turn_ms": 43_500,
            "wall_ms": 3_600_000,
            "errors": 1,
            "files": ["/home/ada/shop/price.py"],
            "by_model": [{**share, "name": "ollama/qwen3:8b"}],
            "by_tool": [{**share, "name": "edit_file"}],
            "by_step": [step, {**step, "step": 2, "tools": [edit], "tool_ms": 12}],
        },
    )


@STORIES.add()
def a_session_that_another_program_has_open() -> Model:
    data = {"id": "s1", "problem": "another program has it"}
    return told(answer_event("start", "locked", data), before=worked(), at=NOW + 99)


@STORIES.add(theme="light")
def a_session_off_the_record() -> Model:
    before, _ = update(initial(), msg.Started(at=NOW, width=100, height=30, home="/home/ada"))
    return told(
        replace(OPENING, otr=True),
        *answered("Who am I?", "I shall not remember it."),
        before=before,
    )


class _Recorded(Live):
    """Two turns, a second apart."""

    def __init__(self) -> None:
        super().__init__()
        self.say(msg.Started(100, 30, home="/home/ada"))
        for events in (
            (OPENING,),
            answered("Tidy the shop.", "It is **tidy**."),
            answered("And now?", "It is sold."),
        ):
            self.hear(*events)

    def hear(self, *events: Event) -> None:
        self.say(arrived(*events), 1.0)


def test_a_recording_that_is_played_looks_as_it_did(snap_compare: Any) -> None:
    player = _Recorded().replayed()
    app = ReplayApp(
        player,
        load_theme("dark", (shipped_folder("themes"),)),
        lambda *_: "",
        lambda _: "",
        speed=0,
        at=player.seconds * 0.8,
    )
    app.animation_level = "none"
    assert snap_compare(app, terminal_size=(100, 30))
