"""`/permissions` on the screen: what was allowed is taken back, what was denied is allowed once."""

from __future__ import annotations

from agent_tui.protocol.ops import AllowOnce, Query, RevokePermission
from tests.answers import answer_event
from tests.tui.lists import labels, sheet, text
from tests.tui.play import Play

ALLOWED = {"id": "1f", "kind": "allow", "text": "Run shell command pytest …", "folder": "/work"}
OWN = {"id": "", "kind": "deny", "text": "run_shell_command(git push *)"}
DENIED = {"call_id": "c7", "label": "Run make", "reason": "auto mode asks", "may_retry": True}
BLOCKED = {"call_id": "c8", "label": "Run ls", "reason": "your rule denies it"}


def asked(**known: object) -> Play:
    play = Play()
    play.type("/permissions")
    play.press("escape", "enter")
    overlay = play.model.overlay
    assert overlay is not None and play.take() == [Query(overlay.query, "permissions")]
    session = play.model.active
    play.feed(answer_event(overlay.query, "permissions", dict(known), session=session))
    return play


def test_all_of_it_is_listed_in_groups() -> None:
    play = asked(session=[ALLOWED], settings=[OWN], denied=[DENIED, BLOCKED])
    assert labels(play) == [
        "Run shell command pytest …",
        "Run make",
        "Run ls",
        "run_shell_command(git push *)",
    ]
    groups = [option.label for option in sheet(play).options if option.heading and option.label]
    assert groups == ["Allowed in this session", "Denied", "Your settings"]
    assert "Only in /work." in text(play)


def test_enter_takes_back_what_was_allowed() -> None:
    for known in ({"session": [ALLOWED]}, {"folder": [ALLOWED]}):
        play = asked(**known)
        play.press("enter")
        assert play.take() == [RevokePermission("1f")]


def test_what_is_allowed_for_good_says_where() -> None:
    play = asked(folder=[ALLOWED])
    groups = [option.label for option in sheet(play).options if option.heading and option.label]
    assert groups == ["Allowed in this folder"] and "for good, in every session" in text(play)


def test_enter_allows_once_what_was_denied() -> None:
    play = asked(denied=[DENIED])
    play.press("enter")
    assert play.take() == [AllowOnce("c7")]


def test_a_rule_of_the_settings_and_what_was_blocked_are_only_read() -> None:
    for rows in ({"settings": [OWN]}, {"denied": [BLOCKED]}):
        play = asked(**rows)
        play.press("enter")
        assert play.take() == [] and play.model.overlay is not None
        assert play.model.toast is not None
