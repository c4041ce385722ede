"""Which names of files usually hold credentials, and which are obeyed by programs. Says nothing about the content.

A pattern is the end of a path, written as in `obeyed_names`. Names are compared as a filesystem that ignores case sees
them. A name counts although nothing is there yet.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from agent_tui.safety.obeyed_names import RUN, STEER

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
_OF_REPOSITORY: Final = frozenset({
    "config", "config.worktree", "hooks", "info", "objects", "packed-refs", "refs",
})  # fmt: skip


def is_secret(path: Sequence[str]) -> bool:
    """Whether the parts of a path name what usually holds credentials."""
    parts = [folded(part) for part in path]
    if not parts:
        return False
    if not SECRET_FOLDERS.isdisjoint(parts):
        return True
    return not parts[-1].endswith(_SAMPLES) and _ends(parts, _SECRET)


def protection(path: Sequence[str], above: Sequence[str] = ()) -> str:
    """Why the parts of a path are nothing to write to without asking: `RUNS`, `STEERS`, or empty. `above` are the parts
    of the folder that it is in: what they begin counts (`fish/config.fish` in `fish`), what lies in them all does not
    (a session in `.claude/worktrees`)."""
    outer, whole = (f"/{'/'.join(map(folded, parts))}" if parts else "" for parts in (above, (*above, *path)))
    for why, pattern in _OBEYED.items():
        if any(found.end(1) > len(outer) for found in pattern.finditer(whole)):
            return why
    return ""


def is_of_repository(name: str) -> bool:
    """Whether a git folder has something of this name, beside its `HEAD`, that git obeys or needs."""
    return folded(name) in _OF_REPOSITORY


def folded(name: str) -> str:
    """A name as a filesystem that ignores case sees it: `.GIT` is `.git` on macOS, and asking costs little."""
    return name.casefold().rstrip(". ") or name


def _ends(parts: Sequence[str], pattern: re.Pattern[str]) -> bool:
    return any(pattern.fullmatch("/" + "/".join(parts[-count:])) for count in (1, 2))


def _any_of(patterns: Iterable[str]) -> str:
    """An expression for one of `patterns`."""
    return "|".join(_NOT_PLAIN.sub(lambda found: _MEANING[found[0]], re.escape(one.casefold())) for one in patterns)


def _obeyed(rows: Iterable[str]) -> re.Pattern[str]:
    """What finds the patterns of `rows` in a path that begins with a slash."""
    patterns = " ".join(rows).split()
    folders = _any_of(pattern[:-1] for pattern in patterns if pattern.endswith("/"))
    files = _any_of(pattern for pattern in patterns if not pattern.endswith("/"))
    return re.compile(f"(?=(/(?:(?:{files})$|(?:{folders})(?=/|$))))")  # looks ahead: one may begin within another


_MEANING: Final = {r"\*": "[^/]*", r"\{": "(?:", ",": "|", r"\}": ")"}
_NOT_PLAIN: Final = re.compile("|".join(map(re.escape, _MEANING)))
_SECRET: Final = re.compile(f"/(?:{_any_of(SECRET_FILES)}|{_SSH_KEY})")
_OBEYED: Final = {RUNS: _obeyed(RUN.values()), STEERS: _obeyed(STEER.values())}
