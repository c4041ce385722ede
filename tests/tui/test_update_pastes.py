"""Pastes, chips and the person's own commands, as values."""

from __future__ import annotations

import pytest

from agent_tui.protocol.event import Restored
from agent_tui.protocol.events import (
    DraftSaved,
    QuestionAsked,
    QueueChanged,
    Rewound,
    SessionStarted,
    ShellEnded,
    ShellStarted,
    TurnEnded,
    TurnStarted,
)
from agent_tui.protocol.ops import Answer, Query, QueueEdit, RunShell, SaveDraft, Steer, Submit
from agent_tui.protocol.transcript import Queued, Transcript
from agent_tui.structures import chips
from agent_tui.structures.chips import Chip, Paste
from agent_tui.tui.core.effects import EditDraft, Remember, Send, Type
from agent_tui.tui.core.msg import ChipClicked, DraftChanged, DraftEdited, Pasted
from tests.answers import answer_event
from tests.tui.play import Play

LONG = "\n".join(f"line {number}" for number in range(120))
LABEL = chips.paste_chip(1, LONG).label
WHOLE = (Paste(0, len(LONG), 1),)
IMAGE = {"path": "/tmp/shot.png", "width": 1280, "height": 720, "problem": ""}


def drafted(text: str) -> Play:
    play = Play()
    play.type(text)
    return play


def saved(play: Play) -> list[SaveDraft]:
    return [
        effect.op
        for effect in play.effects
        if isinstance(effect, Send) and isinstance(effect.op, SaveDraft)
    ]


def test_a_long_paste_is_a_chip_and_is_sent_whole() -> None:
    play = drafted("look at ")
    play.say(Pasted(LONG))
    assert play.text == f"look at {LABEL}"
    play.type(" please")
    play.take()
    play.press("enter")
    assert play.ops == [Submit(f"look at {LONG} please", pastes=(Paste(8, 8 + len(LONG), 1),))]
    assert play.takes(Remember) == [Remember(f"look at {LONG} please")]


def test_a_long_paste_into_an_answer_is_a_chip_too() -> None:
    play = Play()
    play.feed(QuestionAsked(id="q", kind="skill_argument", text="/x needs <y>", session="s"))
    play.say(Pasted(LONG))
    assert play.text == LABEL
    play.press("enter")
    assert play.take() == [Answer("q", "say", LONG, WHOLE)]


def test_what_is_searched_for_holds_no_chip_and_says_what_was_left_out() -> None:
    play = Play()
    play.press("ctrl+f")
    play.say(Pasted("x" * 60_000))
    assert len(play.text) == 50_000
    assert "first 50,000" in play.toast


def test_the_footer_names_the_key_that_shows_a_chip() -> None:
    play = Play()
    play.say(Pasted(LONG))
    assert ("F4", "show paste") in play.view.footer.keys
    image(play)
    assert ("F4", "show image") in play.view.footer.keys


def test_the_editor_gets_the_text_and_what_is_unchanged_folds_again() -> None:
    play = drafted("see ")
    play.say(Pasted(LONG))
    play.effects.clear()
    play.press("ctrl+g")
    assert play.takes(EditDraft) == [EditDraft(f"see {LONG}")]
    play.say(DraftEdited(f"do see {LONG}"))
    assert play.text == f"do see {LABEL}"


def test_short_pastes_are_text() -> None:
    play = Play()
    play.say(Pasted("one\ntwo\r"))
    assert play.text == "one\ntwo\r"
    assert not play.model.composer.chips
    play.say(Pasted(""))
    assert play.text == "one\ntwo\r"


def test_the_saved_draft_carries_what_its_chips_stand_for() -> None:
    play = Play()
    play.say(Pasted(LONG))
    assert saved(play)[-1] == SaveDraft(LABEL, (Chip(LABEL, LONG),))


def test_a_draft_that_comes_back_has_its_chips_and_new_ones_get_new_numbers() -> None:
    play = Play(started=False)
    transcript = DraftSaved(f"see {LABEL}", (Chip(LABEL, LONG),)).apply(
        Transcript(session="s", model="fake/model")
    )
    play.feed(Restored(transcript))
    assert play.text == f"see {LABEL}"
    play.say(Pasted("x\n" * 50))
    assert chips.number(play.model.composer.chips[-1].label) == 2
    play.feed(SessionStarted(session="s", model="fake/model", resumed=True))
    play.press("enter")
    pastes = Paste(4, 4 + len(LONG), 1), Paste(4 + len(LONG), 104 + len(LONG), 2)
    assert play.take()[-1] == Submit(f"see {LONG}" + "x\n" * 50, pastes=pastes)


def test_a_queued_prompt_that_is_taken_back_has_its_chip_again() -> None:
    play = Play()
    play.begin()
    play.say(Pasted(LONG))
    play.press("enter")
    assert play.take() == [QueueEdit("add", text=LONG, pastes=WHOLE)]
    play.feed(QueueChanged(items=(Queued("q", LONG),)))
    play.press("up")
    assert play.text == LABEL
    play.type(" now")
    play.press("enter")
    assert play.take() == [QueueEdit("edit", "q", f"{LONG} now", WHOLE)]


def test_a_steered_prompt_says_what_was_pasted() -> None:
    play = Play()
    play.begin()
    play.say(Pasted(LONG))
    play.press("alt+s")
    assert play.take() == [Steer(LONG, pastes=WHOLE)]


def test_what_waits_shows_its_label_and_its_own_words() -> None:
    play = Play()
    play.begin()
    sent, pastes = chips.expand_chips(f"look at {LABEL} and tell", [Chip(LABEL, LONG)])
    waiting = (Queued("q", sent, pastes=pastes), Queued("s", sent, steer=True, pastes=pastes))
    shown = play.feed(QueueChanged(items=waiting)).queue
    assert shown is not None
    said = f"look at {LABEL} and tell"
    assert (shown.items, shown.steers) == ((said,), (said,))
    sheet = play.press("alt+q").overlay
    assert sheet is not None and [option.label for option in sheet.options] == [said, said]


def test_a_queued_prompt_of_an_earlier_run_is_edited_with_its_chips() -> None:
    other = "\n".join(f"row {number}" for number in range(40))
    known = [Chip(LABEL, LONG), chips.paste_chip(2, other)]
    sent, pastes = chips.expand_chips(f"this {LABEL} that {known[1].label} why", known)
    play = Play(started=False)
    queue = (Queued("q", sent, pastes=pastes), Queued("r", f"{LONG}\nand", pastes=WHOLE))
    play.feed(Restored(Transcript(session="s", model="fake/model", queue=queue, paused=True)))
    play.feed(SessionStarted(session="s", model="fake/model", resumed=True))
    play.press("up", "up")
    labels = [chip.label for chip in play.model.composer.chips]
    assert [chip.text for chip in play.model.composer.chips] == [LONG, other]
    assert play.text == f"this {labels[0]} that {labels[1]} why", "up again went to the one before"
    play.take()
    play.press("enter")
    assert not play.take(), "nothing was changed"
    play.press("up", "up")
    play.type("!")
    play.press("enter")
    [edit] = play.take()
    assert isinstance(edit, QueueEdit) and edit.text == f"{sent}!"
    assert [sent[paste.start : paste.end] for paste in edit.pastes] == [LONG, other]
    assert play.view.queue is not None
    assert "Pasted" in play.view.queue.items[0], "before it is confirmed"


def test_a_prompt_of_an_earlier_run_without_an_answer_comes_back_with_its_chips() -> None:
    play = Play()
    text, pastes = f"see {LONG} now", (Paste(4, 4 + len(LONG), 3),)
    play.feed(TurnStarted(text, turn=1, session="s", pastes=pastes))
    play.feed(TurnEnded(state="cancelled", turn=1, session="s"))
    assert play.text == f"see {LABEL} now"


def test_a_chip_is_looked_at_and_unfolded() -> None:
    play = Play()
    play.say(Pasted(LONG))
    shown = play.press("f4")
    assert shown.overlay is not None
    assert "120 lines" in shown.overlay.title
    play.asked = (10, 120)
    play.press("down", "pagedown")
    assert play.model.overlay is not None
    assert play.model.overlay.scroll == 11
    play.press("enter")
    assert play.text == LONG
    assert play.view.overlay is None
    play.press("f4")
    assert play.model.overlay is None


def test_a_click_opens_the_chip_and_escape_leaves_it() -> None:
    play = Play()
    play.say(Pasted(LONG))
    play.say(ChipClicked(LABEL))
    assert play.model.overlay is not None
    play.press("escape")
    assert play.text == LABEL
    assert play.view.overlay is None
    play.say(ChipClicked("[nothing]"))
    assert play.model.overlay is None


def test_what_is_too_long_to_edit_stays_folded() -> None:
    play = Play()
    play.say(Pasted("x" * 60_000))
    play.press("f4", "enter")
    assert chips.spans(play.text)
    assert "too long" in play.toast


def test_the_path_of_an_image_becomes_a_chip_once_it_is_one() -> None:
    play = drafted("what is ")
    play.take()
    play.say(Pasted("/tmp/shot.png"))
    asked = next(op for op in play.take() if isinstance(op, Query))
    assert (asked.kind, asked.argument, play.text) == (
        "image",
        "/tmp/shot.png",
        "what is /tmp/shot.png",
    )
    play.feed(answer_event(asked.id, "image", IMAGE))
    assert play.text.replace("\u00a0", " ") == "what is [Image #1 · shot.png · 1280×720] "
    play.type("for")
    play.press("enter")
    assert play.take() == [Submit("what is @/tmp/shot.png for")]


def image(play: Play, **told: object) -> str:
    """The clipboard's image is put in; its label."""
    play.press("ctrl+v")
    play.feed(answer_event("clipboard_image", "clipboard_image", {**IMAGE, **told}))
    return play.model.composer.chips[-1].label.replace("\u00a0", " ")


def test_the_numbers_of_images_begin_anew_in_each_prompt() -> None:
    play = Play()
    play.say(Pasted(LONG))
    assert [image(play)[:9], image(play, path="b.png")[:9]] == ["[Image #1", "[Image #2"]
    play.take()
    play.press("enter")
    assert play.take() == [Submit(f"{LONG} @/tmp/shot.png @b.png ", pastes=WHOLE)]
    assert image(play, path="c.png")[:9] == "[Image #1"


def test_a_label_that_stood_for_another_file_is_not_used_for_this_one() -> None:
    play = Play()
    first = image(play)
    for _ in range(2):
        play.press("enter")
        play.begin()
        play.end()
        assert image(play) == first
    play.press("enter")
    play.begin()
    play.end()
    assert image(play, path="/other/shot.png").startswith("[Image #2 · shot.png")
    play.take()
    play.press("enter")
    assert play.take() == [Submit("@/other/shot.png ")]


def test_an_image_before_a_blank_gets_no_other_one() -> None:
    play = drafted("see  now")
    play.say(DraftChanged("see  now", 4))
    label = image(play)
    assert play.takes(Type) == [Type(label.replace(" ", "\u00a0"))]


def test_the_name_of_an_image_stands_in_the_prompt_when_that_is_wanted() -> None:
    play = drafted("what is ")
    image(play, path="a b.png")
    play.type("for")
    play.press("f4", "enter")
    assert play.text == 'what is @"a b.png" for'
    assert not [op for op in play.take() if isinstance(op, Query) and op.kind == "image"]


def test_a_path_that_is_no_image_stays_what_it_was() -> None:
    play = Play()
    play.say(Pasted("/tmp/none.png"))
    asked = next(op for op in play.take() if isinstance(op, Query))
    play.feed(answer_event(asked.id, "image", {"path": "", "problem": "no such file"}))
    assert play.text == "/tmp/none.png"


def test_a_named_image_becomes_a_chip_when_the_prompt_goes_on() -> None:
    play = Play()
    play.say(DraftChanged("@shot.png is", 12))
    play.text = "@shot.png is"
    asked = [op for op in play.take() if isinstance(op, Query) and op.kind == "image"]
    assert [op.argument for op in asked] == ["shot.png"]
    play.feed(answer_event(asked[0].id, "image", IMAGE))
    assert play.text.endswith("1280×720] is")
    assert not [op for op in play.take() if isinstance(op, Query) and op.kind == "image"]


def test_the_clipboard_s_image_comes_in_or_its_trouble_is_said() -> None:
    play = Play()
    play.press("ctrl+v")
    assert play.take() == [Query("clipboard_image", "clipboard_image")]
    play.feed(answer_event("clipboard_image", "clipboard_image", IMAGE))
    assert "shot.png" in play.text
    play.feed(
        answer_event("clipboard_image", "clipboard_image", {"path": "", "problem": "it hangs"})
    )
    assert play.toast == "it hangs"


def test_a_command_of_the_person_runs_at_once_also_beside_a_turn() -> None:
    play = drafted("!git status")
    assert "shell command" in play.view.prompt.label
    play.press("enter")
    assert play.take() == [RunShell("git status")]
    play.begin()
    play.take()
    play.type("! ls ")
    play.press("enter")
    assert play.take() == [RunShell("ls")]


def test_a_private_command_goes_into_no_file() -> None:
    play = Play()
    play.type("!!cat key")
    assert "private" in play.view.prompt.label
    play.press("enter")
    assert play.ops[-1] == RunShell("cat key", private=True)
    assert not any("cat" in op.text for op in saved(play))
    assert play.takes(Remember) == []
    play.feed(
        answer_event(
            "c", "private", {"command": "cat key", "said": "exit code 0", "output": "s3cret"}
        )
    )
    assert play.view.overlay is not None
    assert "s3cret" in str(play.view.overlay.lines)


def test_nothing_to_run_is_said() -> None:
    play = drafted("!")
    play.press("enter")
    assert play.ops == []
    assert "command" in play.toast


def test_a_prompt_waits_for_the_output_of_a_command() -> None:
    play = Play()
    play.feed(ShellStarted(call_id="c", label="! make"))
    assert play.model.is_running
    play.type("why?")
    play.press("enter")
    assert [type(op) for op in play.take()] == [QueueEdit]
    play.feed(
        ShellEnded(call_id="c", label="! make", command="make", content="exit code 2", idle=True)
    )
    assert not play.model.is_running


def test_a_clipboard_without_an_image_is_said() -> None:
    play = Play()
    play.press("ctrl+v")
    play.feed(answer_event("clipboard_image", "clipboard_image", {"path": "", "problem": ""}))
    assert play.toast.startswith("no image in the clipboard")
    assert play.takes(Type) == [Type("", "ctrl+v")], "what was cut here is put in"


@pytest.mark.parametrize(
    ("text", "unmarked", "said"),
    [
        ("ok\ny", True, True),
        ("ok\ny", False, False),
        ("a\nb\nc", True, False),
        ("x" * 60 + "\ny", True, False),
    ],
)
def test_an_enter_that_became_a_line_break_is_said(text: str, unmarked: bool, said: bool) -> None:
    play = Play()
    play.say(Pasted(text, unmarked))
    assert play.text == text and not play.ops
    assert ("not sent" in play.toast) is said


def test_hidden_characters_are_taken_out_of_a_paste_and_told() -> None:
    play = Play()
    play.say(Pasted("read\u200b this\U000e0041"))
    assert play.text == "read this" and play.toast == "2 hidden characters removed from the paste"
    long = "\n".join(f"line {number}\u00ad" for number in range(20))
    play.say(Pasted(long))
    assert "20 hidden characters" in play.toast
    play.press("enter")
    [sent] = [op for op in play.ops if isinstance(op, Submit)]
    assert "\u00ad" not in sent.text and "line 19" in sent.text


def test_the_list_of_prompts_to_go_back_to_shows_labels_and_own_words() -> None:
    play = Play()
    text, pastes = chips.expand_chips(f"{LABEL} why?", (Chip(LABEL, LONG),))
    play.feed(TurnStarted(text, turn=1, session="s", n=5, pastes=pastes))
    play.feed(TurnEnded(state="completed", turn=1, session="s"))
    play.type("/rewind")
    sheet = play.press("enter").overlay
    assert sheet is not None and [option.label for option in sheet.options] == [f"{LABEL} why?"]


def test_a_rewind_in_a_later_run_gives_the_prompt_back_with_its_chips() -> None:
    text, pastes = chips.expand_chips(f"{LABEL} why?", (Chip(LABEL, LONG),))
    before = TurnStarted(text, turn=1, session="s", n=5, pastes=pastes).apply(Transcript(model="m"))
    before = TurnEnded(state="completed", turn=1, session="s").apply(before)
    play = Play(started=False)
    play.feed(Restored(before), SessionStarted(session="s", model="fake/model", resumed=True))
    play.feed(Rewound(5, session="s", n=9))
    assert play.text == f"{LABEL} why?"
    assert [chip.text for chip in play.model.composer.chips] == [LONG]
