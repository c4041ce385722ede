"""Which commands are git by itself, so that they may write in the git folder."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agent_tui.safety.shell.git_alone import runs_alone, stands_beside

PLAIN = {"PATH": os.defpath}

ALONE = r"""
git add a
git add *.py && git status --short
git commit -qm 'x y' && git log --oneline | head -3
cd src && git add . && git commit -m x
git -c user.name=n -c user.email=e commit -qm x
git -C sub stash push -m x; git stash pop
git merge -s ours x
git merge --strategy=ort --no-ff -m 'a b' x
git cherry-pick -s x && git rebase -Xours main 2>&1 | tail -3
git checkout -b x 2>/dev/null || git checkout x
git switch -c feature/1.2
git commit -c HEAD --reset-author
git push -u origin main
git fetch origin && git tag -d x
git rm -r --cached . && git add -A
LC_ALL=C git add -u
git commit -m "$(cat <<'EOF'\nfix: don't $x `y`\n\nbody "q" )\nEOF\n)" && git status
git commit -m "$(cat <<EOF\nfix\nEOF\n)"
git commit -F - <<'EOF'\nfoo\nbar\nEOF
git commit -q -F - <<EOF && git log\nx\nEOF\n
"""
NOT_ALONE = r"""
ls
make
make test && git commit -am x
git add x & sh y
git add x | sh
sh x.sh
bash -c 'git add .'
xargs git add < x
find . -delete; git add x
echo x > f && git add f
git add $(ls)
git commit -m "$x"
X=1 git commit -m x
git ci -m x
git lfs pull
git rebase -x make main
git rebase --ex make main
git rebase *
git bisect run make
git submodule foreach make
git -c alias.x=!sh x
git -c core.hooksPath=. commit -m x
git --exec-path=. add x
git merge -s foo x
git merge --strat foo x
git pull -qs foo
git fetch --upload-pack=./x .
git fetch ext::sh
git clone -c core.x=1 y
git commit -F - <<EOF\n$(sh x)\nEOF
# "$(cat <<'EOF'\nsh x\nEOF\n)"\ngit add x
echo 'a"$(cat <<'EOF'\nx\nEOF\n)"'; git add x
git commit -m "$(cat <<'EOF'\nx\nEOFX\nsh x\nEOF\n)"
git commit -m "$(cat x <<'EOF'\nx\nEOF\n)"
echo '<<'EOF'\nsh x.sh\nEOF\n' ; git add x
"""


@pytest.mark.parametrize("command", ALONE.strip().splitlines())
def test_it_is_git_by_itself(command: str, tmp_path: Path) -> None:
    said = command.replace("\\n", "\n")
    assert runs_alone(said, PLAIN, [tmp_path]) and not stands_beside(said)


@pytest.mark.parametrize("command", NOT_ALONE.strip().splitlines())
def test_it_may_run_something_else(command: str, tmp_path: Path) -> None:
    assert not runs_alone(command.replace("\\n", "\n"), PLAIN, [tmp_path])


@pytest.mark.parametrize("relative", [False, True])
def test_a_git_of_the_project_is_none(tmp_path: Path, relative: bool) -> None:
    (tmp_path / "bin").mkdir()
    for name in ("git", "cat"):
        (tmp_path / "bin" / name).write_text("#!/bin/sh\n")
        (tmp_path / "bin" / name).chmod(0o755)
    (tmp_path / "bin" / "git").rename(tmp_path / "bin" / "other")
    first = "bin" if relative else f"{tmp_path}/bin"
    given = {"PATH": f"{first}{os.pathsep}{os.defpath}"}
    assert runs_alone("git add x", given, [tmp_path]) is not relative
    assert not runs_alone("git log | cat; git add x", given, [tmp_path])
    (tmp_path / "bin" / "other").rename(tmp_path / "bin" / "git")
    assert not runs_alone("git add x", given, [tmp_path])


def test_git_stands_beside_what_does_more_than_look() -> None:
    for command in (
        "make && git commit -am x",
        "git stash; make",
        "for x in *; do git add x; ./y; done",
    ):
        assert stands_beside(command), command
    for command in ("sh x.sh", "git status && make", "git log | sort", 'git commit -m "$m"'):
        assert not stands_beside(command), command
