"""Limits that a person sets, which hold in every mode."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest

from agent_tui.agent.turn.call_facts import gather_facts
from agent_tui.safety import paths, policy
from agent_tui.safety.limits import Limits, Rates, Spoken
from agent_tui.safety.permissions import Permissions, apply_limits
from agent_tui.safety.shell import classifier as shell_classifier
from agent_tui.structures.vocabulary import MODES
from agent_tui.tools.run_shell_command import TOOL


@pytest.mark.parametrize("autonomy", ["read-only", "supervised"])
def test_no_mode_goes_further_than_the_person_lets_it(autonomy: str) -> None:
    bound = {mode: Limits(autonomy).bound_mode(mode) for mode in MODES}
    assert bound == {
        "manual": "manual",
        "auto": "auto",
        "accept-edits": "auto",
        "accept-all": "auto",
        "plan": "plan",
    }
    assert all(Limits().bound_mode(mode) == mode for mode in MODES)


def said(*commands: str) -> list[Spoken]:
    return [(command.split(), "/w") for command in commands]


@pytest.mark.parametrize("entry", ["{}/bin", "bin", "./bin", "{}/link"])
def test_a_program_that_path_finds_in_the_project_is_not_the_named_one(
    tmp_path: Path, entry: str
) -> None:
    own, work = tmp_path.resolve() / "own", tmp_path.resolve() / "work"
    for folder in (own, work / "bin"):
        folder.mkdir(parents=True)
        (folder / "git").write_text("#!/bin/sh\n")
        (folder / "git").chmod(0o755)
    (work / "link").symlink_to("bin")
    before = entry.format(work)
    for path, verdict in ((f"{before}:{own}", "refuse"), (f"{own}:{before}", "allow")):
        for listed in (("git",), ("git", f"{Path(before).name}/git")):
            limits = Limits(programs=listed)
            facts = gather_facts(
                TOOL, (), "git status", (work,), None, None, limits, {"PATH": path}
            )
            found = policy.decide("accept-all", facts, permissions=Permissions(limits=limits))
            assert found.verdict == (verdict if len(listed) == 1 else "allow"), (path, found)


def test_only_the_named_programs_start_and_what_cannot_be_read_does_not() -> None:
    limits = Limits(programs=("git", "pytest"))
    assert limits.forbid_program(said("git status", "pytest -q")) == ""
    assert "./git is not among" in limits.forbid_program(said("./git status"))
    assert Limits(programs=(".venv/bin/pytest",)).forbid_program(said(".venv/bin/pytest")) == ""
    assert "make is not among" in limits.forbid_program(said("git add .", "make"))
    assert "cannot be read" in limits.forbid_program([])
    assert Limits().forbid_program([]) == ""


def test_a_closed_folder_is_closed_by_any_name(tmp_path: Path) -> None:
    closed = tmp_path / "clients"
    closed.mkdir()
    (tmp_path / "other").symlink_to(closed)
    for text in (str(closed), str(tmp_path / "other"), f"{tmp_path}/x/../clients"):
        limits = Limits(closed=(text,))
        assert "forbidden_dirs" in limits.forbid_path([tmp_path / "a", closed.resolve() / "b"])
        assert limits.forbid_path([tmp_path.resolve() / "clients2" / "b"]) == ""


def test_a_minute_has_so_many_calls_of_a_tool() -> None:
    rates = Rates()
    assert [rates.count_call("a", 2, now) for now in (0.0, 1.0, 20.0)] == [0.0, 0.0, 40.0]
    assert rates.count_call("b", 2, 20.0) == 0.0
    assert [rates.count_call("a", 2, now) for now in (60.0, 60.5, 61.0)] == [0.0, 0.5, 0.0]
    assert all(rates.count_call("c", 0, 0.0) == 0.0 for _ in range(100))


def call(
    effect: Literal["read", "write", "execute"], command: str = "", path: str = "", cwd: str = "/w"
) -> policy.Facts:
    """A call of a tool as the policy sees it."""
    judged = shell_classifier.classify(command, (Path(cwd),)) if command else None
    return policy.Facts(
        "a_tool",
        effect,
        (paths.facts(path, (Path(cwd),)),) if path else (),
        command,
        cwd,
        unsure=judged.reason if judged else None,
        calls=judged.calls if judged else (),
    )


def decide(limits: Limits, facts: policy.Facts, mode: str = "accept-all") -> tuple[str, str]:
    roots = (Path(facts.cwd),)
    forbidden, doubt = apply_limits(limits, facts.paths, facts.command, facts.calls, roots, {})
    facts = replace(facts, forbidden=forbidden, doubt=doubt)
    found = policy.decide(mode, facts, permissions=Permissions(limits=limits))
    return found.verdict, found.rule


def test_the_policy_keeps_the_limits_in_every_mode(tmp_path: Path) -> None:
    here = str(tmp_path.resolve())
    edit, make, looks = (
        call("write", path="a.py", cwd=here),
        call("execute", "make", cwd=here),
        call("execute", "ls", cwd=here),
    )
    for mode in MODES:
        assert decide(Limits("read-only"), edit, mode)[0] == "refuse", mode
        assert decide(Limits("read-only"), make, mode)[0] == "refuse", mode
        assert decide(Limits("supervised"), make, mode)[0] != "allow", mode
        assert decide(Limits("supervised"), edit, mode)[0] != "allow", mode
    assert decide(Limits("read-only"), looks, "auto")[0] == "allow"
    assert decide(Limits(), make)[0] == decide(Limits(), edit)[0] == "allow"
    assert decide(Limits(programs=("ls",)), make) == ("refuse", "limits")
    assert decide(Limits(programs=("ls",)), looks)[0] == "allow"
    assert decide(
        Limits(programs=("ls",)), call("execute", "for x in 1; do ls; done", cwd=here)
    ) == (
        "refuse",
        "limits",
    )
    assert policy.unasked_mode("auto", edit, Limits("supervised")) == ""
    assert policy.unasked_mode("auto", edit) == "accept-edits"


@pytest.mark.parametrize(
    ("command", "verdict"),
    [
        ("cp a ../closed/b", "refuse"),
        ("tar --file=../closed/x.tar -c .", "refuse"),
        ("cp a elsewhere", "refuse"),
        ("cp a b", "allow"),
        ('for x in 1; do cp a "$x"; done', "ask"),
    ],
)
def test_a_command_names_no_forbidden_folder(tmp_path: Path, command: str, verdict: str) -> None:
    work = tmp_path.resolve() / "work"
    work.mkdir()
    (work.parent / "closed").mkdir()
    (work / "elsewhere").symlink_to("../closed")
    limits = Limits(closed=(str(work.parent / "closed"),))
    assert decide(limits, call("execute", command, cwd=str(work)))[0] == verdict
    assert decide(limits, call("read", path="../closed/a", cwd=str(work))) == ("refuse", "limits")


WHOLE = """
refuse grep -r TOP .
refuse grep -rn TOP
refuse rg TOP
refuse rg -e TOP .
refuse fd x
refuse find . -name x
refuse find -L . -name x
refuse ls -R
refuse tree
refuse du -a
refuse git grep TOP
refuse git -C .. grep TOP
refuse timeout 5 grep -r TOP .
refuse bash -c 'grep -r TOP .'
refuse bash -c 'cat clients/x'
refuse cd .. && cat top/clients/x
refuse cd src && cat ../clients/x
refuse cd src && grep -r TOP ..
refuse cat < clients/x
refuse git show HEAD:clients/x
refuse git -C src diff --no-index a ../clients/x
refuse tar -Cclients -c x
ask cp -r . /tmp/x
ask tar -c .
ask mv ../top /tmp/x
ask bash -c 'cd src; cat x'
allow ls
allow cat a
allow cd src && grep -r TOP .
allow cd src && rg TOP
allow rg TOP src
allow grep -r TOP src a
allow find src -name x
allow mkdir -p ./new
allow make
"""


@pytest.mark.parametrize("line", WHOLE.strip().splitlines())
def test_a_forbidden_folder_below_is_not_reached_from_above(tmp_path: Path, line: str) -> None:
    top = tmp_path.resolve() / "top"
    for name in ("clients", "src"):
        (top / name).mkdir(parents=True)
    (top / "clients/x").write_text("TOP")
    (top / "a").write_text("TOP")
    verdict, command = line.split(" ", 1)
    limits = Limits(closed=(str(top / "clients"),))
    assert decide(limits, call("execute", command, cwd=str(top)))[0] == verdict
    found = decide(limits, call("execute", command, cwd=str(top)), "auto")[0]
    assert found == verdict or (found, verdict) == ("ask", "allow")


def test_no_tool_looks_through_a_folder_that_holds_a_forbidden_one(tmp_path: Path) -> None:
    top = tmp_path.resolve()
    limits = Limits(closed=(str(top / "clients"),))
    for path, verdict in ((".", "refuse"), ("..", "refuse"), ("src", "allow"), ("a", "allow")):
        assert decide(limits, call("read", path=path, cwd=str(top)))[0] == verdict, path
