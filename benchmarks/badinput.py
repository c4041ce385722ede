"""Keys while bad input arrives: the longest time from a key to its echo, in a real pty, with a
scripted model and the real tools. Nothing that a model, a file, a command or a paste holds may keep
a key waiting.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from benchmarks.common import (
    LETTERS,
    PACE,
    Pty,
    agent,
    folder,
    judged,
    ms,
    percentile,
    quick,
    report,
    running,
)

GOAL: Final = 0.1
"""Seconds that a key may wait."""
PATIENCE: Final = 60.0
STARTED: Final = 2.5
"""Seconds of silence after which the engine has started and what the first answer needs is loaded:
`start.py` has the start."""
PIECE: Final = 4096
END: Final = "Endmark"
Step = list[dict[str, Any]]


@dataclass(slots=True)
class Case:
    """What the model says and calls, a step each, or what is pasted; `resize`: the terminal's size
    changes."""

    name: str
    steps: list[Step]
    paste: str = ""
    resize: bool = False
    echoes: list[float] = field(default_factory=list)
    work: list[float] = field(default_factory=list)
    """CPU seconds of the whole program from each key to its echo: what a busy machine does not
    change."""


def said(text: str, chunk: int = 400, repeat: int = 1, rate: int = 0) -> Step:
    item: dict[str, Any] = {"text": text, "chunk": chunk, "repeat": repeat}
    return [item | ({"rate": rate} if rate else {})]


def ran(command: str) -> Step:
    return [{"call": "run_shell_command", "arguments": {"command": command, "timeout": 50}}]


def cases(size: int) -> Iterator[Case]:
    """All cases; `size` 1 is the real thing, 100 a hundredth of it."""
    code = "import sys; w = sys.stdout.buffer.write; "
    lines, line, deep = 10_000_000 // size, 5_000_000 // size, 10_000 // size
    yield Case(
        "a command writes 10 MB of lines",
        [ran(f"yes 'some words of output here' | head -c {lines}")],
    )
    yield Case("a command writes one line of 5 MB", [ran(f"head -c {line} /dev/zero | tr '\\0' a")])
    yield Case(
        "a command writes 5 MB of a progress bar",
        [ran(f"yes '50 % done' | tr '\\n' '\\r' | head -c {line}")],
    )
    yield Case("a command writes 2 MB of random bytes", [ran(f"head -c {line // 2} /dev/urandom")])
    yield Case(
        "a command writes 3 MB of escape sequences",
        [
            ran(
                f"python3 -c \"{code}w(b'\\x1b]0;t\\x07\\x1b[2J\\x1bP1q\\x9b5A[b]\\xe2\\x80\\xae' * {line // 8})\""
            )
        ],
    )
    yield Case(
        "a file of 5 MB in one line is written",
        [[{"call": "create_file", "arguments": {"path": "long.txt", "content": "x" * line}}]],
    )
    yield Case(
        "a file of 100,000 lines is written",
        [
            [
                {
                    "call": "create_file",
                    "arguments": {"path": "lines.py", "content": "x = 1\n" * (100_000 // size)},
                }
            ]
        ],
    )
    yield Case("an answer is one line of 5 MB", [said("word ", 4_000, line // 5)])
    yield Case("an answer is one line of 1 MB of wide letters", [said("漢字", 2_000, line // 10)])
    yield Case(
        "an answer has 10,000 list levels",
        [said("".join(f"{'  ' * n}- x\n" for n in range(deep // 5)))],
    )
    yield Case("an answer has 10,000 quote levels", [said("> " * deep + "x\n", repeat=5)])
    yield Case(
        "an answer has 10,000 nested brackets", [said("[" * deep + "]" * deep + "\n\n", repeat=5)]
    )
    yield Case(
        "an answer has 10,000 nested emphasis marks", [said("*a **b " * deep + "\n\n", repeat=3)]
    )
    yield Case("an answer has a table of 500 columns", [said(table(500, 40))])
    yield Case("an answer has a table of 20,000 rows", [said(table(4, 20_000 // size))])
    yield Case(
        "an answer leaves a fence open for 100,000 lines",
        [said("```python\n" + "x = 1\n" * (100_000 // size))],
    )
    yield Case("an answer has 100,000 short paragraphs", [said("a\n\n", 300, 100_000 // size)])
    yield Case(
        "an answer is 5 MB of escape sequences",
        [said("\x1b]8;;x\x07\x9b2J\x1b[1m[b]", 400, line // 20)],
    )
    yield Case(
        "thinking is one line of 2 MB",
        [[{"thinking": "word ", "chunk": 400, "repeat": line // 12}]],
    )
    yield Case("5 MB in one line are pasted and sent", [said("ok")], paste="p" * line)
    yield Case(
        "100,000 lines are pasted and sent", [said("ok")], paste="some words\n" * (100_000 // size)
    )
    paragraphs = "Some **bold** words and `code`, 漢字, [a link](http://a.example).\n\n"
    yield Case(
        "the size changes while an answer streams",
        [said(paragraphs, 40, 3_000 // size, 400)],
        resize=True,
    )


def table(columns: int, rows: int) -> str:
    row = "|" + " cell |" * columns + "\n"
    return row + "|" + "---|" * columns + "\n" + row * rows


def measure(case: Case, limit: float) -> None:
    """Play `case` and type all the while, until its end is on the screen or `limit` seconds are
    over."""
    with folder() as home:
        steps = [*case.steps, said(END)]
        (home / "work" / "case.json").write_text(json.dumps({"steps": steps}))
        with running(agent("-m", "scripted/case.json", "--mode", "accept-all"), home) as terminal:
            terminal.ready()
            terminal.quiet(STARTED, 5.0)
            begin(terminal, case)
            begun, ended = terminal.now(), 0.0
            sizes = random.Random(7)
            while terminal.now() - begun < limit and not (
                ended and terminal.now() - ended > 1.0 * PACE
            ):
                if case.resize:
                    terminal.resize(sizes.randint(40, 200), sizes.randint(12, 60))
                cpu = terminal.cpu()
                case.echoes.append(terminal.key(LETTERS[len(case.echoes) % len(LETTERS)], PATIENCE))
                case.work.append(terminal.cpu() - cpu)
                terminal.pump(0.03)
                if not ended and END.encode() in terminal.seen:
                    ended = terminal.now()


def begin(terminal: Pty, case: Case) -> None:
    if not case.paste:
        terminal.write("go\r")
        terminal.pump(0.05)  # a key right behind Enter makes a paste of both
        return
    terminal.mark()
    terminal.hand_over(f"\x1b[200~{case.paste}\x1b[201~", PIECE, PATIENCE)
    start = terminal.now()  # what the way through the terminal takes is measured by `paste.py`
    terminal.write(LETTERS[-1])
    terminal.wait(LETTERS[-1], PATIENCE)
    case.echoes.append(terminal.now() - start)
    terminal.write("\r")


def main() -> None:
    wanted = [word for word in sys.argv[1:] if not word.startswith("-")]

    def chosen(case: Case) -> bool:
        return not wanted or any(word in case.name for word in wanted)

    measured = [case for case in cases(100 if quick() else 1) if chosen(case)]
    if quick() and not wanted:
        measured = [measured[0], *measured[-2:]]  # what is sent, what is pasted, what is resized
    rows: list[tuple[str, ...]] = []
    for case in measured:
        measure(case, 1.0 if quick() else 12.0)
        echoes = case.echoes
        rows.append(
            (
                case.name,
                str(len(echoes)),
                ms(percentile(echoes, 0.5)),
                ms(max(echoes)),
                ms(max(case.work)),
            )
        )
        print(rows[-1], file=sys.stderr, flush=True)
    worst = max(max(case.echoes) for case in measured)
    report(
        "keys while bad input arrives",
        ("case", "keys", "key echo p50", "worst", "most CPU until an echo"),
        rows,
        [judged(f"no key waits over {ms(GOAL)}", worst <= GOAL)],
    )


if __name__ == "__main__":
    main()
