"""Commands in the sandbox and the history of git: where it has mounts, nothing but git reaches that;
with Landlock alone, and after what git started, it is put back."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from agent_tui.protocol.events import (
    ApprovalAsked,
    JobChanged,
    Notice,
    ToolEnded,
    TurnEnded,
)
from agent_tui.protocol.ops import Answer, Submit
from agent_tui.safety.sandbox import support as sandbox_support
from agent_tui.safety.sandbox.git_history import History
from agent_tui.safety.sandbox.profiles import LANDLOCK
from tests.agent.driving import Place
from tests.safety.test_git_history import KILLED

WALLED = [way for way in sandbox_support._ways() if way != LANDLOCK]


def run(command: str) -> dict[str, object]:
    return {"call": "run_shell_command", "arguments": {"command": command}}


@pytest.fixture
def landlock(monkeypatch: pytest.MonkeyPatch) -> None:
    """The only backend that is looked for: it has no mounts."""
    monkeypatch.setattr(sandbox_support, "_ways", lambda: iter([LANDLOCK]))


@pytest.fixture(params=WALLED, ids=lambda way: Path(way).name)
def walled(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox_support, "_ways", lambda: iter([request.param]))


@pytest.fixture
def repository(tmp_path: Path) -> Place:
    """With two commits, of which one is packed."""
    place = Place(tmp_path)
    place.cwd.mkdir(parents=True)
    (place.cwd / "a.txt").write_text("content\n")
    (place.root / "user").mkdir()
    (place.root / "user" / ".gitconfig").write_text("[user]\nname = n\nemail = e\n")
    commit = "git add a.txt; git -c user.name=n -c user.email=e commit -qm"
    made = f"git init -q -b main; {commit} one; git gc -q; echo more >> a.txt; {commit} two"
    subprocess.run(["sh", "-ec", made], cwd=place.cwd, check=True)
    return place


def history(place: Place) -> tuple[str, ...]:
    """Its commits, and whether they are whole."""
    asked = (["log", "--format=%s", "main"], ["fsck", "--full"], ["reflog", "--format=%gs"])
    run = [subprocess.run(["git", *one], cwd=place.cwd, check=True, stdout=-1) for one in asked]
    return tuple(one.stdout.decode() for one in run)


SCRIPTS = (
    "import shutil; shutil.rmtree('.git', ignore_errors=True)",
    "import os; os.chdir('.git'); open('HEAD', 'w')",
    "import os; os.rename('.git', 'x')",
    "open('.git/objects/info/alternates', 'w').write('/nonexistent')",
    "import os; os.symlink('/etc/passwd', '.git/refs/heads/zz')",
    "import subprocess; subprocess.run(['git', 'update-ref', '-d', 'HEAD'])",
)


@pytest.mark.usefixtures("walled")
def test_a_script_does_not_reach_the_git_folder(repository: Place) -> None:
    before = history(repository)
    calls = [[run(f"python3 work{number}.py")] for number in range(len(SCRIPTS))]
    for number, code in enumerate(SCRIPTS):
        (repository.cwd / f"work{number}.py").write_text(code)
    script = repository.script(*calls, [{"text": "ok"}])
    with repository.engine(script, mode="accept-all", interactive=False) as driver:
        driver.turn("go")
        assert not [one.text for one in driver.all(Notice) if one.level == "warning"]
        refused = [one for one in driver.all(ToolEnded) if "git folder is read-only" in one.content]
        assert len(refused) == len(SCRIPTS) - 3  # the others hide it, or do not say which file
    assert history(repository) == before


@pytest.mark.usefixtures("walled")
def test_a_job_reaches_no_git_folder_and_takes_no_commit_back(repository: Place) -> None:
    delete = "python3 -c 'import shutil; shutil.rmtree(\".git\", ignore_errors=True)'"
    call: dict[str, object] = run("")
    command = f"while [ ! -e go ]; do sleep 0.05; done; {delete}"
    call["arguments"] = {"command": command, "background": True}
    calls = [call], [run("git commit -q --allow-empty -m three && touch ok")], [run("git add .")]
    commit = [run("git commit -qm three && git status -s")]
    script = repository.script(*calls, commit, [run("touch go")], [{"text": "ok"}])
    with repository.engine(script, mode="accept-all", interactive=False) as driver:
        driver.turn("go")
        if not [one for one in driver.all(JobChanged) if one.state == "ended"]:
            driver.until(JobChanged, lambda event: event.state == "ended")
        assert not [one for one in driver.all(Notice) if "istory of git" in one.text]
    assert history(repository)[0] == "three\ntwo\none\n"


@pytest.mark.usefixtures("walled")
def test_git_beside_other_programs_is_run_by_itself(repository: Place) -> None:
    (repository.cwd / "work.sh").write_text("echo more >> a.txt\n")
    beside = [[run("sh work.sh && git commit -qam three")], [run("sh work.sh; git stash")]]
    alone = [[run("git commit -qam 'three' && git log --oneline | cat")], [run("git status")]]
    script = repository.script(*beside, *alone, [{"text": "ok"}])
    with repository.engine(script, mode="accept-all") as driver:
        driver.turn("go")
        assert not driver.all(ApprovalAsked), "the model can do it otherwise"
        first, second, third, _ = driver.all(ToolEnded)
        for refused in (first, second):
            assert refused.tag == "exit" and "run the git command by itself" in refused.content
        assert third.tag == "ok" and "note" not in third.content
    assert history(repository)[0] == "three\ntwo\none\n"


@pytest.mark.usefixtures("walled")
def test_a_script_that_changes_the_git_folder_asks(repository: Place) -> None:
    (repository.cwd / "release.sh").write_text("git commit -q --allow-empty -m three\n")
    script = repository.script([run("sh release.sh")], [{"text": "ok"}])
    with repository.engine(script, mode="accept-all") as driver:
        driver.send(Submit("go"))
        asked = driver.until(ApprovalAsked)
        assert "only commands of git alone may" in asked.reason
        assert "without the sandbox" in asked.reason and history(repository)[0] == "two\none\n"
        driver.send(Answer(asked.id, "once"))
        driver.until(TurnEnded)
        assert [one.tag for one in driver.all(ToolEnded)] == ["ok"]
    assert history(repository)[0] == "three\ntwo\none\n"


@pytest.mark.usefixtures("walled")
def test_what_a_hook_deletes_is_put_back(repository: Place) -> None:
    """git starts it, in a folder that git may write."""
    before = history(repository)
    hook = repository.cwd / ".git" / "hooks" / "post-checkout"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nrm -rf .git/objects .git/refs\n")
    hook.chmod(0o755)
    script = repository.script([run("git checkout -q main")], [{"text": "ok"}])
    with repository.engine(script, mode="accept-all", interactive=False) as driver:
        driver.turn("go")
        [said] = [one.text for one in driver.all(Notice) if "History of git" in one.text]
        assert "put back" in said
    assert history(repository)[0] == before[0]


@pytest.mark.usefixtures("landlock")
@pytest.mark.parametrize(
    "command",
    [
        "python3 -c 'import shutil; shutil.rmtree(\".git\", ignore_errors=True)'; echo done",
        'python3 -c \'import os, shutil; os.chdir(".git"); shutil.rmtree("objects"); '
        'shutil.rmtree("logs"); open("HEAD", "w")\'; echo done',
    ],
)
def test_history_that_it_deletes_is_put_back_and_told(repository: Place, command: str) -> None:
    before = history(repository)
    script = repository.script([run(command)], [{"text": "ok"}])
    with repository.engine(script, mode="accept-all", interactive=False) as driver:
        driver.turn("go")
        [ended] = driver.all(ToolEnded)
        assert "[note: history of git was lost in .git" in ended.content and "HEAD" in ended.content
        [said] = [one.text for one in driver.all(Notice) if "History of git" in one.text]
        assert "put back" in said
    assert before[0] == "two\none\n" and history(repository) == before


EMPTIES = "git repack -adq; for p in .git/objects/pack/*.pack; do chmod u+w $p; : > $p; done"


def sandboxed(place: Place, words: str) -> dict[str, object]:
    """A command that only the sandbox holds: no list knows a script."""
    (place.cwd / "work.sh").write_text(words)
    return run("sh work.sh; echo done")


@pytest.mark.usefixtures("landlock")
def test_packs_that_it_empties_replace_nothing(repository: Place) -> None:
    before = history(repository)
    calls = [[sandboxed(repository, EMPTIES)], [run("true > new")]]
    script = repository.script(*calls, [{"text": "ok"}])
    with repository.engine(script, mode="accept-all", interactive=False) as driver:
        driver.turn("go")
        [said] = [one.text for one in driver.all(Notice) if "History of git" in one.text]
        assert "was put back" in said
    assert history(repository) == before


@pytest.mark.usefixtures("landlock")
@pytest.mark.parametrize(
    ("name", "plants"),
    [
        ("objects/info/alternates", "echo /nonexistent > .git/objects/info/alternates"),
        ("objects/info/http-alternates", "echo x > .git/objects/info/http-alternates"),
        ("refs/heads/zz", "ln -s /etc/passwd .git/refs/heads/zz"),
        ("logs/zz", "ln -s /etc .git/logs/zz"),
        ("shallow", "mkfifo .git/shallow"),
    ],
)
def test_what_leads_out_of_the_history_is_put_back_and_told(
    repository: Place, name: str, plants: str
) -> None:
    before = history(repository)
    script = repository.script([sandboxed(repository, plants)], [{"text": "ok"}])
    with repository.engine(script, mode="accept-all", interactive=False) as driver:
        driver.turn("go")
        [said] = [one.text for one in driver.all(Notice) if "Protected names" in one.text]
        assert f".git/{name}" in said and "were put back" in said
    assert not os.path.lexists(repository.cwd / ".git" / name) and history(repository) == before


@pytest.mark.usefixtures("landlock")
def test_other_objects_that_were_named_before_stay(repository: Place) -> None:
    """They are said once, and what lies here is still held."""
    shared = repository.cwd.parent / "shared.git"
    subprocess.run(["git", "clone", "-q", "--bare", ".", shared], cwd=repository.cwd, check=True)
    alternates = repository.cwd / ".git/objects/info/alternates"
    alternates.write_text(f"{shared}/objects\n")
    before = history(repository)
    calls = [[run("echo 1 > b.txt")], [sandboxed(repository, "rm -rf .git/objects/?? .git/HEAD")]]
    script = repository.script(*calls, [{"text": "ok"}])
    with repository.engine(script, mode="accept-all", interactive=False) as driver:
        driver.turn("go")
        told = [one.text for one in driver.all(Notice)]
        [limit] = [text for text in told if text.startswith("Not all that commands delete")]
        assert "alternates" in limit
        assert [text for text in told if "was put back: HEAD" in text]
        assert not [text for text in told if "rotected names" in text]
    assert alternates.is_file() and history(repository) == before


@pytest.mark.usefixtures("landlock")
def test_commits_that_it_leaves_without_a_name_get_one(repository: Place) -> None:
    last = repository.cwd / ".git/refs/heads/main"
    sha = last.read_text().strip()
    script = repository.script(
        [sandboxed(repository, "git rev-parse HEAD~1 > x; mv x .git/refs/heads/main")],
        [{"text": "ok"}],
    )
    shutil.rmtree(repository.cwd / ".git/logs")
    with repository.engine(script, mode="accept-all", interactive=False) as driver:
        driver.turn("go")
        [said] = [one.text for one in driver.all(Notice) if "Commits in .git" in one.text]
    name = f"refs/agent-tui/lost/heads/main-{sha[:8]}"
    assert name in said and (repository.cwd / ".git" / name).read_text().strip() == sha


def test_a_start_says_where_copies_of_a_history_are_that_is_gone(repository: Place) -> None:
    script = repository.script([run("git add .")], [{"text": "ok"}])
    with repository.engine(script, mode="accept-all", interactive=False) as driver:
        driver.turn("go")
    shutil.rmtree(repository.cwd / ".git")
    with repository.engine(repository.script([{"text": "ok"}])) as driver:
        driver.turn("go")
        [said] = [one.text for one in driver.all(Notice) if "is gone" in one.text]
        assert f"{repository.config(script).contents / 'repositories'}" in said


@pytest.mark.usefixtures("landlock")
def test_history_that_a_job_deletes_is_put_back_when_it_ends(repository: Place) -> None:
    before = history(repository)
    delete = "python3 -c 'import shutil; shutil.rmtree(\".git\", ignore_errors=True)'"
    command = f"while [ ! -e go ]; do sleep 0.05; done; {delete}"
    call: dict[str, object] = run(command)
    call["arguments"] = {"command": command, "background": True}
    script = repository.script([call], [run("touch go")], [{"text": "ok"}])
    with repository.engine(script, mode="accept-all", interactive=False) as driver:
        driver.turn("go")
        while not [one for one in driver.all(Notice) if "History of git" in one.text]:
            driver.until(Notice)
    assert history(repository) == before


def test_history_that_was_lost_before_a_kill_is_put_back_at_the_next_start(
    repository: Place,
) -> None:
    before, script = history(repository), repository.script([{"text": "ok"}])
    store = repository.config(script).contents / "repositories"
    subprocess.run(
        [sys.executable, "-c", KILLED, repository.cwd, store, "rm -rf .git"], check=False
    )
    with repository.engine(script) as driver:
        driver.turn("go")
        [said] = [one.text for one in driver.all(Notice) if "History of git" in one.text]
        assert "put back: HEAD" in said
    assert history(repository) == before


@pytest.mark.usefixtures("landlock")
def test_while_a_job_runs_the_next_start_would_still_put_back_what_it_deletes(
    repository: Place,
) -> None:
    call: dict[str, object] = run("true")
    call["arguments"] = {"command": "while [ ! -e go ]; do sleep 0.05; done", "background": True}
    script = repository.script([call], [{"text": "runs"}], [run("touch go")], [{"text": "ok"}])
    kept = repository.config(script).contents / "repositories"
    with repository.engine(script, mode="accept-all", interactive=False) as driver:
        driver.turn("go")
        assert [*kept.glob("*/*.running")], "a kill now loses nothing"
        driver.turn("end it")
        if not [one for one in driver.all(JobChanged) if one.state == "ended"]:
            driver.until(JobChanged, lambda event: event.state == "ended")
    assert not [*kept.glob("*/*.running")]


@pytest.mark.usefixtures("landlock")
def test_what_git_does_to_history_says_nothing(repository: Place) -> None:
    commit = "git -c user.name=n -c user.email=e commit -q --amend -m three; git gc -q"
    script = repository.script([run(commit)], [{"text": "ok"}])
    with repository.engine(script, mode="accept-all") as driver:
        driver.turn("go")
        assert [one.tag for one in driver.all(ToolEnded)] == ["ok"]
        assert not [one for one in driver.all(Notice) if "History of git" in one.text]
    assert history(repository)[0] == "three\none\n"


@pytest.mark.usefixtures("landlock")
def test_names_are_looked_at_also_where_the_history_cannot_be(
    repository: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RecursionError("too deep")

    monkeypatch.setattr(History, "put_back", fail)
    script = repository.script([run("echo evil > .envrc")], [{"text": "ok"}])
    for _ in range(2):
        with repository.engine(script, mode="accept-all", interactive=False) as driver:
            driver.turn("go")
            said = [event.text for event in driver.all(Notice)]
            assert [one for one in said if "History of git could not be looked at: too deep" in one]
        assert not (repository.cwd / ".envrc").exists()
