"""pdf.py PAGES FILE: the pages of the book in the order of its contents, as one PDF."""
import os
import pathlib
import sys

import weasyprint
from bs4 import BeautifulSoup

STYLE = """
@page { size: A4; margin: 2.2cm 2cm; @bottom-center { content: counter(page); font-size: 8pt } }
body { font: 10pt/1.45 sans-serif }
h1 { break-before: page }
h1, h2, h3 { break-after: avoid }
pre { font: 6.6pt/1.4 monospace; white-space: pre-wrap; background: #f4f4f4; padding: 4pt }
code { font: 90% monospace }
table { border-collapse: collapse; font-size: 8pt } td p, th p { margin: 0 } td, th { border: .5pt solid #bbb; padding: 2pt 4pt }
details { border-left: 2pt solid #999; padding-left: 8pt; margin: 6pt 0 } summary { font-weight: bold }
a { color: #1a4f8a; text-decoration: none }
.headerlink { display: none }
.contents a::after { content: leader('.') target-counter(attr(href), page) }
.contents p { margin: 2pt 0 2pt 1em } .contents h3 { margin: 8pt 0 2pt; break-after: avoid }
"""


def anchor(page, section=""):
    return f"{page}--{section}".replace("/", "-")


def contents(index):
    """Captions and pages as the side bar lists them: (caption, [(page, title)])."""
    parts = []
    for item in index.select(".sidebar-tree > .caption, .sidebar-tree > ul > li > a"):
        if item.name == "p":
            parts.append((item.get_text().strip(), []))
        else:
            parts[-1][1].append((item["href"], item.get_text().strip()))
    return parts


def article(pages, page, inside):
    """The text of one page; its anchors and links are made unique in the whole."""
    text = BeautifulSoup((pages / page).read_text(), "html.parser").select_one("article")
    for drop in text.select("script, .replay"):
        drop.decompose()
    for marked in text.select("[id]"):
        marked["id"] = anchor(page, marked["id"])
    for link in text.select("a[href]"):
        name, _, section = link["href"].partition("#")
        if ":" in name:
            continue
        target = os.path.normpath(os.path.join(os.path.dirname(page), name)) if name else page
        if target in inside:
            link["href"] = "#" + anchor(target, section)
        else:
            del link["href"] # a source file
    for folded in text.select("details"):
        folded.name = "div"
        folded["class"] = "folded"
        summary = folded.find("summary")
        if summary:
            summary.name = "p"
            summary["class"] = "summary"
    return f'<div id="{anchor(page)}">{text.decode_contents()}</div>'


def main(pages, file):
    parts = contents(BeautifulSoup((pages / "index.html").read_text(), "html.parser"))
    order = [page for _, listed in parts for page, _ in listed]
    inside = {"index.html", *order}
    table = "".join(f"<h3>{caption}</h3>" + "".join(f'<p><a href="#{anchor(page)}">{title} </a></p>' for page, title in listed)
                    for caption, listed in parts)
    text = f'{article(pages, "index.html", inside)}<div class="contents"><h1>Contents</h1>{table}</div>'
    text += "".join(article(pages, page, inside) for page in order)
    whole = f'<html lang="en"><head><title>CUDA labs</title></head><body>{text}</body></html>'
    style = STYLE.replace("details", ".folded").replace("summary", ".summary")
    weasyprint.HTML(string=whole, base_url=str(pages)).write_pdf(file, stylesheets=[weasyprint.CSS(string=style)])


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), sys.argv[2])
