"""Files that programs obey because something names them or leads to them: with repositories that
git itself made."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from agent_tui.safety import paths, policy
from agent_tui.safety.protected_names import RUNS, STEERS


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository; the person's own configuration is empty."""
    for name in ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "work").mkdir()
    git(tmp_path / "work", "init", "-q")
    return (tmp_path / "work").resolve()


def git(folder: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", *words], cwd=folder, capture_output=True, text=True, check=True, timeout=60
    )
    return done.stdout


def asks(root: Path, name: str) -> bool:
    fact = paths.facts(name, (root,))
    decision = policy.decide("accept-edits", policy.Facts("create_file", "write", (fact,)))
    assert (decision.verdict == "ask") is bool(fact.protected)
    return decision.verdict == "ask"


NAMING = (
    ("include.path", "../build/my.inc", "build/my.inc"),
    ("includeIf.gitdir:**.path", "../build/my.inc", "build/my.inc"),
    ("includeIf.onbranch:release.path", "{top}/build/my.inc", "build/my.inc"),
    ("core.hooksPath", "tools/hooks", "tools/hooks/pre-commit"),
    ("core.hooksPath", "tools/hooks", "tools/hooks/lib/common.sh"),
    ("core.hooksPath", "{top}/tools/../my hooks", "my hooks/post-checkout"),
    ("core.hooksPath", ".", "pre-commit"),
    ("init.templateDir", "tools/template", "tools/template/hooks/pre-commit"),
    ("core.attributesFile", "tools/attributes", "tools/attributes"),
    ("core.fsmonitor", "tools/monitor", "tools/monitor"),
    ("core.sshCommand", "./tools/ssh -i key", "tools/ssh"),
    ("core.pager", "sh -c 'exec tools/pager \"$@\"'", "tools/pager"),
    ("core.editor", "{top}/tools/edit --wait", "tools/edit"),
    ("core.gitProxy", "tools/proxy for example.org", "tools/proxy"),
    ("sequence.editor", "python3 tools/sequence.py", "tools/sequence.py"),
    ("filter.clean-up.clean", "python \"tools/clean up.py\" %f", "tools/clean up.py"),
    ("filter.clean-up.smudge", "bash tools/smudge.sh", "tools/smudge.sh"),
    ("filter.clean-up.process", "tools/process", "tools/process"),
    ("diff.external", "tools/diff", "tools/diff"),
    ("diff.pdf.textconv", "tools/pdf2text", "tools/pdf2text"),
    ("diff.pdf.command", "tools/pdfdiff", "tools/pdfdiff"),
    ("merge.lock.driver", "node scripts/merge.js %O %A %B", "scripts/merge.js"),
    ("mergetool.mine.cmd", "tools/merge --base=$BASE", "tools/merge"),
    ("gpg.program", "tools/gpg", "tools/gpg"),
    ("gpg.ssh.program", "tools/sign", "tools/sign"),
    ("gpg.ssh.allowedSignersFile", "tools/signers", "tools/signers"),
    ("credential.helper", "!tools/secret", "tools/secret"),
    ("credential.https://example.org.helper", "{top}/tools/secret", "tools/secret"),
    ("alias.up", "!sh tools/up.sh", "tools/up.sh"),
    ("alias.up", "!\"$(git rev-parse --show-toplevel)/tools/up.sh\" now", "tools/up.sh"),
    ("alias.up", "!${ROOT}/tools/up.sh", "tools/up.sh"),
    ("alias.up", "!f() { PAGER=tools/up.sh git log; }; f", "tools/up.sh"),
    ("remote.origin.uploadpack", "tools/pack", "tools/pack"),
    ("hook.lint.command", "tools/lint", "tools/lint"),
    ("a-new.setting", "tools/new", "tools/new"),
)  # fmt: skip


@pytest.mark.parametrize(("key", "value", "name"), NAMING)
def test_what_the_configuration_of_git_names_asks(
    work: Path, key: str, value: str, name: str
) -> None:
    assert not asks(work, name)
    git(work, "config", key, value.replace("{top}", str(work)))
    assert asks(work, name) and asks(work, name.upper())
    assert paths.facts(name, (work,)).protected == RUNS
    assert (
        not asks(work, "src/main.py")
        and not asks(work, "tools/other.py")
        and not asks(work, f"sub/{name}")
    )


def test_the_usual_configuration_names_nothing(work: Path) -> None:
    for key, value in (
        ("user.name", "src"),
        ("remote.origin.url", "docs"),
        ("branch.main.merge", "refs/heads/main"),
        ("submodule.lib.url", "../lib"),
        ("core.excludesFile", "ignored"),
        ("commit.template", "message"),
    ):
        git(work, "config", key, value)
    assert not [
        name
        for name in ("src", "docs", "refs/heads/main", "lib", "ignored", "message")
        if asks(work, name)
    ]


def test_an_included_file_names_others(work: Path) -> None:
    (work / "build").mkdir()
    (work / "build" / "my.inc").write_text("[include]\n\tpath = ../conf/more.inc\n")
    (work / "conf").mkdir()
    (work / "conf" / "more.inc").write_text(
        "[diff]\n\texternal = tools/diff\n[include]\n\tpath = more.inc\n"
    )
    git(work, "config", "include.path", "../build/my.inc")
    assert asks(work, "build/my.inc") and asks(work, "conf/more.inc") and asks(work, "tools/diff")


def test_the_configuration_of_the_person_names_files_too(work: Path) -> None:
    (work.parent / ".gitconfig").write_text(
        "[core]\n\thooksPath = tools/hooks\n[include]\n\tpath = ~/work/x.inc\n"
    )
    assert (
        asks(work, "tools/hooks/pre-commit") and asks(work, "x.inc") and not asks(work, "tools/x")
    )


def test_a_folder_of_hooks_above_the_work_tree_does_not_protect_all_of_it(work: Path) -> None:
    git(work, "config", "core.hooksPath", "..")
    assert not asks(work, "src/main.py") and not asks(work, "main.py")


def test_an_outer_repository_and_a_work_tree_beside_count(work: Path) -> None:
    git(work, "config", "core.hooksPath", "lib/hooks")
    (work / "lib").mkdir()
    git(work / "lib", "init", "-q")
    assert asks(work, "lib/hooks/pre-commit")
    git(
        work,
        "-c",
        "user.name=x",
        "-c",
        "user.email=x",
        "commit",
        "-q",
        "--allow-empty",
        "--no-verify",
        "-m",
        "x",
    )
    git(work, "worktree", "add", "-q", "../beside")
    assert asks(work.parent / "beside", "lib/hooks/pre-commit")


def test_what_a_link_of_an_obeyed_name_leads_to_asks(work: Path) -> None:
    (work / "ide").mkdir()
    (work / ".vscode").symlink_to("ide")
    (work / "CLAUDE.md").symlink_to("docs/agents.txt")
    (work / "notes").symlink_to("docs")
    (work / ".husky").symlink_to(".")
    assert paths.facts("ide/tasks.json", (work,)).protected == RUNS
    assert paths.facts("docs/agents.txt", (work,)).protected == STEERS
    assert not asks(work, "docs/other.txt") and not asks(work, "src/main.py")


@pytest.mark.parametrize(
    ("link", "target", "name", "other"),
    [
        (".cargo", "build", "build/config.toml", "build/out"),
        (".github", "gw", "gw/workflows/ci.yml", "gw/README"),
        ("sub/.vscode", "../editor", "editor/tasks.json", "edit/tasks.json"),
        ("sub/AGENTS.md", "../docs/agents.txt", "docs/agents.txt", "docs/other.txt"),
        ("a/b/c/.config", "../../../conf", "conf/systemd/x.timer", "conf/x.timer"),
        ("pkg", "target/x", "target/x/.envrc", "target/x/a.py"),
    ],
)
def test_links_in_all_folders_and_to_the_beginning_of_a_path_count(
    work: Path, link: str, target: str, name: str, other: str
) -> None:
    (work / link).parent.mkdir(parents=True, exist_ok=True)
    (work / name).parent.mkdir(parents=True)
    was_asked = asks(work, name)
    (work / link).symlink_to(target)
    assert asks(work, name) and not asks(work, other)
    assert was_asked is (link == "pkg")  # by its own name


def test_with_git_itself_what_is_written_unasked_runs_nothing(work: Path) -> None:
    git(work, "config", "include.path", "../build/my.inc")
    git(work, "config", "core.hooksPath", "tools/hooks")
    ran = work.parent / "ran"
    files = {
        "build/my.inc": f"[core]\n\tfsmonitor = touch {ran}; false\n",
        "tools/hooks/pre-commit": f"#!/bin/sh\ntouch {ran}\n",
    }

    def write(unasked_alone: bool) -> None:
        for name, content in files.items():
            if not unasked_alone or not asks(work, name):
                (work / name).parent.mkdir(parents=True, exist_ok=True)
                (work / name).write_text(content)
                (work / name).chmod(0o755)
        git(work, "status")

    write(unasked_alone=True)
    assert not ran.exists()
    write(unasked_alone=False)
    assert ran.exists()  # with them it would
