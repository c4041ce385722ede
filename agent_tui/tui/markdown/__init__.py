"""Markdown to styled lines, without a terminal: the parser and Pygments load with the first text that is drawn."""

from agent_tui.tui.markdown.lines import Line as Line
from agent_tui.tui.markdown.lines import Segment as Segment
from agent_tui.tui.markdown.render import render as render
