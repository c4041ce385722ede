"""What the recorded program said in a corner, while a recording is played."""

from __future__ import annotations

import asyncio

from agent_tui.paths import shipped_folder
from agent_tui.tui.core import msg
from agent_tui.tui.runtime.replay import ReplayApp
from agent_tui.tui.widgets.theme import load_theme
from tests.answers import answer_event
from tests.tui.recording.live import Live
from tests.tui.stage import until
from tests.tui.story import OPENING, answered, arrived


def test_it_leaves_the_keys_of_the_replay_in_view_below_a_sheet() -> None:
    live = Live()
    live.say(msg.Started(100, 10, home="/home/ada"))
    live.say(arrived(OPENING, *answered("Tidy the shop.", "It is **tidy**.")), 1.0)
    live.say(msg.KeyPressed(key="f1"))
    live.say(
        arrived(answer_event("shelf", "shelf", {"id": "b2", "done": "renamed", "problem": ""}))
    )
    player = live.replayed()
    app = ReplayApp(
        player,
        load_theme("dark", (shipped_folder("themes"),)),
        lambda *_: "",
        lambda _: "",
        speed=0,
        at=player.seconds,
    )
    app.animation_level = "none"

    async def shown() -> tuple[int, int]:
        async with app.run_test(size=(100, 10)) as pilot:
            await pilot.pause()
            toast = app.regions.toast
            # in the line that the sheet leaves above it, else at the bottom
            await until(
                lambda: (
                    0 < toast.region.bottom <= toast.sheet
                    or (0 <= toast.sheet <= 1 < toast.region.y)
                )
            )
            assert toast.value is not None and toast.value.text == "the session was renamed"
            return toast.region.bottom, app.regions.footer.region.y

    bottom, keys = asyncio.run(shown())
    assert bottom <= keys
