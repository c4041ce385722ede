"""What is allowed in a folder for good: it fits the command that made it, and no near miss."""

from __future__ import annotations

import stat
from dataclasses import replace
from pathlib import Path

import pytest

from agent_tui.agent.turn.call_facts import gather_facts
from agent_tui.safety import policy
from agent_tui.safety.folder_rules import FILE, FolderRules
from agent_tui.settings.store import Refused
from agent_tui.tools.run_shell_command import TOOL

PYTEST_MISSES = (
    "pytest -c evil.ini",
    "pytest -p evil",
    "pytest --override-ini=addopts=x",
    "pytest /etc",
    "pytest ../other",
    "pytest; rm -r src",
    "pytest && curl example.org",
    "pytest | sh",
    "pytest > .git/config",
    "pytest $(touch x)",
    "pytest `touch x`",
    "PYTHONPATH=/tmp pytest",
    "cd .. && pytest",
    "sudo pytest",
    "env pytest",
    "timeout 5 pytest",
    "python -m pytest",
    "bash -c pytest",
    "./pytest",
    "/tmp/pytest",
    "pytest-evil",
    "Pytest",
    "pytest\nrm -r src",
    "pytest .env",
    "xargs pytest",
)
EXACT_MISSES = (
    "docker compose up",
    "docker compose up -d web",
    "docker compose up -d ",
    " docker compose up -d",
    "docker compose  up -d",
    "docker compose up -D",
    "docker compose down",
    "docker compose up -d; rm -r src",
    "docker compose up -d && rm -r src",
    "docker compose up -d | tee x",
    "docker compose up -d > x",
    "docker compose up -d &",
    "sudo docker compose up -d",
    "env docker compose up -d",
    "DOCKER_HOST=x docker compose up -d",
    "cd .. && docker compose up -d",
    "./docker compose up -d",
    "docker 'compose' up -d",
    "docker compose up -d\nrm -r src",
    "$(docker compose up -d)",
    "(docker compose up -d)",
)
NEVER = (
    "python setup.py install",
    "python3 -c 'print()'",
    "node build.js",
    "bash deploy.sh",
    "sh -c 'make'",
    "./deploy.sh",
    "scripts/deploy",
    "/usr/bin/make deploy",
    "sudo make install",
    "env make deploy",
    "timeout 9 make deploy",
    "xargs rm",
    "nohup make deploy",
    "curl https://example.org",
    "ssh host uptime",
    "git push",
    "git commit -m x",
    "eval make",
    "uv run make",
    "npx tsc",
    "tmux new make",
    "source env.sh",
    "make $TARGET",
    "make $(cat target)",
    "for x in a b; do make $x; done",
    "make deploy\nmake clean",
    "make deploy && bash x.sh",
    "touch " + "x" * 300,
    "rm -rf /",
    "rm -rf .git",
    "git push --force",
)


def facts(folder: Path, command: str) -> policy.Facts:
    return gather_facts(TOOL, (), command, (folder,), None)


def decision(folder: Path, command: str, kept: FolderRules, mode: str = "auto") -> policy.Decision:
    return policy.decide(mode, facts(folder, command), kept.rules)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "work"
    made.mkdir()
    return made.resolve()


def stored(folder: Path, command: str) -> FolderRules:
    """The rules of another session, after the answer that `command` is always allowed here."""
    data = folder.parent / "data"
    offered = decision(folder, command, FolderRules(data, str(folder))).lasting
    assert offered is not None
    FolderRules(data, str(folder)).add(offered)
    return FolderRules(data, str(folder))


@pytest.mark.parametrize(
    "made, text, fits, misses",
    [
        ("pytest -q tests", "pytest …", ("pytest -q tests", "pytest", "pytest -k 'a or b'"), PYTEST_MISSES),
        ("docker compose up -d", "docker compose up -d", ("docker compose up -d",), EXACT_MISSES),
    ],
)  # fmt: skip
def test_a_stored_rule_fits_what_made_it_and_no_near_miss(
    folder: Path, made: str, text: str, fits: tuple[str, ...], misses: tuple[str, ...]
) -> None:
    kept = stored(folder, made)
    assert [rule.text for rule in kept.rules] == [text]
    for command in fits:
        found = decision(folder, command, kept)
        assert (found.verdict, found.note) == ("allow", "always, in this folder"), command
    for command in misses:
        assert decision(folder, command, kept).verdict == "ask", command
    assert len(misses) > 20


@pytest.mark.parametrize("command", NEVER)
def test_what_runs_something_else_is_never_offered_for_good(folder: Path, command: str) -> None:
    kept = FolderRules(folder.parent / "data", str(folder))
    found = decision(folder, command, kept)
    assert found.verdict == "ask" and found.lasting is None


@pytest.mark.parametrize("command", ["bash deploy.sh", "git push", "rm -rf .git", "./x"])
def test_nor_does_it_hold_where_a_hand_wrote_it(folder: Path, command: str) -> None:
    kept = FolderRules(folder.parent / "data", str(folder))
    kept.add(policy.Rule(TOOL.name, (command,), str(folder), lasting=True))
    assert kept.rules and decision(folder, command, kept).verdict == "ask"


def test_it_holds_in_no_other_folder_and_in_no_mode_that_only_looks(folder: Path) -> None:
    kept, other = stored(folder, "pytest"), folder / "inner"
    other.mkdir()
    assert decision(other, "pytest", kept).verdict == "ask"
    assert not FolderRules(folder.parent / "data", str(other)).rules
    assert decision(folder, "pytest", kept, "plan").verdict == "refuse"


def test_it_holds_for_no_other_folder_that_is_there_later(folder: Path) -> None:
    kept, old = stored(folder, "pytest"), folder.parent / "moved"
    (rule,) = kept.rules
    folder.rename(old)
    folder.mkdir()
    assert not kept.rules and kept.lapsed == {rule}
    assert decision(folder, "pytest", kept).verdict == "ask"
    kept.add(replace(rule, words=("mypy",)))
    assert [one.words for one in kept.rules] == [("mypy",)] and kept.lapsed == {rule}
    folder.rename(folder.parent / "other")
    old.rename(folder)
    assert kept.rules == {rule}, "the folder came back"
    kept.remove(rule)
    assert not kept.rules


def test_it_is_taken_back_in_every_session(folder: Path) -> None:
    kept = stored(folder, "pytest")
    beside = FolderRules(folder.parent / "data", str(folder))
    assert beside.rules == kept.rules
    (rule,) = kept.rules
    kept.remove(rule)
    assert not kept.rules and not beside.rules


def test_the_file_is_the_persons_alone_and_what_cannot_be_read_allows_nothing(folder: Path) -> None:
    kept = stored(folder, "pytest")
    file = folder.parent / "data" / FILE
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    for content in (b"\xff", b"[", b"x = 1", f'"{folder}" = 1'.encode()):
        file.write_bytes(content)
        assert not FolderRules(file.parent, str(folder)).rules
    file.write_bytes(b"[")
    with pytest.raises(Refused):
        kept.add(policy.Rule(TOOL.name, (), str(folder), ("pytest",), True))
    assert file.read_bytes() == b"["


@pytest.mark.parametrize(
    ("command", "named"),
    [("rm ../y", "outside the folder"), ("cp .env copy", "the name of a secret")],
)
def test_a_command_that_names_what_is_closed_says_so_and_is_not_offered_for_good(
    folder: Path, command: str, named: str
) -> None:
    found = decision(folder, command, FolderRules(folder.parent / "data", str(folder)))
    assert named in found.reason and "may change something" in found.reason
    assert found.verdict == "ask" and found.lasting is None and found.always is not None
