"""Names of files in the transcript: asked about once, links when they are there, and clicked."""

from __future__ import annotations

from dataclasses import replace

from rich.segment import Segment
from textual.app import ComposeResult
from textual.geometry import Region
from textual.pilot import Pilot

from agent_tui.protocol.display import DiffDisplay, Hunk, Match, MatchesDisplay
from agent_tui.protocol.transcript import Block, TextBlock, ToolBlock
from agent_tui.structures.file_address import file_address
from agent_tui.structures.vec import Vec
from agent_tui.tui.core.regions import TranscriptView
from agent_tui.tui.transcript.widget import Transcript
from tests.tui.transcript_stage import Screen, rows_of, run

DIFF = DiffDisplay("src/a.py", (Hunk(1, 1, ("-x", "+y")),), 1, 1)
ROWS: tuple[Block, ...] = (
    TextBlock("Look at `src/a.py:7`, not at no.py.\n", head=True),
    ToolBlock("1", "edit_file", "Edit src/a.py", "done", display=DIFF),
)
FILES = {"src/a.py": "/w/src/a.py", "no.py": ""}


class Files(Screen):
    environment = {"TERM": "xterm-256color"}  # noqa: RUF012

    def compose(self) -> ComposeResult:
        for each in super().compose():
            if isinstance(each, Transcript):
                each.address = file_address(self.environment, "box")
            yield each

    def on_transcript_files_named(self, event: Transcript.FilesNamed) -> None:
        self.said.append(("named", event.paths))

    def on_transcript_file_clicked(self, event: Transcript.FileClicked) -> None:
        self.said.append(("file", (event.path, event.line)))


def segments(transcript: Transcript) -> list[Segment]:
    size = transcript.scrollable_content_region.size
    lines = transcript.render_lines(Region(0, 0, size.width, size.height))
    return [segment for line in lines for segment in line]


def links(transcript: Transcript) -> list[tuple[str, str]]:
    drawn = ((one.text, one.style.link) for one in segments(transcript) if one.style)
    return [(text, link) for text, link in drawn if link]


def play(view: TranscriptView, journey, size: tuple[int, int] = (60, 22)) -> None:  # type: ignore[no-untyped-def]
    run(view, journey, size, screen=Files)


def test_names_are_asked_about_once_and_become_links() -> None:
    async def journey(app: Screen, pilot: Pilot[None]) -> None:
        transcript = app.transcript
        await pilot.pause()
        assert app.said == [("named", ("src/a.py", "no.py"))] and links(transcript) == []
        before = rows_of(transcript)
        transcript.refresh()
        await pilot.pause()
        assert len(app.said) == 1
        transcript.apply(replace(app.view, files=FILES))
        await pilot.pause()
        assert links(transcript) == [
            ("src/a.py:7", "file://box/w/src/a.py"),
            ("src/a.py", "file://box/w/src/a.py"),
        ]
        assert rows_of(transcript) == before and len(app.said) == 1
        transcript.apply(replace(app.view, files={}))
        await pilot.pause()
        assert links(transcript) == [] and len(app.said) == 2, "what is forgotten is asked anew"

    play(TranscriptView(Vec(ROWS), ()), journey)


def test_lines_that_name_no_file_stay_as_they_are_painted() -> None:
    async def journey(app: Screen, _: Pilot[None]) -> None:
        size = app.transcript.scrollable_content_region.size
        region = Region(0, 0, size.width, size.height)
        before = app.transcript.render_lines(region)
        app.transcript.apply(replace(app.view, files=FILES))
        after = app.transcript.render_lines(region)
        same = [new is old for new, old in zip(after, before, strict=True)]
        assert same[0] is False and all(same[4:6]), "the words of the diff"
        app.transcript.apply(replace(app.view, files={**FILES, "other.py": ""}))
        again = app.transcript.render_lines(region)
        assert all(new is old for new, old in zip(again, after, strict=True))

    play(TranscriptView(Vec(ROWS), ()), journey)


def test_a_click_on_a_name_says_its_line_and_the_line_of_a_call_still_folds() -> None:
    async def journey(app: Screen, pilot: Pilot[None]) -> None:
        app.said.clear()
        await pilot.click(Transcript, offset=(12, 0))
        await pilot.click(Transcript, offset=(9, 2))
        await pilot.click(Transcript, offset=(9, 2), control=True)
        await pilot.click(Transcript, offset=(33, 0))
        await pilot.pause()
        assert app.said == [("file", ("src/a.py", 7)), ("toggled", 1), ("file", ("src/a.py", 0))]

    play(TranscriptView(Vec(ROWS), (), files=FILES), journey)


def test_what_is_copied_has_no_links_in_it() -> None:
    async def journey(app: Screen, _: Pilot[None]) -> None:
        app.screen.text_select_all()
        copied = app.screen.get_selected_text() or ""
        assert "Look at `src/a.py:7`, not at no.py." in copied and "file:" not in copied

    play(TranscriptView(Vec(ROWS), (), files=FILES), journey)


def test_each_line_of_a_search_leads_to_its_own() -> None:
    found = MatchesDisplay("x", (Match("a.py", 3, "x = 1"), Match("a.py", 9, "x = 2")), 2)
    block = ToolBlock("1", "grep_files", "Search x", "done", display=found)

    async def journey(app: Screen, _: Pilot[None]) -> None:
        said = [(text.strip(), link) for text, link in links(app.transcript)]
        assert said == [
            ("a.py", "file:///w/a.py"),
            ("3", "file:///w/a.py#3"),
            ("9", "file:///w/a.py#9"),
        ]

    view = TranscriptView(Vec([block]), (), expanded=True, files={"a.py": "/w/a.py"})
    run(view, journey, screen=Coded)


class Coded(Files):
    """In the terminal of VS Code."""

    environment = {"TERM_PROGRAM": "vscode"}  # noqa: RUF012


def test_a_name_that_wraps_is_one_link() -> None:
    path = "/".join(["folder"] * 20) + "/a.py"

    async def journey(app: Screen, _: Pilot[None]) -> None:
        drawn = [one for one in segments(app.transcript) if one.style and one.style.link]
        assert "".join(one.text for one in drawn) == path
        assert len(drawn) > 1 and len({one.style.link_id for one in drawn if one.style}) == 1

    play(TranscriptView(Vec([TextBlock(path)]), (), files={path: f"/w/{path}"}), journey)


def test_addresses_hold_no_letter_that_a_terminal_obeys() -> None:
    address = file_address({"TERM": "xterm-256color"}, "a host")
    assert address("/w/a b;c\x1b]8;;\x07#é.py", 3) == (
        "file://a%20host/w/a%20b%3Bc%1B%5D8%3B%3B%07%23%C3%A9.py"
    )
    assert file_address({"TERM": "xterm-kitty"}, "h")("/w/\udcff", 3) == "file://h/w/%FF#3"
