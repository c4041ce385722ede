"""The output of a command as it comes: decoded piece by piece and folded, its middle left out of
memory but for what failed, the whole on disk as it came."""

from __future__ import annotations

import codecs
import os
import re
import signal
from collections import deque
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Final, Literal

from agent_tui.paths import make_private
from agent_tui.safety.file_access import open_regular
from agent_tui.safety.process.folded_output import Fold, failing_lines
from agent_tui.safety.secrets.scrubber import ScrubbedStream
from agent_tui.structures import late
from agent_tui.structures.readable import count_noun

READ: Final = 1_000_000
LINE_CHARS: Final = 2_000
"""Of the end of the output, where its last line is looked for."""
SPOOL_LIMIT: Final = 50_000_000
"""Bytes of output that are kept on disk; what comes after is read and dropped."""

_REFUSED: Final = late.pattern(
    r"permission denied|operation not permitted|read-only file system|\bE(ACCES|PERM|ROFS)\b"
    r"|bad system call",
    re.IGNORECASE,
)
"""What programs say when they are refused something."""
_FIXED: Final = late.pattern(
    f"{_REFUSED.pattern}|device or resource busy|invalid cross-device link", re.IGNORECASE
)
"""The same, where folders are mounted."""
_OFFLINE: Final = late.pattern(
    r"network is (unreachable|down)|could( not|n't) resolve (host|proxy)|no route to host"
    r"|temporary failure (in name resolution|resolving)|name or service not known|getaddrinfo"
    r"|\bEAI_AGAIN\b|\bENETUNREACH\b|\bENOTFOUND\b|\bECONNREFUSED\b|connection refused"
    r"|(failed|unable) to (connect|resolve|establish a new connection)|dial (tcp|udp)"
    r"|tunnel (connection )?failed|transfer closed with \d+ bytes remaining",
    re.IGNORECASE,
)
"""What they say without a network."""
_SPEAKER: Final = late.pattern(r"(?:\S*/)?([\w.+-]+): ")
_SPEAKERS: Final = frozenset(
    ["fatal", "error", "warning", "bash", "sh", "PermissionError", "OSError"]
)
"""Who speaks at the beginning of such a line, beside the programs of the command."""


Refusal = Literal["", "files", "git_folder", "network", "reach"]
"""`git_folder`: one that is read-only for what is not git alone."""


class OutputFile:
    """The file of a command, open at `descriptor` (negative: none), to which `written` bytes went,
    of `limit`."""

    def __init__(self, descriptor: int, written: int, limit: int) -> None:
        self.descriptor, self.written, self._limit = descriptor, written, limit
        self.problem = ""
        """Why it does not hold the whole output; empty if it does."""

    @property
    def is_full(self) -> bool:
        """The command wrote more than is kept."""
        return self.written >= self._limit

    def write(self, data: bytes) -> None:
        """Put `data` behind the rest, as far as there is room; without a file it is only
        counted."""
        if self.problem or not data:
            return
        kept = data[: self._limit - self.written]
        try:
            view = memoryview(kept)
            while self.descriptor >= 0 and view:
                view = view[os.write(self.descriptor, view) :]
        except OSError as error:
            self.problem = f"the output could not be saved: {error.strerror}"
            return
        self.written += len(kept)
        if self.is_full:
            self.problem = f"the file holds its first {self._limit // 1_000_000} MB"


class Captured:
    """Output of one command. Memory stays under a few times `limit`, whatever the command writes.

    Head and tail of at most `limit` characters together are kept, folded, and of what is between
    them the lines that say what failed; the whole goes to `spool` from the first byte on (readable
    by its owner alone), so that a kill of the program leaves what came.
    """

    def __init__(
        self, limit: int, spool: Path | None, secrets: ScrubbedStream | None = None
    ) -> None:
        self._secrets = secrets
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._fold = Fold()
        self._failed_limit = limit // 4
        self._failed: list[str] = []
        self._failed_size = 0
        self._head_limit = limit // 2
        self._tail_limit = max(limit - self._head_limit, 1)
        self._head: list[str] = []
        self._head_size = 0
        self._tail: deque[str] = deque()
        self._tail_size = 0
        self._total = 0
        self._wanted = spool
        self._file: OutputFile | None = None
        self._problem = ""

    @classmethod
    def of_file(cls, file: Path, limit: int) -> Captured:
        """What a command left in `file` whose program was killed. Raises OSError, ValueError."""
        found = cls.of_other(file, limit)
        with os.fdopen(open_regular(file), "rb") as source:
            while data := source.read(READ):
                found.feed(data)
        found.feed(b"", final=True)
        return found

    @classmethod
    def of_other(cls, file: Path | None, limit: int) -> Captured:
        """For what another process writes into `file`."""
        found = cls(limit, file)
        found._file = OutputFile(-1, 0, SPOOL_LIMIT) if file is not None else None
        return found

    def feed(self, data: bytes, final: bool = False) -> str:
        """Take bytes; returns the text that they complete, without `secrets`."""
        if self._secrets is not None:
            data = self._secrets.feed(data, final)
        text = self._decoder.decode(data, final)
        self._keep(self._fold.feed(text, final))
        self._store(data)
        return text

    def _keep(self, text: str) -> None:
        self._total += len(text)
        rest = text
        if self._head_size < self._head_limit:
            head, rest = (
                text[: self._head_limit - self._head_size],
                text[self._head_limit - self._head_size :],
            )
            self._head.append(head)
            self._head_size += len(head)
        if not rest:
            return
        self._tail.append(rest)
        self._tail_size += len(rest)
        while self._tail_size - len(self._tail[0]) >= self._tail_limit:
            gone = self._tail.popleft()
            self._tail_size -= len(gone)
            if self._failed_size < self._failed_limit:
                self._failed += failing_lines(gone)
                self._failed_size = sum(len(line) + 1 for line in self._failed)

    def _parts(self) -> tuple[str, list[str], str]:
        """Head, the lines between that say what failed, and tail: at most `limit` characters."""
        head, tail = "".join(self._head), "".join(self._tail) + self._fold.waiting
        if len(tail) <= self._tail_limit and not self._failed and not self._gone:
            return head, [], tail
        shown = self._tail_limit
        if failed := [*self._failed, *failing_lines(tail[: len(tail) - shown])]:
            shown = max(self._tail_limit - self._failed_limit, 1)
            failed = [*self._failed, *failing_lines(tail[: len(tail) - shown])]
        kept, room = list[str](), self._failed_limit
        for line in failed:
            room -= len(line) + 1
            if room < 0:
                break
            kept.append(line)
        return head, kept, tail[max(len(tail) - shown, 0) :]

    @property
    def _gone(self) -> int:
        """Characters that are not in memory any more."""
        return self._total - self._head_size - self._tail_size

    @property
    def lost_characters(self) -> int:
        """Characters that `text` leaves out."""
        head, _, tail = self._parts()
        return max(self._total + len(self._fold.waiting) - len(head) - len(tail), 0)

    @property
    def loss(self) -> str:
        """What the model is told where `text` is not all; else empty."""
        if not (lost := self.lost_characters):
            return ""
        whole = f"; all of it is in {self.spool} (read_file)" if self.spool else ""
        return f"\n[{lost:,} characters of output left out in the middle{whole}]"

    @property
    def is_flooded(self) -> bool:
        """The command wrote more than is kept on disk."""
        return self._file is not None and self._file.is_full

    @property
    def problem(self) -> str:
        """Why the file does not hold the whole output; empty if it does."""
        return self._problem or (self._file.problem if self._file is not None else "")

    @property
    def spool(self) -> Path | None:
        """The file with the whole output; None where nothing came, or nothing is to be kept."""
        return self._wanted if self._file is not None else None

    @property
    def begun_line(self) -> str:
        """The end of the output behind the last end of a line, also of one that waits for its end
        because a secret may have begun in it (`Password: `)."""
        kept = ("".join(self._tail) or "".join(self._head))[-LINE_CHARS:]
        rest = self._secrets.copy().feed(b"", final=True) if self._secrets is not None else b""
        return f"{kept}{self._fold.waiting}{rest.decode('utf-8', 'replace')}".rpartition("\n")[2]

    @property
    def last_line(self) -> str:
        """The last line that holds something."""
        kept = ("".join(self._tail) or "".join(self._head))[-LINE_CHARS:]
        text = kept + self._fold.waiting
        return next((line for line in reversed(text.splitlines()) if line.strip()), "")

    def text(self) -> str:
        """Head and tail, with a line between them that says how much is left out, and what failed
        there."""
        head, failed, tail = self._parts()
        if not (lost := self.lost_characters):
            return head + tail
        note = f"; {self.problem}" if self.problem else ""
        if failed:
            note += f"; {count_noun(len(failed), 'line')} of it that may say what failed"
            note += ":\n" + "\n".join(failed) + "\n"
        return f"{head}\n[… {lost:,} characters left out here{note} …]\n{tail}"

    def begin_file(self) -> None:
        """Make the file now, also where nothing has come yet: somebody is told its name."""
        if self._wanted is None or self._file is not None or self._problem:
            return
        try:
            make_private(self._wanted.parent)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            self._file = OutputFile(os.open(self._wanted, flags, 0o600), 0, SPOOL_LIMIT)
        except OSError as error:
            self._problem = f"the output could not be saved: {error.strerror}"

    def discard(self) -> None:
        """Remove the file: `text` is all of it, and it is on record."""
        if self._file is not None and self._wanted is not None:
            try:
                self._wanted.unlink(missing_ok=True)
            except OSError:
                return  # it goes with the session
            self._file = None

    @property
    def descriptor(self) -> int:
        """That of the file, open to write; negative: there is none."""
        return self._file.descriptor if self._file is not None else -1

    def hand_over(self) -> tuple[ScrubbedStream | None, int, int]:
        """Another process writes the file from now on, and `feed` gets what that read, without
        secrets. Returns what hides them, how much was written, and how much may be."""
        secrets, self._secrets = self._secrets, None
        self.close()
        written = self._file.written if self._file is not None else 0
        return secrets.copy() if secrets is not None else None, written, SPOOL_LIMIT

    def close(self) -> None:
        if self._file is not None and self._file.descriptor >= 0:
            os.close(self._file.descriptor)
            self._file.descriptor = -1

    def _store(self, data: bytes) -> None:
        if data:
            self.begin_file()
        if self._file is not None:
            self._file.write(data)


def find_refusal(
    command: str,
    code: int | None,
    output: str,
    works: bool = False,
    forbidden: Sequence[str] = (),
) -> Refusal:
    """What a confined command was probably refused; `works`: in the workspace sandbox. Where the
    last of several programs went well, only a line counts that one of them says: the same words may
    stand in a file that was shown. No line counts that names one of the `forbidden` folders: nobody
    is asked to let the command look there."""
    if code in (-signal.SIGSYS, 128 + signal.SIGSYS):
        return "files"
    if names := "|".join(re.escape(os.path.basename(path)) for path in forbidden):  # noqa: PTH119
        closed = re.compile(rf"(?<![\w.-])(?:{names})(?![\w.-])")
        output = "\n".join(line for line in output.splitlines() if not closed.search(line))
    words: dict[Refusal, re.Pattern[str]] = {"files": _FIXED if works else _REFUSED}
    if works:
        words = {"network": _OFFLINE, **words}
    if code:
        return next((kind for kind, said in words.items() if said.search(output)), "")
    if code is None or not re.search(r"[|;&\n]", command.strip()):
        return ""
    speakers = _SPEAKERS | set(re.findall(r"[\w.+-]+", command))
    said = [line for line in output.splitlines() if _speaker(line) in speakers]
    return next((kind for kind, found in words.items() if any(map(found.search, said))), "")


def says_git_folder(output: str, folders: Collection[str]) -> bool:
    """Whether a line of what a command was refused is about one of these git folders, which may be
    named by its last part; git does not name it where it writes an object."""
    names = {"unable to create temporary file", *(os.path.basename(one) for one in folders)}  # noqa: PTH119
    refused = [line for line in output.splitlines() if _FIXED.search(line)]
    return bool(folders) and any(name in line for line in refused for name in names)


def _speaker(line: str) -> str:
    found = _SPEAKER.match(line)
    return found[1] if found else ""
