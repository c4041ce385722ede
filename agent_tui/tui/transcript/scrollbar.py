"""The scrollbar of the transcript. It moves with each line that is written, so it is drawn from
ready strips."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, Final

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Region
from textual.scroll_view import ScrollView
from textual.scrollbar import ScrollBar, ScrollBarRender
from textual.strip import Strip

Thumb = tuple[int, ...]
WHEEL: Final = 3
"""Lines that one notch of the wheel moves."""
MOST: Final = 100
"""Ready strips (a glyph in its colours) that are kept."""


class Bar(ScrollBar, inherit_css=False):
    """Textual's vertical scrollbar, whose look is made once for each place of its thumb."""

    DEFAULT_CLASSES: ClassVar[str] = "-textual-system"

    def __init__(self, thickness: int) -> None:
        super().__init__(vertical=True, name="vertical", thickness=thickness)
        self._ready: dict[tuple[str, Style | None], Strip] = {}

    def feed(self, total: int, height: int, top: int) -> Thumb:
        """There are `total` lines, of which `height` are in view from `top` on; returns how that
        looks (the thumb in eighths of a cell). It repaints whole for any change: refresh it only
        when that is another look."""
        total = max(1, total)
        size = max(1.0, height * height / total)
        self.set_reactive(ScrollBar.window_virtual_size, total)
        self.set_reactive(ScrollBar.window_size, height)
        self.set_reactive(ScrollBar.position, float(top))
        return (
            int((height - size) * top / max(1, total - height) * 8),
            int(size * 8),
            height,
            int(total > height),
        )

    def render_lines(self, crop: Region) -> list[Strip]:
        """Own paint path: Textual's takes 2 ms for these few glyphs."""
        render = self.render()
        assert isinstance(render, ScrollBarRender)
        style = render.style
        assert isinstance(style, Style) and style.color and style.bgcolor
        drawn = render.render_bar(
            size=self.size.height,
            virtual_size=render.virtual_size,
            window_size=render.window_size,
            position=render.position,
            thickness=self.thickness,
            vertical=True,
            back_color=style.bgcolor,
            bar_color=style.color,
        )
        return [self._strip(segment) for segment in drawn.segments[crop.y : crop.y + crop.height]]

    def _strip(self, segment: Segment) -> Strip:
        key = (segment.text, segment.style)
        known = self._ready.get(key)
        if known is None:
            if len(self._ready) > MOST:
                self._ready.clear()
            segments = [segment]
            for each in self.get_line_filters():
                segments = each.apply(segments, self.background_colors[1])
            known = self._ready[key] = Strip(segments, self.thickness)
        return known


class WithBar(ScrollView):
    """A scroll view with a `Bar`, which moves at once, by whole lines, also by the wheel."""

    @abstractmethod
    def _go_by(self, lines: int) -> None:
        """Scroll at once."""

    @abstractmethod
    def _go(self, line: float) -> None:
        """Bring `line` to the top at once."""

    def scroll_to(self, x: float | None = None, y: float | None = None, **_: Any) -> None:  # noqa: ARG002
        """Textual's own ways to scroll (the scrollbar among them) end here. Never animated."""
        if y is not None:
            self._go(y)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        if round(old_value) != round(new_value):
            self._go(new_value)

    def _on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        event.prevent_default()
        self._go_by(-WHEEL)

    def _on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        event.prevent_default()
        self._go_by(WHEEL)

    @property
    def vertical_scrollbar(self) -> Bar:
        """Made when it is first asked for, as Textual does it."""
        bar = self._vertical_scrollbar
        if not isinstance(bar, Bar):
            bar = self._vertical_scrollbar = Bar(self.scrollbar_size_vertical)
            bar.display = False
            self.app._start_widget(self, bar)
        return bar
