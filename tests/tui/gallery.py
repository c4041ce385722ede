"""A picture of every sheet with something in it, and of what stands around the prompt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from agent_tui.protocol.display import TodoItem
from agent_tui.protocol.events import AsideEnded, Event, JobChanged, QueueChanged, TodoChanged
from agent_tui.protocol.messages import Usage
from agent_tui.protocol.ops import Query
from agent_tui.protocol.transcript import Queued
from agent_tui.settings.values import Value
from agent_tui.tui.core import msg
from agent_tui.tui.core.effects import Send
from agent_tui.tui.core.history_search import Past
from agent_tui.tui.core.model import Configured, Model
from agent_tui.tui.screen.settings import all_entries
from agent_tui.tui.sheets import opening
from agent_tui.tui.update import update
from tests.answers import answer_event
from tests.tui import test_snapshots, test_snapshots_reading, test_snapshots_setup
from tests.tui import test_snapshots_lists as lists
from tests.tui import test_snapshots_sessions as sessions
from tests.tui.story import NOW, answered, begun, pressed, told, typed

Pictures = dict[str, Callable[[], Model]]
LONG: Final = (
    "Add a test for the empty cart, then run all tests and say which of them fail and why."
)
ITEMS: Final = (
    TodoItem("Find both places where a price is rounded", "done"),
    TodoItem("Round once, at the end", "active"),
    TodoItem("Write the changelog"),
)
OFFERED: Final = [
    {"name": "ollama/qwen3:8b", "window": 32_768, "tools": True, "thinking": True,
     "where": "Ollama 0.12.3 at http://127.0.0.1:11434"},
    {"name": "openai/gpt-5", "window": 400_000, "tools": True, "thinking": True, "images": True,
     "where": "OpenAI at https://api.openai.com/v1"},
    {"name": "openai/gpt-5-mini", "window": 400_000, "tools": True,
     "where": "OpenAI at https://api.openai.com/v1"},
    {"name": "moonshot/kimi-k2-turbo-preview", "window": 262_144, "tools": True,
     "where": "Moonshot at https://api.moonshot.ai/v1"},
    {"name": "ollama/smollm2:135m", "window": 8_192, "tools": False,
     "where": "Ollama 0.12.3 at http://127.0.0.1:11434"},
]  # fmt: skip
MODELS: Final = {
    "model": "ollama/qwen3:8b",
    "offered": OFFERED,
    "tried": [{"what": "Mistral at https://api.mistral.ai/v1", "result": "nothing answers there"}],
    "aliases": {"fast": "openai/gpt-5-mini"},
    "facts": {
        "openai/gpt-5": {"price": [1.25, 10.0], "sure": True, "efforts": ["low", "high"]},
        "ollama/qwen3:8b": {"price": [0.0, 0.0], "sure": True},
    },
    "used": ["openai/gpt-5", "ollama/qwen3:8b"],
    "unset": [],
}
NO_MODELS: Final = {
    "tried": [
        {"what": "Ollama at http://127.0.0.1:11434", "result": "nothing answers there"},
        {"what": "keys in the environment", "result": "OPENAI_API_KEY is not set"},
    ],
    "variables": ["OPENAI_API_KEY", "OLLAMA_HOST"],
    "offered": [],
}
CHECKS: Final = [
    {"area": "settings", "state": "ok", "said": "2 files read, no mistakes"},
    {"area": "servers", "state": "bad", "said": "Ollama at http://127.0.0.1:11434 does not answer",
     "fix": "start it with `ollama serve`"},
    {"area": "servers", "state": "ok", "said": "OpenAI answers: 42 models"},
    {"area": "keys", "state": "ok", "said": "OPENAI_API_KEY is set in the environment"},
    {"area": "terminal", "state": "note", "said": "tmux 3.4 passes the clipboard on"},
    {"area": "commands", "state": "ok", "said": "git 2.43, rg 14.1"},
    {"area": "permissions", "state": "ok", "said": "only you can read your sessions"},
]  # fmt: skip
JOBS: Final = {
    "jobs": [
        {"id": "1", "command": "npm run dev -- --port 5173", "pids": [4711, 4712],
         "since": NOW - 180, "last": "ready in 312 ms", "kept": True,
         "output": "/home/ada/.local/share/agent-tui/outputs/0f/5b1c2d3e.txt",
         "tail": "VITE v5.4.2\nready in 312 ms"},
        {"id": "2", "command": "python -m http.server", "pids": [4820], "since": NOW - 9},
    ]
}  # fmt: skip
HIDDEN: Final = {
    "values": [
        {"placeholder": "[hidden:github-token:b926]", "tool": "read_file"},
        {"placeholder": "[hidden:key:34cd]", "tool": "run_shell_command", "shown": True},
        {"placeholder": "[hidden:key:56ef]", "problem": "its value is not in memory (any more)"},
    ]
}
PERMISSIONS: Final = {
    "session": [
        {"id": "1f", "kind": "allow", "text": "Run shell command pytest …", "folder": "/work/shop"},
        {"id": "2f", "kind": "allow", "text": "Edit file shop/cart.py"},
    ],
    "denied": [
        {"call_id": "c7", "label": "Run git push --force", "reason": "it rewrites history",
         "at": NOW - 40, "may_retry": True},
    ],
    "settings": [{"id": "", "kind": "deny", "text": "run_shell_command(docker *)"}],
}  # fmt: skip
TRUST: Final = {
    "folder": "/work/shop",
    "files": [
        {"name": "AGENTS.md", "size": 61, "hash": "ce50a83a" * 8,
         "text": "# The shop\n\nPrices are whole cents. Run `make test` at the end.\n"},
        {"name": ".agent-tui/skills.md", "size": 40, "hash": "21b3dfe2" * 8, "text": "# /release",
         "diff": [{"old_start": 1, "new_start": 1, "lines": [" # /release", "-Tag it.", "+Push it."]}]},
    ],
    "asks": True,
}  # fmt: skip
FILES: Final = {"paths": [f"shop/{name}.py" for name in ("cart", "price", "till")], "whole": True}
NAMED: Final = {"paths": {f"shop/{name}.py": f"/work/shop/{name}.py" for name in ("cart", "till")}}
PULL: Final = {"model": "qwen3:8b", "state": "pulling", "percent": 42, "done": 2_100_000_000,
               "total": 5_000_000_000, "left": 95}  # fmt: skip
EFFORTS: Final = {
    "model": "ollama/qwen3:8b",
    "auto": "thinks as the model decides",
    "levels": [{"level": "low", "about": "thinks"}, {"level": "high", "about": "thinks"}],
    "cycle": ["low", "high"],
}
SKILLS: Final = {"skills": [
    {"name": "review", "description": "Review the changes.", "arguments": ["path"], "free": False,
     "source": "project"},
    {"name": "tidy", "description": "Tidy up.", "arguments": [], "free": True, "source": "user"},
]}  # fmt: skip
ABOUT_FILE: Final = {"name": "", "text": "def total(items):\n    return sum(items)\n", "lines": 8}
COMPACTION: Final = {
    "summary": "## Goal\nRound prices once, at the end.\n\n## Files\n- shop/cart.py: `total` rounds twice",
    "going": [
        {"place": 0, "who": "prompt", "words": "Where is a price rounded?", "tokens": 14},
        {"place": 1, "who": "answer", "words": "In two places: cart.py and till.py.", "tokens": 310},
        {"place": 2, "who": "result of read_file", "words": "def total(items):", "tokens": 2_100},
    ],
    "of": 9, "before": 21_400, "after": 6_200, "model": "openai/gpt-5-mini",
}  # fmt: skip
CONTEXT: Final = {
    "parts": [
        {"name": "system: work", "tokens": 240, "source": "built in",
         "text": "# How to work\n- Do what was asked, all of it, and nothing beyond it."},
        {"name": "system: instructions: AGENTS.md", "tokens": 410, "source": "/work/shop/AGENTS.md"},
        {"name": "descriptions of the tools", "tokens": 1_180},
        {"name": "results of read_file", "tokens": 9_300},
        {"name": "answers", "tokens": 2_900},
        {"name": "your prompts", "tokens": 350},
        {"name": "older results, one line each", "tokens": 7_700, "gone": True},
        {"name": "system: style", "tokens": 0, "gone": True,
         "source": "/home/ada/.config/agent-tui/prompt/style.md is empty"},
    ],
    "tokens": 14_380, "model": "ollama/qwen3:8b", "window": 32_768, "limit": 19_500,
    "reserve": 4_096, "cached": 13_900, "sent": 14_100,
}  # fmt: skip
MAP: Final = {
    "files": [
        {"path": "shop/price.py", "lines": ["    4 LIMIT_CENTS", "   12 class PriceList",
         "   31   def round_cents(self, amount: float) -> int"], "left_out": 5},
        {"path": "shop/cart.py", "lines": ["    8 def cart_total(items: list[Item]) -> int"]},
        {"path": "web/basket.ts", "lines": ["    3 export class Basket"]},
    ],
    "note": "3 of 41 files; without tree-sitter: pip install 'agent-tui[map]' finds more",
}  # fmt: skip
GIVEN: Final[dict[str, Any]] = {
    "compaction": COMPACTION,
    "context": CONTEXT,
    "repo_map": MAP,
    "models": MODELS,
    "doctor": {"checks": CHECKS},
    "jobs": JOBS,
    "permissions": PERMISSIONS,
    "hidden": HIDDEN,
    "files": FILES,
    "named_files": NAMED,
    "skills": SKILLS,
    "file_preview": {"of": "shop/cart.py", "parts": [ABOUT_FILE]},
}
KINDS: Final = {"file_preview": "preview"}
"""The kind of the answer to a query, where it has another name."""
DOWN: Final = "cannot reach Ollama at http://127.0.0.1:11434: no server answers there"
FACTS: Final = (
    ("agent-tui", "1.0.0 · Python 3.11.7 · Textual 6.2"),
    ("terminal", "xterm-256color, 100x30, true colours"),
    ("model", "ollama/qwen3:8b · window 32,768 · 1,440 tokens in context"),
    ("session", "0b0e1c5a-0000-4000-8000-000000000001"),
    ("frame", "3.1 ms at most, 1.2 ms usually"),
)


def settings() -> msg.SettingsRead:
    values = {one.key: Value(one.default) for one in all_entries()} | {
        "model": Value("ollama/qwen3:8b", "user"),
        "display.theme": Value("nord", "project"),
    }
    return msg.SettingsRead(Configured(values, ("auto", "ansi", "dark", "light", "nord"), ()))


def with_answers(model: Model, effects: tuple[Any, ...]) -> Model:
    """The model after the engine has answered what it was asked."""
    for op in (one.op for one in effects if isinstance(one, Send)):
        if isinstance(op, Query) and op.kind in GIVEN:
            kind = KINDS.get(op.kind, op.kind)
            event = replace(answer_event(op.id, kind, GIVEN[op.kind]), session=model.active)
            model, more = update(model, msg.EventsArrived(at=NOW + 99, events=(event,)))
            model = with_answers(model, more)
    return model


def opened(command: str, before: Model | None = None) -> Model:
    model = before or sessions.worked()
    model, effects = update(model, msg.Submitted(at=NOW + 99, text=command))
    model = update(model, settings())[0]
    return with_answers(model, effects)


def commanded(model: Model, key: str) -> Model:
    """Pressed after a long rest: it is meant."""
    return update(model, msg.KeyPressed(at=NOW + 90, key=key))[0]


def after(*events: Event, before: Model | None = None) -> Model:
    return told(*events, before=before or sessions.worked(), at=NOW + 99)


def queued(running: bool, paused: bool = False, draft: str = "") -> Model:
    waiting = (Queued("q1", "Then run the tests."), Queued("q2", LONG), Queued("q3", "Commit."))
    begins = begun("Fix the rounding.") if running else answered("Tidy it.", "It is tidy.")
    model = told(*begins, QueueChanged(waiting, paused))
    return typed(model, draft) if draft else model


def named() -> Model:
    said = answered("Where is it?", "In `shop/cart.py:12`, called from shop/till.py.")
    return opened("/edit", told(*said, before=sessions.worked()))


def aside() -> Model:
    model = opened("/btw what is a monad?")
    assert model.aside is not None
    said = "A **monad** chains steps that carry a context.\n\n```python\nx.then(f)\n```"
    asked = model.aside
    return after(AsideEnded(id=asked.id, question=asked.question, text=said, usage=Usage(1_900, 80)),
                 before=model)  # fmt: skip


def debug() -> Model:
    return update(opened("/debug"), msg.FactsRead(FACTS))[0]


def pasted() -> Model:
    text = "\n".join(f"FAILED tests/test_cart.py::test_total[{n}]" for n in range(80))
    model = update(sessions.worked(), msg.Pasted(at=NOW + 3, text=text, unmarked=False))[0]
    label = model.composer.chips[0].label
    return pressed(typed(model, label), "f4", draft=label)


def private() -> Model:
    data = {
        "command": "env | sort",
        "said": "exit code 0 after 12 ms",
        "output": "HOME=/home/ada\nLANG=C",
    }
    return after(answer_event("p", "private", data))


def no_model(again: bool = False) -> Model:
    model = test_snapshots.a_first_start_says_what_was_tried()
    if not again:
        return model
    looking = commanded(pressed(model, "down", "down"), "enter")
    return told(answer_event("start", "models", NO_MODELS), before=looking, at=NOW + 99)


def unsaved() -> Model:
    return opening.open_for(sessions.worked(), "unsaved", unasked=False)[0]


def ending_jobs() -> Model:
    jobs = (
        JobChanged("1", "running", "npm run dev -- --port 5173", (4711,), network=True),
        JobChanged("2", "running", "python -m http.server", (4820,)),
    )
    return opening.open_for(after(*jobs), "jobs", unasked=False)[0]


SHEETS: Final[Pictures] = {
    "btw": aside,
    "choice": lambda: opening.open_sheet(opened("/settings"), "choice", note="mode")[0],
    "compact": lambda: opened("/compact"),
    "context": lambda: opened("/context"),
    "context_part": lambda: opening.open_sheet(opened("/context"), "context_part", note="0")[0],
    "copy": test_snapshots_reading.answers_and_code_can_be_chosen_to_copy,
    "debug": debug,
    "doctor": lambda: opened("/doctor"),
    "edit": named,
    "effort": lambda: opening.open_sheet(
        after(answer_event("e", "efforts", EFFORTS)), "effort")[0],
    "ending_jobs": ending_jobs,
    "files": lambda: opened("/files"),
    "first_run": no_model,
    "help": lambda: opened("/help"),
    "jobs": lambda: opened("/jobs"),
    "locked": sessions.a_session_that_another_program_has_open,
    "log": lists.the_log_has_colours_by_level,
    "map": lambda: opened("/map"),
    "mode": lambda: opening.open_sheet(sessions.worked(), "mode")[0],
    "model": lambda: opened("/models"),
    "palette": lambda: pressed(opened("/help"), "escape", "ctrl+p"),
    "paste": pasted,
    "permissions": lambda: opened("/permissions"),
    "hidden": lambda: opened("/hidden"),
    "memory": lists.memory_lists_proposals_and_facts,
    "private": private,
    "pull": lambda: after(answer_event("p", "pull", PULL), before=opened("/pull qwen3:8b")),
    "queue": lambda: pressed(queued(True), "alt+q"),
    "resume": lists.a_session_shows_its_last_prompt_and_answer,
    "rewind": sessions.rewind_lists_the_turns,
    "settings": lambda: opened("/settings"),
    "setup": test_snapshots_setup.the_providers_say_how_they_stand,
    "skills": lambda: opened("/skills"),
    "stats": sessions.the_figures_of_a_session,
    "theme": lambda: opened("/theme"),
    "todo": lambda: pressed(after(TodoChanged(items=ITEMS)), "ctrl+t"),
    "tree": sessions.the_tree_shows_what_was_forked,
    "trust": lambda: after(answer_event("start", "trust", TRUST)),
    "diff": sessions.the_changes_of_the_session,
    "undo": sessions.undo_shows_what_would_change,
    "unsaved": unsaved,
}  # fmt: skip
"""Each sheet as people see it most."""

AROUND: Final[Pictures] = {
    "at rest": sessions.worked,
    "running": lambda: told(*begun("Fix the rounding.")),
    "running, with a draft": lambda: typed(told(*begun("Fix the rounding.")), "and test it"),
    "prompts wait": lambda: queued(True),
    "prompts wait, with a draft": lambda: queued(True, draft="and test it"),
    "prompts wait, paused": lambda: queued(False, paused=True),
    "prompts wait, paused, running": lambda: queued(True, paused=True),
    "prompts wait, paused, with a draft": lambda: queued(False, paused=True, draft="and test it"),
    "a waiting prompt is edited": lambda: update(queued(True), msg.HistoryAsked(at=NOW + 9, step=-1))[0],
    "queue sheet, paused": lambda: pressed(queued(False, paused=True), "alt+q"),
    "queue sheet, asks": lambda: pressed(queued(True), "alt+q", "d"),
    "side question, asking": lambda: opened("/btw what is a monad?"),
    "pull, to start": lambda: after(
        answer_event("p", "pull", {"model": "qwen3:8b", "state": "down", "said": DOWN}),
        before=opened("/pull qwen3:8b")),
    "no model, again": lambda: no_model(again=True),
    "no model, to quit": lambda: pressed(no_model(), *["down"] * 4),
    "no model, with a prompt": lambda: typed(no_model(), "fix it"),
    "models, none": lambda: no_models_listed(),
    "models, searched": lambda: lists.typed(opened("/models"), "gpt"),
    "models, a window unknown": lambda: lists.typed(opened("/models"), "zzz/zzz"),
    "settings, searched": lambda: lists.typed(opened("/settings"), "theme"),
    "sessions, to delete": lambda: pressed(
        lists.a_session_shows_its_last_prompt_and_answer(), "down", "delete"),
    "setup, a refused key": test_snapshots_setup.keyed,
    "setup, models": test_snapshots_setup.answered,
    "setup, place": lambda: test_snapshots_setup.calmly(test_snapshots_setup.answered(), "enter"),
    "setup, last step": test_snapshots_setup.the_last_step_says_what_will_be_kept,
    "setup, Ollama": test_snapshots_setup.ollama_is_offered_to_be_started,
    "undo, a choice": sessions.a_file_that_changed_since_is_asked_about,
    "a change is asked": test_snapshots.a_change_is_asked_with_its_diff,
    "a command is asked": test_snapshots.a_command_is_asked,
    "a disaster is asked": test_snapshots.a_disaster_is_asked_with_a_key_of_its_own,
    "a search": test_snapshots_reading.a_search_marks_its_hits_and_counts_them,
    "history": lambda: history(),
    "commands are completed": lambda: typed(sessions.worked(), "/mo"),
    "a shell command": lambda: typed(sessions.worked(), "!ls"),
}  # fmt: skip
"""What stands around the prompt, and other steps of sheets."""


def no_models_listed() -> Model:
    model, effects = update(sessions.worked(), msg.Submitted(at=NOW + 99, text="/models"))
    query = next(one.op for one in effects if isinstance(one, Send) and isinstance(one.op, Query))
    return after(answer_event(query.id, "models", NO_MODELS), before=model)


def history() -> Model:
    model = pressed(sessions.worked(), "ctrl+r")
    found = msg.HistoryRead(
        number=model.recalls,
        entries=tuple(Past(f"prompt {n}", NOW - n * 900, here=n < 9) for n in range(40)),
        done=True,
    )
    return update(model, found)[0]
