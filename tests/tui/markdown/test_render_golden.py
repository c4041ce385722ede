"""What Markdown looks like, as text."""

from __future__ import annotations

from urllib.parse import unquote

from rich.cells import cell_len

from agent_tui.structures.markdown_stream import split
from agent_tui.structures.visible import visible
from agent_tui.tui.markdown.code import highlight
from agent_tui.tui.markdown.lines import NOT_NARROW, Line
from agent_tui.tui.markdown.render import render


def page(source: str, width: int = 40, lead: str = "") -> list[str]:
    return [line.text.rstrip() for line in render(source, width, cell_len, lead=lead)]


def styles(lines: tuple[Line, ...], text: str) -> set[str]:
    return {s.style for line in lines for s in line.segments if text in s.text}


def test_paragraphs_headings_and_rules() -> None:
    assert page("# One\ntwo *three*\n\n***\n\n## Four\n", 12) == [
        "One",
        "",
        "two three",
        "",
        "────────────",
        "",
        "Four",
    ]


def test_a_word_longer_than_a_line_breaks_at_a_joint_near_its_end() -> None:
    assert page("at `/usr/local/lib/shop/cart.py:120`.", 24) == [
        "at",
        "/usr/local/lib/shop/",
        "cart.py:120.",
    ]
    assert page("quantize_every_price(prices)", 18) == ["quantize_every_", "price(prices)"]
    assert page("שלום/every_price_of_a_day", 16) == ["שלום/every_", "price_of_a_day"], (
        "beside other letters too"
    )
    assert page("a/" + "b" * 20, 16) == ["a/" + "b" * 14, "b" * 6], (
        "not far before: lines stay full"
    )
    assert page("`" + "-" * 20 + "`", 16) == ["-" * 16, "-" * 4]


def test_inline_styles_add_up() -> None:
    lines = render("**bold _both_** `code` ~~gone~~", 60, cell_len)
    assert styles(lines, "both") == {"text strong emphasis"}
    assert styles(lines, "code") == {"text code"}
    assert styles(lines, "gone") == {"text strike"}


def test_lists_hang_and_nest() -> None:
    assert page("1. one two three four\n2. b\n   - c\n     - d\n10. e\n", 16) == [
        "1. one two three",
        "   four",
        "2. b",
        "   • c",
        "     • d",
        "3. e",
    ]
    assert page("9. a\n10. b\n") == [" 9. a", "10. b"]


def test_loose_lists_breathe_and_empty_items_show() -> None:
    assert page("- a\n\n- b\n\n  c\n") == ["• a", "", "• b", "", "  c"]
    assert page("-\n- b\n") == ["•", "• b"]


def test_tasks_have_boxes() -> None:
    assert page("- [ ] open\n- [x] done\n- [y] text\n") == ["☐ open", "☑ done", "• [y] text"]


def test_quotes_have_a_bar_on_every_line() -> None:
    assert page("> one two three\n>\n> four\n> > five\n", 13) == [
        "│ one two",
        "│ three",
        "│",
        "│ four",
        "│",
        "│ │ five",
    ]


def test_code_has_its_language_and_keeps_its_spaces() -> None:
    lines = render("```python\nif  x:\n\treturn 1\n```\n", 40, cell_len)
    assert [line.text for line in lines] == ["  python", "  if  x:", "      return 1"]
    assert {line.fill for line in lines} == {"code.block"}
    assert styles(lines, "return") == {"code.keyword"}


def test_long_code_lines_are_broken_not_cut() -> None:
    lines = render("```\nabcdefghij\n```\n", 6, cell_len)
    assert [(line.text, line.soft) for line in lines] == [
        ("  abcd", True),
        ("↳ efgh", True),
        ("↳ ij", False),
    ]


def test_code_is_broken_between_words() -> None:
    def broken(code: str, width: int) -> list[str]:
        return [line.text for line in render(f"```\n{code}\n```\n", width, cell_len)]

    assert broken("return sum(prices)  # the only place", 34) == [
        "  return sum(prices)  # the only ",
        "↳ place",
    ]
    assert broken("return sum(prices)  # the only place", 32)[1] == "↳ only place", (
        "no line begins with a space"
    )
    path = broken("cat /var/lib/of/shops/cart_today", 32)
    assert path == ["  cat /var/lib/of/shops/", "↳ cart_today"], (
        "behind a mark, where no space is near"
    )
    assert broken("名前 = 合計 + abcdef", 19) == ["  名前 = 合計 + ", "↳ abcdef"], (
        "with wide letters too"
    )
    assert broken("an_endless_name_that_has_no_mark", 20) == [
        "  an_endless_name_th",
        "↳ at_has_no_mark",
    ]


def test_a_table_fits_and_aligns() -> None:
    assert page("| a | bb |\n|---|--:|\n| one | 2 |\n", 40) == ["a   │ bb", "────┼───", "one │  2"]


def test_a_wide_table_wraps_its_cells_and_keeps_its_columns() -> None:
    drawn = page("| name | text |\n|---|---|\n| a | one two three four |\n| b | x |\n", 18)
    assert drawn == [
        "name │ text",
        "─────┼────────────",
        "a    │ one two",
        "     │ three four",
        "─────┼────────────",
        "b    │ x",
    ]


def test_a_table_without_room_becomes_a_list() -> None:
    drawn = page("| aaaa | bbbb | cccc |\n|---|---|---|\n| 1111 | 2222 | 3333 |\n", 12)
    assert drawn == ["aaaa: 1111", "bbbb: 2222", "cccc: 3333"]


def test_the_values_of_a_table_as_a_list_stand_below_each_other() -> None:
    table = "| host | cpu | x |\n|---|--:|---|\n| till-berlin-1 | twelve percent of it | 3-of-the-four |\n"
    assert page(table, 24) == [
        "host: till-berlin-1",
        "cpu:  twelve percent of",
        "      it",
        "x:    3-of-the-four",
    ]
    assert "dim" in {
        s.style for line in render(table, 24, cell_len) for s in line.segments if s.text == ": "
    }


def test_a_table_keeps_words_whole_or_becomes_a_list() -> None:
    table = "| a | what changed |\n|---|---|\n| some words | connection |\n"
    rule = "──────┼───────────"
    assert page(table, 18) == [
        "a     │ what",
        "      │ changed",
        rule,
        "some  │ connection",
        "words │",
    ]
    assert page(table, 16) == ["a: some words", "what changed:", "  connection"]
    long = f"| a | b |\n|---|---|\n| {'x' * 40} | {'漢' * 20} |\n"
    assert max(map(len, page(long, 21))) == 21 and page(long, 20)[0] == "a: " + "x" * 17


def test_links_carry_their_address_and_say_where_they_go() -> None:
    lines = render(
        "[docs](https://a.org/x) [b.org](https://evil.com) [f](src/f.py) https://c.org/y.",
        100,
        cell_len,
    )
    hrefs = {s.text: dict(s.meta or ()).get("href") for line in lines for s in line.segments}
    assert hrefs["docs"] == "https://a.org/x"
    assert hrefs["https://c.org/y"] == "https://c.org/y"
    assert "b.org (https://evil.com) f (src/f.py)" in lines[0].text


def test_an_address_in_any_script_is_one_link_to_where_it_says() -> None:
    joined = "https://e.org/\U0001f469\u200d\U0001f4bb"
    for address in (
        "https://hi.wikipedia.org/wiki/हिन्दी_भाषा",
        "https://ta.wikipedia.org/wiki/தமிழ்ொ",
        joined,
    ):
        links = [
            s
            for line in render(f"see {address}, now", 100, cell_len)
            for s in line.segments
            if s.meta
        ]
        assert [unquote(dict(s.meta or ())["href"]) for s in links] == [address]
        assert render(f"see {address}", 100, cell_len)[0].text == f"see {visible(address)}"
    for end in ("\u202e", "\x1b[m", "\u200b", "\xa0", "\ud800"):
        links = [
            s
            for line in render(f"https://e.org/a{end}b", 100, cell_len)
            for s in line.segments
            if s.meta
        ]
        assert [(s.text, dict(s.meta or ())["href"]) for s in links] == [
            ("https://e.org/a", "https://e.org/a")
        ]


def test_other_schemes_are_no_links() -> None:
    lines = render("[x](javascript:alert(1)) [y](file:///etc/passwd)", 100, cell_len)
    assert all(s.meta is None for line in lines for s in line.segments)
    assert "file:///etc/passwd" in render("[y](vscode://file:///etc/passwd)", 100, cell_len)[0].text


def test_an_unused_definition_is_shown() -> None:
    assert page('[ref]: https://a.org "Title"\n', 60) == ["[ref]: https://a.org “Title”"]


def test_a_used_definition_is_not_shown_again() -> None:
    assert page("[ref]\n\n[ref]: https://a.org\n", 60) == ["ref"]


def test_html_and_markup_are_text() -> None:
    drawn = page("a <b>c</b> [red]d[/red]\n\n<div>\nx\n</div>\n", 60)
    assert drawn == ["a <b>c</b> [red]d[/red]", "", "<div>", "x", "</div>"]


def test_hard_breaks_break() -> None:
    assert page("one  \ntwo\\\nthree\n") == ["one", "two", "three"]


def test_entities_cannot_smuggle_control_characters() -> None:
    assert page("a&#27;[2Jb &#x202e;c") == ["a\ufffd[2Jb <U+202E>c"]


def test_a_continued_fence_goes_on_without_a_label() -> None:
    source = "```python\n" + "x = 1\n" * 70 + "```\n"
    first, second = split(source)[:2]
    assert page(first.text)[0] == "  python"
    assert set(page(second.text, lead=second.lead)) == {"  x = 1"}
    assert second.lead == "```python\n"


def test_a_continued_table_goes_on_without_its_head() -> None:
    assert page("| c | d |\n", lead="| a | b |\n|---|---|\n") == ["c │ d"]


def test_wide_text_breaks_between_characters() -> None:
    assert page("漢字漢字漢字", 7) == ["漢字漢", "字漢字"]
    assert page("漢字漢。字", 6) == ["漢字", "漢。字"]
    assert page("漢字「字」", 6) == ["漢字", "「字」"], "what opens begins a line, and ends none"
    assert page("「「「漢", 4) == ["「「", "「漢"], (
        "where nothing else is, it is broken all the same"
    )


def test_unknown_and_absent_languages_stay_plain() -> None:
    assert {s.style for line in highlight("if x", "nosuchlanguage") for s in line} == {"code.text"}
    assert {s.style for line in highlight("if x", "") for s in line} == {"code.text"}


def test_what_is_taken_for_narrow_is_narrow() -> None:
    narrow = [chr(code) for code in range(0x20, 0x3000) if not NOT_NARROW.search(chr(code))]
    assert len(narrow) > 1000
    assert {cell_len(character) for character in narrow} == {1}


def test_running_text_keeps_to_its_measure() -> None:
    lines = render("word " * 60 + "\n\n```\n" + "x" * 150 + "\n```\n", 160, cell_len, measure=80)
    assert max(len(line.text) for line in lines if not line.fill) <= 80
    assert max(len(line.text) for line in lines) > 150
