"""Searching and jumping on the real screen, with real keys."""

from __future__ import annotations

from textual.geometry import Region
from textual.pilot import Pilot

from agent_tui.protocol.display import CodeDisplay, CommandDisplay
from agent_tui.protocol.transcript import Block, TextBlock, ToolBlock, UserBlock
from agent_tui.protocol.transcript import Transcript as Session
from agent_tui.structures.vec import Vec
from agent_tui.tui.core.model import Model
from agent_tui.tui.runtime.app import AgentApp
from agent_tui.tui.transcript.widget import Transcript
from tests.tui.stage import PlayedEngine, play, text
from tests.tui.transcript_stage import rows_of


class Mute(PlayedEngine):
    """An engine that says nothing: the rows are given."""

    def say(self, *_: object) -> None:
        return


def rows(turns: int = 30) -> Vec[Block]:
    made: list[Block] = []
    for n in range(turns):
        output = f"needle {n}\n" + "".join(f"line {line} of {n}\n" for line in range(20))
        made += [
            UserBlock(f"question {n}"),
            TextBlock(f"Answer {n}: the **thing** in `code.py` is found.\n", head=True),
            ToolBlock(
                f"{n}",
                "run_shell_command",
                f"$ make {n}",
                "done",
                display=CommandDisplay("make", "", output),
            ),
            TextBlock(f"So much for {n}. " + "Words and words. " * 12 + "\n", head=True),
        ]
    return Vec(made)


def given(blocks: Vec[Block] | None = None) -> Model:
    return Model(
        sessions={"": Session(rows=rows() if blocks is None else blocks, model="fake/echo")}
    )


def looks(transcript: Transcript, style: str) -> list[str]:
    """What is drawn in the look `style`."""
    size = transcript.scrollable_content_region.size
    wanted = transcript._page.painter.palette.style(style)
    return [
        part.text
        for strip in transcript.render_lines(Region(0, 0, size.width, size.height))
        for part in strip
        if part.style is not None
        and part.style.bgcolor == wanted.bgcolor
        and part.style.bold
        and wanted.bold
        and part.style.underline == wanted.underline
    ]


def marked(transcript: Transcript) -> list[str]:
    return [row.rstrip() for row in rows_of(transcript) if "▌" in row]


def test_a_search_goes_from_hit_to_hit_and_stays_where_it_is_left() -> None:
    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        transcript = app.regions.transcript
        await pilot.press("ctrl+f")
        assert "Search the transcript" in text(app)
        await pilot.press(*"question")
        assert "30 of 30" in text(app)
        assert any("question 29" in row for row in rows_of(transcript))
        assert looks(transcript, "search.current") == ["question"]
        await pilot.press("up")
        assert "29 of 30" in text(app)
        assert looks(transcript, "search.current") == ["question"]
        for _ in range(3):
            await pilot.press("shift+enter")
        assert not transcript.following
        assert "26 of 30" in text(app)
        assert any("question 25" in row for row in rows_of(transcript))
        await pilot.press("enter", "f3", "down")
        assert "29 of 30" in text(app)
        here = rows_of(transcript)[:-1]
        await pilot.press("escape")
        assert "Search the transcript" not in text(app)
        assert rows_of(transcript)[: len(here)] == here
        assert not looks(transcript, "search")
        await pilot.press("end")
        assert transcript.following

    play(Mute(), steps, (80, 30), model=given())


def test_the_hit_before_the_first_is_the_last_and_words_between_marks_are_found() -> None:
    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        transcript = app.regions.transcript
        await pilot.press("ctrl+home", "ctrl+f")
        await pilot.press(*"THING in CODE.py is")
        assert looks(transcript, "search.current") == ["thing in code.py is"] or "".join(
            looks(transcript, "search.current")
        ).startswith("thing")
        note = text(app).rstrip().split("\n")[-1]
        assert "of 30" in note
        await pilot.press("ctrl+u", *"question 0")
        assert "1 of 1" in text(app)
        await pilot.press("up")
        assert "1 of 1" in text(app)
        await pilot.press("ctrl+u", *"nowhere to be seen")
        assert "not found" in text(app)

    play(Mute(), steps, (80, 30), model=given())


def test_a_space_that_a_wrap_took_away_is_a_hit_of_which_nothing_is_drawn() -> None:
    words = "one two three four five six seven eight nine ten eleven twelve"

    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        transcript = app.regions.transcript
        await pilot.press("ctrl+f", "space")
        assert "11 of 11" in text(app)
        drawn: list[tuple[str, ...]] = []
        for hit in range(1, 12):
            await pilot.press("enter")
            assert f"{hit} of 11" in text(app)
            drawn.append(tuple(looks(transcript, "search.current")))
        assert sorted(drawn) == [(), *[(" ",)] * 10]

    play(Mute(), steps, (40, 16), model=given(Vec([TextBlock(words, head=True)])))


def test_a_hit_that_is_folded_away_is_opened_and_closed_again() -> None:
    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        transcript = app.regions.transcript
        await pilot.press("ctrl+f", *"needle")
        assert "30 of 30" in text(app)
        assert any("needle 29" in row for row in rows_of(transcript))
        assert app.model.reading.exceptions == {29 * 4 + 2}
        await pilot.press("up")
        assert any("needle 28" in row for row in rows_of(transcript))
        assert app.model.reading.exceptions == {28 * 4 + 2}
        await pilot.press("escape")
        assert any("needle 28" in row for row in rows_of(transcript))
        await pilot.press("alt+o")
        assert not any("needle 28" in row for row in rows_of(transcript))
        assert app.model.reading.exceptions == frozenset()

    play(Mute(), steps, (80, 30), model=given())


def test_messages_are_reached_by_keys_and_the_end_is_followed_again() -> None:
    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        transcript = app.regions.transcript
        await pilot.press("shift+up")
        assert sum("▌" in row for row in rows_of(transcript)) == 1
        seen = []
        for _ in range(12):
            await pilot.press("shift+up")
            seen.append(next(row for row in rows_of(transcript) if "▌" in row))
        assert not transcript.following
        assert [row for row in seen if row.startswith("❯")] == [
            f"❯▌question {n}" for n in (29, 28, 27, 26)
        ]
        assert rows_of(transcript)[0] == seen[-1]
        await pilot.press("x", "ctrl+down", "ctrl+down", "ctrl+down")
        assert rows_of(transcript)[0] == seen[-4]
        await pilot.press("backspace")
        for _ in range(14):
            await pilot.press("shift+down")
        assert app.model.reading.following
        assert not any("▌" in row for row in rows_of(transcript))

    play(Mute(), steps, (80, 30), model=given())


def test_one_line_opens_by_key() -> None:
    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        transcript = app.regions.transcript
        await pilot.press("alt+o")
        assert app.model.reading.exceptions == {29 * 4 + 2}
        assert any("line 3 of 29" in row for row in rows_of(transcript))
        await pilot.press("alt+o", "alt+up", "alt+o")
        assert app.model.reading.exceptions == {28 * 4 + 2}
        assert any(row.startswith("⚙▌$ make 28") for row in rows_of(transcript))
        await pilot.press("alt+down", "escape")
        assert app.model.reading.mark == -1

    play(Mute(), steps, (80, 30), model=given())


def test_the_mark_stays_on_the_last_line_that_opens() -> None:
    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await pilot.press("alt+up", "alt+down", "alt+down")
        assert app.model.reading.mark == 29 * 4 + 2
        await pilot.press("alt+o")
        assert app.model.reading.exceptions == {29 * 4 + 2}

    play(Mute(), steps, (80, 30), model=given())


def test_letters_that_become_two_are_marked_where_they_are() -> None:
    answer = "In İzmir, ẞ Straße, ok: die **STR**ASSE (a|b)* [ok] \\d"
    wanted = {
        "strasse": "StraßeSTRASSE",
        "İz": "İz",
        "OK": "okok",
        "ß": "ẞßSS",
        "[ok] \\d": "[ok] \\d",
        "a|b": "a|b",
        "i": "Iİii",
        "ok: die stras": "ok: die STRAS",
        ")": ")",
        "\\": "\\",
    }

    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        color, ground = (
            app.palette.style("search").color,
            app.palette.style("search.current").bgcolor,
        )
        await pilot.press("ctrl+f")
        for query, hits in wanted.items():
            await pilot.press("ctrl+u", *query)
            strips = app.regions.transcript.render_lines(Region(0, 0, 90, 12))
            looks = [
                (part.text, part.style)
                for strip in strips
                for part in strip
                if part.style is not None
            ]
            drawn = [
                words
                for words, at in looks
                if at.bgcolor == ground or (at.underline and at.color == color)
            ]
            assert "".join(drawn) == hits, (query, drawn)

    play(Mute(), steps, (90, 20), model=given(Vec[Block]([TextBlock(answer + "\n", head=True)])))


def test_a_long_session_is_searched_to_its_beginning() -> None:
    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        await pilot.press("ctrl+f", *"early")
        while app.model.search is not None and app.model.search.hits.first:
            await pilot.pause(0.01)
        assert "1 of 1" in text(app)
        assert any("early" in row for row in rows_of(app.regions.transcript))

    blocks = Vec[Block](UserBlock("early" if n == 2 else f"words {n}") for n in range(20_000))
    play(Mute(), steps, (80, 30), model=given(blocks))


def test_a_group_of_reads_opens_by_key_and_by_a_hit() -> None:
    def read(n: int) -> Block:
        shown = CodeDisplay(f"secret {n}\n", f"f{n}.py")
        return ToolBlock(f"r{n}", "read_file", f"Read f{n}.py", "done", display=shown)

    blocks = Vec[Block](
        [UserBlock("go"), read(1), read(2), read(3), TextBlock("done\n", head=True)]
    )

    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        transcript = app.regions.transcript
        assert sum(row.startswith("⚙") for row in rows_of(transcript)) == 1
        await pilot.press("ctrl+f", *"secret 2")
        assert any("secret 2" in row for row in rows_of(transcript))
        assert not any("secret 3" in row for row in rows_of(transcript))
        assert marked(transcript) == ["⚙▌Read f2.py  1 line"]
        await pilot.press("ctrl+u", *"secret 1")
        assert marked(transcript) == ["⚙▌Read f1.py  1 line"], "not the line of the group above it"
        await pilot.press("ctrl+u", *"secret 3")
        assert any("secret 3" in row for row in rows_of(transcript))
        assert not any("secret 2" in row for row in rows_of(transcript))
        await pilot.press("escape", "ctrl+o", "ctrl+o", "alt+o")
        assert sum(row.startswith("⚙") for row in rows_of(transcript)) == 4
        await pilot.press("alt+down", "alt+o")
        assert any("secret 2" in row for row in rows_of(transcript))
        assert not any("secret 3" in row for row in rows_of(transcript))

    play(Mute(), steps, (80, 30), model=given(blocks))


def test_new_rows_are_counted_where_they_are_not_seen_and_end_goes_there() -> None:
    async def steps(pilot: Pilot[int], app: AgentApp) -> None:
        transcript = app.regions.transcript
        await pilot.press("pageup", "ctrl+f", *"needle")
        app.regions.shown = None
        before = app.model.transcript
        app.model = Model(
            sessions={
                "": Session(rows=before.rows.extend([UserBlock("needle more")]), model="fake/echo")
            },
            composer=app.model.composer,
            reading=app.model.reading,
            search=app.model.search,
            started=True,
        )
        await pilot.press("left")
        assert "31" in text(app).rstrip().split("\n")[-1]
        assert "1 new ↓" in text(app)
        await pilot.press("escape", "end")
        assert transcript.following
        assert any("needle more" in row for row in rows_of(transcript))

    play(Mute(), steps, (80, 30), model=given())
