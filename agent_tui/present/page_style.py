"""The page around an exported session: its head, which forbids everything that is not in the file, and its looks."""

from __future__ import annotations

from typing import Final

HEAD: Final = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>"""
STYLE: Final = """\
</title>
<style>
:root { color-scheme: light dark; --text: #1f2328; --dim: #656d76; --ground: #ffffff; --raised: #f3f5f8;
  --line: #d5dae1; --accent: #0a5cc2; --bad: #b3261e; --good: #1a6b2f; --warning: #8a5a00; }
@media (prefers-color-scheme: dark) { :root { --text: #d8dce2; --dim: #949ba6; --ground: #14171c; --raised: #1d2128;
  --line: #333a45; --accent: #79b0ff; --bad: #ff8a80; --good: #7fd48f; --warning: #e8b866; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1rem 4rem; max-width: 52rem; background: var(--ground); color: var(--text);
  font: 1rem/1.6 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; line-height: 1.3; }
h2 { font-size: 1rem; margin: 0 0 .4rem; color: var(--accent); }
header { border-bottom: 1px solid var(--line); margin-bottom: 2rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; color: var(--dim); font-size: .9rem; }
dd { margin: 0; }
small { color: var(--dim); font-weight: normal; }
section { margin: 1.5rem 0; }
section.person { border-left: 3px solid var(--accent); padding-left: 1rem; }
section h1, section h3, section h4 { line-height: 1.3; }
a { color: var(--accent); }
pre { background: var(--raised); border: 1px solid var(--line); border-radius: 6px; padding: .75rem; overflow-x: auto;
  font-size: .875rem; line-height: 1.45; }
code { font-family: ui-monospace, monospace; font-size: .9em; }
pre code { font-size: inherit; }
table { border-collapse: collapse; display: block; overflow-x: auto; }
th, td { border: 1px solid var(--line); padding: .3rem .6rem; }
blockquote { margin-left: 0; padding-left: 1rem; border-left: 3px solid var(--line); color: var(--dim); }
details { margin: .5rem 0; border: 1px solid var(--line); border-radius: 6px; padding: .4rem .75rem; }
summary { cursor: pointer; }
details.bad > summary { color: var(--bad); }
.remark { color: var(--dim); font-size: .9rem; }
.remark.warning { color: var(--warning); }
.remark.error { color: var(--bad); }
"""
BODY: Final = """
code .gd { color: var(--bad); }
code .gi { color: var(--good); }
</style>
</head>
<body>
"""
END: Final = """
</body>
</html>
"""
