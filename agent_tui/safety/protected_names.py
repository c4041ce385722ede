"""Which names of files usually hold credentials, and which are obeyed by programs. Says nothing about the content.

A pattern with a slash is compared with the end of a path, one without with its last name. Names are compared as a
filesystem that ignores case sees them. A name counts although nothing is there yet.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from fnmatch import translate
from itertools import pairwise
from typing import Final

RUNS: Final = "can change what programs do"
STEERS: Final = "tells agents or build servers what to do"

SECRET_FOLDERS: Final = frozenset({".aws", ".azure", ".gcloud", ".gnupg", ".password-store", ".ssh"})
"""Everything below them counts as well."""
SECRET_FILES: Final = (
    ".env", ".env.*", ".env-*", ".env_*", ".env.d/*", ".envrc", "*.env", "*.env~", "*.env.bak", "*.env.local",
    "*.env.old", "*.env.orig", "*.env.save", "env.bak", "env.local", "env.old", "env.orig", "env.save",
    "*.pem", "*.key", "*.ppk", "*.p12", "*.pfx", "*.jks", "*.jceks", "*.keystore", "*.keytab", "*.kdbx", "*.ovpn",
    ".netrc", "_netrc", ".npmrc", ".pypirc", ".pgpass", "pgpass.conf", ".my.cnf", ".mylogin.cnf", ".htpasswd", ".s3cfg",
    ".boto", ".msmtprc", ".fetchmailrc", ".dockercfg", ".dockerconfigjson", ".git-credentials", ".vault-token",
    ".*_history", "kubeconfig", ".kube/config", ".docker/config.json", "gh/hosts.yml", "glab-cli/config.yml",
    "git/credentials", ".gem/credentials", ".cargo/credentials", ".cargo/credentials.toml", ".composer/auth.json",
    ".codex/auth.json", ".claude/.credentials.json", "gcloud/*.db", "rclone/rclone.conf", "age/keys.txt",
    "credentials.json", "credentials.yaml", "credentials.yml",
    "application_default_credentials.json", "client_secret*.json",
    "service-account*.json", "service_account*.json", "local.settings.json", "credentials.tfrc.json", ".terraformrc",
    "secret.json", "secret.toml", "secret.yaml", "secret.yml", "secrets.json", "secrets.toml", "secrets.yaml",
    "secrets.yml", "secrets.env", "secrets.tfvars", ".secrets", "*.tfstate", "*.tfstate.backup",
)  # fmt: skip
_SSH_KEY: Final = r"id_(rsa|dsa|ecdsa|ed25519|xmss)([_-][\w-]*)?(\.(bak|old|orig|priv|\d+))?"
"""Not `id_*`: much source code is about ids. What ends with `.pub` is for everybody."""
_SAMPLES: Final = (".example", ".sample", ".template", ".dist", "example.env", "sample.env", "template.env")

RUN_FOLDERS: Final = frozenset({
    ".git", ".hg", ".jj", ".agent-tui", ".vscode", ".idea", ".fleet", ".zed", ".husky", ".devcontainer", ".direnv",
    ".githooks", ".mvn",
})  # fmt: skip
"""Everything below them is obeyed as well."""
RUN_FILES: Final = (
    ".mcp.json", ".envrc", ".gitmodules", ".gitattributes", ".gitconfig", "git/config", ".inputrc", ".bashrc",
    ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".zshrc", ".zshenv", ".zprofile",
    ".zlogin", ".zlogout", ".kshrc", ".cshrc", ".tcshrc", ".login", ".xinitrc", ".xprofile", "fish/config.fish",
    ".tmux.conf", ".vimrc", ".exrc", ".nvimrc", ".nvim.lua", ".gdbinit", ".lldbinit", ".pre-commit-config.yaml",
    "lefthook.yml", ".yarnrc.yml", ".pnpmfile.cjs", "mise.toml", ".mise.toml", ".pythonrc", ".irbrc", ".npmrc",
    ".cargo/config", ".cargo/config.toml", ".bazelrc", ".buckconfig", ".buckconfig.local", ".bundle/config", ".yarnrc",
    ".devcontainer.json", ".tool-versions", "*.code-workspace", ".dir-locals.el", ".dir-locals-2.el", ".rprofile",
    ".renviron", ".ghci", ".ocamlinit", ".psqlrc", ".sqliterc", ".screenrc", ".curlrc", ".wgetrc", "sitecustomize.py",
    "usercustomize.py", "head", "commondir",
)  # fmt: skip
"""Run by what is only opened or entered: a shell, an editor, a debugger, git. What somebody has to start, as the
scripts of a package.json or a Makefile, is code as any other: every edit would ask. Any folder with a `HEAD` may be
a bare repository, whose config git obeys as soon as somebody asks for the status in it."""
_RUN_BELOW: Final = frozenset({
    (".config", "autostart"), (".config", "systemd"), (".local", "bin"), (".yarn", "plugins"), (".yarn", "releases"),
})  # fmt: skip
_OF_REPOSITORY: Final = frozenset({
    "config", "config.worktree", "hooks", "info", "objects", "packed-refs", "refs",
})  # fmt: skip
STEER_FOLDERS: Final = frozenset({
    ".amazonq", ".augment", ".buildkite", ".circleci", ".claude", ".clinerules", ".codex", ".continue", ".cursor",
    ".gemini", ".junie", ".kiro", ".opencode", ".roo", ".windsurf", ".woodpecker",
})  # fmt: skip
STEER_FILES: Final = (
    "AGENTS.md", "AGENTS.override.md", "CLAUDE.md", "CLAUDE.local.md", "GEMINI.md", ".cursorrules", ".windsurfrules",
    ".clinerules", ".github/copilot-instructions.md", ".gitlab-ci.yml", ".travis.yml", ".drone.yml", "Jenkinsfile",
    "azure-pipelines.yml", "bitbucket-pipelines.yml", "action.yml", "action.yaml",
    ".woodpecker.yml", ".woodpecker.yaml", "appveyor.yml", ".appveyor.yml", "cloudbuild.yaml", "cloudbuild.yml",
    ".aider.conf.yml", ".roomodes", "opencode.json", "opencode.jsonc",
)  # fmt: skip
_STEER_BELOW: Final = frozenset({
    (".github", "workflows"), (".github", "actions"), (".github", "instructions"),
    (".gitea", "workflows"), (".forgejo", "workflows"),
})  # fmt: skip


def is_secret(path: Sequence[str]) -> bool:
    """Whether the parts of a path name what usually holds credentials."""
    parts = [folded(part) for part in path]
    if not parts:
        return False
    if not SECRET_FOLDERS.isdisjoint(parts):
        return True
    return not parts[-1].endswith(_SAMPLES) and _ends(parts, _SECRET)


def protection(path: Sequence[str]) -> str:
    """Why the parts of a path are nothing to write to without asking: `RUNS`, `STEERS`, or empty."""
    parts = [folded(part) for part in path]
    if not parts:
        return ""
    pairs = [*pairwise(parts)]
    if not (RUN_FOLDERS.isdisjoint(parts) and _RUN_BELOW.isdisjoint(pairs)) or _ends(parts, _RUN):
        return RUNS
    below = not (STEER_FOLDERS.isdisjoint(parts) and _STEER_BELOW.isdisjoint(pairs))
    return STEERS if below or _ends(parts, _STEER) else ""


def is_of_repository(name: str) -> bool:
    """Whether a git folder has something of this name, beside its `HEAD`, that git obeys or needs."""
    return folded(name) in _OF_REPOSITORY


def folded(name: str) -> str:
    """A name as a filesystem that ignores case sees it: `.GIT` is `.git` on macOS, and asking costs little."""
    return name.casefold().rstrip(". ") or name


def _pattern(patterns: Iterable[str], *more: str) -> re.Pattern[str]:
    """What fits the end of a path that begins with a slash."""
    own = (translate(pattern.casefold()).replace(".*", "[^/]*") for pattern in patterns)
    return re.compile("/(?:" + "|".join((*own, *more)) + ")")


def _ends(parts: Sequence[str], pattern: re.Pattern[str]) -> bool:
    return any(pattern.fullmatch("/" + "/".join(parts[-count:])) for count in (1, 2))


_SECRET: Final = _pattern(SECRET_FILES, _SSH_KEY)
_RUN: Final = _pattern(RUN_FILES)
_STEER: Final = _pattern(STEER_FILES)
