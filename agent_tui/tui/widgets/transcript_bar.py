"""The scrollbar of the transcript, which is told only what can be seen of it."""

from __future__ import annotations

from textual.scrollbar import ScrollBar

Thumb = tuple[int, ...]


def feed(bar: ScrollBar, total: int, height: int, top: int) -> Thumb:
    """Tell `bar` of `total` lines of which `height` are in view from `top` on; returns how it looks (the thumb in
    eighths of a cell). It repaints whole for any change: refresh it only when that is another look."""
    total = max(1, total)
    size = max(1.0, height * height / total)
    bar.set_reactive(type(bar).window_virtual_size, total)
    bar.set_reactive(type(bar).window_size, height)
    bar.set_reactive(type(bar).position, float(top))
    return int((height - size) * top / max(1, total - height) * 8), int(size * 8), height, int(total > height)
