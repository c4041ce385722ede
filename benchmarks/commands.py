"""What each sandbox adds to a command: the same commands plain and confined, in turns, through the
process that starts them, from the call to its result.

    python -m benchmarks.commands [--quick]
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import time
from pathlib import Path

from agent_tui.safety.process import processes
from agent_tui.safety.process.output_capture import Captured
from agent_tui.safety.sandbox import read_only_sandbox, workspace_sandbox
from agent_tui.safety.sandbox import support as sandbox_support
from agent_tui.safety.sandbox.profiles import Profile
from agent_tui.safety.sandbox.protected_state import take_state
from agent_tui.safety.secret_search import find_secret_files
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


def elapsed(begin: float) -> float:
    return time.perf_counter() - begin


async def measured(home: Path) -> None:
    work, given = home / "work", environment(home, GIT_CONFIG_NOSYSTEM="1")
    subprocess.run(["git", "init", "-q"], cwd=work, env=given, check=True)
    for number in range(200):
        (work / f"file{number}").write_text(f"{number}\n" * 50)
    (work / ".env").write_text("TOKEN=needle\n")  # closed by itself: all beside it is opened
    closed = find_secret_files((work, ROOT)).closed
    looks = read_only_sandbox.profile((work, ROOT), given, secrets=closed)
    sandboxes = {"read-only": looks}
    begin = time.perf_counter()
    support = await sandbox_support.support()
    if support.problem:
        raise OSError(f"no read-only sandbox: {support.problem}")
    rows = [(f"trying the read-only sandbox ({support.backend})", "", ms(elapsed(begin)), "")]
    for way in sandbox_support._ways():
        begin = time.perf_counter()
        found = await sandbox_support._found("workspace ", way, None)
        if not found.problem:
            there = workspace_sandbox.look_through((work,))
            held = workspace_sandbox.find_held(there, (work,), way)
            sandboxes[found.backend] = workspace_sandbox.profile(
                (work,), given, backend=way, found=there, held=held
            )
        tried = found.problem or ms(elapsed(begin))
        rows.append((f"trying the one to work in ({found.backend})", "", tried, ""))
    extra: dict[str, float] = {}
    for command in COMMANDS:
        took = {name: list[float]() for name in ("", *sandboxes)}
        for _ in range(RUNS):
            for name, one in took.items():
                one.append(await timed(command, work, given, sandboxes.get(name)))
        for name in sandboxes:
            added = median(took[name]) - median(took[""])
            extra.setdefault(name, added)
            row = (f"`{command}`, {name}", pair(took[""], 0.95), pair(took[name], 0.95), ms(added))
            rows.append(row)
    for what, make in (
        ("the look for secrets", lambda: find_secret_files((work, ROOT))),
        (
            "the profile to look",
            lambda: read_only_sandbox.profile((work, ROOT), given, secrets=closed),
        ),
        ("the profile to work", lambda: workspace_sandbox.profile((work,), given)),
        ("the state of protected names", lambda: take_state((work,))),
    ):
        made = []
        for _ in range(RUNS):
            begin = time.perf_counter()
            make()
            made.append(elapsed(begin))
        rows.append((what, "", pair(made, 0.95), ""))
    report(
        f"Commands ({RUNS} runs each; p50 / p95; {os.cpu_count()} cores)",
        ("what", "plain", "confined", "added (p50)"),
        rows,
        [
            judged(
                f"`true` costs at most {ms(MOST_EXTRA)} more with {name} (is {ms(added)})",
                added <= MOST_EXTRA,
            )
            for name, added in extra.items()
            if name == "read-only" or "Landlock" in name
        ],
    )
    await processes.settle(5.0)


def main() -> None:
    with folder() as home:
        asyncio.run(measured(home))


if __name__ == "__main__":
    main()
