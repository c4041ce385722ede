"""Answers as records: each kind comes back as it went, older shapes are read, and a bad one says
what is wrong."""

from __future__ import annotations

import dataclasses
import json
from typing import Any, get_args, get_type_hints

import pytest
from hypothesis import given

from agent_tui.protocol import answers, codec
from agent_tui.protocol.answers import (
    AnswerData,
    ClipboardSet,
    Efforts,
    Files,
    ModelFacts,
    Models,
    Sessions,
    Skills,
    Tree,
    UndoPlan,
)
from agent_tui.protocol.codec import BadRecord
from agent_tui.protocol.events import Answered, Unknown, fold
from agent_tui.protocol.messages import ModelInfo, SkillInfo
from agent_tui.protocol.transcript import Answers
from tests.answers import answer_event, session
from tests.strategies import instances

KINDS = get_args(AnswerData)
every_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)


def record(kind: str, data: Any, **more: Any) -> dict[str, Any]:
    return {"type": "answered", "id": "q", "kind": kind, "data": data, **more}


def test_every_kind_has_a_name_of_its_own_and_a_place_in_the_transcript() -> None:
    hints = get_type_hints(Answers, {"answers": answers})
    assert {kind.type: kind | None for kind in KINDS} == hints and len(hints) == len(KINDS)


@every_kind
def test_every_answer_round_trips_and_is_the_newest_of_its_kind(kind: type[AnswerData]) -> None:
    @given(instances(kind))
    def check(answer: AnswerData) -> None:
        event = Answered("q", answer, session="s")
        written = json.loads(json.dumps(codec.dump(event)))
        assert (written["kind"], set(written)) == (
            kind.type,
            {"v", "n", "at", "type", "session", "id", "kind", "data"},
        )
        assert codec.load(written) == event and codec.decode(codec.encode(event)) == event
        assert getattr(fold([event]).answers, kind.type) == answer

    check()


@every_kind
def test_the_field_that_is_wrong_is_named(kind: type[AnswerData]) -> None:
    wrong = object()  # of no type that any field has

    @given(instances(kind))
    def check(answer: AnswerData) -> None:
        written = codec.dump(Answered("q", answer))
        for own in dataclasses.fields(kind):
            bad = [wrong] if kind in (Skills, Tree) else {**written["data"], own.name: wrong}
            with pytest.raises(BadRecord, match=rf"^data\.{own.name}\b"):
                codec.load({**written, "data": bad})

    check()


@every_kind
def test_what_a_newer_version_says_more_of_an_answer_is_left_out(kind: type[AnswerData]) -> None:
    @given(instances(kind))
    def check(answer: AnswerData) -> None:
        written = codec.dump(Answered("q", answer))
        if isinstance(written["data"], dict):
            written["data"] |= {"colour": "blue"}
        assert codec.load(written) == Answered("q", answer)

    check()


@pytest.mark.parametrize("data", [None, 7, [{"a": 1}], {"deep": {"er": []}}])
def test_a_kind_of_a_newer_version_is_unknown_but_kept(data: Any) -> None:
    written = record("tomorrow", data, v=1, n=0, at=2.5)
    event = codec.load(written)
    assert isinstance(event, Unknown) and codec.dump(event) == written
    assert fold([event]) == fold([])


def test_a_newer_shape_of_a_kind_is_unknown_but_kept() -> None:
    written = record("saved", {"problem": ["now", "a list"]}, v=codec.VERSION + 1)
    event = codec.load(written)
    assert isinstance(event, Unknown) and codec.dump(event) == written


@pytest.mark.parametrize("kind", [None, 3, ["files"], {}])
def test_a_kind_is_a_name(kind: Any) -> None:
    with pytest.raises(BadRecord, match="kind"):
        codec.load(record(kind, {}))


# -- as they have always been written


def test_a_list_alone_stands_for_its_answer() -> None:
    tidy = {
        "name": "tidy",
        "description": "Tidies.",
        "arguments": ["what"],
        "free": False,
        "source": "",
    }
    skills = answer_event("q", "skills", [tidy])
    assert skills.data == Skills((SkillInfo("tidy", "Tidies.", ("what",)),))
    assert codec.dump(skills)["data"] == [{**tidy, "hint": ""}]
    branch = {"session": session("a"), "depth": 0, "last": True, "lines": ""}
    [found] = answer_event("q", "tree", [branch]).data.branches
    assert (found.session.id, found.depth, found.last) == ("a", 0, True)


def test_of_each_session_it_was_said_whether_it_is_here() -> None:
    listed = [session("a", here=True), session("b", cwd="/elsewhere", here=False)]
    found = answer_event("q", "sessions", listed).data
    assert [found.is_here(one) for one in found.sessions] == [True, False]
    assert (
        answer_event("q", "sessions", []).data
        == Sessions()
        == answer_event("q", "sessions", {}).data
    )


def test_what_a_model_can_do_stood_with_its_price() -> None:
    offered = [
        {"name": "ollama/q", "window": 32_768, "room": 8_192, "tools": True, "where": "here"},
        {"name": "acme/x", "window": 0, "tools": None, "where": ""},
    ]
    facts = {
        "ollama/q": {
            "price": [0, 0.5],
            "sure": True,
            "thinking": True,
            "images": None,
            "efforts": ["low"],
        }
    }
    found = answer_event(
        "q", "models", {"model": "acme/x", "offered": offered, "facts": facts, "unset": []}
    ).data
    can = ModelInfo("ollama/q", 8_192, 32_768, tools=True, thinking=True, where="here")
    known = {"ollama/q": ModelFacts((0.0, 0.5), True, ("low",))}
    assert found == Models("acme/x", (can, ModelInfo("acme/x")), facts=known, unset=())


def test_what_can_be_made_again_had_a_kind_of_its_own() -> None:
    assert answer_event("q", "redo", {"direction": "redo", "files": []}).data == UndoPlan("redo")


def test_what_nobody_looked_for_is_not_written() -> None:
    assert codec.dump(Answered("q", ClipboardSet("xclip")))["data"] == {
        "tool": "xclip",
        "problem": "",
    }
    told = codec.dump(Answered("start", Models(variables=("KEY",))))["data"]
    assert told == {"model": "", "offered": [], "tried": [], "variables": ["KEY"], "aliases": {}}
    assert codec.dump(Answered("start", Efforts("m")))["data"] == {
        "model": "m",
        "auto": "",
        "levels": [],
        "cycle": [],
    }


def test_files_are_what_is_searched() -> None:
    paths = ["a", "b"]
    found = answer_event(
        "q", "files", {"paths": paths, "folded": paths, "names": paths, "whole": True, "note": ""}
    )
    assert found.data == Files(paths, paths, paths, whole=True)
