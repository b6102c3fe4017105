"""links.py FOLDER: says which links of the pages in FOLDER lead nowhere, and what a page would fetch from the network."""
import html.parser
import pathlib
import sys
import urllib.parse

FETCHED = {("img", "src"), ("script", "src"), ("link", "href"), ("iframe", "src"), ("source", "src")}


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.anchors, self.links, self.fetched = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id" or (tag == "a" and name == "name"):
                self.anchors.add(value)
            elif (tag, name) in FETCHED:
                self.fetched.append(value)
            elif name == "href":
                self.links.append(value)


def outside(address):
    return urllib.parse.urlsplit(address).scheme != "" or address.startswith("//")


def broken(pages, page, address):
    """Why this link of a page leads nowhere, or None."""
    name, _, anchor = urllib.parse.unquote(address).partition("#")
    target = (page.parent / name.partition("?")[0]).resolve() if name else page
    if not target.is_file():
        return "no such file"
    if anchor and target in pages and anchor not in pages[target].anchors:
        return "no such section"
    return None


def main(folder):
    files = [path.resolve() for path in folder.rglob("*.html")]
    pages = {path: Page(path.read_text()) for path in files}
    found = []
    for path, page in pages.items():
        shown = path.relative_to(folder.resolve())
        found += [f"{shown}: {address}: fetched from the network" for address in page.fetched if outside(address)]
        for address in page.links + page.fetched:
            reason = None if outside(address) else broken(pages, path, address)
            if reason:
                found.append(f"{shown}: {address}: {reason}")
    for style in folder.rglob("*.css"):
        if "url(http" in style.read_text() or "@import" in style.read_text():
            found.append(f"{style}: fetches from the network")
    print("\n".join(sorted(set(found))), end="\n" if found else "")
    return 1 if found or not pages else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
