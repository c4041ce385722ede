"""The branch in the line at the top: read from git's own file, when it may have changed."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from agent_tui.protocol.events import SessionStarted, StepStarted, TurnEnded, TurnStarted
from agent_tui.safety.git_config import branch
from agent_tui.tui.core import msg
from agent_tui.tui.core.display_options import Look
from agent_tui.tui.core.effects import Effect, ReadBranch
from agent_tui.tui.core.model import Model
from agent_tui.tui.update import update
from tests.tui.pty_stage import ROOT, Pty


def test_a_branch_a_commit_and_none(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    assert branch(str(inner)) == branch("") == ""
    git = tmp_path / ".git"
    git.mkdir()
    assert branch(str(inner)) == ""
    (git / "HEAD").write_text("ref: refs/heads/fix/the-sum\n")
    assert branch(str(inner)) == branch(str(tmp_path)) == "fix/the-sum"
    (git / "HEAD").write_text("0123456789abcdef0123456789abcdef01234567\n")
    assert branch(str(inner)) == "01234567"
    (git / "HEAD").write_bytes(b"ref: \xff\n" * 5_000)
    assert isinstance(branch(str(inner)), str)


@pytest.mark.parametrize("absolute", [True, False])
def test_a_work_tree_has_its_own(tmp_path: Path, absolute: bool) -> None:
    own = tmp_path / "main" / ".git" / "worktrees" / "other"
    own.mkdir(parents=True)
    (own / "HEAD").write_text("ref: refs/heads/other\n")
    (tmp_path / "other").mkdir()
    named = own if absolute else Path("../main/.git/worktrees/other")
    (tmp_path / "other" / ".git").write_text(f"gitdir: {named}\n")
    (own / "gitdir").write_text(f"{tmp_path}/other/.git\n")  # as git itself writes it
    assert branch(str(tmp_path / "other")) == "other"
    odd = Path(os.fsdecode(b"caf\xe9"))
    own.rename(tmp_path / odd)
    (tmp_path / "other" / ".git").write_bytes(os.fsencode(f"gitdir: ../{odd}\n"))
    assert branch(str(tmp_path / "other")) == "other"
    (tmp_path / "other" / ".git").write_text("gitdir: /no\0where\n")
    assert branch(str(tmp_path / "other")) == ""


def test_a_git_folder_that_is_not_the_work_trees_own_names_no_branch(tmp_path: Path) -> None:
    theirs = tmp_path / "private" / ".git"
    theirs.mkdir(parents=True)
    (theirs / "HEAD").write_text("ref: refs/heads/secret-merger\n")
    sent = tmp_path / "sent"
    sent.mkdir()
    (sent / ".git").write_text(f"gitdir: {theirs}\n")
    assert branch(str(sent)) == ""
    (sent / ".git").unlink()
    (sent / ".git").symlink_to(theirs)
    assert branch(str(sent)) == ""
    (sent / ".git").unlink()
    (sent / ".git").mkdir()
    (sent / ".git" / "HEAD").symlink_to(theirs / "HEAD")
    assert branch(str(sent)) == ""


def test_the_screen_shows_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git = tmp_path / "shop" / ".git"
    git.mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/the-basket\n")
    (tmp_path / "config.toml").write_text('[display]\nstatus = ["model", "branch"]\n')
    place = {"AGENT_TUI_HOME": str(tmp_path), "HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}
    own = {**place, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "TMUX": "", "STY": ""}
    monkeypatch.chdir(tmp_path / "shop")
    pty = Pty(["-m", "agent_tui", "--demo", "--otr"], own, (120, 30))
    pty.until("the-basket")
    pty.close()


def reads(effects: tuple[Effect, ...]) -> list[ReadBranch]:
    return [one for one in effects if isinstance(one, ReadBranch)]


def test_it_is_read_when_it_may_be_another_and_only_where_it_is_shown() -> None:
    for parts, count in ((("branch",), 1), (("cwd",), 0)):
        model = Model(look=Look(status=parts))
        asked = []
        started = SessionStarted(session="s", cwd="/work/shop", model="m")
        begun = (
            TurnStarted(session="s", turn=1, prompt="x"),
            StepStarted(session="s", turn=1, step=1),
        )
        for events in ((started,), begun, (TurnEnded(session="s", turn=1, state="completed"),)):
            model, effects = update(model, msg.EventsArrived(at=1.0, events=events))
            asked.append(len(reads(effects)))
        assert asked == [count, 0, count]
        model, effects = update(model, msg.FocusChanged(at=2.0, focused=True))
        assert reads(effects) == [ReadBranch("/work/shop")] * count
        model, _ = update(model, msg.BranchRead("main", at=3.0))
        assert model.window.branch == "main"
        assert reads(update(model, msg.Resized(at=4.0, width=9, height=9))[1]) == []


def test_it_is_read_at_the_start() -> None:
    started = msg.Started(at=1.0, width=80, height=24)
    for parts, count in ((("branch",), 1), (("cwd",), 0)):
        assert len(reads(update(Model(look=Look(status=parts)), started)[1])) == count


def test_it_is_read_once_it_is_wanted() -> None:
    model, _ = update(
        Model(),
        msg.EventsArrived(at=1.0, events=(SessionStarted(session="s", cwd="/w", model="m"),)),
    )
    wanted = replace(model, look=replace(model.look, status=("branch",)))
    assert update(wanted, msg.FocusChanged(at=2.0, focused=True))[1] == (ReadBranch("/w"),)
