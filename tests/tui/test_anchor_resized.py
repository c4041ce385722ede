"""What is at the top of the screen stays there through any resizes, until somebody scrolls."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st
from textual.geometry import Region
from textual.pilot import Pilot

from agent_tui.protocol.transcript import Block, TextBlock, UserBlock
from agent_tui.structures.vec import Vec
from agent_tui.tui.core.regions import TranscriptView
from agent_tui.tui.transcript.widget import Transcript
from tests.campaigns import examples
from tests.tui.transcript_stage import Screen, rows_of, run

SIZE = (59, 20)
widths = st.sampled_from((1, 2, 3, 500)) | st.integers(1, 500)
steps = st.lists(
    st.tuples(widths, st.sampled_from((1, 20, 200)) | st.integers(1, 200), st.booleans()),
    max_size=8,
)


class Sized(Transcript):
    """A transcript of any size, at once: no screen is laid out around it."""

    room = Region(0, 0, *SIZE)

    @property
    def scrollable_content_region(self) -> Region:
        return self.room

    def resize(self, width: int, height: int) -> None:
        self.room = Region(0, 0, width, height)
        self.on_resize()


def words(row: int) -> str:
    return " ".join(f"w{row}x{n}" for n in range(row % 7 * 12 + 1))


def block(row: int) -> Block:
    if row % 5 == 0:
        return UserBlock(words(row))
    if row % 5 == 1:
        return TextBlock(
            f"| a | b |\n|---|---|\n| w{row}a | {words(row)} |\n| w{row}b | more |\n\n", head=True
        )
    return TextBlock(
        f"- {words(row)}\n- {words(row + 1)}\n\n" if row % 5 == 2 else words(row) + "\n\n",
        head=row % 5 == 3,
    )


VIEW = TranscriptView(Vec(block(row) for row in range(60)), (TextBlock(words(67), head=True),))


def test_random_resizes_keep_the_anchor() -> None:
    async def journey(app: Screen, _: Pilot[None]) -> None:
        transcript = Sized()
        await app.mount(transcript)

        @settings(deadline=None, max_examples=examples(150))
        @given(st.integers(0, 10**4), steps)
        def stays(up: int, storm: list[tuple[int, int, bool]]) -> None:
            view = VIEW
            transcript.apply(view)
            transcript.resize(*SIZE)
            transcript.scroll_view("end")
            transcript.scroll_to(
                y=transcript.scroll_offset.y - 1 - up % (transcript.scroll_offset.y - 1)
            )
            transcript.scroll_view("line_up")
            before = rows_of(transcript)
            for width, height, grows in storm:
                transcript.resize(width, height)
                if grows and transcript.scroll_offset.y < transcript._last_top:
                    view = replace(view, rows=view.rows.append(block(len(view.rows))))
                    transcript.apply(view)
            transcript.resize(*SIZE)
            assert not transcript.following
            assert rows_of(transcript)[0] == before[0]

        stays()

    run(TranscriptView(Vec(), ()), journey)


def test_another_width_has_the_same_word_at_the_top() -> None:
    async def journey(app: Screen, _: Pilot[None]) -> None:
        transcript = Sized()
        await app.mount(transcript)
        transcript.apply(TranscriptView(Vec(UserBlock(words(13)) for _ in range(40)), ()))
        transcript.resize(*SIZE)
        transcript.scroll_view("top")
        transcript.scroll_to(y=7)
        word = rows_of(transcript)[0].split()[0]
        assert word.startswith("w13x")
        for width in (40, 200, 500, 21, 1, 59, 300):
            transcript.resize(width, 20)
            assert width == 1 or word in rows_of(transcript)[0].split()

    run(TranscriptView(Vec(), ()), journey)


def test_what_was_scrolled_to_stays_not_what_was_there_before() -> None:
    async def journey(app: Screen, _: Pilot[None]) -> None:
        transcript = Sized()
        await app.mount(transcript)
        transcript.apply(VIEW)
        transcript.resize(*SIZE)
        transcript.scroll_to(y=90)
        transcript.resize(500, 20)
        transcript.scroll_view("line_up")
        transcript.scroll_view("line_down")
        there = rows_of(transcript)[0]
        transcript.resize(*SIZE)
        assert there.split()[0] in rows_of(transcript)[0].split()

    run(TranscriptView(Vec(), ()), journey)
