"""Lines that are broken between words."""

from __future__ import annotations

from agent_tui.structures.readable import wrap_words


def test_words_stay_whole_and_below_each_other() -> None:
    line = "  BAD   no server answers at http://127.0.0.1:11434/a/very/long/address, start one"
    parts = wrap_words(line, 40, 8)
    assert all(len(part) <= 40 or "http" in part for part in parts)
    assert parts[0].startswith("  BAD   no server") and all(
        part.startswith(" " * 8) for part in parts[1:]
    )
    assert " ".join(part.strip() for part in parts) == line.strip()
    assert wrap_words(line, 0) == [line]
    assert len(wrap_words("one two", 1, 8)) == 1, "there is always some room"
