"""How the policy judges shell commands: what it asks about without need, what it lets run that may
do more, and how long it takes, over the corpus of the tests.

    python -m benchmarks.policy [--quick]
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from agent_tui.safety import policy, repository_check
from agent_tui.safety.shell import syntax as shell_syntax
from agent_tui.safety.shell.classifier import classify
from benchmarks.common import ROOT, judged, median, percentile, quick, report

sys.path.insert(0, str(ROOT))  # the corpus belongs to the tests
from tests.safety import shell_corpus

RUNS = 1 if quick() else 20
MOST, MOST_EVER = 0.001, 0.05
MODES = ("plan", "manual", "auto", "accept-edits")


def nested(text: str, times: int) -> str:
    return text.replace("{}", nested(text, times - 1)) if times else "true"


HOSTILE = {
    "many files": "cat " + "a " * 9_990,
    "many commands": "cat a;" * 3_300,
    "many patterns": "ls " + "zz* " * 4_900,
    "patterns of patterns": "ls " + "*/*/*/* " * 2_400,
    "open brackets": "(" * 20_000,
    "open substitutions": "$(" * 10_000,
    "nested substitutions": "ls $(ls $(ls " * 1_500,
    "backticks": "`" * 20_000,
    "open quotes": "'\"" * 10_000,
    "pipes": "ls|" * 6_600 + "ls",
    "here-documents": "cat <<A\n" * 2_400,
    "git and git": "git status;" * 1_800,
    "there and back": "cd src; cd .. ;" * 1_300,
    "functions": ":(){" * 5_000,
    "a loop": "for x in " + "a " * 500 + "; do " + "echo $x $x; " * 1_400,
    "shells": "echo ls | sh;" * 1_400,
    "deletes": "cd a; rm b;" * 1_700,
    "sed": "sed '" + "s/a/b/;" * 2_700 + "'",
    "awk": "awk '" + "{print}" * 2_700 + "'",
    "braces": "rm -rf " + "{a,b}" * 3_900,
    "too long": "ls " * 16_000,
    "values that double": 'x="$x$x";' * 7 + "true",
    "a value that doubles": "x=a;" + 'x="$x$x";' * 28 + "true",
    "find in find": "git status; " + "find -exec " * 24 + "true",
    "everything in everything": "rm -rf " + "*/" * 9_000,
    "quoted patterns": "mv '" + "*/" * 9_000 + "' x",
    "open patterns": "rm -rf " + "[" * 20_000,
    "escaped marks for sed": "sed '" + "\\/" * 24_000 + "'",
    "escaped quotes": "echo " + '"' + '\\"' * 20_000,
    "programs that start others": "runuser " * 3_900,
    "options of git": "git " + "-C a " * 1_990,
    "many words of a variable": f"x='{'a ' * 12_000}'; rm -rf $x",
    "folders in folders": nested("cd a; foo $({}) $({})", 8),
}
"""Texts that cost the most; a model can write any."""


def decide(command: str, place: Path, mode: str = "auto") -> policy.Decision:
    """As the agent does: all that is decided about a command before it runs."""
    judgement = classify(command, (place,))
    facts = policy.Facts("run_shell_command", "execute", (), command, str(place))
    facts = replace(facts, unsure=judgement.reason, calls=judgement.calls)
    return policy.decide(mode, facts)


def parse(command: str) -> None:
    """The floor: the grammar alone."""
    try:
        shell_syntax.parse(command)
    except shell_syntax.Unclear:
        return


def timed(work: Callable[[], object], runs: int = RUNS) -> float:
    took = []
    for _ in range(runs):
        begin = time.perf_counter()
        work()
        took.append(time.perf_counter() - begin)
    return median(took)


def us(seconds: float) -> str:
    return f"{seconds * 1e6:,.0f} µs"


def rates(place: Path) -> None:
    """The table of what is decided, and its verdicts."""
    rows, asked, ran = [], 0, 0
    for severity in shell_corpus.SEVERITIES:
        for group in dict.fromkeys(one.group for one in shell_corpus.of(severity)):
            entries = [one for one in shell_corpus.of(severity) if one.group == group]
            free = sum(decide(one.command, place).verdict == "allow" for one in entries)
            looks = severity in ("looks", "false ask")
            asked += len(entries) - free if looks else 0
            ran += 0 if looks else free
            wrong = len(entries) - free if looks else free
            share = f"{100 * wrong / len(entries):.0f} %"
            rows.append((severity, group, f"{len(entries)}", f"{free}", share))
    harmless, others = shell_corpus.of("looks", "false ask"), shell_corpus.of("asks", "hard")
    unasked = [
        one.command
        for one in others
        if any(decide(one.command, place, mode).verdict == "allow" for mode in MODES)
    ]
    soft = [
        one.command
        for one in shell_corpus.of("hard")
        if decide(one.command, place, "accept-all").verdict == "allow"
    ]
    report(
        f"Decisions in auto ({len(harmless)} commands that only look, {len(others)} others)",
        ("heading", "class", "commands", "run", "wrong"),
        rows,
        [
            judged(
                f"false asks at most 10 % (are {100 * asked / len(harmless):.1f} %)",
                asked <= len(harmless) // 10,
            ),
            judged(f"false allows 0 in {', '.join(MODES)} (are {len(unasked)})", not unasked),
            judged(f"no hard one runs in accept-all ({len(soft)} do)", not soft),
        ],
    )


def times(place: Path) -> None:
    rows = []
    commands = [entry.command for entry in shell_corpus.entries()][:: 20 if quick() else 1]
    of_git = [command for command in commands if command.startswith("git ")]
    made = {"any": commands, "git": of_git}
    p95 = 0.0
    for name, some in made.items():
        whole = [timed(partial(decide, command, place)) for command in some]
        floor = [timed(partial(parse, command)) for command in some]
        p95 = max(p95, percentile(whole, 0.95))
        row = (
            (us(median(values)), us(percentile(values, 0.95)), us(max(values)))
            if (values := whole)
            else ()
        )
        rows.append((f"{name} command", f"{len(some)}", *row, us(percentile(floor, 0.95))))
    few = min(RUNS, 3)
    worst = {name: timed(partial(decide, text, place), few) for name, text in HOSTILE.items()}
    for name, took in sorted(worst.items(), key=lambda pair: -pair[1])[:6]:
        floor_of = timed(partial(parse, HOSTILE[name]), few)
        rows.append((f"hostile: {name}", "1", us(took), "", us(took), us(floor_of)))
    slowest = max(worst.values())
    report(
        f"Time of a decision (median of {RUNS}; beside it the p95 of the grammar alone)",
        ("what", "commands", "p50", "p95", "max", "only parsing"),
        rows,
        [
            judged(f"p95 at most {us(MOST)} (is {us(p95)})", p95 <= MOST),
            judged(
                f"at most {us(MOST_EVER)} on any input (is {us(slowest)})", slowest <= MOST_EVER
            ),
        ],
    )


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        place = shell_corpus.build(Path(folder).resolve())
        decide("ls", place)  # the grammar is loaded once
        rates(place)
        if not quick():
            time.sleep(
                repository_check._SETTLED_NS / 1e9 + 0.1
            )  # as any repository that lies there
        times(place)


if __name__ == "__main__":
    main()
