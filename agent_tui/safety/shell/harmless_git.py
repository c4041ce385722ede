"""Which commands of git only look.

A table as in `harmless`: what is not in it asks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from agent_tui.safety.shell.harmless_options import Spec, Unknown, parse_words, spec

_SHOWN: Final = (
    " p u s U? patch no-patch unified? stat? shortstat numstat dirstat? summary name-only"
    " name-status"
    " raw abbrev? color? no-color word-diff? color-words? minimal patience histogram"
    " diff-algorithm= ignore-all-space ignore-space-change ignore-blank-lines"
    " ignore-space-at-eol w b M? C? D S= G= pickaxe-all pickaxe-regex find-renames? find-copies?"
    " diff-filter= no-renames check text a R relative? exit-code quiet full-index binary"
    " function-context W inter-hunk-context= no-prefix src-prefix= dst-prefix= no-ext-diff"
    " no-textconv compact-summary no-color-moved color-moved? z"
    " cc c m first-parent combined-all-paths"
)
_LISTED: Final = (
    " oneline n= # max-count= skip= since= after= until= before= author= committer= grep= all-match"
    " invert-grep i E F P all branches? tags? remotes? glob= exclude= merges no-merges min-parents?"
    " max-parents? reverse graph decorate? no-decorate pretty? format? abbrev-commit"
    " no-abbrev-commit"
    " date= relative-date left-right cherry-pick cherry-mark cherry left-only right-only boundary"
    " follow full-history simplify-by-decoration topo-order date-order author-date-order parents"
    " children walk-reflogs g ancestry-path? no-walk? notes? no-notes show-pulls source"
)
_REFS: Final = (
    " contains~ no-contains~ merged~ no-merged~ points-at~ sort= format= color? no-color column? i"
    " ignore-case"
)

COMMANDS: Final[dict[str, Spec]] = {
    "status": spec(
        "s b v z u? short branch long verbose porcelain? untracked-files? ignored? no-renames"
        " find-renames? ahead-behind no-ahead-behind show-stash column? no-column"
    ),
    "diff": spec("cached staged merge-base 0 1 2 3" + _SHOWN),
    "log": spec("L=" + _LISTED + _SHOWN),
    "show": spec("L=" + _LISTED + _SHOWN),
    "rev-list": spec("count objects" + _LISTED),
    "shortlog": spec("s n e c summary numbered email group= committer" + _LISTED),
    "blame": spec(
        "L= l t s e w M? C? b p f n porcelain line-porcelain root show-email show-name show-number"
        " date= abbrev? since= reverse first-parent color-lines color-by-age minimal"
    ),
    "annotate": spec("L= l t s"),
    "ls-files": spec(
        "c d m o i s u k t v z x= f cached deleted modified others ignored stage unmerged killed"
        " exclude= exclude-standard directory no-empty-directory full-name abbrev? eol deduplicate"
        " error-unmatch"
    ),
    "ls-tree": spec("d r t l z long name-only name-status object-only full-name full-tree abbrev?"),
    "rev-parse": spec(
        "verify q quiet short? symbolic symbolic-full-name abbrev-ref? show-toplevel git-dir"
        " absolute-git-dir git-common-dir is-inside-work-tree is-bare-repository"
        " is-inside-git-dir show-prefix show-cdup all branches? tags? remotes? sq-quote"
        " is-shallow-repository git-path= show-object-format? show-superproject-working-tree"
    ),
    "name-rev": spec("tags name-only always refs= all"),
    "describe": spec(
        "all tags contains abbrev? candidates= exact-match debug long match= exclude= always"
        " first-parent dirty? broken?"
    ),
    "grep": spec(
        "n i I w v h H E F P G l L c q o p W e= A= B= C= m= # cached line-number"
        " ignore-case word-regexp invert-match extended-regexp fixed-strings perl-regexp count"
        " files-with-matches name-only files-without-match only-matching quiet break heading"
        " show-function function-context color? no-color all-match and or not max-depth= max-count="
        " after-context= before-context= context= full-name column"
    ),
    "merge-base": spec("a all octopus is-ancestor independent fork-point"),
    "cat-file": spec("t s e p", most=2),
    "check-ignore": spec("q v n z quiet verbose non-matching no-index"),
    "for-each-ref": spec("count= shell perl python tcl" + _REFS),
    "show-ref": spec("s? d q head heads tags verify hash? abbrev? dereference quiet branches"),
    "symbolic-ref": spec("q short quiet", most=1),
    "diff-tree": spec("r t root m s v no-commit-id" + _SHOWN),
    "diff-index": spec("cached m" + _SHOWN),
    "diff-files": spec("0 1 2 3" + _SHOWN),
    "count-objects": spec("v H verbose human-readable"),
    "cherry": spec("v abbrev?"),
    "range-diff": spec("creation-factor= no-dual-color left-only right-only" + _SHOWN),
    "branch": spec("a r v q all remotes verbose list l show-current abbrev?" + _REFS),
    "tag": spec("l list n?" + _REFS),
    "remote": spec("v verbose"),
    "stash": spec("L=" + _LISTED + _SHOWN),
    "worktree": spec("porcelain v z verbose"),
    "reflog": spec("L=" + _LISTED + _SHOWN),
    "config": spec(
        "l z list get get-all get-regexp show-origin show-scope name-only local global system"
        " worktree null type= bool int path"
    ),
}

_FIRST_WORD: Final[Mapping[str, frozenset[str]]] = {
    "stash": frozenset({"list", "show"}),
    "worktree": frozenset({"list"}),
    "reflog": frozenset({"", "show"}),
    "remote": frozenset({"", "get-url"}),
}
"""Commands that look only with one of these words; empty: with none."""
_LISTS: Final = frozenset(
    {"l", "list", "contains", "no-contains", "merged", "no-merged", "points-at"}
)
"""Options with which `branch` and `tag` list names and make none."""
_PAGED: Final = frozenset({"--no-pager", "-P", "--no-optional-locks", "--literal-pathspecs"})

OVERRIDES: Final = {
    "core.fsmonitor": "false",
    "core.hooksPath": "/dev/null",
    "core.pager": "cat",
    "core.sshCommand": "false",
    "log.showSignature": "false",
    "safe.bareRepository": "explicit",
    "protocol.allow": "never",
    "diff.ignoreSubmodules": "dirty",
}


def environment() -> dict[str, str]:
    """What every unasked command gets besides: git runs and asks nothing of its own then."""
    pairs = {
        f"GIT_CONFIG_{part}_{number}": text
        for number, pair in enumerate(OVERRIDES.items())
        for part, text in zip(("KEY", "VALUE"), pair, strict=True)
    }
    return pairs | {
        "GIT_CONFIG_COUNT": str(len(OVERRIDES)),
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_PAGER": "cat",
        "GOTOOLCHAIN": "local",
        "PAGER": "cat",
    }


def split_words(words: Sequence[str]) -> tuple[str, list[str]]:
    """The command of git, and its own words. Raises Unknown where it is not in the table."""
    rest = list(words)
    while rest[:1] and rest[0] in _PAGED:
        rest.pop(0)
    if not rest or rest[0].startswith("-"):
        raise Unknown(f"git with {rest[0] if rest else 'nothing'} may change something")
    name, *rest = rest
    if name not in COMMANDS:
        raise Unknown(f"git {name} may change something")
    return name, rest


def judge(words: Sequence[str]) -> Iterator[str]:
    """The files that `git` with these words reads. Raises Unknown where nothing says that it only
    looks."""
    name, rest = split_words(words)
    first = ""
    if name in _FIRST_WORD:
        first = rest[0] if rest and not rest[0].startswith("-") else ""
        if first not in _FIRST_WORD[name]:
            raise Unknown(f"git {name} {first} may change something".replace("  ", " "))
        rest = rest[1:] if first else rest
    found = parse_words(COMMANDS[name], rest)
    options = {option for option, _ in found.options}
    operands = [*found.operands]
    if name in _FIRST_WORD and operands and not first:
        raise Unknown(f"git {name} {operands[0]} may change something")
    if name in ("branch", "tag") and operands and not options & _LISTS:
        raise Unknown(f"git {name} makes one by this name")
    if name == "config" and not options & {"l", "list", "get", "get-all", "get-regexp"}:
        raise Unknown("git config may set something")
    if name == "symbolic-ref" and len(operands) != 1:
        raise Unknown("git symbolic-ref may set something")
    if name == "remote" and len(operands) > (1 if first else 0):
        raise Unknown("git remote may change something here")
    if len(operands) > COMMANDS[name].most:
        raise Unknown("it has more words than it may have here")
    if name == "grep" and "e" not in options:
        operands = operands[1:]
    # of `HEAD:src/a.py`, the file; a branch is judged as if it were one, which it passes
    return iter([one.rpartition(":")[2] or "." for one in operands])
