"""The read-only sandbox: what a command in it may read, and whether this machine keeps it.

It writes to a temporary folder of its own alone, and connects to nothing. It reads everything but
home folders, the folders that all users share, and what belongs to this program; of the home folder
it reads what the session works in, toolchains, and what git is told there. Secrets in the folders
of the session are not held back: they are judged by name before a command runs.
"""

from __future__ import annotations

import json
import os
import shlex
import sys
import tempfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from agent_tui.paths import make_private
from agent_tui.safety import processes
from agent_tui.safety.confinement import Profile, landlock_abi
from agent_tui.safety.git_config import explain_refusal, find_repository
from agent_tui.safety.output_capture import Captured
from agent_tui.safety.protected_names import SECRET_FOLDERS
from agent_tui.structures.frozen import frozen

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
_TOOLCHAINS: Final = """
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
    Library/Keychains Library/Cookies Library/Mail Library/Messages
"""
"""Under a home folder: what is held back from a session that works in that folder itself."""


def profile(
    roots: Sequence[Path],
    environment: Mapping[str, str],
    own: Iterable[Path] = (),
) -> Profile:
    """The read-only profile for a session that works in `roots`; it takes milliseconds, and may be
    used for many commands. `own`: the program's own folders, which no command reads."""
    homes = {_real(home) for home in _homes(environment)}
    held_back = {_real(path) for path in own}
    stores = {f"{home}/{name}" for home in homes for name in (*SECRET_FOLDERS, *_STORES.split())}
    shared = {*_NOT_READ.split(), tempfile.gettempdir()}
    system = {path for path in _OF_THE_SYSTEM.split() if os.access(path, os.R_OK)}
    closed = {*shared, *map(_real, shared), *_all_homes(), *homes, *held_back, *system} - {"/"}
    readable = [*_around("/", closed), *_READ_DEVICES]
    inside = [Path(_real(root)) for root in roots]
    of_git, tops = _of_git(inside)
    listed = ["/dev", *({"/etc"} & {os.path.dirname(one) for one in system})]  # noqa: PTH120
    listed += [top for top in tops if not _holds(top, closed)]
    named = (*of_git, *_toolchains(homes, environment))
    besides = (path for path in named if not _holds(path, closed))
    for place in (*map(str, inside), *besides):
        parts = list(_around(place, stores | held_back))
        readable += parts
        listed += [place] if parts != [place] else []
    return Profile(
        _outermost(readable),
        _DEVICES,
        _outermost(listed),
        temporary=tempfile.gettempdir(),
    )


def _around(folder: str, closed: set[str]) -> Iterator[str]:
    """What together is all of `folder` but what is `closed`; links lead to what counts by itself."""
    if folder in closed:
        return
    if not _holds(folder, closed):
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
            yield from _around(path, closed)


def _real(path: str | Path) -> str:
    return os.path.realpath(path)


def _homes(environment: Mapping[str, str]) -> set[str]:
    """The person's own: what their variables and the system say."""
    named = {environment.get("HOME", ""), os.environ.get("HOME", ""), str(Path("~").expanduser())}
    return {home for home in named if home.startswith("/") and home != "/"}


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


def _outermost(paths: Iterable[str]) -> tuple[str, ...]:
    """`paths` without those that lie in others of them."""
    found: list[str] = []
    for path in sorted(set(paths), key=lambda path: path.rstrip("/") + "/"):
        if not (found and path.startswith(found[-1].rstrip("/") + "/")):
            found.append(path)
    return tuple(found)


def _toolchains(homes: set[str], environment: Mapping[str, str]) -> list[str]:
    """Where the programs are that a person has for themselves, and what git is told there."""
    names = f"{_TOOLCHAINS} {_GIT}".split()
    named = [f"{home}/{name}" for home in homes for name in names]
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


# ------------------------------------------------------------------ the canary

SECONDS: Final = 20.0


@frozen
class Support:
    """What the sandbox is on this machine: how it is made, or in one line why there is none."""

    backend: str
    problem: str = ""


_ATTEMPTS: Final = """
import ctypes, errno, os, signal, socket, sys
outside, root, program = sys.argv[1], sys.argv[2], int(sys.argv[3])
libc = ctypes.CDLL(None, use_errno=True)
def traced():
    if libc.ptrace(16, program, 0, 0) < 0:
        raise OSError(ctypes.get_errno(), "ptrace")
bad = {
    "write outside": lambda: open(outside, "a"),
    "make a file outside": lambda: open(outside + ".new", "x"),
    "change a mode outside": lambda: os.chmod(outside, 0o644),
    "change a time outside": lambda: os.utime(outside, (1, 1)),
    "remove a file outside": lambda: os.unlink(outside),
    "rename a file outside": lambda: os.rename(outside, outside + ".old"),
    "empty a file outside": lambda: os.truncate(outside, 0),
    "read outside": lambda: open(outside).read(),
    "write in the folder of the session": lambda: open(root, "a"),
    "connect": lambda: socket.create_connection(("127.0.0.1", 9), 1),
    "send": lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", 9)),
    "signal this program": lambda: os.kill(program, signal.SIGCONT),
}
if sys.platform == "linux":
    bad["trace this program"] = traced
for name, attempt in bad.items():
    try:
        attempt()
    except OSError as error:
        if error.errno in (errno.EPERM, errno.EACCES, errno.EROFS):
            continue
        print("can try to " + name + ":", error)
    else:
        print("can " + name)
    sys.exit(1)
def written():
    path = os.path.join(os.environ.get("TMPDIR", ""), "file")
    with open(path, "x") as file:
        file.write("x")
    os.unlink(path)
for name, attempt in {
    "write to its temporary folder": written,
    "read the folder of the session": lambda: open(root).read(),
    "write to /dev/null": lambda: open(os.devnull, "w").write("x"),
}.items():
    try:
        attempt()
    except OSError as error:
        sys.exit(f"cannot {name}: {error}")
print("confined")
"""

_known: Final[dict[str, Support]] = {}
"""What was found out in this process, by `_backend`."""


async def support(record: Path | None = None) -> Support:
    """Whether the sandbox holds here, tried once by a command in it. `record`: the file in which a
    sandbox that held is known to the next program on this machine."""
    backend = _backend()
    test = zlib.crc32(_ATTEMPTS.encode())
    key = f"{backend}, {os.uname().release}, user {os.geteuid()}, test {test:x}"
    if backend not in _known:
        held = record is not None and _recorded(record) == key
        _known[backend] = Support(backend) if held else await _tried(backend)
        if record is not None and not held and not _known[backend].problem:
            _write(record, key)
    return _known[backend]


def _backend() -> str:
    if sys.platform == "darwin":
        return "Seatbelt"
    return f"Landlock {landlock_abi()} and seccomp"


def _recorded(record: Path) -> str:
    try:
        said = json.loads(record.read_text("utf-8"))
    except (OSError, ValueError):
        return ""
    return str(said.get("held", "")) if isinstance(said, dict) else ""


def _write(record: Path, key: str) -> None:
    try:
        make_private(record.parent)
        record.write_text(json.dumps({"held": key}), "utf-8")
    except OSError:
        return  # it is tried again next time


async def _tried(backend: str) -> Support:
    environment = {"PATH": os.defpath, "HOME": str(Path("~").expanduser())}
    try:
        with tempfile.TemporaryDirectory(prefix="agent-tui-") as name:
            folder = Path(name).resolve()
            outside, root = folder / "outside", folder / "root"
            root.mkdir()
            for file in (outside, root / "file"):
                file.write_text("canary")
            before = outside.stat()
            words = (sys.executable, "-I", "-S", "-c", _ATTEMPTS)
            command = shlex.join((*words, str(outside), str(root / "file"), str(os.getpid())))
            result = await processes.run(
                command,
                root,
                environment,
                SECONDS,
                lambda _: None,
                Captured(10_000, None),
                confined=profile((root,), environment),
            )
            after, names = outside.stat(), {file.name for file in folder.iterdir()}
            same = (before.st_mode, before.st_mtime_ns) == (after.st_mode, after.st_mtime_ns)
            changed = not same or outside.read_text() != "canary" or names != {"outside", "root"}
    except (OSError, ValueError) as error:
        return Support(backend, getattr(error, "strerror", "") or str(error) or repr(error))
    if changed:
        return Support(backend, "a command in it changed a file outside")
    if result.exit_code == 0 and result.output == "confined\n":
        return Support(backend)
    said = " ".join(result.output.split())[:200] or f"its test ended with {result.exit_code}"
    return Support(backend, f"a command in it {said}" if said.startswith("can") else said)
