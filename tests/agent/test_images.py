"""Images of the person's: what is one, what goes to the model, and what a clipboard gives."""

from __future__ import annotations

import asyncio
import base64
import json
from pathlib import Path
from typing import Any

import pytest

from agent_tui.agent.services import images
from agent_tui.agent.session.history import History
from agent_tui.protocol.answers import ImageFile
from agent_tui.protocol.events import Answered, ModelChanged, Notice, StepStarted, ToolEnded
from agent_tui.protocol.messages import Image, Request, ToolMessage, UserMessage
from agent_tui.protocol.ops import Query, SetModel
from agent_tui.providers.dialects import chat_completions, ollama_chat
from agent_tui.sessions.log.checkpoints import Blobs
from agent_tui.structures import mention
from tests.agent.driving import Place
from tests.agent.model_server import engine, model_server, said
from tests.tui.test_paste_terminal import png

DATA = png(64, 32)
MESSAGE = UserMessage(
    "see", (Image("a.png", "image/png", "blob", base64.b64encode(DATA).decode()),)
)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def ask(place: Place, path: str, kind: str = "image", **environment: str) -> Any:
    with place.engine(place.script([{"text": "ok"}]), environment=environment) as driver:
        driver.send(Query("q", kind, path))  # type: ignore[arg-type]
        return driver.until(Answered, lambda event: event.kind == kind).data


def test_an_image_is_known_by_its_first_bytes(place: Place) -> None:
    place.script()
    (place.cwd / "a.png").write_bytes(DATA)
    (place.cwd / "b.png").write_bytes(b"no image")
    (place.cwd / "huge.png").write_bytes(DATA + bytes(images.MOST))
    assert ask(place, "a.png") == ImageFile("a.png", 64, 32)
    for name, problem in (
        ("b.png", "not a PNG"),
        ("huge.png", "larger than 5 MB"),
        ("none.png", "No such file"),
    ):
        found = ask(place, name)
        assert found.path == ""
        assert problem in found.problem


def test_what_lies_elsewhere_is_copied_with_nobody_else_s_eyes_on_it(place: Place) -> None:
    outside = place.root / "shot.png"
    outside.write_bytes(DATA)
    kept = Path(ask(place, str(outside)).path)
    assert kept.is_relative_to(place.home.resolve())
    assert kept.read_bytes() == DATA
    assert kept.stat().st_mode & 0o077 == 0


def test_the_clipboard_gives_its_image_or_nothing(place: Place) -> None:
    tools = place.root / "tools"
    tools.mkdir()
    tool = tools / "xclip"
    (place.root / "c.png").write_bytes(DATA)
    environment = {"PATH": f"{tools}:/usr/bin:/bin", "DISPLAY": ":9"}
    for script, width in ((f"cat {place.root}/c.png", 64), ("exit 1", 0), ("yes", 0)):
        tool.write_text(f"#!/bin/sh\n{script}\n")
        tool.chmod(0o755)
        assert ask(place, "", "clipboard_image", **environment).width == width


def test_both_dialects_carry_it() -> None:
    wired = chat_completions.message(MESSAGE, "openai")
    assert wired is not None
    assert wired["content"][0] == {"type": "text", "text": "see"}
    assert wired["content"][1]["image_url"]["url"].startswith("data:image/png;base64,iVBOR")
    assert ollama_chat.message(MESSAGE)["images"] == [MESSAGE.images[0].data]
    assert chat_completions.message(UserMessage("plain"), "openai") == {
        "role": "user",
        "content": "plain",
    }
    assert "images" not in ollama_chat.message(UserMessage("plain"))


def test_a_request_gets_the_bytes_and_a_blind_model_none() -> None:
    bare = UserMessage(
        "see", (Image("a.png", "image/png", "blob"), Image("b.png", "image/png", "gone"))
    )

    def get(blob: str) -> bytes:
        if blob == "gone":
            raise FileNotFoundError(blob)
        return DATA

    (seen,) = images.fill_images(Request("", (bare,)), get, None).messages
    assert isinstance(seen, UserMessage)
    assert [base64.b64decode(image.data) for image in seen.images] == [DATA]
    assert "[b.png was left out: its saved copy is gone]" in seen.text
    (blind,) = images.fill_images(Request("", (bare,)), get, False).messages
    assert isinstance(blind, UserMessage)
    assert blind.images == ()
    assert "does not accept images" in blind.text


def test_a_named_image_goes_along(place: Place) -> None:
    model = place.script([{"text": "ok"}])
    (place.cwd / "a.png").write_bytes(DATA)
    with place.engine(model) as driver:
        driver.turn("what is @a.png?")
        ended = driver.all(ToolEnded)
        assert not driver.all(Notice)
    assert [event.content for event in ended] == ["[The image a.png is attached to this message]"]
    assert images.images_of(ended[0].display)[0].media == "image/png"


def test_a_model_that_takes_no_images_is_told_their_names_and_that_is_said_once(
    place: Place,
) -> None:
    place.cwd.mkdir(exist_ok=True)
    (place.cwd / "a.png").write_bytes(DATA)
    with model_server(said("ok"), said("ok"), said("ok")) as server:
        server.listed.append("deepseek-chat")
        options: dict[str, Any] = {
            "others": {"deepseek": server},
            "model_name": "deepseek/deepseek-chat",
        }
        with engine(place, server, **options) as driver:
            driver.turn("what is @a.png?")
            driver.turn("and now?")
            told = [notice.text for notice in driver.all(Notice)]
            assert told == [
                "deepseek/deepseek-chat does not accept images: only their names were sent."
            ]
            driver.send(SetModel("compatible/m"))  # nobody knows of it: it is tried
            driver.until(ModelChanged)
            driver.turn("look again")
    blind, _, seeing = (json.dumps(body) for body in server.bodies)
    assert (
        "a.png was left out: this model does not accept images" in blind
        and "data:image" not in blind
    )
    assert "data:image/png;base64" in seeing and "left out" not in seeing


def test_tools_are_chosen_by_the_machine(tmp_path: Path) -> None:
    for name in ("wl-paste", "xclip", "pngpaste", "powershell.exe"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    path = {"PATH": f"{tmp_path}:relative"}

    def names(platform: str = "linux", **environment: str) -> list[str]:
        return [
            Path(argv[0]).name for argv in images.clipboard_tools({**path, **environment}, platform)
        ]

    assert names() == []
    assert names("darwin") == ["pngpaste"]
    assert names(WAYLAND_DISPLAY="w", DISPLAY=":0") == ["wl-paste", "xclip"]
    assert names(WSL_INTEROP="1") == ["powershell.exe"]
    assert images.clipboard_tools({"DISPLAY": ":0", "PATH": "bin"}, "linux") == ()


def test_a_tool_that_hangs_is_ended(tmp_path: Path) -> None:
    tool = tmp_path / "wl-paste"
    tool.write_text("#!/bin/sh\nexec sleep 600\n")
    tool.chmod(0o755)
    code, data, said = asyncio.run(images._output((str(tool),), {"PATH": "/usr/bin:/bin"}))
    assert (code, data) == (124, b"")
    assert "did not end within" in said


def test_a_copy_is_called_as_what_it_is_a_copy_of() -> None:
    copy = "/home/me/.local/share/agent-tui/outputs/13d40250-17d7/shot of it-acb950cb.png"
    assert mention.original(copy) == "shot of it.png"
    for other in (
        "a/shot-acb950cb.png",
        "shot.png",
        "/outputs/shot-acb950cb.png",
        "/x/outputs/y/shot.png",
    ):
        assert mention.original(other) == other


def test_a_picture_that_the_model_reads_follows_the_results(place: Place) -> None:
    model = place.script([{"call": "read_file", "arguments": {"path": "a.png"}}], [{"text": "red"}])
    (place.cwd / "a.png").write_bytes(DATA)
    with place.engine(model) as driver:
        driver.turn("what is in it?")
        events = driver.all(object)  # type: ignore[type-var]
    history = History()
    requests = []
    for event in events:
        history = history.with_event(event)
        if isinstance(event, StepStarted):
            requests.append(history.request().messages)
    *_, result, shown = requests[-1]
    assert isinstance(result, ToolMessage) and "It follows" in result.content
    assert isinstance(shown, UserMessage) and shown.text == "[Read: a.png]"
    get = Blobs(place.home / "blobs").get
    (sent,) = images.fill_images(Request("", (shown,)), get, True).messages
    assert isinstance(sent, UserMessage)
    assert base64.b64decode(sent.images[0].data) == DATA
