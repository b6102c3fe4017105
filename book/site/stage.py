"""stage.py FOLDER: the texts that the book is made of, as Sphinx takes them, in FOLDER.

The tree stays as it is, so that links between texts hold. A link to a source file leads to a page with that file, a
link to steps/ to a list of its files; what else is in the repository and not in the book becomes plain text.
"""
import os
import pathlib
import re
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SITE = ROOT / "book/site"
TEXTS = ["README.md", "CONTRIBUTING.md", "lab*/*.md", "lab*/*/README.md", "book/*.md", "docs/*.md", "docs/evidence/*.md",
         "calculators/*.md"]
LANGUAGES = {".cu": "cuda", ".h": "cuda", ".c": "c", ".def": "c"}
LARGEST_SOURCE = 100_000
# Below these pictures and their captions stand pictures with sliders, by their frames' names.
SLIDERS = {"lab01_global_memory/pictures/stride.svg": "stride", "lab02_shared_memory/pictures/banks.svg": "padding",
           "lab02_shared_memory/pictures/race.svg": "race", "lab06_coop_groups/pictures/sm.svg": "sm"}
CAPTIONED = re.compile(r"^!\[[^\]]*\]\((\S+)\)\n\n\*[^*]+\*$", re.M)
LISTING = re.compile(r"^```.*?^```", re.M | re.S)
# Comments, but for what looks like one in code; a comment may quote code as well, so that the first to begin counts.
COMMENT = re.compile(r"<!--.*?-->|(?P<code>" + LISTING.pattern +
                     r"|^(?: {4}[^\n]*\n)+|(?P<mark>`+)(?!`).+?(?<!`)(?P=mark)(?!`))", re.M | re.S)
LINK = re.compile(r"(?<!\!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")
REFERENCE = re.compile(r"^\[([^\]]+)\]: (\S+)$", re.M)


def outside_listings(text, change):
    """text, with change() applied to what is no listing."""
    parts, end = [], 0
    for code in LISTING.finditer(text):
        parts += [change(text[end:code.start()]), code.group()]
        end = code.end()
    return "".join(parts) + change(text[end:])


class Stage:
    def __init__(self, folder):
        self.folder = folder
        self.texts = {path.relative_to(ROOT) for pattern in TEXTS for path in ROOT.glob(pattern)}
        self.sources, self.answers = set(), []

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def page_of(self, path):
        """The page for a path of the repository, or None."""
        if path in self.texts:
            return path
        if path / "README.md" in self.texts:
            return path / "README.md"
        whole = ROOT / path
        if whole.is_dir():
            files = sorted(whole.glob("*.cu"))
            if not files:
                return None
            self.sources.update(file.relative_to(ROOT) for file in files)
            self.list_folder(path, files)
            return path / "files.md"
        if not whole.is_file() or whole.stat().st_size > LARGEST_SOURCE:
            return None
        self.sources.add(path)
        return pathlib.Path(f"{path}.md")

    def matching(self, pattern):
        """The texts that a line of the contents with * stands for."""
        return "".join(f"{path.with_suffix('')}\n" for path in sorted(self.texts) if path.match(pattern.group().strip()))

    def list_folder(self, path, files):
        rows = "".join(f"- [{file.name}]({file.name}.md)\n" for file in files)
        self.write(path / "files.md", f"---\norphan: true\nnosearch: true\n---\n# {path}/\n\n{rows}")

    def target(self, text, address):
        """The address of a link in this text; None if it leads out of the book."""
        if re.match(r"[a-z]+:|#", address):
            return address
        name, _, anchor = address.partition("#")
        path = pathlib.Path(os.path.normpath(text.parent / name))
        page = self.page_of(path)
        if page is None:
            return None
        relative = os.path.relpath(page, text.parent)
        return relative + ("#" + anchor if anchor and path in self.texts else "")

    def link(self, text, match):
        name = match.group(2).partition("#")[0]
        if ":" not in name and not (ROOT / text.parent / name).exists():
            return match.group() # brackets of a drawing or a listing
        target = self.target(text, match.group(2))
        return f"[{match.group(1)}]({target})" if target else match.group(1)

    def reference(self, text, match):
        target = self.target(text, match.group(2))
        return f"[{match.group(1)}]: {target}" if target else match.group()

    def text(self, path):
        text = COMMENT.sub(lambda match: match["code"] or "", (ROOT / path).read_text())
        text = outside_listings(text, lambda part: LINK.sub(lambda m: self.link(path, m), part))
        text = REFERENCE.sub(lambda m: self.reference(path, m), text)
        self.collect_answers(path, text)
        self.write(path, CAPTIONED.sub(lambda m: self.picture(path, m), text))

    def picture(self, path, match):
        frames = SLIDERS.get(str(path.parent / match.group(1)))
        sliders = f'\n\n```{{raw}} html\n<div class="choose" data-frames="{frames}"></div>\n```'
        return match.group() + (sliders if frames else "")

    def collect_answers(self, path, text):
        title = re.search(r"^# (.*)$", text, re.M).group(1)
        found = re.findall(r"<details><summary>(Answers?[^<]*)</summary>\n(.*?)</details>", text, re.S)
        if found:
            section = re.findall(r"^## (.*)$", text[:text.index("<details><summary>Answer")], re.M)[-1]
            self.answers.append((title, path, section, [answer.strip() for _, answer in found]))

    def source(self, path):
        text = (ROOT / path).read_text(errors="replace")
        language = LANGUAGES.get(path.suffix, "text")
        self.write(pathlib.Path(f"{path}.md"), f"---\norphan: true\nnosearch: true\n---\n# {path}\n\n"
                   f"`````{{code-block}} {language}\n:linenos:\n\n{text.rstrip()}\n`````\n")

    def all_answers(self):
        parts = ["# Answers\n\nAll answers that the notes and chapters fold away, for those who have answered.\n"]
        for title, path, section, answers in self.answers:
            parts.append(f"## {title}\n\nThe questions: [{section}]({path}#{slug(section)})\n")
            parts += [re.sub(r"\]\((?!\w+:|#|/)", f"]({path.parent}/", answer) + "\n" for answer in answers]
        self.write(pathlib.Path("answers.md"), "\n".join(parts))


def slug(heading):
    """The anchor of a heading, as code hosts make it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def main(folder):
    shutil.rmtree(folder, ignore_errors=True)
    stage = Stage(folder)
    for path in sorted(stage.texts):
        stage.text(path)
    for path in sorted(stage.sources):
        stage.source(path)
    for file in SITE.glob("*.md"):
        if file.name not in ("README.md", "index.md"):
            stage.write(file.relative_to(ROOT), file.read_text())
    stage.write(pathlib.Path("index.md"), re.sub(r"^\S*\*\S*\n", stage.matching, (SITE / "index.md").read_text(), flags=re.M))
    for picture in ROOT.glob("lab*/pictures/*.svg"):
        stage.write(picture.relative_to(ROOT), picture.read_text())
    stage.all_answers()


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
