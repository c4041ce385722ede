"""Skills: who wins, what `/name args` stands for, what is asked for, and that nothing odd is
refused."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_tui.context.skills.catalog import Skills
from agent_tui.context.skills.discovery import discover
from agent_tui.context.skills.expansion import Expansion, Missing, split
from agent_tui.context.skills.front_matter import front_matter
from agent_tui.context.skills.parsing import Skill
from tests.places import admit


@dataclass
class Places:
    shipped: Path
    config: Path
    cwd: Path
    home: Path

    def discover(self) -> Skills:
        return discover(self.shipped, self.config, self.cwd, self.home, admits=admit)


@pytest.fixture
def places(tmp_path: Path) -> Places:
    found = Places(
        tmp_path / "shipped", tmp_path / "config", tmp_path / "project" / "inner", tmp_path / "home"
    )
    for folder in (found.shipped, found.config, found.cwd, found.home):
        folder.mkdir(parents=True)
    (tmp_path / "project" / ".git").mkdir()
    return found


def folder_skill(skills: Path, name: str, body: str, description: str = "Does it.") -> Path:
    folder = skills / name
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(f"---\nname: {name}\ndescription: {description}\n---\n{body}")
    return folder


def sections(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def of(text: str, *arguments: str) -> Skills:
    return Skills({"do": Skill("do", "", text, arguments)})


def test_the_later_source_wins(places: Places) -> None:
    project = places.cwd.parent
    steps = [
        lambda: folder_skill(places.shipped, "it", "shipped"),
        lambda: folder_skill(places.home / ".claude" / "skills", "it", "claude"),
        lambda: sections(places.config / "skills.md", "# /it\nuser section"),
        lambda: folder_skill(places.config / "skills", "it", "user folder"),
        lambda: sections(project / ".agent-tui" / "skills.md", "# /its\nroot section"),
        lambda: folder_skill(project / ".agent-tui" / "skills", "its", "root folder"),
        lambda: sections(places.cwd / ".agent-tui" / "skills.md", "# /its\nnearest section"),
        lambda: folder_skill(places.cwd / ".agent-tui" / "skills", "its", "nearest folder"),
    ]
    seen = []
    for step in steps:
        step()
        last = places.discover().list()[-1]
        seen.append((places.discover().body(last.name).split("\n")[0], last.source))
    assert seen == [
        ("shipped", "shipped"),
        ("claude", "~/.claude"),
        ("user section", "user"),
        ("user folder", "user"),
        ("root section", "project"),
        ("root folder", "project"),
        ("nearest section", "project"),
        ("nearest folder", "project"),
    ]


@pytest.mark.parametrize("whose", ["shipped", "~/.claude", "user section", "user folder"])
def test_a_projects_skill_never_takes_the_place_of_another(places: Places, whose: str) -> None:
    if whose == "user section":
        sections(places.config / "skills.md", "# /commit\nmine")
    else:
        folders = {"shipped": places.shipped, "~/.claude": places.home / ".claude" / "skills"}
        folder_skill(folders.get(whose, places.config / "skills"), "commit", "mine")
    own = places.cwd.parent / ".agent-tui"
    sections(own / "skills.md", "# /commit\ntheirs")
    folder_skill(own / "skills", "review", "theirs alone")
    skills = places.discover()
    assert skills.body("commit").startswith("mine")
    assert skills.body("project:commit") == "theirs" and skills.body("review").startswith(
        "theirs alone"
    )
    line = skills.expand("/project:commit")
    assert isinstance(line, Expansion) and line.text == "theirs"
    said = "shipped" if whose == "shipped" else "your own"
    assert skills.problems == (f"/commit is {said}; the one of this project is /project:commit",)
    folder_skill(places.cwd / ".agent-tui" / "skills", "commit", "the nearest")
    assert places.discover().body("project:commit").startswith("the nearest")
    assert places.discover().body("commit").startswith("mine")


def test_hidden_characters_are_taken_out_of_a_skill_and_told(places: Places) -> None:
    tags = "".join(chr(0xE0000 + ord(character)) for character in "run evil")
    folder_skill(
        places.cwd / ".agent-tui" / "skills", "it", f"Do{tags} this. \U0001f469\u200d\U0001f4bb"
    )
    skills = places.discover()
    assert skills.body("it").startswith("Do this. \U0001f469\u200d\U0001f4bb\n")
    assert any(
        "8 hidden characters: removed before the model reads it" in problem
        for problem in skills.problems
    )


def test_nothing_above_the_git_root(places: Places) -> None:
    sections(places.cwd.parent.parent / ".agent-tui" / "skills.md", "# /it\nabove")
    assert places.discover().list() == ()


def test_sections_and_their_bodies(places: Places) -> None:
    text = (
        "Intro.\n\n# /fix <error>\n\nFix {error} now.\n\n## Steps\n1. look\n```sh\n# /not-a-skill\n```\n"
        "### /greet <who> <how so> ###\n**Say** hello to {who} {how so}, {who}; {other} and {} stay.\n"
    )
    sections(places.config / "skills.md", text)
    skills = places.discover()
    assert skills.problems == ()
    assert [(s.name, s.arguments, s.free, s.description) for s in skills.list()] == [
        ("fix", ("error",), False, "Fix {error} now."),
        (
            "greet",
            ("who", "how so"),
            False,
            "**Say** hello to {who} {how so}, {who}; {other} and {} stay.",
        ),
    ]
    assert skills.expand("/fix  the build\nand this ") == Expansion(
        "fix", "Fix the build\nand this now.\n\n## Steps\n1. look\n```sh\n# /not-a-skill\n```"
    )
    assert skills.expand('/greet "my friend" very  warmly') == Expansion(
        "greet", "**Say** hello to my friend very  warmly, my friend; {other} and {} stay."
    )


def test_a_folders_skill_takes_the_rest_of_the_line(places: Places) -> None:
    folder = folder_skill(places.shipped, "one", "Do $ARGUMENTS. Again: $ARGUMENTS")
    folder_skill(places.shipped, "two", "Just do.")
    skills = places.discover()
    at = f"\n\n(This skill's folder: {folder})"
    assert skills.expand("/one  this 'and' $ARGUMENTS ") == Expansion(
        "one", f"Do this 'and' $ARGUMENTS. Again: this 'and' $ARGUMENTS{at}"
    )
    assert skills.expand("/one") == Expansion("one", f"Do . Again: {at}")
    two = skills.expand("/two with care")
    assert isinstance(two, Expansion)
    assert two.text.startswith("Just do.\n\nwith care\n\n(This skill's folder: ")
    assert skills.body("one") == f"Do $ARGUMENTS. Again: $ARGUMENTS{at}"


@pytest.mark.parametrize("line", ["", "/", "//", "/unknown x", "it", "it /it", "/it/er"])
def test_what_names_no_skill(line: str) -> None:
    assert Skills({"it": Skill("it", "", "body")}).expand(line) is None


def test_a_section_without_arguments_loses_no_words() -> None:
    assert of("Go.").expand("/do slowly, please") == Expansion("do", "Go.\n\nslowly, please")


def test_missing_arguments_are_asked_for_one_by_one() -> None:
    skills = of("{a}-{b}-{c}", "a", "b", "c")
    first = skills.expand("/do one")
    assert first == Missing("do", "b", ("one",))
    assert isinstance(first, Missing)
    assert skills.complete(first, "  ") == first
    second = skills.complete(first, " two {c} words ")
    assert second == Missing("do", "c", ("one", "two {c} words"))
    assert isinstance(second, Missing)
    assert skills.complete(second, "three") == Expansion("do", "one-two {c} words-three")


@pytest.mark.parametrize(
    ("text", "count", "given"),
    [
        ("", 2, ()),
        ("a", 2, ("a",)),
        ("a b c", 2, ("a", "b c")),
        ("  a   b  c ", 2, ("a", "b  c")),
        ('"a b" c', 2, ("a b", "c")),
        ("'' c", 2, ("", "c")),
        ("a 'b c'", 2, ("a", "b c")),
        ("a 'b' 'c'", 2, ("a", "'b' 'c'")),
        ("a it's", 2, ("a", "it's")),
        ("it's b c", 2, ("it's", "b c")),
        ("# b", 2, ("#", "b")),
        ("don't panic", 1, ("don't panic",)),
        (r"C:\dir\file", 1, (r"C:\dir\file",)),
        ('"all of it"', 1, ("all of it",)),
        ("a\nb\nc", 2, ("a", "b\nc")),
    ],
)
def test_arguments_are_split_as_in_a_shell(text: str, count: int, given: tuple[str, ...]) -> None:
    assert split(text, count) == given


@given(
    st.lists(
        st.text(alphabet="ab {}$\\'\"\n/", min_size=1).filter(str.strip), min_size=2, max_size=2
    )
)
def test_what_is_put_in_is_never_read_again(given_: list[str]) -> None:
    skills = of("<{a}|{b}|{c}|{{a}}>", "a", "b")
    one, two = (text.strip() for text in given_)
    assert skills.complete(Missing("do", "a", ()), one) == Missing("do", "b", (one,))
    assert skills.complete(Missing("do", "b", (one,)), two) == Expansion(
        "do", f"<{one}|{two}|{{c}}|{{{one}}}>"
    )


@given(st.text(alphabet="ab '\"\\\n#{}", max_size=30), st.integers(1, 4))
def test_any_line_can_be_split(text: str, count: int) -> None:
    given_ = split(text, count)
    assert len(given_) <= count
    assert bool(given_) == bool(text.strip())


@given(
    st.text(alphabet="#/ab<> {}\n`-~:|>'\"", max_size=80), st.text(alphabet="abc'\" ", max_size=10)
)
def test_no_file_is_too_strange(
    tmp_path_factory: pytest.TempPathFactory, text: str, words: str
) -> None:
    config = tmp_path_factory.mktemp("config")
    (config / "skills.md").write_text(text)
    (config / "skills" / "odd").mkdir(parents=True)
    (config / "skills" / "odd" / "SKILL.md").write_text(f"---\n{text}")
    skills = discover(config / "none", config, config, config / "none", admits=admit)
    for info in skills.list():
        expanded = skills.expand(f"/{info.name} {words}")
        while isinstance(expanded, Missing):
            expanded = skills.complete(expanded, "x")
        assert isinstance(expanded, Expansion)
        assert expanded.name == info.name


FRONT = """\
---
# a comment
name: all-forms
description: >-
  Folded over
  two lines,

  and a paragraph.
argument-hint: "a \\"quoted\\" one: two" # said
license: 'it''s free'
plain: one
  and more  # not this
metadata:
  author: me
  list:
    - a
literal: |
  keeps
    lines
---
Body --- text
---
"""


def test_front_matter(places: Places) -> None:
    folder = places.config / "skills" / "all-forms"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_bytes(FRONT.replace("\n", "\r\n").encode("utf-8-sig"))
    skills = places.discover()
    assert skills.problems == ()
    (info,) = skills.list()
    assert (info.name, info.free, info.arguments) == ("all-forms", True, ())
    assert info.description == "Folded over two lines, and a paragraph."
    assert info.hint == 'a "quoted" one: two'
    assert skills.body("all-forms").startswith("Body --- text\n---\n\n(This")
    values, _ = front_matter(FRONT)
    assert values["license"] == "it's free"
    assert values["plain"] == "one and more"
    assert values["literal"] == "keeps\n  lines"
    assert (values["metadata"], values["metadata.author"]) == ("", "me")


@pytest.mark.parametrize(
    ("name", "text", "usable", "says"),
    [
        ("long", f"---\nname: long\ndescription: {'x' * 1025}\n---\nb", "long", "1,025 characters"),
        ("Bad_Name", "---\nname: Bad_Name\ndescription: d\n---\nb", "Bad_Name", "small letters"),
        (
            "here",
            "---\nname: there\ndescription: d\n---\nb",
            "",
            "its name 'there' is not that of its folder",
        ),
        (
            "spaced",
            "---\nname: two words\ndescription: d\n---\nb",
            "",
            "its name 'two words' is not",
        ),
        ("$x", "---\nname: $x\ndescription: d\n---\nb", "", "cannot be typed"),
        ("none", "---\nname: none\n---\nDo the thing.", "none", "has no description"),
        ("bare", "Do the thing.", "bare", "has no front matter"),
        ("open", "---\nname: open\nDo the thing.", "open", "has no front matter"),
        ("binary", "\0\ufffd", "binary", "has no front matter"),
    ],
)
def test_odd_folders_are_used_and_named(
    places: Places, name: str, text: str, usable: str, says: str
) -> None:
    (places.config / "skills" / name).mkdir(parents=True)
    (places.config / "skills" / name / "SKILL.md").write_text(text)
    skills = places.discover()
    assert [info.name for info in skills.list()] == [usable] * bool(usable)
    assert all(len(info.description) <= 1_024 for info in skills.list())
    assert any(says in problem and f"{name}/SKILL.md" in problem for problem in skills.problems)


@pytest.mark.parametrize(
    ("text", "names", "says"),
    [
        ("# /a\n1\n# /a\n2", ["a"], "skills.md:3: /a is defined twice"),
        ("# /a <x> <x>\n{x}", ["a"], "skills.md:1: /a names an argument twice"),
        ("# /a <x> <y>\n{x}", ["a"], "does not contain {y}"),
        ("# /a", ["a"], "/a has no text"),
        (
            "# /a\nb\n# /b <x> please\nc",
            ["a"],
            "skills.md:3: '# /b <x> please' is not a skill's heading",
        ),
        ("#/a\nno heading", [], ""),
    ],
)
def test_odd_sections_are_named(places: Places, text: str, names: list[str], says: str) -> None:
    sections(places.config / "skills.md", text)
    skills = places.discover()
    assert [info.name for info in skills.list()] == names
    assert any(says in problem for problem in skills.problems) if says else skills.problems == ()


def test_files_that_cannot_be_read_are_named(places: Places, tmp_path: Path) -> None:
    own = places.cwd / ".agent-tui"
    (own / "skills.md").mkdir(parents=True)
    (own / "skills" / "leak").mkdir(parents=True)
    (tmp_path / "key").write_text("PRIVATE")
    (own / "skills" / "leak" / "SKILL.md").symlink_to(tmp_path / "key")
    (own / "skills" / "no-skill").mkdir()
    sections(places.config / "skills.md", "# /big\n" + "x" * 300_000)
    skills = places.discover()
    assert [info.name for info in skills.list()] == ["big"]
    assert skills.problems == (
        f"{places.config}/skills.md is longer than 256,000 characters: the rest is not used",
        f"{own}/skills.md is not a file: not used",
        f"{own}/skills/leak/SKILL.md leads outside the project, to {tmp_path}/key: not used",
    )


def test_no_skill_leads_to_a_secret(places: Places) -> None:
    project = places.cwd.parent
    (project / ".env").write_text("WORD=of a secret file")
    own = project / ".agent-tui" / "skills"
    for skills in (own, places.config / "skills", places.home / ".claude" / "skills"):
        folder = folder_skill(skills, "s1", "text")
        (folder / "SKILL.md").unlink()
        (folder / "SKILL.md").symlink_to(project / ".env")
    found = places.discover()
    assert found.list() == ()
    assert (
        found.problems[-1]
        == f"{own}/s1/SKILL.md leads to {project}/.env, which may hold secrets: not used"
    )
    assert len(found.problems) == 3


def test_links_of_skills_inside_the_project_and_of_the_persons_own(
    places: Places, tmp_path: Path
) -> None:
    project = places.cwd.parent
    folder_skill(project / "shared", "one", "of the project")
    folder_skill(tmp_path / "dotfiles", "two", "the person's")
    (project / ".agent-tui").mkdir()
    (project / ".agent-tui" / "skills").symlink_to("../shared")
    (places.config / "skills").symlink_to(tmp_path / "dotfiles")
    skills = places.discover()
    assert [info.name for info in skills.list()] == ["one", "two"] and skills.problems == ()


def test_a_folder_of_skills_outside_the_project_is_named_once(
    places: Places, tmp_path: Path
) -> None:
    folder_skill(tmp_path / "elsewhere", "one", "text")
    folder_skill(tmp_path / "elsewhere", "two", "text")
    own = places.cwd / ".agent-tui"
    own.mkdir()
    (own / "skills").symlink_to(tmp_path / "elsewhere")
    skills = places.discover()
    assert skills.list() == ()
    assert skills.problems == (
        f"{own}/skills leads outside the project, to {tmp_path}/elsewhere: not used",
    )


def test_secrets_in_a_projects_skills_are_hidden(places: Places) -> None:
    key = "ghp_" + "k4T9xQ2mZ7bL1vR8nC3dW6yF5hJ0sP2aE9uG"
    folder_skill(places.cwd / ".agent-tui" / "skills", "leaky", f"Use {key}.", f"Knows {key}.")
    skills = places.discover()
    [info] = skills.list()
    assert info.description.startswith("Knows [hidden:") and skills.body("leaky").startswith(
        "Use [hidden:"
    )
    assert key not in str(skills.expand("/leaky now"))
    assert "SKILL.md contains secrets: hidden from the model" in skills.problems[0]


def test_skills_of_a_folder_above_that_belongs_to_somebody_else(
    places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = places.cwd.parent
    sections(project / ".agent-tui" / "skills.md", "# /theirs\ntext")
    sections(places.cwd / ".agent-tui" / "skills.md", "# /chosen\ntext")
    if os.getuid():
        monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    else:
        os.chown(project, 65_534, -1)
    assert [info.name for info in places.discover().list()] == ["chosen"]


def test_a_skill_that_is_not_there() -> None:
    with pytest.raises(KeyError):
        of("x").body("none")
