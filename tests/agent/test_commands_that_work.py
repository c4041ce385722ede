"""In accept-all mode commands run unasked in the workspace sandbox; what that stops asks, and what
a person allows runs without it."""

from __future__ import annotations

import json
import sys
import urllib.request
from pathlib import Path

import pytest

from agent_tui.protocol.events import (
    ApprovalAsked,
    JobChanged,
    Notice,
    SandboxFound,
    ToolEnded,
    ToolOutput,
    ToolStarted,
    TurnEnded,
)
from agent_tui.protocol.ops import Answer, Cancel, Choice, SetMode, Submit
from agent_tui.safety.sandbox import support as sandbox_support
from tests.agent.driving import Place


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place(tmp_path)
    made.cwd.mkdir(parents=True)
    (made.cwd / "a.txt").write_text("content\n")
    return made


def run(command: str) -> dict[str, object]:
    return {"call": "run_shell_command", "arguments": {"command": command}}


@pytest.fixture(params=sandbox_support._ways(), ids=lambda way: Path(way or "landlock").name)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The only backend that is looked for."""
    monkeypatch.setattr(sandbox_support, "_ways", lambda: iter([request.param]))
    return str(request.param)


def test_it_works_unasked_and_is_told(place: Place, way: str) -> None:
    calls = [run("echo new > b.txt && cat a.txt")]
    with place.engine(place.script(calls, [{"text": "ok"}]), mode="accept-all") as driver:
        driver.turn("go")
        [ended], [started] = driver.all(ToolEnded), driver.all(ToolStarted)
        assert (ended.tag, started.note) == ("ok", "sandboxed") and "content" in ended.content
        assert not driver.all(ApprovalAsked)
        [found] = driver.all(SandboxFound)
        assert found.backend == sandbox_support._backend(way) and not found.problem
    assert (place.cwd / "b.txt").read_text() == "new\n"


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("echo x > {outside}", "may have stopped it"),
        ("u=http; no_proxy=* git clone -q $u://nowhere.invalid/x", "wants the network"),
    ],
)
def test_what_it_stops_is_asked_about(place: Place, command: str, words: str) -> None:
    outside = place.root / "user" / "outside"
    outside.parent.mkdir()
    calls = [[run(command.format(outside=outside))]] * 2
    with place.engine(place.script(*calls, [{"text": "ok"}]), mode="accept-all") as driver:
        driver.send(Submit("go"))
        first = driver.until(ApprovalAsked)
        assert words in first.reason and "without the sandbox" in first.reason
        driver.send(Answer(first.id, "no"))
        second = driver.until(ApprovalAsked)
        assert not outside.exists()
        driver.send(Answer(second.id, "once"))
        driver.until(TurnEnded)
        refused, done = driver.all(ToolEnded)
        assert "it ran in a sandbox" in refused.content
        assert "it ran in a sandbox" not in done.content
    assert outside.exists() is ("outside" in command)


@pytest.mark.usefixtures("way")
def test_what_a_person_allows_runs_without_it(place: Place) -> None:
    outside = place.cwd.parent / "outside"
    command = f"echo x >> {outside}"
    with place.engine(place.script([run(command)], [run(command)], [{"text": "ok"}])) as driver:
        driver.send(Submit("go"))
        asked = driver.until(ApprovalAsked)
        driver.send(Answer(asked.id, "always"))
        driver.send(SetMode("accept-all"))
        driver.until(TurnEnded)
        assert [one.tag for one in driver.all(ToolEnded)] == ["ok", "ok"]
    assert outside.read_text() == "x\nx\n"


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("choice", ["no", "once"])
def test_a_protected_name_that_it_made_stays_only_if_allowed(place: Place, choice: str) -> None:
    calls = [run("echo 'echo evil' > .envrc; mkdir .vscode; echo {} > .vscode/tasks.json")]
    with place.engine(place.script(calls, [{"text": "ok"}]), mode="accept-all") as driver:
        driver.send(Submit("go"))
        asked = driver.until(ApprovalAsked)
        assert ".envrc, .vscode" in asked.reason and "keeps" in asked.reason
        driver.send(Answer(asked.id, choice))
        driver.until(TurnEnded)
        [ended] = driver.all(ToolEnded)
        assert ("were put back" in ended.content) is (choice == "no")
        _, _, aside = ended.content.partition("What was there is in ")
        kept = Path(f"{aside.rstrip(']')}{place.cwd.resolve() / '.envrc'}")
        assert choice == "once" or kept.read_text() == "echo evil\n"
    assert (place.cwd / ".envrc").exists() is (choice == "once")
    assert (place.cwd / ".vscode").exists() is (choice == "once")


@pytest.mark.usefixtures("way")
def test_a_protected_name_is_put_back_where_nobody_can_answer(place: Place) -> None:
    calls = [run("echo evil > .envrc; mkdir .vscode; echo obey > AGENTS.md; echo done")]
    script = place.script(calls, [{"text": "ok"}])
    with place.engine(script, mode="accept-all", interactive=False) as driver:
        driver.turn("go")
        [ended] = driver.all(ToolEnded)
        assert ended.tag == "ok" and "done" in ended.content
        [said] = [one.text for one in driver.all(Notice) if "put back" in one.text]
        assert ".vscode" in said and "perhaps by" in said
    assert not {".envrc", ".vscode", "AGENTS.md"} & {path.name for path in place.cwd.iterdir()}


@pytest.mark.usefixtures("way")
def test_what_two_commands_plant_together_is_put_back(place: Place) -> None:
    first = run("mkdir -p pkg target/x; echo evil > target/x/.envrc; sleep 0.1")
    calls = [[first], [run("mv pkg target/old; mv target/x pkg; ln -s pkg .cargo")]]
    script = place.script(*calls, [{"text": "ok"}])
    with place.engine(script, mode="accept-all", interactive=False) as driver:
        driver.turn("go")
        assert [one.tag for one in driver.all(ToolEnded)] == ["ok", "ok"]
        [said] = [one.text for one in driver.all(Notice) if "put back" in one.text]
        assert ".cargo" in said and "pkg/.envrc" in said
    assert {path.name for path in place.cwd.iterdir()} == {"a.txt", "pkg", "script.json", "target"}
    assert not [*(place.cwd / "pkg").iterdir()]


def test_no_sandbox_is_said_once_and_commands_run(place: Place) -> None:
    calls = [[run("echo one")], [run("echo two")], [{"text": "ok"}]]
    with place.engine(place.script(*calls), mode="accept-all", sandbox="local") as driver:
        driver.turn("go")
        said = [one.text for one in driver.all(Notice) if "sandbox" in one.text]
        assert len(said) == 1 and "own rights" in said[0] and "local" in said[0]
        assert [one.note for one in driver.all(ToolStarted)] == ["no sandbox"] * 2


def test_a_sandbox_that_this_system_has_not_is_said_at_the_start(place: Place) -> None:
    wanted = "windows"
    with place.engine(place.script([{"text": "ok"}]), sandbox=wanted) as driver:
        driver.turn("go")
        [said] = [one.text for one in driver.all(Notice) if "sandbox" in one.text]
        assert f"sandbox.mode is {wanted}" in said


def test_the_next_one_is_taken_where_one_does_not_hold(
    place: Place, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A `bwrap` that confines nothing."""
    fake = tmp_path / "bwrap"
    fake.write_text('#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done\nshift\nexec "$@"\n')
    fake.chmod(0o755)
    others = [way for way in sandbox_support._ways() if not way.startswith("/")]
    monkeypatch.setattr(sandbox_support, "_ways", lambda: iter([str(fake), *others]))
    monkeypatch.setattr(sandbox_support, "_known", {})
    calls = [run("echo one")]
    with place.engine(place.script(calls, [{"text": "ok"}]), mode="accept-all") as driver:
        driver.turn("go")
        [said] = [one.text for one in driver.all(Notice) if "sandbox" in one.text]
        assert "bwrap: a command in it can" in said
        assert [one.note for one in driver.all(ToolStarted)] == ["sandboxed"]


SERVES = """
import http.server, pathlib, socketserver
with socketserver.TCPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler) as server:
    pathlib.Path("port").write_text(str(server.server_address[1]))
    server.serve_forever()
"""


@pytest.mark.parametrize("choice", ["once", "no"])
def test_a_server_that_it_leaves_is_asked_about_for_nobody_can_connect_to_it(
    place: Place, choice: Choice
) -> None:
    (place.cwd / "server.py").write_text(SERVES)
    command = f"rm -f port; {sys.executable} server.py & for i in $(seq 100); do [ -s port ] || sleep 0.1; done"
    with place.engine(place.script([run(command)], [{"text": "ok"}]), mode="accept-all") as driver:
        driver.send(Submit("go"))
        asked = driver.until(ApprovalAsked)
        assert "nobody can connect to in the sandbox" in asked.reason
        driver.send(Answer(asked.id, choice))
        driver.until(TurnEnded)
        [ended] = driver.all(ToolEnded)
        running = [job for job in driver.all(JobChanged) if job.state == "running"]
        if choice == "no":
            assert "runs in a sandbox" in ended.content and len(running) == 1
            return
        address = f"http://127.0.0.1:{(place.cwd / 'port').read_text()}/server.py"
        with urllib.request.urlopen(address, timeout=20) as answer:
            assert answer.status == 200
        ended_first = [job.id for job in driver.all(JobChanged) if job.state != "running"]
        if running[0].id not in ended_first:
            driver.until(JobChanged, lambda job: job.id == running[0].id)


PLANTS = "echo evil > .envrc; mkdir .vscode; echo {} > .vscode/tasks.json"


def planted(place: Place) -> set[str]:
    return {path.name for path in place.cwd.iterdir()} & {".envrc", ".vscode"}


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("leaves", ["Esc", "quit"])
def test_without_a_yes_what_it_planted_is_put_back(place: Place, leaves: str) -> None:
    script = place.script([run(PLANTS)], [{"text": "ok"}])
    with place.engine(script, mode="accept-all") as driver:
        driver.send(Submit("go"))
        asked = driver.until(ApprovalAsked)
        assert asked.ran and planted(place) == {".envrc", ".vscode"}
        if leaves == "Esc":
            driver.send(Cancel())
            said = driver.until(Notice, lambda event: "put back" in event.text)
            assert said.text.startswith("Protected names changed") and ".envrc" in said.text
            assert not planted(place)
    assert not planted(place)


@pytest.mark.usefixtures("way")
def test_what_a_cancelled_command_planted_is_put_back(place: Place) -> None:
    script = place.script([run(f"{PLANTS}; echo ready; sleep 600")], [{"text": "ok"}])
    with place.engine(script, mode="accept-all") as driver:
        driver.send(Submit("go"))
        driver.until(ToolOutput)
        driver.send(Cancel())
        said = driver.until(Notice, lambda event: "put back" in event.text)
        assert ".envrc, .vscode" in said.text
    assert not planted(place)


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("decided", [True, False])
def test_that_nobody_decided_is_said_after_a_kill(place: Place, decided: bool) -> None:
    script = place.script([run(PLANTS)], [{"text": "ok"}])
    with place.engine(script, mode="accept-all") as driver:
        driver.send(Submit("go"))
        driver.send(Answer(driver.until(ApprovalAsked).id, "once"))
        driver.until(TurnEnded)
        session = driver.events[0].session
    log = place.home / "sessions" / f"{session}.jsonl"
    lines = log.read_bytes().splitlines(keepends=True)
    kinds = [json.loads(line)["type"] for line in lines]
    last = kinds.index("approval_answered" if decided else "approval_asked")
    log.write_bytes(b"".join(lines[: last + 1]))
    for begin in range(2):
        with place.engine(script, resume=session, mode="accept-all") as driver:
            blocks = driver.transcript().rows
            said = [str(one) for one in blocks if "Nobody decided" in str(one)]
            assert len(said) == (not decided), begin
            assert decided or (".envrc, .vscode" in said[0] and "a yes" not in said[0])


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize(
    "command",
    [
        "rm d/.bashrc; rmdir d; ln -s ../out d",
        "rm -r d s; ln -s ../out d; ln -s ../out s",
        "mv d e; ln -s ../out d",
        "ln -s ../out new; mkdir x; echo evil > x/.bashrc",
    ],
)
def test_what_is_put_back_leaves_the_folders_of_the_session_alone(
    place: Place, command: str
) -> None:
    out = place.root / "out"
    for base, text in ((place.cwd / "d", "PAYLOAD"), (place.cwd / "s", "PAYLOAD"), (out, "mine")):
        (base / ".vscode").mkdir(parents=True)
        (base / ".vscode" / "settings.json").write_text(text)
    (place.cwd / "d" / ".bashrc").symlink_to("payload")
    (out / ".bashrc").write_text("mine")
    before = {path: path.lstat().st_ino for path in out.rglob("*")}
    script = place.script([run(command)], [{"text": "ok"}])
    with place.engine(script, mode="accept-all", interactive=False) as driver:
        driver.turn("go")
    assert {path: path.lstat().st_ino for path in out.rglob("*")} == before
    assert {path.read_text() for path in out.rglob("*") if path.is_file()} == {"mine"}
    assert (place.cwd / "d" / ".bashrc").readlink() == Path("payload")
    assert not (place.cwd / "d").is_symlink() and not (place.cwd / "x" / ".bashrc").exists()
