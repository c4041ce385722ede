"""Facts as files, and their index: what a person words otherwise stays, what is gone goes."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from agent_tui.context import memory
from agent_tui.context.memory import FactFile
from agent_tui.protocol.messages import MemoryFact


def write(folder: Path, name: str, text: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.md").write_text(text)
    return folder / f"{name}.md"


def read(folder: Path, *known: FactFile) -> tuple[FactFile, ...]:
    return memory.read_user(folder, {one.path.name: one for one in known}, [])


def fact(name: str, text: str, changed: int = 1, project: bool = False) -> FactFile:
    scope = "project" if project else "user"
    return FactFile(MemoryFact(name, scope, text), Path(f"/{scope}/{name}.md"), (changed, 1))  # type: ignore[arg-type]


def test_each_file_is_a_fact_and_the_index_and_hidden_files_are_none(tmp_path: Path) -> None:
    write(tmp_path, "b", "Second.\n")
    write(tmp_path, "a", "# First\n\nMore of it.\n")
    write(tmp_path, "MEMORY", "- nothing")
    write(tmp_path, ".hidden", "nothing")
    write(tmp_path, "empty", " \n")
    (tmp_path / "note.txt").write_text("nothing")
    (tmp_path / "folder.md").mkdir()
    assert [(one.key, one.fact.text) for one in read(tmp_path)] == [
        ("user/a", "# First\n\nMore of it."),
        ("user/b", "Second."),
    ]
    assert read(tmp_path / "none") == ()


def test_what_has_not_changed_is_not_read_again(tmp_path: Path) -> None:
    write(tmp_path, "a", "One.")
    path = write(tmp_path, "b", "Two.")
    first = read(tmp_path)
    again = read(tmp_path, *first)
    assert all(one is other for one, other in zip(first, again, strict=True))
    path.write_text("Two and more.")
    after = read(tmp_path, *first)
    assert after[0] is first[0] and after[1].fact.text == "Two and more."


def test_a_long_fact_is_cut_and_a_secret_file_is_not_read(tmp_path: Path) -> None:
    write(tmp_path, "long", "x" * 10_000)
    key = tmp_path / ".ssh"
    key.mkdir()
    (key / "id_rsa").write_text("key")
    (tmp_path / "key.md").symlink_to(key / "id_rsa")
    problems: list[str] = []
    [one] = memory.read_user(tmp_path, {}, problems)
    assert len(one.fact.text) == memory.LIMIT and len(problems) == 2


def test_a_project_is_read_only_where_it_is_trusted(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    inner = tmp_path / "src"
    inner.mkdir()
    write(tmp_path / ".agent-tui" / "memory", "cake", "The token is abc.")
    seen: list[Path] = []

    def admits(path: Path, raw: bytes) -> bool:
        seen.append(path)
        return raw == b"The token is abc."

    def hide(text: str) -> str:
        return text.replace("abc", "***")

    [one] = memory.read_project(inner, hide, [], admits=admits)
    assert one.key == "project/cake" and one.fact.text == "The token is ***."
    assert seen == [one.path]
    assert memory.read_project(inner, str, [], admits=lambda *_: False) == ()


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("# The person likes Tea!\nmore", "the-person-likes-tea"),
        ("Größe: ÄÖ", "größe-äö"),
        ("../../etc/passwd", "etc-passwd"),
        ("!!!", "fact"),
        ("Memory", "memory-2"),
        ("word " * 40, "word-word-word-word-word-word-word-word-word-word"),
    ],
)
def test_a_fact_is_called_by_its_first_line(text: str, name: str) -> None:
    assert memory.name_for(text) == name


def test_a_name_that_is_taken_gets_a_number() -> None:
    assert memory.name_for("tea", {"tea", "tea-2"}.__contains__) == "tea-3"


# -- the index


def test_the_index_is_made_of_the_facts_and_keeps_what_the_person_wrote() -> None:
    made = memory.make_index("", 0, [fact("a", "One.\nmore"), fact("b", "Two.")])
    assert made == "# Memory\n- [a](a.md): One.\n- [b](b.md): Two.\n"
    own = made.replace("One.", "My words.").replace("# Memory", "# Memory\n\nMine.\n")
    was = {"a": memory.checksum(fact("a", "One.").fact), "b": 1}
    kept = memory.make_index(own, 5, [fact("a", "One."), fact("c", "Three.")], was)
    assert "Mine." in kept and "- [a](a.md): My words." in kept and "Two." not in kept
    assert kept.index("(c.md)") < kept.index("(a.md)"), "what is new stands first"
    assert memory.make_index(kept, 5, [fact("a", "One."), fact("c", "Three.")]) == kept
    newer = memory.make_index(kept, 5, [fact("a", "Another.", 9), fact("c", "Three.")])
    assert "- [a](a.md): Another." in newer


def test_a_line_that_stands_for_no_fact_is_the_persons_and_stays() -> None:
    own = "# Memory\n- [a](a.md): One.\n\n## Reading\n\n- [design](design.md): Old.\n- [a](a.md): See\n"
    made = memory.make_index(own, 5, [fact("b", "Two.")], {"a": 1})
    assert made == own.replace("- [a](a.md): One.\n", "- [b](b.md): Two.\n", 1)
    index = "# Memory\n\n## Reading\n\n- [design](design.md): Old.\n"
    added = memory.make_index(index, 5, [fact("a", "One.")])
    assert added == index.replace("# Memory\n", "# Memory\n- [a](a.md): One.\n")


def test_a_line_follows_what_its_fact_says_whenever_that_was_written() -> None:
    index, old, new = "# Memory\n- [a](a.md): Mine.\n", fact("a", "One."), fact("a", "Two.", 1)
    was = {"a": memory.checksum(old.fact)}
    assert memory.make_index(index, 9, [replace(old, changed=(99, 1))], was) == index
    assert memory.make_index(index, 9, [new], was) == "# Memory\n- [a](a.md): Two.\n"
    assert memory.checksums(b"{") == memory.checksums(b"[1]") == {}
    assert memory.checksums(b'{"a": 1, "b": "x"}') == {"a": 1}


def test_a_fact_whose_name_fits_into_no_line_is_not_listed_again_and_again() -> None:
    assert memory.make_index("", 0, [fact("a(b)", "One.")]) == "# Memory\n"


def test_a_file_whose_name_is_no_text_is_named_and_not_used(tmp_path: Path) -> None:
    write(tmp_path, "bad\udcff", "One.")
    write(tmp_path, "good", "Two.")
    problems: list[str] = []
    [one] = memory.read_user(tmp_path, {}, problems)
    assert one.fact.name == "good"
    assert len(problems) == 1 and "bad<FF>.md has a name with bytes" in problems[0]


def test_what_a_project_links_is_no_fact_of_it(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    write(tmp_path, "README", "All of it.")
    folder = write(tmp_path / ".agent-tui" / "memory", "cake", "Eggs.").parent
    (folder / "build.md").symlink_to("../../README.md")
    problems: list[str] = []

    def names() -> list[str]:
        found = memory.read_project(tmp_path, str, problems, admits=lambda *_: True)
        return [one.fact.name for one in found]

    assert names() == ["cake"]
    assert len(problems) == 1 and "build.md is a link" in problems[0]
    folder.rename(tmp_path / "docs")
    folder.symlink_to("../docs")
    assert names() == [] and "leads elsewhere through a link" in problems[1]


def test_the_list_that_is_told_has_a_limit_and_says_what_it_leaves_out() -> None:
    many = [fact(f"f{number}", f"Fact {number} " + "x" * 300) for number in range(50)]
    told = memory.told_index(many, "", 1_500)
    assert len(told) < 1_600 and "more: search_memory finds them" in told
    lines = told.split("\n")
    assert all(len(line) <= memory.LINE + 2 for line in lines)
    assert f"{50 - len(lines) + 1} more" in lines[-1]
    assert memory.told_index([], "", 1_500) == ""


def test_the_list_has_the_persons_words_and_order_and_marks_what_is_of_the_project() -> None:
    files = [fact("a", "One."), fact("b", "Two."), fact("c", "Three.", project=True)]
    index = "- [b](b.md): Mine.\n- [a](a.md): One.\n- [c](c.md): Not this one's.\n"
    assert memory.told_index(files, index, 500).split("\n") == [
        "- Mine.",
        "- One.",
        "- (project) Three.",
    ]


# -- proposals


def test_proposals_come_below_the_heading_of_their_day_once_and_go() -> None:
    index = memory.make_index("", 0, [fact("a", "One.")])
    one = memory.with_proposals(index, "2026-01-30", ["Tea.", "Tea.", "Cake."])
    two = memory.with_proposals(one, "2026-01-31", ["Tea.", "Milk."])
    three = memory.with_proposals(two, "2026-01-30", ["Jam."])
    found = [(one.day[-2:], one.text) for one in memory.proposals(three)]
    assert found == [("30", "Tea."), ("30", "Cake."), ("30", "Jam."), ("31", "Milk.")]
    assert memory.with_proposals(three, "2026-02-01", ["Milk."]) == three
    left = memory.without_proposal(memory.without_proposal(three, "Milk."), "Cake.")
    assert [one.text for one in memory.proposals(left)] == ["Tea.", "Jam."]
    assert "2026-01-31" not in left and "- [a](a.md): One." in left
    for text in ("Tea.", "Jam."):
        left = memory.without_proposal(left, text)
    assert left == index


def test_an_answer_is_read_line_by_line_and_only_so_far() -> None:
    said = "Here:\n- One.\n-two\n- " + "x" * 400 + "\n" + "\n".join(f"- {n}" for n in range(9))
    assert memory.facts_in(said) == ["One.", "0", "1", "2", "3"]
    assert memory.facts_in("none") == []


def test_the_words_of_an_index_are_no_facts_of_a_file_elsewhere() -> None:
    index = "- [x](../x.md): No.\n- [y](y.md):\n- [z](z.md): Yes.\n"
    assert memory.worded(index) == {"z": "Yes."}
    assert memory.worded("- [a](a.md): The fact's.\n- [a](a.md): Another.") == {"a": "The fact's."}
    assert os.sep not in memory.name_for("a/b")
