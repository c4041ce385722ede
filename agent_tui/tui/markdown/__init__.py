"""Markdown to styled lines, without a terminal: the parser and Pygments load with the first text
that is drawn."""
