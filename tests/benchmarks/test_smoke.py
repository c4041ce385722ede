"""Every benchmark runs, at a tiny size, and prints its table with goals. What it measures is never
asserted."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.__main__ import main, names
from benchmarks.common import Goal, median, percentile, report

ROOT = Path(__file__).resolve().parents[2]
PROMISED = {
    "outside",
    "growth",
    "transcript",
    "start",
    "core",
    "stream",
    "cancel",
    "idle",
    "files",
    "paste",
}


@pytest.mark.parametrize("name", names())
def test_it_runs_and_prints_its_table(name: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", f"benchmarks.{name}", "--quick"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=280,  # the suite ends a test after 300
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(done.stdout.splitlines()) > 3
    assert done.stdout.startswith("\n## ")
    assert "\n|--" in done.stdout
    assert "\ngoal: " in done.stdout


def test_the_list_holds_what_the_project_promises() -> None:
    assert set(names()) >= PROMISED


def test_an_unknown_name_or_option_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nothing"]) == 2
    assert main(["--fast"]) == 2
    assert "usage: python -m benchmarks" in capsys.readouterr().err


def test_percentiles_are_values_that_were_measured() -> None:
    values = [4.0, 1.0, 3.0, 2.0]
    assert [percentile(values, share) for share in (0, 0.25, 0.5, 0.95, 1)] == [
        1.0,
        1.0,
        2.0,
        4.0,
        4.0,
    ]
    assert median([7.0]) == 7.0


def test_a_report_is_a_table_with_verdicts(capsys: pytest.CaptureFixture[str]) -> None:
    report(
        "Title",
        ("a", "bb"),
        [("long cell", "1")],
        [Goal("one", True), Goal("two", False), Goal("three", None)],
    )
    assert capsys.readouterr().out == (
        "\n## Title\n\n| a         | bb |\n|-----------|----|\n| long cell | 1  |\n\n"
        "goal: one: kept\ngoal: two: MISSED\ngoal: three: not judged (quick run)\n"
    )
