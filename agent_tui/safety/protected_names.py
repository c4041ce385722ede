"""Which names of files usually hold credentials, and which are obeyed by programs. Says nothing
about the content.

A pattern is the end of a path, written as in `obeyed_names`. Names are compared as a filesystem
that ignores case sees them. A name counts although nothing is there yet.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from agent_tui.safety.git_config import find_repository, parse_config, read_text

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
    " .{build,ci,packit,readthedocs,rultor,taskcluster}.y{,a}ml netlify.toml vercel.json",
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
    ".cargo/credentials.toml",
    ".composer/auth.json",
    ".codex/auth.json",
    ".claude/.credentials.json",
    "gcloud/*.db",
    "rclone/rclone.conf",
    "age/keys.txt",
    "credentials.json",
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
    if not SECRET_FOLDERS.isdisjoint(parts):
        return True
    return not parts[-1].endswith(_SAMPLES) and _ends(parts, _SECRET)


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


def is_of_repository(name: str) -> bool:
    """Whether a git folder has something of this name, beside its `HEAD`, that git obeys or needs."""
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


def _obeyed(rows: Iterable[str]) -> re.Pattern[str]:
    """What finds the patterns of `rows` in a path that begins with a slash."""
    patterns = " ".join(rows).split()
    folders = _any_of(pattern[:-1] for pattern in patterns if pattern.endswith("/"))
    files = _any_of(pattern for pattern in patterns if not pattern.endswith("/"))
    return re.compile(
        f"(?=(/(?:(?:{files})$|(?:{folders})(?=/|$))))"
    )  # looks ahead: one may begin within another


_MEANING: Final = {r"\*": "[^/]*", r"\{": "(?:", ",": "|", r"\}": ")"}
_NOT_PLAIN: Final = re.compile("|".join(map(re.escape, _MEANING)))
_SECRET: Final = re.compile(f"/(?:{_any_of(SECRET_FILES)}|{_SSH_KEY})")
_OBEYED: Final = {RUNS: _obeyed(RUN.values()), STEERS: _obeyed(STEER.values())}


_TEXT: Final = re.compile(
    r"branch\..*|user\..*|author\..*|committer\..*|color\..*|url\..*|gui\..*|i18n\..*|advice\..*|maintenance\..*"
    r"|remote\..*\.(?:url|pushurl|fetch|push)|submodule\..*\.(?:url|branch|active)|safe\.directory"
    r"|core\.(?:excludesfile|worktree|commentchar)|commit\.template|mailmap\.file|blame\.ignorerevsfile",
    re.DOTALL,
)
"""Settings of which git takes words and addresses. Any other may name a program: those that do
become more. An alias does so behind `!` or `-c`."""
_INCLUDE: Final = re.compile(r"include(?:if\..*)?\.path", re.DOTALL)
_FOLDERS: Final = frozenset({"core.hookspath", "init.templatedir"})
"""What is below them is run."""
_VARIABLE: Final = re.compile(r"\$\{[^}]*\}|\$\w+")
_WORD: Final = re.compile(r"[^\s\"'`;|&()<>=]+")
_MOST_FILES: Final = 100
"""Files of configuration that are read."""


def place_protection(real: Path, roots: tuple[Path, ...]) -> str:
    """Why not to write to a real path without asking, because of what lies around it and leads to
    it; else empty."""
    if _is_in_bare(real) or _is_named_by_git(real):
        return RUNS
    return next((why for target, why in _obeyed_links(roots) if real.is_relative_to(target)), "")


def _is_in_bare(real: Path) -> bool:
    """Whether it is a part of what git may take as a bare repository: a folder with a `HEAD`."""
    places = (place for place in (real, *real.parents) if is_of_repository(place.name))
    return any(os.path.lexists(place.parent / "HEAD") for place in places)


def _obeyed_links(roots: tuple[Path, ...]) -> Iterator[tuple[Path, str]]:
    """Where the links lead whose names, in one of `roots`, are obeyed: `CLAUDE.md` to
    `docs/agents.txt`."""
    for root in roots:
        try:
            names = [entry.name for entry in os.scandir(root) if entry.is_symlink()]
        except OSError:  # it is gone: nothing leads from it
            continue
        for name in names:
            target = Path(os.path.realpath(root / name))
            if (why := protection((name,))) and not root.is_relative_to(target):
                yield target, why


def _is_named_by_git(real: Path) -> bool:
    """Whether the configuration of a repository that it lies in, or the person's own, names it."""
    path, where = _folded(real), find_repository(real.parent)
    tops = [real.parent] if where is None else []
    while where is not None:
        tops.append(where.top)
        where = find_repository(where.top.parent)
    return any(
        _names(place, is_folder, top, path)
        for top in tops
        for place, is_folder in named_by_git(top)
    )


def _names(place: Path, is_folder: bool, top: Path, path: tuple[str, ...]) -> bool:
    """Whether `place` is the path, or a folder of programs in the work tree `top` that the path
    lies in."""
    named = _folded(place)
    if not is_folder or path == named:
        return path == named
    within = len(path) - len(named) == 1 or (place.is_relative_to(top) and place != top)
    return within and path[: len(named)] == named


def named_by_git(top: Path) -> Iterator[tuple[Path, bool]]:
    """The places that git's configuration may name for the work tree `top`, and whether programs are
    below them. Which `includeIf` holds is not asked."""
    where, read = find_repository(top), set[Path]()
    todo = _own_files()
    if where is not None and where.top == top:
        todo += [where.common / "config", where.folder / "config.worktree"]
    while todo and len(read) < _MOST_FILES:
        file = todo.pop()
        if file in read:
            continue
        read.add(file)
        for name, value in parse_config(read_text(file)):
            if _INCLUDE.fullmatch(name):
                todo.append(_place(file.parent, value))
                yield todo[-1], False
            elif name in _FOLDERS:
                yield _place(top, value), True
            elif not _TEXT.fullmatch(name) and not (
                name.startswith("alias.") and value[:1] not in "-!"
            ):
                yield from ((_place(top, word), False) for word in _words(value))


def _own_files() -> list[Path]:
    """The person's own configuration, and that of the system."""
    home = Path("~").expanduser()
    own = os.environ.get("GIT_CONFIG_GLOBAL")
    both = [
        home / ".gitconfig",
        Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config", "git/config"),
    ]
    return [
        *([Path(own)] if own else both),
        Path(os.environ.get("GIT_CONFIG_SYSTEM") or "/etc/gitconfig"),
    ]


def _words(value: str) -> set[str]:
    """What in a value may be the path of a file. Git runs programs at the top of the work tree;
    what follows a variable or a command (`$(git rev-parse --show-toplevel)/tools/x`) is taken to
    stand there as well."""
    try:
        words = {value, *shlex.split(value)}
    except ValueError:  # a quote without its end
        words = {value}
    words.update(_WORD.findall(_VARIABLE.sub(" ", value)))
    words |= {word.lstrip("/!") for word in words}
    return {word for word in words if word.strip("./") and not word.startswith("-")}


def _place(base: Path, text: str) -> Path:
    """The real path that `text` names, seen from `base`."""
    whole = os.path.join(base, os.path.expanduser(text.replace("\0", "")))  # noqa: PTH111, PTH118 - most are plain words
    is_plain = "/" not in text and not os.path.lexists(whole)
    return Path(whole if is_plain else os.path.realpath(whole))


def _folded(path: Path) -> tuple[str, ...]:
    return tuple(map(fold_name, path.parts))
