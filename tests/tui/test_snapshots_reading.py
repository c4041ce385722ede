"""Pictures of the screen while somebody reads: answers, diffs, searches, sizes and themes."""

from __future__ import annotations

from typing import Any

import pytest
from textual.pilot import Pilot

from agent_tui.protocol import display as d
from agent_tui.protocol.events import QueueChanged, SteerSeen, StepStarted, TurnStarted
from agent_tui.protocol.transcript import Queued
from agent_tui.structures import chips
from agent_tui.tui.core.model import Model
from agent_tui.tui.runtime.app import AgentApp
from agent_tui.tui.transcript.widget import Transcript
from tests.tui.story import (
    NOW,
    Stories,
    Story,
    answered,
    arrived,
    begun,
    compare,
    did,
    looked,
    pressed,
    replied,
    told,
    typed,
)

STORIES = Stories()

ANSWER = """\
## Why the total is off by a cent

The price is rounded **twice**: once in `cart.py`, once when it is printed. Each is right by itself; *together* they \
move a third of all totals. ~~Rounding in the database~~ is not needed; see [the note](https://example.org/money).

```python
def total(items: list[Item]) -> Decimal:
    \"\"\"The sum of all prices, rounded once.\"\"\"
    return sum((item.price for item in items), Decimal(0)).quantize(CENT)  # the only place
```

> A value is rounded once, where it leaves the program.

1. Round in `total` only.
2. Print what `total` gives.

---

### Next

Change `total` first, then run the tests.
"""
LISTS = """\
- Find the places
  1. in `cart.py`
     - the sum
     - the mean, which fails for an empty cart and has a line that is long enough to be wrapped under its own text
  2. in `till.py`
- [x] decide which one stays
- [ ] change the other
  - [x] its test
  - [ ] its words
"""
TABLE = """\
| Release | Date | Start-up | What changed |
|:--|:-:|--:|:--|
| 1.4 | 2026-06-02 | 212 ms | the cart is read lazily, and the till keeps one connection open for all of its requests |
| 1.5 | 2026-07-14 | 88 ms | `Decimal` everywhere |
| 2.0 | 2026-09-01 | 9 ms | **old themes are refused** |
"""
WIDE = """\
# 中文、日本語、한국어

购物车的总价被四舍五入了**两次**：一次在 `cart.py` 里，一次在打印的时候。合在一起就会差一分钱，科隆的商店报告了它。

- 合計は一度だけ丸めます。合계는 한 번만 반올림합니다.
- Emoji: 👍🏽 👨‍👩‍👧 🇩🇪 ❤️ ✅, and combining marks: é ñ ü
- שלום עולם, شكرا جزيلا, and back to English.

| 言語 | 挨拶 | |
|---|---|---|
| 日本語 | こんにちは | 🎉 |
| 中文 | 你好 | 🐉 |
"""
DIFF = d.DiffDisplay(
    "shop/cart.py",
    (
        d.Hunk(
            9,
            9,
            (
                " ",
                " def summary(prices: list[float]) -> str:",
                '     """One line for the receipt."""',
                "-    mean = sum(prices) / len(prices)",
                '-    return f"{len(prices)} items, {mean:.2f} each"',
                "+    if not prices:",
                '+        return "an empty cart"',
                "+    mean = sum(prices, Decimal(0)) / len(prices)",
                '+    return f"{len(prices)} items, {mean.quantize(CENT)} each"',
                " ",
            ),
        ),
        d.Hunk(
            40,
            42,
            (" def main() -> None:", "-    print(summary([]))", "+    print(summary(read()))"),
        ),
    ),
    5,
    3,
)


@pytest.fixture(autouse=True)
def no_surprises(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ada")
    monkeypatch.delenv("NO_COLOR", raising=False)


@STORIES.each()
def test_the_page_looks_as_it_did(story: Story, snap_compare: Any) -> None:
    compare(story, snap_compare)


def edited() -> Model:
    return told(
        *begun("Mend both places."),
        *did("Edit shop/cart.py", DIFF, 5, "allowed once"),
        *replied("An empty cart says so now."),
    )


def answer() -> Model:
    return told(*answered("Why is the total wrong?", ANSWER))


@STORIES.add()
def a_long_answer_reads_like_a_page() -> Model:
    return answer()


@STORIES.add()
def lists_nest_and_tasks_are_ticked() -> Model:
    return told(*answered("What is to be done?", LISTS))


@STORIES.add(size=(80, 24))
def a_table_fits_the_width() -> Model:
    return told(*answered("What changed?", TABLE))


@STORIES.add(size=(44, 24))
def a_table_without_room_is_a_list() -> Model:
    return a_table_fits_the_width()


@STORIES.add(size=(80, 24))
def wide_letters_and_emoji_keep_the_rows() -> Model:
    return told(*answered("三种语言", WIDE))


@STORIES.add(size=(160, 30))
def a_wide_diff_stands_side_by_side() -> Model:
    return edited()


@STORIES.add(size=(80, 30))
def a_narrow_diff_is_one_column() -> Model:
    return edited()


@STORIES.add()
def a_search_marks_its_hits_and_counts_them() -> Model:
    return typed(pressed(answer(), "ctrl+f"), "total")


@STORIES.add()
def times_stand_at_the_right_edge() -> Model:
    return looked(
        told(*answered("And now?", "It is right."), before=edited(), at=NOW + 4), timestamps=True
    )


@STORIES.add()
def durations_can_be_hidden() -> Model:
    return looked(times_stand_at_the_right_edge(), timestamps=False, durations=False)


@STORIES.add(size=(100, 54))
def answers_and_code_can_be_chosen_to_copy() -> Model:
    model = typed(answer(), "/copy")
    return pressed(pressed(model, "enter", draft="/copy"), "down")


async def up_and_three_more(pilot: Pilot[Any]) -> None:
    """Read further up while something goes on at the end."""
    app = pilot.app
    assert isinstance(app, AgentApp)
    app.query_one(Transcript).scroll_view("top")
    await pilot.pause()
    app.dispatch(arrived(*answered("And now?", "It is right."), at=NOW + 12))


@STORIES.add(size=(80, 24), then=up_and_three_more)
def what_came_below_is_counted() -> Model:
    return answer()


def pasted(said: str) -> tuple[str, tuple[chips.Paste, ...]]:
    """What is sent where `said` has a log of a failed test at `A`, and a function at `B`."""
    log = chips.paste_chip(
        1, "".join(f"FAILED tests/test_cart.py::test_total[{n}]\n" for n in range(80))
    )
    code = chips.paste_chip(2, "\n".join(f"    step_{n}()" for n in range(120)))
    return chips.expand_chips(said.replace("A", log.label).replace("B", code.label), (log, code))


@STORIES.add(size=(100, 24))
def a_prompt_shows_its_own_words_and_a_label_for_each_paste() -> Model:
    text, pastes = pasted("Why do these fail?\nA since this change: B\nDo not touch the tests.")
    steer, more = pasted("and look at B, too")
    waits, last = pasted("then mend A and say how")
    answer = "The total is rounded twice."
    return told(
        TurnStarted(turn=1, prompt=text, pastes=pastes),
        StepStarted(turn=1, step=1),
        *replied(answer),
        SteerSeen(steer, pastes=more),
        QueueChanged((Queued("q", waits, pastes=last),)),
    )


@STORIES.add(size=(44, 24))
def labels_are_whole_in_a_narrow_terminal() -> Model:
    return a_prompt_shows_its_own_words_and_a_label_for_each_paste()


@STORIES.add(size=(16, 4))
def a_tiny_terminal_says_so() -> Model:
    return answer()


@STORIES.add(size=(40, 24))
def forty_columns_are_enough() -> Model:
    return edited()


@STORIES.add(size=(200, 40))
def two_hundred_columns_keep_lines_short() -> Model:
    return answer()


@STORIES.add(theme="light")
def the_light_theme_is_paper() -> Model:
    return answer()


@STORIES.add(theme="light")
def the_light_theme_shows_a_diff() -> Model:
    return edited()


@STORIES.add(theme="ansi")
def the_terminal_s_own_colours_do() -> Model:
    return answer()


@STORIES.add(theme="no-colour")
def a_page_without_colour() -> Model:
    return answer()


@STORIES.add(theme="no-colour")
def ascii_is_enough() -> Model:
    return looked(told(*answered("What is to be done?", LISTS + "\n" + TABLE)), ascii=True)
