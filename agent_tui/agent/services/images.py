"""Images of the person's: looked at while they are still in the prompt, taken from the clipboard,
sent to the model.

Nothing decodes them: kind and size are read from their first bytes. What is sent is kept among the
blobs (mode 0600), so that a resumed session sends the same; the bytes join a request only for as
long as it is sent.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import os
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

from agent_tui.agent.config import EngineConfig
from agent_tui.agent.services.clipboard import own_programs
from agent_tui.agent.turn.workplace import Workplace
from agent_tui.paths import make_private
from agent_tui.programs import find_program
from agent_tui.protocol.answers import ClipboardImage, ImageFile
from agent_tui.protocol.display import Display, ImageDisplay
from agent_tui.protocol.events import Answered
from agent_tui.protocol.messages import Image, Message, Request, UserMessage
from agent_tui.safety import file_access, paths
from agent_tui.safety.process import processes
from agent_tui.safety.process.environment import CLIPBOARD, child_environment
from agent_tui.tools.base import ToolContext, ToolResult
from agent_tui.tools.support.files import Picture, picture
from agent_tui.tools.support.pictures import MOST

SECONDS: Final = 2.0
"""What a clipboard tool may take."""
_LOOK: Final = 0.02
"""Seconds between two looks at how much it wrote."""
_PROBLEM: Final = 200
_POWERSHELL: Final = (
    "Add-Type -AssemblyName System.Windows.Forms,System.Drawing; $i=[Windows.Forms.Clipboard]::GetImage(); if($i){"
    "$m=New-Object IO.MemoryStream; $i.Save($m,[Drawing.Imaging.ImageFormat]::Png); "
    "[Console]::OpenStandardOutput().Write($m.ToArray(),0,$m.Length)}"
)


class NoImage(Exception):
    """Why something is no image that can be sent, in words."""


class Images:
    """The images of a session. Copies of those from elsewhere are kept in its own folder, where
    they may be read."""

    def __init__(
        self, config: EngineConfig, tell: Callable[[Answered], None], workplace: Workplace
    ) -> None:
        self._config, self._tell, self._workplace = config, tell, workplace

    async def look(self, id: str, path: str) -> None:
        """Answer what is at `path`."""
        await self._answer(id, ImageFile, lambda: self._looked(path))

    async def paste(self, id: str) -> None:
        """Answer with the image that the clipboard holds, as a file of ours; without a path where
        it holds none."""
        problems: list[str] = []
        environment = own_programs(self._config)
        for argv in clipboard_tools(environment):
            code, data, said = await _output(argv, environment)
            if data and (found := picture(data)):
                await self._answer(id, ClipboardImage, partial(self._taken, data, found))
                return
            if code == 124:
                problems.append(
                    f"the clipboard could not be read: {Path(argv[0]).name}: {said}"[:_PROBLEM]
                )
        self._tell(Answered(id, ClipboardImage(problem="; ".join(problems))))

    async def _answer(
        self,
        id: str,
        kind: type[ImageFile | ClipboardImage],
        work: Callable[[], tuple[Path, Picture]],
    ) -> None:
        try:
            real, found = await self._workplace.off_loop(work)
            data = kind(str(real), found.width, found.height)
        except (OSError, ValueError, RuntimeError, NoImage, file_access.NotRegular) as error:
            data = kind(problem=str(error)[:_PROBLEM] or type(error).__name__)
        self._tell(Answered(id, data))

    def _taken(self, data: bytes, found: Picture) -> tuple[Path, Picture]:
        return self._kept("clipboard", data), found

    def _looked(self, path: str) -> tuple[Path, Picture]:
        real = paths.resolve(str(Path(path).expanduser()), self._config.cwd)
        data, found = read(real)
        if not any(real.is_relative_to(root) for root in self._workplace.roots):
            real = self._kept(
                real.stem, data
            )  # it was named by the person, and may be gone when it is sent
        root = self._workplace.roots[0]
        return real.relative_to(root) if real.is_relative_to(root) else real, found

    def _kept(self, stem: str, data: bytes) -> Path:
        """A copy among the session's own files, with mode 0600."""
        found = picture(data)
        folder = self._workplace.spool
        make_private(folder)
        suffix = found.kind.lower() if found else "png"
        path = folder / f"{stem[:60]}-{hashlib.sha256(data).hexdigest()[:8]}.{suffix}"
        file_access.atomic_write(path, data, 0o600)
        return path


def read(real: Path) -> tuple[bytes, Picture]:
    """An image that can be sent. Raises NoImage, NotRegular, OSError."""
    data = file_access.read_regular(real, MOST)
    found = picture(data)
    if found is None:
        raise NoImage(f"{real.name} is not a PNG, JPEG, GIF or WebP image")
    if len(data) > MOST:
        raise NoImage(f"{real.name} is larger than {MOST // 1_000_000} MB")
    return data, found


def attach_image(real: Path, result: ToolResult, ctx: ToolContext) -> ToolResult:
    """The result of attaching the image at `real`: its content goes along, or why it cannot."""
    if images_of(result.display):
        content = f"[The image {ctx.display_path(real)} is attached to this message]"
    else:
        content = f"[An image that could not be attached: {result.content}]"
    return replace(result, content=content)


def images_of(display: Display | None) -> tuple[Image, ...]:
    """The image that was attached, if one was."""
    if not isinstance(display, ImageDisplay) or not display.blob:
        return ()
    return (Image(display.path, display.media, display.blob),)


def count(request: Request) -> int:
    return sum(
        len(message.images) for message in request.messages if isinstance(message, UserMessage)
    )


def fill_images(request: Request, get: Callable[[str], bytes], takes: bool | None) -> Request:
    """`request` with the bytes of its images; without images for a model that takes none. A blob
    that is gone is said in its place."""
    if not count(request):
        return request
    return replace(
        request, messages=tuple(_filled(message, get, takes) for message in request.messages)
    )


def _filled(message: Message, get: Callable[[str], bytes], takes: bool | None) -> Message:
    if not isinstance(message, UserMessage) or not message.images:
        return message
    images: list[Image] = []
    lost = ""
    for image in message.images:
        try:
            if takes is not False:
                images.append(replace(image, data=base64.b64encode(get(image.blob)).decode()))
                continue
            why = "this model does not accept images"
        except (OSError, ValueError):
            why = "its saved copy is gone"
        lost += f"\n[{image.name} was left out: {why}]"
    return UserMessage(message.text + lost, tuple(images))


def clipboard_tools(
    environment: Mapping[str, str], platform: str = sys.platform
) -> tuple[tuple[str, ...], ...]:
    """The programs of this machine that write the clipboard's image, best first; on absolute
    folders of PATH only."""
    fitting: list[tuple[str, ...]] = []
    if platform == "darwin":
        fitting.append(("pngpaste", "-"))
    if environment.get("WSL_DISTRO_NAME") or environment.get("WSL_INTEROP"):
        fitting.append(
            ("powershell.exe", "-NoProfile", "-NonInteractive", "-STA", "-Command", _POWERSHELL)
        )
    if environment.get("WAYLAND_DISPLAY"):
        fitting.append(("wl-paste", "--no-newline", "--type", "image/png"))
    if environment.get("DISPLAY"):
        fitting.append(("xclip", "-selection", "clipboard", "-target", "image/png", "-out"))
    found = ((find_program(argv[0], environment.get("PATH", "")), argv) for argv in fitting)
    return tuple((program, *argv[1:]) for program, argv in found if program)


async def _output(argv: tuple[str, ...], environment: Mapping[str, str]) -> tuple[int, bytes, str]:
    """Exit code, what the program writes to its stdout (nothing if that is too much), and the end
    of its stderr."""
    with tempfile.TemporaryFile() as output:
        given = child_environment(environment, CLIPBOARD)
        task = asyncio.ensure_future(processes.feed(argv, b"", Path("/"), given, SECONDS, output))
        try:
            while not task.done() and os.fstat(output.fileno()).st_size <= MOST:
                await asyncio.wait({task}, timeout=_LOOK)
            if not task.done():
                return 1, b"", "it is too large"
            code, said = await task
        finally:
            task.cancel()
        output.seek(0)
        data = output.read(MOST + 1)
        return code, b"" if len(data) > MOST or code != 0 else data, said
