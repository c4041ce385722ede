"""What the read-only sandbox adds to a command: the same commands plain and confined, in turns,
through the process that starts them, from the call to its result.

    python -m benchmarks.commands [--quick]
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import time
from pathlib import Path

from agent_tui.safety import processes, read_only_sandbox
from agent_tui.safety.confinement import Profile
from agent_tui.safety.output_capture import Captured
from benchmarks.common import ROOT, environment, folder, judged, median, ms, pair, quick, report

RUNS = 3 if quick() else 50
COMMANDS = ("true", "git status --short", "grep -rn needle . | head")
MOST_EXTRA = 0.015


async def timed(command: str, work: Path, given: dict[str, str], confined: Profile | None) -> float:
    begin = time.perf_counter()
    captured = Captured(100_000, None)
    result = await processes.run(
        command, work, given, 60.0, lambda _: None, captured, confined=confined
    )
    took = time.perf_counter() - begin
    assert result.exit_code == 0, result.output
    return took


async def measured(home: Path) -> None:
    work, given = home / "work", environment(home, GIT_CONFIG_NOSYSTEM="1")
    subprocess.run(["git", "init", "-q"], cwd=work, env=given, check=True)
    for number in range(200):
        (work / f"file{number}").write_text(f"{number}\n" * 50)
    made = []
    for _ in range(RUNS):
        begin = time.perf_counter()
        read_only_sandbox.profile((work, ROOT), given)
        made.append(time.perf_counter() - begin)
    confined = read_only_sandbox.profile((work, ROOT), given)
    begin = time.perf_counter()
    support = await read_only_sandbox.support()
    first = time.perf_counter() - begin
    if support.problem:
        raise OSError(f"no read-only sandbox: {support.problem}")
    rows, extra = [], 0.0
    for command in COMMANDS:
        plain, held = [], []
        for _ in range(RUNS):
            plain.append(await timed(command, work, given, None))
            held.append(await timed(command, work, given, confined))
        added = median(held) - median(plain)
        extra = added if command == "true" else extra
        rows.append((f"`{command}`", pair(plain, 0.95), pair(held, 0.95), ms(added)))
    rows.append(("the profile of a session", "", pair(made, 0.95), ""))
    rows.append((f"trying the sandbox ({support.backend})", "", ms(first), ""))
    report(
        f"Commands ({RUNS} runs each; p50 / p95; {os.cpu_count()} cores)",
        ("what", "plain", "confined", "added (p50)"),
        rows,
        [
            judged(
                f"`true` costs at most {ms(MOST_EXTRA)} more (is {ms(extra)})", extra <= MOST_EXTRA
            )
        ],
    )
    await processes.settle(5.0)


def main() -> None:
    with folder() as home:
        asyncio.run(measured(home))


if __name__ == "__main__":
    main()
