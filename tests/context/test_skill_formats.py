"""Skills as they are published and written for other agents: where they lie, what their heads look
like, and what their places mean."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_tui.context.skills.catalog import Skills
from agent_tui.context.skills.discovery import discover
from agent_tui.context.skills.expansion import CUT, MAX_CHARS, Expansion, Missing
from agent_tui.context.skills.front_matter import front_matter, items
from agent_tui.context.skills.parsing import Skill
from tests.places import admit


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "project" / ".git").mkdir(parents=True)
    return tmp_path


def found(root: Path, cwd: str = "project") -> Skills:
    home = root / "home"
    return discover(root / "shipped", root / "config", root / cwd, home, admits=admit)


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def skill(folder: Path, name: str, body: str = "Do it.", head: str = "") -> None:
    lead = f"---\nname: {name}\ndescription: Does {name}.\n{head}---\n"
    write(folder / name / "SKILL.md", lead + body)


def one(body: str, *arguments: str) -> Skills:
    return Skills({"do": Skill("do", "", body, arguments)})


def text(skills: Skills, line: str) -> str:
    expanded = skills.expand(line)
    assert isinstance(expanded, Expansion)
    return expanded.text


# -- places


def test_the_places_and_whose_each_is(root: Path) -> None:
    project = root / "project"
    skill(root / "shipped", "a")
    skill(root / "home" / ".claude" / "skills", "b")
    skill(root / "home" / ".agents" / "skills", "c")
    skill(root / "config" / "skills", "d")
    skill(project / ".agents" / "skills", "e")
    skill(project / ".claude" / "skills", "f")
    skill(project / ".agent-tui" / "skills", "g")
    assert {one.name: one.source for one in found(root).list()} == {
        "a": "shipped",
        "b": "~/.claude",
        "c": "~/.agents",
        "d": "user",
        "e": "project",
        "f": "project",
        "g": "project",
    }


def test_the_later_place_wins_and_the_project_takes_no_name(root: Path) -> None:
    skill(root / "home" / ".claude" / "skills", "it", "claude")
    skill(root / "home" / ".agents" / "skills", "it", "agents")
    assert found(root).body("it").startswith("agents")
    for place in (".agents", ".claude"):
        skill(root / "project" / place / "skills", "it", f"theirs in {place}")
    assert found(root).body("it").startswith("agents")
    assert found(root).body("project:it").startswith("theirs in .claude")


def test_a_file_may_be_a_skill_where_the_place_is_our_own(root: Path) -> None:
    write(root / "config" / "skills" / "greet.md", "Say hello to $1.")
    write(root / "config" / "skills" / "part.md", "---\ndescription: Parts.\n---\nSay goodbye.")
    write(root / "config" / "skills" / "README.md", "What lies here.")
    write(root / "project" / ".agent-tui" / "skills" / "theirs.md", "Theirs.")
    write(root / "home" / ".claude" / "skills" / "notes.md", "The notes of another program.")
    skills = found(root)
    assert [(one.name, one.description, one.source) for one in skills.list()] == [
        ("greet", "Say hello to $1.", "user"),
        ("part", "Parts.", "user"),
        ("theirs", "Theirs.", "project"),
    ]
    assert skills.problems == ()
    assert text(skills, "/greet Ada") == "Say hello to Ada.", "no other files belong to it"


def test_a_file_that_says_another_name_is_not_used(root: Path) -> None:
    path = root / "config" / "skills" / "one.md"
    write(path, "---\nname: two\n---\nText.")
    assert found(root).list() == ()
    assert found(root).problems == (f"{path}: its name 'two' is not that of its file: not used",)


def test_a_folder_and_a_file_of_one_name_are_told(root: Path) -> None:
    skill(root / "config" / "skills", "it", "folder")
    write(root / "config" / "skills" / "it.md", "file")
    skills = found(root)
    assert skills.body("it") == "file"
    assert "it.md: /it is defined twice; this one is used" in skills.problems[0]


def test_in_the_home_folder_the_persons_own_are_not_the_projects(root: Path) -> None:
    skill(root / "home" / ".claude" / "skills", "it")
    skill(root / "home" / ".agents" / "skills", "other")
    skills = found(root, "home")
    assert [(one.name, one.source) for one in skills.list()] == [
        ("it", "~/.claude"),
        ("other", "~/.agents"),
    ]
    assert skills.problems == ()


def test_a_folder_that_two_names_lead_to_is_read_once(root: Path) -> None:
    project = root / "project"
    skill(project / ".agents" / "skills", "it")
    (project / ".claude").mkdir()
    (project / ".claude" / "skills").symlink_to("../.agents/skills")
    asked: list[Path] = []

    def admits(path: Path, _: bytes) -> bool:
        asked.append(path)
        return True

    nowhere = root / "none"
    skills = discover(nowhere, nowhere, project, nowhere, admits=admits)
    assert [one.name for one in skills.list()] == ["it"]
    assert asked == [project / ".agents" / "skills" / "it" / "SKILL.md"]


# -- heads


def test_a_head_as_of_a_licensed_skill_with_files_beside_it(root: Path) -> None:
    head = (
        'license: Complete terms in LICENSE.txt\nmetadata:\n  author: somebody\n  version: "1.0"\n'
        "compatibility: Needs python3 and poppler\n"
    )
    folder = root / "config" / "skills"
    skill(folder, "paper-forms", "Fill forms. See reference/FORMS.md.", head)
    write(folder / "paper-forms" / "reference" / "FORMS.md", "More.")
    write(folder / "paper-forms" / "scripts" / "fill.py", "print()")
    skills = found(root)
    assert skills.problems == () and [one.name for one in skills.list()] == ["paper-forms"]
    assert str(folder / "paper-forms") in skills.body("paper-forms")


def test_a_head_with_folded_lines_and_quotes(root: Path) -> None:
    path = root / "config" / "skills" / "page-tests" / "SKILL.md"
    write(
        path,
        "---\nname: page-tests\ndescription: >\n  Tests pages in a browser:\n  clicks, and looks.\n"
        "\n  Use it for anything with a page.\nlicense: 'Apache-2.0'\n"
        "disable-model-invocation: true\n---\n\n# Page tests\n\nOpen it.\n",
    )
    [info] = found(root).list()
    told = "Tests pages in a browser: clicks, and looks. Use it for anything with a page."
    assert info.description == told and found(root).problems == ()


@pytest.mark.parametrize(
    "written",
    [
        "allowed-tools: Bash(git status:*), Read, Grep",
        "allowed-tools: Bash(git status:*) Read Grep",
        "allowed-tools: [Bash(git status:*), Read, Grep]",
        "allowed-tools: ['Bash(git status:*)', \"Read\", Grep]",
        'allowed-tools: "Bash(git status:*), Read, Grep"',
        "allowed-tools:\n  - Bash(git status:*)\n  - Read\n  - Grep",
        "allowed-tools:\n- Bash(git status:*)\n- Read\n- 'Grep'",
    ],
)
def test_the_tools_that_a_head_allows(root: Path, written: str) -> None:
    skill(root / "config" / "skills", "it", "Do it.", f"{written}\nlicense: MIT\n")
    made = found(root).get("it")
    assert made is not None and made.tools == ("Bash(git status:*)", "Read", "Grep")
    assert front_matter(f"---\n{written}\nlicense: MIT\n---\n")[0]["license"] == "MIT"


def test_a_skill_without_that_line_may_use_all_tools_and_one_with_an_empty_one_none(
    root: Path,
) -> None:
    skill(root / "config" / "skills", "all")
    skill(root / "config" / "skills", "none", head="allowed-tools: []\n")
    made = [found(root).get(name) for name in ("all", "none")]
    assert [one.tools if one else "" for one in made] == [None, ()]


@pytest.mark.parametrize(("line", "fork"), [("context: fork", True), ("context: inherit", False)])
def test_the_context_that_a_head_asks_for(root: Path, line: str, fork: bool) -> None:
    skill(root / "config" / "skills", "it", head=f"{line}\nagent: Explore\nmodel: haiku\n")
    made = found(root).get("it")
    assert made is not None and made.fork is fork


@pytest.mark.parametrize("listed", ["[old, new-name]", "old new-name", "\n  - old\n  - new-name"])
def test_the_arguments_that_a_head_names(root: Path, listed: str) -> None:
    head = f"arguments: {listed}\nargument-hint: [old] [new]\n"
    skill(root / "config" / "skills", "it", "From {old} to $new-name.", head)
    skills = found(root)
    [info] = skills.list()
    assert (info.arguments, info.free, info.hint) == (("old", "new-name"), False, "[old] [new]")
    assert skills.expand("/it a") == Missing("it", "new-name", ("a",))
    assert text(skills, "/it a 'b c'").startswith("From a to b c.")


def test_items_are_those_of_any_list() -> None:
    assert items("") == items("[]") == ()
    assert items("Bash(a b, c:*), X  Y,Y") == ("Bash(a b, c:*)", "X", "Y")


# -- places for words


@pytest.mark.parametrize(
    ("body", "line", "sent"),
    [
        ("From $1 to $2.", "/do a 'b c'", "From a to b c."),
        ("From $1 to $2.", "/do a", "From a to $2."),
        ("awk '{print $1}'", "/do", "awk '{print $1}'"),
        ("$1 and $10 and $0", "/do x", "x and $10 and $0"),
        ("$9", "/do 1 2 3 4 5 6 7 8 9 10", "9"),
        ("All: $ARGUMENTS. First: $1.", "/do  a b ", "All: a b. First: a."),
        ("$ARGUMENTS_LIST", "/do a", "$ARGUMENTS_LIST\n\na"),
        ("Nothing.", "/do a b", "Nothing.\n\na b"),
    ],
)
def test_the_words_of_a_line_in_their_places(body: str, line: str, sent: str) -> None:
    assert text(one(body), line) == sent


def test_named_places_in_both_ways_of_writing() -> None:
    skills = one("{file} $file $file_name $files $1 {other} $ARGUMENTS", "file", "files")
    assert text(skills, "/do a b") == "a a $file_name b a {other} a b"
    missing = skills.expand("/do a")
    assert isinstance(missing, Missing)
    assert skills.complete(missing, "b") == Expansion("do", "a a $file_name b a {other} a b")


PLACES = st.text(alphabet="$12{}abARGUMENTS ", min_size=1, max_size=20).map(str.strip)


@given(PLACES.filter(bool))
def test_what_is_put_in_is_never_expanded_again(value: str) -> None:
    quoted = value.replace("'", "")
    skills = one("<$1|{a}|$a|$ARGUMENTS>", "a")
    assert text(skills, f"/do {quoted}") == f"<{quoted}|{quoted}|{quoted}|{quoted}>"


def test_the_model_gets_the_places_as_they_are_or_with_its_words() -> None:
    skills = one("Do $1 with {a} and {b}.", "a", "b")
    assert skills.body("do") == "Do $1 with {a} and {b}."
    assert skills.body("do", "x") == "Do x with x and {b}."


@pytest.mark.parametrize("over", [0, 1])
def test_an_expansion_has_a_limit_and_says_so(over: int) -> None:
    expanded = one("x" * (MAX_CHARS - 2 + over) + "$1").expand("/do ab")
    assert isinstance(expanded, Expansion) and expanded.left_out == over
    assert len(expanded.text) == MAX_CHARS + (len(CUT) + 1 if over else 0)
    assert expanded.text.endswith(CUT) is bool(over)
    assert one("x" * (MAX_CHARS + over)).body("do").endswith(CUT) is bool(over)
