"""Commands that only look run unasked, in the read-only sandbox; what that stops asks."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from agent_tui.protocol.events import ApprovalAsked, ToolEnded, ToolStarted, TurnEnded, UndoLimited
from agent_tui.protocol.ops import Answer, Submit
from tests.agent.driving import Place


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place(tmp_path)
    made.cwd.mkdir(parents=True)
    (made.cwd / "a.txt").write_text("content\n")
    return made


def run(command: str) -> dict[str, object]:
    return {"call": "run_shell_command", "arguments": {"command": command}}


@pytest.mark.parametrize("mode", ["auto", "accept-edits", "plan"])
def test_it_runs_unasked_and_says_so(place: Place, mode: str) -> None:
    with place.engine(place.script([run("cat a.txt")], [{"text": "ok"}]), mode=mode) as driver:
        driver.send(Submit("go"))
        driver.until(TurnEnded)
        [ended], [started] = driver.all(ToolEnded), driver.all(ToolStarted)
        assert (ended.tag, started.note) == ("ok", "only looks")
        assert "content" in ended.content and not driver.all(ApprovalAsked)
        assert not driver.all(UndoLimited)  # nothing was looked for that it could have changed


def test_what_the_classifier_mistakes_is_stopped_and_asked_about(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The classifier is told that `touch` only looks: the sandbox knows better."""
    from agent_tui.safety.shell import harmless, harmless_options

    monkeypatch.setitem(harmless.PROGRAMS, "touch", harmless_options.spec())
    calls = [[run("touch new.txt")], [run("touch other.txt")]]
    with place.engine(place.script(*calls, [{"text": "ok"}])) as driver:
        driver.send(Submit("go"))
        first = driver.until(ApprovalAsked)
        assert "sandbox" in first.reason and not first.always
        assert not (place.cwd / "new.txt").exists()
        driver.send(Answer(first.id, "no"))
        second = driver.until(ApprovalAsked)
        assert not (place.cwd / "other.txt").exists()
        driver.send(Answer(second.id, "once"))
        driver.until(TurnEnded)
        refused, done = driver.all(ToolEnded)
        assert refused.tag == "exit" and "read-only sandbox" in refused.content
        assert done.tag == "ok" and "sandbox" not in done.content
    assert (place.cwd / "other.txt").exists() and not (place.cwd / "new.txt").exists()


def test_a_secret_is_closed_where_the_classifier_is_mistaken(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The classifier is told that `grep -r` reads no folder: the sandbox knows better."""
    from agent_tui.safety.shell import harmless

    monkeypatch.setitem(harmless._WALKS, "grep", lambda _: None)
    (place.cwd / ".env").write_text("content of a secret\n")
    (place.cwd / "sub").mkdir()
    (place.cwd / "sub" / "notes.txt").hardlink_to(place.cwd / ".env")
    model = place.script([run("grep -r content")], [{"text": "ok"}])
    with place.engine(model, mode="plan") as driver:
        driver.turn("go")
        [ended] = driver.all(ToolEnded)
    assert "a.txt:content" in ended.content and "of a secret" not in ended.content


def test_in_plan_mode_nothing_leads_out_of_the_sandbox(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    from agent_tui.safety.shell import harmless, harmless_options

    monkeypatch.setitem(harmless.PROGRAMS, "touch", harmless_options.spec())
    model = place.script([run("touch new.txt")], [{"text": "ok"}])
    with place.engine(model, mode="plan") as driver:
        driver.send(Submit("go"))
        driver.until(TurnEnded)
        assert not driver.all(ApprovalAsked) and driver.all(ToolEnded)[0].tag == "exit"
    assert not (place.cwd / "new.txt").exists()


def test_the_values_of_the_projects_env_are_hidden_wherever_a_command_finds_them(
    place: Place,
) -> None:
    (place.cwd / ".env").write_text("DB_PASSWORD=hunter2xyzzy\nAPI_PIN=9981-zz-secretval\nA=8080\n")
    (place.cwd / "notes").write_text("it was hunter2xyzzy at port 8080\n")
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "core.hooksPath=/dev/null"]
    for words in (["init", "-q"], ["add", "-f", ".env"], ["commit", "-qm", "all"]):
        subprocess.run([*git, *words], cwd=place.cwd, check=True)
    looks = ["git show HEAD", "git log -p", "cat notes"]
    model = place.script(*([run(look)] for look in looks), [{"text": "ok"}])
    with place.engine(model) as driver:
        driver.turn("go")
        ended = driver.all(ToolEnded)
    assert [one.tag for one in ended] == ["ok"] * 3
    for one in ended:
        assert "[hidden:key:" in one.content and "8080" in one.content
        assert "hunter2xyzzy" not in one.content and "9981-zz" not in one.content
    assert not any("hunter2xyzzy" in str(line) for line in place.log_lines())


@pytest.mark.parametrize(
    "call",
    [
        {"call": "read_file", "arguments": {"path": "notes"}},
        {"call": "grep_files", "arguments": {"pattern": "it was"}},
    ],
)
def test_they_are_hidden_in_what_the_first_tool_finds(place: Place, call: dict[str, Any]) -> None:
    (place.cwd / ".env").write_text("DB_PASSWORD=hunter2xyzzy\n")
    (place.cwd / "notes").write_text("it was hunter2xyzzy\n")
    with place.engine(place.script([call], [{"text": "ok"}])) as driver:
        driver.turn("go")
        [ended] = driver.all(ToolEnded)
    assert "it was [hidden:key:" in ended.content
    assert not any("hunter2xyzzy" in str(line) for line in place.log_lines())


def test_a_value_that_came_since_is_hidden_from_the_next_command_on(place: Place) -> None:
    (place.cwd / "notes").write_text("kd93jfk2zx81 is new\n")
    made = "printf 'DB_PASSWORD=kd93%s' jfk2zx81 > .env"
    model = place.script([run(made)], [run("cat notes")], [{"text": "ok"}])
    with place.engine(model, mode="accept-all") as driver:
        driver.turn("go")
        assert "[hidden:key:" in driver.all(ToolEnded)[-1].content
