"""The beginning of a command that "always" may stand for: only where no further words can make it
do something else."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent_tui.safety.policy import Decision, Facts, Rule, decide
from agent_tui.safety.prefixes import PREFIXES, prefix_of
from agent_tui.safety.shell_classifier import classify

OFFERED = [
    ("pytest", "pytest"),
    ("pytest -q tests/a.py::test_b -k 'a or b' -m 'not slow'", "pytest"),
    ("pytest -x 2>&1 | tail -5", "pytest"),
    ("pytest a; pytest b", "pytest"),
    ("ls && ruff check --fix src", "ruff check"),
    ("cargo test --release -- --nocapture", "cargo test"),
    ("go test ./... -run 'A/B' -race -count=1", "go test"),
    ("npm run build -- --watch", "npm run build"),
    ("npm test", "npm test"),
    ("make test -j4", "make test"),
    ("git add -A", "git add"),
    ("git commit -m 'see /etc/passwd and ../x: -F'", "git commit"),
    ("git commit -am fix", "git commit"),
    ("git switch -c topic", "git switch"),
]
NOT_OFFERED = """\
python -m pytest
python3 x.py
bash x.sh
sh -c pytest
sudo pytest
env pytest
timeout 5 pytest
xargs pytest
npx pytest
./pytest
/usr/bin/pytest
npm install x
npm run
npm run --prefix /tmp build
git push
git pull
git rebase main
git -C /tmp commit -m x
git -c core.editor=x commit
git commit --amend
git commit --am
git commit -F /etc/passwd
git commit -F/etc/passwd
git commit --file=notes
git commit -aF notes
git add .env
git add ../x
git stash push --all
git switch -f main
git switch --disc main
pytest -p evil
pytest -vp evil
pytest -c /tmp/x.ini
pytest --override-ini=python_files=x
pytest --overr x=y
pytest --basetemp=src
pytest --rootdir=/tmp
pytest /tmp/evil.py
pytest ../evil.py
pytest link/evil.py
pytest --junitxml=.git/hooks/pre-commit
pytest --junitxml .env
pytest > out.txt
pytest && rm -rf x
pytest; ruff check .
pytest $(ls)
pytest &
FOO=1 pytest
PYTEST_ADDOPTS=-pevil pytest
cd src && pytest
make
make -f evil.mk test
make -C /tmp test
make test SHELL=/tmp/sh
make test CC:=evil
make --eval=x test
go test -exec evil ./...
go test --exec=evil ./...
go build -toolexec evil
go vet -vettool=evil
cargo test --config x
cargo build --conf=x
ruff check --config /tmp/x .
eslint --rulesdir x src
mypy -c code
black -c code
tsc -p /tmp
yarn test --cwd /tmp
git commit -m x > out
ls
"""


@pytest.fixture
def roots(tmp_path: Path) -> tuple[Path, ...]:
    root = tmp_path.resolve() / "project"
    (root / "src").mkdir(parents=True)
    (root / "link").symlink_to(tmp_path)
    return (root,)


def beginning(command: str, roots: tuple[Path, ...]) -> tuple[str, ...]:
    return prefix_of(classify(command, roots).calls, roots)


@pytest.mark.parametrize(("command", "words"), OFFERED)
def test_what_may_be_offered(command: str, words: str, roots: tuple[Path, ...]) -> None:
    assert beginning(command, roots) == tuple(words.split())


@pytest.mark.parametrize("command", NOT_OFFERED.splitlines())
def test_what_is_not(command: str, roots: tuple[Path, ...]) -> None:
    assert beginning(command, roots) == ()


@pytest.mark.parametrize("row", sorted(PREFIXES), ids=" ".join)
def test_every_option_of_the_table_ends_it(row: tuple[str, ...], roots: tuple[Path, ...]) -> None:
    words = " ".join(row).replace("*", "one")
    assert beginning(words, roots) == tuple(words.split())
    for option in PREFIXES[row]:
        for written in (option, f"{option}=x", f"{option} x"):
            assert beginning(f"{words} {written}", roots) == (), written


def decision(
    command: str, roots: tuple[Path, ...], rules: frozenset[Rule] = frozenset()
) -> Decision:
    calls = classify(command, roots).calls
    cwd, prefix = str(roots[0]), prefix_of(calls, roots)
    facts = Facts("run_shell_command", "execute", (), command, cwd, (), "asks", calls, prefix)
    return decide("auto", facts, rules)


@pytest.mark.parametrize(("command", "words"), OFFERED)
def test_the_stored_rule_allows_the_command_that_made_it(
    command: str, words: str, roots: tuple[Path, ...]
) -> None:
    made = decision(command, roots).prefix
    assert made is not None and made.words == tuple(words.split())
    assert decision(command, roots, frozenset({made})).verdict == "allow"
    assert decision(words, roots, frozenset({made})).verdict == "allow"


@pytest.mark.parametrize("command", NOT_OFFERED.splitlines())
def test_no_stored_rule_allows_what_was_not_offered(command: str, roots: tuple[Path, ...]) -> None:
    rules = frozenset(
        Rule("run_shell_command", (), str(roots[0]), tuple(words.split())) for _, words in OFFERED
    )
    assert decision(command, roots, rules).verdict == "ask"


def test_a_rule_holds_in_its_folder_alone(roots: tuple[Path, ...]) -> None:
    elsewhere = frozenset({Rule("run_shell_command", (), "/tmp", ("pytest",))})
    assert decision("pytest", roots, elsewhere).verdict == "ask"


def test_the_hard_list_comes_first(roots: tuple[Path, ...]) -> None:
    rules = frozenset({Rule("run_shell_command", (), str(roots[0]), ("pytest",))})
    assert decision("pytest; rm -rf /", roots, rules).hard
