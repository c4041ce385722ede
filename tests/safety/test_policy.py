from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from agent_tui.agent.turn.call_facts import gather_facts
from agent_tui.safety.paths import PathFacts
from agent_tui.safety.permissions import Permissions, parse
from agent_tui.safety.policy import MODES, Decision, Facts, Rule, decide, unasked_mode
from agent_tui.safety.protected_names import RUNS
from agent_tui.safety.sandbox.support import Support
from agent_tui.tools.run_shell_command import TOOL

HERE = "/home/ada/work"


def path(
    name: str = "a.py", inside: bool = True, secret: bool = False, protected: bool = False
) -> PathFacts:
    real = Path(HERE, name) if inside else Path("/elsewhere", name)
    return PathFacts(
        name, real, name if inside else str(real), inside, secret, RUNS if protected else ""
    )


def read(*paths: PathFacts) -> Facts:
    return Facts("read_file", "read", paths or (path(),), cwd=HERE)


def write(*paths: PathFacts) -> Facts:
    return Facts("edit_file", "write", paths or (path(),), cwd=HERE)


def shell(command: str = "pytest -q", cwd: str = HERE) -> Facts:
    return Facts("run_shell_command", "execute", (), command, cwd)


TABLE = {
    "manual": ("ask", "ask", "ask"),
    "auto": ("allow", "ask", "ask"),
    "accept-edits": ("allow", "allow", "ask"),
    "accept-all": ("allow", "allow", "allow"),
    "plan": ("allow", "refuse", "refuse"),
}


WRITE_SETTINGS = """
git branch -m old new
git branch --set-upstream-to=origin/main
git branch -u origin/main
git branch -d old
git branch new origin/main
git switch -c new origin/main
git checkout -b new -t origin/main
git remote add other ../other
git remote rename origin other
git push -u origin main
git push --set-upstream origin main
git config user.name Ada
git -C . config user.name Ada
git submodule init
git submodule update --init
git worktree add -b new ../new origin/main
git sparse-checkout set src
git rebase --continue
sudo git branch -m old new
bash -c 'git branch -m old new'
cd . && git branch -m old new
"""
LEAVE_SETTINGS = """
git rebase main
git cherry-pick main
git branch
git branch new
git branch new main
git branch new --no-track origin/main
git switch main
git switch -c new
git checkout -b new main
git commit -m 'git config'
git remote -v
git remote show origin
git push origin main
git fetch
git config --get user.name
git submodule status
git submodule update
git worktree add ../new
echo git branch -m old new
"""


@pytest.mark.parametrize(
    ("text", "verdict"),
    [(text, "ask") for text in WRITE_SETTINGS.strip().splitlines()]
    + [(text, "allow") for text in LEAVE_SETTINGS.strip().splitlines()],
)
def test_what_writes_the_settings_of_git_asks_before_the_sandbox_stops_half_of_it(
    tmp_path: Path, text: str, verdict: str
) -> None:
    there = Support("tests")
    facts = gather_facts(TOOL, (), text, (tmp_path.resolve(),), there, there)
    assert decide("accept-all", facts).verdict == verdict
    assert decide("accept-all", replace(facts, sandboxed=False)).verdict == "allow"


@pytest.mark.parametrize("mode", MODES)
def test_the_table_of_modes(mode: str) -> None:
    assert tuple(decide(mode, facts).verdict for facts in (read(), write(), shell())) == TABLE[mode]


@pytest.mark.parametrize(
    ("mode", "odd"), list(product(MODES, ({"inside": False}, {"secret": True})))
)
def test_outside_and_secrets_ask_in_every_mode(mode: str, odd: dict[str, bool]) -> None:
    assert decide(mode, read(path(**odd))).verdict == "ask"
    assert decide(mode, write(path(**odd))).verdict == ("refuse" if mode == "plan" else "ask")


@pytest.mark.parametrize("mode", ["auto", "accept-edits", "accept-all"])
def test_protected_names_ask_before_they_are_written_but_not_read(mode: str) -> None:
    assert decide(mode, write(path(".git/config", protected=True))).verdict == "ask"
    assert decide(mode, read(path(".git/config", protected=True))).verdict == "allow"


@pytest.mark.parametrize(
    ("mode", "facts", "offered"),
    [
        ("auto", write(), "accept-edits"),
        ("manual", write(), "accept-edits"),
        ("accept-edits", write(path(".env", secret=True)), ""),
        ("accept-all", write(path(".git/config", protected=True)), ""),
        ("plan", write(), ""),
        ("auto", write(path(".git/config", protected=True)), ""),
        ("auto", write(path(inside=False)), ""),
        ("auto", write(path(), path(".env", secret=True)), ""),
        ("manual", read(), ""),
        ("auto", shell(), ""),
        ("auto", shell("rm -rf /"), ""),
        ("auto", Facts("edit_file", "write", (path(),), "rm -rf /", HERE), ""),
    ],
)
def test_a_yes_may_change_the_mode_only_where_nothing_but_the_mode_asks_about_a_file(
    mode: str, facts: Facts, offered: str
) -> None:
    assert unasked_mode(mode, facts) == offered


def test_one_bad_path_among_good_ones_decides() -> None:
    assert decide("accept-all", read(path(), path("b", inside=False))).verdict == "ask"


@pytest.mark.parametrize("mode", ["manual", "auto", "accept-edits", "accept-all"])
def test_the_hard_list_asks_in_every_mode_and_no_rule_overrides_it(mode: str) -> None:
    first = decide(mode, shell("rm -rf /"))
    assert (first.verdict, first.hard, first.always) == ("ask", True, None)


def always(decision: Decision) -> frozenset[Rule]:
    assert decision.always is not None and decision.always_text
    return frozenset({decision.always})


def test_always_for_a_command_is_that_string_in_that_folder() -> None:
    rules = always(decide("auto", shell()))
    assert decide("auto", shell(), rules).verdict == "allow"
    for other in (
        shell("pytest -q "),
        shell("pytest"),
        shell("pytest -q; rm x"),
        shell(cwd="/tmp"),
    ):
        assert decide("auto", other, rules).verdict == "ask"


def test_always_for_a_file_is_that_tool_on_that_file() -> None:
    rules = always(decide("auto", write(path("a.py"))))
    assert decide("auto", write(path("a.py")), rules).verdict == "allow"
    assert decide("auto", write(path("b.py")), rules).verdict == "ask"
    other = Facts("create_file", "write", (path("a.py"),), cwd=HERE)
    assert decide("auto", other, rules).verdict == "ask"


def test_plan_mode_is_stronger_than_any_rule() -> None:
    rules = always(decide("auto", write()))
    assert decide("plan", write(), rules).verdict == "refuse"


def test_running_without_a_sandbox_is_said() -> None:
    assert decide("accept-all", shell()).note == "no sandbox"
    assert decide("accept-all", read()).note == ""


def test_only_what_the_mode_allows_runs_in_the_sandbox() -> None:
    facts = replace(shell(), sandboxed=True)
    decision = decide("accept-all", facts)
    assert (decision.confined, decision.note) == ("works", "sandboxed")
    assert decide("accept-all", facts, always(decide("auto", facts))).confined == ""
    allowed = Permissions(allow=(parse("run_shell_command(pytest -q)"),))
    assert decide("accept-all", facts, permissions=allowed).confined == ""
    assert decide("accept-all", replace(facts, unsure="")).confined == "works"
    assert decide("auto", replace(facts, unsure="")).confined == "looks"


def test_an_unknown_mode_asks() -> None:
    assert decide("yolo", read()).verdict == "ask"


def test_every_question_and_refusal_has_a_reason() -> None:
    calls = (read(), write(), shell(), shell("mkfs /dev/sda"), read(path(secret=True)))
    for mode, facts in product((*MODES, "yolo"), calls):
        assert decide(mode, facts).reason


@pytest.mark.parametrize("mode", MODES)
def test_what_reaches_into_later_sessions_asks_in_every_mode_unless_a_rule_allows_it(
    mode: str,
) -> None:
    facts = Facts("save_memory", "write", persists=True, cwd=HERE)
    asked = decide(mode, facts)
    assert asked.verdict == ("refuse" if mode == "plan" else "ask")
    assert asked.always is None and not unasked_mode(mode, facts)
    own = Permissions(allow=(parse("save_memory"),))
    assert decide(mode, facts, permissions=own).verdict == ("refuse" if mode == "plan" else "allow")
