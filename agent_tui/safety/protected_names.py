"""Which names of files usually hold credentials, and which are obeyed by programs. Says nothing
about the content.

A pattern is the end of a path, written as in `obeyed_names`. Names are compared as a filesystem
that ignores case sees them. A name counts although nothing is there yet.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Final

from agent_tui.structures import late

RUN: Final = {
    # At a commit, a checkout, or as soon as somebody asks for the status.
    "git itself": ".git/ .gitmodules .gitattributes .gitconfig .lfsconfig .config/git/ git/config .git_template/",
    "a bare repository": "head commondir",
    "its relatives": ".hg/ .hgrc .config/hg/ .jj/ .config/jj/ jj/config.toml .sl/ .repo/",
    "hooks of git": ".hooks/ .githooks/ .git-hooks/ .cargo-husky/ {.,}rusty-hook.toml",
    "husky": ".husky/ .huskyrc*",
    "lefthook": "{.,}lefthook{,-local}.{yml,yaml,toml,json,jsonc} .lefthook/ .lefthook-local/",
    "pre-commit": ".pre-commit-config.y{,a}ml prek.toml",
    "other runners of hooks": ".overcommit.y{,a}ml {.,}simple-git-hooks.{js,cjs,mjs,ts,json}"
    " .trunk/ hk.pkl {.,}captainhook.json grumphp.yml .lintstagedrc* lint-staged.config.*",
    # At the start of a shell, a terminal or a desktop.
    "bash": ".bashrc* .bash_* .bashrc.d/ .bash.d/ .inputrc",
    "zsh": ".zshrc* .zshenv* .zprofile* .zlogin* .zlogout* .zsh.d/ .zshrc.d/ .p10k.zsh .zimrc .zpreztorc",
    "fish": ".config/fish/ fish/config.fish fish/{conf.d,functions}/*.fish",
    "other shells": ".profile .login .logout .{k,mk,c,tc,ya,xon}shrc .config/xonsh/"
    " nushell/{config,env,login}.nu elvish/rc.elv {,*_}profile.ps1 {.,.config/}starship.toml",
    "terminals": ".tmux.conf* .tmux/ .config/tmux/ .screenrc .byobu/ .wezterm.lua .hyper.js"
    " .config/{alacritty,ghostty,kitty,wezterm}/",
    "desktops": ".xinitrc .xprofile .xsession .xsessionrc .xserverrc .pam_environment .hammerspoon/"
    " .config/{autostart,awesome,environment.d,hypr,i3,qtile,sway,systemd}/ launch{agents,daemons}/",
    "programs of the person": ".local/bin/ node_modules/.bin/",
    # As soon as a folder is entered.
    "direnv": ".envrc* .direnv/ .direnvrc direnv/{direnvrc,direnv.toml} direnv/lib/*",
    "mise": "{.,}{mise,rtx}{,.*}.toml .mise/ .rtx/ .config/{mise,rtx}/ {.,}{mise,rtx}/config{,.*}.toml"
    " {mise,rtx}/conf.d/*.toml",
    "asdf": ".tool-versions .asdfrc",
    "other keepers of environments": ".autoenv* .rvmrc .shadowenv.d/ .prototools",
    "nix": "{shell,flake}.nix devenv{,.*}.{nix,yaml} devbox.json .devbox/",
    "python's environments": "{.,}venv/bin/ .venv/scripts/ {bin,scripts}/activate{,.*} pyvenv.cfg",
    "rustup": "rust-toolchain{,.toml}",
    # When an editor opens a folder or a file.
    "vscode": ".vscode/ .vscode-server/ *.code-workspace .theia/",
    "other editors": ".vs/ .idea/ .fleet/ .zed/ .helix/ .nova/ *.sublime-{project,workspace}"
    " .settings/ .externaltoolbuilders/ .nanorc .kakrc .config/{helix,kak,zed}/",
    "vim": "{.,_}*vimrc* {.,_}exrc* .nvim.lua .{,n}vim/ vimfiles/ .config/{,n}vim/ nvim/init.{lua,vim}",
    "plugins of editors": ".ycm_extra_conf.py .luarc.json{,c} .neoconf.json",
    "emacs": ".emacs{,.*} .emacs.d/ .config/{emacs,doom}/ .doom.d/ .spacemacs .dir-locals{,-2}.el",
    "containers for work": ".devcontainer/ .devcontainer.json .gitpod.* {.,}devfile.y{,a}ml .idx/"
    " .replit replit.nix .codesandbox/",
    # At the start of an interpreter, a debugger or a client.
    "python": "{site,user}customize{/__init__,}.py {site,dist}-packages/*.{pth,start} .pythonrc*"
    " .pythonstartup .ipython/ .jupyter/ ipython_config.* jupyter_*config.{py,json}",
    "other interpreters": ".rprofile .renviron .ghci .ocamlinit .utoprc .iex.exs .erlang .guile"
    " .{irb,pry,sbcl,clisp,racket,octave}rc .julia/config/",
    "python's consoles": ".ptpython/ .config/{bpython,ptpython}/ .bpython/",
    "ruby's and perl's": ".irbrc* _irbrc .config/{irb,pry}/ .re.pl/ .replyrc",
    "lisps and the like": ".{ecl,abcl,csi,gforth,maxima,swipl,tclsh,wish,expect,js,jshell}rc"
    " .{ccl-init,clisp-init}.lisp .maxima/ .config/swi-prolog/ .ammonite/ rprofile.site .gnuplot",
    "debuggers": ".gdbinit* .gdbearlyinit .lldbinit* .valgrindrc .pdbrc{,.py,.toml} .ipdb .pudb.cfg"
    " .config/{pudb,dlv,gdb}/ .dlv/ .cgdb/ .{byebug,rdbg,jdb,mdb,dbx,radare2,rizin}rc .rdbgrc.rb"
    " jdb.ini .perldb .phpdbginit",
    "clients": ".psqlrc* .sqliterc sqlite3/sqliterc .{duckdb,mycli,pgcli,litecli,rediscli,cqlsh}rc"
    " .mongo{,sh}rc.js .config/{pgcli,litecli}/ .cassandra/cqlshrc .curlrc .wgetrc .mailcap .muttrc .lessfilter",
    # Where builds take programs and packages from.
    "node": ".npmrc .yarnrc* .yarn/{plugins,releases,sdks}/ .pnpmfile.* .pnp.* {.,}bunfig.toml",
    "cargo": ".cargo/config{,.toml}",
    "java": ".mvn/ .gradle/init.d/ .gradle/gradle.properties gradle-wrapper.* .sbtopts .jvmopts",
    "bazel and buck": ".bazelrc .bazeliskrc tools/bazel .buckconfig{,.local}",
    "other packages": ".bundle/config .gemrc .condarc .pip/ pip.{conf,ini} .pydistutils.cfg",
    "this program, and servers of tools": ".agent-tui/ .mcp.json",
}
STEER: Final = {
    "files that agents read": "agent{,s}{,.local,.override}.md"
    " {claude,codebuddy,crush,gemini,iflow,opencode,qwen,replit,warp}{,.local}.md",
    "folders of agents": ".{agent,agents,amazonq,amp,antigravity,augment,claude,cline,clinerules}/"
    " .{codebuddy,codex,continue,copilot,crush,cursor,devin,factory,firebender,gemini,goose}/"
    " .{iflow,junie,kilocode,kimi,kiro,opencode,openhands,pi,qodo,qoder,qwen,roo,rovodev}/"
    " .{ruler,serena,tabnine,trae,vibe,warp,windsurf,zencoder}/",
    "rules of agents": ".*rules{,-*} .goosehints .augment-guidelines .openhands_instructions",
    "settings of agents": ".aider.* .{roo,kilocode}modes {.,}{crush,opencode}.json{,c}",
    "agents that review": ".coderabbit.y{,a}ml .pr_agent.toml",
    "agents of github": ".github/{agents,chatmodes,hooks,instructions,prompts,skills}/ .github/copilot*",
    "github and its relatives": ".{github,gitea,forgejo}/{workflows,actions}/ action.y{,a}ml",
    "gitlab": ".gitlab-ci* *.gitlab-ci.y{,a}ml .gitlab/{agents,ci,duo}/ .gitlab/*.y{,a}ml",
    "jenkins": "jenkinsfile* *.jenkinsfile .jenkins/",
    "folders of build servers": ".{azuredevops,azure-pipelines,buildkite,builds,ci,circleci,concourse}/"
    " .{harness,kokoro,pipelines,semaphore,teamcity,tekton,woodpecker}/ {.,}zuul.d/",
    "files of build servers": "{.,}{amplify,appveyor,azure-pipelines{,-*,.*},bitbucket-pipelines,buddy}.y{,a}ml"
    " {.,}{buildspec{,-*,.*},cirrus,cloudbuild{,-*,.*},codefresh,codemagic,codeship-*,drone,evergreen}.y{,a}ml"
    " {.,}{semaphore,travis,wercker,woodpecker,zuul}.y{,a}ml .cirrus.star .drone.{star,jsonnet}"
    " .{build,ci,packit,readthedocs,rultor,taskcluster}.y{,a}ml netlify.toml vercel.json"
    " {.,}{bitrise,circle,mergify,probo,prow,rocro,screwdriver,scrutinizer,shippable,solano}.y{,a}ml"
    " {.,}{styleci,vela}.y{,a}ml .onedev-buildspec.y{,a}ml {*,}.gocd.{yaml,json} .space.kts"
    " appcenter-{post-clone,pre-build,post-build}.sh ci_scripts/ci_*.sh .agola/ .cds/ .expeditor/",
}


RUNS: Final = "can change what programs do"
STEERS: Final = "tells agents or build servers what to do"

SECRET_FOLDERS: Final = frozenset(
    {".aws", ".azure", ".gcloud", ".gnupg", ".password-store", ".ssh"}
)
"""Everything below them counts as well."""
SECRET_FILES: Final = (
    ".env",
    ".env.*",
    ".env-*",
    ".env_*",
    ".env.d/*",
    ".envrc",
    "*.env",
    "*.env~",
    "*.env.bak",
    "*.env.local",
    "*.env.old",
    "*.env.orig",
    "*.env.save",
    "env.bak",
    "env.local",
    "env.old",
    "env.orig",
    "env.save",
    "*.pem",
    "*.key",
    "*.ppk",
    "*.p12",
    "*.pfx",
    "*.jks",
    "*.jceks",
    "*.keystore",
    "*.keytab",
    "*.kdbx",
    "*.ovpn",
    ".netrc",
    "_netrc",
    ".npmrc",
    ".pypirc",
    ".pgpass",
    "pgpass.conf",
    ".my.cnf",
    ".mylogin.cnf",
    ".htpasswd",
    ".s3cfg",
    ".boto",
    ".msmtprc",
    ".fetchmailrc",
    ".dockercfg",
    ".dockerconfigjson",
    ".git-credentials",
    ".vault-token",
    ".*_history",
    "kubeconfig",
    ".kube/config",
    ".docker/config.json",
    "gh/hosts.yml",
    "glab-cli/config.yml",
    "git/credentials",
    ".gem/credentials",
    ".cargo/credentials",
    ".composer/auth.json",
    ".codex/auth.json",
    ".claude/.credentials.json",
    "gcloud/*.db",
    "rclone/rclone.conf",
    "age/keys.txt",
    "credentials.json",
    "credentials.toml",
    "credentials.yaml",
    "credentials.yml",
    "application_default_credentials.json",
    "client_secret*.json",
    "service-account*.json",
    "service_account*.json",
    "local.settings.json",
    "credentials.tfrc.json",
    ".terraformrc",
    "secret.json",
    "secret.toml",
    "secret.yaml",
    "secret.yml",
    "secrets.json",
    "secrets.toml",
    "secrets.yaml",
    "secrets.yml",
    "secrets.env",
    "secrets.tfvars",
    ".secrets",
    "*.tfstate",
    "*.tfstate.backup",
)
_SSH_KEY: Final = r"id_(rsa|dsa|ecdsa|ed25519|xmss)([_-][\w-]*)?(\.(bak|old|orig|priv|\d+))?"
"""Not `id_*`: much source code is about ids. What ends with `.pub` is for everybody."""
_SAMPLES: Final = (
    ".example",
    ".sample",
    ".template",
    ".dist",
    "example.env",
    "sample.env",
    "template.env",
)
_OF_REPOSITORY: Final = frozenset({
    "config", "config.worktree", "hooks", "info", "objects", "packed-refs", "refs",
})  # fmt: skip


def is_secret(path: Sequence[str]) -> bool:
    """Whether the parts of a path name what usually holds credentials."""
    parts = [fold_name(part) for part in path]
    if not parts:
        return False
    if is_in_secret_folder(path):
        return True
    return not parts[-1].endswith(_SAMPLES) and _ends(parts, _SECRET)


def find_secrets(folder: Sequence[str], names: Sequence[str]) -> set[str]:
    """Those of the names of files in `folder` that are names of secrets."""
    if not SECRET_FOLDERS.isdisjoint(map(fold_name, folder)):
        return set(names)
    suspects: Sequence[str] = names
    if not folder or fold_name(folder[-1]) not in _FOLDERS_OF_SECRETS:
        suspects = [name for name in names if _SUSPECT.fullmatch(name.casefold())]
    return {name for name in suspects if is_secret((*folder[-1:], name))}


def is_in_secret_folder(path: Sequence[str]) -> bool:
    """Whether one of the parts of a path names a folder of which everything counts."""
    return any(fold_name(part) in SECRET_FOLDERS for part in path)


def protection(path: Sequence[str], above: Sequence[str] = ()) -> str:
    """Why the parts of a path are nothing to write to without asking: `RUNS`, `STEERS`, or empty.
    `above` are the parts of the folder that it is in: what they begin counts (`fish/config.fish` in
    `fish`), what lies in them all does not (a session in `.claude/worktrees`)."""
    outer, whole = (
        f"/{'/'.join(map(fold_name, parts))}" if parts else "" for parts in (above, (*above, *path))
    )
    for why, pattern in _OBEYED.items():
        if any(found.end(1) > len(outer) for found in pattern.finditer(whole)):
            return why
    return ""


def leads_to_protected(path: Sequence[str], above: Sequence[str] = ()) -> bool:
    """Whether a folder of this path would have names in it that are obeyed only there: `.cargo`,
    which has `config.toml`."""
    parts = [fold_name(part) for part in (*above, *path)[-_LONGEST:]]
    return _ends(parts, _BEGINNINGS)


def may_count(path: Sequence[str]) -> bool:
    """Whether the rest of this module may have something to say of what is at a path, in a folder
    of which it has not: a quick look that spares slow ones."""
    name = fold_name(path[-1])
    letter = name[:1] if name[:1] in _PARTS else "*"
    if _part_with(letter).fullmatch(name):
        return True
    return len(path) > 1 and fold_name(path[-2]) in _ALL_INSIDE


def is_of_repository(name: str) -> bool:
    """Whether a git folder has something of this name, beside its `HEAD`, that git obeys or
    needs."""
    return fold_name(name) in _OF_REPOSITORY


def fold_name(name: str) -> str:
    """A name as a filesystem that ignores case sees it: `.GIT` is `.git` on macOS, and asking costs
    little."""
    return name.casefold().rstrip(". ") or name


def _ends(parts: Sequence[str], pattern: re.Pattern[str]) -> bool:
    return any(pattern.fullmatch("/" + "/".join(parts[-count:])) for count in (1, 2))


def _any_of(patterns: Iterable[str]) -> str:
    """An expression for one of `patterns`."""
    return "|".join(
        _NOT_PLAIN.sub(lambda found: _MEANING[found[0]], re.escape(one.casefold()))
        for one in patterns
    )


def _last(pattern: str) -> str:
    return pattern.rpartition("/")[2]


def _obeyed(rows: Iterable[str]) -> re.Pattern[str]:
    """What finds the patterns of `rows` in a path that begins with a slash."""
    patterns = " ".join(rows).split()
    folders = _any_of(pattern[:-1] for pattern in patterns if pattern.endswith("/"))
    files = _any_of(pattern for pattern in patterns if not pattern.endswith("/"))
    # looks ahead: one may begin within another
    return late.pattern(f"(?=(/(?:(?:{files})$|(?:{folders})(?=/|$))))")


_MEANING: Final = {r"\*": "[^/]*", r"\{": "(?:", ",": "|", r"\}": ")"}
_NOT_PLAIN: Final = late.pattern("|".join(map(re.escape, _MEANING)))
_SECRET: Final = late.pattern(f"/(?:{_any_of(SECRET_FILES)}|{_SSH_KEY})")
_FOLDERS_OF_SECRETS: Final = frozenset(
    one.removesuffix("/*").casefold() for one in SECRET_FILES if _last(one) == "*"
)
_SUSPECT: Final = late.pattern(
    rf"(?:{_any_of(_last(one) for one in SECRET_FILES if _last(one) != '*')}|id_.*)[. ]*", re.DOTALL
)
"""What the name of a secret looks like, in whichever folder."""
_OBEYED: Final = {RUNS: _obeyed(RUN.values()), STEERS: _obeyed(STEER.values())}


@cache
def _expand(pattern: str) -> tuple[str, ...]:
    """A pattern without its braces."""
    found = re.search(r"\{([^{}]*)\}", pattern)
    if found is None:
        return (pattern,)
    begin, end = pattern[: found.start()], pattern[found.end() :]
    return tuple(one for part in found[1].split(",") for one in _expand(f"{begin}{part}{end}"))


def _all_patterns() -> list[list[str]]:
    """The parts of each pattern for names that are obeyed."""
    rows = " ".join([*RUN.values(), *STEER.values()]).casefold().split()
    return [one.strip("/").split("/") for row in rows for one in _expand(row)]


def _by_first_letter(names: Iterable[str]) -> dict[str, set[str]]:
    """`names` by their first letter; those for any letter are in each, and at `*`."""
    of: defaultdict[str, set[str]] = defaultdict(set)
    for name in names:
        of[name[:1]].add(name)
    return {letter: {*some, *of["*"]} for letter, some in [*of.items()]}


@cache
def _part_with(letter: str) -> re.Pattern[str]:
    """An expression for the names in `_PARTS` at `letter`: made when it is wanted, as all of them
    are half of what loading this module takes."""
    return re.compile(_any_of(_PARTS[letter]))


_LONGEST: Final = max(map(len, _all_patterns()))
_BEGINNINGS: Final = late.pattern(
    f"/(?:{_any_of({'/'.join(one[:n]) for one in _all_patterns() for n in range(1, len(one))})})"
)
_OF_SECRETS: Final = [one.split("/") for one in (*SECRET_FILES, *SECRET_FOLDERS, "id_*")]
_PARTS: Final = _by_first_letter(
    {part for parts in (*_all_patterns(), *_OF_SECRETS) for part in parts} - {"*"}
)
_ALL_INSIDE: Final = {parts[-2] for parts in (*_all_patterns(), *_OF_SECRETS) if parts[-1] == "*"}
"""Folders of which each name may count."""
