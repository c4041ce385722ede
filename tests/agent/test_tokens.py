"""Tokens: as the server says them, else counted by it, else estimated; and what is broken off
counts too."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from agent_tui.agent.turn.accounts import Accounts, Budget
from agent_tui.agent.turn.request_measure import RequestMeasure
from agent_tui.agent.turn.tokens import NAME, Calibration, size_of_reply
from agent_tui.protocol.events import AssistantReplied, TextDelta, TurnEnded, UsageReported
from agent_tui.protocol.messages import (
    AssistantMessage,
    Image,
    ModelInfo,
    Request,
    ToolCall,
    ToolMessage,
    ToolSpec,
    Usage,
    UserMessage,
)
from agent_tui.protocol.ops import Cancel, Submit
from agent_tui.providers.anthropic import create
from agent_tui.providers.base import Failed, ProviderError, ProviderSetup
from tests.agent.driving import Place
from tests.providers.servers import serving

ASKED = Request("s" * 4_000, (UserMessage("u" * 4_000),))
REPLY = AssistantReplied(text="t" * 800)
INFO = ModelInfo("p/m", 1_000)


def accounts_of() -> Accounts:
    return Accounts({}, Budget(0, 0))


class Silent:
    """A model whose server says nothing of what an answer took."""

    name, model, roots = "p", "m", ()


class Mute(Silent):
    """One that may count."""

    def __init__(self, count: int = 0) -> None:
        self.count, self.asked = count, 0

    async def count_tokens(self, _: Request) -> int:
        self.asked += 1
        if not self.count:
            raise ProviderError(Failed("malformed", "no count"))
        return self.count


def answered(accounts: Accounts, provider: Any, said: Usage | None) -> Usage:
    return asyncio.run(accounts.report_answer(provider, INFO, ASKED, REPLY, said, 5)).usage


def test_what_the_server_says_is_what_counts() -> None:
    said = Usage(1_234, 56, 1_000, cache_write_tokens=7, reasoning_tokens=8)
    assert answered(accounts_of(), Mute(), said) == said


def test_an_estimate_is_four_bytes_a_token_until_something_was_said() -> None:
    assert answered(accounts_of(), Silent(), None) == Usage(2_000, 200, estimated=True)


def test_an_estimate_goes_by_what_the_same_model_took_before() -> None:
    accounts = accounts_of()
    answered(accounts, Silent(), Usage(4_000, 400))
    assert answered(accounts, Silent(), None) == Usage(4_000, 400, estimated=True)
    assert accounts.complete_usage("p/other", ASKED, REPLY) == Usage(2_000, 200, estimated=True)


def test_what_one_count_leaves_out_is_estimated() -> None:
    assert answered(accounts_of(), Silent(), Usage(0, 90, estimated=True)) == Usage(
        2_000, 90, estimated=True
    )
    assert answered(accounts_of(), Silent(), Usage(90, 0)) == Usage(90, 200, estimated=True)


def test_what_was_learned_is_kept_over_a_restart(tmp_path: Path) -> None:
    first, second = Calibration(tmp_path), Calibration(tmp_path)
    first.learn("p/m", "read", 8_000, 4_000)
    second.learn("p/ö", "written", 9_000, 3_000)
    again = Calibration(tmp_path)
    assert [again.tokens(*one, 8_000) for one in (("p/m", "read"), ("p/m", "written"))] == [
        4_000,
        2_000,
    ]
    assert again.tokens("p/ö", "written", 9_000) == 3_000
    before = (tmp_path / NAME).stat().st_mtime_ns
    again.learn("p/m", "read", 8_010, 4_000)  # no news
    assert (tmp_path / NAME).stat().st_mtime_ns == before
    again.learn("p/m", "read", 8_000, 2_000)
    assert Calibration(tmp_path).tokens("p/m", "read", 8_000) < 3_000


ODD = [
    "",
    "{",
    "[[1]]",
    '[["m", "read", 1, 2]]',
    '[["m", "read", "x", 1]]',
    "7",
    "[" * 9_999,
    '[["m", "read", Infinity, Infinity]]',
    '[["m", "read", NaN, NaN]]',
    '[[["m"], "read", 8, 4]]',
]


@pytest.mark.parametrize("content", ODD)
def test_a_file_that_is_none_of_ours_teaches_nothing_and_is_written_anew(
    tmp_path: Path, content: str
) -> None:
    (tmp_path / NAME).write_text(content, encoding="utf-8")
    calibration = Calibration(tmp_path)
    assert calibration.tokens("m", "read", 8_000) == 2_000
    calibration.learn("m", "read", 8_000, 4_000)
    assert Calibration(tmp_path).tokens("m", "read", 8_000) == 4_000


def test_a_folder_that_cannot_be_written_costs_no_session(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    calibration = Calibration(tmp_path / "file")
    calibration.learn("m", "read", 8_000, 4_000)
    assert calibration.tokens("m", "read", 8_000) == 4_000


@pytest.mark.parametrize("tokens", [1, 100_000])
def test_a_count_that_cannot_be_teaches_nothing(tokens: int) -> None:
    calibration = Calibration()
    calibration.learn("m", "read", 8_000, tokens)
    assert calibration.tokens("m", "read", 8_000) == 2_000


def test_hidden_thoughts_do_not_make_words_look_long() -> None:
    accounts = accounts_of()
    answered(accounts, Silent(), Usage(2_000, 700, reasoning_tokens=500))
    assert accounts.complete_usage("p/m", ASKED, REPLY).completion_tokens == 200


def test_a_server_that_counts_is_asked_where_it_told_nothing() -> None:
    accounts, provider = accounts_of(), Mute(3_000)
    assert answered(accounts, provider, None) == Usage(3_000, 200, estimated=True)
    assert accounts.complete_usage("p/m", ASKED, REPLY).prompt_tokens == 3_000  # learned


def test_a_server_that_cannot_count_is_asked_once() -> None:
    accounts, provider = accounts_of(), Mute()
    for _ in range(3):
        assert answered(accounts, provider, None).prompt_tokens == 2_000
    assert provider.asked == 1


def test_a_server_that_speaks_messages_and_says_no_usage_counts_itself() -> None:
    async def scenario() -> tuple[Usage, int]:
        path = "/v1/messages/count_tokens"
        async with serving({path: lambda _, c: c.json({"input_tokens": 2_500})}) as server:
            provider = create("claude-x", ProviderSetup(base_url=server.address, api_key="k"))
            try:
                event = await accounts_of().report_answer(provider, INFO, ASKED, REPLY, None, 5)
            finally:
                await provider.close()
            return event.usage, len(server.bodies(path))

    assert asyncio.run(scenario()) == (Usage(2_500, 200, estimated=True), 1)


def test_all_that_is_read_has_a_size() -> None:
    call = ToolCall("1", "ls", '{"a":1}')
    messages = (
        UserMessage("é", (Image("a", "image/png", "b", "x" * 99_999),)),
        AssistantMessage("ab", calls=(call,)),
    )
    asked = Request(
        "sys", (*messages, ToolMessage("1", "ls", "out")), (ToolSpec("ls", "List.", {}),)
    )
    assert RequestMeasure().size(asked) == 3 + 2 + 6_000 + 2 + 9 + 3 + (2 + 5 + 2)
    assert size_of_reply(AssistantReplied("ab", "cde", (call,))) == 14


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_an_answer_that_is_interrupted_counts_with_an_estimate(place: Place) -> None:
    said = {"text": "word " * 400, "chunk": 50}
    with place.engine(place.script([said, {"hang": True}])) as driver:
        driver.send(Submit("go"))
        driver.until(TextDelta)
        driver.send(Cancel())
        assert driver.until(TurnEnded).state == "cancelled"
    [used] = driver.all(UsageReported)
    assert used.usage.estimated and used.usage.prompt_tokens and used.usage.completion_tokens
    assert used.step == 1 and used.turn == 1


def test_an_answer_that_breaks_off_counts_too(place: Place) -> None:
    with place.engine(
        place.script([{"text": "word " * 80}, {"fail": "server", "text": "it broke"}])
    ) as driver:
        assert driver.turn("go").state == "error"
    [used] = driver.all(UsageReported)
    assert used.usage.estimated and used.usage.completion_tokens == 100


def test_a_request_that_fails_at_once_counts_nothing(place: Place) -> None:
    with place.engine(place.script([{"fail": "auth", "text": "no"}])) as driver:
        assert driver.turn("go").state == "error"
    assert driver.all(UsageReported) == []


def test_a_part_is_never_more_than_the_whole() -> None:
    used = answered(
        accounts_of(), Silent(), Usage(500, 20, cached_tokens=9_000, reasoning_tokens=80)
    )
    assert used == Usage(500, 20, cached_tokens=500, reasoning_tokens=20)


def test_a_server_that_says_nothing_was_taken_is_believed() -> None:
    assert answered(accounts_of(), Silent(), Usage()) == Usage()
