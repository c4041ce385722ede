"""What it costs to look what a command changes (`git status` before it and after it): a command of a
second in a repository of 20,000 files, from the call to its result, through the whole engine. Once
with a command in each answer, for which a model takes a while; once with all in one answer, where
each waits for the look after the one before it.

    python -m benchmarks.command_changes [--quick]
"""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path

from agent_tui.protocol.events import ToolEnded, ToolStarted, TurnEnded
from agent_tui.protocol.ops import Submit
from benchmarks.common import folder, judged, median, ms, pair, quick, report
from benchmarks.undo import engine

FILES = 200 if quick() else 20_000
RUNS = 2 if quick() else 20
COMMAND = "sleep 0.1; true" if quick() else "sleep 1; true"
ANSWER = 0.3
"""Seconds that the model takes for an answer: longer than a look holds."""
MOST = 0.1
"""Of the command's own time."""


def prepared(work: Path) -> tuple[str, str]:
    """A repository, and scripts that run the command in it, one in each answer and all in one;
    returns the models."""
    for number in range(FILES):
        place = work / f"d{number % 200}"
        place.mkdir(parents=True, exist_ok=True)
        (place / f"f{number}").write_text(f"{number}\n" * 20)
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "core.autocrlf=false"]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "all"]):
        subprocess.run([*git, *words], cwd=work, check=True)
    call = {"call": "run_shell_command", "delay": ANSWER}
    # each another one: the same again and again would hold the turn
    calls = [{**call, "arguments": {"command": f"{COMMAND} {number}"}} for number in range(RUNS)]
    last = [{"text": "done"}]
    for name, steps in (("each", [*([one] for one in calls), last]), ("all", [calls, last])):
        (work / ".git" / f"{name}.json").write_text(json.dumps({"steps": steps}))
    return "scripted/.git/each.json", "scripted/.git/all.json"


def timed(home: Path, work: Path, model: str) -> tuple[list[float], list[float]]:
    """Seconds that the commands took, and those that were spent beside them."""
    begun, own, extra = 0.0, list[float](), list[float]()
    with engine(home, work, model) as running:
        running.worker.send(Submit("go"))
        while True:
            event = running.worker.events.get(timeout=60)
            if isinstance(event, ToolStarted):
                begun = event.at
            elif isinstance(event, ToolEnded):
                own.append(event.duration_ms / 1000)
                extra.append(event.at - begun - own[-1])
            elif isinstance(event, TurnEnded):
                return own, extra


def main() -> None:
    with folder() as root:
        work = root.resolve() / "project"
        each, together = prepared(work)
        own, extra = timed(root / "home", work, each)
        _, waited = timed(root / "other", work, together)
        status = ["git", "status", "--porcelain=v2", "--untracked-files=all"]
        floor = list[float]()
        for _ in range(RUNS):
            begin = time.perf_counter()
            subprocess.run(status, cwd=work, check=True, stdout=subprocess.DEVNULL)
            floor.append(time.perf_counter() - begin)
        shares = [median(some) / median(own) for some in (extra, waited)]
        report(
            f"Looking what a command changes ({FILES:,} files, {RUNS} runs; p50 / p95)",
            ("what", "takes"),
            [
                (f"`{COMMAND}` alone", pair(own, 0.95)),
                ("one `git status` by itself, the floor of a look", pair(floor, 0.95)),
                ("the looks, with one command in each answer", pair(extra, 0.95)),
                ("the looks, with all commands in one answer", pair(waited, 0.95)),
            ],
            [
                judged(
                    f"they cost at most {MOST:.0%} of it (are {ms(median(some))}, {share:.1%})",
                    share <= MOST,
                )
                for some, share in zip((extra, waited), shares, strict=True)
            ],
        )


if __name__ == "__main__":
    main()
