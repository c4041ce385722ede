"""The read-only sandbox: what a command in it may read.

It writes to a temporary folder of its own alone, and connects to nothing. It reads everything but
home folders, the folders that all users share, and what belongs to this program; of the home folder
it reads what the session works in, toolchains, and what git is told there. Secrets in the folders
of the session are closed one by one (`secret_search.py`): beside them all else is opened.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from agent_tui.safety.git_config import explain_refusal, find_repository
from agent_tui.safety.protected_names import SECRET_FOLDERS
from agent_tui.safety.sandbox.profiles import Profile

_NOT_READ: Final = """
    /home /root /Users /dev /tmp /var/tmp /private/tmp /private/var/tmp /private/var/folders
    /run/user /run/secrets /run/credentials /var/run/user /var/run/secrets /var/mail /var/spool
    /mnt /media /run/media /Volumes /System/Volumes/Data /lost+found
"""
"""Home folders, what all users share or put in, and disks, on which there may be home folders."""
_OF_THE_SYSTEM: Final = """
    /etc/shadow /etc/shadow- /etc/gshadow /etc/gshadow- /etc/master.passwd /etc/security/opasswd
    /etc/sudoers /etc/sudoers.d /etc/ssh /etc/ssl/private /etc/pki/tls/private
    /etc/letsencrypt /etc/krb5.keytab /etc/NetworkManager/system-connections /etc/wireguard
    /etc/openvpn /etc/ipsec.secrets /etc/ipsec.d /etc/ppp /etc/wpa_supplicant /etc/kubernetes /etc/rancher /etc/docker
    /var/lib/docker /var/lib/containerd /var/lib/kubelet /var/lib/sss /var/lib/private /var/db/dslocal
    /var/backups /run/docker /run/containerd /boot
"""
"""Passwords and keys of the machine, which only root may read."""
_DEVICES: Final = ("/dev/null", "/dev/zero", "/dev/full")
_READ_DEVICES: Final = ("/dev/random", "/dev/urandom")
_LINUXBREW: Final = "/home/linuxbrew/.linuxbrew"
_READ_BY_GIT: Final = (".gitignore", ".gitattributes", ".gitmodules", ".mailmap")
TOOLCHAINS: Final = """
    .asdf .bun .cargo .conda .deno .dotnet .fnm .gem .ghcup .goenv .jenv .julia .juliaup .linuxbrew
    .local/bin .local/lib .local/pipx .local/share/fnm .local/share/mise .local/share/pipx
    .local/share/pnpm .local/share/rtx .local/share/uv .local/share/virtualenv
    .local/share/virtualenvs .nix-profile .nodenv .npm-global .nvm .opam .pixi .pyenv .rbenv .rustup
    .rvm .sdkman .stack .terminfo .virtualenvs .volta .yarn anaconda3 go mambaforge miniconda3
    miniforge3 Library/Python
"""
_GIT: Final = """
    .gitconfig .gitconfig.local .gitignore .gitignore_global .gitattributes .mailmap .config/git
"""
"""Without its own configuration git does not run."""
_ENVIRONMENTS: Final = """
    VIRTUAL_ENV CONDA_PREFIX PYENV_ROOT NVM_DIR NVM_BIN CARGO_HOME RUSTUP_HOME GOPATH GOROOT JAVA_HOME
    HOMEBREW_PREFIX VOLTA_HOME FNM_DIR ASDF_DATA_DIR SDKMAN_DIR RBENV_ROOT BUN_INSTALL DENO_INSTALL
    PNPM_HOME
"""
"""Variables that name the folder of a toolchain."""
_STORES: Final = """
    .cargo/credentials .cargo/credentials.toml .gem/credentials .config/git/credentials
    .config/gcloud .config/gh .config/op .kube .docker .netrc .npmrc .pypirc .git-credentials .pgpass
    .mozilla .thunderbird .config/chromium .config/google-chrome .config/BraveSoftware
    .local/share/keyrings .terraform.d .vault-token .bash_history .zsh_history .python_history
    .cache/huggingface/token .cache/huggingface/stored_tokens .gradle/gradle.properties .m2/settings.xml
    .m2/settings-security.xml .ivy2/.credentials .sbt/.credentials .nuget/NuGet/NuGet.Config .bundle/config
    .composer/auth.json .hex/hex.config Library/Keychains Library/Cookies Library/Mail Library/Messages
"""
"""Under a home folder: what is held back, also from a session that works in that folder itself."""


def profile(
    roots: Sequence[Path],
    environment: Mapping[str, str],
    own: Iterable[Path] = (),
    besides: str = "",
    secrets: Iterable[str] = (),
) -> Profile:
    """The read-only profile for a session that works in `roots`; it takes milliseconds, and may be
    used for many commands. `own`: the program's own folders, which no command reads; `besides`:
    names in the home folder that it reads, too; `secrets`: files in `roots` that it does not
    read."""
    closed, held_back = closed_places(environment, own)
    system = {path for path in _OF_THE_SYSTEM.split() if path in closed}
    readable = [*_around("/", closed, _above(closed)), *_READ_DEVICES]
    held_back.update(secrets)
    inside = [Path(_real(root)) for root in roots]
    of_git, tops = _of_git(inside)
    listed = ["/dev", *({"/etc"} & {os.path.dirname(one) for one in system})]  # noqa: PTH120
    listed += [top for top in tops if not _holds(top, closed)]
    named = (*of_git, *_toolchains(environment, besides))
    outside = (path for path in named if not _holds(path, closed))
    above = _above(held_back)
    for place in (*map(str, inside), *outside):
        parts = list(_around(place, held_back, above))
        readable += parts
        listed += [place] if parts != [place] else []
    return Profile(
        outermost(readable),
        _DEVICES,
        outermost(listed),
        temporary=tempfile.gettempdir(),
        hidden=tuple(sorted(closed | held_back)),
    )


def closed_places(
    environment: Mapping[str, str], own: Iterable[Path] = ()
) -> tuple[set[str], set[str]]:
    """What is not read: places all of which are closed, unless something in them is named; and what
    is held back of anything named. Real paths."""
    homes = home_folders(environment)
    held_back = {_real(path) for path in own}
    stores = {f"{home}/{name}" for home in homes for name in (*SECRET_FOLDERS, *_STORES.split())}
    shared = {*_NOT_READ.split(), tempfile.gettempdir()}
    system = {path for path in _OF_THE_SYSTEM.split() if os.access(path, os.R_OK)}
    closed = {*shared, *map(_real, shared), *_all_homes(), *homes, *held_back, *system} - {"/"}
    return closed, stores | held_back


def _above(closed: Iterable[str]) -> set[str]:
    """All folders in which one of `closed` lies, at any depth."""
    found = {"/"} if closed else set[str]()
    for path in closed:
        while (path := os.path.dirname(path)) not in found:  # noqa: PTH120
            found.add(path)
    return found


def _around(folder: str, closed: set[str], above: set[str]) -> Iterator[str]:
    """What together is all of `folder` but what is `closed`; links lead to what counts by itself.
    `above`: the folders of what is closed."""
    if folder in closed:
        return
    if folder not in above:
        yield folder
        return
    try:
        entries = sorted(os.listdir(folder))  # noqa: PTH208 - it may be large
    except OSError:
        return  # not for us to see, so not for a command
    for name in entries:
        hidden = folder == "/" and name.startswith(".")  # the home of who has no other
        path = f"{folder.rstrip('/')}/{name}"
        if not (hidden or os.path.islink(path)):  # noqa: PTH114
            yield from _around(path, closed, above)


def _real(path: str | Path) -> str:
    return os.path.realpath(path)


def home_folders(environment: Mapping[str, str]) -> set[str]:
    """The person's own: what their variables and the system say."""
    named = {environment.get("HOME", ""), os.environ.get("HOME", ""), str(Path("~").expanduser())}
    return {_real(home) for home in named if home.startswith("/") and home != "/"}


def _all_homes() -> set[str]:
    """Those of all people whom this machine knows by itself."""
    try:
        lines = Path("/etc/passwd").read_text("utf-8", "replace").splitlines()
    except OSError:
        return set()
    fields = (line.split(":") for line in lines if line.count(":") == 6)
    people = {about[5] for about in fields if about[2].isdigit() and 1000 <= int(about[2]) < 65534}
    return {_real(home) for home in people if home.count("/") > 1}


def _holds(folder: str, closed: Iterable[str]) -> bool:
    """Whether something `closed` is `folder`, or in it."""
    inner = folder.rstrip("/") + "/"
    return any(one == folder or one.startswith(inner) for one in closed)


def outermost(paths: Iterable[str]) -> tuple[str, ...]:
    """`paths` without those that lie in others of them."""
    found: list[str] = []
    for path in sorted(set(paths), key=lambda path: path.rstrip("/") + "/"):
        if not (found and path.startswith(found[-1].rstrip("/") + "/")):
            found.append(path)
    return tuple(found)


def _toolchains(environment: Mapping[str, str], besides: str) -> list[str]:
    """Where the programs are that a person has for themselves, and what git is told there."""
    names = f"{TOOLCHAINS} {_GIT} {besides}".split()
    named = [f"{home}/{name}" for home in home_folders(environment) for name in names]
    named += [environment.get(name, "") for name in _ENVIRONMENTS.split()]
    named += environment.get("PATH", "").split(os.pathsep)
    named += (sys.prefix, sys.base_prefix, _LINUXBREW)
    found = {path for path in named if path.startswith("/") and os.path.exists(path)}  # noqa: PTH110
    return sorted(map(_real, found))


def _of_git(roots: Sequence[Path]) -> tuple[list[str], list[str]]:
    """What git reads for the work trees that the session works in, where their git folders are
    their own: these folders and what stands at the top of the trees; and the tops, whose names it
    goes through."""
    read, tops = [], []
    for root in roots:
        where = find_repository(root)
        if where is not None and not explain_refusal(where):
            read += [_real(where.folder), _real(where.common)]
            tops.append(str(where.top))
            files = (f"{where.top}/{name}" for name in _READ_BY_GIT)
            read += [path for path in files if path == _real(path)]  # no link that leads elsewhere
    return read, tops
