"""The search tools over 100,000 files, beside ripgrep and `find` on the same files, in turns.

    python -m benchmarks.search [--quick]

Each row is the tool as the agent runs it, from its arguments to its result. Floors: `rg` (none where
it is not installed) for text and names, `find -maxdepth 1` for one folder.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from agent_tui.tools import glob_files, grep_files, list_files
from benchmarks.common import ROOT, folder, judged, median, ms, quick, report

sys.path.insert(0, str(ROOT))  # the context of a call belongs to the tests
from tests.tools.context import Context, call

FOLDERS, EACH = (20, 100) if quick() else (1_000, 100)
ROUNDS = 1 if quick() else 7
WORDS = ("alpha", "beta", "delta", "return", "import", "class", "def", "self", "value", "index")
NOWHERE = os.devnull


def build(top: Path) -> tuple[Path, Path]:
    """A tree of files like source code, and one folder with as many entries."""
    chance = random.Random(1)
    tree, flat = top / "tree", top / "flat"
    for number in range(FOLDERS):
        inner = tree / f"package{number // 50:02}" / f"module{number:04}"
        inner.mkdir(parents=True)
        for name in range(EACH):
            lines = [" ".join(chance.choices(WORDS, k=8)) for _ in range(chance.randint(5, 60))]
            if chance.random() < 0.0005:
                lines.append("needle here")
            suffix = chance.choice(("py", "js", "md", "txt"))
            (inner / f"file{name:03}.{suffix}").write_text("\n".join(lines) + "\n")
    flat.mkdir()
    for number in range(FOLDERS * EACH):
        (flat / f"entry{number:06}").touch()
    return tree, flat


def seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def run(*words: str) -> Callable[[], object]:
    return lambda: subprocess.run(words, stdout=subprocess.DEVNULL, check=False)


def main() -> None:
    with folder() as top:
        tree, flat = build(top)
        with_it, without = Context(tree), Context(tree, path_variable=NOWHERE)
        rg = shutil.which("rg") or ""
        plain = (rg, "--no-config", "--line-number")
        measured: dict[str, tuple[Callable[[], object], Callable[[], object] | None]] = {
            "grep, a rare word": (
                lambda: call(grep_files.TOOL, with_it, pattern="needle"),
                run(*plain, "needle", str(tree)) if rg else None,
            ),
            "grep, an expression": (
                lambda: call(grep_files.TOOL, with_it, pattern=r"needle \w+$", type="py"),
                run(*plain, "--type=py", r"needle \w+$", str(tree)) if rg else None,
            ),
            "grep without rg": (
                lambda: call(grep_files.TOOL, without, pattern="needle"),
                run(*plain, "needle", str(tree)) if rg else None,
            ),
            "glob": (
                lambda: call(glob_files.TOOL, with_it, pattern="*7.py"),
                run(rg, "--no-config", "--files", "--glob=*7.py", str(tree)) if rg else None,
            ),
            "list": (
                lambda: call(list_files.TOOL, Context(flat)),
                run("find", str(flat), "-maxdepth", "1"),
            ),
        }
        rows, found = [], {}
        for name, (tool, floor) in measured.items():
            tool()  # the files, and the modules, are in memory from here on
            pairs = [(seconds(tool), seconds(floor) if floor else 0.0) for _ in range(ROUNDS)]
            ours, theirs = (median([pair[side] for pair in pairs]) for side in (0, 1))
            found[name] = (ours, ours / theirs if theirs else 0.0)
            ratio = f"{found[name][1]:.2f}" if theirs else ""
            rows.append((name, ms(ours), ms(theirs) if theirs else "", ratio))
    goals = [
        judged(f"{name} ≤ {most} × rg", found[name][1] <= most)
        for name, most in (
            ("grep, a rare word", 1.3),
            ("grep, an expression", 1.3),
            ("grep without rg", 10),
            ("glob", 1.3),
        )
        if rg
    ]
    goals.append(judged("list of 100,000 entries ≤ 300 ms", found["list"][0] <= 0.3))
    title = f"search, {FOLDERS * EACH:,} files"
    report(title, ("what", "tool", "floor", "ratio"), rows, goals)


if __name__ == "__main__":
    main()
