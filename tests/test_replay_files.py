"""`agent-tui replay FILE` of a file that somebody sent: whatever it is, it ends with one line."""

from __future__ import annotations

import os
import struct
import zipfile
from pathlib import Path

import pytest

from agent_tui.cli.replay import replay
from agent_tui.protocol.codec import encode
from agent_tui.protocol.events import TurnStarted
from agent_tui.tui.core.msg import DraftChanged, EventsArrived, Started
from agent_tui.tui.recording.tape import check
from tests.sessions.logs import turn, write
from tests.tui.recording.live import Live


def archive(path: Path, *parts: tuple[str, bytes], packed: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", packed) as made:
        for name, data in parts:
            made.writestr(name, data)
    return path


def refused(path: Path, capsys: pytest.CaptureFixture[str]) -> str:
    assert replay([str(path), "--verify"]) == 1
    said = capsys.readouterr()
    assert said.out == "" and len(said.err.splitlines()) == 1
    return said.err


@pytest.fixture
def log(tmp_path: Path) -> bytes:
    return write(tmp_path / "made", "one", *turn(1, "hello")).read_bytes()


@pytest.fixture
def live() -> Live:
    """A session that was recorded: each Msg of it makes another frame."""
    live = Live()
    asked = EventsArrived((TurnStarted(prompt="hello", turn=1),))
    for msg in (Started(80, 24), asked, DraftChanged("one", 3), DraftChanged("two", 3)):
        live.say(msg)
        live.lines.append(check(*live.hashes[-1]))
    return live


def test_a_whole_archive_is_played(
    tmp_path: Path, live: Live, capsys: pytest.CaptureFixture[str]
) -> None:
    log, tape = b"".join(map(encode, live.log)), "".join(live.lines).encode()
    assert (
        replay(
            [str(archive(tmp_path / "a.zip", ("s.jsonl", log), ("s.msgs.jsonl", tape))), "--verify"]
        )
        == 0
    )
    assert "4 compared, 0 differences" in capsys.readouterr().out


def test_a_log_without_a_recording_is_the_same_as_nothing(
    tmp_path: Path, log: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    assert replay([str(archive(tmp_path / "a.zip", ("one.jsonl", log))), "--verify"]) == 1
    assert capsys.readouterr().out == "no recording: nothing to compare\n"


@pytest.mark.parametrize(
    ("at", "frames"),
    [("0", [1, 3, 4, 5]), ("0.15", [2, 3, 4, 5]), ("0.25", [3, 4, 5]), ("99", [5])],
)
def test_frames_are_written_from_a_moment_on(
    tmp_path: Path, live: Live, at: str, frames: list[int]
) -> None:
    (tmp_path / "s.jsonl").write_bytes(b"".join(map(encode, live.log)))
    (tmp_path / "s.msgs.jsonl").write_text("".join(live.lines))
    assert (
        replay([str(tmp_path / "s.jsonl"), "--frames", str(tmp_path / "frames"), "--at", at]) == 0
    )
    assert sorted(int(path.stem) for path in (tmp_path / "frames").iterdir()) == frames


@pytest.mark.parametrize("packed", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_an_archive_that_is_packed_in_another_way(
    tmp_path: Path, log: bytes, capsys: pytest.CaptureFixture[str], packed: int
) -> None:
    made = archive(tmp_path / "a.zip", ("one.jsonl", log), packed=packed)
    made.write_bytes(made.read_bytes().replace(log[:1], b"\0"))
    assert "not an archive of agent-tui bug" in refused(made, capsys)


def test_an_archive_that_is_flipped_or_cut_anywhere(
    tmp_path: Path, log: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = archive(tmp_path / "a.zip", ("one.jsonl", log)).read_bytes()
    odd = tmp_path / "b.zip"
    for at in range(0, len(whole), 7):
        for data in (whole[:at], whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :]):
            odd.write_bytes(data)
            assert replay([str(odd), "--verify"]) in (0, 1)
            assert len(capsys.readouterr().err.splitlines()) <= 1


def test_an_archive_with_a_name_that_is_no_text(
    tmp_path: Path, log: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    made = archive(tmp_path / "a.zip", ("one.jsonl", log))
    data = bytearray(made.read_bytes())
    entry = data.rindex(b"PK\x01\x02")
    data[entry + 8 : entry + 10] = struct.pack("<H", 0x800)
    data[entry + 46] = 0xFF
    made.write_bytes(data)
    assert "not an archive of agent-tui bug" in refused(made, capsys)


def test_an_archive_that_would_fill_the_disk(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = tmp_path / "a.zip"
    with (
        zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as file,
        file.open("one.jsonl", "w") as part,
    ):
        for _ in range(501):
            part.write(bytes(1_000_000))
    assert "more than 500 MB" in refused(made, capsys)


def test_an_archive_and_a_log_that_are_pipes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("a.zip", "a.jsonl"):
        os.mkfifo(tmp_path / name)
        refused(tmp_path / name, capsys)


@pytest.mark.parametrize("damage", [bytes(900), b"\xff" * 900, b"", b"[" * 100_000, b"{}\n" * 9])
def test_a_recording_that_says_nothing_leaves_the_log(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], damage: bytes
) -> None:
    path = write(tmp_path, "one", *turn(1, "hello"))
    (tmp_path / "one.msgs.jsonl").write_bytes(damage)
    assert replay([str(path), "--verify"]) == 1
    told = capsys.readouterr().out.splitlines()
    assert len(told) == 2 and "showing only the log" in told[0] and "0 differences" in told[1]
    assert replay([str(path), "--frames", str(tmp_path / "frames")]) == 0
    assert any("hello" in frame.read_text() for frame in (tmp_path / "frames").iterdir())


def test_a_line_of_a_recording_that_is_longer_than_any(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path, "one", *turn(1, "hello"))
    (tmp_path / "one.msgs.jsonl").touch()
    os.truncate(tmp_path / "one.msgs.jsonl", 1 << 28)
    assert replay([str(path), "--verify"]) == 1
    assert "longer than any" in capsys.readouterr().out
