"""A copy of a session: what a newer version has written in it comes along, and it is one's own."""

from __future__ import annotations

import json
from pathlib import Path

from agent_tui.protocol.events import DraftSaved, Unknown
from agent_tui.sessions.index.listing import recent
from agent_tui.sessions.log import copies
from agent_tui.sessions.log.fork import fork
from agent_tui.sessions.log.raw import encode_record
from agent_tui.sessions.log.store import Store, read
from tests.sessions.logs import turn, write


def newer(folder: Path, version: int = 1) -> Path:
    """A log with a record of a type, and one with a field, that this version does not know."""
    path = write(folder, "one", *turn(1, "first"), *turn(2, "second"))
    lines = path.read_bytes().splitlines()
    last = json.loads(lines[-1])["n"]
    of_a_type = {
        "v": version,
        "n": last + 1,
        "at": 3.0,
        "type": "hologram",
        "session": "one",
        "turn": 2,
        "beam": [1],
    }
    of_a_field = {**json.loads(lines[-1]), "n": last + 2, "v": version, "aura": "green"}
    with path.open("ab") as log:
        log.write(encode_record(of_a_type) + encode_record(of_a_field))
    return path


def test_records_of_newer_versions_come_along(tmp_path: Path) -> None:
    newer(tmp_path)
    own = fork(tmp_path, "one")
    events, problems = read(tmp_path / f"{own}.jsonl")
    assert problems == ()
    [unknown] = [event for event in events if isinstance(event, Unknown)]
    assert unknown.raw["beam"] == [1] and unknown.raw["session"] == own
    assert any((event.newer or {}).get("aura") == "green" for event in events)
    assert len({event.n for event in events}) == len(events)


def test_a_prompt_whose_pastes_cannot_be_read_is_a_draft_all_the_same(tmp_path: Path) -> None:
    path = write(tmp_path, "one", *turn(1, "first"))
    records = [json.loads(line) for line in path.read_bytes().splitlines()]
    records[1]["pastes"] = "none"
    path.write_bytes(b"".join(map(encode_record, records)))
    events, problems = read(tmp_path / f"{fork(tmp_path, 'one', records[1]['n'])}.jsonl")
    assert [event.text for event in events if isinstance(event, DraftSaved)] == ["first"]
    assert problems == ()
    assert "line 2 is damaged" in " ".join(read(path)[1]), "as for any field of the wrong kind"


def test_a_copy_of_a_newer_format_is_for_the_newer_version_too(tmp_path: Path) -> None:
    newer(tmp_path, version=2)
    made = copies.fork(tmp_path, "one")
    events, problems = read(tmp_path / f"{made.id}.jsonl")
    assert problems == () and any(isinstance(event, Unknown) for event in events)


def test_a_list_counts_the_turns_that_are_there(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "one",
        *(event for number in range(1, 8) for event in turn(number, f"prompt {number}")),
    )
    made = copies.trim(tmp_path, path.stem, 2)
    counted = {summary.id: summary.turns for summary in recent(tmp_path)}
    assert counted == {"one": 7, made.id: 2} and made.turns == 2
    opened = Store.open(tmp_path, made.id)
    opened.store.close()
    assert opened.problems == ()
