"""The person's own names for models, and the settings of providers that are in no list."""

from __future__ import annotations

from pathlib import Path

from tests.places import load


def written(folder: Path, text: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.toml").write_text(text, encoding="utf-8")
    return folder


def test_aliases_are_the_persons_own(tmp_path: Path) -> None:
    config = written(
        tmp_path / "home",
        '[aliases]\nfast = "gemini/gemini-flash-latest"\n"my gpt" = "gpt-5"\nbad = 3\n',
    )
    work = tmp_path / "work"
    written(work / ".agent-tui", '[aliases]\nfast = "elsewhere/x"\n')
    found, problems = load(work, config)
    assert dict(found.aliases) == {"fast": "gemini/gemini-flash-latest", "my gpt": "gpt-5"}
    wrong, not_allowed = sorted(problems, key=lambda problem: problem.key, reverse=True)
    assert (wrong.key, wrong.line) == ("aliases.bad", 4) and "expected" in wrong.text
    assert not_allowed.key == "aliases" and "project" in not_allowed.text


def test_a_provider_of_ones_own_is_checked_too(tmp_path: Path) -> None:
    text = '[providers.acme]\nbase_url = "http://127.0.0.1:1/v1"\nstream = false\nwindow = "many"\nextra = 1\n'
    found, problems = load(tmp_path, written(tmp_path / "home", text))
    assert found.providers["acme"].options == {"extra": 1, "stream": False}
    assert [problem.key for problem in problems] == ["providers.acme.window"]
