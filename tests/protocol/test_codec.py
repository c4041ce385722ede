"""Records: every event comes back as it went, newer ones survive, and a bad line says what is wrong
with it."""

from __future__ import annotations

import dataclasses
import json
import zlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_tui.protocol import codec
from agent_tui.protocol.codec import BadRecord
from agent_tui.protocol.display import CodeDisplay
from agent_tui.protocol.events import (
    AssistantReplied,
    Event,
    Notice,
    QueueChanged,
    SessionStarted,
    SteerSeen,
    ToolEnded,
    TurnStarted,
    Unknown,
)
from agent_tui.protocol.transcript import Queued
from agent_tui.structures.chips import Paste
from tests.strategies import EVENT_TYPES, events, instances, json_values

NAMES = {
    cls: next(f.default for f in dataclasses.fields(cls) if f.name == "type") for cls in EVENT_TYPES
}
COMMON = {f.name for f in dataclasses.fields(Event)}


def sealed(record: dict[str, Any]) -> bytes:
    """A line with a right checksum, whatever the record says."""
    body = json.dumps(record, separators=(",", ":"))
    return f'{body[:-1]},"c":{zlib.crc32(body.encode())}}}\n'.encode()


def test_every_type_has_a_name_of_its_own() -> None:
    assert len(set(NAMES.values())) == len(EVENT_TYPES) >= 30


@pytest.mark.parametrize("cls", EVENT_TYPES, ids=lambda cls: cls.__name__)
def test_every_event_round_trips(cls: type[Event]) -> None:
    @given(instances(cls))
    def check(event: Event) -> None:
        line = codec.encode(event)
        assert line.endswith(b"\n") and line.count(b"\n") == 1 and line.isascii()
        back = codec.decode(line)
        assert back == event
        assert type(back) is cls
        assert codec.encode(back) == line

    check()


@given(events())
def test_no_default_leaks_into_a_record(event: Event) -> None:
    record = codec.dump(event)
    assert list(record)[:4] == ["v", "n", "at", "type"]
    for own in dataclasses.fields(event):
        if own.name in ("n", "at", "type"):
            continue
        default = (
            own.default if own.default_factory is dataclasses.MISSING else own.default_factory()
        )
        assert (own.name in record) is (getattr(event, own.name) != default)


def test_a_plain_record_is_what_it_says_and_nothing_more() -> None:
    assert codec.encode(Notice(text="hé", n=3, at=1.5)) == sealed(
        {"v": 1, "n": 3, "at": 1.5, "type": "notice", "text": "hé"}
    )
    queue = codec.dump(QueueChanged(items=(Queued("q1", "later"),)))
    assert queue["items"] == [{"id": "q1", "text": "later", "steer": False}]
    ended = codec.dump(
        ToolEnded(call_id="c", name="n", label="l", content="", display=CodeDisplay("x"))
    )
    assert ended["display"]["type"] == "code", (
        "what is nested keeps its type: it is told apart by it"
    )


def test_a_prompt_without_pastes_is_written_as_before_there_were_any() -> None:
    assert codec.encode(TurnStarted("hi", n=1, turn=1)) == sealed(
        {"v": 1, "n": 1, "at": 0.0, "type": "turn_started", "turn": 1, "prompt": "hi"}
    )
    assert codec.encode(SteerSeen("hi", n=1)) == sealed(
        {"v": 1, "n": 1, "at": 0.0, "type": "steer_seen", "text": "hi"}
    )
    queue = {"v": 1, "n": 1, "at": 0.0, "type": "queue_changed"}
    assert codec.encode(QueueChanged(n=1)) == sealed(queue)
    waits = sealed({**queue, "items": [{"id": "q", "text": "hi", "steer": True}]})
    assert codec.encode(QueueChanged((Queued("q", "hi", True),), n=1)) == waits
    assert codec.decode(waits) == QueueChanged((Queued("q", "hi", True),), n=1)


def test_pastes_are_written_with_their_prompt() -> None:
    items = Queued("q", "see abc", pastes=(Paste(4, 7, 2),)), Queued("r", "typed")
    record = codec.dump(QueueChanged(items))
    pastes = [{"start": 4, "end": 7, "number": 2}]
    assert record["items"] == [
        {"id": "q", "text": "see abc", "steer": False, "pastes": pastes},
        {"id": "r", "text": "typed", "steer": False},
    ]
    assert codec.decode(codec.encode(QueueChanged(items))) == QueueChanged(items)
    begun = TurnStarted("see abc", pastes=(Paste(4, 7, 2),))
    assert codec.dump(begun)["pastes"] == pastes


def test_empty_values_that_are_no_defaults_stay() -> None:
    assert codec.decode(codec.encode(Notice(text=""))) == Notice(text="")
    answered = codec.load({"type": "answered", "id": "1", "kind": "skills", "data": {}})
    assert codec.decode(codec.encode(answered)) == answered


names_but_c = st.text(min_size=1, max_size=8).filter(lambda name: name != "c")


@given(st.dictionaries(names_but_c, json_values, max_size=4), st.integers(1, 9))
def test_unknown_types_survive_unchanged(fields: dict[str, Any], version: int) -> None:
    line = sealed({**fields, "v": version, "n": 7, "at": 2.5, "type": "from_the_future"})
    event = codec.decode(line)
    assert isinstance(event, Unknown)
    assert (event.type, event.n, event.at) == ("from_the_future", 7, 2.5)
    assert json.loads(codec.encode(event)) == json.loads(line)
    assert codec.decode(codec.encode(event)) == event


@given(
    events(),
    st.dictionaries(
        st.sampled_from(["newer", "colour", "raw", "extra"]), json_values, min_size=1, max_size=3
    ),
)
def test_unknown_fields_of_known_types_survive(event: Event, fields: dict[str, Any]) -> None:
    fields = {name: value for name, value in fields.items() if name not in codec.dump(event)}
    record = {**codec.dump(event), **fields}
    back = codec.decode(sealed(record))
    assert type(back) is type(event)
    assert dict(back.newer or {}) == fields
    assert dataclasses.replace(back, newer=None) == event
    assert codec.dump(back) == record


def test_a_newer_shape_of_a_known_type_is_unknown_but_kept() -> None:
    record = {
        "v": codec.VERSION + 1,
        "n": 1,
        "at": 0.5,
        "type": "notice",
        "text": {"now": "structured"},
    }
    event = codec.decode(sealed(record))
    assert isinstance(event, Unknown)
    assert json.loads(codec.encode(event)) == json.loads(sealed(record))


@given(events(), st.data())
def test_a_damaged_line_is_a_bad_record(event: Event, data: st.DataObject) -> None:
    line = codec.encode(event)
    cut = data.draw(st.integers(0, len(line) - 2))
    with pytest.raises(BadRecord):
        codec.decode(line[:cut])
    changed = bytearray(line)
    changed[cut] ^= 1 << data.draw(st.integers(0, 6))
    with pytest.raises(BadRecord):
        codec.decode(bytes(changed))


@given(st.binary(max_size=80))
def test_any_bytes_are_a_bad_record_and_no_other_error(line: bytes) -> None:
    with pytest.raises(BadRecord):
        codec.decode(line)


HEAD = {"v": 1, "n": 1, "at": 0.0}


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (b"", "not JSON"),
        (b'{"v":1,"n":1', "not JSON"),
        (b"\xff\xfe{}", "not JSON"),
        (b"[1]", "not a record"),
        (b'{"text":"x","c":1}', "not a record"),
        (b"[" * 200_000, "nested too deeply"),
        (b'{"type":"notice","text":"x"}', "checksum differs"),
        (b'{"type":"notice","text":"x","c":1}', "checksum differs"),
        (sealed({**HEAD, "type": "notice"}), "notice.text: Field required"),
        (
            sealed({**HEAD, "type": "notice", "text": 5}),
            "notice.text: Input should be a valid string",
        ),
        (
            sealed({**HEAD, "type": "notice", "text": "x", "level": "loud"}),
            "notice.level: Input should be 'info'",
        ),
        (
            sealed({**HEAD, "type": "notice", "text": "x", "turn": "one"}),
            "notice.turn: Input should be",
        ),
        (
            sealed({**HEAD, "type": "queue_changed", "items": [{"id": "a"}]}),
            "queue_changed.items.0.text: Field",
        ),
        (sealed({**HEAD, "type": None}), "type: None is not a name"),
        (sealed({**HEAD, "type": 5}), "type: 5 is not a name"),
        (sealed({"v": "one", "type": "notice", "text": "x"}), "v: 'one' is not a version"),
        (sealed({"v": None, "type": "notice", "text": "x"}), "v: None is not a version"),
        (sealed({"v": 9, "n": [], "at": 0.0, "type": "new"}), "new: n and at must be numbers"),
    ],
)
def test_a_bad_record_says_what_is_wrong(line: bytes, says: str) -> None:
    with pytest.raises(BadRecord) as caught:
        codec.decode(line)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_text_of_one_field_cannot_pose_as_the_checksum() -> None:
    event = Notice(text='","c":123}', hint=',"c":1}')
    assert codec.decode(codec.encode(event)) == event
    nested = SessionStarted(config={"a": {"b": 1, "c": 5}}, versions={"c": "1"})
    assert codec.decode(codec.encode(nested)) == nested


def test_surrogates_from_a_broken_stream_are_stored() -> None:
    event = Notice(text="half a pair: \ud83d")
    assert codec.decode(codec.encode(event)) == event


def test_common_fields_are_the_ones_every_event_has() -> None:
    assert {
        "n",
        "at",
        "session",
        "run",
        "trace",
        "turn",
        "step",
        "agent",
        "parent_call",
        "newer",
    } == COMMON


@pytest.mark.parametrize("text", ["x", '"\\\n', "\x1b[1m", "漢字", "a😀", "\ud800"])
def test_a_long_text_is_encoded_as_a_short_one_is(text: str) -> None:
    told = AssistantReplied(text=text * 2 * codec.PIECE, at=1.0, n=7)
    line = codec.encode(told)
    assert codec.decode(line) == told
    assert line == sealed({key: value for key, value in json.loads(line).items() if key != "c"})
