"""Sessions of other programs, in the shapes that they really write: prompts, answers, calls,
results, tokens."""

from __future__ import annotations

import json
import random
import uuid
from pathlib import Path
from typing import Any

import pytest

from agent_tui.agent.session.history import History
from agent_tui.protocol.events import (
    AssistantReplied,
    Event,
    Notice,
    SessionStarted,
    SteerSeen,
    ToolEnded,
    TurnEnded,
    TurnStarted,
)
from agent_tui.protocol.events import fold as folded
from agent_tui.protocol.transcript import ToolBlock
from agent_tui.sessions.export import export
from agent_tui.sessions.imports.files import began_in, find_session_files, import_file
from agent_tui.sessions.index.listing import find
from agent_tui.sessions.index.stats import stats
from agent_tui.sessions.log.repair import Refused, verify_log
from agent_tui.sessions.log.store import Store, read

CLAUDE_ID = "2ff46cd5-f4e7-4724-bb20-579dae7956ea"
CODEX_ID = "019a2d7a-41c4-78b1-b7cc-a45d62a89cd5"


SAMPLES = Path(__file__).parent / "samples"


def sample(name: str) -> list[dict[str, Any]]:
    """A session as the other program writes it (made up, in the shapes of real ones)."""
    return [
        json.loads(line)
        for line in (SAMPLES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    ]


CLAUDE, CODEX, OLD_CODEX = sample("claude"), sample("codex"), sample("codex-old")


def written(path: Path, records: list[dict[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def of(events: list[Event], kind: type[Event]) -> list[Any]:
    return [event for event in events if isinstance(event, kind)]


def test_claude_code(tmp_path: Path) -> None:
    path = written(tmp_path / f"{CLAUDE_ID}.jsonl", CLAUDE)
    made = import_file(path, tmp_path / "sessions")
    assert (made.program, made.turns, made.already) == ("Claude Code", 2, False)
    assert made.left_out == {
        "records of type file-history-snapshot": 1,
        "records of sub-agents": 1,
        "remarks of the program": 1,
        "images": 1,
        "summaries of earlier messages": 1,
    }
    events, problems = read(tmp_path / "sessions" / f"{made.id}.jsonl")
    assert problems == () and {event.session for event in events} == {made.id}
    assert [event.prompt for event in of(events, TurnStarted)] == ["list the files", "/init"]
    assert [event.text for event in of(events, SteerSeen)] == ["the hidden ones too"]
    first, second, third = of(events, AssistantReplied)
    assert (first.text, first.reasoning) == ("I look.", "Let me look.")
    assert [call.name for call in first.calls] == ["Bash", "Read"]
    assert (second.text, second.calls) == ("There are two.", ())
    assert [(e.label, e.tag, e.content) for e in of(events, ToolEnded)] == [
        ("Bash ls -l", "ok", "a.py\nb.py"),
        ("Read /x/a.py", "failed", "no such file"),
        (
            "Write /x/c",
            "interrupted",
            "Error [interrupted]: no result is on record; unknown whether it ran",
        ),
    ]
    assert [event.state for event in of(events, TurnEnded)] == ["completed", "cancelled"]
    assert third.calls[0].name == "Write"
    [one] = find(tmp_path / "sessions", made.id)
    assert (one.title, one.by, one.cwd, one.model) == (
        "My listing",
        "person",
        "/home/a/project",
        "anthropic/claude-opus-4-6",
    )
    figures = stats(events)
    assert (figures.steps, figures.tokens_in, figures.cached, figures.tokens_out) == (
        3,
        3 * 1104,
        3000,
        21,
    )
    assert (
        of(events, SessionStarted)[0].model == ""
    )  # a session that is resumed goes on with the person's own model


def test_codex(tmp_path: Path) -> None:
    path = written(tmp_path / f"rollout-2026-01-02T03-04-05-{CODEX_ID}.jsonl", CODEX)
    made = import_file(path, tmp_path / "sessions")
    assert (made.program, made.turns) == ("Codex CLI", 1)
    assert made.left_out == {"instructions of the program": 1, "records of type future_record": 1}
    events, _ = read(tmp_path / "sessions" / f"{made.id}.jsonl")
    assert [event.prompt for event in of(events, TurnStarted)] == ["list the files"]
    assert [
        (e.text, e.reasoning, [call.name for call in e.calls]) for e in of(events, AssistantReplied)
    ] == [
        ("", "**Looking**", ["shell"]),
        ("", "", ["apply_patch"]),
        ("One file.", "", []),
    ]
    assert [(e.label, e.tag, e.content) for e in of(events, ToolEnded)] == [
        ("shell ls -l", "failed", "alpha\n"),
        ("apply_patch *** Begin Patch", "ok", "Done!"),
    ]
    assert stats(events).tokens_in == 90 and stats(events).cached == 60
    assert find(tmp_path / "sessions", made.id)[0].model == "openai/gpt-5-codex"


def test_an_old_rollout(tmp_path: Path) -> None:
    made = import_file(written(tmp_path / "rollout-old.jsonl", OLD_CODEX), tmp_path / "sessions")
    events, _ = read(tmp_path / "sessions" / f"{made.id}.jsonl")
    assert [event.prompt for event in of(events, TurnStarted)] == ["open it"]
    assert [event.label for event in of(events, ToolEnded)] == ["shell ls"]
    assert made.left_out == {"records of type state": 1}


@pytest.mark.parametrize(
    "records", [CLAUDE, CODEX, OLD_CODEX], ids=["claude", "codex", "old codex"]
)
def test_what_was_imported_is_a_session_like_any(
    tmp_path: Path, records: list[dict[str, Any]]
) -> None:
    path = written(tmp_path / "theirs.jsonl", records)
    made = import_file(path, tmp_path / "sessions")
    log = tmp_path / "sessions" / f"{made.id}.jsonl"
    before = log.read_bytes()
    again = import_file(path, tmp_path / "sessions")
    assert again.already and again.id == made.id and log.read_bytes() == before
    assert verify_log(log).state == "ok"
    events, _ = read(log)
    transcript = folded(events)
    assert transcript.state == "idle"
    assert not any(isinstance(row, ToolBlock) and row.state == "running" for row in transcript.rows)
    history = History()
    for event in events:
        history = history.with_event(event)
    assert history.has_answered() or transcript.turn == 2
    assert "list the files" in export(events, "md") or "open it" in export(events, "md")
    [notice] = of(events, Notice)
    assert notice.text.startswith(f"Imported from {made.program}, session ")


@pytest.mark.parametrize("records", [CLAUDE, CODEX], ids=["claude", "codex"])
@pytest.mark.parametrize("seed", range(30))
def test_garbage_is_counted_and_the_rest_is_kept(
    tmp_path: Path, records: list[dict[str, Any]], seed: int
) -> None:
    chance = random.Random(seed)
    data = "".join(json.dumps(_spoilt(record, chance)) + "\n" for record in records).encode()
    for _ in range(3):
        at = chance.randrange(len(data))
        data = (
            data[:at]
            + chance.choice((b"\0" * 50, b"\n[1, 2]\n", b"\xff\xfe", b'\n"text"\n{', b"\r\n"))
            + data[at:]
        )
    path = tmp_path / "theirs.jsonl"
    path.write_bytes(data)
    try:
        made = import_file(path, tmp_path / "sessions")
    except Refused as error:
        assert "\n" not in str(error) and not (tmp_path / "sessions").exists()
        return
    assert verify_log(tmp_path / "sessions" / f"{made.id}.jsonl").state == "ok"
    folded(read(tmp_path / "sessions" / f"{made.id}.jsonl")[0])


def _spoilt(value: Any, chance: random.Random) -> Any:
    """`value` with some of its parts of another kind."""
    if chance.random() < 0.03:
        return chance.choice(
            (None, 7, "text", [], {}, True, [{"type": "text", "text": 3}], 1e300, -1)
        )
    if isinstance(value, dict):
        return {key: _spoilt(inner, chance) for key, inner in value.items()}
    return [_spoilt(inner, chance) for inner in value] if isinstance(value, list) else value


def test_what_is_no_session_is_refused_in_a_line(tmp_path: Path) -> None:
    for name, data in (
        ("empty", b""),
        ("text", b"hello\n"),
        ("other", b'{"a":1}\n'),
        ("list", b"[]\n"),
        ("zero", b"\0" * 99),
    ):
        path = tmp_path / name
        path.write_bytes(data)
        with pytest.raises(Refused, match="no session of Claude Code or Codex CLI"):
            import_file(path, tmp_path / "sessions")
    with pytest.raises(Refused, match="a folder"):
        import_file(tmp_path, tmp_path / "sessions")
    with pytest.raises(Refused, match="no prompt and no answer"):
        import_file(written(tmp_path / "bare.jsonl", CODEX[:1]), tmp_path / "sessions")
    assert not (tmp_path / "sessions").exists()


def test_what_the_others_keep_is_found(tmp_path: Path) -> None:
    home = {"HOME": str(tmp_path)}
    assert list(find_session_files(home)) == []
    ours = written(tmp_path / ".claude/projects/-home-a-project" / f"{CLAUDE_ID}.jsonl", CLAUDE)
    written(tmp_path / ".claude/projects/-home-a-project/agent-1.jsonl", CLAUDE)
    theirs = written(
        tmp_path / f".codex/sessions/2026/01/02/rollout-2026-01-02T03-04-05-{CODEX_ID}.jsonl", CODEX
    )
    assert list(find_session_files(home)) == [("claude", ours), ("codex", theirs)]
    assert list(find_session_files(home, "codex")) == [("codex", theirs)]
    assert list(find_session_files({**home, "CODEX_HOME": str(tmp_path / "none")})) == [
        ("claude", ours)
    ]
    assert began_in(ours, "claude") == began_in(theirs, "codex") == "/home/a/project"


def test_a_log_of_our_own_that_was_kept_elsewhere_is_a_session_again(tmp_path: Path) -> None:
    """Under its own id; where the beginning of it lies there already, beside that. Twice is once."""
    sessions, id = tmp_path / "sessions", str(uuid.uuid4())
    for number, prompts in enumerate((["one"], ["one", "two"])):
        store = Store.create(sessions, id)
        for turn, prompt in enumerate(prompts, 1):
            store.append(TurnStarted(prompt=prompt, turn=turn, session=id))
        store.move(tmp_path / f"{number}.jsonl")
        store.close()
        (sessions / f"{id}.jsonl").unlink(missing_ok=True)
    first = import_file(tmp_path / "0.jsonl", sessions)
    assert (first.id, first.turns, first.already) == (id, 1, False)
    second = import_file(tmp_path / "1.jsonl", sessions)
    assert second.id != id and second.turns == 2
    assert import_file(tmp_path / "1.jsonl", sessions).already
    events, problems = read(sessions / f"{second.id}.jsonl")
    assert problems == () and {event.session for event in events} == {second.id}
