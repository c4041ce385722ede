"""Pictures of the lists that are found by typing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from agent_tui.protocol.events import Answered
from agent_tui.tui.core import msg
from agent_tui.tui.core.model import Model
from agent_tui.tui.sheets import opening
from agent_tui.tui.update import update
from tests.answers import answer_event
from tests.tui.story import NOW, Stories, Story, answered, compare, pressed, told

STORIES = Stories()
SKILLS = [
    {"name": "review", "description": "Review the changes.", "arguments": ["path"], "free": False}
]


@STORIES.each()
def test_a_list_looks_as_it_did(story: Story, snap_compare: Any) -> None:
    compare(story, snap_compare)


def typed(model: Model, text: str) -> Model:
    """`text` typed into the open list."""
    for character in text:
        model = update(model, msg.KeyPressed(at=NOW + 9, key=character, character=character))[0]
    return model


def listed(command: str, *answers: Answered, size: tuple[int, int] = (100, 30)) -> Model:
    model = told(
        *answered("Tidy the shop.", "It is tidy."), answer_event("start", "skills", SKILLS)
    )
    model = update(model, msg.Resized(at=NOW + 5, width=size[0], height=size[1]))[0]
    model = update(model, msg.Submitted(at=NOW + 9, text=command))[0]
    for answer in answers:
        model = update(
            model, msg.EventsArrived((replace(answer, session=model.active),), at=NOW + 9)
        )[0]
    return model


@STORIES.add(size=(100, 20))
def the_palette_finds_what_is_meant() -> Model:
    return typed(pressed(listed("/help"), "escape", "ctrl+p"), "mod")


@STORIES.add(theme="light")
def a_session_shows_its_last_prompt_and_answer() -> Model:
    sessions = [
        {
            "id": "a",
            "title": "Fix the till",
            "cwd": "/home/ada/shop",
            "at": NOW - 300,
            "turns": 4,
            "model": "ollama/a",
        },
        {
            "id": "b",
            "title": "What is a cart?",
            "cwd": "/home/ada/shop",
            "at": NOW - 90_000,
            "turns": 1,
            "model": "",
        },
    ]
    answer = "All **12** tests pass; one was wrong about rounding. " * 3
    parts = [
        {"name": "you", "text": "And [red]test[/] it.", "lines": 2},
        {"name": "answer", "text": answer, "lines": 4},
    ]
    return listed(
        "/resume",
        answer_event("resume-1", "sessions", sessions),
        answer_event("preview", "preview", {"of": "a", "parts": parts}),
    )


@STORIES.add(size=(100, 24))
def the_map_shows_what_the_files_define() -> Model:
    files = [
        {"path": "shop/price.py", "left_out": 5, "lines": [
            "    4 LIMIT_CENTS", "   12 class PriceList",
            "   31   def round_cents(self, amount: float) -> int"]},
        {"path": "shop/cart.py", "lines": ["    8 def cart_total(items: list[Item]) -> int"]},
        {"path": "web/basket.ts", "lines": ["    3 export class Basket"]},
    ]  # fmt: skip
    note = "3 of 41 files; without tree-sitter: pip install 'agent-tui[map]' finds more"
    return listed("/map", answer_event("map-1", "repo_map", {"files": files, "note": note}))


@STORIES.add()
def the_log_has_colours_by_level() -> Model:
    words = (
        ("info", "log", "session begun"),
        ("warning", "log", "the server is slow: 4.2 s"),
        ("record", "session", 'tool_ended {"name": "grep_files", "duration_ms": 12}'),
        ("error", "log", "the request failed: connection refused\nTraceback"),
        ("info", "log", "tried again"),
    )
    lines = [
        {"at": f"10:00:0{n}", "level": level, "source": source, "text": text}
        for n, (level, source, text) in enumerate(words)
    ]
    model = listed("/log", answer_event("log-1", "log", {"lines": lines, "left": 99_870_000}))
    return pressed(model, "up")


@STORIES.add(size=(40, 16), theme="no-colour")
def the_keys_are_found_in_forty_columns() -> Model:
    return typed(listed("/help", size=(40, 16)), "queue")


CONTEXT = {
    "parts": [
        {"name": "system: style", "tokens": 9, "source": "/home/ada/.config/agent-tui/prompt/style.md",
         "text": "# Style\nAnswer in verse."},
        {"name": "system: trust", "tokens": 69, "source": "built in", "text": "# Trust"},
        {"name": "answers", "tokens": 2_900},
        {"name": "system: work", "tokens": 0, "gone": True, "source": "work.md is empty"},
    ],
    "tokens": 2_978, "model": "ollama/a", "window": 32_768, "limit": 19_500, "reserve": 4_096,
}  # fmt: skip


@STORIES.add(size=(100, 28))
def the_parts_of_the_next_request_are_listed() -> Model:
    return listed("/context", answer_event("context-1", "context", CONTEXT))


@STORIES.add(size=(100, 20))
def a_part_of_the_instructions_is_read() -> Model:
    listed = the_parts_of_the_next_request_are_listed()
    return opening.open_sheet(listed, "context_part", note="0")[0]


MEMORY = {
    "rows": [
        {"id": "new/1a", "scope": "proposed", "text": "The person works from Lisbon.",
         "day": "2026-01-31"},
        {"id": "user/tabs", "scope": "user", "path": "/home/ada/.config/agent-tui/memory/tabs.md",
         "text": "The person wants tabs in Makefiles, and spaces everywhere else."},
        {"id": "project/cents", "scope": "project", "path": "/work/shop/.agent-tui/memory/cents.md",
         "text": "Prices are whole cents, never floats."},
    ],
    "forgotten": "user/old",
}  # fmt: skip


@STORIES.add(size=(100, 24))
def memory_lists_proposals_and_facts() -> Model:
    return pressed(listed("/memory", answer_event("memory-1", "memory", MEMORY)), "down")
