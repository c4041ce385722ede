"""No command outlives the program, however that ends: `kill -9` and a crash leave nobody behind who would end it.

One small shell, started with the first command, reads from a pipe which commands run. Only the program holds the other
end, so the pipe ends when the program does; then the shell ends what is left, and itself. (A signal that the kernel
sends at a parent's death would come when the *thread* ends that started the command, and not on macOS.)
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Final, Protocol

WATCH: Final = r"""
trap '' HUP INT QUIT TERM TSTP
live=' '
while read -r did group token; do
  case $did in
    begun) live="$live$group:$token " ;;
    ended) case $live in *":$token "*)
      head=${live%%":$token "*}
      live="${head% *} ${live#*":$token "}" ;;
    esac ;;
  esac
done
end() {
  for entry in $live; do
    group=${entry%%:*} token=${entry#*:}
    [ "$group" = 0 ] || kill -s "$1" -- "-$group"
    for found in $(grep -lF "$token" /proc/[0-9]*/environ); do
      found=${found#/proc/}
      kill -s "$1" "${found%/environ}"
    done
  done
}
[ "$live" = ' ' ] || { end TERM; sleep 1; end KILL; }
"""
"""Commands have a second to end by themselves. Who left the group is found by the token, where there is a /proc."""
ARGV: Final = ("/bin/sh", "-c", WATCH, "agent-tui: ends what a killed agent-tui leaves")


class Watcher(Protocol):
    """The started shell."""

    def poll(self) -> int | None: ...


class Leash:
    """`start` starts a program whose input is the descriptor that it is given."""

    def __init__(self, start: Callable[[tuple[str, ...], int], Watcher]) -> None:
        self._start = start
        self._watcher: Watcher | None = None
        self._pipe = -1

    def begun(self, token: str, group: int = 0) -> None:
        """A command with this token is about to be started; later again, with the group that it leads. Raises OSError
        if there is nobody to watch it."""
        if self._watcher is None or self._watcher.poll() is not None:
            self._renew()
        self._tell(f"begun {group} {token}\n")

    def ended(self, token: str) -> None:
        """Nothing of it is left."""
        for _ in range(2):  # it began twice: before there was a group, and then
            self._tell(f"ended 0 {token}\n")

    def _renew(self) -> None:
        if self._pipe >= 0:
            os.close(self._pipe)
            self._pipe = -1
        reading, self._pipe = os.pipe()
        try:
            self._watcher = self._start(ARGV, reading)
        finally:
            os.close(reading)
        os.set_blocking(self._pipe, False)

    def _tell(self, line: str) -> None:
        try:
            os.write(self._pipe, line.encode())
        except (BrokenPipeError, BlockingIOError):
            return  # somebody ended or stopped it; the next command starts another, this one runs unwatched
