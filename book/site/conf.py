"""Sphinx's settings for the book: make book. BOOK_MADE: the folder with what record.py made."""
import collections
import functools
import json
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import stage

project = html_title = "CUDA labs"
copyright = author = ""
html_show_copyright = html_show_sphinx = False
extensions = ["myst_parser"]
myst_heading_anchors = 4
myst_heading_slug_func = "stage.slug"
# What leads nowhere is found by links.py, in the pages as they are.
suppress_warnings = ["myst.xref_missing", "myst.header", "toc.not_included", "toc.empty_glob", "misc.highlighting_failure"]
highlight_language = "text"
pygments_style, pygments_dark_style = "default", "github-dark" # with enough contrast
html_theme = "furo"
html_static_path = ["static", os.environ["BOOK_MADE"]]
html_css_files = ["book.css"]
html_js_files = [(name, {"defer": ""}) for name in ("frames.js", "choose.js", "scroll.js")]
html_use_index = html_copy_source = html_show_sourcelink = False
html_show_search_summary = False # it would read pages by fetch, which browsers refuse for files on disk
html_search_scorer = str(pathlib.Path(__file__).with_name("scorer.js"))
html_theme_options = {"navigation_with_keys": True, "top_of_page_buttons": []}


# What a screen reader misses in the pages that Sphinx and furo make, by axe-core.
MENDED = {
    '<p class="caption" role="heading">': '<p class="caption" role="heading" aria-level="2">',
    '<aside class="sidebar-drawer">': '<aside class="sidebar-drawer" aria-label="All pages">',
    '<aside class="toc-drawer': '<aside aria-label="This page" class="toc-drawer',
    '<th class="head"><p></p></th>': "<td></td>",
    '<div id="search-results">': '<h1>Search</h1>\n<div id="search-results">',
}


def count_words(app, failure):
    """Before the search index, Search.counts: {stem: {number of the page: how often, if more than once}}."""
    indexer = getattr(app.builder, "indexer", None)
    if failure or not indexer:
        return
    stem = functools.cache(indexer.lang.stem)
    counts = collections.defaultdict(dict)
    known = indexer._mapping.keys() | indexer._title_mapping.keys()
    for number, page in enumerate(sorted(indexer._titles)):
        words = collections.Counter(map(stem, indexer._word_collector(app.env.get_doctree(page)).words))
        for word, count in words.items():
            if count > 1 and word in known:
                counts[word][number] = count
    index = pathlib.Path(app.outdir, "searchindex.js")
    index.write_text(f"Search.counts = {json.dumps(counts, separators=(',', ':'))};\n{index.read_text()}")


def mend(app, failure):
    for page in pathlib.Path(app.outdir).rglob("*.html"):
        text = page.read_text()
        for bad, good in MENDED.items():
            text = text.replace(bad, good)
        page.write_text(text)


def setup(app):
    from pygments.lexers import CudaLexer

    app.add_lexer("c", CudaLexer)
    app.connect("build-finished", count_words)
    app.connect("build-finished", mend)
