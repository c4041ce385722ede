"""Every provider through one table, over a real local HTTP server: what a stream means is the same
on every wire.

A new provider joins with a `Dialect`, named in `dialects.py`.
"""

from __future__ import annotations

import asyncio
import inspect

import pytest

from tests.providers import cases_answers, cases_failures, cases_streams
from tests.providers.cases import Case
from tests.providers.dialects import DIALECTS
from tests.providers.servers import Dialect

CASES = [
    found
    for module in (cases_answers, cases_failures, cases_streams)
    for found in vars(module).values()
    if inspect.iscoroutinefunction(found) and found.__module__ == module.__name__
]


TABLE = [
    pytest.param(check, dialect, id=f"{check.__name__}-{dialect.name}")
    for check in CASES
    for dialect in DIALECTS
    if dialect.refusal or check is not cases_answers.a_refusal  # Ollama has no word for it
]


def test_only_one_dialect_has_no_word_for_a_refusal() -> None:
    assert [dialect.name for dialect in DIALECTS if not dialect.refusal] == ["ollama"]


@pytest.mark.parametrize(("check", "dialect"), TABLE)
def test_conformance(check: Case, dialect: Dialect) -> None:
    asyncio.run(asyncio.wait_for(check(dialect), 60))
