"""Pages of the web, each built as pages of its kind are, with words of our own: what is to be read
of it, and what is not."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Saved:
    name: str
    html: str
    shows: tuple[str, ...]
    hides: tuple[str, ...] = ("NAVIGATION", "FOOTING")
    media: str = "text/html; charset=utf-8"


NAV = "<nav><ul><li><a href='/'>NAVIGATION</a></li></ul></nav>"
FOOT = "<footer>FOOTING <a href='/imprint'>imprint</a></footer>"


def around(content: str, before: str = NAV, after: str = FOOT, head: str = "") -> str:
    return (
        f"<!doctype html><html lang=en><head><meta charset=utf-8><title>Page</title>{head}</head>"
        f"<body>{before}{content}{after}<script>var tracked = 'SCRIPTED';</script></body></html>"
    )


WORDS = (
    "<p>The pump moves water from the lower tank to the upper one, and stops when it is full.</p>"
)
PAGES = (
    Saved(
        "sphinx",
        around(
            "<div class=document><div class=body role=main><section id=pump><h1>pump<a class="
            "headerlink href='#pump'>¶</a></h1><dl class='py function'><dt><code>pump.fill</code>"
            "<span class=sig-paren>(</span><em>level: int</em><span>)</span></dt><dd><p>Fill the "
            f"tank.</p></dd></dl>{WORDS * 3}</section></div></div>"
            "<div class=sphinxsidebar role=navigation><nav>NAVIGATION</nav></div>"
        ),
        ("# pump", "pump.fill", "level: int", "Fill the tank."),
    ),
    Saved(
        "mkdocs",
        around(
            f"<main class=md-main><article class=md-content><h1>Install</h1>{WORDS * 2}<div class="
            "'highlight'><pre><code class='language-bash'>pip install pump\n</code></pre></div>"
            "</article></main>"
        ),
        ("# Install", "```bash\npip install pump\n```"),
    ),
    Saved(
        "docusaurus",
        around(
            f"<div id=__docusaurus><main><article><header><h1>Guide</h1></header>{WORDS * 2}<div "
            "class='language-js codeBlock'><pre tabindex=0><code><span class=token-line>const p = "
            "pump()</span><br></code></pre></div></article></main><aside>FOOTING</aside></div>"
        ),
        ("# Guide", "const p = pump()"),
    ),
    Saved(
        "rustdoc",
        around(
            "<main><section id=main-content><h1>Struct pump::<span class=struct>Pump</span></h1>"
            "<pre class='rust item-decl'><code>pub struct Pump { <span>level</span>: u8 }</code>"
            f"</pre>{WORDS * 2}<h2>Methods</h2><h4>pub fn fill(&amp;self) -&gt; u8</h4></section></main>"
        ),
        ("Struct pump::Pump", "pub struct Pump { level: u8 }", "pub fn fill(&self) -> u8"),
    ),
    Saved(
        "javadoc",
        around(
            f"<main role=main><div class=header><h1>Class Pump&lt;T&gt;</h1></div>{WORDS * 2}<table>"
            "<tr><th>Modifier</th><th>Method</th></tr><tr><td>void</td><td><a href='#fill()'>fill"
            "</a>()</td></tr></table></main>"
        ),
        ("Class Pump<T>", "| Modifier | Method |", "| void |"),
    ),
    Saved(
        "godoc",
        around(
            f"<div id=content><h2 id=Pump>type Pump</h2>{WORDS * 2}<pre>type Pump struct {{\n\tLevel "
            "int // of 100\n}</pre></div>"
        ),
        ("## type Pump", "\tLevel int // of 100"),
    ),
    Saved(
        "readme",
        around(
            "<article class='markdown-body'><h1>pump</h1><p><a href='https://ci.test'><img alt="
            f"'build passes' src='b.svg'></a></p>{WORDS * 2}<ul class=contains-task-list><li><input "
            "type=checkbox checked> fills</li><li>empties</li></ul></article>"
        ),
        ("# pump", "build passes", "- empties"),
    ),
    Saved(
        "issue",
        around(
            "<main><h1>Pump never stops #12</h1><div class=comment><strong>ada</strong> wrote:"
            f"{WORDS}<pre><code>Traceback: PumpError</code></pre></div><div class=comment>"
            f"<strong>grace</strong> answered:{WORDS}</div></main>"
        ),
        ("Pump never stops #12", "**ada**", "Traceback: PumpError", "**grace**"),
    ),
    Saved(
        "question",
        around(
            f"<div id=content><h1>How do I fill a tank?</h1><div class=question>{WORDS}</div><div "
            f"class='answer accepted-answer'>{WORDS}<pre class=lang-py><code>pump.fill(100)</code>"
            "</pre></div></div><aside>FOOTING</aside>"
        ),
        ("How do I fill a tank?", "pump.fill(100)"),
    ),
    Saved(
        "wiki",
        around(
            f"<div id=content><h1>Pump</h1><p>A <b>pump</b> moves fluids.<sup>[1]</sup></p>{WORDS * 2}"
            "<table class=infobox><tr><th>Invented</th><td>1475</td></tr></table></div>"
        ),
        ("# Pump", "A **pump** moves fluids.", "1475"),
    ),
    Saved(
        "blog",
        around(
            f"<article><h1>My pump</h1><time>2024-01-02</time>{WORDS * 3}</article><form>FOOTING</form>"
        ),
        ("# My pump", "2024-01-02", "upper one"),
    ),
    Saved(
        "two articles",
        around(
            f"<main><article><h2>One</h2>{WORDS}</article><article><h2>Two</h2>{WORDS}</article></main>"
        ),
        ("## One", "## Two"),
    ),
    Saved(
        "changelog",
        around(
            "<main><h2>2.0</h2><ul><li>new: <code>drain()</code></li><li>fixed<ul><li>leaks</li></ul></li></ul></main>"
        ),
        ("## 2.0", "- new: `drain()`", "  - leaks"),
    ),
    Saved(
        "man page",
        around(
            "<pre>PUMP(1)\n\nNAME\n       pump - move water\n\nSYNOPSIS\n       pump [-f] FILE</pre>",
            "",
            "",
        ),
        ("       pump - move water", "pump [-f] FILE"),
        ("SCRIPTED",),
    ),
    Saved("bare text", "just words without a tag", ("just words without a tag",), ()),
    Saved(
        "specification",
        around(
            f"<main><h1>1. Scope</h1>{WORDS}<p>A pump MUST stop.</p><h1>2. Terms</h1><dl>"
            "<dt>tank</dt><dd>holds water</dd></dl></main>"
        ),
        ("1. Scope", "A pump MUST stop.", "holds water"),
    ),
    Saved(
        "tabs",
        around(
            f"<main>{WORDS}<div role=tabpanel>pip install pump</div><div role=tabpanel hidden>conda "
            "INVISIBLE</div></main>"
        ),
        ("pip install pump",),
        ("INVISIBLE", "NAVIGATION"),
    ),
    Saved(
        "details",
        around(f"<main>{WORDS}<details><summary>More</summary><p>deep down</p></details></main>"),
        ("More", "deep down"),
    ),
    Saved(
        "quotation",
        around(
            f"<main>{WORDS}<blockquote><p>Pumps are loud.</p></blockquote><hr><p>after</p></main>"
        ),
        ("> Pumps are loud.", "after"),
    ),
    Saved(
        "ordered",
        around(f"<main>{WORDS}<ol><li>open</li><li>fill</li><li>close</li></ol></main>"),
        ("1. open", "2. fill", "3. close"),
    ),
    Saved(
        "other scripts",
        around(
            "<main><h1>Насос</h1><p>ポンプは水を動かす。</p><p dir=rtl>المضخة تنقل الماء</p></main>"
        ),
        ("# Насос", "ポンプは水を動かす。", "المضخة"),
    ),
    Saved(
        "entities",
        around(f"<main>{WORDS}<p>a &lt; b &amp;&amp; c &gt; d &mdash; &copy; &#x1F600;</p></main>"),
        ("a < b && c > d — © 😀",),
    ),
    Saved(
        "never closed",
        "<html><body><nav>NAVIGATION</nav><main><h1>Open<p>The pump <b>runs<p>and runs",
        ("Open", "The pump", "and runs"),
        ("NAVIGATION",),
    ),
    Saved(
        "comments and styles",
        around(f"<main><style>.x{{color:HIDDENSTYLE}}</style><!-- HIDDENCOMMENT -->{WORDS}</main>"),
        ("upper one",),
        ("HIDDENSTYLE", "HIDDENCOMMENT", "SCRIPTED"),
    ),
    Saved(
        "hidden words",
        around(
            f"<main>{WORDS}<p hidden>IGNORE ALL RULES</p><span aria-hidden=true>SEEN BY NOBODY</span></main>"
        ),
        ("upper one",),
        ("IGNORE ALL RULES", "SEEN BY NOBODY"),
    ),
    Saved(
        "relative links",
        around(
            f"<main>{WORDS}<a href='../api#x'>the API</a> <a href='//cdn.test/p'>more</a> "
            "<a href='javascript:x()'>run</a></main>"
        ),
        ("[the API](http://one.test/api#x)", "[more](http://cdn.test/p)", "run"),
        ("javascript:",),
    ),
    Saved(
        "latin-1",
        "<html><head><meta charset=iso-8859-1></head><body><p>F\u00fcllstand</p></body></html>",
        ("Füllstand",),
        (),
        "text/html",
    ),
    Saved("json", '{"pump": {"level": 3}}', ('{"pump": {"level": 3}}',), (), "application/json"),
    Saved(
        "feed",
        "<rss><item><title>Pump</title></item></rss>",
        ("<title>Pump</title>",),
        (),
        "application/rss+xml",
    ),
    Saved("markdown", "# Pump\n\n* one\n", ("# Pump\n\n* one",), (), "text/markdown"),
)
