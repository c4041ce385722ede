"""The beginning of a command that "always" may stand for: only where no further words can make it
do something else."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent_tui.safety.folder_rules import FolderRules
from agent_tui.safety.policy import Decision, Facts, Rule, decide
from agent_tui.safety.shell.classifier import Call, classify
from agent_tui.safety.shell.harmless_options import KINDS, Spec, spec
from agent_tui.safety.shell.prefixes import PREFIXES, may_last, prefix_of

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
    ("git commit -m '- a list: /etc'", "git commit"),
    ("git stash push -m '/etc is text'", "git stash push"),
    ("git switch -m main", "git switch"),
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
git stash push -m --all
git switch -m --force main
git switch -m -C main HEAD~5
git commit -m --amend
pytest -k --basetemp=src
go vet -run -vettool=evil
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
git log -U --output=/root/.bashrc -1 && pytest
git status && pytest
pytest | sort -u
find . && pytest
sed -n 1p a && pytest
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
git commit --no-verify -m x
git add ':(top).env'
make test 'a-b!=touch PWN2'
make test .SHELLFLAGS='-c "touch PWN4"'
make test ' SHELL=./evil.sh'
make test -- a!=b
make test -E x
npm test -script-shell=./evil.sh
npm test -script-shell ./evil.sh
npm test --script ./evil.sh
npm test -- '$(touch PWN)'
npm run build -node-options=--require=./evil.js
tsc --OUTDIR x
tsc @x
go test -ldflags=-extld=./evil
gofmt -cpuprofile x
pytest @a.txt
pytest -k @a.txt
pytest -- @a.txt
pytest file.py::test
pytest file.py[x]
mypy @x
ruff check @x
isort -sp x
cargo test -- --logfile x
cargo build --target evil.json
ls
"""


@pytest.fixture
def roots(tmp_path: Path) -> tuple[Path, ...]:
    root = tmp_path.resolve() / "project"
    (root / "src").mkdir(parents=True)
    (root / "link").symlink_to(tmp_path)
    (root / "file.py").symlink_to(tmp_path / "evil.py")
    return (root,)


def beginning(command: str, roots: tuple[Path, ...]) -> tuple[str, ...]:
    return prefix_of(classify(command, roots).calls, roots)


@pytest.mark.parametrize(("command", "words"), OFFERED)
def test_what_may_be_offered(command: str, words: str, roots: tuple[Path, ...]) -> None:
    assert beginning(command, roots) == tuple(words.split())


@pytest.mark.parametrize("command", NOT_OFFERED.splitlines())
def test_what_is_not(command: str, roots: tuple[Path, ...]) -> None:
    assert beginning(command, roots) == ()


EVERYDAY = """\
pytest: -x|-q|-vv|-xvs 'tests/a.py::test_b[1-x]'|-k "a and not b" -m slow|--lf --ff|--tb=short|--tb line
pytest: -n 4|-n auto|--maxfail=1 --durations=10|-rA --no-header|--co -q|-- tests|--cov=src
ruff check: .|--fix --select E,F --exclude=build src|-q --output-format=concise|--diff|-
ruff format: --check --diff src tests|-q .
mypy: --strict src|--ignore-missing-imports --python-version 3.12 a.py
black: --check --diff -l 100 src|-q .|-S --target-version py312 a.py
isort: --check-only --diff src|-c --profile black .
cargo build: --release|--all --all-features|--workspace -p one --features a,b|-j 4 -v
cargo check: --all-targets --message-format short
cargo clippy: --all-targets -- -D warnings|--fix --allow-dirty|-- -W clippy::pedantic
cargo fmt: --all --check|-- --check
cargo test: --lib --test one|-p one a::b|--release -- --nocapture --test-threads=1|--all -- --ignored --exact a::b
go build: ./...|-v -race ./cmd/one|-tags a,b .
go test: -v -run X -count=1 -race -short ./...|--run='^TestA$' ./a|-bench . -benchmem ./...|-timeout 30s
go vet: ./...|-tags=a ./b
gofmt: -l .|-d -s -w a.go
make *: -j4|-j 4 -k|-s -B -n|-ks two three/x.o|--no-print-directory
npm test: --silent|-s|-- --watch|-- __tests__/a.test.js --coverage|a
npm run *: --if-present|-- --fix|-- src/a.ts
pnpm test: --watch|-- --run
yarn test: --coverage --ci|src/a.test.ts
tsc: --noEmit|--noEmit --strict --target es2022 a.ts|-w --pretty
eslint: --fix --ext .ts,.tsx src|--max-warnings=0 --quiet .|'src/**/*.ts'
git add: -A|.|-u src|-- a.py
git commit: -m x|-am 'a = b'|--message='two words' -q|-m a -m b -- a.py
git switch: -c topic|-c topic origin/main|-|-m main|--detach HEAD~2
git stash push: -m 'a b' -u|-- src|--keep-index
"""
"""What follows each beginning every day, with `|` between."""
TAILS = [
    (head, tail)
    for head, _, tails in (line.partition(": ") for line in EVERYDAY.splitlines())
    for tail in tails.split("|")
]
BAD_WORDS = (
    "a=b",
    "a-b!=touch PWN",
    ".SHELLFLAGS=-c x",
    " SHELL=./x",
    "@a",
    "a b",
    "a\tb",
    "a\x1b",
    "",
)
ELSEWHERE = """\
c C d D e E f F g I o O p P R S t T u W x X Z config config-file configuration settings file
makefile eval directory include-dir override-ini basetemp pastebin import-mode junitxml rootdir
confcutdir cov-report cov-config script-shell node-options prefix userconfig globalconfig cwd dir
toolexec exec overlay modfile ldflags gcflags vettool o cpuprofile coverprofile args target
target-dir manifest-path project outDir outFile OUTDIR build rulesdir plugin parser format
output-file cache-location cache-dir amend force orphan no-verify template gpg-sign all
pathspec-from-file discard-changes force-create logfile
"""
LEADING = set(ELSEWHERE.split()) | {
    option.rstrip(KINDS)
    for row in PREFIXES.values()
    for one in (row.options, row.behind or spec())
    for option in one.options
}
"""Options of any program here, and many that lead elsewhere."""


def words_of(row: tuple[str, ...]) -> tuple[str, ...]:
    return tuple("one" if word == "*" else word for word in row)


def is_letters(name: str, options: Spec) -> bool:
    """Whether `-name` is a row of letters that are known, or one with its value."""
    for letter in name:
        if options.options & {letter + kind for kind in KINDS}:
            return True
        if not options.rows or letter not in options.options:
            return False
    return True


def test_every_row_has_its_everyday_words() -> None:
    assert {head for head, _ in TAILS} == {" ".join(row) for row in PREFIXES}


@pytest.mark.parametrize(("head", "tail"), TAILS)
def test_what_follows_every_day_is_covered(head: str, tail: str, roots: tuple[Path, ...]) -> None:
    words = words_of(tuple(head.split()))
    assert beginning(f"{' '.join(words)} {tail}", roots) == words


@pytest.mark.parametrize("row", sorted(PREFIXES), ids=" ".join)
def test_what_is_not_in_the_table_asks(row: tuple[str, ...], roots: tuple[Path, ...]) -> None:
    known = PREFIXES[row]
    assert prefix_of((Call(words_of(row), "asks"),), roots) == words_of(row)
    for before, options in (((), known.options), (("--",), known.behind or spec())):
        own = {option.rstrip(KINDS) for option in options.options}
        other = {name[:-1] for name in own if len(name) > 2} | {name.upper() for name in own}
        names = (LEADING | other) - own
        asking = [f"--{name}" for name in names if len(name) > 1]
        asking += [f"-{name}" for name in names if not is_letters(name, options)]
        tails = [tail for one in asking for tail in ((one,), (f"{one}=x",), (one, "x"))]
        tails += [tail for word in BAD_WORDS for tail in ((word,), ("a", word), ("--", word))]
        for tail in tails:
            argv = (*words_of(row), *before, *tail)
            assert prefix_of((Call(argv, "asks"),), roots) == (), argv


def test_text_may_have_lines_and_equals_signs(roots: tuple[Path, ...]) -> None:
    for argv in (("git", "commit", "-m", "a = b\n\n- c\x1b"), ("pytest", "-k", "a == ' b'")):
        assert prefix_of((Call(argv, "asks"),), roots) == argv[:-2]
        assert prefix_of((Call((*argv[:-1], "@a"), "asks"),), roots) == ()


def decision(
    command: str, roots: tuple[Path, ...], rules: frozenset[Rule] = frozenset()
) -> Decision:
    calls = classify(command, roots).calls
    cwd, prefix = str(roots[0]), prefix_of(calls, roots)
    lasts = may_last(command, calls)
    facts = Facts(
        "run_shell_command",
        "execute",
        command=command,
        cwd=cwd,
        unsure="asks",
        calls=calls,
        prefix=prefix,
        may_last=lasts,
    )
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


def test_what_was_kept_for_good_is_held_to_the_table(
    roots: tuple[Path, ...], tmp_path: Path
) -> None:
    folder = str(roots[0])
    kept = FolderRules(tmp_path / "data", folder)
    for words in {words for _, words in OFFERED}:
        kept.add(Rule("run_shell_command", (), folder, tuple(words.split()), lasting=True))
    rules = FolderRules(tmp_path / "data", folder).rules
    for command in (command for command, words in OFFERED if not words.startswith("git")):
        assert decision(command, roots, rules).verdict == "allow", command
    for command in NOT_OFFERED.splitlines():
        assert decision(command, roots, rules).verdict == "ask", command
