"""The search in what is remembered: what it finds, what it leaves, and that its cache is no truth."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from agent_tui.context.memory import FactFile
from agent_tui.context.recall import LEAST_SCORE, MOST, Recall
from agent_tui.protocol.messages import MemoryFact

FACTS = {
    "tests": "Run the tests with `make check`; the slow ones only before a release.",
    "tabs": "The person wants tabs in Makefiles and spaces everywhere else.",
    "deploy": "Deployments go out on Tuesdays, never on Fridays.",
    "lisbon": "The person lives in Lisbon and works in the mornings.",
    "orders": "The table orders_2 is the real one; orders is a view for old clients.",
}


def files(**texts: str) -> tuple[FactFile, ...]:
    facts = (MemoryFact(name, "user", text) for name, text in texts.items())
    return tuple(FactFile(one, Path(f"/m/{one.name}.md"), (1, len(one.text))) for one in facts)


def names(recall: Recall, facts: tuple[FactFile, ...], text: str) -> list[str]:
    return [one.path.stem for one in recall.search(facts, text)]


@pytest.fixture
def recall(tmp_path: Path) -> Recall:
    return Recall(tmp_path / "cache" / "memory.sqlite")


def test_a_fact_is_found_by_its_words_in_other_forms(recall: Recall) -> None:
    facts = files(**FACTS)
    assert names(recall, facts, "How do I run the tests?")[0] == "tests"
    assert names(recall, facts, "Can we deploy this on a Friday?")[0] == "deploy"
    assert names(recall, facts, "which orders table should I read?")[0] == "orders"
    assert names(recall, facts, "What is the weather in Rome?") == []
    assert names(recall, facts, "the and of it with") == [] and names(recall, facts, "") == []


def test_scores_are_from_zero_to_one_and_none_is_below_the_least(recall: Recall) -> None:
    found = recall.search(files(**FACTS), "tabs, tests, deployments and Lisbon in the mornings")
    assert found and all(LEAST_SCORE <= one.score <= 1.0 for one in found)
    assert recall.search(files(**FACTS), FACTS["tabs"])[0].score > 0.8


def test_at_most_five_are_found_of_many_that_fit(recall: Recall) -> None:
    cakes = {f"cake{number}": f"Saffron cake number {number}." for number in range(12)}
    many = files(**FACTS, **cakes)
    assert len(recall.search(many, "saffron cake")) == MOST


def test_what_is_new_changed_or_gone_is_so_in_the_next_search(recall: Recall) -> None:
    facts = files(**FACTS)
    assert names(recall, facts, "saffron") == []
    more = (*facts, *files(cake="The cake needs saffron."))
    assert names(recall, more, "saffron") == ["cake"]
    changed = replace(
        more[-1], fact=MemoryFact("cake", "user", "It needs vanilla."), changed=(2, 9)
    )
    assert names(recall, (*facts, changed), "saffron") == []
    assert names(recall, (*facts, changed), "vanilla") == ["cake"]
    assert names(recall, facts, "vanilla") == []


def test_facts_of_other_folders_stay_and_are_not_found_here(tmp_path: Path) -> None:
    mine, other = files(cake="Saffron."), files(tea="Saffron and milk.")
    elsewhere = tuple(replace(one, path=Path("/other/tea.md")) for one in other)
    one, two = Recall(tmp_path / "m.sqlite"), Recall(tmp_path / "m.sqlite")
    for _ in range(2):
        assert names(one, mine, "saffron") == ["cake"]
        assert names(two, elsewhere, "saffron") == ["tea"]
    rows = sqlite3.connect(tmp_path / "m.sqlite").execute("select count(*) from file").fetchone()
    assert rows == (2,)


def test_a_path_need_not_be_utf_8(recall: Recall) -> None:
    [cake] = files(cake="Saffron.")
    odd = (replace(cake, path=Path("/m\udcff/cake\udcfe.md")),)
    for _ in range(2):
        assert [one.path for one in recall.search(odd, "saffron")] == [odd[0].path]
        assert recall.search(files(tea="Milk."), "saffron") == []


def test_the_cache_is_made_again_where_it_is_gone_damaged_or_of_another_version(
    tmp_path: Path,
) -> None:
    path, facts = tmp_path / "m.sqlite", files(**FACTS)
    recall = Recall(path)
    assert names(recall, facts, "Lisbon") == ["lisbon"]
    assert path.stat().st_mode & 0o077 == 0, "for the person alone"
    path.unlink()
    assert names(recall, facts, "Lisbon") == ["lisbon"]
    path.write_bytes(b"no database" * 1_000)
    assert names(recall, facts, "Lisbon") == ["lisbon"]
    path.unlink()
    with sqlite3.connect(path) as connection:
        connection.executescript("create table file(x); pragma user_version = 99;")
    assert names(Recall(path), facts, "Lisbon") == ["lisbon"]


@pytest.mark.parametrize(
    "text", ['" OR * NEAR(', "a-b:c^2 NOT (x)", "x" * 100_000, "\0\ud800 émigré"]
)
def test_any_text_may_be_asked(recall: Recall, text: str) -> None:
    recall.search(files(**FACTS), text)


def test_accents_and_case_do_not_matter(recall: Recall) -> None:
    assert names(recall, files(cafe="Das CAFÉ öffnet um acht."), "cafe offnet") == ["cafe"]


# -- how often the right fact is among those that a question recalls

QUESTIONS = Path(__file__).with_name("memory_questions.tsv")
"""Facts as people keep them, each with something that one would ask in other words."""
KNOWN_HITS = 90
"""Of 120: 75 %."""
NAMED = """catalogue basket billing shipping pricing search reviews accounts mail stock returns
invoices vouchers imports exports images reports sessions wishlists support"""
ABOUT = (
    "The {} service is owned by team {}.",
    "The {} service listens on port {}.",
    "The {} service keeps its data in the schema {}_v2.",
    "The {} service has its dashboard at grafana/{}.",
    "Alerts of the {} service go to the channel #ops-{}.",
    "The {} service needs {} MB of memory.",
    "The {} service is deployed from the folder services/{}.",
    "Requests to the {} service carry the header X-{}-Trace.",
    "The {} service was rewritten in 20{}.",
    "The queue of the {} service is called {}-events.",
    "The {} service has {} integration tests, which take a minute.",
    "Customers see the {} service as the page /{}.",
    "The {} service reads its settings from {}.toml.",
    "The {} service must answer within {} ms.",
    "A cache in front of the {} service lives {} seconds.",
    "The {} service speaks to its neighbours through the library {}-client.",
    "The {} service writes an audit log into {}-audit.",
    "The {} service is switched off by the flag {}_enabled.",
    "Nightly jobs of the {} service begin at {} past two.",
)


def corpus() -> tuple[tuple[FactFile, ...], list[tuple[str, str]]]:
    """500 facts, and questions with the name of the fact that each is about."""
    pairs = [line.split("\t") for line in QUESTIONS.read_text("utf-8").splitlines()]
    own = {f"own{number}": fact for number, (fact, _) in enumerate(pairs)}
    others = [
        about.format(service, (17 * number) % 89 + 10)
        for number, service in enumerate(NAMED.split())
        for about in ABOUT
    ]
    more = {f"other{number}": text for number, text in enumerate(others[: 500 - len(own)])}
    return files(**own, **more), [(asked, f"own{n}") for n, (_, asked) in enumerate(pairs)]


def test_of_questions_in_other_words_a_known_part_finds_its_fact(recall: Recall) -> None:
    facts, questions = corpus()
    assert len(facts) == 500 and len(questions) >= 100
    hits = sum(name in names(recall, facts, asked) for asked, name in questions)
    assert hits >= KNOWN_HITS
