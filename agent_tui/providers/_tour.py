"""The tour: its steps in order, what each says and calls. Words and pure functions; `demo.py` plays them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from agent_tui.protocol.messages import ToolMessage
from agent_tui.providers._demo_results import failure, not_done, ran
from agent_tui.providers._demo_speech import Say, Wish, code

Results = tuple[ToolMessage, ...]

FILE: Final = "notes.md"
NOTES: Final = """\
# Notes from the tour

- Enter sends a prompt. While the agent works, Enter queues it.
- Esc interrupts the agent.
- The sky is green.
"""
COMMAND: Final = 'for i in 1 2 3 4 5 6; do echo "line $i of 6"; sleep 0.5; done'
COUNT: Final = 15


@dataclass(frozen=True, slots=True)
class Step:
    """One answer of the tour. `thought` comes before its words. `show` is passed over when the step was interrupted and
    is played again; `ask` comes right before the calls; `about` says a sentence on the results of these calls, in the
    answer that follows."""

    name: str
    ask: str
    calls: Callable[[str], tuple[Wish, ...]] = lambda _: ()
    show: Callable[[str], tuple[Say, ...]] = lambda _: ()
    about: Callable[[Results], str] = lambda _: ""
    needs_file: bool = False
    thought: str = ""
    again_from: str = ""
    """After an interruption the tour goes on from this earlier step."""


def index(name: str) -> int:
    """Where the step `name` stands; -1 if there is none."""
    return next((number for number, step in enumerate(STEPS) if step.name == name), -1)


def following(done: int, has_file: bool) -> int | None:
    """The step after `done`; None behind the last. Steps that need the file are left out where there is none."""
    after = range(done + 1, len(STEPS))
    return next((number for number in after if has_file or not STEPS[number].needs_file), None)


def opening(step: int, done: int, results: Results, said: str, back: bool, cut: bool) -> str:
    """The first words of a step: about what happened since the step before."""
    if back and cut and STEPS[step].name == "cancel":
        return (
            "You pressed Esc. The answer stopped, and its text stayed. (Queued prompts wait; Enter on the empty prompt"
            " sends them.) The tour continues."
        )
    if back:
        return "The tour continues." if step else ""
    parts = [STEPS[done].about(results)] if done >= 0 and results else []
    if said:
        parts.append(f"You said {code(said)}. A model would read that now. I am a script, so I continue.")
    return " ".join(part for part in parts if part)


def _created(results: Results) -> str:
    failed = failure(results[0])
    if failed is None:
        return f"{code(FILE)} was written."
    return f"{not_done(failed)} Without the file, the tour skips reading, searching and the diff."


def _looked(results: Results) -> str:
    failed = [problem for problem in map(failure, results) if problem]
    return not_done(failed[0]) if failed else "Two results, one line each. Ctrl+O expands them."


def _simply(done: str) -> Callable[[Results], str]:
    def about(results: Results) -> str:
        failed = failure(results[0])
        return not_done(failed) if failed else done

    return about


def _welcome(scratch: str) -> tuple[Say, ...]:
    return (
        Say(f"""# A tour of agent-tui

It takes a little over a minute and continues by itself. It writes only in this scratch folder:

{code(scratch)}

An answer is Markdown. You see it laid out while it streams:

- lists, with **bold**, *italic* and `code`
- tables, quotes, and code in colour

| Key | What it does |
|---|---|
| Enter | sends the prompt, or queues it while the agent works |
| Esc | interrupts |
| Shift+Tab | changes the mode |

```python
def greet(name: str) -> str:
    \"\"\"Code in an answer is shown, never run.\"\"\"
    return f"Hello, {{name}}!"
```

> Quotes look like this.

"""),
    )


def _slowly(_: str) -> tuple[Say, ...]:
    return (
        Say("## The queue\n\n"),
        Say(
            "I write slowly now. **Type something and press Enter**: I am not interrupted. Your prompt waits in the"
            " queue, and the header counts it. It is sent when this turn ends. Alt+S sends it earlier, into this"
            " turn.\n\n",
            rate=8.0,
        ),
    )


def _counting(_: str) -> tuple[Say, ...]:
    numbers = (Say(f"{n}{'.' if n == COUNT else ', '}", rate=1.0, whole=True) for n in range(1, COUNT + 1))
    return (
        Say(
            "## Interrupting\n\nI count to fifteen. **Press Esc** at any time: I stop, my text stays, and the queue"
            " pauses. Then type `tour` to continue. If you do not press it, I continue by myself.\n\n"
        ),
        *numbers,
        Say(" You did not stop me, so I continue.\n\n"),
    )


def _list(scratch: str) -> tuple[Wish, ...]:
    return (Wish("list_files", {"path": scratch}),)


STEPS: Final[tuple[Step, ...]] = (
    Step(
        "words",
        f"## Tools and approval\n\nNow I want to write a file, {code(FILE)}. In the modes `auto` and `manual` nothing"
        " is written before you say yes.\n\n",
        lambda scratch: (Wish("create_file", {"path": f"{scratch}/{FILE}", "content": NOTES}),),
        _welcome,
        _created,
    ),
    Step(
        "look",
        "In `auto`, reading needs no approval. I list the folder and read the file, both at once.\n\n",
        lambda scratch: (*_list(scratch), Wish("read_file", {"path": f"{scratch}/{FILE}"})),
        about=_looked,
        needs_file=True,
    ),
    Step(
        "search",
        "Now a search: which line mentions the sky?\n\n",
        lambda scratch: (Wish("grep_files", {"pattern": "sky", "path": scratch}),),
        about=_simply("Found."),
        needs_file=True,
    ),
    Step(
        "diff",
        "## A diff\n\nThe sky is not green. I want to change that line. You see the change before I make it.\n\n",
        lambda scratch: (
            Wish("edit_file", {"path": f"{scratch}/{FILE}", "old": "The sky is green.", "new": "The sky is blue."}),
        ),
        about=_simply("The sky is blue."),
        needs_file=True,
    ),
    Step(
        "command",
        "## Thoughts and a command\n\nBefore these words you saw thoughts, as an example; now they are one line."
        " Ctrl+O expands it. `/thinking` shows thoughts live, folded or hidden.\n\nThe command writes six lines"
        " in three seconds and changes nothing. You see its output while it runs.\n\n",
        lambda _: (Wish("run_shell_command", {"command": COMMAND}),),
        about=lambda results: ran(results[0]),
        thought="Which command shows output while it runs, ends soon and changes nothing? A loop that counts, with a"
        " short sleep. It reads no file and writes none. A model would think here about whether it is safe to run.",
    ),
    Step(
        "queue",
        "Now I look for files by name.\n\n",
        lambda scratch: (Wish("glob_files", {"pattern": "*", "path": scratch}),),
        _slowly,
        _simply("Those are the files."),
    ),
    Step(
        "cancel",
        "## A loop\n\nA model sometimes repeats itself. I do it on purpose: I list the same folder three times.\n\n",
        _list,
        _counting,
    ),
    Step("again", "The same once more.\n\n", _list, again_from="cancel"),
    Step(
        "stuck",
        "And a third time. Now the program asks you: let me **continue**, **say something** to me, or **stop**: type"
        " `tour` again for the rest.\n\n",
        _list,
        again_from="cancel",
    ),
    Step(
        "end",
        "",
        show=lambda scratch: (
            Say(f"""## That was the tour

| Key | What it does |
|---|---|
| Enter | sends the prompt, or queues it while the agent works |
| Alt+S | sends the prompt into the running turn |
| Esc | interrupts the turn and pauses the queue |
| Shift+Tab | sets the next mode: what runs without asking |
| Ctrl+J | adds a new line to the prompt |
| Ctrl+O | expands everything |
| F1 | shows all keys |
| Ctrl+D | quits, if the prompt is empty |

You can also type `list`, `read README.md`, `find TODO`, `run ls` or `help`. These work in the folder of this session,
and ask in the same way.

**A real model:** start [Ollama](https://ollama.com), download a model that can call tools (`ollama pull qwen3:8b`), and
choose it with `/model`. For another provider, type `/setup`.

The scratch folder is yours to keep or to delete: {code(scratch)}"""),
        ),
    ),
)
