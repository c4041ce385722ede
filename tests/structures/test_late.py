"""A late pattern is a pattern, only compiled later."""

from __future__ import annotations

import importlib
import pkgutil
import re

import pytest

import agent_tui
from agent_tui.structures import late


def test_it_does_what_the_pattern_does() -> None:
    words = late.pattern(r"([a-z])(\d)?", re.IGNORECASE)
    found = words.fullmatch("A1")
    assert found is not None
    assert found.groups() == ("A", "1")
    assert words.sub("-", "a1 b") == "- -"
    assert [match.group() for match in words.finditer("a b2")] == ["a", "b2"]
    assert (words.pattern, words.groups) == (r"([a-z])(\d)?", 2)


def test_it_is_compiled_at_its_first_use_and_only_once() -> None:
    wrong = late.pattern("(")
    with pytest.raises(re.error):
        wrong.match("")
    good = late.pattern("a")
    assert good.match is good.match, "what was used once is kept"


def test_every_late_pattern_is_one() -> None:
    """What is wrong with one would be found only where it is used."""
    sources = list[tuple[str, int]]()
    for module in pkgutil.walk_packages(agent_tui.__path__, "agent_tui."):
        if module.name.endswith("__main__"):
            continue
        for value in vars(importlib.import_module(module.name)).values():
            if isinstance(value, late._Late):
                sources.append(value._given)
    assert len(sources) > 300
    for source, flags in sources:
        re.compile(source, flags)
