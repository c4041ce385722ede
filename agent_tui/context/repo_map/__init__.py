"""A map of a repository: what its files define, the most used first, in a budget of tokens.

Two passes keep it fast. The first goes over all files with patterns: which words each holds, and
which names it seems to define. From these comes the rank. Only files that have room in the map are
parsed. Both are kept in a cache, by path, size and time of change.
"""
