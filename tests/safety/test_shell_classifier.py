"""Which shell commands only look: what developers type every day does, and what can write, run,
connect or read what is secret does not."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_tui.safety.shell import harmless, harmless_git, named_files
from agent_tui.safety.shell.classifier import classify

LOOKS = """\
ls -la src | head
ls *.md
ls -R | grep test
cat README.md
cat README.md | sed -n '1,20p'
cat < README.md | wc -l
head -5 README.md
tail -n 20 README.md
wc -l src/*.py
find . -name "*.py" -type f | head -20
find src -name '*.py' -not -path './x/*' \\( -type f -o -type l \\) -print0
grep -rn "def main" src --include=*.py
grep -rn 'TODO$' src | sort | uniq -c | sort -rn | head
rg -n foo
rg 'a|b' src -g '*.py' -C 3
fd py src
sed -n 10,20p README.md
sed -n '/start/,/end/p' README.md
sed 's/foo/bar/g' README.md | head
awk '{print $1, $NF}' README.md
awk -F: 'NR==1 {print $2}' README.md
jq '.name' package.json
tree -L 2 -a
stat README.md
du -sh . src
df -h
date +%s
which python3 git
command -v git
python --version
python3 --version
node --version
go version
test -f README.md && echo yes || echo no
[ -d src ] && ls src
[[ -e README.md ]]
! grep -q foo README.md
(ls; pwd)
ls 2>/dev/null
cat README.md > /dev/null 2>&1
diff README.md src/a.py
sort README.md | uniq
cut -d: -f1 README.md | tr a-z A-Z
printf '%s\\n' a b
echo $HOME "costs 5$"
LC_ALL=C sort README.md
ls # a comment
cd src && ls -la && git status
cd src; ls
git log --oneline -5
git log --since="2 weeks ago" --pretty=format:"%h %s"
git log -p -S foo -- src
git diff HEAD~1..HEAD@{0} -- README.md
git diff --stat
git status -sb
git show HEAD:README.md
git show --stat HEAD
git branch -a
git branch --show-current
git tag -l 'v*'
git stash list
git remote -v
git rev-parse --abbrev-ref HEAD
git ls-files | wc -l
git blame -L 1,2 README.md
git grep -n main
git config --get user.name
git --no-pager log -1
git worktree list
git reflog"""

ASKS = """\
rm README.md
ls; rm README.md
ls && rm -r src
ls | xargs rm
ls & rm x
wc -l $(git ls-files)
echo `id`
cat <(ls)
ls > out
ls >> README.md
ls 2> err
ls &> all
echo x | tee out
cat ~/.ssh/id_rsa
cat /etc/passwd
cat ../other
cat .env
cat src/../.env
cat .e*
cat link
ls -la /root
cd .. && ls
cd src/../.. && ls
ls && cd src && ls
cd - && ls
find . -name '*.pyc' -delete
find . -exec rm {} +
find . -fprint out
find . -ok rm {} ;
fd py -x rm
rg --pre ./evil foo
rg --hostname-bin ./evil foo
rg -z foo
rg -L foo
grep -f /etc/passwd README.md
grep -R foo .
sort -o out README.md
sort --compress-program=./evil README.md
sort --comp=./evil README.md
tree -o out
sed -i s/a/b/ README.md
sed 's/a/b/w out' README.md
sed 's/a/b/e' README.md
sed -n '1w out' README.md
sed '1e id' README.md
sed 's/[/]/;s/;w evil;s/x/' README.md
sed 's/[[:alpha:]/]/;w out/' README.md
sed -f script README.md
awk 'BEGIN{system("id")}'
awk '{print > "out"}' README.md
awk '{print $1 | "sh"}' README.md
awk -f script README.md
awk '{print x}' FS=: README.md
jq env package.json
jq 'input' package.json
jq -n '$ENV.PATH'
jq 'import "a" as a; .' package.json
printf '%n' 'a[$(id)]'
printf -v x y
date -s 2020-01-01
date 01010000
hostname other
uniq README.md out
xxd -r README.md
echo $SECRET
echo ${HOME}
echo "$(id)"
echo $'a'
echo {a,b}
echo ~
X=1 ls
LD_PRELOAD=./evil.so ls
PATH=. ls
LC_ALL=$(id) ls
[ -v 'a[$(id)]' ]
[[ 'a[$(id)]' -eq 0 ]]
test 1 -eq 2
(( 1 ))
let x=1
for i in a; do ls; done
while true; do ls; done
if true; then ls; fi
f() { ls; }
{ ls; }
time ls
env ls
sudo ls
nohup ls
timeout 5 ls
bash -c ls
sh script.sh
./ls
/bin/ls
python3 -c 'print(1)'
python3 script.py
node -e 1
npm test
make
pytest
curl https://example.com
ping example.com
kill 1
less README.md
man ls
vi README.md
tail -f README.md
eval ls
source x
. x
exec ls
alias ls=rm
trap ls EXIT
export X=1
set -x
cat <<EOF
git push
git fetch
git pull
git commit -m x
git stash
git stash pop
git branch new
git branch -d old
git tag v1
git checkout .
git reset --hard
git clean -fd
git config user.name x
git remote add x y
git remote show origin
git -c core.pager=./evil log
git -C /etc log
git --git-dir=/x log
git --exec-path=. log
git -p log
git log --output=out
git log --outpu=out
git diff --ext-diff
git diff --textconv
git diff --no-index README.md src/a.py
git diff README.md /etc/passwd
git grep -O./evil foo
git grep --open-files-in-pager foo
git blame --contents=/etc/passwd README.md
git archive HEAD
git ls-remote
git submodule update
git reflog expire --all
git worktree add x
git notes add
git evil
git whatchanged
git show HEAD:.env
git log -p -- .env
git log -p -- src/../.env
sort '-o'*
cat '*'*
cat \\?*
ls \u200b
ls \u202e
ls \u00a0x
ls \\
ls 'unclosed
ls [ab]
ls a\\
b"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A repository, with a file outside of it that a link leads to."""
    top = tmp_path / "work"
    (top / "src").mkdir(parents=True)
    for name in ("README.md", "src/a.py", ".env", "package.json"):
        (top / name).write_text("foo\n")
    (tmp_path / "other").write_text("outside\n")
    (top / "link").symlink_to(tmp_path / "other")
    subprocess.run(["git", "init", "-q", str(top)], check=True)
    return top.resolve()


@pytest.mark.parametrize("command", LOOKS.splitlines())
def test_what_only_looks_asks_nothing(place: Path, command: str) -> None:
    assert classify(command, (place,)).reason == ""


@pytest.mark.parametrize("command", [*ASKS.splitlines(), "ls\nrm x", "ls \\\n -l", "", "ls\rrm x"])
def test_what_may_do_more_asks(place: Path, command: str) -> None:
    assert classify(command, (place,)).reason


def test_what_goes_through_a_folder_with_a_secret_in_it_asks(place: Path) -> None:
    assert ".env, which" in classify("grep -rn 'TODO$' .", (place,)).reason
    (place / ".env").unlink()
    deep = place / "src" / "deep"
    deep.mkdir()
    (deep / "server.key").write_text("")
    for command in (
        "grep -r x",
        "grep -rn x .",
        "grep -d recurse x src",
        "grep --recursive x src/deep",
        "egrep -ri --exclude-dir=docs x .",
        "rg x",
        "rg --hidden x",
        "rg -uu x src",
        "diff -r src/deep src",
        "cd src && grep -r x",
    ):
        assert "server.key, which has the name of a secret" in classify(command, (place,)).reason
    for command in (
        "grep -rn --include='*.py' x .",
        "grep -r --exclude-dir=deep x .",
        "grep x README.md",
        "rg x docs",
        "rg x -g '*.py'",
        "rg --files --hidden",
        "diff src/deep/x.py src/a.py",
        "diff src/a.py README.md",
        "ls -R; find . -name '*.key'",
    ):
        assert classify(command, (place,)).reason == "", command


@pytest.mark.parametrize(
    "command",
    [
        "grep -rn PASSWORD -A 3",
        "grep -rn PASSWORD -m 5",
        "grep -r PASSWORD --include '.e*'",
        "grep -r PASSWORD --include '\\.env'",
        "grep -r PASSWORD --include '[.]env'",
        "grep -r PASSWORD --exclude='*.o' --include='*.py'",
        "grep -d rec PASSWORD .",
        "grep -r -f README.md",
        "rg --hidden PASSWORD -C 2",
        "rg --hidden PASSWORD -g '.env*'",
        "rg -uu -f README.md",
        "rg PASSWORD -g '.env*'",
        "rg PASSWORD -g '*'",
        "rg PASSWORD --iglob '.ENV'",
        "rg -IoN '=.*' -g '.e?v'",
        "rg PASSWORD -g '{.env,x}'",
        "rg PASSWORD --no-ignore-parent --hidden",
        "rg PASSWORD --type-add 'x:.env' -tx",
        "rg PASSWORD -tall",
        "diff . src",
        "git grep --untracked PASSWORD",
    ],
)
def test_whatever_makes_a_secret_visible_to_a_search_asks(place: Path, command: str) -> None:
    (place / "src" / ".env").write_text("PASSWORD=x")
    assert classify(command, (place,)).reason, command
    assert classify("rg PASSWORD; rg -C 2 PASSWORD -g '*.py' src", (place,)).reason == ""


def test_a_search_leaves_out_what_is_ignored_until_a_file_says_otherwise(place: Path) -> None:
    (place / ".env").unlink()
    (place / ".gitignore").write_text("*.key\nbuild/\n")
    for name in ("src/id_rsa.key", "build/.env", "build/id_rsa"):
        (place / name).parent.mkdir(exist_ok=True)
        (place / name).write_text("x")
    git = place / ".git"
    there = git.exists()
    git.mkdir(exist_ok=True)
    for command in ("rg x", "rg --hidden x", "rg x . -tpy"):
        assert classify(command, (place,)).reason == "", command
    for command in (
        "rg -u x",
        "rg --no-ignore-vcs x",
        "rg x build",
        "grep -r x",
        "rg x -g '*.key'",
    ):
        assert classify(command, (place,)).reason, command
    (place / ".ignore").write_text("!*.key\n")
    assert classify("rg x", (place,)).reason
    assert classify("rg x src", (place,)).reason
    (place / ".ignore").unlink()
    (place / "src" / ".gitignore").write_text("!.env\n")
    (place / "src" / ".env").write_text("x")
    assert classify("rg x", (place,)).reason
    (place / "src" / ".gitignore").unlink()
    assert classify("rg x", (place,)).reason == ""
    if not there:
        git.rmdir()
        assert classify("rg x", (place,)).reason, "without a repository rg heeds no .gitignore"


def test_too_large_a_folder_to_look_through_asks(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (place / ".env").unlink()
    monkeypatch.setattr(named_files, "_MOST_ENTRIES", 1)
    assert "too many files" in classify("grep -r x .", (place,)).reason


def test_to_read_what_is_no_file_asks(place: Path) -> None:
    (place / "link").unlink()
    os.mkfifo(place / "pipe")
    (place / "to-pipe").symlink_to("pipe")
    for command in (
        "cat pipe",
        "head -1 to-pipe",
        "wc -l < pipe",
        "grep x pi*",
        "diff pipe README.md",
    ):
        assert "is not a regular file" in classify(command, (place,)).reason, command
    for command in ("ls -l pipe", "stat pipe", "find pipe", "test -e pipe", "cat missing"):
        assert classify(command, (place,)).reason == "", command


def test_names_that_a_pattern_stands_for_are_judged(place: Path) -> None:
    assert (
        classify("sort *", (place,)).reason
        == f"{place.parent}/other is outside the folder of this session"
    )
    (place / "link").unlink()
    assert classify("sort *", (place,)).reason == ""
    (place / "-o").write_text("")
    assert "is an option" in classify("sort *", (place,)).reason
    assert classify("sort ./*", (place,)).reason == ""
    (place / "key.pem").write_text("")
    assert "secret" in classify("cat ./*", (place,)).reason


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("filter.x.clean", "./evil"),
        ("diff.x.textconv", "./evil"),
        ("diff.x.command", "./evil"),
        ("diff.external", "./evil"),
        ("core.fsmonitor", "./evil"),
        ("core.sshCommand", "./evil"),
        ("core.worktree", ".."),
        ("core.alternateRefsCommand", "./evil"),
        ("include.path", "../evil"),
        ("remote.o.uploadpack", "./evil"),
        ("extensions.partialClone", "o"),
        ("gpg.program", "./evil"),
        ("pager.log", "./evil"),
        ("status.submoduleSummary", "true"),
        ("merge.x.driver", "./evil"),
        ("unheard.of", "1"),
    ],
)
def test_git_asks_where_the_repository_may_make_it_run_something(
    place: Path, key: str, value: str
) -> None:
    with (place / ".git" / "config").open("a") as file:
        section, _, name = key.rpartition(".")
        first, _, second = section.partition(".")
        head = f'[{first} "{second}"]' if second else f"[{first}]"
        file.write(f"{head}\n\t{name} = {value}\n")
    assert key.lower() in classify("git status", (place,)).reason
    assert classify("ls", (place,)).reason == ""


def test_git_asks_in_what_looks_like_a_repository_of_its_own(place: Path) -> None:
    bare = place / "src" / "bare"
    subprocess.run(["git", "init", "-q", "--bare", str(bare)], check=True)
    assert "repository of its own" in classify("cd src/bare && git status", (place,)).reason
    assert "not in a repository" in classify("git status", (place.parent,)).reason


def test_the_settings_of_submodules_count(place: Path) -> None:
    (place / ".gitmodules").write_text('[submodule "a"]\n\tpath = src\n\tignore = none\n')
    subprocess.run(["git", "init", "-q", str(place / "src")], check=True)
    assert classify("git status", (place,)).reason == ""
    with (place / "src" / ".git" / "config").open("a") as file:
        file.write('[filter "x"]\n\tclean = ./evil\n')
    assert "filter.x.clean" in classify("git status", (place,)).reason


WORDS = "ls cat git log rm -x --pre= ; & | && \n \\ ' \" $( ) ` { } < > * ? ~ [ ] # ! = x"
_PIECES = st.sampled_from([*WORDS.split(" "), " "])


@given(st.lists(st.one_of(_PIECES, st.text(max_size=3)), max_size=30).map("".join))
def test_any_text_is_judged(text: str) -> None:
    judged = classify(text, (Path("/"),))
    assert judged.reason or all(call.argv and not call.unsure for call in judged.calls)
    assert bool(judged.calls) or judged.reason


@given(st.sampled_from(sorted({*harmless.PROGRAMS, "git log", "find"})), st.text(max_size=12))
def test_an_option_that_is_not_in_the_table_asks(program: str, text: str) -> None:
    option = "--" + "".join(letter for letter in text if letter.isalpha()) + "-unheard-of"
    assert classify(f"{program} {option}", (Path("/"),)).reason


def test_no_row_of_git_takes_an_option_that_runs_or_writes() -> None:
    runs = {"output", "o=", "ext-diff", "textconv", "open-files-in-pager", "O", "exec", "no-index"}
    for name, row in harmless_git.COMMANDS.items():
        found = runs & row.options - ({"no-index"} if name == "check-ignore" else set())
        assert not found, name


@pytest.mark.parametrize("command", ["cat notes", "grep -r x ."])
def test_a_hard_link_of_a_secret_asks(place: Path, command: str) -> None:
    (place / ".env").write_text("API_PIN=9981")
    (place / "notes").hardlink_to(place / ".env")
    assert "secret" in classify(command, (place,)).reason


def test_a_hard_link_is_seen_where_the_program_passes_over_the_secret(place: Path) -> None:
    (place / ".env").write_text("API_PIN=9981")
    command = "grep -r --include='*.txt' x ."
    assert not classify(command, (place,)).reason
    (place / "notes.txt").hardlink_to(place / ".env")
    assert "notes.txt, which has the name of a secret" in classify(command, (place,)).reason
