"""What files of many languages define: with the grammars of the extra `map`, and without them."""

from __future__ import annotations

import pytest

from agent_tui.context.repo_map import parsing
from agent_tui.context.repo_map.tags import find_names, guess_tags, language_of, nested, words_of
from agent_tui.safety.git_index import Stopped

TYPESCRIPT = """// function commented() {}
export function main(a: number): void {
  const inner = () => 1
}
class Cart<T> {
  total(items: T[]): number {
    return sum(items)
  }
}
interface Line { price: number }
export type Price = number
enum Kind { A }
export const round = (x: number) => Math.round(x)
"""
GO = """package main

type Server struct {
	port int
}

func (s *Server) Run(port int) error {
	return helper(port)
}

func helper(port int) error { return nil }
"""
C = """#include <stdio.h>
struct cart {
    int cents;
};
static int round_cents(int cents)
{
    return add(cents, 1);
}
"""
RUST = """pub struct Price { cents: i64 }

impl Price {
    pub fn round(&self) -> i64 {
        helper(self.cents)
    }
}

pub trait Total { }

fn helper(cents: i64) -> i64 { cents }
"""
JAVA = """package shop;

public class Cart extends Base {
    private int cents;

    public int total(List<Item> items) {
        return sum(items);
    }
}
"""
RUBY = """module Shop
  class Cart
    def total(items)
      items.sum
    end

    def self.open(path)
    end
  end
end
"""
PHP = """<?php
function round_cents($x) {
    return add($x);
}
class Cart {
    public function total($items) { return sum($items); }
}
"""
CSHARP = """namespace Shop
{
    public class Cart
    {
        public int Total(int[] items)
        {
            return Sum(items);
        }
    }
}
"""
CPP = """class Cart {
public:
    int total(int count);
};

int Cart::total(int count)
{
    return add(count);
}
"""
CASES = {
    "a.ts": (TYPESCRIPT, "main Cart Line Price Kind", "total round"),
    "a.go": (GO, "Server Run helper", ""),
    "a.c": (C, "cart round_cents", ""),
    "a.rs": (RUST, "Price round Total helper", ""),
    "a.java": (JAVA, "Cart total", ""),
    "a.rb": (RUBY, "Shop Cart total open", ""),
    "a.php": (PHP, "round_cents Cart total", ""),
    "a.cs": (CSHARP, "Shop Cart", "Total"),
    "a.cpp": (CPP, "Cart total", ""),
}
"""A file, what is found in it in any case, and what only the grammars find."""
NOT_DEFINED = {"commented", "inner", "sum", "add", "Sum", "items"}


def found(path: str, text: str) -> set[str]:
    return {tag.name for tag in parsing.find_tags(path, text, lambda: None)}


@pytest.mark.parametrize("path", CASES)
def test_with_the_grammars_of_the_extra(path: str) -> None:
    text, names, more = CASES[path]
    assert parsing.best_way(path) == "tree-sitter" and not parsing.wants_extra(path)
    assert found(path, text) >= {*names.split(), *more.split()}
    assert not found(path, text) & NOT_DEFINED


@pytest.mark.parametrize("path", CASES)
def test_without_them(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parsing, "find_parser", lambda _: None)
    text, names, _ = CASES[path]
    assert parsing.best_way(path) == "pygments" and parsing.wants_extra(path)
    assert found(path, text) >= {*names.split()}
    assert not found(path, text) & NOT_DEFINED


@pytest.mark.parametrize("path", CASES)
def test_the_first_pass_finds_most_names(path: str) -> None:
    text, names, _ = CASES[path]
    wanted = {*names.split()}
    seen = find_names(text, language_of(path)) & wanted
    assert len(seen) >= len(wanted) // 2, seen


PYTHON = '''import x

LIMIT: int = 4
left, right = 1, 2


class Cart(Base):
    """A cart."""

    @property
    def total(
        self,
        tax: float = 0.1,
    ) -> int:
        def inner():
            pass

    class Line: ...


if True:
    async def fetch(url): ...
'''


def test_python_is_read_by_its_own_parser() -> None:
    tags = parsing.find_tags("a.py", PYTHON, lambda: None)
    assert [(depth, tag.line, tag.name) for depth, tag in nested(tags)] == [
        (0, 3, "LIMIT"),
        (0, 7, "Cart"),
        (1, 11, "total"),
        (1, 18, "Line"),
        (0, 22, "fetch"),
    ]
    assert tags[2].text == "def total(self, tax: float = 0.1) -> int"


@pytest.mark.parametrize("text", ["def broken(\nclass Cart:\n    pass\n", "class Cart:\n  \tx\n y"])
def test_python_that_is_being_written_has_definitions_too(text: str) -> None:
    assert "Cart" in found("a.py", text)


def test_a_long_file_is_not_parsed_whole() -> None:
    long = "x = 1\n" * 20_000
    text = f"class Cart:\n    def total(self):\n        pass\n{long}def last():\n    pass\n"
    assert {"Cart", "total", "last"} <= found("a.py", text)
    tags = guess_tags(text, "python")
    assert [(tag.line, tag.name) for tag in tags if tag.kind != "constant"] == [
        (1, "Cart"),
        (2, "total"),
        (20_004, "last"),
    ]


def test_a_shell_script_needs_no_extra() -> None:
    assert found("a.sh", "build() {\n  make\n}\nfunction check {\n  test\n}\n") == {
        "build",
        "check",
    }


def test_who_does_not_wait_any_more_stops_a_parse(monkeypatch: pytest.MonkeyPatch) -> None:
    def check() -> None:
        raise Stopped

    with pytest.raises(Stopped):
        parsing.find_tags("a.ts", TYPESCRIPT, check)
    monkeypatch.setattr(parsing, "find_parser", lambda _: None)
    with pytest.raises(Stopped):
        parsing.find_tags("a.ts", TYPESCRIPT, check)


def test_words_are_names_of_any_script() -> None:
    assert words_of("größe = cart_total(x, 12)".encode()) >= {"größe".encode(), b"cart_total"}


@pytest.mark.parametrize("text", ["(" * 50_000, "{" * 50_000, "class " * 30_000, "=\n" * 40_000])
@pytest.mark.parametrize("path", ["a.py", "a.ts", "a.c", "a.rb"])
def test_odd_texts_end_soon(path: str, text: str) -> None:
    parsing.find_tags(path, text, lambda: None)
    find_names(text, language_of(path))
